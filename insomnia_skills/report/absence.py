"""Why nothing is called by a slug, and what to do, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.commands import add_command, resolve_command
from insomnia_skills.report.objects import diagnostic_object
from insomnia_skills.report.text import one_line, path_text, path_word
from insomnia_skills.resolution.absence import Absence, AbsenceKind
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workflow import WORKFLOW_SUFFIX

Name = Callable[[Path], str]


_LIST_SAYS = "insomnia-skills list says what there is, sources discover where more may lie"


class Explanation(NamedTuple):
    """What was found, and the next step."""

    message: str
    help: str


def explain(absence: Absence, asked: str, result: Ingest, name: Name) -> Explanation:
    """One absence in words; ``name`` says how paths are written."""
    path, error = absence.path, absence.error
    kind, slug = absence.kind, one_line(absence.slug)
    # A SKILL.md stands for its directory; a native Workflow and a broken link have none.
    in_directory = path.name.lower() == SKILL_FILE.lower() and path.parent.name == absence.slug
    place = path.parent if in_directory else path
    if kind is AbsenceKind.SKIPPED and error:
        is_native = path.suffix == WORKFLOW_SUFFIX and not in_directory
        state = "is broken, so no Pod starts" if is_native else "is skipped"
        return Explanation(f"{name(path)} {state}: {_fault(error)}", mend_help(error, place, name))
    broken = f", and it is broken: {_fault(error)}" if error else ""
    if kind is AbsenceKind.LEFT_OUT:
        return Explanation(
            f"{name(place)} is there, but --no-user leaves it out{broken}", "leave --no-user out"
        )
    if kind is AbsenceKind.UNEXPANDED_ROOT and absence.root and absence.named:
        manifest, entry = absence.named
        return Explanation(
            f"{name(place)} is there, but insomnia does not expand "
            f'"{one_line(entry.value)}" at {name(manifest)}:{entry.line}{broken}',
            f'write "{path_text(absence.root)}" there',
        )
    if kind is AbsenceKind.UNNAMED_ROOT and absence.root:
        root = absence.root
        return Explanation(
            f"{name(place)} is there, but no manifest names {name(root)}{broken}",
            add_command(root, result, name, absence.user),
        )
    if kind is AbsenceKind.NESTED and absence.root:
        command = add_command(absence.root, result, name, absence.user)
        return Explanation(
            f"{name(place)} lies too deep: only a root's direct children are skills",
            f"{command}, or move it up",
        )
    if kind is AbsenceKind.NO_SKILL_FILE:
        return Explanation(f"{name(place)} is there, but has no SKILL.md", f"write {name(path)}")
    if kind is AbsenceKind.OTHER_DIRECTORY:
        asked = one_line(asked)
        return Explanation(
            f"{name(place)} has the name {asked}, but the directory's name must be the same",
            f"rename the directory to {asked}",
        )
    if kind is AbsenceKind.WRONG_CASE:
        if error is None:
            return Explanation(
                f"/{slug} is there, but case counts", resolve_command(absence.slug, result, name)
            )
        lower = one_line(asked).lower()
        return Explanation(f"{name(place)} is there, but case counts", f"rename it to {lower}")
    return Explanation(f"/{slug} is like it", resolve_command(absence.slug, result, name))


def absence_lines(
    absences: Sequence[Absence], asked: str, result: Ingest, name: Name
) -> Iterator[str]:
    """That nothing is called so, and each reason with its next step; near slugs come last."""
    first = f"No workflow is called /{one_line(asked)}."
    near = nearest(absences)
    reasons = [absence for absence in absences if absence.kind is not AbsenceKind.NEAR]
    if not reasons:
        yield f"{first} {near}" if near else first
        if not near:
            yield f"  help: {_LIST_SAYS}"
        return
    yield first
    for absence in reasons:
        message, help_ = explain(absence, asked, result, name)
        yield f"{message}."
        yield f"  help: {help_}"
    if near:
        yield near


def nearest(absences: Sequence[Absence]) -> str:
    """Slugs that are like the one asked for; empty if there are none."""
    near = [f"/{one_line(a.slug)}" for a in absences if a.kind is AbsenceKind.NEAR]
    return f"Nearest: {', '.join(near)}" if near else ""


def absence_objects(
    absences: Sequence[Absence], asked: str, result: Ingest
) -> list[dict[str, Any]]:
    """Absences as JSON objects; paths in their words are absolute."""
    return [
        {
            "kind": absence.kind.value,
            "slug": absence.slug,
            "path": str(absence.path),
            "root": None if absence.root is None else str(absence.root),
            "error": None if absence.error is None else diagnostic_object(absence.error),
            **explain(absence, asked, result, str)._asdict(),
        }
        for absence in absences
    ]


def _fault(error: Diagnostic) -> str:
    return f"{error.rule} at {error.line}:{error.column}: {one_line(error.message)}"


def mend_help(error: Diagnostic, path: Path, name: Name) -> str:
    """How to mend a file with this error, as a sentence and as a command."""
    help_ = one_line(error.help) if error.help else ""
    if error.rule == "broken-symlink" and error.path == path:
        return help_  # there is no file to validate
    command = f"insomnia-skills validate {path_word(name(path))}"
    if error.fix and error.fix.safe:
        return f"{help_}: {command} --fix"
    return f"{help_}; then {command}" if help_ else command
