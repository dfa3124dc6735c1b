"""Where other clients keep skills: what is found, what it holds, whether it is configured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills import ingest
from insomnia_skills.cli.sources.discover import complete_client
from insomnia_skills.clients.data import PROJECT_DIRECTORIES, USER_DIRECTORIES
from insomnia_skills.clients.discover import ClientRoot, Discovery, Where, discover_roots
from insomnia_skills.clients.unnamed import unnamed_roots
from tests.cli import NO_COLOR, Run, call_in
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


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A home directory that holds a workspace, which is no repository."""
    tree = Tree(tmp_path / "home")
    tree.workspace.mkdir(parents=True)
    return tree


def look(
    tree: Tree,
    *clients: str,
    environment: Mapping[str, str] | None = None,
    workspace: Path | None = None,
    **options: Any,
) -> Discovery:
    result = ingest(workspace or tree.workspace, **{"config_dir": tree.config, **options})
    return discover_roots(result, clients, home=tree.top, environment=environment or {})


def places(discovery: Discovery, tree: Tree) -> dict[str, str]:
    """Where each directory lies that is there, by its path below the home directory."""
    return {
        root.path.relative_to(tree.top).as_posix(): root.where.value for root in discovery.found
    }


def only(discovery: Discovery) -> ClientRoot:
    (root,) = discovery.found
    return root


def clients(root: ClientRoot) -> str:
    return " ".join(client.id + ("" if checked else "?") for client, checked in root.clients)


# Where it looks.


def test_it_looks_in_the_workspace_above_it_and_at_home(tree: Tree) -> None:
    repository = tree.top / "repository"
    (repository / ".git").mkdir(parents=True)
    workspace = repository / "packages/app"
    for base in (workspace, workspace.parent, repository, tree.top):
        write_skill(base / ".claude/skills", "one")
    write_skill(tree.top / ".pi/agent/skills", "one")
    discovery = look(tree, workspace=workspace)
    assert places(discovery, tree) == {
        "repository/packages/app/.claude/skills": "workspace",
        "repository/packages/.claude/skills": "ancestor",
        "repository/.claude/skills": "ancestor",
        ".claude/skills": "user",
        ".pi/agent/skills": "user",
    }
    assert discovery.bases == (
        (Where.WORKSPACE, workspace),
        (Where.ANCESTOR, workspace.parent),
        (Where.ANCESTOR, repository),
        (Where.USER, tree.top),
    )


def test_without_a_repository_it_looks_at_nothing_above(tree: Tree) -> None:
    write_skill(tree.workspace.parent / "deeper/.claude/skills", "one")
    assert not look(tree, workspace=tree.workspace.parent / "deeper/workspace").found


