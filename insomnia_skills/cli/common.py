"""What every command takes, and how every command speaks and ends."""

from __future__ import annotations

import inspect
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.models import TyperPath

from insomnia_skills.cli.completing import complete_directory
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.report.screen import Color
from insomnia_skills.report.text import PathNames, one_line, path_text, shell_word
from insomnia_skills.workspace import (
    MARKER,
    Workspace,
    absolute_path,
    find_repository,
    find_workspace,
)

if TYPE_CHECKING:
    from rich.console import Console

    from insomnia_skills.cli.reading import Means
    from insomnia_skills.pipeline import Ingest


class Exit(IntEnum):
    """Exit codes (decision: commands and exit codes); from 70 on those of other Unix tools."""

    YES = 0
    NO = 1
    WRONG_QUESTION = 2
    FAULT = 70
    NO_OUTPUT = 74
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class _GivenPath(TyperPath):
    """A path of the command line, which names something."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        # It would be the working directory, and in a script is a variable without a value.
        if not value:
            self.fail("it is empty; the working directory is .", param, ctx)
        return super().convert(value, param, ctx)


GIVEN_PATH = _GivenPath()

_COMMON = "Common options"
_UTF8 = "PYTHONUTF8=1 in the environment makes names UTF-8"

ColorOption = Annotated[
    Color,
    typer.Option(
        "--color",
        help="Colour; auto obeys NO_COLOR and FORCE_COLOR.",
        rich_help_panel=_COMMON,
    ),
]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of every command that reads a workspace."""

    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            click_type=GIVEN_PATH,
            metavar="DIR",
            help="The workspace's root. Default: the nearest directory upward with .insomnia/.",
            autocompletion=complete_directory,
            rich_help_panel=_COMMON,
        ),
    ] = None
    no_user: Annotated[
        bool,
        typer.Option(
            "--no-user",
            help="Leave out the user's manifest and skills.",
            rich_help_panel=_COMMON,
        ),
    ] = False
    directory: Annotated[
        list[Path] | None,
        typer.Option(
            "--directory",
            click_type=GIVEN_PATH,
            metavar="DIR",
            help="An extra skills root, ranked before the manifest's. May be repeated.",
            autocompletion=complete_directory,
            rich_help_panel=_COMMON,
        ),
    ] = None
    color: ColorOption = Color.AUTO
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Say nothing but results and errors.", rich_help_panel=_COMMON
        ),
    ] = False
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Show notes (info) too.", rich_help_panel=_COMMON),
    ] = False

    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Read with N processes. Default: as many as pay off.",
            rich_help_panel=_COMMON,
        ),
    ] = None
    no_cache: Annotated[
        bool,
        typer.Option(
            "--no-cache",
            help="Neither use nor keep what was found out about files.",
            rich_help_panel=_COMMON,
        ),
    ] = False

    def require_directories(self) -> None:
        """End with exit code 2 unless the working directory and those given are there."""
        try:
            os.getcwd()
        except OSError:
            fail("the working directory is not there any more")
        for option, path in (
            ("--workspace", self.workspace),
            *(("--directory", directory) for directory in self.directory or ()),
        ):
            if path is not None and not os.path.isdir(path):
                what = "is not a directory" if os.path.lexists(path) else "does not exist"
                fail(f'{option}: "{path}" {what}')
        if self.workspace is not None and not self.quiet:
            _tell_of_workspace_above(self.workspace)

    def ingest(
        self,
        thorough: bool = False,
        drafts: Mapping[Path, bytes] = {},
        means: Means | None = None,
    ) -> Ingest:
        """Run the pipeline with these options; ``drafts`` are manifests not yet written.

        Without ``means``, Ctrl-C ends the command.
        """
        from insomnia_skills.cli.reading import reading
        from insomnia_skills.pipeline import ingest

        if means is None:
            with reading(self) as means:
                result = self.ingest(thorough, drafts, means)
            if result.interrupted:
                raise KeyboardInterrupt
            return result
        return ingest(
            self.workspace,
            user=not self.no_user,
            directories=self.directory or (),
            thorough=thorough,
            drafts=drafts,
            reader=means.reader,
        )

    def console(self) -> Console:
        from insomnia_skills.report.screen import make_console

        return make_console(self.color)

    def shows(self, severity: Severity, strict: bool = False) -> bool:
        """Whether diagnostics of this weight are shown to people; all that fail are."""
        if severity is Severity.INFO:
            return self.verbose
        if strict:
            return True
        return severity is Severity.ERROR or not self.quiet


