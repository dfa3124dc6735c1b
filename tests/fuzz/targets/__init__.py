"""What is tried, and what must hold whatever it is given."""

from __future__ import annotations

from tests.fuzz.engine import Target
from tests.fuzz.targets import commands, settings, skills, texts

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (*skills.TARGETS, *texts.TARGETS, *settings.TARGETS, *commands.TARGETS)
}
