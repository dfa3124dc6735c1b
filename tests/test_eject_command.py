"""`eject`: it writes the skill again, says what follows from that, and refuses to lose anything."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from insomnia_skills.edit.eject import EjectError, plan_eject, write_ejection
from insomnia_skills.edit.write import ChangedError
from insomnia_skills.workflow import FileChangedError, load_body
from tests.cli import NO_COLOR, Run, call_in
from tests.trees import Tree, break_skill, link, write, write_manifest, write_skill

SCHEMA = json.loads((Path(__file__).parents[1] / "schemas/eject.schema.json").read_text("utf-8"))


def eject(tree: Tree, *arguments: str, terminal: bool = False) -> Run:
    return call_in(tree, "eject", *arguments, terminal=terminal, env=NO_COLOR)


def test_nothing_is_ejected_where_a_manifest_has_an_error(tree: Tree) -> None:
    write(tree.manifest, '[skills]\ndirectories = ".claude/skills"\n')
    done = call_in(tree, "eject", "/review")
    assert done.code == 2
    assert "which copies of /review there are is not known" in done.stderr
    assert not workflow(tree).exists()


def test_a_new_workspace_below_its_repository_is_told(tree: Tree) -> None:
    (tree.workspace / ".git").mkdir()
    tree.manifest.unlink()
    tree.manifest.parent.rmdir()
    below = tree.workspace / "src"
    below.mkdir()
    done = call_in(tree, "eject", "/review", "--dry-run", cwd=below)
    assert done.stderr.startswith("note: this makes src a workspace of its own; for the whole ")


def workflow(tree: Tree, slug: str = "review") -> Path:
    return tree.workspace / f".insomnia/memory/workflow/{slug}.md"


def snapshot(top: Path) -> dict[str, bytes | None]:
    """Everything below a directory: files with their bytes, hidden ones too."""
    return {
        str(path.relative_to(top)): path.read_bytes() if path.is_file() else None
        for path in sorted(top.rglob("*"))
    }


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A workspace with /review in two places, with files and fields that a Workflow has not."""
    tree = Tree(tmp_path)
    tree.name_roots(".claude/skills")
    write_skill(
        tree.workspace / ".claude/skills",
        "review",
        "license: MIT",
        "metadata:",
        '  version: "1.3"',
        "allowed-tools: Read Grep",
        "argument-hint:",
        description="Reviews a change. Use when asked to.",
        body="\nRead [the list](references/list.md), [twice](references/list.md).\n\n"
        "1. Run `scripts/changed.sh`.\n2. See [others](../other/x.md) and [web](https://a.b/c.md).\n",
        files={"references/list.md": "Bugs.\n", "scripts/changed.sh": "git diff\n"},
    )
    write_skill(tree.workspace / ".claude/skills", "other", files={"x.md": "x"})
    write_skill(tree.user_skills, "review")
    return tree


# What it writes is the skill again.


