"""SARIF 2.1.0, the OASIS standard that GitHub code scanning, editors and archives read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from insomnia_skills import __version__
from insomnia_skills.checking.fingerprint import fingerprints, path_from
from insomnia_skills.diagnostic import Diagnostic, Fix, RelatedPlace, Replacement, Severity, Span
from insomnia_skills.report.check import Results
from insomnia_skills.report.diagnostics import sentence
from insomnia_skills.report.objects import encode
from insomnia_skills.report.rules.text import example_text, fenced, fix_label, prose
from insomnia_skills.report.text import one_line
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import CATALOGUE, theme_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "SRCROOT"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_FINGERPRINT = "insomniaSkills/v1"
_BYTE_ORDER_MARK = Span(1, 0, 1, 1)
_BYTE_ORDER_MARK_REGION = {"byteOffset": 0, "byteLength": 3}
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(results: Results) -> str:
    """One run with every diagnostic; those a baseline knows are in it as suppressed."""
    check, root = results.check, results.root
    # The known ones first: so a fingerprint is the same with the baseline and without it.
    diagnostics = (*check.known, *check.diagnostics)
    prints = fingerprints(diagnostics, root)
    names = sorted({diagnostic.rule for diagnostic in diagnostics})
    index = {name: number for number, name in enumerate(names)}
    found = [
        _result(diagnostic, index[diagnostic.rule], print_, root)
        for diagnostic, print_ in zip(diagnostics, prints, strict=True)
    ]
    # SARIF wants them in all results or in none.
    for number, result in enumerate(found if check.known else ()):
        known = number < len(check.known)
        result["suppressions"] = [{"kind": "external"}] if known else []
    run = {
        "tool": {
            "driver": {
                "name": "insomnia-skills",
                "semanticVersion": __version__,
                "rules": [_rule(name) for name in names],
            }
        },
        "invocations": [_invocation(results)],
        "originalUriBaseIds": {_BASE: {"uri": root.as_uri().removesuffix("/") + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": found,
    }
    return encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _invocation(results: Results) -> dict[str, Any]:
    if not results.interrupted:
        return {"executionSuccessful": True}
    notification = {"level": "error", "message": {"text": "Interrupted: there may be more."}}
    return {"executionSuccessful": False, "toolExecutionNotifications": [notification]}


def _rule(name: str) -> dict[str, Any]:
    rule = CATALOGUE.get(name)
    if rule is None:
        return {"id": name}
    whole = "\n\n".join(filter(None, (rule.summary, rule.why)))
    return {
        "id": name,
        "shortDescription": {"text": _plain(rule.summary)},
        "fullDescription": {"text": _plain(whole)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "help": {
            "text": _plain(f"{whole}\n\nFix: {fix_label(rule)}. Source: {rule.source}."),
            "markdown": _help(rule, whole),
        },
        "properties": {"tags": [theme_of(rule).lower()], "source": rule.source},
    }


def _help(rule: Rule[..., Any], whole: str) -> str:
    parts = [prose(whole)]
    for title, example in (("Fails", rule.fails), ("Passes", rule.passes)):
        if example:
            parts += [f"{title}:", fenced(example_text(example))]
    return "\n\n".join([*parts, f"*Fix: {fix_label(rule)}. Source: {rule.source}.*"])


def _plain(text: str) -> str:
    return text.replace("``", "")


def _result(diagnostic: Diagnostic, rule: int, fingerprint: str, root: Path) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.rule,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": _message(sentence(diagnostic)),
        "locations": [{"physicalLocation": _location(diagnostic, root)}],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if diagnostic.related:
        result["relatedLocations"] = _related(diagnostic.related, root)
    if diagnostic.fix and (fix := _fix(diagnostic.fix, diagnostic.path, root)):
        result["fixes"] = [fix]
    return result


def _message(text: str) -> dict[str, str]:
    # A message may hold links, [text](address), but none that a skill has put there.
    return {"text": text.replace("](", "] (")}


def _location(diagnostic: Diagnostic, root: Path) -> dict[str, Any]:
    """The place, with its text and that of its line where the place is all in the excerpt."""
    region = _region(diagnostic.span)
    location = {"artifactLocation": _artifact(diagnostic.path, root), "region": region}
    excerpt = diagnostic.excerpt
    if excerpt is None or diagnostic.end_line != diagnostic.line:
        return location
    start, end = (c - excerpt.column for c in (diagnostic.column, diagnostic.end_column))
    if not 0 <= start <= end <= len(excerpt.text):
        return location
    if start < end:
        region["snippet"] = {"text": _whole(excerpt.text[start:end])}
    # The context has to be more than the region.
    if (start, end) != (0, len(excerpt.text)):
        last = excerpt.column + len(excerpt.text)
        line = Span(diagnostic.line, excerpt.column, diagnostic.line, last)
        location["contextRegion"] = {**_region(line), "snippet": {"text": _whole(excerpt.text)}}
    return location


def _region(span: Span) -> dict[str, Any]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _artifact(path: Path, root: Path) -> dict[str, str]:
    if not path.is_relative_to(root):
        return {"uri": path.as_uri()}
    return {"uri": quote(os.fsencode(path_from(path, root))), "uriBaseId": _BASE}


def _related(places: Iterable[RelatedPlace], root: Path) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "physicalLocation": {
                "artifactLocation": _artifact(place.path, root),
                "region": _region(place.span),
            },
            "message": _message(one_line(place.message)),
        }
        for number, place in enumerate(places, start=1)
    ]


def _fix(fix: Fix[Replacement], path: Path, root: Path) -> dict[str, Any] | None:
    """The fix; None where it renames, for which SARIF has no words."""
    if fix.rename is not None or not fix.edits:
        return None
    change = {
        "artifactLocation": _artifact(path, root),
        "replacements": _replacements(fix.edits),
    }
    return {
        "description": _message(one_line(fix.title)),
        "artifactChanges": [change],
        "properties": {"safe": fix.safe},
    }


def _replacements(edits: Sequence[Replacement]) -> list[dict[str, Any]]:
    return [
        {
            # To SARIF a byte-order mark is no part of a text, only of the file's bytes.
            "deletedRegion": _BYTE_ORDER_MARK_REGION if span == _BYTE_ORDER_MARK else _region(span),
            "insertedContent": {"text": _whole(text)},
        }
        for span, text in edits
    ]


def _whole(text: str) -> str:
    """The text as it is, but for halves of surrogate pairs, which no JSON reader has to take."""
    return _SURROGATE.sub("\ufffd", text)
