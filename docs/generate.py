"""Write the pages that are made from code: ``python docs/generate.py``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from insomnia_skills.catalogue import THEMES, rules_of
from insomnia_skills.cli import COMMANDS, make_app
from insomnia_skills.report.rules import example_text, fenced, fix_label, prose
from insomnia_skills.rule import Rule

DOCS = Path(__file__).parent

RULES_HEAD = """\
Made from the code by `python docs/generate.py`; edit the rule's docstring instead.

An **error** keeps a record from being ingested or used, a **warning** is what you should know but
insomnia accepts, an **info** is shown with `-v` and in machine formats and never fails anything. A
rule's name never changes its meaning. *Decisions* are those of [decisions.md](decisions.md), the
*specification* is that of agentskills.io, the *ticket* is the request this tool was made for.

In the examples `-- PATH --` begins a file and `-- PATH -> TARGET --` is a symbolic link; where no
file is named it is `pdf/SKILL.md`. `{1025 × x}` stands for 1025 times `x`, `{0xF6}` for that byte;
what nobody would see is written as an escape. `insomnia-skills explain RULE` shows the same.
"""

COMMANDS_HEAD = """\
Made from the code by `python docs/generate.py`; `insomnia-skills COMMAND --help` says the same.

Exit codes: **0** it did what was asked, **1** the answer is no (an error was found, a slug is not
there, a native Workflow is broken), **2** the question was wrong (usage, a path that does not
exist, an unreadable manifest, nothing to check).
"""


def rules_page() -> str:
    """``docs/rules.md``: every rule with its severity, what it finds, why, and its source."""
    lines = [
        "# Rules",
        "",
        *RULES_HEAD.splitlines(),
    ]
    themes = {theme: rules_of(*modules) for theme, modules in THEMES.items()}
    for theme, rules in themes.items():
        anchor = theme.lower().replace(" ", "-")
        lines += ["", f"**[{theme}](#{anchor})**", ""]
        lines += ["| rule | | fix | finds |", "|---|---|---|---|"]
        lines += map(_row, rules)
    for theme, rules in themes.items():
        lines += ["", f"## {theme}"]
        for rule in rules:
            lines += _section(rule)
    return "\n".join(lines) + "\n"


def _row(rule: Rule[..., Any]) -> str:
    """A rule's line in the index."""
    link = f"[{rule.name}](#{rule.name})"
    summary = prose(rule.summary).replace("|", "\\|")
    return f"| {link} | {rule.severity.value} | {rule.fix or ''} | {summary} |"


def _section(rule: Rule[..., Any]) -> list[str]:
    """All that there is to say about a rule."""
    lines = ["", f"### {rule.name}", "", f"**{rule.severity.value}** · {prose(rule.summary)}"]
    if rule.why:
        lines += ["", prose(rule.why)]
    for heading, example in (("Fails", rule.fails), ("Passes", rule.passes)):
        if example:
            lines += ["", f"{heading}:", "", fenced(example_text(example))]
    return [*lines, "", f"*Fix: {fix_label(rule)}. Source: {rule.source}.*"]


def commands_page() -> str:
    """``docs/commands.md``: every command with its arguments and options."""
    lines = [
        "# Commands",
        "",
        *COMMANDS_HEAD.splitlines(),
    ]
    application = get_command(make_app())
    assert isinstance(application, TyperGroup)
    for name in COMMANDS:
        command: Any = application.commands[name]
        lines += ["", f"## insomnia-skills {name}", "", command.help or "", ""]
        lines += ["| argument or option | |", "|---|---|"]
        lines += (f"| {_names(parameter)} | {parameter.help} |" for parameter in command.params)
    return "\n".join(lines) + "\n"


def _names(parameter: Any) -> str:
    """A parameter as it is typed: ``--format auto|json``, ``/SLUG``."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    value = parameter.metavar or ""
    if isinstance(parameter.default, Enum):
        value = "\\|".join(parameter.default.__class__)
    return ", ".join(f"`{name}`" for name in parameter.opts) + (f" {value}" if value else "")


PAGES = {"rules.md": rules_page, "commands.md": commands_page}


def main() -> None:
    """Write all pages."""
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