BODIES = {
    "usual": "\nDo it.\n",
    "none": "",
    "no line end": "Do it.",
    "Windows": "\r\nDo it.\r\n\r\nTwice.\r\n",
    "fences": "---\nnot: frontmatter\n---\nDo it.\n",
    "blanks": " \n\t\nDo it.  \n\n\n",
    "odd characters": "\ufeff\u200b\u2028é日本\x0b\x0c\x1b[31m\x00\n",
    "placeholders": "$ARGUMENTS ${CLAUDE_SKILL_DIR} {{x}} %s \\n\n",
}
DESCRIPTIONS = {
    "usual": "'Reviews: a #change.'",
    "folded": ">\n  Reads\n  mail.\n\n  Use when asked.\n",
    "kept lines": "|+\n  Reads\n  mail.\n\n",
    "quotes": '"It\'s \\"good\\" and \\t more"',
    "1024 characters": "x" * 1024,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_body_is_the_same_byte_for_byte(body: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    skill = write(
        tree.user_skills / "a/SKILL.md", f"---\nname: a\ndescription: D.\n---\n{body}".encode()
    )
    assert eject(tree, "/a").code == 0
    assert (
        workflow(tree, "a").read_bytes()
        == (
            "---\ndescription: D.\nmodel_invokation: true\nuser_invocable: true\n---\n" + body
        ).encode()
    )
    native = tree.ingest().find("a")
    assert native is not None
    assert native.path == workflow(tree, "a")
    assert load_body(native).encode() == skill.read_bytes().partition(b"D.\n---\n")[2]


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte-order mark"])
def test_the_fields_are_the_same(mark: str, description: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    text = f"{mark}---\nname: a\ndescription: {description}\n---\nDo it.\n"
    write(tree.user_skills / "a/SKILL.md", text)
    before = tree.ingest().find("a")
    assert eject(tree, "a").code == 0
    after = tree.ingest().find("a")
    assert before is not None
    assert after is not None
    same = ("slug", "description", "model_invokation", "user_invocable", "requires", "body_digest")
    assert [getattr(after, key) for key in same] == [getattr(before, key) for key in same]
    assert (after.directory, after.stand_in) == (None, False)
    assert call_in(tree, "validate", "--strict", str(after.path)).code == 0


def test_a_skill_is_written_into_a_workspace_that_has_nothing_yet(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.user_skills, "a")
    assert eject(tree, "a").code == 0
    assert list(snapshot(tree.workspace / ".insomnia")) == [
        "memory",
        "memory/workflow",
        "memory/workflow/a.md",
    ]


# What it says follows from that.


def test_what_follows_is_told_to_a_person(tree: Tree) -> None:
    done = eject(tree, "/review", terminal=True)
    assert (done.code, done.stderr) == (0, "")
    assert done.lines == [
        "Wrote .insomnia/memory/workflow/review.md, from .claude/skills/review/SKILL.md",
        "",
        "/review shadows from now on",
        "  workspace skill  .claude/skills/review/SKILL.md",
        "  user skill       ~/config/skills/review/SKILL.md",
        "",
        "A native Workflow does not keep",
        "  license        MIT",
        '  metadata       {"version": "1.3"}',
        "  allowed-tools  Read Grep",
        "  argument-hint  null",
        "",
        "No longer in the Scope: 2 files in .claude/skills/review",
        "  references/list.md",
        "  scripts/changed.sh",
        "",
        "Leads nowhere from there",
        "  line 7: references/list.md",
        "  line 9: scripts/changed.sh",
        "  line 10: ../other/x.md",
        "",
        "Next",
        "  edit    .insomnia/memory/workflow/review.md",
        "  preview insomnia-skills show /review",
        "  undo    rm .insomnia/memory/workflow/review.md",
    ]
    written = workflow(tree).read_text().splitlines()
    assert "references/list.md" in written[6]
    assert "../other/x.md" in written[9]


def test_what_there_is_nothing_of_is_left_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.user_skills, "a")
    assert eject(tree, "a", terminal=True).lines == [
        "Wrote .insomnia/memory/workflow/a.md, from ~/config/skills/a/SKILL.md",
        "",
        "/a shadows from now on",
        "  user skill  ~/config/skills/a/SKILL.md",
        "",
        "Next",
        "  edit    .insomnia/memory/workflow/a.md",
        "  preview insomnia-skills show /a",
        "  undo    rm .insomnia/memory/workflow/a.md",
    ]


def test_of_very_many_files_the_first_are_told(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    files = {f"assets/{number:03}.txt": "x" for number in range(33)}
    write_skill(tree.user_skills, "a", f"license: {'long ' * 30}", files=files)
    lines = eject(tree, "a", terminal=True).lines
    assert "  license  " + "long " * 11 + "long…" in lines
    more = lines.index("  and 13 more (--format json has all)")
    assert lines[more - 1] == "  assets/019.txt"
    assert lines[more + 1 : more + 3] == ["", "Next"]


def test_what_comes_next_is_about_the_same_workspace(tree: Tree) -> None:
    tree.manifest.parent.mkdir(parents=True, exist_ok=True)
    arguments = ("eject", "review", "--workspace", "workspace")
    done = call_in(tree, *arguments, cwd=tree.top, terminal=True, env=NO_COLOR)
    assert done.lines[-3:] == [
        "  edit    workspace/.insomnia/memory/workflow/review.md",
        "  preview insomnia-skills show /review --workspace workspace",
        "  undo    rm workspace/.insomnia/memory/workflow/review.md",
    ]


def test_what_was_replaced_is_not_undone_by_removing_it(tree: Tree) -> None:
    tree.write_workflow("review")
    assert eject(tree, "/review", "--force", terminal=True).lines[-3:] == [
        "Next",
        "  edit    .insomnia/memory/workflow/review.md",
        "  preview insomnia-skills show /review",
    ]


def test_a_dry_run_has_nothing_next(tree: Tree) -> None:
    assert "Next" not in eject(tree, "/review", "--dry-run", terminal=True).lines


def test_piped_it_is_one_fact_a_line(tree: Tree) -> None:
    directory = tree.workspace / ".claude/skills/review"
    assert eject(tree, "/review").lines == [
        f"workflow\t{workflow(tree)}",
        f"shadows\t{directory}/SKILL.md",
        f"shadows\t{tree.user_skills}/review/SKILL.md",
        *(f"dropped\t{f}" for f in ("license", "metadata", "allowed-tools", "argument-hint")),
        f"unreadable\t{directory}/references/list.md",
        f"unreadable\t{directory}/scripts/changed.sh",
        "link\treferences/list.md\t7\t17",
        "link\tscripts/changed.sh\t9\t9",
        "link\t../other/x.md\t10\t17",
    ]


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)], ids=["written", "dry run"])
def test_json_has_all_that_is_told(dry_run: tuple[str, ...], tree: Tree) -> None:
    done = eject(tree, "/review", "--format", "json", *dry_run)
    assert (done.code, done.stderr) == (0, "")
    document = done.document
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    skill = tree.workspace / ".claude/skills/review"
    assert (document["slug"], document["path"]) == ("review", str(workflow(tree)))
    assert (document["written"], document["replaced"]) == (not dry_run, False)
    assert document["skill"]["path"] == str(skill / "SKILL.md")
    assert [record["source"]["kind"] for record in document["shadows"]] == [
        "workspace-skill",
        "user-skill",
    ]
    assert document["dropped"] == [
        {"field": "license", "value": "MIT"},
        {"field": "metadata", "value": {"version": "1.3"}},
        {"field": "allowed-tools", "value": "Read Grep"},
        {"field": "argument-hint", "value": None},
    ]
    assert document["unreadable"] == [
        str(skill / "references/list.md"),
        str(skill / "scripts/changed.sh"),
    ]
    assert document["links"][0] == {"path": "references/list.md", "line": 7, "column": 17}
    assert workflow(tree).exists() is not bool(dry_run)
    if not dry_run:
        assert workflow(tree).read_bytes() == document["text"].encode()


