"""``<!-- insomnia-skills: ignore rule -->`` in a file: what it silences, and what is said of it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from insomnia_skills import check_paths, check_workspace
from insomnia_skills.checking.check import Check
from insomnia_skills.checking.choice import Choice
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.limits import MAX_IGNORES
from insomnia_skills.rules.ignores import find_ignores
from tests.trees import Tree, break_skill, link, underlined, write, write_skill

HEAD = "---\nname: pdf\ndescription: Read PDF files. Use when the user names one.\n---\n"


def comment(rules: str) -> str:
    return f"<!-- insomnia-skills: ignore {rules} -->"


def ignored(text: str) -> list[tuple[str, int | None]]:
    """The rules that a file's comments name, each with its line, None for the whole file."""
    start = text.find("\n---", 3) + 5 if text.startswith("---") else 0
    return [(ignore.rule, ignore.line) for ignore in find_ignores(text, start)]


def checked(path: Path) -> Check:
    return Choice().check(check_paths([path]))


def found(path: Path) -> list[str]:
    return [f"{d.severity.value} {d.rule}" for d in checked(path).diagnostics]


def the_finding(path: Path) -> Diagnostic:
    (diagnostic,) = checked(path).diagnostics
    return diagnostic


# --- reading the comments ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("Text.\n", [], id="none"),
        pytest.param(f"{comment('a')}\n", [("a", None)], id="on a line of its own"),
        pytest.param(f"  {comment('a')}\t\n", [("a", None)], id="with blanks round it"),
        pytest.param(f"Text. {comment('a')}\n", [("a", 5)], id="at the end of a line"),
        pytest.param(f"{comment('a')} Text.\n", [("a", 5)], id="at the start of a line"),
        pytest.param(f"- {comment('a')}\n", [("a", 5)], id="after a list mark"),
        pytest.param(f"x\n\n{comment('a')}", [("a", None)], id="on the last line"),
        pytest.param(comment("a b"), [("a", None), ("b", None)], id="two, with a blank"),
        pytest.param(comment("a,b"), [("a", None), ("b", None)], id="two, with a comma"),
        pytest.param(comment(" a ,  b, "), [("a", None), ("b", None)], id="commas and blanks"),
        pytest.param(
            f"{comment('a')} {comment('b')}\n", [("a", None), ("b", None)], id="two on a line"
        ),
        pytest.param(
            f"x {comment('a')} y {comment('b')}\n", [("a", 5), ("b", 5)], id="two in a line"
        ),
        pytest.param(
            "<!--\n  insomnia-skills: ignore\n  a\n  b\n-->\n",
            [("a", None), ("b", None)],
            id="over several lines",
        ),
        pytest.param("Text <!-- insomnia-skills: ignore\na -->\n", [("a", 5)], id="over two lines"),
        pytest.param("<!--insomnia-skills:ignore a-->", [("a", None)], id="without blanks"),
        pytest.param(comment("ignore"), [("ignore", None)], id="a rule called ignore"),
        pytest.param(f"> {comment('a')}\n", [("a", 5)], id="in a quotation"),
        pytest.param(f"| x | {comment('a')} |\n", [("a", 5)], id="in a table"),
        pytest.param(f"<div>\n{comment('a')}\n</div>\n", [("a", None)], id="in HTML"),
        pytest.param("<!-- insomnia-skills: ignore -->", [("", None)], id="no rule"),
        pytest.param("<!-- insomnia-skills: ignore a", [], id="unclosed"),
        pytest.param("<!-- insomnia-skills: ignore\n\n# A <b>\n-->", [], id="markup inside"),
        pytest.param("<!-- insomnia-skills: disable a -->", [("", None)], id="another word"),
        pytest.param("<!-- insomnia-skills: ignore-next-line a -->", [("", None)], id="other kind"),
        pytest.param("<!-- insomnia-skill: ignore a -->", [("", None)], id="a slip"),
        pytest.param("<!-- insomnia-skills ignore a -->", [("", None)], id="no colon"),
        pytest.param("<!-- insomnia-skills: made for it -->", [], id="about the tool"),
        pytest.param("<!-- insomnia: ignore a -->", [], id="another tool"),
        pytest.param("insomnia-skills: ignore a\n", [], id="no comment"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_rules_of_a_comment(
    body: str, expected: list[tuple[str, int | None]], end: str
) -> None:
    assert ignored((HEAD + body).replace("\n", end)) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"```\n{comment('a')}\n```\n", id="fence"),
        pytest.param(f"~~~markdown\nText. {comment('a')}\n~~~\n", id="tilde fence"),
        pytest.param(f"- Do:\n\n  ```\n  {comment('a')}\n  ```\n", id="fence in a list"),
        pytest.param(f"Text:\n\n    {comment('a')}\n", id="indented"),
        pytest.param(f"Write `{comment('a')}`.\n", id="backticks"),
        pytest.param(f"Write ``  {comment('a')} ``.\n", id="two backticks"),
        pytest.param(f"Write `x {comment('a')} y`.\n", id="backticks round more"),
        pytest.param(f"Write `one\ntwo {comment('a')}\nthree`.\n", id="backticks over lines"),
    ],
)
def test_in_code_it_is_an_example(body: str) -> None:
    assert ignored(HEAD + body) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"`a` {comment('a')} `b`\n", id="between code"),
        pytest.param(f"a ` b {comment('a')}\n", id="after a lone backtick"),
        pytest.param(f"```\ncode\n```\n{comment('a')}\n", id="after a fence"),
        pytest.param(f"~~~\n```\n~~~\n{comment('a')}\n", id="after a fence with a fence in it"),
    ],
)
def test_beside_code_it_counts(body: str) -> None:
    assert [rule for rule, _ in ignored(HEAD + body)] == ["a"]


