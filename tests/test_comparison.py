"""A shadow and its winner side by side, and the unified diff of two bodies."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from insomnia_skills.limits import MAX_DIFF_LINES
from insomnia_skills.registry import Relation
from insomnia_skills.report.diff import CHANGED, Words, diff_lines
from insomnia_skills.resolution.comparison import (
    Comparison,
    LineEnds,
    compare,
    diff_bodies,
)
from insomnia_skills.unified import unequal_lines, unified_hunks
from insomnia_skills.workflow import FileChangedError
from tests.trees import Tree, link, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace whose manifest names the roots ``high`` and ``low``."""
    tree = Tree(tmp_path)
    tree.name_roots("high", "low")
    return tree


def high(tree: Tree) -> Path:
    return tree.workspace / "high"


def low(tree: Tree) -> Path:
    return tree.workspace / "low"


def compared(tree: Tree) -> Comparison:
    (shadow,) = tree.ingest().shadows
    comparison = compare(shadow)
    found = [field.name for field in comparison.fields]
    found += ["body"] if comparison.body else []
    found += ["resources"] if comparison.files else []
    # What a comparison shows is what the shadow says.
    assert shadow.differs == tuple(found)
    return comparison


# --- fields --------------------------------------------------------------------------------------


def test_fields_with_both_values(tree: Tree) -> None:
    lines = ("license: MIT", "metadata:", "  version: 1.10", "allowed-tools: Read")
    write_skill(high(tree), "pdf", *lines, description="One.")
    write_skill(low(tree), "pdf", description="Two.")
    assert compared(tree).fields == (
        ("description", "One.", "Two."),
        ("license", "MIT", None),
        ("metadata", {"version": "1.10"}, None),
        ("allowed_tools", "Read", None),
    )


def test_a_native_workflow_against_a_skill(tree: Tree) -> None:
    tree.write_knowledge("hosts")
    tree.write_workflow("pdf", "requires: [hosts]", "user_invocable: false", description="Same.")
    write_skill(low(tree), "pdf", description="Same.", files={"a.md": ""})
    comparison = compared(tree)
    assert comparison.fields == (
        ("model_invokation", False, True),
        ("user_invocable", False, True),
        ("requires", ("hosts",), ()),
    )
    assert comparison.files == (("a.md", "only-lost"),)
    assert comparison.body is None


@pytest.mark.parametrize("relation", [Relation.IDENTICAL, Relation.SAME_FILE])
def test_equal_copies_have_nothing_to_show(relation: Relation, tree: Tree) -> None:
    write_skill(high(tree), "pdf", files={"a.md": "a"})
    if relation is Relation.SAME_FILE:
        link(low(tree) / "pdf", "../high/pdf")
    else:
        write_skill(low(tree), "pdf", files={"a.md": "a"})
    comparison = compared(tree)
    assert comparison.shadow.relation is relation
    assert (comparison.fields, comparison.files, comparison.body) == ((), (), None)


# --- files ---------------------------------------------------------------------------------------


def test_files_in_order_of_path(tree: Tree) -> None:
    write_skill(high(tree), "pdf", files={"b.md": "b", "same.md": "s", "size.md": "1", "z": "zz"})
    write_skill(low(tree), "pdf", files={"a.md": "a", "same.md": "s", "size.md": "12", "z": "yy"})
    assert compared(tree).files == (
        ("a.md", "only-lost"),
        ("b.md", "only-kept"),
        ("size.md", "content"),
        ("z", "content"),
    )


def test_a_link_against_a_file_and_against_another_link(tree: Tree) -> None:
    for root in (high(tree), low(tree)):
        write_skill(root, "pdf", files={"a.md": "same", "b.md": "same"})
    link(high(tree) / "pdf/one.md", "a.md")
    link(low(tree) / "pdf/one.md", "b.md")
    link(high(tree) / "pdf/two.md", "a.md")
    write(low(tree) / "pdf/two.md", "same")
    assert compared(tree).files == (("one.md", "link"), ("two.md", "link"))


def test_a_link_that_only_one_of_the_two_may_read(tree: Tree) -> None:
    write_skill(high(tree), "pdf", files={"a.md": "same"})
    write_skill(low(tree), "pdf", files={"a.md": "same"})
    for root in (high(tree), low(tree)):
        link(root / "pdf/own.md", high(tree) / "pdf/a.md")
    assert compared(tree).files == (("own.md", "unreadable"),)


def test_a_script_that_is_executable_in_only_one_of_them_is_the_same(tree: Tree) -> None:
    for root in (high(tree), low(tree)):
        write_skill(root, "pdf", files={"scripts/run.sh": "true"})
    (high(tree) / "pdf/scripts/run.sh").chmod(0o755)
    (shadow,) = tree.ingest().shadows
    assert shadow.relation is Relation.IDENTICAL


