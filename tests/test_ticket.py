"""The ticket's completion conditions, one test each, in its words (rendered in English)."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills import Severity, is_readable, load_body, scope_rules
from tests.trees import Tree, break_skill, slugs, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_user_skills_are_registered_and_can_be_called(tree: Tree) -> None:
    """A SKILL.md under `$user/skills/` is registered as a Workflow and is called by `/<name>`."""
    path = write_skill(tree.user_skills, "pdf", body="# PDF\n\nRead it.\n")
    result = tree.ingest()
    assert slugs(result) == ["pdf"]
    record = result.find("/pdf")
    assert record is not None
    assert (record.path, record.source.kind.value) == (path, "user-skill")
    assert load_body(record) == "# PDF\n\nRead it.\n"


def test_only_the_directories_of_the_manifest_are_ingested(tree: Tree) -> None:
    """Beyond user skills, only what is under `[skills] directories = [...]` is ingested."""
    write_skill(tree.user_skills, "user")
    write_skill(tree.workspace / ".claude" / "skills", "claude")
    write_skill(tree.workspace / ".cursor" / "skills", "cursor")
    for other in (".codex/skills", "skills", ".insomnia/skills", ".claude", "node_modules"):
        write_skill(tree.workspace / other, "other")
    write(tree.manifest, '[skills]\ndirectories = [".claude/skills", ".cursor/skills"]\n')
    assert slugs(tree.ingest()) == ["claude", "cursor", "user"]


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(None, id="no-manifest"),
        pytest.param("", id="empty"),
        pytest.param("[scope]\nallow = []\n", id="no-section"),
        pytest.param("[skills]\n", id="no-directories"),
        pytest.param("[skills]\ndirectories = []\n", id="no-entry"),
    ],
)
def test_without_manifest_the_workspace_gives_no_skill(tree: Tree, manifest: str | None) -> None:
    """In a workspace that does not say so there are zero workspace skills."""
    for root in (".claude/skills", ".cursor/skills", "skills", ".insomnia/skills"):
        write_skill(tree.workspace / root, "pdf")
    write_skill(tree.user_skills, "mine")
    if manifest is not None:
        write(tree.manifest, manifest)
    result = tree.ingest()
    assert slugs(result) == ["mine"]
    assert "workspace-skill" not in {source.kind.value for source in result.sources}


def test_a_native_workflow_shadows_a_skill_and_there_is_a_notification(tree: Tree) -> None:
    """A skill with a native Workflow's slug is shadowed by it, and a Notification is emitted."""
    native = tree.write_workflow("pdf", description="Native.")
    skill = write_skill(tree.user_skills, "pdf", description="Skill.")
    result = tree.ingest()
    assert [record.description for record in result.workflows] == ["Native."]
    (shadow,) = result.shadows
    assert shadow.message == (
        f"[Skill shadowed] skill /pdf from user skill ({skill}) "
        f"was shadowed by existing workspace workflow ({native})"
    )


@pytest.mark.parametrize(
    "file", ["SKILL.md", "scripts/run.sh", "references/long/detail.md", "assets/logo.png"]
)
@pytest.mark.parametrize("kind", ["workspace", "user"])
def test_the_skill_directory_is_readable(tree: Tree, kind: str, file: str) -> None:
    """SKILL.md, `scripts/`, `references/` and `assets/` are scope readable for the Read tool."""
    tree.name_roots(".claude/skills")
    root = tree.user_skills if kind == "user" else tree.workspace / ".claude" / "skills"
    files = {"scripts/run.sh": "", "references/long/detail.md": "", "assets/logo.png": ""}
    write_skill(root, "pdf", files=files)
    rules = scope_rules(tree.ingest().workflows)
    assert [(rule.permission, rule.recursive) for rule in rules] == [("read", True)]
    assert is_readable(root / "pdf" / file, rules) is not None
    assert is_readable(root / "other" / file, rules) is None


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        pytest.param(b"", "frontmatter-missing", id="empty"),
        pytest.param(b"# Title\n", "frontmatter-missing", id="no-frontmatter"),
        pytest.param(b"---\nname: broken\n", "frontmatter-unclosed", id="unclosed"),
        pytest.param(b"---\nname: [\n---\n", "yaml-syntax", id="not-yaml"),
        pytest.param(b"---\nname: \xff\n---\n", "not-utf8", id="not-utf8"),
        pytest.param(b"---\nname: broken\n---\n", "description-missing", id="no-description"),
        pytest.param(b"---\nname: other\ndescription: x\n---\n", "name-mismatch", id="name"),
    ],
)
def test_a_broken_skill_is_skipped_and_harms_no_other(
    tree: Tree, content: bytes, rule: str
) -> None:
    """Wrong frontmatter: the skill is skipped; other skills and a Pod's start are not affected."""
    tree.write_workflow("native")
    for slug in ("a-before", "z-after"):
        write_skill(tree.user_skills, slug)
    path = write(tree.user_skills / "broken" / "SKILL.md", content)
    result = tree.ingest()
    assert slugs(result) == ["a-before", "native", "z-after"]
    assert [(candidate.slug, candidate.path) for candidate in result.skipped] == [("broken", path)]
    assert rule in {found.rule for found in result.skipped[0].diagnostics}
    assert not result.has_errors
    assert result.broken == ()


