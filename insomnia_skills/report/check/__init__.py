"""The answer of `validate`: one module a format, each with one function ``render``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from insomnia_skills.checking.check import Check
from insomnia_skills.diagnostic import Diagnostic, Severity


class Results(NamedTuple):
    """What every format is made from.

    ``shown`` are the diagnostics for people: all but infos, or all, or errors only (``-v``,
    ``-q``); formats that machines read have all of ``check.diagnostics``. ``root`` is the root of
    the repository (without one, the working directory): where a CI wants relative paths, they
    are relative to it. ``strict`` says that warnings fail. ``seconds`` is the time it took.
    """

    check: Check
    shown: tuple[Diagnostic, ...]
    root: Path
    seconds: float
    strict: bool = False
    quiet: bool = False

    @property
    def failed(self) -> bool:
        """Whether something was found that fails the check."""
        errors, warnings = map(self.check.total, (Severity.ERROR, Severity.WARNING))
        return bool(errors or (self.strict and warnings))
