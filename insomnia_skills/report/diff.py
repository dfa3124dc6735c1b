"""A unified diff for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from insomnia_skills.report.text import safe

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def print_diff(diff: str, console: Console) -> None:
    """Print a diff with a colour for each kind of line."""
    for line in safe(diff).splitlines():
        console.print(Text(line, _STYLES.get(line[:1], "")), soft_wrap=True)
