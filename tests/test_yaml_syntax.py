"""What `yaml_syntax` says about frontmatter that the pure parser refuses."""

from __future__ import annotations

import random
import re

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.yaml.syntax import SECOND_DOCUMENT, SURROGATE_ESCAPE, yaml_syntax

LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


def refusal(text: str) -> Finding | None:
    """What the rule says about a text, if the parser refuses it."""
    try:
        list(YAML(typ="safe", pure=True).parse(text))
    except MarkedYAMLError as error:
        mark, context = error.problem_mark, error.context_mark
        return yaml_syntax(
            text,
            mark.index if mark else 0,
            error.problem or error.context,
            context.index if context else None,
        )
    except YAMLError as error:
        return yaml_syntax(text, 0, str(error))
    except (ValueError, OverflowError) as error:
        return yaml_syntax(text, 0, str(error))
    return None


# id: text, part of the message, part of the help, what is underlined
CASES = {
    # 1. ": " in a plain value
    "colon": (
        "name: x\ndescription: Plans in three parts: route, budget\nlicense: MIT\n",
        'description: a plain value can\'t contain ": "',
        'write description: "Plans in three parts: route, budget"',
        ": ",
    ),
    "colon, long value": (
        f"description: Plans: {'route, ' * 20}\n",
        'description: a plain value can\'t contain ": "',
        "put the whole value in double quotes",
        ": ",
    ),
    "colon, value with double quotes": (
        'description: Say "hi": loudly\n',
        'a plain value can\'t contain ": "',
        "write description: 'Say \"hi\": loudly'",
        ": ",
    ),
    "colon, value with both quotes": (
        'description: Say "hi": it\'s fine\n',
        'a plain value can\'t contain ": "',
        'write ">-" here and the text on the next line',
        ": ",
    ),
    "colon, perhaps a nested key": (
        "metadata: author: me\n",
        'metadata: a plain value can\'t contain ": "',
        'write metadata: "author: me"; if "author" is a key, put it on its own line',
        ": ",
    ),
    "colon on a wrapped line": (
        "name: x\ndescription: Plans a trip\n  in Three parts: route\n  and budget\nlicense: MIT\n",
        'description: a plain value can\'t contain ": "',
        "put the whole value in double quotes",
        ": ",
    ),
    "colon in text below its key": (
        "description:\n  Plans a trip\n  parts: three\n",
        'description: a plain value can\'t contain ": "',
        "put the whole value in double quotes",
        ": ",
    ),
    "colon ends a line": (
        "description: Plans these:\n  route and budget\n",
        'description: a plain value can\'t end a line with ":"',
        "put the whole value in double quotes",
        ":",
    ),
    "colon ends the text": (
        "name: x\ndescription: Plans these:",
        'description: a plain value can\'t end a line with ":"',
        'write description: "Plans these:"',
        ":",
    ),
    "colon in a list item": (
        "tags:\n  - one\n  - two: three: four\n",
        'two: a plain value can\'t contain ": "',
        'write two: "three: four"',
        ": ",
    ),
    "colon in a nested key": (
        "metadata:\n  note: See also: this\n",
        'note: a plain value can\'t contain ": "',
        'write note: "See also: this"',
        ": ",
    ),
    "colon in brackets": (
        "tags: [a, b: c: d]\n",
        'tags: an item can\'t contain another ": "',
        "put the item in double quotes",
        ": ",
    ),
    "colon twice": ("name: : x\n", 'name: there is a ":" too many', "delete it", ":"),
    # 2. text after a block indicator
    "text after |": (
        "description: | Use when asked\nname: x\n",
        'description: the text after "|" must start on the next line',
        'indent the text by two blanks, or delete the "|"',
        "Use when asked",
    ),
    "text after >-, which needs quotes": (
        "description: >- Use when: asked\n",
        'description: the text after ">-" must start on the next line',
        'break the line after ">-" and indent the text by two blanks',
        "Use when: asked",
    ),
    "text after |2+": (
        "description: |2+ Use it\n",
        'the text after "|2+" must start on the next line',
        'delete the "|2+"',
        "Use it",
    ),
    "text right after >": (
        "metadata:\n  note: >Use it\n",
        'note: the text after ">" must start on the next line',
        'delete the ">"',
        "Use it",
    ),
    "text after | in a list": (
        "tags:\n  - | one\n",
        'tags: the text after "|" must start on the next line',
        'delete the "|"',
        "one",
    ),
    # 3. reserved characters
    "star": (
        "description: *bold* text\nname: x\n",
        'description: a value that begins with "*" needs quotes',
        'write description: "*bold* text"',
        "*",
    ),
    "two stars, colon": (
        "description: **Plans**: a trip\n",
        'description: a value that begins with "*" needs quotes',
        'write description: "**Plans**: a trip"',
        "*",
    ),
    "star and blank": (
        "description: * text\n",
        'description: a value that begins with "*" needs quotes',
        'write description: "* text"',
        "*",
    ),
    "star, wrapped": (
        "description: *bold*\n  text\n",
        'description: a value that begins with "*" needs quotes',
        "put the whole value in double quotes",
        "*",
    ),
    "star, quotes later": (
        'description: *b* "text\n',
        'description: a value that begins with "*" needs quotes',
        "write description: '*b* \"text'",
        "*",
    ),
    "ampersand": ("a: & b\n", 'a: a value that begins with "&" needs quotes', 'a: "& b"', "&"),
    "exclamation mark": (
        "a: !b!c d\n",
        'a: a value that begins with "!" needs quotes',
        'write a: "!b!c d"',
        "!",
    ),
    "at sign": (
        "name: x\nauthor: @someone\n",
        'author: a value that begins with "@" needs quotes',
        'write author: "@someone"',
        "@",
    ),
    "backtick": (
        "description: `pdf` files\n",
        'description: a value that begins with "`" needs quotes',
        'write description: "`pdf` files"',
        "`",
    ),
    "per cent": (
        "rate: %done\n",
        'rate: a value that begins with "%" needs quotes',
        'write rate: "%done"',
        "%",
    ),
    "closing bracket": ("a: ]\n", 'a: a value that begins with "]" needs quotes', 'a: "]"', "]"),
    "question mark": ("a: ? b\n", 'a: a value that begins with "?" needs quotes', '"? b"', "?"),
    "at sign in a list": (
        "tags:\n  - one\n  - @two\n",
        'tags: a value that begins with "@" needs quotes',
        'write - "@two"',
        "@",
    ),
    "star in a list": (
        "tags:\n- *one* two\n",
        'tags: a value that begins with "*" needs quotes',
        'write - "*one* two"',
        "*",
    ),
    "at sign in brackets": (
        "tags: [one, @two three]\n",
        'tags: text that begins with "@" needs quotes',
        'write "@two three"',
        "@",
    ),
    "star in brackets": (
        "tags: [*one two]\n",
        'tags: an item that begins with "*" needs quotes',
        'write "*one two"',
        "*",
    ),
    "template": (
        "name: {{name}} skill\n",
        'name: a value that begins with "{{" needs quotes',
        'write name: "{{name}} skill"',
        "{{",
    ),
    # 4. text after a closing quote
    "text after double quotes": (
        'description: "Read then write" helps\nname: x\n',
        "description: text can't follow the closing quote",
        "write description: '\"Read then write\" helps'",
        "helps",
    ),
    "text after single quotes": (
        "description: 'Read' helps\n",
        "description: text can't follow the closing quote",
        "write description: \"'Read' helps\"",
        "helps",
    ),
    "colon after quotes": (
        'description: "Read": helps\n',
        "description: text can't follow the closing quote",
        "write description: '\"Read\": helps'",
        ": helps",
    ),
    "open quote after quotes": (
        'a: "Read" "write\n',
        "a: text can't follow the closing quote",
        'write a: \'"Read" "write\'',
        '"write',
    ),
    "quotes within quotes": (
        'description: "Say "hi" loudly"\n',
        'description: the " inside the text ends it too early',
        'write \\" for each " inside the text',
        '"',
    ),
    "apostrophe": (
        "description: 'it's fine'\n",
        "description: the ' inside the text ends it too early",
        "write '' for each ' inside the text, or use double quotes",
        "'",
    ),
    "text on the line after quotes": (
        'description: "Read"\n  then write\nname: x\n',
        "description: the value was closed on the line above",
        "close it where the text ends",
        "then write",
    ),
    # 5. an unclosed quote
    "unclosed double quote": (
        'name: x\ndescription: "Read\nlicense: MIT\n',
        "description: the quote that opens here is not closed",
        'add the closing " where the text ends',
        '"',
    ),
    "unclosed single quote": (
        "description: 'tis a trip\nname: x\n",
        "description: the quote that opens here is not closed",
        "if the ' belongs to the text, put the whole value in double quotes",
        "'",
    ),
    "unclosed quote, closed by another": (
        'name: x\ndescription: "Read\nlicense: "MIT"\n',
        "description: the quote that opens here is not closed",
        'add the closing " where the text ends',
        '"',
    ),
    "unclosed quote in brackets": (
        'tags: ["a, b]\nname: x\n',
        "tags: the quote that opens here is not closed",
        'add the closing "',
        '"',
    ),
    # 6. brackets
    "text after a bracket": (
        "argument-hint: [a] [b: c]\nname: x\n",
        'argument-hint: text can\'t follow the closing "]"',
        'write argument-hint: "[a] [b: c]"',
        "[b: c]",
    ),
    "bar after a bracket": (
        "argument-hint: [a] | [b]\n",
        'argument-hint: text can\'t follow the closing "]"',
        'write argument-hint: "[a] | [b]"',
        "| [b]",
    ),
    "text after a brace": (
        "argument-hint: {a} x\n",
        'argument-hint: text can\'t follow the closing "}"',
        'write argument-hint: "{a} x"',
        "x",
    ),
    "unclosed bracket": (
        "tags: [a, b\nname: x\n",
        'tags: the "[" that opens here is not closed',
        'add the closing "]"',
        "[",
    ),
    "unclosed brace at the end": (
        "metadata: {a: b",
        'metadata: the "{" that opens here is not closed',
        'add the closing "}"',
        "{",
    ),
    "brackets that are no pair": (
        "tags: [a, b}\n",
        'tags: "[" can\'t be closed by "}"',
        "make the two a pair",
        "}",
    ),
    "comma missing": (
        'tags: ["a" b]\n',
        "tags: a comma is missing before this",
        "put a comma between the two",
        "b",
    ),
    "comma missing between lines": (
        "metadata: {\n  a: b\n  c: d\n}\n",
        "metadata: a comma is missing before this",
        "put a comma between the two",
        "c: d",
    ),
    "two commas": ("a: [b,, c]\n", 'a: an item is missing before the ","', 'delete the ","', ","),
    "dash in brackets": ("a: [- b]\n", 'a: an item is missing before the "-"', "delete", "-"),
    # 7. tabs
    "tab indents a key": (
        "metadata:\n\tauthor: x\n",
        "a tab can't indent a line",
        "indent with blanks, two for each level",
        "\t",
    ),
    "tab indents block text": (
        "description: |\n\tUse it\nname: x\n",
        "a tab can't indent a line",
        "indent with blanks",
        "\t",
    ),
    "tab after blanks": ("tags:\n  \t- a\n", "a tab can't indent a line", "indent with", "\t"),
    "tab before a value": ("name:\tx\n", "name: a tab can't stand here", "use a blank", "\t"),
    "tab at the end": ("name: x\t\na: b\n", "name: a tab can't end a line", "delete", "\t"),
    # 8. a line with no key
    "lost indent": (
        "description: Plans a trip\nand a budget\nname: x\n",
        'this line has no key: "and a budget"',
        'indent it if it belongs to "description", else write it as "key: value"',
        "and a budget",
    ),
    "lost indent at the end": (
        "name: x\ndescription: >-\nPlans a trip",
        'this line has no key: "Plans a trip"',
        'indent it if it belongs to "description"',
        "Plans a trip",
    ),
    "long line": (
        f"name: x\n{'and so on ' * 9}\n",
        'this line has no key: "and so on and so on and so on and so on…"',
        'indent it if it belongs to "name"',
        ("and so on " * 9).strip(),
    ),
    "first line": (
        "just text\nname: x\n",
        'this line has no key: "just text"',
        'write it as "key: value", or delete it',
        "just text",
    ),
    "line of markup": (
        "name: x\n**Plans** a trip\na: b\n",
        'this line has no key: "**Plans** a trip"',
        'indent it if it belongs to "name"',
        "**Plans** a trip",
    ),
    "quotation": ("name: x\n> Plans\n", 'this line has no key: "> Plans"', "indent it", "> Plans"),
    "no blank after the colon": (
        "name: x\ndescription:Plans a trip\nlicense: MIT\n",
        "description: a blank is missing after the colon",
        'write "description: Plans a trip"',
        ":",
    ),
    "no blank after the first colon": (
        "name:x\ndescription: y\n",
        "name: a blank is missing after the colon",
        'write "name: x"',
        ":",
    ),
    "full-width colon": (
        "name\uff1ax\na: b\n",
        'name: "\uff1a" is no colon',
        '"name: x"',
        "\uff1a",
    ),
    "equals sign": ("name = x\na: b\n", 'name: "=" is no colon', 'write "name: x"', "="),
    "merge conflict": (
        "name: x\n<<<<<<< HEAD\na: b\n=======\n",
        "a merge conflict was left here",
        "keep one side and delete the markers",
        "<<<<<<< HEAD",
    ),
    "comment in wrapped text": (
        "description: Mends issue #12\n  and more\nname: x\n",
        'description: a "#" after a blank starts a comment',
        "put the whole value in double quotes",
        "#",
    ),
    # 9. indentation
    "key too deep": (
        "name: x\n description: y\nlicense: MIT\n",
        'description: its indentation makes it part of "name"',
        'indent it like "name"; if it is text, put the whole value in quotes',
        "description",
    ),
    "nested key too deep": (
        "metadata:\n  a: b\n   c: d\n",
        'c: its indentation makes it part of "a"',
        'indent it like "a"',
        "c",
    ),
    "key too deep below quotes": (
        'name: "x"\n  description: y\n',
        "description: its indentation (2 blanks) fits no other line",
        'indent it like "name" (no blanks)',
        "description",
    ),
    "nested key too shallow": (
        "metadata:\n    a: b\n  c: d\n",
        "c: its indentation (2 blanks) fits no other line",
        'indent it like "a" (4 blanks) or "metadata" (no blanks)',
        "c",
    ),
    "first key too deep": (
        " name: x\ndescription: y\nlicense: MIT\n",
        "name: its indentation (1 blank) fits no other line",
        'indent it like "description" (no blanks)',
        "name",
    ),
    "last key too shallow": (
        " name: x\n description: y\nlicense: MIT\n",
        "license: its indentation (no blanks) fits no other line",
        'indent it like "description" (1 blank)',
        "license",
    ),
    "item too shallow": (
        "tags:\n  - a\n - b\n",
        "list item: its indentation (1 blank) fits no other line",
        'indent it like the "-" above (2 blanks) or "tags" (no blanks)',
        "-",
    ),
    "item too deep": (
        "tags:\n  - a\n   - b: c\n",
        "b: its indentation makes it part of the item above",
        "indent it like the item above",
        "- b",
    ),
    "list after a value": (
        "description: Plans\n- a trip\n",
        'a list item can\'t follow "description"',
        "give the list a key of its own; if it is text, indent it",
        "-",
    ),
    "key among items": (
        "tags:\n  - a\n  b: c\n",
        "b: a key can't follow list items",
        'indent it like "tags", or further to join the item above',
        "b",
    ),
    "key after a list": ("- a\nname: x\n", "name: a key can't follow list items", "a key", "name"),
    "block text less indented": (
        "description: |\n    Plans\n  a trip\nname: x\n",
        "description: this line is indented less than the text above it",
        "indent it like that text",
        "a trip",
    ),
    "key after block text too deep": (
        "description: |\n  Plans\n name: x\n",
        "name: its indentation fits neither the keys nor the text above it",
        'indent it like "description"',
        "name",
    ),
    # 10. escapes
    "escape without meaning": (
        'path: "C:\\path"\nname: x\n',
        'path: "\\p" has no meaning in double quotes',
        "write \"\\\\p\" for a backslash, or put the value in single quotes: 'C:\\path'",
        "\\p",
    ),
    "escape without digits": (
        'path: "C:\\users"\n',
        'path: "\\u" must be followed by 4 hexadecimal digits',
        "'C:\\users'",
        "\\u",
    ),
    "escaped apostrophe": (
        'a: "it\\\'s"\n',
        'a: "\\\'" has no meaning in double quotes',
        "write ' without the backslash",
        "\\'",
    ),
    "escape beyond Unicode": (
        'a: "b \\Uffffffff"\n',
        'a: "\\Uffffffff" stands for no character',
        "write the character itself",
        "\\Uffffffff",
    ),
    # 11. a dash on the line of the key
    "dash after a key": (
        "tags: - a\nname: x\n",
        "tags: a list can't begin on the line of its key",
        "put each item on a line of its own below the key",
        "-",
    ),
    "dash after a key, more below": (
        "tags: - a: b\n  - c\n",
        "tags: a list can't begin on the line of its key",
        "if this is text, quote it",
        "-",
    ),
    # 12. documents and directives that the parser itself refuses
    "text after ...": ("a: b\n... c\n", '"..." ends the YAML', "delete the line", "..."),
    "... in quotes": ('a: "b\n...\nc"\n', '"..." at the start of a line ends', "indent", "..."),
    "second document, then an error": (
        "name: x\n--- text\na: b: c\n",
        '"---" begins a second YAML document',
        'leave nothing but "---" on the line',
        "---",
    ),
    "directive": (
        "name: x\n%YAML 1.2\n",
        '"%YAML" at the start of a line is an instruction to the YAML parser',
        "delete the line; if it is text, indent it",
        "%YAML",
    ),
    # 13. the rest
    "key of more than 1,024 characters": (
        f"a: b\n{'x ' * 600}y: c\n",
        'this line can\'t be read as "key: value"',
        "if this is text, put the whole value in double quotes",
        f"{'x ' * 600}y: c",
    ),
}


