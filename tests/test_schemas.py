"""The JSON documents: what `schemas/` promises of them, and what the design promises besides."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from insomnia_skills.scan import nested_skills
from insomnia_skills.sources import read_roots
from tests import cli
from tests.trees import Tree, break_skill, link, write, write_manifest, write_skill

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "schemas").glob("*.schema.json"))
}

# Each command with the schema of its document. The trees below all have something called /one.
COMMANDS = {
    "list": (("list",), "list"),
    "list --all": (("list", "--all"), "list"),
    "resolve": (("resolve",), "list"),
    "resolve /one": (("resolve", "/one"), "list"),
    "resolve /unknown": (("resolve", "/unknown"), "list"),
    "resolve /one --diff": (("resolve", "/one", "--diff"), "list"),
    "resolve --only-conflicts": (("resolve", "--only-conflicts"), "list"),
    "show /one": (("show", "/one"), "show"),
    "show /one --as-invoked": (("show", "/one", "--as-invoked"), "messages"),
    "show /one --mapping": (("show", "/one", "--mapping"), "mapping"),
    "catalog": (("catalog",), "catalog"),
    "scope": (("scope",), "scope"),
    "scope --check": (("scope", "--check", ".", "none"), "scope-check"),
    "validate": (("validate",), "validate"),
    "validate .": (("validate", "."), "validate"),
    "sources list": (("sources", "list"), "sources"),
    "sources add": (("sources", "add", ".", "--dry-run"), "sources-edit"),
    "sources discover": (("sources", "discover"), "discover"),
    "sources discover --all": (("sources", "discover", "--all"), "discover"),
    "new": (("new", "fresh", "--in", "new/skills", "--with", "scripts"), "new"),
    "eject /one": (("eject", "/one", "--force", "--dry-run"), "eject"),
    "rules": (("rules",), "rules"),
    "explain": (("explain", "name-*", "not-utf8"), "rules"),
}


# The design's contract, "JSON": every object of every document with its keys.

_DIAGNOSTIC = (
    *("rule", "severity", "message", "path", "line", "column", "end_line", "end_column"),
    *("help", "fix", "related"),
)
_WORKFLOW = (
    *("slug", "description", "model_invokation", "user_invocable", "requires", "path"),
    *("directory", "source", "stand_in", "license", "compatibility", "metadata", "allowed_tools"),
)
_SOURCE = ("kind", "path")
_RECORD = ("source", "path")

CONTRACT: dict[str, dict[str, tuple[str, ...]]] = {
    "list": {
        "": (
            *("version", "workspace", "sources", "workflows", "shadows", "skipped"),
            *("notifications", "diagnostics"),
        ),
        "sources": (
            *("rank", "kind", "path", "origin", "exists", "state"),
            *("loaded", "shadowed", "skipped"),
        ),
        "workflows": _WORKFLOW,
        "workflows source": _SOURCE,
        "shadows": ("slug", "relation", "message", "kept", "shadowed"),
        "shadows kept": _RECORD,
        "shadows kept source": _SOURCE,
        "shadows shadowed": _RECORD,
        "shadows shadowed source": _SOURCE,
        "skipped": ("slug", "path", "source", "diagnostics"),
        "skipped source": _SOURCE,
        "skipped diagnostics": _DIAGNOSTIC,
        "notifications": ("event", "message"),
        "diagnostics": _DIAGNOSTIC,
    },
    "show": {
        "": ("version", *_WORKFLOW, "outcome", "shadowed_by", "body", "resources"),
        "source": _SOURCE,
        "resources": (*("path", "kind", "size", "executable", "link", "readable", "readable_by"),),
    },
    "messages": {
        "": (*("version", "slug", "path", "source", "outcome"), "user_invocable", "messages"),
        "source": _SOURCE,
        "messages": ("header", "slug", "knowledge", "path", "text"),
    },
    "mapping": {
        "": (*("version", "slug", "path", "source", "outcome"), "mapping", "diagnostics"),
        "source": _SOURCE,
        "mapping": ("field", "value", "becomes", "fate", "consequence", "lines"),
    },
    "sources": {
        "": ("version", "workspace", "manifests", "sources", "diagnostics"),
        "manifests": ("path", "exists", "directories"),
        "sources": (
            *("rank", "kind", "path", "origin", "exists", "state"),
            *("loaded", "shadowed", "skipped"),
        ),
        "diagnostics": _DIAGNOSTIC,
    },
    "sources-edit": {
        "": (
            *("version", "workspace", "written", "manifests", "gained", "lost", "changed"),
            *("shadowed", "unshadowed", "skipped", "unskipped", "stand_ins", "stand_ins_gone"),
        ),
        "manifests": ("path", "created", "before", "after"),
    },
    "new": {
        "": (
            *("version", "slug", "path", "directory", "written", "files", "source", "winner"),
            *("shadows", "diagnostics"),
        ),
        "files": ("path", "size", "executable", "text"),
    },
    "eject": {
        "": (
            *("version", "slug", "path", "written", "replaced", "text", "skill", "shadows"),
            *("dropped", "unreadable", "links"),
        ),
        "skill": _RECORD,
        "skill source": _SOURCE,
        "shadows": _RECORD,
        "shadows source": _SOURCE,
        "dropped": ("field", "value"),
        "links": ("path", "line", "column"),
    },
    "discover": {
        "": ("version", "workspace", "looked_in", "directories", "diagnostics"),
        "looked_in": ("where", "path"),
        "directories": (
            *("path", "where", "exists", "state", "valid", "broken", "configured", "clients"),
            "also",
        ),
        "directories clients": ("id", "name", "checked"),
        "diagnostics": _DIAGNOSTIC,
    },
    "rules": {
        "": ("version", "rules"),
        "rules": (
            *("name", "severity", "theme", "summary", "why", "source", "fix", "fails", "passes"),
        ),
    },
    "catalog": {
        "": (
            *("version", "workspace", "entries", "list", "xml", "hidden", "budget"),
            "within_budget",
        ),
        "entries": ("slug", "description", "path", "source", "characters", "tokens"),
        "entries source": _SOURCE,
        "list": ("characters", "tokens"),
        "xml": ("characters", "tokens"),
    },
    "scope": {
        "": ("version", "workspace", "allow", "escapes"),
        "allow": ("target", "permission", "recursive", "slug", "slugs"),
        "escapes": ("path", "target", "slug"),
    },
    "scope-check": {
        "": ("version", "workspace", "paths"),
        "paths": ("path", "real", "exists", "readable", "rule", "refused", "holder"),
    },
    "validate": {
        "": ("version", "workspace", "summary", "files", "diagnostics", "known", "fixed"),
        "summary": ("checked", "valid", "errors", "warnings", "infos", "known", "fixed"),
        "files": ("path", "kind", "slug", "valid"),
        "diagnostics": _DIAGNOSTIC,
    },
}


def objects_at(document: Any, place: str) -> Iterator[dict[str, Any]]:
    """The objects at a place of a document, such as "shadows kept"; lists are gone through."""
    found = [document]
    for key in place.split():
        inner = [item[key] for item in found]
        found = [each for item in inner for each in (item if isinstance(item, list) else [item])]
    yield from found


# Trees, the odd ones first of all.


def clean(tree: Tree) -> None:
    write_skill(tree.user_skills, "one")


def empty(tree: Tree) -> None:
    tree.workspace.mkdir()


def manifest_not_toml(tree: Tree) -> None:
    clean(tree)
    write(tree.manifest, "[skills\n")


def manifest_of_wrong_types(tree: Tree) -> None:
    clean(tree)
    write(tree.manifest, '[skills]\ndirectories = ["a", 1, ""]\ndirectory = "b"\n')
    write(tree.user_manifest, "skills = true\n")


def roots_of_every_kind(tree: Tree) -> None:
    write_skill(tree.workspace / "roots", "one")
    write_skill(tree.workspace / "roots", "two", files={"deeper/three/SKILL.md": "---\n"})
    write(tree.workspace / "deep/group/three/SKILL.md", "---\n")
    write(tree.workspace / "a-file", "")
    link(tree.workspace / "same", "roots")
    tree.name_roots("roots", "same", "none", "a-file", "~/skills", "roots/one", "deep", ".")


def conflicts_of_every_relation(tree: Tree) -> None:
    tree.write_workflow("one", "model_invokation: true", "requires: [facts]")
    tree.write_knowledge("facts")
    for root in (tree.workspace / "a", tree.workspace / "b", tree.user_skills):
        write_skill(root, "one", description=f"In {root.name}.")
        write_skill(root, "alike", files={"scripts/run.sh": "true\n"})
    link(tree.workspace / "b" / "linked", tree.workspace / "a" / "alike")
    link(tree.user_skills / "linked", tree.workspace / "a" / "alike")
    break_skill(tree.workspace / "a", "broken")
    write_skill(tree.user_skills, "broken")
    link(tree.user_skills / "same" / "SKILL.md", tree.workspace / "b" / "same" / "SKILL.md")
    write_skill(tree.workspace / "b", "same")
    tree.name_roots("a", "b")


def broken_native_workflows(tree: Tree) -> None:
    clean(tree)
    tree.write_workflow("broken", "requires: nothing", "name: broken")
    tree.write_workflow("NOT A SLUG")
    tree.write_workflow("lacking", "requires: [missing]")


def metadata_of_every_shape(tree: Tree) -> None:
    shapes = (
        "license: MIT",
        "compatibility: Anything.",
        "metadata:",
        "  text: words",
        "  version: 1.10",
        "  number: 0x1F",
        "  yes: true",
        "  nothing:",
        "  tilde: ~",
        "  date: 2026-11-30",
        "  list: [a, 1, [b, {c: d}]]",
        "  mapping: {a: {b: [c]}}",
        '  "": empty key',
        "  1: number key",
        "  block: |",
        "    two",
        "    lines",
    )
    tools = ("allowed-tools: Read Grep", "allowed-tools: [Read, {a: b}]", "allowed-tools:")
    write_skill(tree.user_skills, "one", *shapes, tools[0])
    for number, tool in enumerate(tools):
        write_skill(tree.user_skills, f"tools-{number}", "metadata: {}", "license:", tool)
    for number, wrong in enumerate(("metadata: text", "metadata: [list]", "metadata: 1")):
        write_skill(tree.user_skills, f"wrong-{number}", wrong)


def resources_of_every_kind(tree: Tree) -> None:
    files = {
        **{f"{place}/a.txt": "text" for place in ("scripts", "references", "assets", "other")},
        "loose": "",
        "SKILL.txt": "",
        "scripts/deeper/SKILL.md": "",
    }
    skill = write_skill(tree.user_skills, "one", files=files)
    link(skill.parent / "inside", "loose")
    link(skill.parent / "outside", "/etc/hosts")
    link(skill.parent / "nowhere", "missing")
    link(skill.parent / "directory", "scripts")


def control_characters(tree: Tree) -> None:
    hostile = r'"\e[31m \x07 \x9b31m \u202e \0 \uD7FF"'
    write_skill(
        tree.user_skills,
        "one",
        f"metadata: {{{hostile}: {hostile}}}",
        f"{hostile}: unknown",
        description=hostile,
        body="\x1b]0;title\x07\x9b\x7f\r\nmore\rmore\u2028more",
        files={"scripts/\x1b[31m\n\t.sh": ""},
    )
    break_skill(tree.user_skills, "\x1b[31mred\x9b\n\u202e")
    tree.write_workflow("\x1b[31m\n")
    write(tree.manifest, '[skills]\ndirectories = ["\\u001b[31m\\n\\u202e"]\n"\x9b\u202e" = 1\n')


def names_not_utf8(tree: Tree) -> None:
    name = os.fsdecode(b"caf\xe9")
    try:
        write_skill(tree.workspace / name, "one", files={f"scripts/{name}": ""})
    except OSError:
        pytest.skip("this disk takes no names but UTF-8")
    write(tree.workspace / name / name / "SKILL.md", "no frontmatter")
    write_skill(tree.user_skills, "one")
    link(tree.workspace / "root", name)
    tree.name_roots("root", "caf\u00e9")
    write_manifest(tree.user_manifest, str(tree.workspace / "none"))
    tree.write_workflow(name)


TREES: dict[str, Callable[[Tree], None]] = {
    "clean": clean,
    "empty": empty,
    "manifest not TOML": manifest_not_toml,
    "manifest of wrong types": manifest_of_wrong_types,
    "roots of every kind": roots_of_every_kind,
    "conflicts of every relation": conflicts_of_every_relation,
    "broken native Workflows": broken_native_workflows,
    "metadata of every shape": metadata_of_every_shape,
    "resources of every kind": resources_of_every_kind,
    "control characters": control_characters,
    "names not UTF-8": names_not_utf8,
}


def call_json(tree: Tree, *arguments: str) -> cli.Run:
    cwd = tree.workspace if tree.workspace.is_dir() else tree.user_skills
    env = cli.environment(home=tree.top, config=tree.config)
    return cli.call(*arguments, "--format", "json", cwd=cwd, env=env)


def call_on_examples(*arguments: str) -> cli.Run:
    env = cli.environment(home=EXAMPLES, config=EXAMPLES / "config")
    return cli.call(*arguments, "--format", "json", cwd=EXAMPLES / "workspace", env=env)


def without_more_keys(schema: Any) -> Any:
    """The schema, but with every key refused that it does not describe."""
    if isinstance(schema, list):
        return [without_more_keys(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: without_more_keys(value) for key, value in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


VALIDATORS = {
    schema["$id"]: Draft202012Validator(without_more_keys(schema)) for schema in SCHEMAS.values()
}


def problems(document: Any, schema: Any) -> list[str]:
    errors = VALIDATORS[schema["$id"]].iter_errors(document)
    return [f"{error.json_path}: {error.message}" for error in errors]


# The schemas themselves.


def test_there_is_a_schema_for_every_document() -> None:
    assert set(CONTRACT) == {schema for _, schema in COMMANDS.values()}
    assert set(SCHEMAS) == {*CONTRACT, "notification", "validate-line"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_one(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert schema["$id"] == f"urn:insomnia-skills:schema:{name}:1"


def objects_of(schema: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every object in a schema that has properties, with its place in it."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield place, schema
        for key, value in schema.items():
            yield from objects_of(value, f"{place}/{key}")


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_says_what_every_key_is(name: str) -> None:
    schema = SCHEMAS[name]
    for place, found in objects_of(schema):
        for key, value in found["properties"].items():
            definition = (
                schema["$defs"][value["$ref"].rpartition("/")[2]] if "$ref" in value else {}
            )
            assert "description" in {**definition, **value}, f"{place}/{key}"


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_lets_later_versions_add_keys(name: str) -> None:
    for place, found in objects_of(SCHEMAS[name]):
        assert found.get("additionalProperties", True) is not False, place


def test_schemas_agree_with_each_other() -> None:
    """Each file stands alone, so what they share stands in several of them."""
    seen: dict[str, Any] = {}
    for schema in SCHEMAS.values():
        for name, definition in schema["$defs"].items():
            assert seen.setdefault(name, definition) == definition, name
    in_show = SCHEMAS["show"]["properties"]
    assert {key: in_show[key] for key in _WORKFLOW} == seen["workflow"]["properties"]


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name in CONTRACT for place in CONTRACT[name]]
)
def test_schema_requires_every_key_of_the_contract(name: str, place: str) -> None:
    schema = SCHEMAS[name]

    def follow(node: Any) -> Any:
        node = node.get("items", node)
        return schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node

    node = schema
    for key in place.split():
        node = follow(node["properties"][key])
    assert set(CONTRACT[name][place]) <= set(node["required"])


def replaced(document: Any, place: str, value: Any) -> Any:
    """The document with the value at ``place`` ("sources 0 rank") replaced, or removed if None."""
    changed = copy.deepcopy(document)
    *above, last = (int(key) if key.isdecimal() else key for key in place.split())
    node = changed
    for key in above:
        node = node[key]
    if value is None:
        del node[last]
    else:
        node[last] = value
    return changed


@pytest.mark.parametrize(
    ("command", "place", "value"),
    [
        ("list", "version", 2),
        ("list", "workflows 0 slug", None),
        ("list", "workflows 0 stand_in", "no"),
        ("list", "workflows 0 metadata", {"a": 1}),
        ("list", "sources 0 rank", "2"),
        ("list", "sources 1 rank", 2.1),
        ("list", "sources 1 kind", "skill"),
        ("list", "sources 1 origin", "manifest.toml"),
        ("list", "sources 1 loaded", -1),
        ("list", "shadows 0 relation", "alike"),
        ("list", "skipped 0 diagnostics 0 severity", "fatal"),
        ("list", "skipped 0 diagnostics 0 line", 0),
        ("list", "skipped 0 diagnostics 0 rule", "yaml_syntax"),
        ("list", "notifications 0 event", "warning"),
        ("resolve /one", "ladder 0 outcome", "loses"),
        ("resolve /one", "ladder", None),
        ("validate", "files 0 kind", "directory"),
        ("validate", "diagnostics 0 fix", "yes"),
        ("validate", "diagnostics 0 fix", {"title": "no edits"}),
        ("validate", "diagnostics 0 related", None),
        ("validate", "summary fixed", None),
        ("show /one", "body", None),
        ("show /one", "outcome", "absent"),
        ("show /one", "shadowed_by", {}),
        ("show /one --as-invoked", "messages 0 knowledge", 1),
        ("show /one --mapping", "mapping 0 fate", "lost"),
        ("show /one --mapping", "mapping 0 lines", None),
        ("scope", "allow 0 permission", "write"),
        ("scope", "allow 0 recursive", None),
        ("scope", "allow 0 slugs", []),
        ("scope --check", "paths 0 refused", "unknown"),
        ("scope --check", "paths 0 rule", "none"),
        ("catalog", "entries 0 tokens", -1),
        ("catalog", "budget", "8000"),
    ],
)
def test_schema_refuses(command: str, place: str, value: Any, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    conflicts_of_every_relation(tree)
    arguments, schema = COMMANDS[command]
    document = call_json(tree, *arguments).document
    assert problems(replaced(document, place, value), SCHEMAS[schema])


# The documents.


@pytest.mark.parametrize(
    ("name", "command"),
    # What is said of the rules is the same everywhere, and long.
    [(n, c) for n in TREES for c in COMMANDS if n == "clean" or c not in ("rules", "explain")],
)
def test_document_fits_its_schema(name: str, command: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    TREES[name](tree)
    arguments, schema = COMMANDS[command]
    done = call_json(tree, *arguments)
    if command.startswith("show /one") and name == "empty":
        assert (done.code, done.stdout) == (1, b"")
        return
    if command.startswith("eject") and done.code:
        assert done.stdout == b""
        return
    refused = name.startswith("manifest") or nested_skills(
        tree.workspace, read_roots(tree.ingest().sources)
    )
    if command == "sources add" and refused:
        assert (done.code, done.stdout) == (2, b"")
        return
    assert done.code in (0, 1, 2), done.stderr
    assert problems(done.document, SCHEMAS[schema]) == []


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (("list",), "list"),
        (("resolve",), "list"),
        (("resolve", "/plan-trip"), "list"),
        (("resolve", "/deploy"), "list"),
        (("resolve", "/pdf"), "list"),
        (("resolve", "/plan-trip", "--diff"), "list"),
        (("resolve", "/deploy", "--diff"), "list"),
        (("resolve", "/review", "--no-user"), "list"),
        (("show", "/review"), "show"),
        (("show", "/deploy"), "show"),
        (("catalog", "--budget", "9"), "catalog"),
        (("scope",), "scope"),
        (("scope", "--check", ".cursor/skills/deploy", ".cursor/skills/review"), "scope-check"),
        (("sources", "list"), "sources"),
        (("sources", "move", ".cursor/skills", "--first", "--dry-run"), "sources-edit"),
        (("sources", "remove", ".cursor/skills", "--dry-run"), "sources-edit"),
        (("new", "review", "--in", ".claude/skills", "--dry-run"), "new"),
        (("eject", "/review", "--dry-run"), "eject"),
        (("eject", "/deploy", "--force", "--dry-run"), "eject"),
        (("validate",), "validate"),
        (("validate", ".claude/skills/plan-trip"), "validate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_document_of_the_examples_fits_its_schema(arguments: tuple[str, ...], schema: str) -> None:
    done = call_on_examples(*arguments)
    assert problems(done.document, SCHEMAS[schema]) == []


@pytest.mark.parametrize(
    "command",
    [
        *("list", "resolve /one", "show /one", "show /one --as-invoked", "show /one --mapping"),
        *("catalog", "scope", "scope --check", "validate", "explain"),
    ],
)
def test_document_has_every_key_of_the_contract(command: str, tmp_path: Path) -> None:
    """Checked without the schemas, on a tree in which every list of a document has something."""
    tree = Tree(tmp_path)
    conflicts_of_every_relation(tree)
    tree.write_workflow("lacking", "requires: [missing]")
    arguments, schema = COMMANDS[command]
    if command == "show /one":
        resources_of_every_kind(tree)
        (tree.workspace / ".insomnia/memory/workflow/one.md").unlink()
        arguments = (*arguments, "--directory", str(tree.user_skills))
    if command == "resolve /one":
        break_skill(tree.user_skills, "one")
    if command == "scope":
        link(tree.workspace / "a" / "alike" / "outside", "/etc/hosts")
    document = call_json(tree, *arguments).document
    for place, keys in CONTRACT[schema].items():
        found = list(objects_at(document, place))
        assert found, place
        for item in found:
            assert set(keys) <= set(item), place


def test_resolve_writes_the_document_of_list(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    conflicts_of_every_relation(tree)
    assert call_json(tree, "resolve").stdout == call_json(tree, "list").stdout


def test_resolve_slug_writes_the_document_of_resolve_for_one_slug(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    conflicts_of_every_relation(tree)
    whole = call_json(tree, "resolve").document
    one = call_json(tree, "resolve", "/broken").document
    assert (one["slug"], one["near"]) == ("broken", [])
    for key in ("version", "workspace", "sources"):
        assert one[key] == whole[key]
    for key in ("workflows", "shadows", "skipped"):
        assert one[key] == [item for item in whole[key] if item["slug"] == "broken"]
    assert [(rung["rank"], rung["outcome"]) for rung in one["ladder"]] == [
        ("1", "absent"),
        ("2.1", "skipped"),
        ("2.2", "absent"),
        ("3", "wins"),
    ]


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("resolve",), ("resolve", "/plan-trip"), ("show", "/review"), ("scope",)],
    ids=" ".join,
)
def test_every_path_is_absolute(arguments: tuple[str, ...]) -> None:
    def paths(node: Any) -> Iterator[str]:
        if isinstance(node, list):
            for item in node:
                yield from paths(item)
        elif isinstance(node, dict):
            for key, value in node.items():
                if key in ("path", "directory", "target", "workspace") and value is not None:
                    yield value
                elif key != "resources":
                    yield from paths(value)

    env = cli.environment(home=EXAMPLES, config=Path("config"))
    given = ("--workspace", "workspace", "--directory", "workspace/.cursor/../.cursor/skills")
    done = cli.call(*arguments, *given, "--format", "json", cwd=EXAMPLES, env=env)
    found = list(paths(done.document))
    assert found
    assert [path for path in found if not os.path.isabs(path)] == []


def test_metadata_is_kept_as_written(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    metadata_of_every_shape(tree)
    document = call_json(tree, "show", "/one").document
    assert document["metadata"] == {
        "text": "words",
        "version": "1.10",
        "number": "0x1F",
        "yes": "true",
        "nothing": None,
        "tilde": None,
        "date": "2026-11-30",
        "list": ["a", "1", ["b", {"c": "d"}]],
        "mapping": {"a": {"b": ["c"]}},
        "": "empty key",
        "1": "number key",
        "block": "two\nlines\n",
    }
    assert document["allowed_tools"] == "Read Grep"


def test_body_is_kept_as_written(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    control_characters(tree)
    body = call_json(tree, "show", "/one").document["body"]
    assert body == "\x1b]0;title\x07\x9b\x7f\r\nmore\rmore\u2028more"


def test_a_path_that_is_not_utf8_can_be_opened(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    names_not_utf8(tree)
    directory = tree.workspace / os.fsdecode(b"caf\xe9")
    done = call_json(tree, "list", "--directory", str(directory))
    (workflow,) = done.document["workflows"]
    assert b"caf\\udce9" in done.stdout
    assert Path(workflow["path"]).read_bytes().startswith(b"---\nname: one\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_a_document_can_steer_a_terminal(command: str, tmp_path: Path) -> None:
    """A document that is looked at on a terminal, too, is text; JSON has escapes for the rest."""
    tree = Tree(tmp_path)
    control_characters(tree)
    arguments, _ = COMMANDS[command]
    text = call_json(tree, *arguments).text
    raw = {c for c in text if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c == "\u202e"}
    assert raw == set()


# stdout is one document or nothing.


@pytest.mark.parametrize(
    ("tree", "arguments", "code"),
    [
        (clean, ("list",), 0),
        (clean, ("resolve", "/unknown"), 1),
        (broken_native_workflows, ("list",), 1),
        (broken_native_workflows, ("scope",), 1),
        (broken_native_workflows, ("show", "/one"), 1),
        (broken_native_workflows, ("show", "/lacking"), 1),
        (broken_native_workflows, ("validate",), 1),
        (manifest_not_toml, ("list",), 2),
        (manifest_not_toml, ("resolve",), 2),
        (manifest_not_toml, ("resolve", "/one"), 2),
        (manifest_not_toml, ("show", "/one"), 2),
        (manifest_not_toml, ("scope",), 2),
        (manifest_not_toml, ("validate",), 2),
        (empty, ("validate",), 2),
        (empty, ("validate", "."), 2),
    ],
)
def test_stdout_is_one_document_under_every_exit_code(
    tree: Callable[[Tree], None], arguments: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    tree(Tree(tmp_path))
    done = call_json(Tree(tmp_path), *arguments)
    assert done.code == code
    assert done.document["version"] == 1
    assert done.stdout.startswith(b"{")
    assert done.stdout.endswith(b"}\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "/unknown"), 1),
        (("show",), 2),
        (("list", "--nonsense"), 2),
        (("list", "--workspace", "missing"), 2),
        (("resolve", "--directory", "missing"), 2),
        (("validate", "missing"), 2),
    ],
)
def test_stdout_is_empty_where_there_is_no_answer(
    arguments: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    tree = Tree(tmp_path)
    clean(tree)
    done = call_json(tree, *arguments)
    assert (done.code, done.stdout) == (code, b"")
    assert done.stderr
