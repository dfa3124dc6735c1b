"""What holds of every tree: order decides nothing, and scope grants the winners and no more."""

from __future__ import annotations

import errno
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from insomnia_skills import Ingest
from insomnia_skills.checking.check import check_paths, check_workspace
from insomnia_skills.clients.discover import discover_roots
from insomnia_skills.registry import Relation, resolve
from insomnia_skills.resolution.absence import explain_absence
from insomnia_skills.resolution.ladder import Outcome, build_ladder
from insomnia_skills.resources import list_resources
from insomnia_skills.scope import check_readable, find_escapes, is_readable, scope_rules
from insomnia_skills.sources import SourceKind
from tests.trees import Tree, break_skill, link, write, write_manifest, write_skill

pytestmark = pytest.mark.slow

NAMES = ("a", "b", "c-d", "SKILL.md", "Z")
"""The last two are no slugs, and the first of them is a trap besides."""

SLUGS = NAMES[:3]

ROOTS = (
    "workspace/r0",
    "workspace/r1",
    "workspace/.claude/skills",
    "workspace/r0/a/more",  # in a skill
    "config/skills",
    "config/other",
    "elsewhere",
)


class Item(NamedTuple):
    """What lies at a path, as a stranger chose it.

    ``target`` is where a link leads, for a twin the root that has a skill of the same name.
    """

    path: str
    kind: str
    target: str


_places = st.builds(
    os.path.join,
    st.sampled_from((*ROOTS, *ROOTS[:2], *ROOTS[:2], "config/skills")),
    st.sampled_from((*NAMES, "a", "a", "b")),
)
_files = st.builds(
    os.path.join,
    _places,
    st.sampled_from(("SKILL.md", "x", "scripts/run.sh", "deep/er/SKILL.md", "l", "deep/l")),
)
_targets = st.one_of(
    *(_places, _files, st.sampled_from(ROOTS)),
    st.sampled_from((".", "..", "/dev/null", "nowhere", "loop", "workspace", "config/skills")),
)
_skills = st.builds(
    Item, _places, st.sampled_from(("skill", "skill", "other", "other", "broken")), st.just("")
)
_links = st.one_of(
    st.builds(Item, _places, st.just("twin"), st.sampled_from(ROOTS)),
    st.builds(Item, _files, st.sampled_from(("link", "absolute", "text", "empty")), _targets),
    st.builds(
        Item,
        st.one_of(_places, _files, st.sampled_from(ROOTS)),
        st.sampled_from(("link", "link", "absolute", "text", "empty")),
        _targets,
    ),
)
_natives = st.builds(
    Item,
    st.sampled_from([f"workspace/.insomnia/memory/workflow/{name}.md" for name in NAMES]),
    st.sampled_from(("native", "not-native", "link", "empty")),
    _targets,
)
_entries = st.lists(
    st.sampled_from(
        ("r0", "r1", "r0", "r1", "r0/", "./r0/../r1", "r0/a/more", "../elsewhere", ".", "r0/a")
    )
    | st.sampled_from((".claude/skills", "missing", "../config/skills", "loop", "r1/a")),
    min_size=2,
    max_size=6,
)


class Plan(NamedTuple):
    """A tree: what lies where, and what the two manifests name."""

    items: list[Item]
    entries: list[str]
    of_user: list[str]


PLANS = st.builds(
    Plan,
    st.builds(
        lambda *lists: [item for items in lists for item in items],
        *(st.lists(_skills, min_size=6, max_size=16), st.lists(_links, max_size=12)),
        st.lists(_natives, max_size=2),
    ),
    _entries,
    st.lists(st.sampled_from(("other", "skills", "../workspace/r1", "../elsewhere")), max_size=2),
)


def put(top: Path, item: Item) -> None:
    """Lay out one item, if nothing is in its way."""
    path = top / item.path
    if os.path.lexists(path) and item.kind not in ("skill", "other", "broken"):
        return
    target = os.path.relpath(top / item.target, path.parent)
    ways: dict[str, Callable[[], object]] = {
        "skill": lambda: write_skill(path.parent, path.name),
        "other": lambda: write_skill(path.parent, path.name, body="Do it in another way.\n"),
        "broken": lambda: break_skill(path.parent, path.name),
        "link": lambda: link(path, target),
        "twin": lambda: link(path, top / item.target / path.name),
        "absolute": lambda: link(path, top / item.target),
        "native": lambda: write(path, "---\ndescription: Native.\n---\nDo it.\n"),
        "not-native": lambda: write(path, "---\nrequires: x\n---\nDo it.\n"),
        "empty": lambda: path.mkdir(parents=True),
        "text": lambda: write(path, f"{item.target}\n"),
    }
    with suppress(OSError):  # something that is no directory is in its way
        ways[item.kind]()


