"""The program's entry: what has to be settled before anything is imported."""

from __future__ import annotations

import atexit
import gc
import sys


def main() -> None:
    """Run the command line."""
    # What is imported, and nearly all that a run makes, is kept to the end: looking for garbage as
    # often as Python does takes a tenth of a start, and looking once more at exit another one.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    try:
        from insomnia_skills.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)  # `Exit.INTERRUPTED`, which may not be imported yet
