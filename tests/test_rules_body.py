"""What the rules on a skill's body find, what they underline, and what they leave alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from insomnia_skills import markup
from insomnia_skills.checking.check import check_paths
from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.limits import MAX_NEAR, MAX_PARSED_CHARACTERS, MAX_SIBLINGS, MAX_TARGETS
from insomnia_skills.rule import Rule
from insomnia_skills.rules import body, characters, prose, references
from insomnia_skills.rules.prose import check_prose
from tests.trees import write, write_skill

FRONTMATTER = "---\nname: pdf\ndescription: Reads PDF files.\n---\n"


def nothing_exists(_path: str) -> bool:
    return False


def body_findings(text: str, body_start: int, exists: Callable[[str], bool]) -> Iterator[Finding]:
    yield from body.check_size(markup.Markup(text, body_start))
    yield from references.missing_references(markup.Markup(text, body_start), exists)
    yield from characters.unseen_characters(markup.Markup(text, body_start))


class Lookups:
    """An ``exists`` that finds nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, path: str) -> bool:
        self.asked.append(path)
        return False


def findings(
    body: str, rule: str, exists: Callable[[str], bool] = nothing_exists, before: str = FRONTMATTER
) -> list[Finding]:
    found = body_findings(before + body, len(before), exists)
    return [finding for finding in found if finding.rule == rule]


def underlined(body: str, rule: str, exists: Callable[[str], bool] = nothing_exists) -> list[str]:
    text = FRONTMATTER + body
    return [text[found.start : found.end] for found in findings(body, rule, exists)]


# --- body-empty, body-long -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "empty"),
    [
        pytest.param("", True, id="nothing"),
        pytest.param("\n \t\r\n\n", True, id="blanks"),
        pytest.param("# Title", False, id="title"),
        pytest.param("<!-- to do -->", False, id="comment"),
    ],
)
def test_body_empty(body: str, empty: bool) -> None:
    found = findings(body, "body-empty")
    assert bool(found) is empty
    for finding in found:
        assert finding.severity is Severity.INFO
        assert finding.start == finding.end == len(FRONTMATTER)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        pytest.param("a\n" * 500, None, id="500-lines"),
        pytest.param("a\n" * 499 + "a", None, id="500-lines-no-end"),
        pytest.param("a\n" * 501, "501 lines, more than 500", id="501-lines"),
        pytest.param("a\n" * 500 + "a", "501 lines", id="501-lines-no-end"),
        pytest.param("a\r\n" * 500, None, id="500-lines-crlf"),
        pytest.param("a\r\n" * 501, "501 lines", id="501-lines-crlf"),
        pytest.param("a\r" * 501, "501 lines", id="501-lines-cr"),
        pytest.param("word " * 5000, None, id="5000-tokens"),
        pytest.param("word " * 5001, "about 5,001 tokens, more than 5,000", id="5001-tokens"),
        pytest.param("字" * 6000, "about 5,100 tokens, more than 5,000", id="chinese"),
    ],
)
def test_body_long(body: str, says: str | None) -> None:
    found = findings(body, "body-long")
    assert [finding.severity for finding in found] == ([Severity.INFO] if says else [])
    assert all(says and says in finding.message for finding in found)


# --- frontmatter-twice ---------------------------------------------------------------------------

