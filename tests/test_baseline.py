"""A baseline: known findings are silent, new ones fail, wherever and however often they stand."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills import check_paths
from insomnia_skills.checking.baseline import Baseline, BaselineError, empty_baseline, load_baseline
from insomnia_skills.checking.check import Check
from insomnia_skills.checking.choice import Choice
from insomnia_skills.checking.config import Override
from insomnia_skills.checking.fingerprint import fingerprints
from insomnia_skills.diagnostic import Severity
from tests import cli
from tests.cli import Run
from tests.trees import Tree, break_skill, denied, link, write, write_skill

LINK = "See [the guide]({}.md).\n"


def silenced(path: Path, baseline: Baseline) -> tuple[list[str], list[str]]:
    """The rules that are new and those that are known."""
    check = baseline.silence(check_paths([path]))
    return [d.rule for d in check.diagnostics], [d.rule for d in check.known]


def known(path: Path, base: Path) -> Baseline:
    """A baseline of what is found at a path, through a file and back."""
    check = check_paths([path])
    file = write(base / "known.json", empty_baseline(base / "known.json").renewed(check, ()).dump())
    return load_baseline(file)


# --- what is known -------------------------------------------------------------------------------


def edit(path: Path, old: str, new: str, count: int = -1) -> None:
    text = path.read_text("utf-8")
    assert old in text
    write(path, text.replace(old, new, count))


@pytest.fixture
def two_links(tmp_path: Path) -> Path:
    body = f"[a](a.md)\n[b](b.md) {'x' * 3000}\n"
    return write_skill(tmp_path / "skills", "pdf", body=body, files={"x": ""})


def test_what_was_found_is_known(tmp_path: Path, two_links: Path) -> None:
    baseline = known(two_links, tmp_path)
    assert silenced(two_links, baseline) == ([], ["reference-missing"] * 2)


EDITS: list[Any] = [
    pytest.param("---\n[a]", "---\n\nMore.\n\n[a]", 0, id="lines above"),
    pytest.param("[b](b.md)", "More.\n[b](b.md)", 0, id="lines between"),
    pytest.param("xx\n", "xx\nMore.\n", 0, id="lines below"),
    pytest.param("[a](a.md)", "  [a](a.md) ", 0, id="blanks round the line"),
    pytest.param("[a](a.md)", "The [a](a.md)", 1, id="the line itself"),
    pytest.param("[a](a.md)", "[a](aa.md)", 1, id="the thing itself"),
    pytest.param("[a](a.md)\n", "[a](a.md)\n[c](c.md)\n", 1, id="another line with another"),
    pytest.param("description: Does", "description: Indeed does", 0, id="another field"),
]


@pytest.mark.parametrize(("old", "new", "count"), EDITS)
def test_an_edit_makes_findings_new(
    tmp_path: Path, two_links: Path, old: str, new: str, count: int
) -> None:
    baseline = known(two_links, tmp_path)
    edit(two_links, old, new)
    assert silenced(two_links, baseline)[0] == ["reference-missing"] * count


def test_line_ends_make_nothing_new(tmp_path: Path, two_links: Path) -> None:
    baseline = known(two_links, tmp_path)
    write(two_links, two_links.read_bytes().replace(b"\n", b"\r\n"))
    assert "reference-missing" not in silenced(two_links, baseline)[0]


def test_equal_findings_are_counted(tmp_path: Path) -> None:
    line = "<!-- insomnia-skills: ignore body-long -->\n"
    path = write_skill(tmp_path, "pdf", body=f"{line}Text.\n{line}")
    check = Choice().check(check_paths([path]))
    baseline = empty_baseline(tmp_path / "known.json").renewed(check, ())
    assert [finding.rule for finding in baseline.findings] == ["ignore-unused"] * 2
    edit(path, "Text.\n", line)
    check = baseline.silence(Choice().check(check_paths([path])))
    assert [d.rule for d in check.diagnostics] == ["ignore-unused"]
    assert len(check.known) == 2


def test_a_fingerprint_needs_neither_line_nor_message(tmp_path: Path) -> None:
    path = break_skill(tmp_path, "pdf")
    (diagnostic,) = check_paths([path]).diagnostics
    moved = [
        type(diagnostic)(
            diagnostic.rule,
            severity,
            message,
            path,
            line,
            excerpt=diagnostic.excerpt,
        )
        for severity, message, line in (
            (Severity.ERROR, "so", 7),
            (Severity.WARNING, "or so", 70),
        )
    ]
    prints = {fingerprints([d], tmp_path)[0] for d in (diagnostic, *moved)}
    assert len(prints) == 1
    assert all(len(print_) == 32 for print_ in prints)


def test_infos_are_not_in_it(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf", "colour: blue", "allowed-tools: Read")
    baseline = known(path, tmp_path)
    assert [finding.rule for finding in baseline.findings] == ["allowed-tools-ignored"]
    assert silenced(path, baseline) == (["unknown-field"], ["allowed-tools-ignored"])


def test_a_known_error_leaves_the_skill_invalid(tmp_path: Path) -> None:
    path = break_skill(tmp_path, "pdf")
    check = known(path, tmp_path).silence(check_paths([path]))
    assert check.diagnostics == ()
    assert [file.valid for file in check.files] == [False]


def test_a_severity_that_is_raised_later_makes_nothing_new(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf", "allowed-tools: Read")
    baseline = known(path, tmp_path)
    choice = Choice(severity={"allowed-tools-ignored": Severity.ERROR})
    assert baseline.silence(choice.check(check_paths([path]))).diagnostics == ()


# --- which place ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marker", "at", "path"),
    [
        pytest.param(".git", "ci", "skills/pdf/SKILL.md", id="the repository's root"),
        pytest.param(".insomnia", "ci", "skills/pdf/SKILL.md", id="else the workspace's"),
        pytest.param("other", ".", "skills/pdf/SKILL.md", id="else its own directory"),
    ],
)
def test_where_paths_count_from(tmp_path: Path, marker: str, at: str, path: str) -> None:
    (tmp_path / marker).mkdir()
    break_skill(tmp_path / "skills", "pdf")
    baseline = known(tmp_path / "skills", tmp_path / at)
    assert [finding.path for finding in baseline.findings] == [path]


def test_a_git_worktree_has_a_file_called_git(tmp_path: Path) -> None:
    write(tmp_path / "tree/.git", "gitdir: ../repo\n")
    assert empty_baseline(tmp_path / "tree/ci/known.json").base == tmp_path / "tree"


def test_what_lies_elsewhere_has_its_whole_path(tmp_path: Path) -> None:
    path = break_skill(tmp_path / "user", "pdf")
    baseline = known(path, tmp_path / "repo")
    assert [finding.path for finding in baseline.findings] == [path.as_posix()]
    assert silenced(path, baseline) == ([], ["description-missing"])


@pytest.mark.parametrize("git", [True, False], ids=["repository", "no repository"])
def test_a_copy_of_the_tree_knows_the_same(tmp_path: Path, git: bool) -> None:
    top = tmp_path / "one"
    break_skill(top / "skills", "pdf")
    if git:
        (top / ".git").mkdir()
    known(top / "skills", top)
    shutil.copytree(top, tmp_path / "else/where")
    moved = load_baseline(tmp_path / "else/where/known.json")
    assert silenced(tmp_path / "else/where/skills", moved) == ([], ["description-missing"])


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = break_skill(tmp_path / os.fsdecode(b"caf\xe9"), "pdf")
    baseline = known(path, tmp_path)
    assert (tmp_path / "known.json").read_bytes().isascii()
    assert silenced(path, baseline) == ([], ["description-missing"])


# --- the file ------------------------------------------------------------------------------------


def test_the_file_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        break_skill(tmp_path / "skills", name)
    paths = [tmp_path / "skills" / name for name in ("a", "b", "c")]
    empty = empty_baseline(tmp_path / "known.json")
    one = empty.renewed(check_paths(paths), ()).dump()
    assert empty.renewed(check_paths(reversed(paths)), ()).dump() == one
    assert one.startswith(b'{\n  "version": 1,\n  "findings": [\n    {"fingerprint": "')
    assert [json.loads(line.rstrip(b",\n"))["path"] for line in one.splitlines()[3:6]] == [
        "skills/a/SKILL.md",
        "skills/b/SKILL.md",
        "skills/c/SKILL.md",
    ]
    document = json.loads(one)
    assert document["version"] == 1
    assert set(document["findings"][0]) == {"fingerprint", "rule", "path", "message"}


def test_an_empty_one_is_json_too(tmp_path: Path) -> None:
    path = write(tmp_path / "known.json", Baseline(tmp_path).dump())
    assert load_baseline(path) == Baseline(tmp_path)


FOREIGN = "name another file, or remove this one and write it anew: --write-baseline"
NONE = "known.json is no baseline that this tool wrote"


@pytest.mark.parametrize(
    ("data", "message", "help"),
    [
        pytest.param(b"", NONE, FOREIGN, id="empty"),
        pytest.param(b'{"version": 1, "find', NONE, FOREIGN, id="cut off"),
        pytest.param(b"[]", NONE, FOREIGN, id="a list"),
        pytest.param(b"1", NONE, FOREIGN, id="a number"),
        pytest.param(b"null", NONE, FOREIGN, id="null"),
        pytest.param(b'{"name": "x", "version": "1.0.0"}', NONE, FOREIGN, id="another document"),
        pytest.param(b'{"version": 1}', NONE, FOREIGN, id="no findings"),
        pytest.param(b'{"version": 1, "findings": 1}', NONE, FOREIGN, id="findings a number"),
        pytest.param(b'{"version": 1, "findings": ["x"]}', NONE, FOREIGN, id="finding a text"),
        pytest.param(b'{"version": 1, "findings": [{}]}', NONE, FOREIGN, id="finding empty"),
        pytest.param(
            b'{"version": 1, "findings": [{"fingerprint": 1, "rule": "x", "path": "x",'
            b' "message": "x"}]}',
            NONE,
            FOREIGN,
            id="a value of another type",
        ),
        pytest.param(b'{"version": ' + b"9" * 5000 + b"}", NONE, FOREIGN, id="a huge number"),
        pytest.param(b"[" * 200_000, NONE, FOREIGN, id="too deep"),
        pytest.param(b'{"findings":' * 50_000, NONE, FOREIGN, id="objects too deep"),
        pytest.param(
            b'{"version": 2, "findings": "more"}',
            "known.json is a baseline of another version than 1",
            FOREIGN,
            id="a later version",
        ),
        pytest.param(b"caf\xe9", "known.json: not UTF-8: byte 4 is 0xE9", FOREIGN, id="not UTF-8"),
    ],
)
def test_a_file_that_is_no_baseline(
    tmp_path: Path, data: bytes, message: str, help: str | None
) -> None:
    with pytest.raises(BaselineError) as caught:
        load_baseline(write(tmp_path / "known.json", data))
    if b'"1.0.0"' in data:
        message = message.replace(NONE, "known.json is a baseline of another version than 1")
    assert str(caught.value) == f"{tmp_path / message}"
    assert caught.value.help == help


def no_file(path: Path) -> None:
    pass


def directory(path: Path) -> None:
    path.mkdir()


def dangling_link(path: Path) -> None:
    link(path, "nowhere.json")


def pipe(path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(path)


def too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (no_file, " does not exist"),
        (directory, ": this is a directory, not a file"),
        (dangling_link, ': this is a link to "nowhere.json", which leads nowhere'),
        (pipe, ": this is a named pipe, not a file"),
        (too_large, ": the file has 67,108,865 bytes, the limit is 67,108,864"),
    ],
)
def test_what_lies_at_its_path(tmp_path: Path, make: Callable[[Path], None], message: str) -> None:
    path = tmp_path / "known.json"
    make(path)
    with pytest.raises(BaselineError) as caught:
        load_baseline(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_baseline_that_may_not_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "known.json", Baseline(tmp_path).dump())
    with denied(path), pytest.raises(BaselineError, match="can't be read: Permission denied"):
        load_baseline(path)


# --- what is gone, and what stays ----------------------------------------------------------------


def gone(baseline: Baseline, check: Check, whole: bool = False) -> list[str]:
    return [f"{f.path} {f.rule}" for f in baseline.gone(check, check, whole)]


def test_what_was_mended_is_gone(tmp_path: Path) -> None:
    path = break_skill(tmp_path, "pdf")
    baseline = known(path, tmp_path)
    assert gone(baseline, check_paths([path])) == []
    write_skill(tmp_path, "pdf")
    assert gone(baseline, check_paths([path])) == ["pdf/SKILL.md description-missing"]


def test_what_was_removed_is_gone(tmp_path: Path) -> None:
    path = break_skill(tmp_path, "pdf")
    other = write_skill(tmp_path, "other")
    baseline = known(path, tmp_path)
    shutil.rmtree(path.parent)
    assert gone(baseline, check_paths([other])) == ["pdf/SKILL.md description-missing"]


def test_what_was_not_looked_at_is_not_gone(tmp_path: Path) -> None:
    one, two = break_skill(tmp_path / "skills", "one"), break_skill(tmp_path / "skills", "two")
    baseline = known(tmp_path / "skills", tmp_path)
    for name in ("one", "two"):
        write_skill(tmp_path / "skills", name)
    check = check_paths([one])
    assert gone(baseline, check) == ["skills/one/SKILL.md description-missing"]
    renewed = baseline.renewed(check, baseline.gone(check, check, whole=False))
    assert [finding.path for finding in renewed.findings] == ["skills/two/SKILL.md"]
    assert two.exists()


def test_what_another_machine_has_is_not_gone(tmp_path: Path) -> None:
    path = break_skill(tmp_path / "user", "pdf")
    baseline = known(path, tmp_path / "repo")
    shutil.rmtree(path.parent)
    assert gone(baseline, check_paths([write_skill(tmp_path / "repo", "one")])) == []


def test_what_is_only_left_out_is_not_gone(tmp_path: Path) -> None:
    path = write_skill(
        tmp_path, "pdf", "allowed-tools: Read", body=LINK.format("a"), files={"x": ""}
    )
    baseline = known(path, tmp_path)
    found = check_paths([path])
    for choice in (
        Choice(select=frozenset({"name-type"})),
        Choice(ignore=frozenset({"allowed-tools-ignored", "reference-missing"})),
        Choice(severity={"allowed-tools-ignored": Severity.INFO}),
        Choice(overrides=(Override(("**",), frozenset({"reference-missing"})),)),
    ):
        check = choice.check(found)
        assert baseline.gone(check, found, whole=True) == ()
        assert baseline.renewed(check, ()).dump() == baseline.dump()


def test_what_is_known_of_a_comment_is_not_gone(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf", body="<!-- insomnia-skills: ignore body-long -->\n")
    found = check_paths([path])
    check = Choice().check(found)
    baseline = empty_baseline(tmp_path / "known.json").renewed(check, ())
    assert [finding.rule for finding in baseline.findings] == ["ignore-unused"]
    assert baseline.gone(check, found, whole=True) == ()


def test_a_finding_in_another_file_of_the_skill_goes_too(tmp_path: Path) -> None:
    path = write_skill(tmp_path / "skills", "pdf")
    link(path.parent / "out", write(tmp_path / "secret", "x"))
    baseline = known(path, tmp_path)
    (path.parent / "out").unlink()
    write(path.parent / "out", "x")
    assert gone(baseline, check_paths([path])) == ["skills/pdf/out link-escapes-skill"]


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    break_skill(tree.workspace / "skills", "old")
    write_skill(tree.workspace / "skills", "fine")
    tree.name_roots("skills", "missing")
    return tree


def run(tree: Tree, *arguments: str, baseline: str | None = "known.json") -> Run:
    options = ("--baseline", baseline) if baseline else ()
    return cli.call_in(tree, "validate", *arguments, *options, "--format", "text")


def listed(tree: Tree, name: str = "known.json") -> list[str]:
    document = json.loads((tree.workspace / name).read_bytes())
    return [f"{finding['path']} {finding['rule']}" for finding in document["findings"]]


BOTH = [".insomnia/manifest.toml root-missing", "skills/old/SKILL.md description-missing"]


def test_an_old_repository_starts_today(tree: Tree) -> None:
    assert run(tree, baseline=None).code == 1
    written = run(tree, "--write-baseline")
    assert (written.code, written.stderr) == (0, "Wrote 2 findings to known.json\n")
    assert "nothing new, 2 known from the baseline" in written.text
    assert listed(tree) == BOTH
    silent = run(tree, "--strict")
    assert (silent.code, silent.stderr) == (0, "")
    assert "error[" not in silent.text
    assert "1 skill would be skipped all the same." in silent.text
    break_skill(tree.workspace / "skills", "new")
    failed = run(tree)
    assert failed.code == 1
    assert "skills/new/SKILL.md:1:1" in failed.text
    assert "skills/old/SKILL.md:1:1" not in failed.text


def test_what_is_gone_is_told_and_taken_out(tree: Tree) -> None:
    run(tree, "--write-baseline")
    write_skill(tree.workspace / "skills", "old")
    done = run(tree)
    note = "note: 1 finding of known.json found no more; --write-baseline takes them out\n"
    assert (done.code, done.stderr) == (0, note)
    assert run(tree, "-q").stderr == ""
    assert run(tree, "--write-baseline").stderr == "Wrote 1 finding to known.json\n"
    assert listed(tree) == BOTH[:1]
    assert run(tree).stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["skills/fine"], id="other paths"),
        pytest.param([".insomnia/manifest.toml"], id="the manifest without its roots"),
        pytest.param(["--select", "name-*"], id="other rules"),
        pytest.param(["--ignore", "root-missing,description-missing"], id="ignored rules"),
    ],
)
def test_a_run_that_sees_less_keeps_the_rest(tree: Tree, arguments: list[str]) -> None:
    run(tree, "--write-baseline")
    before = (tree.workspace / "known.json").read_bytes()
    assert "found no more" not in run(tree, *arguments).stderr
    assert run(tree, *arguments, "--write-baseline").code == 0
    assert (tree.workspace / "known.json").read_bytes() == before


def test_a_run_that_sees_less_adds_what_it_finds(tree: Tree) -> None:
    run(tree, "--write-baseline")
    break_skill(tree.workspace / "skills", "new")
    run(tree, "skills/new", "--write-baseline")
    assert listed(tree) == [BOTH[0], "skills/new/SKILL.md description-missing", BOTH[1]]


def test_the_configuration_names_it(tree: Tree) -> None:
    write(tree.workspace / "insomnia-skills.toml", 'baseline = "ci/known.json"\n')
    missing = run(tree, baseline=None)
    path = tree.workspace / "ci/known.json"
    assert missing.code == 2
    assert missing.stderr == (
        f"error: baseline: {path} does not exist\n  help: write it: add --write-baseline\n"
    )
    assert run(tree, "--write-baseline", baseline=None).code == 0
    assert listed(tree, "ci/known.json") == BOTH
    below = tree.workspace / "skills"
    assert cli.call_in(tree, "validate", cwd=below).code == 0
    assert run(tree).code == 2  # the command's own comes first, and that one is not there


def test_a_baseline_is_named_from_where_the_command_runs(tree: Tree) -> None:
    below = tree.workspace / "skills"
    command = ("validate", "--baseline", "../known.json")
    assert cli.call_in(tree, *command, "--write-baseline", cwd=below).code == 0
    assert listed(tree) == BOTH
    assert cli.call_in(tree, *command, cwd=below).code == 0


@pytest.mark.parametrize("write_it", [False, True], ids=["read", "write"])
@pytest.mark.parametrize(
    "text", ["", '{"name": "x"}', "[" * 100_000], ids=["empty", "other", "deep"]
)
def test_a_foreign_file_is_neither_used_nor_overwritten(
    tree: Tree, text: str, write_it: bool
) -> None:
    path = write(tree.workspace / "known.json", text)
    done = run(tree, *(["--write-baseline"] if write_it else []))
    assert (done.code, done.text) == (2, "")
    assert (
        done.stderr
        == f"error: baseline: {path} is no baseline that this tool wrote\n  help: {FOREIGN}\n"
    )
    assert path.read_text() == text


def test_no_file_is_named(tree: Tree) -> None:
    done = run(tree, "--write-baseline", baseline=None)
    assert (done.code, done.text) == (2, "")
    assert done.stderr == (
        "error: --write-baseline: no file is named\n"
        "  help: name it: --baseline skills-baseline.json\n"
    )


def test_what_is_no_answer_is_not_written(tree: Tree) -> None:
    write(tree.manifest, "[skills\n")
    assert run(tree, "--write-baseline").code == 2
    (tree.workspace / "empty").mkdir()
    assert run(tree, "empty", "--write-baseline").code == 2
    assert not (tree.workspace / "known.json").exists()


def test_it_is_written_as_a_whole(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tree, "--write-baseline")
    path = tree.workspace / "known.json"
    before = path.read_bytes()
    break_skill(tree.workspace / "skills", "new")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device", "known.json")

    monkeypatch.setattr("os.replace", fail)
    assert run(tree, "--write-baseline").code == 74
    assert path.read_bytes() == before
    assert sorted(p.name for p in tree.workspace.iterdir()) == [".insomnia", "known.json", "skills"]


def test_writing_twice_changes_nothing(tree: Tree) -> None:
    run(tree, "--write-baseline")
    before = (tree.workspace / "known.json").read_bytes()
    run(tree, "--write-baseline")
    assert (tree.workspace / "known.json").read_bytes() == before


def test_quiet_writes_and_says_nothing(tree: Tree) -> None:
    done = run(tree, "--write-baseline", "-q")
    assert (done.code, done.both) == (0, "")
    assert listed(tree) == BOTH


def test_the_other_commands_know_no_baseline(tree: Tree) -> None:
    run(tree, "--write-baseline")
    write(tree.workspace / "insomnia-skills.toml", 'baseline = "known.json"\n')
    done = cli.call_in(tree, "resolve", "--format", "json")
    assert [skipped["slug"] for skipped in done.document["skipped"]] == ["old"]
