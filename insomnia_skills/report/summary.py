"""The lines below a list: how many, what was left out, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.commands import add_command, discover_command, resolve_command
from insomnia_skills.report.text import PathNames, plural
from insomnia_skills.sources import Source


def summary(result: Ingest, more: str = "list --all, resolve") -> Iterator[str]:
    """What `list` says below its records; ``more`` names the commands that tell more."""
    yield from _counts(result, more) if result.candidates else _looked_in(result)
    unnamed = list(unnamed_lines(result))
    yield from unnamed
    if not unnamed and not result.candidates:
        yield from _where_to_begin(result)


def unnamed_lines(result: Ingest) -> Iterator[str]:
    """Which skills lie in the workspace though no manifest names them, and how to use them."""
    from insomnia_skills.clients.unnamed import unnamed_roots

    if unnamed := unnamed_roots(result):
        named = any(manifest.entries or manifest.diagnostics for manifest in result.manifests)
        yield from _name_them(result, unnamed, briefly=named)


def _counts(result: Ingest, more: str) -> Iterator[str]:
    sources = sum(source.scanned for source in result.sources)
    counts = (
        f"{len(result.shadows)} shadowed" if result.shadows else "",
        f"{len(result.skipped)} skipped" if result.skipped else "",
        f"{len(result.broken)} broken" if result.broken else "",
    )
    left_out = ", ".join(filter(None, counts))
    also = f" · {left_out} ({more})" if left_out else ""
    yield f"{plural(len(result.workflows), 'workflow')} from {plural(sources, 'source')}{also}"
    if result.broken:
        count = plural(len(result.broken), "native workflow")
        yield f"No Pod starts here: {count} {'has' if len(result.broken) == 1 else 'have'} an error"
    for record in result.workflows:
        if record.stand_in:
            why = resolve_command(record.slug, result, PathNames())
            yield f"/{record.slug} stands in for a broken copy: {why}"


def _looked_in(result: Ingest) -> Iterator[str]:
    """An empty workspace: what was looked at, in one line."""
    name = PathNames()
    manifest = result.manifests[0]
    native, *roots = result.sources
    looked = [f"{name(native.path)} ({_state(native)})"]
    if not manifest.readable:
        looked.append(f"[skills] of {name(manifest.path)} (can't be read)")
    elif not manifest.exists:
        looked.append(f"[skills] of {name(manifest.path)} (no manifest)")
    elif not manifest.entries:
        looked.append(f"[skills] of {name(manifest.path)} (names no directories)")
    looked += (f"{name(source.path)} ({_state(source)})" for source in roots)
    yield "No workflows yet. Looked in " + ", ".join(looked) + "."


def _name_them(
    result: Ingest, unnamed: list[tuple[Path, int]], briefly: bool = False
) -> Iterator[str]:
    """Skills lie where no manifest names them: how to use them.

    ``briefly`` where a manifest names others: then these may have been left out on purpose.
    """
    name = PathNames()
    (first, count), *others = unnamed
    places = [f"{plural(count, 'skill')} {'lies' if count == 1 else 'lie'} in {name(first)}"]
    places += (f"{more:,} in {name(root)}" for root, more in others)
    them = "it" if count == 1 and not others else "them"
    if briefly:
        yield f"{' and '.join(places)}, which no manifest names (sources discover)"
        return
    yield f"{' and '.join(places)}, which no manifest names. To use {them}:"
    for root, _ in unnamed:
        yield f"  {add_command(root, result, name)}"


def _where_to_begin(result: Ingest) -> Iterator[str]:
    if result.config_dir is not None:
        skills = PathNames()(result.config_dir / "skills")
        yield f"Next: put a skill into {skills}/<name>/SKILL.md."
    yield f"To use skills of other clients: {discover_command(result, PathNames())}"


def _state(source: Source) -> str:
    return "nothing directly in it" if source.scanned else source.absent
