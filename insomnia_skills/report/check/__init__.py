"""The answer of `validate`: one module a format, each with one function ``render``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from insomnia_skills.checking.check import Check, CheckedFile, FileKind
from insomnia_skills.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from insomnia_skills.checking.shard import Part


class Totals:
    """What many files come to, added up as they come, so that none need be kept.

    ``checked`` and ``broken`` count files by kind, ``found`` diagnostics by severity, ``shown``
    those that people are shown, and ``fixes`` those that have a fix, by whether that is safe.
    """

    def __init__(self) -> None:
        self.checked: Counter[FileKind] = Counter()
        self.broken: Counter[FileKind] = Counter()
        self.found: Counter[Severity] = Counter()
        self.fixes: Counter[bool] = Counter()
        self.shown: Counter[Severity] = Counter()

    @classmethod
    def of(cls, check: Check, shown: Iterable[Diagnostic] = ()) -> Totals:
        """The totals of a whole check."""
        totals = cls()
        totals.shown.update(diagnostic.severity for diagnostic in shown)
        for file in check.files:
            totals.add(file)
        totals.add_diagnostics(check.others)
        return totals

    def add(self, file: CheckedFile) -> None:
        """Count a file, and what was found in it."""
        self.checked[file.kind] += 1
        if not file.valid:
            self.broken[file.kind] += 1
        self.add_diagnostics(file.diagnostics)

    def add_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Count what belongs to no file that is counted."""
        for diagnostic in diagnostics:
            self.found[diagnostic.severity] += 1
            if diagnostic.fix:
                self.fixes[diagnostic.fix.safe] += 1


class Results:
    """What every format is made from.

    ``shown`` are the diagnostics for people: all but infos, or all, or errors only (``-v``,
    ``-q``); formats that machines read have all of ``check.diagnostics``. ``root`` is the root of
    the repository (without one, the working directory): where a CI wants relative paths, they
    are relative to it. ``strict`` says that warnings fail, ``strict_in`` which configuration
    says so where no option does. ``seconds`` is the time it took.
    ``part`` is the only one of the files that was checked, and ``interrupted`` says that not all
    was checked that was to be. Where files were reported as they
    came, only ``totals`` knows of them, and ``shown`` is empty.
    """

    def __init__(
        self,
        check: Check,
        shown: tuple[Diagnostic, ...],
        root: Path,
        seconds: float,
        strict: bool = False,
        quiet: bool = False,
        strict_in: Path | None = None,
        part: Part | None = None,
        interrupted: bool = False,
        totals: Totals | None = None,
    ) -> None:
        self.check = check
        self.shown = shown
        self.root = root
        self.seconds = seconds
        self.strict = strict
        self.quiet = quiet
        self.strict_in = strict_in
        self.part = part
        self.interrupted = interrupted
        self.totals = Totals.of(check, shown) if totals is None else totals

    @property
    def failed(self) -> bool:
        """Whether something was found that fails the check."""
        found = self.totals.found
        return bool(found[Severity.ERROR] or (self.strict and found[Severity.WARNING]))
