"""Rules on the files that a skill's body links to."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import cache
from posixpath import basename, dirname, normpath
from typing import TYPE_CHECKING, Literal, NamedTuple

from insomnia_skills.clients.keys import CLIENT_PLACEHOLDER_TABLE
from insomnia_skills.diagnostic import Finding, Severity
from insomnia_skills.limits import MAX_NEAR, MAX_PARENTS, MAX_TARGETS
from insomnia_skills.markup import Markup, Place, Section, commonmark, matches
from insomnia_skills.rule import rule
from insomnia_skills.sources import SKILL_FILE
from insomnia_skills.workspace import composed

if TYPE_CHECKING:
    from markdown_it.token import Token

Exists = Callable[[str], bool]
Alone = Callable[[], bool]
Near = Callable[[str], str | None]
_Outside = Literal["nothing", "itself", "another skill", "another place"]

_TARGET = (
    r"\](?:\(|:)\s*+(?!https?:|#)"
    r"(?:<([^<>\s]{1,400})>|((?:[^\s()<>]|\([^\s()<>]{0,99}+\)){1,400}+))"
)
_PLACEHOLDER = (
    r"""(?i)[\\:{}<>\[\]$*|"'`&^\u2026\x00-\x1f\x7f]|\.\.\.|path/to/"""
    r"|(?:^|/)your[._/-]|(?:^|[/_-])(?:xxx+|nnn+|yyyy)[._/-]"
    r"|^(?:path|file|file[_-]?name|link|url|target|example|foo|bar|image)\.\w+$"
)
# Outside the directories of the specification, a file has a suffix, and not one of a web address.
_FILE = (
    r"(?:assets|references|scripts)/."
    r"|.*[^/]\.(?!(?:html?|php|aspx?|com|org|net|io|dev|\d+)$)[A-Za-z0-9]+$"
)
# Usual in the projects that skills work on, so a link there may mean the project's own.
_PROJECT = (
    r"(?i)(?:apps?|config|docs|lib|packages|plugins|public|skills|specs?|src|tests?)/"
    r"|(?:agents|claude|gemini|readme|changelog|contributing|security|license)\.(?:md|txt)$"
    r"|(?:package|tsconfig)\.json$|(?:pyproject|cargo)\.toml$|go\.mod$"
)
# Begins where the three directories of the specification end.
_MENTION = (
    r"s/(?:[\w-][\w.-]{0,99}/){0,5}[\w-][\w.-]{0,99}?"
    r"\.[A-Za-z][A-Za-z0-9]{0,9}(?![A-Za-z0-9_/*{}<>…$(\[-]|\.\w)"
)
_DIRECTORIES = ("assets/", "references/", "scripts/")
# Before a mention, these make it a part of another path; what other clients put the skill directory
# in place of makes it certain.
_LONGER = frozenset(f"{string.ascii_letters}{string.digits}_./\\~$%@}}>*:-")
_OWN_DIRECTORIES = (
    "{baseDir}/",
    *(f"{row.text}/" for row in CLIENT_PLACEHOLDER_TABLE if row.directory),
)
_COMMAND = r"""(?x)
    \s*(?:[$>]\s+)?(?:[A-Za-z_]\w{0,60}=\S{0,99}\s+){0,5}
    (?:(?:uv\ run|(?:ba|z)?sh|bun|cat|chmod\ \S{1,9}|deno\ run|node|npx\ tsx|php|perl|pwsh|
    python3?|Rscript|ruby|source|\.)(?:\s+-[\w-]{1,30}){0,5}\s+)?["']?"""