SECOND = "---\nname: pdf\ndescription: Reads PDF files.\n---"


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        pytest.param(f"{SECOND}\nRead it.\n", SECOND, id="at-once"),
        pytest.param(f"\n \n{SECOND}\n", SECOND, id="after-blank-lines"),
        pytest.param(SECOND, SECOND, id="nothing-follows"),
        pytest.param(
            "---\ndescription: |\n  a\n\n  b\n# c\ntags:\n- a\nx: [b]\n---  \ntext",
            "---\ndescription: |\n  a\n\n  b\n# c\ntags:\n- a\nx: [b]\n---",
            id="all-kinds-of-lines",
        ),
        pytest.param("---\r\nname: a\r\n---\r\n", "---\r\nname: a\r\n---", id="crlf"),
    ],
)
def test_frontmatter_twice(body: str, marked: str) -> None:
    text = FRONTMATTER + body
    (found,) = (
        one
        for one in check_prose({}, markup.Markup(text, len(FRONTMATTER)), nothing_exists, bool)
        if one.rule == "frontmatter-twice"
    )
    assert found.severity is Severity.WARNING
    assert text[found.start : found.end] == marked


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"# Title\n\n{SECOND}\n", id="further-down"),
        pytest.param(f"```yaml\n{SECOND}\n```\n", id="code"),
        pytest.param("---\nversion: 1\n---\n", id="no-field-of-a-skill"),
        pytest.param("---\nmetadata:\n  name: a\n---\n", id="field-below-another"),
        pytest.param("---\n\nname: a\n\n---\n", id="rules-round-a-paragraph"),
        pytest.param("---\nname: a\nThis is prose.\n---\n", id="prose"),
        pytest.param("---\nname: a\n", id="unclosed"),
        pytest.param("---\nname: a\n----\n", id="longer-rule"),
        pytest.param("---\nname: a\n--- x\n", id="text-after-the-fence"),
        pytest.param("----\nname: a\n---\n", id="longer-rule-first"),
        pytest.param("  ---\nname: a\n---\n", id="indented"),
        pytest.param("---\n---\n", id="nothing-between"),
        pytest.param("", id="nothing"),
    ],
)
def test_no_second_frontmatter(text: str) -> None:
    assert body.frontmatter_twice(FRONTMATTER + text, len(FRONTMATTER)) is None


