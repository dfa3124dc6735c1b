"""``insomnia-skills explain``: what a rule finds, why, and how to put it right."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from insomnia_skills.cli.choosing import complete_rule
from insomnia_skills.cli.common import ColorOption, fail, well_ended, write_json
from insomnia_skills.report.screen import Color


class ExplainFormat(StrEnum):
    """How rules are explained."""

    TEXT = "text"
    JSON = "json"


@well_ended()
def command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RULE...",
            help="Rules by their names; `name-*` means all that begin so.",
            autocompletion=complete_rule,
        ),
    ],
    format: Annotated[
        ExplainFormat, typer.Option("--format", help="json: as `rules` writes it.")
    ] = ExplainFormat.TEXT,
    color: ColorOption = Color.AUTO,
) -> None:
    """Explain rules: what they find, why, and what is wrong and right in an example."""
    from insomnia_skills.checking.config import ConfigError, expand_rules
    from insomnia_skills.report.rules.json import rules_document
    from insomnia_skills.report.rules.text import explain
    from insomnia_skills.report.screen import make_console
    from insomnia_skills.rules.catalogue import CATALOGUE

    try:
        chosen = expand_rules(names)
    except ConfigError as error:
        fail(str(error), error.help)
    rules = [rule for rule in CATALOGUE.values() if rule.name in chosen]
    if format is ExplainFormat.JSON:
        write_json(rules_document(rules))
        return
    console = make_console(color)
    for number, rule in enumerate(rules):
        if number:
            console.print()
        explain(rule, console)