@pytest.mark.parametrize(("written", "message", "help", "underlined"), CASES.values(), ids=CASES)
def test_words_and_place(written: str, message: str, help: str, underlined: str) -> None:
    for line_end in LINE_ENDS.values():
        text = written.replace("\n", line_end)
        finding = refusal(text)
        assert finding is not None
        assert message in finding.message
        assert help in (finding.help or "")
        assert text[finding.start : finding.end] == underlined


def test_what_the_help_says_to_write_is_the_text_meant() -> None:
    tried = 0
    for text, *_ in CASES.values():
        finding = refusal(text)
        assert finding is not None
        written = re.match(r"write (?:- |[\w-]+: )(([\"']).*\2)(?:; if .*)?$", finding.help or "")
        if written:
            assert YAML(typ="safe", pure=True).load(written[1]) in text
            tried += 1
    assert tried > 20


def test_the_opening_quote_is_underlined() -> None:
    text = 'name: x\ndescription: "Read\nlicense: "MIT"\n'
    finding = refusal(text)
    assert finding is not None
    assert finding.start == text.index('"')


@pytest.mark.parametrize(
    "text",
    [
        "description: text # comment\n",
        'key: "a" # ok\n',
        "home: http://example.org:80/a\n",
        "tags: [a] # ok\n",
        "description: Plans\n  - a trip\n",
        "name: {{placeholder}}\n",
        "description: |2+\n   Use it\n",
    ],
)
def test_valid_yaml_never_gets_here(text: str) -> None:
    assert refusal(text) is None


