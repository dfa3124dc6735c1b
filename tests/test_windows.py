"""What Windows does that Linux does not, as far as that can be had here.

Paths are tried with Python's own `ntpath` and `PureWindowsPath`, put in place of the system's in
the modules that a test is about. What the system refuses there is refused by stand-ins.
"""

from __future__ import annotations

import json
import ntpath
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PureWindowsPath
from types import ModuleType, SimpleNamespace
from typing import Any

import platformdirs
import pytest
import typer

from insomnia_skills import cache, check_paths, file, resources, scan, sources, workspace
from insomnia_skills.checking import check, choice, config, fingerprint, merge
from insomnia_skills.checking.baseline import Baseline, KnownFinding
from insomnia_skills.checking.check import FileKind, check_file
from insomnia_skills.cli import paging
from insomnia_skills.cli import slugs as reading
from insomnia_skills.cli.checking import _where_slug_is
from insomnia_skills.cli.common import Settings
from insomnia_skills.cli.output import read_output
from insomnia_skills.cli.paging import find_pager
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.edit import entries
from insomnia_skills.file import decode, read_text
from insomnia_skills.manifest import Manifest, ManifestEntry, load_manifest
from insomnia_skills.report import commands, text
from insomnia_skills.report.check import github, gitlab, sarif
from insomnia_skills.rules.catalogue import CATALOGUE
from insomnia_skills.rules.example import ExampleKind, parse_example
from tests.cli import call_in
from tests.test_cases import RECORDED
from tests.trees import Tree, break_skill, slugs, write, write_manifest, write_skill

C = PureWindowsPath("C:/ws")


def _absolute(path: str | os.PathLike[str]) -> str:
    """What Windows makes of a path where the working directory is that of `C`."""
    drive, tail = ntpath.splitdrive(os.fspath(path))
    if drive and not tail.startswith(("\\", "/")) and drive.upper() != "C:":
        return ntpath.normpath(f"{drive}\\{tail}")
    return ntpath.normpath(ntpath.join("C:\\ws", path))


