"""``show``: a Workflow as a Pod gets it, one copy of it, what its file loses, and the pager."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from insomnia_skills.cli.copies import complete_source
from insomnia_skills.cli.paging import find_pager
from insomnia_skills.frontmatter import Document
from insomnia_skills.invocation import preview
from insomnia_skills.report.text import size_label
from insomnia_skills.workflow import WorkflowRecord, load_document
from tests import cli
from tests.trees import Tree, break_skill, link, write, write_manifest, write_skill

posix = pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def panel(done: cli.Run) -> str:
    """What stands in the panel, without its border and with single blanks."""
    rows = (line.strip("│ ") for line in done.lines if line.startswith("│"))
    return " ".join(" ".join(rows).split())


def seen(tree: Tree, *arguments: str, columns: int = 100) -> cli.Run:
    """What a person sees at a terminal."""
    return cli.call_in(tree, *arguments, terminal=True, columns=columns, env=cli.NO_COLOR)


def lay_out_copies(tree: Tree) -> None:
    """/review is in three places, /broken in two, the first of which is broken."""
    write_skill(tree.workspace / "a", "review", description="First.")
    write_skill(tree.workspace / "b", "review", "license: MIT", description="Second.")
    write_skill(tree.user_skills, "review", description="First.")
    break_skill(tree.workspace / "a", "broken")
    write_skill(tree.user_skills, "broken", description="Whole.")
    tree.name_roots("a", "b")


# --- as invoked ----------------------------------------------------------------------------------


def test_as_invoked_is_the_messages_and_nothing_else(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [facts]", body="\n# Deploy\n\nShip it.\n\n\n")
    tree.write_knowledge("facts")
    done = cli.call_in(tree, "show", "/deploy", "--as-invoked")
    assert (done.code, done.stderr) == (0, "")
    assert done.text == (
        "[Workflow /deploy requires Knowledge #facts]\n"
        "Known.\n"
        "[Workflow /deploy]\n"
        "\n"
        "# Deploy\n"
        "\n"
        "Ship it.\n"
    )


def test_as_invoked_is_the_same_at_a_terminal(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", body="A\r\nB\n" + "long " * 100 + "\n")
    piped = cli.call_in(tree, "show", "/pdf", "--as-invoked")
    assert seen(tree, "show", "/pdf", "--as-invoked", columns=40).stdout == piped.stdout


def test_as_invoked_as_objects(tree: Tree) -> None:
    path = tree.write_workflow("deploy", "requires: [facts]", "user_invocable: false")
    facts = tree.write_knowledge("facts")
    done = cli.call_in(tree, "show", "/deploy", "--as-invoked", "--format", "json")
    assert done.document == {
        "version": 1,
        "slug": "deploy",
        "path": str(path),
        "source": {"kind": "workspace-workflow", "path": str(path.parent)},
        "outcome": "wins",
        "shadowed_by": None,
        "user_invocable": False,
        "messages": [
            {
                "header": "[Workflow /deploy requires Knowledge #facts]",
                "slug": "deploy",
                "knowledge": "facts",
                "path": str(facts),
                "text": "Known.",
            },
            {
                "header": "[Workflow /deploy]",
                "slug": "deploy",
                "knowledge": None,
                "path": str(path),
                "text": "Do it.",
            },
        ],
    }


@pytest.mark.parametrize("format", ["plain", "json"])
def test_without_its_knowledge_nothing_is_written(format: str, tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [facts]")
    done = cli.call_in(tree, "show", "/deploy", "--as-invoked", "--format", format)
    assert (done.code, done.stdout) == (1, b"")
    assert done.stderr.splitlines() == [
        (
            ".insomnia/memory/workflow/deploy.md:3:12: error[requires-missing] "
            'the required Knowledge "facts" is not there '
            f'(write it as "{tree.workspace}/.insomnia/knowledge/facts.md", '
            "or take it out of requires)"
        ),
        "Nothing is written: a part of the messages would be no preview of them.",
    ]


def test_messages_that_would_steer_a_terminal_are_refused(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [facts]")
    write(tree.workspace / ".insomnia/knowledge/facts.md", "\x1b[31mred\n")
    done = seen(tree, "show", "/deploy", "--as-invoked")
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == (
        "error: --as-invoked would write \\x1b, which a terminal may act on or hide\n"
        "  help: put | less behind the command, or read it without --as-invoked\n"
    )
    piped = cli.call_in(tree, "show", "/deploy", "--as-invoked")
    assert b"\x1b[31mred\n" in piped.stdout


# --- who may call it -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "called_by", "note"),
    [
        pytest.param(
            ("user_invocable: false", "model_invokation: true"),
            "the model alone; /deploy would be refused, user_invocable is false",
            "/deploy would be refused: user_invocable is false, only the model calls it.\n",
            id="the-model",
        ),
        pytest.param(
            ("user_invocable: false",),
            "nobody: model_invokation is false; /deploy would be refused, user_invocable is false",
            "/deploy would be refused: user_invocable is false, nobody may call it.\n",
            id="nobody",
        ),
        pytest.param((), "you (/deploy)", "", id="the-user"),
        pytest.param(
            ("model_invokation: true",), "you (/deploy) and the model", "", id="the-user-and-model"
        ),
    ],
)
def test_who_may_call_it(flags: tuple[str, ...], called_by: str, note: str, tree: Tree) -> None:
    tree.write_workflow("deploy", *flags)
    assert f"called by\t{called_by}" in cli.call_in(tree, "show", "/deploy").lines
    assert f"called by {called_by}" in panel(seen(tree, "show", "/deploy"))
    for view in ("--as-invoked", "--mapping", "--raw"):
        assert cli.call_in(tree, "show", "/deploy", view).stderr == note
        assert cli.call_in(tree, "show", "/deploy", view, "-q").stderr == ""


def test_missing_knowledge_is_marked(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [facts, gone]")
    tree.write_knowledge("facts")
    done = cli.call_in(tree, "show", "/deploy")
    assert done.code == 1
    assert "requires\tfacts, gone (is not there)" in done.lines


def test_knowledge_that_cannot_be_used_is_told_in_every_view(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [facts]")
    write(tree.workspace / ".insomnia/knowledge/facts.md", b"K\xf6ln")
    reason = "can't be used: not UTF-8: byte 2 is 0xF6"
    done = cli.call_in(tree, "show", "/deploy")
    assert (done.code, f"requires\tfacts ({reason})" in done.lines) == (1, True)
    for arguments in (("show", "/deploy", "--as-invoked"), ("validate",)):
        done = cli.call_in(tree, *arguments)
        assert done.code == 1
        assert f'error[requires-missing] the required Knowledge "facts" {reason}' in done.both


def test_a_byte_of_knowledge_that_lies_elsewhere_is_not_told(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [facts]")
    write(tree.top / "secret", b"K\xf6ln")
    link(tree.workspace / ".insomnia/knowledge/facts.md", "../../../secret")
    for view in ((), ("--as-invoked",), ("--mapping",)):
        assert "0xF6" not in cli.call_in(tree, "show", "/deploy", *view).both


# --- one source ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "path"),
    [
        pytest.param("workspace-skill", "workspace/a/review", id="kind"),
        pytest.param("user-skill", "config/skills/review", id="the-users"),
        pytest.param("2.2", "workspace/b/review", id="rank"),
        pytest.param("3", "config/skills/review", id="rank-of-the-users"),
        pytest.param("b", "workspace/b/review", id="directory"),
        pytest.param("./b/", "workspace/b/review", id="directory-written-in-another-way"),
        pytest.param("../config/skills", "config/skills/review", id="directory-of-the-users"),
    ],
)
def test_a_source_by_its_kind_rank_or_directory(source: str, path: str, tree: Tree) -> None:
    lay_out_copies(tree)
    done = cli.call_in(tree, "show", "/review", "--source", source, "--format", "json")
    assert done.code == 0
    assert done.document["directory"] == str(tree.top / path)


def test_a_directory_as_the_manifest_has_it(tree: Tree) -> None:
    lay_out_copies(tree)
    below = tree.workspace / "below"
    below.mkdir()
    arguments = ("show", "/review", "--source", "b", "--format", "json")
    done = cli.call_in(tree, *arguments, cwd=below)
    assert done.document["license"] == "MIT"


def test_a_directory_that_says_where_it_counts_from(tree: Tree) -> None:
    lay_out_copies(tree)
    write_manifest(tree.manifest, "a", "b", "a/b")
    write_skill(tree.workspace / "a/b", "review", "license: nested")
    for given in ("./b", str(tree.workspace / "a/b"), "b"):
        arguments = ("show", "/review", "--source", given, "--format", "json")
        done = cli.call_in(tree, *arguments, cwd=tree.workspace / "a")
        assert done.document["license"] == "nested"
    arguments = ("show", "/review", "--source", "./nowhere", "--format", "json")
    assert cli.call_in(tree, *arguments, cwd=tree.workspace / "a").code == 2


def test_the_first_root_of_a_kind_that_has_it(tree: Tree) -> None:
    lay_out_copies(tree)
    write_skill(tree.workspace / "b", "tidy")
    done = cli.call_in(tree, "show", "/tidy", "--source", "workspace-skill")
    assert "from\tb/tidy/SKILL.md (workspace skill, rank 2.2)" in done.lines


def test_a_copy_that_wins_is_shown_as_ever(tree: Tree) -> None:
    lay_out_copies(tree)
    whole = cli.call_in(tree, "show", "/review")
    assert cli.call_in(tree, "show", "/review", "--source", "a") == whole


def test_a_copy_that_stands_in_says_so(tree: Tree) -> None:
    lay_out_copies(tree)
    done = cli.call_in(tree, "show", "/broken", "--source", "user-skill")
    fault = "description-missing at SKILL.md:1:1: description is missing"
    assert f"stands in\tfor a/broken/SKILL.md, broken: {fault}" in done.lines


def test_a_copy_that_stands_in_for_a_native_workflow(tree: Tree) -> None:
    lay_out_copies(tree)
    tree.write_workflow("review", "requires: facts")
    done = cli.call_in(tree, "show", "/review")
    assert done.code == 1
    assert "stands in\tfor .insomnia/memory/workflow/review.md, broken: requires-type" in done.text


def test_a_copy_whose_link_leads_nowhere_has_no_files_of_others(tree: Tree) -> None:
    link(tree.workspace / "a/review", "gone")
    write_skill(tree.workspace / "a", "other", files={"notes.md": ""})
    write_skill(tree.user_skills, "review")
    tree.name_roots("a")
    broken = cli.call_in(tree, "show", "/review", "--source", "a", "--format", "json").document
    assert (broken["directory"], broken["resources"]) == (str(tree.workspace / "a/review"), [])
    lines = cli.call_in(tree, "show", "/review").lines
    (standing,) = (line for line in lines if line.startswith("stands in"))
    assert standing.startswith("stands in\tfor a/review, broken: broken-symlink")


def test_a_shadowed_copy_says_by_which(tree: Tree) -> None:
    lay_out_copies(tree)
    done = seen(tree, "show", "/review", "--source", "b")
    assert done.code == 0
    assert done.lines[0].startswith("╭─ /review (shadowed) ─")
    assert panel(done) == (
        "Second. from b/review/SKILL.md (workspace skill, rank 2.2) "
        "shadowed by a/review (rank 2.1, differs in description, license): "
        "a Pod is never given it "
        "called by if it won: you (/review) and the model license MIT "
        "readable if it won: 1 file, 62 B"
    )
    same = cli.call_in(tree, "show", "/review", "--source", "3")
    assert "shadowed\tby a/review (rank 2.1, identical): a Pod is never given it" in same.lines


def test_a_shadowed_copy_in_the_other_views(tree: Tree) -> None:
    lay_out_copies(tree)
    note = (
        "This copy of /review is shadowed by a/review (rank 2.1, differs in description, license): "
        "a Pod is never given it.\n"
    )
    done = cli.call_in(tree, "show", "/review", "--source", "b", "--as-invoked")
    assert (done.code, done.text, done.stderr) == (0, "[Workflow /review]\nDo it.\n", note)
    done = cli.call_in(tree, "show", "/review", "--source", "b", "--mapping")
    assert "license\tkept\tMIT\tlicense\tis shown, and has no effect\t4" in done.lines
    assert done.stderr == note
    for view in ((), ("--mapping",)):
        arguments = ("show", "/review", "--source", "b", *view, "--format", "markdown")
        assert cli.call_in(tree, *arguments).lines[0].endswith(" /review (shadowed)")
    for view in ((), ("--as-invoked",), ("--mapping",)):
        arguments = ("show", "/review", "--source", "b", *view, "--format", "json")
        document = cli.call_in(tree, *arguments).document
        assert document["outcome"] == "shadowed"
        assert document["shadowed_by"] == {
            "source": {"kind": "workspace-skill", "path": str(tree.workspace / "a")},
            "path": str(tree.workspace / "a/review/SKILL.md"),
        }


def test_a_broken_copy_is_shown_as_far_as_it_could_be_read(tree: Tree) -> None:
    lay_out_copies(tree)
    done = seen(tree, "show", "/broken", "--source", "a")
    assert done.code == 1
    assert done.lines[0].startswith("╭─ /broken (broken) ─")
    assert panel(done) == (
        "from a/broken/SKILL.md (workspace skill, rank 2.1) "
        "broken description-missing at 1:1: description is missing; a Pod is never given it "
        "readable if it won: 1 file, 28 B"
    )
    assert "Do it." in done.text
    assert done.stderr.startswith("a/broken/SKILL.md:1:1: error[description-missing] ")


def test_a_broken_copy_in_the_other_views(tree: Tree) -> None:
    lay_out_copies(tree)
    arguments = ("show", "/broken", "--source", "a")
    done = cli.call_in(tree, *arguments, "--as-invoked")
    assert (done.code, done.stdout) == (1, b"")
    assert done.stderr.startswith("This copy of /broken is broken: a Pod is never given it.\n")
    assert cli.call_in(tree, *arguments, "--raw").text == "Do it.\n"
    document = cli.call_in(tree, *arguments, "--format", "json").document
    assert (document["outcome"], document["description"]) == ("skipped", "")
    assert [d["rule"] for d in document["diagnostics"]] == ["description-missing"]
    document = cli.call_in(tree, *arguments, "--mapping", "--format", "json").document
    assert [d["rule"] for d in document["diagnostics"]] == ["description-missing"]


def test_a_broken_native_workflow_is_told_of_once(tree: Tree) -> None:
    tree.write_workflow("deploy", "user_invocable: 0", "model_invokation: true", "requires: [x]")
    done = cli.call_in(tree, "show", "/deploy", "--source", "workspace-workflow")
    assert done.code == 1
    assert "called by" not in done.text
    assert done.stderr.count("user-invocable-type") == 1


def test_a_broken_copy_that_lies_elsewhere_is_not_quoted(tree: Tree) -> None:
    write(tree.top / "secret", "token 123\n")
    link(tree.user_skills / "pdf/SKILL.md", "../../../secret")
    for view in ((), ("--raw",), ("--mapping",), ("--format", "json"), ("--format", "markdown")):
        done = cli.call_in(tree, "show", "/pdf", "--source", "3", *view)
        assert done.code == 1
        assert "token" not in done.both


@pytest.mark.parametrize(
    ("slug", "source", "code", "message"),
    [
        pytest.param(
            *("review", "workspace-workflow", 1),
            '--source: "workspace-workflow" has no /review\n'
            "  help: /review is in a (rank 2.1), b (rank 2.2), user skills (rank 3)\n",
            id="a-source-without-it",
        ),
        pytest.param(
            *("broken", "workspace-workflow", 1),
            '--source: "workspace-workflow" has no /broken\n'
            "  help: /broken is in a (rank 2.1), user skills (rank 3)\n",
            id="a-kind-without-it",
        ),
        pytest.param(
            *("review", "c", 2),
            'error: --source: "c" is no source\n'
            "  help: /review is in a (rank 2.1), b (rank 2.2), user skills (rank 3)\n",
            id="no-source",
        ),
        pytest.param(
            *("nothing", "a", 1),
            '--source: "a" has no /nothing\n'
            "  help: no source has /nothing: insomnia-skills resolve /nothing\n",
            id="no-such-slug",
        ),
    ],
)
def test_a_source_that_has_it_not(
    slug: str, source: str, code: int, message: str, tree: Tree
) -> None:
    lay_out_copies(tree)
    done = cli.call_in(tree, "show", slug, "--source", source)
    assert (done.code, done.stdout, done.stderr) == (code, b"", message)


def complete(tree: Tree, incomplete: str) -> list[str]:
    class Context:
        params: Mapping[str, Any] = {"workspace": tree.workspace, "no_user": True}

    return list(complete_source(Context(), incomplete))  # type: ignore[arg-type]


def test_completion_of_sources(tree: Tree) -> None:
    lay_out_copies(tree)
    elsewhere = tree.top / "elsewhere"
    tree.name_roots("a", "b", str(elsewhere))
    kinds = ["workspace-workflow", "workspace-skill", "user-skill"]
    assert complete(tree, "") == [*kinds, "a", "b", str(elsewhere)]
    assert complete(tree, "work") == kinds[:2]
    assert complete(tree, "/") == [str(elsewhere)]


# --- the mapping ---------------------------------------------------------------------------------


def test_the_mapping_as_a_table(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", "model: fast", body="Fix $ARGUMENTS.\n\n$ARGUMENTS\n")
    rows = [
        " ".join(line.split())
        for line in seen(tree, "show", "/pdf", "--mapping", columns=200).lines
    ]
    assert rows[2:] == [
        "field is with this consequence",
        "name: pdf kept the slug is the directory's name",
        "description kept the model is told it in every conversation, 38 characters",
        "model_invokation fixed true: the model may call it and is told of it, always",
        "user_invocable fixed true: you may call it as /pdf, always",
        "requires fixed none: no Knowledge comes before the body",
        (
            "model: fast dropped in Claude Code and Qwen Code it chooses the model; "
            "here it does nothing"
        ),
        "body kept unchanged, 28 characters",
        (
            "$ARGUMENTS literal stays as it is; in Claude Code it becomes what the user typed "
            "after the call; say in words what is meant, "
            'like "the issue that the user names" (lines 6, 8)'
        ),
        "",
        "3 kept, 3 fixed, 1 dropped, 1 literal",
    ]


def test_the_mapping_on_a_narrow_screen(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", "disable-model-invocation: true")
    lines = seen(tree, "show", "/pdf", "--mapping", columns=40).lines
    assert "disable-model-invocation: true  dropped" in lines
    assert "  still offered to the model" in lines
    assert max(map(len, lines)) <= 40


def test_the_mapping_piped_and_as_objects(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", "tags: [a, b]")
    loss = "in Letta and catalogues it finds the skill; here it does nothing"
    assert (
        f"tags\tdropped\ta, b\t-\t{loss}\t4" in cli.call_in(tree, "show", "/pdf", "--mapping").lines
    )
    document = cli.call_in(tree, "show", "/pdf", "--mapping", "--format", "json").document
    (found,) = (item for item in document["mapping"] if item["field"] == "tags")
    assert found == {
        "field": "tags",
        "value": ["a", "b"],
        "becomes": "",
        "fate": "dropped",
        "consequence": loss,
        "lines": [4],
    }


# --- resources -----------------------------------------------------------------------------------


def lay_out_resources(tree: Tree) -> Path:
    files = {"scripts/run.sh": "true\n", "scripts/lib/a.sh": "", "assets/logo.svg": "<svg/>"}
    skill = write_skill(tree.user_skills, "pdf", files=files).parent
    (skill / "scripts/run.sh").chmod(0o755)
    write_skill(tree.user_skills, "forms")
    link(skill / "forms.md", "../forms/SKILL.md")
    link(skill / "gone.md", "nowhere")
    write(tree.top / "house.md", "Short.\n")
    link(skill / "house.md", "../../../house.md")
    return skill


def tree_of(done: cli.Run) -> list[str]:
    lines = done.lines
    end = lines.index("", lines.index("pdf/"))
    return lines[lines.index("pdf/") : end]


@posix
def test_resources_as_a_tree(tree: Tree) -> None:
    lay_out_resources(tree)
    done = seen(tree, "show", "/pdf")
    assert tree_of(done) == [
        "pdf/",
        "├ assets/",
        "│ └ logo.svg   6 B  asset",
        "├ forms.md    79 B  other, link to ../forms/SKILL.md, readable by the rule of /forms",
        "├ gone.md      0 B  other, link to nowhere, not readable",
        "├ house.md     7 B  other, link to ../../../house.md, not readable",
        "└ scripts/",
        "  ├ lib/",
        "  │ └ a.sh     0 B  script",
        "  └ run.sh     5 B  script, executable",
    ]
    assert "readable 5 files, 167 B: scripts/ 2, assets/ 1; 2 not readable" in panel(done)


@posix
def test_resources_on_a_narrow_screen(tree: Tree) -> None:
    lay_out_resources(tree)
    lines = tree_of(seen(tree, "show", "/pdf", columns=40))
    assert "├ gone.md      0 B  other, link to" in lines
    assert "    nowhere, not readable" in lines
    assert max(map(len, lines)) <= 40


@posix
def test_resources_piped_and_as_objects(tree: Tree) -> None:
    lay_out_resources(tree)
    lines = cli.call_in(tree, "show", "/pdf").lines
    assert [line for line in lines if line.startswith("resource\t")] == [
        "resource\tassets/logo.svg\t6\tasset\t-\treadable\t-",
        "resource\tforms.md\t79\tother\t-\treadable\t../forms/SKILL.md",
        "resource\tgone.md\t0\tother\t-\tnot-readable\tnowhere",
        "resource\thouse.md\t7\tother\t-\tnot-readable\t../../../house.md",
        "resource\tscripts/lib/a.sh\t0\tscript\t-\treadable\t-",
        "resource\tscripts/run.sh\t5\tscript\texecutable\treadable\t-",
    ]
    document = cli.call_in(tree, "show", "/pdf", "--format", "json").document
    by_path = {resource["path"]: resource for resource in document["resources"]}
    assert by_path["scripts/run.sh"] == {
        "path": "scripts/run.sh",
        "kind": "script",
        "size": 5,
        "executable": True,
        "link": None,
        "readable": True,
        "readable_by": ["pdf"],
    }
    assert by_path["forms.md"]["readable_by"] == ["forms"]
    assert (by_path["gone.md"]["readable"], by_path["gone.md"]["readable_by"]) == (False, [])


def test_a_shadowed_copy_is_judged_as_if_it_had_won(tree: Tree) -> None:
    write_skill(tree.workspace / "a", "pdf")
    skill = write_skill(tree.workspace / "b", "pdf", files={"scripts/run.sh": ""}).parent
    link(skill / "other.md", "../../a/pdf/SKILL.md")
    tree.name_roots("a", "b")
    lines = cli.call_in(tree, "show", "/pdf", "--source", "b").lines
    assert "resource\tscripts/run.sh\t0\tscript\t-\treadable\t-" in lines
    # The winner's rule would not be there.
    assert any(line.startswith("resource\tother.md") and "not-readable" in line for line in lines)


def test_a_directory_that_the_system_refuses_to_list(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = write_skill(tree.user_skills, "pdf", files={"assets/a.txt": ""}).parent
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path) == skill / "assets":
            raise PermissionError
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert tree_of(seen(tree, "show", "/pdf"))[1:] == [
        "└ assets  0 B  other, not readable: the system refuses it"
    ]


def test_a_linked_skill_file_is_counted_once(tree: Tree) -> None:
    path = write_skill(tree.user_skills, "pdf")
    path.rename(path.parent / "README.md")
    link(path, "README.md")
    assert "readable\t2 files, 154 B" in cli.call_in(tree, "show", "/pdf").lines


@pytest.mark.parametrize(
    ("size", "label"),
    [
        *((0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12 kB"), (3_400_000, "3.4 MB")),
        *((5_000_000_000, "5.0 GB"), (5_000_000_000_000, "5000 GB")),
    ],
)
def test_size_label(size: int, label: str) -> None:
    assert size_label(size) == label


def test_a_large_skill_is_cut_at_a_terminal_only(tree: Tree) -> None:
    files = {f"assets/{number:03}.txt": "" for number in range(100)}
    files |= {f"d{number:02}/a/b.txt": "" for number in range(30)}
    write_skill(tree.user_skills, "pdf", files=files)
    lines = tree_of(seen(tree, "show", "/pdf"))
    assert lines[11:15] == [
        "│ ├ 009.txt  0 B  asset",
        "│ ├ 010.txt  0 B  asset",
        "│ └ 89 more files",
        "├ d00/",
    ]
    assert lines[-2:] == ["and 21 more files", "--format plain lists all"]
    assert len(lines) == 1 + 40 + 2
    piped = cli.call_in(tree, "show", "/pdf")
    assert sum(line.startswith("resource\t") for line in piped.lines) == 130
    table = cli.call_in(tree, "show", "/pdf", "--format", "table")
    assert sum(line.endswith(("  asset", "  other")) for line in table.lines) == 130
    assert "more file" not in table.text


def test_what_lies_very_deep_has_its_path_on_one_line(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", files={"a/" * 60 + "b.txt": ""})
    line = tree_of(seen(tree, "show", "/pdf", columns=200))[-1]
    assert line == " " * 16 + "└ " + "a/" * 52 + "b.txt  0 B  other"


# --- Markdown ------------------------------------------------------------------------------------


def test_markdown_to_paste(tree: Tree) -> None:
    skill = write_skill(
        tree.user_skills,
        "pdf",
        "license: <b>MIT</b> @team",
        description='"See [this](x) | `that`."',
        body="# PDF\n\n````\n```\n````\n\x1b[31m<script>\n",
        files={"scripts/a|b.sh": "true\n"},
    ).parent
    (skill / "scripts/a|b.sh").chmod(0o644)
    done = cli.call_in(tree, "show", "/pdf", "--format", "markdown")
    assert done.lines == [
        "## /pdf",
        "",
        "See &#91;this&#93;(x) &#124; &#96;that&#96;.",
        "",
        "| field | value |",
        "| --- | --- |",
        "| from | &#126;/config/skills/pdf/SKILL.md (user skill, rank 3) |",
        "| called by | you (/pdf) and the model |",
        "| license | &#60;b&#62;MIT&#60;/b&#62; <code>@</code>team |",
        "| readable | 2 files, 123 B&#58; scripts/ 1 |",
        "",
        "### Resources",
        "",
        "| path | kind | size | notes |",
        "| --- | --- | --- | --- |",
        "| scripts/a&#124;b.sh | script | 5 B |  |",
        "",
        "### Body",
        "",
        "`````markdown",
        "# PDF",
        "",
        "````",
        "```",
        "````",
        "\\x1b[31m<script>",
        "`````",
    ]
    assert seen(tree, "show", "/pdf", "--format", "markdown").stdout == done.stdout


def test_the_mapping_as_markdown(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", "x|y: <b>")
    lines = cli.call_in(tree, "show", "/pdf", "--mapping", "--format", "markdown").lines
    assert lines[:4] == [
        "## What becomes of /pdf",
        "",
        "| field | fate | value | becomes | consequence |",
        "| --- | --- | --- | --- | --- |",
    ]
    assert "| x&#124;y | dropped | &#60;b&#62; |  | insomnia does not know it |" in lines


# --- what does not go together -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--raw", "--mapping"),
            "error: --mapping and --raw are different answers\n  help: ask for one of them\n",
        ),
        (
            ("--raw", "--format", "json"),
            (
                "error: --raw has no format json\n"
                "  help: leave --format out: it is the file's own text\n"
            ),
        ),
        (
            ("--source", ""),
            "error: --source: no source is named\n  help: name a kind, a skills root or its rank\n",
        ),
        (
            ("--as-invoked", "--format", "table"),
            "error: --as-invoked has no format table\n  help: it has plain, json\n",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_go_together(options: tuple[str, ...], message: str, tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf")
    done = cli.call_in(tree, "show", "/pdf", *options)
    assert (done.code, done.stdout, done.stderr) == (2, b"", message)


def test_a_file_that_changes_while_it_is_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_skill(tree.user_skills, "pdf")

    def change_and_load(record: WorkflowRecord) -> Document:
        path.write_text(path.read_text() + "More.\n")
        return load_document(record)

    monkeypatch.setattr(preview, "load_document", change_and_load)
    done = cli.call_in(tree, "show", "/pdf")
    assert (done.code, done.stdout) == (2, b"")
    assert "SKILL.md has changed since it was read; run it again" in done.stderr


# --- the pager -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pager", "command"),
    [
        pytest.param("", [], id="none-wanted"),
        pytest.param("cat", [], id="cat"),
        pytest.param("more", ["more"], id="another"),
        pytest.param("/usr/bin/less -S", ["/usr/bin/less", "-S", "-R"], id="less"),
        pytest.param("sh -c 'cat -n'", ["sh", "-c", "cat -n"], id="quotes"),
        pytest.param("less 'x", [], id="open-quotes"),
    ],
)
def test_the_pager_that_is_asked_for(pager: str, command: list[str]) -> None:
    assert find_pager({"PAGER": pager}) == command


def test_less_is_the_pager_if_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_pager({}) == []
    write(tmp_path / "less", "#!/bin/sh\n").chmod(0o755)
    assert find_pager({}) == ["less", "-R"]


@pytest.fixture
def long(tree: Tree) -> Tree:
    tree.workspace.mkdir()
    write_skill(tree.user_skills, "pdf", body="".join(f"Line {n}.\n\n" for n in range(20)))
    return tree


class Screen:
    """A terminal of 80 columns: what is on it, and the exit code of what ran there."""

    def __init__(self, lines: int) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.leader, self.follower = pty.openpty()
        fcntl.ioctl(self.follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
        self._written: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(self.leader, 65536):
                self._written.append(part)

    def close(self) -> str:
        """End it; what was written on it."""
        os.close(self.follower)
        self._reader.join(20)
        os.close(self.leader)
        return b"".join(self._written).decode().replace("\r\n", "\n")


def at_a_screen(
    tree: Tree, *arguments: str, pager: str, lines: int = 10, **env: str
) -> tuple[int, str, str]:
    """The exit code, the screen, and what the pager got; it writes that to a file."""
    file = tree.top / "paged"
    variables = cli.environment(tree.top, tree.config, more={"NO_COLOR": "1", **env})
    del variables["COLUMNS"]
    variables["PAGER"] = pager.replace("FILE", str(file))
    screen = Screen(lines)
    with (
        open(os.dup(screen.follower), encoding="utf-8") as keyboard,
        open(os.dup(screen.follower), "w", encoding="utf-8") as out,
        patch.object(sys, "stdin", keyboard),
    ):
        code = cli.call_on(out, cli.Stream(), *arguments, cwd=tree.workspace, env=variables)
    return code, screen.close(), file.read_text(encoding="utf-8") if file.exists() else ""


TO_FILE = "sh -c 'cat > FILE'"


@posix
@pytest.mark.parametrize(
    ("arguments", "lines", "pager", "paged"),
    [
        pytest.param((), 10, TO_FILE, True, id="longer-than-the-screen"),
        pytest.param((), 70, TO_FILE, False, id="shorter-than-the-screen"),
        pytest.param(("--no-pager",), 10, TO_FILE, False, id="no-pager"),
        pytest.param(("--as-invoked",), 10, TO_FILE, True, id="as-invoked"),
        pytest.param(("--mapping",), 5, TO_FILE, True, id="mapping"),
        pytest.param(("--format", "markdown"), 10, TO_FILE, True, id="markdown"),
        pytest.param(("--format", "json"), 10, TO_FILE, False, id="json"),
        pytest.param(("--raw",), 10, TO_FILE, False, id="raw"),
        pytest.param((), 10, "", False, id="no-pager-wanted"),
        pytest.param((), 10, "no-such-program", False, id="a-pager-that-is-not-there"),
    ],
)
def test_what_is_longer_than_the_screen_is_paged(
    arguments: tuple[str, ...], lines: int, pager: str, paged: bool, long: Tree
) -> None:
    command = ("show", "/pdf", *arguments)
    code, screen, pages = at_a_screen(long, *command, pager=pager, lines=lines)
    assert code == 0
    assert bool(pages) == paged
    assert bool(screen) == (not paged)
    assert ("Line 19." in pages + screen) == ("--mapping" not in arguments)


@posix
def test_lines_that_take_two_rows_count_twice(long: Tree) -> None:
    write_skill(long.user_skills, "pdf", body=("word " * 30 + "\n") * 6)
    command = ("show", "/pdf", "--as-invoked")
    assert at_a_screen(long, *command, pager=TO_FILE, lines=13)[2]
    assert at_a_screen(long, *command, pager=TO_FILE, lines=20)[1]


@posix
@pytest.mark.parametrize("kind", ["dumb", ""])
def test_a_dumb_terminal_has_no_pager(kind: str, long: Tree) -> None:
    assert at_a_screen(long, "show", "/pdf", pager=TO_FILE, TERM=kind)[2] == ""


@posix
def test_leaving_the_pager_early_is_no_error(long: Tree) -> None:
    write_skill(long.user_skills, "pdf", body="word " * 100_000)
    assert at_a_screen(long, "show", "/pdf", pager="true") == (0, "", "")


@posix
def test_colors_reach_the_pager(long: Tree) -> None:
    code, _, pages = at_a_screen(long, "show", "/pdf", pager=TO_FILE, NO_COLOR="")
    assert code == 0
    assert "\x1b[" in pages


@posix
def test_less_is_told_what_git_tells_it_unless_somebody_else_did(long: Tree) -> None:
    pager = "sh -c 'cat > /dev/null; echo [$LESS] > FILE'"
    assert at_a_screen(long, "show", "/pdf", pager=pager)[2] == "[FRX]\n"
    assert at_a_screen(long, "show", "/pdf", pager=pager, LESS="S")[2] == "[S]\n"


@posix
def test_interrupting_is_the_pagers_business(long: Tree) -> None:
    """It needs a process of its own, which is interrupted with its pager."""
    env = cli.environment(long.top, long.config)
    env["PYTHONPATH"] = str(Path(__file__).parents[1])
    env["PAGER"] = "sh -c 'cat > /dev/null; kill -INT 0; echo went on'"
    screen = Screen(lines=10)
    done = subprocess.Popen(
        (sys.executable, "-m", "insomnia_skills", "show", "/pdf"),
        cwd=long.workspace,
        env=env,
        stdin=screen.follower,
        stdout=screen.follower,
        stderr=screen.follower,
        process_group=0,
    )
    code = done.wait(20)
    assert "interrupted" not in screen.close()
    assert code == 0


def test_captured_output_is_never_paged(long: Tree) -> None:
    """The streams of these tests say that they are a terminal, and have no screen."""
    pager = f"sh -c 'cat > {long.top / 'paged'}'"
    done = cli.call_in(long, "show", "/pdf", terminal=True, env={"PAGER": pager})
    assert "Line 19." in done.text
    assert not (long.top / "paged").exists()
