"""Ranked sources: the native Workflows, then the skills roots in the order they were named."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose
from insomnia_skills.manifest import Manifest, ManifestEntry
from insomnia_skills.rule import rule
from insomnia_skills.workspace import PlaceKey, Workspace, absolute_path, place_key, real_path

SKILL_FILE = "SKILL.md"

_PERCENT = re.compile(r"%\w+%")


class SourceKind(StrEnum):
    """Where records come from, in order of rank."""

    WORKSPACE_WORKFLOW = "workspace-workflow"
    WORKSPACE_SKILL = "workspace-skill"
    USER_SKILL = "user-skill"

    @property
    def label(self) -> str:
        """The words that a notification uses."""
        return self.value.replace("-", " ")


class Source(NamedTuple):
    """One place that records come from.

    ``rank`` is "1" (native Workflows), "2.1", "2.2", … (skills roots) or "3" (user skills).
    ``origin`` says who named it: ``default``, ``--directory`` or ``<manifest>:<line>``.
    ``scanned`` is false where there is nothing to read; ``absent`` then says why in a few words.
    """

    rank: str
    kind: SourceKind
    path: Path
    origin: str
    scanned: bool = True
    absent: str = ""

    @property
    def exists(self) -> bool:
        return self.absent != NOT_THERE


NOT_THERE = "not there"
A_FILE = "a file"
NOT_LISTED = "can't be listed"
IS_SKILL = "is itself a skill"


@rule(Severity.WARNING, "decision: where skills come from")
def root_missing(root: Path, base: str | None, slashed: str | None = None) -> Finding:
    """A skills root that was named is not there, so it gives no skills.

    A relative entry counts from the workspace root, that of a user's manifest from the
    configuration directory; never from where the command runs.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["../.claude/skills"]
        -- .claude/skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .claude/skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        f'the skills root "{root}" is not there',
        help=f'write "{slashed}": only Windows takes a backslash for a slash'
        if slashed
        else "create it, or take it out"
        + (f"; relative entries count from {base}" if base else ""),
    )


