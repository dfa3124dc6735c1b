"""The read rules, what leads out of them, and answers to ``--check``, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.draw import draw, heading, slug_text
from insomnia_skills.report.labels import Labels
from insomnia_skills.report.scope.words import reason_text, slugs_text, target_text
from insomnia_skills.report.text import PathNames, path_text
from insomnia_skills.scope import Escape, PathCheck, ReadRule


def scope_table(
    rules: Iterable[ReadRule], escapes: Sequence[Escape], name: PathNames, console: Console
) -> None:
    """The read rules: what may be read, on whose behalf; then the links that they don't cover."""
    rows = [
        (
            Text(slugs_text(rule), "bold"),
            Text(rule.permission),
            Text(target_text(rule, name)),
        )
        for rule in rules
    ]
    draw(console, ("workflow", "permission", "target"), rows, flexible=2, fold=True)
    if escapes:
        heading(console, "Not readable: links that lead to where no rule reaches")
        draw(
            console,
            ("workflow", "link", "leads to"),
            [
                (slug_text(escape.slug), Text(name(escape.path)), Text(name(escape.target)))
                for escape in escapes
            ],
            flexible=2,
            fold=True,
        )


def check_table(
    given: Iterable[str],
    checks: Iterable[PathCheck],
    result: Ingest,
    labels: Labels,
    console: Console,
) -> None:
    """Which paths are readable, and why or why not; ``given`` are the paths as they were typed."""
    rows, stacks = [], []
    for path, check in zip(given, checks, strict=True):
        answer = Text("readable", "green") if check.rule else Text("not readable", "red")
        typed, reason = Text(path_text(path)), Text(reason_text(check, result, labels))
        rows.append((answer, typed, reason))
        stacks.append((Text.assemble(answer, "  ", typed), reason))
    headings = ("answer", "path", "because")
    draw(console, headings, rows, flexible=2, fold=True, stacks=stacks)
