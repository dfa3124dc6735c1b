"""The configuration file of `validate`: where it is found, what it may say, what it must not."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from insomnia_skills.checking.config import Config, ConfigError, Override, expand_rules, find_config
from insomnia_skills.diagnostic import Severity
from tests.trees import denied, link, write

PAGE = Path(__file__).parent.parent / "docs" / "configuration.md"


def load(directory: Path, text: str | bytes) -> Config:
    write(directory / "insomnia-skills.toml", text)
    return find_config(directory)


def load_pyproject(directory: Path, text: str) -> Config:
    write(directory / "pyproject.toml", text)
    return find_config(directory)


def refusal(directory: Path, name: str, text: str | bytes) -> tuple[str, str | None]:
    """The message without the path before it, and the help."""
    path = write(directory / name, text)
    with pytest.raises(ConfigError) as caught:
        find_config(directory)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    return message.removeprefix(f"{path}:"), caught.value.help


# --- which file ----------------------------------------------------------------------------------


def test_without_a_file_nothing_is_configured(tmp_path: Path) -> None:
    assert find_config(tmp_path) == Config(tmp_path)


@pytest.mark.parametrize(
    ("files", "start", "chosen"),
    [
        pytest.param(["insomnia-skills.toml"], ".", "insomnia-skills.toml", id="own file"),
        pytest.param(["pyproject.toml"], ".", "pyproject.toml", id="pyproject"),
        pytest.param(["insomnia-skills.toml"], "a/b", "insomnia-skills.toml", id="upward"),
        pytest.param(
            ["insomnia-skills.toml", "a/insomnia-skills.toml"],
            "a/b",
            "a/insomnia-skills.toml",
            id="the nearest",
        ),
        pytest.param(
            ["insomnia-skills.toml", "a/pyproject.toml"],
            "a/b",
            "a/pyproject.toml",
            id="a nearer pyproject before a farther own file",
        ),
        pytest.param(
            ["insomnia-skills.toml", "pyproject.toml"],
            ".",
            "insomnia-skills.toml",
            id="own file before pyproject in one directory",
        ),
        pytest.param(
            ["a/insomnia-skills.toml"], ".", None, id="what lies below is somebody else's"
        ),
    ],
)
def test_which_file_counts(
    tmp_path: Path, files: list[str], start: str, chosen: str | None
) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for name in files:
        section = "[tool.insomnia-skills]\n" if name.endswith("pyproject.toml") else ""
        write(tmp_path / name, f"{section}strict = true\n")
    config = find_config(tmp_path / start)
    assert config.path == (None if chosen is None else tmp_path / chosen)
    assert config.strict is (chosen is not None)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param('[project]\nname = "insomnia-skills"\n', id="only named in it"),
        pytest.param('[tool.ruff]\nselect = ["E"]\n', id="other tools"),
        pytest.param('tool = "x" # insomnia-skills\n', id="tool is no table"),
        pytest.param("[tool\n", id="broken, and nothing of this tool in it"),
        pytest.param("# [tool.insomnia-skills]\n", id="commented out"),
    ],
)
def test_a_pyproject_without_the_section_is_passed_over(tmp_path: Path, text: str) -> None:
    write(tmp_path / "insomnia-skills.toml", "strict = true\n")
    write(tmp_path / "a/pyproject.toml", text)
    assert find_config(tmp_path / "a").path == tmp_path / "insomnia-skills.toml"


def test_an_empty_section_counts(tmp_path: Path) -> None:
    write(tmp_path / "insomnia-skills.toml", "strict = true\n")
    write(tmp_path / "a/pyproject.toml", "[tool.insomnia-skills]\n")
    assert not find_config(tmp_path / "a").strict


def test_a_directory_called_pyproject_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    assert find_config(tmp_path) == Config(tmp_path)


# --- what it says --------------------------------------------------------------------------------


def test_all_that_can_be_said(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
        select = ["name-*", "body-long", "reference-missing"]
        ignore = ["body-long"]
        strict = true
        baseline = "ci/known.json"
        severity = { reference-missing = "error" }

        [[overrides]]
        paths = ["vendor"]
        ignore = ["name-mismatch"]

        [[overrides]]
        paths = ["a", "b/**"]
        severity.body-long = "info"
        """,
    )
    assert config.path == tmp_path / "insomnia-skills.toml"
    assert config.base == tmp_path
    assert config.select is not None
    assert {"name-missing", "name-mismatch", "body-long", "reference-missing"} < config.select
    assert all(name.startswith(("name-", "body-long", "reference-")) for name in config.select)
    assert config.ignore == {"body-long"}
    assert config.severity == {"reference-missing": Severity.ERROR}
    assert config.strict
    assert config.baseline == tmp_path / "ci/known.json"
    assert config.overrides == (
        Override(("vendor",), frozenset({"name-mismatch"})),
        Override(("a", "b/**"), severity={"body-long": Severity.INFO}),
    )


