"""What a Workflow keeps of its file, fixes, or drops, and with which consequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills import Fate, Mapped, load_preview, map_fields
from insomnia_skills.clients.keys import (
    CLIENT_FILE_TABLE,
    CLIENT_KEY_TABLE,
    CLIENT_PLACEHOLDER_TABLE,
    METADATA_KEY_TABLE,
    QUIET_KEY_TABLE,
    ClientKey,
    some,
)
from tests.trees import Tree, link, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def mapped(tree: Tree, slug: str) -> dict[str, Mapped]:
    """The mapping of the first copy of a slug, by field."""
    result = tree.ingest()
    candidate = next(c for c in result.candidates if c.slug == slug)
    rows = map_fields(load_preview(result, candidate))
    assert len({row.field for row in rows}) == len(rows)
    return {row.field: row for row in rows}


def of_skill(tree: Tree, *extra: str, body: str = "Do it.\n") -> dict[str, Mapped]:
    write_skill(tree.user_skills, "pdf", *extra, body=body)
    return mapped(tree, "pdf")


# --- a skill -------------------------------------------------------------------------------------


def test_the_smallest_skill(tree: Tree) -> None:
    assert list(of_skill(tree).values()) == [
        Mapped("name", "pdf", "slug: pdf", Fate.KEPT, "the slug is the directory's name", (2,)),
        Mapped(
            "description",
            "Does one thing. Use when it is wanted.",
            "description",
            Fate.KEPT,
            "the model is told it in every conversation, 38 characters",
            (3,),
        ),
        Mapped(
            "model_invokation",
            None,
            "true",
            Fate.FIXED,
            "the model may call it and is told of it, always",
        ),
        Mapped("user_invocable", None, "true", Fate.FIXED, "you may call it as /pdf, always"),
        Mapped("requires", None, "none", Fate.FIXED, "no Knowledge comes before the body"),
        Mapped("body", None, "body", Fate.KEPT, "unchanged, 7 characters"),
    ]


@pytest.mark.parametrize(
    ("line", "field", "value", "fate", "consequence"),
    [
        pytest.param(
            "license: MIT",
            *("license", "MIT", Fate.KEPT, "is shown, and has no effect"),
            id="license",
        ),
        pytest.param(
            "compatibility: Needs git.",
            *("compatibility", "Needs git.", Fate.KEPT, "is shown, and has no effect"),
            id="compatibility",
        ),
        pytest.param(
            "metadata: {version: 1.10}",
            *("metadata", {"version": "1.10"}, Fate.KEPT, "is shown, and has no effect"),
            id="metadata",
        ),
        pytest.param(
            "allowed-tools: Read Grep",
            *("allowed-tools", "Read Grep", Fate.KEPT),
            "is not enforced: the model may use every tool that its Pod has; "
            "in Claude Code it approves these beforehand, here it approves nothing",
            id="allowed-tools",
        ),
        pytest.param(
            "disable-model-invocation: true",
            *("disable-model-invocation", "true", Fate.DROPPED),
            "in Claude Code, VS Code, Letta, OpenHands, Pi and Qwen Code it hides the skill from "
            "the model; here it is still offered to the model",
            id="hidden-from-the-model",
        ),
        pytest.param(
            "disable-model-invocation: false",
            *("disable-model-invocation", "false", Fate.DROPPED),
            "in Claude Code, VS Code, Letta, OpenHands, Pi and Qwen Code it hides the skill from "
            "the model; the value asks for what insomnia does anyway",
            id="not-hidden-from-the-model",
        ),
        pytest.param(
            "User_Invocable: false",
            *("User_Invocable", "false", Fate.DROPPED),
            "in Claude Code, VS Code, Letta and Qwen Code it hides the skill from the user's menu; "
            "here the user may call every skill",
            id="spelt-in-another-way",
        ),
        pytest.param(
            "effort: high",
            *("effort", "high", Fate.DROPPED),
            "in Claude Code it chooses how long the model thinks; here it does nothing",
            id="no-consequence-of-its-own",
        ),
        pytest.param(
            "version: 1.0",
            *("version", "1.0", Fate.DROPPED),
            "in OpenHands and catalogues it tells versions apart; here it does nothing",
            id="for-catalogues",
        ),
        pytest.param(
            "model_invokation: false",
            *("model_invokation", "false", Fate.FIXED),
            "the model may call it and is told of it, always",
            id="a-native-field",
        ),
        pytest.param(
            "model_invocation: false",
            *("model_invocation", "false", Fate.DROPPED),
            "is a field of native Workflows; the model may call every skill",
            id="a-native-field-misspelt",
        ),
        pytest.param(
            "requires: [git]",
            *("requires", ["git"], Fate.FIXED, "no Knowledge comes before the body"),
            id="requires",
        ),
        pytest.param(
            "licence: MIT",
            *("licence", "MIT", Fate.DROPPED, "insomnia does not know it; license may be meant"),
            id="misspelt",
        ),
        pytest.param(
            "colour: [red]",
            *("colour", ["red"], Fate.DROPPED, "insomnia does not know it"),
            id="unknown",
        ),
    ],
)
def test_a_field(
    line: str, field: str, value: object, fate: Fate, consequence: str, tree: Tree
) -> None:
    row = of_skill(tree, line)[field]
    assert (row.value, row.fate, row.consequence) == (value, fate, consequence)
    assert row.lines == (4,)
    assert bool(row.becomes) == (fate is not Fate.DROPPED)


@pytest.mark.parametrize("client", [*CLIENT_KEY_TABLE, *QUIET_KEY_TABLE], ids=lambda row: row.key)
def test_every_key_of_other_clients_is_dropped(client: ClientKey, tree: Tree) -> None:
    row = of_skill(tree, f"{client.key}: fork")[client.key]
    assert row.fate is Fate.DROPPED
    assert row.consequence.startswith("in ")
    assert client.effect in row.consequence
    assert all(name in row.consequence for name in client.clients)


@pytest.mark.parametrize("client", METADATA_KEY_TABLE, ids=lambda row: row.key)
def test_every_key_of_other_clients_in_metadata_is_kept(client: ClientKey, tree: Tree) -> None:
    row = of_skill(tree, "metadata:", f"  {client.key}: a")[f"metadata.{client.key}"]
    assert (row.value, row.fate, row.lines) == ("a", Fate.KEPT, (4,))
    assert row.consequence.startswith(f"in {client.clients[0]} it {client.effect}; ")


def test_a_file_that_another_client_reads(tree: Tree) -> None:
    write(tree.user_skills / "pdf/agents/openai.yaml", "policy: {}\n")
    (client,) = CLIENT_FILE_TABLE
    rows = of_skill(tree)
    assert rows["agents/openai.yaml"].fate is Fate.KEPT
    assert rows["agents/openai.yaml"].consequence == (
        "in Codex it says how the skill is shown and whether the model may call it; "
        "here it is a file like any other"
    )
    assert rows["files"].becomes == "readable"
    assert client.key == "agents/openai.yaml"


# --- the body ------------------------------------------------------------------------------------

_USES = {"$1": "Fix $2 of $ARGUMENTS.", "!`command`": "- Now: !`git status`"}


@pytest.mark.parametrize("client", CLIENT_PLACEHOLDER_TABLE, ids=lambda row: row.text)
def test_every_placeholder_stays_literal(client: object, tree: Tree) -> None:
    text = client.text  # type: ignore[attr-defined]
    row = of_skill(tree, body=f"One.\n\n{_USES.get(text, f'Use {text}/a.')}\n")[text]
    assert (row.fate, row.lines) == (Fate.LITERAL, (7,))
    assert row.value == row.becomes
    assert row.consequence.startswith("stays as it is; in ")


def test_a_placeholder_has_all_its_lines(tree: Tree) -> None:
    row = of_skill(tree, body="$ARGUMENTS $ARGUMENTS\n\nA\n\n$ARGUMENTS\n")["$ARGUMENTS"]
    assert row.lines == (5, 9)
    assert row.consequence == (
        "stays as it is; in Claude Code it becomes what the user typed after the call; "
        'say in words what is meant, like "the issue that the user names"'
    )


def test_a_body_where_code_cannot_be_told_from_prose(tree: Tree) -> None:
    rows = of_skill(tree, body="```\n$ARGUMENTS\n```python\n")
    assert "$ARGUMENTS" not in rows
    assert rows["body"].consequence.endswith(
        "it is too long or too muddled to look for other clients' placeholders in"
    )


# --- a native Workflow ---------------------------------------------------------------------------


def test_a_native_workflow_says_it_all(tree: Tree) -> None:
    tree.write_workflow(
        "deploy",
        "model_invokation: true",
        "user_invocable: false",
        "requires: [targets, checklist]",
        "created_at: 2026-01-01",
        "licens: MIT",
        body="$ARGUMENTS\n",
    )
    rows = mapped(tree, "deploy")
    assert [(row.field, row.value, row.becomes, row.fate.value) for row in rows.values()] == [
        ("file name", "deploy.md", "slug: deploy", "kept"),
        ("description", "Native.", "description", "kept"),
        ("model_invokation", "true", "true", "kept"),
        ("user_invocable", "false", "false", "kept"),
        ("requires", ["targets", "checklist"], "targets, checklist", "kept"),
        ("created_at", "2026-01-01", "", "dropped"),
        ("licens", "MIT", "", "dropped"),
        ("body", None, "body", "kept"),
    ]
    assert rows["user_invocable"].consequence == "/deploy is refused where you type it"
    assert rows["requires"].lines == (5,)


def test_a_native_workflow_that_says_nothing(tree: Tree) -> None:
    tree.write_workflow("deploy")
    rows = mapped(tree, "deploy")
    assert {row.field: (row.becomes, row.consequence) for row in rows.values()} == {
        "file name": ("slug: deploy", "the slug is its name"),
        "description": ("description", "people see it in lists, the model does not, 7 characters"),
        "model_invokation": (
            "false",
            "the model may not call it, nor is it told of it, by default",
        ),
        "user_invocable": ("true", "you may call it as /deploy, by default"),
        "requires": ("none", "no Knowledge comes before the body"),
        "body": ("body", "unchanged, 7 characters"),
    }


def test_one_character(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", description="x", body="y")
    rows = mapped(tree, "pdf")
    assert rows["description"].consequence.endswith(", 1 character")
    assert rows["body"].consequence == "unchanged, 1 character"


# --- copies that are broken, and files that lie elsewhere ----------------------------------------


def test_a_broken_copy_as_far_as_it_could_be_read(tree: Tree) -> None:
    write(tree.user_skills / "pdf/SKILL.md", "---\nname: odf\nmodel: fast\n---\nDo it.\n")
    rows = mapped(tree, "pdf")
    assert (rows["name"].value, rows["name"].becomes) == ("odf", "slug: pdf")
    assert "description" not in rows
    assert rows["model"].fate is Fate.DROPPED


def test_a_broken_native_copy(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: nothing", "model_invokation: true", "name: deploy")
    rows = mapped(tree, "deploy")
    assert (rows["requires"].value, rows["requires"].becomes) == ("nothing", "none")
    assert rows["model_invokation"].becomes == "true"


def test_nothing_is_read_of_a_broken_copy_that_lies_elsewhere(tree: Tree) -> None:
    write(tree.top / "secret", "---\ntoken: 123\n---\n")
    link(tree.user_skills / "pdf/SKILL.md", "../../../secret")
    rows = mapped(tree, "pdf")
    assert "token" not in rows
    assert rows["body"].consequence == "unchanged, 0 characters"


def test_of_a_valid_copy_that_lies_elsewhere_dropped_values_are_not_given(tree: Tree) -> None:
    path = write(tree.top / "pdf.md", "---\ndescription: a\ntoken: 123\n---\nb\n")
    link(tree.workspace / ".insomnia/memory/workflow/pdf.md", path)
    rows = mapped(tree, "pdf")
    assert (rows["token"].value, rows["description"].value) == (None, "a")


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clients", "words"),
    [
        (("Cline",), "Cline"),
        (("Letta", "catalogues"), "Letta and catalogues"),
        (("Claude Code", "VS Code", "Letta"), "Claude Code, VS Code and others"),
    ],
)
def test_some_clients(clients: tuple[str, ...], words: str) -> None:
    assert some(clients) == words
