"""Read rules as insomnia's manifest writes them."""

from __future__ import annotations

from collections.abc import Iterable

import tomlkit

from insomnia_skills.scope import ReadRule


def scope_toml(rules: Iterable[ReadRule]) -> str:
    """``[[scope.allow]]`` tables, one a rule (decision: scope)."""
    allow = tomlkit.aot()
    for rule in rules:
        table = tomlkit.table()
        table.add("target", str(rule.target))
        table.add("permission", rule.permission)
        table.add("recursive", rule.recursive)
        allow.append(table)
    document = tomlkit.document()
    document.add("scope", tomlkit.table(is_super_table=True).add("allow", allow))
    return tomlkit.dumps(document).rstrip("\n")
