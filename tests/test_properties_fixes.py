"""What holds of every fix: nothing gets worse, nothing else changes, and once is enough."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from insomnia_skills import Severity
from insomnia_skills.checking.check import CheckedFile, FileKind, check_file
from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.edit.fixes import Change, Refusal, apply_change, diff, plan_fixes
from insomnia_skills.file import decode
from insomnia_skills.frontmatter import Document, parse
from insomnia_skills.yaml.node import Plain, plain
from tests import cli, strategies
from tests.trees import Tree, write

pytestmark = pytest.mark.slow

DIRECTORIES = ("pdf", "pdf", "pdf", "a-b", "12", "Odd Name", "true")
"""Names for the directory of a skill, which some fixes take for its name."""

_faults = st.sampled_from(
    (
        *("\ufeff", "---  \n", "---\t\n", "name: 12\n", "name: PDF\n", "name: b\n", "nam: pdf\n"),
        *("description: Note: all\n", "description: | Note: all\n", "description: *x* all\n"),
        *("description: a #12 b\n", "description: a # b\n", "description: 12\n", "descripton: a\n"),
        *("license: 2\n", "licence: MIT\n", "compatibility: >=3.8\n", "compatibility: true\n"),
        *("metadata: {a: 1, b: x}\n", "metadata:\n  a: 1.10\n  b: c: d\n", "allowed-tools: [A]\n"),
        *("allowed-tools:\n- A\n- B(c d)\n", 'license: "\\ud83d\\ude00"\n', "license: !x y\n"),
        *("description: a. license: MIT\n", "license: `a`\n", "tags: [*a, b]\n", "license: &a b\n"),
        *("name: pdf\n", "description: Reads.\n", "# comment\n", "license: MIT\n", "name:\n"),
    )
)
_faulty = st.builds(
    lambda mark, lines, end, body: (mark + "---\n" + "".join(lines) + "---\n" + body).replace(
        "\n", end
    ),
    st.sampled_from(("", "", "\ufeff")),
    st.lists(_faults, min_size=1, max_size=6, unique_by=lambda line: line.partition(":")[0]),
    st.sampled_from(strategies.LINE_ENDS),
    st.sampled_from(("", "Do it.\n", "# PDF  \n\n*x*, `y`", "name: z\n---\n")),
).map(str.encode)
FILES = st.booleans().flatmap(lambda made: _faulty if made else strategies.files())
KINDS = {
    FileKind.SKILL: "{}/SKILL.md",
    FileKind.WORKFLOW: ".insomnia/memory/workflow/{}.md",
}


# A shrunk example would take minutes, since each one is a file on the disk.
NO_SHRINKING = (Phase.explicit, Phase.generate)


@contextmanager
def scratch() -> Iterator[Path]:
    place = tempfile.mkdtemp()
    try:
        yield Path(os.path.realpath(place))
    finally:
        shutil.rmtree(place)


# Worked out here once more, not taken from what is tested.


def offset_of(text: str, line: int, column: int) -> int:
    """A place's offset in a text, which may begin with a byte-order mark that has column 0."""
    mark = text.startswith("\ufeff")
    starts = [mark, *(mark + m.end() for m in re.finditer(r"\r\n|\r|\n", text[mark:]))]
    return starts[line - 1] + column - 1


def edited(text: str, batch: tuple[Diagnostic, ...]) -> str | None:
    """The text with the edits of some findings; None where they get in one another's way."""
    edits = sorted(
        (offset_of(text, s.line, s.column), offset_of(text, s.end_line, s.end_column), new)
        for d in batch
        if d.fix
        for s, new in d.fix.edits
    )
    if any(end > start for (_, end, _), (start, _, _) in pairwise(edits)):
        return None
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


def outcomes(text: str, fixed: tuple[Diagnostic, ...]) -> Iterator[str]:
    """What the findings' fixes make of a text, done at once or in several steps."""
    if not fixed:
        yield text
    for count in range(len(fixed), 0, -1):
        try:
            step = edited(text, fixed[:count])
        except IndexError:  # a place that this text has not got
            continue
        if step is not None:
            yield from outcomes(step, fixed[count:])