_SHELLS = ("", "bash", "console", "sh", "shell", "shell-session", "shellscript", "zsh")
# Beside these, the file may be an example, one that is yet to be made, one that is no longer there,
# or another project's.
_SUPPOSED = (
    r"(?i)\be\.g\b|\b(?:add|could|creat|exampl|exist|future|generat|hypothe|if |imagine|(?:for|an) "
    r"instance|initiali[sz]|may\b|might|missing|new\b|optional|output|produc|sampl|scaffold|"
    r"should (?:be|contain|have|hold|look)\b|such as|suppos|typical|would|writ"
    r"|any ?more|avoid|delet|deprecat|do(?: not|n['’]t)|former|legacy|never|no longer|obsolete|"
    r"old(?:er)?\b|previous|remov|renam|used to|apps?\b|codebase|keeps|monorepo|project|repo|"
    r"sav(?:e|ing)\b|their\b|user['’]s|workspace|your\b)"
    r"|例如|比如|例：|作成|生成|创建|保存|写入|输出|出力|旧|删除|不要|不再"
)
_PUT_INTO = (
    r"(?i)\b(?:append|archiv|collect|convert|cop(?:y|ies)|download|dump|emit|export|extract|log"
    r"|mov[ei]|not(?:e|ing)\b|plac[ei]|put|record|render|stor[ei]|track)[^.,;:]{0,80}"
    r"\b(?:as|at|in|into|to|under)\W{1,6}$"
)
# What begins a line of a list, a table, a quote or code.
_MARKER = r"[ \t]*(?:[-*+|>]|\d{1,3}[.)]|`{3}|~{3})"
_NEXT = rf"\n(?={_MARKER}|[ \t\r]*(?:\n|#))"
_MAX_ABOVE = 4000
_MAX_LINES = 40
_MAX_AROUND = 500
# "This skill" is how a description begins that is about anything.
_ABOUT_SKILLS = r"(?i)(?<!\bthis )(?<!\bthe )\bskills?\b|\b(?:slash[ -]commands?|plugins?|hooks?)\b"


@rule(Severity.WARNING, "specification: file references")
def reference_missing(
    path: str,
    start: int,
    end: int,
    unsure: bool = False,
    linked: bool = True,
    near: str | None = None,
) -> Finding:
    """The body links to, or speaks of, a file of the skill that does not exist.

    Whoever follows it finds nothing, and a model may make up what it did not find. Links and
    images are judged, and files in ``scripts/``, ``references/`` and ``assets/`` that the text or a
    command names. Other code, comments, web addresses, placeholders and files outside the skill
    directory are not. It is only an info where nothing at all lies beside the SKILL.md, nor beside
    those of the skills around (such a file was mostly taken out of its skill, and its author would
    not know what is meant). Where the text only names a file, it is also an info if the skill has
    no such directory, if it is about skills itself, and if the text may speak of an example, or of
    a file that is yet to be made or no longer there.

    Fails:
        -- forms/SKILL.md --
        ---
        name: forms
        description: Fill in PDF forms. Use when a form is to be filled in.
        ---
        What each field means: [the fields](references/fields.md).
        -- forms/references/field-names.md --
        iban: the account to pay from

    Passes:
        -- forms/SKILL.md --
        ---
        name: forms
        description: Fill in PDF forms. Use when a form is to be filled in.
        ---
        What each field means: [the fields](references/field-names.md).
        -- forms/references/field-names.md --
        iban: the account to pay from
    """
    return Finding(
        f'the {"linked " if linked else ""}file "{path}" is not in the skill',
        start,
        end,
        help="a file is there whose name only looks the same (macOS writes letters apart from "
        "their marks); type both names anew"
        if near and composed(near) == composed(path)
        else f"did you mean {near}?"
        if near
        else "add the file or correct the link; targets are relative to the skill directory"
        if linked
        else "add the file or correct its path, which is relative to the skill directory",
        severity=Severity.INFO if unsure else None,
    )


