"""The output formats of `validate`: what other tools read, each as its reader wants it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

import insomnia_skills
from insomnia_skills import Check, CheckedFile, check_paths, check_workspace
from insomnia_skills.checking.check import FileKind
from insomnia_skills.checking.fingerprint import fingerprints
from insomnia_skills.diagnostic import (
    Diagnostic,
    Excerpt,
    Fix,
    RelatedPlace,
    Replacement,
    Severity,
    Span,
)
from insomnia_skills.report.check import Results, markdown
from insomnia_skills.report.rules.text import example_text
from insomnia_skills.rules.catalogue import CATALOGUE
from tests.test_schemas import SCHEMAS, problems, without_more_keys
from tests.trees import Tree, break_skill, link, write, write_skill

ROOT = Path(__file__).parents[1]
SARIF = Draft202012Validator(
    json.loads((ROOT / "tests/schemas/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
)
FORMATS = ("concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown")
JSON_FORMATS = ("json", "sarif", "gitlab")

E, W, I = Severity.ERROR, Severity.WARNING, Severity.INFO  # noqa: E741


def render(format: str, results: Results) -> str:
    text: str = import_module(f"insomnia_skills.report.check.{format}").render(results)
    return text


def results_of(check: Check, root: Path, shown: int = 3, **options: Any) -> Results:
    """Results that show errors, with 2 warnings too, with 3 all."""
    weights = list(Severity)[:shown]
    diagnostics = tuple(d for d in check.diagnostics if d.severity in weights)
    return Results(check, diagnostics, root, options.pop("seconds", 1.5), **options)


def hand_made(*diagnostics: Diagnostic, root: Path = Path("/repo"), **options: Any) -> Results:
    """Results of diagnostics, with a checked file for each path."""
    files: dict[Path, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        files.setdefault(diagnostic.path, []).append(diagnostic)
    more = {key: options.pop(key) for key in ("others", "known", "fixed") if key in options}
    check = Check(None, tuple(checked(path, *found) for path, found in files.items()), **more)
    return results_of(check, root, **options)


def checked(path: Path, *diagnostics: Diagnostic) -> CheckedFile:
    valid = all(d.severity is not E for d in diagnostics)
    return CheckedFile(str(path), FileKind.SKILL, path.parent.name, valid, diagnostics)


def document(format: str, results: Results) -> Any:
    return json.loads(render(format, results))


def run_of(results: Results) -> dict[str, Any]:
    (run,) = document("sarif", results)["runs"]
    assert isinstance(run, dict)
    return run


def lines_of(results: Results) -> list[dict[str, Any]]:
    return [json.loads(line) for line in render("jsonl", results).splitlines()]


# Trees and texts to write about.


@pytest.fixture
def tree(tmp_path: Path) -> Results:
    """Errors, warnings and infos in skills, a native Workflow, a manifest and roots."""
    tree = Tree(tmp_path)
    break_skill(tree.workspace / "skills", "broken")
    write_skill(tree.workspace / "skills", "good")
    write_skill(tree.workspace / "skills", "noted", "some-field: 1", "allowed-tools: Read")
    write_skill(tree.workspace / "other", "good")
    tree.write_workflow("NOT A SLUG")
    tree.name_roots("skills", "other", "missing")
    check = check_workspace(tree.ingest(thorough=True))
    assert {d.severity for d in check.diagnostics} == {E, W, I}
    assert check.others
    return results_of(check, tree.workspace)


FULL = Diagnostic(
    "name-mismatch",
    E,
    "the name is wrong",
    Path("/repo/skills/a b/SKILL.md"),
    *(2, 7, 2, 10),
    help="write another",
    fix=Fix(
        "write b",
        (Replacement(Span(2, 7, 2, 10), "b"), Replacement(Span(1, 0, 1, 1), "")),
        safe=False,
    ),
    related=(RelatedPlace("named here", Path("/elsewhere/x.md"), Span(3, 1, 3, 4)),),
    excerpt=Excerpt("name: xyz  "),
)
PLAIN = Diagnostic("name-missing", W, "no name", Path("/repo/skills/c/SKILL.md"))
NOTE = Diagnostic("body-empty", I, "no body", Path("/repo/skills/c/SKILL.md"), 4, 1, 6, 3)

HOSTILE = {
    "control characters": "\x00\x07\x1b[31m\x7f\x9b2J\r\n\n\t\x0b\x0c\x85",
    "line separators": "a\u2028b\u2029c\x1c\x1d\x1e",
    "bidi and hidden": "\u202eabc\u2066\u200b\ufeff\U000e0041",
    "no characters": "\ufffe\uffff\ud800 \udce9 \udfff",
    "xml": "]]><![CDATA[ <!--&amp;&#0;--> <failure> \" '",
    "a workflow command": "\n::set-output name=a::b\r::error::x %0A::stop-commands::t ##[error]x",
    "commas and colons": "a,b:c=d%2C%25",
    "markdown": "|`x`|[a](http://x.y)|<b>*_~$:^#1 ![i](j)\\",
    "mentions": "@somebody/team a@b.example www.example.com https://example.com :smile:",
    "a sarif link": "[text](1) {0} [x](file:///etc/passwd)",
    "an attachment": "[[ATTACHMENT|/etc/passwd]]",
    "long": "x" * 3000,
}
NAMES = ("a\nb", "a,b:c%d", "caf\udce9", "::error::", "\x1b[31m", "a|`b`<i>", "\u202e", "\uffff")


def hostile(text: str, path: Path = Path("/repo/s/SKILL.md"), severity: Severity = E) -> Diagnostic:
    return Diagnostic(
        "yaml-syntax",
        severity,
        text,
        path,
        *(3, 2, 3, 4),
        help=text,
        fix=Fix(text, (Replacement(Span(3, 2, 3, 4), text),)),
        related=(RelatedPlace(text, path, Span()),),
        excerpt=Excerpt(text.replace("\n", " ") or " "),
    )


ALL_HOSTILE = [
    *(hostile(text) for text in HOSTILE.values()),
    *(hostile(text, severity=W) for text in HOSTILE.values()),
    *(hostile("a name", Path("/repo") / name / "SKILL.md") for name in NAMES),
    *(hostile("outside", Path("/outside") / name, I) for name in NAMES),
]


def everything() -> Results:
    others = (PLAIN._replace(path=Path("/repo")), NOTE._replace(path=Path("/")))
    found = (FULL, PLAIN, NOTE, *ALL_HOSTILE)
    return hand_made(*found, others=others, known=(FULL, PLAIN), fixed=(NOTE,), strict=True)


# Of every format.


@pytest.mark.parametrize("format", FORMATS)
def test_document_ends_its_last_line(format: str, tree: Results) -> None:
    text = render(format, tree)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("format", FORMATS)
def test_document_is_the_same_each_time(format: str) -> None:
    assert render(format, everything()) == render(format, everything())


@pytest.mark.parametrize("format", FORMATS)
def test_document_names_every_shown_diagnostic(format: str, tree: Results) -> None:
    text = render(format, tree)
    for diagnostic in tree.shown:
        assert diagnostic.rule in text
        assert text.count(diagnostic.rule) >= sum(d.rule == diagnostic.rule for d in tree.shown)


@pytest.mark.parametrize("format", ["concise", "github", "markdown"])
def test_formats_for_people_leave_out_what_is_not_shown(format: str, tree: Results) -> None:
    text = render(format, results_of(tree.check, tree.root, shown=1))
    rules = {d.rule for d in tree.check.diagnostics if d.severity is not E}
    assert rules
    assert [rule for rule in rules if rule in text] == []


@pytest.mark.parametrize("format", ["json", "jsonl", "sarif", "gitlab", "junit"])
def test_formats_for_machines_have_everything(format: str, tree: Results) -> None:
    less = results_of(tree.check, tree.root, shown=1, quiet=True)
    assert render(format, less) == render(format, tree)


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_stays_text(format: str) -> None:
    text = render(format, everything())
    text.encode()
    raw = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202e\u2066\ufeff]", text)
    assert raw == []
    assert "\t" not in text


@pytest.mark.parametrize(
    ("format", "expected"), [("concise", ""), ("github", ""), ("gitlab", "[]\n")]
)
def test_nothing_found_is_an_empty_document(format: str, expected: str) -> None:
    assert render(format, hand_made()) == expected


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_is_read_or_printed(
    format: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import_module(f"insomnia_skills.report.check.{format}")
    results = everything()

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("a file was opened")

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", fail)
        patched.setattr(os, "open", fail)
        render(format, results)
    assert capfd.readouterr() == ("", "")


# concise


def test_concise_is_a_line_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    here = [d._replace(path=tmp_path / d.path.relative_to("/repo")) for d in (FULL, PLAIN, NOTE)]
    assert render("concise", hand_made(*here, root=tmp_path)).splitlines() == [
        "skills/a b/SKILL.md:2:7: error[name-mismatch] the name is wrong (write another)",
        "skills/c/SKILL.md:1:1: warning[name-missing] no name",
        "skills/c/SKILL.md:4:1: info[body-empty] no body",
    ]
    assert len(render("concise", everything()).splitlines()) == len(everything().shown)


# json and jsonl


def test_json_says_all_of_a_diagnostic() -> None:
    results = hand_made(FULL)
    assert document("json", results)["diagnostics"] == [
        {
            "rule": "name-mismatch",
            "severity": "error",
            "message": "the name is wrong",
            "path": "/repo/skills/a b/SKILL.md",
            "line": 2,
            "column": 7,
            "end_line": 2,
            "end_column": 10,
            "help": "write another",
            "fix": {
                "title": "write b",
                "safe": False,
                "edits": [
                    {"line": 2, "column": 7, "end_line": 2, "end_column": 10, "text": "b"},
                    {"line": 1, "column": 0, "end_line": 1, "end_column": 1, "text": ""},
                ],
                "rename": None,
            },
            "related": [
                {
                    "message": "named here",
                    "path": "/elsewhere/x.md",
                    "line": 3,
                    "column": 1,
                    "end_line": 3,
                    "end_column": 4,
                }
            ],
        }
    ]


def test_json_says_what_is_known_and_fixed() -> None:
    results = hand_made(FULL, NOTE, known=(PLAIN,), fixed=(PLAIN, NOTE))
    found = document("json", results)
    assert found["summary"] == {
        "checked": 2,
        "valid": 1,
        "errors": 1,
        "warnings": 0,
        "infos": 1,
        "known": 1,
        "fixed": 2,
    }
    assert [d["rule"] for d in found["known"]] == ["name-missing"]
    assert [d["rule"] for d in found["fixed"]] == ["name-missing", "body-empty"]
    assert [d["rule"] for d in found["diagnostics"]] == ["name-mismatch", "body-empty"]


def test_json_fits_its_schema(tree: Results) -> None:
    rename = PLAIN._replace(fix=Fix("rename it", rename="SKILL.md"))
    for results in (tree, everything(), hand_made(), hand_made(rename)):
        assert problems(document("json", results), SCHEMAS["validate"]) == []


def test_json_gives_back_every_text() -> None:
    found = document("json", everything())["diagnostics"]
    assert [d["message"] for d in found] == [d.message for d in everything().check.diagnostics]
    assert [d["path"] for d in found] == [str(d.path) for d in everything().check.diagnostics]


def test_jsonl_has_each_file_after_its_diagnostics(tree: Results) -> None:
    expected: list[tuple[str, str | None]] = []
    for file in tree.check.files:
        expected += (("diagnostic", str(d.path)) for d in file.diagnostics)
        expected.append(("file", str(file.path)))
    expected += (("diagnostic", str(d.path)) for d in tree.check.others)
    expected.append(("summary", None))
    assert [(line["type"], line.get("path")) for line in lines_of(tree)] == expected


def test_jsonl_holds_what_json_holds() -> None:
    results = everything()
    whole, lines = document("json", results), lines_of(results)

    def of(type_: str) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in line.items() if key not in ("type", "version")}
            for line in lines
            if line["type"] == type_
        ]

    assert of("diagnostic") == whole["diagnostics"]
    assert of("file") == whole["files"]
    assert of("summary") == [{"workspace": whole["workspace"], **whole["summary"]}]
    assert {line["version"] for line in lines} == {1}


def test_every_line_of_jsonl_fits_its_schema(tree: Results) -> None:
    schema = SCHEMAS["validate-line"]
    for results in (tree, everything(), hand_made()):
        for line in lines_of(results):
            assert problems(line, schema) == []
            assert problems({**line, "type": "another"}, schema)
            assert problems({key: line[key] for key in line if key != "version"}, schema)


@pytest.mark.parametrize("name", ["diagnostic", "file"])
def test_schema_of_a_line_agrees_with_that_of_the_document(name: str) -> None:
    of_line = SCHEMAS["validate-line"]["$defs"][f"{name}-line"]
    of_whole = SCHEMAS["validate"]["$defs"][name]
    assert of_line["required"] == ["type", "version", *of_whole["required"]]
    rest = {k: v for k, v in of_line["properties"].items() if k not in ("type", "version")}
    assert rest == of_whole["properties"]


# sarif


def sarif_problems(results: Results) -> list[str]:
    errors = SARIF.iter_errors(document("sarif", results))
    return [f"{error.json_path}: {error.message}" for error in errors]


def test_sarif_fits_the_schema_of_the_standard(tree: Results) -> None:
    for results in (tree, everything(), hand_made(), hand_made(FULL, PLAIN, NOTE)):
        assert sarif_problems(results) == []


def test_sarif_run_says_what_ran() -> None:
    run = run_of(hand_made(root=Path("/the repo")))
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == (
        "insomnia-skills",
        insomnia_skills.__version__,
    )
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": "file:///the%20repo/"}}
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True}]
    assert run["results"] == driver["rules"] == []


def test_sarif_root_may_be_the_root_of_everything() -> None:
    run = run_of(hand_made(FULL, root=Path("/")))
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": "file:///"}}
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "repo/skills/a%20b/SKILL.md"


def test_sarif_result() -> None:
    results = hand_made(FULL, PLAIN)
    first, second = run_of(results)["results"]
    place = {"uri": "skills/a%20b/SKILL.md", "uriBaseId": "SRCROOT"}
    region = {"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 10}
    assert first == {
        "ruleId": "name-mismatch",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "the name is wrong (write another)"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": place,
                    "region": {**region, "snippet": {"text": "xyz"}},
                    "contextRegion": {
                        "startLine": 2,
                        "startColumn": 1,
                        "endLine": 2,
                        "endColumn": 12,
                        "snippet": {"text": "name: xyz  "},
                    },
                }
            }
        ],
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": {
                    "artifactLocation": {"uri": "file:///elsewhere/x.md"},
                    "region": {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 4},
                },
                "message": {"text": "named here"},
            }
        ],
        "fixes": [
            {
                "description": {"text": "write b"},
                "artifactChanges": [
                    {
                        "artifactLocation": place,
                        "replacements": [
                            {"deletedRegion": region, "insertedContent": {"text": "b"}},
                            {
                                "deletedRegion": {"byteOffset": 0, "byteLength": 3},
                                "insertedContent": {"text": ""},
                            },
                        ],
                    }
                ],
                "properties": {"safe": False},
            }
        ],
        "partialFingerprints": {
            "insomniaSkills/v1": fingerprints(results.check.diagnostics, results.root)[0]
        },
    }
    assert "fixes" not in second
    assert "relatedLocations" not in second
    assert list(second["locations"][0]["physicalLocation"]) == ["artifactLocation", "region"]


@pytest.mark.parametrize(
    ("severity", "level"), [(E, "error"), (W, "warning"), (I, "note")], ids=str
)
def test_sarif_level(severity: Severity, level: str) -> None:
    (result,) = run_of(hand_made(PLAIN._replace(severity=severity)))["results"]
    assert result["level"] == level


@pytest.mark.parametrize(
    ("span", "excerpt", "snippet", "context"),
    [
        pytest.param((1, 3, 1, 5), Excerpt("abcdef"), "cd", "abcdef", id="inside"),
        pytest.param((1, 1, 1, 7), Excerpt("abcdef"), "abcdef", None, id="the whole line"),
        pytest.param((1, 3, 1, 3), Excerpt("abcdef"), None, "abcdef", id="between characters"),
        pytest.param((1, 7, 1, 7), Excerpt("abcdef"), None, "abcdef", id="at the line's end"),
        pytest.param((1, 103, 1, 105), Excerpt("abcdef", 101), "cd", "abcdef", id="a long line"),
        pytest.param((1, 3, 2, 2), Excerpt("abcdef"), None, None, id="over the line's end"),
        pytest.param((1, 3, 1, 9), Excerpt("abcdef"), None, None, id="longer than the excerpt"),
        pytest.param((1, 3, 1, 5), Excerpt("😀é😀é"), "😀é", "😀é😀é", id="characters count"),
        pytest.param((1, 1, 1, 2), None, None, None, id="no excerpt"),
    ],
)
def test_sarif_snippets(
    span: tuple[int, int, int, int],
    excerpt: Excerpt | None,
    snippet: str | None,
    context: str | None,
) -> None:
    diagnostic = Diagnostic("yaml-syntax", E, "no", Path("/repo/x"), *span, excerpt=excerpt)
    (result,) = run_of(hand_made(diagnostic))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["region"].get("snippet", {}).get("text") == snippet
    assert place.get("contextRegion", {}).get("snippet", {}).get("text") == context
    if context and excerpt:
        assert place["contextRegion"]["startColumn"] == excerpt.column


@pytest.mark.parametrize("name", [*NAMES, "a b", "ä/ö.md", "a?b#c", "100%", ".", "a:b/c"])
def test_sarif_addresses_lead_back_to_the_path(name: str) -> None:
    for path in (Path("/repo") / name, Path("/outside") / name):
        try:
            bytes_ = os.fsencode(path)
        except UnicodeEncodeError:
            continue
        run = run_of(hand_made(PLAIN._replace(path=path)))
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert re.fullmatch(r"[A-Za-z0-9._~/%:-]+", location["uri"])
        inside = path.is_relative_to("/repo")
        assert location.get("uriBaseId") == ("SRCROOT" if inside else None)
        base = run["originalUriBaseIds"]["SRCROOT"]["uri"] if inside else ""
        address = urlsplit(base + location["uri"])
        assert (address.scheme, address.netloc, address.query) == ("file", "", "")
        assert os.path.normpath(unquote_to_bytes(address.path)) == bytes_


def test_sarif_leaves_out_fixes_that_rename() -> None:
    edit = Replacement(Span(1, 1, 1, 2), "x")
    both = PLAIN._replace(fix=Fix("rename it", (edit,), rename="SKILL.md"))
    only = PLAIN._replace(fix=Fix("rename it", rename="SKILL.md"))
    assert [r for r in run_of(hand_made(both, only))["results"] if "fixes" in r] == []


def test_sarif_links_no_message() -> None:
    found = run_of(hand_made(hostile(HOSTILE["a sarif link"])))["results"][0]
    texts = [found["message"], found["fixes"][0]["description"]]
    texts.append(found["relatedLocations"][0]["message"])
    assert [text for text in texts if "](" in text["text"]] == []
    assert found["message"]["text"].startswith("[text] (1) {0} ")


def test_sarif_has_what_a_baseline_knows_as_suppressed() -> None:
    run = run_of(hand_made(PLAIN, known=(FULL,)))
    assert [(r["ruleId"], r["suppressions"]) for r in run["results"]] == [
        ("name-mismatch", [{"kind": "external"}]),
        ("name-missing", []),
    ]
    assert all("suppressions" not in r for r in run_of(hand_made(PLAIN, FULL))["results"])


def test_sarif_rules_are_those_that_occur(tree: Results) -> None:
    run = run_of(tree)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({d.rule for d in tree.check.diagnostics})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_describes_every_rule() -> None:
    """With the lengths that GitHub has room for."""
    found = [PLAIN._replace(rule=name, severity=rule.severity) for name, rule in CATALOGUE.items()]
    rules = run_of(hand_made(*found))["tool"]["driver"]["rules"]
    assert len(rules) == len(CATALOGUE)
    for rule in rules:
        known = CATALOGUE[rule["id"]]
        for key in ("shortDescription", "fullDescription"):
            assert 0 < len(rule[key]["text"]) <= 1024
            assert "``" not in rule[key]["text"]
        assert known.source in rule["help"]["text"]
        assert known.source in rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert rule["properties"]["source"] == known.source
        (tag,) = rule["properties"]["tags"]
        assert tag == tag.lower()


def test_sarif_examples_of_a_rule_stay_in_their_fences() -> None:
    found = [PLAIN._replace(rule=name) for name in CATALOGUE]
    for rule in run_of(hand_made(*found))["tool"]["driver"]["rules"]:
        known = CATALOGUE[rule["id"]]
        tokens = MarkdownIt().parse(rule["help"]["markdown"])
        fences = [token.content.removesuffix("\n") for token in tokens if token.type == "fence"]
        examples = filter(None, (known.fails, known.passes))
        assert fences == [example_text(example) for example in examples]


def test_sarif_takes_a_rule_that_is_not_in_the_catalogue() -> None:
    results = hand_made(PLAIN._replace(rule="unheard-of"))
    assert run_of(results)["tool"]["driver"]["rules"] == [{"id": "unheard-of"}]
    assert sarif_problems(results) == []


# Fingerprints


def test_fingerprint_stays_when_lines_move_or_words_change() -> None:
    (before,) = fingerprints([FULL], Path("/repo"))
    moved = FULL._replace(line=9, end_line=9, message="said otherwise", severity=W, help=None)
    indented = FULL._replace(excerpt=Excerpt("\t name: xyz", 3))
    assert re.fullmatch("[0-9a-f]{32}", before)
    assert fingerprints([moved], Path("/repo")) == [before]
    assert fingerprints([indented], Path("/repo")) == [before]


@pytest.mark.parametrize(
    "other",
    [
        FULL._replace(rule="name-charset"),
        FULL._replace(path=Path("/repo/skills/b/SKILL.md")),
        FULL._replace(excerpt=Excerpt("name: abc")),
        FULL._replace(excerpt=None),
    ],
    ids=["rule", "path", "line", "no line"],
)
def test_fingerprint_differs(other: Diagnostic) -> None:
    first, second = fingerprints([FULL, other], Path("/repo"))
    assert first != second


def test_fingerprint_counts_what_is_equal() -> None:
    prints = fingerprints([FULL, PLAIN, FULL, FULL], Path("/repo"))
    assert len(set(prints)) == 4
    assert fingerprints([FULL, FULL], Path("/repo")) == [prints[0], prints[2]]


def test_fingerprint_goes_with_the_repository() -> None:
    elsewhere = FULL._replace(path=Path("/copy/skills/a b/SKILL.md"))
    assert fingerprints([FULL], Path("/repo")) == fingerprints([elsewhere], Path("/copy"))
    outside = fingerprints([FULL], Path("/somewhere"))
    assert outside == fingerprints([FULL], Path("/anywhere"))
    assert outside != fingerprints([FULL], Path("/repo"))


def test_fingerprint_takes_any_text() -> None:
    prints = fingerprints(ALL_HOSTILE, Path("/repo"))
    assert len(set(prints)) == len(ALL_HOSTILE)


@pytest.mark.parametrize("format", ["sarif", "gitlab"])
def test_fingerprint_is_the_same_with_a_baseline(format: str) -> None:
    def prints(results: Results) -> list[str]:
        found = document(format, results)
        if format == "gitlab":
            return [issue["fingerprint"] for issue in found]
        return [next(iter(r["partialFingerprints"].values())) for r in found["runs"][0]["results"]]

    without = prints(hand_made(FULL, FULL, PLAIN))
    known = prints(hand_made(FULL, PLAIN, known=(FULL,)))
    assert known == (without if format == "sarif" else without[1:])


# github


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What GitHub's runner reads: the command, its properties and its message of every line."""
    found = []
    for line in re.split(r"\r\n|\r|\n", text):
        if match := re.fullmatch(r"\s*::([^ :]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)", line):
            pairs = (pair.split("=", 1) for pair in (match[2] or "").split(","))
            properties = {key: unescaped(value, more=True) for key, value in pairs}
            found.append((match[1], properties, unescaped(match[3])))
        else:
            assert line == ""
    return found