def _tell_of_workspace_above(given: Path) -> None:
    """Say that what was given as a workspace only lies in one."""
    root = absolute_path(given)
    above = find_workspace(root).root
    if above != root and not root.is_relative_to(above / MARKER):
        name = PathNames()
        say(f"note: {name(root)} has no {MARKER}/; the workspace around it is {name(above)}")
    elif above != root:
        say(f"note: a workspace is the directory that has {MARKER}/: {PathNames()(above)}")


def _tell_of_encoding() -> None:
    """Say that names of files may be taken for others than they are."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        say(f"note: names of files are {encoding} in this locale, which may mislead; {_UTF8}")


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add the common options to a command, which gets them as ``settings``."""
    own = [
        parameter
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.name != "settings"
    ]
    hints = inspect.get_annotations(Settings, eval_str=True)
    common = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(Settings)
    ]

    def run(**given: Any) -> None:
        settings = Settings(**{field.name: given.pop(field.name) for field in fields(Settings)})
        with well_ended():
            _tell_of_encoding()
            settings.require_directories()
            command(settings=settings, **given)

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in (*own, *common)
    ]
    run.__name__ = command.__name__
    run.__doc__ = command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


@contextmanager
def well_ended() -> Iterator[None]:
    """End in one line and with a code of its own where a command can't go on.

    Typer would end all of these with 1, which here means that the answer is no.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Who read our output has had enough.
        give_up_stdout()
        raise typer.Exit(Exit.BROKEN_PIPE) from None
    except KeyboardInterrupt:
        say("interrupted")
        raise typer.Exit(Exit.INTERRUPTED) from None
    except typer.Exit:
        raise
    except OSError as error:
        # Files are read with care; what is left is a full disk, or too few descriptors.
        where = f": {error.filename}" if error.filename else ""
        give_up_stdout()  # first, or `say` would meet the same error
        say(f"error: can't go on: {error.strerror or error}{where}")
        raise typer.Exit(Exit.NO_OUTPUT) from None
    except UnicodeEncodeError as error:
        if sys.getfilesystemencoding() == "utf-8":
            _tell_of_fault(error)
            raise typer.Exit(Exit.FAULT) from error
        fail(f'no file can be called "{error.object}" in this locale', _UTF8)
    except MemoryError:
        say("error: can't go on: there is not enough memory")
        raise typer.Exit(Exit.NO_OUTPUT) from None
    except Exception as error:
        _tell_of_fault(error)
        raise typer.Exit(Exit.FAULT) from error


def _tell_of_fault(error: Exception) -> None:
    say(f"internal error: {type(error).__name__}: {one_line(str(error))}")
    say("  help: this is a fault of insomnia-skills, please report it with what you ran")


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let a signal to end, or a hang-up, leave no file behind that is only half written."""

    def end(number: int, frame: object) -> None:
        for other in before:  # one more of them would leave what is now cleared away
            signal.signal(getattr(signal, other), signal.SIG_IGN)
        raise SystemExit(128 + number)

    before: dict[str, Any] = {}
    try:
        # What is ignored stays so: nohup does that with a hang-up, and Windows has none.
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
                before[name] = signal.signal(getattr(signal, name), end)
    except ValueError:  # not in the main thread, where no signal comes
        yield
        return
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def give_up_stdout() -> None:
    """What could not be written is dropped; Python would complain once more at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_terminal() -> bool:
    """Whether results go to a person: then they are tables, else one record a line."""
    return sys.stdout.isatty()


class RecordFormat(StrEnum):
    """How records are written; ``auto`` is a table on a terminal, else one record a line."""

    AUTO = "auto"
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"

    def is_table(self) -> bool:
        return self is RecordFormat.TABLE or (self is RecordFormat.AUTO and is_terminal())


FormatOption = Annotated[
    RecordFormat,
    typer.Option(
        "--format", help="auto: a table on a terminal, one record a line (plain) when piped."
    ),
]


def write(lines: Iterable[str]) -> None:
    """Print result lines to stdout."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def write_bytes(data: bytes) -> None:
    """Write a document to stdout, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def refuse_to_steer(text: str, view: str) -> None:
    """End with 2 before a text goes to a terminal that would act on what is in it."""
    from insomnia_skills.report.text import HARMFUL, written_out

    found = HARMFUL.search(text.replace("\r\n", "\n"))
    if is_terminal() and found:
        fail(
            f"{view} would write {written_out(found[0])}, which a terminal may act on or hide",
            "put | less behind the command, or read it without " + view,
        )


def write_json(document: dict[str, Any]) -> None:
    """Write a JSON document to stdout."""
    from insomnia_skills.report.objects import dump

    write_bytes(dump(document))


def say(line: str) -> None:
    """Print a line to stderr: everything that is no result."""
    sys.stdout.flush()
    with suppress(OSError):  # a full disk behind stderr is no answer to the question
        print(path_text(line), file=sys.stderr, flush=True)


def tell(
    result: Ingest,
    settings: Settings,
    errors_only: bool = False,
    told: Collection[Diagnostic] = frozenset(),
) -> None:
    """Say on stderr what is wrong with what was read, but for what was ``told`` before.

    Errors, and unless ``errors_only`` warnings about manifests and skills roots; with ``-v``
    everything. What is to be said of single skills is otherwise `validate`'s to say.
    """
    warned_of = set() if errors_only or settings.quiet else set(result.source_diagnostics)
    tell_all(
        d
        for d in result.diagnostics
        if d not in told
        and (
            d.severity is Severity.ERROR
            or settings.verbose
            or (d in warned_of and d.severity is Severity.WARNING)
        )
    )


def tell_all(diagnostics: Iterable[Diagnostic]) -> None:
    """Say diagnostics on stderr, one line each."""
    from insomnia_skills.report.diagnostics import concise

    name = PathNames()
    for diagnostic in diagnostics:
        say(concise(diagnostic, name))


def tell_of_new_workspace(workspace: Workspace, settings: Settings) -> None:
    """Say that a directory becomes a workspace where its repository might have been meant."""
    root = workspace.root
    if settings.workspace is not None or os.path.lexists(root / MARKER):
        return
    repository = find_repository(root)
    if repository is not None and repository != root:
        whole = shell_word(PathNames()(repository))
        say(
            f"note: this makes {path_text(root.name)} a workspace of its own; "
            f"for the whole repository: --workspace {whole}"
        )


def fail(message: str, help_: str | None = None, code: Exit = Exit.WRONG_QUESTION) -> NoReturn:
    """End with an error and the next step; with exit code 2 where the question was wrong."""
    say(f"error: {one_line(message)}")
    if help_:
        say(f"  help: {one_line(help_)}")
    raise typer.Exit(code)


def require_candidates(result: Ingest, option: str) -> None:
    """End with exit code 2 where an option is to check something and there is nothing to check.

    A check of nothing must not pass for a check of everything.
    """
    if result.manifest_readable and not result.candidates:
        from insomnia_skills.report.commands import list_command

        fail(
            f"{option}: nothing to check, there is no skill and no native Workflow",
            f"{list_command(result, PathNames())} says where it looked",
        )


def finish(result: Ingest) -> None:
    """End a command that resolves.

    2 where a manifest cannot be read, 1 where a native Workflow is broken or anything else but a
    skipped skill has an error, else 0.
    """
    if result.interrupted:
        say("interrupted: this is what was read until then")
        raise typer.Exit(Exit.INTERRUPTED)
    if not result.manifest_readable:
        raise typer.Exit(Exit.WRONG_QUESTION)
    if result.has_errors:
        raise typer.Exit(Exit.NO)
