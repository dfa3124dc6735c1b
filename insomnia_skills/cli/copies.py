"""``--source`` on the command line: one copy of a slug, whether it wins or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from insomnia_skills.cli.common import Exit, fail, say
from insomnia_skills.cli.slugs import typed_settings

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest
    from insomnia_skills.registry import Candidate


def complete_source(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Kinds of sources, then the skills roots, from the workspace's root if they lie below."""
    from insomnia_skills.sources import SourceKind

    result = typed_settings(context).ingest()
    root = result.workspace.root
    paths = (s.path for s in result.sources if s.kind is SourceKind.WORKSPACE_SKILL)
    roots = (path.relative_to(root) if path.is_relative_to(root) else path for path in paths)
    for word in (*(kind.value for kind in SourceKind), *map(str, roots)):
        if word.startswith(incomplete):
            yield word


SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="KIND|DIR",
        help="The copy of this source, whether it wins or not: workspace-workflow, "
        "workspace-skill, user-skill, a skills root or its rank.",
        autocompletion=complete_source,
    ),
]


def find_copy(result: Ingest, slug: str, given: str) -> Candidate:
    """The first copy that the sources of a kind, or one skills root, have.

    Ends with 1 where they have none, with 2 for what is no source.
    """
    from insomnia_skills.invocation.preview import copies, sources_named
    from insomnia_skills.report.labels import Labels
    from insomnia_skills.sources import SourceKind

    if not given:
        fail("--source: no source is named", "name a kind, a skills root or its rank")
    meant = sources_named(result, given)
    all_copies = copies(result, slug)
    for candidate in all_copies:
        if candidate.source in meant:
            return candidate
    labels = Labels(result)
    having = [f"{labels.source(c.source)} (rank {c.source.rank})" for c in all_copies]
    if having:
        help_ = f"/{slug} is in {', '.join(having)}"
    else:
        from insomnia_skills.report.commands import resolve_command

        help_ = f"no source has /{slug}: {resolve_command(slug, result, labels.name)}"
    if not meant and given not in set(SourceKind):
        fail(f'--source: "{given}" is no source', help_)
    say(f'--source: "{given}" has no /{slug}')
    say(f"  help: {help_}")
    raise typer.Exit(Exit.NO if result.manifest_readable else Exit.WRONG_QUESTION)
