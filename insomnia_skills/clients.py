"""What other clients of Agent Skills do that insomnia does not, as data."""

from __future__ import annotations

from typing import NamedTuple


class ClientKey(NamedTuple):
    """A frontmatter key of other clients.

    ``effect`` says what it does there, ``harmless`` which values (as written) make no difference
    because insomnia does the same anyway.
    """

    key: str
    clients: str
    effect: str
    harmless: tuple[str, ...] = ()


_FALSE = ("false", "False", "FALSE")
_TRUE = ("true", "True", "TRUE")

CLIENT_KEY_TABLE = (
    ClientKey(
        "disable-model-invocation",
        "Claude Code, VS Code and others",
        "hides the skill from the model; here the model may call every skill",
        _FALSE,
    ),
    ClientKey(
        "user-invocable",
        "Claude Code, VS Code and others",
        "hides the skill from the user's menu; here the user may call every skill",
        _TRUE,
    ),
    ClientKey(
        "user-invokable",
        "VS Code",
        "hides the skill from the user's menu; here the user may call every skill",
        _TRUE,
    ),
    ClientKey("model", "Claude Code, VS Code and others", "chooses the model"),
    ClientKey("effort", "Claude Code", "chooses how long the model thinks"),
    ClientKey("context", "Claude Code", "runs the skill in a sub-agent"),
    ClientKey("agent", "Claude Code", "chooses the sub-agent that runs the skill"),
    ClientKey("hooks", "Claude Code", "runs commands on events; insomnia runs nothing"),
    ClientKey(
        "when_to_use",
        "Claude Code and others",
        "is joined to the description; insomnia shows the model the description alone",
    ),
    ClientKey(
        "paths",
        "Claude Code and others",
        "offers the skill only for matching files; insomnia offers it always",
    ),
    ClientKey("triggers", "OpenHands", "calls the skill on key words"),
    ClientKey("inputs", "OpenHands", "asks for parameters"),
    ClientKey("mcp_tools", "OpenHands", "starts MCP servers; insomnia starts nothing"),
    ClientKey("mode", "Roo Code", "offers the skill in one mode only"),
    ClientKey("modeSlugs", "Roo Code", "offers the skill in these modes only"),
    ClientKey("disabled", "Cline", "switches the skill off", _FALSE),
    ClientKey("enabled", "Cline", "switches the skill on or off", _TRUE),
    ClientKey("platforms", "Hermes", "offers the skill on these platforms only"),
    ClientKey("environments", "Hermes", "offers the skill in these environments only"),
    ClientKey("required_environment_variables", "Hermes", "asks for these variables"),
    ClientKey("deps", "Hermes", "says what must be installed"),
)
"""Keys whose loss changes what happens. Facts as of 2026-11, from the clients' own sources."""

QUIET_KEYS = frozenset(
    (
        *("argument-hint", "author", "category", "created", "displayName", "framework", "homepage"),
        *("id", "keywords", "language", "source", "slug", "summary", "tags", "title", "tools"),
        *("updated", "url", "version"),
    )
)
"""Keys that catalogues and menus use: never taken for a misspelt field."""

PROJECT_DIRECTORIES = (
    ".agents/skills",
    ".claude/skills",
    ".cursor/skills",
    ".codex/skills",
    ".gemini/skills",
    ".github/skills",
    ".opencode/skills",
    ".opencode/skill",
    ".goose/skills",
    ".openhands/skills",
    ".qwen/skills",
    ".pi/skills",
    ".hermes/skills",
    ".cline/skills",
    ".clinerules/skills",
    ".roo/skills",
    ".agent/skills",
    ".augment/skills",
    ".codebuddy/skills",
    ".commandcode/skills",
    ".continue/skills",
    ".crush/skills",
    ".factory/skills",
    ".junie/skills",
    ".iflow/skills",
    ".kilocode/skills",
    ".kiro/skills",
    ".kode/skills",
    ".mcpjam/skills",
    ".vibe/skills",
    ".mux/skills",
    ".qoder/skills",
    ".trae/skills",
    ".windsurf/skills",
    ".zencoder/skills",
    ".neovate/skills",
    ".pochi/skills",
    ".adal/skills",
    ".skills",
    "skills",
)
"""Where clients keep a project's skills, below its root. Facts as of 2026-11, the widely used
first: the clients' own sources and a public installer's table."""
