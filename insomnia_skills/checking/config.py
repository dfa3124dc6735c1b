"""What `validate` is told by a file: `insomnia-skills.toml`, or a section of `pyproject.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from insomnia_skills.diagnostic import Lines, Severity
from insomnia_skills.limits import MAX_CONFIG_BYTES

if TYPE_CHECKING:
    from insomnia_skills.toml_spans import KeyPath, Spans

CONFIG_FILE = "insomnia-skills.toml"
PYPROJECT = "pyproject.toml"
SECTION = ("tool", "insomnia-skills")

_KEYS = ("baseline", "ignore", "overrides", "select", "severity", "strict")
_OVERRIDE_KEYS = ("ignore", "paths", "severity")
_MENTIONED = r"(?i)insomnia[-_ ]?skills"


class ConfigError(ValueError):
    """Something that was said about rules makes no sense; the message names the place.

    ``help`` says what to write instead, where that is known.
    """

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class Override(NamedTuple):
    """What is different for some files.

    ``paths`` are patterns, relative to the directory of the configuration file: in a name ``*``,
    ``?`` and ``[…]`` are as in a shell, ``**`` stands for any directories, or none.
    """

    paths: tuple[str, ...]
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = {}

    def covers(self, path: str) -> bool:
        """Whether a POSIX path, relative to the configuration, or a directory above it matches."""
        parts = path.split("/")
        return any(_leads_to(pattern.split("/"), parts) for pattern in self.paths)


def _leads_to(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the first parts of a path, or all, match a pattern."""
    matched = {0}
    """How many parts what was looked at of the pattern may stand for."""
    for name in pattern:
        if name == "**":
            matched = set(range(min(matched), len(parts) + 1))
        elif name not in ("", "."):
            matched = {n + 1 for n in matched if n < len(parts) and fnmatchcase(parts[n], name)}
        if not matched:
            return False
    return True


class Config(NamedTuple):
    """What a configuration file says; without one, nothing.

    ``base`` is the directory that its paths count from, ``path`` the file. ``select`` is None where
    all rules are chosen. Rule names have no pattern in them any more.
    """

    base: Path
    path: Path | None = None
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = {}
    strict: bool = False
    baseline: Path | None = None
    overrides: tuple[Override, ...] = ()


def find_config(start: Path) -> Config:
    """The configuration of the nearest directory at or above ``start`` that has one.

    In one directory `insomnia-skills.toml` goes before `pyproject.toml`; a `pyproject.toml`
    without the section counts as none. Raises `ConfigError` for one that cannot be used.
    """
    for directory in (start, *start.parents):
        for name, section in ((CONFIG_FILE, ()), (PYPROJECT, SECTION)):
            path = directory / name
            # What has the tool's own name is meant for it, be it a directory.
            if os.path.isfile(path) or (os.path.lexists(path) and not section):
                config = _load(path, section)
                if config is not None:
                    return config
    return Config(start)


def _load(path: Path, section: tuple[str, ...]) -> Config | None:
    # Only a run that has a configuration pays for what reads it.
    from insomnia_skills.file import read_text
    from insomnia_skills.toml_spans import TomlError, read_toml

    file = read_text(path, MAX_CONFIG_BYTES)
    if not file.readable:
        raise ConfigError(f"{path}: {file.findings[0].message}", file.findings[0].help)
    if section and not re.search(_MENTIONED, file.text):
        return None
    try:
        data, spans = read_toml(file.text)
    except TomlError as error:
        line, column = Lines(file.text).position(error.at)
        raise ConfigError(f"{path}:{line}:{column}: not valid TOML: {error}") from None
    reader = _Reader(path, file.text, spans, section)
    found = reader.section(data)
    return None if found is None else reader.config(found)


