"""The fixes of a file's findings, tried on its text before anything is written.

A fix is kept only if, with it, the file reads as it should: its finding is gone, what it wrote is
one key or one value and nothing else is another than it was, nothing that could be read can't be
read any more, and a valid file stays valid.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

from insomnia_skills.checking.check import CheckedFile, FileKind, check_file
from insomnia_skills.diagnostic import Diagnostic, Edit, Lines, Severity
from insomnia_skills.edit.write import ChangedError, rename_file, replace_file
from insomnia_skills.file import decode, leads_out, read_bytes
from insomnia_skills.frontmatter import Document, parse
from insomnia_skills.limits import MAX_FILE_BYTES, MAX_FIX_WORK
from insomnia_skills.unified import unified_hunks
from insomnia_skills.workspace import real_path
from insomnia_skills.yaml.node import Entry, Mapping, Node, Scalar, Sequence, plain, scalars_of
from insomnia_skills.yaml.outline import outline, rest_of_line

_BOM = "\ufeff"
_NEEDS_QUOTES = re.compile(r'[\x00-\x1f\x7f"\\]')

Judge: TypeAlias = Callable[[CheckedFile], CheckedFile]


@dataclass(frozen=True, slots=True)
class Change:
    """What fixes make of a file, not written yet.

    ``path`` is where it lies now, ``rename`` its new path where that is another one. ``fixed`` are
    the findings that are gone, in the order in which they were taken away, each at the file's new
    path and with the place that it had then. ``file`` is the file as it is judged with the change.
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
    to_fix = [d for d in file.diagnostics if _applies(d, file.path, unsafe)]
    if not to_fix:
        return None
    if all(_names_another(d, file.path) for d in to_fix):
        return Refusal(file.path, "the name is left, since the directory is a link to another name")
    data = read_bytes(file.path)
    if not isinstance(data, bytes) or not decode(data).readable:
        return None
    before = _State.of(file.path, file.kind, data, judge)
    try:
        state, fixed = _fix(before, unsafe, judge)
    except _RefusedError as refused:
        return Refusal(file.path, str(refused))
    if not fixed:
        return None
    path = state.file.path
    return Change(
        file.path,
        data,
        state.data,
        rename=path if path != before.file.path else None,
        fixed=tuple(diagnostic._replace(path=path) for diagnostic in fixed),
        file=judge(check_file(path, file.kind, decode(state.data))),
    )