PATH = SimpleNamespace(**{**vars(ntpath), "abspath": _absolute, "realpath": _absolute})
WINDOWS = SimpleNamespace(
    **{**vars(os), "path": PATH, "sep": "\\", "name": "nt", "getcwd": lambda: "C:\\ws"}
)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give modules what they would have on Windows."""

    def give(*modules: ModuleType) -> None:
        for module in modules:
            monkeypatch.setattr(module, "os", WINDOWS)
            if hasattr(module, "Path"):
                monkeypatch.setattr(module, "Path", PureWindowsPath)

    return give


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


# Paths


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (".claude/skills", r"C:\ws\.claude\skills"),
        (r".claude\skills", r"C:\ws\.claude\skills"),
        (r"..\shared", r"C:\shared"),
        (r"C:\skills", r"C:\skills"),
        ("C:/skills/", r"C:\skills"),
        ("C:skills", r"C:\ws\skills"),
        ("D:skills", r"D:\skills"),
        (r"D:\skills", r"D:\skills"),
        (r"\skills", r"C:\skills"),
        ("/skills", r"C:\skills"),
        (r"\\server\share\skills", r"\\server\share\skills"),
        ("//server/share/skills", r"\\server\share\skills"),
        (r"\\?\C:\skills", r"\\?\C:\skills"),
        ("C:/", "C:\\"),
    ],
)
def test_every_path_becomes_an_absolute_one(
    windows: Callable[..., None], given: str, meant: str
) -> None:
    windows(workspace)
    found: Any = workspace.absolute_path(given, C)  # type: ignore[arg-type]
    assert str(found) == meant
    assert found.is_absolute()
    assert found.as_uri().startswith("file://")


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (r".\skills", True),
        ("./skills", True),
        (r"..\skills", True),
        (r"C:\skills", True),
        ("..", True),
        (r".claude\skills", False),
        ("skills", False),
        ("..skills", False),
    ],
)
def test_whether_a_path_says_where_it_counts_from(
    windows: Callable[..., None], path: str, answer: bool
) -> None:
    windows(workspace)
    assert workspace.is_explicit(path) is answer


@pytest.mark.parametrize(
    ("given", "entry"),
    [
        (r".claude\skills", ".claude/skills"),
        (r"C:\ws\.claude\skills", ".claude/skills"),
        (r"c:\WS\.claude\skills", ".claude/skills"),
        (r"..\shared\skills", "../shared/skills"),
        (r"D:\skills", "D:/skills"),
        (r"\\server\share\skills", "//server/share/skills"),
    ],
)
def test_an_entry_has_slashes(windows: Callable[..., None], given: str, entry: str) -> None:
    """So the manifest holds in every checkout, on every system."""
    windows(workspace, entries)
    written = entries.entry_for(given, C)  # type: ignore[arg-type]
    assert written == entry
    again = workspace.absolute_path(written, C)  # type: ignore[arg-type]
    assert again == workspace.absolute_path(given, C)  # type: ignore[arg-type]


def test_an_entry_is_found_with_either_slash(windows: Callable[..., None]) -> None:
    windows(workspace, entries, sources)
    named: Any = (ManifestEntry(".claude/skills", 2, 1, 1), ManifestEntry("D:/team", 3, 1, 1))
    manifest: Any = Manifest(C / "manifest.toml", C, True, entries=named)  # type: ignore[arg-type]
    for given, index in ((r".claude\skills", 0), (".claude/skills", 0), (r"d:\Team", 1)):
        assert entries.find_entries(manifest, given) == [index]


def finding(path: str, line: int = 2) -> Diagnostic:
    return Diagnostic("body-long", Severity.INFO, "long", PureWindowsPath(path), line)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "base", "relative"),
    [
        (r"C:\ws\a\SKILL.md", r"C:\ws", "a/SKILL.md"),
        (r"c:\WS\a\SKILL.md", r"C:\ws", "a/SKILL.md"),
        (r"C:\ws", r"C:\ws", "."),
        (r"c:\WS", r"C:\ws", "."),
        (r"C:\wsx\a", r"C:\ws", "C:/wsx/a"),
        (r"D:\ws\a", r"C:\ws", "D:/ws/a"),
        (r"C:\a", "C:\\", "a"),
        ("C:\\", "C:\\", "."),
        (r"\\server\share\a\b", r"\\server\share\a", "b"),
        (r"\\server\share\a", r"C:\ws", "//server/share/a"),
    ],
)
def test_a_path_in_a_report(
    windows: Callable[..., None], path: str, base: str, relative: str
) -> None:
    windows(workspace, fingerprint)
    place: Any = PureWindowsPath(path)
    assert fingerprint.path_from(place, PureWindowsPath(base)) == relative  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "base", "relative"),
    [
        ("/ws/a", "/ws", "a"),
        ("/ws", "/ws", "."),
        ("/", "/", "."),
        ("/a", "/", "a"),
        ("/wsx", "/ws", "/wsx"),
    ],
)
def test_a_path_in_a_report_elsewhere(path: str, base: str, relative: str) -> None:
    assert fingerprint.path_from(Path(path), Path(base)) == relative


def test_fingerprints_are_the_same_on_every_system(windows: Callable[..., None]) -> None:
    """So is a baseline, which is made of them."""
    here = Diagnostic("body-long", Severity.INFO, "long", Path("/ws/a/SKILL.md"), 2)
    (one,) = fingerprint.fingerprints([here], Path("/ws"))
    windows(workspace, fingerprint)
    (other,) = fingerprint.fingerprints([finding(r"C:\ws\a\SKILL.md")], C)  # type: ignore[arg-type]
    assert one == other


@pytest.mark.parametrize("outside", ["D:/team/a/SKILL.md", "//server/share/SKILL.md", "/team/a"])
def test_a_baseline_keeps_what_lies_outside_on_another_system(tmp_path: Path, outside: str) -> None:
    """What is below its base and not there any more is gone."""
    known = [
        KnownFinding(str(n), "body-long", p, "x") for n, p in enumerate((outside, "a/gone.md"))
    ]
    nothing = check.Check(None, ())
    gone = Baseline(tmp_path, tuple(known)).gone(nothing, nothing, whole=True)
    assert [finding.path for finding in gone] == ["a/gone.md"]


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        (r"C:\ws\my skills\SKILL.md", {"uri": "my%20skills/SKILL.md", "uriBaseId": "SRCROOT"}),
        (r"c:\WS\a\SKILL.md", {"uri": "a/SKILL.md", "uriBaseId": "SRCROOT"}),
        (r"D:\my skills\SKILL.md", {"uri": "file:///D:/my%20skills/SKILL.md"}),
        (r"\\server\share\SKILL.md", {"uri": "file://server/share/SKILL.md"}),
    ],
)
def test_uris_of_sarif(windows: Callable[..., None], path: str, artifact: dict[str, str]) -> None:
    windows(workspace, fingerprint, sarif)
    assert sarif._artifact(PureWindowsPath(path), C) == artifact  # type: ignore[arg-type]


def test_paths_of_other_reports(windows: Callable[..., None]) -> None:
    windows(workspace, fingerprint)
    inside, outside = finding(r"C:\ws\a,b\SKILL.md"), finding(r"D:\x\SKILL.md")
    root: Any = C
    assert "file=a%2Cb/SKILL.md,line=2," in github._command(inside, root)
    assert "file=D%3A/x/SKILL.md,line=2," in github._command(outside, root)
    results: Any = SimpleNamespace(root=root)
    assert gitlab._issue(inside, "0", results)["location"]["path"] == "a,b/SKILL.md"


def test_overrides_have_slashes_on_every_system(windows: Callable[..., None]) -> None:
    windows(workspace, choice)
    override = config.Override(("vendor/*",), ignore=frozenset(("body-long",)))
    chosen = choice.Choice(overrides=(override,), base=C)  # type: ignore[arg-type]
    for path, count in ((r"C:\ws\vendor\a\SKILL.md", 1), (r"c:\WS\vendor\a", 1), (r"D:\vendor", 0)):
        assert len(chosen._overrides(PureWindowsPath(path))) == count  # type: ignore[arg-type]


def test_a_pattern_with_a_backslash_is_refused(tmp_path: Path) -> None:
    """It would cover nothing, and say nothing."""
    path = write(
        tmp_path / "insomnia-skills.toml",
        "[[overrides]]\npaths = ['a/*', 'vendor\\*']\nignore = ['body-long']\n",
    )
    with pytest.raises(config.ConfigError) as caught:
        config.find_config(tmp_path)
    assert str(caught.value) == f'{path}:2:17: "paths" must have "/" between names'
    assert caught.value.help == "write vendor/*"


def test_a_shard_has_the_same_skills_on_every_system(windows: Callable[..., None]) -> None:
    here = check._Target(FileKind.WORKFLOW, "/ws/a/b.md", "/ws")
    assert here.name == "a/b.md"
    windows(check)
    assert check._Target(FileKind.WORKFLOW, r"C:\ws\a\b.md", r"C:\ws").name == "a/b.md"
    assert check._Target(FileKind.WORKFLOW, r"C:\a\b.md", "C:\\").name == "a/b.md"


def test_merged_results_are_in_order_of_directory(windows: Callable[..., None]) -> None:
    windows(merge)
    paths = [r"C:\a-b\SKILL.md", r"C:\a\SKILL.md"]
    assert sorted(paths, key=merge._by_directory) == [r"C:\a\SKILL.md", r"C:\a-b\SKILL.md"]


# Manifests that were written on the other kind of system


def test_an_entry_with_backslashes(tree: Tree) -> None:
    """On Windows it is a path like any other; elsewhere it says what to write instead."""
    write_skill(tree.workspace / ".claude/skills", "pdf")
    write(tree.manifest, "[skills]\ndirectories = ['.claude\\skills', 'no\\such']\n")
    first, second = tree.ingest().diagnostics
    assert (first.rule, first.line, first.column) == ("root-missing", 2, 16)
    assert first.help == 'write ".claude/skills": only Windows takes a backslash for a slash'
    assert second.rule == "root-missing"
    assert "relative entries count from" in (second.help or "")


def test_an_entry_with_backslashes_in_double_quotes(tree: Tree) -> None:
    manifest = load_manifest(
        write(tree.manifest, '[skills]\ndirectories = [".claude\\skills"]\n'), tree.workspace
    )
    assert [(d.rule, d.line) for d in manifest.diagnostics] == [("manifest-syntax", 2)]


def test_an_entry_with_a_variable_of_windows(
    tree: Tree, windows: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.name_roots("%APPDATA%/skills")
    (found,) = tree.ingest().diagnostics
    assert (found.rule, found.help) == ("root-unexpanded", "write the path out")
    assert found.message.startswith('insomnia does not expand "%" in "%APPDATA%/skills"')
    assert sources.expand("%APPDATA%/skills") is None
    monkeypatch.setenv("APPDATA", r"C:\Users\me\AppData")
    windows(sources)
    assert sources.expand("%APPDATA%/skills") == r"C:\Users\me\AppData/skills"
    assert sources.expand("%NO_SUCH_NAME%/skills") is None
    assert sources.expand("100%/skills") is None


# Words to paste


@pytest.mark.parametrize(
    ("word", "pasted"),
    [
        ("skills", "skills"),
        (r".claude\skills", r'".claude\skills"'),
        (r"C:\Program Files\skills", r'"C:\Program Files\skills"'),
        ("skills (old)", '"skills (old)"'),
        ("größe 2", '"größe 2"'),
        ("$HOME", "'$HOME'"),
        ("$(calc)", "'$(calc)'"),
        ("`calc`", "'`calc`'"),
        ("100% sure", "'100% sure'"),
        ("a & b", "'a & b'"),
        ('a"b', "'a\"b'"),
        ("a\nb", "'a\nb'"),
        ("skills\\", "'skills\\'"),
        ("", "''"),
    ],
)
def test_words_are_quoted_for_the_shells_of_windows(
    windows: Callable[..., None], word: str, pasted: str
) -> None:
    """In double quotes for all of them, unless one of them would expand something there."""
    windows(text)
    assert text.shell_word(word) == pasted


def test_paths_as_people_say_them(windows: Callable[..., None]) -> None:
    windows(text)
    name = text.PathNames(PureWindowsPath(r"C:\a\b\c"), PureWindowsPath(r"C:\Users\me"))  # type: ignore[arg-type]
    assert name(r"C:\a\b\c\skills") == "skills"
    assert name(r"C:\a\b\c") == "."
    assert name(r"C:\a\b\skills") == r"..\skills"
    assert name(r"C:\Users\me\skills") == r"C:\Users\me\skills", "cmd knows no ~"
    assert name(r"D:\skills") == r"D:\skills"


def test_a_slug_in_a_command_has_no_slash_there(tree: Tree, windows: Callable[..., None]) -> None:
    tree.name_roots("skills")
    result = tree.ingest(user=False)
    place = tree.workspace
    assert commands.resolve_command("pdf", result, str).startswith("insomnia-skills resolve /pdf ")
    windows(commands)
    line = commands.resolve_command("pdf", result, str)
    assert line == f"insomnia-skills resolve pdf --workspace {place} --no-user"


def test_a_pager_with_backslashes(windows: Callable[..., None]) -> None:
    windows(paging)
    for given, command in (
        (r'"C:\Program Files\less.exe" -S', [r"C:\Program Files\less.exe", "-S", "-R"]),
        (r"C:\bin\bat.exe", [r"C:\bin\bat.exe"]),
        ("less", ["less", "-R"]),
    ):
        assert find_pager({"PAGER": given}) == command


def test_a_report_in_the_place_of_a_directory(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        read_output("json=reports/")
    assert '"reports/" is a directory' in capsys.readouterr().err


# What Git Bash makes of /slug

MADE = [
    pytest.param("C:/Program Files/Git/pdf", "pdf", id="default"),
    pytest.param("D:/tools/msys64/pdf", "pdf", id="msys2"),
    pytest.param("c:/pdf", "pdf", id="drive"),
    pytest.param("C:/Program Files/Git/pdf/", "pdf", id="slash-behind"),
    pytest.param("X:/", "x", id="one-letter"),
]
TAKES_SLUG = [
    pytest.param(("show",), id="show"),
    pytest.param(("resolve",), id="resolve"),
    pytest.param(("resolve", "--diff"), id="diff"),
    pytest.param(("eject", "--dry-run"), id="eject"),
    pytest.param(("new", "--in", "skills", "--dry-run"), id="new"),
    pytest.param(("resolve", "--fail-on", "shadow", "--allow"), id="allow"),
]


@pytest.mark.parametrize(("given", "slug"), MADE)
def test_a_path_that_git_bash_made_of_a_slug(tree: Tree, given: str, slug: str) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    tree.name_roots("skills")
    run = call_in(tree, "show", given)
    assert (run.code, run.text) == (2, "")
    assert run.stderr == (
        f'error: "{given}" is a path, and this takes a slug\n'
        f"  help: write {slug}, or //{slug}: Git Bash makes a path of a word with one slash "
        "before it\n"
    )


@pytest.mark.parametrize("command", TAKES_SLUG)
def test_every_command_that_takes_a_slug_knows_such_a_path(
    tree: Tree, command: tuple[str, ...]
) -> None:
    for root in ("skills", "more"):
        write_skill(tree.workspace / root, "pdf")
    tree.name_roots("skills", "more")
    made = call_in(tree, *command, "C:/Program Files/Git/pdf")
    assert made.code == 2
    assert "write pdf, or //pdf: Git Bash makes a path" in made.stderr
    if command[0] == "new":
        command = ("new", "--in", "others", "--dry-run")
    answers = {given: call_in(tree, *command, given) for given in ("pdf", "/pdf", "//pdf")}
    assert {run.code for run in answers.values()} == {0}, answers
    assert len({run.both for run in answers.values()}) == 1, "and all three are the same question"


@pytest.mark.parametrize("made", ["C:/Program Files/Git/pdf", r"C:/Program Files/Git\pdf"])
def test_validate_says_which_paths_a_slug_has(tree: Tree, made: str) -> None:
    skill = write_skill(tree.workspace / "skills", "pdf").parent
    tree.name_roots("skills")
    settings = Settings(workspace=tree.workspace, no_user=True)
    path: Any = PureWindowsPath(made)
    assert _where_slug_is(path, settings) == (
        f"this takes paths; for the Workflow /pdf: insomnia-skills validate {skill}"
    )
    assert _where_slug_is(path.with_name("none"), settings) is None


def test_the_path_of_a_skill_with_backslashes(
    tree: Tree, windows: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    windows(reading)
    monkeypatch.setattr(PATH, "exists", lambda path: True)
    monkeypatch.setattr(PATH, "isfile", lambda path: path.endswith(".md"))
    said: list[tuple[str, ...]] = []

    def fail(*words: str) -> None:
        said.append(words)
        raise SystemExit

    monkeypatch.setattr(reading, "fail", fail)
    for given in (r".claude\skills\pdf", r".claude\skills\pdf\SKILL.md", r"C:\skills\pdf"):
        with pytest.raises(SystemExit):
            reading.read_slug(given)
    assert [words[1] for words in said] == ["is /pdf meant?"] * 3


def test_slugs_are_completed_behind_two_slashes(tree: Tree) -> None:
    assert list(reading._begun(["pdf", "review"], "//p")) == ["//pdf"]
    assert list(reading._begun(["pdf", "review"], "/")) == ["/pdf", "/review"]
    assert list(reading._begun(["pdf", "review"], "r")) == ["review"]


# Files and directories


def test_a_directory_in_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows opens no directory, and says that it is not allowed."""

    def refuse(path: object, *args: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    directory = tmp_path / "pdf/SKILL.md"
    directory.mkdir(parents=True)
    monkeypatch.setattr(os, "open", refuse)
    (found,) = read_text(directory).findings
    assert (found.rule, found.message) == ("not-a-file", "this is a directory, not a file")


class Junction:
    """A directory entry that leads elsewhere and says that it is a directory of its own."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry
        self.name, self.path = entry.name, entry.path

    def is_symlink(self) -> bool:
        return False

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._entry.is_dir()

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._entry.stat()


class Listed:
    """What `os.scandir` gives, with a junction in the place of every link to a directory."""

    def __init__(self, path: Any) -> None:
        with SCANDIR(path) as listed:
            self._entries = [
                Junction(each) if each.is_symlink() and each.is_dir() else each for each in listed
            ]

    def __enter__(self) -> Listed:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)


SCANDIR = os.scandir


@pytest.fixture
def junctions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every link to a directory a junction."""
    lstat = os.lstat

    def tagged(path: Any, **options: Any) -> Any:
        status = lstat(path, **options)
        is_link = os.path.stat.S_ISLNK(status.st_mode)  # type: ignore[attr-defined]
        return SimpleNamespace(st_reparse_tag=0xA0000003 if is_link else 0)

    for module in (scan, resources):
        stand_in = SimpleNamespace(**{**vars(os), "scandir": Listed})
        monkeypatch.setattr(module, "os", stand_in)
    monkeypatch.setattr(file, "os", SimpleNamespace(**{**vars(os), "lstat": tagged}))
    monkeypatch.setattr(file, "_HAS_JUNCTIONS", True)


@pytest.mark.usefixtures("junctions")
def test_junctions_that_go_in_a_circle(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    (tree.workspace / "skills/again").symlink_to(tree.workspace)
    (tree.workspace / "skills/deep").mkdir()
    (tree.workspace / "skills/deep/up").symlink_to(tree.workspace / "skills")
    found = [f for f in scan.scan_tree(tree.workspace) if isinstance(f, scan.Found)]
    assert [f.path for f in found] == [tree.workspace / "skills/pdf/SKILL.md"]
    assert scan.nested_skills(tree.workspace / "skills") == []


@pytest.mark.usefixtures("junctions")
def test_a_skill_may_be_a_junction(tree: Tree) -> None:
    real = write_skill(tree.top / "shared", "pdf")
    (tree.workspace / "skills").mkdir(parents=True)
    (tree.workspace / "skills/pdf").symlink_to(real.parent)
    found, said = scan.scan_root(tree.workspace / "skills")
    assert [f.name for f in found] == ["pdf"]
    assert said == []
    linked = [f for f in scan.scan_tree(tree.workspace) if isinstance(f, scan.Found)]
    assert [f.path for f in linked] == [tree.workspace / "skills/pdf/SKILL.md"]


@pytest.mark.usefixtures("junctions")
def test_what_a_junction_leads_to_is_not_listed(tree: Tree) -> None:
    write(tree.top / "secret/key.txt", "x" * 7)
    path = write_skill(tree.workspace / "skills", "pdf")
    (path.parent / "references").symlink_to(tree.top / "secret")
    (resource,) = resources.list_resources(path.parent)
    assert (resource.path, resource.readable) == ("references", False)
    (said,) = resources.check_resources(str(path.parent)).diagnostics
    assert (said.rule, said.path.name) == ("link-escapes-skill", "references")


# Writing


def refuse_to_replace(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Windows does where another program has the file open."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "rename", refuse)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param(("validate", "skills", "--output", "report.json"), 74, id="report"),
        pytest.param(("validate", "skills", "--fix"), 1, id="fix"),
        pytest.param(("validate", "--baseline", "b.json", "--write-baseline"), 74, id="baseline"),
        pytest.param(("sources", "add", "more", "--yes"), 74, id="manifest"),
        pytest.param(("new", "mail", "--in", "skills"), 74, id="new"),
        pytest.param(("eject", "pdf", "--force"), 74, id="eject"),
    ],
)
def test_a_file_that_another_program_has_open(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], code: int
) -> None:
    """It is told, the old file stays, and nothing is left behind."""
    write_skill(tree.workspace / "skills", "pdf")
    write_skill(tree.workspace / "skills", "odd", description="Reads: files")
    write_skill(tree.workspace / "more", "mail")
    tree.name_roots("skills")
    tree.write_workflow("pdf")
    for name in ("report.json", "b.json"):
        write(tree.workspace / name, '{"version": 1, "findings": []}\n')
    before = {p: p.read_bytes() for p in tree.workspace.rglob("*") if p.is_file()}
    refuse_to_replace(monkeypatch)
    run = call_in(tree, *command)
    assert run.code == code, run.both
    assert "Access is denied" in run.stderr or "Access is denied" in run.text
    assert "internal error" not in run.both
    assert {p: p.read_bytes() for p in tree.workspace.rglob("*") if p.is_file()} == before


