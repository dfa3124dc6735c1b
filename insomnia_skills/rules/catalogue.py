"""Every rule by name: made from the rules where they stand, never written a second time."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from insomnia_skills import (
    file,
    frontmatter,
    manifest,
    native,
    registry,
    resources,
    scan,
    sources,
)
from insomnia_skills.rule import Rule
from insomnia_skills.rules import (
    body,
    characters,
    description,
    ignores,
    name,
    optional,
    paths,
    placeholders,
    references,
    wording,
)
from insomnia_skills.yaml import events, syntax

THEMES = {
    "File": (file, scan),
    "Frontmatter": (frontmatter, syntax, events),
    "Fields": (name, description, optional),
    "Body and resources": (
        *(body, wording, references, paths, placeholders, characters, resources),
    ),
    "Native Workflows": (native,),
    "Manifest and skills roots": (manifest, sources),
    "Resolution": (registry,),
    "Comments that silence rules": (ignores,),
}
"""The modules that hold rules, by theme, in the order of the documentation."""


def rules_of(*modules: ModuleType) -> tuple[Rule[..., Any], ...]:
    """The rules that modules define, in the order of their text."""
    return tuple(
        rule
        for module in modules
        for rule in vars(module).values()
        if isinstance(rule, Rule) and rule.module == module.__name__
    )


CATALOGUE: Mapping[str, Rule[..., Any]] = {
    rule.name: rule for modules in THEMES.values() for rule in rules_of(*modules)
}
"""Every rule by its name."""


def theme_of(rule: Rule[..., Any]) -> str:
    """The theme that a rule belongs to."""
    return next(
        theme
        for theme, modules in THEMES.items()
        if rule.module in {module.__name__ for module in modules}
    )
