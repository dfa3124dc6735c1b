"""manifest.toml: which skills roots it names and where, and what is wrong with how it does."""

from __future__ import annotations

import os
import sys
import tomllib
from bisect import bisect_left
from pathlib import Path

import pytest

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.manifest import Manifest, ManifestEntry, load_manifest
from tests.trees import link, underlined, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".insomnia" / "manifest.toml"


def load(path: Path, text: str | bytes) -> Manifest:
    return load_manifest(write(path, text), path.parents[1])


def directories(manifest: Manifest) -> list[str]:
    return [entry.value for entry in manifest.entries]


def the_diagnostic(manifest: Manifest) -> Diagnostic:
    (diagnostic,) = manifest.diagnostics
    return diagnostic


# --- what counts ---------------------------------------------------------------------------------


def test_no_manifest(path: Path) -> None:
    assert load_manifest(path, path.parent) == Manifest(path, path.parent, exists=False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("# nothing yet\n", id="comment"),
        pytest.param("[skills]\n", id="section-without-keys"),
        pytest.param("[skills]\ndirectories = []\n", id="no-directories"),
        pytest.param("[skills]\ndirectories = [\n  # none yet\n]\n", id="only-a-comment-inside"),
        pytest.param('[[scope.allow]]\ntarget = "/x"\n[model]\nname = "x"\n', id="other-sections"),
        pytest.param('[model]\ndirectories = "x"\nskills = 1\n', id="keys-of-other-sections"),
    ],
)
def test_a_manifest_without_skills_names_no_root(path: Path, text: str) -> None:
    assert load(path, text) == Manifest(path, path.parents[1], exists=True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[skills]\ndirectories = ["a", "b"]\n', id="section"),
        pytest.param('skills.directories = ["a", "b"]\n', id="dotted-key"),
        pytest.param('skills = { directories = ["a", "b"] }\n', id="inline-table"),
        pytest.param("[skills]\ndirectories = [\n  'a', # first\n  'b',\n]\n", id="over-lines"),
        pytest.param('["skills"]\n"directories" = ["a", """b"""]\n', id="quoted-keys"),
        pytest.param('[x]\ny = 1\n\n[skills]\ndirectories = ["a", "b"]\n[z]\n', id="in-between"),
        pytest.param('[skills]\r\ndirectories = ["a", "b"]\r\n', id="crlf"),
        pytest.param(r'["sk\u0069lls"]' + '\ndirectories = ["a", "b"]\n', id="escaped-section"),
        pytest.param('[skills]\n"direct\\u006fries" = ["\\u0061", "b"]\n', id="escaped-key"),
    ],
)
def test_directories_in_the_order_written(path: Path, text: str) -> None:
    manifest = load(path, text)
    assert directories(manifest) == ["a", "b"]
    assert manifest.readable
    assert manifest.diagnostics == ()


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        pytest.param(
            '[skills]\ndirectories = [".claude/skills", ".x"]\n',
            [ManifestEntry(".claude/skills", 2, 16, 32), ManifestEntry(".x", 2, 34, 38)],
            id="one-line",
        ),
        pytest.param(
            "[skills]\n\ndirectories = [\n  '.a',\n\t# 'no',\n\t'.b' ]",
            [ManifestEntry(".a", 4, 3, 7), ManifestEntry(".b", 6, 2, 6)],
            id="over-lines",
        ),
        pytest.param(
            '[skills]\r\ndirectories = [\r\n"a",\r\n  "b"]\r\n',
            [ManifestEntry("a", 3, 1, 4), ManifestEntry("b", 4, 3, 6)],
            id="crlf",
        ),
        pytest.param(
            '\ufeffskills.directories = ["a"]',
            [ManifestEntry("a", 1, 23, 26)],
            id="a-bom-is-no-column",
        ),
        pytest.param(
            'skills.directories = ["日本😀", "b"]',
            [ManifestEntry("日本😀", 1, 23, 28), ManifestEntry("b", 1, 30, 33)],
            id="columns-count-characters",
        ),
        pytest.param(
            r'skills.directories = ["C:\\skills", "b"]',
            [ManifestEntry(r"C:\skills", 1, 23, 35), ManifestEntry("b", 1, 37, 40)],
            id="columns-count-what-is-written",
        ),
    ],
)
def test_the_place_of_an_entry(path: Path, text: str, entries: list[ManifestEntry]) -> None:
    assert list(load(path, text).entries) == entries


