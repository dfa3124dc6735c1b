"""All that is to be said of a skill's description and body as texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from insomnia_skills.diagnostic import Finding
from insomnia_skills.markup import Markup
from insomnia_skills.rules.body import body_unchecked, frontmatter_twice
from insomnia_skills.rules.paths import check_paths
from insomnia_skills.rules.placeholders import (
    client_placeholders,
    left_in_body,
    left_in_description,
    left_in_name,
)
from insomnia_skills.rules.references import Alone, Exists, missing_references
from insomnia_skills.rules.wording import description_without_when, description_xml_tags
from insomnia_skills.yaml.node import Entry, Scalar


def check_prose(
    fields: Mapping[str, Entry], markup: Markup, exists: Exists, alone: Alone
) -> Iterator[Finding]:
    """What the rules on wording, references, paths and placeholders find, which is never an error.

    ``exists`` and ``alone`` are as `missing_references` takes them. Of a body that
    is too large to parse in a blink it is only said that it is.
    """
    slug = ""
    if (name := fields.get("name")) and isinstance(name.value, Scalar) and name.value.is_text:
        slug = name.value.value
        yield from left_in_name(name.value, exists)
    entry = fields.get("description")
    description = ""
    if entry and isinstance(entry.value, Scalar) and entry.value.is_text:
        description = entry.value.value
        yield from _check_description(entry.value, markup.text)
    if twice := frontmatter_twice(markup.text, markup.start):
        yield twice
    if markup.is_large:
        yield body_unchecked(markup)
        return
    yield from missing_references(markup, exists, alone, slug, description)
    yield from check_paths(markup, exists, slug)
    yield from left_in_body(markup, description)
    yield from client_placeholders(markup, fields, description)
    yield from (body_unchecked(markup, what) for what in markup.reached)


def _check_description(description: Scalar, text: str) -> Iterator[Finding]:
    if description.is_refused or not description.value.strip():
        return
    left = list(left_in_description(description, text))
    yield from left
    if not left:
        tags = description_xml_tags(description, text)
        when = description_without_when(description)
        yield from filter(None, (tags, when))