@pytest.mark.parametrize("piece", ["\n", " ", "---\n", "name: b\n", " \n", "a", "- \n"])
def test_hostile_second_frontmatter(piece: str) -> None:
    text = "---\na" + piece * (1024 * 1024 // len(piece))
    assert body.frontmatter_twice(text, 0) is None
    assert body.frontmatter_twice("\n" + piece * (1024 * 1024 // len(piece)) + "x", 0) is None


# --- reference-missing ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        pytest.param("See [it](references/a.md).", ["references/a.md"], id="link"),
        pytest.param("![it](assets/a.png)", ["assets/a.png"], id="image"),
        pytest.param("[![it](assets/a.png)](forms.md)", ["assets/a.png", "forms.md"], id="both"),
        pytest.param("[it](./a.md)", ["./a.md"], id="dot-slash"),
        pytest.param("[it](x/../a.md)", ["x/../a.md"], id="up-and-down-inside"),
        pytest.param("[it](a.md#part)", ["a.md#part"], id="fragment"),
        pytest.param("[it](a.md?plain=1)", ["a.md?plain=1"], id="query"),
        pytest.param('[it](a.md "A title")', ["a.md"], id="title"),
        pytest.param("[it]( <a.md> )", ["a.md"], id="angles"),
        pytest.param("[it](a%20b.md)", ["a%20b.md"], id="percent-encoded"),
        pytest.param("[it](a_(b).md)", ["a_(b).md"], id="parentheses"),
        pytest.param("[it](手順.md)", ["手順.md"], id="japanese-name"),
        pytest.param("[it](\n  a.md)", ["a.md"], id="target-on-next-line"),
        pytest.param("[it][a]\n\n[a]: a.md 'T'", ["a.md"], id="definition"),
        pytest.param("[a]: <a.md>\n\n![a]", ["a.md"], id="definition-first"),
        pytest.param("| a |\n|---|\n| [it](a.md) |", ["a.md"], id="table"),
        pytest.param("> - [it](a.md)", ["a.md"], id="quote-and-list"),
        pytest.param("Run [it](scripts/run).", ["scripts/run"], id="script-without-suffix"),
        pytest.param("[it](rules/run-your-app.md)", ["rules/run-your-app.md"], id="your-inside"),
        pytest.param("[1](b.md) [2](a.md) [3](b.md#x)", ["b.md", "a.md"], id="each-once"),
        pytest.param("```\n[a](a.md)\n```\n\n[it](a.md)", ["a.md"], id="code-then-link"),
    ],
)
def test_reference_missing(body: str, marked: list[str]) -> None:
    assert underlined(body, "reference-missing") == marked


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("```md\n[a](a.md)\n```", id="fence"),
        pytest.param("~~~\n[a](a.md)\n~~~", id="tilde-fence"),
        pytest.param("- x\n\n  ```\n  [a](a.md)\n  ```", id="fence-in-list"),
        pytest.param("text\n\n    [a](a.md)", id="indented-code"),
        pytest.param("Write `[a](a.md)`.", id="inline-code"),
        pytest.param("<!-- [a](a.md) -->", id="comment"),
        pytest.param("text <!-- [a](a.md) --> text", id="inline-comment"),
        pytest.param("<!--\n\n[a](a.md)\n\n-->", id="long-comment"),
        pytest.param("<example>\n\n[a](a.md)\n\n</example>", id="example-element"),
        pytest.param(r"\[a](a.md)", id="escaped"),
        pytest.param("[a] (a.md)", id="no-link"),
        pytest.param("[a]: a.md\n\ntext", id="definition-unused"),
        pytest.param("see a.md and references/b.md", id="plain-text"),
        pytest.param('<img src="a.png">', id="html"),
        pytest.param("[a](https://example.com/a.md)", id="https"),
        pytest.param("[a](ftp://example.com/a.md)", id="ftp"),
        pytest.param("[a](mailto:me@example.com)", id="mailto"),
        pytest.param("[a](//example.com/a.md)", id="no-scheme"),
        pytest.param("[a](www.example.com)", id="host"),
        pytest.param("[a](example.com/page)", id="host-and-page"),
        pytest.param("[a](guide/page.html)", id="web-page"),
        pytest.param("[a](/etc/a.md)", id="absolute"),
        pytest.param("[a](C:/a.md)", id="windows"),
        pytest.param(r"[a](references\a.md)", id="backslash"),
        pytest.param("[a](~/a.md)", id="home"),
        pytest.param("[a](#part)", id="fragment"),
        pytest.param("[a](?x=a.md)", id="query"),
        pytest.param("[a]()", id="no-target"),
        pytest.param("[a](../a.md)", id="above"),
        pytest.param("[a](references/../../a.md)", id="above-in-the-end"),
        pytest.param("[a](%2e%2e/a.md)", id="above-encoded"),
        pytest.param("[a](.claude/settings.json)", id="hidden-directory"),
        pytest.param("[a](references/{name}.md)", id="braces"),
        pytest.param("[a](references/<name>.md)", id="angle-name"),
        pytest.param("[a](<references/your file.md>)", id="blank"),
        pytest.param("[a](references/my file.md)", id="bare-blank"),
        pytest.param("[a](references/$NAME.md)", id="variable"),
        pytest.param("[a](references/*.md)", id="glob"),
        pytest.param("[a](references/...)", id="dots"),
        pytest.param("[a](references/) [b](templates/)", id="directory"),
        pytest.param("[a](references/…)", id="ellipsis"),
        pytest.param("[a](path/to/a.md)", id="path-to"),
        pytest.param("[a](your-file.md)", id="your"),
        pytest.param("[a](adr/NNN-title.md)", id="number-to-fill"),
        pytest.param("[a](url) [b](link) [c](file.md)", id="metasyntactic"),
        pytest.param("[type(x)](operand)", id="code-like"),
        pytest.param("[a](internal-wiki/runbook)", id="page-of-a-wiki"),
        pytest.param("[a](src/auth.ts:42)", id="line-of-code"),
        pytest.param("[a](src/auth.ts)", id="project-source"),
        pytest.param("[a](docs/adr/0001-x.md)", id="project-docs"),
        pytest.param("[a](CLAUDE.md) [b](package.json)", id="project-files"),
        pytest.param("[a](a%00b.md)", id="nul"),
        pytest.param("````md\n```sh\nx\n```\n[a](a.md)\n````", id="nested-fence-right"),
        pytest.param("```md\n```sh\nx\n```\n[a](a.md)\n```\n", id="nested-fence-muddled"),
        pytest.param("[a](a.md)\n```\nx\n```\n\n```\n", id="fence-unclosed"),
    ],
)
def test_reference_not_judged(body: str) -> None:
    assert underlined(body, "reference-missing") == []