SURROGATES = {
    "pair": ("\\ud83d\\ude80", "is how JSON writes a character", "write the character itself: 🚀"),
    "capitals": ("\\uD83D\\uDE80", "is how JSON writes a character", "itself: 🚀"),
    "first half": ("\\ud83d", "stands for no character", "or delete the escape"),
    "second half": ("\\ude80", "stands for no character", "or delete the escape"),
    "not printable": ("\\udb40\\udc01", "is how JSON writes a character", "character itself"),
}


@pytest.mark.parametrize(("escape", "message", "help"), SURROGATES.values(), ids=SURROGATES)
def test_surrogate_escape(escape: str, message: str, help: str) -> None:
    text = f'name: x\r\ndescription: "Folds \\\\ud83d {escape} planes"\r\n'
    finding = yaml_syntax(text, text.index('"'), SURROGATE_ESCAPE)
    assert finding.message == f'description: "{escape}" ' + finding.message.split('" ')[-1]
    assert message in finding.message
    assert help in (finding.help or "")
    assert text[finding.start : finding.end] == escape


@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS.keys())
@pytest.mark.parametrize(
    ("line", "message", "underlined"),
    [
        ("...", '"..." ends the YAML before the frontmatter ends', "..."),
        ("--- text", '"---" begins a second YAML document', "---"),
        ("%YAML 1.2", '"%YAML" at the start of a line is an instruction', "%YAML"),
    ],
)
def test_second_document(line: str, message: str, underlined: str, line_end: str) -> None:
    text = line_end.join(["name: x", line, "description: y", ""])
    for place in (text.index(line), text.index("description")):
        finding = yaml_syntax(text, place, SECOND_DOCUMENT)
        assert message in finding.message
        assert text[finding.start : finding.end] == underlined


