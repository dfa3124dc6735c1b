"""Write what is made from code: ``python docs/generate.py``.

`rules.md`, `limits.md`, `clients.md` and `commands/README.md` as a whole, and in each page of
`commands/` the part on arguments and options. The runs shown there are written by
``UPDATE_SNAPSHOTS=1 pytest tests/test_docs.py``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from typer.core import TyperGroup
from typer.main import get_command

import insomnia_skills
from insomnia_skills import limits
from insomnia_skills.cli.app import COMMANDS, make_app
from insomnia_skills.clients.data import (
    CHECKED_CLIENTS,
    UNCHECKED_CLIENTS,
    VARIABLES,
    Client,
    Place,
)
from insomnia_skills.report.rules.text import example_text, fenced, fix_label, prose
from insomnia_skills.rule import Rule
from insomnia_skills.rules.catalogue import THEMES, rules_of

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

LIMITS_HEAD = """\
# Limits

Made from the code by `python docs/generate.py`; edit `insomnia_skills/limits.py` instead.

Skills come from anywhere, so whatever is read has a bound: one file can't take the memory or the
time of a whole run. What the largest known files have is from 106,186 real ones. What the
specification says of lengths (`name`, `description`, `compatibility`, the body) is no limit of this
kind; [rules.md](rules.md) has it.

A pipe, a device or a socket where a file should be is reported, not read.
"""

CLIENTS_HEAD = """\
# Clients

Made from the data by `python docs/generate.py`; edit `insomnia_skills/clients/data.py` instead.

Where other clients of Agent Skills look for skills, as of 2026-11. insomnia itself reads none of
these unless a manifest names it: [sources discover](commands/sources.md) finds those that are
there and can add them. The **id** is what its `--client` takes.

Project directories are relative to the project; `↑` says that the same path is read in the
directories above too. *Wins* is what the client does with two skills of one name in different
directories. A variable that is not set stands for a path:
{variables}.
"""

CHECKED_HEAD = """\
## Checked

Read in each client's own sources.
"""

UNCHECKED_HEAD = """\
## Not checked

From a public installer's table, which nobody compared with the clients. Of those above it names
no other directories.
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
away, **143** told to end (SIGTERM) while it wrote: each file is the old or the new one.

Commands, slugs, rules and paths complete in bash, zsh and fish: [completion](../completion.md).

Results go to stdout, everything else to stderr. On a terminal results are tables, piped they are
one record a line, tab-separated, with nothing cut; `--format json` has everything, by the schemas
in [schemas/](../../schemas).

The runs on these pages are real: each page's were made, in order, in a copy of
[examples/](../../examples).
"""

LIBRARY_HEAD = """\
Made from the code by `python docs/generate.py`.

`import insomnia_skills` has all that the command line answers with: `pip install .` into an
environment of yours. Everything is typed, records are immutable, nothing prints, and what is wrong
in a file that is read is a record too, not an exception. `help(insomnia_skills.ingest)` tells more
than the sentences here. Names are imported when they are first asked for.

## Many skills

A `Reader` reads them with a cache and with other processes. What comes of it is the same without
one. The library keeps nothing unless it is given a `Cache`, and begins no process unless `jobs`
says so: None stands for as many as pay off.

```python
from pathlib import Path

from insomnia_skills import Cache, Reader, judge_paths

if __name__ == "__main__":  # where it is missing, other processes would run this too
    cache = Cache(Path.home() / ".cache/skills.sqlite")
    with Reader(cache, jobs=None) as reader:
        for file in judge_paths("skills", reader=reader):
            for found in file.diagnostics:
                print(f"{file.file}:{found.line}: {found.rule}")
```

