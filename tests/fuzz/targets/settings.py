"""The files that settings are read from, and those that the tool itself has written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from insomnia_skills import cache as caching
from insomnia_skills.cache import Cache, Entry
from insomnia_skills.checking.baseline import BaselineError, load_baseline
from insomnia_skills.checking.check import Check, FileKind, check_file, check_paths
from insomnia_skills.checking.config import ConfigError, find_config
from insomnia_skills.checking.merge import MergeError, load_result, merge
from insomnia_skills.edit.manifest import (
    ManifestEdit,
    ManifestEditError,
    ManifestText,
    add_entries,
    move_entry,
    read_manifest,
    remove_entries,
)
from insomnia_skills.file import decode
from insomnia_skills.report.check import Results
from insomnia_skills.report.check.json import render
from insomnia_skills.toml_spans import read_toml
from tests.fuzz.engine import Target, require
from tests.fuzz.targets.holds import check_places, check_reports, words
from tests.fuzz.targets.seeds import EXAMPLES, manifest_files

TOML = (
    *(
        b"[skills]\n",
        b"directories = [",
        b'"skills"',
        b"'skills'",
        b'"""',
        b"'''",
        b"]",
        b"[",
        b"}",
        b"{",
    ),
    *(
        b", ",
        b",\n",
        b" # note\n",
        b"# note\n",
        b"[scope]\n",
        b"[[scope.allow]]\n",
        b"skills.",
        b"=",
        b".",
    ),
    *(
        b'directories = ["a", "b"]\n',
        b"skills = {",
        b"true",
        b"1e400",
        b"nan",
        b"2026-01-01",
        b"0x_1",
    ),
    *(
        b'"\\u0000"',
        b'"\\ud800"',
        b'"\\U00110000"',
        b'"a\\\n  b"',
        b"\r\n",
        b'"~/x"',
        b'"$HOME/x"',
        b'""',
    ),
)
CONFIG = (
    *(b"select = [", b'"name-*"', b'"*"', b'"yaml-syntax"', b"ignore = [", b"strict = true\n"),
    *(
        b"[severity]\n",
        b'"name-*" = "info"\n',
        b"[[overrides]]\n",
        b'paths = ["a/**"]\n',
        b'baseline = "b.json"\n',
    ),
    *(b"[tool.insomnia-skills]\n", b'"**/**/**/**/x"', b'"***"', b'"["', b'"/"', b'""'),
)
JSON = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b"null",
        b"true",
        b"-1",
        b"0",
        b"1e999",
        b"NaN",
        b"1" * 5000,
    ),
    *(
        b'"\\ud83d"',
        b'"\\u0000"',
        b'""',
        b'"version": 1',
        b'"version": 2',
        b'"findings": []',
        b'"files": []',
    ),
    *(
        b'"path": "/x"',
        b'"path": "x"',
        b'"line": 0',
        b'"severity": "error"',
        b'"shard": {"index": 1, "count": 2}',
    ),
    *(
        b'"fix": {"title": "x", "edits": [], "safe": true}',
        b'"related": []',
        b'"help": null',
        b'"known": []',
    ),
)
_ENTRIES = (["new"], ["one", 'it\'s "two"'], ["a/b\\c", "日本"])


def check_manifest(data: bytes, place: Path) -> Iterator[str]:
    """A manifest: judged, and edited so that all but the list stays byte for byte."""
    path = place / ".insomnia/manifest.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    file = check_file(path, FileKind.MANIFEST)
    yield from words(file.diagnostics)
    check_places(file.diagnostics, path, decode(data).text)
    check_reports(file, place)
    try:
        manifest = read_manifest(path, place)
    except ManifestEditError as error:
        yield f"can't be edited: {_first_words(error)}"
        return
    require(file.valid, "a broken manifest can be edited", data)
    entries = [entry.value for entry in manifest.manifest.entries]
    yield f"entries {len(entries)}"
    for more in _ENTRIES:
        yield from _edited(manifest, [*entries, *more], "add", lambda m, e=more: add_entries(m, e))
    for at in range(min(len(entries), 4)):
        rest = [*entries[:at], *entries[at + 1 :]]
        yield from _edited(manifest, rest, "remove", lambda m, i=at: remove_entries(m, [i]))
        put = [*entries[:at], "new", *entries[at:]]
        yield from _edited(manifest, put, "put", lambda m, i=at: add_entries(m, ["new"], i))
        moved = [*rest, entries[at]]
        to = len(rest)
        yield from _edited(manifest, moved, "move", lambda m, i=at, t=to: move_entry(m, i, t))


