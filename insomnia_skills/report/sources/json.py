"""The JSON documents of `sources`: those of `list`, and of the commands that edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from insomnia_skills.edit.manifest import ManifestEdit
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.objects import VERSION, diagnostic_objects, source_object
from insomnia_skills.report.resolve.json import shadow_object, skipped_object, source_objects
from insomnia_skills.resolution.difference import Difference
from insomnia_skills.workflow import WorkflowRecord


def sources_document(result: Ingest) -> dict[str, Any]:
    """The document of `sources list`; ``schemas/sources.schema.json`` describes it."""
    return {
        "version": VERSION,
        "workspace": str(result.workspace.root),
        "manifests": [
            {
                "path": str(manifest.path),
                "exists": manifest.exists,
                "directories": [entry.value for entry in manifest.entries],
            }
            for manifest in result.manifests
        ],
        "sources": source_objects(result),
        "diagnostics": diagnostic_objects(result.source_diagnostics),
    }


def change_document(
    edits: Sequence[ManifestEdit],
    difference: Difference,
    before: Ingest,
    after: Ingest,
    written: bool,
) -> dict[str, Any]:
    """The document of an edit; ``schemas/sources-edit.schema.json`` describes it."""
    paths = [edit.path for edit in edits]
    return {
        "version": VERSION,
        "workspace": str(after.workspace.root),
        "written": written,
        "manifests": [
            {
                "path": str(new.path),
                "created": not old.exists,
                "before": [entry.value for entry in old.entries],
                "after": [entry.value for entry in new.entries],
            }
            for old, new in zip(before.manifests, after.manifests, strict=True)
            if new.path in paths
        ],
        "gained": [_record(record) for record in difference.gained],
        "lost": [_record(record) for record in difference.lost],
        "changed": [
            {"slug": new.slug, "before": _place(new.before), "after": _place(new.after)}
            for new in difference.changed
        ],
        "shadowed": [shadow_object(shadow) for shadow in difference.shadowed],
        "unshadowed": [shadow_object(shadow) for shadow in difference.unshadowed],
        "skipped": [skipped_object(candidate) for candidate in difference.skipped],
        "unskipped": [skipped_object(candidate) for candidate in difference.unskipped],
        "stand_ins": [_record(record) for record in difference.stand_ins],
        "stand_ins_gone": [_record(record) for record in difference.stand_ins_gone],
    }


def _place(record: WorkflowRecord) -> dict[str, Any]:
    return {"source": source_object(record.source), "path": str(record.path)}


def _record(record: WorkflowRecord) -> dict[str, Any]:
    return {"slug": record.slug, **_place(record)}