@rule(Severity.WARNING, "decision: where skills come from")
def root_not_directory(root: Path) -> Finding:
    """What was named as a skills root is a file.

    A root is a directory whose children are skill directories; no skill is found in a file.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills/pdf/SKILL.md"]
        -- .claude/skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .claude/skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        f'"{root}" is a file, a skills root is a directory of skill directories',
        help="name the directory that holds the skill directories",
    )


@rule(Severity.WARNING, "decision: where skills come from")
def root_unreadable(root: Path, error: OSError) -> Finding:
    """A skills root is there but the operating system refuses to list it.

    None of its skills is ingested, as if they were not there.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["team-skills"]
        -- team-skills/ (not readable) --

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["team-skills"]
        -- team-skills/ --
    """
    help_ = None
    if error.errno == errno.ELOOP:
        help_ = "mend its links, they go in a circle"
    elif isinstance(error, PermissionError):
        help_ = "check its permissions"
    reason = error.strerror or error
    return Finding(f'the skills root "{root}" can\'t be listed: {reason}', help=help_)


@rule(Severity.WARNING, "decision: where skills come from")
def root_is_skill(root: Path) -> Finding:
    """What was named as a skills root is itself a skill.

    Only the children of a root are looked at, so the skill itself would never be found.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".cursor/skills/review"]
        -- .cursor/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".cursor/skills"]
        -- .cursor/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.
    """
    return Finding(
        f'"{root}" is a skill, not a directory of skills',
        help=f'name the directory above it, "{root.parent}"',
    )


@rule(Severity.WARNING, "decision: where skills come from")
def root_duplicate(root: Path, first: Source) -> Finding:
    """Two sources lead to the same real directory, which is read once, at the higher rank.

    Read twice, every skill in it would shadow itself.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills", ".cursor/skills"]
        -- .cursor/skills -> ../.claude/skills --
        -- .claude/skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .cursor/skills -> ../.claude/skills --
        -- .claude/skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Extract text from PDF files. Use when the user names a PDF.
        ---
        Run `pdftotext` on the file.
    """
    return Finding(
        f'"{root}" is the same directory as "{first.path}" (rank {first.rank}), it is read once',
        help="take one of the two out",
    )


@rule(Severity.WARNING, "decision: where skills come from")
def root_unexpanded(entry: str, expanded: str | None) -> Finding:
    """A skills root has ``~``, ``$NAME`` or ``%NAME%`` in it, which insomnia takes literally.

    A manifest is no shell: to insomnia such an entry is a directory that is really called so.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["$PROJECT/skills"]
        -- skills/review/SKILL.md --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ["skills"]
        -- skills/review/SKILL.md --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.
    """
    signs = '"%"' if _PERCENT.search(entry) else '"~" or "$"'
    return Finding(
        f'insomnia does not expand {signs} in "{entry}", and no directory has that name',
        help=f'write it out: "{expanded}"' if expanded else "write the path out",
    )


class _Root(NamedTuple):
    """A skills root as somebody named it, before anyone has looked whether it is there."""

    kind: SourceKind
    path: Path
    origin: str
    named_by: Path | None = None
    entry: ManifestEntry | None = None
    base: str | None = None


def rank_sources(
    workspace: Workspace,
    manifests: Iterable[Manifest],
    directories: Sequence[Path] = (),
    config_dir: Path | None = None,
) -> tuple[tuple[Source, ...], tuple[Diagnostic, ...]]:
    """All sources in order of rank, and what is wrong with those that cannot be scanned.

    ``directories`` are extra skills roots, ranked before those of ``manifests``; with
    ``config_dir`` its ``skills/`` comes last.
    """
    native, diagnostics = _native_source(workspace.workflows)
    sources = [native]
    roots = [
        _Root(SourceKind.WORKSPACE_SKILL, absolute_path(directory), "--directory")
        for directory in directories
    ]
    for manifest in manifests:
        of_workspace = manifest.base == workspace.root
        base = "the workspace root" if of_workspace else "the configuration directory"
        roots += _manifest_roots(manifest, base)
    if config_dir is not None:
        roots.append(_Root(SourceKind.USER_SKILL, config_dir / "skills", "default"))
    seen: dict[PlaceKey, Source] = {}
    for number, root in enumerate(roots, start=1):
        rank = "3" if root.kind is SourceKind.USER_SKILL else f"2.{number}"
        finding, absent = _judge(root, seen)
        source = Source(rank, root.kind, root.path, root.origin, scanned=not absent, absent=absent)
        sources.append(source)
        if finding is not None:
            diagnostics.append(_diagnostic(root, finding))
        if source.scanned:
            seen[place_key(root.path)] = source
    return tuple(sources), tuple(diagnostics)


def read_roots(sources: Iterable[Source]) -> frozenset[str]:
    """The real paths of the skills roots that are read."""
    return frozenset(
        real_path(source.path)
        for source in sources
        if source.scanned and source.kind is not SourceKind.WORKSPACE_WORKFLOW
    )


def _native_source(path: Path) -> tuple[Source, list[Diagnostic]]:
    absent = ""
    diagnostics: list[Diagnostic] = []
    kind = SourceKind.WORKSPACE_WORKFLOW
    try:
        os.listdir(path)
    except ValueError:  # a NUL in the path
        absent = NOT_THERE
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not _has_broken_link(path):
            return Source("1", kind, path, "default", scanned=False, absent=NOT_THERE), []
        # Native Workflows are strict: that some can't be read is no warning.
        from insomnia_skills.file import refused

        absent = NOT_LISTED
        diagnostics += diagnose(path, "", (refused(error),))
    return Source("1", kind, path, "default", scanned=not absent, absent=absent), diagnostics


def _has_broken_link(path: Path) -> bool:
    """Whether a path, or one above it, is a link that leads nowhere."""
    places = (path, *path.parents)
    return any(os.path.islink(place) and not os.path.exists(place) for place in places)


def _manifest_roots(manifest: Manifest, base: str) -> list[_Root]:
    return [
        _Root(
            SourceKind.WORKSPACE_SKILL,
            absolute_path(entry.value, manifest.base),
            f"{manifest.path}:{entry.line}",
            manifest.path,
            entry,
            base,
        )
        for entry in manifest.entries
    ]


def check_root(path: Path) -> tuple[Finding | None, str]:
    """What is wrong with a skills root, and in a few words why it is not scanned (or nothing).

    Nothing is wrong with one that is simply not there.
    """
    try:
        names = os.listdir(path)
    except FileNotFoundError:
        return root_missing(path, None) if os.path.islink(path) else None, NOT_THERE
    except ValueError as error:  # a NUL in it
        if isinstance(error, UnicodeEncodeError):  # it may be there, under a name nobody can say
            raise
        return root_missing(path, None), NOT_THERE
    except NotADirectoryError:
        if not os.path.exists(path):  # it lies below a file
            return root_missing(path, None), NOT_THERE
        return root_not_directory(path), A_FILE
    except OSError as error:
        return root_unreadable(path, error), NOT_LISTED
    if SKILL_FILE in names:
        return root_is_skill(path), IS_SKILL
    return None, ""


def _judge(root: _Root, seen: dict[PlaceKey, Source]) -> tuple[Finding | None, str]:
    path = root.path
    finding, absent = check_root(path)
    if absent == NOT_THERE and (finding or root.kind is not SourceKind.USER_SKILL):
        return _missing(root), absent
    if not absent and (first := seen.get(place_key(path))):
        return root_duplicate(path, first), f"same as rank {first.rank}"
    return finding, absent


def _missing(root: _Root) -> Finding:
    if root.entry is None:
        return root_missing(root.path, None)
    entry = root.entry.value
    if looks_expandable(entry):
        return root_unexpanded(entry, expand(entry))
    slashed = entry.replace("\\", "/")
    is_meant = slashed != entry and os.path.isdir(os.fspath(root.path).replace("\\", "/"))
    return root_missing(root.path, root.base, slashed if is_meant else None)


def looks_expandable(entry: str) -> bool:
    """Whether a shell might make another path of an entry, which insomnia does not."""
    return entry.startswith("~") or "$" in entry or _PERCENT.search(entry) is not None


def expand(entry: str) -> str | None:
    """What a shell makes of an entry with ``~``, ``$NAME`` or ``%NAME%``.

    None where that is nothing else, or where a shell of this system would leave some of it.
    """
    expanded = os.path.expanduser(os.path.expandvars(entry))
    is_whole = not ("$" in expanded or _PERCENT.search(expanded))
    return expanded if is_whole and expanded != entry else None


def _diagnostic(root: _Root, finding: Finding) -> Diagnostic:
    """At the entry of the manifest that named the root; else at the root itself."""
    severity = finding.severity or Severity.WARNING
    if root.entry is None or root.named_by is None:
        return Diagnostic(finding.rule, severity, finding.message, root.path, help=finding.help)
    entry = root.entry
    return Diagnostic(
        finding.rule,
        severity,
        finding.message,
        root.named_by,
        entry.line,
        entry.column,
        entry.line,
        entry.end_column,
        finding.help,
    )
