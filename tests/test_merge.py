"""`report merge`: results of several jobs become one, and a part never passes for the whole."""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from insomnia_skills.checking import merge as merging
from insomnia_skills.checking.merge import MergeError, load_result, merge
from tests import cli
from tests.cli import Run
from tests.trees import Tree, break_skill, link, write, write_skill

NAMES = ("bad", "fair", "fixable", "good", "noted", "pdf", "xlsx", "xlsx-2")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Skills with an error, a warning, an info, a fix, findings in other files, and with none."""
    tree = Tree(tmp_path)
    skills = tree.workspace / "skills"
    break_skill(skills, "bad")
    write_skill(skills, "fair", "allowed-tools: Read")
    write_skill(skills, "fixable", description="Say: this. Use when: wanted.")
    write_skill(skills, "good")
    write_skill(skills, "noted", "colour: blue")
    write_skill(skills, "pdf", body="Read [this](references/form.md), then that.\n")
    link(skills / "pdf/references/other.md", "/etc/hosts")
    write_skill(skills, "xlsx", "allowed-tools: Read", "colour: blue")
    write_skill(skills, "xlsx-2")
    return tree


def validate(tree: Tree, *arguments: str) -> Any:
    """The JSON result of a check."""
    return cli.call_in(tree, "validate", *arguments, "--format", "json").document


def keep(tree: Tree, name: str, document: Any) -> str:
    """A result in a file; its path as it is given."""
    write(tree.workspace / "results" / name, json.dumps(document))
    return f"results/{name}"


def report(tree: Tree, *arguments: str, terminal: bool = False) -> Run:
    return cli.call_in(tree, "report", "merge", *arguments, terminal=terminal)


def shards(tree: Tree, count: int) -> list[str]:
    """The results of so many jobs that share the skills."""
    return [
        keep(tree, f"{index}.json", validate(tree, "skills", "--shard", f"{index}/{count}"))
        for index in range(1, count + 1)
    ]


# What comes of it.


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_shards_together_are_the_whole(tree: Tree, count: int) -> None:
    done = report(tree, *reversed(shards(tree, count)), "--format", "json")
    whole = cli.call_in(tree, "validate", "skills", "--format", "json")
    assert whole.document["summary"]["checked"] == len(NAMES)
    assert (done.code, done.text) == (1, whole.text)


@pytest.mark.parametrize("format", ["jsonl", "concise", "github", "markdown", "junit"])
def test_every_format_is_that_of_the_whole(tree: Tree, format: str) -> None:
    done = report(tree, *shards(tree, 3), "--format", format)
    whole = cli.call_in(tree, "validate", "skills", "--format", format)
    timeless = re.compile(r'time="[\d.]+"')
    assert timeless.sub("", done.text) == timeless.sub("", whole.text)


@pytest.mark.parametrize("format", ["text", "sarif", "gitlab"])
def test_only_the_lines_themselves_are_missing(tree: Tree, format: str) -> None:
    def stripped(run: Run) -> str:
        if format == "text":
            lines = (line for line in run.lines if "│" not in line)
            return re.sub(r"in \d+\.\d\d s", "", "\n".join(lines))
        document = json.loads(run.text, object_hook=without_lines)
        return json.dumps(document)

    def without_lines(item: dict[str, Any]) -> dict[str, Any]:
        lines = ("snippet", "contextRegion", "partialFingerprints", "fingerprint")
        return {key: value for key, value in item.items() if key not in lines}

    done = report(tree, *shards(tree, 3), "--format", format)
    whole = cli.call_in(tree, "validate", "skills", "--format", format)
    assert stripped(done) == stripped(whole)


def test_what_lies_in_a_skill_is_said_of_the_skill(tree: Tree) -> None:
    document = validate(tree, "skills/pdf")
    check = load_result(tree.workspace / keep(tree, "a.json", document)).check
    (file,) = check.files
    assert check.others == ()
    assert {os.path.basename(d.path) for d in file.diagnostics} == {"SKILL.md", "other.md"}


def test_a_path_of_thousands_of_parts_is_no_file_of_any_skill(tree: Tree) -> None:
    write_skill(tree.workspace / "skills", "pdf")
    link(tree.workspace / "skills/pdf/out", "/")
    document = validate(tree, "skills")
    (found,) = [d for d in document["diagnostics"] if d["path"].endswith("/skills/pdf/out")]
    found["path"] = f"/{'a/' * 15_000}out"
    result = keep(tree, "deep.json", document)
    done = report(tree, result, "--format", "json")
    assert found["path"] in [d["path"] for d in done.document["diagnostics"]]


def test_what_is_said_of_roots_and_conflicts_is_said_of_no_file(tree: Tree) -> None:
    break_skill(tree.workspace / "first", "good")
    write_skill(tree.user_skills, "fair")
    tree.name_roots("first", "none", "skills")
    document = validate(tree)
    done = report(tree, keep(tree, "all.json", document), "--format", "json")
    assert done.document["diagnostics"] == document["diagnostics"]
    assert done.document["workspace"] == str(tree.workspace)
    assert {file["path"] for file in done.document["files"]} == {
        file["path"] for file in document["files"]
    }
    check = load_result(tree.workspace / "results/all.json").check
    assert {d.rule for d in check.others} == {"root-missing", "skill-shadowed", "stand-in"}


def test_results_of_several_places_have_no_workspace(tree: Tree) -> None:
    tree.name_roots("skills")
    files = [keep(tree, "a.json", validate(tree)), keep(tree, "b.json", validate(tree, "skills"))]
    assert report(tree, *files, "--format", "json").document["workspace"] is None


def test_what_results_say_alike_is_said_once(tree: Tree) -> None:
    write_skill(tree.user_skills, "fair")
    tree.name_roots("skills")
    once = keep(tree, "a.json", validate(tree))
    again = keep(tree, "b.json", validate(tree))
    assert report(tree, once, again).text == report(tree, once).text


def test_files_are_in_order_of_their_directories(tree: Tree) -> None:
    names = ("a/x", "a-b", "a/b", "B")
    for name in names:
        write_skill(tree.workspace / "more", name)
    files = [keep(tree, f"{i}.json", validate(tree, f"more/{n}")) for i, n in enumerate(names)]
    document = report(tree, *files, "--format", "json").document
    places = [Path(file["path"]).parent for file in document["files"]]
    more = tree.workspace / "more"
    assert [str(place.relative_to(more)) for place in places] == ["B", "a/b", "a/x", "a-b"]


def test_what_is_known_or_fixed_is_kept(tree: Tree) -> None:
    baseline = ("--baseline", "known.json")
    cli.call_in(tree, "validate", "skills", *baseline, "--write-baseline")
    known = validate(tree, "skills", *baseline)
    fixed = validate(tree, "skills", "--fix", "--ignore", "description-missing")
    assert known["known"]
    assert fixed["fixed"]
    done = report(tree, keep(tree, "known.json", known), "--format", "json")
    assert (done.code, done.document["known"]) == (0, known["known"])
    done = report(tree, keep(tree, "fixed.json", fixed), "--format", "json")
    assert done.document["fixed"] == fixed["fixed"]


# How it ends.


@pytest.mark.parametrize(
    ("path", "options", "code"),
    [
        ("skills/good", (), 0),
        ("skills/fair", (), 0),
        ("skills/fair", ("--strict",), 1),
        ("skills/noted", ("--strict",), 0),
        ("skills/bad", (), 1),
    ],
)
def test_exit_code_is_that_of_validate(
    tree: Tree, path: str, options: tuple[str, ...], code: int
) -> None:
    assert report(tree, keep(tree, "a.json", validate(tree, path)), *options).code == code


def test_warnings_fail_where_the_configuration_says_so(tree: Tree) -> None:
    file = keep(tree, "a.json", validate(tree, "skills/fair"))
    write(tree.workspace / "insomnia-skills.toml", "strict = true\n")
    done = report(tree, file)
    assert done.code == 1
    assert done.stderr.endswith("Warnings fail here: strict = true in insomnia-skills.toml\n")
    assert "allowed-tools-ignored" in report(tree, file, "-q").text


def test_reports_are_written_as_validate_writes_them(tree: Tree) -> None:
    files = shards(tree, 2)
    done = report(tree, *files, "--output", "out/all.sarif", "--output", "out/all.json", "-q")
    assert (done.code, done.stderr) == (1, "")
    assert len(done.lines) == 2
    assert json.loads((tree.workspace / "out/all.sarif").read_bytes())["version"] == "2.1.0"
    again = report(tree, "out/all.json", "--format", "json")
    assert again.stdout == (tree.workspace / "out/all.json").read_bytes()


def test_a_check_of_nothing_does_not_pass(tree: Tree) -> None:
    (tree.workspace / "nothing").mkdir()
    file = keep(tree, "a.json", validate(tree, "nothing", "--shard", "1/1"))
    done = report(tree, file, "--output", "out.sarif")
    assert (done.code, done.text) == (2, "")
    assert "error: nothing was checked" in done.stderr
    assert not (tree.workspace / "out.sarif").exists()


def test_a_result_is_never_overwritten(tree: Tree) -> None:
    file = keep(tree, "a.json", validate(tree, "skills/good"))
    done = report(tree, file, "--output", f"./{file}")
    assert (done.code, done.text) == (2, "")
    assert "is a result to be joined" in done.stderr


# What can't be joined.


def refusal(tree: Tree, *files: str) -> str:
    done = report(tree, *files)
    assert (done.code, done.text) == (2, "")
    return done.stderr


def test_a_part_does_not_pass_for_the_whole(tree: Tree) -> None:
    files = shards(tree, 3)
    assert refusal(tree, files[0], files[2]) == (
        "error: not all was checked, there is no result of shard 2/3\n"
        "  help: see whether its job came to an end and kept its result, and give that file too\n"
    )
    assert "no result of shards 1/3, 2/3\n" in refusal(tree, files[2])


def test_a_shard_is_given_once(tree: Tree) -> None:
    files = shards(tree, 2)
    assert "shard 2/2 is there twice: results/2.json and results/2.json" in refusal(
        tree, *files, files[1]
    )


@pytest.mark.parametrize(
    ("arguments", "difference"),
    [
        (("skills", "--shard", "2/3"), "one of 2 parts, the other of 3"),
        (("more", "--shard", "2/2"), "one is of skills, the other of more"),
        (("skills", "more", "--shard", "2/2"), "one is of skills, the other of skills more"),
        (("skills", "--shard", "2/2", "--strict"), "their options differ"),
        (("skills", "--shard", "2/2", "--select", "name-*"), "their options differ"),
        (("skills", "--shard", "2/2", "--ignore", "body-empty"), "their options differ"),
        (("skills", "--shard", "2/2", "--severity", "body-empty=info"), "their options differ"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_shards_of_two_checks_are_not_mixed(
    tree: Tree, arguments: tuple[str, ...], difference: str
) -> None:
    write_skill(tree.workspace / "more", "one")
    first = shards(tree, 2)[0]
    other = keep(tree, "other.json", validate(tree, *arguments))
    assert refusal(tree, first, other).splitlines()[0].endswith(f"of one check: {difference}")


@pytest.mark.parametrize("path", ["skills", "./skills", "skills/", "skill[s]"])
def test_how_a_path_is_written_makes_no_other_check(tree: Tree, path: str) -> None:
    first = shards(tree, 2)[0]
    second = keep(tree, "2.json", validate(tree, path, "--shard", "2/2", "--jobs", "1"))
    assert report(tree, first, second).code == 1


def test_parts_may_come_from_directories_of_other_machines(tree: Tree) -> None:
    first, second = (validate(tree, "skills", "--shard", f"{index}/2") for index in (1, 2))
    moved = json.loads(json.dumps(second).replace(f'"{tree.workspace}/', '"/builds/other/'))
    assert report(tree, keep(tree, "1.json", first), keep(tree, "2.json", moved)).code == 1


def test_results_that_differ_about_a_file_are_refused(tree: Tree) -> None:
    before = keep(tree, "before.json", validate(tree, "skills"))
    write_skill(tree.workspace / "skills", "bad")
    after = keep(tree, "after.json", validate(tree, "skills/bad"))
    path = tree.workspace / "skills/bad/SKILL.md"
    assert refusal(tree, before, after).startswith(
        f"error: {path} is not the same in {before} and {after}\n"
    )


def test_the_result_of_a_run_that_was_interrupted_is_refused(tree: Tree) -> None:
    document = {**validate(tree, "skills"), "interrupted": True}
    file = keep(tree, "a.json", document)
    assert refusal(tree, file).startswith(f"error: {file} is of a run that was interrupted\n")


def replaced(document: Any, place: str, value: Any) -> Any:
    """The document with another value at ``place`` ("files 0 path"), or with none for ``...``."""
    changed = copy.deepcopy(document)
    *above, last = (int(key) if key.isdecimal() else key for key in place.split())
    node = changed
    for key in above:
        node = node[key]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return changed


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("version", 2, "is a result of version 2, not 1"),
        ("version", True, '"version" is not as it must be'),
        ("version", ..., '"version" is missing'),
        ("files", ..., '"files" is missing'),
        ("files", {}, '"files" is not as it must be'),
        ("files 0", [], "files[0]: it is not an object"),
        ("files 1 path", "skills/bad/SKILL.md", '[1]: "path" is no absolute path of this system'),
        ("files 1 path", "C:\\skills\\SKILL.md", '[1]: "path" is no absolute path of this system'),
        ("files 1 path", "/\ud800", '[1]: "path" is no path'),
        ("files 0 kind", "directory", '[0]: "kind" is none of skill, workflow, manifest'),
        ("files 0 valid", 1, '"valid" is not as it must be'),
        ("diagnostics", ..., '"diagnostics" is missing'),
        ("diagnostics 0 rule", "\x1b[31mname", '"rule" is no name of a rule'),
        ("diagnostics 0 rule", "name-missing\n", '"rule" is no name of a rule'),
        ("diagnostics 0 severity", "fatal", '"severity" is none of error, warning, info'),
        ("diagnostics 0 message", None, '"message" is not as it must be'),
        ("diagnostics 0 path", "", '"path" is no absolute path of this system'),
        ("diagnostics 0 line", 0, '"line" is less than 1'),
        ("diagnostics 0 line", 1.0, '"line" is not as it must be'),
        ("diagnostics 0 end_column", True, '"end_column" is not as it must be'),
        ("diagnostics 0 help", 1, '"help" is not as it must be'),
        ("diagnostics 0 fix", "yes", '"fix" is not as it must be'),
        ("diagnostics 0 related", [{}], 'diagnostics[0]: related[0]: "message" is missing'),
        ("files", [], 'its summary has "checked": 8, its contents come to 0'),
        ("files 3", ..., 'its summary has "checked": 8, its contents come to 7'),
        ("files 3 valid", False, 'its summary has "valid":'),
        ("diagnostics 0", ..., 'its summary has "errors":'),
        ("diagnostics 0 severity", "info", 'its summary has "errors":'),
        ("summary", ..., '"summary" is missing'),
        ("summary warnings", ..., '"warnings" is missing'),
        ("summary known", 1, 'its summary has "known": 1, its contents come to 0'),
        ("files 0 path", "/elsewhere/SKILL.md", '"files" does not have /'),
        ("known", [1], "known[0]: it is not an object"),
        ("fixed", ..., '"fixed" is missing'),
        ("workspace", "here", '"workspace" is no absolute path of this system'),
        ("shard", "1/2", '"shard" is not as it must be'),
        ("shard", {"index": 3, "count": 2}, '"shard" is none'),
        ("shard", {"index": 1, "count": 10**9}, '"shard" is none'),
        ("shard", {"index": 1, "count": 1}, '"of" is missing'),
        ("shard", {"index": 1, "count": 1, "of": [1]}, '"of" is not as it must be'),
        ("shard", {"index": 1, "count": 1, "of": ["skills"]}, '"options" is missing'),
    ],
)
def test_what_is_no_result_is_refused_with_the_place(
    tree: Tree, place: str, value: Any, message: str
) -> None:
    document = replaced(validate(tree, "skills"), place, value)
    assert message in refusal(tree, keep(tree, "a.json", document))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff\x00\xfe", id="not a text"),
        pytest.param(b'{"version": 1, "files": [', id="cut off"),
        pytest.param(b"[" * 100_000, id="too deep"),
        pytest.param(b'{"version": ' + b"1" * 10_000 + b"}", id="a number too long"),
    ],
)
def test_what_is_not_json_is_refused(tree: Tree, data: bytes) -> None:
    write(tree.workspace / "a.json", data)
    assert refusal(tree, "a.json").startswith("error: a.json is not JSON, or only a part of it\n")


def test_what_can_not_be_read_is_refused(tree: Tree) -> None:
    assert refusal(tree, "none.json") == (
        "error: none.json: can't be read: No such file or directory\n"
        "  help: write it with: insomnia-skills validate … --output FILE.json\n"
    )
    os.mkfifo(tree.workspace / "pipe.json")
    assert "pipe.json: this is a named pipe, not a file" in refusal(tree, "pipe.json")


def test_a_file_is_bounded(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    file = keep(tree, "a.json", validate(tree, "skills/good"))
    monkeypatch.setattr(merging, "MAX_RESULT_BYTES", 100)
    assert "bytes, the limit is 100" in refusal(tree, file)


# What comes from other machines.


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_windows_redirects_into_a_file_is_read(tree: Tree, encoding: str) -> None:
    text = json.dumps(validate(tree, "skills/good"))
    write(tree.workspace / "a.json", text.encode(encoding))
    assert report(tree, "a.json").code == 0


@pytest.mark.parametrize(
    "format",
    ["text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"],
)
def test_texts_of_a_result_reach_no_terminal(tree: Tree, format: str) -> None:
    hostile = "\x1b[31m\x07\x9b\u202e\x00\r\n::error::\udcff\ud800"
    document = validate(tree, "skills")
    path = os.fspath(tree.workspace / "\x1b[31m\udcff" / "SKILL.md")
    for item in document["diagnostics"]:
        item.update(message=hostile, help=hostile, path=path)
        item["related"] = [{**item, "message": hostile}]
        edit = {"line": 1, "column": 0, "end_line": 1, "end_column": 1, "text": hostile}
        item["fix"] = {"title": hostile, "safe": True, "edits": [edit], "rename": hostile}
    for file in document["files"]:
        file["slug"] = hostile
    document["files"][0]["path"] = path
    document.update(known=document["diagnostics"], fixed=document["diagnostics"])
    document["summary"].update(known=len(document["known"]), fixed=len(document["fixed"]))
    done = report(tree, keep(tree, "a.json", document), "--format", format, "-v")
    assert done.code == 1
    raw = {
        c for c in done.both if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c == "\u202e"
    }
    assert raw == set()
    assert not any(line.startswith("::error::") for line in done.both.splitlines())


def test_results_can_be_joined_without_the_command(tree: Tree) -> None:
    paths = [tree.workspace / file for file in shards(tree, 2)]
    check = merge([load_result(path) for path in paths])
    assert [file.slug for file in check.files] == sorted(NAMES, key=lambda name: f"{name}\0")
    with pytest.raises(MergeError, match="no result of shard 2/2") as refused:
        merge([load_result(paths[0])])
    assert refused.value.help is not None
