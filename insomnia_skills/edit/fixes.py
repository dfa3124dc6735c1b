"""The fixes of a file's findings, tried on its text before anything is written.

A fix is kept only if, with it, the file reads as it should: its finding is gone, no field and no
word of the body is another one but where the fix wrote, nothing that could be read can't be read
any more, and a valid file stays valid.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

from insomnia_skills.check import CheckedFile, FileKind, check_file
from insomnia_skills.diagnostic import Diagnostic, Edit, Lines, Severity
from insomnia_skills.edit.write import rename_file, replace_file
from insomnia_skills.file import decode, leads_out, read_bytes
from insomnia_skills.frontmatter import Document, parse
from insomnia_skills.node import Entry, plain

MAX_ROUNDS = 100
"""How often a file is judged anew; a fix may uncover what another one mends."""

_BOM = "\ufeff"
_CONTEXT = 3
_NEEDS_QUOTES = re.compile(r'[\x00-\x1f\x7f"\\]')

Judge: TypeAlias = Callable[[CheckedFile], CheckedFile]


@dataclass(frozen=True, slots=True)
class Change:
    """What fixes make of a file, not written yet.

    ``path`` is where it lies now, ``rename`` its new path where that is another one. ``fixed`` are
    the findings that are gone, in the order in which they were taken away, each with the place that
    it had then. ``file`` is the file as it is judged with the change.
    """

    path: Path
    before: bytes
    after: bytes
    rename: Path | None
    fixed: tuple[Diagnostic, ...]
    file: CheckedFile


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file is not changed, though there is something to fix: "PATH: REASON" is a sentence."""

    path: Path
    reason: str


def plan_fixes(
    file: CheckedFile, unsafe: bool = False, judge: Judge = lambda checked: checked
) -> Change | Refusal | None:
    """Find out what the fixes of a file's findings make of it; None where that is nothing.

    Safe fixes are done, with ``unsafe`` the others too. ``judge`` is asked about each new state: it
    leaves out what is ignored, which is not fixed then. Nothing is written; never raises for what
    lies at the path.
    """
    if not any(_applies(diagnostic, file.path, unsafe) for diagnostic in file.diagnostics):
        return None
    if leads_out(file.path):
        return Refusal(file.path, "not changed, since it is a link to a file outside its directory")
    data = read_bytes(file.path)
    if not isinstance(data, bytes) or not decode(data).readable:
        return None
    state = before = _State.of(file.path, file.kind, data, judge)
    fixed: list[Diagnostic] = []
    refused: set[tuple[object, ...]] = set()
    for _ in range(MAX_ROUNDS):
        batch = list(state.fixable(unsafe, refused))
        if not batch:
            break
        after = state.with_fixes(batch, judge)
        if after is None and len(batch) > 1:  # one of them is in the way of the others
            batch = batch[:1]
            after = state.with_fixes(batch, judge)
        if after is None:
            refused.add(_identity(batch[0]))
        else:
            state = after
            fixed += batch
            refused.clear()
    if not fixed:
        return None
    path = state.file.path
    rename = path if path != before.file.path else None
    return Change(file.path, data, state.data, rename, tuple(fixed), state.file)


def apply_change(change: Change) -> Refusal | None:
    """Write a change to the disk; None where that is done.

    Refused, with the file untouched, where it is no longer what it was when the change was planned,
    and where the system forbids it; a full disk leaves the old file too.
    """
    if leads_out(change.path) or read_bytes(change.path) != change.before:
        return Refusal(change.path, "not changed, since it is another file by now; run it again")
    try:
        if change.after != change.before:
            replace_file(change.path, change.after)
        if change.rename:
            _rename(change, change.rename.name)
    except OSError as error:
        return Refusal(change.path, f"can't be written: {error.strerror or error}")
    return None


def _rename(change: Change, name: str) -> None:
    try:
        rename_file(change.path, name)
    except OSError:
        if change.after != change.before:
            replace_file(change.path, change.before)
        raise