@pytest.mark.parametrize(
    ("present", "marked"),
    [
        pytest.param({"references/a b.md", "docs/x.md"}, [], id="all"),
        pytest.param({"docs/x.md"}, ["./references/a%20b.md#c"], id="decoded"),
        pytest.param({"references/a b.md", "docs"}, ["docs/x.md"], id="docs-of-the-skill"),
    ],
)
def test_reference_is_looked_up_as_a_normal_path(present: set[str], marked: list[str]) -> None:
    body = "[a](./references/a%20b.md#c) [b](docs/x.md)"
    assert underlined(body, "reference-missing", present.__contains__) == marked


def test_reference_missing_wording() -> None:
    (found,) = findings("[a](./references/a.md#x)", "reference-missing")
    assert found.message == 'the linked file "references/a.md" is not in the skill'
    assert found.help
    assert found.severity is Severity.WARNING


def test_frontmatter_holds_no_links() -> None:
    before = "---\nname: pdf\ndescription: See [a](a.md).\n---\n"
    assert findings("text", "reference-missing", before=before) == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_reference_place_with_line_ends(line_end: str) -> None:
    body = line_end.join(["```", "[a](b.md)", "```", "", "text", "[a](b.md)", ""])
    (found,) = findings(body, "reference-missing")
    assert found.start == len(FRONTMATTER) + body.rindex("b.md")


def test_no_lookup_when_all_is_elsewhere() -> None:
    exists = Lookups()
    body = "[a](https://a.b/c.md) [b](#c) [c](.d.md) [d](/e.md) [e](url)"
    assert findings(body, "reference-missing", exists) == []
    assert exists.asked == []


