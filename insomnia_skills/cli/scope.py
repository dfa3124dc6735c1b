"""``insomnia-skills scope``: the read rules that ingested skills add to a Pod's Scope."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from insomnia_skills.cli.common import (
    Settings,
    finish,
    is_terminal,
    say,
    tell,
    with_settings,
    write,
    write_json,
)


class ScopeFormat(StrEnum):
    """How read rules are written; ``auto`` is a table on a terminal, else one rule a line."""

    AUTO = "auto"
    TABLE = "table"
    PLAIN = "plain"
    TOML = "toml"
    JSON = "json"


@with_settings
def command(
    settings: Settings,
    format: Annotated[
        ScopeFormat,
        typer.Option("--format", help="toml: as insomnia's manifest writes it."),
    ] = ScopeFormat.AUTO,
) -> None:
    """Show the read rules that the ingested skills add to a Pod's Scope."""
    from insomnia_skills.report.text import PathNames
    from insomnia_skills.scope import scope_rules

    result = settings.ingest()
    rules = scope_rules(result.workflows)
    name = PathNames()
    if format is ScopeFormat.JSON:
        from insomnia_skills.report.scope.json import scope_document

        write_json(scope_document(rules))
    elif format is ScopeFormat.TOML:
        from insomnia_skills.report.scope.toml import scope_toml

        text, left_out = scope_toml(rules)
        write([text])
        for rule in left_out:
            say(f"left out, TOML can't write a path that is not UTF-8: {rule.target}")
    elif format is ScopeFormat.TABLE or (format is ScopeFormat.AUTO and is_terminal()):
        from insomnia_skills.report.scope.table import scope_table

        if rules:
            scope_table(rules, name, settings.console())
    else:
        from insomnia_skills.report.scope.plain import scope_records

        write(scope_records(rules))
    if not rules and not settings.quiet:
        say("No skill is ingested, so a Pod's Scope gains no read rule. Why: insomnia-skills list")
    tell(result, settings, errors_only=format is ScopeFormat.JSON)
    finish(result)