def test_the_example_of_the_page_is_a_configuration(tmp_path: Path) -> None:
    own, pyproject, shared = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    config = load(tmp_path / "own", own)
    assert config.strict
    assert config.ignore
    assert config.severity
    assert config.baseline == tmp_path / "own/skills-baseline.json"
    assert len(config.overrides) == 2
    other = load_pyproject(tmp_path / "pyproject", pyproject)
    assert other.ignore
    assert other.severity
    assert other.overrides
    assert len(load(tmp_path / "shared", shared).ignore) == 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[tool.insomnia-skills]\nseverity.body-long = "error"\n', id="dotted key"),
        pytest.param('[tool.insomnia-skills.severity]\nbody-long = "error"\n', id="sub-table"),
        pytest.param('tool.insomnia-skills.severity.body-long = "error"\n', id="all dotted"),
        pytest.param('[tool]\ninsomnia-skills = {severity = {body-long = "error"}}', id="inline"),
        pytest.param('["tool"."insomnia-skills".severity]\n"body-long" = "error"', id="quoted"),
    ],
)
def test_the_ways_to_write_a_section(tmp_path: Path, text: str) -> None:
    assert load_pyproject(tmp_path, text).severity == {"body-long": Severity.ERROR}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"\xef\xbb\xbfstrict = true\n", id="byte-order mark"),
        pytest.param(b"ignore = []\r\nstrict = true\r\n", id="CRLF"),
        pytest.param(b"strict = true", id="no line end"),
        pytest.param("# 日本語 😀\nstrict = true\n".encode(), id="beyond ASCII"),
    ],
)
def test_how_it_may_be_saved(tmp_path: Path, text: bytes) -> None:
    assert load(tmp_path, text).strict


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"name-*" = "info"\nname-type = "error"\n', id="the pattern first"),
        pytest.param('name-type = "error"\n"name-*" = "info"\n', id="the name first"),
    ],
)
def test_a_whole_name_goes_before_a_pattern(tmp_path: Path, text: str) -> None:
    severity = load(tmp_path, f"[severity]\n{text}").severity
    assert severity["name-type"] is Severity.ERROR
    assert severity["name-missing"] is Severity.INFO


def test_a_pattern_stands_for_rules() -> None:
    assert expand_rules(["root-m*", "name-type"]) == {"root-missing", "name-type"}
    assert "body-long" in expand_rules(["*"])


