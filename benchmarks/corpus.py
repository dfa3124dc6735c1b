"""Made skills to measure on: the same in every run, and like real ones in size, form and faults.

Sizes, shares and faults follow a count of 106,186 public SKILL.md files. Skill number 7 is the same
in a corpus of 100 as in one of 100,000, so that times for each skill can be compared.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

SEED = 20261130
BROKEN_EVERY = 10

# A file that has just been written may change unseen, so that a cache should not trust it yet.
SETTLING_SECONDS = 3

WORDS = """
agent api build cache check client code command commit config data database deploy detail diagram
document error example file format function guide handler index input issue layout library limit
list log message migration model module name option output package page path pattern pipeline plan
policy process prompt query queue record release report request result review role rule schema
script secret section server service session setting stage state step style table task template
test text token tool trace type update user value version view
"""
NOUNS = WORDS.split()
VERBS = ("Reviews", "Writes", "Builds", "Deploys", "Explains", "Migrates", "Tests", "Formats")
DASHES = (", ", " - ", " — ", " → ")
MARKS = ("✅ ", "❌ ", "🚀 ", "⚠️ ")

# What is wrong with a broken skill, and how many of a hundred broken ones have it. The shares among
# errors of YAML are those of the real files. Most real names that differ from their directory come
# from registries that rename directories, so that they count for less here.
FAULTS: Mapping[str, int] = {
    "name differs from its directory": 28,
    "text after a block indicator": 27,
    "colon in a plain value": 16,
    "name with capitals or underscores": 10,
    "no frontmatter": 7,
    "value begins with an asterisk": 3,
    "quote is not closed": 3,
    "description is too long": 2,
    "description is missing": 2,
    "title glued to the closing fence": 1,
    "key is there twice": 1,
}


class Corpus(NamedTuple):
    """Skills on the disk: ``top`` is a plugin, ``skills`` the skills root in it."""

    top: Path

    @property
    def skills(self) -> Path:
        return self.top / "skills"

    @property
    def skill(self) -> Path:
        """The directory of one of them."""
        return next(self.skills.iterdir())


def corpus(cache: Path, count: int) -> Corpus:
    """The corpus of ``count`` skills in ``cache``, made now unless this module made it before."""
    top = cache / str(count)
    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    stamp = cache / f"{count}.made-by"
    if not (stamp.exists() and stamp.read_text() == version):
        shutil.rmtree(top, ignore_errors=True)
        write_skills(top, count)
        stamp.write_text(version)
        time.sleep(SETTLING_SECONDS)
    return Corpus(top)


def write_skills(top: Path, count: int) -> None:
    """Write the first ``count`` skills, in a plugin for validators that want one."""
    manifest = top / ".claude-plugin" / "plugin.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"name": "made", "version": "1.0.0", "description": "Made skills"}\n')
    styles = [Style(Random(SEED), *signs) for signs in SIGNS]
    for number in range(count):
        name, files = skill(number, styles)
        directory = top / "skills" / name
        for path, text in files.items():
            file = directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())


class Style:
    """Parts that bodies are put together from, with the signs that their author likes."""

    def __init__(self, dice: Random, dashes: Sequence[str], marks: Sequence[str]) -> None:
        self.parts = [
            part(dice, dashes, marks)
            for part in (_paragraph, _bullets, _paragraph, _code, _bullets, _table, _steps)
            for _ in range(150)
        ]
        dice.shuffle(self.parts)

    def body(self, dice: Random, title: str, links: Sequence[str], size: int) -> Iterator[str]:
        """Parts of about ``size`` characters together, and a line for each link."""
        yield f"# {title}"
        yield from (f"See [the {Path(link).stem}]({link}) for more." for link in links)
        while size > 0:
            yield f"## The {_words(dice, 3)}"
            for part in dice.choices(self.parts, k=2):
                size -= len(part)
                yield part


# A third of the real files are ASCII, a twelfth have characters beyond the first 65,536.
SIGNS = ((DASHES[:2], ("",)), (DASHES, MARKS[:2]), (DASHES, MARKS))
SIGN_SHARES = (33, 59, 8)


def skill(number: int, styles: Sequence[Style]) -> tuple[str, dict[str, str]]:
    """The directory name of a skill, and the text of each file in it."""
    dice = Random(SEED + number)
    name = f"{dice.choice(NOUNS)}-{dice.choice(NOUNS)}-{number}"
    fault = ""
    if number % BROKEN_EVERY == BROKEN_EVERY - 1:
        [fault] = dice.choices(list(FAULTS), list(FAULTS.values()))
    resources = dict(_resources(dice))
    links = [path for path in resources if dice.random() < 0.8]
    if dice.random() < 0.04:
        links.append("references/missing.md")
    [style] = dice.choices(styles, SIGN_SHARES)
    # Half of the real files are larger than 5,591 bytes, a twentieth than 20,022.
    size = min(int(dice.lognormvariate(math.log(5_100), 0.8)), 290_000)
    title = name.replace("-", " ").title()
    body = "\n\n".join(style.body(dice, title, links, size))
    text = f"{_opening(dice, name, fault)}{body}\n"
    if dice.random() < 0.004:
        text = text.replace("\n", "\r\n")
    return name, {"SKILL.md": text, **resources}


def _resources(dice: Random) -> Iterator[tuple[str, str]]:
    if dice.random() < 0.4:
        for word in dice.sample(NOUNS, dice.randint(1, 3)):
            yield f"references/{word}.md", f"# {word.title()}\n\n{_sentences(dice, 30)}\n"
    if dice.random() < 0.25:
        for word in dice.sample(NOUNS, dice.randint(1, 2)):
            yield f"scripts/{word}.py", f'"""{_sentences(dice, 1)}"""\n\n' + 'print("done")\n' * 40
    if dice.random() < 0.1:
        yield "assets/template.html", f"<p>{_sentences(dice, 10)}</p>\n"


def _opening(dice: Random, name: str, fault: str) -> str:
    """Frontmatter between its fences, or what is there instead."""
    lines = [f"name: {_written_name(dice, name, fault)}"]
    if fault != "description is missing":
        lines.append(f"description: {_written_description(dice, fault)}")
    if fault == "key is there twice":
        lines.append(lines[0])
    lines += _optional_fields(dice)
    block = "\n".join(lines)
    match fault:
        case "no frontmatter":
            return ""
        case "title glued to the closing fence":
            return f"---\n{block}\n---# {name}\n\n"
    return f"---\n{block}\n---\n\n"


def _written_name(dice: Random, name: str, fault: str) -> str:
    match fault:
        case "name differs from its directory":
            return f"{name}-{dice.choice(NOUNS)}"
        case "name with capitals or underscores":
            return dice.choice((name.title(), name.replace("-", "_")))
    return name


def _written_description(dice: Random, fault: str) -> str:
    """A description as it stands in the file: plain, quoted or a block scalar, or wrong."""
    what = f"{dice.choice(VERBS)} {_words(dice, 12)}."
    # Half of the real frontmatters are larger than 304 bytes, a twentieth than 840.
    words = min(int(dice.lognormvariate(2.5, 1.1)), 110)
    when = f"Use when the user asks about the {_words(dice, words)}."
    match fault:
        case "text after a block indicator":
            return f"| {what} {when}"
        case "colon in a plain value":
            return f"{what} Triggers: {when}"
        case "value begins with an asterisk":
            return f"**{what}** {when}"
        case "quote is not closed":
            return f'"{what} {when}'
        case "description is too long":
            return f"{what} {when} {_sentences(dice, 20)}"
    forms = (
        (f"{what} {when}", 60),
        (f'"{what} Triggers: {when}"', 22),
        (f">-\n  {what}\n  {when}", 12),
        (f"|\n  {what}\n\n  {when}", 6),
    )
    [form] = dice.choices([form for form, _ in forms], [share for _, share in forms])
    return form


def _optional_fields(dice: Random) -> Iterator[str]:
    """Fields in the shares of the real files: a third have some that the specification lacks."""
    if dice.random() < 0.3:
        yield "license: Apache-2.0"
    if dice.random() < 0.05:
        yield "compatibility: Needs Python 3.11 and network access"
    if dice.random() < 0.035:
        yield dice.choice(
            (
                "allowed-tools: Read Grep Bash(git:*)",
                "allowed-tools: Read, Grep",
                "allowed-tools:\n  - Read\n  - Grep",
            )
        )
    if dice.random() < 0.25:
        yield f'metadata:\n  author: {dice.choice(NOUNS)}\n  version: "1.10"'
        if dice.random() < 0.3:
            yield f"  tags: [{', '.join(dice.sample(NOUNS, 3))}]"
    if dice.random() < 0.2:
        yield f"version: 1.{dice.randint(0, 20)}.0"
        yield f"author: {dice.choice(NOUNS)}"
    if dice.random() < 0.02:
        yield dice.choice(("user-invocable: true", 'argument-hint: "[file]"'))


# Parts of a body


def _paragraph(dice: Random, dashes: Sequence[str], marks: Sequence[str]) -> str:
    lines = (
        f"{dice.choice(VERBS)} the {_words(dice, 3)}{dice.choice(dashes)}{_words(dice, 6)}."
        for _ in range(dice.randint(1, 5))
    )
    return "\n".join(lines)


def _bullets(dice: Random, dashes: Sequence[str], marks: Sequence[str]) -> str:
    lines = (
        f"- {dice.choice(marks)}**{_words(dice, 2)}**{dice.choice(dashes)}"
        f"the `{dice.choice(NOUNS)}` of a {_words(dice, 4)}"
        for _ in range(dice.randint(2, 7))
    )
    return "\n".join(lines)


def _steps(dice: Random, dashes: Sequence[str], marks: Sequence[str]) -> str:
    lines = (f"{number}. {_sentences(dice, 1)}" for number in range(1, dice.randint(3, 7)))
    return "\n".join(lines)


def _table(dice: Random, dashes: Sequence[str], marks: Sequence[str]) -> str:
    lines = (
        f"| `{dice.choice(NOUNS)}` | {dice.choice(marks)}{_words(dice, 4)} |"
        for _ in range(dice.randint(2, 8))
    )
    return "\n".join(["| key | meaning |", "| --- | --- |", *lines])


def _code(dice: Random, dashes: Sequence[str], marks: Sequence[str]) -> str:
    lines = (
        f'{dice.choice(NOUNS)} = {dice.choice(NOUNS)}("{_words(dice, 2)}")  # {_words(dice, 2)}'
        for _ in range(dice.randint(2, 15))
    )
    return "\n".join(["```python", *lines, "```"])


def _words(dice: Random, count: int) -> str:
    return " ".join(dice.choices(NOUNS, k=count))


def _sentences(dice: Random, count: int) -> str:
    return " ".join(
        f"{dice.choice(VERBS)} the {_words(dice, dice.randint(4, 12))}." for _ in range(count)
    )