def test_a_dry_run_is_the_file_and_writes_nothing(tree: Tree) -> None:
    before = snapshot(tree.top)
    shown = eject(tree, "/review", "--dry-run", terminal=True).lines
    piped = eject(tree, "/review", "--dry-run").stdout
    assert snapshot(tree.top) == before
    assert shown[0].startswith("Would write .insomnia/memory/workflow/review.md, from")
    assert shown[2] == "---"
    assert "/review shadows from now on" in shown
    eject(tree, "/review")
    assert workflow(tree).read_bytes() == piped


def test_a_link_in_a_long_line_and_a_hostile_body_stay_text(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.user_skills, "a", r'"lic\e]0;x": y', body="\x1b[31mred\x07\n")
    done = eject(tree, "a", "--dry-run", terminal=True)
    assert r"\x1b[31mred\x07" in done.lines
    assert "\x1b" not in done.both
    assert "\x07" not in done.both
    asked = ("a", "--dry-run", "--format", "plain")
    refused = eject(tree, *asked, terminal=True)
    assert (refused.code, refused.stdout) == (2, b"")
    assert refused.stderr.startswith("error: --format plain would write \\x1b, which a terminal")
    assert eject(tree, *asked).stdout.endswith(b"\x1b[31mred\x07\n")


# Where it refuses.


@pytest.mark.parametrize("what", ["valid", "broken", "link to nothing", "directory"])
def test_a_slug_that_is_native_already_stays(what: str, tree: Tree) -> None:
    match what:
        case "valid":
            tree.write_workflow("review")
        case "broken":
            write(workflow(tree), "no frontmatter")
        case "directory":
            workflow(tree).mkdir(parents=True)
        case _:
            link(workflow(tree), "gone.md")
    before = snapshot(tree.top)
    done = eject(tree, "/review")
    assert (done.code, done.text) == (1, "")
    assert done.stderr.splitlines()[-2:] == [
        "error: /review is a native Workflow already",
        "  help: --force replaces it with the skill .claude/skills/review/SKILL.md",
    ]
    assert snapshot(tree.top) == before