# --- overrides -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "covered", "not_covered"),
    [
        pytest.param("a/SKILL.md", ["a/SKILL.md"], ["a/x.md", "b/a/SKILL.md"], id="a file"),
        pytest.param("a", ["a/SKILL.md", "a/b/SKILL.md"], ["ab/SKILL.md", "b/a"], id="a directory"),
        pytest.param("a/", ["a/SKILL.md"], ["b/SKILL.md"], id="a directory with a slash"),
        pytest.param("./a", ["a/SKILL.md"], ["b/SKILL.md"], id="from here"),
        pytest.param("a/b", ["a/b/SKILL.md"], ["a/SKILL.md", "a/c/b"], id="a directory below"),
        pytest.param(
            "*/SKILL.md", ["a/SKILL.md"], ["SKILL.md", "a/b/SKILL.md"], id="star: one directory"
        ),
        pytest.param("old-*", ["old-a/SKILL.md"], ["a/old-b/x", "old"], id="star: part of a name"),
        pytest.param("a/*", ["a/b/c/SKILL.md"], ["b/SKILL.md", "a"], id="star: all below"),
        pytest.param("v?/x", ["v1/x"], ["v10/x", "v/x"], id="question mark"),
        pytest.param("v[12]", ["v1/x", "v2/x"], ["v3/x"], id="set"),
        pytest.param("v[!12]", ["v3/x"], ["v1/x"], id="set of others"),
        pytest.param(
            "**/SKILL.md", ["SKILL.md", "a/SKILL.md", "a/b/SKILL.md"], ["a/x.md"], id="two stars"
        ),
        pytest.param(
            "a/**/x", ["a/x", "a/b/x", "a/b/c/x/y"], ["x", "b/a/x", "a/bx"], id="two stars between"
        ),
        pytest.param("**", ["a", "a/b/SKILL.md", "../x"], [], id="two stars alone"),
        pytest.param("a/**", ["a/b", "a/b/c"], ["b/a"], id="two stars at the end"),
        pytest.param("A", ["A/x"], ["a/x"], id="case counts"),
        pytest.param("../user", ["../user/a/SKILL.md"], ["user/a/SKILL.md"], id="outside"),
    ],
)
def test_the_paths_of_an_override(pattern: str, covered: list[str], not_covered: list[str]) -> None:
    override = Override((pattern,))
    assert [path for path in (*covered, *not_covered) if override.covers(path)] == covered


def test_an_override_of_several_patterns() -> None:
    override = Override(("a", "b/*.md"))
    assert [p for p in ("a/x", "b/x.md", "b/x.txt", "c") if override.covers(p)] == ["a/x", "b/x.md"]


def test_a_hostile_pattern_takes_no_time() -> None:
    started = time.perf_counter()
    assert not Override(("/".join(["**", "a*"] * 100) + "/b",)).covers("/".join(["a"] * 1000))
    assert time.perf_counter() - started < 3


# --- what makes no sense -------------------------------------------------------------------------

RULE_NAMES = "insomnia-skills rules lists them"
NEAR = "did you mean body-long?"

