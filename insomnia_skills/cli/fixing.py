"""What ``--fix``, ``--unsafe-fixes`` and ``--diff`` do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from insomnia_skills.cli.common import Settings, is_terminal, say, write_bytes
from insomnia_skills.fingerprint import path_from
from insomnia_skills.report.text import PathNames, plural, safe

if TYPE_CHECKING:
    from insomnia_skills.check import Check
    from insomnia_skills.choice import Choice
    from insomnia_skills.diagnostic import Diagnostic
    from insomnia_skills.edit.fixes import Change, Refusal


def plan_changes(check: Check, choice: Choice, unsafe: bool) -> list[Change]:
    """The changes that fix what can be fixed; says which files can't be changed, and why."""
    from insomnia_skills.edit.fixes import Change, plan_fixes

    changes = []
    for file in check.files:
        planned = plan_fixes(file, unsafe, choice.file)
        if isinstance(planned, Change):
            changes.append(planned)
        elif planned is not None:
            _say_refused(planned)
    return changes


def apply_changes(changes: list[Change]) -> tuple[tuple[Diagnostic, ...], dict[Path, Path]]:
    """Write the changes; the findings that are gone, and the new names of files by the old ones.

    Says which files could not be written.
    """
    from insomnia_skills.edit.fixes import apply_change

    fixed: list[Diagnostic] = []
    renamed: dict[Path, Path] = {}
    for change in changes:
        refusal = apply_change(change)
        if refusal is None:
            fixed += change.fixed
            if change.rename:
                renamed[change.path] = change.rename
        else:
            _say_refused(refusal)
    return tuple(fixed), renamed


def show_changes(changes: list[Change], unsafe: bool, settings: Settings) -> None:
    """Write the changes as a unified diff that ``git apply`` and ``patch -p1`` take from here."""
    from insomnia_skills.edit.fixes import diff

    text = "".join(diff(change, path_from(change.path, Path.cwd())) for change in changes)
    if is_terminal():
        from rich.text import Text

        console = settings.console()
        for line in safe(text).splitlines():
            console.print(Text(line, _STYLES.get(line[:1], "")), soft_wrap=True)
        sys.stdout.flush()
    else:
        write_bytes(text.encode("utf-8", "surrogateescape"))
    if not settings.quiet:
        count = sum(len(change.fixed) for change in changes)
        what = f"{plural(count, 'finding')} in {plural(len(changes), 'file')}"
        option = "--unsafe-fixes" if unsafe else "--fix"
        say(f"{option} would fix {what}" if changes else f"{option} has nothing to fix")


_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def _say_refused(refusal: Refusal) -> None:
    say(f"note: {PathNames()(refusal.path)}: {refusal.reason}")