@rule(Severity.WARNING, "decision: scope")
def reference_escapes_skill(
    path: str, start: int, end: int, to: _Outside, instead: str | None = None
) -> Finding:
    """A Markdown link leads to a file outside the skill directory.

    A Pod may read the skill directory and nothing else on the skill's behalf, and whoever installs
    the skill elsewhere does not have the file. It is only an info where the file is part of another
    skill, which a Pod may read if that skill is ingested as well, and where the link leads out of
    the skill and back into it. Where there is nothing that it leads to, the message says so, as far
    as the repository that the skill lies in.

    Fails:
        -- CONVENTIONS.md --
        Be brief.
        -- skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        See [our conventions](../../CONVENTIONS.md).

    Passes:
        -- skills/pdf/SKILL.md --
        ---
        name: pdf
        description: Reads PDF files. Use when the user asks about a PDF.
        ---
        See [our conventions](references/CONVENTIONS.md).
        -- skills/pdf/references/CONVENTIONS.md --
        Be brief.
    """
    help: str | None
    if to == "nothing":
        skill = basename(dirname(path)) if basename(path) == SKILL_FILE else ""
        what = f'skill "{skill}"' if skill.strip(".") else "such file"
        says = f"leads nowhere: there is no {what}"
        help = f"did you mean {instead}?" if instead else "correct the link"
    elif to == "itself":
        says, help = "leads out of the skill and back into it", f"write {instead}"
    elif to == "another skill":
        says = "leads into another skill"
        help = "name that skill in the text: its files can be read only if it is ingested too"
    else:
        says = "leads out of the skill, where its read rule does not reach"
        help = "put a copy of the file into the skill and link to that"
    unsure = to in ("itself", "another skill")
    severity = Severity.INFO if unsure else None
    return Finding(f'the link "{path}" {says}', start, end, help=help, severity=severity)


class _Named(NamedTuple):
    """A path that the body names, relative to the skill directory, and where."""

    path: str
    start: int
    end: int
    linked: bool = True
    own: bool = False


def missing_references(
    markup: Markup,
    exists: Exists,
    alone: Alone = lambda: False,
    slug: str = "",
    description: str = "",
) -> Iterator[Finding]:
    """One finding for each distinct file that is missing or outside, at the first place.

    ``exists`` tells whether a path relative to the skill directory exists; the path is POSIX and
    normal, and may lead out of the skill. ``alone`` tells whether nothing lies beside the SKILL.md,
    so that the files were probably taken away. Both are asked for the same thing again and again.
    ``slug`` and ``description`` are the skill's own.

    Silent about a body that is too large to parse in a blink, or whose code fences are so muddled
    that nobody can tell code from prose.
    """
    named = [*_suspect_links(markup, exists), *_missing_mentions(markup, exists)]
    if not named or markup.unclear:
        return
    linked_paths = cache(_linked_paths)
    reported: set[str] = set()

    def near(path: str) -> str | None:
        if len(reported) >= MAX_NEAR or (not path.startswith("../") and alone()):
            return None
        return _near(path, exists)

    for name in named:
        if name.path in reported or markup.in_example(name.start):
            continue
        if not name.linked:
            unsure = _certainty(markup, name, exists, description)
            if unsure is None:
                continue
            finding = _missing(name, name.path, unsure or alone(), near)
        else:
            section = markup.section(name.start)
            if name.path not in linked_paths(section).get(section.line(name.start), ()):
                continue
            finding = _judge_link(name, exists, alone, slug, near)
        reported.add(name.path)
        yield finding


def _missing(name: _Named, path: str, unsure: bool, near: Near) -> Finding:
    return reference_missing(path, name.start, name.end, unsure, name.linked, near(path))


def _judge_link(name: _Named, exists: Exists, alone: Alone, own_name: str, near: Near) -> Finding:
    """What is wrong with a link whose target is missing or outside."""
    path, span = name.path, (name.start, name.end)
    inner = f"{path}/".removeprefix(f"../{own_name}/").rstrip("/")
    if inner != path and exists(inner or SKILL_FILE):
        return reference_escapes_skill(path, *span, "itself", inner or SKILL_FILE)
    if not inner.startswith("../"):
        return _missing(name, inner, alone(), near)
    in_skill = _in_other_skill(path, exists)
    if not exists(path) and not (in_skill and alone()):
        return reference_escapes_skill(path, *span, "nothing", near(path))
    return reference_escapes_skill(path, *span, "another skill" if in_skill else "another place")


