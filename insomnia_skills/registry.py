"""Who wins a slug: candidates in order of rank become winners, shadows and stand-ins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.diagnostic import Diagnostic, Finding, Related, Severity, diagnose, first_error
from insomnia_skills.rule import rule
from insomnia_skills.sources import Source, SourceKind
from insomnia_skills.workspace import real_path

if TYPE_CHECKING:
    from insomnia_skills.rules.ignores import Ignore
    from insomnia_skills.workflow import WorkflowRecord


class Relation(StrEnum):
    """How a shadow relates to the record that took its slug."""

    SAME_FILE = "same-file"
    IDENTICAL = "identical"
    DIFFERENT = "different"


class Candidate(NamedTuple):
    """What one source offers for a slug: a record, or the diagnostics that say why there is none.

    A candidate without a record is *skipped* if it is a skill; a native Workflow without one is
    broken and stops a Pod from starting.
    """

    slug: str
    source: Source
    path: Path
    record: WorkflowRecord | None
    diagnostics: tuple[Diagnostic, ...] = ()
    ignores: tuple[Ignore, ...] = ()

    @property
    def is_native(self) -> bool:
        return self.source.kind is SourceKind.WORKSPACE_WORKFLOW

    @property
    def directory(self) -> Path | None:
        """The skill directory, also where ``path`` is no file in it; None for a native Workflow."""
        return None if self.is_native else self.source.path / self.slug

    @property
    def error(self) -> Diagnostic | None:
        """The first that keeps it from being a record."""
        return first_error(self.diagnostics) if self.record is None else None

    @property
    def fault(self) -> str:
        """Which rule it breaks and where: "yaml-syntax at SKILL.md:3:40"; empty for a record."""
        error = self.error
        return f"{error.rule} at {error.path.name}:{error.line}:{error.column}" if error else ""

    @property
    def reason(self) -> str:
        """Why there is no record: "yaml-syntax at SKILL.md:3:40: …"; empty where there is one."""
        return f"{self.fault}: {self.error.message}" if self.error else ""


class Shadow(NamedTuple):
    """A valid record that lost its slug to a higher-ranked one.

    ``differs`` names what is not the same: fields, ``body``, ``resources``.
    """

    kept: WorkflowRecord
    lost: WorkflowRecord
    relation: Relation
    differs: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        return self.kept.slug

    @property
    def message(self) -> str:
        """The words of the notification that a Pod emits (decision: conflicts)."""
        kept, lost = self.kept, self.lost
        return (
            f"[Skill shadowed] skill /{self.slug} from {lost.source.kind.label} ({lost.path}) "
            f"was shadowed by existing {kept.source.kind.label} ({kept.path})"
        )


@rule(Severity.INFO, "ticket: conflicts")
def skill_shadowed(shadow: Shadow) -> Finding:
    """A valid skill lost its slug to a copy of higher rank.

    Only one of them can be called by the slug. That is often meant: a workspace's own copy goes
    before the user's.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .claude/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change by our style guide. Use when asked to review a diff.
        ---
        The style guide is in the wiki.
        -- ~/.config/insomnia/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .claude/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change by our style guide. Use when asked to review a diff.
        ---
        The style guide is in the wiki.
        -- ~/.config/insomnia/skills/my-review/SKILL.md --
        ---
        name: my-review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.
    """
    kept = shadow.kept
    how = {
        Relation.SAME_FILE: "the same file",
        Relation.IDENTICAL: "an identical copy",
        Relation.DIFFERENT: "a different copy",
    }[shadow.relation]
    return Finding(
        f"/{shadow.slug} is taken by {how} of rank {kept.source.rank}",
        help=f"insomnia-skills resolve /{shadow.slug} shows all of them",
        related=(Related("the copy that wins", path=kept.path),),
    )


@rule(Severity.WARNING, "decision: conflicts")
def stand_in(record: WorkflowRecord, broken: Candidate) -> Finding:
    """A skill has its slug only because a copy of higher rank is broken.

    Once that one is mended it wins, and something else happens under the same name.

    Fails:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .claude/skills/review/SKILL.md --
        ---
        name: review
        ---
        The style guide is in the wiki.
        -- ~/.config/insomnia/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change for bugs and style. Use when asked to review a diff.
        ---
        Read the whole diff before the first comment.

    Passes:
        -- .insomnia/manifest.toml --
        [skills]
        directories = [".claude/skills"]
        -- .claude/skills/review/SKILL.md --
        ---
        name: review
        description: Review a change by our style guide. Use when asked to review a diff.
        ---
        The style guide is in the wiki.
    """
    return Finding(
        f"/{record.slug} has its slug only because the copy of rank {broken.source.rank} is broken",
        help=f"mend it or remove it; insomnia-skills resolve /{record.slug} shows both",
        related=(Related("the broken copy", path=broken.path),),
    )


class Registry(NamedTuple):
    """Every slug's winner in order of slug, and what became of the other candidates."""

    workflows: tuple[WorkflowRecord, ...]
    shadows: tuple[Shadow, ...]
    diagnostics: tuple[Diagnostic, ...]


def resolve(candidates: Iterable[Candidate]) -> Registry:
    """Give each slug to the first valid candidate; ``candidates`` come in order of rank."""
    winners: dict[str, WorkflowRecord] = {}
    broken: dict[str, Candidate] = {}
    shadows: list[Shadow] = []
    diagnostics: list[Diagnostic] = []
    for candidate in candidates:
        slug, record = candidate.slug, candidate.record
        if record is None:
            if slug not in winners:
                broken.setdefault(slug, candidate)
        elif slug in winners:
            shadow = _shadow(winners[slug], record)
            shadows.append(shadow)
            diagnostics += diagnose(record.path, "", (skill_shadowed(shadow),))
        elif slug in broken:
            winners[slug] = record._replace(stand_in=True)
            diagnostics += diagnose(record.path, "", (stand_in(record, broken[slug]),))
        else:
            winners[slug] = record
    return Registry(
        tuple(winners[slug] for slug in sorted(winners)),
        tuple(sorted(shadows, key=lambda shadow: shadow.slug)),
        tuple(diagnostics),
    )


def _shadow(kept: WorkflowRecord, lost: WorkflowRecord) -> Shadow:
    if real_path(kept.path) == real_path(lost.path):
        return Shadow(kept, lost, Relation.SAME_FILE)
    differs = tuple(_differences(kept, lost))
    return Shadow(kept, lost, Relation.DIFFERENT if differs else Relation.IDENTICAL, differs)


def _differences(kept: WorkflowRecord, lost: WorkflowRecord) -> Iterator[str]:
    from insomnia_skills.copies import compare_fields, compare_files

    yield from (field.name for field in compare_fields(kept, lost))
    if kept.body_digest != lost.body_digest:
        yield "body"
    if any(True for _ in compare_files(kept, lost)):
        yield "resources"
