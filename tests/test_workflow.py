"""Native Workflows: strict rules, defaults and slugs; the mapping of a skill; loading a body."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.native import read_workflow, scan_workflows
from insomnia_skills.scan import look_at
from insomnia_skills.skill import read_skill
from insomnia_skills.sources import Source, SourceKind
from insomnia_skills.workflow import (
    FileChangedError,
    WorkflowRecord,
    load_body,
    workflow_from_skill,
)
from tests.trees import Tree, link, underlined, write, write_skill

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
DESCRIPTION = "description: Brings the team up to date."


def read(
    path: Path, knowledge: Path | None = None
) -> tuple[WorkflowRecord | None, tuple[Diagnostic, ...]]:
    source = Source("1", SourceKind.WORKSPACE_WORKFLOW, path.parent, "default")
    return read_workflow(path, source, knowledge)[:2]


def judge(
    tmp_path: Path, *lines: str, stem: str = "standup"
) -> tuple[WorkflowRecord | None, tuple[Diagnostic, ...]]:
    """What becomes of a native Workflow with these lines of frontmatter."""
    return read(write(tmp_path / f"{stem}.md", "\n".join(("---", *lines, "---", "Do it.\n"))))


def accept(tmp_path: Path, *lines: str, stem: str = "standup") -> WorkflowRecord:
    """The record of a native Workflow that nothing at all is said about."""
    record, diagnostics = judge(tmp_path, *lines, stem=stem)
    assert diagnostics == ()
    assert record is not None
    return record


def complain(tmp_path: Path, *lines: str, stem: str = "standup") -> Diagnostic:
    """The one thing that is said about a native Workflow, which only an error breaks."""
    record, diagnostics = judge(tmp_path, *lines, stem=stem)
    assert len(diagnostics) == 1, [f"{d.rule}: {d.message}" for d in diagnostics]
    assert (record is None) is (diagnostics[0].severity is ERROR)
    return diagnostics[0]


# --- fields --------------------------------------------------------------------------------------


def test_defaults(tmp_path: Path) -> None:
    record = accept(tmp_path, DESCRIPTION)
    assert record.slug == "standup"
    assert record.description == "Brings the team up to date."
    assert record.model_invokation is False
    assert record.user_invocable is True
    assert record.requires == ()
    assert record.path == tmp_path / "standup.md"
    assert record.directory is None
    assert record.directory is None
    assert not record.stand_in


def test_every_field(tmp_path: Path) -> None:
    record = accept(
        tmp_path,
        DESCRIPTION,
        "model_invokation: true",
        "user_invocable: false",
        "requires: [team, '2026']",
        "created_at: 2026-01-02",
        "updated_at: 2026-01-02T03:04:05Z",
    )
    assert record.model_invokation is True
    assert record.user_invocable is False
    assert record.requires == ("team", "2026")


@pytest.mark.parametrize("field", ["model_invokation", "user_invocable"])
@pytest.mark.parametrize(
    ("written", "value"),
    [
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
    ],
)
def test_true_and_false(tmp_path: Path, field: str, written: str, value: bool) -> None:
    record = accept(tmp_path, DESCRIPTION, f"{field}: {written}")
    assert getattr(record, field) is value


@pytest.mark.parametrize("field", ["model_invokation", "user_invocable"])
@pytest.mark.parametrize(
    ("written", "kind"),
    [
        pytest.param("yes", "text", id="yes"),
        pytest.param("off", "text", id="off"),
        pytest.param("'true'", "text", id="quoted"),
        pytest.param("''", "text", id="quoted-nothing"),
        pytest.param("1", "a number", id="number"),
        pytest.param("[true]", "a list", id="list"),
        pytest.param("{a: true}", "a mapping", id="mapping"),
    ],
)
def test_neither_true_nor_false(tmp_path: Path, field: str, written: str, kind: str) -> None:
    found = complain(tmp_path, DESCRIPTION, f"{field}: {written}")
    assert found.severity is ERROR
    assert found.rule == f"{field.replace('_', '-')}-type"
    assert found.message == f"{field} must be true or false, this is {kind}"
    assert underlined(found) == written


@pytest.mark.parametrize(
    ("line", "rule", "marked"),
    [
        pytest.param("# nothing", "description-missing", "", id="missing"),
        pytest.param("description:", "description-missing", "", id="null"),
        pytest.param("description: 3", "description-type", "3", id="number"),
        pytest.param("description: [x]", "description-type", "[x]", id="list"),
        pytest.param("description: ' '", "description-empty", "' '", id="blank"),
        pytest.param("description: *x", "yaml-alias", "*x", id="alias"),
        pytest.param("description: !x y", "yaml-tag", "!x", id="tag"),
    ],
)
def test_description_refused(tmp_path: Path, line: str, rule: str, marked: str) -> None:
    found = complain(tmp_path, line)
    assert (found.rule, found.severity) == (rule, ERROR)
    assert underlined(found) == marked


@pytest.mark.parametrize(
    ("length", "lines", "refused"),
    [
        pytest.param(1024, ["model_invokation: true"], False, id="1024-by-model"),
        pytest.param(1025, ["model_invokation: true"], True, id="1025-by-model"),
        pytest.param(1025, ["model_invokation: TRUE"], True, id="1025-by-model-in-capitals"),
        pytest.param(1025, ["model_invokation: false"], False, id="1025-not-by-model"),
        pytest.param(1025, [], False, id="1025-by-default"),
        pytest.param(5000, ["user_invocable: true"], False, id="5000-by-user"),
    ],
)
def test_the_length_of_a_description_counts_where_the_model_reads_it(
    tmp_path: Path, length: int, lines: list[str], refused: bool
) -> None:
    written = "\U0001f680" * length
    if refused:
        found = complain(tmp_path, f"description: {written}", *lines)
        assert (found.rule, found.severity) == ("description-too-long", ERROR)
        assert "1,025 characters" in found.message
        assert underlined(found) == written
    else:
        assert len(accept(tmp_path, f"description: {written}", *lines).description) == length


def test_description_cut_by_comment(tmp_path: Path) -> None:
    found = complain(tmp_path, "description: Closes issue #12")
    assert (found.rule, found.severity) == ("description-cut-by-comment", WARNING)
    assert underlined(found) == "#12"


def test_a_name_is_an_error_even_where_it_is_right(tmp_path: Path) -> None:
    found = complain(tmp_path, "name: standup", DESCRIPTION)
    assert (found.rule, found.severity) == ("workflow-name-key", ERROR)
    assert underlined(found) == "name"
    assert (found.line, found.column) == (2, 1)


@pytest.mark.parametrize(
    ("key", "field"),
    [
        pytest.param("model_invocation", "model_invokation", id="invocation-with-c"),
        pytest.param("model-invokation", "model_invokation", id="hyphen"),
        pytest.param("modelInvokation", "model_invokation", id="camel-case"),
        pytest.param("user_invokable", "user_invocable", id="invokable-with-k"),
        pytest.param("user-invocable", "user_invocable", id="as-other-clients-write-it"),
        pytest.param("user-invokable", "user_invocable", id="as-one-client-wrote-it"),
        pytest.param("requries", "requires", id="letters-swapped"),
        pytest.param("require", "requires", id="singular"),
        pytest.param("Description", "description", id="description-again"),
        pytest.param("created-at", "created_at", id="created-at"),
        pytest.param("updatedAt", "updated_at", id="updated-at"),
    ],
)
def test_misspelt_field(tmp_path: Path, key: str, field: str) -> None:
    found = complain(tmp_path, DESCRIPTION, f"{key}: false")
    assert (found.rule, found.severity) == ("misspelt-field", WARNING)
    assert f"did you mean {field}?" in found.message
    assert underlined(found) == key


def test_a_misspelt_model_invokation_does_not_count(tmp_path: Path) -> None:
    record, _ = judge(tmp_path, DESCRIPTION, "model_invocation: true")
    assert record is not None
    assert record.model_invokation is False


def test_a_misspelt_description_is_one_fault(tmp_path: Path) -> None:
    found = complain(tmp_path, "Description: x")
    assert found.rule == "description-missing"
    assert '"Description"' in (found.help or "")


@pytest.mark.parametrize("key", ["version", "metadata", "license", "compatibility", "mine"])
def test_unknown_field(tmp_path: Path, key: str) -> None:
    found = complain(tmp_path, DESCRIPTION, f"{key}: x")
    assert (found.rule, found.severity) == ("unknown-field", INFO)
    assert f'"{key}"' in found.message
    assert underlined(found) == key


@pytest.mark.parametrize("key", ["metadata", "mine"])
def test_what_is_said_of_an_unknown_field_is_true_of_a_native_workflow(
    tmp_path: Path, key: str
) -> None:
    """It has no ``metadata`` to put a key under, and the specification of skills is not its own."""
    found = complain(tmp_path, DESCRIPTION, f"{key}: x")
    assert "under metadata" not in (found.help or "")
    assert "specification" not in found.message


def test_every_independent_fault_in_the_order_of_the_text(tmp_path: Path) -> None:
    record, diagnostics = judge(
        tmp_path,
        "name: x",
        "description: 3",
        "model_invokation: yes",
        "user_invocable: no",
        "requires: team",
        "requires: []",
        stem="Stand Up",
    )
    assert record is None
    assert [(found.line, found.rule) for found in diagnostics] == [
        (1, "workflow-slug"),
        (2, "workflow-name-key"),
        (3, "description-type"),
        (4, "model-invokation-type"),
        (5, "user-invocable-type"),
        (6, "requires-type"),
        (7, "yaml-duplicate-key"),
    ]
    assert {found.severity for found in diagnostics} == {ERROR}


# --- requires ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "slugs"),
    [
        pytest.param("[]", (), id="empty"),
        pytest.param("[a, b-2]", ("a", "b-2"), id="flow"),
        pytest.param("\n  - b\n  - a", ("b", "a"), id="block-in-order"),
        pytest.param("['123', \"true\"]", ("123", "true"), id="quoted"),
        pytest.param("[yes, 2026-01-02]", ("yes", "2026-01-02"), id="text-to-yaml-1-2"),
    ],
)
def test_requires_accepted(tmp_path: Path, written: str, slugs: tuple[str, ...]) -> None:
    assert accept(tmp_path, DESCRIPTION, f"requires: {written}").requires == slugs


@pytest.mark.parametrize(
    ("written", "says", "marked"),
    [
        pytest.param("team", "text", "team", id="text"),
        pytest.param("a, b", "text", "a, b", id="commas"),
        pytest.param("3", "a number", "3", id="number"),
        pytest.param("true", "true or false", "true", id="true"),
        pytest.param("{team: yes}", "a mapping", "{team: yes}", id="mapping"),
        pytest.param("[team, 3]", "a number", "3", id="number-in-list"),
        pytest.param("[true]", "true or false", "true", id="true-in-list"),
        pytest.param("[~]", "nothing", "~", id="null-in-list"),
        pytest.param("[[team]]", "a list", "[team]", id="list-in-list"),
        pytest.param("[team: x]", "a mapping", "team: x", id="mapping-in-list"),
        pytest.param("['']", "empty", "''", id="empty-in-list"),
        pytest.param("[Team]", '"T"', "Team", id="capital"),
        pytest.param("[the team]", "blank", "the team", id="blank"),
        pytest.param("[../team]", '"."', "../team", id="parent"),
        pytest.param("[team.md]", '"."', "team.md", id="suffix"),
        pytest.param("['#team']", '"#"', "'#team'", id="hash"),
        pytest.param("[a--b]", "two hyphens", "a--b", id="hyphens"),
        pytest.param(f"[{'a' * 65}]", "65 characters", "a" * 65, id="65-characters"),
    ],
)
def test_requires_type(tmp_path: Path, written: str, says: str, marked: str) -> None:
    found = complain(tmp_path, DESCRIPTION, f"requires: {written}")
    assert (found.rule, found.severity) == ("requires-type", ERROR)
    assert "requires" in found.message
    assert says in found.message
    assert underlined(found) == marked


@pytest.mark.parametrize("written", ["*team", "*Team", "[*team]", "[*Team]", "[&a team]", "[!a b]"])
def test_a_sign_in_requires_is_one_fault(tmp_path: Path, written: str) -> None:
    assert complain(tmp_path, DESCRIPTION, f"requires: {written}").rule in (
        "yaml-alias",
        "yaml-tag",
    )


def test_missing_knowledge_is_only_looked_for_where_knowledge_is_given(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write_knowledge("team")
    path = tree.write_workflow("standup", "requires: [team, calendar, team-2]")
    knowledge = tree.workspace / ".insomnia" / "knowledge"
    record, diagnostics = read(path)
    assert record is not None
    assert diagnostics == ()
    record, diagnostics = read(path, knowledge)
    assert record is not None
    assert record.requires == ("team", "calendar", "team-2")
    assert [(d.rule, d.severity, underlined(d)) for d in diagnostics] == [
        ("requires-missing", ERROR, "calendar"),
        ("requires-missing", ERROR, "team-2"),
    ]
    assert '"calendar"' in diagnostics[0].message
    assert str(knowledge / "calendar.md") in (diagnostics[0].help or "")


@pytest.mark.parametrize(
    "what", ["directory", "dangling-link", "other-suffix", "no-directory", "bytes"]
)
def test_knowledge_is_a_file_of_that_name(tmp_path: Path, what: str) -> None:
    tree = Tree(tmp_path)
    knowledge = tree.workspace / ".insomnia" / "knowledge"
    if what == "directory":
        (knowledge / "team.md").mkdir(parents=True)
    elif what == "dangling-link":
        link(knowledge / "team.md", "gone")
    elif what == "other-suffix":
        write(knowledge / "team.txt", "Known.")
    elif what == "bytes":
        write(knowledge / "team.md", b"K\xf6ln")
    _, diagnostics = read(tree.write_workflow("standup", "requires: [team]"), knowledge)
    assert [found.rule for found in diagnostics] == ["requires-missing"]


def test_a_broken_workflow_is_not_asked_for_its_knowledge(tmp_path: Path) -> None:
    path = Tree(tmp_path).write_workflow("standup", "requires: [team]", "name: standup")
    _, diagnostics = read(path, tmp_path)
    assert [found.rule for found in diagnostics] == ["workflow-name-key"]


# --- slugs and files -----------------------------------------------------------------------------


@pytest.mark.parametrize("stem", ["a", "a" * 64, "123", "true", "null", "step-2", "2026-01-02"])
def test_the_stem_of_the_file_is_the_slug(tmp_path: Path, stem: str) -> None:
    assert accept(tmp_path, DESCRIPTION, stem=stem).slug == stem


@pytest.mark.parametrize(
    ("stem", "says"),
    [
        pytest.param("Standup", 'the capital letter "S"', id="capital"),
        pytest.param("stand_up", '"_"', id="underscore"),
        pytest.param("stand up", "a blank", id="blank"),
        pytest.param("stand.up", '"."', id="dot"),
        pytest.param("朝会", '"朝"', id="japanese"),
        pytest.param("-standup", "hyphen at an end", id="hyphen-first"),
        pytest.param("standup-", "hyphen at an end", id="hyphen-last"),
        pytest.param("stand--up", "two hyphens", id="two-hyphens"),
        pytest.param("a" * 65, "65 characters", id="65-characters"),
    ],
)
def test_workflow_slug(tmp_path: Path, stem: str, says: str) -> None:
    found = complain(tmp_path, DESCRIPTION, stem=stem)
    assert (found.rule, found.severity) == ("workflow-slug", ERROR)
    assert f'"{stem}"' in found.message
    assert says in found.message
    assert (found.line, found.column, underlined(found)) == (1, 1, "")


def test_the_files_that_are_workflows(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "Z.md", "c.MD", "d.txt", "e", ".f.md", "g.md.bak", "h.md~", ".md"):
        write(tmp_path / name, "")
    write(tmp_path / "below" / "i.md", "")
    link(tmp_path / "j.md", "a.md")
    names = [path.name for path in scan_workflows(tmp_path)]
    assert names == ["Z.md", "a.md", "b.md", "j.md"]


def test_a_directory_that_is_not_there_has_no_workflows(tmp_path: Path) -> None:
    assert scan_workflows(tmp_path / "gone") == []


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        pytest.param(b"", "frontmatter-missing", id="empty"),
        pytest.param(b"Do it.\n", "frontmatter-missing", id="no-frontmatter"),
        pytest.param(b"---\ndescription: x\n", "frontmatter-unclosed", id="unclosed"),
        pytest.param(
            b"\n---\ndescription: x\n---\n", "content-before-frontmatter", id="blank-line"
        ),
        pytest.param(b"---\n- a\n---\n", "frontmatter-not-mapping", id="list"),
        pytest.param(b"---\ndescription: a: b\n---\n", "yaml-syntax", id="not-yaml"),
        pytest.param(b"---\ndescription: \xff\n---\n", "not-utf8", id="not-utf8"),
    ],
)
def test_what_is_no_frontmatter_breaks_it(tmp_path: Path, content: bytes, rule: str) -> None:
    record, (found,) = read(write(tmp_path / "standup.md", content))
    assert record is None
    assert (found.rule, found.severity) == (rule, ERROR)


@pytest.mark.parametrize("content", ["", "Do it.\n", "---\n- a\n---\n"])
def test_help_never_tells_to_write_a_name(tmp_path: Path, content: str) -> None:
    """Whoever follows it in a native Workflow runs into the next error."""
    _, (found,) = read(write(tmp_path / "standup.md", content))
    assert "name:" not in (found.help or "")


def test_what_is_no_file_breaks_it(tmp_path: Path) -> None:
    (tmp_path / "standup.md").mkdir()
    record, (found,) = read(tmp_path / "standup.md")
    assert (record, found.rule, found.severity) == (None, "not-a-file", ERROR)


def test_a_dangling_link_breaks_it(tmp_path: Path) -> None:
    record, (found,) = read(link(tmp_path / "standup.md", "gone.md"))
    assert (record, found.rule, found.severity) == (None, "broken-symlink", ERROR)


# --- skill → Workflow ----------------------------------------------------------------------------


def test_workflow_from_skill(tmp_path: Path) -> None:
    path = write_skill(
        tmp_path,
        "pdf",
        "license: MIT",
        "compatibility: Needs git",
        "metadata: {version: 1.10}",
        "allowed-tools: Read Grep",
        "disable-model-invocation: true",
        "user-invocable: false",
        "model_invokation: false",
        "user_invocable: false",
        "requires: [team]",
        description="Reads PDF files. # é",
    )
    found = look_at(path.parent)
    assert found is not None
    skill = read_skill(found).record
    assert skill is not None
    source = Source("3", SourceKind.USER_SKILL, tmp_path, "default")
    record = workflow_from_skill(skill, source)
    assert record == WorkflowRecord(
        slug="pdf",
        description="Reads PDF files.",
        model_invokation=True,
        user_invocable=True,
        requires=(),
        path=path,
        directory=tmp_path / "pdf",
        source=source,
        body_digest=skill.body_digest,
        stand_in=False,
        license="MIT",
        compatibility="Needs git",
        metadata={"version": "1.10"},
        allowed_tools="Read Grep",
    )
    assert record.directory is not None


def test_a_record_cannot_be_changed(tmp_path: Path) -> None:
    record = accept(tmp_path, DESCRIPTION)
    with pytest.raises(AttributeError):
        record.slug = "other"  # type: ignore[misc]


# --- load_body -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "body"),
    [
        pytest.param("---\n{}\n---\n", "Do it.\n", id="usual"),
        pytest.param("---\n{}\n---\n", "Do it.", id="no-line-break-at-the-end"),
        pytest.param("---\n{}\n---\n", "", id="nothing"),
        pytest.param("---\n{}\n---", "", id="file-ends-at-the-fence"),
        pytest.param("---\n{}\n---\n", "\n\n  Do it.  \n\n", id="blanks-around"),
        pytest.param("---\r\n{}\r\n---\r\n", "Do\r\nit.\r\n", id="crlf"),
        pytest.param("---\n{}\n---\n", "a\r\nb\nc\rd", id="mixed-line-ends"),
        pytest.param("\ufeff---\n{}\n---\n", "Do it.\n", id="byte-order-mark"),
        pytest.param("---\n{}\n---\n", "\ufeffDo it.\n", id="byte-order-mark-in-body"),
        pytest.param("---\n{}\n---  \n", "Do it.\n", id="blanks-after-the-fence"),
        pytest.param("---\n{}\n---\n", "---\nname: x\n---\n", id="fences-in-body"),
        pytest.param("---\n{}\n---\n", "手順 \U0001f680 \x00\x1b[31m\u200b\x85\u2028\f", id="odd"),
    ],
)
@pytest.mark.parametrize("kind", ["skill", "native"])
def test_load_body_byte_for_byte(tmp_path: Path, kind: str, before: str, body: str) -> None:
    record: WorkflowRecord | None
    if kind == "native":
        text = before.replace("{}", "description: x") + body
        record, _ = read(write(tmp_path / "standup.md", text))
    else:
        text = before.replace("{}", "{name: pdf, description: x}") + body
        write(tmp_path / "pdf" / "SKILL.md", text)
        found = look_at(tmp_path / "pdf")
        assert found is not None
        skill = read_skill(found).record
        assert skill is not None
        source = Source("3", SourceKind.USER_SKILL, tmp_path, "default")
        record = workflow_from_skill(skill, source)
    assert record is not None
    assert load_body(record).encode() == body.encode()


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(f"---\n{DESCRIPTION}\n---\nDo something else.\n", id="another-body"),
        pytest.param(f"---\n{DESCRIPTION}\n---\nDo it.\r\n", id="another-line-end"),
        pytest.param(f"---\n{DESCRIPTION}\n---\n", id="no-body"),
        pytest.param("Do it.\n", id="no-frontmatter"),
        pytest.param("", id="empty"),
        pytest.param(None, id="gone"),
    ],
)
def test_a_file_that_changed_since(tmp_path: Path, now: str | None) -> None:
    record = accept(tmp_path, DESCRIPTION)
    if now is None:
        record.path.unlink()
    else:
        write(record.path, now)
    with pytest.raises(FileChangedError, match=r"standup\.md has changed"):
        load_body(record)