def test_without_the_user_it_does_not_look_at_home(tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", "one")
    write_skill(tree.top / ".claude/skills", "one")
    assert places(look(tree, user=False), tree) == {"workspace/.claude/skills": "workspace"}


def test_a_home_that_is_a_repository_is_not_above_a_workspace(tree: Tree) -> None:
    (tree.top / ".git").mkdir()
    write_skill(tree.top / ".claude/skills", "one")
    write_skill(tree.top / ".kiro/skills", "one")
    assert set(places(look(tree), tree).values()) == {"user"}
    assert not look(tree, user=False).found


def test_a_home_that_is_the_workspace_is_the_workspace(tree: Tree) -> None:
    write_skill(tree.top / ".claude/skills", "one")
    root = only(look(tree, workspace=tree.top))
    assert (root.where, root.also) == (Where.WORKSPACE, ())


@pytest.mark.parametrize("directory", PROJECT_DIRECTORIES)
def test_every_project_directory_is_found(directory: str, tree: Tree) -> None:
    directory = directory.replace("{mode}", "architect")
    write_skill(tree.workspace / directory, "one")
    assert places(look(tree), tree) == {f"workspace/{directory}": "workspace"}


@pytest.mark.parametrize("directory", USER_DIRECTORIES)
def test_every_user_directory_is_found(directory: str, tree: Tree) -> None:
    usual = {"$CODEX_HOME": "~/.codex", "$XDG_CONFIG_HOME": "~/.config"}
    first, _, below = directory.replace("{mode}", "ask").partition("/")
    if first == "$CLAUDE_CONFIG_DIR":
        first = "~/.claude"
    place = usual.get(first, first).replace("~", "home", 1) + "/" + below
    write_skill(tree.top.parent / place, "one")
    assert list(places(look(tree), tree).values()) == ["user"]


@pytest.mark.parametrize(
    ("variable", "below", "client"),
    [
        ("CODEX_HOME", "skills", "codex"),
        ("XDG_CONFIG_HOME", "goose/skills", "goose"),
        ("CLAUDE_CONFIG_DIR", "skills", "claude-code?"),
    ],
)
def test_variables_move_user_directories(
    variable: str, below: str, client: str, tree: Tree, tmp_path: Path
) -> None:
    write_skill(tmp_path / "else where" / below, "one")
    environment = {variable: str(tmp_path / "else where")}
    root = only(look(tree, environment=environment))
    assert (root.path, clients(root)) == (tmp_path / "else where" / below, client)
    assert not look(tree, environment={variable: ""}).found


def test_a_name_that_stands_for_many_is_each_of_them(tree: Tree) -> None:
    for name in ("skills-code", "skills-ask", "skills", "skills-"):
        write_skill(tree.workspace / ".roo" / name, "one")
    assert list(places(look(tree), tree)) == [
        "workspace/.roo/skills",
        "workspace/.roo/skills-ask",
        "workspace/.roo/skills-code",
    ]


def test_what_is_not_there_was_looked_at_all_the_same(tree: Tree) -> None:
    discovery = look(tree, "roo")
    assert not discovery.found
    paths = [root.path.relative_to(tree.top).as_posix() for root in discovery.roots]
    assert paths == [
        *(f"workspace/{name}" for name in (".agents/skills", ".roo/skills", ".roo/skills-{mode}")),
        *(".agents/skills", ".roo/skills", ".roo/skills-{mode}"),
    ]
    assert {root.absent for root in discovery.roots} == {"not there"}


# What it says of each.


def test_valid_and_broken_skills_are_counted(tree: Tree) -> None:
    root = tree.workspace / ".claude/skills"
    write_skill(root, "one")
    write_skill(root, "two")
    break_skill(root, "three")
    write(root / "four/skill.md", "---\nname: four\n---\n")
    write(root / "notes/README.md", "Not a skill.\n")
    found = only(look(tree))
    assert (found.valid, found.broken) == (2, 2)
    assert clients(found) == "goose opencode vscode cline claude-code?"


def test_one_real_directory_is_found_once_with_all_who_read_it(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "one")
    link(tree.workspace / ".codex/skills", "../skills")
    link(tree.workspace / ".cursor", ".codex")
    root = only(look(tree))
    assert root.path == tree.workspace / ".codex/skills"
    assert root.also == (tree.workspace / "skills", tree.workspace / ".cursor/skills")
    assert clients(root) == "codex openclaw? cursor?"


def test_a_link_out_of_the_workspace_is_the_workspaces(tree: Tree) -> None:
    write_skill(tree.top / ".claude/skills", "one")
    link(tree.workspace / ".claude", "../.claude")
    root = only(look(tree))
    assert (root.where, root.also) == (Where.WORKSPACE, (tree.top / ".claude/skills",))


@pytest.mark.parametrize(
    ("entry", "rank"),
    [
        pytest.param(".claude/skills", "2.1", id="by-name"),
        pytest.param("linked", "2.1", id="by-another-name"),
        pytest.param(".cursor/skills", None, id="another-one"),
    ],
)
def test_it_knows_what_is_configured(entry: str, rank: str | None, tree: Tree) -> None:
    write_skill(tree.workspace / ".claude/skills", "one")
    break_skill(tree.workspace / ".claude/skills", "two")
    link(tree.workspace / "linked", ".claude/skills")
    tree.name_roots(entry)
    discovery = look(tree)
    root = only(discovery)
    assert (root.source and root.source.rank) == rank
    assert (root.valid, root.broken) == (1, 1)
    assert discovery.addable == (() if rank else (root,))
    if root.source:
        assert root.source.origin == f"{tree.manifest}:3"


def test_the_users_manifest_configures_too_and_options_do_not(tree: Tree) -> None:
    tree.name_roots(".cursor/skills")
    write_manifest(tree.user_manifest, "../.claude/skills")
    here = [tree.workspace / ".claude/skills", tree.workspace / ".cursor/skills"]
    for root in (tree.top / ".claude/skills", *here):
        write_skill(root, "one")
    discovery = look(tree, directories=here)
    assert [(root.source and root.source.rank, root.valid) for root in discovery.found] == [
        (None, 1),
        ("2.3", 1),
        ("2.4", 1),
    ]
    assert [root.path for root in discovery.addable] == [here[0]]


def test_insomnias_own_user_skills_are_no_find(tree: Tree) -> None:
    write_skill(tree.user_skills, "one")
    assert not look(tree).found
    link(tree.top / ".kiro/skills", tree.user_skills)
    root = only(look(tree))
    assert root.source
    assert (root.source.rank, root.source.origin, root.valid) == ("3", "default", 1)


# Odd things are told, and stop nothing.


def loop(root: Path) -> None:
    link(root, "skills")


def file(root: Path) -> None:
    write(root, "No directory.\n")


def skill(root: Path) -> None:
    write(root / "SKILL.md", "---\nname: skills\n---\n")


def too_deep(root: Path) -> None:
    write_skill(root / "a/b", "one")


@pytest.mark.parametrize(
    ("lay_out", "absent", "rule"),
    [
        (loop, "can't be listed", "root-unreadable"),
        (file, "a file", "root-not-directory"),
        (skill, "is itself a skill", "root-is-skill"),
        (too_deep, "", "nested-skill"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_odd_directories_are_told(lay_out: Any, absent: str, rule: str, tree: Tree) -> None:
    lay_out(tree.workspace / ".kiro/skills")
    write_skill(tree.workspace / ".trae/skills", "one")
    discovery = look(tree)
    fine, odd = discovery.found
    assert (fine.valid, odd.absent, odd.valid) == (1, absent, 0)
    (told,) = discovery.diagnostics
    assert (told.rule, told.path) == (rule, odd.path)
    assert told.help != "check its permissions"
    assert discovery.addable == (fine,)


def test_a_directory_that_may_not_be_read_is_told(tree: Tree) -> None:
    write_skill(tree.workspace / ".kiro/skills", "one")
    with denied(tree.workspace / ".kiro/skills"):
        discovery = look(tree)
    assert only(discovery).absent == "can't be listed"
    assert [d.rule for d in discovery.diagnostics] == ["root-unreadable"]


@pytest.mark.parametrize("odd", ["nowhere", "file/skills"])
def test_what_leads_nowhere_is_not_there(odd: str, tree: Tree) -> None:
    write(tree.workspace / ".clinerules", "Rules of a client, in a file.\n")
    write(tree.workspace / "file", "")
    link(tree.workspace / ".kiro/skills", f"../{odd}")
    discovery = look(tree)
    assert not discovery.found
    assert not discovery.diagnostics


def test_what_is_wrong_with_a_source_is_not_told_twice(tree: Tree) -> None:
    file(tree.workspace / ".kiro/skills")
    tree.name_roots(".kiro/skills")
    discovery = look(tree)
    root = only(discovery)
    assert (root.absent, root.source and root.source.rank) == ("a file", "2.1")
    assert not discovery.diagnostics


# The hint that costs next to nothing.


def test_unnamed_roots_count_files_and_read_none(tree: Tree) -> None:
    break_skill(tree.workspace / ".claude/skills", "one")
    write_skill(tree.workspace / ".claude/skills", ".hidden")
    write_skill(tree.workspace / ".roo/skills-ask", "two")
    write_skill(tree.workspace / ".cursor/skills", "named")
    link(tree.workspace / "skills", ".claude/skills")
    (tree.workspace / ".kiro/skills").mkdir(parents=True)
    tree.name_roots(".cursor/skills")
    assert unnamed_roots(tree.ingest()) == [
        (tree.workspace / ".claude/skills", 1),
        (tree.workspace / ".roo/skills-ask", 1),
    ]


@pytest.mark.parametrize("name", ["gone", "empty", "file"])
def test_unnamed_roots_of_an_empty_workspace(name: str, tree: Tree) -> None:
    (tree.workspace / "empty/.insomnia").mkdir(parents=True)
    write(tree.workspace / "file", "")
    assert unnamed_roots(ingest(tree.workspace / name, config_dir=tree.config)) == []


# The command.


def run(tree: Tree, *arguments: str | Path, **options: Any) -> Run:
    """Call `sources discover` without colour."""
    return call_in(tree, "sources", "discover", *arguments, env=NO_COLOR, **options)


@pytest.fixture
def filled(tree: Tree) -> Tree:
    """Something of everything: configured or not, broken, empty, odd, at home."""
    write_skill(tree.workspace / ".claude/skills", "one")
    write_skill(tree.workspace / ".agents/skills", "two")
    break_skill(tree.workspace / ".agents/skills", "three")
    link(tree.workspace / ".codex", ".agents")
    (tree.workspace / ".kiro/skills").mkdir(parents=True)
    file(tree.workspace / ".mux/skills")
    write_skill(tree.top / ".cursor/skills", "four")
    tree.name_roots(".claude/skills")
    return tree


def shown(done: Run) -> str:
    """stdout without the blanks at the ends of lines."""
    return "".join(f"{line.rstrip()}\n" for line in done.lines)


TABLE = """\
 directory             valid  broken  configured  clients
 .agents/skills            1       1  no          codex, gemini-cli, goose and
                                                  13 more
   also .codex/skills
 .claude/skills            1       0  2.1         goose, opencode, vscode,
                                                  cline, claude-code?
 .kiro/skills              0       0  no          kiro-cli?
 .mux/skills               -       -  no          a file · mux?
 ~/.cursor/skills          1       0  no          cursor?

? a public installer says so; not checked in the client's own sources
Why skills are broken: insomnia-skills validate .agents/skills
2 directories with 2 skills are not configured. To use them:
  insomnia-skills sources discover --add
"""

NARROW = """\
.agents/skills
  also .codex/skills
  1 valid, 1 broken, not configured
  codex, gemini-cli, goose and 13 more
.claude/skills
  1 valid, 0 broken, rank 2.1
  goose, opencode, vscode, cline,
  claude-code?
.kiro/skills
  0 valid, 0 broken, not configured
  kiro-cli?
.mux/skills
  a file, not configured
  mux?
~/.cursor/skills
  1 valid, 0 broken, not configured
  cursor?
"""


def test_table(filled: Tree) -> None:
    done = run(filled, terminal=True)
    assert shown(done) == TABLE
    assert done.code == 0
    assert done.stderr.startswith(".mux/skills:1:1: warning[root-not-directory]")
    assert len(done.stderr.splitlines()) == 1


def test_narrow_screen(filled: Tree) -> None:
    done = run(filled, "--quiet", terminal=True, columns=40)
    assert (shown(done), done.stderr) == (NARROW, "")


def test_piped(filled: Tree) -> None:
    lines = run(filled).text.replace(str(filled.top), "~").splitlines()
    everyone = (
        "codex gemini-cli goose opencode openhands qwen-code pi hermes vscode cline roo letta"
    )
    origin = "~/workspace/.insomnia/manifest.toml:3"
    unchecked = "amp github-copilot kimi-cli replit"
    known = "goose opencode vscode cline"
    assert [tuple(line.split("\t")) for line in lines] == [
        ("workspace", "~/workspace/.agents/skills", "1", "1", "no", "", everyone, unchecked, ""),
        (
            "workspace",
            "~/workspace/.claude/skills",
            "1",
            "0",
            "2.1",
            origin,
            known,
            "claude-code",
            "",
        ),
        ("workspace", "~/workspace/.kiro/skills", "0", "0", "no", "", "", "kiro-cli", ""),
        ("workspace", "~/workspace/.mux/skills", "0", "0", "no", "", "", "mux", "a file"),
        ("user", "~/.cursor/skills", "1", "0", "no", "", "", "cursor", ""),
    ]


def test_json(filled: Tree) -> None:
    document = run(filled, "--client", "codex", "--client", "crush", "--format", "json").document
    (directory,) = document["directories"]
    assert document["looked_in"] == [
        {"where": "workspace", "path": str(filled.workspace)},
        {"where": "user", "path": str(filled.top)},
    ]
    assert directory["also"] == [str(filled.workspace / ".codex/skills")]
    assert directory["configured"] is None
    assert directory["clients"][0] == {"id": "codex", "name": "Codex", "checked": True}
    assert {"id": "amp", "name": "Amp", "checked": False} in directory["clients"]


def test_all_shows_where_nothing_is(filled: Tree) -> None:
    lines = run(filled, "--all", "--client", "crush", "--no-user", terminal=True).lines
    assert lines[1].split() == [".crush/skills", "-", "-", "no", "not", "there", "·", "crush?"]


def test_verbose_names_every_client(filled: Tree) -> None:
    assert "replit?" not in run(filled, terminal=True).text
    assert "replit?" in run(filled, "-v", terminal=True).text


def test_verbose_says_nothing_of_single_skills(filled: Tree) -> None:
    write_skill(filled.workspace / ".claude/skills", "info", "mood: good")
    write_skill(filled.workspace / ".claude/skills/group", "deep")
    assert "mood" in call_in(filled, "list", "-v").stderr
    told = run(filled, "-v", terminal=True).stderr
    assert told == run(filled, terminal=True).stderr
    assert [line.split("]")[0].split("[")[1] for line in told.splitlines()] == [
        "nested-skill",
        "root-not-directory",
    ]


def test_a_configured_directory_in_one_found_is_not_too_deep(tree: Tree) -> None:
    write_skill(tree.workspace / ".kiro/skills/group", "one")
    assert [d.rule for d in look(tree).diagnostics] == ["nested-skill"]
    tree.name_roots(".kiro/skills/group")
    assert look(tree).diagnostics == ()


@pytest.mark.parametrize(
    ("arguments", "below"),
    [
        pytest.param(
            ("--client", "cursor"),
            "~/.cursor/skills is not configured. To use its 1 skill:\n"
            "  insomnia-skills sources add ~/.cursor/skills --user\n",
            id="one-at-home",
        ),
        pytest.param(
            ("--client", "codex", "--workspace", "."),
            ".agents/skills is not configured. To use its 1 skill:\n"
            "  insomnia-skills sources add .agents/skills\n",
            id="one-here",
        ),
        pytest.param(
            ("--client", "codex", "--client", "cursor"),
            "2 directories with 2 skills are not configured. To use them:\n"
            "  insomnia-skills sources discover --add --client codex --client cursor\n",
            id="several",
        ),
        pytest.param(
            ("--client", "claude-code"), "Nothing to add: all are configured\n", id="configured"
        ),
        pytest.param(
            ("--client", "kiro-cli"),
            "Nothing to add: those that are not configured have no valid skill\n",
            id="empty",
        ),
        pytest.param(
            ("--client", "crush", "--no-user"),
            "No skills directory of other clients is there. Looked in the workspace.\n"
            "Each place: insomnia-skills sources discover --all --client crush --no-user\n",
            id="not-there",
        ),
    ],
)
def test_it_ends_with_the_next_step(arguments: tuple[str, ...], below: str, filled: Tree) -> None:
    done = run(filled, *arguments, terminal=True)
    assert done.text.endswith(below)
    assert done.code == 0


def test_nothing_anywhere(tree: Tree) -> None:
    (tree.top / ".git").mkdir()
    workspace = tree.workspace / "a/b"
    workspace.mkdir(parents=True)
    done = run(tree, cwd=workspace, terminal=True)
    assert done.text == (
        "No skills directory of other clients is there. Looked in the workspace, 2 directories "
        "above it, the home directory.\nEach place: insomnia-skills sources discover --all\n"
    )
    assert (done.code, done.stderr) == (0, "")
    assert run(tree, cwd=workspace).both == ""


@pytest.mark.parametrize(
    ("id", "help"),
    [
        ("claud-code", "did you mean claude-code or command-code?"),
        ("Claude Code", "did you mean claude-code?"),
        ("copilot", "did you mean github-copilot?"),
        ("Roo Code", "did you mean roo?"),
        ("PI", "did you mean pi?"),
        ("x", "the ids are codex, gemini-cli, "),
        ("xyz", "the ids are codex, gemini-cli, "),
        ("", "the ids are codex, gemini-cli, "),
    ],
)
def test_an_unknown_client_is_a_wrong_question(id: str, help: str, tree: Tree) -> None:
    done = run(tree, "--client", id)
    assert (done.code, done.stdout) == (2, b"")
    assert f'error: --client: no client is called "{id}"\n  help: {help}' in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("--yes",), "error: --yes is for --add\n", id="yes"),
        pytest.param(("--dry-run",), "error: --dry-run is for --add\n", id="dry-run"),
        pytest.param(("--add", "--all"), "error: --all only shows; --add is", id="all"),
    ],
)
def test_options_that_do_nothing_are_refused(
    arguments: tuple[str, ...], said: str, filled: Tree
) -> None:
    done = run(filled, *arguments)
    assert (done.code, done.stdout) == (2, b"")
    assert said in done.stderr


def test_ids_complete() -> None:
    assert list(complete_client("cl")) == ["cline", "claude-code"]


def test_names_in_a_command_to_paste_are_quoted(tree: Tree) -> None:
    write_skill(tree.workspace / ".roo/skills-$(a) b", "one")
    done = run(tree, terminal=True)
    assert done.text.endswith("  insomnia-skills sources add '.roo/skills-$(a) b'\n")


@pytest.mark.parametrize("format", ["table", "plain", "json"])
def test_hostile_names_do_no_harm(format: str, tree: Tree) -> None:
    write_skill(tree.workspace / ".roo/skills-\x1b[31m\n\u202e", "one")
    done = run(tree, "--format", format, terminal=True)
    assert "skills-" in done.text
    assert not {"\x1b", "\u202e"} & set(done.both)


def test_an_unreadable_manifest_is_a_wrong_question(filled: Tree) -> None:
    write(filled.manifest, "[skills\n")
    done = run(filled)
    assert (done.code, len(done.lines)) == (2, 5)
    assert "manifest-syntax" in done.stderr
    assert run(filled, "--add", "--yes").code == 2


# Adding.


def test_add_writes_to_the_manifest_each_belongs_in(filled: Tree) -> None:
    repository = filled.workspace.parent
    (repository / ".git").mkdir()
    workspace = filled.workspace / "app"
    write_skill(workspace / ".goose/skills", "five")
    done = run(filled, "--add", "--yes", "--workspace", workspace, cwd=workspace)
    assert done.code == 0
    assert (workspace / ".insomnia/manifest.toml").read_text(encoding="utf-8") == (
        '[skills]\ndirectories = [\n  ".goose/skills",\n  "../.agents/skills",\n'
        '  "../.claude/skills",\n]\n'
    )
    (entry,) = ingest(workspace, config_dir=filled.config).manifests[1].entries
    assert entry.value == str(filled.top / ".cursor/skills")
    result = ingest(workspace, config_dir=filled.config)
    assert slugs(result) == ["five", "four", "one", "two"]
    again = run(filled, "--add", "--yes", "--workspace", workspace, cwd=workspace)
    assert (again.code, again.stdout) == (0, b"")
    assert again.stderr.startswith("Nothing to add: ")


def test_add_restricted_to_clients(filled: Tree) -> None:
    run(filled, "--add", "--yes", "--client", "codex")
    assert not filled.user_manifest.exists()
    assert slugs(filled.ingest()) == ["one", "two"]


def test_add_with_dry_run_writes_nothing(filled: Tree) -> None:
    before = filled.manifest.read_bytes()
    done = run(filled, "--add", "--dry-run", terminal=True)
    assert '+   ".agents/skills",' in done.text
    assert filled.manifest.read_bytes() == before
    assert not filled.user_manifest.exists()


def test_add_as_json_is_one_document(filled: Tree) -> None:
    done = run(filled, "--add", "--yes", "--format", "json")
    assert [gained["slug"] for gained in done.document["gained"]] == ["four", "two"]


def test_add_where_nothing_is(tree: Tree) -> None:
    done = run(tree, "--add")
    assert done.stderr == "Nothing to add: no skills directory of other clients is there\n"
    assert (done.code, done.stdout) == (0, b"")
    assert run(tree, "--add", "--quiet").both == ""


# What other commands say of skills that no manifest names.


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        pytest.param(
            {".claude/skills": 1},
            "1 skill lies in .claude/skills, which no manifest names. To use it:\n"
            "  insomnia-skills sources add .claude/skills\n",
            id="one",
        ),
        pytest.param(
            {".claude/skills": 2, ".cursor/skills": 1},
            "2 skills lie in .claude/skills and 1 in .cursor/skills, which no manifest names. "
            "To use them:\n"
            "  insomnia-skills sources add .claude/skills\n"
            "  insomnia-skills sources add .cursor/skills\n",
            id="several",
        ),
    ],
)
def test_list_says_how_to_use_them(counts: Mapping[str, int], said: str, tree: Tree) -> None:
    for directory, count in counts.items():
        for number in range(count):
            write_skill(tree.workspace / directory, f"skill-{number}")
    done = call_in(tree, "list", terminal=True)
    assert done.text.endswith(said)
    for line in said.splitlines()[1:]:
        _, *arguments = line.split()
        assert call_in(tree, *arguments, "--yes").code == 0
    assert "which no manifest names" not in call_in(tree, "list", terminal=True).text


def test_the_command_names_the_workspace_where_it_must(tree: Tree, tmp_path: Path) -> None:
    write_skill(tree.workspace / ".claude/skills", "one")
    done = call_in(tree, "list", "--workspace", tree.workspace, cwd=tmp_path, terminal=True)
    assert done.lines[-1] == (
        "  insomnia-skills sources add home/workspace/.claude/skills --workspace home/workspace"
    )


def test_nothing_to_list_leads_to_other_clients(tree: Tree) -> None:
    done = call_in(tree, "list", terminal=True)
    assert done.lines[-2:] == [
        "Next: put a skill into ~/config/skills/<name>/SKILL.md.",
        "To use skills of other clients: insomnia-skills sources discover",
    ]
