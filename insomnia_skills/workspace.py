"""Where things are: the configuration directory, the workspace, and the paths below both."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

MARKER = ".insomnia"

PlaceKey: TypeAlias = tuple[str, int, int]


class Workspace(NamedTuple):
    """The directory whose ``.insomnia/`` holds manifest, native Workflows and Knowledge."""

    root: Path

    @property
    def manifest(self) -> Path:
        return self.root / MARKER / "manifest.toml"

    @property
    def workflows(self) -> Path:
        return self.root / MARKER / "memory" / "workflow"

    @property
    def knowledge(self) -> Path:
        return self.root / MARKER / "knowledge"


def absolute_path(path: str | os.PathLike[str], base: Path | None = None) -> Path:
    """A path as an absolute one, from ``base`` or else the working directory.

    ``..`` is taken out only where no symlink before it makes it mean another directory.
    """
    absolute = os.path.join(base or os.getcwd(), path)
    normal = os.path.abspath(absolute)  # "D:skills" is relative even behind another drive
    if ".." not in Path(absolute).parts:
        return Path(normal)
    same = real_path(absolute) == real_path(normal)
    return Path(normal if same else absolute)


def is_explicit(path: str) -> bool:
    """Whether a path says itself where it counts from: ``/…``, ``./…`` or ``../…``."""
    return os.path.isabs(path) or path.replace(os.sep, "/").partition("/")[0] in (".", "..")


def is_below(text: str, above: str) -> bool:
    """Whether a path begins with another one, be it in another case where Windows ignores that."""
    return text.startswith(above) or (
        os.sep != "/" and os.path.normcase(text[: len(above)]) == os.path.normcase(above)
    )


def real_path(path: str | os.PathLike[str]) -> str:
    """A path without links; the path itself where there can't be such a file.

    That is where it has a NUL, or more links after one another than Python follows: the system
    follows 40.
    """
    try:
        return os.path.realpath(path)
    except (ValueError, RecursionError):
        return os.path.abspath(path)


def place_key(path: str | os.PathLike[str]) -> PlaceKey:
    """What is equal for all paths to one real file or directory.

    Links are not all that makes two of a path: disks of macOS and Windows ignore case, and macOS
    also how letters with marks are composed.
    """
    real = real_path(path)
    try:
        status = os.stat(real)
    except (OSError, ValueError):
        return real, 0, 0
    return composed(real).casefold(), status.st_dev, status.st_ino


def composed(text: str) -> str:
    """The text with letters and their marks in one code point each (NFC), as far as there are any.

    macOS writes file names that programs made with marks of their own (NFD).
    """
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def find_workspace(start: Path | None = None) -> Workspace:
    """The nearest ancestor of ``start`` (the working directory) that has ``.insomnia/``.

    Where none has, ``start`` itself.
    """
    start = Path(os.path.abspath(start or "."))
    for directory in (start, *start.parents):
        if os.path.isdir(directory / MARKER):
            return Workspace(directory)
    return Workspace(start)


def find_repository(start: Path) -> Path | None:
    """The nearest directory at or above ``start`` that has a ``.git``."""
    return next((d for d in (start, *start.parents) if os.path.lexists(d / ".git")), None)


def find_config_dir(environment: Mapping[str, str] | None = None) -> Path:
    """insomnia's configuration directory: the first of the variables that is set and not empty.

    ``INSOMNIA_CONFIG_DIR``; ``INSOMNIA_HOME`` + ``/config``; ``XDG_CONFIG_HOME`` + ``/insomnia``;
    else ``~/.config/insomnia`` (on macOS too), on Windows the platform's own place.
    """
    environment = os.environ if environment is None else environment
    for variable, below in (
        ("INSOMNIA_CONFIG_DIR", ""),
        ("INSOMNIA_HOME", "config"),
        ("XDG_CONFIG_HOME", "insomnia"),
    ):
        if value := environment.get(variable):
            return Path(os.path.abspath(os.path.join(value, below)))
    if sys.platform == "win32":
        from platformdirs import user_config_path

        return user_config_path("insomnia", appauthor=False)
    # macOS has a place of its own too, but insomnia keeps to ~/.config there.
    return Path(os.path.abspath(os.path.expanduser("~")), ".config", "insomnia")