def _edited(manifest: ManifestText, wanted: list[str], what: str, edit: object) -> Iterator[str]:
    """An edit has what was wanted, and nothing else is other than it was."""
    assert callable(edit)
    try:
        done: ManifestEdit = edit(manifest)
    except ManifestEditError as error:
        yield f"{what} refused: {_first_words(error)}"
        return
    yield what
    before, after = manifest.text, done.after.removeprefix(b"\xef\xbb\xbf").decode()
    require(tomllib.loads(after)["skills"]["directories"] == wanted, f"{what} writes another list")
    was, is_now = ((manifest.data or b""), done.after)
    require(is_now[:3] == b"\xef\xbb\xbf" or was[:3] != b"\xef\xbb\xbf", f"{what} drops the mark")
    values, spans = read_toml(before)
    if "directories" in values.get("skills", {}):
        start, end = spans.value("skills", "directories")
        same = after.startswith(before[:start]) and after.endswith(before[end:])
        require(same, f"{what} changes what stands around the list", (before, after))
    elif "skills" not in values:
        require(after.startswith(before), f"{what} changes what stands above", (before, after))
    for comment in re.findall(r"^[ \t]*#[^\r\n]*", before, re.MULTILINE):
        require(comment.strip() in after, f"{what} loses a comment", (before, after))


def _first_words(error: object) -> str:
    return re.sub(r"[^A-Za-z ].*", "", str(error))[:40]


def check_config(data: bytes, place: Path) -> Iterator[str]:
    """A configuration, which is used or refused with its place."""
    for name, text in (
        ("insomnia-skills.toml", data),
        ("pyproject.toml", b"[tool.insomnia-skills]\n" + data),
    ):
        directory = place / name.removesuffix(".toml")
        directory.mkdir(exist_ok=True)
        path = directory / name
        path.write_bytes(text)
        try:
            config = find_config(directory)
        except ConfigError as error:
            require(str(error).startswith(str(path)), "an error without its place", error)
            yield f"{name}: {_first_words(str(error).partition(': ')[2])}"
            continue
        yield f"{name}: {sorted(key for key, value in config._asdict().items() if value)}"
        for override in config.overrides:
            yield f"covers {override.covers('a/b/SKILL.md')} {override.covers('x')}"


def check_baseline(data: bytes, place: Path) -> Iterator[str]:
    """A baseline: what is read is written alike."""
    path = place / "baseline.json"
    path.write_bytes(data)
    try:
        baseline = load_baseline(path)
    except BaselineError as error:
        yield f"refused: {_first_words(str(error).removeprefix(str(path)))}"
        return
    yield f"findings {min(len(baseline.findings), 3)}"
    path.write_bytes(baseline.dump())
    require(load_baseline(path) == baseline, "written, it is another baseline")
    check = Check(None, ())
    require(baseline.silence(check).known == (), "nothing is silenced, and something is known")
    baseline.gone(check, check, whole=True)
    renewed = baseline.renewed(check, ())
    require(set(renewed.findings) <= set(baseline.findings), "renewed, it has more", renewed)


def check_result(data: bytes, place: Path) -> Iterator[str]:
    """A result that `report merge` reads: what is read is written alike."""
    path = place / "result.json"
    path.write_bytes(data)
    try:
        result = load_result(path)
        check = merge([result])
    except MergeError as error:
        yield f"refused: {_first_words(str(error).removeprefix(str(path)))}"
        return
    yield f"files {min(len(check.files), 5)}"
    yield from words(check.diagnostics)
    for file in check.files:
        check_reports(file, place)
    written = _written(check, place)
    path.write_bytes(written.encode())
    again = _written(load_result(path).check, place)
    require(again == written, "written, it is another result", (again, written))