def unescaped(text: str, more: bool = False) -> str:
    for escape, character in (("%3A", ":"), ("%2C", ",")) if more else ():
        text = text.replace(escape, character)
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def test_github_command() -> None:
    assert render("github", hand_made(FULL, PLAIN, NOTE)) == (
        "::error file=skills/a b/SKILL.md,line=2,endLine=2,col=7,endColumn=10,"
        "title=name-mismatch::skills/a b/SKILL.md:2:7: "
        "name-mismatch: the name is wrong (write another)\n"
        "::warning file=skills/c/SKILL.md,line=1,endLine=1,col=1,endColumn=1,"
        "title=name-missing::skills/c/SKILL.md:1:1: name-missing: no name\n"
        # Over several lines GitHub takes no column.
        "::notice file=skills/c/SKILL.md,line=4,endLine=6,"
        "title=body-empty::skills/c/SKILL.md:4:1: body-empty: no body\n"
    )


def test_github_path_outside_the_root_is_absolute() -> None:
    ((_, properties, _),) = commands(render("github", hand_made(FULL, root=Path("/other"))))
    assert properties["file"] == "/repo/skills/a b/SKILL.md"


def test_github_escapes() -> None:
    diagnostic = hostile("50%, a:b, %0A", Path("/repo/a,b:c%d/SKILL.md"))
    text = render("github", hand_made(diagnostic))
    assert "file=a%2Cb%3Ac%25d/SKILL.md," in text
    assert text.endswith(": 50%25, a:b, %250A (50%25, a:b, %250A)\n")


