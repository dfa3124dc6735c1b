"""Interactive shells on a terminal of their own: type, press TAB, see what stands there."""

from __future__ import annotations

import os
import re
import select
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from insomnia_skills.cli.completing import BREAKS, INSTRUCTION, LINE, PROGRAM

if sys.platform != "win32":
    import fcntl
    import pty
    import termios

_SECONDS = 60
_SHOW = b"\x18\x10"  # Ctrl-X Ctrl-P shows the line as it stands
_KILL_LINE = b"\x15"
_PROMPT = rb"READY> "
_SHOWN = re.compile(rb"<<([^\x00]*?)>>")

# A session of its own has no terminal until it takes one.
_AT_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""

_SETTINGS = {
    "bash": r"""
PS1='READY> '
bind 'set enable-bracketed-paste off'
bind -x '"\C-x\C-p": printf "<<%s>>\n" "$READLINE_LINE"'
""",
    "zsh": r"""
PS1='READY> '
unset zle_bracketed_paste
show-line() { printf '<<%s>>\n' "$BUFFER" }
zle -N show-line
bindkey '^X^P' show-line
bindkey '^U' kill-whole-line
""",
    "fish": r"""
function fish_prompt; echo -n 'READY> '; end
function fish_greeting; end
bind \cx\cp 'printf "<<%s>>\n" (commandline | string collect)'
bind \cu 'commandline ""'
""",
}
_SETTINGS_FILE = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}

TOLD = (INSTRUCTION, LINE, BREAKS)
"""The variables that a script tells the command what to complete in."""

Answer = Callable[[dict[str, str]], bytes]


def why_not(name: str) -> str:
    """Why a shell can't be tried here; empty where it can."""
    if sys.platform == "win32":
        return "there is no terminal for it"
    program = shutil.which(name)
    if program is None:
        return f"{name} is not installed"
    if name == "bash":
        version = subprocess.check_output([program, "-c", "echo $BASH_VERSION"], text=True)
        if tuple(map(int, version.split(".")[:2])) < (4, 4):
            return f"bash {version.strip()} is too old"
    return ""


class Shell:
    """One interactive shell, with a home that the completion is installed in already.

    The command answers from this process: ``answer`` is given what the script tells the command,
    and returns what the command would print. A hundred starts of Python would take a minute.
    ``~/real/insomnia-skills`` is the command itself.
    """

    def __init__(self, name: str, home: Path, cwd: Path, answer: Answer) -> None:
        self._name, self._cwd, self._answer = name, cwd, answer
        program = shutil.which(name)
        assert program is not None
        self._program = program
        settings = home / _SETTINGS_FILE[name]
        settings.parent.mkdir(parents=True, exist_ok=True)
        installed = settings.read_text() if settings.exists() else ""
        # Else it asks about directories that others may write to.
        installed = installed.replace("compinit; compinit", "compinit; compinit -u")
        settings.write_text(f"{installed}\n{_SETTINGS[name]}")
        # Else fish reads all manual pages in the background, once for each home.
        (home / ".local/share/fish/generated_completions").mkdir(parents=True)
        asked, answered = home / "asked", home / "answered"
        os.mkfifo(asked)
        os.mkfifo(answered)
        told = " ".join(f'"${variable}"' for variable in TOLD)
        _write_command(
            home / "bin" / PROGRAM, f"printf '%s\\0' {told} > '{asked}'", f"cat '{answered}'"
        )
        _write_command(
            home / "real" / PROGRAM, f'exec "{sys.executable}" -P -m insomnia_skills "$@"'
        )
        self._asked = os.open(asked, os.O_RDWR)  # for reading alone it would end with each question
        self._answered = answered
        self._env = {
            "HOME": str(home),
            "INSOMNIA_CONFIG_DIR": str(home / "config"),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{home}/bin:{Path(program).parent}:{os.defpath}",
            "TERM": "xterm",
        }
        options = {"bash": ["--noprofile"], "zsh": ["-d"], "fish": []}[name]
        self._terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _AT_TERMINAL, program, *options, "-i"],
            cwd=cwd,
            env=self._env,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        self._read(re.compile(_PROMPT))

    def complete(self, line: str) -> str:
        """The line after one TAB."""
        os.write(self._terminal, line.encode() + b"\t" + _SHOW)
        shown = self._read(_SHOWN)[1].decode().replace("\r\n", "\n")
        os.write(self._terminal, _KILL_LINE)
        return shown

    def words(self, line: str) -> list[str]:
        """What this shell makes of a line: its words, with all that it would evaluate."""
        script = f"printf '%s\\0' {line}"
        options = ["-f"] if self._name == "zsh" else []
        done = subprocess.run(
            [self._program, *options, "-c", script],
            cwd=self._cwd,
            env=self._env,
            stdout=subprocess.PIPE,
            check=True,
        )
        return done.stdout.decode().split("\0")[:-1]

    def close(self) -> None:
        os.close(self._terminal)
        os.close(self._asked)
        self._process.kill()
        self._process.wait()

    def _read(self, wanted: re.Pattern[bytes]) -> re.Match[bytes]:
        """Read until something is there, and answer what is asked meanwhile."""
        seen, question, end = b"", b"", time.monotonic() + _SECONDS
        while time.monotonic() < end:
            ready, _, _ = select.select([self._terminal, self._asked], [], [], 1)
            if self._asked in ready:
                question += os.read(self._asked, 65536)
                if question.count(b"\0") == len(TOLD):
                    told = dict(zip(TOLD, question.decode().split("\0"), strict=False))
                    self._answered.write_bytes(self._answer(told))
                    question = b""
            if self._terminal in ready:
                seen += os.read(self._terminal, 65536)
                if seen.endswith((b"\x1b[c", b"\x1b[0c")):  # it asks what the terminal can do
                    os.write(self._terminal, b"\x1b[?1;2c")
            if match := wanted.search(seen):
                return match
        raise AssertionError(f"{self._name} did not show {wanted.pattern!r} but {seen!r}")


def _write_command(path: Path, *lines: str) -> None:
    path.parent.mkdir()
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
