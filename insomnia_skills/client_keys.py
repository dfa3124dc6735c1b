"""Keys and placeholders of other clients, and what comes of their loss, as data."""

from __future__ import annotations

from typing import NamedTuple


class ClientKey(NamedTuple):
    """A frontmatter key of other clients.

    ``effect`` says what it does there, ``here`` what comes of its loss where that is not plain,
    ``harmless`` which values (as written) make no difference because insomnia does the same anyway.
    Where ``harmful`` names values, no other makes a difference. ``instead`` says what to do about
    it where that is plain.
    """

    key: str
    clients: str
    effect: str
    here: str = ""
    harmless: tuple[str, ...] = ()
    harmful: tuple[str, ...] = ()
    instead: str = ""


class ClientPlaceholder(NamedTuple):
    """A text in a body that other clients put something in place of, and insomnia does not.

    ``effect`` says what it becomes there, ``instead`` what to write so that it works here too.
    ``directory`` tells that it stands for the skill directory.
    """

    text: str
    clients: str
    effect: str
    instead: str
    directory: bool = False


_OTHERS = "other clients"
_CLAUDE = "Claude Code"
_FALSE = ("false", "False", "FALSE")
_TRUE = ("true", "True", "TRUE")
_RELATIVE = "write the path relative to the skill directory, like scripts/run.py"

CLIENT_KEY_TABLE = (
    ClientKey(
        "disable-model-invocation",
        "Claude Code, VS Code and others",
        "hides the skill from the model",
        "here the model may call every skill",
        _FALSE,
    ),
    ClientKey(
        "user-invocable",
        "Claude Code, VS Code and others",
        "hides the skill from the user's menu",
        "here the user may call every skill",
        _TRUE,
    ),
    ClientKey(
        "user-invokable",
        "VS Code",
        "hides the skill from the user's menu",
        "here the user may call every skill",
        _TRUE,
    ),
    ClientKey(
        "model", "Claude Code, VS Code and others", "chooses the model", harmless=("inherit",)
    ),
    ClientKey("effort", _CLAUDE, "chooses how long the model thinks"),
    ClientKey("context", _CLAUDE, "runs the skill in a sub-agent", harmful=("fork",)),
    ClientKey("agent", _CLAUDE, "chooses the sub-agent that runs the skill"),
    ClientKey("hooks", _CLAUDE, "runs commands on events", "insomnia runs nothing"),
    ClientKey(
        "when_to_use",
        "Claude Code and others",
        "is joined to the description",
        "insomnia shows the model the description alone",
        instead="move it into description, which the model is shown",
    ),
    ClientKey(
        "paths",
        "Claude Code and others",
        "offers the skill only for matching files",
        "insomnia offers it always",
    ),
    ClientKey("triggers", "OpenHands", "calls the skill on key words"),
    ClientKey("inputs", "OpenHands", "asks for parameters"),
    ClientKey("mcp_tools", "OpenHands", "starts MCP servers", "insomnia starts nothing"),
    ClientKey("mode", "Roo Code", "offers the skill in one mode only"),
    ClientKey("modeSlugs", "Roo Code", "offers the skill in these modes only"),
    ClientKey("disabled", "Cline", "switches the skill off", harmless=_FALSE),
    ClientKey("enabled", "Cline", "switches the skill on or off", harmless=_TRUE),
    ClientKey("platforms", "Hermes", "offers the skill on these platforms only"),
    ClientKey("environments", "Hermes", "offers the skill in these environments only"),
    ClientKey("required_environment_variables", "Hermes", "asks for these variables"),
    ClientKey("deps", "Hermes", "says what must be installed"),
)
"""Keys whose loss changes what happens. Facts as of 2026-11, from the clients' own sources."""

QUIET_KEY_TABLE = (
    ClientKey("argument-hint", "Claude Code, VS Code and others", "is shown while typing the call"),
    ClientKey("category", "Letta and catalogues", "sorts the skill"),
    ClientKey("id", "Letta", "names the skill in its catalogue"),
    ClientKey("tags", "Letta and catalogues", "finds the skill"),
    ClientKey("title", "Letta", "is the name that people see"),
    ClientKey("version", "OpenHands and catalogues", "tells versions apart"),
    *(
        ClientKey(key, "catalogues", "describes the skill to people")
        for key in (
            *("author", "created", "displayName", "framework", "homepage", "keywords", "language"),
            *("slug", "source", "summary", "tools", "updated", "url"),
        )
    ),
)
"""Keys for menus and catalogues: nothing happens otherwise for their loss. Under ``metadata``, the
``short-description`` of Codex, ``argument-hint`` of Goose and ``hermes`` of Hermes are kept."""

QUIET_KEYS = frozenset(quiet.key for quiet in QUIET_KEY_TABLE)
"""Never taken for a misspelt field."""

CLIENT_PLACEHOLDER_TABLE = (
    ClientPlaceholder(
        "$ARGUMENTS",
        _CLAUDE,
        "becomes what the user typed after the call",
        'say in words what is meant, like "the issue that the user names"',
    ),
    ClientPlaceholder(
        "$1",
        _CLAUDE,
        "becomes one word of what the user typed after the call",
        'say in words what is meant, like "the issue that the user names"',
    ),
    ClientPlaceholder(
        "${CLAUDE_SKILL_DIR}", _CLAUDE, "becomes the skill directory", _RELATIVE, True
    ),
    ClientPlaceholder(
        "${CLAUDE_PLUGIN_ROOT}",
        _CLAUDE,
        "becomes the directory of the plugin that has the skill",
        "put the file into the skill, and write its path relative to the skill directory",
    ),
    ClientPlaceholder(
        "${CLAUDE_SESSION_ID}", _CLAUDE, "becomes the session's id", "do without the session's id"
    ),
    ClientPlaceholder("<SKILL_DIR>", _OTHERS, "becomes the skill directory", _RELATIVE, True),
    ClientPlaceholder(
        "${HERMES_SKILL_DIR}", "Hermes", "becomes the skill directory", _RELATIVE, True
    ),
    ClientPlaceholder("${SKILL_ROOT}", _OTHERS, "becomes the skill directory", _RELATIVE, True),
    ClientPlaceholder(
        "!`command`",
        _CLAUDE,
        "becomes what the command prints",
        "tell the model to run the command itself",
    ),
)
"""``$1`` stands for every ``$1`` to ``$9``, ``!`` for any command. Facts as of 2026-11."""
