"""`--changed`: which files count as changed, on real repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from insomnia_skills.checking.check import FileKind, check_paths, kind_of
from insomnia_skills.checking.git import GitError, changed_since
from tests import cli
from tests.trees import break_skill, link, write, write_manifest, write_skill

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="there is no git")

HERE = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": os.defpath if GIT is None else os.path.dirname(GIT) + os.pathsep + os.defpath,
}
"""Nothing of the machine's or the user's git gets in."""


@pytest.fixture(scope="module", autouse=True)
def _own_environment() -> Iterator[None]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    with patch.dict(os.environ, others | HERE, clear=True):
        yield


def git(place: Path, *arguments: str) -> str:
    done = subprocess.run(
        ("git", "-C", str(place), *arguments), capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


def commit(place: Path) -> None:
    """Commit all that is there."""
    git(place, "add", "--all")
    git(place, "commit", "--quiet", "--message", "x")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one of everything; each test has a copy of its own."""
    top = tmp_path_factory.mktemp("git") / "repo"
    for name in ("one", "two"):
        write_skill(top / "skills", name, files={"scripts/run.sh": "true\n", "other.md": "x\n"})
    write_skill(top / "shared", "linked", files={"notes.md": "x\n"})
    link(top / "skills/linked", "../shared/linked")
    link(top / ".cursor", "skills")
    write(top / "page.md", "---\nname: paged\ndescription: Pages. Use when asked.\n---\nDo it.\n")
    link(top / "skills/paged/SKILL.md", "../../page.md")
    for name in ("deploy", "triage"):
        workflow = top / f".insomnia/memory/workflow/{name}.md"
        write(workflow, "---\ndescription: Native.\n---\nDo it.\n")
    write(top / ".insomnia/knowledge/targets.md", "Known.\n")
    write_manifest(top / ".insomnia/manifest.toml", "skills")
    write(top / "README.md", "x\n")
    write(top / ".gitignore", "*.pyc\n/private/\n")
    git(top.parent, "init", "--quiet", "--initial-branch=main", "--template=", str(top))
    commit(top)
    return top


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "repo", symlinks=True))


def changed(place: Path, ref: str = "HEAD", start: Path | None = None) -> set[str]:
    """What counts as changed of all that can be checked below ``place``, by its path from there."""
    wanted = changed_since(ref, start or place)
    return {
        os.path.relpath(path, place)
        for path in files_below(place)
        if (kind := kind_of(path)) and wanted(kind, str(path))
    }


def files_below(place: Path) -> Iterator[Path]:
    for directory, directories, names in os.walk(place, followlinks=True):
        directories[:] = sorted(name for name in directories if name != ".git")
        yield from (Path(directory, name) for name in names)


def test_nothing_differs_from_the_commit_itself(repo: Path) -> None:
    assert changed(repo) == set()


def append(path: str) -> Callable[[Path], object]:
    return lambda repo: write(repo / path, (repo / path).read_text() + "more\n")


def replace_link(path: str, target: str) -> Callable[[Path], object]:
    def replace(repo: Path) -> None:
        (repo / path).unlink()
        link(repo / path, target)

    return replace


