"""What `validate` is asked to check: the workspace, paths, patterns, changes, or stdin."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.checking.check import (
    Check,
    CheckedFile,
    NotCheckableError,
    Wanted,
    check_file,
    check_workspace,
    judge_paths,
    kind_of,
)
from insomnia_skills.cli.common import Settings, fail
from insomnia_skills.report.text import PathNames, path_word
from insomnia_skills.workspace import absolute_path, real_path

if TYPE_CHECKING:
    from insomnia_skills.checking.shard import Shard
    from insomnia_skills.cli.reading import Means
    from insomnia_skills.pipeline import Ingest

STDIN = Path("-")


class Question(NamedTuple):
    """What is to be checked, maybe of that only one ``shard``.

    ``changed`` is a git commit, ``stdin_filename`` what stdin holds. ``paths`` have no pattern in
    them any more; none stands for the workspace.
    """

    paths: tuple[Path, ...]
    changed: str | None
    stdin_filename: Path | None
    shard: Shard | None = None

    def after(self, renamed: Mapping[Path, Path]) -> Question:
        """The same question when files have other names."""
        names = {_place(old): new.name for old, new in renamed.items()}
        # A directory keeps its name, and "." has none.
        given = ((path, names.get(_place(path))) for path in self.paths)
        return self._replace(paths=tuple(p.with_name(name) if name else p for p, name in given))


def _place(path: Path) -> str:
    """Where a file lies, whatever links lead to its directory."""
    above, name = os.path.split(absolute_path(path))
    return os.path.join(real_path(above), name)


def ask(
    paths: Iterable[Path], changed: str | None, stdin_filename: Path | None, shard: str | None
) -> Question:
    """The question that a command line asks; ends with 2 for one that makes no sense."""
    expanded = tuple(Path(place) for path in paths for place in _expanded(path))
    return Question(expanded, changed, stdin_filename, _read_shard(shard, expanded))


def _read_shard(text: str | None, paths: Sequence[Path]) -> Shard | None:
    if text is None:
        return None
    from insomnia_skills.checking.shard import read_shard

    if not paths or STDIN in paths or any(map(os.path.isfile, paths)):
        # Who wins a slug can be told of a whole workspace only.
        fail("--shard is about directories", "name the one that has the skills: validate DIR")
    try:
        return read_shard(text)
    except ValueError as error:
        fail(f"--shard: {error}")


class Coming:
    """Files that are judged while they are asked for; they end early where Ctrl-C says so."""

    def __init__(self, files: Iterable[CheckedFile]) -> None:
        self._files = files
        self.interrupted = False

    def __iter__(self) -> Iterator[CheckedFile]:
        try:
            yield from self._files
        except KeyboardInterrupt:
            self.interrupted = True
        except NotCheckableError as error:  # of a path that has far too much in it
            fail(str(error), error.help)


class Answer(NamedTuple):
    """What is asked for, judged.

    ``coming`` are its files where paths were given; then ``check`` has none, until it is
    `complete`. ``ingest`` is there where the workspace was asked for.
    """

    check: Check
    coming: Coming | None = None
    ingest: Ingest | None = None

    @property
    def interrupted(self) -> bool:
        """Whether not all was judged."""
        judged = self.coming or self.ingest
        return judged is not None and judged.interrupted

    def complete(self) -> Answer:
        """The same with all files in the check."""
        return self._replace(check=Check(None, tuple(self.coming))) if self.coming else self


def answer(question: Question, settings: Settings, means: Means) -> Answer:
    """What is asked for; ends with 2 if there is no such path, pattern, commit or kind of file."""
    paths, changed, stdin_filename, shard = question
    if STDIN in paths or stdin_filename is not None:
        if paths != (STDIN,) or stdin_filename is None or changed is not None:
            fail(
                "stdin is checked alone, and as a file that has a name",
                "validate - --stdin-filename SKILL.md < SKILL.md",
            )
        return Answer(_check_stdin(stdin_filename))
    wanted = _changed(changed, paths, settings) if changed is not None else None
    if not paths:
        result = settings.ingest(thorough=True, means=means)
        return Answer(check_workspace(result, wanted), ingest=result)
    try:
        return Answer(Check(None, ()), Coming(judge_paths(paths, wanted, means.reader(), shard)))
    except NotCheckableError as error:
        fail(str(error), _where_slug_is(error.path, settings) or error.help)


def _where_slug_is(path: Path, settings: Settings) -> str | None:
    """How to check the Workflow whose slug was given for a path; None where it is no slug."""
    made = re.match(r"[A-Za-z]:[\\/]", os.fspath(path))  # Git Bash makes such a path of a slug
    if os.path.lexists(path) or not (made or path.parent in (Path.cwd(), Path(path.anchor))):
        return None
    copies = [c for c in settings.ingest().candidates if c.slug == path.name]
    if not copies:
        return None
    name = PathNames()
    places = " ".join(path_word(name(copy.directory or copy.path)) for copy in copies)
    return f"this takes paths; for the Workflow /{path.name}: insomnia-skills validate {places}"


def _check_stdin(path: Path) -> Check:
    from insomnia_skills.file import FileText, decode, file_too_large
    from insomnia_skills.limits import MAX_FILE_BYTES

    path = absolute_path(path)
    kind = kind_of(path)
    if kind is None:
        fail(
            f"--stdin-filename: {PathNames()(path)} is no SKILL.md, native Workflow or manifest",
            "give the path that the text has in its skill: --stdin-filename NAME/SKILL.md",
        )
    if sys.stdin is None:  # Python has no stream for a descriptor that was closed
        fail("stdin is closed")
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    too_large = len(data) > MAX_FILE_BYTES
    file = FileText("", (file_too_large(None),)) if too_large else decode(data)
    return Check(None, (check_file(path, kind, file),))


def _changed(ref: str, paths: Iterable[Path], settings: Settings) -> Wanted:
    from insomnia_skills.checking.git import GitError, changed_since

    try:
        start = absolute_path(settings.workspace or ".")
        return changed_since(ref, start, [path for path in paths if os.path.lexists(path)])
    except GitError as error:
        fail(f"--changed: {error}", error.help)


def _expanded(path: Path) -> list[str]:
    """The path, or what it matches where it is a pattern that no shell has expanded."""
    text = os.fspath(path)
    if os.path.lexists(path) or not glob.has_magic(text):
        return [text]
    matching = sorted(glob.glob(text, recursive=True))
    if not matching:
        fail(f"nothing matches {text}", "name a directory, which is searched")
    return matching
