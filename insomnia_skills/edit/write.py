"""Files are replaced as a whole or not at all, and renamed without overwriting another one."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from errno import EEXIST, EINVAL
from pathlib import Path

from insomnia_skills.file import read_bytes


class ChangedError(OSError):
    """A file has other bytes than it should have."""


def replace_file(path: str | os.PathLike[str], data: bytes, expected: bytes | None = None) -> None:
    """Give a file new bytes: whoever reads it finds the old ones or the new ones, never a part.

    The file keeps its mode and its extended attributes, and its owner where the system lets us. A
    link stays a link, and what it leads to is replaced; a hard link becomes a file of its own. A
    file that is not there is made. Raises `OSError` where that can't be done, for a file that may
    not be written too; then the old file is untouched and nothing else is left behind. With
    ``expected``, `ChangedError` where the file has other bytes just before it would be replaced.
    """
    real = os.path.realpath(path)
    status = os.stat(real) if os.path.lexists(real) else None
    if status:
        if not stat.S_ISREG(status.st_mode):
            raise OSError(EINVAL, "not a regular file", real)
        with open(real, "r+b"):  # else a file that is read-only would be replaced
            pass
    directory = os.path.dirname(real)
    beside = os.path.join(directory, f".insomnia-skills-{secrets.token_hex(8)}.tmp")
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
        os.rename(path, target)
    else:
        _rename_to_nothing(path, target)
    _sync_directory(path.parent)
    return target


def _rename_to_nothing(path: Path, target: Path) -> None:
    try:
        # A second name for the file is refused where one of that name came up meanwhile;
        # os.rename would overwrite it.
        os.link(path, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # the disk or the system has no hard links
        os.rename(path, target)
        return
    except BaseException:  # an interruption, maybe with the second name there already
        _unlink_second(path, target)
        raise
    try:
        os.unlink(path)
    except BaseException:
        _unlink_second(path, target)
        raise


def _unlink_second(path: Path, target: Path) -> None:
    """Take the new name away where both names are there."""
    with suppress(OSError):
        if os.path.samestat(os.lstat(path), os.lstat(target)):
            os.unlink(target)


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
