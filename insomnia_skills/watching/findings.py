"""What became of the findings: those that are new, those that are gone, and how many there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from insomnia_skills.checking.check import Check, CheckedFile, FileKind
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.watching.live import Live, Update


class FindingsChange(NamedTuple):
    """The findings that are new, and those that are gone."""

    new: tuple[Diagnostic, ...] = ()
    gone: tuple[Diagnostic, ...] = ()


class Findings:
    """What is reported of a live answer.

    ``choose`` tells what of a check is to be reported; it may be another one for each time that
    all is read. ``found`` counts findings by severity, ``checked`` and ``broken`` files by kind.
    """

    def __init__(self, live: Live, choose: Callable[[Check], Check]) -> None:
        self.choose = choose
        self.found: Counter[Severity] = Counter()
        self.checked: Counter[FileKind] = Counter()
        self.broken: Counter[FileKind] = Counter()
        self._live = live
        self._chosen: dict[str, CheckedFile] = {}
        self._others: tuple[Diagnostic, ...] = ()

    @property
    def files(self) -> Iterable[CheckedFile]:
        """All files, with what of them is reported."""
        return self._chosen.values()

    @property
    def others(self) -> tuple[Diagnostic, ...]:
        """What is reported that belongs to no single file."""
        return self._others

    def apply(self, update: Update) -> FindingsChange:
        """Take in what was read again."""
        old = self._take(file.file for file in update.before)
        new = self.choose(Check(None, tuple(update.after))).files
        self._chosen.update((file.file, file) for file in new)
        before = [d for file in old for d in file.diagnostics] + list(self._others)
        self._others = self._chosen_others()
        after = [d for file in new for d in file.diagnostics] + list(self._others)
        self.found.subtract(d.severity for d in before)
        self.found.update(d.severity for d in after)
        self.checked.subtract(file.kind for file in old)
        self.checked.update(file.kind for file in new)
        self.broken.subtract(file.kind for file in old if not file.valid)
        self.broken.update(file.kind for file in new if not file.valid)
        return FindingsChange(tuple(_without(after, before)), tuple(_without(before, after)))

    def _take(self, files: Iterable[str]) -> list[CheckedFile]:
        return [self._chosen.pop(file) for file in files if file in self._chosen]

    def _chosen_others(self) -> tuple[Diagnostic, ...]:
        # Comments in a file silence what is said of it there too.
        files = tuple(file for file in self._live.files if file.ignores)
        return self.choose(Check(None, files, self._live.others)).others


_Identity: TypeAlias = tuple[Path, str, str, Severity]


def _without(these: Iterable[Diagnostic], others: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Those that the others have not too, be it on another line."""
    left: defaultdict[_Identity, int] = defaultdict(int)
    for diagnostic in others:
        left[_identity(diagnostic)] += 1
    for diagnostic in these:
        identity = _identity(diagnostic)
        if left[identity]:
            left[identity] -= 1
        else:
            yield diagnostic


def _identity(diagnostic: Diagnostic) -> _Identity:
    return diagnostic.path, diagnostic.rule, diagnostic.message, diagnostic.severity
