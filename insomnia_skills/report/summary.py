"""The lines below a list: how many, what was left out, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from insomnia_skills.discover import unnamed_roots
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.text import PathNames, plural
from insomnia_skills.sources import Source


def summary(result: Ingest, more: str = "list --all, resolve") -> Iterator[str]:
    """What `list` says below its records; ``more`` names the commands that tell more."""
    yield from _counts(result, more) if result.candidates else _looked_in(result)
    told = any(manifest.entries or manifest.diagnostics for manifest in result.manifests)
    if not told and (unnamed := unnamed_roots(result)):
        yield from _name_them(result, unnamed)
    elif not result.candidates:
        yield _where_to_begin(result)


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
    for record in result.workflows:
        if record.stand_in:
            why = f"insomnia-skills resolve /{record.slug}"
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


def _name_them(result: Ingest, unnamed: list[tuple[Path, int]]) -> Iterator[str]:
    """Skills lie where no manifest names them: how to use them."""
    name = PathNames()
    roots = ", ".join(f"{plural(count, 'skill')} in {name(root)}" for root, count in unnamed)
    entries = ", ".join(
        f'"{root.relative_to(result.workspace.root).as_posix()}"' for root, _ in unnamed
    )
    manifest = name(result.workspace.manifest)
    yield f"No manifest names {roots}. To use them, write in {manifest}:"
    yield "  [skills]"
    yield f"  directories = [{entries}]"


def _where_to_begin(result: Ingest) -> str:
    name = PathNames()
    if result.config_dir is None:
        manifest = name(result.workspace.manifest)
        return f'Next: write [skills] directories = [".claude/skills"] in {manifest}.'
    return f"Next: put a skill into {name(result.config_dir / 'skills')}/<name>/SKILL.md."


def _state(source: Source) -> str:
    return "nothing directly in it" if source.scanned else source.absent