@pytest.mark.parametrize(
    "piece",
    ["[", "](", "[x](", "![", "](<", "](((", "](a]", "[a](b.md) ", "> [a](b.md)\n", "[a]: b.md\n"],
)
def test_hostile_body_is_not_parsed(piece: str) -> None:
    exists = Lookups()
    body = piece * (1024 * 1024 // len(piece))
    found = prose.check_prose({}, markup.Markup(body, 0), exists, bool)
    assert [finding.rule for finding in found] == ["body-unchecked"]
    assert exists.asked == []


def test_lookups_are_bounded() -> None:
    exists = Lookups()
    body = "".join(f"[a](b/{number}.md)\n" for number in range(3000))
    assert len(body) < MAX_PARSED_CHARACTERS
    findings(body, "reference-missing", exists)
    linked = {path for path in exists.asked if path.startswith("b/")}
    assert len(linked) == MAX_TARGETS
    assert len(exists.asked) < MAX_TARGETS + MAX_NEAR * 40


@pytest.mark.parametrize(
    ("path", "present", "near"),
    [
        pytest.param("references/A.md", "references/a.md", "references/a.md", id="lower-case"),
        pytest.param(
            "references/readme.md", "references/README.md", "references/README.md", id="upper-case"
        ),
        pytest.param("references/guide", "references/guide.md", "references/guide.md", id="suffix"),
        pytest.param("scripts/run", "scripts/run.py", "scripts/run.py", id="suffix-of-script"),
        pytest.param("reference/x.md", "references/x.md", "references/x.md", id="plural"),
        pytest.param("guides/a/x.md", "guide/a/x.md", "guide/a/x.md", id="singular"),
        pytest.param("References/x.md", "references/x.md", "references/x.md", id="directory-case"),
        pytest.param("x.md", "references/x.md", "references/x.md", id="directory"),
        pytest.param("scripts/x.svg", "assets/x.svg", "assets/x.svg", id="other-directory"),
        pytest.param("references/x.md", "x.md", "x.md", id="no-directory"),
        pytest.param("references/a_b.md", "references/a-b.md", "references/a-b.md", id="hyphen"),
        pytest.param(
            "references/a-b.md", "references/a_b.md", "references/a_b.md", id="underscore"
        ),
        pytest.param("references/b.md", "references/a.md", None, id="another"),
        pytest.param("references/SKILL.md", "SKILL.md", None, id="the-skill-itself"),
    ],
)
def test_missing_file_with_one_near(path: str, present: str, near: str | None) -> None:
    there = {present, *(str(above) for above in PurePosixPath(present).parents)}
    (found,) = findings(f"[it]({path})", "reference-missing", there.__contains__)
    assert found.help is not None
    if near is None:
        assert "did you mean" not in found.help
    else:
        assert found.help == f"did you mean {near}?"


def test_name_in_the_text_with_a_file_near() -> None:
    (found,) = findings(
        "See `references/A.md`.",
        "reference-missing",
        {"references", "references/a.md"}.__contains__,
    )
    assert found.help == "did you mean references/a.md?"


# --- reference-missing, reference-escapes-skill: on disk -----------------------------------------


def judged(path: Path, rule: str) -> list[tuple[Severity, str]]:
    (file,) = check_paths([path]).files
    return [(d.severity, d.message) for d in file.diagnostics if d.rule == rule]


@pytest.mark.parametrize(
    ("around", "severity"),
    [
        pytest.param({}, Severity.INFO, id="given-alone"),
        pytest.param({"b/SKILL.md": ""}, Severity.INFO, id="all-without-files"),
        pytest.param({"b/SKILL.md": "", "b/c/SKILL.md": ""}, Severity.INFO, id="skill-in-skill"),
        pytest.param({"b/SKILL.md": "", "b/.DS_Store": ""}, Severity.INFO, id="hidden-file"),
        pytest.param({"b/README.md": "", "c.md": ""}, Severity.INFO, id="no-skills"),
        pytest.param({"b/SKILL.md": "", "b/a.md": ""}, Severity.WARNING, id="one-with-a-file"),
        pytest.param({"b/SKILL.md": "", "b/x/y/a": ""}, Severity.WARNING, id="deep-file"),
        pytest.param({"a/a.md": ""}, Severity.WARNING, id="own-file"),
    ],
)
def test_files_may_have_been_taken_away(
    tmp_path: Path, around: dict[str, str], severity: Severity
) -> None:
    write_skill(tmp_path, "a", body="[a](references/gone.md)\n")
    for path, text in around.items():
        write(tmp_path / path, text)
    found = judged(tmp_path / "a", "reference-missing")
    assert [one for one, _ in found] == [severity]


def test_skills_around_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        write_skill(tmp_path, f"a{number}", body="[a](references/gone.md)\n")
    write(tmp_path / "z" / "SKILL.md", "")
    write(tmp_path / "z" / "a.md", "")
    walked: list[str] = []
    walk = os.walk

    def count(top: str) -> Iterator[Any]:
        walked.append(top)
        return walk(top)

    monkeypatch.setattr(os, "walk", count)
    files = check_paths(tmp_path / f"a{number}" for number in range(3)).files
    assert [d.severity for file in files for d in file.diagnostics] == [Severity.INFO] * 3
    assert len(walked) == MAX_SIBLINGS


def test_skills_around_are_looked_at_anew_by_each_run(tmp_path: Path) -> None:
    write_skill(tmp_path, "a", body="[a](references/gone.md)\n")
    write(tmp_path / "b" / "SKILL.md", "")
    severities = [judged(tmp_path / "a", "reference-missing")[0][0]]
    write(tmp_path / "b" / "a.md", "")
    severities += [judged(tmp_path / "a", "reference-missing")[0][0]]
    assert severities == [Severity.INFO, Severity.WARNING]


@pytest.mark.parametrize(
    ("repository", "target", "exists"),
    [
        pytest.param("", "../../gone.md", False, id="beside-the-root"),
        pytest.param("", "../../there.md", True, id="beside-the-root-there"),
        pytest.param("", "../../../gone.md", True, id="farther-nobody-looks"),
        pytest.param("", "../../../gone/SKILL.md", False, id="farther-for-a-skill"),
        pytest.param(".", "../../../gone.md", False, id="in-the-repository"),
        pytest.param(".", "../../../there.md", True, id="in-the-repository-there"),
        pytest.param(".", "../../../../gone.md", True, id="outside-the-repository"),
        pytest.param("b/skills", "../../gone.md", True, id="above-the-repository"),
        pytest.param("b/skills/pdf", "../gone.md", True, id="skill-is-the-repository"),
        pytest.param("", "../" * 30 + "etc/gone.md", True, id="whole-file-system"),
    ],
)
def test_how_far_a_target_is_looked_for(
    tmp_path: Path, repository: str, target: str, exists: bool
) -> None:
    top = tmp_path / "a"
    write_skill(top / "b" / "skills", "pdf", body=f"[a]({target})\n")
    write(top / "there.md", "")
    write(top / "b" / "there.md", "")
    if repository:
        write(top / repository / ".git" / "HEAD", "")
    ((severity, message),) = judged(top / "b" / "skills" / "pdf", "reference-escapes-skill")
    assert severity is Severity.WARNING
    assert ("leads out of the skill" in message) is exists
    assert ("leads nowhere" in message) is not exists


# --- invisible-character -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param("a\u202eb", "U+202E RIGHT-TO-LEFT OVERRIDE", id="override"),
        pytest.param("a\u202eb\u202e", "U+202E RIGHT-TO-LEFT OVERRIDE, 2 times", id="twice"),
        pytest.param("a\u2066b", "U+2066 LEFT-TO-RIGHT ISOLATE", id="isolate"),
        pytest.param("א\u202aא", "U+202A LEFT-TO-RIGHT EMBEDDING", id="embedding-in-hebrew"),
        pytest.param("a\u200bb", "U+200B ZERO WIDTH SPACE", id="zero-width-space"),
        pytest.param("a\u200db", "U+200D ZERO WIDTH JOINER", id="joiner-in-latin"),
        pytest.param("a\u200cb", "U+200C ZERO WIDTH NON-JOINER", id="non-joiner-in-latin"),
        pytest.param("\U0001f469\u200d x", "U+200D ZERO WIDTH JOINER", id="joiner-after-emoji"),
        pytest.param("a\u200fb", "U+200F RIGHT-TO-LEFT MARK", id="mark-in-latin"),
        pytest.param("a\u2060b", "U+2060 WORD JOINER", id="word-joiner"),
        pytest.param("a\u2065b", "U+2065 (not assigned)", id="no-name"),
        pytest.param("a\ufeffb", "U+FEFF ZERO WIDTH NO-BREAK SPACE", id="bom-inside"),
        pytest.param(
            "a\U000e0148b", "U+E0148 VARIATION SELECTOR-89", id="variation-selector-in-latin"
        ),
        pytest.param("i\u00adg\u00adn", "U+00AD SOFT HYPHEN, 2 times", id="hyphen-at-each-letter"),
        pytest.param("a \u00ad b", "U+00AD SOFT HYPHEN", id="hyphen-in-no-word"),
        pytest.param("a\u3164b", "U+3164 HANGUL FILLER", id="filler"),
        pytest.param("\u115f", "U+115F HANGUL CHOSEONG FILLER", id="filler-alone"),
        pytest.param("\u1160\u1160", "U+1160 HANGUL JUNGSEONG FILLER, 2 times", id="fillers"),
        pytest.param("가a\uffa0", "U+FFA0 HALFWIDTH HANGUL FILLER", id="filler-after-latin"),
        pytest.param("a\u2800b", "U+2800 BRAILLE PATTERN BLANK", id="braille-blank"),
        pytest.param("a\u034fb", "U+034F COMBINING GRAPHEME JOINER", id="grapheme-joiner"),
        pytest.param("a\u2028b", "U+2028 LINE SEPARATOR", id="line-separator"),
        pytest.param("a\u2029b", "U+2029 PARAGRAPH SEPARATOR", id="paragraph-separator"),
        pytest.param(
            "a\u180bb", "U+180B MONGOLIAN FREE VARIATION SELECTOR ONE", id="mongolian-in-latin"
        ),
        pytest.param("a\u180fb", "U+180F MONGOLIAN FREE VARIATION SELECTOR FOUR", id="its-fourth"),
        pytest.param("a\U0001d173b", "U+1D173 MUSICAL SYMBOL BEGIN BEAM", id="music-in-latin"),
        pytest.param("a\U0001d17ab", "U+1D17A MUSICAL SYMBOL END PHRASE", id="its-last"),
        pytest.param(
            "❤\ufe0f\ufe0e",
            "U+FE0F VARIATION SELECTOR-16 and its like, 2 times",
            id="two-selectors",
        ),
        pytest.param(
            "葛\U000e0100\U000e0101",
            "U+E0100 VARIATION SELECTOR-17 and its like, 2 times",
            id="two-on-an-ideograph",
        ),
        pytest.param(
            "a\U000e0148 b\U000e0149",
            "U+E0148 VARIATION SELECTOR-89 and its like, 2 times",
            id="selectors-apart",
        ),
        pytest.param(
            "a\U000e0048\U000e0069",
            "U+E0048 TAG LATIN CAPITAL LETTER H and its like, 2 times",
            id="tags",
        ),
        pytest.param(
            "\U0001f3f4\U000e0067\U000e0062",
            "U+E0067 TAG LATIN SMALL LETTER G and its like, 2 times",
            id="flag-cut-off",
        ),
        pytest.param("a\u061cb", "U+061C ARABIC LETTER MARK", id="arabic-mark-alone"),
    ],
)
def test_invisible_character(body: str, message: str) -> None:
    (found,) = findings(body, "invisible-character")
    assert found.message == f"hidden character {message}"
    assert found.severity is Severity.WARNING
    assert underlined(body, "invisible-character") == [f"{chr(int(message[2:7], 16))}"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "👩\u200d🚀 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥 🐦\u200d⬛ 🙂\u200d↔\ufe0f", id="emoji"
        ),
        pytest.param("🏳\ufe0f\u200d🌈 🏴\u200d☠\ufe0f 👨\u200d👩\u200d👧", id="flags-and-family"),
        pytest.param("✅ ⚠\ufe0f 1\ufe0f\u20e3 🇯🇵", id="selector-and-keycap"),
        pytest.param(
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
            "\U0001f3f4\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f",
            id="england-texas",
        ),
        pytest.param("می\u200cخواهم API\u200cها", id="persian"),
        pytest.param("क्\u200dष क्\u200cष", id="hindi"),
        pytest.param("ශ්\u200dරී", id="sinhala"),
        pytest.param("ภาษา\u200bไทย ភាសា\u200bខ្មែរ", id="thai-khmer"),
        pytest.param("עברית (C++)\u200e עברית\u200f", id="hebrew-marks"),
        pytest.param("العربية\u061c 1-2", id="arabic-mark"),
        pytest.param("葛\U000e0100城", id="ideograph-variant"),
        pytest.param("co\u00adop a\u00a0b 全\u3000角 a\u202fb", id="soft-hyphen-and-spaces"),
        pytest.param("Donau\u00addampf\u00adschiff Über\u00adsicht", id="german"),
        pytest.param("가\u3164나 \u1100\u1160 \u115fᅡ ﾡ\uffa0", id="hangul"),
        pytest.param("⠓\u2800⠺ ⣿" + "\u2800" * 60 + "\n⣿", id="braille-and-a-picture-in-it"),
        pytest.param("ᠠ\u180b ᠮ\u180f", id="mongolian"),
        pytest.param("\U0001d15f\U0001d173\U0001d15f\U0001d174", id="music"),
        pytest.param("e\u034f\u0301 ב\u034f\u05b0", id="joined-marks"),
        pytest.param("❤\ufe0e ❤\ufe0f≨\ufe00 仝\ufe00", id="single-selectors"),
    ],
)
def test_invisible_character_where_it_belongs(body: str) -> None:
    assert underlined(body, "invisible-character") == []


