"""The messages that a Pod is given when a Workflow is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills import Ingest, KnowledgeError, Message, WorkflowRecord, messages
from insomnia_skills.invocation.messages import trimmed
from insomnia_skills.limits import MAX_FILE_BYTES
from insomnia_skills.workflow import FileChangedError
from tests.trees import Tree, denied, link, underlined, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def found(result: Ingest, slug: str) -> WorkflowRecord:
    record = result.find(slug)
    assert record is not None
    return record


def contents(tree: Tree, slug: str) -> list[str]:
    result = tree.ingest()
    return [m.content for m in messages(found(result, slug), result.workspace.knowledge)]


def knowledge(tree: Tree, slug: str, text: str | bytes) -> Path:
    return write(tree.workspace / ".insomnia/knowledge" / f"{slug}.md", text)


def test_a_skill_is_one_message(tree: Tree) -> None:
    path = write_skill(tree.user_skills, "pdf", body="# PDF\n\nRead it.\n")
    record = found(tree.ingest(), "pdf")
    assert messages(record, tree.workspace / ".insomnia/knowledge") == (
        Message("[Workflow /pdf]", "# PDF\n\nRead it.", path),
    )


def test_required_knowledge_comes_first_in_the_order_required(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [targets, checklist, targets]", body="Ship it.\n")
    targets = knowledge(tree, "targets", "Staging.\n")
    knowledge(tree, "checklist", "Backed up?\n\n")
    assert contents(tree, "deploy") == [
        "[Workflow /deploy requires Knowledge #targets]\nStaging.",
        "[Workflow /deploy requires Knowledge #checklist]\nBacked up?",
        "[Workflow /deploy requires Knowledge #targets]\nStaging.",
        "[Workflow /deploy]\nShip it.",
    ]
    result = tree.ingest()
    first, *_, last = messages(found(result, "deploy"), result.workspace.knowledge)
    assert (first.path, first.knowledge, last.knowledge) == (targets, "targets", None)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("Do it.\n", "Do it.", id="one-line"),
        pytest.param("Do it.", "Do it.", id="no-line-end"),
        pytest.param("\n# A\n\n\nB\n", "\n# A\n\n\nB", id="other-blank-lines-stay"),
        pytest.param("A\n\n \t\n\n", "A", id="blank-lines-with-blanks"),
        pytest.param("A  \n\n", "A  ", id="blanks-of-the-last-line-stay"),
        pytest.param("A\r\nB\r\n\r\n", "A\r\nB", id="CRLF"),
        pytest.param("A\rB\r\r", "A\rB", id="CR"),
        pytest.param("A\n\u00a0\n", "A\n\u00a0", id="a-no-break-space-is-text"),
        pytest.param("\n\n  \n", "", id="nothing-but-blank-lines"),
        pytest.param("", "", id="empty"),
    ],
)
def test_blank_lines_at_the_end_are_trimmed_and_nothing_else(body: str, text: str) -> None:
    assert trimmed(body) == text


def test_an_empty_body_leaves_the_header(tree: Tree) -> None:
    write_skill(tree.user_skills, "pdf", body="\n\n")
    assert contents(tree, "pdf") == ["[Workflow /pdf]"]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        pytest.param("Known.\n", "Known.", id="no-frontmatter"),
        pytest.param("---\ntitle: K\n---\nKnown.\n", "Known.", id="frontmatter"),
        pytest.param("\ufeff---  \r\ntitle: K\r\n---\r\nKnown.\r\n", "Known.", id="mark-and-CRLF"),
        pytest.param("---\na: : b\n---\nKnown.\n", "Known.", id="frontmatter-that-is-no-YAML"),
        pytest.param("---\nKnown.\n", "---\nKnown.", id="a-line-that-nothing-closes"),
        pytest.param("Known.\n---\na: b\n---\n", "Known.\n---\na: b\n---", id="not-on-top"),
        pytest.param("", "", id="empty"),
    ],
)
def test_the_body_of_knowledge(text: str, given: str, tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [k]")
    knowledge(tree, "k", text)
    header = "[Workflow /deploy requires Knowledge #k]"
    assert contents(tree, "deploy")[0] == (f"{header}\n{given}" if given else header)


def refused(tree: Tree) -> list[tuple[str, str]]:
    """What `messages` of /deploy complains of, with the text that it points at."""
    with pytest.raises(KnowledgeError, match="/deploy") as error:
        contents(tree, "deploy")
    assert {d.rule for d in error.value.diagnostics} == {"requires-missing"}
    return [(d.message, underlined(d)) for d in error.value.diagnostics]


def test_all_knowledge_that_cannot_be_given_is_told(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [gone, here, bytes, large, directory]")
    knowledge(tree, "here", "Known.\n")
    knowledge(tree, "bytes", b"K\xf6ln")
    knowledge(tree, "large", b"x" * (MAX_FILE_BYTES + 1))
    knowledge(tree, "directory/a", "")
    (tree.workspace / ".insomnia/knowledge/directory").rename(
        tree.workspace / ".insomnia/knowledge/directory.md"
    )
    assert refused(tree) == [
        ('the required Knowledge "gone" is not there', "gone"),
        ('the required Knowledge "bytes" can\'t be used: not UTF-8: byte 2 is 0xF6', "bytes"),
        (
            (
                'the required Knowledge "large" can\'t be used: '
                "the file has 1,048,577 bytes, the limit is 1,048,576"
            ),
            "large",
        ),
        ('the required Knowledge "directory" is not a file', "directory"),
    ]


def test_knowledge_that_may_not_be_read(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [k]")
    with denied(knowledge(tree, "k", "Known.\n")):
        assert refused(tree) == [
            (
                "the required Knowledge \"k\" can't be used: can't be read: Permission denied",
                "k",
            )
        ]


def test_a_link_out_of_the_workspace_is_not_followed(tree: Tree) -> None:
    """It may lead to anything at all, and Knowledge needs nothing in it to pass for one."""
    tree.write_workflow("deploy", "requires: [k]")
    write(tree.top / "secret", "token\n")
    link(tree.workspace / ".insomnia/knowledge/k.md", "../../../secret")
    assert refused(tree) == [('the required Knowledge "k" leads out of the workspace', "k")]


def test_links_to_what_belongs_to_the_workspace_are_followed(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [k]")
    write(tree.workspace / "docs/k.md", "Known.\n")
    link(tree.workspace / ".insomnia/knowledge/k.md", "../../docs/k.md")
    assert contents(tree, "deploy")[0].endswith("\nKnown.")


def test_a_directory_of_knowledge_that_several_workspaces_share(tree: Tree) -> None:
    tree.write_workflow("deploy", "requires: [k]")
    write(tree.top / "shared/k.md", "Known.\n")
    link(tree.workspace / ".insomnia/knowledge", tree.top / "shared")
    assert contents(tree, "deploy")[0].endswith("\nKnown.")


def test_a_file_that_has_changed_meanwhile(tree: Tree) -> None:
    path = write_skill(tree.user_skills, "pdf")
    record = found(tree.ingest(), "pdf")
    path.write_text(path.read_text() + "More.\n")
    with pytest.raises(FileChangedError, match="has changed since"):
        messages(record, tree.workspace / ".insomnia/knowledge")
