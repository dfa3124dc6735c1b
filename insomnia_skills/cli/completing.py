"""Completion in bash, zsh and fish.

The command answers with a kind and words, one a line, as they are. No shell evaluates them: its own
functions put them into the command line. Paths a shell completes by itself, as it always does.

Typer's scripts are not used: with them zsh evaluates the words, bash enters them without quotes,
and what stands behind ``=`` is not completed.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import typer
from typer import _completion_shared
from typer._click import shell_completion
from typer._click.shell_completion import CompletionItem
from typer.models import TyperPath

PROGRAM = "insomnia-skills"
INSTRUCTION = "_INSOMNIA_SKILLS_COMPLETE"
LINE = "_INSOMNIA_SKILLS_LINE"
BREAKS = "_INSOMNIA_SKILLS_BREAKS"

_CURSOR = "\0"
_NOT_PLAIN = r"[^\w@%+=:,./-]"

_BASH = f"""\
_insomnia_skills() {{
    local answer
    mapfile -t answer < <(
        {LINE}="${{COMP_LINE:0:COMP_POINT}}" {BREAKS}="$COMP_WORDBREAKS" \\
            {INSTRUCTION}=complete_bash "${{1/#\\~\\//$HOME/}}" 2>/dev/null
    )
    COMPREPLY=()
    case "${{answer[0]-}}" in
        directories) compopt -o dirnames ;;
        files | files_behind) compopt -o default ;;
        words) COMPREPLY=("${{answer[@]:1}}") ;;
        beginnings) COMPREPLY=("${{answer[@]:1}}"); compopt -o nospace ;;
    esac
}}
complete -F _insomnia_skills {PROGRAM}
"""

# zsh calls the function of this name, which is at first this whole file: it replaces itself.
_ZSH = f"""\
#compdef {PROGRAM}
_{PROGRAM}() {{
    local -a answer
    answer=("${{(@f)$(
        {LINE}="${{(j: :)words[1,CURRENT]}}" \\
            {INSTRUCTION}=complete_zsh "${{${{(Q)words[1]}}/#\\~\\//$HOME/}}" 2>/dev/null
    )}}")
    local kind=$answer[1]
    shift answer
    compset -P 1 '[-]*='
    case $kind in
        directories) _path_files -/ ;;
        files) _files ;;
        files_behind) compset -P '*='; _files ;;
        words) _describe {PROGRAM} answer ;;
        beginnings) _describe {PROGRAM} answer -S '' ;;
    esac
}}
if [[ $funcstack[1] == _{PROGRAM} ]]; then
    _{PROGRAM} "$@"
else
    compdef _{PROGRAM} {PROGRAM}
fi
"""

_FISH = f"""\
function __insomnia_skills
    set -l line (commandline -cp | string collect)
    set -l program (commandline -opc | string match -r '.*{PROGRAM}$')
    set program (string replace -r '^~/' "$HOME/" $program)
    set -l answer ({LINE}=$line {INSTRUCTION}=complete_fish $program[1] 2>/dev/null)
    set -l word (commandline -ct)
    set -l option (string match -r -- '^-[^=]*=' $word)
    set -l path (string replace -- "$option" '' $word)
    switch "$answer[1]"
        case directories
            complete -C "nosuchcommand $path" | string match -r '^[^\\t]*/' |
                string replace -r '^' -- "$option"
        case files files_behind
            complete -C "nosuchcommand $path" | string replace -r '^' -- "$option"
        case words beginnings
            string join \\n -- $answer[2..]
    end
end
complete --command {PROGRAM} --no-files --arguments '(__insomnia_skills)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


class Paths(str):
    """Stands in a list of words for paths that begin so, which the shell itself completes."""

    kind = "files"


class Directories(Paths):
    """Directories alone."""

    kind = "directories"


class PathsBehind(Paths):
    """Paths behind the last ``=`` of a word, which to bash and fish are as any others."""

    kind = "files_behind"


