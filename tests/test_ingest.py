"""The whole pipeline on whole trees, and the shape of the library around it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

import insomnia_skills
from insomnia_skills import Ingest, Severity, ingest
from tests.trees import (
    Tree,
    break_skill,
    denied,
    link,
    slugs,
    write,
    write_manifest,
    write_skill,
)

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
PACKAGE = Path(insomnia_skills.__file__).parent


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


# --- where it reads ------------------------------------------------------------------------------


def test_nothing_at_all(tree: Tree) -> None:
    result = tree.ingest()
    assert (result.workflows, result.candidates, result.diagnostics) == ((), (), ())
    assert result.manifest_readable
    assert not result.has_errors


def test_the_workspace_is_found_from_the_working_directory(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write_workflow("native")
    (tree.workspace / "src").mkdir()
    monkeypatch.chdir(tree.workspace / "src")
    result = ingest(config_dir=tree.config)
    assert result.workspace.root == tree.workspace
    assert slugs(result) == ["native"]


def test_a_workspace_that_is_given_is_not_searched_for(tree: Tree) -> None:
    tree.write_workflow("native")
    (tree.workspace / "src").mkdir()
    result = ingest(tree.workspace / "src", config_dir=tree.config)
    assert result.workspace.root == tree.workspace / "src"
    assert result.workflows == ()


def test_the_config_directory_comes_from_the_environment(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tree.user_skills, "mine")
    monkeypatch.setenv("INSOMNIA_CONFIG_DIR", str(tree.config))
    assert slugs(ingest(tree.workspace)) == ["mine"]
    assert ingest(tree.workspace, user=False).config_dir is None


def test_without_the_user_neither_skills_nor_manifest_are_read(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "a")
    write_skill(tree.config / "more", "b")
    write_skill(tree.user_skills, "c")
    tree.name_roots("skills")
    write_manifest(tree.user_manifest, "more")
    assert slugs(tree.ingest()) == ["a", "b", "c"]
    assert slugs(tree.ingest(user=False)) == ["a"]


def test_a_broken_user_manifest_does_not_matter_without_the_user(tree: Tree) -> None:
    write(tree.user_manifest, "[skills")
    assert not tree.ingest().manifest_readable
    result = tree.ingest(user=False)
    assert result.manifest_readable
    assert result.diagnostics == ()


@pytest.mark.parametrize(
    "workspace",
    [
        pytest.param("gone", id="not-there"),
        pytest.param("file", id="file"),
        pytest.param("a\0b", id="nul"),
        pytest.param("x" * 5000, id="name-too-long"),
    ],
)
def test_a_workspace_that_is_none_gives_only_user_skills(tree: Tree, workspace: str) -> None:
    write(tree.top / "file", "")
    write_skill(tree.user_skills, "mine")
    assert slugs(ingest(tree.top / workspace, config_dir=tree.config)) == ["mine"]


# --- manifests that cannot be read ---------------------------------------------------------------


@pytest.mark.parametrize("whose", ["workspace", "user"])
@pytest.mark.parametrize(
    ("content", "rule"),
    [
        pytest.param(b"[skills\n", "manifest-syntax", id="not-toml"),
        pytest.param(b"[skills]\ndirectories = ['a'\n", "manifest-syntax", id="ends-too-early"),
        pytest.param(b"[skills]\n[skills]\n", "manifest-syntax", id="section-twice"),
        pytest.param(b"a = " + b"[" * 100_000, "manifest-syntax", id="nested-too-deeply"),
        pytest.param(b"# \xff\n", "not-utf8", id="not-utf8"),
        pytest.param(b"#" * (1024 * 1024 + 1), "file-too-large", id="too-large"),
        pytest.param("directory", "not-a-file", id="directory"),
        pytest.param("link", "broken-symlink", id="dangling-link"),
    ],
)
def test_a_manifest_that_cannot_be_read_stops_nothing_else(
    tree: Tree, whose: str, content: bytes | str, rule: str
) -> None:
    broken, sound = tree.manifest, tree.user_manifest
    if whose == "user":
        broken, sound = sound, broken
    if content == "directory":
        broken.mkdir(parents=True)
    elif content == "link":
        link(broken, "gone")
    else:
        write(broken, content)
    write_manifest(sound, "more")
    for top in (tree.config, tree.workspace):
        write_skill(top / "more", "named")
    write_skill(tree.user_skills, "mine")
    tree.write_workflow("native")
    result = tree.ingest()
    assert not result.manifest_readable
    assert slugs(result) == ["mine", "named", "native"]
    assert [(found.rule, found.severity, found.path) for found in result.diagnostics] == [
        (rule, ERROR, broken)
    ]
    assert result.has_errors


@pytest.mark.parametrize(
    ("content", "place"),
    [
        pytest.param("[skills]\ndirectories = [1,,2]\n", (2, 18), id="in-a-line"),
        pytest.param("# é\r\n[skills]\r\nx = \r\n", (3, 5), id="crlf"),
        pytest.param("[skills]\ndirectories = [", (2, 16), id="at-the-end"),
    ],
)
def test_a_syntax_error_has_its_place(tree: Tree, content: str, place: tuple[int, int]) -> None:
    write(tree.manifest, content)
    (found,) = tree.ingest().diagnostics
    assert (found.rule, found.line, found.column) == ("manifest-syntax", *place)


# --- native Workflows ----------------------------------------------------------------------------


def test_a_broken_native_workflow_is_loud_and_the_rest_is_read(tree: Tree) -> None:
    broken = tree.write_workflow("broken", "name: broken")
    tree.write_workflow("sound")
    write_skill(tree.user_skills, "mine")
    result = tree.ingest()
    assert slugs(result) == ["mine", "sound"]
    assert [candidate.path for candidate in result.broken] == [broken]
    assert result.skipped == ()
    assert [(found.rule, found.path) for found in result.diagnostics] == [
        ("workflow-name-key", broken)
    ]
    assert result.has_errors


@pytest.mark.parametrize("name", ["Standup.md", "stand up.md", "朝会.md"])
def test_a_native_workflow_with_a_wrong_name_is_broken_not_ignored(tree: Tree, name: str) -> None:
    path = tree.write_workflow(name.removesuffix(".md"))
    result = tree.ingest()
    assert [candidate.path for candidate in result.broken] == [path]
    assert result.has_errors


@pytest.mark.parametrize(
    "directory", [".insomnia", ".insomnia/memory", ".insomnia/memory/workflow"]
)
def test_native_workflows_that_may_not_be_read_are_an_error(tree: Tree, directory: str) -> None:
    """Not silence: a Pod would start without them, or not at all."""
    tree.write_workflow("native")
    write_skill(tree.user_skills, "mine")
    with denied(tree.workspace / directory):
        result = tree.ingest()
    assert slugs(result) == ["mine"]
    assert result.has_errors


def test_knowledge_that_may_not_be_read_is_missing(tree: Tree) -> None:
    tree.write_workflow("native", "requires: [team]")
    path = tree.write_knowledge("team")
    with denied(path.parent):
        result = tree.ingest(thorough=True)
    assert slugs(result) == ["native"]
    assert {found.rule for found in result.diagnostics} <= {"requires-missing"}


# --- skipped skills ------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [("a", "a/skills"), ("a/skills", "a")], ids=" ".join)
def test_a_root_in_a_root_is_no_skill_too_deep(tree: Tree, order: tuple[str, ...]) -> None:
    write_skill(tree.workspace / "a/skills", "one")
    tree.name_roots(*order)
    result = ingest(tree.workspace)
    assert slugs(result) == ["one"]
    assert result.diagnostics == ()
    write_skill(tree.workspace / "a/more", "two")
    (told,) = ingest(tree.workspace).diagnostics
    assert told.message.startswith('"more/two" lies too deep')


def test_a_skipped_skill_keeps_its_diagnostics_to_itself(tree: Tree) -> None:
    path = write(tree.user_skills / "pdf" / "SKILL.md", "---\nname: PDF\nlicense: 3\n---\n")
    result = tree.ingest()
    (skipped,) = result.skipped
    assert (skipped.slug, skipped.path, skipped.record) == ("pdf", path, None)
    assert sorted(found.rule for found in skipped.diagnostics) == [
        "description-missing",
        "license-type",
        "name-charset",
    ]
    assert result.diagnostics == ()
    assert not result.has_errors


def test_a_skill_that_may_not_be_read_is_skipped(tree: Tree) -> None:
    path = write_skill(tree.user_skills, "a")
    write_skill(tree.user_skills, "b")
    with denied(path):
        result = tree.ingest()
    assert slugs(result) == ["b"]
    assert [found.rule for found in result.skipped[0].diagnostics] == ["unreadable"]


# --- thorough ------------------------------------------------------------------------------------


def test_thorough_adds_only_warnings_and_infos_for_skills(tree: Tree) -> None:
    outside = write(tree.top / "outside.md", "")
    body = "[a](references/gone.md) \x1b \u202e\n" + "line\n" * 600
    write_skill(tree.user_skills, "full", body=body, files={"a.md": ""})
    link(tree.user_skills / "full" / "out.md", outside)
    link(tree.user_skills / "full" / "dead.md", "gone.md")
    write_skill(tree.user_skills, "empty", body="")
    break_skill(tree.user_skills, "broken")
    quick, thorough = tree.ingest(), tree.ingest(thorough=True)
    assert quick.diagnostics == ()
    assert {found.severity for found in thorough.diagnostics} == {WARNING, INFO}
    assert {found.rule for found in thorough.diagnostics} >= {
        "body-empty",
        "body-long",
        "control-character",
        "invisible-character",
        "link-escapes-skill",
        "reference-missing",
    }
    assert thorough.workflows == quick.workflows
    assert [c.slug for c in thorough.skipped] == [c.slug for c in quick.skipped] == ["broken"]


def test_thorough_looks_for_required_knowledge(tree: Tree) -> None:
    tree.write_workflow("native", "requires: [team]")
    assert tree.ingest().diagnostics == ()
    result = tree.ingest(thorough=True)
    assert [(found.rule, found.severity) for found in result.diagnostics] == [
        ("requires-missing", ERROR)
    ]
    tree.write_knowledge("team")
    assert tree.ingest(thorough=True).diagnostics == ()
    place = tree.workspace / ".insomnia/knowledge/team.md"
    place.unlink()
    link(place, write(tree.top / "secret", "token\n"))
    (found,) = tree.ingest(thorough=True).diagnostics
    assert found.message == 'the required Knowledge "team" leads out of the workspace'


# --- the result ----------------------------------------------------------------------------------


@pytest.fixture
def rich_tree(tree: Tree) -> Tree:
    """A tree in which every kind of record comes up."""
    tree.name_roots("skills", "gone")
    write_skill(tree.workspace / "skills", "pdf", "metadata: {a: [b]}", body="BODY-OF-SKILL\n")
    write_skill(tree.user_skills, "pdf", body="BODY-OF-SHADOW\n")
    write_skill(tree.user_skills, "docx", body="BODY-OF-STAND-IN\n")
    write(tree.workspace / "skills" / "docx" / "SKILL.md", "---\nname: X\n---\nBODY-OF-BROKEN\n")
    tree.write_workflow("native", body="BODY-OF-NATIVE\n")
    tree.write_workflow("broken", "name: x", body="BODY-OF-BROKEN-NATIVE\n")
    return tree


def reachable(value: object) -> Iterator[object]:
    """A value and all that it holds."""
    yield value
    if isinstance(value, (list, tuple, set, frozenset)):
        parts: Iterator[Any] = iter(value)
    elif isinstance(value, dict):
        parts = iter([*value, *value.values()])
    elif is_dataclass(value):
        parts = (getattr(value, field.name) for field in fields(value))
    else:
        return
    for part in parts:
        yield from reachable(part)


@pytest.mark.parametrize("thorough", [False, True])
def test_no_record_keeps_a_body(rich_tree: Tree, thorough: bool) -> None:
    texts = [
        str(value)
        for value in reachable(rich_tree.ingest(thorough=thorough))
        if isinstance(value, (str, bytes, os.PathLike))
    ]
    assert "Native." in texts
    assert [text for text in texts if "BODY-OF" in text] == []


def names_of(record: Any) -> list[str]:
    """The fields of a record, be it a named tuple or a dataclass."""
    return list(getattr(record, "_fields", ())) or [field.name for field in fields(record)]


def test_no_record_can_be_changed(rich_tree: Tree) -> None:
    records = [
        value
        for value in reachable(rich_tree.ingest())
        if is_dataclass(value) or hasattr(value, "_fields")
    ]
    assert {type(record).__name__ for record in records} >= {
        "Candidate",
        "Diagnostic",
        "Ingest",
        "Shadow",
        "Source",
        "WorkflowRecord",
        "Workspace",
    }
    for record in records:
        with pytest.raises(AttributeError):
            setattr(record, names_of(record)[0], None)
        assert not hasattr(record, "__dict__")


def test_counts_of_a_source(rich_tree: Tree) -> None:
    result = rich_tree.ingest()
    counts = [result.counts(source) for source in result.sources]
    assert [(count.loaded, count.shadowed, count.skipped) for count in counts] == [
        (1, 0, 1),
        (1, 0, 1),
        (0, 0, 0),
        (1, 1, 0),
    ]


def test_find_by_slug(rich_tree: Tree) -> None:
    result = rich_tree.ingest()
    for slug in ("pdf", "docx", "native"):
        for asked in (slug, f"/{slug}"):
            record = result.find(asked)
            assert record is not None
            assert record.slug == slug
    for asked in ("broken", "gone", "", "/", "PDF", "//pdf"):
        assert result.find(asked) is None


def test_the_same_tree_gives_the_same_result(rich_tree: Tree) -> None:
    assert rich_tree.ingest() == rich_tree.ingest()


def test_each_run_reads_anew(tree: Tree) -> None:
    path = write_skill(tree.user_skills, "pdf", description="Before.")
    assert [record.description for record in tree.ingest().workflows] == ["Before."]
    write(path, "---\nname: pdf\ndescription: After.\n---\n")
    assert [record.description for record in tree.ingest().workflows] == ["After."]


def test_all_paths_are_absolute(rich_tree: Tree) -> None:
    values = list(reachable(rich_tree.ingest(thorough=True)))
    found = [value for value in values if isinstance(value, Path)]
    assert len(found) > 10
    assert [path for path in found if not path.is_absolute()] == []


# --- the library ---------------------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after running some code."""
    code += "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
        env={**os.environ, "COVERAGE_PROCESS_START": ""},
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code", ["from insomnia_skills import ingest", "from insomnia_skills.pipeline import ingest"]
)
def test_the_import_is_light(code: str) -> None:
    assert loaded_by(code).isdisjoint({"typer", "click", "rich", "ruamel", "tomlkit"})


