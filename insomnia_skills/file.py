"""A file on disk becomes text, bounded in size, or the one reason why it cannot."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path

from insomnia_skills.diagnostic import Edit, Finding, Fix, Severity
from insomnia_skills.limits import MAX_FILE_BYTES
from insomnia_skills.rule import rule
from insomnia_skills.workspace import find_workspace, real_path

_READ = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_HAS_JUNCTIONS = os.name == "nt"
_JUNCTION_TAG = 0xA0000003

_SKILL_FILE = "SKILL.md"

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_NEXT_STEPS: dict[int | None, str] = {
    errno.ELOOP: "mend its links, they go in a circle",
    errno.ENAMETOOLONG: "give it, or a directory above it, a shorter name",
    errno.ENOENT: "run it again, or mend the link that leads there",
    errno.ENOTDIR: "put a directory in its place",
}


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file without its byte-order mark, and what was found while reading it.

    Where the file cannot be read, ``text`` is what could be decoded (maybe nothing) and
    ``findings`` holds the error. ``data`` are the bytes of the text, where they are known: to look
    for something is several times as fast in them. ``is_outside`` tells of a link that leads out of
    its directory.
    """

    text: str
    findings: tuple[Finding, ...] = ()
    data: bytes | None = field(default=None, compare=False, repr=False)
    is_outside: bool = False

    @property
    def readable(self) -> bool:
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