def diff(change: Change, name: str) -> str:
    """A change as a unified diff, as git writes and applies it.

    ``name`` is the file's path as it shall be shown, with slashes. Line ends are those of the file,
    and so is all the text: what shows it on a terminal has to take care of control characters.
    """
    old, new = name, name
    if change.rename:
        new = f"{name.rpartition('/')[0]}/{change.rename.name}".removeprefix("/")
    lines = [f"diff --git {_named('a/', old)} {_named('b/', new)}\n"]
    if change.rename:
        lines += [f"rename from {_named('', old)}\n", f"rename to {_named('', new)}\n"]
    if change.after != change.before:
        lines += [f"--- {_labelled('a/', old)}\n", f"+++ {_labelled('b/', new)}\n"]
        lines += _hunks(change.before.decode(), change.after.decode())
    return "".join(lines)


def _hunks(before: str, after: str) -> Iterator[str]:
    old, new = before.split("\n"), after.split("\n")
    # What both end with is left out but for its first lines: a comparison takes long.
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    left_out = max(0, same - _CONTEXT)
    compared = difflib.unified_diff(_lines(old, left_out), _lines(new, left_out), n=_CONTEXT)
    for line in list(compared)[2:]:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(parts: list[str], left_out: int) -> list[str]:
    """What stood between line feeds as lines with them; the last one may have none."""
    lines = [*(f"{part}\n" for part in parts[:-1]), parts[-1]]
    return [line for line in lines[: len(lines) - left_out] if line]


def _named(prefix: str, name: str) -> str:
    """A path as git has it in a diff, in quotes where a character of it would mislead."""
    if not _NEEDS_QUOTES.search(name):
        return prefix + name
    escaped = _NEEDS_QUOTES.sub(lambda found: f"\\{ord(found[0]):03o}", name)
    return f'"{prefix}{escaped}"'


def _labelled(prefix: str, name: str) -> str:
    """A path as it stands after ``---``, where a tab ends one that has blanks."""
    named = _named(prefix, name)
    return f"{named}\t" if " " in name and not named.startswith('"') else named


def _applies(diagnostic: Diagnostic, path: Path, unsafe: bool) -> bool:
    fix = diagnostic.fix
    return fix is not None and diagnostic.path == path and (fix.safe or unsafe)


def _identity(diagnostic: Diagnostic) -> tuple[object, ...]:
    """What a finding whose fix is no good is known by, wherever it has moved to."""
    fix = diagnostic.fix
    texts = [edit.text for edit in fix.edits] if fix else []
    return diagnostic.rule, diagnostic.message, *texts


