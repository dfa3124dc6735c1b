"""Fixes: what each makes of a file, when there is none, and what always holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.checking.check import Check, CheckedFile, FileKind, check_file, check_paths
from insomnia_skills.checking.choice import Choice
from insomnia_skills.cli.common import Settings
from insomnia_skills.cli.fixing import apply_changes, plan_changes, show_changes
from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.edit import fixes
from insomnia_skills.edit.fixes import Change, Refusal, apply_change, diff, plan_fixes
from insomnia_skills.file import decode
from insomnia_skills.frontmatter import parse
from insomnia_skills.rules.catalogue import CATALOGUE
from insomnia_skills.yaml.node import Plain, plain
from tests import trees

CASES = Path(__file__).parent / "cases/cases.jsonl"
NAME = "---\nname: pdf\n"
REST = "---\n# PDF\n\nBody: *x*, `y`.  \n"
HEAD = f"{NAME}description: Reads PDF files.\n"


def skill(
    tmp_path: Path, text: str | bytes, directory: str = "pdf", file: str = "SKILL.md"
) -> Path:
    return trees.write(tmp_path / directory / file, text)


def plan(path: Path, unsafe: bool = False, kind: FileKind = FileKind.SKILL) -> Change | None:
    change = plan_fixes(check_file(path, kind), unsafe)
    assert not isinstance(change, Refusal)
    return change


def fields(data: bytes) -> dict[str, Plain]:
    document = parse(Path("x"), decode(data).text)
    return {name: plain(entry.value) for name, entry in (document.fields or {}).items()}


# id: lines between "name: pdf" and the closing fence before, and after.
FIELDS = {
    # yaml-syntax: ": " in a plain value
    "colon": ("description: Use when: asked\n", 'description: "Use when: asked"\n'),
    "colon-at-the-end": ("description: Use when:\n", 'description: "Use when:"\n'),
    "colon-and-comment-like-part": (
        "description: Use when: issue #12 is open\n",
        'description: "Use when: issue #12 is open"\n',
    ),
    "colon-and-blanks-behind": (
        "description: Use when: asked  \nlicense: MIT\n",
        'description: "Use when: asked"  \nlicense: MIT\n',
    ),
    "colon-and-double-quotes": (
        'description: Say "hi": loudly\n',
        "description: 'Say \"hi\": loudly'\n",
    ),
    "colon-and-backslash": (
        "description: Use it: C:\\new\n",
        "description: 'Use it: C:\\new'\n",
    ),
    "colon-and-apostrophe": (
        "description: It's for: you\n",
        'description: "It\'s for: you"\n',
    ),
    "colon-and-all-quotes": (
        'description: It\'s "for": C:\\new\\\n',
        'description: "It\'s \\"for\\": C:\\\\new\\\\"\n',
    ),
    "colon-and-backslash-first": (
        'description: \\n it\'s: "x"\n',
        'description: "\\\\n it\'s: \\"x\\""\n',
    ),
    "colon-and-other-alphabets": (
        "description: 使用: 日本語 🦀 é\n",
        'description: "使用: 日本語 🦀 é"\n',
    ),
    "colon-on-wrapped-lines": (
        "description: Reads PDF files.\n  Note: slow\n\n  ones too: all\nlicense: MIT\n",
        'description: "Reads PDF files.\n  Note: slow\n\n  ones too: all"\nlicense: MIT\n',
    ),
    "backtick-below-the-key": (
        "description:\n  `pdf` files and\n  Such: others\n",
        'description:\n  "`pdf` files and\n  Such: others"\n',
    ),
    "colon-in-nested-metadata": (
        "description: a\nmetadata:\n  note: See also: this\n  b: c\n",
        'description: a\nmetadata:\n  note: "See also: this"\n  b: c\n',
    ),
    "colon-and-comments-elsewhere": (
        "# one\ndescription: Use when: asked\n# two\nlicense: MIT # three\n",
        '# one\ndescription: "Use when: asked"\n# two\nlicense: MIT # three\n',
    ),
    "two-faults-one-after-another": (
        "description: Use when: asked\ncompatibility: Needs: x\n",
        'description: "Use when: asked"\ncompatibility: "Needs: x"\n',
    ),
    # yaml-syntax: text after a block indicator
    "text-after-bar": ("description: | Use when: asked\n", "description: |\n  Use when: asked\n"),
    "text-after-folding": ("description: >-  Use it #1\n", "description: >-\n  Use it #1\n"),
    "text-after-bar-and-lines-below": (
        "description: | Reads.\n\n      deep\n    less\nlicense: MIT\n",
        "description: |\n    Reads.\n\n      deep\n    less\nlicense: MIT\n",
    ),
    "text-after-bar-with-number": (
        "description: |2- Reads.\n    deep\n",
        "description: |2-\n  Reads.\n    deep\n",
    ),
    "text-after-bar-in-metadata": (
        "description: a\nmetadata:\n    note: | Use it\n    b: c\n",
        "description: a\nmetadata:\n    note: |\n      Use it\n    b: c\n",
    ),
    "text-after-bar-in-a-list": (
        "description: a\ntriggers:\n  - | one\n  - two\n",
        "description: a\ntriggers:\n  - |\n    one\n  - two\n",
    ),
    # yaml-syntax: a value that begins with a sign of YAML
    "bold": ("description: **Reads**: all\n", 'description: "**Reads**: all"\n'),
    "emphasis": ("description: *Reads* all\n", 'description: "*Reads* all"\n'),
    "emphasis-alone": ("description: *Reads*\n", 'description: "*Reads*"\n'),
    "reference-to-nothing": ("description: *Reads\n", 'description: "*Reads"\n'),
    "backtick": ("description: `pdf` files\n", 'description: "`pdf` files"\n'),
    "at-sign": ("description: @someone asked\n", 'description: "@someone asked"\n'),
    "per-cent": ("description: %done\n", 'description: "%done"\n'),
    "ampersand": ("description: & more\n", 'description: "& more"\n'),
    "comparison": (
        "description: a\ncompatibility: >=3.8\n",
        'description: a\ncompatibility: ">=3.8"\n',
    ),
    "patterns-in-brackets": (
        "description: a\npaths: [*.py, '*.js', **/x y, @z]\n",
        'description: a\npaths: ["*.py", \'*.js\', "**/x y", "@z"]\n',
    ),
    "json-escape": (
        'description: "a \\ud83e\\udd80 b \\ud83d\\ude00"\n',
        'description: "a 🦀 b 😀"\n',
    ),
    "json-escapes-side-by-side": (
        'description: "a \\ud83c\\udde9\\ud83c\\uddea"\n',
        'description: "a 🇩🇪"\n',
    ),
    "json-escape-beside-single-quotes": (
        "description: a\ntags: [\"\\ud83d\\ude00\", '\\ud83d\\ude00']\n",
        "description: a\ntags: [\"😀\", '\\ud83d\\ude00']\n",
    ),
    "blank-that-is-none-to-yaml": (
        "description: Use when: asked \xa0\n",
        'description: "Use when: asked \xa0"\n',
    ),
    "comment-below-that-is-one": (
        "description: Use when: a\n\n# 12\nlicense: MIT\n",
        'description: "Use when: a"\n\n# 12\nlicense: MIT\n',
    ),
    # a comment behind such a value
    "reference-to-nothing-and-a-number": (
        "description: *word #123 more \n",
        'description: "*word #123 more" \n',
    ),
    "description-number-and-a-tag": (
        "description: 404 #notfound pages\n",
        'description: "404 #notfound pages"\n',
    ),
    # description-cut-by-comment
    "comment-that-ends-with-no-blank-to-yaml": (
        "description: Mends a #12 \xa0\n",
        'description: "Mends a #12 \xa0"\n',
    ),
    "number-of-an-issue": (
        "description: Mends bug #123 fast  \n",
        'description: "Mends bug #123 fast"  \n',
    ),
    "number-of-an-issue-with-quotes": (
        'description: Mends "bug" #123: fast\n',
        "description: 'Mends \"bug\" #123: fast'\n",
    ),
    "number-of-an-issue-on-a-wrapped-line": (
        "description: Mends\n  bug #123\n",
        'description: "Mends\n  bug #123"\n',
    ),
    # allowed-tools-list
    "tools-below": (
        "allowed-tools:\n  - Read\n  - Bash(git add:*)\ndescription: a\n",
        "allowed-tools: Read Bash(git add:*)\ndescription: a\n",
    ),
    "tools-below-not-indented": (
        "description: a\nallowed-tools: \n- Read\n- 'Grep'  \n",
        "description: a\nallowed-tools: Read Grep  \n",
    ),
    "tools-in-brackets": (
        'description: a\nallowed-tools:   [Read, "Grep"]  # why\n',
        "description: a\nallowed-tools:   Read Grep  # why\n",
    ),
    "tools-that-need-quotes": (
        "description: a\nallowed-tools: ['*', '@x']\n",
        'description: a\nallowed-tools: "* @x"\n',
    ),
    "tools-with-commas": (
        "description: a\nallowed-tools: ['Bash(a,b)']\n",
        'description: a\nallowed-tools: "Bash(a,b)"\n',
    ),
    "one-tool-that-is-a-number": (
        "description: a\nallowed-tools: ['12']\n",
        'description: a\nallowed-tools: "12"\n',
    ),
    # quotes round a number, true or false
    "description-number": ("description: 12\n", 'description: "12"\n'),
    "description-true": (
        "description: true\nlicense: MIT\n",
        'description: "true"\nlicense: MIT\n',
    ),
    "license-number": ("description: a\nlicense: 2.0\n", 'description: a\nlicense: "2.0"\n'),
    "compatibility-number": (
        "description: a\ncompatibility: 3.10\n",
        'description: a\ncompatibility: "3.10"\n',
    ),
    "metadata-values": (
        "description: a\nmetadata:\n  v: 1.10 # x\n  w: {x: 1}\n  y: 0x1F\n  z: False\n",
        'description: a\nmetadata:\n  v: "1.10" # x\n  w: {x: 1}\n  y: "0x1F"\n  z: "False"\n',
    ),
    "metadata-in-braces": (
        "description: a\nmetadata: {v: 1, 'w': true, x: y}\n",
        'description: a\nmetadata: {v: "1", \'w\': "true", x: y}\n',
    ),
}

# The same with fixes that choose for the author.
UNSAFE_FIELDS = {
    "key-without-its-line": (
        "description: Reads files. Use when asked. license: MIT\n",
        "description: Reads files. Use when asked.\nlicense: MIT\n",
    ),
    "key-glued-to-a-sentence": (
        "description: 读取 PDF。使用时。origin: here\n",
        "description: 读取 PDF。使用时。\norigin: here\n",
    ),
    "key-behind-a-colon": (
        "description: Use when: asked license: MIT\n",
        'description: "Use when: asked"\nlicense: MIT\n',
    ),
    "comment-or-not": ("description: Reads C # files\n", 'description: "Reads C # files"\n'),
    "colon-after-what-may-be-a-key": (
        "description: note: slow\n",
        'description: "note: slow"\n',
    ),
    "comment-behind-a-number": ("description: 404 # pages\n", 'description: "404 # pages"\n'),
    "comment-behind-a-reference": ("description: *a # b\n", 'description: "*a # b"\n'),
    "comment-behind-an-issue": (
        "description: Fix #1 # internal note\n",
        'description: "Fix #1 # internal note"\n',
    ),
    "comment-behind-folding": (
        "description: > Fix # internal note\n  more\n",
        "description: >\n  Fix # internal note\n  more\n",
    ),
    "tag-and-a-number": (
        "description: !word a #123 more\n",
        'description: "!word a #123 more"\n',
    ),
    "tag": ("description: !important Use it\n", 'description: "!important Use it"\n'),
    "anchor-that-nothing-refers-to": ("description: &x Use it\n", 'description: "&x Use it"\n'),
    "misspelt-field": ("description: a\nlicence: MIT\n", "description: a\nlicense: MIT\n"),
    "misspelt-field-in-quotes": (
        "description: a\n'licence' : MIT\n",
        "description: a\n'license' : MIT\n",
    ),
    "misspelt-twice": (
        "description: a\nlicence: MIT\nLicense: BSD\n",
        "description: a\nlicense: MIT\nLicense: BSD\n",
    ),
    "misspelt-description": ("descripton: a\n", "description: a\n"),
}

# id: the whole file before, and after; the directory is "pdf".
FILES = {
    "byte-order-mark": (f"\ufeff{HEAD}{REST}", f"{HEAD}{REST}"),
    "byte-order-mark-and-another-fault": (
        f"\ufeff{NAME}description: Reads: c: d\n{REST}",
        f'{NAME}description: "Reads: c: d"\n{REST}',
    ),
    "blanks-after-fences": (
        "--- \t\nname: pdf\ndescription: a  \n---  \nBody  ",
        "---\nname: pdf\ndescription: a  \n---\nBody  ",
    ),
    "windows-line-ends": (
        "---\r\nname: pdf\r\ndescription: | Use it\r\nlicense: A: b\r\n--- \r\nBody",
        '---\r\nname: pdf\r\ndescription: |\r\n  Use it\r\nlicense: "A: b"\r\n---\r\nBody',
    ),
    "lone-carriage-returns": (
        "---\rname: pdf\rdescription: | Use it\r---\rBody",
        "---\rname: pdf\rdescription: |\r  Use it\r---\rBody",
    ),
    "last-line-without-its-end": (
        "---\nname: pdf\ndescription: Use: it\n---",
        '---\nname: pdf\ndescription: "Use: it"\n---',
    ),
    "two-byte-order-marks": (f"\ufeff\ufeff{HEAD}{REST}", f"{HEAD}{REST}"),
    "tools-in-braces": (
        '---\n{name: pdf, description: x y z, allowed-tools: ["Bash(a,b)"]}\n---\nB\n',
        '---\n{name: pdf, description: x y z, allowed-tools: "Bash(a,b)"}\n---\nB\n',
    ),
    "all-in-braces": (
        "---\n{name: pdf, description: 12, license: MIT}\n---\n",
        '---\n{name: pdf, description: "12", license: MIT}\n---\n',
    ),
}

UNSAFE_FILES = {
    "name-is-not-the-directory": (
        f"---\nname: other # x\ndescription: a\n{REST}",
        f"---\nname: pdf # x\ndescription: a\n{REST}",
    ),
    "name-in-single-quotes": (
        f"---\nname: 'PDF'\ndescription: a\n{REST}",
        f"---\nname: 'pdf'\ndescription: a\n{REST}",
    ),
    "name-in-double-quotes": (
        f'---\nname: "P\\u0044F"\ndescription: a\n{REST}',
        f'---\nname: "pdf"\ndescription: a\n{REST}',
    ),
    "name-with-blanks": (
        f"---\nname: PDF Tools\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "name-with-hyphens": (
        f"---\nname: -pdf-\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "name-too-long": (
        f"---\nname: {'a' * 65}\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "name-empty": (
        f"---\nname: ''\ndescription: a\n{REST}",
        f"---\nname: 'pdf'\ndescription: a\n{REST}",
    ),
    "name-without-a-value": (
        f"---\nname: # later\ndescription: a\n{REST}",
        f"---\nname: pdf # later\ndescription: a\n{REST}",
    ),
    "name-is-null": (
        f"---\nname: ~\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "name-in-a-block": (
        f"---\nname: |\n  other\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "name-a-number": (
        f"---\nname: 12\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "description-on-the-line-of-the-name": (
        f"---\nname: pdf description: a b\n{REST}",
        f"---\nname: pdf\ndescription: a b\n{REST}",
    ),
    "name-misspelt": (
        f"---\nName: pdf\ndescription: a\n{REST}",
        f"---\nname: pdf\ndescription: a\n{REST}",
    ),
    "name-missing": (
        f"---\n# first\ndescription: a\n{REST}",
        f"---\nname: pdf\n# first\ndescription: a\n{REST}",
    ),
    "name-missing-windows": (
        "--- \r\ndescription: a\r\n---\r\n",
        "---\r\nname: pdf\r\ndescription: a\r\n---\r\n",
    ),
    "name-missing-indented-fields": (
        f"---\n  description: a\n  license: MIT\n{REST}",
        f"---\n  name: pdf\n  description: a\n  license: MIT\n{REST}",
    ),
    "one-uncovers-the-next": (
        f"---\nname: Other\ndescription: | Use it\nlicence: MIT\n{REST}",
        f"---\nname: pdf\ndescription: |\n  Use it\nlicense: MIT\n{REST}",
    ),
}


def tables() -> Iterator[Any]:
    for table, unsafe in ((FIELDS, False), (UNSAFE_FIELDS, True)):
        for name, (before, after) in table.items():
            yield pytest.param(NAME + before + REST, NAME + after + REST, unsafe, id=name)
    for table, unsafe in ((FILES, False), (UNSAFE_FILES, True)):
        for name, (before, after) in table.items():
            yield pytest.param(before, after, unsafe, id=name)


@pytest.mark.parametrize(("before", "after", "unsafe"), list(tables()))
def test_fix(tmp_path: Path, before: str, after: str, unsafe: bool) -> None:
    path = skill(tmp_path, before)
    change = plan(path, unsafe)
    assert change is not None
    assert change.after.decode() == after
    assert (change.before.decode(), change.path, change.rename) == (before, path, None)
    assert path.read_bytes() == change.before, "nothing is written yet"
    assert apply_change(change) is None
    assert path.read_bytes() == change.after
    assert plan(path, unsafe) is None, "fixing the fixed file changes nothing"
    if "\r" not in before:
        windows = skill(tmp_path / "windows", before.replace("\n", "\r\n"))
        same = plan(windows, unsafe)
        assert same is not None
        assert same.after.decode() == after.replace("\n", "\r\n")
    if unsafe:
        assert not before_is_touched_by_safe_fixes(path, before, after)


def before_is_touched_by_safe_fixes(path: Path, before: str, after: str) -> bool:
    """Whether safe fixes alone do all that the unsafe ones should."""
    path.write_bytes(before.encode())
    change = plan(path)
    return change is not None and change.after.decode() == after


def test_values_come_out_as_the_texts_that_were_written(tmp_path: Path) -> None:
    text = "It's \"for\": C:\\new \\\\ \\\" '' #1 \\"
    change = plan(skill(tmp_path, f"{NAME}description: {text}\n---\n"))
    assert change is not None
    assert fields(change.after)["description"] == text


# id: lines between "name: pdf" and the closing fence
NO_FIX = {
    "key-on-the-line-of-another": "description: a\nmetadata: author: me\n",
    "wrapped-line-with-a-key": "description: Reads\n  version: all\n",
    "wrapped-line-with-a-key-further-down": "description: Reads: all\n  version: all\n",
    "wrapped-list": "description: Use when:\n  - one\n  - two: three\n",
    "wrapped-comment": "description: Use when: x\n  # comment\n  y\n",
    "wrapped-comment-at-the-end": "description: Use when: x # comment\n  y\n",
    "comment-below-that-may-be-text": "description: Use when: a\n  #123 is fixed\n",
    "comment-below-a-backtick": "description: `Use` a\n  #123 is fixed\n",
    "tab-below": "description: Use when: a\n\tmore text\n",
    "lost-indent-below": "description: Reads a: b\nExample text here\n",
    "lost-indent-below-a-bar": "description: | Reads\nExample text here\n",
    "lost-indent-below-a-lost-line": "description: Use: a. license: MIT\nExample text\n",
    "text-with-a-colon-below-the-key": "description:\n  Usage: run foo: bar\n",
    "half-a-json-escape": 'description: "a \\ud83c\\udde9 \\ud83c"\n',
    "json-escapes-in-the-wrong-order": 'description: "a \\udde9\\ud83c"\n',
    "json-escape-that-cannot-be-seen": 'description: "a \\udb40\\udc61"\n',
    "wrong-type-of-a-misspelt-field": "description: a\nlicence: 2.0\n",
    "key-that-is-text-too": "description:\n  Use when: this: that\n",
    "two-colons": "description: : x\n",
    "colon-in-brackets": "description: a\ntags: [a, b: c: d]\n",
    "quoted-text-after-bar": 'description: | "Use it"\n',
    "number-after-folding": "description: > 50 files\n",
    "bar-and-lines-too-shallow": "description: |4 Reads\n  files\n",
    "unclosed-quote": 'description: "Reads\n',
    "text-after-quotes": 'description: "Reads" all\n',
    "lost-indent": "description: Reads\nall\n",
    "anchor-and-alias": "description: &a Reads\nlicense: *a\n",
    "anchor-of-quoted-text": "description: &a 'Reads'\n",
    "tag-of-yaml": "description: !!str 12\n",
    "anchor-and-tag": "description: &a !b 12\n",
    "tag-of-a-key": "!t description: a\n",
    "anchor-of-a-key": "&a description : a\n",
    "alias-as-a-key": "*description : a\n",
    "tools-with-blanks": "description: a\nallowed-tools: ['Read all', Grep]\n",
    "tools-with-comments": "description: a\nallowed-tools:\n  - Read # why\n  - Grep\n",
    "tools-with-a-last-comment": "description: a\nallowed-tools:\n  - Read\n  - Grep # why\n",
    "tools-with-a-first-comment": "description: a\nallowed-tools: # why\n  - Read\n",
    "tools-that-are-no-text": "description: a\nallowed-tools: [Read, 12]\n",
    "tools-nested": "description: a\nallowed-tools: [Read, [Grep]]\n",
    "tools-with-open-parentheses": "description: a\nallowed-tools: ['Bash(git', 'add)']\n",
    "tools-none": "description: a\nallowed-tools: []\n",
    "tools-as-text": "description: a\nallowed-tools: Read, Grep\n",
    "license-a-list": "description: a\nlicense: [MIT]\n",
    "metadata-nested": "description: a\nmetadata: {a: [1, 2], b: {c: 1}, d: }\n",
    "misspelt-beside-the-field": "description: a\nlicense: MIT\nlicence: BSD\n",
    "description-missing": "license: MIT\n",
    "description-a-list": "description: [a, b]\n",
}


@pytest.mark.parametrize("lines", NO_FIX.values(), ids=NO_FIX)
def test_nothing_to_fix(tmp_path: Path, lines: str) -> None:
    assert plan(skill(tmp_path, NAME + lines + REST), unsafe=True) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"\xef\xbb\xbf---\nname: \xff\n---\n", id="not-utf8"),
        pytest.param("\ufeff" + "x" * (1024 * 1024), id="too-large"),
        pytest.param("", id="empty"),
        pytest.param("---\nname: pdf\n", id="unclosed"),
        pytest.param(f"---\n{{description: a}}\n{REST}", id="name-missing-in-braces"),
    ],
)
def test_what_cannot_be_read_is_not_touched(tmp_path: Path, text: str | bytes) -> None:
    assert plan(skill(tmp_path, text), unsafe=True) is None


@pytest.mark.parametrize(
    ("directory", "name", "slug"),
    [
        ("PDF Tools", "Other Tool", "other-tool"),
        ("PDF Tools", "other", None),
        ("PDF Tools", "日本", None),
        ("日本", "x--y", "x-y"),
        ("12", "Other", '"12"'),
        *((word, "Other", f'"{word}"') for word in ("true", "on", "no", "y", "null", "off")),
    ],
)
def test_a_name_is_the_directory_or_the_nearest_that_is_allowed(
    tmp_path: Path, directory: str, name: str, slug: str | None
) -> None:
    path = skill(tmp_path, f"---\nname: {name}\ndescription: a\n---\n", directory)
    change = plan(path, unsafe=True)
    assert (change and change.after.decode().split("\n")[1]) == (slug and f"name: {slug}")


def test_safe_fixes_choose_nothing_for_the_author(tmp_path: Path) -> None:
    path = skill(tmp_path, "\ufeff---\nname: Other\ndescription: a # b\nlicence: MIT\n---\n")
    change = plan(path)
    assert change is not None
    assert [diagnostic.rule for diagnostic in change.fixed] == ["byte-order-mark"]
    assert all(diagnostic.fix and diagnostic.fix.safe for diagnostic in change.fixed)


def test_a_valid_file_stays_valid(tmp_path: Path) -> None:
    long = "a" * 1020
    assert plan(skill(tmp_path, f"{NAME}description: {long} #1234\n{REST}")) is None


def test_a_warning_is_not_fixed_at_the_cost_of_an_error(tmp_path: Path) -> None:
    text = f"---\nname: Other\ndescription: {'a' * 1020} #1234\n{REST}"
    change = plan(skill(tmp_path, text), unsafe=True)
    assert change is not None
    assert change.after.decode() == text.replace("Other", "pdf")
    assert change.file.valid


def test_a_fix_that_does_not_help_keeps_no_other_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(path: Path, kind: FileKind, file: Any = None, body: bool = True) -> CheckedFile:
        checked = check_file(path, kind, file, body)
        return checked._replace(diagnostics=tuple(map(spoil, checked.diagnostics)))

    def spoil(diagnostic: Diagnostic) -> Diagnostic:
        if diagnostic.rule != "license-type" or diagnostic.fix is None:
            return diagnostic
        edits = tuple(edit._replace(text="") for edit in diagnostic.fix.edits)
        return diagnostic._replace(fix=diagnostic.fix._replace(edits=edits))

    monkeypatch.setattr(fixes, "check_file", spoilt)
    path = skill(tmp_path, f"{NAME}license: 1\ndescription: 2\n{REST}")
    change = plan(path)
    assert change is not None
    assert change.after.decode() == f'{NAME}license: 1\ndescription: "2"\n{REST}'


# What a fix of "license: 12" might write; the other field is "description: a".
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a\nother: b", id="new-key"),
        pytest.param('"a" #', id="comment"),
        pytest.param("[a]", id="no-text"),
        pytest.param("a\ndescription: b", id="key-twice"),
        pytest.param('"a"\n---\n', id="another-body"),
        pytest.param('"a', id="unreadable"),
    ],
)
def test_a_fix_that_writes_anything_but_its_value_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    def spoilt(path: Path, kind: FileKind, file: Any = None, body: bool = True) -> CheckedFile:
        checked = check_file(path, kind, file, body)
        return checked._replace(diagnostics=tuple(map(spoil, checked.diagnostics)))

    def spoil(diagnostic: Diagnostic) -> Diagnostic:
        if diagnostic.fix is None:
            return diagnostic
        (first, last) = diagnostic.fix.edits
        span = first.span._replace(end_column=last.span.end_column)
        edits = (first._replace(span=span, text=text),)
        return diagnostic._replace(fix=diagnostic.fix._replace(edits=edits))

    monkeypatch.setattr(fixes, "check_file", spoilt)
    assert plan(skill(tmp_path, f"{HEAD}license: 12\n{REST}")) is None


def test_what_the_judge_leaves_out_is_not_fixed(tmp_path: Path) -> None:
    def judge(file: CheckedFile) -> CheckedFile:
        kept = (d for d in file.diagnostics if d.rule != "license-type")
        return file._replace(diagnostics=tuple(kept))

    path = skill(tmp_path, f"{NAME}license: 1\ndescription: 2\n{REST}")
    change = plan_fixes(check_file(path, FileKind.SKILL), judge=judge)
    assert isinstance(change, Change)
    assert change.after.decode() == f'{NAME}license: 1\ndescription: "2"\n{REST}'
    assert [diagnostic.rule for diagnostic in change.fixed] == ["description-type"]


def test_what_is_fixed_is_told_in_its_order(tmp_path: Path) -> None:
    text = f"\ufeff---\nname: Other\ndescription: | Use: it\nlicence: MIT\n{REST}"
    change = plan(skill(tmp_path, text), unsafe=True)
    assert change is not None
    assert [diagnostic.rule for diagnostic in change.fixed] == [
        "yaml-syntax",
        "name-charset",
        "byte-order-mark",
        "misspelt-field",
    ]
    assert change.file.valid
    assert not [d for d in change.file.diagnostics if d.fix]


class TestRename:
    TEXT = f"{HEAD}{REST}"

    @pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
    def test_a_file_in_the_wrong_case(self, tmp_path: Path, name: str) -> None:
        path = skill(tmp_path, self.TEXT, file=name)
        change = plan(path)
        assert change is not None
        assert (change.rename, change.after) == (path.with_name("SKILL.md"), change.before)
        assert change.file.valid
        assert apply_change(change) is None
        assert os.listdir(path.parent) == ["SKILL.md"]
        assert plan(path.with_name("SKILL.md"), unsafe=True) is None

    def test_what_is_wrong_in_it_is_fixed_too(self, tmp_path: Path) -> None:
        path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}", file="skill.md")
        change = plan(path)
        assert change is not None
        assert [d.rule for d in change.fixed] == ["wrong-case-filename", "yaml-syntax"]
        assert apply_change(change) is None
        assert os.listdir(path.parent) == ["SKILL.md"]
        assert path.with_name("SKILL.md").read_bytes() == change.after

    def test_what_is_fixed_has_the_new_path(self, tmp_path: Path) -> None:
        path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}", file="skill.md")
        change = plan(path)
        assert change is not None
        assert {diagnostic.path for diagnostic in change.fixed} == {path.with_name("SKILL.md")}

    def test_two_at_once_leave_one_file(self, tmp_path: Path) -> None:
        path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}", file="skill.md")
        one, other = plan(path), plan(path)
        assert one is not None
        assert other is not None
        assert apply_change(one) is None
        refusal = apply_change(other)
        assert refusal is not None
        assert "another file by now" in refusal.reason
        assert os.listdir(path.parent) == ["SKILL.md"]

    def test_the_old_name_comes_back_where_the_text_cannot_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}", file="skill.md")
        change = plan(path)
        assert change is not None
        monkeypatch.setattr(os, "replace", full)
        assert apply_change(change) is not None
        assert os.listdir(path.parent) == ["skill.md"]
        assert path.read_bytes() == change.before

    def test_beside_the_right_one_nothing_is_renamed(self, tmp_path: Path) -> None:
        path = skill(tmp_path, self.TEXT)
        skill(tmp_path, self.TEXT, file="skill.md")
        assert plan(path) is None

    def test_of_two_nobody_knows_which(self, tmp_path: Path) -> None:
        path = skill(tmp_path, self.TEXT, file="Skill.md")
        skill(tmp_path, self.TEXT, file="skill.md")
        assert plan(path) is None

    def test_one_that_comes_up_meanwhile_is_kept(self, tmp_path: Path) -> None:
        path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}", file="skill.md")
        change = plan(path)
        assert change is not None
        skill(tmp_path, "other")
        refusal = apply_change(change)
        assert refusal is not None
        assert "exists" in refusal.reason
        assert path.read_bytes() == change.before
        assert path.with_name("SKILL.md").read_bytes() == b"other"


class TestWriting:
    TEXT = f"{NAME}description: Use: it\n{REST}"

    def test_a_file_that_changed_meanwhile_is_left_alone(self, tmp_path: Path) -> None:
        path = skill(tmp_path, self.TEXT)
        change = plan(path)
        assert change is not None
        path.write_bytes(b"other")
        refusal = apply_change(change)
        assert refusal is not None
        assert "another file by now" in refusal.reason
        assert path.read_bytes() == b"other"

    def test_a_file_that_changes_while_the_new_one_is_written_is_left_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = skill(tmp_path, self.TEXT)
        change = plan(path)
        assert change is not None
        monkeypatch.setattr(os, "fsync", lambda descriptor: path.write_bytes(b"other"))
        refusal = apply_change(change)
        assert refusal is not None
        assert "another file by now" in refusal.reason
        assert path.read_bytes() == b"other"
        assert os.listdir(path.parent) == ["SKILL.md"]

    def test_a_file_that_went_away_is_not_made_again(self, tmp_path: Path) -> None:
        path = skill(tmp_path, self.TEXT)
        change = plan(path)
        assert change is not None
        path.unlink()
        assert apply_change(change) is not None
        assert os.listdir(path.parent) == []

    def test_nothing_is_fixed_through_a_link_out_of_the_directory(self, tmp_path: Path) -> None:
        outside = trees.write(tmp_path / "outside.md", self.TEXT)
        skill = trees.link(tmp_path / "pdf/SKILL.md", "../outside.md")
        workflow = trees.link(tmp_path / ".insomnia/memory/workflow/a.md", outside)
        for path, kind in ((skill, FileKind.SKILL), (workflow, FileKind.WORKFLOW)):
            file = check_file(path, kind)
            assert file.diagnostics
            assert plan_fixes(file) is None
        assert outside.read_bytes() == self.TEXT.encode()

    def test_a_file_that_became_a_link_is_left_alone(self, tmp_path: Path) -> None:
        path = skill(tmp_path, self.TEXT)
        change = plan(path)
        assert change is not None
        outside = trees.write(tmp_path / "outside.md", self.TEXT)
        path.unlink()
        trees.link(path, outside)
        assert apply_change(change) is not None
        assert outside.read_bytes() == self.TEXT.encode()

    def test_a_link_within_the_skill_stays_one(self, tmp_path: Path) -> None:
        real = trees.write(tmp_path / "pdf/docs/real.md", self.TEXT)
        path = trees.link(tmp_path / "pdf/SKILL.md", "docs/real.md")
        change = plan(path)
        assert change is not None
        assert apply_change(change) is None
        assert os.readlink(path) == "docs/real.md"
        assert real.read_bytes() == change.after

    def test_a_disk_that_refuses_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        path = skill(tmp_path, self.TEXT)
        change = plan(path)
        assert change is not None
        monkeypatch.setattr(os, "replace", full)
        refusal = apply_change(change)
        assert refusal == Refusal(path, "can't be written: No space left on device")
        assert path.read_bytes() == self.TEXT.encode()


def test_a_number_that_is_the_directory_is_put_in_quotes(tmp_path: Path) -> None:
    change = plan(skill(tmp_path, f"---\nname: 2048\ndescription: a\n{REST}", "2048"))
    assert change is not None
    assert change.after.decode() == f'---\nname: "2048"\ndescription: a\n{REST}'


def diff_of(tmp_path: Path, before: str | bytes, name: str = "skills/pdf/SKILL.md") -> str:
    file = name.rpartition("/")[2]
    change = plan(skill(tmp_path, before, file=file), unsafe=True)
    assert change is not None
    return diff(change, name)


class TestDiff:
    def test_as_git_writes_it(self, tmp_path: Path) -> None:
        body = "".join(f"line {number}\n" for number in range(20))
        assert diff_of(tmp_path, f"{NAME}description: Use: it\n---\n{body}") == (
            "diff --git a/skills/pdf/SKILL.md b/skills/pdf/SKILL.md\n"
            "--- a/skills/pdf/SKILL.md\n"
            "+++ b/skills/pdf/SKILL.md\n"
            "@@ -1,6 +1,6 @@\n"
            " ---\n"
            " name: pdf\n"
            "-description: Use: it\n"
            '+description: "Use: it"\n'
            " ---\n"
            " line 0\n"
            " line 1\n"
        )

    def test_line_ends_are_kept_and_a_missing_one_is_told(self, tmp_path: Path) -> None:
        assert diff_of(tmp_path, "---\r\nname: pdf\r\ndescription: a\r\n--- ") == (
            "diff --git a/skills/pdf/SKILL.md b/skills/pdf/SKILL.md\n"
            "--- a/skills/pdf/SKILL.md\n"
            "+++ b/skills/pdf/SKILL.md\n"
            "@@ -1,4 +1,4 @@\n"
            " ---\r\n"
            " name: pdf\r\n"
            " description: a\r\n"
            "---- \n"
            "\\ No newline at end of file\n"
            "+---\n"
            "\\ No newline at end of file\n"
        )

    def test_a_new_name(self, tmp_path: Path) -> None:
        text = diff_of(tmp_path, f"{HEAD}{REST}", "skills/p d/skill.md")
        assert text == (
            "diff --git a/skills/p d/skill.md b/skills/p d/SKILL.md\n"
            "rename from skills/p d/skill.md\n"
            "rename to skills/p d/SKILL.md\n"
        )

    def test_a_name_that_would_mislead_is_in_quotes(self, tmp_path: Path) -> None:
        text = diff_of(tmp_path, f"{NAME}description: a: b: c\n---\n", 'x\n+++ "y/SKILL.md')
        quoted = 'x\\012+++ \\042y/SKILL.md"'
        assert text.startswith(f'diff --git "a/{quoted} "b/{quoted}\n--- "a/{quoted}\n')

    @pytest.mark.parametrize(
        ("before", "name"),
        [
            pytest.param(f"\ufeff{NAME}description: | Use: ü\n{REST}", "a/SKILL.md", id="plain"),
            pytest.param(f"{NAME}description: Use: it\n---", "a b/SKILL.md", id="no-line-end"),
            pytest.param("---\r\ndescription: x\r\n--- \r\nB\rC", "a/SKILL.md", id="windows"),
            pytest.param(f"{NAME}description: Use: it\n{REST}", "a/skill.md", id="rename"),
            pytest.param(f"{HEAD}{REST}", "a b/skill.md", id="rename-only"),
            pytest.param(f'{NAME}description: U: i "x"\n{REST}', 'a"\t/SKILL.md', id="quoted-name"),
        ],
    )
    def test_git_applies_it(self, tmp_path: Path, before: str, name: str) -> None:
        git = shutil.which("git")
        if git is None:
            pytest.skip("there is no git")
        place = trees.write(tmp_path / "tree" / name, before)
        change = plan(skill(tmp_path, before, file=place.name), unsafe=True)
        assert change is not None
        command = [git, "apply", "--whitespace=nowarn", "-"]
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
        done = subprocess.run(
            command,
            input=diff(change, name).encode(),
            cwd=tmp_path / "tree",
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.stderr == b""
        new = place.with_name("SKILL.md")
        assert new.read_bytes() == change.after
        assert os.listdir(place.parent) == ["SKILL.md"]


def test_native_workflows(tmp_path: Path) -> None:
    path = tmp_path / ".insomnia/memory/workflow/tidy.md"
    before = "\ufeff---\r\ndescripton: Tidy: all\r\nuser_invocable: true\r\n--- \r\nDo it."
    trees.write(path, before)
    change = plan(path, unsafe=True, kind=FileKind.WORKFLOW)
    assert change is not None
    after = '---\r\ndescription: "Tidy: all"\r\nuser_invocable: true\r\n---\r\nDo it.'
    assert change.after.decode() == after
    assert change.file.valid
    assert apply_change(change) is None
    assert plan(path, unsafe=True, kind=FileKind.WORKFLOW) is None


def test_manifests(tmp_path: Path) -> None:
    text = "[skills]\r\ndirectory = 1\r\n"
    path = trees.write(tmp_path / ".insomnia/manifest.toml", "\ufeff" + text)
    change = plan(path, unsafe=True, kind=FileKind.MANIFEST)
    assert change is not None
    assert change.after.decode() == text
    assert [diagnostic.rule for diagnostic in change.fixed] == ["byte-order-mark"]


# Each makes one more fault of the kind that people make.
MUTATIONS = {
    "none": lambda text: text,
    "byte-order-mark": lambda text: "\ufeff" + text,
    "blanks": lambda text: text.replace("---\n", "---  \n", 2),
    "windows": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"),
    "bar": lambda text: text.replace("description: ", "description: | ", 1),
    "folding": lambda text: text.replace("description: ", "description: >- ", 1),
    "colon": lambda text: text.replace("description: ", "description: Note: ", 1),
    "bold": lambda text: text.replace("description: ", "description: **Note** ", 1),
    "comment": lambda text: text.replace("\n---", " #12\n---", 1),
    "misspelt": lambda text: text.replace("description:", "Description:", 1),
    "nameless": lambda text: text.replace("name:", "nom:", 1),
    "numbers": lambda text: text.replace("\n---", "\nmetadata: {a: 1, b: x}\nlicense: 2\n---", 1),
    "tools": lambda text: text.replace("\n---", "\nallowed-tools: [A, B(c d)]\n---", 1),
}


def recorded_files() -> set[tuple[str, bytes]]:
    """The directory and the bytes of every recorded SKILL.md that is written out as text."""
    found = set()
    for line in CASES.read_bytes().splitlines():
        case = json.loads(line)
        for path, content in case["files"].items():
            if path.endswith("/SKILL.md") and isinstance(content, str):
                found.add((Path(path).parent.name, content.encode("utf-8", "surrogatepass")))
    return found


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_what_always_holds(tmp_path: Path, mutation: str) -> None:
    count = 0
    # Each on one file in three, and its neighbours in the table on the others.
    files = sorted(recorded_files())[list(MUTATIONS).index(mutation) % 3 :: 3]
    for number, (directory, data) in enumerate(files):
        text = decode(data)
        if text.findings or len(data) > 2_000:
            continue
        broken = MUTATIONS[mutation](text.text).encode()
        if broken == data and mutation != "none":
            continue
        path = skill(tmp_path / str(number), broken, directory)
        change = plan(path, unsafe=True)
        if change is None:
            continue
        count += 1
        _assert_only_faults_changed(path, broken, change)
        assert apply_change(change) is None
        assert plan(path, unsafe=True) is None
    assert count >= 3


def _assert_only_faults_changed(path: Path, broken: bytes, change: Change) -> None:
    before, after = parse(path, decode(broken).text), parse(path, decode(change.after).text)
    assert after.body == before.body
    left = [(d.rule, d.message) for d in change.file.diagnostics if d.fix]
    assert left == []
    assert change.file == check_file(path, FileKind.SKILL, decode(change.after))
    assert change.after.endswith(before.body.encode())
    edits = [edit for d in change.fixed if d.fix for edit in d.fix.edits]
    first = min((edit.span.line for edit in edits), default=1)
    bom = b"\xef\xbb\xbf"
    old, new = (data.removeprefix(bom).splitlines() for data in (broken, change.after))
    assert new[: first - 1] == old[: first - 1], "nothing above the first edit is another"
    kinds = {"name", "description", "metadata", "allowed-tools"}
    if before.fields is not None and after.fields is not None:
        for name, entry in before.fields.items():
            if name in after.fields and name not in kinds:
                assert plain(after.fields[name].value) == plain(entry.value)


def refusal_of(path: Path) -> str:
    refusal = plan_fixes(check_file(path, FileKind.SKILL))
    assert isinstance(refusal, Refusal)
    return refusal.reason


def test_many_faults_that_hide_one_another(tmp_path: Path) -> None:
    lines = "".join(f"key{number}: Use when: asked\n" for number in range(40))
    change = plan(skill(tmp_path, f"{HEAD}{lines}{REST}"))
    assert change is not None
    assert len(change.fixed) == 40
    assert change.file.valid


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("".join(f"k{n}: Use when: asked\n" for n in range(2500)), id="lines"),
        pytest.param(f"allowed-tools: [{'*, ' * 20_000}]\n", id="brackets"),
    ],
)
def test_too_many_faults_are_left_and_told(tmp_path: Path, lines: str) -> None:
    path = skill(tmp_path, f"{HEAD}{lines}{REST}")
    assert "more than 500,000 characters" in refusal_of(path)


def test_a_frontmatter_that_would_be_too_large_is_left(tmp_path: Path) -> None:
    lines = "".join(f"  k{number:05}: {number}\n" for number in range(4_300))
    assert len(lines) < 64 * 1024 < len(lines) + 2 * 4_300
    assert "too large" in refusal_of(skill(tmp_path, f"{HEAD}metadata:\n{lines}{REST}"))


def test_a_file_that_would_be_too_large_is_left(tmp_path: Path) -> None:
    text = f"{NAME}description: 12\n---\n"
    path = skill(tmp_path, text + "x" * (1024 * 1024 - len(text)))
    assert check_file(path, FileKind.SKILL).diagnostics
    assert "too large" in refusal_of(path)


def test_a_hostile_file_ends(tmp_path: Path) -> None:
    lines = "".join(f"  k{number}: {number}\n" for number in range(3000))
    path = skill(tmp_path, f"{HEAD}metadata:\n{lines}{REST}")
    change = plan(path)
    assert change is not None
    assert len(change.fixed) == 3000


def changes_of(*paths: Path, unsafe: bool = False, named: bool = True) -> list[Change]:
    check = check_paths(paths)
    return plan_changes(check, Choice(), unsafe, paths if named else ())


class TestLinksToDirectories:
    TEXT = f"{NAME}description: Use: it\n{REST}"

    def test_a_file_reached_twice_is_fixed_once(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        real = skill(tmp_path / "c", self.TEXT)
        link = trees.link(tmp_path / "d/other", "../c/pdf") / "SKILL.md"
        files = tuple(check_file(path, FileKind.SKILL) for path in (link, real))
        changes = plan_changes(Check(None, files), Choice(), unsafe=True, named=(tmp_path,))
        assert [change.path for change in changes] == [real]
        assert apply_changes(changes).refused is False
        assert fields(real.read_bytes()) == {"name": "pdf", "description": "Use: it"}
        assert capsys.readouterr().err == ""

    def test_a_link_of_another_name_does_not_change_the_name(self, tmp_path: Path) -> None:
        skill(tmp_path, f"{HEAD}{REST}")
        link = trees.link(tmp_path / "other", "pdf") / "SKILL.md"
        refusal = plan_fixes(check_file(link, FileKind.SKILL), unsafe=True)
        assert isinstance(refusal, Refusal)
        assert "the name is left" in refusal.reason
        skill(tmp_path, f"{NAME}description: 12\n{REST}")
        change = plan(link, unsafe=True)
        assert change is not None
        assert [diagnostic.rule for diagnostic in change.fixed] == ["description-type"]

    @pytest.mark.parametrize(
        ("target", "repository", "is_written"),
        [
            ("../../skills", "in", True),
            ("../../../out", "in", False),
            ("../../../out", ".", True),
            ("../../../out", "out", False),
            ("../../skills", None, False),
        ],
    )
    def test_one_that_leads_out_of_the_repository_is_not_followed(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        target: str,
        repository: str | None,
        is_written: bool,
    ) -> None:
        for root in ("in/skills", "out"):
            skill(tmp_path / root, self.TEXT)
        if repository:
            (tmp_path / repository / ".git").mkdir()
        place = tmp_path / "in/.claude/skills"
        trees.link(place / "pdf", f"{target}/pdf")
        assert bool(changes_of(place)) == is_written
        assert ("it really is" in capsys.readouterr().err) != is_written
        assert changes_of(place / "pdf"), "who names the link means what it leads to"

    def test_one_below_what_was_named_is_followed(self, tmp_path: Path) -> None:
        skill(tmp_path / "skills", self.TEXT)
        trees.link(tmp_path / "a/pdf", "../skills/pdf")
        check = Check(None, (check_file(tmp_path / "a/pdf/SKILL.md", FileKind.SKILL),))
        assert plan_changes(check, Choice(), unsafe=False, named=(tmp_path,))


class TestShowing:
    TEXT = f"{NAME}description: Use: it\n{REST}"

    def shown(
        self, changes: list[Change], capfdbinary: pytest.CaptureFixture[bytes]
    ) -> tuple[str, str]:
        show_changes(changes, False, Settings())
        out, err = capfdbinary.readouterr()
        return out.decode(), err.decode()

    @pytest.mark.parametrize("directory", ["", "skills", "a/b"])
    def test_paths_count_from_the_top_of_the_repository(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes],
        directory: str,
    ) -> None:
        git = shutil.which("git")
        if git is None:
            pytest.skip("there is no git")
        subprocess.run([git, "init", "-q", tmp_path], check=True)
        real = skill(tmp_path / "skills", self.TEXT)
        link = trees.link(tmp_path / "a/b/pdf", "../../skills/pdf")
        monkeypatch.chdir(tmp_path / directory)
        text, said = self.shown(changes_of(link), capfdbinary)
        assert text.startswith("diff --git a/skills/pdf/SKILL.md b/skills/pdf/SKILL.md\n")
        assert "note:" not in said
        subprocess.run([git, "apply", "-"], input=text.encode(), cwd=tmp_path, check=True)
        assert b'"Use: it"' in real.read_bytes()

    def test_a_link_within_the_skill(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes],
    ) -> None:
        trees.write(tmp_path / "pdf/docs/real.md", self.TEXT)
        trees.link(tmp_path / "pdf/skill.md", "docs/real.md")
        monkeypatch.chdir(tmp_path)
        text, _ = self.shown(changes_of(tmp_path / "pdf"), capfdbinary)
        assert "+++ b/pdf/docs/real.md\n" in text
        assert "rename from pdf/skill.md\nrename to pdf/SKILL.md\n" in text

    def test_what_lies_elsewhere_is_told(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes],
    ) -> None:
        here, there = skill(tmp_path / "here", self.TEXT), skill(tmp_path / "there", self.TEXT)
        monkeypatch.chdir(tmp_path / "here")
        text, said = self.shown(changes_of(here, there), capfdbinary)
        names = [path.relative_to(path.anchor).as_posix() for path in (here, there)]
        assert [line[6:] for line in text.splitlines() if line.startswith("+++ b/")] == names
        assert f"note: not all of this lies here, so its paths count from {here.anchor}" in said


def test_what_was_refused_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}")
    other = skill(tmp_path / "b", f"{NAME}description: Use: it\n{REST}", file="skill.md")
    changes = changes_of(path, other)
    path.write_bytes(b"other")
    fixed, renamed, refused = apply_changes(changes)
    assert [diagnostic.rule for diagnostic in fixed] == ["wrong-case-filename", "yaml-syntax"]
    assert renamed == {other: other.with_name("SKILL.md")}
    assert refused
    assert "another file by now" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_to_end_leaves_nothing_half_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if not hasattr(signal, name):
        pytest.skip("this system has no such signal")
    number = getattr(signal, name)
    # What runs the tests may ignore it, as nohup does.
    found = signal.signal(number, signal.SIG_DFL)
    request.addfinalizer(lambda: signal.signal(number, found))
    path = skill(tmp_path, f"{NAME}description: Use: it\n{REST}")
    changes = changes_of(path)
    before = signal.getsignal(number)
    monkeypatch.setattr(os, "fsync", lambda descriptor: signal.raise_signal(number))
    with pytest.raises(SystemExit) as end:
        apply_changes(changes)
    assert end.value.code == 128 + number
    assert os.listdir(path.parent) == ["SKILL.md"]
    assert path.read_bytes() == changes[0].before
    assert signal.getsignal(number) is before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no such signal")
def test_a_hang_up_that_is_ignored_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = changes_of(skill(tmp_path, f"{NAME}description: Use: it\n{REST}"))
    monkeypatch.setattr(os, "fsync", lambda descriptor: signal.raise_signal(signal.SIGHUP))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert not apply_changes(changes).refused
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert changes[0].path.read_bytes() == changes[0].after


def test_in_a_thread_no_signal_is_waited_for(tmp_path: Path) -> None:
    changes = changes_of(skill(tmp_path, f"{NAME}description: Use: it\n{REST}"))
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(apply_changes, changes).result().refused


def test_rules_say_whether_they_bring_a_fix(tmp_path: Path) -> None:
    found: dict[str, set[str]] = {}
    for number, param in enumerate(tables()):
        path = skill(tmp_path / str(number), param.values[0])
        change = plan(path, unsafe=True)
        assert change is not None
        for diagnostic in change.fixed:
            assert diagnostic.fix is not None
            kinds = found.setdefault(diagnostic.rule, set())
            kinds.add("safe" if diagnostic.fix.safe else "unsafe")
    found["wrong-case-filename"] = {"safe"}
    found["name-type"].add("safe")  # test_a_number_that_is_the_directory_is_put_in_quotes
    declared = {name: rule.fix for name, rule in CATALOGUE.items() if rule.fix}
    assert declared.keys() == found.keys()
    for name, kinds in found.items():
        assert declared[name] in kinds
        assert declared[name] == "safe" or kinds == {"unsafe"}


def test_the_page_on_fixes_names_the_rules_that_bring_one() -> None:
    page = (Path(__file__).parent.parent / "docs/fixes.md").read_text(encoding="utf-8")
    rows = [re.split(r"(?<!\\)\|", ln)[1:] for ln in page.splitlines() if ln.startswith("| `")]
    named = {name: row for row in rows for name in re.findall(r"`([a-z-]+)`", row[0])}
    assert named.keys() == {name for name, rule in CATALOGUE.items() if rule.fix}
    for name, row in named.items():
        assert (CATALOGUE[name].fix == "safe") == bool(row[1].strip())
