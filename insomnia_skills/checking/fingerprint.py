"""What a diagnostic is known by from one run to the next, wherever it stands by then."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.workspace import is_below

_BYTES = 16


def fingerprints(diagnostics: Sequence[Diagnostic], base: Path) -> list[str]:
    """One hexadecimal fingerprint for each diagnostic, no two alike.

    It is made of the rule, the path from ``base`` (absolute outside of it) and what stands on the
    line, so it stays when lines move above it or a message is worded anew. What is equal in all
    three is numbered in the order given.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    prints = []
    for diagnostic in diagnostics:
        excerpt = diagnostic.excerpt.text.strip() if diagnostic.excerpt else ""
        key = (diagnostic.rule, path_from(diagnostic.path, base), excerpt)
        # The excerpt is last: it alone may hold the separator.
        text = "\0".join((key[0], key[1], str(seen[key]), excerpt))
        seen[key] += 1
        hashed = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_BYTES)
        prints.append(hashed.hexdigest())
    return prints


def path_from(path: Path, base: Path) -> str:
    """A path with ``/`` between its parts, relative to ``base`` if it lies below."""
    text, above = os.fspath(path), os.path.join(base, "")
    if is_below(text, above):
        text = text[len(above) :] or "."
    elif is_below(os.path.join(text, ""), above):
        text = "."
    return text if os.sep == "/" else text.replace(os.sep, "/")
