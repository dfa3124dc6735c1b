"""Which findings `validate` reports: options and configuration, and the baseline."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from insomnia_skills.cli.common import Settings, fail, say
from insomnia_skills.cli.output import replace_in_full
from insomnia_skills.diagnostic import Severity
from insomnia_skills.report.text import PathNames, one_line, plural
from insomnia_skills.workspace import absolute_path

if TYPE_CHECKING:
    from insomnia_skills.checking.baseline import Baseline
    from insomnia_skills.checking.check import Check
    from insomnia_skills.checking.choice import Choice


def complete_rule(incomplete: str) -> Iterator[str]:
    """The rules whose names begin so."""
    from insomnia_skills.rules.catalogue import CATALOGUE

    return (name for name in CATALOGUE if name.startswith(incomplete))


def complete_rules(incomplete: str) -> Iterator[str]:
    """The rules whose names begin as what stands behind the last comma."""
    before = incomplete[: incomplete.rfind(",") + 1]
    return (before + name for name in complete_rule(incomplete.removeprefix(before)))


def complete_severity(incomplete: str) -> Iterator[str]:
    """``RULE=`` for the rules that begin so, then with each level."""
    before, equals, _ = incomplete.rpartition("=")
    if equals and "," not in incomplete[len(before) :]:
        return (f"{before}={severity}" for severity in Severity)
    return (f"{rule}=" for rule in complete_rules(incomplete))


class Chosen(NamedTuple):
    """What configuration and options say together. ``baseline`` is the file of known findings.

    ``strict_in`` is the configuration that makes warnings fail, where no option does.
    """

    choice: Choice
    strict: bool
    strict_in: Path | None
    baseline: Path | None


def read_choice(
    settings: Settings,
    select: Sequence[str],
    ignore: Sequence[str],
    severity: Sequence[str],
    strict: bool,
    baseline: Path | None,
) -> Chosen:
    """The nearest configuration with the options on top; ends with 2 where one makes no sense."""
    from insomnia_skills.checking.choice import choose
    from insomnia_skills.checking.config import ConfigError, find_config

    if select and not _split(select):
        fail("--select names no rule", "leave it out to have every rule")
    try:
        config = find_config(absolute_path(settings.workspace or "."))
        choice = choose(config, _split(select), _split(ignore), _split(severity))
    except ConfigError as error:
        fail(str(error), error.help)
    if settings.verbose and config.path:
        say(f"Configuration: {PathNames()(config.path)}")
    return Chosen(
        choice,
        strict=strict or config.strict,
        strict_in=config.path if config.strict and not strict else None,
        baseline=absolute_path(baseline) if baseline else config.baseline,
    )


def tell_unused(found: Collection[str], ignore: Iterable[str]) -> None:
    """Say which ``--ignore`` left nothing out; ``found`` are the rules that found something."""
    from insomnia_skills.checking.config import expand_rules

    for name in _split(ignore):
        if expand_rules([name]).isdisjoint(found):
            say(f"note: --ignore {name} left nothing out")


class Known(NamedTuple):
    """A baseline and the file that it is kept in."""

    path: Path
    baseline: Baseline

    def apply(
        self, check: Check, found: Check, whole: bool, renew: bool, settings: Settings
    ) -> Check:
        """The check without what is known, which with ``renew`` is written, and all of it.

        ``found`` is the check before choosing, ``whole`` says that it is one of a whole workspace.
        """
        baseline, name = self.baseline, PathNames()(self.path)
        gone = baseline.gone(check, found, whole)
        if renew:
            baseline = baseline.renewed(check, gone)
            replace_in_full(self.path, baseline.dump())
            note = f"Wrote {plural(len(baseline.findings), 'finding')} to {name}"
        else:
            what = f"{plural(len(gone), 'finding')} of {name}"
            note = f"note: {what} found no more; --write-baseline takes them out" if gone else ""
        if note and not settings.quiet:
            say(note)
            for finding in gone if settings.verbose else ():
                say(f"  {finding.path}: {finding.rule}: {one_line(finding.message)}")
        return baseline.silence(check)


def open_baseline(path: Path | None, renew: bool) -> Known | None:
    """The baseline at a path, with ``renew`` an empty one where there is none; ends with 2."""
    if path is None:
        if renew:
            fail("--write-baseline: no file is named", "name it: --baseline skills-baseline.json")
        return None
    from insomnia_skills.checking.baseline import BaselineError, empty_baseline, load_baseline

    try:
        is_new = renew and not os.path.lexists(path)
        return Known(path, empty_baseline(path) if is_new else load_baseline(path))
    except BaselineError as error:
        fail(f"baseline: {error}", error.help)


def _split(given: Iterable[str]) -> list[str]:
    """The values of an option that may be repeated and may hold commas."""
    return [part.strip() for item in given for part in item.split(",") if part.strip()]