`judge_paths` gives one file after the other and keeps none; `check_paths` takes the same and gives
all of them at once. `ingest(reader=lambda: reader)` reads a workspace so. Give each run a new
reader: one remembers what it saw around the skills.
"""

LIBRARY_DATA = {
    "CATALOGUE": ("rules.catalogue", "Every rule by its name."),
    "CLIENTS": ("clients", "Other clients of Agent Skills, with the directories they read."),
}
"""Module and summary of data, which knows neither."""

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


def limits_page() -> str:
    """``docs/limits.md``: every bound on input, by the headings of `insomnia_skills.limits`."""
    lines = LIMITS_HEAD.splitlines()
    for heading, below in limits_by_heading().items():
        lines += [
            "",
            f"## {heading}",
            "",
            "| limit | of what | why | beyond it |",
            "|---|---|---|---|",
        ]
        lines += (
            f"| {_amount(limit.value, limit.what)} | {limit.what} | {limit.why} | {limit.beyond} |"
            for limit in below
        )
    return "\n".join(lines) + "\n"


class Limit(NamedTuple):
    """A limit as its documentation has it; ``what`` begins with the unit."""

    name: str
    value: int
    what: str
    why: str
    beyond: str


def limits_by_heading() -> dict[str, list[Limit]]:
    """Every limit, in the order of the text: a comment is a heading, what follows is its own."""
    text = inspect.getsource(limits)
    found: dict[str, list[Limit]] = {}
    heading, value = "", r"\n([A-Z_]+) = .+\n\"{3}(.+)\n\n((?:.|\n)+?)\nBeyond: ((?:.|\n)+?)\"{3}\n"
    for match in re.finditer(rf"\n# (.+)\n|{value}", text):
        heading = match[1] or heading
        if not match[1]:
            name, *words = match.groups()[1:]
            texts = (" ".join(word.split()) for word in words)
            found.setdefault(heading, []).append(Limit(name, getattr(limits, name), *texts))
    return found


def _amount(value: int, what: str) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if what.startswith("Bytes ") and not value % size:
            return f"{value // size:,} {unit}"
    return f"{value:,}"


def clients_page() -> str:
    """``docs/clients.md``: every client with its directories, checked apart from unchecked."""
    variables = ", ".join(f"`${name}` is `{value}`" for name, value in VARIABLES.items())
    tables = (
        part
        for head, clients in ((CHECKED_HEAD, CHECKED_CLIENTS), (UNCHECKED_HEAD, UNCHECKED_CLIENTS))
        for part in (head, _client_table(clients))
    )
    return "\n".join((CLIENTS_HEAD.replace("{variables}", variables), *tables))


def _client_table(clients: Iterable[Client]) -> str:
    rows = ["| client | id | project | user | wins |", "|---|---|---|---|---|"]
    for client in clients:
        user = [*map(_place, client.user), *(f"all users: {_place(p)}" for p in client.admin)]
        project = map(_place, client.project)
        cells = (client.name, f"`{client.id}`", _lines(project), _lines(user), client.wins)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _lines(items: Iterable[str]) -> str:
    return "<br>".join(items) or "it varies"


def _place(place: Place) -> str:
    up = f" ↑ {place.ancestors}" if place.ancestors else ""
    return f"`{place.path}`{up}" + (f" {place.only}" if place.only else "")


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
    if command.params:
        yield from ("| argument or option | |", "|---|---|")
    for parameter in command.params:
        yield f"| {_names(parameter)} | {parameter.help} |"
    if command.params:
        yield ""


def _names(parameter: Any) -> str:
    """A parameter as it is typed: ``--format auto|json``, ``/SLUG``."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    value = (parameter.metavar or "").replace("|", "\\|")
    if isinstance(parameter.default, Enum):
        value = "\\|".join(parameter.default.__class__)
    return ", ".join(f"`{name}`" for name in parameter.opts) + (f" {value}" if value else "")


def library_page() -> str:
    """``docs/library.md``: every public name by its module, with what it is."""
    lines = ["# The library", "", *LIBRARY_HEAD.splitlines()]
    modules: dict[str, list[str]] = {}
    for name in insomnia_skills.__all__:
        module = LIBRARY_DATA[name][0] if name in LIBRARY_DATA else _module(name)
        modules.setdefault(module, []).append(name)
    for module, names in sorted(modules.items()):
        documentation = import_module(f"insomnia_skills.{module}").__doc__ or ""
        lines += ["", f"## {module}", "", prose(documentation.partition("\n")[0]), ""]
        lines += ["| | |", "|---|---|"]
        lines += (f"| `{name}{_signature(name)}` | {_summary(name)} |" for name in names)
    return "\n".join(lines) + "\n"


def _signature(name: str) -> str:
    """A function's parameters, without their types."""
    public = getattr(insomnia_skills, name)
    if not inspect.isfunction(public):
        return ""
    parameters = inspect.signature(public).parameters.values()
    bare = str(inspect.Signature([_bare(parameter) for parameter in parameters]))
    return bare.replace("=Ellipsis", "=...")


def _bare(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter without its type, and with ``...`` for a default that nobody would type."""
    bare = parameter.replace(annotation=inspect.Parameter.empty)
    is_plain = isinstance(bare.default, str | int | tuple | type(None))
    return bare if is_plain or bare.default is bare.empty else bare.replace(default=...)


def _summary(name: str) -> str:
    """The first paragraph of a public name's docstring on one line."""
    if name in LIBRARY_DATA:
        return LIBRARY_DATA[name][1]
    paragraph = (inspect.getdoc(getattr(insomnia_skills, name)) or "").partition("\n\n")[0]
    return prose(" ".join(paragraph.split())).replace("|", "\\|")


def _module(name: str) -> str:
    module: str = getattr(insomnia_skills, name).__module__
    return module.removeprefix("insomnia_skills.")


PAGES: dict[str, Callable[[], str]] = {
    "rules.md": rules_page,
    "limits.md": limits_page,
    "clients.md": clients_page,
    "library.md": library_page,
    "commands/README.md": commands_page,
    **{f"commands/{name}.md": partial(command_page, name) for name in COMMANDS},
}


def main() -> None:
    """Write all pages."""
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
