"""``manifest.toml``: the skills roots that ``[skills] directories`` names, each with its place."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose
from insomnia_skills.limits import MAX_MANIFEST_BYTES
from insomnia_skills.rule import rule

if TYPE_CHECKING:
    from insomnia_skills.file import FileText
    from insomnia_skills.toml_spans import Spans

_KNOWN_KEYS = ("directories",)
_MOST_PATHS = 3
_LONGEST_PATH = 60


class ManifestEntry(NamedTuple):
    """One item of ``[skills] directories``, with its place in the manifest (1-based line)."""

    value: str
    line: int
    column: int
    end_column: int


class Manifest(NamedTuple):
    """What a manifest says about skills.

    ``base`` is the directory that relative entries count from. ``readable`` is false where the
    file is there but is not TOML; then nothing in it counts.
    """

    path: Path
    base: Path
    exists: bool
    readable: bool = True
    entries: tuple[ManifestEntry, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@rule(Severity.ERROR, "TOML 1.0; decision: where skills come from")
def manifest_syntax(reason: str, at: int) -> Finding:
    """The manifest is not TOML, so nothing in it can be used.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [.claude/skills]
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
    return Finding(f"not valid TOML: {reason}", at, at)


@rule(Severity.ERROR, "ticket: load sources")
def manifest_type(message: str, span: tuple[int, int], help: str | None = None) -> Finding:
    """A value in the manifest's ``[skills]`` section is of the wrong type.

    ``directories`` is a list of paths in quotes, also where it is only one.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = ".claude/skills"
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
    return Finding(message, *span, help=help or f"write {_directories_of(['.claude/skills'])}")


@rule(Severity.WARNING, "decision: where skills come from")
def manifest_unknown_key(key: str, instead: str | None, span: tuple[int, int]) -> Finding:
    """The manifest has a key about skills that insomnia does not know, probably a slip.

    A misspelt ``directories`` would leave the workspace without its skills and say nothing.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directory = [".claude/skills"]
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
        f'insomnia knows no key "{key}" here, it is ignored',
        *span,
        help=f"did you mean {instead}?" if instead else "remove it",
    )


def load_manifest(path: Path, base: Path, file: FileText | None = None) -> Manifest:
    """Read a manifest. A missing one is no fault: it says nothing about skills.

    ``file`` is its text where that is not, or not yet, what lies at the path.
    """
    if file is None and not _is_there(path):
        return Manifest(path, base, exists=False)
    # Only a workspace that has a manifest pays for what reads it.
    from insomnia_skills.file import read_text
    from insomnia_skills.toml_spans import TomlError, read_toml

    file = read_text(path, MAX_MANIFEST_BYTES) if file is None else file
    if not file.readable:
        return _unreadable(path, base, file.text, list(file.findings))
    try:
        data, spans = read_toml(file.text)
    except TomlError as error:
        finding = manifest_syntax(str(error), error.at)
        return _unreadable(path, base, file.text, [*file.findings, finding])
    findings = [*file.findings, *_unknown_keys(data, spans)]
    entries = []
    for index, value in enumerate(_directories(data, spans, findings)):
        start, end = spans.value("skills", "directories", index)
        if value == "":
            message = "an entry of directories is empty"
            findings.append(manifest_type(message, (start, end), "remove it"))
            continue
        if not isinstance(value, str):
            message = "an entry of directories must be a path in quotes"
            findings.append(manifest_type(message, (start, end)))
            continue
        entries.append(_entry(value, file.text, start, end))
    return Manifest(
        path,
        base,
        exists=True,
        entries=tuple(entries),
        diagnostics=diagnose(path, file.text, findings),
    )


def _is_there(path: Path) -> bool:
    """Whether there is something, be it out of reach; its reading will say why."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG
    return True


def _entry(value: str, text: str, start: int, end: int) -> ManifestEntry:
    line = text.count("\n", 0, start) + 1
    line_start = text.rfind("\n", 0, start) + 1
    return ManifestEntry(value, line, start - line_start + 1, end - line_start + 1)


def _unreadable(path: Path, base: Path, text: str, findings: list[Finding]) -> Manifest:
    return Manifest(
        path, base, exists=True, readable=False, diagnostics=diagnose(path, text, findings)
    )


def _unknown_keys(data: dict[str, Any], spans: Spans) -> list[Finding]:
    from difflib import get_close_matches

    findings = []
    section = data.get("skills")
    if isinstance(section, dict):
        for key in section:
            if key not in _KNOWN_KEYS:
                near = get_close_matches(key.lower(), _KNOWN_KEYS, cutoff=0.7)
                findings.append(
                    manifest_unknown_key(key, near[0] if near else None, spans.key("skills", key))
                )
    elif "skills" not in data:
        # Other sections are insomnia's own affair; only what looks like a slip is mentioned.
        for key in data:
            if key in _KNOWN_KEYS:
                findings.append(manifest_unknown_key(key, "[skills] above it", spans.key(key)))
            elif get_close_matches(key.lower(), ("skills",), cutoff=0.8):
                findings.append(manifest_unknown_key(key, "[skills]", spans.key(key)))
    return findings


def _directories(data: dict[str, Any], spans: Spans, findings: list[Finding]) -> list[Any]:
    section = data.get("skills", {})
    if not isinstance(section, dict):
        paths = _paths(section)
        help = (
            f"write [skills] on a line of its own, and {_directories_of(paths)} below it"
            if paths
            else None
        )
        message = "skills must be a section, [skills]"
        findings.append(manifest_type(message, spans.key("skills"), help))
        return []
    directories = section.get("directories", [])
    if not isinstance(directories, list):
        span = spans.value("skills", "directories")
        paths = _paths(directories)
        help = f"write {_directories_of(paths)}" if paths else None
        findings.append(manifest_type("directories must be a list of paths", span, help))
        return []
    return directories


def _paths(value: Any) -> list[str]:
    """The paths in a value that stands where a list of them, or a section, should; or none."""
    values = value if isinstance(value, list) else [value]
    return values if all(isinstance(each, str) and each for each in values) else []


def _directories_of(paths: list[str]) -> str:
    """The line of a manifest that names these paths; the first ones, where there are many."""
    import json

    cut = (
        path if len(path) <= _LONGEST_PATH else path[: _LONGEST_PATH - 1] + "…"
        for path in paths[:_MOST_PATHS]
    )
    # A string of JSON is one of TOML too, but for this character.
    words = [json.dumps(path, ensure_ascii=False).replace("\x7f", "\\u007f") for path in cut]
    return f"directories = [{', '.join(words)}{', …' if len(paths) > _MOST_PATHS else ''}]"
