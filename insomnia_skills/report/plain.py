"""One record a line, tab-separated, nothing cut, for pipes. Paths are absolute."""

from __future__ import annotations

from pathlib import Path

from insomnia_skills.report.text import one_line, path_text


def record_line(*fields: str | int | Path) -> str:
    """Fields on one line with tabs between them; a path keeps every character."""
    return "\t".join(
        path_text(field) if isinstance(field, Path) else one_line(str(field)) for field in fields
    )