@pytest.mark.parametrize(
    ("name", "description", "rule"),
    [
        pytest.param("pdf", "x", None, id="valid"),
        pytest.param("docx", "x", "name-mismatch", id="name-is-not-the-directory"),
        pytest.param("PDF", "x", "name-charset", id="name-characters"),
        pytest.param("p" * 65, "x", "name-too-long", id="name-length"),
        pytest.param("pdf", "d" * 1024, None, id="description-1024"),
        pytest.param("pdf", "d" * 1025, "description-too-long", id="description-1025"),
        pytest.param("pdf", "''", "description-empty", id="description-empty"),
    ],
)
def test_frontmatter_is_validated_as_the_specification_says(
    tree: Tree, name: str, description: str, rule: str | None
) -> None:
    """Name ↔ directory, the name's characters and the description's length are hard errors."""
    write(
        tree.user_skills / "pdf" / "SKILL.md",
        f"---\nname: {name}\ndescription: {description}\n---\nDo it.\n",
    )
    result = tree.ingest()
    errors = [
        found.rule
        for candidate in result.candidates
        for found in candidate.diagnostics
        if found.severity is Severity.ERROR
    ]
    assert errors == ([rule] if rule else [])
    assert slugs(result) == ([] if rule else ["pdf"])


def test_unknown_fields_are_ignored(tree: Tree) -> None:
    """Unknown fields are ignored."""
    write_skill(tree.user_skills, "pdf", "version: 2.0", "x: {y: [z]}", "requires: [team]")
    result = tree.ingest()
    assert slugs(result) == ["pdf"]
    assert [(found.rule, found.severity) for found in result.diagnostics] == [
        ("unknown-field", Severity.INFO),
        ("unknown-field", Severity.INFO),
        ("workflow-field-in-skill", Severity.WARNING),
    ]
    record = result.find("pdf")
    assert record is not None
    assert record.requires == ()


def test_a_skill_is_mapped_to_a_workflow(tree: Tree) -> None:
    """The directory is the slug, both may call it, nothing is required, the body is as it is."""
    body = "\n# Steps\r\n\n1. Read  \n---\nend"
    write_skill(tree.user_skills, "pdf", description="'Use when: asked.'", body=body)
    record = tree.ingest().find("pdf")
    assert record is not None
    assert record.slug == "pdf"
    assert record.description == "Use when: asked."
    assert record.model_invokation is True
    assert record.user_invocable is True
    assert record.requires == ()
    assert load_body(record) == body


def test_what_has_no_effect_is_kept(tree: Tree) -> None:
    """The optional fields are kept without effect; `allowed-tools` is ignored with a warning."""
    extra = ("license: MIT", "compatibility: git", "metadata: {a: b}", "allowed-tools: Read")
    write_skill(tree.user_skills, "pdf", *extra)
    result = tree.ingest()
    record = result.find("pdf")
    assert record is not None
    assert (record.license, record.compatibility) == ("MIT", "git")
    assert (record.metadata, record.allowed_tools) == ({"a": "b"}, "Read")
    assert [(found.rule, found.severity) for found in result.diagnostics] == [
        ("allowed-tools-ignored", Severity.WARNING)
    ]


def test_native_over_workspace_over_user(tree: Tree) -> None:
    """Conflicts are resolved as native > workspace > user."""
    tree.name_roots(".claude/skills")
    workspace = tree.workspace / ".claude" / "skills"
    for root, names in ((workspace, "ab"), (tree.user_skills, "abc")):
        for slug in names:
            write_skill(root, slug)
    tree.write_workflow("a")
    result = tree.ingest()
    kinds = {record.slug: record.source.kind.value for record in result.workflows}
    assert kinds == {"a": "workspace-workflow", "b": "workspace-skill", "c": "user-skill"}
    assert [(s.slug, s.lost.source.kind.value) for s in result.shadows] == [
        ("a", "workspace-skill"),
        ("a", "user-skill"),
        ("b", "user-skill"),
    ]


def test_a_skipped_skill_neither_wins_nor_shadows(tree: Tree) -> None:
    """The winner is the highest-ranked *valid* copy: a broken one is skipped on its own."""
    tree.name_roots(".claude/skills")
    break_skill(tree.workspace / ".claude" / "skills", "pdf")
    path = write_skill(tree.user_skills, "pdf")
    result = tree.ingest()
    assert [record.path for record in result.workflows] == [path]
    assert result.shadows == ()
