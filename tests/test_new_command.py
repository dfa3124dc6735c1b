"""`new`: what it writes is valid, where it goes, and that nothing is overwritten or half done."""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from insomnia_skills.edit.new import PARTS
from insomnia_skills.edit.write import NewFile, write_tree
from insomnia_skills.frontmatter import read_document
from insomnia_skills.yaml.node import Scalar
from tests.cli import NO_COLOR, Run, call_in
from tests.trees import Tree, break_skill, link, write, write_skill

SCHEMA = json.loads((Path(__file__).parents[1] / "schemas/new.schema.json").read_text("utf-8"))


def new(tree: Tree, *arguments: str | Path, terminal: bool = False) -> Run:
    return call_in(tree, "new", *arguments, terminal=terminal, env=NO_COLOR)


def everything(directory: Path) -> list[str]:
    """All that lies below a directory, hidden files too."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace whose manifest names one root, which is not there yet."""
    tree = Tree(tmp_path)
    tree.name_roots(".claude/skills")
    return tree


# What it writes is valid.


ALL_PARTS = [parts for size in range(4) for parts in combinations(PARTS, size)]


@pytest.mark.parametrize("parts", ALL_PARTS, ids=lambda parts: ",".join(parts) or "none")
def test_a_described_skill_has_no_finding_at_all(parts: tuple[str, ...], tree: Tree) -> None:
    given = ("--with", ",".join(parts)) if parts else ()
    described = ("--description", "Reads tables. Use when asked to.")
    assert new(tree, "pdf-tables", *described, *given).code == 0
    checked = call_in(tree, "validate", "--strict", "-v", "--format", "json")
    assert checked.code == 0
    assert checked.document["diagnostics"] == []
    files = (tree.workspace / ".claude/skills/pdf-tables").rglob("*")
    assert {path.parent.name for path in files if path.is_file()} == {"pdf-tables", *parts}


@pytest.mark.parametrize(
    "name", ["x", "2048", "1e5", "0x1f", "null", "yes", "n", "todo", "a-1-b", "a" * 64]
)
def test_every_name_that_is_allowed_makes_a_valid_skill(name: str, tree: Tree) -> None:
    assert new(tree, name, "--with", "scripts,references,assets").code == 0
    checked = call_in(tree, "validate", "--strict", "-v", "--format", "json")
    (note,) = checked.document["diagnostics"]
    assert checked.code == 0
    assert (note["rule"], note["severity"]) == ("placeholder-left", "info")