def test_where_the_cache_and_the_configuration_lie(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the platform's own places, which have no directory of an author in them."""

    def place(name: str, appauthor: object) -> Path:
        assert appauthor is False
        return tmp_path / "Local" / name

    monkeypatch.setattr(platformdirs, "user_cache_path", place)
    monkeypatch.setattr(platformdirs, "user_config_path", place)
    monkeypatch.setattr(sys, "platform", "win32")
    assert cache.find_cache() == tmp_path / "Local/insomnia-skills/results.sqlite"
    assert workspace.find_config_dir({}) == tmp_path / "Local/insomnia"


# What Python has not there

WITHOUT = """
import gc, multiprocessing.connection, os, signal, sys

if __name__ == "__main__":
    # What is not ours has to find the system that it runs on.
    import asyncio, filecmp, importlib, multiprocessing.popen_spawn_posix, pathlib, pkgutil
    import platformdirs, rich.console, ruamel.yaml, shutil, sqlite3, subprocess, tempfile, tomlkit
    import typer.rich_utils
del os.O_NOFOLLOW, os.O_NONBLOCK, os.mkfifo, os.chown, os.sched_getaffinity, os.listxattr
del os.geteuid, os.getpgid, os.killpg, os.statvfs, os.pread
del signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM, signal.alarm, signal.SIGUSR1
for name in ("fcntl", "termios", "tty", "pwd", "grp", "resource", "readline"):
    sys.modules[name] = None
sys.platform = "win32"

if __name__ == "__main__":
    config, *lines = sys.argv[1:]
    platformdirs.user_config_path = lambda *_, **__: pathlib.Path(config)
    import insomnia_skills
    for module in pkgutil.walk_packages(insomnia_skills.__path__, "insomnia_skills."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    from insomnia_skills.cli import main
    from insomnia_skills.processes import START_METHOD, Processes

    others = Processes(1, gc.collect)
    task = others.submit(os.getpid)
    while not task.done(1):
        pass
    print("=", START_METHOD, task.result not in (None, os.getpid()), flush=True)
    others.close()
    for line in lines:
        sys.argv = ["insomnia-skills", *line.split()]
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        print("=", line, code, flush=True)
"""


def test_without_the_names_that_only_unix_has(tree: Tree) -> None:
    """Every module is imported, another process begun, files are read and written."""
    write_skill(tree.workspace / "skills", "pdf", files={"references/a.md": "x"})
    write_skill(tree.workspace / "skills", "mail")
    break_skill(tree.workspace / "skills", "odd")
    write_skill(tree.workspace / "more", "more")
    write_skill(tree.config / "skills", "own")
    (tree.workspace / "skills/linked").mkdir()
    (tree.workspace / "skills/linked/SKILL.md").symlink_to("../pdf/SKILL.md")
    tree.name_roots("skills")
    asked = {
        "list": 0,
        "validate skills --no-cache": 1,
        "validate --output report.json --quiet": 1,
        "resolve pdf": 0,
        "show pdf": 0,
        "scope": 0,
        "sources add more --yes": 0,
        "new deploy --in skills": 0,
        "eject mail": 0,
        "cache info": 0,
    }
    script = write(tree.top / "run.py", WITHOUT)
    environment = {"HOME": str(tree.top), "XDG_CACHE_HOME": str(tree.top / "cache")}
    done = subprocess.run(
        [sys.executable, str(script), str(tree.config), *asked],
        cwd=tree.workspace,
        env={**environment, "PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    ends = [line for line in done.stdout.splitlines() if line.startswith("= ")]
    wanted = ["= spawn True", *(f"= {line} {code}" for line, code in asked.items())]
    assert ends == wanted, done.stderr
    assert "Traceback" not in done.stderr
    assert "link-escapes-skill" in done.stdout, "no link is followed out of a skill"
    assert "\nown\tuser-skill\t" in done.stdout, (
        "the user's skills are those of the platform's own place"
    )
    assert '"more"' in tree.manifest.read_text()
    assert (tree.workspace / "skills/deploy/SKILL.md").is_file()
    assert json.loads((tree.workspace / "report.json").read_bytes())["summary"]["errors"] == 2


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_a_console_that_lacks_letters(tree: Tree, encoding: str) -> None:
    """What it has no letter for is written out, and no answer changes."""
    said = "Reads 名前 and größe → done ✓ 😀. Use when asked."
    write_skill(tree.workspace / "skills", "pdf", description=said, body="Do → it ✓.\n")
    write_skill(tree.workspace / "more", "pdf")
    break_skill(tree.workspace / "skills", "odd")
    tree.name_roots("skills", "more")
    for command, code, terminal in (
        (("list",), 0, False),
        (("list",), 0, True),
        (("validate",), 1, False),
        (("validate",), 1, True),
        (("resolve", "pdf", "--diff"), 0, True),
        (("show", "pdf", "--no-pager"), 0, True),
        (("catalog", "--format", "list"), 0, False),
        (("scope",), 0, True),
    ):
        run = call_in(tree, *command, encoding=encoding, terminal=terminal)
        assert run.code == code, run.stderr
        shown = run.stdout.decode(encoding)
        assert shown, command
        assert "internal error" not in run.stderr
    shown = call_in(tree, "list", encoding=encoding).stdout.decode(encoding)
    assert r"\u540d\u524d" in shown
    assert r"\U0001f600" in shown
    assert ("größe" in shown) == (encoding != "ascii")


# Checkouts with CRLF


def texts() -> Iterator[Any]:
    """Every SKILL.md and native Workflow of the recorded cases and of the rules' examples."""
    for case in RECORDED:
        for path, content in case["files"].items():
            if path.endswith("/SKILL.md") and isinstance(content, str):
                yield path, content.encode("utf-8", "surrogatepass")
    for rule in CATALOGUE.values():
        for each in parse_example(rule.fails):
            if each.path.endswith(".md") and each.kind is ExampleKind.FILE:
                yield each.path, each.data


def findings(path: Path, kind: FileKind, data: bytes) -> list[tuple[Any, ...]]:
    return [
        (d.rule, d.severity, d.span, d.fix is not None)
        for d in check_file(path, kind, decode(data)).diagnostics
        if d.rule not in ("crlf-line-endings", "file-too-large")
    ]


def test_a_checkout_with_crlf_has_the_same_findings(tmp_path: Path) -> None:
    """The same rules in the same places, with the same fixes; only the line ends are said more."""
    seen = 0
    for path, data in texts():
        if b"\r" in data or len(data) > 500_000:
            continue
        name = path.rpartition("/")[0].rpartition("/")[2] or "pdf"
        kind = FileKind.SKILL if path.endswith("SKILL.md") else FileKind.WORKFLOW
        place = tmp_path / name / "SKILL.md" if kind is FileKind.SKILL else tmp_path / f"{name}.md"
        if "\0" in name:
            continue
        one = findings(place, kind, data)
        other = findings(place, kind, data.replace(b"\n", b"\r\n"))
        assert one == other, (path, data[:200])
        seen += bool(one)
    assert seen > 100


def test_lone_carriage_returns_are_line_ends_too(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf", "license: [a]")
    expected = findings(path, FileKind.SKILL, path.read_bytes())
    assert [each[0] for each in expected] == ["license-type"]
    changed = path.read_bytes().replace(b"\n", b"\r")
    found = check_file(path, FileKind.SKILL, decode(changed)).diagnostics
    assert ("license-type", 4) in [(d.rule, d.line) for d in found]


def test_a_manifest_with_crlf_is_read_and_keeps_its_line_ends(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    write_skill(tree.workspace / "more", "mail")
    lines = write_manifest(tree.manifest, "skills", "gone").read_bytes().replace(b"\n", b"\r\n")
    write(tree.manifest, lines)
    (found,) = tree.ingest().diagnostics
    assert (found.rule, found.line, found.column) == ("root-missing", 4, 3)
    assert call_in(tree, "sources", "add", "more", "--yes").code == 0
    after = tree.manifest.read_bytes()
    assert after == lines.replace(b'  "gone",\r\n', b'  "gone",\r\n  "more",\r\n')
    assert slugs(tree.ingest()) == ["mail", "pdf"]


def test_crlf_is_no_difference_of_shape_only_of_bytes(tree: Tree) -> None:
    """A copy that was checked out with CRLF is another one, and `resolve` says why."""
    one = write_skill(tree.workspace / "one", "pdf")
    write(tree.workspace / "two/pdf/SKILL.md", one.read_bytes().replace(b"\n", b"\r\n"))
    tree.name_roots("one", "two")
    (shadow,) = tree.ingest().shadows
    assert (shadow.relation, shadow.differs) == ("different", ("body",))
    assert "CRLF" in call_in(tree, "resolve", "pdf", "--diff").both


@pytest.mark.parametrize("name", ["con", "aux", "nul", "com1"])
def test_a_name_that_windows_reserves_is_one_by_the_specification(tree: Tree, name: str) -> None:
    path = write_skill(tree.workspace / "skills", name)
    assert check_paths(path.parent).diagnostics == ()
