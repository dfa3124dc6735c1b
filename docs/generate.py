"""Write the pages that are made from code: ``python docs/generate.py``."""

from __future__ import annotations

import os
from pathlib import Path

from typer.testing import CliRunner

from insomnia_skills.catalogue import THEMES, rules_of
from insomnia_skills.cli import COMMANDS, make_app

DOCS = Path(__file__).parent


def rules_page() -> str:
    """``docs/rules.md``: every rule with its severity, what it finds, why, and its source."""
    lines = [
        "# Rules",
        "",
        "Made from the code by `python docs/generate.py`; edit the rule's docstring instead.",
        "",
        "An **error** keeps a record from being ingested or used, a **warning** is what you should",
        "know but insomnia accepts, an **info** is shown with `-v` and in machine formats and never",
        "fails anything. A rule's name never changes its meaning. *Decisions* are those of",
        "[decisions.md](decisions.md), the *specification* is that of agentskills.io.",
    ]
    for theme, modules in THEMES.items():
        lines += ["", f"## {theme}"]
        for rule in rules_of(*modules):
            lines += ["", f"### {rule.name}", "", f"**{rule.severity.value}** · {rule.summary}"]
            if rule.why:
                lines += ["", rule.why]
            lines += ["", f"*Source: {rule.source}.*"]
    return "\n".join(lines).replace("``", "`") + "\n"


def commands_page() -> str:
    """``docs/commands.md``: every command with its arguments and options."""
    application = get_command(make_app())
    lines = [
        "# Commands",
        "",
        "Made from the code by `python docs/generate.py`. Every command takes the options from",
        "`--workspace` on; `insomnia-skills COMMAND --help` says the same in the terminal.",
    ]
    for name in COMMANDS:
        command = application.commands[name]
        lines += ["", f"## insomnia-skills {name}", "", command.help, "", "| | |", "|---|---|"]
        lines += (f"| {_names(parameter)} | {parameter.help} |" for parameter in command.params)
    return "\n".join(lines) + "\n"


def _names(parameter: Any) -> str:
    """An option as it is typed: ``--format auto|json``."""
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    if parameter.param_type_name == "argument":
        return f"`{parameter.make_metavar(parameter)}`"
    return names


PAGES = {"rules.md": rules_page, "commands.md": commands_page}


def main() -> None:
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
