"""Known findings: an old repository starts today, and only what is new fails."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from insomnia_skills import registry, scan, sources
from insomnia_skills.checking.check import Check
from insomnia_skills.checking.fingerprint import fingerprints, path_from
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.file import read_text
from insomnia_skills.limits import MAX_BASELINE_BYTES
from insomnia_skills.rules.catalogue import rules_of
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workspace import find_repository, find_workspace

VERSION = 1
_ABOUT_WORKSPACES = {rule.name for rule in rules_of(scan, sources, registry)}
"""Rules that may need more than the file at the path of a finding."""


class BaselineError(ValueError):
    """A baseline that cannot be used; the message says which and why, ``help`` what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class KnownFinding(NamedTuple):
    """One finding of a baseline. ``path`` counts from the baseline's base, with ``/``."""

    fingerprint: str
    rule: str
    path: str
    message: str


class Baseline(NamedTuple):
    """The findings that a file lists. Its paths count from ``base``."""

    base: Path
    findings: tuple[KnownFinding, ...] = ()

    def silence(self, check: Check) -> Check:
        """The check with what is known moved out of the way, to ``check.known``."""
        known = {finding.fingerprint for finding in self.findings}
        known_ones = {d for d, print_ in _prints(check, self.base) if print_ in known and _fails(d)}
        is_known = known_ones.__contains__
        files = tuple(
            f._replace(diagnostics=tuple(d for d in f.diagnostics if not is_known(d)))
            for f in check.files
        )
        others = tuple(d for d in check.others if not is_known(d))
        silenced = tuple(filter(is_known, check.diagnostics))
        return check._replace(files=files, others=others, known=silenced)

    def gone(self, check: Check, found: Check, whole: bool) -> tuple[KnownFinding, ...]:
        """What is listed and not there any more, as far as was looked.

        ``found`` is the check before anything was chosen from it, so that what is only left out of
        ``check`` is not gone. ``whole`` says that all of a workspace was checked.
        """
        present = {print_ for part in (check, found) for _, print_ in _prints(part, self.base)}
        judged = {path_from(file.path, self.base) for file in found.files}
        skills = {path.rpartition("/")[0] for path in judged if path.endswith(f"/{SKILL_FILE}")}

        def is_judged(finding: KnownFinding) -> bool:
            if finding.rule in _ABOUT_WORKSPACES:
                return whole
            path = PurePosixPath(finding.path)
            if finding.path in judged:
                return True
            # Files of a skill are judged with it, and what is not there needs no judging; a path
            # outside of the base belongs to another machine maybe.
            if path.name != SKILL_FILE and not skills.isdisjoint(map(str, path.parents)):
                return True
            is_outside = path.is_absolute() or PureWindowsPath(finding.path).is_absolute()
            return not is_outside and not os.path.lexists(self.base / path)

        return tuple(f for f in self.findings if f.fingerprint not in present and is_judged(f))

    def renewed(self, check: Check, gone: Iterable[KnownFinding]) -> Baseline:
        """The baseline without what is gone, and with all that ``check`` found."""
        found = (
            KnownFinding(print_, d.rule, path_from(d.path, self.base), d.message)
            for d, print_ in _prints(check, self.base)
            if _fails(d)
        )
        left = set(self.findings).difference(gone)
        findings = {finding.fingerprint: finding for finding in (*left, *found)}
        order = sorted(findings.values(), key=lambda f: (f.path, f.rule, f.message, f.fingerprint))
        return Baseline(self.base, tuple(order))

    def dump(self) -> bytes:
        """The file's content: one finding a line, in order of path, so that changes read well."""
        lines = (
            "    " + json.dumps(finding._asdict(), ensure_ascii=True) for finding in self.findings
        )
        listed = ",\n".join(lines)
        listed = f"\n{listed}\n  " if listed else ""
        text = f'{{\n  "version": {VERSION},\n  "findings": [{listed}]\n}}\n'
        return text.encode()


def empty_baseline(path: Path) -> Baseline:
    """A baseline that knows nothing yet and is to be kept at ``path``.

    Its paths count from the root of the repository, without one from that of the workspace, else
    from its own directory.
    """
    return Baseline(find_repository(path.parent) or find_workspace(path.parent).root)


def load_baseline(path: Path) -> Baseline:
    """Read a baseline. Raises `BaselineError` for one that is missing or is none."""
    if not os.path.lexists(path):
        raise BaselineError(f"{path} does not exist", "write it: add --write-baseline")
    anew = "name another file, or remove this one and write it anew: --write-baseline"
    file = read_text(path, MAX_BASELINE_BYTES)
    if not file.readable:
        raise BaselineError(f"{path}: {file.findings[0].message}", anew)
    try:
        document: Any = json.loads(file.text)
        version = document["version"]
        findings = tuple(
            KnownFinding(*map(_text, (item[key] for key in KnownFinding._fields)))
            for item in (document["findings"] if version == VERSION else ())
        )
    except (ValueError, RecursionError, TypeError, KeyError):
        raise BaselineError(f"{path} is no baseline that this tool wrote", anew) from None
    if version != VERSION:
        raise BaselineError(f"{path} is a baseline of another version than {VERSION}", anew)
    return empty_baseline(path)._replace(findings=findings)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _prints(check: Check, base: Path) -> Iterator[tuple[Diagnostic, str]]:
    diagnostics = check.diagnostics
    return zip(diagnostics, fingerprints(diagnostics, base), strict=True)


def _fails(diagnostic: Diagnostic) -> bool:
    """Infos never fail, so no baseline lists them."""
    return diagnostic.severity is not Severity.INFO
