"""A file on disk becomes text, bounded in size, or the one reason why it cannot."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field

from insomnia_skills.diagnostic import Edit, Finding, Fix, Severity
from insomnia_skills.rule import rule

MAX_FILE_BYTES = 1024 * 1024
"""The largest of 106,186 real SKILL.md files has 294,426 bytes."""

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file without its byte-order mark, and what was found while reading it.

    Where the file cannot be read, ``text`` is what could be decoded (maybe nothing) and
    ``findings`` holds the error. ``data`` are the bytes of the text, where they are known: to look
    for something is several times as fast in them.
    """

    text: str
    findings: tuple[Finding, ...] = ()
    data: bytes | None = field(default=None, compare=False, repr=False)

    @property
    def readable(self) -> bool:
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


@rule(Severity.ERROR, "decision: bounded input")
def file_too_large(size: int, limit: int = MAX_FILE_BYTES) -> Finding:
    """The file is larger than a text that somebody wrote for a model can be.

    The limit is 1 MiB; it keeps one file from filling the memory or the time of a whole run.

    Fails:
        -- customs-code/SKILL.md --
        ---
        name: customs-code
        description: Find the customs code of a product. Use when filling in a customs form.
        ---
        The codes are: {120000 × 8471.30, }and no others.

    Passes:
        -- customs-code/SKILL.md --
        ---
        name: customs-code
        description: Find the customs code of a product. Use when filling in a customs form.
        ---
        Look the product up in [the list of codes](references/codes.csv).
        -- customs-code/references/codes.csv --
        code,product
        8471.30,Portable computers of at most 10 kg
    """
    return Finding(
        f"the file has {size:,} bytes, the limit is {limit:,}",
        help="move the detail into files under references/",
    )


@rule(Severity.ERROR, "decision: SKILL.md")
def not_a_file(kind: str) -> Finding:
    """Something stands where the file should be that is no regular file.

    A directory, a pipe or a device has no text to read, and reading a pipe would never end.

    Fails:
        -- changelog/SKILL.md/ --

    Passes:
        -- changelog/SKILL.md --
        ---
        name: changelog
        description: Write the changelog entry for a release. Use when a version is tagged.
        ---
        Group the commits since the last tag by what a user would notice.
    """
    return Finding(f"this is {kind}, not a file", help="put a regular file in its place")


@rule(Severity.ERROR, "decision: SKILL.md")
def unreadable(reason: str) -> Finding:
    """The operating system refuses to read the file or directory.

    Nothing of it is ingested. Often it was copied as another user, or unpacked from an archive that
    keeps permissions. It is only a warning where it lies beside a SKILL.md, since the skill itself
    can be read.

    Fails:
        -- backup/SKILL.md (not readable) --
        ---
        name: backup
        description: Back up the database. Use before a migration.
        ---
        Run `pg_dump` and keep its output in the object store.

    Passes:
        -- backup/SKILL.md --
        ---
        name: backup
        description: Back up the database. Use before a migration.
        ---
        Run `pg_dump` and keep its output in the object store.
    """
    return Finding(f"can't be read: {reason}", help="check its permissions")


@rule(Severity.ERROR, "decision: SKILL.md")
def broken_symlink(target: str) -> Finding:
    """A symbolic link leads nowhere, or round in a circle.

    Links break when a repository is copied, or checked out without the thing they point to. It is
    only a warning where the link lies beside a SKILL.md: the skill itself can be read.

    Fails:
        -- review/SKILL.md -> README.md --
        -- review/readme.txt --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.

    Passes:
        -- review/SKILL.md -> readme.txt --
        -- review/readme.txt --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.
    """
    return Finding(
        f'this is a link to "{target}", which leads nowhere',
        help="point the link at what was meant, or remove it",
    )