class _Reader:
    """Reads the values of one file, and knows where they stand."""

    def __init__(self, path: Path, text: str, spans: Spans, section: tuple[str, ...]) -> None:
        self._path = path
        self._lines = Lines(text)
        self._spans = spans
        self._section = section

    def section(self, data: Any) -> Any:
        """What the file says to this tool; None for nothing."""
        for depth, key in enumerate(self._section):
            if not isinstance(data, dict):
                return None
            if key not in data:
                for slip in (name for name in data if re.fullmatch(_MENTIONED, name)):
                    span = self._spans.key(*self._section[:depth], slip)
                    self._fail(span, f'"{slip}" is not read', f"write [{'.'.join(SECTION)}]")
                return None
            data = data[key]
        return data

    def config(self, data: Any) -> Config:
        table = self._table((), data, _KEYS)
        baseline = table.get("baseline")
        is_path = isinstance(baseline, str) and baseline and "\0" not in baseline
        if baseline is not None and not is_path:
            self._must(("baseline",), "be a path in quotes")
        strict = table.get("strict", False)
        if not isinstance(strict, bool):
            self._must(("strict",), "be true or false")
        overrides = table.get("overrides", [])
        if not isinstance(overrides, list):
            self._must(("overrides",), "be tables", "write [[overrides]], with two brackets")
        select = self._rules(("select",), table["select"]) if "select" in table else None
        if select is not None and not select:
            self._must(("select",), "name a rule", "remove it to have every rule")
        base = self._path.parent
        return Config(
            base=base,
            path=self._path,
            select=select,
            ignore=self._rules(("ignore",), table.get("ignore", [])),
            severity=self._severity(("severity",), table.get("severity", {})),
            strict=strict,
            baseline=base / baseline if baseline else None,
            overrides=tuple(
                self._override(("overrides", index), override)
                for index, override in enumerate(overrides)
            ),
        )

    def _override(self, at: KeyPath, data: Any) -> Override:
        table = self._table(at, data, _OVERRIDE_KEYS)
        paths = table.get("paths", [])
        if paths == []:
            place = (*at, "paths") if "paths" in table else at
            self._must(place, "name paths", 'for example paths = ["vendor/*"]')
        patterns = self._texts((*at, "paths"), paths, "paths in quotes")
        for index, pattern in enumerate(patterns):
            if "\\" in pattern:
                slashed = pattern.replace("\\", "/")
                self._must((*at, "paths", index), 'have "/" between names', f"write {slashed}")
        return Override(
            paths=patterns,
            ignore=self._rules((*at, "ignore"), table.get("ignore", [])),
            severity=self._severity((*at, "severity"), table.get("severity", {})),
        )

    def _table(self, at: KeyPath, data: Any, known: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(data, dict):
            self._must(at, "be a table")
        for key in data:
            if key not in known:
                near = get_close_matches(key.lower(), known, n=1)
                help = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
                if key == SECTION[0] and not self._section:
                    help = f"leave out [{'.'.join(SECTION)}], which is for {PYPROJECT}"
                span = self._spans.key(*self._section, *at, key)
                self._fail(span, f'no key is called "{key}" here', help)
        return data

    def _rules(self, at: KeyPath, data: Any) -> frozenset[str]:
        names = self._texts(at, data, "names of rules in quotes")
        return frozenset().union(
            *(self._expand(name, self._value(*at, index)) for index, name in enumerate(names))
        )

    def _severity(self, at: KeyPath, data: Any) -> dict[str, Severity]:
        if not isinstance(data, dict):
            self._must(at, "be a table", f'for example {at[-1]} = {{ body-long = "warning" }}')
        levels: dict[str, Severity] = {}
        # Tables have no order, so a whole name goes before a pattern.
        for name, level in sorted(data.items(), key=lambda item: "*" not in item[0]):
            rules = self._expand(name, self._spans.key(*self._section, *at, name))
            if not isinstance(level, str):
                self._must((*at, name), 'be "error", "warning" or "info"')
            try:
                levels.update(dict.fromkeys(rules, read_severity(level)))
            except ConfigError as error:
                self._fail(self._value(*at, name), str(error), error.help)
        return levels

    def _expand(self, name: str, span: tuple[int, int]) -> frozenset[str]:
        try:
            return expand_rules([name])
        except ConfigError as error:
            self._fail(span, str(error), error.help)

    def _texts(self, at: KeyPath, data: Any, what: str) -> tuple[str, ...]:
        if not isinstance(data, list):
            self._must(at, f"be a list of {what}")
        for index, item in enumerate(data):
            if not (isinstance(item, str) and item):
                self._must((*at, index), f"be a list of {what}")
        return tuple(data)

    def _value(self, *at: str | int) -> tuple[int, int]:
        return self._spans.value(*self._section, *at)

    def _must(self, at: KeyPath, what: str, help: str | None = None) -> NoReturn:
        name = next((str(key) for key in reversed(at) if isinstance(key, str)), SECTION[-1])
        self._fail(self._value(*at), f'"{name}" must {what}', help)

    def _fail(self, span: tuple[int, int], message: str, help: str | None = None) -> NoReturn:
        line, column = self._lines.position(span[0])
        raise ConfigError(f"{self._path}:{line}:{column}: {message}", help) from None


def expand_rules(names: Iterable[str]) -> frozenset[str]:
    """The rules of these names; a ``*`` in a name stands for any letters.

    Raises `ConfigError` for a name that no rule has.
    """
    names = list(names)
    if not names:
        return frozenset()
    from insomnia_skills.rules.catalogue import CATALOGUE  # it imports every rule

    expanded: set[str] = set()
    for name in names:
        matching = [rule for rule in CATALOGUE if fnmatchcase(rule, name)]
        if not matching:
            raise ConfigError(f'no rule is called "{name}"', near_rules(name))
        expanded.update(matching)
    return frozenset(expanded)


def near_rules(name: str) -> str:
    """What to do about a name that no rule has."""
    from insomnia_skills.rules.catalogue import CATALOGUE

    near = get_close_matches(name.lower().replace("_", "-"), CATALOGUE, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else "insomnia-skills rules lists them"


def read_severity(level: str) -> Severity:
    """A severity by its name. Raises `ConfigError` for another word."""
    if level in set(Severity):
        return Severity(level)
    near = get_close_matches(level.lower(), list(Severity), n=1)
    help = f"did you mean {near[0]}?" if near else "error, warning or info; to have none, ignore it"
    raise ConfigError(f'no severity is called "{level}"', help)
