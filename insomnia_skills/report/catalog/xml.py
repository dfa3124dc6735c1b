"""The catalog as ``<available_skills>``."""

from __future__ import annotations

import re

from insomnia_skills.invocation.catalog import Catalog, catalog_xml
from insomnia_skills.report.text import HARMFUL

_CI_COMMAND = re.compile(r"^:(?=:)|#(?=#\[|#vso\[)", re.MULTILINE)
"""What begins a command for a CI that reads its log for them, as ``::error`` and ``##[error]``."""


def xml_text(catalog: Catalog) -> str:
    """The XML, in which what a terminal or a CI might act on is written as XML's own references."""
    text = catalog_xml(catalog)
    for acted_on in (HARMFUL, _CI_COMMAND):
        text = acted_on.sub(lambda match: f"&#x{ord(match[0]):x};", text)
    return text
