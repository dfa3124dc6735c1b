"""Run commands in this process, and tell what of it they do that nobody asked for.

``python -m tests.audit TOP COMMANDS``: the directory of a `Tree`, and as JSON the commands, each
with the paths below the workspace that it may write. Prints JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests import cli
from tests.trees import Tree

RUNNING = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.", "ctypes.")
SENDING = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "imaplib.", "webbrowser.")
CHANGING = (
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod"),
    *("os.chown", "os.truncate", "os.utime", "os.setxattr", "shutil.", "sqlite3.connect"),
)
NOT_READING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Audit:
    """What commands do. ``found`` is what they may not, by command."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.command = ""
        self.allowed: list[str] = []
        self.met = 0
        self.found: dict[str, list[str]] = {}
        self.cache = str(tree.top / "cache")

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.command:
            return
        self.met += 1
        if event.startswith((*RUNNING, *SENDING)):
            self._tell(f"{event} {arguments}")
        elif event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            if arguments[2] & NOT_READING:
                self._change(event, arguments[0])
        elif event.startswith(CHANGING):
            for place in arguments[: 2 if event in ("os.rename", "os.link") else 1]:
                self._change(event, place)

    def _change(self, event: str, place: Any) -> None:
        if not isinstance(place, str | bytes | os.PathLike):
            return
        path = os.path.join(self.tree.workspace, os.fsdecode(place))
        if path == os.devnull or (event == "os.mkdir" and os.path.isdir(path)):
            return
        if not path.startswith((self.cache, *self.allowed)):
            self._tell(f"{event} {path}")

    def _tell(self, what: str) -> None:
        self.found.setdefault(self.command, []).append(what)


def run(top: Path, commands: dict[str, list[str]]) -> dict[str, Any]:
    """Run the commands, one after the other."""
    tree, codes = Tree(top), {}
    audit = Audit(tree)
    sys.addaudithook(audit)
    env = cli.environment(tree.top, tree.config, more={"XDG_CACHE_HOME": audit.cache})
    for command, allowed in commands.items():
        audit.allowed = [str(tree.workspace / path) for path in allowed]
        audit.command = command
        codes[command] = cli.call(*command.split(), cwd=tree.workspace, env=env).code
        audit.command = ""
    return {"codes": codes, "found": audit.found, "met": audit.met}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), json.loads(sys.argv[2]))))