REFUSED = [
    # Types.
    pytest.param('strict = "yes"', '1:10: "strict" must be true or false', None, id="strict"),
    pytest.param("strict = 1", '1:10: "strict" must be true or false', None, id="strict number"),
    pytest.param("baseline = 1", '1:12: "baseline" must be a path in quotes', None, id="baseline"),
    pytest.param('baseline = ""', '1:12: "baseline" must be a path in quotes', None, id="empty"),
    pytest.param(
        'ignore = "body-long"',
        '1:10: "ignore" must be a list of names of rules in quotes',
        None,
        id="ignore text",
    ),
    pytest.param(
        'select = ["body-long", 7]',
        '1:24: "select" must be a list of names of rules in quotes',
        None,
        id="select item",
    ),
    pytest.param(
        'ignore = [\n  "body-long",\n  "",\n]',
        '3:3: "ignore" must be a list of names of rules in quotes',
        None,
        id="ignore item empty",
    ),
    pytest.param(
        "select = []", '1:10: "select" must name a rule', "remove it to have every rule", id="none"
    ),
    pytest.param(
        'severity = "error"',
        '1:12: "severity" must be a table',
        'for example severity = { body-long = "warning" }',
        id="severity text",
    ),
    pytest.param(
        "severity.body-long = 1",
        '1:22: "body-long" must be "error", "warning" or "info"',
        None,
        id="level number",
    ),
    pytest.param(
        "severity.body-long.a = 1",
        '1:10: "body-long" must be "error", "warning" or "info"',
        None,
        id="level table",
    ),
    pytest.param(
        "overrides = 1",
        '1:13: "overrides" must be tables',
        "write [[overrides]], with two brackets",
        id="overrides number",
    ),
    pytest.param(
        '[overrides]\npaths = ["a"]',
        '1:2: "overrides" must be tables',
        "write [[overrides]], with two brackets",
        id="overrides in single brackets",
    ),
    pytest.param(
        "overrides = [{paths = ['a']}, 1]",
        '1:31: "overrides" must be a table',
        None,
        id="override number",
    ),
    pytest.param(
        "[[overrides]]\nignore = ['body-long']",
        '1:3: "overrides" must name paths',
        'for example paths = ["vendor/*"]',
        id="override without paths",
    ),
    pytest.param(
        "[[overrides]]\npaths = []",
        '2:9: "paths" must name paths',
        'for example paths = ["vendor/*"]',
        id="override with no path",
    ),
    pytest.param(
        "[[overrides]]\npaths = 'a'",
        '2:9: "paths" must be a list of paths in quotes',
        None,
        id="paths text",
    ),
    # Keys.
    pytest.param(
        "ignores = []",
        '1:1: no key is called "ignores" here',
        "did you mean ignore?",
        id="key",
    ),
    pytest.param(
        "strict = true\nStrict = true",
        '2:1: no key is called "Strict" here',
        "did you mean strict?",
        id="key in another case",
    ),
    pytest.param(
        "colour = 1",
        '1:1: no key is called "colour" here',
        "the keys are baseline, ignore, overrides, select, severity, strict",
        id="key like none",
    ),
    pytest.param(
        "[tool.insomnia-skills]\nstrict = true",
        '1:2: no key is called "tool" here',
        "leave out [tool.insomnia-skills], which is for pyproject.toml",
        id="section of the other file",
    ),
    pytest.param(
        "[[overrides]]\npaths = ['a']\n[[overrides]]\npaths = ['b']\nstrict = true",
        '5:1: no key is called "strict" here',
        "the keys are ignore, paths, severity",
        id="key in the second override",
    ),
    pytest.param(
        "overrides = [{paths = ['a'], path = 1}]",
        '1:30: no key is called "path" here',
        "did you mean paths?",
        id="key in an inline table",
    ),
    # Rules.
    pytest.param(
        'ignore = ["name-type", "body-lang"]',
        '1:24: no rule is called "body-lang"',
        NEAR,
        id="rule",
    ),
    pytest.param(
        'select = ["Body_Long"]',
        '1:11: no rule is called "Body_Long"',
        NEAR,
        id="rule in another style",
    ),
    pytest.param(
        'ignore = ["zzz"]', '1:11: no rule is called "zzz"', RULE_NAMES, id="rule like none"
    ),
    pytest.param(
        'ignore = ["zzz-*"]', '1:11: no rule is called "zzz-*"', RULE_NAMES, id="pattern like none"
    ),
    pytest.param(
        '[severity]\nbody-long = "info"\nbody-lang = "info"',
        '3:1: no rule is called "body-lang"',
        NEAR,
        id="rule in severity",
    ),
    pytest.param(
        "[[overrides]]\npaths = ['a']\n[[overrides]]\npaths = ['b']\nignore = ['x-', 'body-lang']",
        '5:11: no rule is called "x-"',
        RULE_NAMES,
        id="rule in the second override",
    ),
    pytest.param(
        "[[overrides]]\npaths = ['a']\n[overrides.severity]\n'body-lang' = 'info'",
        '4:1: no rule is called "body-lang"',
        NEAR,
        id="rule in a table below an override",
    ),
    pytest.param(
        "overrides = [\n  {paths = ['a']},\n  {paths = ['b'], severity.body-lang = 'info'},\n]",
        '3:28: no rule is called "body-lang"',
        NEAR,
        id="rule in an inline override",
    ),
    # Levels.
    pytest.param(
        'severity.body-long = "warn"',
        '1:22: no severity is called "warn"',
        "did you mean warning?",
        id="level",
    ),
    pytest.param(
        'severity = { body-long = "ERROR" }',
        '1:26: no severity is called "ERROR"',
        "did you mean error?",
        id="level in another case",
    ),
    pytest.param(
        'severity.body-long = "off"',
        '1:22: no severity is called "off"',
        "error, warning or info; to have none, ignore it",
        id="level like none",
    ),
    # TOML.
    pytest.param(
        "strict: true",
        "1:7: not valid TOML: Expected '=' after a key in a key/value pair",
        None,
        id="YAML",
    ),
    pytest.param(
        "ignore = [\n'body-long',\n",
        "3:1: not valid TOML: Invalid value (the file ends too early)",
        None,
        id="ends too early",
    ),
    pytest.param("a = 1\r\nb = = 1\r\n", "2:5: not valid TOML: Invalid value", None, id="CRLF"),
]


