"""What is written of hostile trees: nothing in it steers a terminal, and JSON fits its schema."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests import cli
from tests.trees import Tree, link, write, write_skill

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

PIECES = (
    *map(chr, (0x01, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9C)),
    *("\r\n", "\n\n", "\x1b[31m", "\x1b[2J", "\x9b31m", "\x1b]0;title\x07", "\x1b(0", "\x1bc"),
    *("\x1b]8;;https://evil.example\x1b\\", "\x1bP", "\x1b[?1049h", "\x0e"),
    *("\u061c", "\u200e", "\u202e", "\u2066", "\u2069", "\u2028", "\u2029", "\u200b", "\u200d"),
    *("\xad", "\ufeff", "\U000e0041", "\U000e0101", "\ufff9", "\u3164", "\u180e", "\u2060"),
    *("\U000e0080", "\U0001d173", "\ufe00\ufe01"),
    *("\udc80", "\udcff", "\udce9\udca9"),  # bytes of a name that are not UTF-8
    *("[bold]", "[/]", "[/bold]", "[link=x]", ":smile:", "\\[", "\\", "::error::", "##[error]x"),
    *("##vso[x]", "::", "%0A", "%s", "{}", "{0}", "&#x1b;", "&lt;", "<b>", "-->", "]]>", "```"),
    *(
        "# ",
        "- ",
        "| a | b |",
        "'",
        '"',
        "`",
        "$(x)",
        "~",
        "-",
        "--",
        "*",
        "?",
        " ",
        "  ",
        "\u3000",
    ),
    *("a", "Z", "0", "x" * 40, "word " * 30, "\u6f22\u5b57", "e\u0301", "\u0301" * 5, "\U0001f469"),
    *("\U0001f469\u200d\U0001f680", "\ufe0f", "\U0010ffff", "\ufffe", "\u0600", "\u05d0"),
)
"""What a stranger may write, each of it a part of a text."""

TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)


def _is_name(text: str) -> bool:
    return text not in (".", "..") and len(os.fsencode(text)) <= 180


NAMES = TEXTS.map(lambda text: text.replace("/", "|")).filter(_is_name)
VALID = TEXTS.map(lambda text: re.sub("[\ud800-\udfff]", "\u202e", text))
"""Texts that a file in UTF-8 may have."""


class World(NamedTuple):
    """All that a stranger may choose in a tree; each once, for it to be seen in every place."""

    top: str
    skill: str
    file: str
    target: str
    key: str
    value: str
    body: str
    raw: str
    entry: str
    workflow: str
    knowledge: str
    asked: str


WORLDS = st.builds(
    World,
    *(NAMES, NAMES, NAMES, TEXTS),
    *(VALID, VALID, VALID, VALID, VALID),
    *(NAMES, VALID, TEXTS.filter(lambda text: "\0" not in text)),
)


def quoted(text: str) -> str:
    """The text in double quotes, as YAML and TOML read it, with an escape for what they refuse."""
    return '"' + "".join(c if c.isalnum() or c == " " else f"\\U{ord(c):08x}" for c in text) + '"'


def lay_out(tree: Tree, world: World) -> None:
    """A tree with everything in it that a name, a key, a value or a text may come from."""
    key, value = quoted(world.key), quoted(world.value)
    fields = (
        f"license: {value}",
        f"compatibility: {value}",
        f"metadata: {{{key}: [{value}, {{{value}: {key}}}]}}",
        f"allowed-tools: [{value}]",
        f"{key}: unknown",
    )
    skill = write_skill(
        *(tree.user_skills, "evil", *fields),
        description=value,
        body=f"{world.body}\n# {world.body}\n\n[a]({world.raw}) `{world.raw}`\n\n```{world.raw}\n",
        files={f"scripts/{world.file}": "", f"{world.file}/x": ""},
    )
    link(skill.parent / f"out{world.file}", f"/nowhere/{world.target}")
    link(skill.parent / f"up{world.file}", "../..")
    write(tree.user_skills / world.skill / "SKILL.md", f"---\ndescription: {value}\n---\n")
    write(tree.user_skills / "misnamed/SKILL.md", f"---\nname: {value}\ndescription: x\n---\n")
    write(tree.user_skills / "raw/SKILL.md", f"---\nname: raw\ndescription: {world.raw}\n---\n")
    write(tree.user_skills / "keys/SKILL.md", f"---\n{world.raw}: {world.key}\n---\n{world.body}")
    write(tree.user_skills / "bytes/SKILL.md", b"---\nname: b\xff\x1b\x9b\n---\n")
    write(tree.user_skills / f"deep{world.skill}" / world.skill / "SKILL.md", "---\n")
    link(tree.user_skills / f"gone{world.skill}", f"nowhere{world.target}")
    link(tree.user_skills / "secret" / "SKILL.md", "../../../hidden.md")
    write(tree.top / "hidden.md", f"---\nname: secret\ndescription: {value}\n---\n")
    native = tree.workspace / ".insomnia" / "memory" / "workflow"
    write(native / f"{world.workflow}.md", f"---\ndescription: {value}\n---\n{world.body}")
    tree.write_workflow("native", f"requires: [known, {value}]", description=value)
    tree.write_workflow("needy", "requires: [known, unknown]", body=world.body)
    write(tree.workspace / ".insomnia/knowledge/known.md", world.knowledge)
    for client in (".claude", ".agents"):
        write_skill(tree.workspace / client / "skills", "evil", description=value)
        write(tree.workspace / client / "skills" / world.skill / "SKILL.md", world.raw)
    entries = (*(".claude/skills", world.entry, f"~/{world.entry}", f"$X{world.entry}"), world.raw)
    listed = ", ".join(map(quoted, entries))
    write(tree.manifest, f"[skills]\ndirectories = [{listed}]\n{key} = {value}\n")
    write(tree.user_manifest, f"[skills]\ndirectories = [{value}]\n[skils]\n# {world.raw}\n")


@contextmanager
def laid_out(world: World) -> Iterator[Tree]:
    """The tree, in a directory with a hostile name itself, for one example."""
    place = tempfile.mkdtemp()
    try:
        tree = Tree(Path(place, world.top))
        lay_out(tree, world)
        yield tree
    finally:
        shutil.rmtree(place)


# The commands, with a name for what the world has in its place.
SKILL, ENTRY, ASKED = "<skill>", "<entry>", "<asked>"

CALLS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("list", "--all", "-v"), ("table", "plain", "json")),
    (("list",), ("table", "plain")),
    (("resolve", "-v"), ("table", "plain", "json")),
    (("resolve", "--only-conflicts", "--fail-on", "shadow,stand-in,skipped"), ("table", "plain")),
    (("resolve", "--notifications"), ("table", "plain", "json")),
    (("resolve", "/evil", "--diff"), ("table", "plain", "json")),
    (("resolve", "--", SKILL), ("table", "plain", "json")),
    (("resolve", "--", ASKED), ("table", "plain", "json")),
    (("show", "/evil"), ("table", "plain", "json", "markdown")),
    (("show", "/evil", "--source", "3"), ("table", "plain", "json", "markdown")),
    (("show", "/evil", "--source", "3", "--mapping"), ("table", "plain", "json", "markdown")),
    (("show", "--source", "3", "--", SKILL), ("table", "plain", "json", "markdown")),
    (("show", "/raw", "--source", "3"), ("table", "plain", "json", "markdown")),
    (("show", "/keys", "--source", "3", "--mapping"), ("table", "plain", "json", "markdown")),
    (("show", "/native"), ("table", "plain", "json", "markdown")),
    (("show", "/needy", "--as-invoked"), ("json",)),
    (("show", "--", ASKED), ("table", "plain", "json")),
    (("catalog", "-v", "--budget", "1"), ("table", "plain", "list", "xml", "json")),
    (("scope", "-v"), ("table", "plain", "toml", "json")),
    (("scope", "--check", "../config/skills/evil", "--", ENTRY, ASKED), ("table", "plain", "json")),
    (("validate", "-v"), ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab")),
    (("validate", "-v"), ("junit", "markdown")),
    (("validate", "..", "-v"), ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab")),
    (("validate", "..", "-v", "--strict"), ("junit", "markdown", "text")),
    (("validate", "../config", "--unsafe-fixes", "--diff"), ("text",)),
    (("validate", "--select", ASKED), ("text",)),
    (("validate", "--", ASKED), ("text", "json")),
    (("sources", "list"), ("table", "plain", "json")),
    (("sources", "discover", "--all"), ("table", "plain", "json")),
    (("sources", "add", ".agents/skills", "--dry-run"), ("table", "plain", "json")),
    (("sources", "add", "--dry-run", "--", ASKED), ("table", "plain")),
    (("sources", "remove", "--dry-run", "--", ENTRY), ("table", "plain", "json")),
    (("sources", "move", ".claude/skills", "--dry-run", "--before", ENTRY), ("table", "json")),
    (("new", "fresh", "--in", "new", "--dry-run", "--description", ASKED), ("table", "json")),
    (("new", "--dry-run", "--in", "new", "--", ASKED), ("table", "plain")),
    (("eject", "/evil", "--dry-run", "--source", "3"), ("table", "plain", "json")),
    (("eject", "--dry-run", "--", SKILL), ("table", "plain", "json")),
    (("explain", "--", ASKED), ("text",)),
    (("list", "--workspace", ASKED), ("table",)),
    (("list", "--directory", ASKED), ("table",)),
    (("list", "--directory", "../config/skills/", "--no-user"), ("table", "plain", "json")),
)


class Form(NamedTuple):
    """One way to ask for something."""

    words: tuple[str, ...]
    format: str

    @property
    def command(self) -> str:
        return " ".join(self.words[: 2 if self.words[0] == "sources" else 1])

    def arguments(self, world: World) -> Iterator[str]:
        named = {SKILL: world.skill, ENTRY: world.entry, ASKED: world.asked}
        words = [named.get(word, word) for word in self.words]
        at = words.index("--") if "--" in words else len(words)
        yield from (*words[:at], "--format", self.format, *words[at:])

    @property
    def is_document(self) -> bool:
        """Whether a pipe gets a file or a patch as it is."""
        return "--unsafe-fixes" in self.words or (self.command, self.format) == ("eject", "plain")

    @property
    def schema(self) -> str:
        """The name of the schema that its JSON fits."""
        if "--check" in self.words:
            return "scope-check"
        if "--as-invoked" in self.words:
            return "messages"
        if "--mapping" in self.words:
            return "mapping"
        return SCHEMA_OF[self.command]


SCHEMA_OF = {
    **{name: name for name in ("list", "show", "catalog", "scope", "validate", "new", "eject")},
    "resolve": "list",
    "sources list": "sources",
    "sources discover": "discover",
    **{f"sources {edit}": "sources-edit" for edit in ("add", "remove", "move")},
}
FORMS = [Form(words, format) for words, formats in CALLS for format in formats]
VALIDATORS = {
    path.name.removesuffix(".schema.json"): Draft202012Validator(json.loads(path.read_bytes()))
    for path in sorted((ROOT / "schemas").glob("*.schema.json"))
}
SARIF = Draft202012Validator(
    json.loads((ROOT / "tests/schemas/sarif-schema-2.1.0.json").read_bytes())
)
SGR = re.compile(r"\x1b\[[0-9;]*m")
BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def steers(char: str) -> bool:
    """Whether a terminal acts on a character, or draws the text around it as another one."""
    return (
        (unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") and char not in "\n\t")
        or unicodedata.bidirectional(char) in BIDIRECTIONAL
        or char in "\u061c\u200e\u200f\u200b\ufeff"
        or "\U000e0000" <= char <= "\U000e0fff"
        or "\U0001d173" <= char <= "\U0001d17a"
    )


def problems(run: cli.Run, form: Form) -> list[str]:
    """What is wrong with JSON on stdout, which may be nothing where there is no answer."""
    if not run.stdout:
        return [] if run.code and run.stderr else [f"no answer, and no word about it: {run}"]
    if form.format == "jsonl" or "--notifications" in form.words:
        documents = [json.loads(line) for line in run.text.split("\n")[:-1]]
        schema = VALIDATORS["validate-line" if form.format == "jsonl" else "notification"]
    else:
        documents = [run.document]
        schema = SARIF if form.format == "sarif" else VALIDATORS[form.schema]
    return [f"{e.json_path}: {e.message}" for one in documents for e in schema.iter_errors(one)]


COLORS = {"always": {"FORCE_COLOR": "1"}, "never": {"NO_COLOR": "1"}, "auto": {}}
# A shrunk example would take minutes, since each one is a tree on the disk.
NO_SHRINKING = (Phase.explicit, Phase.generate)
APART = 21
"""Of each tree every 21st form is asked for, and the next tree begins with another one."""


@settings(max_examples=settings().max_examples * 2 // 5, phases=NO_SHRINKING)
@given(
    world=WORLDS,
    first=st.integers(0, APART - 1),
    color=st.sampled_from(["always", "never", "auto"]),
    terminal=st.booleans(),
    columns=st.integers(20, 200),
)
def test_nothing_that_a_stranger_wrote_steers(
    world: World, first: int, color: str, terminal: bool, columns: int
) -> None:
    with laid_out(world) as tree:
        for form in FORMS[first::APART]:
            arguments = (*form.arguments(world),)
            run = cli.call_in(
                tree, *arguments, terminal=terminal, columns=columns, env=COLORS[color]
            )
            assert_harmless(run, color, arguments, document=form.is_document and not terminal)
            if form.format in ("json", "jsonl", "sarif"):
                assert problems(run, form) == [], arguments


def assert_harmless(run: cli.Run, color: str, what: object, document: bool = False) -> None:
    """Nothing but the program's own colours is written, and it has ended as it should.

    A document for programs is written byte for byte.
    """
    assert run.code in (0, 1, 2), (what, run)
    for text in (run.stderr,) if document else (run.text, run.stderr):
        plain = SGR.sub("", text) if color != "never" else text
        assert set(filter(steers, plain)) == set(), (what, plain)


# Files beside the skills that say how to check them, or what a check has found.

CONFIGURATIONS = (
    "select = [{value}]\n",
    "ignore = {value}\n",
    "{key} = {value}\n",
    "baseline = {value}\n",
    "severity = {{ {key} = {value} }}\n",
    "severity = {{ body-empty = {value} }}\n",
    "[[overrides]]\npaths = [{value}, {key}]\nignore = [{key}]\n",
    "[[overrides]]\npaths = [{value}, {key}]\nignore = ['*']\n[[overrides]]\n{key} = 1\n",
    "strict = {raw}\n",
)
_KNOWN = '"fingerprint": {key}, "rule": "body-empty", "path": {value}, "message": {key}'
BASELINES = (
    '{{"version": {value}, "findings": []}}',
    '{{"version": 1, "findings": [{value}]}}',
    '{{"version": 1, "findings": [{{"fingerprint": {value}, "rule": {key}, "path": {key}}}]}}',
    f'{{{{"version": 1, "findings": [{{{{{_KNOWN}}}}}]}}}}',
    "{raw}",
)


@settings(max_examples=max(2, settings().max_examples // 40), phases=NO_SHRINKING)
@given(world=WORLDS, terminal=st.booleans(), columns=st.integers(20, 200))
def test_what_is_read_beside_skills_steers_nothing(
    world: World, terminal: bool, columns: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place, world.top))
        write_skill(tree.workspace / "s", "good", body=world.body)
        write(tree.workspace / "s" / world.skill / "SKILL.md", f"---\n{world.raw}: x\n---\n")
        result = cli.call_in(tree, "validate", "s", "--format", "json").document
        for name, text in hostile_files(world, result):
            write(tree.workspace / name, text.encode("utf-8", "surrogatepass"))
            arguments = {
                "insomnia-skills.toml": ("validate", "s", "-v"),
                "baseline.json": ("validate", "s", "-v", "--baseline", "baseline.json"),
                "result.json": ("report", "merge", "result.json", "-v"),
            }[name]
            run = cli.call_in(
                tree, *arguments, terminal=terminal, columns=columns, env=cli.NO_COLOR
            )
            assert_harmless(run, "never", text)
            os.unlink(tree.workspace / name)


def hostile_files(world: World, result: Any) -> Iterator[tuple[str, str]]:
    """Configurations, baselines and results of a check, with the names that they have."""
    texts = {"key": quoted(world.key), "value": quoted(world.value), "raw": world.raw}
    for form in CONFIGURATIONS:
        yield "insomnia-skills.toml", form.format(**texts)
    texts = {**texts, "key": json.dumps(world.key), "value": json.dumps(world.asked)}
    for form in BASELINES:
        yield "baseline.json", form.format(**texts)
    for place in places_of(result):
        yield "result.json", json.dumps(replaced(result, place, world.asked))


def places_of(document: Any) -> Iterator[tuple[str | int, ...]]:
    """The way to each text, number and empty list of a document."""
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in inner:
        if isinstance(value, dict | list) and value:
            yield from ((key, *rest) for rest in places_of(value))
        else:
            yield (key,)


def replaced(document: Any, place: tuple[str | int, ...], value: str) -> Any:
    changed = copy.deepcopy(document)
    node = changed
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    return changed