@rule(Severity.ERROR, "specification: SKILL.md format; YAML 1.2, 5.2")
def not_utf8(data: bytes, offset: int, bom: int, prefix: str) -> Finding:
    """The file is not UTF-8 text.

    Clients decode it as UTF-8; some of them crash on other bytes, others show wrong letters.

    Fails:
        -- letter/SKILL.md --
        ---
        name: letter
        description: Draft letters to our office in K{0xF6}ln. Use when a letter is asked for.
        ---
        Keep to one page.

    Passes:
        -- letter/SKILL.md --
        ---
        name: letter
        description: Draft letters to our office in Köln. Use when a letter is asked for.
        ---
        Keep to one page.
    """
    looks = ", it looks like UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    return Finding(
        f"not UTF-8: byte {bom + offset + 1:,} is 0x{data[offset]:02X}{looks}",
        start=len(prefix),
        end=len(prefix),
        help="save the file as UTF-8",
    )


@rule(Severity.WARNING, "decision: SKILL.md", fix="safe")
def byte_order_mark(more: int = 0) -> Finding:
    """The file begins with a UTF-8 byte-order mark.

    insomnia reads past it; stricter clients do not see the frontmatter behind it.

    Fails:
        \ufeff---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        "the file begins with a byte-order mark, which other clients may refuse",
        help='save it as "UTF-8" without BOM',
        fix=Fix("remove the byte-order mark", (Edit(-1, more, ""),)),
    )


def read_text(path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES) -> FileText:
    """Read a file as UTF-8. Never raises for what lies at the path, never blocks on a pipe.

    Findings: `not_a_file`, `unreadable`, `broken_symlink`, `file_too_large`, `not_utf8`,
    `byte_order_mark`.
    """
    data = read_bytes(path, limit)
    return FileText("", (data,)) if isinstance(data, Finding) else decode(data)


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES) -> bytes | Finding:
    """The bytes of a file, or why it has none to give; as `read_text`, it never raises."""
    try:
        return _read_bytes(path, limit)
    except OSError as error:
        return _why_not(path, error)


def decode(data: bytes) -> FileText:
    """The text of a file's bytes. Findings: `not_utf8`, `byte_order_mark`."""
    has_bom = data.startswith(b"\xef\xbb\xbf")
    if has_bom:
        data = data[3:]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        prefix = data[: error.start].decode("utf-8")
        return FileText(prefix, (not_utf8(data, error.start, 3 * has_bom, prefix),))
    more = len(text) - len(text.lstrip("\ufeff"))
    return FileText(text, (byte_order_mark(more),) if has_bom else (), data)


def _read_bytes(path: str | os.PathLike[str], limit: int) -> bytes | Finding:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return not_a_file(_kind(status.st_mode))
        if status.st_size > limit:
            return file_too_large(status.st_size, limit)
        data = os.read(descriptor, status.st_size + 1)
        if len(data) != status.st_size:
            # A file of /proc says it is empty; one that grows says less than it gives.
            while len(data) <= limit and (more := os.read(descriptor, limit + 1 - len(data))):
                data += more
        return data if len(data) <= limit else file_too_large(len(data), limit)
    finally:
        os.close(descriptor)


def _why_not(path: str | os.PathLike[str], error: OSError) -> Finding:
    if os.path.islink(path) and error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
        return broken_symlink(link_target(path))
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return unreadable(os.strerror(error.errno or errno.EIO))
    if not stat.S_ISREG(mode) and error.errno not in (errno.EACCES, errno.EPERM):
        return not_a_file(_kind(mode))
    return unreadable(os.strerror(error.errno or errno.EIO))


def leads_out(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a link to a place that is not below the file's own directory."""
    if not os.path.islink(path):
        return False
    directory = os.path.realpath(os.path.dirname(path))
    return not os.path.realpath(path).startswith(os.path.join(directory, ""))


def link_target(path: str | os.PathLike[str]) -> str:
    """What a symlink points to, as written; empty if it went away meanwhile."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "a special file")
