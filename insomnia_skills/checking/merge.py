"""Results of `validate` that were written as JSON, read back and joined."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from pathlib import Path
from textwrap import shorten
from types import NoneType
from typing import Any, NamedTuple, TypeVar

from insomnia_skills import registry, sources
from insomnia_skills.checking.check import Check, CheckedFile, FileKind, kind_of
from insomnia_skills.checking.shard import Part, Shard
from insomnia_skills.diagnostic import (
    Diagnostic,
    Finding,
    Fix,
    RelatedPlace,
    Replacement,
    Severity,
    Span,
)
from insomnia_skills.file import read_bytes
from insomnia_skills.limits import MAX_RESULT_BYTES, MAX_SHARDS
from insomnia_skills.rules.catalogue import rules_of
from insomnia_skills.sources import SKILL_FILE

VERSION = 1

_RULE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OF_NO_FILE = {rule.name for rule in rules_of(sources, registry)}
"""Rules about roots and conflicts, though their findings stand in a file that was checked."""

_WRITE = "write it with: insomnia-skills validate … --output FILE.json"

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


class MergeError(ValueError):
    """Results that can't be joined; the message says which and why, ``help`` what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class Result(NamedTuple):
    """What one file says. ``part`` is None for a check that was not a part of another.

    JSON has neither the lines that diagnostics are about nor the comments that silence rules, so
    ``check`` has no excerpts and no ignores.
    """

    source: Path
    check: Check
    part: Part | None = None


def merge(results: Sequence[Result]) -> Check:
    """All that several results say, as if one run had checked it.

    Files are in order of their paths. What several results say alike is in it once. Raises
    `MergeError` where a shard is missing or there twice, and where two results differ about a file.
    """
    _require_whole(results)
    files: dict[str, CheckedFile] = {}
    for result in results:
        for file in result.check.files:
            if files.setdefault(file.file, file) != file:
                _fail_on_difference(results, file.file)
    workspaces = {result.check.workspace for result in results}
    checks = [result.check for result in results]
    return Check(
        workspace=workspaces.pop() if len(workspaces) == 1 else None,
        files=tuple(files[file] for file in sorted(files, key=_by_directory)),
        others=_joined(check.others for check in checks),
        known=_by_place(_joined(check.known for check in checks)),
        fixed=_by_place(_joined(check.fixed for check in checks)),
    )


def _require_whole(results: Iterable[Result]) -> None:
    found: dict[Shard, Path] = {}
    parts: list[Part] = []
    for result in results:
        if (part := result.part) is None:
            continue
        shard = part.shard
        parts.append(part)
        if shard in found:
            raise MergeError(
                f"shard {shard} is there twice: {found[shard]} and {result.source}",
                "leave out the one that is not of this run",
            )
        found[shard] = result.source
    if not found:
        return
    first, *rest = parts
    count = first.shard.count
    for part in rest:
        if difference := _difference(first, part):
            one, other = (f"shard {shard} ({found[shard]})" for shard in (first.shard, part.shard))
            raise MergeError(
                f"{one} and {other} are not parts of one check: {difference}",
                "give the results of one run alone",
            )
    all_of_them = (Shard(index, count) for index in range(1, count + 1))
    missing = [str(shard) for shard in all_of_them if shard not in found]
    if missing:
        word = "shards" if missing[1:] else "shard"
        raise MergeError(
            f"not all was checked, there is no result of {word} {', '.join(missing)}",
            "see whether its job came to an end and kept its result, and give that file too",
        )


def _difference(one: Part, other: Part) -> str:
    """In what two parts can't be of one check; empty where they can."""
    if one.shard.count != other.shard.count:
        return f"one of {one.shard.count} parts, the other of {other.shard.count}"
    if one.of != other.of:
        paths = [shorten(" ".join(part.of), 80, placeholder=" …") for part in (one, other)]
        return f"one is of {paths[0]}, the other of {paths[1]}"
    return "their options differ" if one.options != other.options else ""


def _fail_on_difference(results: Iterable[Result], judged: str) -> None:
    places = [r.source for r in results if any(file.file == judged for file in r.check.files)]
    raise MergeError(
        f"{judged} is not the same in {' and '.join(map(str, places))}",
        "check the same state of the files with the same options, or each file once",
    )


def _by_directory(path: str) -> str:
    """Sorts what lies in a directory before what begins with the directory's name."""
    return path.replace(os.sep, "\0")


def _by_place(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda diagnostic: _by_directory(str(diagnostic.path))))


def _joined(parts: Iterable[Iterable[Diagnostic]]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(parts)))


def load_result(path: Path) -> Result:
    """Read what ``validate --format json`` wrote. Raises `MergeError` for anything else."""
    data = read_bytes(path, MAX_RESULT_BYTES)
    if isinstance(data, Finding):
        raise MergeError(f"{path}: {data.message}", _WRITE)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise MergeError(f"{path} is not JSON, or only a part of it", _WRITE) from None
    try:
        version = _value(document, "version", int)
        if version != VERSION:
            raise MergeError(
                f"{path} is a result of version {version}, not {VERSION}",
                "take the same version of insomnia-skills everywhere",
            )
        if _value(document, "interrupted", bool, NoneType):
            raise MergeError(f"{path} is of a run that was interrupted", "let that run to its end")
        return Result(path, _check(document), _optional(document, "shard", _part))
    except _ShapeError as error:
        raise MergeError(f"{path} is no result of validate: {error}", _WRITE) from None


class _ShapeError(Exception):
    """Something in a document is not as the schema says; the text says what."""