ONE = {"skills/one/SKILL.md", ".cursor/one/SKILL.md"}
"""A skill that is reached by two ways: the second is a link to its root."""
LINKED = {"skills/linked/SKILL.md", ".cursor/linked/SKILL.md", "shared/linked/SKILL.md"}
PAGED = {"skills/paged/SKILL.md", ".cursor/paged/SKILL.md"}
WORKFLOWS = {".insomnia/memory/workflow/deploy.md", ".insomnia/memory/workflow/triage.md"}
EDITS = {
    "a-skill-file": (append("skills/one/SKILL.md"), ONE),
    "a-file-of-a-skill": (append("skills/one/other.md"), ONE),
    "a-new-file-of-a-skill": (lambda r: write(r / "skills/one/a/b/c.md", ""), ONE),
    "a-file-of-a-skill-is-gone": (lambda r: (r / "skills/one/scripts/run.sh").unlink(), ONE),
    "a-mode": (lambda r: (r / "skills/one/scripts/run.sh").chmod(0o755), ONE),
    "a-new-skill": (
        lambda r: write_skill(r / "more/skills", "new"),
        {"more/skills/new/SKILL.md"},
    ),
    "a-new-skill-without-ascii": (
        lambda r: write_skill(r / 'skïlls "1"\n', "new"),
        {'skïlls "1"\n/new/SKILL.md'},
    ),
    "a-renamed-skill": (
        lambda r: (r / "skills/one").rename(r / "skills/uno"),
        {"skills/uno/SKILL.md", ".cursor/uno/SKILL.md"},
    ),
    "a-renamed-file": (
        lambda r: (r / "skills/one/other.md").rename(r / "skills/two/third.md"),
        ONE | {"skills/two/SKILL.md", ".cursor/two/SKILL.md"},
    ),
    "a-deleted-skill": (lambda r: shutil.rmtree(r / "skills/one"), set()),
    "behind-a-linked-skill": (append("shared/linked/notes.md"), LINKED),
    "a-linked-skill-leads-elsewhere": (
        replace_link("skills/linked", "one"),
        {"skills/linked/SKILL.md", ".cursor/linked/SKILL.md"},
    ),
    "behind-a-linked-skill-file": (append("page.md"), PAGED),
    "a-linked-root-leads-elsewhere": (
        replace_link(".cursor", "shared"),
        {".cursor/linked/SKILL.md"},
    ),
    "a-workflow": (
        append(".insomnia/memory/workflow/deploy.md"),
        {".insomnia/memory/workflow/deploy.md"},
    ),
    "a-knowledge": (lambda r: (r / ".insomnia/knowledge/targets.md").unlink(), WORKFLOWS),
    "the-manifest": (append(".insomnia/manifest.toml"), {".insomnia/manifest.toml"}),
    "a-file-beside-skills": (append("README.md"), set()),
    "what-is-ignored": (lambda r: write(r / "skills/one/scripts/x.pyc", ""), set()),
    "an-ignored-skill": (lambda r: write_skill(r / "private", "mine"), set()),
    "times-alone": (lambda r: os.utime(r / "skills/one/SKILL.md", (1, 1)), set()),
}


@pytest.mark.parametrize(("edit", "expected"), EDITS.values(), ids=list(EDITS))
def test_what_counts_as_changed(
    repo: Path, edit: Callable[[Path], object], expected: set[str]
) -> None:
    edit(repo)
    assert changed(repo) == expected


def test_staged_and_committed_changes_count(repo: Path) -> None:
    append("skills/one/SKILL.md")(repo)
    commit(repo)
    write_skill(repo / "skills", "new")
    git(repo, "add", "skills/new")
    assert changed(repo) == {"skills/new/SKILL.md", ".cursor/new/SKILL.md"}
    assert changed(repo, "HEAD^") == {"skills/new/SKILL.md", ".cursor/new/SKILL.md"} | ONE


@pytest.mark.parametrize("ref", ["-v", "--output=stolen", "some/branch", "a b"])
def test_a_name_is_never_an_option(repo: Path, ref: str) -> None:
    head = git(repo, "rev-parse", "HEAD")
    write(repo / f".git/refs/heads/{ref}", head + "\n")
    append("skills/one/SKILL.md")(repo)
    if ref == "a b":  # no name that git takes
        with pytest.raises(GitError, match='git knows no commit "a b"'):
            changed(repo, ref)
    else:
        assert changed(repo, ref) == ONE
    assert not (repo / "stolen").exists()


@pytest.mark.parametrize("ref", ["gone", "", "HEAD:skills", "v1...HEAD", "--", "0" * 40])
def test_what_is_no_commit(repo: Path, ref: str) -> None:
    with pytest.raises(GitError, match=f'git knows no commit "{ref}"') as caught:
        changed(repo, ref)
    assert "fetch" in str(caught.value.help)


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    with pytest.raises(GitError, match="no commit yet"):
        changed(tmp_path)


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="is in no git repository"):
        changed(tmp_path)


def test_what_git_says_is_handed_on(tmp_path: Path) -> None:
    write(tmp_path / ".git", "junk")
    with pytest.raises(GitError, match="invalid gitfile format"):
        changed(tmp_path)


def test_a_repository_of_somebody_else(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GitError, match="dubious ownership") as caught:
        changed(repo)
    assert str(caught.value.help).startswith("git config --global --add safe.directory")


