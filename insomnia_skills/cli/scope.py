"""``insomnia-skills scope``: the read rules that ingested skills add to a Pod's Scope."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import (
    Exit,
    Settings,
    fail,
    finish,
    is_terminal,
    say,
    tell,
    with_settings,
    write,
    write_json,
)
from insomnia_skills.cli.completing import complete_file
from insomnia_skills.report.text import path_word

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest

_STDIN = "-"


class ScopeFormat(StrEnum):
    """How read rules are written; ``auto`` is a table on a terminal, else one rule a line."""

    AUTO = "auto"
    TABLE = "table"
    PLAIN = "plain"
    TOML = "toml"
    JSON = "json"

    def is_table(self) -> bool:
        return self is ScopeFormat.TABLE or (self is ScopeFormat.AUTO and is_terminal())


@with_settings
def command(
    settings: Settings,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="With --check: the paths to ask about; - reads them from stdin, one a line.",
            autocompletion=complete_file,
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Say of each PATH whether it is readable; exit 1 if one isn't."
        ),
    ] = False,
    format: Annotated[
        ScopeFormat,
        typer.Option("--format", help="toml: as insomnia's manifest writes it."),
    ] = ScopeFormat.AUTO,
) -> None:
    """Show the read rules that the ingested skills add to a Pod's Scope."""
    asked = _read_paths(paths or (), check, format)
    result = settings.ingest()
    all_readable = True
    if check:
        all_readable = _answer(asked, result, settings, format)
    else:
        _show(result, settings, format)
    tell(result, settings, errors_only=format is ScopeFormat.JSON)
    finish(result)
    if not all_readable:
        raise typer.Exit(Exit.NO)


def _read_paths(given: list[str] | tuple[str, ...], check: bool, format: ScopeFormat) -> list[str]:
    """The paths that are asked about; ends with 2 where that is no question."""
    if not check:
        if given:
            asked = " ".join(path_word(path) for path in given)
            fail("paths are what --check asks about", f"insomnia-skills scope --check {asked}")
        return []
    if format is ScopeFormat.TOML:
        fail("--format toml writes rules; --check has answers", "take plain or json")
    paths = [path for word in given for path in (_lines_of_stdin() if word == _STDIN else [word])]
    if not paths:
        fail("--check: no path to ask about", "insomnia-skills scope --check PATH")
    if "" in paths:
        fail("--check: a path is empty", "the directory where the command runs is .")
    return paths


def _lines_of_stdin() -> list[str]:
    if sys.stdin is None:  # Python has no stream for a descriptor that was closed
        fail("stdin is closed")
    return [os.fsdecode(line) for line in sys.stdin.buffer.read().split(b"\n") if line]


def _answer(paths: list[str], result: Ingest, settings: Settings, format: ScopeFormat) -> bool:
    """Write which of the paths are readable; whether all are."""
    from insomnia_skills.scope import check_readable

    checks = check_readable(paths, result)
    if format is ScopeFormat.JSON:
        from insomnia_skills.report.scope.json import check_document

        write_json(check_document(result, checks))
    elif format.is_table():
        from insomnia_skills.report.labels import Labels
        from insomnia_skills.report.scope.table import check_table

        check_table(paths, checks, result, Labels(result), settings.console())
    else:
        from insomnia_skills.report.scope.plain import check_records

        write(check_records(checks))
    return all(check.rule is not None for check in checks)


def _show(result: Ingest, settings: Settings, format: ScopeFormat) -> None:
    """Write the rules, and what leads out of them."""
    from insomnia_skills.report.scope.words import escape_text
    from insomnia_skills.report.text import PathNames
    from insomnia_skills.scope import find_escapes, scope_rules

    rules = scope_rules(result.workflows)
    escapes = tuple(find_escapes(result.workflows, rules))
    name = PathNames()
    if format is ScopeFormat.JSON:
        from insomnia_skills.report.scope.json import scope_document

        write_json(scope_document(result, rules, escapes))
    elif format is ScopeFormat.TOML:
        from insomnia_skills.report.scope.toml import scope_toml

        text, left_out = scope_toml(rules)
        write([text] if text else ())
        for rule in left_out:
            say(f"left out, TOML can't write a path that is not UTF-8: {rule.target}")
    elif format.is_table():
        from insomnia_skills.report.scope.table import scope_table

        if rules:
            scope_table(rules, escapes, name, settings.console())
    else:
        from insomnia_skills.report.scope.plain import scope_records

        write(scope_records(rules))
    if settings.quiet:
        return
    if not rules:
        from insomnia_skills.report.commands import list_command

        why = list_command(result, name)
        say(f"No skill is ingested, so a Pod's Scope gains no read rule. Why: {why}")
    elif not format.is_table() and format is not ScopeFormat.JSON:
        for escape in escapes:
            say(escape_text(escape, name))