@pytest.mark.parametrize(
    ("description", "written"),
    [
        ("Reads mail. Use when asked", "description: Reads mail. Use when asked"),
        ("Reads: mail", 'description: "Reads: mail"'),
        ("Reads #4 # and #5", 'description: "Reads #4 # and #5"'),
        ('Says "hello"', "description: 'Says \"hello\"'"),
        ('Says "it\'s" \\o/', 'description: "Says \\"it\'s\\" \\\\o/"'),
        ("Liest für dich 日本語", 'description: "Liest für dich 日本語"'),
        ("One\nTwo\r\n\tThree", 'description: "One\\nTwo\\r\\n\\tThree"'),
        ("- [a, b]", 'description: "- [a, b]"'),
        ("true", 'description: "true"'),
        ("1.10", 'description: "1.10"'),
        (" around ", 'description: " around "'),
        ("\u200b seen\u2028\x7f\U000e0041", 'description: "\\u200b seen\\u2028\\x7f\\U000e0041"'),
        ("x" * 1024, "description: " + "x" * 1024),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_description_is_read_back_as_it_was_given(
    description: str, written: str, tree: Tree
) -> None:
    assert new(tree, "mail", "--description", description).code == 0
    path = tree.workspace / ".claude/skills/mail/SKILL.md"
    assert path.read_bytes().decode().splitlines()[2] == written
    value = (read_document(path).fields or {})["description"].value
    assert isinstance(value, Scalar)
    assert value.value == description


def test_a_skill_that_is_not_described_is_valid_and_noted(tree: Tree) -> None:
    """Where anybody looks: by `new` at once, by `list` for people, by `validate` for its author."""
    said = "its description first: until then it tells a model to leave it alone"
    assert said in " ".join(new(tree, "mail", terminal=True).text.split())
    assert said not in new(tree, "post", "--description", "Posts.", terminal=True).text
    assert "\tNot described yet: say here" in call_in(tree, "list").lines[0]
    done = call_in(tree, "validate", ".claude/skills/mail", "--strict", "-v", env=NO_COLOR)
    assert done.code == 0
    told = 'info[placeholder-left] left-over text: "Not described yet: say here'
    assert told in done.text


def test_what_rules_say_of_a_description_is_told(tree: Tree) -> None:
    done = new(tree, "mail", "--description", "Use when <b>mail</b> came.")
    assert done.code == 0
    assert "warning[description-xml-tags]" in done.stderr
    assert new(tree, "post", "--description", "Use when <b>mail</b> came.", "-q").stderr == ""


def test_scripts_are_executable_and_the_umask_is_obeyed(tree: Tree) -> None:
    before = os.umask(0o027)
    try:
        new(tree, "pdf", "--with", "scripts,assets")
    finally:
        os.umask(before)
    skill = tree.workspace / ".claude/skills/pdf"
    modes = {path: stat.S_IMODE((skill / path).stat().st_mode) for path in everything(skill)}
    assert modes == {
        "SKILL.md": 0o640,
        "assets": 0o750,
        "assets/template.md": 0o640,
        "scripts": 0o750,
        "scripts/run.sh": 0o750,
    }
    assert stat.S_IMODE(skill.parent.stat().st_mode) == 0o750


# Where it goes.


def test_a_root_that_leads_out_of_the_workspace_has_to_be_named(tree: Tree) -> None:
    (tree.top / "mine").mkdir()
    link(tree.workspace / "skills", "../mine")
    tree.name_roots("skills")
    done = call_in(tree, "new", "fresh")
    assert (done.code, done.text) == (2, "")
    assert done.stderr.startswith("error: skills leads out of the workspace, to ")
    assert os.listdir(tree.top / "mine") == []
    assert call_in(tree, "new", "fresh", "--in", "../mine").code == 0
    assert os.listdir(tree.top / "mine") == ["fresh"]


def test_it_goes_into_the_first_root_that_can_have_it(tree: Tree) -> None:
    write(tree.workspace / "file", "no directory")
    write_skill(tree.workspace, "one")
    tree.name_roots("file", "one", "~/skills", "$HOME/skills", "not/there/yet", ".claude/skills")
    done = new(tree, "/pdf")
    assert done.lines == [str(tree.workspace / "not/there/yet/pdf/SKILL.md")]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (None, "names no directory of skills"),
        ("[skills]\ndirectories = []\n", "names no directory of skills"),
        ('[skills]\ndirectories = ["~/s"]\n', "names no directory of skills that is there"),
    ],
    ids=["no manifest", "no entry", "none that can be one"],
)
def test_without_a_root_it_says_what_to_write(
    manifest: str | None, said: str, tmp_path: Path
) -> None:
    tree = Tree(tmp_path)
    if manifest is not None:
        write(tree.manifest, manifest)
    done = new(tree, "pdf")
    assert (done.code, done.text) == (2, "")
    assert done.stderr == (
        f"error: where to write it is not known: .insomnia/manifest.toml {said}\n"
        "  help: say it: --in .claude/skills, or --in ~/config/skills for all your workspaces\n"
    )
    assert "config" not in new(tree, "pdf", "--no-user").stderr


