"""Every bound on input stands in one place, is documented, and whoever meets it is told."""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from docs.generate import limits_by_heading
from insomnia_skills import copies, diagnostic, limits, resources, scan
from insomnia_skills.checking.check import check_paths
from insomnia_skills.checking.choice import Choice
from insomnia_skills.edit import fixes
from insomnia_skills.rules.catalogue import CATALOGUE
from tests.cli import call, environment
from tests.trees import write, write_manifest, write_skill

DOCUMENTED = {limit.name: limit for below in limits_by_heading().values() for limit in below}
PACKAGE = Path(limits.__file__).parent


def told(path: Path) -> list[str]:
    """What `validate` reports of one file, each as "rule: message"."""
    check = Choice().check(check_paths([path]))
    return [f"{found.rule}: {found.message}" for found in check.diagnostics]


def told_of_body(tmp_path: Path, body: str) -> list[str]:
    return told(write_skill(tmp_path, "pdf", body=body))


def said(tmp_path: Path, *arguments: str) -> list[str]:
    """What a command says on both streams, where it is to end with exit code 1 or 2."""
    env = environment(tmp_path / "home", columns=1000)
    done = call(*arguments, cwd=tmp_path, env=env)
    assert done.code in (1, 2), done.both
    return done.both.splitlines()


def sparse(path: Path, size: int) -> str:
    """A file of this size that takes no room."""
    with write(path, "").open("wb") as file:
        file.truncate(size)
    return str(path)


def skill_of(tmp_path: Path, *frontmatter: str) -> Path:
    return write_skill(tmp_path, "pdf", *frontmatter)


COMMENT = "<!-- insomnia-skills: ignore {} -->\n"


def two_bodies(tmp_path: Path) -> list[str]:
    for root, word in (("a", "x"), ("b", "y")):
        write_skill(tmp_path / root, "pdf", body=f"{word}\n" * 4001)
    write_manifest(tmp_path / ".insomnia/manifest.toml", "a", "b")
    env = environment(tmp_path / "home", columns=1000)
    return call("resolve", "/pdf", "--diff", cwd=tmp_path, env=env).text.splitlines()


def much_to_fix(tmp_path: Path) -> list[str]:
    path = skill_of(tmp_path, "license: Use when: asked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fixes, "MAX_FIX_WORK", 100)
        return said(tmp_path, "validate", str(path), "--fix")


def many_alike(tmp_path: Path) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnostic, "MAX_ALIKE", 3)
        return told_of_body(tmp_path, "".join(f"[a](b/{n}.md)\n" for n in range(10)))


def search_too_much(tmp_path: Path) -> list[str]:
    for name in "abcd":
        (tmp_path / "skills" / name).mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "MAX_SEARCHED_DIRECTORIES", 3)
        return said(tmp_path, "validate", "skills")


def with_many_files(tmp_path: Path) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "MAX_SKILL_FILES", 3)
        return told(write_skill(tmp_path, "pdf", files=dict.fromkeys(("x/1", "x/2", "y"), "")))


def compare_too_much(tmp_path: Path) -> list[str]:
    for root in "ab":
        write_skill(tmp_path / root, "pdf", files={"x": "12345", "y": "678"})
    write_manifest(tmp_path / ".insomnia/manifest.toml", "a", "b")
    env = environment(tmp_path / "home", columns=1000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "MAX_COMPARED_BYTES", 4)
        table = ("--format", "table")
        done = call("resolve", "/pdf", "--diff", *table, cwd=tmp_path, env=env)
        return [" ".join(line.split()) for line in done.text.splitlines()]