def test_github_text_starts_no_command_of_its_own() -> None:
    results = hand_made(*ALL_HOSTILE)
    found = commands(render("github", results))
    assert len(found) == len(results.shown)
    assert {command for command, _, _ in found} == {"error", "warning", "notice"}
    for _, properties, message in found:
        assert list(properties) == ["file", "line", "endLine", "col", "endColumn", "title"]
        assert properties["title"] == "yaml-syntax"
        assert (properties["line"], properties["col"]) == ("3", "2")
        assert "\n" not in message


# gitlab


def test_gitlab_issue() -> None:
    results = hand_made(FULL, PLAIN, NOTE)
    prints = fingerprints(results.check.diagnostics, results.root)
    issues = document("gitlab", results)
    assert issues[0] == {
        "description": "the name is wrong (write another)",
        "check_name": "name-mismatch",
        "fingerprint": prints[0],
        "severity": "major",
        "location": {"path": "skills/a b/SKILL.md", "lines": {"begin": 2, "end": 2}},
    }
    assert [issue["severity"] for issue in issues] == ["major", "minor", "info"]
    assert issues[2]["location"]["lines"] == {"begin": 4, "end": 6}


def test_gitlab_fingerprints_are_unique() -> None:
    issues = document("gitlab", everything())
    assert len(issues) == len(everything().check.diagnostics)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


