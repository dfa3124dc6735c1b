"""Skills that lie in the workspace where other clients keep them, but that no manifest names."""

from __future__ import annotations

import os
from pathlib import Path

from insomnia_skills.clients import PROJECT_DIRECTORIES
from insomnia_skills.pipeline import Ingest
from insomnia_skills.sources import SKILL_FILE


def unnamed_roots(result: Ingest) -> list[tuple[Path, int]]:
    """Skills roots of other clients in the workspace that are no source, with their skills' number.

    A directory reached by two names is given once.
    """
    seen = {os.path.realpath(source.path) for source in result.sources}
    roots = []
    for directory in PROJECT_DIRECTORIES:
        root = result.workspace.root / directory
        count = _count_skills(root)
        real = os.path.realpath(root) if count else ""
        if count and real not in seen:
            seen.add(real)
            roots.append((root, count))
    return roots


def _count_skills(root: Path) -> int:
    try:
        children = os.listdir(root)
    except OSError:
        return 0
    return sum(os.path.isfile(root / child / SKILL_FILE) for child in children)
