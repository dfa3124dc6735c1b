"""Read rules as insomnia's manifest writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import tomlkit

from insomnia_skills.report.text import HARMFUL
from insomnia_skills.scope import ReadRule


def scope_toml(rules: Iterable[ReadRule]) -> tuple[str, list[ReadRule]]:
    """``[[scope.allow]]`` tables, one a rule (decision: scope), and the rules left out.

    TOML is UTF-8, so it has no way to write a path that is not. Without a rule there is nothing to
    paste, so the text is empty.
    """
    allow, left_out = tomlkit.aot(), []
    for rule in rules:
        if not _is_utf8(str(rule.target)):
            left_out.append(rule)
            continue
        table = tomlkit.table()
        table.add("target", str(rule.target))
        table.add("permission", rule.permission)
        table.add("recursive", rule.recursive)
        allow.append(table)
    if not allow:
        return "", left_out
    document = tomlkit.document()
    document.add("scope", tomlkit.table(is_super_table=True).add("allow", allow))
    return HARMFUL.sub(_escaped, tomlkit.dumps(document).rstrip("\n")), left_out


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escaped(match: re.Match[str]) -> str:
    """A character in a basic string, as TOML's own escape."""
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
