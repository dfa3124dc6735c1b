"""SKILL.md and native Workflows: judging, keeping, reporting and mending."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from insomnia_skills.checking.check import CheckedFile, FileKind, check_file
from insomnia_skills.diagnostic import Diagnostic, Severity
from insomnia_skills.edit.fixes import Change, Refusal, diff, plan_fixes
from insomnia_skills.file import decode
from insomnia_skills.frontmatter import Document, parse, read_document
from insomnia_skills.invocation.tokens import estimate_tokens
from insomnia_skills.judged import decode as decode_judged
from insomnia_skills.judged import encode
from insomnia_skills.limits import MAX_FILE_BYTES
from insomnia_skills.skill import judge_file
from insomnia_skills.yaml.events import C_FIRST, PURE, compose
from insomnia_skills.yaml.node import Mapping, Node, Sequence
from insomnia_skills.yaml.usual import read_usual
from tests.fuzz.engine import Target, require
from tests.fuzz.targets.holds import check_places, check_reports, words
from tests.fuzz.targets.seeds import skill_files, workflow_files

_NAME = re.compile(
    rb"^name: ?[\"']?([a-z0-9]{1,40}(?:-[a-z0-9]{1,20})?)[\"']?[ \r]*$", re.MULTILINE
)
_BEFORE, _AFTER = "---\n", "---\na: [b\n"

FRONTMATTER = (
    *(b"---\n", b"---", b"...\n", b"name: ", b"description: ", b"license: ", b"compatibility: "),
    *(
        b"metadata:\n  ",
        b"allowed-tools: ",
        b"allowed-tools:\n  - ",
        b"disable-model-invocation: true\n",
    ),
    *(
        b": ",
        b" #",
        b"# ",
        b": |\n  ",
        b": >-\n  ",
        b": |2-\n",
        b": >+\n",
        b"|",
        b">",
        b"- ",
        b"? ",
    ),
    *(
        b"*a",
        b"&a ",
        b"!t ",
        b"!!str ",
        b"%YAML 1.2\n",
        b"<<: ",
        b"[",
        b"]",
        b"{",
        b"}",
        b", ",
        b"@",
    ),
    *(
        b"''",
        b'\\"',
        b"\\u0000",
        b"\\ud83d",
        b"\\x85",
        b"\\U00110000",
        b"{{a}}",
        b"[a]",
        b"\t",
        b"\n  ",
    ),
    *(b"\n    ", b"\n", b"yes", b"null", b"~", b"123", b"1e3", b"2026-02-11", b"Use when: ", b"`"),
    *(b"TODO", b"{{description}}", b"Desciption: ", b"Name: ", b"model_invokation: true\n"),
    *(
        b"requires: [a]\n",
        b"user_invocable: false\n",
        b"context: fork\n",
        b"\xe2\x80\x94\xe2\x80\x94",
    ),
)
BODY = (
    *(
        b"# ",
        b"## ",
        b"- ",
        b"1. ",
        b"> ",
        b"    ",
        b"```\n",
        b"```sh\n",
        b"~~~\n",
        b"`",
        b"``",
        b"**",
    ),
    *(
        b"[a](b.md)",
        b"[a](../../x.md)",
        b'![i](a.png "t")',
        b"[a]: b\n",
        b"<b@c.d>",
        b"<!-- ",
        b" -->",
    ),
    *(
        b"<div>",
        b"</div>",
        b"&amp;",
        b"\\`",
        b"|a|b|\n|-|-|\n",
        b"| ",
        b"scripts/run.sh",
        b"references/a.md",
    ),
    *(
        b"$ARGUMENTS",
        b"$1",
        b"{{x}}",
        b"${CLAUDE_SKILL_DIR}",
        b"/home/ann/x.py",
        b"C:\\Users\\a\\SKILL.md",
    ),
    *(
        b"<!-- insomnia-skills: ignore ",
        b"<!-- insomnia-skills: ignore body-long -->\n",
        b"@a.md",
        b"!`ls`",
    ),
    *(
        b"[](",
        b"](",
        b"![",
        b"(",
        b")",
        b"e.g. ",
        b"\n\n",
        b"\xe2\x80\x8b",
        b"\xf0\x9f\x91\xa9\xe2\x80\x8d",
    ),
)


def check_skill(data: bytes, place: Path) -> Iterator[str]:
    """A SKILL.md, in the directory that its name says."""
    named = _NAME.search(data)
    path = place / (named[1].decode() if named else "pdf") / "SKILL.md"
    path.parent.mkdir()
    try:
        path.write_bytes(data)
        (path.parent / "scripts").mkdir()
        yield from _check_judged(data, path)
        yield from _check_file(data, path, FileKind.SKILL)
    finally:
        path.unlink(missing_ok=True)
        (path.parent / "scripts").rmdir()
        path.parent.rmdir()


def check_workflow(data: bytes, place: Path) -> Iterator[str]:
    """A native Workflow."""
    path = place / ".insomnia/memory/workflow/deploy.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    yield from _check_file(data, path, FileKind.WORKFLOW)


def _check_judged(data: bytes, path: Path) -> Iterator[str]:
    name = path.parent.name
    judged = judge_file(str(path), name, thorough=True)
    again = judge_file(str(path), name, thorough=True)
    require(judged == again, "judged twice, it is another", (judged, again))
    kept = decode_judged(encode(judged), str(path), name)
    if judged.record is not None and judged.record.path != path:
        require(False, "the record is of another file")
    require(kept == judged, "what is kept is another", (judged, kept))
    quick = judge_file(str(path), name)
    errors = _errors(judged.diagnostics)
    require(errors == _errors(quick.diagnostics), "thoroughness makes an error", errors)
    require(quick.record == judged.record, "thoroughness makes another record")
    require((judged.record is None) == bool(errors), "a record with an error, or none without one")
    if judged.record is not None:
        yield "record"
        require(1 <= len(judged.record.description) <= 1024, "a wrong description in a record")
        estimate_tokens(judged.record.description)
    if len(data) <= MAX_FILE_BYTES:
        document = read_document(path)
        require(estimate_tokens(document.body) >= 0, "fewer tokens than none")


def _check_file(data: bytes, path: Path, kind: FileKind) -> Iterator[str]:
    file = check_file(path, kind)
    yield from words(file.diagnostics)
    yield f"ignores {bool(file.ignores)}"
    if len(data) > MAX_FILE_BYTES:
        return
    text = decode(data)
    given = check_file(path, kind, text)
    require(file == given, "a text that is given is judged as another", (file, given))
    check_places(file.diagnostics, path, text.text)
    check_reports(file, path.parents[1])
    for unsafe in (False, True):
        yield from _check_fixes(file, data, unsafe)
        path.write_bytes(data)


def _check_fixes(file: CheckedFile, data: bytes, unsafe: bool) -> Iterator[str]:
    change = plan_fixes(file, unsafe)
    if isinstance(change, Refusal):
        yield f"refused {change.reason[:30]}"
    if not isinstance(change, Change):
        return
    yield f"fixed {len(change.fixed)}, unsafe {unsafe}"
    yield from (f"fixed {diagnostic.rule}" for diagnostic in change.fixed)
    path = change.path
    require(change.before == data, "fixes are for another text")
    require(change.after != data or change.rename, "a change of nothing")
    require(change.rename is None, "a fix renames the file")
    diff(change, "SKILL.md")
    path.write_bytes(change.after)
    after = check_file(path, file.kind)
    require(after == change.file, "what is written is judged as another", (after, change.file))
    before, now = parse(path, decode(data).text), parse(path, decode(change.after).text)
    if file.valid:
        require(after.valid, "a fix breaks a valid file", change.after)
    if before.fields is not None:
        _check_kept(file, after, before, now)
    more = plan_fixes(after, unsafe)
    require(not isinstance(more, Change), "a second run fixes more", (change.after, more))


def _check_kept(file: CheckedFile, after: CheckedFile, before: Document, now: Document) -> None:
    """What was read before the fixes is read after them too."""
    require(now.fields is not None, "fixed, it can't be read", now.text)
    require(before.body == now.body, "a fix changes the body", now.text)
    old = {d.rule for d in _errors(file.diagnostics)}
    new = {d.rule for d in _errors(after.diagnostics)} - old
    # Nobody looks for what a broken Workflow requires, nor what a misspelt field says.
    new -= {"requires-missing"}
    new = {rule for rule in new if f"{rule.partition('-')[0]}-missing" not in old}
    require(not new, "a fix brings an error", (new, now.text))


def _errors(diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


def check_yaml(data: bytes, place: Path) -> Iterator[str]:
    """A block of YAML, as it stands between two fences: every reader says the same."""
    block = data.decode("utf-8", "replace")
    block += "" if block.endswith(("\n", "\r")) else "\n"
    text = f"{_BEFORE}{block}{_AFTER}"
    start, end = len(_BEFORE), len(_BEFORE) + len(block)
    node, findings = compose(text, start, end, C_FIRST)
    pure_node, pure_findings = compose(text, start, end, PURE)
    yield from (f"{f.rule}: {re.sub(r'[^A-Za-z ].*', '', f.message)[:40]}" for f in findings)
    yield type(node).__name__
    is_same = (node, findings) == (pure_node, pure_findings)
    if not is_same and not _may_differ(block, bool(findings), bool(pure_findings)):
        require(False, "the parsers differ", ((node, findings), (pure_node, pure_findings)))
    for piece in (*_pieces(node), *findings):
        lies_in = start <= piece.start <= piece.end <= end
        require(lies_in, f"{getattr(piece, 'rule', 'a node')} outside of the block", piece)
    usual = read_usual(text, start, end)
    if usual is not None:
        yield "usual"
        require(not findings, "read without a parser, refused by one", findings)
        fields = node.entries if isinstance(node, Mapping) else None
        same = fields is not None and list(usual.items()) == list(fields.items())
        require(same, "read otherwise without a parser", (usual, fields))


def _may_differ(block: str, refused: bool, pure_refused: bool) -> bool:
    """The difference that is known: a tag, an anchor or an alias is refused in other words."""
    return refused and pure_refused and re.search(r"[*&!]", block) is not None


def _pieces(node: Node | None) -> Iterator[Node]:
    if node is None:
        return
    yield node
    if isinstance(node, Mapping):
        for entry in node.entries.values():
            yield entry.key
            yield from _pieces(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _pieces(item)


def _yaml_seeds() -> list[bytes]:
    blocks = (
        re.match(rb"---[ \t]*\r?\n(.*?)^---", data, re.DOTALL | re.MULTILINE)
        for data in skill_files()
    )
    return sorted({block[1] for block in blocks if block})


TARGETS = (
    Target("skill", skill_files, (*FRONTMATTER, *FRONTMATTER, *BODY), check_skill, share=2),
    Target("yaml", _yaml_seeds, FRONTMATTER, check_yaml),
    Target(
        "workflow", lambda: [*workflow_files(), *skill_files()[:20]], FRONTMATTER, check_workflow
    ),
)
