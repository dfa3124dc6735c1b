"""The lines below the directories that `sources discover` shows: what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from insomnia_skills.clients.discover import Discovery, Where
from insomnia_skills.pipeline import Ingest
from insomnia_skills.report.commands import add_command, discover_command
from insomnia_skills.report.discover.table import UNCHECKED
from insomnia_skills.report.text import PathNames, path_word, plural


def discover_summary(
    discovery: Discovery, result: Ingest, name: PathNames, clients: Sequence[str]
) -> Iterator[str]:
    """How to use what is not configured; ``clients`` are the ids that the command was given."""
    options = [f"--client {id}" for id in clients]
    if not discovery.found:
        yield _looked_in(discovery)
        yield f"Each place: {discover_command(result, name, '--all', *options)}"
        return
    if any(not checked for root in discovery.found for _, checked in root.clients):
        yield f"{UNCHECKED} a public installer says so; not checked in the client's own sources"
    broken = [root.path for root in discovery.found if root.broken and root.source is None]
    if broken:
        paths = " ".join(path_word(name(path)) for path in broken)
        yield f"Why skills are broken: insomnia-skills validate {paths}"
    addable = discovery.addable
    if not addable:
        yield nothing_to_add(discovery)
    elif len(addable) == 1:
        (root,) = addable
        yield f"{name(root.path)} is not configured. To use its {plural(root.valid, 'skill')}:"
        yield f"  {add_command(root.path, result, name, root.where is Where.USER)}"
    else:
        skills = plural(sum(root.valid for root in addable), "skill")
        yield f"{len(addable)} directories with {skills} are not configured. To use them:"
        yield f"  {discover_command(result, name, '--add', *options)}"


def nothing_to_add(discovery: Discovery) -> str:
    """Why no directory is worth adding."""
    if not discovery.found:
        return "Nothing to add: no skills directory of other clients is there"
    if any(root.source is None for root in discovery.found):
        return "Nothing to add: those that are not configured have no valid skill"
    return "Nothing to add: all are configured"


def _looked_in(discovery: Discovery) -> str:
    above = sum(where is Where.ANCESTOR for where, _ in discovery.bases)
    looked = ["the workspace"]
    if above:
        looked.append(f"{plural(above, 'directory', 'directories')} above it")
    if discovery.bases[-1][0] is Where.USER:
        looked.append("the home directory")
    return f"No skills directory of other clients is there. Looked in {', '.join(looked)}."