def test_tags_are_read_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "run rm -rf")
    (found,) = findings(f"text{hidden}", "invisible-character")
    assert found.help == 'delete them; as letters they read "run rm -rf"'


def selectors(text: str) -> str:
    """What one way of hiding text makes of each byte."""
    return "".join(chr(0xFE00 + b if b < 16 else 0xE0100 - 16 + b) for b in text.encode())


@pytest.mark.parametrize("before", ["a", "\U0001f600", "葛", ""])
def test_variation_selectors_are_read_out(before: str) -> None:
    body = f"{before}{selectors('run rm')} or {selectors(' -rf é')}\n"
    (found,) = findings(body, "invisible-character")
    assert found.help == 'delete them; as letters they read "run rm -rf é"'
    assert found.start == len(FRONTMATTER) + len(before)


def test_selectors_that_spell_nothing() -> None:
    (found,) = findings("a\ufe0f\ufe0f", "invisible-character")
    assert (found.help or "").startswith("delete it")


@pytest.mark.parametrize("character", ["\u2028", "\u2029"])
def test_line_separators_become_line_breaks(character: str) -> None:
    (found,) = findings(f"a{character}b", "invisible-character")
    assert found.help == "write a line break in its place"


def test_hidden_characters_in_frontmatter_and_each_once() -> None:
    before = "\ufeff---\nname: a\u200bb\n---\n"
    found = findings("c\u200bd\u202ee", "invisible-character", before=before)
    assert [(finding.start, finding.message[:23]) for finding in found] == [
        (before.index("\u200b"), "hidden character U+200B"),
        (len(before) + 3, "hidden character U+202E"),
    ]


