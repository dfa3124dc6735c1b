"""JUnit XML: each checked file is a test case, for every CI that shows tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from insomnia_skills.checking.fingerprint import path_from
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.check import Results
from insomnia_skills.report.diagnostics import concise
from insomnia_skills.report.text import PathNames, one_line, path_text

_NAME = "insomnia-skills"
_OTHERS = "skills roots and conflicts"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
# XML 1.0 has no way to write these, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Results) -> str:
    """One test suite. An error fails its file's test case; so does a warning under ``strict``."""
    check, root = results.check, results.root
    name = PathNames(cwd=root)
    suite = ET.Element("testsuite", name=f"{_NAME} validate")
    for file in check.files:
        place = path_text(path_from(file.path, root))
        case = _case(suite, place, file.kind.value)
        case.set("file", _clean(place))
        _fill(case, file.diagnostics, name, results.strict)
    if check.others:
        _fill(_case(suite, _OTHERS, "workspace"), check.others, name, results.strict)
    counts = {
        "tests": str(len(suite)),
        "failures": str(len(suite.findall("testcase/failure"))),
        "errors": "0",
        "time": f"{results.seconds:.3f}",
    }
    suite.attrib |= {**counts, "skipped": "0"}
    suites = ET.Element("testsuites", {"name": _NAME, **counts})
    suites.append(suite)
    ET.indent(suites)
    return _HEAD + ET.tostring(suites, encoding="unicode") + "\n"


def _case(suite: ET.Element, name: str, kind: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", name=_clean(name), classname=f"{_NAME}.{kind}")


def _fill(
    case: ET.Element, diagnostics: Iterable[Diagnostic], name: PathNames, strict: bool
) -> None:
    failing: list[Diagnostic] = []
    others: list[Diagnostic] = []
    for diagnostic in diagnostics:
        fails = diagnostic.severity is Severity.ERROR or (
            strict and diagnostic.severity is Severity.WARNING
        )
        (failing if fails else others).append(diagnostic)
    if failing:
        worst = min(failing, key=lambda diagnostic: list(Severity).index(diagnostic.severity))
        more = f" (and {len(failing) - 1:,} more)" if failing[1:] else ""
        message = _clean(f"{worst.rule}: {one_line(worst.message)}{more}")
        failure = ET.SubElement(case, "failure", message=message)
        failure.set("type", worst.severity.value)
        failure.text = _text(failing, name)
    if others:
        # GitLab would take "[[ATTACHMENT|path]]" for a file of its own to show.
        ET.SubElement(case, "system-out").text = _text(others, name).replace("[[", "[ [")


def _text(diagnostics: Iterable[Diagnostic], name: PathNames) -> str:
    return _clean("\n".join(concise(diagnostic, name) for diagnostic in diagnostics))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
