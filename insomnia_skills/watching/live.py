"""What is read again when something changes: no more than what may have become another."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from insomnia_skills.checking.check import (
    CheckedFile,
    FileKind,
    NotCheckableError,
    check_workspace,
    judge_paths,
)
from insomnia_skills.diagnostic import Diagnostic
from insomnia_skills.file import broken_symlink, link_target
from insomnia_skills.judged import Judged
from insomnia_skills.reading import Kind, Note, Reader
from insomnia_skills.registry import Candidate, Registry, resolve
from insomnia_skills.resources import ships_files
from insomnia_skills.scan import Found, look_at, scan_tree
from insomnia_skills.sources import SKILL_FILE, Source, SourceKind
from insomnia_skills.watching.events import SKIPPED_DIRECTORIES
from insomnia_skills.watching.places import ALL, Places, below, real_place, with_parents
from insomnia_skills.workflow import workflow_from_skill
from insomnia_skills.workspace import MARKER, Workspace, real_path

if TYPE_CHECKING:
    from insomnia_skills.pipeline import Ingest

MOST_KEYS = 2_000
"""If more skills than this may have changed at once, everything is read again, which has help."""

MOST_PLACES = 10_000
"""So is it if more places changed at once: the system loses changes when nobody is quick enough."""

_LEADING_ELSEWHERE = ("broken-symlink", "link-escapes-skill")
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"


Judge: TypeAlias = Callable[[Sequence[Path], Note], Iterable[CheckedFile]]
"""Judges what lies at paths with a reader that has this note."""


class Update(NamedTuple):
    """What was read again: the files that were judged there before, and those that are now.

    ``whole`` says that this was all there is.
    """

    before: Sequence[CheckedFile]
    after: Sequence[CheckedFile]
    whole: bool


class Live(ABC):
    """An answer that is kept up to date. A skill's key is its directory's path.

    ``also`` tells of more places on which all of it depends, such as a configuration file.
    ``places`` are those on which it depends; ``links`` are links to directories, by their places.
    """

    def __init__(self, also: Callable[[], Iterable[Path]] = tuple) -> None:
        self._also = also
        self.places = Places()
        self.links: set[str] = set()
        self._needs = _Needs()

    @property
    @abstractmethod
    def files(self) -> Sequence[CheckedFile]:
        """All files that were judged."""

    @property
    @abstractmethod
    def others(self) -> tuple[Diagnostic, ...]:
        """What is to be said that belongs to no single file."""

    @abstractmethod
    def read_all(self) -> Update:
        """Read everything, again or for the first time."""

    def update(self, places: Mapping[str, bool]) -> Update | None:
        """Read again what depends on the places that changed; None where nothing does.

        The places are real, and each with whether something came or went there. Without any place,
        everything is read again.
        """
        ships_files.cache_clear()
        if not places or len(places) > MOST_PLACES:
            return self.read_all()
        keys = {key for item in places.items() for key in self._affected(*item)}
        keys.update(self._needs.lonely(place for place, changed in places.items() if changed))
        if ALL in keys or len(keys) > MOST_KEYS:
            return self.read_all()
        return self._update(keys) if keys else None

    @abstractmethod
    def _affected(self, place: str, came_or_went: bool) -> Iterator[str]:
        """The keys to which a change matters."""

    @abstractmethod
    def _update(self, keys: set[str]) -> Update | None:
        """Read again what has these keys."""

    def _begin(self) -> None:
        """Forget on what it depends, before everything is read."""
        ships_files.cache_clear()
        self.places, self.links, self._needs = Places(), set(), _Needs()
        for path in self._also():
            self.places.add_spot(str(path), ALL)

    def _forget(self, key: str) -> None:
        """Forget on what a skill depends, before it is read again."""
        self.places.discard(key)
        self._needs.discard(key)

    def _note(self, found: Found, judged: Judged) -> None:
        self._needs.note(found, judged)

    def _depend(self, key: str, real: str, diagnostics: Iterable[Diagnostic]) -> None:
        """Learn on what a skill depends; ``real`` is the real path of its directory."""
        self.places.add_known_tree(real, key)
        for place in self._needs.outside.get(key, ()):
            self.places.add_spot(place, key)
        for diagnostic in diagnostics:
            if diagnostic.rule in _LEADING_ELSEWHERE:
                self.places.add_spot(str(diagnostic.path), key)
                self.links.add(real_place(str(diagnostic.path)))
        if os.path.islink(key):
            self._depend_on_link(key)

    def _depend_on_link(self, key: str) -> None:
        """A link stands where a skill should, and maybe leads to one."""
        self.places.add_tree(key, key)
        self.links.add(real_place(key))


class _Needs:
    """What skills were judged by besides their own directories, by their keys."""

    def __init__(self) -> None:
        self.outside: dict[str, list[str]] = {}
        self._roots: defaultdict[str, set[str]] = defaultdict(set)
        self._ship: dict[str, bool] = {}

    def note(self, found: Found, judged: Judged) -> None:
        directory, name = os.path.split(found.file)
        outside = [path for path in judged.asked if path.startswith("../")]
        if outside:
            real = real_path(directory)
            outside = [os.path.normpath(os.path.join(real, path)) for path in outside]
        if any(entry.name == name and entry.is_symlink() for entry in found.entries or ()):
            outside.append(found.file)
        if outside:
            self.outside[directory] = outside
        if judged.alone is not None:
            root = os.path.dirname(directory)
            self._roots[root].add(directory)
            self._ship.setdefault(root, ships_files(root))

    def discard(self, key: str) -> None:
        self.outside.pop(key, None)
        self._roots[os.path.dirname(key)].discard(key)

    def lonely(self, changed: Iterable[str]) -> Iterator[str]:
        """Skills in whose roots files came or went so that it matters to them.

        ``changed`` are the places where something did.
        """
        places = {above for place in changed for above in with_parents(place)}
        for root, keys in self._roots.items():
            if keys and real_path(root) in places:
                ship = ships_files(root)
                if ship != self._ship[root]:
                    self._ship[root] = ship
                    yield from keys


class LiveWorkspace(Live):
    """All that a workspace gives, as `ingest` tells.

    ``read`` runs the pipeline with a reader that has this ``note``.
    """

    def __init__(
        self, read: Callable[[Note], Ingest], also: Callable[[], Iterable[Path]] = tuple
    ) -> None:
        super().__init__(also)
        self._read = read
        self._ingest: Ingest | None = None
        self._files: dict[str, CheckedFile] = {}
        self._groups: dict[str, dict[str, Candidate]] = {}
        self._sources: dict[str, Source] = {}
        self._roots: defaultdict[str, list[str]] = defaultdict(list)

    @property
    def ingest(self) -> Ingest:
        """What the workspace gives now."""
        assert self._ingest is not None, "nothing was read yet"
        return self._ingest

    @property
    def files(self) -> Sequence[CheckedFile]:
        return tuple(self._files.values())

    @property
    def others(self) -> tuple[Diagnostic, ...]:
        return (*self.ingest.root_diagnostics, *self.ingest.registry.diagnostics)

    def read_all(self) -> Update:
        self._begin()
        ingest = self._read(self._note)
        if ingest.interrupted:
            raise KeyboardInterrupt
        self._ingest = ingest
        self._arrange()
        before = self.files
        self._files = {file.file: file for file in self._judged(ingest)}
        return Update(before, self.files, whole=True)

    def _arrange(self) -> None:
        """Learn where everything lies, and on what all of it depends."""
        ingest = self.ingest
        self._sources = {str(source.path): source for source in ingest.sources if source.scanned}
        self._groups = {path: {} for path in self._sources}
        for candidate in ingest.candidates:
            name = candidate.path.name if candidate.is_native else candidate.slug
            self._groups[str(candidate.source.path)][name] = candidate
        self._roots.clear()
        for source in ingest.sources:
            place = str(source.path)
            if source.kind is SourceKind.WORKSPACE_WORKFLOW:
                self.places.add_tree(place, ALL)
            elif not source.scanned:
                self.places.add_spot(place, ALL)
            else:
                self.places.add_watched(place, ALL)
                real = real_path(place)
                self._roots[real].append(place)
                for name, candidate in self._groups[place].items():
                    self._depend_on(place, name, real, candidate)
                for name in _links_in(place):
                    if name not in self._groups[place]:
                        self._depend_on_link(os.path.join(place, name))
        if ingest.thorough:
            self.places.add_tree(str(ingest.workspace.knowledge), ALL)
        for path in (*(manifest.path for manifest in ingest.manifests), ingest.workspace.root):
            self.places.add_spot(str(path), ALL)

    def _depend_on(self, root: str, name: str, real: str, candidate: Candidate) -> None:
        key = os.path.join(root, name)
        place = real_path(key) if os.path.islink(key) else os.path.join(real, name)
        self._depend(key, place, candidate.diagnostics)

    def _judged(self, ingest: Ingest) -> tuple[CheckedFile, ...]:
        return check_workspace(ingest).files if ingest.thorough else ()

    def _affected(self, place: str, came_or_went: bool) -> Iterator[str]:
        yield from self.places.affected(place, came_or_went)
        for above in with_parents(place):
            directory, name = os.path.split(above)
            if directory in self._roots and not name.startswith("."):
                yield from (os.path.join(root, name) for root in self._roots[directory])

    def _update(self, keys: set[str]) -> Update | None:
        before: list[Candidate] = []
        after: list[Candidate] = []
        grown: set[str] = set()
        for key in sorted(keys):
            root, name = os.path.split(key)
            group = self._groups[root]
            old = group.get(name)
            found = look_at_child(key)
            if (old is None or found is None) and not self._is_plain(root, key, found):
                return self.read_all()
            self._forget(key)
            if old is not None:
                before.append(old)
            if found is None:
                group.pop(name, None)
                if os.path.islink(key):
                    self._depend_on_link(key)
                continue
            new = self._read_one(found, self._sources[root])
            after.append(new)
            group[name] = new
            if old is None:
                grown.add(root)
            self._depend_on(root, name, real_path(root), new)
        for root in grown:
            self._groups[root] = dict(sorted(self._groups[root].items()))
        if not (before or after):
            return None
        self._ingest = self._resolved((*before, *after))
        old_files = [self._files.pop(str(c.path)) for c in before if str(c.path) in self._files]
        part = replace(self._ingest, candidates=tuple(after), manifests=())
        new_files = self._judged(part)
        self._files.update((file.file, file) for file in new_files)
        return Update(old_files, new_files, whole=False)

    def _is_plain(self, root: str, key: str, found: Found | None) -> bool:
        """Whether what comes or goes in a root changes nothing of what lies too deep in it."""
        path = self._sources[root].path
        if any(d.path == path and d.rule == "nested-skill" for d in self.ingest.root_diagnostics):
            return False
        if found is not None or not os.path.isdir(key):
            return True
        return not os.path.islink(key) and not any(scan_tree(Path(key)))

    def _read_one(self, found: Found, source: Source) -> Candidate:
        kind = Kind(self.ingest.thorough)
        ((skill, (record, diagnostics, ignores)),) = Reader(note=self._note).read([found], kind)
        workflow = workflow_from_skill(record, source) if record else None
        return Candidate(skill.name, source, skill.path, workflow, diagnostics, ignores)

    def _resolved(self, changed: Iterable[Candidate]) -> Ingest:
        """The ingest with its slugs resolved; ``changed`` is what came, went or is another now."""
        ingest = self.ingest
        candidates = tuple(c for group in self._groups.values() for c in group.values())
        slugs = {candidate.slug for candidate in changed}
        part = resolve(candidate for candidate in candidates if candidate.slug in slugs)
        paths = {c.path for c in (*ingest.candidates, *candidates) if c.slug in slugs}
        place = {candidate.path: number for number, candidate in enumerate(candidates)}
        workflows = (w for w in ingest.workflows if w.slug not in slugs)
        shadows = (shadow for shadow in ingest.shadows if shadow.slug not in slugs)
        said = (d for d in ingest.registry.diagnostics if d.path not in paths)
        registry = Registry(
            tuple(sorted((*workflows, *part.workflows), key=lambda record: record.slug)),
            tuple(sorted((*shadows, *part.shadows), key=lambda shadow: shadow.slug)),
            tuple(sorted((*said, *part.diagnostics), key=lambda said: place[said.path])),
        )
        return replace(ingest, candidates=candidates, registry=registry)


def _links_in(root: str) -> list[str]:
    """The names of the links in a root, hidden ones left out."""
    try:
        with os.scandir(root) as entries:
            return [e.name for e in entries if e.is_symlink() and not e.name.startswith(".")]
    except OSError:
        return []


def look_at_child(path: str) -> Found | None:
    """The skill at a path that lies right in a root; None where there is none."""
    if os.path.isdir(path):
        return look_at(path)
    if os.path.islink(path) and not os.path.exists(path):
        return Found(os.path.basename(path), path, broken_symlink(link_target(path)))
    return None


class LivePaths(Live):
    """What lies at some paths, as `judge_paths` tells.

    ``read`` judges all of them. ``missing`` tells of those that can't be checked any more.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        read: Judge,
        also: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        super().__init__(also)
        self.missing: tuple[NotCheckableError, ...] = ()
        self._paths = tuple(paths)
        self._read = read
        self._files: dict[str, CheckedFile] | None = None
        self._tops: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._real: dict[str, str] = {}
        self._real_in_order: list[str] | None = None
        self._searched: set[str] = set()
        self._has_links = False

    @property
    def files(self) -> Sequence[CheckedFile]:
        return tuple((self._files or {}).values())

    @property
    def others(self) -> tuple[Diagnostic, ...]:
        return ()

    def read_all(self) -> Update:
        self._begin()
        before = self.files
        must_exist = self._files is None
        files, self.missing = self._judged(self._paths, self._read, must_exist)
        self._files = {_key_of(file): file for file in files}
        self._tops = {real_path(path): str(path) for path in self._paths if os.path.isdir(path)}
        self._keys.clear()
        self._real.clear()
        self._searched = set(self._tops)
        self._has_links = False
        for path in self._paths:
            self.places.add_spot(str(path), ALL)
        for top in self._tops:
            self.places.add_watched(top, ALL)
        for key, file in self._files.items():
            self._depend_on(key, file)
        for link in (link for top in self._tops.values() for link in self._links_in(top)):
            self._has_links = True
            self.places.add_watched(link, ALL)
            self.links.add(real_place(link))
            self._searched.add(real_path(link))
        return Update(before, self.files, whole=True)

    def _links_in(self, directory: str) -> Iterator[str]:
        """The links in a directory, as far as it is searched for skills."""
        waiting = [directory]
        while waiting:
            current = waiting.pop()
            if current in self._real:
                continue
            try:
                with os.scandir(current) as listed:
                    entries = {entry.name: entry for entry in listed}
            except OSError:
                continue
            if _VIRTUAL_ENVIRONMENT in entries:
                continue
            for name, entry in entries.items():
                if entry.is_symlink():
                    yield entry.path
                elif entry.is_dir(follow_symlinks=False) and name not in SKIPPED_DIRECTORIES:
                    waiting.append(entry.path)

    def _judged(
        self, paths: Iterable[Path], read: Judge, must_exist: bool = False
    ) -> tuple[list[CheckedFile], tuple[NotCheckableError, ...]]:
        """What lies at some paths; where they need not exist, what is wrong with the others."""
        left = list(paths)
        missing: list[NotCheckableError] = []
        while left:
            try:
                return list(read(left, self._note)), tuple(missing)
            except NotCheckableError as error:
                if must_exist:
                    raise
                missing.append(error)
                left.remove(error.path)
        return [], tuple(missing)

    def _depend_on(self, key: str, file: CheckedFile) -> None:
        if file.kind is FileKind.SKILL and key != file.file:
            real = real_path(key)
            self._keys[real], self._real[key] = key, real
            self._real_in_order = None
            self._depend(key, real, file.diagnostics)
            top = self._top_of(real)
            if top is None:
                self.places.add_tree(key, key)
            self._has_links = self._has_links or top is None or self._named(real, top) != key
            return
        self.places.add_spot(file.file, ALL)
        if file.kind is FileKind.WORKFLOW:
            self.places.add_tree(str(Workspace(file.path.parents[3]).knowledge), ALL)

    def _top_of(self, real: str) -> str | None:
        """The directory that was asked for in which a place lies; None if there are several."""
        tops = [above for above in with_parents(real) if above in self._tops]
        return tops[0] if len(tops) == 1 else None

    def _named(self, real: str, top: str) -> str:
        """The path by which a place in a directory that was asked for is found."""
        return os.path.normpath(os.path.join(self._tops[top], os.path.relpath(real, top)))

    def _affected(self, place: str, came_or_went: bool) -> Iterator[str]:
        yield from self.places.affected(place, came_or_went)
        above = set(with_parents(place))
        if not self._keys.keys().isdisjoint(above) or self._searched.isdisjoint(above):
            return
        top, name = self._top_of(place), os.path.basename(place)
        if name.lower() == SKILL_FILE.lower() or name in (_VIRTUAL_ENVIRONMENT, MARKER):
            place = os.path.dirname(place)
        elif not (came_or_went or os.path.isdir(place)):
            return
        if _may_be_workflow(place):
            yield ALL
        elif not (os.path.isdir(place) or self._below(place)):
            return
        elif top is None or place in with_parents(top) or self._has_links:
            # Several searches, or links, may lead to a place; then what is found depends on all.
            yield ALL
        else:
            yield from self._to_search(place, top)

    def _below(self, place: str) -> list[str]:
        """The keys of the skills below a real place."""
        if self._real_in_order is None:
            self._real_in_order = sorted(self._keys)
        return [self._keys[real] for real in below(place, self._real_in_order)]

    def _to_search(self, place: str, top: str) -> Iterator[str]:
        """The key of a directory to be searched again; nothing where nobody searches."""
        parts = os.path.relpath(place, top).split(os.sep)
        above = [os.path.join(top, *parts[:depth]) for depth in range(len(parts))]
        if any(os.path.exists(os.path.join(up, _VIRTUAL_ENVIRONMENT)) for up in above):
            return
        if not SKIPPED_DIRECTORIES.isdisjoint(parts):
            return
        yield ALL if os.path.islink(place) else self._named(place, top)

    def _update(self, keys: set[str]) -> Update | None:
        assert self._files is not None
        again: list[str] = []
        searched: list[str] = []
        for key in sorted(keys):
            if any(above in searched for above in with_parents(key)):
                continue
            if self._is_still_there(key):
                again.append(key)
            elif self._has_links or self._is_top(key):
                return self.read_all()
            else:
                searched.append(key)
        files = [Path(self._files[key].file) for key in again]
        files += (path for key in searched for path in _files_in(Path(key)))
        gone = {*again, *searched}.intersection(self._files)
        gone.update(below for key in searched for below in self._below(real_path(key)))
        everything, had_links = dict(self._files), self._has_links
        before = [self._files.pop(key) for key in sorted(gone)]
        for key in gone:
            self._forget(key)
        after, _ = self._judged(files, _judge)
        for file in after:
            self._files[_key_of(file)] = file
            self._depend_on(_key_of(file), file)
        has_links = self._has_links or any(True for key in searched for _ in self._links_in(key))
        if has_links and not had_links:
            self._files = everything
            return self.read_all()
        return Update(before, after, whole=False) if before or after else None

    def _forget(self, key: str) -> None:
        super()._forget(key)
        if real := self._real.pop(key, None):
            del self._keys[real]
            self._real_in_order = None

    def _is_still_there(self, key: str) -> bool:
        """Whether a key is that of a skill whose file is there as before."""
        old = (self._files or {}).get(key)
        found = look_at(key) if old else None
        return bool(old and found and found.finding is None and found.file == old.file)

    def _is_top(self, key: str) -> bool:
        """Whether a directory, or a file in it, was asked for."""
        real = real_path(key)
        return real in self._tops or self._top_of(real) is None


def _judge(paths: Sequence[Path], note: Note) -> Iterable[CheckedFile]:
    return judge_paths(paths, reader=Reader(note=note))


def _key_of(file: CheckedFile) -> str:
    """The directory of a skill; whatever else is judged has its own path."""
    directory, name = os.path.split(file.file)
    is_skill = file.kind is FileKind.SKILL and name.lower() == SKILL_FILE.lower()
    return directory if is_skill else file.file


def _files_in(directory: Path) -> Iterator[Path]:
    """What is judged at or below a directory."""
    from insomnia_skills.native import scan_workflows

    for place in scan_tree(directory) if os.path.isdir(directory) else ():
        if isinstance(place, Workspace):
            yield from scan_workflows(place.workflows)
        else:
            yield place.path


def _may_be_workflow(place: str) -> bool:
    """Whether native Workflows lie at a place, or may lie below it."""
    _, marker, below = place.partition(os.path.join(os.sep, MARKER, ""))
    parts = tuple(below.split(os.sep)[:2])
    return bool(marker) and parts == ("memory", "workflow")[: len(parts)]
