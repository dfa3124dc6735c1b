"""Clients of Agent Skills and the directories they read them from, as data.

Facts as of 2026-11, of two kinds that are never mixed: what was read in a client's own sources is
checked; what a public installer's table says nobody has compared with the clients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

TO_REPOSITORY = "to the repository root"
UPWARD = "how far is not known"

VARIABLES = {
    "CODEX_HOME": "~/.codex",
    "XDG_CONFIG_HOME": "~/.config",
    "CLAUDE_CONFIG_DIR": "~/.claude",
}
"""Environment variables that begin the path of a user directory, and what they stand for unset."""


class Place(NamedTuple):
    """A directory that a client reads skills from.

    ``path`` has slashes; in a project it is relative to the project, a user's begins with ``~`` or
    ``$`` and one of `VARIABLES`. A name in braces at its end stands for any text, so for many
    directories. ``checked`` tells a fact from the client's own sources, ``ancestors`` says how far
    up the same path is read in the directories above (empty: not at all), ``only`` when it is read
    at all (empty: always).
    """

    path: str
    checked: bool = True
    ancestors: str = ""
    only: str = ""


class Client(NamedTuple):
    """A client of Agent Skills.

    ``admin`` holds what all users of a machine share. ``wins`` says what becomes of two skills of
    one name in different directories; empty where nobody has looked.
    """

    id: str
    name: str
    project: tuple[Place, ...]
    user: tuple[Place, ...]
    admin: tuple[Place, ...] = ()
    wins: str = ""


Reader = tuple[Client, Place]
"""A client that reads a directory, and as which of its places."""

_AGENTS = Place(".agents/skills")
_CLAUDE = Place(".claude/skills")
_USER_AGENTS = Place("~/.agents/skills")
_USER_CLAUDE = Place("~/.claude/skills")

CHECKED_CLIENTS = (
    Client(
        "codex",
        "Codex",
        (
            Place(".codex/skills", ancestors=TO_REPOSITORY),
            Place(".agents/skills", ancestors=TO_REPOSITORY),
        ),
        (Place("$CODEX_HOME/skills"), _USER_AGENTS),
        admin=(Place("/etc/codex/skills"),),
        wins="both are kept",
    ),
    Client(
        "gemini-cli",
        "Gemini CLI",
        (Place(".gemini/skills"), _AGENTS),
        (Place("~/.gemini/skills"), _USER_AGENTS),
        wins="project over user, then the later directory",
    ),
    Client(
        "goose",
        "Goose",
        (_AGENTS, Place(".goose/skills"), _CLAUDE),
        (
            _USER_AGENTS,
            Place("$XDG_CONFIG_HOME/goose/skills"),
            _USER_CLAUDE,
            Place("$XDG_CONFIG_HOME/agents/skills"),
        ),
        wins="project over user, then the first directory",
    ),
    Client(
        "opencode",
        "OpenCode",
        (
            Place(".claude/skills", ancestors=UPWARD),
            Place(".agents/skills", ancestors=UPWARD),
            Place(".opencode/skill", ancestors=UPWARD),
            Place(".opencode/skills", ancestors=UPWARD),
        ),
        (
            _USER_CLAUDE,
            _USER_AGENTS,
            Place("$XDG_CONFIG_HOME/opencode/skill"),
            Place("$XDG_CONFIG_HOME/opencode/skills"),
            Place("~/.opencode/skill"),
            Place("~/.opencode/skills"),
        ),
        wins="not determined",
    ),
    Client(
        "openhands",
        "OpenHands",
        (_AGENTS, Place(".openhands/skills"), Place(".openhands/microagents")),
        (_USER_AGENTS, Place("~/.openhands/skills"), Place("~/.openhands/microagents")),
        wins="project over user",
    ),
    Client(
        "qwen-code",
        "Qwen Code",
        (Place(".qwen/skills"), _AGENTS),
        (Place("~/.qwen/skills"), _USER_AGENTS),
        wins="project over user, then the first directory",
    ),
    Client(
        "pi",
        "Pi",
        (Place(".pi/skills"), Place(".agents/skills", ancestors=UPWARD)),
        (Place("~/.pi/agent/skills"), _USER_AGENTS),
        wins="the first that is found",
    ),
    Client(
        "hermes",
        "Hermes",
        (
            Place(".hermes/skills", only="in trusted repositories"),
            Place(".agents/skills", only="in trusted repositories"),
        ),
        (Place("~/.hermes/skills"),),
        wins="the first directory",
    ),
    Client(
        "vscode",
        "VS Code",
        (Place(".github/skills"), _AGENTS, _CLAUDE),
        (Place("~/.copilot/skills"), _USER_AGENTS, _USER_CLAUDE),
        wins="project over user",
    ),
    Client(
        "cline",
        "Cline",
        (Place(".clinerules/skills"), Place(".cline/skills"), _CLAUDE, _AGENTS),
        (Place("~/.cline/skills"), _USER_AGENTS),
        wins="user over project",
    ),
    Client(
        "roo",
        "Roo Code",
        (Place(".roo/skills"), Place(".roo/skills-{mode}"), _AGENTS),
        (Place("~/.roo/skills"), Place("~/.roo/skills-{mode}"), _USER_AGENTS),
        wins="project over user",
    ),
    Client(
        "letta",
        "Letta",
        (_AGENTS, Place(".skills")),
        (Place("~/.letta/skills"),),
        wins="project over user",
    ),
)
"""Read in the clients' own sources."""