@pytest.mark.parametrize(("text", "message", "help"), REFUSED)
def test_what_makes_no_sense(tmp_path: Path, text: str, message: str, help: str | None) -> None:
    assert refusal(tmp_path, "insomnia-skills.toml", text) == (message, help)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            '[project]\nname = "x"\n\n[tool.insomnia-skills]\nignore = ["body-lang"]\n',
            '5:11: no rule is called "body-lang"',
            id="section",
        ),
        pytest.param(
            '[tool.ruff]\nignore = ["E"]\n[tool.insomnia-skills.severity]\nbody-lang = "info"\n',
            '4:1: no rule is called "body-lang"',
            id="table below the section",
        ),
        pytest.param(
            "tool.insomnia-skills.severity.body-long = 'warn'\n",
            '1:43: no severity is called "warn"',
            id="dotted key",
        ),
        pytest.param(
            "[[tool.insomnia-skills.overrides]]\npaths = ['a']\n"
            "[[tool.insomnia-skills.overrides]]\nignore = ['body-long']\n",
            '3:24: "overrides" must name paths',
            id="second override",
        ),
        pytest.param(
            "[[tool.other.overrides]]\nignore = 1\n[[tool.insomnia-skills.overrides]]\n"
            "paths = ['a']\nignore = ['x-']\n",
            '5:11: no rule is called "x-"',
            id="override beside one of another tool",
        ),
        pytest.param(
            "[tool]\ninsomnia-skills = 1\n",
            '2:19: "insomnia-skills" must be a table',
            id="section of a wrong type",
        ),
        pytest.param(
            "[tool.insomnia-skills]\n\nstrict = yes\n",
            "3:10: not valid TOML: Invalid value",
            id="not TOML",
        ),
        pytest.param(
            "[tool.insomnia_skills]\nstrict = true\n",
            '1:7: "insomnia_skills" is not read',
            id="underscore",
        ),
        pytest.param(
            "[insomnia-skills]\nstrict = true\n",
            '1:2: "insomnia-skills" is not read',
            id="without tool",
        ),
    ],
)
def test_what_makes_no_sense_in_a_pyproject(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, "pyproject.toml", text)[0] == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(f"x = {'[' * 2000}{']' * 2000}", "nested too deeply", id="nested arrays"),
        pytest.param(f"{'a.' * 5000}a = 1", "a key has more than 100 parts", id="dotted key"),
        pytest.param(f"[{'a . ' * 5000}a]", "a key has more than 100 parts", id="header"),
    ],
)
def test_hostile_text(tmp_path: Path, text: str, message: str) -> None:
    started = time.perf_counter()
    said, _ = refusal(tmp_path, "insomnia-skills.toml", text)
    assert said.endswith(f"not valid TOML: {message}")
    said, _ = refusal(tmp_path / "p", "pyproject.toml", f"[tool.insomnia-skills]\n{text}")
    assert said.endswith(f"not valid TOML: {message}")
    assert time.perf_counter() - started < 3


# --- what lies at the path -----------------------------------------------------------------------


def test_a_directory_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "insomnia-skills.toml").mkdir()
    with pytest.raises(ConfigError, match=r"toml: this is a directory, not a file$"):
        find_config(tmp_path)


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    link(tmp_path / "insomnia-skills.toml", "nowhere.toml")
    with pytest.raises(ConfigError, match=r'link to "nowhere\.toml", which leads nowhere'):
        find_config(tmp_path)


@pytest.mark.parametrize("name", ["insomnia-skills.toml", "pyproject.toml"])
def test_a_file_that_may_not_be_read(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "[tool.insomnia-skills]\n")
    with denied(path), pytest.raises(ConfigError, match="can't be read: Permission denied"):
        find_config(tmp_path)


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    message, _ = refusal(tmp_path, "insomnia-skills.toml", b"# caf\xe9\n")
    assert message == " not UTF-8: byte 6 is 0xE9"


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    message, _ = refusal(tmp_path, "insomnia-skills.toml", "#" * (1024 * 1024 + 1))
    assert message == " the file has 1,048,577 bytes, the limit is 1,048,576"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "insomnia-skills.toml")
    os.mkfifo(tmp_path / "pyproject.toml")
    with pytest.raises(ConfigError, match="this is a named pipe, not a file"):
        find_config(tmp_path)
