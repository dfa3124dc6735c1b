"""What a check comes to, in a line or a few: for the formats that people read."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.checking.check import Check, FileKind
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.text import PathNames, plural

Parts = list[tuple[str, str]]
"""The pieces of one line, each with its style."""

_KINDS = (
    (FileKind.SKILL, "skill"),
    (FileKind.WORKFLOW, "native workflow"),
    (FileKind.MANIFEST, "manifest"),
)


def summary_lines(results: Results) -> Iterator[Parts]:
    """What was fixed, what was checked and found, what it means, and what to do next."""
    check = results.check
    if not check.files:
        return
    yield from _fixed(check)
    yield [(f"Checked {checked_files(check)}: ", ""), *_found(results)]
    if consequence := _consequence(check):
        yield [(consequence, "")]
    if advice := _advice(results):
        yield [(advice, "")]


def checked_files(check: Check) -> str:
    """How many files of each kind were judged: "14 skills, 1 manifest"."""
    counts = {kind: sum(file.kind is kind for file in check.files) for kind, _ in _KINDS}
    parts = [plural(counts[kind], word) for kind, word in _KINDS if counts[kind]]
    return ", ".join(parts)


def _fixed(check: Check) -> Iterator[Parts]:
    if not check.fixed:
        return
    name = PathNames()
    rules: dict[str, list[str]] = {}
    for diagnostic in check.fixed:
        rules.setdefault(name(diagnostic.path), []).append(diagnostic.rule)
    count = f"{plural(len(check.fixed), 'finding')} in {plural(len(rules), 'file')}"
    yield [(f"Fixed {count}:", "bold")]
    for path, names in rules.items():
        yield [(f"  {path}: {', '.join(names)}", "")]
    yield [("", "")]


def _found(results: Results) -> Parts:
    check = results.check
    errors, warnings, infos = (check.total(severity) for severity in Severity)
    found: Parts = []
    if errors:
        found.append((plural(errors, "error"), "bold red"))
    if warnings:
        found.append((plural(warnings, "warning"), "yellow"))
    if not found:
        found.append((_no_fault(check), "green"))
    if infos:
        hidden = not any(d.severity is Severity.INFO for d in results.shown)
        found.append((plural(infos, "info") + (" (-v)" if hidden else ""), ""))
    if check.known:
        found.append((f"{len(check.known):,} known from the baseline", ""))
    parts: Parts = []
    for part in found:
        parts += [(", ", ""), part] if parts else [part]
    return [*parts, (f" in {results.seconds:.2f} s", "")]


def _no_fault(check: Check) -> str:
    if check.known:
        return "nothing new"
    return "all good" if all(file.valid for file in check.files) else "nothing to report"


def _consequence(check: Check) -> str:
    """What the errors come to: skills skipped, a Pod that does not start. Empty without errors."""
    broken = [file for file in check.files if not file.valid]
    skipped = sum(file.kind is FileKind.SKILL for file in broken)
    native = sum(file.kind is FileKind.WORKFLOW for file in broken)
    parts = []
    if skipped:
        parts.append(f"{plural(skipped, 'skill')} would be skipped")
    if native:
        parts.append(f"{plural(native, 'native workflow')} would stop a Pod from starting")
    anyway = "" if check.total(Severity.ERROR) else " all the same"
    return "; ".join(parts) + f"{anyway}." if parts else ""


def _advice(results: Results) -> str:
    fixes = [d.fix for d in results.check.diagnostics if d.fix]
    safe = sum(fix.safe for fix in fixes)
    unsafe = len(fixes) - safe
    parts = []
    if safe:
        parts.append(f"{safe:,} can be fixed with --fix")
    if unsafe:
        parts.append(f"{unsafe:,} {'more' if safe else 'can be fixed'} with --unsafe-fixes")
    fixing = ", ".join(parts) + ". " if parts else ""
    more = "insomnia-skills explain RULE tells more." if results.shown else ""
    return (fixing + more).strip()