def patched(text: str, patch: str) -> str:
    """A text with the hunks of a unified diff, each of which must fit to the letter."""
    old, made, at = re.findall(r"[^\n]*\n|[^\n]+", text), list[str](), 0
    for hunk in re.split(r"^(?=@@ )", patch, flags=re.MULTILINE)[1:]:
        head, _, body = hunk.partition("\n")
        found = re.match(r"@@ -(\d+)(?:,(\d+))? ", head)
        assert found
        start = int(found[1]) - (found[2] != "0")
        made += old[at:start]
        at = start
        for mark, written, note in re.findall(
            r"^([-+ ])([^\n]*\n)(\\[^\n]*\n)?", body, re.MULTILINE
        ):
            line = written.removesuffix("\n") if note else written
            if mark != "+":
                assert old[at] == line
                at += 1
            if mark != "-":
                made.append(line)
    return "".join([*made, *old[at:]])


def errors(file: CheckedFile) -> Counter[str]:
    return Counter(d.rule for d in file.diagnostics if d.severity is Severity.ERROR)


def fields(document: Document) -> dict[str, Plain]:
    return {name: plain(entry.value) for name, entry in (document.fields or {}).items()}


UNREAD = {"yaml-syntax", "yaml-alias", "yaml-tag"}
"""Rules that keep a value, or all of them, from being looked at; one may uncover another."""

ANY_FIELD = UNREAD | {
    *("metadata-value-type", "misspelt-field", "name-missing", "description-missing"),
}
"""Rules whose names don't tell which field their fixes write."""

REVEALING = {"description-cut-by-comment", "misspelt-field", "description-missing", "name-missing"}
"""Rules whose fixes make a value of what was none before, of which something may be to be said."""


@settings(max_examples=settings().max_examples * 2, phases=NO_SHRINKING)
@given(
    data=FILES,
    name=st.sampled_from(DIRECTORIES),
    kind=st.sampled_from((FileKind.SKILL, FileKind.SKILL, FileKind.WORKFLOW)),
    unsafe=st.booleans(),
)
def test_what_holds_of_every_fix(data: bytes, name: str, kind: FileKind, unsafe: bool) -> None:
    with scratch() as place:
        path = write(place / KINDS[kind].format(name), data)
        before = check_file(path, kind)
        change = plan_fixes(before, unsafe)
        assert path.read_bytes() == data, "nothing is written yet"
        if not isinstance(change, Change):
            assert change is None or change.reason
            return
        assert (change.path, change.before, change.rename) == (path, data, None)
        _assert_nothing_else_is_changed(change, unsafe)
        _assert_nothing_is_worse(before, change)
        assert apply_change(change) is None
        assert path.read_bytes() == change.after
        assert os.listdir(path.parent) == [path.name]
        after = check_file(path, kind)
        assert after == change.file
        again = plan_fixes(after, unsafe)
        assert not isinstance(again, Change), "once is enough"


def _assert_nothing_else_is_changed(change: Change, unsafe: bool) -> None:
    old, new = change.before.decode(), change.after.decode()
    assert change.fixed
    assert all(d.fix and (d.fix.safe or unsafe) for d in change.fixed)
    assert new in outcomes(old, change.fixed[:12])
    assert patched(old, diff(change, "x")) == new
    was, now = (parse(change.path, decode(data).text) for data in (change.before, change.after))
    assert now.body == was.body or not was.body_start
    about = {d.rule for d in change.fixed}
    if was.fields is not None:
        values = fields(now)
        for name, value in fields(was).items():
            of_it = about & ANY_FIELD or any(rule.startswith(name) for rule in about)
            assert of_it or values.get(name) == value, name


