"""Which files of a repository differ from one of its commits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from insomnia_skills.checking.check import FileKind, Wanted
from insomnia_skills.workspace import Workspace, composed, find_repository, real_path

# git sets these for its hooks, and they would lead it to another repository than that of ``-C``.
_OF_ONE_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")


class GitError(ValueError):
    """git can't answer; the message says why, ``help`` what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


def changed_since(ref: str, start: Path, paths: Iterable[Path] = ()) -> Wanted:
    """A test for files that differ from ``ref`` in the working tree, new files included.

    ``start`` lies in the repository, and so must ``paths``; what git ignores does not differ. A
    skill counts as changed where any file of its directory is, a native Workflow where any
    Knowledge is; both, where a link or a submodule that leads to them is. Raises `GitError`.
    """
    root = _repository(start, paths)

    @cache
    def real(path: str) -> str:
        """`os.path.realpath`, which would look at every directory again for each path."""
        own = place(path)
        links = os.path.basename(path) == ".." or os.path.islink(own)
        return real_path(own) if links else own

    def place(path: str) -> str:
        """The path without links, but for one at its very end."""
        above, name = os.path.split(path)
        return os.path.join(real(above), name) if name else path

    changed = {_key(place(path)) for path in _changed(root, ref)}
    above: set[str] = set()
    for differing in changed:
        while (differing := os.path.dirname(differing)) not in above:
            above.add(differing)

    @cache
    def leads_to_change(path: str) -> bool:
        parent = os.path.dirname(path)
        return _key(place(path)) in changed or (parent != path and leads_to_change(parent))

    def is_changed(kind: FileKind, path: str) -> bool:
        if leads_to_change(path) or leads_to_change(real(path)):
            return True
        if kind is FileKind.WORKFLOW:
            return _key(real(str(Workspace(Path(path).parents[3]).knowledge))) in above
        return kind is FileKind.SKILL and _key(real(os.path.dirname(path))) in above

    return is_changed


def _key(path: str) -> str:
    """What is equal for a path as git writes it and as the disk has it.

    On macOS git composes letters and their marks; there and on Windows it keeps the case in which
    it first knew a name.
    """
    same = composed(os.path.normcase(path))
    return same.casefold() if sys.platform == "darwin" else same


def _repository(start: Path, paths: Iterable[Path]) -> Path:
    root = find_repository(Path(real_path(start)))
    if root is None:
        raise GitError(f"{start} is in no git repository")
    for path in paths:
        if not Path(real_path(path)).is_relative_to(root):
            raise GitError(f"{path} is not in the repository {root}", "check it without --changed")
    return root


def _changed(root: Path, ref: str) -> list[str]:
    """What differs from ``ref``, and what is new."""
    differing = _git(
        root,
        "diff",
        "--name-only",
        "--no-renames",
        "--ignore-submodules=none",
        "-z",
        _commit(root, ref),
        "--",
    )
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    names = os.fsdecode(differing + new).split("\0")
    # git writes "nested/" for a repository in the repository.
    return [os.path.join(root, name.rstrip("/")) for name in names if name]


def _commit(root: Path, ref: str) -> str:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    try:
        return _git(root, *asked).strip().decode()
    except GitError as error:
        if str(error):
            raise
    if ref == "HEAD":
        raise GitError("the repository has no commit yet", "leave --changed out, or commit first")
    raise GitError(
        f'git knows no commit "{ref}"',
        "fetch it first (in GitHub Actions: fetch-depth: 0); paths go after --changed=REF",
    )


def _git(root: Path, *arguments: str) -> bytes:
    """What git writes. Raises `GitError` where it fails, in git's words."""
    environment = {k: v for k, v in os.environ.items() if k not in _OF_ONE_REPOSITORY}
    # Looking must not get in the way of a git that the user runs at the same time.
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(
            ("git", "-C", str(root), *arguments), capture_output=True, check=False, env=environment
        )
    except OSError as error:
        raise GitError(f"git can't be run: {error.strerror or error}", "install git") from None
    if done.returncode:
        said = [line.strip() for line in os.fsdecode(done.stderr).splitlines() if line.strip()]
        message = said[0].removeprefix("fatal: ") if said else ""
        raise GitError(message, said[-1] if said[1:] else None)
    return done.stdout
