"""``insomnia-skills cache info``: where the cache is, and how much is in it."""

from __future__ import annotations

import os

from insomnia_skills.cli.common import well_ended, write
from insomnia_skills.report.text import PathNames, size_label


@well_ended()
def command() -> None:
    """Say where the cache is, its size, and how many files it knows of."""
    from insomnia_skills.cache import find_cache, inspect

    cache = inspect(find_cache())
    if cache.entries is not None:
        entries = f"{cache.entries:,}"
    elif not cache.path.is_absolute():
        entries = "none: where the home directory is, nobody knows (set HOME)"
    elif os.path.isfile(cache.path):
        entries = "of another version, made anew by the next run"
    else:
        there = os.path.exists(cache.path)
        entries = "none: this is no file, remove it" if there else "none yet"
    write(
        (
            f"path\t{PathNames()(cache.path)}",
            f"size\t{size_label(cache.bytes)}",
            f"entries\t{entries}",
        )
    )