def _near(path: str, exists: Exists) -> str | None:
    """A file that exists and may be the one that is meant."""
    if path.startswith("../"):
        up = path.removeprefix("../")
        inner = re.sub(r"^(?:\.\./)+", "", path)
        found = next(filter(exists, (up, inner)), None) or _near(inner, exists)
        return None if found == SKILL_FILE else found
    if same := _other_form(path, exists):
        return same
    directory, _, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    names = [name, name.lower(), name.replace("_", "-"), name.replace("-", "_")]
    names += [f"{stem.upper()}.{suffix}"] if dot else [f"{name}.md", f"{name}.py", f"{name}.sh"]
    top, slash, below = directory.partition("/")
    tops = (f"{top}s", top.removesuffix("s")) if top else ()
    directories = [directory, directory.lower(), *(f"{top}{slash}{below}" for top in tops)]
    directories += [*(directory.rstrip("/") for directory in _DIRECTORIES), ""]
    for place in dict.fromkeys(directories):
        if place and not exists(place):
            continue
        for name in dict.fromkeys(names):
            found = f"{place}/{name}".lstrip("/")
            if found not in (path, SKILL_FILE) and exists(found):
                return found
    return None


def _other_form(path: str, exists: Exists) -> str | None:
    """The same path with its letters and marks in other code points, if that exists."""
    if path.isascii():
        return None
    from unicodedata import normalize

    forms = {normalize("NFC", path), normalize("NFD", path)} - {path}
    return next(filter(exists, sorted(forms)), None)


def _suspect_links(markup: Markup, exists: Exists) -> Iterator[_Named]:
    """What looks like a link to a file that is missing or outside; it may yet be code."""

    def is_suspect(path: str) -> bool:
        if path.startswith("../"):
            return not re.search(_PLACEHOLDER, path)
        if exists(path) or re.search(_PLACEHOLDER, path):
            return False
        return not re.match(_PROJECT, path) or exists(path.partition("/")[0])

    if b"](" not in markup.signs and b"]:" not in markup.signs:
        return
    links = matches(re.compile(_TARGET), "]", markup.text, markup.start)
    for match in markup.first(MAX_TARGETS, links, "links to files"):
        group = match.lastindex or 0
        path = _path(match[group])
        if path and is_suspect(path):
            yield _Named(path, *match.span(group))


def _missing_mentions(markup: Markup, exists: Exists) -> Iterator[_Named]:
    """What looks like the name of a missing file of the skill; it may yet mean another file."""
    text = markup.text
    for start, end in markup.first(MAX_TARGETS, _mentions(markup), "names of files"):
        path = text[start:end]
        before = start - 2 if text.endswith("./", markup.start, start) else start
        if text.endswith(("](", "]: "), 0, before):
            continue
        own = text.endswith(_OWN_DIRECTORIES, markup.start, start)
        if not own and text[before - 1 : before] in _LONGER:
            continue
        if not exists(path) and not re.search(_PLACEHOLDER, path):
            yield _Named(path, start, end, linked=False, own=own)


def _mentions(markup: Markup) -> Iterator[tuple[int, int]]:
    """Where paths in the directories of the specification start and end."""
    if b"/" not in markup.signs:
        return
    text = markup.visible
    for match in matches(re.compile(_MENTION), "s/", text, markup.start):
        for directory in _DIRECTORIES:
            if text.endswith(directory, markup.start, match.start() + 2):
                yield match.start() + 2 - len(directory), match.end()


def _certainty(markup: Markup, name: _Named, exists: Exists, description: str) -> bool | None:
    """Whether it is unsure that a file of the skill is meant; None if it is not even likely."""
    text, place = markup.text, markup.place(name.start)
    if name.own:
        return False
    has_directory = exists(name.path.partition("/")[0])
    if place.kind not in ("prose", "code", "block") or not (has_directory or place.kind == "code"):
        return None
    if place.kind != "prose" and not _is_named(text, place, name):
        return None
    # A skill about skills speaks of files that other skills have.
    about_skills = re.search(_ABOUT_SKILLS, description) is not None
    return not has_directory or about_skills or _is_supposed(markup, place, name)