def complete_directory(incomplete: str) -> Iterator[str]:
    """Directories: the shell completes those, with its own way to quote them."""
    yield Directories(incomplete)


def complete_file(incomplete: str) -> Iterator[str]:
    """Files and directories; a parameter that is a path has this without asking."""
    yield Paths(incomplete)


def offer_scripts() -> None:
    """Let ``--show-completion`` and ``--install-completion`` give these scripts, not Typer's."""
    scripts = {shell: script.replace("%", "%%") for shell, script in SCRIPTS.items()}
    _completion_shared._completion_scripts.update(scripts)


def read_script(environment: Mapping[str, str]) -> str | None:
    """The script that the environment asks for: ``_INSOMNIA_SKILLS_COMPLETE=source_bash``."""
    return SCRIPTS.get(environment.get(INSTRUCTION, "").removeprefix("source_"))


class Line(NamedTuple):
    """A command line up to the cursor, and which shell asks how it may go on.

    ``words`` are whole, without the program; ``begun`` is the one that the cursor stands in or
    behind. ``breaks`` are the characters at which bash begins another word.
    """

    shell: str
    words: tuple[str, ...]
    begun: str
    breaks: str = ""


def read_line(environment: Mapping[str, str]) -> Line | None:
    """The line that a shell asks about; None where none does, or one that Typer answers."""
    shell = environment.get(INSTRUCTION, "").removeprefix("complete_")
    if shell not in SCRIPTS:
        return None
    line = environment.get(LINE, "") + _CURSOR
    _, *words, begun = ("", *shell_completion.split_arg_string(line))
    # Only what goes before matters for what may be meant: a shell would have expanded it.
    words = [os.path.expanduser(word) for word in words[1:]]
    return Line(shell, tuple(words), begun.removesuffix(_CURSOR), environment.get(BREAKS, ""))


def answer(line: Line, app: typer.Typer) -> bytes:
    """The kind of what may follow, then the words, a line each; nothing where there is an error."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            lines = _answer(line, app)
        except (Exception, SystemExit):
            return b""
    return "".join(f"{text}\n" for text in lines).encode()


def _answer(line: Line, app: typer.Typer) -> list[str]:
    arguments = list(line.words)
    context = shell_completion._resolve_context(typer.main.get_command(app), {}, PROGRAM, arguments)
    asked, begun = shell_completion._resolve_incomplete(context, arguments, line.begun)
    items: list[CompletionItem] = asked.shell_complete(context, begun)
    for item in items:
        if isinstance(item.value, Paths):
            return [item.value.kind]
    if not items and isinstance(getattr(asked, "type", None), TyperPath):
        return [Paths.kind]
    write = _FORMS[line.shell]
    option = line.begun.removesuffix(begun)
    items = [item for item in items if item.value.isprintable()]
    if not items:
        return []
    kind = "beginnings" if all(item.value.endswith("=") for item in items) else "words"
    return [kind, *(write(line, option, item) for item in items)]


def _for_bash(line: Line, option: str, item: CompletionItem) -> str:
    """What bash enters as it is: quoted, and without what it takes for words before."""
    text, begun = option + item.value, line.begun
    before = max((begun.rfind(mark) + 1 for mark in "=:@" if mark in line.breaks), default=0)
    return re.sub(_NOT_PLAIN, r"\\\g<0>", text[before:])


def _for_zsh(line: Line, option: str, item: CompletionItem) -> str:
    """What ``_describe`` reads: a word, a colon, its description."""
    return re.sub(r"[\\:]", r"\\\g<0>", item.value) + (f":{item.help}" if item.help else "")


def _for_fish(line: Line, option: str, item: CompletionItem) -> str:
    """What fish reads: a word, a tab, its description."""
    return f"{option}{item.value}" + (f"\t{item.help}" if item.help else "")


_FORMS = {"bash": _for_bash, "zsh": _for_zsh, "fish": _for_fish}