def _fix(state: _State, unsafe: bool, judge: Judge) -> tuple[_State, list[Diagnostic]]:
    """A file with all its fixes, and the findings that are gone. Raises `_RefusedError`."""
    fixed: list[Diagnostic] = []
    refused: set[tuple[object, ...]] = set()
    work = 0
    while batch := list(state.fixable(unsafe, refused)):
        while batch:
            work += state.work
            if work > MAX_FIX_WORK:
                raise _RefusedError(_TOO_MUCH)
            after = state.with_fixes(batch, judge)
            if after is not None:
                state = after
                fixed += batch
                refused.clear()
                break
            if len(batch) == 1:
                refused.add(_identity(batch[0]))
            del batch[len(batch) // 2 :]  # one of them is in the way of the others
    return state, fixed


def apply_change(change: Change) -> Refusal | None:
    """Write a change to the disk; None where that is done.

    Refused, with the file untouched, where it is no longer what it was when the change was planned,
    and where the system forbids it; a full disk leaves the old file too.
    """
    another = Refusal(change.path, "not changed, since it is another file by now; run it again")
    path = change.path
    if leads_out(path) or read_bytes(path) != change.before:
        return another
    try:
        if change.rename:  # first, since of two that do this at once only one can
            path = rename_file(path, change.rename.name)
        if change.after != change.before:
            replace_file(path, change.after, change.before)
    except OSError as error:
        if path != change.path:
            with suppress(OSError):
                rename_file(path, change.path.name)
        if isinstance(error, ChangedError):
            return another
        return Refusal(change.path, f"can't be written: {error.strerror or error}")
    return None


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
        lines += unified_hunks(change.before.decode(), change.after.decode())
    return "".join(lines)


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


def has_own_name(path: Path) -> bool:
    """Whether a file's directory is really called so, and not only by a link to it."""
    return os.path.basename(real_path(path.parent)) == path.parent.name


def _names_another(diagnostic: Diagnostic, path: Path) -> bool:
    """Whether a fix gives a skill the name of a link to its directory, which has another name.

    A file has one name, but may be reached by both.
    """
    return diagnostic.rule.startswith("name-") and not has_own_name(path)


def _identity(diagnostic: Diagnostic) -> tuple[object, ...]:
    """What a finding whose fix is no good is known by, wherever it has moved to."""
    fix = diagnostic.fix
    texts = [edit.text for edit in fix.edits] if fix else []
    return diagnostic.rule, diagnostic.message, *texts


class _RefusedError(Exception):
    """A file can't be fixed, and the message says why."""


_TOO_MUCH = (
    f"not changed, since its fixes need more than {MAX_FIX_WORK:,} characters to be judged: "
    "mend some by hand first"
)
_TOO_LARGE = "not changed, since it would be too large with the fixes"


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
        return cls(
            data, document, Lines(text.text), judge(check_file(path, kind, text, body=False))
        )

    def fixable(self, unsafe: bool, refused: set[tuple[object, ...]]) -> Iterator[Diagnostic]:
        """The findings to fix at once: those that don't get in one another's way, errors first."""
        found = [
            diagnostic
            for diagnostic in self.file.diagnostics
            if _applies(diagnostic, self.file.path, unsafe)
            and _identity(diagnostic) not in refused
            and not _names_another(diagnostic, self.file.path)
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
        data = self._edited(edits)
        if len(data) > MAX_FILE_BYTES:
            raise _RefusedError(_TOO_LARGE)
        after = _State.of(path, self.file.kind, data, judge)
        if any(finding.rule == "frontmatter-too-large" for finding in after.document.findings):
            if len(data) > len(self.data):
                raise _RefusedError(_TOO_LARGE)
            return None
        places = _Places(edits)
        found = after._offsets_by_rule()
        if any(after._still_has(d, self, places, found[d.rule]) for d in diagnostics):
            return None
        uncovers = bool(names) or self.document.fields is None
        if after._errors > self._errors and not uncovers:
            return None
        return after if after._keeps(self, diagnostics, places) else None

    @property
    def work(self) -> int:
        """What it costs to judge it, in characters of frontmatter."""
        return self.document.body_start + len(self.document.text) // 8

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

    def _offsets_by_rule(self) -> dict[str, list[int]]:
        """Where the findings of each rule begin, in order."""
        offsets: dict[str, list[int]] = defaultdict(list)
        for diagnostic in self.file.diagnostics:
            if diagnostic.path == self.file.path:
                insort(offsets[diagnostic.rule], self._place(diagnostic))
        return offsets

    def _still_has(
        self, diagnostic: Diagnostic, old: _State, places: _Places, alike: list[int]
    ) -> bool:
        """Whether the finding is still there, where it was or where its fix wrote.

        ``alike`` is where those of its rule are now.
        """
        own = old._edits([diagnostic])
        if not alike or not own:
            return bool(alike)
        place = old._place(diagnostic)
        start = places.before(min(place, own[0].start))
        end = places.behind(max(place, own[-1].end))
        if diagnostic.severity is Severity.ERROR and self.document.fields is None:
            return not self._got_beyond(end, alike[0])
        index = bisect_left(alike, start)
        return index < len(alike) and alike[index] <= end

    def _got_beyond(self, end: int, error: int) -> bool:
        """Whether a parser that stops at an error has read another value behind an offset."""
        begin = rest_of_line(self.document.text, 0).end()
        block = self.document.text[begin : self.document.body_start]
        entries = outline(block, error - begin)
        if entries and entries[-1].kind == "brackets" and begin + entries[-1].start < end:
            return "," in self.document.text[end:error]
        return any(begin + e.start > end and (e.key or e.dash) for e in entries)

    def _keeps(self, old: _State, diagnostics: list[Diagnostic], places: _Places) -> bool:
        """Whether the fixes wrote what they should, and all else is as it was."""
        before, after = old.document, self.document
        same_body = (
            before.body == after.body if before.body_start else before.text.endswith(after.body)
        )
        if not same_body or (old.file.valid and not self.file.valid):
            return False
        if after.fields is None:
            return before.fields is None
        scalars = list(scalars_of(after.fields.values()))
        if not all(self._has_written(old._edits([d]), places, scalars) for d in diagnostics):
            return False
        if before.fields is None:
            return True
        fields = dict(after.fields)
        if len(fields) > len(before.fields) and any(d.rule == "name-missing" for d in diagnostics):
            del fields["name"]
        return _same_entries(before.fields.values(), fields.values(), places)

    def _has_written(self, edits: list[Edit], places: _Places, scalars: list[Scalar]) -> bool:
        """Whether what a fix wrote is one key or one value, or a part of it; or a whole line."""
        if not edits or edits[0].text.endswith(("\n", "\r")):
            return True
        begin, end = max(0, places.before(edits[0].start)), places.behind(edits[-1].end)
        written = self.document.text[begin:end]
        if not written.strip():
            return True
        begin += len(written) - len(written.lstrip())
        end -= len(written) - len(written.rstrip())
        index = bisect_right(scalars, begin, key=lambda scalar: scalar.start) - 1
        if index < 0:
            return False
        scalar = scalars[index]
        if edits[0].text in ('"', "'"):
            return (scalar.start, scalar.end) == (begin, end)
        return end <= scalar.end


class _Places:
    """Where edits write, and where the offsets around them are then.

    The edits are in order and apart.
    """

    def __init__(self, edits: list[Edit]) -> None:
        # A byte-order mark at -1 is no part of the text, so it moves nothing.
        edits = [edit._replace(start=max(0, edit.start)) for edit in edits]
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

    def touch(self, node: Node) -> bool:
        """Whether an edit writes in a key or a value, or right beside it."""
        index = bisect_left(self._ends, node.start)
        return index < len(self._ends) and self._starts[index] <= node.end


def _same(old: Node, new: Node, places: _Places) -> bool:
    """Whether a node is the same but where edits wrote."""
    if isinstance(old, Scalar):
        return isinstance(new, Scalar) and (places.touch(old) or plain(old) == plain(new))
    if isinstance(old, Sequence):
        if isinstance(new, Scalar):
            return places.touch(old) and new.value == " ".join(map(str, map(plain, old.items)))
        return (
            isinstance(new, Sequence)
            and len(old.items) == len(new.items)
            and all(_same(a, b, places) for a, b in zip(old.items, new.items, strict=True))
        )
    return isinstance(new, Mapping) and _same_entries(
        old.entries.values(), new.entries.values(), places
    )


def _same_entries(old: Collection[Entry], new: Collection[Entry], places: _Places) -> bool:
    return len(old) == len(new) and all(
        _same(a.key, b.key, places) and _same(a.value, b.value, places)
        for a, b in zip(old, new, strict=True)
    )