def _is_supposed(markup: Markup, place: Place, name: _Named) -> bool:
    """Whether the text around may speak of a file that the skill is not meant to have."""
    text = markup.text
    line = max(text.rfind("\n", 0, name.start) + 1, name.start - _MAX_AROUND)
    before = text[line : name.start]
    after = re.split(_NEXT, text[name.end : name.end + _MAX_AROUND], maxsplit=1)[0]
    top = min(line, place.start) if place.kind == "block" else line
    lead_in = _lead_in(text[max(markup.start, top - _MAX_ABOVE) : top], before)
    around = "\n".join((lead_in, before, after))
    return bool(re.search(_SUPPOSED, around) or re.search(_PUT_INTO, before))


def _lead_in(above: str, line: str) -> str:
    """The lines above that belong to the paragraph of a line, or say what its list is about.

    Of a list they are the items that it is nested in and the paragraph before, not its neighbours.
    """
    taken: list[str] = []
    indent, gap, listed = len(line) - len(line.lstrip()), False, bool(re.match(_MARKER, line))
    is_wrapped = not listed
    for text in reversed(above.splitlines()[-_MAX_LINES:]):
        depth = len(text) - len(text.lstrip())
        is_item = re.match(_MARKER, text) is not None
        if not text.strip():
            gap = True
        elif text.startswith("#"):
            break
        elif is_item or depth:
            if depth < indent or (is_wrapped and not gap):
                taken.append(text)
                indent, listed = depth, True
                is_wrapped = is_wrapped and not is_item
        elif gap and not (listed or indent or (not taken and text.rstrip().endswith((":", "：")))):
            break
        else:
            taken.append(text)
            indent, gap, listed = 0, False, False
    return "\n".join(line[-_MAX_AROUND:] for line in reversed(taken))


def _is_named(text: str, place: Place, name: _Named) -> bool:
    """Whether code is the path alone, or a command that runs or shows the file."""
    if place.kind == "block" and place.info not in _SHELLS:
        return False
    start = max(place.start, text.rfind("\n", 0, name.start) + 1)
    before = text[start : name.start].removesuffix("./")
    return len(before) < 400 and re.fullmatch(_COMMAND, before) is not None


def _in_other_skill(path: str, exists: Exists) -> bool:
    """Whether a path that leads out of the skill leads into another one."""
    for _ in range(MAX_PARENTS):
        if exists(f"{path}/SKILL.md"):
            return True
        if path.endswith(".."):
            return False
        path = dirname(path)
    return False


def _path(target: str) -> str | None:
    """A link's target as a normal path; None if it does not name a file or is hidden."""
    bare = target.partition("#")[0].partition("?")[0]
    if "%" in bare:
        from urllib.parse import unquote

        bare = unquote(bare)
    is_normal = bare[-1:] not in "./" and "./" not in bare and "//" not in bare
    path = bare if is_normal else normpath(bare)
    if path.startswith("../"):
        names_file = bare.endswith("/") or bool(re.match(_FILE, path))
    else:
        # A leading dot is a hidden directory, which is some other tool's.
        names_file = path[0] not in "./~@" and bool(re.match(_FILE, path))
    return path if names_file else None


def _linked_paths(section: Section) -> dict[int, set[str]]:
    """The paths that real Markdown links name, by 0-based line of the block they stand in."""
    markdown, environment = commonmark(), section.environment
    linked: dict[int, set[str]] = {}
    for block in section.tokens:
        if block.type == "inline" and block.map and "[" in block.content:
            inline: list[Token] = []
            markdown.inline.parse(block.content, markdown, environment, inline)
            targets = (str(t.attrs.get("href") or t.attrs.get("src") or "") for t in inline)
            paths = set(filter(None, map(_path, targets)))
            linked.update(dict.fromkeys(range(*block.map), paths))
    used = set().union(*linked.values())
    for definition in environment.get("references", {}).values():
        paths = used.intersection([_path(definition["href"])])
        linked.update(dict.fromkeys(range(*definition["map"]), paths))
    return linked
