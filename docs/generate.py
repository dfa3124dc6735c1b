"""Write what is made from code: ``python docs/generate.py``.

`rules.md` and `commands/README.md` as a whole, and in each page of `commands/` the part on
arguments and options. The runs shown there are written by ``UPDATE_SNAPSHOTS=1 pytest
tests/test_docs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from insomnia_skills.catalogue import THEMES, rules_of
from insomnia_skills.cli import COMMANDS, make_app
from insomnia_skills.report.rules.text import example_text, fenced, fix_label, prose
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
Made from the code by `python docs/generate.py`.

| command | |
|---|---|
{rows}

Exit codes: **0** it did what was asked, **1** the answer is no (an error was found, a slug is not
there, a native Workflow is broken), **2** the question was wrong (usage, a path that does not
exist, an unreadable manifest, nothing to check). Above that there was no answer: **70** a fault
of this tool, **74** output that can't be written, **130** interrupted, **141** a reader that went
away.

Results go to stdout, everything else to stderr. On a terminal results are tables, piped they are
one record a line, tab-separated, with nothing cut; `--format json` has everything, by the schemas
in [schemas/](../../schemas).

The runs on these pages are real: each page's were made, in order, in a copy of
[examples/](../../examples).
"""

OPTIONS_BEGIN = "<!-- options: made by docs/generate.py -->\n"
OPTIONS_END = "<!-- end of options -->\n"


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
    """``docs/commands/README.md``: every command with a line."""
    rows = (f"| [{name}]({name}.md) | {_first_line(command)} |" for name, command in _commands())
    return "# Commands\n\n" + COMMANDS_HEAD.replace("{rows}", "\n".join(rows))


def command_page(name: str) -> str:
    """``docs/commands/NAME.md`` as it is, with its arguments and options as they are now."""
    before, begin, rest = _read(name).partition(OPTIONS_BEGIN)
    _, end, after = rest.partition(OPTIONS_END)
    assert begin, f"commands/{name}.md has no line {OPTIONS_BEGIN}"
    assert end, f"commands/{name}.md has no line {OPTIONS_END}"
    command = dict(_commands())[name]
    options = "\n".join(_options(f"insomnia-skills {name}", command))
    return f"{before}{begin}\n{options}\n{end}{after}"


def _read(name: str) -> str:
    return (DOCS / "commands" / f"{name}.md").read_text(encoding="utf-8")


def _commands() -> Iterator[tuple[str, Any]]:
    application = get_command(make_app())
    assert isinstance(application, TyperGroup)
    return ((name, application.commands[name]) for name in COMMANDS)


def _first_line(command: Any) -> str:
    return (command.help or "").partition("\n")[0]


def _options(title: str, command: Any) -> Iterator[str]:
    """The table of a command's parameters; for a group, of each command in it."""
    if isinstance(command, TyperGroup):
        for name, below in command.commands.items():
            yield from (f"## {title} {name}", "", below.help or "", "")
            yield from _options(f"{title} {name}", below)
        return
    yield from ("| argument or option | |", "|---|---|")
    for parameter in command.params:
        yield f"| {_names(parameter)} | {parameter.help} |"
    yield ""


def _names(parameter: Any) -> str:
    """A parameter as it is typed: ``--format auto|json``, ``/SLUG``."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    value = parameter.metavar or ""
    if isinstance(parameter.default, Enum):
        value = "\\|".join(parameter.default.__class__)
    return ", ".join(f"`{name}`" for name in parameter.opts) + (f" {value}" if value else "")


PAGES: dict[str, Callable[[], str]] = {
    "rules.md": rules_page,
    "commands/README.md": commands_page,
    **{f"commands/{name}.md": partial(command_page, name) for name in COMMANDS},
}


def main() -> None:
    """Write all pages."""
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