def test_no_git(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    with pytest.raises(GitError, match="git can't be run"):
        changed(repo)


@pytest.mark.parametrize("start", ["skills", ".cursor/one", "skills/../shared"])
def test_it_may_start_anywhere_in_the_repository(repo: Path, start: str) -> None:
    append("skills/one/SKILL.md")(repo)
    assert changed(repo, start=repo / start) == ONE


def test_it_starts_where_a_link_leads(repo: Path, tmp_path: Path) -> None:
    link(tmp_path / "elsewhere/link", repo / "skills")
    write(tmp_path / "elsewhere/.git", "junk")
    append("skills/one/SKILL.md")(repo)
    assert changed(repo, start=tmp_path / "elsewhere/link") == ONE
    assert changed(repo, start=tmp_path / "elsewhere/../repo") == ONE


def test_what_lies_outside_does_not_differ(repo: Path, tmp_path: Path) -> None:
    outside = write_skill(tmp_path / "outside", "other")
    assert not changed_since("HEAD", repo)(FileKind.SKILL, str(outside))


def test_a_linked_worktree(repo: Path, tmp_path: Path) -> None:
    append("skills/two/SKILL.md")(repo)
    git(repo, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    append("skills/one/SKILL.md")(tmp_path / "tree")
    assert changed(tmp_path / "tree") == ONE


def test_a_shallow_clone_lacks_the_commits_before(repo: Path, tmp_path: Path) -> None:
    append("skills/one/SKILL.md")(repo)
    commit(repo)
    git(tmp_path, "clone", "--quiet", "--depth=1", repo.as_uri(), "shallow")
    assert changed(tmp_path / "shallow", "origin/main") == set()
    with pytest.raises(GitError, match=r'git knows no commit "HEAD\^"'):
        changed(tmp_path / "shallow", "HEAD^")


def test_submodules_and_repositories_inside(repo: Path) -> None:
    outer = repo.parent / "outer"
    write_skill(outer / "own", "own")
    git(repo.parent, "init", "--quiet", str(outer))
    # A submodule without an address does for asking.
    shutil.copytree(repo, outer / "sub", symlinks=True)
    commit(outer)
    assert changed(outer) == set()

    append("skills/one/SKILL.md")(outer / "sub")
    everything = {f"sub/{path}" for path in WORKFLOWS | ONE | LINKED | PAGED}
    assert changed(outer) > everything, "git tells only that the submodule differs"
    assert changed(outer / "sub") == ONE

    git(outer / "sub", "checkout", "--quiet", ".")
    write_skill(outer / "sub/skills", "untracked")
    assert changed(outer) > everything
    shutil.rmtree(outer / "sub/skills/untracked")

    shutil.copytree(repo, outer / "new", symlinks=True)
    assert changed(outer) > {path.replace("sub", "new", 1) for path in everything}


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"])
def test_a_hook_of_another_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    append("skills/one/SKILL.md")(repo)
    assert changed(repo) == ONE


def test_what_is_not_wanted_is_not_judged(repo: Path) -> None:
    append("skills/one/SKILL.md")(repo)
    check = check_paths([repo / "skills"], changed_since("HEAD", repo))
    assert [file.slug for file in check.files] == ["one"]


# The command


def validate(repo: Path, *arguments: str, cwd: str = ".") -> cli.Run:
    variables = cli.environment(repo.parent, repo.parent / "config", more=HERE)
    return cli.call("validate", *arguments, cwd=repo / cwd, env=variables)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("--changed",), id="the-workspace"),
        pytest.param(("--changed", "--no-user"), id="an-option-after-it"),
        pytest.param(("--changed", "--", "skills"), id="paths-after-it"),
        pytest.param(("skills", "--changed"), id="paths-before-it"),
        pytest.param(("--changed=HEAD", "skills"), id="with-a-name"),
        pytest.param(("--changed", "main", "."), id="and-a-path"),
    ],
)
def test_changed_stands_with_and_without_a_commit(repo: Path, arguments: tuple[str, ...]) -> None:
    break_skill(repo / "skills", "one")
    append("skills/two/SKILL.md")(repo)
    break_skill(repo / "elsewhere", "unchanged")
    commit(repo)
    break_skill(repo / "skills", "new")
    git(repo, "reset", "--quiet", "HEAD")
    run = validate(repo, "--format", "json", *arguments)
    assert run.code == 1
    assert [file["slug"] for file in run.document["files"]] == ["new"]


def test_nothing_changed_is_no_fault(repo: Path) -> None:
    break_skill(repo / "skills", "one")
    commit(repo)
    run = validate(repo, "--changed", cwd="skills")
    assert (run.code, run.text) == (0, "")
    assert "nothing here differs from HEAD" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("--changed", "skills"), 'no commit "skills"', id="a-path-for-a-commit"),
        pytest.param(("--changed", ""), 'no commit ""', id="an-unset-variable"),
        pytest.param(("--changed", "-"), "stdin is checked alone", id="with-stdin"),
    ],
)
def test_a_wrong_question(repo: Path, arguments: tuple[str, ...], said: str) -> None:
    run = validate(repo, *arguments)
    assert (run.code, run.text) == (2, "")
    assert said in run.stderr