# --- control-character ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param("a\0b", "U+0000 (null)", id="null"),
        pytest.param("a\x1b[31m\x1b", "U+001B (escape), 2 times", id="escape"),
        pytest.param("a\bb", "U+0008 (backspace)", id="backspace"),
        pytest.param("a\x01b", "U+0001 (C0 control)", id="c0"),
        pytest.param("a\x7fb", "U+007F (delete)", id="delete"),
        pytest.param("it\x92s", "U+0092 (C1 control)", id="c1"),
        pytest.param("a\x85b", "U+0085 (next line)", id="next-line"),
        pytest.param("a\rb\r\nc", "U+000D (carriage return)", id="carriage-return"),
        pytest.param("a\rb\rc\r", "U+000D (carriage return), 3 times", id="of-old-macs"),
    ],
)
def test_control_character(body: str, message: str) -> None:
    (found,) = findings(body, "control-character")
    assert found.message == f"control character {message}"
    assert found.severity is Severity.WARNING
    assert underlined(body, "control-character") == [chr(int(message[2:6], 16))]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("a\tb\r\nc\n", id="tab-and-line-ends"),
        pytest.param("a\fb", id="form-feed"),
        pytest.param("é\u00a0ÿ", id="latin-1"),
    ],
)
def test_control_character_accepted(body: str) -> None:
    assert underlined(body, "control-character") == []


