"""A rule: one function with a name, a severity, a source and a documentation of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, ParamSpec, TypeVar, cast

from insomnia_skills.diagnostic import Finding, Severity

P = ParamSpec("P")
F = TypeVar("F", bound="Finding | None")


class Rule(Generic[P, F]):
    """A named check: called with the facts it judges, it returns what it found.

    Most rules decide (``Finding | None``). Those of the readers only word what the reader ran
    into, so they always return a `Finding`. The name is the function's, with hyphens; the first
    paragraph of the function's docstring is the summary, the rest says why it matters.
    """

    __slots__ = ("_check", "module", "name", "severity", "source")

    def __init__(self, check: Callable[P, F], severity: Severity, source: str) -> None:
        self._check = check
        self.module = check.__module__
        self.name = check.__name__.replace("_", "-")
        self.severity = severity
        self.source = source

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> F:
        found = self._check(*args, **kwargs)
        if found is None:
            return found
        return cast("F", replace(found, rule=self.name, severity=found.severity or self.severity))

    @property
    def summary(self) -> str:
        """One sentence on what the rule finds."""
        return " ".join(self._paragraphs[0].split())

    @property
    def why(self) -> str:
        """Why it matters; empty where the summary says all."""
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in self._paragraphs[1:])

    @property
    def _paragraphs(self) -> list[str]:
        return (self._check.__doc__ or "").strip().split("\n\n")


def rule(severity: Severity, source: str) -> Callable[[Callable[P, F]], Rule[P, F]]:
    """Make a function a `Rule`; ``source`` says where the rule comes from."""

    def decorate(check: Callable[P, F]) -> Rule[P, F]:
        return Rule(check, severity, source)

    return decorate