def _written(check: Check, place: Path) -> str:
    return render(Results(check, check.diagnostics, place, 1.0))


def check_cache(data: bytes, place: Path) -> Iterator[str]:
    """A cache file: only what was kept is found, and it is made anew where it is spoilt."""
    path = place / "results.sqlite"
    path.write_bytes(data)
    with patch.object(caching, "_version", lambda: 1):
        found = _found(path)
        yield f"found {len(found)}"
        require(found.items() <= _KEPT.items(), "what is spoilt is trusted", found)
        for _ in range(2):
            with Cache(path) as cache:
                for key, entry in _KEPT.items():
                    cache.keep(key, entry)
        # What is spoilt may come to light only when it is in the way; then the next run is without.
        found = _found(path)
        require(found == _KEPT or not path.exists(), "a spoilt cache is not made anew", found)
    path.unlink(missing_ok=True)
    left = [other.name for other in place.iterdir()]
    require(not left, "the cache leaves files behind", left)


_KEPT = {b"key %d" % n: Entry(bytes([n]) * 40, b"payload %d" % n * n) for n in range(60)}


def _found(path: Path) -> dict[bytes, Entry]:
    with Cache(path) as cache:
        cache.count()
        return cache.find(_KEPT)


def _cache_files() -> list[bytes]:
    files = []
    with TemporaryDirectory() as name, patch.object(caching, "_version", lambda: 1):
        for number, many in zip(count(), (60, 3, 1)):
            path = Path(name) / f"{number}.sqlite"
            with Cache(path) as cache:
                for key, entry in list(_KEPT.items())[:many]:
                    cache.keep(key, entry)
            files.append(path.read_bytes())
    return files


def _manifests() -> list[bytes]:
    from tests.test_manifest_edit import ABSENT, EMPTY, LAYOUTS

    texts = {**LAYOUTS, **EMPTY, **ABSENT}.values()
    return sorted({*manifest_files(), *(text.encode() for text in texts)})


def _configs() -> list[bytes]:
    whole = (
        b'select = ["name-*", "yaml-syntax"]\nignore = ["body-long"]\nstrict = true\n'
        b'baseline = "known.json"\n[severity]\n"name-*" = "warning"\nbody-empty = "error"\n'
        b'[[overrides]]\npaths = ["a/**", "*/b"]\nignore = ["name-mismatch"]\n'
    )
    return [whole, b"", *whole.splitlines(keepends=True)]


def _checked() -> Check:
    return check_paths([EXAMPLES / "workspace", EXAMPLES / "config"])


def _baselines() -> list[bytes]:
    check = _checked()
    with TemporaryDirectory() as name:
        path = Path(name) / "b.json"
        path.write_bytes(b'{"version": 1, "findings": []}')
        empty = load_baseline(path)
    return [empty.renewed(check, ()).dump(), empty.dump()]


def _results() -> list[bytes]:
    check = _checked()
    whole = render(Results(check, check.diagnostics, EXAMPLES, 1.0))
    document = json.loads(whole.replace(str(EXAMPLES), "/e"))
    one = check._replace(files=check.files[:1])
    texts = [json.dumps(document, indent=1), json.dumps(document)]
    texts.append(render(Results(one, one.diagnostics, EXAMPLES, 1.0)).replace(str(EXAMPLES), "/e"))
    return [text.encode() for text in texts]


TARGETS = (
    Target("manifest", _manifests, TOML, check_manifest),
    Target("config", _configs, (*TOML, *CONFIG, *CONFIG), check_config),
    Target("baseline", _baselines, JSON, check_baseline),
    Target("result", _results, JSON, check_result),
    Target("cache", _cache_files, (bytes(512), b"\xff" * 8, b"entries"), check_cache),
)
