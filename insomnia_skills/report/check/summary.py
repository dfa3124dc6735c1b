"""What a check comes to, in a line or a few: for the formats that people read."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.checking.check import Check, FileKind
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.check import Results, Totals
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
    if not results.totals.checked:
        return
    yield from _fixed(results.check)
    yield [(f"Checked {checked_files(results.totals)}: ", ""), *_found(results)]
    if consequence := _consequence(results.totals):
        yield [(consequence, "")]
    if advice := _advice(results):
        yield [(advice, "")]


def checked_files(totals: Totals) -> str:
    """How many files of each kind were judged: "14 skills, 1 manifest"."""
    checked = totals.checked
    parts = [plural(checked[kind], word) for kind, word in _KINDS if checked[kind]]
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
    check, totals = results.check, results.totals
    errors, warnings, infos = (totals.found[severity] for severity in Severity)
    found: Parts = []
    if errors:
        found.append((plural(errors, "error"), "bold red"))
    if warnings:
        found.append((plural(warnings, "warning"), "yellow"))
    if not found:
        found.append((_no_fault(results), "green"))
    if infos:
        hidden = not totals.shown[Severity.INFO]
        found.append((plural(infos, "info") + (" (-v)" if hidden else ""), ""))
    if check.known:
        found.append((f"{len(check.known):,} known from the baseline", ""))
    parts: Parts = []
    for part in found:
        parts += [(", ", ""), part] if parts else [part]
    return [*parts, (f" in {results.seconds:.2f} s", "")]


def _no_fault(results: Results) -> str:
    if results.check.known:
        return "nothing new"
    return "nothing to report" if results.totals.broken else "all good"


def _consequence(totals: Totals) -> str:
    """What the errors come to: skills skipped, a Pod that does not start. Empty without errors."""
    skipped, native = totals.broken[FileKind.SKILL], totals.broken[FileKind.WORKFLOW]
    parts = []
    if skipped:
        parts.append(f"{plural(skipped, 'skill')} would be skipped")
    if native:
        parts.append(f"{plural(native, 'native workflow')} would stop a Pod from starting")
    anyway = "" if totals.found[Severity.ERROR] else " all the same"
    return "; ".join(parts) + f"{anyway}." if parts else ""


def _advice(results: Results) -> str:
    safe, unsafe = results.totals.fixes[True], results.totals.fixes[False]
    parts = []
    if safe:
        parts.append(f"{safe:,} can be fixed with --fix")
    if unsafe:
        parts.append(f"{unsafe:,} {'more' if safe else 'can be fixed'} with --unsafe-fixes")
    fixing = ", ".join(parts) + ". " if parts else ""
    more = "insomnia-skills explain RULE tells more." if results.totals.shown else ""
    return (fixing + more).strip()
