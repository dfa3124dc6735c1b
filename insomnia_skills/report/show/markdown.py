"""One Workflow as Markdown to paste into an issue or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable

from insomnia_skills.invocation.mapping import Mapped
from insomnia_skills.invocation.preview import Preview
from insomnia_skills.report.show.fields import MARKS, plain_text, reach_label
from insomnia_skills.report.text import (
    markdown_row,
    markdown_text,
    one_line,
    path_text,
    safe,
    size_label,
)

_BACKTICKS = re.compile(r"`+")


def show_markdown(preview: Preview, fields: Iterable[tuple[str, str]]) -> str:
    """The fields as a table, the resources as another, and the body as code, which nobody runs."""
    record = preview.record
    text = f"## {_title(preview)}\n\n{_cell(record.description)}\n\n"
    text += _table(("field", "value"), ((field, _cell(value)) for field, value in fields))
    if preview.resources:
        rows = (
            (
                markdown_text(path_text(reach.resource.path)),
                reach.resource.kind,
                size_label(reach.resource.size),
                _cell(reach_label(reach)),
            )
            for reach in preview.resources
        )
        text += f"\n### Resources\n\n{_table(('path', 'kind', 'size', 'notes'), rows)}"
    return f"{text}\n### Body\n\n{_code(safe(preview.body))}"


def mapping_markdown(preview: Preview, mapped: Iterable[Mapped]) -> str:
    """The mapping as a table."""
    rows = (
        (
            _cell(row.field),
            row.fate.value,
            _cell(plain_text(row.value)),
            _cell(row.becomes),
            _cell(row.consequence),
        )
        for row in mapped
    )
    heads = ("field", "fate", "value", "becomes", "consequence")
    return f"## What becomes of {_title(preview)}\n\n{_table(heads, rows)}"


def _title(preview: Preview) -> str:
    return f"/{_cell(preview.record.slug)}{MARKS[preview.outcome]}"


def _cell(text: str) -> str:
    return markdown_text(one_line(text))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = tuple(heads)
    return "".join(map(markdown_row, (heads, ("---" for _ in heads), *rows)))


def _code(text: str) -> str:
    """The text between fences that it cannot close."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}markdown\n{text.removesuffix(chr(10))}\n{fence}\n"