# junit


def suite_of(results: Results) -> ET.Element:
    root = ET.fromstring(render("junit", results).encode())
    assert root.tag == "testsuites"
    (suite,) = root
    for key in ("tests", "failures", "errors", "time"):
        assert root.get(key) == suite.get(key)
    return suite


@pytest.mark.parametrize("strict", [False, True])
def test_junit_has_a_case_for_each_file(tree: Results, strict: bool) -> None:
    results = results_of(tree.check, tree.root, strict=strict)
    suite = suite_of(results)
    cases = suite.findall("testcase")
    failing = (E, W) if strict else (E,)
    groups = [*(file.diagnostics for file in tree.check.files), tree.check.others]
    assert len(cases) == len(groups)
    for case, diagnostics in zip(cases, groups, strict=True):
        failure = case.find("failure")
        out = case.find("system-out")
        failed = [d for d in diagnostics if d.severity in failing]
        rest = [d for d in diagnostics if d.severity not in failing]
        assert rules_in(failure) == [d.rule for d in failed]
        assert rules_in(out) == [d.rule for d in rest]
    assert suite.get("tests") == str(len(cases))
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert (suite.get("errors"), suite.get("skipped")) == ("0", "0")
    assert suite.get("time") == "1.500"
    assert len({case.get("name") for case in cases}) == len(cases)