def test_a_manifest_that_is_not_toml_names_no_root(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write(tree.manifest, "[skills\n")
    done = new(tree, "pdf")
    assert done.code == 2
    assert "manifest-syntax" in done.stderr
    assert "help: say it: --in DIR" in done.stderr
    assert new(tree, "pdf", "--in", "here").code == 0


def test_a_directory_that_no_manifest_names_is_written_with_advice(tree: Tree) -> None:
    done = new(tree, "pdf", "--in", "my skills/here")
    assert done.code == 0
    assert done.lines == [str(tree.workspace / "my skills/here/pdf/SKILL.md")]
    advice = "insomnia-skills sources add 'my skills/here'"
    assert done.stderr == f"No manifest names this directory: {advice}\n"
    assert new(tree, "odt", "--in", "my skills/here", "-q").stderr == ""
    assert new(tree, "csv", "--in", "../config/skills").stderr == ""
    with_option = new(tree, "txt", "--in", "more", "--directory", "my skills/here")
    assert "sources add more" in with_option.stderr
    assert "sources add" in new(tree, "svg", "--in", "more", "--directory", "more").stderr


# What is asked for can't be.


@pytest.mark.parametrize(
    ("arguments", "message", "help_"),
    [
        (
            ("PDF",),
            'name has the capital letter "P", only a-z, 0-9 and the hyphen may be in it',
            '"pdf" would do, for the directory too',
        ),
        (("a--b",), "name has two hyphens in a row", '"a-b" would do, for the directory too'),
        (
            (".claude/skills/foo",),
            '".claude/skills/foo" is a path, and a name has no slash in it',
            "help: insomnia-skills new foo --in .claude/skills\n",
        ),
        (("../up/",), '"../up/" is a path', "help: insomnia-skills new up --in ..\n"),
        (("/else/where/up",), "is a path", "help: insomnia-skills new up --in /else/where\n"),
        (("my skills/b",), "is a path", "help: insomnia-skills new b --in 'my skills'\n"),
        (("x/b", "--in", "a"), "is a path", "help: insomnia-skills new b --in a/x\n"),
        (("b/",), '"b/" is a path', "help: insomnia-skills new b\n"),
        (("a/B",), 'name has "/", only a-z', '"a-b"'),
        (("a" * 65,), "name has 65 characters, the limit is 64", "shorten it"),
        (("/",), "the name is empty", "a name has a-z, 0-9 and hyphens"),
        (("pdf", "--with", "scripts,docs"), '--with: a skill has no "docs"', "it may have scripts"),
        (("pdf", "--with", ""), "--with: a name is empty", "it may have scripts, references"),
        (("pdf", "--with", "scripts,"), "--with: a name is empty", "it may have scripts"),
        (("pdf", "--description", " "), "description is empty", "say what it does"),
        (
            ("pdf", "--description", "x" * 1030),
            "description has 1,030 characters, the limit is 1,024",
            "take out 6",
        ),
        (("pdf", "--description", "a\udcffb"), "stands for no character", "write the character"),
        (("pdf", "--in", ""), "--in names no directory", ""),
        (("pdf", "--in", "file"), "is a file, a skills root is a directory", "name the directory"),
        (("pdf", "--in", "file/below"), 'file/below" is not there', ""),
        (
            ("pdf", "--in", "one"),
            "is a skill, not a directory of skills",
            "name the directory above",
        ),
        (("pdf", "--in", "x" * 256), "can't be listed: File name too long\n", ""),
        (("pdf", "--in", "~/skills"), 'no directory is called "~/skills"', "write it out: "),
        (("pdf", "--in", "nowhere"), 'nowhere" is not there', ""),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_a_wrong_question_is_answered_with_what_would_do(
    arguments: tuple[str, ...], message: str, help_: str, tree: Tree
) -> None:
    write(tree.workspace / "file", "no directory")
    write_skill(tree.workspace, "one")
    link(tree.workspace / "nowhere", "gone")
    before = everything(tree.top)
    done = new(tree, *arguments)
    assert (done.code, done.text) == (2, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert help_ in done.stderr
    assert everything(tree.top) == before


# Nothing is overwritten, and nothing is left half done.


@pytest.mark.parametrize("what", ["skill", "directory", "file", "broken link"])
def test_what_is_there_stays(what: str, tree: Tree) -> None:
    place = tree.workspace / ".claude/skills/pdf"
    match what:
        case "skill":
            write_skill(place.parent, "pdf")
        case "directory":
            place.mkdir(parents=True)
        case "file":
            write(place, "mine")
        case _:
            link(place, "gone")
    before = everything(tree.workspace)
    done = new(tree, "pdf")
    assert (done.code, done.text) == (1, "")
    assert done.stderr == (
        ".claude/skills/pdf is there already, and stays as it is\n"
        "  help: take another name, or another directory with --in DIR\n"
    )
    assert everything(tree.workspace) == before


@pytest.mark.parametrize("is_there", [True, False], ids=["root there", "root to be made"])
@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT], ids=lambda s: s.name)
def test_an_interruption_leaves_nothing(
    signal_: signal.Signals, is_there: bool, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_there:
        (tree.workspace / ".claude/skills").mkdir(parents=True)
    before = everything(tree.workspace)
    files = count()

    def interrupt(descriptor: int) -> None:
        if next(files) == 2:
            os.kill(os.getpid(), signal_)

    monkeypatch.setattr(os, "fsync", interrupt)
    done = new(tree, "pdf", "--with", "scripts,references,assets")
    assert done.code == {signal.SIGTERM: 143, signal.SIGINT: 130}[signal_]
    assert everything(tree.workspace) == before


def count() -> Iterator[int]:
    yield from range(100)


@pytest.mark.parametrize("what", ["file", "filled directory"])
def test_what_came_up_meanwhile_stays(
    what: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tree.workspace / ".claude/skills/pdf"
    real = os.rename

    def rename(source: Path, target: Path) -> None:
        write(place if what == "file" else place / "SKILL.md", "mine")
        real(source, target)

    place.parent.mkdir(parents=True)
    monkeypatch.setattr(os, "rename", rename)
    done = new(tree, "pdf")
    assert done.code == 1
    assert done.stderr.startswith(".claude/skills/pdf is there already, and stays as it is\n")
    assert (place if what == "file" else place / "SKILL.md").read_text() == "mine"
    assert [name for name in os.listdir(place.parent) if name != "pdf"] == []


def test_what_came_up_just_before_is_there_already(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tree.workspace / ".claude/skills/pdf"
    place.parent.mkdir(parents=True)
    monkeypatch.setattr(os, "fsync", lambda _: place.mkdir(exist_ok=True))
    assert new(tree, "pdf").code == 1
    assert everything(place.parent) == ["pdf"]


def test_a_tree_is_not_written_into_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        write_tree(tmp_path, [NewFile("a", b"")])
    assert everything(tmp_path) == []


# What becomes of the slug.


def test_a_new_skill_for_a_person(tree: Tree) -> None:
    done = new(tree, "pdf-tables", "--with", "references,scripts", terminal=True)
    assert done.code == 0
    assert done.lines == [
        "Wrote .claude/skills/pdf-tables/",
        "├ SKILL.md",
        "├ scripts/run.sh  executable",
        "└ references/details.md",
        "",
        "/pdf-tables has no other copy.",
        "Next",
        "  edit    .claude/skills/pdf-tables/SKILL.md",
        "          its description first: until then it tells a model to leave it alone",
        "  check   insomnia-skills validate .claude/skills/pdf-tables",
        "  preview insomnia-skills show /pdf-tables",
    ]


@pytest.mark.parametrize(
    ("others", "arguments", "said", "next_"),
    [
        (
            {".cursor/skills": "pdf", "config": "pdf"},
            (),
            "/pdf is this one from now on, and shadows .cursor/skills/pdf, user skills/pdf.",
            "show /pdf",
        ),
        (
            {".claude/skills": "pdf"},
            ("--in", ".cursor/skills"),
            "/pdf calls another copy: .claude/skills/pdf.",
            "show /pdf --source 2.2",
        ),
        (
            {"native": "pdf"},
            (),
            "/pdf calls another copy: native workflow.",
            "show /pdf --source 2.1",
        ),
        ({"broken": "pdf"}, ("--in", ".cursor/skills"), "/pdf has no other copy.", "show /pdf"),
        (
            {},
            ("--in", "x y"),
            "No manifest names this directory, so no Pod reads what is in it.",
            "sources add 'x y'",
        ),
        (
            {"native": "pdf"},
            ("--in", "x"),
            "/pdf calls another copy: native workflow. No manifest names this directory",
            "sources add x",
        ),
    ],
    ids=["wins", "loses", "native", "broken is no copy", "unnamed", "unnamed and native"],
)
def test_who_has_the_slug_is_told(
    others: dict[str, str], arguments: tuple[str, ...], said: str, next_: str, tree: Tree
) -> None:
    tree.name_roots(".claude/skills", ".cursor/skills")
    for place, name in others.items():
        if place == "native":
            tree.write_workflow(name)
        elif place == "broken":
            break_skill(tree.workspace / ".claude/skills", name)
        else:
            write_skill(tree.user_skills if place == "config" else tree.workspace / place, name)
    done = call_in(tree, "new", "pdf", *arguments, terminal=True, columns=120, env=NO_COLOR)
    assert done.code == 0
    assert said in " ".join(done.lines)
    assert f"insomnia-skills {next_}" in [line[10:] for line in done.lines]


def test_the_next_steps_are_about_the_same_places(tree: Tree) -> None:
    write(tree.workspace / "-x/README.md", "a directory like an option")
    options = ("--workspace", tree.workspace, "--directory", "workspace/-x", "--no-user")
    done = call_in(tree, "new", "pdf", *options, cwd=tree.top, terminal=True, env=NO_COLOR)
    steps = [line[10:] for line in done.lines if line.startswith("  ")]
    preview = "show /pdf --workspace workspace --directory workspace/-x --no-user"
    assert steps[-1] == f"insomnia-skills {preview}"
    assert call_in(tree, *preview.split(), cwd=tree.top).code == 0
    done = new(tree, "odt", "--in=-x", terminal=True)
    assert "insomnia-skills validate ./-x/odt" in [line[10:] for line in done.lines]
    assert call_in(tree, "validate", "./-x/odt").code == 0


def test_a_dry_run_shows_the_files_and_writes_nothing(tree: Tree) -> None:
    done = new(tree, "pdf", "--with", "scripts", "--dry-run", terminal=True)
    assert done.code == 0
    assert done.lines[0] == "Would write .claude/skills/pdf/"
    assert "name: pdf" in done.lines
    assert "#!/bin/sh" in done.lines
    assert "Next" not in done.lines
    assert not (tree.workspace / ".claude").exists()


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)], ids=["written", "dry run"])
def test_json_has_all_that_is_told(dry_run: tuple[str, ...], tree: Tree) -> None:
    lost = write_skill(tree.user_skills, "pdf")
    told = ("--description", "<b>x</b>", "--format", "json")
    done = new(tree, "pdf", "--with", "scripts", *told, *dry_run)
    assert (done.code, done.stderr) == (0, "")
    document = done.document
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    skill = tree.workspace / ".claude/skills/pdf"
    assert document["slug"] == "pdf"
    assert document["path"] == str(skill / "SKILL.md")
    assert document["directory"] == str(skill)
    assert document["written"] is not bool(dry_run)
    assert [(f["path"], f["executable"]) for f in document["files"]] == [
        (str(skill / "SKILL.md"), False),
        (str(skill / "scripts/run.sh"), True),
    ]
    assert document["source"] == {"kind": "workspace-skill", "path": str(skill.parent)}
    assert document["winner"] is None
    assert [record["path"] for record in document["shadows"]] == [str(lost)]
    assert [d["rule"] for d in document["diagnostics"]] == ["description-xml-tags"]
    assert skill.exists() is not bool(dry_run)
    if not dry_run:
        for file in document["files"]:
            assert Path(file["path"]).read_bytes() == file["text"].encode()
            assert file["size"] == len(file["text"].encode())
