"""The data on other clients: complete, consistent, checked facts apart from unchecked ones."""

from __future__ import annotations

import re

import pytest

from insomnia_skills.clients.data import (
    CHECKED_CLIENTS,
    CLIENTS,
    PROJECT_DIRECTORIES,
    TO_REPOSITORY,
    UNCHECKED_CLIENTS,
    UPWARD,
    USER_DIRECTORIES,
    VARIABLES,
    Client,
)

BY_ID = {client.id: client for client in CLIENTS}


def ids(directory: str) -> list[str]:
    """Who reads a directory, be it a project's or a user's; the unchecked ones with a "?"."""
    readers = {**PROJECT_DIRECTORIES, **USER_DIRECTORIES}[directory]
    return [client.id + ("" if place.checked else "?") for client, place in readers]


def test_every_client_of_both_tables_is_there_once() -> None:
    assert " ".join(client.id for client in CHECKED_CLIENTS) == (
        "codex gemini-cli goose opencode openhands qwen-code pi hermes vscode cline roo letta"
    )
    assert " ".join(client.id for client in UNCHECKED_CLIENTS) == (
        "amp antigravity augment claude-code openclaw codebuddy command-code continue crush cursor "
        "droid github-copilot junie iflow-cli kilo kimi-cli kiro-cli kode mcpjam mistral-vibe mux "
        "qoder replit trae trae-cn windsurf zencoder neovate pochi adal"
    )
    assert len(BY_ID) == len(CLIENTS)
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_paths_can_be_read_by_a_program(client: Client) -> None:
    assert re.fullmatch(r"[a-z][a-z-]*", client.id)
    for place in client.project:
        assert re.fullmatch(r"(\.[a-z]+/)?\.?[a-z]+(-\{mode\})?", place.path)
        assert place.ancestors in ("", TO_REPOSITORY, UPWARD)
    for place in client.user:
        first, *_, last = place.path.split("/")
        assert first == "~" or first.removeprefix("$") in VARIABLES
        assert re.fullmatch(r"skills?|skills-\{mode\}|microagents", last)
    for places in (client.project, client.user):
        assert len({place.path for place in places}) == len(places)


def test_checked_facts_stand_apart() -> None:
    for client in CHECKED_CLIENTS:
        assert all(place.checked for place in (*client.project, *client.user, *client.admin))
        assert client.wins
    for client in UNCHECKED_CLIENTS:
        assert not any(place.checked for place in (*client.project, *client.user, *client.admin))


@pytest.mark.parametrize(
    ("id", "project", "user", "wins"),
    [
        pytest.param(
            "codex",
            ".codex/skills^ .agents/skills^",
            "$CODEX_HOME/skills ~/.agents/skills",
            "both are kept",
            id="codex",
        ),
        pytest.param(
            "roo",
            ".roo/skills .roo/skills-{mode} .agents/skills",
            "~/.roo/skills ~/.roo/skills-{mode} ~/.agents/skills",
            "project over user",
            id="a-name-that-stands-for-many",
        ),
        pytest.param(
            "cline",
            ".clinerules/skills .cline/skills .claude/skills .agents/skills",
            "~/.cline/skills ~/.agents/skills",
            "user over project",
            id="the-user-wins",
        ),
        pytest.param(
            "claude-code",
            ".claude/skills",
            "$CLAUDE_CONFIG_DIR/skills",
            "enterprise over user over project (its documentation, at second hand)",
            id="at-second-hand",
        ),
        pytest.param("openclaw", "skills", "", "", id="no-known-user-directory"),
    ],
)
def test_facts(id: str, project: str, user: str, wins: str) -> None:
    client = BY_ID[id]
    up = (place.path + ("^" if place.ancestors else "") for place in client.project)
    assert " ".join(up) == project
    assert " ".join(place.path for place in client.user) == user
    assert client.wins == wins


@pytest.mark.parametrize(
    ("directory", "readers"),
    [
        (".claude/skills", "goose opencode vscode cline claude-code?"),
        (".cursor/skills", "cursor?"),
        (".trae/skills", "trae? trae-cn?"),
        ("~/.copilot/skills", "vscode github-copilot?"),
        ("$XDG_CONFIG_HOME/agents/skills", "goose amp? replit?"),
    ],
)
def test_a_directory_knows_its_readers(directory: str, readers: str) -> None:
    assert " ".join(ids(directory)) == readers


def test_what_most_clients_read_comes_first() -> None:
    assert list(PROJECT_DIRECTORIES)[:2] == [".agents/skills", ".claude/skills"]
    assert list(USER_DIRECTORIES)[:1] == ["~/.agents/skills"]
    for directories in (PROJECT_DIRECTORIES, USER_DIRECTORIES):
        numbers = [len(readers) for readers in directories.values()]
        assert numbers == sorted(numbers, reverse=True)