def test_a_comment_of_yaml_is_not_understood(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf", "# insomnia-skills: ignore body-long", body="Do it.\n")
    diagnostic = the_finding(path)
    assert (diagnostic.rule, diagnostic.line) == ("ignore-unknown-rule", 4)
    assert underlined(diagnostic) == "# insomnia-skills: ignore body-long"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(f"# {comment('name-mismatch')}", id="HTML comment in a YAML comment"),
        pytest.param(f"license: 'see {comment('name-mismatch')}'", id="in a value"),
    ],
)
def test_in_frontmatter_it_says_nothing(tmp_path: Path, line: str) -> None:
    path = write_skill(tmp_path, "pdf", line, body="Do it.\n")
    path = write(tmp_path / "other/SKILL.md", path.read_bytes())
    assert found(path) == ["error name-mismatch"]


def test_a_fence_in_the_frontmatter_opens_nothing() -> None:
    head = "---\nname: pdf\ndescription: |\n  Use\n  ```\n---\n"
    assert ignored(head + comment("a")) == [("a", None)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(comment("a") * 5_000, id="on one line"),
        pytest.param(f"{comment('a')}\n" * 5_000, id="one a line"),
        pytest.param(f"`{comment('a')}" * 1800, id="backticks"),
        pytest.param("<!-- insomnia-skills: ignore " * 35_000, id="all unclosed"),
        pytest.param("<!-- insomnia-skills: ignore" + " a" * 500_000, id="unclosed and long"),
        pytest.param(f"<!--{' ' * 1_000_000}insomnia-skills:", id="blanks"),
        pytest.param(f"{'<!-- ' * 200_000}insomnia-skills:", id="openings"),
        pytest.param(comment(" ".join(f"a{n}" for n in range(100))) * 500, id="many names"),
    ],
)
def test_hostile_text_takes_no_time(tmp_path: Path, text: str) -> None:
    path = write_skill(tmp_path, "pdf", body=text)
    started = time.perf_counter()
    assert len(find_ignores(path.read_text())) <= MAX_IGNORES + 1
    Choice().check(check_paths([path]))
    assert time.perf_counter() - started < 5