def _value(item: Any, key: str, *types: type) -> Any:
    """A value of an object, which has one of the types; a key that is missing has None."""
    if type(item) is not dict:
        raise _ShapeError("it is not an object")
    value = item.get(key)
    if type(value) not in types:
        raise _ShapeError(f'"{key}" is {"not as it must be" if key in item else "missing"}')
    return value


def _number(item: Any, key: str, least: int = 1) -> int:
    value: int = _value(item, key, int)
    if value < least:
        raise _ShapeError(f'"{key}" is less than {least}')
    return value


def _each(item: Any, key: str, read: Callable[[Any], T]) -> Iterator[T]:
    for number, inner in enumerate(_value(item, key, list)):
        try:
            yield read(inner)
        except _ShapeError as error:
            raise _ShapeError(f"{key}[{number}]: {error}") from None


def _one_of(kind: type[E], item: Any, key: str) -> E:
    try:
        return kind(_value(item, key, str))
    except ValueError:
        raise _ShapeError(f'"{key}" is none of {", ".join(kind)}') from None


def _optional(item: Any, key: str, read: Callable[[Any], T]) -> T | None:
    value = _value(item, key, dict, NoneType)
    return None if value is None else read(value)


def _place(item: Any, key: str = "path") -> str:
    """An absolute path as text."""
    text: str = _value(item, key, str)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise _ShapeError(f'"{key}" is no path') from None
    if not os.path.isabs(text):
        raise _ShapeError(f'"{key}" is no absolute path of this system')
    return text


_path = lru_cache(Path)
"""Most diagnostics follow another one of the same file."""


def _check(document: Any) -> Check:
    listed = list(_each(document, "files", _file))
    diagnostics = list(_each(document, "diagnostics", _diagnostic))
    known = tuple(_each(document, "known", _diagnostic))
    fixed = tuple(_each(document, "fixed", _diagnostic))
    severities = Counter(diagnostic.severity for diagnostic in diagnostics)
    contents = {
        "checked": len(listed),
        "valid": sum(file.valid for file in listed),
        "errors": severities[Severity.ERROR],
        "warnings": severities[Severity.WARNING],
        "infos": severities[Severity.INFO],
        "known": len(known),
        "fixed": len(fixed),
    }
    _require_sums(_value(document, "summary", dict), contents)
    files = {file.file: file for file in listed}
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    others: list[Diagnostic] = []
    for diagnostic in diagnostics:
        file = _file_of(diagnostic, files)
        (others if file is None else found[file]).append(diagnostic)
    for file, its in found.items():
        files[file] = files[file]._replace(diagnostics=tuple(its))
    is_workspace = _value(document, "workspace", str, NoneType) is not None
    return Check(
        workspace=Path(_place(document, "workspace")) if is_workspace else None,
        files=tuple(files.values()),
        others=tuple(others),
        known=known,
        fixed=fixed,
    )


def _require_sums(summary: Any, contents: Mapping[str, int]) -> None:
    """A document from which something was lost says more in its summary than it has."""
    for key, count in contents.items():
        said = _number(summary, key, least=0)
        if said != count:
            raise _ShapeError(f'its summary has "{key}": {said}, its contents come to {count}')


def _file_of(diagnostic: Diagnostic, files: Container[str]) -> str | None:
    """Which of the files a diagnostic was found in: the one that it names, or its skill's."""
    if diagnostic.rule in _OF_NO_FILE:
        return None
    path = str(diagnostic.path)
    if path in files:
        return path
    below, directory = path, os.path.dirname(path)
    while directory != below:  # a hostile path has thousands of parts, too many for pathlib
        file = os.path.join(directory, SKILL_FILE)
        if file in files:
            return file
        below, directory = directory, os.path.dirname(directory)
    if kind_of(diagnostic.path):
        raise _ShapeError(f'"files" does not have {path}, about which there is a diagnostic')
    return None


def _file(item: Any) -> CheckedFile:
    return CheckedFile(
        file=_place(item),
        kind=_one_of(FileKind, item, "kind"),
        slug=_value(item, "slug", str, NoneType),
        valid=_value(item, "valid", bool),
    )


def _diagnostic(item: Any) -> Diagnostic:
    """The inverse of `report.objects.diagnostic_object`."""
    rule = _value(item, "rule", str)
    if not _RULE.fullmatch(rule):
        raise _ShapeError('"rule" is no name of a rule')
    return Diagnostic(
        rule,
        _one_of(Severity, item, "severity"),
        _value(item, "message", str),
        _path(_place(item)),
        *_span(item),
        help=_value(item, "help", str, NoneType),
        fix=_optional(item, "fix", _fix),
        related=tuple(_each(item, "related", _related)),
    )


def _fix(item: Any) -> Fix[Replacement]:
    return Fix(
        title=_value(item, "title", str),
        edits=tuple(_each(item, "edits", _edit)),
        safe=_value(item, "safe", bool),
        rename=_value(item, "rename", str, NoneType),
    )


def _edit(item: Any) -> Replacement:
    # A byte-order mark stands in column 0.
    return Replacement(_span(item, least_column=0), _value(item, "text", str))


def _related(item: Any) -> RelatedPlace:
    return RelatedPlace(_value(item, "message", str), _path(_place(item)), _span(item))


def _span(item: Any, least_column: int = 1) -> Span:
    return Span(
        _number(item, "line"),
        _number(item, "column", least_column),
        _number(item, "end_line"),
        _number(item, "end_column"),
    )


def _part(item: Any) -> Part:
    shard = Shard(_number(item, "index"), _number(item, "count"))
    if not shard.index <= shard.count <= MAX_SHARDS:
        raise _ShapeError('"shard" is none')
    of = _value(item, "of", list)
    if not all(type(path) is str for path in of):
        raise _ShapeError('"of" is not as it must be')
    return Part(shard, tuple(of), _value(item, "options", str))