@rule(Severity.ERROR, "decision: bounded input")
def file_too_large(size: int | None, limit: int = MAX_FILE_BYTES) -> Finding:
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
    found = f"has {size:,} bytes, the limit is" if size is not None else "has more bytes than"
    is_text = limit == MAX_FILE_BYTES
    return Finding(
        f"the file {found} {limit:,}",
        help="move the detail into files under references/"
        if is_text
        else "make sure that it is the file that was meant",
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
def unreadable(reason: str, help: str = "check its permissions") -> Finding:
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
    return Finding(f"can't be read: {reason}", help=help)


def refused(error: OSError) -> Finding:
    """`unreadable`, with the next step that fits what the system said."""
    reason = os.strerror(error.errno) if error.errno else error.strerror or str(error)
    if error.errno in (errno.EACCES, errno.EPERM):
        return unreadable(reason)
    return unreadable(
        reason, _NEXT_STEPS.get(error.errno, "see whether other programs can open it")
    )


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


@rule(Severity.WARNING, "decision: scope")
def link_escapes_skill(target: str) -> Finding:
    """A symbolic link in a skill leads out of the skill directory.

    A Pod may read the skill directory and nothing else on the skill's behalf, and paths are
    compared after links are resolved. So what the link leads to cannot be read. Where the SKILL.md
    itself is such a link, that is an error, and it is not read: it may lead to anything that this
    user can read. It is a warning again where it leads to the SKILL.md of another skill in the same
    repository, as a file that two skills share does.

    Fails:
        -- docs/house-style.md --
        Short sentences.
        -- skills/letter/SKILL.md --
        ---
        name: letter
        description: Draft a letter. Use when a letter is asked for.
        ---
        Keep to [the house style](style.md).
        -- skills/letter/style.md -> ../../docs/house-style.md --

    Passes:
        -- docs/house-style.md --
        Short sentences.
        -- skills/letter/SKILL.md --
        ---
        name: letter
        description: Draft a letter. Use when a letter is asked for.
        ---
        Keep to [the house style](style.md).
        -- skills/letter/style.md --
        Short sentences.
    """
    return Finding(
        f'leads out of the skill, to "{target}", where its read rule does not reach',
        help="put a copy of the file into the skill",
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


def read_text(
    path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES, follow: bool = True
) -> FileText:
    """Read a file as UTF-8. Never raises for what lies at the path, never blocks on a pipe.

    Without ``follow`` the file itself may be no link.

    Findings: `not_a_file`, `unreadable`, `broken_symlink`, `file_too_large`, `not_utf8`,
    `byte_order_mark`.
    """
    data = read_bytes(path, limit, follow)
    return FileText("", (data,)) if isinstance(data, Finding) else decode(data)


def read_skill_text(path: str | os.PathLike[str]) -> FileText:
    """`read_text` of a SKILL.md, but through a link out of its directory only one of its own tree.

    Findings: also `link_escapes_skill`, as an error.
    """
    try:
        if not _NO_FOLLOW and os.path.islink(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        data = _read_bytes(path, MAX_FILE_BYTES, _NO_FOLLOW)
    except OSError as error:
        if os.path.islink(path):
            return _read_link(path)
        data = _why_not(path, error)
    return FileText("", (data,)) if isinstance(data, Finding) else decode(data)


def _read_link(path: str | os.PathLike[str]) -> FileText:
    real = real_path(path)  # once: the link may lead elsewhere by the next look
    is_outside = not is_inside(real, os.path.dirname(path))
    try:
        os.stat(path)
        if is_outside and not is_shared(path, real):
            escapes = link_escapes_skill(link_target(path))
            return FileText("", (escapes._replace(severity=Severity.ERROR),))
        data = _read_bytes(real, MAX_FILE_BYTES, _NO_FOLLOW)
    except OSError as error:
        data = _why_not(path, error)
    if isinstance(data, Finding):
        return FileText("", (data,))
    return replace(decode(data), is_outside=is_outside)


def read_bytes(
    path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES, follow: bool = True
) -> bytes | Finding:
    """The bytes of a file, or why it has none to give; as `read_text`, it never raises."""
    try:
        return _read_bytes(path, limit, 0 if follow else _NO_FOLLOW)
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
    return FileText(text, (byte_order_mark(more),) if has_bom else (), data=data)


def _read_bytes(path: str | os.PathLike[str], limit: int, flags: int = 0) -> bytes | Finding:
    descriptor = os.open(path, _READ | flags)
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
        return data if len(data) <= limit else file_too_large(None, limit)
    finally:
        os.close(descriptor)


def _why_not(path: str | os.PathLike[str], error: OSError) -> Finding:
    if os.path.islink(path) and error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
        return broken_symlink(link_target(path))
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return refused(error)
    # Windows opens no directory at all, and says that this user may not.
    is_refused = error.errno in (errno.EACCES, errno.EPERM) and not stat.S_ISDIR(mode)
    if not (stat.S_ISREG(mode) or is_refused):
        return not_a_file(_kind(mode))
    return refused(error)


def leads_out(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a link to a place that is not below the file's own directory."""
    return os.path.islink(path) and not is_inside(real_path(path), os.path.dirname(path))


def is_inside(real: str, directory: str | os.PathLike[str]) -> bool:
    """Whether a real path lies below a directory."""
    return real.startswith(os.path.join(real_path(directory), ""))


def is_shared(path: str | os.PathLike[str], real: str) -> bool:
    """Whether a SKILL.md that is a link to ``real`` is that of another skill of the same tree."""
    directory = Path(real_path(os.path.dirname(path)))
    trees = (tree_around(directory), find_workspace(directory).root)
    return os.path.basename(real) == _SKILL_FILE and any(is_inside(real, tree) for tree in trees)


def tree_around(directory: Path) -> Path:
    """The directory around a skill that is sure to belong to it; never the whole file system.

    That is its repository, or where there is none, the parent of its skills root.
    """
    above = [parent for parent in directory.parents if parent != parent.parent]
    repositories = (parent for parent in (directory, *above) if os.path.exists(parent / ".git"))
    return next(repositories, (directory, *above)[:3][-1])


def link_target(path: str | os.PathLike[str]) -> str:
    """What a symlink points to, as written; empty if it went away meanwhile."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "a special file")


def is_link(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a link: a symbolic one, or a junction, which Windows has for directories.

    Python takes a junction for a directory of its own.
    """
    return entry.is_symlink() or is_junction(entry.path)


def is_own_directory(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a directory, and no link to one."""
    return entry.is_dir(follow_symlinks=False) and not is_junction(entry.path)


def is_junction(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a junction."""
    if not _HAS_JUNCTIONS:
        return False
    try:
        tag = getattr(os.lstat(path), "st_reparse_tag", 0)
    except (OSError, ValueError):
        return False
    return bool(tag == _JUNCTION_TAG)