# --- what is silenced ----------------------------------------------------------------------------


def test_on_a_line_of_its_own_it_speaks_of_the_whole_file(tmp_path: Path) -> None:
    body = f"[a](a.md)\n\n{comment('reference-missing')}\n\n[b](b.md)\n"
    assert found(write_skill(tmp_path, "pdf", body=body, files={"x": ""})) == []


def test_in_a_line_it_speaks_of_that_line(tmp_path: Path) -> None:
    body = f"[a](a.md)\n[b](b.md) {comment('reference-missing')}\n[c](c.md)\n"
    path = write_skill(tmp_path, "pdf", body=body, files={"x": ""})
    assert [underlined(d) for d in checked(path).diagnostics] == ["a.md", "c.md"]


def test_other_rules_are_still_reported(tmp_path: Path) -> None:
    path = write_skill(
        tmp_path, "pdf", "allowed-tools: Read", "colour: 1", body=comment("unknown-field")
    )
    assert found(path) == ["warning allowed-tools-ignored"]


def test_an_ignored_error_leaves_the_skill_invalid(tmp_path: Path) -> None:
    path = write(tmp_path / "other/SKILL.md", HEAD + comment("name-mismatch"))
    check = checked(path)
    assert check.diagnostics == ()
    assert [file.valid for file in check.files] == [False]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param(
            f"Text.\n{comment('frontmatter-missing')}\n", "frontmatter-missing", id="none"
        ),
        pytest.param(
            f"---\nname: pdf\n{comment('frontmatter-unclosed')}\n",
            "frontmatter-unclosed",
            id="unclosed",
        ),
        pytest.param(
            f"---\nname: [pdf\n---\nText.\n{comment('yaml-syntax')}\n", "yaml-syntax", id="not YAML"
        ),
    ],
)
def test_in_a_file_whose_frontmatter_is_broken(tmp_path: Path, text: str, rule: str) -> None:
    path = write(tmp_path / "pdf/SKILL.md", text)
    assert [d.rule for d in check_paths([path]).diagnostics] == [rule]
    assert found(path) == []


