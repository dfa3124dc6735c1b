"""Every recorded case of `tests/cases`, checked as its `run.py` does, but in this process."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests import cli

CASES = Path(__file__).parent / "cases"


def _load_runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tests_cases_run", CASES / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUNNER = _load_runner()
RECORDED = [json.loads(line) for line in (CASES / "cases.jsonl").read_bytes().splitlines()]


def call_in_process(
    command: list[str], arguments: list[str], base: Path, **env: str
) -> SimpleNamespace:
    """What `run.py` has of a subprocess."""
    more = {"NO_COLOR": "1", "XDG_CONFIG_HOME": str(base / "no-config"), **env}
    variables = cli.environment(base / "home", more=more)
    done = cli.call(*arguments, cwd=base / "project", env=variables)
    stderr = done.stderr.encode()
    return SimpleNamespace(stdout=done.stdout, stderr=stderr, returncode=done.code)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
def test_recorded_case(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RUNNER, "call", call_in_process)
    problems = RUNNER.check(case, [], Path(os.path.realpath(tmp_path)))
    assert problems == [], f"{case['about']} Right: {case['expected']}"


def test_a_case_that_goes_wrong_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks above are worth something only if they notice."""
    monkeypatch.setattr(RUNNER, "call", call_in_process)
    case = next(case for case in RECORDED if case["expect"]["loaded"] and case["exact"])
    wanted = {**case["expect"], "loaded": ["project/none/SKILL.md"], "rules": ["no-such-rule"]}
    problems = RUNNER.check({**case, "expect": wanted}, [], Path(os.path.realpath(tmp_path)))
    assert len([p for p in problems if p.startswith(("not loaded", "loaded besides"))]) == 2
    assert any(problem.startswith("rules not reported") for problem in problems)
