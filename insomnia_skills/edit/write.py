"""Files are replaced as a whole or not at all, and renamed without overwriting another one."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, EINVAL, ENOTDIR, ENOTEMPTY
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.file import read_bytes
from insomnia_skills.workspace import real_path


class ChangedError(OSError):
    """A file has other bytes than it should have."""


class NewFile(NamedTuple):
    """A file to make: its path in its directory, with ``/`` between the parts, and its bytes."""

    path: str
    data: bytes
    executable: bool = False


def replace_file(path: str | os.PathLike[str], data: bytes, expected: bytes | None = None) -> None:
    """Give a file new bytes: whoever reads it finds the old ones or the new ones, never a part.

    The file keeps its mode and its extended attributes, and its owner where the system lets us. A
    link stays a link, and what it leads to is replaced; a hard link becomes a file of its own. A
    file that is not there is made. Raises `OSError` where that can't be done, for a file that may
    not be written too; then the old file is untouched and nothing else is left behind. With
    ``expected``, `ChangedError` where the file has other bytes just before it would be replaced.
    """
    real = real_path(path)
    status = os.stat(real) if os.path.lexists(real) else None
    if status:
        if not stat.S_ISREG(status.st_mode):
            raise OSError(EINVAL, "not a regular file", real)
        with open(real, "r+b"):  # else a file that is read-only would be replaced
            pass
    directory = os.path.dirname(real)
    beside = os.path.join(directory, _temporary_name())
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(beside, flags, 0o600 if status else 0o666)
        with open(descriptor, "wb") as new:
            new.write(data)
            new.flush()
            os.fsync(descriptor)
        if status:
            _keep(real, beside, status)
        if expected is not None and read_bytes(real) != expected:
            raise ChangedError(real)
        os.replace(beside, real)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    _sync_directory(directory)


@contextmanager
def directories_for(path: Path) -> Iterator[None]:
    """Make the directories above a file that is to be written here; without it none of them stays.

    Raises `OSError` where they can't be made.
    """
    missing = [place for place in path.parents if not os.path.lexists(place)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):  # what somebody else has put something into stays
                os.rmdir(place)
        raise


def rename_file(path: Path, name: str) -> Path:
    """Give a file another name in its directory, and return its new path.

    A link itself is renamed. Only the case may differ, on a disk that ignores case too. Raises
    `FileExistsError` rather than overwrite another file, and `OSError` where the system refuses.
    Whatever happens, the file is there under one of its names, or under both where the process is
    killed at the worst moment.
    """
    target = path.with_name(name)
    if name in os.listdir(path.parent):  # which tells a file of its own from another case of this
        raise FileExistsError(EEXIST, os.strerror(EEXIST), str(target))
    if os.path.lexists(target):
        if not os.path.samestat(os.lstat(path), os.lstat(target)):  # another case of another file
            raise FileExistsError(EEXIST, os.strerror(EEXIST), str(target))
        os.rename(path, target)
    else:
        _rename_to_nothing(path, target)
    _sync_directory(path.parent)
    return target


def _rename_to_nothing(path: Path, target: Path) -> None:
    try:
        try:
            # A second name for the file is refused where one of that name came up meanwhile;
            # os.rename would overwrite it.
            os.link(path, target, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):  # the disk or the system has no hard links
            os.rename(path, target)
            return
        os.unlink(path)
    except FileExistsError:  # the name is that of another file
        raise
    except BaseException:  # an interruption, maybe with the second name there already
        _unlink_second(path, target)
        raise


def _unlink_second(path: Path, target: Path) -> None:
    """Take the new name away where both names are there."""
    with suppress(OSError):
        if os.path.samestat(os.lstat(path), os.lstat(target)):
            os.unlink(target)


def write_tree(directory: Path, files: Iterable[NewFile]) -> None:
    """Make a directory with files in it, and the directories above it: all of that or nothing.

    It is built beside the topmost directory that is missing, and then gets its name. Permissions
    are as the umask has them. Raises `FileExistsError` where something has that name already, and
    `OSError` where the system refuses; then nothing is left behind.
    """
    missing = [place for place in (directory, *directory.parents) if not os.path.lexists(place)]
    if directory not in missing:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), str(directory))
    top = missing[-1]
    beside = top.with_name(_temporary_name())
    try:
        for file in files:
            path = beside / directory.relative_to(top) / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            _make_file(path, file)
        if os.path.lexists(top):
            raise FileExistsError(EEXIST, os.strerror(EEXIST), str(top))
        # What comes up there now is not overwritten either, if it is more than an empty directory.
        _rename_tree(beside, top)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    _sync_directory(top.parent)


def _rename_tree(beside: Path, top: Path) -> None:
    try:
        os.rename(beside, top)
    except OSError as error:
        if error.errno in (ENOTEMPTY, ENOTDIR):
            raise FileExistsError(EEXIST, os.strerror(EEXIST), str(top)) from None
        raise


def create_file(path: Path, data: bytes) -> None:
    """Make a file, whole or not at all, and the directories above it if need be.

    Raises `FileExistsError` where something has that name, even if it came up meanwhile, and
    `OSError` where the system refuses; then nothing is left behind.
    """
    if not os.path.lexists(path.parent):
        write_tree(path.parent, [NewFile(path.name, data)])
        return
    beside = path.with_name(_temporary_name())
    try:
        _make_file(beside, NewFile(path.name, data))
        rename_file(beside, path.name)
    finally:
        with suppress(OSError):
            os.unlink(beside)


def _temporary_name() -> str:
    return f".insomnia-skills-{secrets.token_hex(8)}.tmp"


def _make_file(path: Path, file: NewFile) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o777 if file.executable else 0o666)
    with open(descriptor, "wb") as new:
        new.write(file.data)
        new.flush()
        os.fsync(descriptor)


def _keep(old: str, new: str, status: os.stat_result) -> None:
    """Give the new file what the old one had besides its bytes."""
    mode = stat.S_IMODE(status.st_mode)
    if hasattr(os, "chown"):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except OSError:  # what the old file let anyone do as its owner would now be as us
            mode &= 0o777
    os.chmod(new, mode)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for attribute in os.listxattr(old):
                os.setxattr(new, attribute, os.getxattr(old, attribute))


def _sync_directory(directory: str | os.PathLike[str]) -> None:
    """Ask the disk to keep a new name; the file is whole without it."""
    if os.name == "nt":  # a directory can't be opened there
        return
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