MESSAGES: dict[str, tuple[Callable[[Path], list[str]], str]] = {
    "MAX_FILE_BYTES": (
        lambda tmp: told(write(tmp / "pdf/SKILL.md", b"x" * 1_048_577)),
        "file-too-large: the file has 1,048,577 bytes, the limit is 1,048,576",
    ),
    "MAX_MANIFEST_BYTES": (
        lambda tmp: told(write(tmp / ".insomnia/manifest.toml", b"#" * 300_000)),
        "file-too-large: the file has 300,000 bytes, the limit is 262,144",
    ),
    "MAX_CONFIG_BYTES": (
        lambda tmp: said(tmp, "validate", sparse(tmp / "insomnia-skills.toml", 1_048_577)),
        "insomnia-skills.toml: the file has 1,048,577 bytes, the limit is 1,048,576",
    ),
    "MAX_BASELINE_BYTES": (
        lambda tmp: said(tmp, "validate", ".", "--baseline", sparse(tmp / "b.json", 67_108_865)),
        "b.json: the file has 67,108,865 bytes, the limit is 67,108,864",
    ),
    "MAX_RESULT_BYTES": (
        lambda tmp: said(tmp, "report", "merge", sparse(tmp / "a.json", 536_870_913)),
        "a.json: the file has 536,870,913 bytes, the limit is 536,870,912",
    ),
    "MAX_FRONTMATTER_CHARACTERS": (
        lambda tmp: told(skill_of(tmp, f"license: {'x' * 70_000}")),
        # The name, the description and their line ends count too.
        "frontmatter-too-large: the frontmatter has 70,072 characters, the limit is 65,536",
    ),
    "MAX_YAML_DEPTH": (
        lambda tmp: told(skill_of(tmp, f"metadata: {'[' * 40}{']' * 40}")),
        "yaml-too-deep: nested more than 32 levels deep",
    ),
    "MAX_KEY_PARTS": (
        lambda tmp: told(write(tmp / ".insomnia/manifest.toml", f"{'a.' * 100}a = 1")),
        "manifest-syntax: not valid TOML: a key has more than 100 parts",
    ),
    "MAX_PARSED_CHARACTERS": (
        lambda tmp: told_of_body(tmp, "word " * 14_000),
        "the body has 70,000 characters; in one of more than 65,536 links, paths and placeholders",
    ),
    "MAX_TARGETS": (
        lambda tmp: told_of_body(tmp, "[a](https:a)[a](SKILL.md) " * 1001),
        "body-unchecked: the body has more than 1,000 links to files; those after that are not",
    ),
    "MAX_CANDIDATES": (
        lambda tmp: told_of_body(tmp, "$ARGUMENTS " * 201),
        "body-unchecked: the body has more than 200 placeholders of other clients; those after",
    ),
    "MAX_HOMES": (
        lambda tmp: told_of_body(tmp, "".join(f"/Users/m{n}/a\n" for n in range(11))),
        "body-unchecked: the body has more than 10 home directories; those after that are not",
    ),
    "MAX_REQUIRED": (
        lambda tmp: told(
            write(
                tmp / ".insomnia/memory/workflow/a.md",
                f"---\ndescription: a\nrequires: [{'k, ' * 101}]\n---\nb\n",
            )
        ),
        "requires-type: requires has 101 items, the limit is 100",
    ),
    "MAX_IGNORES": (
        lambda tmp: told_of_body(tmp, COMMENT.format("body-long " * 50) * 21),
        "ignore-unknown-rule: comments have more than 1,000 rule names, from here on they ignore",
    ),
    "MAX_IGNORE_CHARACTERS": (
        lambda tmp: told_of_body(tmp, COMMENT.format("body-long " * 100)),
        "ignore-unknown-rule: the comment has more than 1,000 characters, it ignores nothing",
    ),
    "MAX_SEARCHED_DIRECTORIES": (
        search_too_much,
        "has more than 3 directories to search, links that lead elsewhere followed",
    ),
    "MAX_SKILL_FILES": (
        with_many_files,
        "too-many-files: the skill has more than 3 files and directories, those after that are not",
    ),
    "MAX_COMPARED_BYTES": (
        compare_too_much,
        "x is too much to compare: more than 10,000 files in a skill, or 256 MiB of them",
    ),
    "MAX_ALIKE": (many_alike, '"b/2.md" is not in the skill; 7 more like this are not listed'),
    "MAX_SHARDS": (
        lambda tmp: said(tmp, "validate", ".", "--shard", "1/1001"),
        "with N up to 1,000",
    ),
    "MAX_FIX_WORK": (much_to_fix, "its fixes need more than 500,000 characters to be judged"),
    "MAX_DIFF_LINES": (two_bodies, "they differ in 4,001 lines, more than the 4,000 that are"),
}

