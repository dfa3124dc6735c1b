"""Skills that lie in the workspace where other clients keep them, but that no manifest names.

A look that costs next to nothing, for a hint; `discover` reads the skills, and looks further.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workspace import MARKER, place_key

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest


def unnamed_roots(result: Ingest) -> list[tuple[Path, int]]:
    """Skills directories of other clients in the workspace that are no source.

    Each with the number of SKILL.md files in it, which nobody has read. A directory reached by two
    names is given once.
    """
    workspace = result.workspace.root
    try:
        # A disk may ignore case.
        there = {name.lower() for name in os.listdir(workspace)} - {MARKER, ".git"}
    except OSError:
        there = set()
    if not there:
        return []
    # An empty workspace does not pay for the data.
    from insomnia_skills.clients.data import PROJECT_DIRECTORIES

    seen = {place_key(source.path) for source in result.sources}
    roots = []
    for directory in PROJECT_DIRECTORIES:
        if directory.partition("/")[0] not in there:
            continue
        for root in expand_braces(workspace / directory):
            count = _count_skills(root)
            if count and (key := place_key(root)) not in seen:
                seen.add(key)
                roots.append((root, count))
    return roots


def _count_skills(root: Path) -> int:
    try:
        children = os.listdir(root)
    except OSError:
        return 0
    return sum(
        os.path.isfile(root / child / SKILL_FILE) for child in children if not child.startswith(".")
    )


def expand_braces(path: Path) -> list[Path]:
    """The paths that one with a name in braces at its end stands for; itself if there is none."""
    prefix, brace, _ = path.name.partition("{")
    if not brace:
        return [path]
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return [path]
    matching = [path.parent / name for name in names if name.startswith(prefix) and name != prefix]
    return matching or [path]
