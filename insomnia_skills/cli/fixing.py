"""What ``--fix``, ``--unsafe-fixes`` and ``--diff`` do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.cli.common import Settings, ending_in_order, is_terminal, say, write_bytes
from insomnia_skills.diagnostic import Severity
from insomnia_skills.file import is_junction
from insomnia_skills.report.text import PathNames, plural
from insomnia_skills.scan import Tick, no_tick
from insomnia_skills.workspace import absolute_path, find_repository, real_path

if TYPE_CHECKING:
    from insomnia_skills.checking.check import Check, CheckedFile
    from insomnia_skills.checking.choice import Choice
    from insomnia_skills.diagnostic import Diagnostic
    from insomnia_skills.edit.fixes import Change, Refusal
    from insomnia_skills.report.check import Results


class Applied(NamedTuple):
    """What came of writing changes.

    ``fixed`` are the findings that are gone, ``renamed`` the new names of files by the old ones.
    ``refused`` says whether a change could not be written.
    """

    fixed: tuple[Diagnostic, ...]
    renamed: dict[Path, Path]
    refused: bool


def plan_changes(
    check: Check, choice: Choice, unsafe: bool, named: Iterable[Path] = (), tick: Tick = no_tick
) -> list[Change]:
    """The changes that fix what can be fixed; says which files can't be changed, and why.

    ``named`` are the paths that were asked for, where the workspace was not. ``tick`` is called for
    each file.
    """
    from insomnia_skills.edit.fixes import Change, Refusal, plan_fixes

    places = [absolute_path(path) for path in named] or [check.workspace or Path.cwd()]
    changes = []
    for file in _each_once(check.files):
        tick()
        planned = plan_fixes(file, unsafe, choice.file)
        if isinstance(planned, Change) and _is_elsewhere(file.path, places):
            real = PathNames()(Path(real_path(file.path)))
            planned = Refusal(file.path, f"not changed, since it really is {real}, name that")
        if isinstance(planned, Change):
            changes.append(planned)
        elif planned is not None:
            _say_refused(planned)
    return changes


def _each_once(files: Iterable[CheckedFile]) -> Iterable[CheckedFile]:
    """The files, each real one once: reached through no link to another name, if one is so."""
    from insomnia_skills.edit.fixes import has_own_name

    found: dict[str, CheckedFile] = {}
    for file in sorted(files, key=lambda file: not has_own_name(file.path)):
        found.setdefault(real_path(file.path), file)
    return found.values()


def _is_elsewhere(path: Path, places: Iterable[Path]) -> bool:
    """Whether links to directories lead from what was asked for, and its repository, to a file."""
    link = next((d for d in path.parents if os.path.islink(d) or is_junction(d)), None)
    if link is None:
        return False
    inside = [*places, *map(find_repository, (link.parent, *places))]
    real = Path(real_path(path))
    return not any(place and real.is_relative_to(real_path(place)) for place in inside)


def apply_changes(changes: list[Change], tick: Tick = no_tick) -> Applied:
    """Write the changes; says which files could not be written. ``tick`` is called for each."""
    from insomnia_skills.edit.fixes import apply_change

    fixed: list[Diagnostic] = []
    renamed: dict[Path, Path] = {}
    refused = False
    with ending_in_order():
        for change in changes:
            tick()
            refusal = apply_change(change)
            if refusal is None:
                fixed += change.fixed
                if change.rename:
                    renamed[change.path] = change.rename
            else:
                refused = True
                _say_refused(refusal)
    return Applied(tuple(fixed), renamed, refused)


def show_changes(changes: list[Change], unsafe: bool, settings: Settings) -> None:
    """Write the changes as a unified diff, as ``git diff`` has it.

    Its paths count from the top of the repository, or where there is none, from here; from the root
    where one of them lies outside of that.
    """
    here = Path(real_path(os.curdir))
    top = find_repository(here) or here
    reals = [Path(real_path(change.path)) for change in changes]
    is_outside = not all(real.is_relative_to(top) for real in reals)
    top = Path(top.anchor) if is_outside else top
    text = "".join(_diff(change, top) for change in changes)
    if is_terminal():
        from insomnia_skills.report.diff import print_diff

        print_diff(text, settings.console())
        sys.stdout.flush()
    else:
        write_bytes(text.encode("utf-8", "surrogateescape"))
    if is_outside:
        say(f"note: not all of this lies here, so its paths count from {top}: patch -p1 -d {top}")
    if not settings.quiet:
        count = sum(len(change.fixed) for change in changes)
        what = f"{plural(count, 'finding')} in {plural(len(changes), 'file')}"
        option = "--unsafe-fixes" if unsafe else "--fix"
        say(f"{option} would fix {what}" if changes else f"{option} has nothing to fix")


def say_left(results: Results, changes: list[Change], unsafe: bool) -> None:
    """Say how much would fail still with the changes, and how much of it has an unsafe fix."""
    check = results.check
    after = {change.path: change.file for change in changes}
    known = {(d.path, d.rule, d.message) for d in check.known}
    left = [*check.others]
    for file in check.files:
        if file.path in after:
            found = after[file.path].diagnostics
            left += (d for d in found if (file.path, d.rule, d.message) not in known)
        else:
            left += file.diagnostics
    fails = (Severity.ERROR, Severity.WARNING) if results.strict else (Severity.ERROR,)
    left = [d for d in left if d.severity in fails]
    if not left or results.quiet:
        return
    counts = ((sum(d.severity is severity for d in left), severity) for severity in fails)
    what = " and ".join(plural(count, severity.value) for count, severity in counts if count)
    mended = 0 if unsafe else sum(d.fix is not None and not d.fix.safe for d in left)
    also = f"; --unsafe-fixes would fix {mended:,}" if mended else " without a fix"
    say(f"{'--unsafe-fixes' if unsafe else '--fix'} leaves {what}{also}")


def _diff(change: Change, top: Path) -> str:
    """A change as a diff of the files that it really touches."""
    from insomnia_skills.checking.fingerprint import path_from
    from insomnia_skills.edit.fixes import diff

    parent, real = real_path(change.path.parent), real_path(change.path)
    name = path_from(Path(parent, change.path.name), top)
    if not os.path.islink(change.path) or change.after == change.before:
        return diff(change, name)
    text = diff(replace(change, rename=None), path_from(Path(real), top))
    if change.rename:
        text += diff(replace(change, after=change.before), name)
    return text


def _say_refused(refusal: Refusal) -> None:
    say(f"note: {PathNames()(refusal.path)}: {refusal.reason}")
