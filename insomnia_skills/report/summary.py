"""The lines below a list: how many, what was left out, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from insomnia_skills.discover import unnamed_roots
from insomnia_skills.ingest import Ingest
from insomnia_skills.report.text import PathNames, plural
from insomnia_skills.sources import SourceKind


def summary(result: Ingest) -> Iterator[str]:
    """What `list` says below its records."""
    if not result.candidates:
        yield from _nothing(result, PathNames())
        return
    sources = sum(source.scanned for source in result.sources)
    counts = [
        f"{len(result.shadows)} shadowed" if result.shadows else "",
        f"{len(result.skipped)} skipped" if result.skipped else "",
        f"{len(result.broken)} broken" if result.broken else "",
    ]
    left_out = ", ".join(filter(None, counts))
    more = f" · {left_out} (list --all, resolve)" if left_out else ""
    yield f"{plural(len(result.workflows), 'workflow')} from {plural(sources, 'source')}{more}"
    for record in result.workflows:
        if record.stand_in:
            why = f"insomnia-skills resolve /{record.slug}"
            yield f"/{record.slug} stands in for a broken copy: {why}"


def _nothing(result: Ingest, name: PathNames) -> Iterator[str]:
    """An empty workspace: what was looked at, in one line, and what to do next."""
    manifest = result.manifests[0]
    looked = [f"{name(result.workspace.workflows)} ({_state(result, 0)})"]
    if not manifest.exists:
        looked.append(f"[skills] of {name(manifest.path)} (no manifest)")
    elif not manifest.entries:
        looked.append(f"[skills] of {name(manifest.path)} (names no directories)")
    looked += (
        f"{name(source.path)} ({_state(result, index)})"
        for index, source in enumerate(result.sources)
        if source.kind is not SourceKind.WORKSPACE_WORKFLOW
    )
    yield "No workflows yet. Looked in " + ", ".join(looked) + "."
    unnamed = unnamed_roots(result)
    if unnamed:
        roots = ", ".join(f"{name(root)} ({plural(count, 'skill')})" for root, count in unnamed)
        entries = ", ".join(
            f'"{root.relative_to(result.workspace.root).as_posix()}"' for root, _ in unnamed
        )
        yield f"Next: no manifest names {roots}; write in {name(manifest.path)}:"
        yield f"  [skills]\n  directories = [{entries}]"
        return
    place = result.config_dir or result.workspace.root / ".claude"
    yield (
        f"Next: put a skill into {name(place / 'skills')}/<name>/SKILL.md"
        + ("" if result.config_dir else f' and name ".claude/skills" in {name(manifest.path)}')
    )


def _state(result: Ingest, index: int) -> str:
    source = result.sources[index]
    return "empty" if source.scanned else source.absent
