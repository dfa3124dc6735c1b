"""What ingested skills add to a Pod's Scope, and which paths that makes readable."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

from insomnia_skills.scope import (
    PathCheck,
    ReadRule,
    check_readable,
    find_escapes,
    is_readable,
    scope_rules,
)
from tests.cli import NO_COLOR, call_in
from tests.trees import Tree, break_skill, denied, link, write, write_skill


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def rules(tree: Tree) -> tuple[ReadRule, ...]:
    return scope_rules(tree.ingest().workflows)


# --- rules ---------------------------------------------------------------------------------------


def test_one_recursive_read_rule_for_each_skill(tree: Tree) -> None:
    write_skill(tree.user_skills, "b")
    write_skill(tree.user_skills, "a")
    assert rules(tree) == (
        ReadRule(("a",), tree.user_skills / "a", permission="read", recursive=True),
        ReadRule(("b",), tree.user_skills / "b", permission="read", recursive=True),
    )


def test_only_what_is_ingested_is_readable(tree: Tree) -> None:
    tree.write_workflow("native")
    tree.name_roots("skills")
    write_skill(tree.workspace / "skills", "pdf")
    write_skill(tree.user_skills, "pdf")
    write_skill(tree.user_skills, "native")
    break_skill(tree.user_skills, "broken")
    write(tree.user_skills / "no-skill" / "README.md", "")
    assert [rule.target for rule in rules(tree)] == [tree.workspace / "skills" / "pdf"]


def test_without_skills_there_are_no_rules(tree: Tree) -> None:
    tree.write_workflow("native")
    assert rules(tree) == ()


def test_the_target_of_a_linked_skill_is_where_it_really_lies(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    link(tree.user_skills / "pdf", "../../shared/pdf")
    (rule,) = rules(tree)
    assert (rule.slug, rule.target) == ("pdf", tree.top / "shared" / "pdf")


def test_the_target_below_a_linked_root_is_where_it_really_lies(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    link(tree.workspace / "skills", "../shared")
    tree.name_roots("skills")
    (rule,) = rules(tree)
    assert rule.target == tree.top / "shared" / "pdf"


def test_a_linked_skill_file_does_not_move_the_target(tree: Tree) -> None:
    write_skill(tree.config / "shared", "pdf")
    link(tree.user_skills / "pdf" / "SKILL.md", "../../shared/pdf/SKILL.md")
    (rule,) = rules(tree)
    assert rule.target == tree.user_skills / "pdf"


def test_slugs_with_one_real_directory_share_a_rule(tree: Tree) -> None:
    skill = write_skill(tree.user_skills, "pdf").parent
    link(tree.top / "alias", skill)
    (record,) = tree.ingest().workflows
    alias = record._replace(slug="alias", directory=tree.top / "alias")
    assert scope_rules([record, alias]) == (ReadRule(("alias", "pdf"), skill),)


def test_a_skill_inside_another_one_needs_no_rule_of_its_own(tree: Tree) -> None:
    outer = write_skill(tree.user_skills, "outer").parent
    write_skill(outer / "skills", "inner")
    write_skill(outer / "skills" / "inner" / "more", "innermost")
    write_skill(tree.user_skills, "outer-2")
    tree.name_roots(str(outer / "skills"), str(outer / "skills" / "inner" / "more"))
    assert rules(tree) == (
        ReadRule(("inner", "innermost", "outer"), outer),
        ReadRule(("outer-2",), tree.user_skills / "outer-2"),
    )


def test_a_parent_is_never_granted(tree: Tree) -> None:
    """It would grant what somebody puts there tomorrow, too."""
    for name in ("a", "b", "c"):
        write_skill(tree.user_skills, name)
    assert [rule.target for rule in rules(tree)] == [tree.user_skills / n for n in ("a", "b", "c")]


def test_the_whole_disk_may_be_a_skill() -> None:
    rule = ReadRule(("root",), Path("/"))
    assert is_readable("/etc/hosts", [rule]) is rule
    assert is_readable("/", [rule]) is rule


# --- is_readable ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "readable"),
    [
        pytest.param("skills/pdf", True, id="the-directory"),
        pytest.param("skills/pdf/SKILL.md", True, id="skill-file"),
        pytest.param("skills/pdf/scripts/deep/run.sh", True, id="deep-file"),
        pytest.param("skills/pdf/not-there.md", True, id="not-there-yet"),
        pytest.param("skills/pdf/scripts/../SKILL.md", True, id="up-and-down"),
        pytest.param("skills/pdf/inner-link.md", True, id="link-that-stays-inside"),
        pytest.param("skills/pdf/.hidden", True, id="hidden-file"),
        pytest.param("alias/SKILL.md", True, id="by-a-link-to-the-skill"),
        pytest.param("skills/pdf-2/notes.md", False, id="sibling-with-the-same-prefix"),
        pytest.param("skills/pdf.md", False, id="file-with-the-same-prefix"),
        pytest.param("skills/pd", False, id="shorter-name"),
        pytest.param("skills", False, id="the-root"),
        pytest.param("skills/pdf/..", False, id="up"),
        pytest.param("skills/pdf/../pdf-2/notes.md", False, id="up-and-over"),
        pytest.param("skills/pdf/outer-link.md", False, id="link-that-leads-out"),
        pytest.param("skills/pdf/outer/secret.md", False, id="below-a-link-that-leads-out"),
        pytest.param("skills/pdf/dangling.md", False, id="dangling-link-that-leads-out"),
        pytest.param("secret/secret.md", False, id="elsewhere"),
    ],
)
def test_is_readable(tree: Tree, path: str, readable: bool) -> None:
    skill = tree.user_skills / "pdf"
    write_skill(tree.user_skills, "pdf", files={"scripts/deep/run.sh": "", ".hidden": ""})
    write(tree.user_skills / "pdf-2" / "notes.md", "")
    write(tree.config / "secret" / "secret.md", "")
    link(tree.config / "alias", "skills/pdf")
    link(skill / "inner-link.md", "scripts/deep/run.sh")
    link(skill / "outer-link.md", "../../secret/secret.md")
    link(skill / "outer", tree.config / "secret")
    link(skill / "dangling.md", "../gone.md")
    (rule,) = rules(tree)
    assert is_readable(tree.config / path, [rule]) is (rule if readable else None)
    assert is_readable(os.fspath(tree.config / path), [rule]) is (rule if readable else None)


def test_every_link_that_is_not_readable_is_pointed_out(tree: Tree) -> None:
    skill = write_skill(tree.user_skills, "pdf", files={"a.md": ""}).parent
    write(tree.user_skills / "pdf-2" / "notes.md", "")
    links = [
        link(skill / "inner.md", "a.md"),
        link(skill / "itself", "."),
        link(skill / "outer.md", "../../../top.md"),
        link(skill / "sibling.md", "../pdf-2/notes.md"),
        link(skill / "root", ".."),
    ]
    write(tree.top / "top.md", "")
    result = tree.ingest(thorough=True)
    told = {found.path for found in result.diagnostics if found.rule == "link-escapes-skill"}
    rules = scope_rules(result.workflows)
    assert told == {path for path in links if is_readable(path, rules) is None}
    assert {path.name for path in told} == {"outer.md", "sibling.md", "root"}


def test_a_skill_file_that_is_a_link_out_of_the_skill_is_not_readable(tree: Tree) -> None:
    write_skill(tree.top / "shared", "pdf")
    path = link(tree.user_skills / "pdf" / "SKILL.md", "../../../shared/pdf/SKILL.md")
    assert is_readable(path, rules(tree)) is None


def test_a_relative_path_counts_from_the_working_directory(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tree.user_skills, "pdf")
    monkeypatch.chdir(tree.user_skills)
    assert is_readable("pdf/SKILL.md", rules(tree)) is not None
    assert is_readable("SKILL.md", rules(tree)) is None


def test_the_rule_that_allows_it_is_named(tree: Tree) -> None:
    write_skill(tree.user_skills, "a")
    write_skill(tree.user_skills, "b")
    rule = is_readable(tree.user_skills / "b" / "SKILL.md", rules(tree))
    assert rule is not None
    assert rule.slug == "b"


def test_without_rules_nothing_is_readable(tmp_path: Path) -> None:
    assert is_readable(tmp_path, []) is None


def test_a_rule_that_is_not_recursive_covers_its_target_alone(tmp_path: Path) -> None:
    rule = ReadRule(("a",), tmp_path, recursive=False)
    assert is_readable(tmp_path, [rule]) is rule
    assert is_readable(tmp_path / "below", [rule]) is None


def test_what_leads_nowhere_is_not_readable(tree: Tree) -> None:
    skill = write_skill(tree.user_skills, "pdf").parent
    link(skill / "loop.md", "loop.md")
    link(skill / "there.md", "back.md")
    link(skill / "back.md", "there.md")
    for name in ("loop.md", "there.md", "loop.md/below", "a\0b"):
        assert is_readable(skill / name, rules(tree)) is None


# --- escapes -------------------------------------------------------------------------------------


def escapes(tree: Tree) -> list[tuple[str, Path, str]]:
    """Links by their path from the top, where they lead, and whose they are."""
    workflows = tree.ingest().workflows
    found = find_escapes(workflows, scope_rules(workflows))
    return [(str(e.path.relative_to(tree.top)), e.target, e.slug) for e in found]


def test_links_that_lead_to_where_no_rule_reaches_escape(tree: Tree) -> None:
    skill = write_skill(tree.user_skills, "pdf", files={"a.md": ""}).parent
    write(tree.top / "style.md", "")
    link(skill / "scripts" / "style.md", "../../../../style.md")
    link(skill / "all", "..")
    link(skill / "gone.md", "../gone.md")
    link(skill / "same.md", "a.md")
    link(skill / "lost.md", "scripts/lost.md")
    link(skill / "loop.md", "loop.md")
    assert escapes(tree) == [
        ("config/skills/pdf/all", tree.user_skills, "pdf"),
        ("config/skills/pdf/gone.md", tree.user_skills / "gone.md", "pdf"),
        ("config/skills/pdf/scripts/style.md", tree.top / "style.md", "pdf"),
    ]


def test_what_the_rule_of_another_skill_covers_does_not_escape(tree: Tree) -> None:
    tree.name_roots("skills")
    other = write_skill(tree.workspace / "skills", "other", files={"style.md": ""}).parent
    shadowed = write_skill(tree.user_skills, "other", files={"style.md": ""}).parent
    skill = write_skill(tree.user_skills, "pdf").parent
    link(skill / "granted.md", other / "style.md")
    link(skill / "not-granted.md", shadowed / "style.md")
    assert escapes(tree) == [("config/skills/pdf/not-granted.md", shadowed / "style.md", "pdf")]


def test_a_skill_file_that_is_a_link_out_escapes(tree: Tree) -> None:
    shared = write_skill(tree.config / "shared", "pdf")
    link(tree.user_skills / "pdf" / "SKILL.md", shared)
    assert escapes(tree) == [("config/skills/pdf/SKILL.md", shared, "pdf")]


def test_a_link_in_a_skill_inside_another_one_is_told_once(tree: Tree) -> None:
    tree.write_workflow("native")
    outer = write_skill(tree.user_skills, "outer").parent
    inner = write_skill(outer / "skills", "inner").parent
    link(inner / "hosts", "/etc/hosts")
    tree.name_roots(str(outer / "skills"))
    ((path, _, slug),) = escapes(tree)
    assert (path, slug) == ("config/skills/outer/skills/inner/hosts", "inner")


# --- check_readable ------------------------------------------------------------------------------


def copies_of_every_kind(tree: Tree) -> None:
    tree.write_workflow("native")
    tree.name_roots("skills")
    write_skill(tree.workspace / "skills", "pdf", files={"a.md": ""})
    write_skill(tree.user_skills, "pdf", files={"a.md": ""})
    write_skill(tree.user_skills, "native")
    break_skill(tree.user_skills, "broken")
    link(tree.user_skills / "alias", tree.workspace / "skills" / "pdf")
    write(tree.top / "secret.md", "")
    link(tree.workspace / "skills" / "pdf" / "secret.md", tree.top / "secret.md")
    link(tree.workspace / "skills" / "pdf" / "broken.md", tree.user_skills / "broken/SKILL.md")
    link(tree.user_skills / "lost", "gone")
    link(tree.top / "loop", "loop")


ANSWERS = [
    pytest.param("workspace/skills/pdf/a.md", "pdf", None, None, id="granted"),
    pytest.param("workspace/skills/pdf", "pdf", None, None, id="the-directory"),
    pytest.param("workspace/skills/pdf/new.md", "pdf", None, None, id="not-there-yet"),
    pytest.param("secret.md", None, "no-rule", None, id="no-rule"),
    pytest.param("gone.md", None, "no-rule", None, id="not-there-and-no-rule"),
    pytest.param("workspace/skills/pdf/secret.md", None, "no-rule", None, id="leads-out"),
    pytest.param("config/skills/pdf/a.md", None, "shadowed", "pdf", id="shadowed"),
    pytest.param("config/skills/native", None, "shadowed", "native", id="shadowed-by-native"),
    pytest.param("config/skills/broken/SKILL.md", None, "skipped", "broken", id="skipped"),
    pytest.param("config/skills/broken/new.md", None, "skipped", "broken", id="skipped-not-there"),
    pytest.param("workspace/skills/pdf/broken.md", None, "skipped", "broken", id="into-skipped"),
    pytest.param("config/skills/lost", None, "skipped", "lost", id="skipped-link-to-nothing"),
    pytest.param("config/skills/README.md", None, "no-rule", None, id="beside-skipped"),
    pytest.param("config/skills", None, "no-rule", None, id="above-skipped"),
    pytest.param(
        "workspace/.insomnia/memory/workflow/native.md",
        None,
        "native-workflow",
        "native",
        id="native-workflow",
    ),
    pytest.param("loop", None, "nowhere", None, id="circle"),
    pytest.param("a\0b", None, "nowhere", None, id="nul"),
]


@pytest.mark.parametrize(("path", "granted", "refused", "holder"), ANSWERS)
def test_check_readable(
    tree: Tree, path: str, granted: str | None, refused: str | None, holder: str | None
) -> None:
    copies_of_every_kind(tree)
    (answer,) = check_readable([tree.top / path], tree.ingest())
    assert (answer.rule.slug if answer.rule else None) == granted
    assert (answer.holder.slug if answer.holder else None) == holder
    assert answer.refused == refused
    rule = is_readable(tree.top / path, scope_rules(tree.ingest().workflows))
    assert answer.rule == rule


def check(tree: Tree, path: Path) -> PathCheck:
    (answer,) = check_readable([path], tree.ingest())
    return answer


def test_the_real_place_is_told(tree: Tree) -> None:
    copies_of_every_kind(tree)
    skill = tree.workspace / "skills" / "pdf"
    assert check(tree, skill / "secret.md").place.real == tree.top / "secret.md"
    assert check(tree, skill / "secret.md").led_elsewhere
    assert check(tree, tree.user_skills / "alias" / "a.md").place.real == skill / "a.md"
    assert not check(tree, skill / "a.md").led_elsewhere
    assert not check(tree, skill / "b" / ".." / "a.md").led_elsewhere
    assert not check(tree, tree.top / "loop").led_elsewhere


def test_two_dots_after_a_link_go_up_from_where_it_leads(tree: Tree) -> None:
    copies_of_every_kind(tree)
    answer = check(tree, tree.user_skills / "alias" / ".." / "pdf" / "a.md")
    assert answer.rule is not None
    assert answer.place.real == tree.workspace / "skills" / "pdf" / "a.md"


def test_what_may_not_be_looked_at_might_be_there(tree: Tree) -> None:
    skill = write_skill(tree.user_skills, "pdf", files={"closed/a.md": ""}).parent
    with denied(skill / "closed"):
        answer = check(tree, skill / "closed" / "a.md")
    assert answer.place.exists
    assert answer.rule is not None


# --- the command ---------------------------------------------------------------------------------


def test_check_at_a_terminal(tree: Tree) -> None:
    copies_of_every_kind(tree)
    paths = (
        "skills/pdf/a.md",
        "skills/pdf/../pdf/secret.md",
        "skills/pdf/new.md",
        "../config/skills/pdf",
        "../config/skills/native/",
        "../config/skills/broken",
        ".insomnia/memory/workflow/native.md",
        "../loop",
    )
    done = call_in(tree, "scope", "--check", *paths, terminal=True, columns=200, env=NO_COLOR)
    assert done.code == 1
    assert [tuple(re.split(" {2,}", line.strip())) for line in done.lines] == [
        ("answer", "path", "because"),
        ("readable", paths[0], "by /pdf: read skills/pdf/**"),
        ("not readable", paths[1], "leads to ~/secret.md; no rule covers it"),
        ("readable", paths[2], "by /pdf: read skills/pdf/**; nothing is there"),
        ("not readable", paths[3], "user skills/pdf is shadowed by skills/pdf"),
        ("not readable", paths[4], "user skills/native is shadowed by the native workflow"),
        (
            "not readable",
            paths[5],
            "user skills/broken is skipped: description-missing at SKILL.md:1:1",
        ),
        ("not readable", paths[6], "a native workflow adds no rule"),
        ("not readable", paths[7], "its links go in a circle"),
    ]


def test_check_where_there_is_little_room(tree: Tree) -> None:
    copies_of_every_kind(tree)
    done = call_in(tree, "scope", "--check", "../x.md", terminal=True, columns=40, env=NO_COLOR)
    assert done.lines == ["not readable  ../x.md", "  no rule covers it; nothing is there"]


def test_check_piped(tree: Tree) -> None:
    copies_of_every_kind(tree)
    done = call_in(
        tree, "scope", "--check", "skills/pdf/secret.md", "skills/pdf", "../config/skills/pdf"
    )
    skill, top = tree.workspace / "skills" / "pdf", tree.top
    lost = tree.user_skills / "pdf"
    assert done.lines == [
        f"not-readable\t{skill}/secret.md\t{top}/secret.md\t\tno-rule\t",
        f"readable\t{skill}\t{skill}\tpdf\trule\t{skill}/**",
        f"not-readable\t{lost}\t{lost}\tpdf\tshadowed\t{lost}/SKILL.md",
    ]


def test_check_says_yes_with_its_exit_code(tree: Tree) -> None:
    copies_of_every_kind(tree)
    done = call_in(tree, "scope", "--check", "skills/pdf/a.md", "skills/pdf/b.md")
    assert (done.code, done.stderr) == (0, "")


def test_check_in_json(tree: Tree) -> None:
    copies_of_every_kind(tree)
    done = call_in(tree, "scope", "--check", "skills/pdf", "../loop", "--format", "json")
    granted, loop = done.document["paths"]
    assert granted["rule"]["slugs"] == ["pdf"]
    assert (granted["readable"], granted["exists"], granted["refused"]) == (True, True, None)
    assert (loop["real"], loop["readable"], loop["refused"]) == (None, False, "nowhere")


def test_paths_come_from_stdin_too(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    copies_of_every_kind(tree)
    given = io.TextIOWrapper(io.BytesIO(b"skills/pdf/a.md\n\nskills/caf\xe9\0.md\n"))
    monkeypatch.setattr("sys.stdin", given)
    done = call_in(tree, "scope", "--check", "-", "skills", "--format", "table", env=NO_COLOR)
    assert [line.split("  ")[0].strip() for line in done.lines] == [
        "answer",
        "readable",
        "not readable",
        "not readable",
    ]
    assert "no path has a NUL in it" in done.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("a.md",), "paths are what --check asks about", id="paths-without-check"),
        pytest.param(("a b", "c"), "insomnia-skills scope --check 'a b' c\n", id="to-paste"),
        pytest.param(("--check",), "--check: no path to ask about", id="no-path"),
        pytest.param(("--check", "-"), "--check: no path to ask about", id="nothing-on-stdin"),
        pytest.param(("--check", ""), "--check: a path is empty", id="empty-path"),
        pytest.param(
            ("--check", "a.md", "--format", "toml"), "--check has answers", id="answers-as-toml"
        ),
    ],
)
def test_wrong_questions(
    tree: Tree, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    done = call_in(tree, "scope", *arguments)
    assert (done.code, done.text) == (2, "")
    assert message in done.stderr


def test_stdin_may_be_closed(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    done = call_in(tree, "scope", "--check", "-")
    assert (done.code, done.stderr) == (2, "error: stdin is closed\n")


def test_escapes_are_listed_below_the_rules(tree: Tree) -> None:
    write(tree.top / "style.md", "")
    link(tree.user_skills / "pdf" / "style.md", "../../../style.md")
    write_skill(tree.user_skills, "pdf")
    done = call_in(tree, "scope", terminal=True, env=NO_COLOR)
    assert [line.rstrip() for line in done.lines] == [
        " workflow  permission  target",
        " /pdf      read        ~/config/skills/pdf/**",
        "",
        "Not readable: links that lead to where no rule reaches",
        " workflow  link                          leads to",
        " /pdf      ~/config/skills/pdf/style.md  ~/style.md",
    ]
    piped = call_in(tree, "scope")
    assert len(piped.lines) == 1
    said = "not readable: ~/config/skills/pdf/style.md leads to ~/style.md, which no rule covers\n"
    assert piped.stderr == said
    assert call_in(tree, "scope", "--quiet").stderr == ""
    assert call_in(tree, "scope", "--format", "toml").stderr == said
    assert call_in(tree, "scope", "--format", "json").document["escapes"] == [
        {
            "path": str(tree.user_skills / "pdf" / "style.md"),
            "target": str(tree.top / "style.md"),
            "slug": "pdf",
        }
    ]


def test_a_rule_names_all_that_it_serves(tree: Tree) -> None:
    outer = write_skill(tree.user_skills, "outer").parent
    write_skill(outer / "skills", "inner")
    tree.name_roots(str(outer / "skills"))
    assert call_in(tree, "scope").text == f"read\t{outer}/**\tinner outer\n"
    (rule,) = call_in(tree, "scope", "--format", "json").document["allow"]
    assert (rule["slug"], rule["slugs"]) == ("inner", ["inner", "outer"])
    table = call_in(tree, "scope", terminal=True, env=NO_COLOR).text
    assert "/inner /outer" in table


def test_toml_leaves_out_a_path_that_is_not_utf8(tree: Tree) -> None:
    root = tree.workspace / os.fsdecode(b"caf\xe9")
    try:
        write_skill(root, "odd")
    except OSError:
        pytest.skip("this disk takes no names but UTF-8")
    write_skill(tree.user_skills, "even")
    done = call_in(tree, "scope", "--format", "toml", "--directory", root)
    assert done.text.count("[[scope.allow]]") == 1
    assert done.stderr.startswith("left out, TOML can't write a path that is not UTF-8: ")
    asked = ("--check", root / "odd" / "a.md", "--directory", root)
    checked = call_in(tree, "scope", *asked)
    assert (checked.code, checked.text.count("caf\\udce9/odd/**")) == (0, 1)


def test_without_rules_there_is_nothing_to_paste(tree: Tree) -> None:
    done = call_in(tree, "scope", "--format", "toml", "--quiet")
    assert (done.code, done.both) == (0, "")


def test_an_empty_scope_is_said_unless_quiet(tree: Tree) -> None:
    assert "gains no read rule" in call_in(tree, "scope", terminal=True).stderr
    assert call_in(tree, "scope", "--quiet", terminal=True).both == ""