@contextmanager
def laid_out(plan: Plan) -> Iterator[Tree]:
    """The tree of a plan, for one example."""
    place = Path(os.path.realpath(tempfile.mkdtemp()))
    try:
        yield fill(Tree(place / "top"), plan)  # a link may lead above it
    finally:
        shutil.rmtree(place)


def fill(tree: Tree, plan: Plan) -> Tree:
    # What one item is in the way of must not depend on their order.
    for item in sorted(set(plan.items), key=lambda item: (item.path.count("/"), item)):
        put(tree.top, item)
    link(tree.top / "loop", "loop")
    tree.workspace.mkdir(exist_ok=True)
    tree.name_roots(*plan.entries)
    write_manifest(tree.user_manifest, *plan.of_user)
    return tree


# --- who wins ------------------------------------------------------------------------------------


class Shuffled:
    """What `os.scandir` gives, in another order."""

    def __init__(self, entries: Iterable[os.DirEntry[Any]], order: random.Random) -> None:
        self._entries = list(entries)
        order.shuffle(self._entries)
        self._rest = iter(self._entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass

    def __iter__(self) -> Iterator[os.DirEntry[Any]]:
        return self._rest

    def __next__(self) -> os.DirEntry[Any]:
        return next(self._rest)

    def close(self) -> None:
        pass


@contextmanager
def shuffled(seed: int) -> Iterator[None]:
    """Let the file system list every directory in an order of its own."""
    order = random.Random(seed)
    scandir, listdir = os.scandir, os.listdir

    def scan(*given: Any) -> Shuffled:
        with scandir(*given) as entries:
            return Shuffled(entries, order)

    def names(*given: Any) -> list[Any]:
        found = listdir(*given)
        order.shuffle(found)
        return found

    with patch.object(os, "scandir", scan), patch.object(os, "listdir", names):
        yield


def everything(tree: Tree) -> dict[str, Any]:
    """All that there is to say of a tree."""
    result = tree.ingest(thorough=True)
    rules = scope_rules(result.workflows)
    slugs = sorted({candidate.slug for candidate in result.candidates} | {"missing", "a"})
    ladders = [build_ladder(result, slug) for slug in slugs]
    with patch.dict(os.environ, HOME=str(tree.top)):
        absences = [explain_absence(result, ladder) for ladder in ladders]
    return {
        "ingest": result,
        "workspace": check_workspace(result),
        "paths": check_paths(tree.top),
        "rules": rules,
        "escapes": list(find_escapes(result.workflows, rules)),
        "resources": [list_resources(w.directory) for w in result.workflows if w.directory],
        "ladders": ladders,
        "absences": absences,
        "discovered": discover_roots(result, here=tree.workspace, home=tree.top),
    }


def made_again(tree: Tree, order: random.Random) -> None:
    """Make the same tree anew, its files in another order."""
    files = [path for path in tree.top.rglob("*") if path.is_symlink() or path.is_file()]
    directories = [path for path in tree.top.rglob("*") if not path.is_symlink() and path.is_dir()]
    made: list[tuple[Path, str | bytes | None]] = [(directory, None) for directory in directories]
    made += ((p, os.readlink(p) if p.is_symlink() else p.read_bytes()) for p in files)
    order.shuffle(made)
    for path in tree.top.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for path, content in made:
        match content:
            case None:
                path.mkdir(parents=True, exist_ok=True)
            case str():
                link(path, content)
            case bytes():
                write(path, content)


NO_SHRINKING = (Phase.explicit, Phase.generate)
QUICK = settings(max_examples=settings().max_examples, phases=NO_SHRINKING)


@settings(QUICK, max_examples=QUICK.max_examples // 5)
@given(plan=PLANS, seed=st.integers(0, 99))
def test_nothing_depends_on_the_order_in_which_files_are_listed_or_made(
    plan: Plan, seed: int
) -> None:
    with laid_out(plan) as tree:
        first = everything(tree)
        with shuffled(seed):
            second = everything(tree)
        made_again(tree, random.Random(seed))
        third = everything(tree)
    for what, said in first.items():
        assert second[what] == said, what
        assert third[what] == said, what


def rank_of(rank: str) -> tuple[int, ...]:
    return tuple(map(int, rank.split(".")))


def lies_in(path: Path, directory: Path) -> bool:
    """Whether a path, its links resolved, is a directory or lies below it."""
    real, above = os.path.realpath(path), os.path.realpath(directory)
    return real == above or real.startswith(os.path.join(above, ""))


def is_valid(directory: Path) -> bool:
    """Whether a directory holds a skill, told without any of the code that is tested."""
    file = directory / "SKILL.md"
    try:
        text = file.read_text()
    except OSError:
        return False
    own = lies_in(file, directory) and file.is_file()
    return (
        own
        and text.startswith(f"---\nname: {directory.name}\ndescription: ")
        and (directory.name in ("a", "b", "c-d"))
    )


def is_native(file: Path) -> bool:
    """Whether a file is a native Workflow, told in the same way."""
    begins = file.is_file() and file.read_text().startswith("---\ndescription: ")
    return begins and file.stem in SLUGS


def expected_winners(result: Ingest) -> dict[str, Path]:
    """The directory that a slug should come from, or the file of a native Workflow."""
    winners: dict[str, Path] = {}
    for source in result.sources:
        if not source.scanned:
            continue
        native = source.kind is SourceKind.WORKSPACE_WORKFLOW
        for child in source.path.iterdir():
            if is_native(child) if native else is_valid(child):
                winners.setdefault(child.stem if native else child.name, child)
    return winners


@QUICK
@given(plan=PLANS)
def test_who_wins(plan: Plan) -> None:
    with laid_out(plan) as tree:
        result = tree.ingest()
        assert tree.ingest() == result
        places = {w.slug: w.directory or w.path for w in result.workflows}
        assert places == expected_winners(result)
        won = {(w.source.rank, w.path) for w in result.workflows}
        lost = {(s.lost.source.rank, s.lost.path) for s in result.shadows}
        skipped = {(c.source.rank, c.path) for c in (*result.skipped, *result.broken)}
        every = sorted((c.source.rank, c.path) for c in result.candidates)
        assert sorted([*won, *lost, *skipped]) == every, "each is exactly one of the three"
        ranks = [rank_of(source.rank) for source in result.sources]
        assert ranks == sorted(set(ranks))
        along = [(rank_of(c.source.rank), c.slug) for c in result.candidates]
        assert along == sorted(set(along))
        for shadow in result.shadows:
            assert rank_of(shadow.kept.source.rank) < rank_of(shadow.lost.source.rank)
            assert result.find(shadow.slug) == shadow.kept or shadow.kept.stand_in is False
            same = os.path.samefile(shadow.kept.path, shadow.lost.path)
            assert (shadow.relation is Relation.SAME_FILE) == same
        for slug in {candidate.slug for candidate in result.candidates}:
            _assert_ladder(result, slug)
        winners = [c for c in result.candidates if (c.source.rank, c.path) in won]
        again = resolve(winners)
        assert [w._replace(stand_in=False) for w in result.workflows] == list(again.workflows)
        assert (again.shadows, again.diagnostics) == ((), ())


def _assert_ladder(result: Ingest, slug: str) -> None:
    ladder = build_ladder(result, slug)
    assert [rung.source for rung in ladder.rungs] == list(result.sources)
    winning = [rung for rung in ladder.rungs if rung.outcome is Outcome.WINS]
    winner = result.find(slug)
    assert [rung.candidate and rung.candidate.path for rung in winning] == (
        [winner.path] if winner else []
    )
    for rung in ladder.rungs:
        mine = [c for c in result.candidates if (c.slug, c.source) == (slug, rung.source)]
        assert rung.candidate == (mine[0] if mine else None)
        assert len(mine) <= 1


# --- scope ---------------------------------------------------------------------------------------


def everywhere(top: Path) -> Iterator[Path]:
    """Every path below a directory, without following a link; and some where nothing is."""
    for place, directories, files in os.walk(top):
        for name in (*directories, *files):
            yield Path(place, name)
        yield Path(place, "nothing")


@QUICK
@given(plan=PLANS)
def test_scope_grants_the_winners_and_nothing_else(plan: Plan) -> None:
    with laid_out(plan) as tree:
        result = tree.ingest()
        directories = [Path(os.path.realpath(w.directory)) for w in result.workflows if w.directory]
        rules = scope_rules(result.workflows)
        assert sorted(slug for rule in rules for slug in rule.slugs) == sorted(
            w.slug for w in result.workflows if w.directory
        )
        targets = [rule.target for rule in rules]
        assert set(targets) <= set(directories)
        assert not any(a != b and a.is_relative_to(b) for a in targets for b in targets)
        paths = [tree.top, *everywhere(tree.top)]
        for path, check in zip(paths, check_readable(paths, result), strict=True):
            granted = any(lies_in(path, d) for d in directories)
            granted = granted and not lies_in_a_circle(path)
            assert (check.rule is not None) == granted, path
            assert (is_readable(path, rules) is not None) == granted, path
            assert check.place.exists == path.exists()
        out = {
            (os.path.realpath(place), name)
            for directory in directories
            for place, below, files in os.walk(directory)
            for name in (*below, *files)
            if os.path.islink(os.path.join(place, name))
            and not any(lies_in(Path(place, name), d) for d in directories)
        }
        found = [
            (os.path.realpath(e.path.parent), e.path.name)
            for e in find_escapes(result.workflows, rules)
        ]
        assert sorted(found) == sorted(out), "each of them once"


def lies_in_a_circle(link: Path) -> bool:
    try:
        os.stat(link)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False
