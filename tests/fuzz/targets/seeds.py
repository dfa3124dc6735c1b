"""Inputs to begin with: the recorded cases, the examples, and the examples of the rules."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from insomnia_skills.rules.catalogue import CATALOGUE
from insomnia_skills.rules.example import ExampleKind, parse_example

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
_LARGEST = 24 * 1024


@cache
def cases() -> list[dict[str, Any]]:
    """The recorded cases."""
    lines = (ROOT / "tests/cases/cases.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def content(file: Any) -> bytes | None:
    """The bytes of a case's file; None for a link."""
    if isinstance(file, str):
        return file.encode("utf-8", "surrogatepass")
    return base64.b64decode(file["base64"]) if "base64" in file else None


@cache
def skill_files() -> list[bytes]:
    """Every SKILL.md of the cases, the examples and the rules' own examples."""
    found = [data for case in cases() for name, data in _files_of(case) if name.endswith(".md")]
    found += [path.read_bytes() for path in sorted(EXAMPLES.rglob("SKILL.md"))]
    found += [data for name, data in _rule_files() if os.path.basename(name) == "SKILL.md"]
    return sorted({data for data in found if len(data) <= _LARGEST})


@cache
def workflow_files() -> list[bytes]:
    """Every native Workflow of the same."""
    found = [
        path.read_bytes() for path in sorted(EXAMPLES.glob("*/.insomnia/memory/workflow/*.md"))
    ]
    found += [data for name, data in _rule_files() if "/memory/workflow/" in name]
    return sorted({data for data in found if len(data) <= _LARGEST})


@cache
def manifest_files() -> list[bytes]:
    """Every manifest of the examples and the rules."""
    found = [path.read_bytes() for path in sorted(EXAMPLES.rglob("manifest.toml"))]
    found += [data for name, data in _rule_files() if os.path.basename(name) == "manifest.toml"]
    return sorted(set(found))


def _files_of(case: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for name, file in case["files"].items():
        data = content(file)
        if data is not None:
            yield name, data


def _rule_files() -> Iterator[tuple[str, bytes]]:
    for rule in CATALOGUE.values():
        for example in (rule.fails, rule.passes):
            for file in parse_example(example):
                if file.kind is ExampleKind.FILE:
                    yield file.path, file.data