def rules_in(element: ET.Element | None) -> list[str]:
    if element is None:
        return []
    found = re.findall(r"^.+?:\d+:\d+: \w+\[([a-z-]+)\] ", element.text or "", re.MULTILINE)
    assert len(found) == len((element.text or "").splitlines())
    return found


def test_junit_case() -> None:
    suite = suite_of(hand_made(FULL, PLAIN, NOTE))
    first, second = suite
    assert first.attrib == {
        "name": "skills/a b/SKILL.md",
        "classname": "insomnia-skills.skill",
        "file": "skills/a b/SKILL.md",
    }
    (failure,) = first
    assert failure.attrib == {"message": "name-mismatch: the name is wrong", "type": "error"}
    assert failure.text == (
        "skills/a b/SKILL.md:2:7: error[name-mismatch] the name is wrong (write another)"
    )
    assert [element.tag for element in second] == ["system-out"]
    (_, strict) = suite_of(hand_made(FULL, PLAIN, NOTE, strict=True))
    assert strict[0].attrib == {"message": "name-missing: no name", "type": "warning"}
    assert [element.tag for element in strict] == ["failure", "system-out"]


def test_junit_of_nothing() -> None:
    suite = suite_of(hand_made())
    assert (len(suite), suite.get("tests"), suite.get("failures")) == (0, "0", "0")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_junit_is_xml_whatever_the_text(text: str) -> None:
    for severity in Severity:
        path = Path("/repo") / text.replace("/", "_").replace("\x00", "")[:200] / "SKILL.md"
        (case,) = suite_of(hand_made(hostile(text, path, severity)))
        assert [element.tag for element in case] == ["failure" if severity is E else "system-out"]
        assert rules_in(case[0]) == ["yaml-syntax"]


