"""Which findings count, and how much: options, configuration and comments applied to a check."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from insomnia_skills.checking.config import (
    Config,
    ConfigError,
    Override,
    expand_rules,
    near_rules,
    read_severity,
)
from insomnia_skills.diagnostic import Diagnostic, Finding, Severity, diagnose

if TYPE_CHECKING:
    from insomnia_skills.checking.check import Check, CheckedFile
    from insomnia_skills.rules.ignores import Ignore

_MAY_FIND_NOTHING = ("Resolution", "Comments that silence rules")
"""Themes whose rules a file can't know to be unused: they judge other files, or its comments."""


class Choice(NamedTuple):
    """What is to be reported. By default every rule is, at its own severity.

    ``select`` holds the rules that count, None means all; ``ignore`` those that do not.
    ``severity`` gives rules another weight. ``overrides`` add to both for some files, whose paths
    count from ``base``.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = {}
    overrides: tuple[Override, ...] = ()
    base: Path = Path()

    def check(self, check: Check) -> Check:
        """What of a check is to be reported."""
        comments = {file.path: _rules_and_lines(file) for file in check.files if file.ignores}
        others = (
            diagnostic
            for diagnostic in check.others
            if comments.get(diagnostic.path, set()).isdisjoint(
                _silencers(diagnostic, diagnostic.path)
            )
        )
        return check._replace(
            files=tuple(map(self.file, check.files)),
            others=tuple(self._weighed(others)),
        )

    def file(self, file: CheckedFile) -> CheckedFile:
        """What of a file is to be reported, with what is to be said of its own comments."""
        if not file.ignores:
            return file._replace(diagnostics=tuple(self._weighed(file.diagnostics)))
        silenced = _rules_and_lines(file)
        found = [*file.diagnostics, *self._judge_ignores(file)]
        kept = (d for d in found if silenced.isdisjoint(_silencers(d, file.path)))
        diagnostics = sorted(
            self._weighed(kept), key=lambda d: (d.path != file.path, d.line, d.column)
        )
        return file._replace(diagnostics=tuple(diagnostics))

    def _judge_ignores(self, file: CheckedFile) -> Iterator[Diagnostic]:
        # Only a comment, an option or a configuration pays for the import of every rule.
        from insomnia_skills.rules.catalogue import CATALOGUE, theme_of
        from insomnia_skills.rules.ignores import ignore_unknown_rule, ignore_unused

        used = {
            silencer
            for diagnostic in file.diagnostics
            if self._wants(diagnostic.rule, self._overrides(diagnostic.path))
            for silencer in _silencers(diagnostic, file.path)
        }
        overrides = self._overrides(file.path)
        for ignore in file.ignores:
            rule = CATALOGUE.get(ignore.rule)
            if rule is None:
                yield _at(ignore, ignore_unknown_rule(ignore.rule, near_rules(ignore.rule)), file)
            elif (
                theme_of(rule) not in _MAY_FIND_NOTHING
                and (ignore.rule, ignore.line) not in used
                and self._wants(ignore.rule, overrides)
            ):
                yield _at(ignore, ignore_unused(ignore), file)

    def _weighed(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        for diagnostic in diagnostics:
            overrides = self._overrides(diagnostic.path)
            if self._wants(diagnostic.rule, overrides):
                severity = self._severity(diagnostic.rule, overrides)
                yield diagnostic._replace(severity=severity) if severity else diagnostic

    def _wants(self, rule: str, overrides: Iterable[Override]) -> bool:
        if rule in self.ignore or (self.select is not None and rule not in self.select):
            return False
        return not any(rule in override.ignore for override in overrides)

    def _severity(self, rule: str, overrides: Iterable[Override]) -> Severity | None:
        for override in overrides:
            if rule in override.severity:
                return override.severity[rule]
        return self.severity.get(rule)

    def _overrides(self, path: Path) -> list[Override]:
        """The overrides for a path, the last one first: later ones weigh more."""
        if not self.overrides:
            return []
        base, place = os.path.join(self.base, ""), str(path)
        if place.startswith(base):  # nearly always, and much faster
            place = place[len(base) :]
        else:
            with suppress(ValueError):  # another drive
                place = os.path.relpath(place, base)
        place = place.replace(os.sep, "/")
        return [override for override in reversed(self.overrides) if override.covers(place)]


_RuleAndLine: TypeAlias = "tuple[str, int | None]"


def _rules_and_lines(file: CheckedFile) -> set[_RuleAndLine]:
    return {(ignore.rule, ignore.line) for ignore in file.ignores}


def _silencers(diagnostic: Diagnostic, path: Path) -> tuple[_RuleAndLine, ...]:
    """What a comment in the file at ``path`` has to speak of to silence a diagnostic.

    One at the end of a line never speaks of another file.
    """
    whole = (diagnostic.rule, None)
    return (whole, (diagnostic.rule, diagnostic.line)) if diagnostic.path == path else (whole,)


def _at(ignore: Ignore, finding: Finding, file: CheckedFile) -> Diagnostic:
    (diagnostic,) = diagnose(file.path, "", (finding,))
    line, column, end_line, end_column = ignore.span
    return diagnostic._replace(
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        excerpt=ignore.excerpt,
    )


def choose(
    config: Config,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Iterable[str] = (),
) -> Choice:
    """Put what a command line says on top of a configuration.

    ``select`` takes the place of the configuration's, and names its rules even where the
    configuration or one of its overrides ignores them; ``ignore`` and ``severity``
    (``rule=level``) go before all that the configuration says. Raises `ConfigError` for a rule or
    a level that does not exist.
    """
    selected = _expand("--select", select)
    ignored = _expand("--ignore", ignore)
    levels: dict[str, Severity] = {}
    for item in severity:
        levels.update(_read_level(item))
    overrides = [o._replace(ignore=o.ignore - selected) for o in config.overrides]
    if ignored or levels:
        overrides.append(Override(("**",), ignored, levels))
    return Choice(
        select=selected or config.select,
        ignore=config.ignore - selected,
        severity=config.severity,
        overrides=tuple(overrides),
        base=config.base,
    )


def _read_level(item: str) -> dict[str, Severity]:
    name, _, level = item.partition("=")
    if not (name and level):
        help = f"for example {name or 'name-mismatch'}=warning"
        raise ConfigError(f'--severity: "{item}" is not RULE=LEVEL', help)
    try:
        return dict.fromkeys(expand_rules([name]), read_severity(level))
    except ConfigError as error:
        raise ConfigError(f"--severity: {error}", error.help) from None


def _expand(option: str, names: Iterable[str]) -> frozenset[str]:
    try:
        return expand_rules(names)
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}", error.help) from None