def test_with_force_the_skill_takes_its_place(tree: Tree) -> None:
    tree.write_workflow("review", "requires: [x]", body="Mine.\n")
    workflow(tree).chmod(0o640)
    done = eject(tree, "/review", "--force", terminal=True)
    assert done.code == 0
    assert done.lines[0].startswith("Replaced .insomnia/memory/workflow/review.md, from .claude")
    assert "Mine." not in workflow(tree).read_text()
    assert workflow(tree).stat().st_mode & 0o777 == 0o640
    assert eject(tree, "/review", "--force", "--format", "json").document["replaced"] is True
    dry = eject(tree, "/review", "--force", "--dry-run", terminal=True)
    assert dry.lines[0].startswith("Would replace ")


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "--force"])
def test_a_native_workflow_alone_has_no_skill_to_take_its_place(
    force: tuple[str, ...], tree: Tree
) -> None:
    path = tree.write_workflow("deploy")
    before = path.read_bytes()
    done = eject(tree, "/deploy", *force)
    assert (done.code, done.text) == (1, "")
    assert (
        done.stderr == "error: /deploy is a native Workflow already, and no skill has that name\n"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("slug", ["/nope", "/broken", "/../up"])
def test_a_slug_that_is_not_there_is_answered_as_by_show(slug: str, tree: Tree) -> None:
    break_skill(tree.workspace / ".claude/skills", "broken")
    done = eject(tree, slug)
    assert (done.code, done.text) == (1, "")
    assert done.stderr == call_in(tree, "show", slug).stderr
    assert f"No workflow is called {slug}" in done.stderr


def test_nothing_is_written_where_a_manifest_can_not_be_read(tree: Tree) -> None:
    write(tree.user_manifest, "[skills\n")
    done = eject(tree, "/review")
    assert (done.code, done.text) == (2, "")
    assert "manifest-syntax" in done.stderr
    assert "error: which copies of /review there are is not known" in done.stderr
    assert not workflow(tree).exists()


def test_a_broken_native_workflow_of_another_slug_is_told_and_in_no_ones_way(tree: Tree) -> None:
    write(workflow(tree, "other"), "no frontmatter")
    done = eject(tree, "/review")
    assert done.code == 0
    assert "frontmatter-missing" in done.stderr


@pytest.mark.parametrize("at", [".insomnia", ".insomnia/memory", ".insomnia/memory/workflow"])
def test_nothing_is_written_through_a_link_out_of_the_workspace(at: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    write_skill(tree.user_skills, "a")
    outside = tmp_path / "outside"
    outside.mkdir()
    link(tree.workspace / at, outside)
    done = eject(tree, "a")
    assert (done.code, done.text) == (1, "")
    assert "outside of the workspace" in done.stderr
    assert list(outside.iterdir()) == []


def test_a_file_that_is_a_link_out_of_the_workspace_is_not_replaced(tree: Tree) -> None:
    other = write(tree.top / "other.md", "---\ndescription: Other.\n---\nOther.\n")
    link(workflow(tree), other)
    done = eject(tree, "/review", "--force")
    assert done.code == 1
    assert "outside of the workspace" in done.stderr
    assert other.read_text().endswith("Other.\n")


def test_a_link_within_the_workspace_is_written_through(tree: Tree) -> None:
    (tree.workspace / "shared").mkdir()
    link(tree.workspace / ".insomnia/memory", "../shared")
    assert eject(tree, "/review").code == 0
    assert (tree.workspace / "shared/workflow/review.md").is_file()


def test_a_directory_in_the_place_of_the_file_can_not_be_replaced(tree: Tree) -> None:
    workflow(tree).mkdir(parents=True)
    done = eject(tree, "/review", "--force")
    assert done.code == 1
    assert "can't be replaced: " in done.stderr


def test_where_the_system_refuses_nothing_is_left(tree: Tree) -> None:
    write(tree.workspace / ".insomnia/memory", "a file")
    before = snapshot(tree.top)
    done = eject(tree, "/review")
    assert done.code == 74
    assert "error: .insomnia/memory/workflow/review.md can't be written: " in done.stderr
    assert snapshot(tree.top) == before


@pytest.mark.parametrize("is_there", [True, False], ids=["directory there", "to be made"])
def test_an_interruption_leaves_nothing(
    is_there: bool, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_there:
        tree.write_workflow("deploy")
    before = snapshot(tree.top)
    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    assert eject(tree, "/review").code == 143
    assert snapshot(tree.top) == before


def test_what_came_up_meanwhile_stays(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write_workflow("deploy")

    def come_up(descriptor: int) -> None:
        write(workflow(tree), "mine")

    monkeypatch.setattr(os, "fsync", come_up)
    done = eject(tree, "/review")
    assert done.code == 1
    assert "has just been changed by something else; run it again" in done.stderr
    assert workflow(tree).read_text() == "mine"
    assert sorted(path.name for path in workflow(tree).parent.iterdir()) == [
        "deploy.md",
        "review.md",
    ]


def test_what_has_changed_since_is_not_replaced(tree: Tree) -> None:
    tree.write_workflow("review")
    ejection = plan_eject(tree.ingest(), "review", force=True)
    assert ejection is not None
    write(workflow(tree), "mine")
    with pytest.raises(ChangedError):
        write_ejection(ejection)
    assert workflow(tree).read_text() == "mine"


def test_a_skill_that_has_changed_since_is_not_written(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = tree.ingest()
    write_skill(tree.workspace / ".claude/skills", "review", body="Another.\n")
    with pytest.raises(FileChangedError):
        plan_eject(result, "review")

    def change(*_: object) -> None:
        raise FileChangedError("SKILL.md has changed since it was read; run it again")

    monkeypatch.setattr("insomnia_skills.edit.eject.load_document", change)
    done = eject(tree, "/review")
    assert done.code == 2
    assert "has changed since it was read" in done.stderr


def test_what_would_not_be_read_as_the_same_is_not_written(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insomnia_skills.edit.eject.written", lambda text: f"{text}: broken")
    with pytest.raises(EjectError, match="can't be written as a native Workflow: "):
        plan_eject(tree.ingest(), "review")
    monkeypatch.setattr("insomnia_skills.edit.eject.written", lambda text: "Another.")
    with pytest.raises(EjectError, match=r"can't be written as a native Workflow$"):
        plan_eject(tree.ingest(), "review")


def test_the_first_valid_copy_is_the_one(tree: Tree) -> None:
    write_manifest(tree.manifest, "a", ".claude/skills")
    break_skill(tree.workspace / "a", "review")
    assert "Reviews a change." in eject(tree, "/review", "--dry-run").text


# One source's copy.


@pytest.fixture
def copies(tree: Tree) -> Tree:
    """/review in two skills roots and the user's, and broken in a third one."""
    tree.name_roots(".claude/skills", "second", "third")
    write_skill(tree.workspace / "second", "review", body="Second.\n")
    break_skill(tree.workspace / "third", "review")
    write_skill(tree.user_skills, "review", body="The user's.\n")
    return tree


@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("workspace-skill", "[others](../other/x.md)"),
        ("2.2", "Second."),
        ("second", "Second."),
        ("user-skill", "The user's."),
    ],
)
def test_the_copy_of_a_source_is_taken_whether_it_wins_or_not(
    source: str, body: str, copies: Tree
) -> None:
    done = eject(copies, "/review", "--source", source, "--format", "json")
    assert (done.code, done.stderr) == (0, "")
    assert list(Draft202012Validator(SCHEMA).iter_errors(done.document)) == []
    assert body in workflow(copies).read_text()
    shown = call_in(copies, "show", "/review", "--source", source, "--format", "json").document
    assert done.document["skill"]["path"] == shown["path"]
    ranked = [record["source"]["path"] for record in done.document["shadows"]]
    roots = [copies.workspace / ".claude/skills", copies.workspace / "second", copies.user_skills]
    assert ranked == list(map(str, roots))


def test_the_hint_names_the_copy_of_the_source(copies: Tree) -> None:
    eject(copies, "/review")
    done = eject(copies, "/review", "--source", "2.2")
    assert done.stderr.endswith("help: --force replaces it with the skill second/review/SKILL.md\n")
    assert eject(copies, "/review", "--source", "2.2", "--force").code == 0
    assert workflow(copies).read_text().endswith("Second.\n")


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        pytest.param(
            "third",
            1,
            "third/review/SKILL.md:1:1: error[description-missing] description is missing",
            id="broken",
        ),
        pytest.param(
            "workspace-workflow", 1, '--source: "workspace-workflow" has no /review', id="not-there"
        ),
        pytest.param("fourth", 2, 'error: --source: "fourth" is no source', id="no-source"),
        pytest.param("", 2, "error: --source: no source is named", id="empty"),
    ],
)
def test_a_source_with_no_valid_copy(source: str, code: int, said: str, copies: Tree) -> None:
    before = snapshot(copies.top)
    done = eject(copies, "/review", "--source", source, "--force")
    assert (done.code, done.text) == (code, "")
    assert done.stderr.startswith(said)
    assert snapshot(copies.top) == before


def test_the_native_copy_is_native_already(copies: Tree) -> None:
    copies.write_workflow("review")
    done = eject(copies, "/review", "--source", "1", "--force")
    path = ".insomnia/memory/workflow/review.md"
    said = f"error: the copy of this source is a native Workflow already: {path}\n"
    assert (done.code, done.stderr) == (1, said)