@pytest.mark.parametrize("entry", ["~/skills", "$HOME/skills", "../up", "/abs", " a ", "a//b/"])
def test_an_entry_is_kept_as_written(path: Path, entry: str) -> None:
    assert directories(load(path, f'skills.directories = ["{entry}"]')) == [entry]


def test_relative_entries_count_from_the_base(path: Path, tmp_path: Path) -> None:
    write(path, "")
    assert load_manifest(path, tmp_path / "elsewhere").base == tmp_path / "elsewhere"


# --- wrong types ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says", "place"),
    [
        pytest.param("skills = 1\n", "skills must be a section", "skills", id="section-number"),
        pytest.param('skills = ["a"]', "skills must be a section", "skills", id="section-list"),
        pytest.param("[[skills]]\n", "skills must be a section", "skills", id="section-tables"),
        pytest.param(
            '[skills]\ndirectories = ".claude/skills"\n',
            "directories must be a list of paths",
            '".claude/skills"',
            id="directories-text",
        ),
        pytest.param(
            "[skills]\ndirectories = true # all\n",
            "directories must be a list of paths",
            "true",
            id="directories-boolean",
        ),
        pytest.param(
            "[skills]\ndirectories = { a = 1 }\n",
            "directories must be a list of paths",
            "{ a = 1 }",
            id="directories-inline-table",
        ),
        pytest.param(
            '[skills.directories]\npath = ".claude/skills"\n',
            "directories must be a list of paths",
            "directories",
            id="directories-section",
        ),
        pytest.param(
            '[skills]\ndirectories.path = ".claude/skills"\n',
            "directories must be a list of paths",
            "directories",
            id="directories-dotted",
        ),
        pytest.param(
            '[[skills.directories]]\npath = ".claude/skills"\n',
            "an entry of directories must be a path in quotes",
            "directories",
            id="directories-tables",
        ),
        pytest.param(
            "[skills]\ndirectories = ['a', 12 , 'b']\n",
            "an entry of directories must be a path in quotes",
            "12",
            id="entry-number",
        ),
        pytest.param(
            "[skills]\ndirectories = ['a', ['b']]\n",
            "an entry of directories must be a path in quotes",
            "['b']",
            id="entry-list",
        ),
        pytest.param(
            "[skills]\ndirectories = [{path = 'a'}]\n",
            "an entry of directories must be a path in quotes",
            "{path = 'a'}",
            id="entry-table",
        ),
        pytest.param(
            '[skills]\ndirectories = ["a", ""]\n',
            "an entry of directories is empty",
            '""',
            id="entry-empty",
        ),
    ],
)
def test_wrong_type(path: Path, text: str, says: str, place: str) -> None:
    diagnostic = the_diagnostic(load(path, text))
    assert diagnostic.rule == "manifest-type"
    assert diagnostic.severity is Severity.ERROR
    assert says in diagnostic.message
    assert underlined(diagnostic) == place


USUAL = 'directories = [".claude/skills"]'
BELOW = "write [skills] on a line of its own, and {} below it"


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        pytest.param('skills.directories = "a"', 'write directories = ["a"]', id="directories"),
        pytest.param(
            "skills.directories = 'a\\b\"c'", r'write directories = ["a\\b\"c"]', id="quotes"
        ),
        pytest.param(
            r'skills.directories = "\u007f\n"', r'write directories = ["\u007f\n"]', id="control"
        ),
        pytest.param(
            f"skills.directories = '{'x' * 1000}'",
            f'write directories = ["{"x" * 59}…"]',
            id="long",
        ),
        pytest.param('skills.directories = ""', f"write {USUAL}", id="directories-empty"),
        pytest.param("skills.directories = 1", f"write {USUAL}", id="directories-number"),
        pytest.param("skills.directories = {a = 'b'}", f"write {USUAL}", id="directories-table"),
        pytest.param('skills = "a"', BELOW.format('directories = ["a"]'), id="skills"),
        pytest.param(
            "skills = [\"a/skills\", 'b']",
            BELOW.format('directories = ["a/skills", "b"]'),
            id="skills-list",
        ),
        pytest.param(
            f"skills = {['x'] * 1000}",
            BELOW.format('directories = ["x", "x", "x", …]'),
            id="skills-long-list",
        ),
        pytest.param("skills = []", f"write {USUAL}", id="skills-empty-list"),
        pytest.param("skills = ['a', 1]", f"write {USUAL}", id="skills-mixed-list"),
        pytest.param("[[skills]]\npath = 'a'", f"write {USUAL}", id="skills-tables"),
        pytest.param("skills.directories = ['']", "remove it", id="entry-empty"),
        pytest.param("skills.directories = [1]", f"write {USUAL}", id="entry-number"),
    ],
)
def test_the_help_is_what_was_written_put_right(path: Path, text: str, help_: str) -> None:
    assert the_diagnostic(load(path, text)).help == help_