def test_control_characters_in_order_of_place() -> None:
    assert underlined("b\x1ba\0c\x1b", "control-character") == ["\x1b", "\0"]


def test_control_characters_of_frontmatter_are_the_callers() -> None:
    before = "---\nname: a\0b\n---\n"
    assert findings("text", "control-character", before=before) == []
    (found,) = characters.control_characters(before + "\0", 0, len(before), severity=Severity.ERROR)
    assert (found.severity, found.start) == (Severity.ERROR, before.index("\0"))
    assert found.message == "control character U+0000 (null)"


@pytest.mark.parametrize(
    ("char", "name"), [("\f", "U+000C (form feed)"), ("\ufffe", "U+FFFE (noncharacter)")]
)
def test_what_else_yaml_refuses_has_a_name(char: str, name: str) -> None:
    found = characters.control_character(char, 1, 7, Severity.ERROR)
    assert (found.message, found.start, found.end) == (f"control character {name}", 7, 8)
    assert (found.rule, found.severity) == ("control-character", Severity.ERROR)


# --- all -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "character",
    [
        *("\u200b", "\u200f", "\0", "\U000e0041", "\U0001f3f4", "\u00ad", "\u034f", "\u2028"),
        *("\u2800", "\u3164", "\u180b", "\ufe0f", "\U000e0148", "\U0001d173"),
    ],
)
def test_hostile_characters_give_at_most_one_finding(character: str) -> None:
    found = list(body_findings(character * 20_000, 0, nothing_exists))
    assert sum(finding.rule not in ("body-long", "body-empty") for finding in found) <= 1


@pytest.mark.parametrize(
    "check",
    [
        body.body_empty,
        body.body_long,
        body.frontmatter_twice,
        references.reference_missing,
        characters.invisible_character,
        characters.control_character,
    ],
    ids=lambda check: check.name,
)
def test_documentation(check: Rule[..., Finding | None]) -> None:
    assert check.summary.endswith(".")
    assert check.why