def _assert_nothing_is_worse(before: CheckedFile, change: Change) -> None:
    after = change.file
    assert after.valid or not before.valid
    about = {d.rule for d in change.fixed}
    assert errors(after).total() <= errors(before).total() or about & UNREAD
    if about & UNREAD:
        return
    fields_of = {rule.partition("-")[0] for rule in errors(before)}
    for rule in errors(after) - errors(before):
        # Of what is wrong with a field only the first is told, and that is gone.
        assert rule.partition("-")[0] in fields_of, rule
    old = {(d.rule, d.message) for d in before.diagnostics}
    new = [d for d in after.diagnostics if (d.rule, d.message) not in old]
    if not about & REVEALING:
        # A hidden character is not told where an error is about the first one of its kind.
        new = [d for d in new if d.rule not in ("invisible-character", "control-character")]
        assert [d for d in new if d.severity is not Severity.ERROR] == []


@settings(max_examples=settings().max_examples // 2, phases=NO_SHRINKING)
@given(data=_faulty, meddled=FILES, unsafe=st.booleans())
def test_what_is_refused_is_left_as_it_is(data: bytes, meddled: bytes, unsafe: bool) -> None:
    with scratch() as place:
        path = write(place / "pdf/SKILL.md", data)
        change = plan_fixes(check_file(path, FileKind.SKILL), unsafe)
        if not isinstance(change, Change):
            return
        full = OSError(errno.ENOSPC, "No space left on device")
        for name in ("replace", "fsync"):
            with patch.object(os, name, side_effect=full):
                refusal = apply_change(change)
            assert refusal == Refusal(path, "can't be written: No space left on device")
            assert (path.read_bytes(), os.listdir(path.parent)) == (data, ["SKILL.md"])
        path.write_bytes(meddled)
        refused = apply_change(change) is not None
        assert refused == (meddled != data)
        assert path.read_bytes() == (meddled if refused else change.after)
        assert os.listdir(path.parent) == ["SKILL.md"]


def contents(top: Path) -> dict[str, str]:
    """Every file below a directory, with its text, whose bytes may be anything."""
    return {
        str(path.relative_to(top)): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in top.rglob("*")
        if path.is_file()
    }


@settings(max_examples=max(5, settings().max_examples // 10), phases=NO_SHRINKING)
@given(
    files=st.dictionaries(
        st.sampled_from(("s/pdf/SKILL.md", "s/12/SKILL.md", "s/x/skill.md", "s/Odd/SKILL.md"))
        | st.sampled_from((".insomnia/memory/workflow/w.md", "s/a b/deep/SKILL.md")),
        FILES,
        min_size=2,
        max_size=5,
    ),
    option=st.sampled_from(("--fix", "--unsafe-fixes", "--unsafe-fixes")),
)
def test_the_diff_is_what_is_written_then(files: dict[str, bytes], option: str) -> None:
    with scratch() as place:
        tree = Tree(place)
        for name, data in files.items():
            write(tree.workspace / name, data)
        before = contents(tree.workspace)
        shown = cli.call_in(tree, "validate", ".", option, "--diff")
        assert contents(tree.workspace) == before
        first = cli.call_in(tree, "validate", ".", option, "--format", "json")
        after = contents(tree.workspace)
        expected = dict(before)
        diffs = shown.stdout.decode("utf-8", "surrogateescape")
        for one in re.split(r"^diff --git ", diffs, flags=re.MULTILINE)[1:]:
            old, new = _names(one)
            expected[new] = patched(expected.pop(old), one)
        assert after == expected
        assert first.code in (0, 1)
        summary = first.document["summary"]
        assert bool(summary["fixed"]) == (after != before)
        assert shown.code == int(after != before or summary["errors"] > 0)
        again = cli.call_in(tree, "validate", ".", option, "--format", "json")
        assert contents(tree.workspace) == after
        assert again.document["summary"] == {**summary, "fixed": 0}
        assert again.document["diagnostics"] == first.document["diagnostics"]


def _names(diff: str) -> tuple[str, str]:
    """The name of a file before and after a diff of it."""
    renamed = re.search(r"^rename from (.*)\nrename to (.*)\n", diff, re.MULTILINE)
    if renamed:
        return renamed[1], renamed[2]
    head = diff.partition("\n")[0]
    name = head[2 : len(head) // 2]
    assert head == f"a/{name} b/{name}"
    return name, name