@dataclass(frozen=True, slots=True)
class _State:
    """The file as some fixes have made it, and what is to be said of it."""

    data: bytes
    document: Document
    lines: Lines
    file: CheckedFile

    @classmethod
    def of(cls, path: Path, kind: FileKind, data: bytes, judge: Judge) -> _State:
        text = decode(data)
        document = parse(path, text.text)
        return cls(data, document, Lines(text.text), judge(check_file(path, kind, text)))

    def fixable(self, unsafe: bool, refused: set[tuple[object, ...]]) -> Iterator[Diagnostic]:
        """The findings to fix at once: those that don't get in one another's way, errors first."""
        found = [
            diagnostic
            for diagnostic in self.file.diagnostics
            if _applies(diagnostic, self.file.path, unsafe) and _identity(diagnostic) not in refused
        ]
        errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
        end = -2
        for diagnostic in sorted(errors or found, key=lambda d: self._edits([d])[:1]):
            edits = self._edits([diagnostic])
            if not edits or end < edits[0].start:
                end = edits[-1].end if edits else end
                yield diagnostic

    def with_fixes(self, diagnostics: list[Diagnostic], judge: Judge) -> _State | None:
        """The file with these fixes; None where one of them does not what it should."""
        names = [d.fix.rename for d in diagnostics if d.fix and d.fix.rename]
        path = self.file.path.with_name(names[0]) if names else self.file.path
        edits = self._edits(diagnostics)
        after = _State.of(path, self.file.kind, self._edited(edits), judge)
        places = _Places(edits)
        if any(after._still_has(d, self, places) for d in diagnostics):
            return None
        uncovers = bool(names) or self.document.fields is None
        if after._errors > self._errors and not uncovers:
            return None
        return after if after._keeps(self, places) else None

    def _edited(self, edits: list[Edit]) -> bytes:
        whole = self.data.decode()
        bom = whole.startswith(_BOM)  # offsets of the text begin behind it
        parts, begin = [], 0
        for start, end, new in edits:
            parts += [whole[begin : start + bom], new]
            begin = end + bom
        return "".join((*parts, whole[begin:])).encode()

    @property
    def _errors(self) -> int:
        return sum(d.severity is Severity.ERROR for d in self.file.diagnostics)

    def _place(self, diagnostic: Diagnostic) -> int:
        """The offset at which a finding begins."""
        return self.lines.offset(diagnostic.line, diagnostic.column)

    def _edits(self, diagnostics: list[Diagnostic]) -> list[Edit]:
        """All edits of the fixes, in the order of the text."""
        offset = self.lines.offset
        edits = [
            Edit(offset(place.line, place.column), offset(place.end_line, place.end_column), text)
            for diagnostic in diagnostics
            if diagnostic.fix
            for place, text in diagnostic.fix.edits
        ]
        return sorted(edits, key=lambda edit: (edit.start, edit.end))

    def _still_has(self, diagnostic: Diagnostic, old: _State, places: _Places) -> bool:
        """Whether the finding is still there, where it was or where its fix wrote.

        Where the frontmatter could not be read, the parser must have got beyond that place.
        """
        alike = [d for d in self.file.diagnostics if d.rule == diagnostic.rule]
        own = old._edits([diagnostic])
        if not alike or not own:
            return bool(alike)
        place = old._place(diagnostic)
        start = places.before(min(place, own[0].start))
        end = places.behind(max(place, own[-1].end))
        if diagnostic.severity is Severity.ERROR and self.document.fields is None:
            start = 0
        return any(start <= self._place(other) <= end for other in alike)

    def _keeps(self, old: _State, places: _Places) -> bool:
        """Whether all that no fix wrote to is as it was."""
        if self.document.body != old.document.body or (old.file.valid and not self.file.valid):
            return False
        if old.document.fields is None:
            return True
        if self.document.fields is None:
            return False
        fields = self.document.fields
        return all(
            name in fields and _same(entry, fields[name])
            for name, entry in _untouched(old.document, places)
        )


class _Places:
    """Where edits write, and where the offsets around them are then.

    The edits are in order and apart.
    """

    def __init__(self, edits: list[Edit]) -> None:
        self._starts = [edit.start for edit in edits]
        self._ends = [edit.end for edit in edits]
        growth = (len(text) - (end - start) for start, end, text in edits)
        self._shifts = list(accumulate(growth, initial=0))

    def before(self, offset: int) -> int:
        """An offset's new place, before what was put in there."""
        count = min(bisect_left(self._starts, offset), bisect_right(self._ends, offset))
        return offset + self._shifts[count]

    def behind(self, offset: int) -> int:
        """An offset's new place, behind what was put in there."""
        return offset + self._shifts[bisect_right(self._ends, offset)]

    def reach(self, start: int, end: int) -> bool:
        """Whether an edit writes between two offsets."""
        index = bisect_right(self._ends, start)
        return index < len(self._ends) and self._starts[index] < end


def _untouched(document: Document, places: _Places) -> Iterator[tuple[str, Entry]]:
    """The fields that no edit reaches, from the key of each up to the next one."""
    fields = list((document.fields or {}).items())
    for index, (name, entry) in enumerate(fields):
        end = fields[index + 1][1].key.start if index + 1 < len(fields) else entry.value.end + 1
        if not places.reach(entry.key.start, end):
            yield name, entry


def _same(old: Entry, new: Entry) -> bool:
    return plain(old.value) == plain(new.value)