def test_junit_attaches_no_file() -> None:
    text = render("junit", hand_made(hostile(HOSTILE["an attachment"], severity=W)))
    assert "[[ATTACHMENT" not in text


# markdown


def test_markdown_summary(tmp_path: Path) -> None:
    found = FULL._replace(message="the name | is *wrong*")
    assert render("markdown", hand_made(found, PLAIN, NOTE, known=(PLAIN,))) == (
        "## insomnia-skills: failed, 1 error, 1 warning\n"
        "\n"
        "| checked | valid | errors | warnings | infos | known | fixed |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| 2 | 1 | 1 | 1 | 1 | 1 | 0 |\n"
        "\n"
        "### skills/a b/SKILL.md\n"
        "\n"
        "| severity | rule | place | message | help |\n"
        "|---|---|---|---|---|\n"
        "| error | name-mismatch | 2:7 | the name &#124; is &#42;wrong&#42; | write another |\n"
        "\n"
        "### skills/c/SKILL.md\n"
        "\n"
        "| severity | rule | place | message | help |\n"
        "|---|---|---|---|---|\n"
        "| warning | name-missing | 1:1 | no name |  |\n"
        "| info | body-empty | 4:1 | no body |  |\n"
    )


@pytest.mark.parametrize(
    ("found", "strict", "verdict"),
    [
        ((), False, "passed"),
        ((NOTE,), True, "passed"),
        ((PLAIN,), False, "passed, 1 warning"),
        ((PLAIN,), True, "failed, 1 warning"),
        ((FULL, FULL), False, "failed, 2 errors"),
    ],
)
def test_markdown_verdict(found: Iterable[Diagnostic], strict: bool, verdict: str) -> None:
    text = render("markdown", hand_made(*found, strict=strict))
    assert text.splitlines()[0] == f"## insomnia-skills: {verdict}"