def test_a_wrong_entry_leaves_the_others(path: Path) -> None:
    manifest = load(path, '[skills]\ndirectories = [1, "a", "", "b", false]\n')
    assert directories(manifest) == ["a", "b"]
    assert [underlined(diagnostic) for diagnostic in manifest.diagnostics] == ["1", '""', "false"]
    assert manifest.readable


# --- unknown keys --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "advice"),
    [
        pytest.param("[skills]\ndirectory = ['a']\n", "directory", "directories", id="singular"),
        pytest.param("[skills]\ndirectoris = []\n", "directoris", "directories", id="misspelt"),
        pytest.param("[skills]\nDirectories = []\n", "Directories", "directories", id="case"),
        pytest.param("[skills]\nrecursive = true\n", "recursive", "remove it", id="another-key"),
        pytest.param("[skills.user]\nx = 1\n", "user", "remove it", id="another-section"),
        pytest.param("[skills]\n'a b' = 1\n", "'a b'", "remove it", id="quoted"),
        pytest.param("[skills]\n" + r'"\u0061b" = 1', r'"\u0061b"', "remove it", id="escaped"),
        pytest.param("[skill]\ndirectories = []\n", "skill", "[skills]", id="section-singular"),
        pytest.param("[Skills]\ndirectories = []\n", "Skills", "[skills]", id="section-case"),
        pytest.param("[skils]\n", "skils", "[skills]", id="section-misspelt"),
        pytest.param(r'["sk\u0069l"]', r'"sk\u0069l"', "[skills]", id="section-escaped"),
        pytest.param("directories = ['a']\n", "directories", "[skills]", id="without-section"),
    ],
)
def test_unknown_key(path: Path, text: str, place: str, advice: str) -> None:
    manifest = load(path, text)
    diagnostic = the_diagnostic(manifest)
    assert diagnostic.rule == "manifest-unknown-key"
    assert diagnostic.severity is Severity.WARNING
    assert underlined(diagnostic) == place
    assert advice in (diagnostic.help or "")
    assert manifest.readable
    assert manifest.entries == ()


def test_unknown_keys_leave_the_known_one(path: Path) -> None:
    manifest = load(path, "[skills]\nb = 1\ndirectories = ['a']\nc = 2\n")
    assert directories(manifest) == ["a"]
    assert [underlined(diagnostic) for diagnostic in manifest.diagnostics] == ["b", "c"]


def test_with_a_skills_section_other_sections_are_not_judged(path: Path) -> None:
    text = "directories = 1\n[skill]\nx = 1\n[skills]\ndirectories = ['a']\n"
    assert load(path, text).diagnostics == ()