OF_NO_EFFECT = {
    "MAX_CACHE_BYTES",
    "MAX_LEVELS",
    "MAX_PARENTS",
    "MAX_NEAR",
    "MAX_ASKED",
    "MAX_NESTED_DIRECTORIES",
    "MAX_SIBLINGS",
    "MAX_DIFF_PAIRS",
}
"""Beyond these a hint, a severity or a colour is another one; ``docs/limits.md`` says which."""


@pytest.mark.parametrize("name", MESSAGES)
def test_whoever_meets_a_limit_is_told_how_much_it_is(name: str, tmp_path: Path) -> None:
    meet, message = MESSAGES[name]
    lines = meet(tmp_path)
    assert any(message in line for line in lines), lines


def test_every_limit_is_told_or_has_no_effect() -> None:
    assert {*MESSAGES, *OF_NO_EFFECT} == set(DOCUMENTED)
    assert OF_NO_EFFECT.isdisjoint(MESSAGES)


def test_too_much_on_stdin_is_told_without_a_made_up_size(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 2_000_000)))
    lines = said(tmp_path, "validate", "-", "--stdin-filename", "pdf/SKILL.md")
    assert "error[file-too-large] the file has more bytes than 1,048,576" in lines[0]


def test_show_says_what_of_a_body_is_not_looked_at(tmp_path: Path) -> None:
    write_skill(tmp_path / "a", "pdf", body="$ARGUMENTS " * 201)
    write_skill(tmp_path / "a", "large", body="word " * 14_000)
    write_manifest(tmp_path / ".insomnia/manifest.toml", "a")
    env = environment(tmp_path / "home", columns=1000)

    def shown(*arguments: str) -> str:
        return call("show", *arguments, cwd=tmp_path, env=env, terminal=True).text

    assert "; only the first 200 placeholders of other clients are looked at" in shown(
        "/pdf", "--mapping"
    )
    assert "The body has 70,000 characters, more than the 65,536 that are drawn" in shown("/large")


def test_every_limit_is_a_plain_number_and_documented() -> None:
    names = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert {name: limit.value for name, limit in DOCUMENTED.items()} == names
    for name, limit in DOCUMENTED.items():
        assert type(limit.value) is int
        assert limit.value > 0
        assert name.startswith("MAX_")
        for text in (limit.what, limit.why, limit.beyond):
            assert text.endswith("."), name
        assert len(limit.what) < 110, name


def test_rules_that_limits_name_are_there() -> None:
    named = {
        word.strip("`,;.")
        for limit in DOCUMENTED.values()
        for word in limit.beyond.split()
        if word.startswith("`") and "-" in word.strip("`-")
    }
    assert named
    assert named <= set(CATALOGUE)


def test_no_other_module_has_a_bound_on_input_of_its_own() -> None:
    of_the_specification = {
        "MAX_COMPATIBILITY_LENGTH",
        "MAX_DESCRIPTION_LENGTH",
        "MAX_LINES",
        "MAX_NAME_LENGTH",
        "MAX_TOKENS",
    }
    found = {
        name
        for path in PACKAGE.rglob("*.py")
        if path != Path(limits.__file__)
        for name in re.findall(r"^(MAX_\w+)(?:: [^=]+)? = ", path.read_text("utf-8"), re.MULTILINE)
    }
    assert found == of_the_specification


def test_limits_are_imported_at_no_cost() -> None:
    body = ast.parse(inspect.getsource(limits)).body
    assert {type(node) for node in body} == {ast.Expr, ast.ImportFrom, ast.Assign}
    imports = [ast.unparse(node) for node in body if isinstance(node, ast.ImportFrom)]
    assert imports == ["from __future__ import annotations"]