def test_markdown_text_is_no_markup() -> None:
    """Rendered with all that GitHub's Markdown has, there is nothing but tables and text."""
    results = hand_made(*ALL_HOSTILE)
    parser = MarkdownIt("gfm-like", {"linkify": False})
    tokens = parser.parse(render("markdown", results))
    tags = {token.tag for token in tokens if token.tag}
    assert tags == {"h2", "h3", "table", "thead", "tbody", "tr", "th", "td"}
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {"text", "text_special", "html_inline"}
    html = {child.content for child in inline if child.type == "html_inline"}
    assert html == {"<code>", "</code>"}
    rows = sum(token.type == "tr_open" for token in tokens)
    tables = sum(token.type == "table_open" for token in tokens)
    assert rows - tables == 1 + len(results.shown)


def test_markdown_shows_the_text() -> None:
    text = "|`x`|[a](b)|<b>*_~$:^#1\\ &amp; @me www.example.com"
    row = render("markdown", hand_made(hostile(text))).splitlines()[-1]
    shown = unescape(re.sub(r"</?code>", "", row))
    assert shown == f"| error | yaml-syntax | 3:2 | {text} | {text} |"
    assert "@me" not in row
    assert "www." not in row


def test_markdown_keeps_below_the_limit() -> None:
    found = [
        hostile(f"{number} " + "é|" * 400, Path(f"/repo/{number % 7}/x")) for number in range(900)
    ]
    results = hand_made(*found)
    text = render("markdown", results)
    assert len(text.encode()) <= markdown.LIMIT < 1024 * 1024
    assert len(text.encode()) > markdown.LIMIT - 10_000
    written = text.count("| error | yaml-syntax |")
    left = len(found) - written
    assert left > 0
    assert text.endswith(f"\n{left} more findings are left out: a summary has at most 1 MiB.\n")