def _listed(id: str, name: str, project: str, user: str = "", wins: str = "") -> Client:
    """A client as the installer's table has it: one project directory, at most one of the user."""
    places = (Place(user, checked=False),) if user else ()
    return Client(id, name, (Place(project, checked=False),), places, wins=wins)


UNCHECKED_CLIENTS = (
    _listed("amp", "Amp", ".agents/skills", "$XDG_CONFIG_HOME/agents/skills"),
    _listed("antigravity", "Antigravity", ".agent/skills", "~/.gemini/antigravity/skills"),
    _listed("augment", "Augment", ".augment/skills", "~/.augment/skills"),
    _listed(
        "claude-code",
        "Claude Code",
        ".claude/skills",
        "$CLAUDE_CONFIG_DIR/skills",
        wins="enterprise over user over project (its documentation, at second hand)",
    ),
    _listed("openclaw", "OpenClaw", "skills"),
    _listed("codebuddy", "CodeBuddy", ".codebuddy/skills", "~/.codebuddy/skills"),
    _listed("command-code", "Command Code", ".commandcode/skills", "~/.commandcode/skills"),
    _listed("continue", "Continue", ".continue/skills", "~/.continue/skills"),
    _listed("crush", "Crush", ".crush/skills", "~/.config/crush/skills"),
    _listed("cursor", "Cursor", ".cursor/skills", "~/.cursor/skills"),
    _listed("droid", "Droid", ".factory/skills", "~/.factory/skills"),
    _listed("github-copilot", "GitHub Copilot", ".agents/skills", "~/.copilot/skills"),
    _listed("junie", "Junie", ".junie/skills", "~/.junie/skills"),
    _listed("iflow-cli", "iFlow CLI", ".iflow/skills", "~/.iflow/skills"),
    _listed("kilo", "Kilo Code", ".kilocode/skills", "~/.kilocode/skills"),
    _listed("kimi-cli", "Kimi Code CLI", ".agents/skills", "~/.config/agents/skills"),
    _listed("kiro-cli", "Kiro CLI", ".kiro/skills", "~/.kiro/skills"),
    _listed("kode", "Kode", ".kode/skills", "~/.kode/skills"),
    _listed("mcpjam", "MCPJam", ".mcpjam/skills", "~/.mcpjam/skills"),
    _listed("mistral-vibe", "Mistral Vibe", ".vibe/skills", "~/.vibe/skills"),
    _listed("mux", "Mux", ".mux/skills", "~/.mux/skills"),
    _listed("qoder", "Qoder", ".qoder/skills", "~/.qoder/skills"),
    _listed("replit", "Replit", ".agents/skills", "$XDG_CONFIG_HOME/agents/skills"),
    _listed("trae", "Trae", ".trae/skills", "~/.trae/skills"),
    _listed("trae-cn", "Trae CN", ".trae/skills", "~/.trae-cn/skills"),
    _listed("windsurf", "Windsurf", ".windsurf/skills", "~/.codeium/windsurf/skills"),
    _listed("zencoder", "Zencoder", ".zencoder/skills", "~/.zencoder/skills"),
    _listed("neovate", "Neovate", ".neovate/skills", "~/.neovate/skills"),
    _listed("pochi", "Pochi", ".pochi/skills", "~/.pochi/skills"),
    _listed("adal", "AdaL", ".adal/skills", "~/.adal/skills"),
)
"""From a public installer's table only. A client that is checked too stands above, once."""

CLIENTS = (*CHECKED_CLIENTS, *UNCHECKED_CLIENTS)


def _by_directory(readers: Iterator[Reader]) -> Mapping[str, Sequence[Reader]]:
    directories: dict[str, list[Reader]] = {}
    for client, place in readers:
        directories.setdefault(place.path, []).append((client, place))
    return dict(sorted(directories.items(), key=lambda item: -len(item[1])))


PROJECT_DIRECTORIES = _by_directory((c, place) for c in CLIENTS for place in c.project)
"""Every project directory with its readers; those that most clients read come first."""

USER_DIRECTORIES = _by_directory((c, place) for c in CLIENTS for place in c.user)
"""Every user directory with its readers; those that most clients read come first."""