def test_files_that_nobody_can_read(tree: Tree) -> None:
    for root in (high(tree), low(tree)):
        write_skill(root, "pdf")
        link(root / "pdf/gone.md", "nowhere")
    assert compared(tree).files == (("gone.md", "unreadable"),)


def test_the_same_link_to_a_directory_is_no_difference(tree: Tree) -> None:
    for root in (high(tree), low(tree)):
        write_skill(root, "pdf", files={"docs/a.md": "A"})
        link(root / "pdf/more", "docs")
    assert compared(tree).files == ()


# --- bodies --------------------------------------------------------------------------------------


def test_a_body_with_the_lines_of_its_files(tree: Tree) -> None:
    write_skill(high(tree), "pdf", "license: MIT", body="\none\ntwo\nthree\n")
    write_skill(low(tree), "pdf", body="\none\n2\nthree\n")
    body = compared(tree).body
    assert body is not None
    assert body.diff == "@@ -6,4 +5,4 @@\n \n one\n-two\n+2\n three\n"


DIFFS: dict[str, tuple[str, str, str]] = {
    "equal": ("a\nb\n", "a\nb\n", ""),
    "one line of three": ("a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
    "one line alone": ("a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"),
    "to nothing": ("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"),
    "from nothing": ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
    "added at the end": ("a\n", "a\nb\n", "@@ -1 +1,2 @@\n a\n+b\n"),
    "no line end": (
        "a\nb",
        "a\nb\n",
        "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    ),
    "lines that only others end": (
        "a\u2028b\x0cc\n",
        "a\u2028b\x0cd\n",
        "@@ -1 +1 @@\n-a\u2028b\x0cc\n+a\u2028b\x0cd\n",
    ),
}


@pytest.mark.parametrize(("ours", "theirs", "diff"), DIFFS.values(), ids=DIFFS)
def test_unified_diff(ours: str, theirs: str, diff: str) -> None:
    assert "".join(unified_hunks(ours, theirs)) == diff


def test_two_changes_far_apart_are_two_hunks_with_context() -> None:
    lines = [f"{n}\n" for n in range(1, 101)]
    other = [*lines[:20], "x\n", *lines[21:60], *lines[61:]]
    hunks = "".join(unified_hunks("".join(lines), "".join(other), 5, 9))
    assert hunks == (
        "@@ -22,7 +26,7 @@\n 18\n 19\n 20\n-21\n+x\n 22\n 23\n 24\n"
        "@@ -62,7 +66,6 @@\n 58\n 59\n 60\n-61\n 62\n 63\n 64\n"
    )
    assert unequal_lines("".join(lines), "".join(other)) == 41


LINE_ENDS: dict[str, tuple[str, str, LineEnds | None, str]] = {
    "both LF": ("a\n", "b\n", None, "@@ -1 +1 @@\n-a\n+b\n"),
    "only line ends": ("a\nb\n", "a\r\nb\r\n", LineEnds("LF", "CRLF"), ""),
    "line ends and a word": ("a\r\n", "b\n", LineEnds("CRLF", "LF"), "@@ -1 +1 @@\n-a\n+b\n"),
    "mixed in two ways": ("a\r\nb\n", "a\nb\r\n", LineEnds("mixed", "mixed"), ""),
    "one has no line end": (
        "a",
        "b\r\n",
        None,
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\r\n",
    ),
}


@pytest.mark.parametrize(("kept", "lost", "ends", "diff"), LINE_ENDS.values(), ids=LINE_ENDS)
def test_line_ends_are_told_apart_from_the_rest(
    kept: str, lost: str, ends: LineEnds | None, diff: str
) -> None:
    body = diff_bodies(kept, lost)
    assert (body.line_ends, body.diff, body.omitted) == (ends, diff, "")


def test_bodies_that_differ_in_too_many_lines_are_not_compared() -> None:
    same = "same\n" * 10_000
    kept, lost = (f"{same}{f'{word}{chr(10)}' * MAX_DIFF_LINES}{same}" for word in ("a", "b"))
    assert diff_bodies(kept, lost).diff.count("\n-a") == MAX_DIFF_LINES
    body = diff_bodies(f"first\n{kept}", f"other\n{lost}")
    assert body.diff == ""
    assert body.omitted == "they differ in 14,001 lines, more than the 4,000 that are compared"


def shuffled(random: Random, kinds: int) -> str:
    lines = [f"{n % kinds}\n" for n in range(MAX_DIFF_LINES)]
    random.shuffle(lines)
    return "".join(lines)


HOSTILE: dict[str, Callable[[Random], tuple[str, str]]] = {
    "one line many times": lambda _: ("x\n" * 3999 + "a\n", "b\n" + "x\n" * 3999),
    "few kinds of lines": lambda random: (shuffled(random, 2), shuffled(random, 2)),
    "each as often as still counts": lambda random: (shuffled(random, 101), shuffled(random, 101)),
    "one upward, one downward": lambda _: (
        "".join(f"{n % 101}\n" for n in range(MAX_DIFF_LINES)),
        "".join(f"{-n % 101}\n" for n in range(MAX_DIFF_LINES)),
    ),
}


@pytest.mark.parametrize("texts", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bodies_take_no_more_than_seconds(
    texts: Callable[[Random], tuple[str, str]],
) -> None:
    kept, lost = texts(Random(1))
    start = time.process_time()
    diff = diff_bodies(kept, lost).diff
    for _ in diff_lines(diff):
        pass
    assert time.process_time() - start < 20
    assert applied(kept, diff) == lost


def applied(text: str, diff: str) -> str:
    """What a unified diff makes of a text."""
    old, new = text.split("\n"), []
    at = 0
    for line in diff.split("\n"):
        if line.startswith("@@"):
            first = int(line[4:].split(" ")[0].split(",")[0]) - 1
            new += old[at:first]
            at = first
        elif line[:1] in (" ", "-"):
            assert old[at] == line[1:]
            at += 1
            new += [line[1:]] if line[0] == " " else []
        elif line:
            new.append(line[1:])
    return "\n".join(new + old[at:])


def test_a_file_that_has_changed_since_is_not_compared(tree: Tree) -> None:
    write_skill(high(tree), "pdf", body="one\n")
    path = write_skill(low(tree), "pdf", body="two\n")
    (shadow,) = tree.ingest().shadows
    write(path, path.read_text() + "three\n")
    with pytest.raises(FileChangedError):
        compare(shadow)


# --- words ---------------------------------------------------------------------------------------


def marked(diff: str) -> list[str]:
    """The lines of a diff with what stands out in brackets."""
    lines = []
    for text in diff_lines(diff):
        line = text.plain
        for span in sorted(text.spans, key=lambda span: -span.start):
            if CHANGED in str(span.style):
                line = f"{line[: span.start]}[{line[span.start : span.end]}]{line[span.end :]}"
        lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            ["-Read the file once.", "+Read the file twice."],
            ["-Read the file [once].", "+Read the file [twice]."],
            id="a-word",
        ),
        pytest.param(
            ["-Read the file.", "+Read the whole file."],
            ["-Read the file.", "+Read the [whole ]file."],
            id="a-word-more",
        ),
        pytest.param(
            ["-a b c one", "-a b c two", "+a b c 1", "+a b c 2"],
            ["-a b c [one]", "-a b c [two]", "+a b c [1]", "+a b c [2]"],
            id="pairs-in-order",
        ),
        pytest.param(["-Alpha beta.", "+Nothing like it!"], None, id="two-other-lines"),
        pytest.param(["+Some new words.", "-Some old words."], None, id="added-before-removed"),
        pytest.param(["-Alone.", " Context."], None, id="only-removed"),
        pytest.param([" Context.", "+Alone."], None, id="only-added"),
        pytest.param(
            ["-Same words here", "\\ No newline at end of file", "+Same words here"],
            [
                "-Same words here[\n\\ No newline at end of file]",
                "+Same words here",
            ],
            id="no-line-end",
        ),
        pytest.param(
            ["--- a b c", "+-- a b d"],
            ["--- a b [c]", "+-- a b [d]"],
            id="a-line-that-looks-like-a-heading",
        ),
        pytest.param(
            ["-tell the truth\x1b[2J now", "+tell the truth\x1b[3J now"],
            ["-tell the truth\\x1b[[2J] now", "+tell the truth\\x1b[[3J] now"],
            id="control-characters",
        ),
    ],
)
def test_changed_words_stand_out(lines: list[str], expected: list[str] | None) -> None:
    ours = sum(line[0] in " -" for line in lines)
    theirs = sum(line[0] in " +" for line in lines)
    head = f"@@ -1,{ours} +1,{theirs} @@"
    assert marked("\n".join([head, *lines])) == [head, *(expected or lines)]


def test_several_files_in_one_diff() -> None:
    diff = "--- a\n+++ a\n@@ -1 +1 @@\n-x one\n+x two\n--- b\n+++ b\n@@ -1,2 +1 @@\n-away\n kept\n"
    assert marked(diff) == diff.replace("one", "[one]").replace("two", "[two]").splitlines()


def test_long_lines_have_no_words_that_stand_out() -> None:
    words = Words()
    assert words.compare("a b c d", "a b c e") == ([(6, 7)], [(6, 7)])
    long = "word " * 2000
    assert words.compare(f"{long}a", f"{long}b") == ([], [])
    # What was too much leaves room for the rest.
    assert words.compare("a b c d", "a b c e") == ([(6, 7)], [(6, 7)])
