"""A rule: one function with a name, a severity, a source and a documentation of its own."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from textwrap import dedent
from typing import Generic, Literal, ParamSpec, TypeVar, cast

from insomnia_skills.diagnostic import Finding, Severity

P = ParamSpec("P")
F = TypeVar("F", bound="Finding | None")
FixKind = Literal["safe", "unsafe"]


class Rule(Generic[P, F]):
    """A named check: called with the facts it judges, it returns what it found.

    Most rules decide (``Finding | None``). Those of the readers only word what the reader ran
    into, so they always return a `Finding`. The name is the function's, with hyphens. Its docstring
    is the rule's documentation: the first paragraph is the summary, the rest says why it matters;
    the indented blocks after ``Fails:`` and ``Passes:`` are its examples (`rules.example` says how
    they are written). ``fix`` tells whether a finding may bring a fix, and of which kind.
    """

    __slots__ = ("_check", "fix", "module", "name", "severity", "source")

    def __init__(
        self, check: Callable[P, F], severity: Severity, source: str, fix: FixKind | None
    ) -> None:
        self._check = check
        self.module = check.__module__
        self.name = check.__name__.replace("_", "-")
        self.severity = severity
        self.source = source
        self.fix = fix

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> F:
        found = self._check(*args, **kwargs)
        if found is None:
            return found
        severity = found.severity or self.severity
        return cast("F", found._replace(rule=self.name, severity=severity))

    @property
    def summary(self) -> str:
        """One sentence on what the rule finds."""
        return " ".join(self._paragraphs[0].split())

    @property
    def why(self) -> str:
        """Why it matters; empty where the summary says all."""
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in self._paragraphs[1:])

    @property
    def fails(self) -> str:
        """An example in which the rule finds something."""
        return self._section(1)

    @property
    def passes(self) -> str:
        """The same in order: an example without an error, or a warning that could be avoided."""
        return self._section(2)

    @property
    def _paragraphs(self) -> list[str]:
        return self._section(0).strip().split("\n\n")

    def _section(self, index: int) -> str:
        text = cleandoc(self._check.__doc__ or "") + "\n"
        before, _, examples = text.partition("\nFails:\n")
        fails, _, passes = examples.partition("\nPasses:\n")
        return dedent((before, fails, passes)[index])


def rule(
    severity: Severity, source: str, fix: FixKind | None = None
) -> Callable[[Callable[P, F]], Rule[P, F]]:
    """Make a function a `Rule`; ``source`` says where the rule comes from."""

    def decorate(check: Callable[P, F]) -> Rule[P, F]:
        return Rule(check, severity, source, fix)

    return decorate
