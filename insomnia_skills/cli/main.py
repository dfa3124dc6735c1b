"""The program's entry: what has to be settled before anything is imported."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command line."""
    # What is imported, and nearly all that a run makes, is kept to the end: looking for garbage as
    # often as Python does takes a tenth of a start, and looking once more at exit another one.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    if sys.platform == "win32":
        # There a git.exe in the working directory, be it a stranger's, would go before git.
        os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")
    try:
        from insomnia_skills.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)  # `Exit.INTERRUPTED`, which may not be imported yet