def test_in_a_native_workflow(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    text = comment("requires-missing")
    path = tree.write_workflow("deploy", "requires: [facts]", body=text)
    assert found(path) == []
    result = tree.ingest(thorough=True)
    assert Choice().check(check_workspace(result)).diagnostics == ()


def test_findings_about_other_files_of_the_skill(tmp_path: Path) -> None:
    write(tmp_path / "secret", "x")
    path = write_skill(tmp_path, "pdf", body=comment("link-escapes-skill, wrong-case-filename"))
    link(path.parent / "out", "../secret")
    write(path.parent / "skill.md", "x")
    if len(list(path.parent.iterdir())) < 3:
        pytest.skip("this disk takes skill.md for SKILL.md")
    assert len(check_paths([path]).diagnostics) == 2
    assert found(path) == []


def test_in_a_line_it_does_not_speak_of_other_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    break_skill(tree.workspace / "skills", "pdf")
    tree.name_roots("skills")
    path = write(tree.user_skills / "pdf/SKILL.md", HEAD + f"Text. {comment('stand-in')}\n")
    check = Choice().check(check_workspace(tree.ingest(thorough=True)))
    assert [d.rule for d in check.others] == ["stand-in"]
    write(path, HEAD + f"Text.\n{comment('stand-in')}\n")
    check = Choice().check(check_workspace(tree.ingest(thorough=True)))
    assert check.others == ()
    assert [d.rule for d in check.diagnostics] == ["description-missing"]


def test_a_rule_on_conflicts_is_not_called_unused_where_none_is_looked_for(tmp_path: Path) -> None:
    assert found(write_skill(tmp_path, "pdf", body=comment("stand-in, skill-shadowed"))) == []


# --- what is said of a comment -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message", "help", "place"),
    [
        pytest.param(
            comment("body-lang"),
            'no rule is called "body-lang", so nothing is ignored',
            "did you mean body-long?",
            "body-lang",
            id="misspelt",
        ),
        pytest.param(
            f"Text. {comment('zzz')}",
            'no rule is called "zzz", so nothing is ignored',
            "insomnia-skills rules lists them",
            "zzz",
            id="like none",
        ),
        pytest.param(
            comment("zzz-*"),
            'no rule is called "zzz-*", so nothing is ignored',
            "insomnia-skills rules lists them",
            "zzz-*",
            id="patterns are none",
        ),
        pytest.param(
            "Text.\n<!-- insomnia-skills: ignore -->",
            "the comment is not understood, so nothing is ignored",
            "write <!-- insomnia-skills: ignore RULE --> below the frontmatter",
            "<!-- insomnia-skills: ignore -->",
            id="no rule",
        ),
    ],
)
def test_an_unknown_rule(tmp_path: Path, body: str, message: str, help: str, place: str) -> None:
    diagnostic = the_finding(write_skill(tmp_path, "pdf", body=body))
    assert diagnostic.rule == "ignore-unknown-rule"
    assert diagnostic.severity is Severity.WARNING
    assert (diagnostic.message, diagnostic.help) == (message, help)
    assert underlined(diagnostic) == place
    assert diagnostic.excerpt is not None
    assert "insomnia-skills: ignore" in diagnostic.excerpt.text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(
            f"Text.\n{comment('reference-missing')}\n",
            "reference-missing finds nothing in this file",
            id="file",
        ),
        pytest.param(
            f"Text. {comment('reference-missing')}\n",
            "reference-missing finds nothing in this line",
            id="line",
        ),
    ],
)
def test_an_unused_comment(tmp_path: Path, body: str, message: str) -> None:
    diagnostic = the_finding(write_skill(tmp_path, "pdf", body=body))
    assert diagnostic.rule == "ignore-unused"
    assert diagnostic.severity is Severity.WARNING
    assert (diagnostic.message, diagnostic.help) == (message, "remove it from the comment")
    assert underlined(diagnostic) == "reference-missing"


def test_of_several_rules_only_the_unused_are_told(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf", "colour: 1", body=comment("unknown-field, body-long"))
    assert underlined(the_finding(path)) == "body-long"


def test_a_comment_for_another_line_is_unused(tmp_path: Path) -> None:
    body = f"[a](a.md)\nText. {comment('reference-missing')}\n"
    path = write_skill(tmp_path, "pdf", body=body, files={"x": ""})
    assert found(path) == ["warning reference-missing", "warning ignore-unused"]


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param(Choice(ignore=frozenset({"body-long"})), id="ignored elsewhere too"),
        pytest.param(Choice(select=frozenset({"ignore-unused"})), id="not selected"),
        pytest.param(Choice(ignore=frozenset({"ignore-unused"})), id="ignore-unused is ignored"),
    ],
)
def test_a_comment_is_unused_only_where_its_rule_is_looked_for(
    tmp_path: Path, choice: Choice
) -> None:
    path = write_skill(tmp_path, "pdf", body=comment("body-long"))
    assert choice.check(check_paths([path])).diagnostics == ()


def test_what_is_said_of_comments_can_be_ignored_too(tmp_path: Path) -> None:
    body = f"{comment('ignore-unused, ignore-unknown-rule')}\n{comment('body-long zzz')}\n"
    assert found(write_skill(tmp_path, "pdf", body=body)) == []


def test_diagnostics_stay_in_the_order_of_the_text(tmp_path: Path) -> None:
    body = f"{comment('zzz')}\n[a](a.md)\n{comment('body-long')}\n[b](b.md)\n"
    path = write_skill(tmp_path, "pdf", "allowed-tools: Read", body=body, files={"x": ""})
    assert found(path) == [
        "warning allowed-tools-ignored",
        "warning ignore-unknown-rule",
        "warning reference-missing",
        "warning ignore-unused",
        "warning reference-missing",
    ]
