"""A shadow and its winner side by side: what is not the same in fields, files and body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from insomnia_skills.copies import FieldDifference, FileDifference, compare_fields, compare_files
from insomnia_skills.limits import MAX_DIFF_LINES
from insomnia_skills.registry import Shadow


class LineEnds(NamedTuple):
    """How the lines of two bodies end: LF, CRLF or mixed."""

    kept: str
    lost: str


@dataclass(frozen=True, slots=True)
class BodyDifference:
    """How two bodies differ.

    ``diff`` is a unified diff without its two first lines (``---``, ``+++``), counting the lines
    of the files; it is empty where ``omitted`` says why there is none, and where only the
    ``line_ends`` differ. These are None where they are the same; the diff does not show them.
    """

    diff: str
    line_ends: LineEnds | None = None
    omitted: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A shadow and its winner side by side; ``body`` is None where the bodies are equal."""

    shadow: Shadow
    fields: tuple[FieldDifference, ...] = ()
    files: tuple[FileDifference, ...] = ()
    body: BodyDifference | None = None


def compare(shadow: Shadow) -> Comparison:
    """All that is not the same in a shadow and its winner.

    Raises `FileChangedError` where a file has another body than it had when it was read.
    """
    if not shadow.differs:
        return Comparison(shadow)
    kept, lost = shadow.kept, shadow.lost
    body = None
    if kept.body_digest != lost.body_digest:
        from insomnia_skills.workflow import load_document

        ours, theirs = load_document(kept), load_document(lost)
        body = diff_bodies(
            ours.body,
            theirs.body,
            _first_line(ours.text, ours.body),
            _first_line(theirs.text, theirs.body),
        )
    return Comparison(
        shadow, tuple(compare_fields(kept, lost)), tuple(compare_files(kept, lost)), body
    )


def _first_line(text: str, body: str) -> int:
    return text.count("\n", 0, len(text) - len(body)) + 1


def diff_bodies(kept: str, lost: str, kept_line: int = 1, lost_line: int = 1) -> BodyDifference:
    """Compare two bodies line by line; ``kept_line`` and ``lost_line`` are their first lines.

    The time is bounded: beyond `MAX_DIFF_LINES` there is no diff.
    """
    line_ends = _unlike_ends(kept, lost)
    if line_ends:
        kept, lost = kept.replace("\r\n", "\n"), lost.replace("\r\n", "\n")
        if kept == lost:
            return BodyDifference("", line_ends)
    from insomnia_skills.unified import unequal_lines, unified_hunks

    if (count := unequal_lines(kept, lost)) > MAX_DIFF_LINES:
        why = f"they differ in {count:,} lines, more than the {MAX_DIFF_LINES:,} that are compared"
        return BodyDifference("", line_ends, why)
    return BodyDifference("".join(unified_hunks(kept, lost, kept_line, lost_line)), line_ends)


def _unlike_ends(kept: str, lost: str) -> LineEnds | None:
    ends = LineEnds(_line_ends(kept), _line_ends(lost))
    alike = ends.kept == ends.lost != "mixed"
    return None if alike or "" in ends else ends


def _line_ends(text: str) -> str:
    windows, all_ = text.count("\r\n"), text.count("\n")
    if windows in (0, all_):
        return "" if not all_ else "CRLF" if windows else "LF"
    return "mixed"