def test_markdown_leaves_out_one_that_is_too_long() -> None:
    text = render("markdown", hand_made(hostile("x" * markdown.LIMIT)))
    assert text.endswith("\n1 more finding is left out: a summary has at most 1 MiB.\n")
    assert len(text) < 1000


# Real files.


def names_not_utf8(root: Path) -> None:
    write(root / os.fsdecode(b"caf\xe9") / "SKILL.md", "---\nname: cafe\n---\nDo it.\n")


def control_characters(root: Path) -> None:
    break_skill(root, "\x1b[31m\n,:%")
    write_skill(root, "one", description=r'"\e[31m ]]> | @me"', body="\x1b]0;\x07\u202e")


def byte_order_mark(root: Path) -> None:
    write(root / "one/SKILL.md", b"\xef\xbb\xbf---\nname: one\ndescription: d\n---\nb\n")


def links(root: Path) -> None:
    break_skill(root / "real", "one")
    link(root / "linked", "real")
    link(root / "two" / "SKILL.md", "nowhere")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("make", [names_not_utf8, control_characters, byte_order_mark, links])
def test_real_files(make: Callable[[Path], None], format: str, tmp_path: Path) -> None:
    make(tmp_path / "skills")
    check = check_paths([tmp_path])
    assert check.diagnostics
    results = results_of(check, tmp_path)
    text = render(format, results)
    text.encode()
    if format in JSON_FORMATS:
        json.loads(text)
    assert sarif_problems(results) == []
    for line in lines_of(results):
        assert problems(line, SCHEMAS["validate-line"]) == []
    assert without_more_keys(SCHEMAS["validate"])["additionalProperties"] is False
    suite_of(results)


def test_sarif_places_of_a_real_file_are_right(tmp_path: Path) -> None:
    write_skill(tmp_path, "one", description="key: wrong")
    (diagnostic,) = check_paths([tmp_path]).diagnostics
    (result,) = run_of(results_of(check_paths([tmp_path]), tmp_path))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "one/SKILL.md"
    assert place["region"]["startLine"] == diagnostic.line == 3
    assert place["contextRegion"]["snippet"]["text"] == "description: key: wrong"
    column = place["region"]["startColumn"]
    snippet = place["region"]["snippet"]["text"]
    assert "description: key: wrong"[column - 1 :].startswith(snippet)
