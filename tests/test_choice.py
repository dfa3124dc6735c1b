"""Which findings count, and how much: the command before overrides before the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from insomnia_skills import check_paths, check_workspace
from insomnia_skills.checking.check import Check
from insomnia_skills.checking.choice import Choice, choose
from insomnia_skills.checking.config import Config, ConfigError, Override
from insomnia_skills.diagnostic import Severity
from tests.trees import Tree, break_skill, link, write, write_skill

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """One skill with an error, a warning and an info; it lies in ``vendor``."""
    path = write_skill(tmp_path / "vendor", "pdf", "allowed-tools: Read", "colour: blue")
    write(path, path.read_text().replace("name: pdf", "name: other"))
    return check_paths([path])


def reported(choice: Choice, check: Check) -> list[str]:
    chosen = choice.check(check)
    return [f"{d.severity.value} {d.rule}" for d in chosen.diagnostics]


ALL = ["error name-mismatch", "warning allowed-tools-ignored", "info unknown-field"]


def config(base: Path, **given: object) -> Config:
    return Config(base, **given)  # type: ignore[arg-type]


def rules(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_by_default_everything_counts(check: Check) -> None:
    assert reported(Choice(), check) == ALL
    assert Choice().check(check) == check


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"select": ["name-mismatch"]}, ALL[:1], id="select"),
        pytest.param({"select": ["name-mismatch", "unknown-field"]}, ALL[::2], id="select two"),
        pytest.param({"select": ["name-*"]}, ALL[:1], id="select a pattern"),
        pytest.param({"select": ["*"]}, ALL, id="select all"),
        pytest.param({"select": ["body-long"]}, [], id="select another"),
        pytest.param({"ignore": ["name-mismatch"]}, ALL[1:], id="ignore"),
        pytest.param({"ignore": ["name-*", "unknown-*"]}, ALL[1:2], id="ignore patterns"),
        pytest.param(
            {"select": ["name-*"], "ignore": ["name-mismatch"]}, [], id="ignore of what is selected"
        ),
        pytest.param(
            {"severity": ["name-mismatch=warning"]},
            ["warning name-mismatch", *ALL[1:]],
            id="severity down",
        ),
        pytest.param(
            {"severity": ["unknown-field=error"]},
            [*ALL[:2], "error unknown-field"],
            id="severity up",
        ),
        pytest.param(
            {"severity": ["*=info", "name-*=warning"]},
            ["warning name-mismatch", "info allowed-tools-ignored", "info unknown-field"],
            id="the later severity",
        ),
    ],
)
def test_options(check: Check, options: dict[str, list[str]], expected: list[str]) -> None:
    assert reported(choose(Config(Path()), **options), check) == expected


@pytest.mark.parametrize(
    ("configured", "options", "expected"),
    [
        pytest.param({"select": rules("unknown-field")}, {}, ALL[2:], id="configuration: select"),
        pytest.param({"ignore": rules("unknown-field")}, {}, ALL[:2], id="configuration: ignore"),
        pytest.param(
            {"severity": {"name-mismatch": INFO}},
            {},
            ["info name-mismatch", *ALL[1:]],
            id="configuration: severity",
        ),
        pytest.param(
            {"select": rules("unknown-field")},
            {"select": ["name-mismatch"]},
            ALL[:1],
            id="the command's select is the only one",
        ),
        pytest.param(
            {"ignore": rules("name-mismatch", "unknown-field")},
            {"select": ["name-mismatch"]},
            ALL[:1],
            id="select of what the configuration ignores",
        ),
        pytest.param(
            {"overrides": (Override(("vendor",), rules("name-mismatch", "unknown-field")),)},
            {"select": ["name-mismatch", "unknown-field"]},
            ALL[::2],
            id="select of what an override ignores",
        ),
        pytest.param(
            {"ignore": rules("unknown-field")},
            {"ignore": ["name-mismatch"]},
            ALL[1:2],
            id="ignores add up",
        ),
        pytest.param(
            {"select": rules("name-mismatch", "unknown-field")},
            {"ignore": ["name-mismatch"]},
            ALL[2:],
            id="ignore of what the configuration selects",
        ),
        pytest.param(
            {
                "severity": {"name-mismatch": INFO},
                "overrides": (Override(("vendor",), severity={"name-mismatch": WARNING}),),
            },
            {},
            ["warning name-mismatch", *ALL[1:]],
            id="an override before the configuration",
        ),
        pytest.param(
            {
                "severity": {"name-mismatch": INFO},
                "overrides": (Override(("vendor",), severity={"name-mismatch": WARNING}),),
            },
            {"severity": ["name-mismatch=error"]},
            ALL,
            id="the command before both",
        ),
        pytest.param(
            {
                "overrides": (
                    Override(("vendor",), severity={"name-mismatch": INFO}),
                    Override(("vendor/pdf",), severity={"name-mismatch": WARNING}),
                )
            },
            {},
            ["warning name-mismatch", *ALL[1:]],
            id="the later override",
        ),
        pytest.param(
            {"overrides": (Override(("elsewhere",), rules("name-mismatch")),)},
            {},
            ALL,
            id="an override for other files",
        ),
        pytest.param(
            {
                "select": rules("name-mismatch"),
                "overrides": (Override(("vendor",), severity={"unknown-field": ERROR}),),
            },
            {},
            ALL[:1],
            id="a severity selects nothing",
        ),
    ],
)
def test_precedence(
    tmp_path: Path,
    check: Check,
    configured: dict[str, object],
    options: dict[str, list[str]],
    expected: list[str],
) -> None:
    choice = choose(config(tmp_path, **configured), **options)
    assert reported(choice, check) == expected


@pytest.mark.parametrize(
    ("base", "pattern"),
    [
        pytest.param("", "vendor/pdf/SKILL.md", id="the file"),
        pytest.param("", "vendor", id="a directory above it"),
        pytest.param("", "**/SKILL.md", id="wherever it lies"),
        pytest.param("vendor/pdf", "SKILL.md", id="from the configuration's directory"),
        pytest.param("sub", "../vendor", id="outside of the configuration's directory"),
    ],
)
def test_the_paths_of_overrides_count_from_the_configuration(
    tmp_path: Path, check: Check, base: str, pattern: str
) -> None:
    override = Override((pattern,), rules("name-mismatch"))
    assert reported(choose(config(tmp_path / base, overrides=(override,))), check) == ALL[1:]


def test_an_override_for_one_of_two_skills(tmp_path: Path) -> None:
    for name in ("old", "new"):
        break_skill(tmp_path, name)
    override = Override(("old",), severity={"description-missing": WARNING})
    choice = choose(config(tmp_path, overrides=(override,)))
    assert reported(choice, check_paths([tmp_path])) == [
        "error description-missing",
        "warning description-missing",
    ]


def test_other_files_of_a_skill_have_paths_of_their_own(tmp_path: Path) -> None:
    path = write_skill(tmp_path, "pdf")
    link(path.parent / "out", write(tmp_path / "secret", "x"))
    check = check_paths([path])
    for pattern, expected in (
        ("pdf", []),
        ("pdf/out", []),
        ("pdf/SKILL.md", ["warning link-escapes-skill"]),
    ):
        override = Override((pattern,), rules("link-escapes-skill"))
        assert reported(choose(config(tmp_path, overrides=(override,))), check) == expected


def test_roots_and_conflicts_are_chosen_too(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.name_roots("missing")
    tree.write_workflow("pdf")
    write_skill(tree.user_skills, "pdf")
    check = check_workspace(tree.ingest(thorough=True))
    assert reported(Choice(), check) == ["warning root-missing", "info skill-shadowed"]
    choice = choose(
        config(
            tree.workspace,
            overrides=(Override((".insomnia/manifest.toml",), rules("root-missing")),),
        ),
        severity=["skill-shadowed=error"],
    )
    assert reported(choice, check) == ["error skill-shadowed"]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"ignore": ["name-mismatch"]}, id="ignored"),
        pytest.param({"select": ["body-long"]}, id="not selected"),
        pytest.param({"severity": ["name-mismatch=info"]}, id="weighed down"),
    ],
)
def test_a_skill_with_an_error_stays_invalid(check: Check, options: dict[str, list[str]]) -> None:
    (file,) = choose(Config(Path()), **options).check(check).files
    assert not file.valid


def test_a_skill_with_a_heavy_warning_stays_valid(tmp_path: Path) -> None:
    check = check_paths([write_skill(tmp_path, "pdf", "allowed-tools: Read")])
    chosen = choose(Config(Path()), severity=["allowed-tools-ignored=error"]).check(check)
    assert chosen.total(ERROR) == 1
    assert [file.valid for file in chosen.files] == [True]


@pytest.mark.parametrize(
    ("options", "message", "help"),
    [
        pytest.param(
            {"select": ["body-lang"]},
            '--select: no rule is called "body-lang"',
            "did you mean body-long?",
            id="select",
        ),
        pytest.param(
            {"ignore": ["body-long", "nmae-type"]},
            '--ignore: no rule is called "nmae-type"',
            "did you mean name-type",
            id="ignore",
        ),
        pytest.param(
            {"ignore": ["zzz-*"]},
            '--ignore: no rule is called "zzz-*"',
            "insomnia-skills rules lists them",
            id="pattern",
        ),
        pytest.param(
            {"severity": ["body-lang=info"]},
            '--severity: no rule is called "body-lang"',
            "did you mean body-long?",
            id="severity of no rule",
        ),
        pytest.param(
            {"severity": ["body-long=warn"]},
            '--severity: no severity is called "warn"',
            "did you mean warning?",
            id="no severity",
        ),
        pytest.param(
            {"severity": ["body-long=off"]},
            '--severity: no severity is called "off"',
            "error, warning or info; to have none, ignore it",
            id="off",
        ),
        pytest.param(
            {"severity": ["body-long"]},
            '--severity: "body-long" is not RULE=LEVEL',
            "for example body-long=warning",
            id="severity without a level",
        ),
        pytest.param(
            {"severity": ["body-long="]},
            '--severity: "body-long=" is not RULE=LEVEL',
            "for example body-long=warning",
            id="severity with an empty level",
        ),
        pytest.param(
            {"severity": ["=error"]},
            '--severity: "=error" is not RULE=LEVEL',
            "for example name-mismatch=warning",
            id="severity of nothing",
        ),
    ],
)
def test_options_that_make_no_sense(options: dict[str, list[str]], message: str, help: str) -> None:
    with pytest.raises(ConfigError) as caught:
        choose(Config(Path()), **options)
    assert str(caught.value) == message
    assert (caught.value.help or "").startswith(help)
