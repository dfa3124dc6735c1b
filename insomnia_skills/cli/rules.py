"""``insomnia-skills rules``: every rule there is."""

from __future__ import annotations

from insomnia_skills.cli.common import (
    ColorOption,
    FormatOption,
    RecordFormat,
    well_ended,
    write,
    write_json,
)
from insomnia_skills.report.screen import Color


@well_ended()
def command(format: FormatOption = RecordFormat.AUTO, color: ColorOption = Color.AUTO) -> None:
    """List the rules: name, severity, fix, and what each finds."""
    from insomnia_skills.rules.catalogue import CATALOGUE

    rules = CATALOGUE.values()
    if format is RecordFormat.JSON:
        from insomnia_skills.report.rules.json import rules_document

        write_json(rules_document(rules))
    elif format.is_table():
        from insomnia_skills.report.rules.table import rules_table
        from insomnia_skills.report.screen import make_console

        rules_table(rules, make_console(color))
        write(["", "insomnia-skills explain RULE says why, with examples."])
    else:
        from insomnia_skills.report.rules.plain import rules_records

        write(rules_records(rules))
