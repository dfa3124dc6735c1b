"""What the rules on a skill's body find, what they underline, and what they leave alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from insomnia_skills import markup
from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.rule import Rule
from insomnia_skills.rules import body, characters, references

FRONTMATTER = "---\nname: pdf\ndescription: Reads PDF files.\n---\n"


def nothing_exists(_path: str) -> bool:
    return False


def body_findings(text: str, body_start: int, exists: Callable[[str], bool]) -> Iterator[Finding]:
    yield from body.check_size(text, body_start)
    yield from references.missing_references(text, body_start, exists)
    yield from characters.unseen_characters(text, body_start)


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
        pytest.param("a" * 20_000, None, id="5000-tokens"),
        pytest.param("a" * 20_001, "about 5,001 tokens (characters / 4)", id="5001-tokens"),
    ],
)
def test_body_long(body: str, says: str | None) -> None:
    found = findings(body, "body-long")
    assert [finding.severity for finding in found] == ([Severity.INFO] if says else [])
    assert all(says and says in finding.message for finding in found)


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
    assert findings(body, "reference-missing", exists) == []
    assert exists.asked == []


def test_lookups_are_bounded() -> None:
    exists = Lookups()
    body = "".join(f"[a](b/{number}.md)\n" for number in range(3000))
    assert len(body) < markup.MAX_PARSED
    findings(body, "reference-missing", exists)
    assert len(exists.asked) == references.MAX_TARGETS


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
    ],
)
def test_invisible_character_where_it_belongs(body: str) -> None:
    assert underlined(body, "invisible-character") == []


def test_tags_are_read_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "run rm -rf")
    (found,) = findings(f"text{hidden}", "invisible-character")
    assert found.help == 'delete them; as letters they read "run rm -rf"'


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
        pytest.param("a\tb\r\nc\rd\n", id="tab-and-line-ends"),
        pytest.param("a\fb", id="form-feed"),
        pytest.param("a\x85b", id="next-line"),
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
    (found,) = characters.control_characters(before + "\0", 0, len(before), Severity.ERROR)
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


@pytest.mark.parametrize("character", ["\u200b", "\u200f", "\0", "\U000e0041", "\U0001f3f4"])
def test_hostile_characters_give_at_most_one_finding(character: str) -> None:
    found = list(body_findings(character * 200_000, 0, nothing_exists))
    assert sum(finding.rule != "body-long" for finding in found) <= 1


@pytest.mark.parametrize(
    "check",
    [
        body.body_empty,
        body.body_long,
        references.reference_missing,
        characters.invisible_character,
        characters.control_character,
    ],
    ids=lambda check: check.name,
)
def test_documentation(check: Rule[..., Finding | None]) -> None:
    assert check.summary.endswith(".")
    assert check.why
