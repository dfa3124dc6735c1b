"""How the tests run; what they share is in modules of its own."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from insomnia_skills.cli import reading

_NUMBERS = count()

# What tests with @given try: the same few examples each time, or others and many more
# (HYPOTHESIS_PROFILE=long). A slow machine is no fault, and no examples are kept.
_ALWAYS = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _ALWAYS, max_examples=25, derandomize=True)
settings.register_profile("long", _ALWAYS, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure() -> None:
    """Let Ctrl-C be what it is where the tests run in the background, which ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collecting makes some million objects and drops few: looking for those is in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was collected stays to the end, so the collector need not go through it each time."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def clock_of_progress() -> Iterator[None]:
    """Stop the clock that shows progress, which belongs to the runs that are slow by themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "time", SimpleNamespace(monotonic=lambda: 0.0))
        yield


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of the test's own; pytest's looks through those of all tests before it."""
    path = tmp_path_factory.getbasetemp() / f"test-{next(_NUMBERS)}"
    path.mkdir()
    return path
