"""Keys and placeholders of other clients, and what comes of their loss, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def some(clients: Sequence[str]) -> str:
    """Two clients at most, the first ones, for a sentence."""
    if len(clients) > 2:
        return f"{', '.join(clients[:2])} and others"
    return " and ".join(clients)


class ClientKey(NamedTuple):
    """A frontmatter key of other clients, of which ``clients`` names all that are known.

    ``effect`` says what it does there, ``here`` what comes of its loss where that is not plain,
    ``harmless`` which values (as written) make no difference because insomnia does the same anyway.
    Where ``harmful`` names values, no other makes a difference. ``instead`` says what to do about
    it where that is plain.
    """

    key: str
    clients: tuple[str, ...]
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
_ALWAYS = "insomnia offers it always"
_RELATIVE = "write the path relative to the skill directory, like scripts/run.py"

CLIENT_KEY_TABLE = (
    ClientKey(
        "disable-model-invocation",
        (_CLAUDE, "VS Code", "Letta", "OpenHands", "Pi", "Qwen Code"),
        "hides the skill from the model",
        "here it is still offered to the model",
        _FALSE,
    ),
    ClientKey(
        "user-invocable",
        (_CLAUDE, "VS Code", "Letta", "Qwen Code"),
        "hides the skill from the user's menu",
        "here the user may call every skill",
        _TRUE,
    ),
    ClientKey(
        "user-invokable",
        ("VS Code",),
        "hides the skill from the user's menu",
        "here the user may call every skill",
        _TRUE,
    ),
    ClientKey("model", (_CLAUDE, "Qwen Code"), "chooses the model", harmless=("inherit",)),
    ClientKey("effort", (_CLAUDE,), "chooses how long the model thinks"),
    ClientKey("context", (_CLAUDE, "VS Code"), "runs the skill in a sub-agent", harmful=("fork",)),
    ClientKey("agent", (_CLAUDE,), "chooses the sub-agent that runs the skill"),
    ClientKey("hooks", (_CLAUDE, "Qwen Code"), "runs commands on events", "insomnia runs nothing"),
    ClientKey(
        "when_to_use",
        (_CLAUDE, "Qwen Code", "Letta"),
        "is joined to the description",
        "insomnia shows the model the description alone",
        instead="move it into description, which the model is shown",
    ),
    ClientKey(
        "paths",
        (_CLAUDE, "Qwen Code", "OpenHands"),
        "offers the skill only for matching files",
        _ALWAYS,
    ),
    ClientKey("triggers", ("OpenHands",), "calls the skill on key words"),
    ClientKey("inputs", ("OpenHands",), "asks for parameters"),
    ClientKey("mcp_tools", ("OpenHands",), "starts MCP servers", "insomnia starts nothing"),
    ClientKey("mode", ("Roo Code",), "offers the skill in one mode only", _ALWAYS),
    ClientKey("modeSlugs", ("Roo Code",), "offers the skill in these modes only", _ALWAYS),
    ClientKey("disabled", ("Cline",), "switches the skill off", _ALWAYS, _FALSE),
    ClientKey("enabled", ("Cline",), "switches the skill on or off", _ALWAYS, _TRUE),
    ClientKey("platforms", ("Hermes",), "offers the skill on these platforms only", _ALWAYS),
    ClientKey("environments", ("Hermes",), "offers the skill in these environments only", _ALWAYS),
    ClientKey("required_environment_variables", ("Hermes",), "asks for these variables"),
    ClientKey("deps", ("Hermes",), "says what must be installed"),
)
"""Keys whose loss changes what happens. Facts as of 2026-11, from the clients' own sources."""

QUIET_KEY_TABLE = (
    ClientKey(
        "argument-hint",
        (_CLAUDE, "VS Code", "Letta", "Qwen Code"),
        "is shown while typing the call",
    ),
    ClientKey("category", ("Letta", "catalogues"), "sorts the skill"),
    ClientKey("id", ("Letta",), "names the skill in its catalogue"),
    ClientKey("tags", ("Letta", "catalogues"), "finds the skill"),
    ClientKey("title", ("Letta",), "is the name that people see"),
    ClientKey("version", ("OpenHands", "catalogues"), "tells versions apart"),
    *(
        ClientKey(key, ("catalogues",), "describes the skill to people")
        for key in (
            *("author", "created", "displayName", "framework", "homepage", "keywords", "language"),
            *("slug", "source", "summary", "tools", "updated", "url"),
        )
    ),
)
"""Keys for menus and catalogues: nothing happens otherwise for their loss."""

QUIET_KEYS = frozenset(quiet.key for quiet in QUIET_KEY_TABLE)
"""Never taken for a misspelt field."""

METADATA_KEY_TABLE = (
    ClientKey("short-description", ("Codex",), "is the description that people see"),
    ClientKey("argument-hint", ("Goose",), "is shown while typing the call"),
    ClientKey("hermes", ("Hermes",), "says when the skill is offered", _ALWAYS),
)
"""Keys below ``metadata``, which is kept as written."""

CLIENT_FILE_TABLE = (
    ClientKey(
        "agents/openai.yaml",
        ("Codex",),
        "says how the skill is shown and whether the model may call it",
        "here it is a file like any other",
    ),
)
"""Files beside a SKILL.md that another client reads."""

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