def test_a_whole_run_needs_nothing_of_the_command_line(rich_tree: Tree) -> None:
    given = (str(rich_tree.workspace), str(rich_tree.config))
    run = "insomnia_skills.ingest({!r}, config_dir={!r}, thorough=True)".format(*given)
    loaded = loaded_by(f"import insomnia_skills; {run}")
    assert "ruamel" in loaded
    assert loaded.isdisjoint({"typer", "click", "rich", "tomlkit"})


def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    trees = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(path.read_text("utf-8"))
    return trees


def imports(module: ast.Module, for_types: bool = True) -> set[str]:
    """The modules that a module imports, wherever in it."""
    only_for_types = {
        id(below)
        for node in ast.walk(module)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for below in ast.walk(node)
    }
    names: set[str] = set()
    for node in ast.walk(module):
        if id(node) in only_for_types and not for_types:
            continue
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def is_face(name: str) -> bool:
    """Whether a module belongs to the command line or the reports."""
    return name.split(".")[:2] in (["insomnia_skills", "cli"], ["insomnia_skills", "report"])


LIBRARY = {
    name: module
    for name, module in modules().items()
    if not is_face(name) and name != "insomnia_skills.__main__"
}


@pytest.mark.parametrize("name", LIBRARY)
def test_nothing_below_the_command_line_knows_of_a_terminal(name: str) -> None:
    module = LIBRARY[name]
    wrong = {
        imported
        for imported in imports(module)
        if imported.partition(".")[0] in {"typer", "click", "rich"} or is_face(imported)
    }
    calls = {ast.unparse(node.func) for node in ast.walk(module) if isinstance(node, ast.Call)}
    assert wrong == set()
    assert calls.isdisjoint({"print", "input", "exit", "sys.exit", "os._exit"})
    assert not any(call.startswith(("sys.stdout.", "sys.stderr.")) for call in calls)


def test_the_library_has_no_circular_imports() -> None:
    graph = {
        name: imports(module, for_types=False) & set(LIBRARY) for name, module in LIBRARY.items()
    }
    del graph["insomnia_skills"]  # it only hands names on
    order = list(TopologicalSorter(graph).static_order())
    assert order.index("insomnia_skills.manifest") < order.index("insomnia_skills.sources")
    assert order.index("insomnia_skills.sources") < order.index("insomnia_skills.pipeline")


def test_every_public_name_is_there() -> None:
    assert set(insomnia_skills.__all__) == set(insomnia_skills._HOME)
    for name in insomnia_skills.__all__:
        assert getattr(insomnia_skills, name) is not None
    assert insomnia_skills.Ingest is Ingest
