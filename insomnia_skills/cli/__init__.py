"""The command line: one module a command on the library; commands choose stages and print."""

from __future__ import annotations

from insomnia_skills.cli.main import main

__all__ = ["main"]
