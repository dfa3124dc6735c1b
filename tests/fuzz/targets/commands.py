"""Whole command lines on small trees, in this process, as a user calls them."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from insomnia_skills.cli import reading
from insomnia_skills.rules.catalogue import CATALOGUE
from tests import cli
from tests.fuzz.engine import Target, require
from tests.fuzz.targets.holds import ACTED_ON
from tests.fuzz.targets.seeds import EXAMPLES, cases, content
from tests.fuzz.targets.settings import TOML
from tests.fuzz.targets.skills import BODY, FRONTMATTER
from tests.fuzz.targets.trees import of_directory, of_example, packed, unpack
from tests.test_schemas import SCHEMAS, problems

_SGR = re.compile(r"\x1b\[[0-9;]*m")
_RUN = re.compile(rb"run((?: \d+)*)\n")
_MOST_CALLS = 4

_STOPPED = SimpleNamespace(monotonic=lambda: 0.0)
"""The clock that shows progress, which would depend on the machine."""

READING: tuple[tuple[str, str], ...] = (
    ("list", "list"),
    ("list --all -v", "list"),
    ("list --no-user --directory skills", "list"),
    ("resolve", "list"),
    ("resolve -v", "list"),
    ("resolve SLUG", "list"),
    ("resolve SLUG --diff", "list"),
    ("resolve /unknown", "list"),
    ("resolve --only-conflicts", "list"),
    ("resolve --fail-on shadow,stand-in,skipped,different", "list"),
    ("show SLUG", "show"),
    ("show SLUG --mapping", "mapping"),
    ("show SLUG --as-invoked", "messages"),
    ("show SLUG --source 3", "show"),
    ("catalog", "catalog"),
    ("catalog --budget 20", "catalog"),
    ("scope", "scope"),
    ("scope --check . skills none ../config/skills", "scope-check"),
    ("sources list", "sources"),
    ("sources discover", "discover"),
    ("sources discover --all", "discover"),
    ("sources add skills --dry-run", "sources-edit"),
    ("sources add .agents/skills --first", "sources-edit"),
    ("sources remove skills", "sources-edit"),
    ("sources move skills --first", "sources-edit"),
    ("new fresh --in skills", "new"),
    ("eject SLUG", "eject"),
    ("eject SLUG --force", "eject"),
    ("validate", "validate"),
    ("validate . -v", "validate"),
    ("validate skills ../config --strict", "validate"),
    ("validate .insomnia/manifest.toml", "validate"),
    ("validate . --select name-*,yaml-* --ignore name-mismatch", "validate"),
    ("validate . --baseline known.json --write-baseline", "validate"),
    ("validate . --fix", "validate"),
    ("validate . --unsafe-fixes", "validate"),
    ("validate . --shard 1/2", "validate"),
    ("report merge known.json", "validate"),
    ("explain name-*", "rules"),
)
TEXTS: tuple[str, ...] = (
    *(f"validate . --format {name}" for name in ("jsonl", "sarif", "github", "gitlab", "junit")),
    *(
        "validate . --format markdown",
        "validate . --fix --diff",
        "validate . --unsafe-fixes --diff",
    ),
    *("show SLUG --raw", "show SLUG --format markdown", "show SLUG --mapping --format markdown"),
    *("catalog --format list", "catalog --format xml", "scope --format toml"),
    *("resolve --notifications", "list --color always", "resolve SLUG --color always"),
    *("validate . -v --color always", "show SLUG --color always"),
)
"""Commands with other formats than those of `READING`."""

CALLS: tuple[tuple[str, str | None], ...] = (*READING, *((text, None) for text in TEXTS))
AS_WRITTEN = (
    "show SLUG --raw",
    "show SLUG --as-invoked",
    "validate . --fix --diff",
    "validate . --unsafe-fixes --diff",
)
"""What gives a body, or a patch of a file, as it is, to a pipe."""


def check_commands(data: bytes, place: Path) -> Iterator[str]:
    """A tree, and the numbers of some commands: each answers in one of the ways it may."""
    named = _RUN.match(data)
    numbers = [int(number[:9]) % len(CALLS) for number in named[1].split()] if named else []
    numbers = numbers[:_MOST_CALLS] or [0, 3, 28]
    top = place / "tree"
    for name in ("workspace", "config", "home"):
        (top / name).mkdir(parents=True)
    try:
        unpack(data[named.end() if named else 0 :], top)
        slugs = _slugs(top)
        for number in numbers:
            line, schema = CALLS[number]
            slug = slugs[len(data) % len(slugs)] if slugs else "none"
            yield from _call(line, f"/{slug}", schema, top)
    finally:
        shutil.rmtree(top)


def _slugs(top: Path) -> list[str]:
    """Names that something may be called by, in order."""
    paths = (*top.glob("*/*skills/*"), *top.glob("*/.*/skills/*"))
    native = top.glob("workspace/.insomnia/memory/workflow/*.md")
    return sorted({*(path.name for path in paths), *(path.stem for path in native)})


def _call(line: str, slug: str, schema: str | None, top: Path) -> Iterator[str]:
    arguments = [slug if part == "SLUG" else part for part in line.split(" ")]
    env = cli.environment(top / "home", top / "config", columns=20 + len(line + slug) * 7 % 90)
    forms: list[tuple[bool, list[str]]] = [(False, []), (True, [])]
    if schema is not None:
        forms.append((False, ["--format", "json"]))
    for terminal, more in forms:
        with patch.object(reading, "time", _STOPPED):
            done = cli.call(*arguments, *more, cwd=top / "workspace", env=env, terminal=terminal)
        said = f"{' '.join(arguments + more)}: exit {done.code}: {done.stderr}"
        require(done.code in (0, 1, 2), f"{line}: exit {done.code}", said)
        for word in ("Traceback", "internal error"):
            require(word not in done.stderr, f"{line}: {word}", said)
        yield f"{line} {done.code} {terminal}"
        yield from (f"{line} {rule}" for rule in CATALOGUE if f"[{rule}]" in done.stderr)
        if more and schema is not None:
            _check_document(line, done, schema, said)
        elif line not in AS_WRITTEN or terminal:
            _check_text(line, done)


def _check_document(line: str, done: cli.Run, schema: str, said: str) -> None:
    if not done.stdout:
        require(done.code, f"{line}: exit 0 and no document", said)
        return
    try:
        document = json.loads(done.stdout)
    except ValueError as error:
        require(False, f"{line}: no JSON", f"{error}: {done.stdout[:500]!r}")
        return
    wrong = problems(document, SCHEMAS[schema])
    require(not wrong, f"{line}: not as its schema says", wrong[:5])


def _check_text(line: str, done: cli.Run) -> None:
    written = done.stdout.decode("utf-8", "replace")
    if line in AS_WRITTEN:
        written = written.replace("\r\n", "\n")
    for name, text in (("stdout", written), ("stderr", done.stderr)):
        found = ACTED_ON.search(_SGR.sub("", text))
        require(not found, f"{line}: a control character on {name}", repr(text[:2000]))


def _vary(dice: random.Random, data: bytes) -> bytes:
    """The same tree with other commands."""
    numbers = b"".join(b" %d" % dice.randrange(len(CALLS)) for _ in range(dice.randint(1, 3)))
    return b"run" + numbers + b"\n" + _RUN.sub(b"", data, count=1)


def _trees() -> list[bytes]:
    named = (
        b"-- workspace/.insomnia/manifest.toml --\n[skills]\n"
        b'directories = ["skills", ".agents/skills", ".claude/skills", "../home/.agents/skills"]\n'
    )
    trees = [_of_examples()]
    for case in cases():
        files = (
            (
                path.replace("project/", "workspace/", 1),
                content(file),
                file["symlink"] if isinstance(file, dict) and "symlink" in file else "",
            )
            for path, file in case["files"].items()
            if isinstance(file, str) or "base64" in file or "symlink" in file
        )
        trees.append(named + packed(files))
    trees += [named + packed(of_example(rule.fails)) for rule in CATALOGUE.values()]
    dice = random.Random(0)
    return sorted(_vary(dice, tree) for tree in trees if len(tree) < 32 * 1024)


def _of_examples() -> bytes:
    return packed(
        file for name in ("workspace", "config") for file in of_directory(EXAMPLES / name, name)
    )


_TOKENS = (
    *(b"-- workspace/skills/pdf/SKILL.md --\n", b"-- workspace/skills/a -> ../skills --\n"),
    *(
        b"-- config/skills/pdf/SKILL.md --\n",
        b"-- config/manifest.toml --\n",
        b"-- workspace/skills/b/ --\n",
    ),
    *(
        b"-- workspace/.insomnia/memory/workflow/pdf.md --\n",
        b"-- workspace/.insomnia/knowledge/a.md --\n",
    ),
    *(
        b"-- workspace/skills/pdf/SKILL.md -> ../../SKILL.md --\n",
        b"-- workspace/skills/c -> c --\n",
    ),
    *(
        b"-- workspace/skills/pdf/x\x1b[31m --\n",
        b"-- workspace/skills/\xff/SKILL.md --\n",
        b"-- workspace/.git/ --\n",
    ),
    *(
        b"-- workspace/insomnia-skills.toml --\n",
        b"-- workspace/known.json --\n",
        b"-- workspace/pyproject.toml --\n",
    ),
    *(
        b"-- workspace/skills/pdf/skill.md --\n",
        b"-- workspace/skills/pdf/SKILL.md/ --\n",
        b" -> ",
        b" --\n",
    ),
)

TARGETS = (
    Target(
        "command",
        _trees,
        (*_TOKENS, *_TOKENS, *FRONTMATTER, *TOML, *BODY),
        check_commands,
        _vary,
        share=3,
    ),
)
