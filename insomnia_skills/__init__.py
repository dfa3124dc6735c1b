"""Ingest Agent Skills (``SKILL.md``) as insomnia Workflows."""

__version__ = "0.1.0"