# --- not TOML ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param("[skills\n", 1, 8, id="open-bracket"),
        pytest.param("[skills]\ndirectories = .claude\n", 2, 15, id="no-quotes"),
        pytest.param("[skills]\n\ndirectories: ['a']\n", 3, 12, id="colon"),
        pytest.param("[skills]\r\n\r\ndirectories: ['a']\r\n", 3, 12, id="crlf"),
        pytest.param("\ufeff[skills\n", 1, 8, id="a-bom-is-no-column"),
        pytest.param("a = '日本😀' x\n", 1, 11, id="columns-count-characters"),
        pytest.param("a = 1\na = 2\n", 2, 6, id="twice"),
        pytest.param("name: pdf\n", 1, 5, id="yaml"),
    ],
)
def test_syntax_error(path: Path, text: str, line: int, column: int) -> None:
    manifest = load(path, text)
    assert manifest.exists
    assert not manifest.readable
    assert manifest.entries == ()
    *_, diagnostic = manifest.diagnostics
    assert diagnostic.rule == "manifest-syntax"
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.message.startswith("not valid TOML: ")
    assert " (at line" not in diagnostic.message
    assert (diagnostic.line, diagnostic.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param("[skills]\ndirectories = ['a',\n", 3, 1, id="list"),
        pytest.param("[skills]\ndirectories =", 2, 14, id="no-value"),
    ],
)
def test_a_file_that_ends_too_early(path: Path, text: str, line: int, column: int) -> None:
    diagnostic = the_diagnostic(load(path, text))
    assert diagnostic.rule == "manifest-syntax"
    assert (diagnostic.line, diagnostic.column) == (line, column)


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_hostile_nesting(path: Path, depth: int) -> None:
    diagnostic = the_diagnostic(load(path, f"x = {'[' * depth}{']' * depth}\n"))
    assert diagnostic.rule == "manifest-syntax"
    assert "nested too deeply" in diagnostic.message


@pytest.mark.parametrize("number", ["1" * 5000, "-1_" + "2" * 5000, "[[1], 9" + "9" * 5000 + "]"])
def test_a_hostile_number(path: Path, number: str) -> None:
    diagnostic = the_diagnostic(load(path, f"a = 1\nx = {number}\n"))
    assert (diagnostic.rule, diagnostic.line) == ("manifest-syntax", 2)
    assert "a number has more than 4,300 digits" in diagnostic.message


def test_nesting_at_the_edge_of_what_python_can_read(path: Path) -> None:
    def text(depth: int) -> str:
        return f"x = {'[' * depth}{']' * depth}\n"

    def is_too_deep(depth: int) -> bool:
        try:
            tomllib.loads(text(depth))
        except RecursionError:
            return True
        return False

    # Wherever the edge is, there is no depth at which reading ends in an exception.
    edge = bisect_left(range(sys.getrecursionlimit()), True, lo=1, key=is_too_deep)
    for depth in range(edge - 10, edge + 5):
        manifest = load(path, text(depth))
        assert manifest.readable is not any(
            diagnostic.rule == "manifest-syntax" for diagnostic in manifest.diagnostics
        )


# --- what lies at the path -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        pytest.param(b"[skills]\n# \xff\n", "not-utf8", id="not-utf8"),
        pytest.param(b"#" * (1024 * 1024 + 1), "file-too-large", id="too-large"),
    ],
)
def test_a_file_that_is_no_text(path: Path, data: bytes, rule: str) -> None:
    manifest = load(path, data)
    assert manifest.exists
    assert not manifest.readable
    assert the_diagnostic(manifest).rule == rule


def test_the_place_of_a_byte_that_is_not_utf8(path: Path) -> None:
    diagnostic = the_diagnostic(load(path, b"[skills]\n# \xff\n"))
    assert (diagnostic.line, diagnostic.column) == (2, 3)


def test_a_bom_is_a_warning(path: Path) -> None:
    manifest = load(path, "\ufeff[skills]\ndirectories = ['a']\n")
    assert manifest.readable
    assert directories(manifest) == ["a"]
    diagnostic = the_diagnostic(manifest)
    assert diagnostic.rule == "byte-order-mark"
    assert diagnostic.severity is Severity.WARNING


def test_a_bom_before_a_syntax_error(path: Path) -> None:
    manifest = load(path, "\ufeff[skills\n")
    assert {d.rule for d in manifest.diagnostics} == {"byte-order-mark", "manifest-syntax"}


def test_a_directory(path: Path) -> None:
    path.mkdir(parents=True)
    manifest = load_manifest(path, path.parent)
    assert not manifest.readable
    assert the_diagnostic(manifest).rule == "not-a-file"


def test_a_dangling_link(path: Path) -> None:
    manifest = load_manifest(link(path, "gone.toml"), path.parent)
    assert manifest.exists
    assert not manifest.readable
    assert the_diagnostic(manifest).rule == "broken-symlink"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_does_not_hang(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    assert the_diagnostic(load_manifest(path, path.parent)).rule == "not-a-file"