def test_the_rule() -> None:
    finding = yaml_syntax("a: b: c", 4, "mapping values are not allowed here")
    assert (finding.rule, finding.severity) == ("yaml-syntax", Severity.ERROR)
    assert yaml_syntax.summary == "The frontmatter is not valid YAML."


@pytest.mark.parametrize("text", ["", "\n", "#", "\r", "name: x"])
@pytest.mark.parametrize("at", [-1, 0, 7, 99])
def test_words_that_no_parser_says(text: str, at: int) -> None:
    finding = yaml_syntax(text, at, "gone fishing", at)
    assert finding.message.endswith("the YAML parser stopped here: gone fishing")
    assert 0 <= finding.start <= finding.end <= len(text)


def test_long_texts_take_linear_time() -> None:
    # 0.3 s; whatever is quadratic in one of these would take minutes.
    for unit in (
        "a: b\n",
        "a:\n",
        "- ",
        '"',
        "'",
        "a: [\n",
        'a: "\\',
        " #",
        "\t",
        "\n",
        ": ",
        "a ",
    ):
        text = unit * 20_000
        yaml_syntax(text, len(text), "expected <block end>, but found '-'", 0)
        yaml_syntax(text, len(text) // 2, "mapping values are not allowed here", len(text) // 2)


PROBLEMS = [
    SURROGATE_ESCAPE,
    SECOND_DOCUMENT,
    "",
    "could not find expected ':'",
    "mapping values are not allowed here",
    "sequence entries are not allowed here",
    "mapping keys are not allowed here",
    "special characters are not allowed",
    "found character '\\t' that cannot start any token",
    "found unknown escape character 'p'",
    "expected escape sequence of 4 hexdecimal numbers, but found 's'",
    "found unexpected end of stream",
    "found unexpected document separator",
    "expected a comment or a line break, but found 'U'",
    "expected alphabetic or numeric character, but found ' '",
    "expected <block end>, but found '-'",
    "expected <block end>, but found '?'",
    "expected <block end>, but found '<scalar>'",
    "expected <block end>, but found '<block mapping start>'",
    "expected '<document start>', but found ('<block mapping start>',)",
    "expected ',' or ']', but got ':'",
    "expected the node content, but found '-'",
    "chr() arg not in range(0x110000)",
]
JARGON = re.compile(r"scalar|token|block mapping|simple key|while scanning|flow|node|stream")
PIECES = [
    *" \t\n:-#\"'[]{}|>*&!@`%,?\\",
    ": ",
    "\n- ",
    "\n  ",
    " #",
    "\r\n",
    "...\n",
    "\\ud83d",
    "é",
]


def broken_texts(count: int, seed: int) -> list[str]:
    """Texts of the cases, cut short and with pieces put in at random."""
    dice = random.Random(seed)
    texts = []
    for _ in range(count):
        text = dice.choice([*CASES.values()])[0][:300]
        for _ in range(dice.randrange(1, 4)):
            start = dice.randrange(len(text) + 1)
            end = start + dice.choice([0, 0, 1, 5])
            text = text[:start] + dice.choice(PIECES) + text[end:]
        texts.append(text[: dice.randrange(len(text) + 1)] if dice.random() < 0.3 else text)
    return texts


def assert_sound(finding: Finding, text: str) -> None:
    assert 0 <= finding.start <= finding.end <= len(text)
    assert finding.start < finding.end or finding.start == len(text)
    assert len(finding.message.splitlines()) == 1
    assert finding.help
    assert len(finding.help.splitlines()) == 1


def test_broken_texts_never_raise() -> None:
    for text in broken_texts(1000, seed=1):
        finding = refusal(text)
        if finding:
            assert_sound(finding, text)
            assert not JARGON.search(finding.message)


def test_words_that_do_not_fit_the_text_never_raise() -> None:
    dice = random.Random(2)
    for text in broken_texts(4000, seed=3):
        place, context = dice.randrange(-2, len(text) + 3), dice.randrange(-2, len(text) + 3)
        problem = dice.choice(PROBLEMS)
        assert_sound(yaml_syntax(text, place, problem, dice.choice([None, context])), text)
