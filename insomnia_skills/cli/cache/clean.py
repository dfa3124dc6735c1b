"""``insomnia-skills cache clean``: begin anew."""

from __future__ import annotations

from insomnia_skills.cli.common import Exit, fail, well_ended, write
from insomnia_skills.report.text import PathNames, size_label


@well_ended()
def command() -> None:
    """Remove the cache; the next run reads every file."""
    from insomnia_skills.cache import clean, find_cache, inspect

    path = find_cache()
    name = PathNames()(path)
    size = inspect(path).bytes
    try:
        clean(path)
    except OSError as error:
        fail(f"{name} can't be removed: {error.strerror or error}", code=Exit.NO_OUTPUT)
    write((f"Removed {name}, {size_label(size)}" if size else f"There is no cache at {name}",))
