"""What the rules on wording, named files, paths and placeholders find and what they leave."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from insomnia_skills.clients.keys import (
    CLIENT_KEY_TABLE,
    CLIENT_PLACEHOLDER_TABLE,
    QUIET_KEY_TABLE,
    ClientPlaceholder,
)
from insomnia_skills.diagnostic import Finding, Lines, Severity
from insomnia_skills.limits import MAX_HOMES, MAX_PARSED_CHARACTERS
from insomnia_skills.markup import Markup, Place
from insomnia_skills.rules.prose import check_prose
from insomnia_skills.rules.references import _linked_paths
from insomnia_skills.yaml.node import Entry, Scalar

INFO, WARNING = Severity.INFO, Severity.WARNING
DESCRIPTION = "Reads PDF files. Use when asked about one."
SCRIPTS = {"scripts", "references", "scripts/here.py", "references/here.md"}


def scalar(value: str, text: str, style: str = '"') -> Scalar:
    start = max(0, text.find(value[:20]))
    return Scalar(value, style, start, start + len(value))


def findings(
    body: str,
    rule: str,
    present: AbstractSet[str] | Callable[[str], bool] = frozenset(),
    description: str = DESCRIPTION,
    alone: bool = False,
    keys: tuple[str, ...] = (),
) -> list[tuple[Finding, str]]:
    """The findings of one rule, each with what it underlines."""
    head = f"---\nname: pdf\ndescription: {description}\n---\n"
    text = head + body
    fields = {"description": Entry(scalar("description", text), scalar(description, text))}
    fields["name"] = Entry(scalar("name", text), scalar("pdf", text))
    fields |= {key: Entry(scalar(key, text), scalar("x", text)) for key in keys}
    exists = present if callable(present) else present.__contains__
    found = check_prose(fields, Markup(text, len(head)), exists, lambda: alone)
    return [(one, text[one.start : one.end]) for one in found if one.rule == rule]


def underlined(body: str, rule: str, **options: Any) -> list[tuple[Severity | None, str]]:
    found = findings(body, rule, **options)
    return [(finding.severity, marked) for finding, marked in found]


def nothing_left(body: str, rule: str, **options: Any) -> bool:
    return underlined(body, rule, **options) == []


# --- description-without-when --------------------------------------------------------------------


@pytest.mark.parametrize(
    "description",
    [
        pytest.param("Extracts text and tables from PDF files.", id="what"),
        pytest.param("Edit PDFs with natural-language instructions via the nano CLI.", id="tool"),
        pytest.param("Create and manage the notes of Bear – fast and tidy.", id="dash"),
        pytest.param(
            "Take a list of projects and organize them into a Markdown table.", id="order"
        ),
    ],
)
def test_description_without_when(description: str) -> None:
    (found,) = findings("x", "description-without-when", description=description)
    assert found[0].severity is INFO
    assert found[1] == description


@pytest.mark.parametrize(
    "description",
    [
        pytest.param("Extracts the text of PDF files. Use when the user asks.", id="when"),
        pytest.param("Review the code before it is merged into the main branch.", id="before"),
        pytest.param("Use this to read the text of a PDF.", id="use-this"),
        pytest.param("Only activate in the context of MSBuild and .NET.", id="activate"),
        pytest.param("The guide for any task with PDF files and forms.", id="for-any"),
        pytest.param("Triggers on the words report and summary.", id="triggers"),
        pytest.param("Reads PDF.", id="too-short-to-say"),
        pytest.param("Extracción de texto y tablas de archivos PDF.", id="spanish"),
        pytest.param("Liest Text in Dokumenten und schreibt Tabellen.", id="german"),
        pytest.param("Lit le texte des fichiers PDF, et les tables aussi.", id="french"),
        pytest.param("PDFファイルからテキストを抽出します using the tool and that.", id="japanese"),
        pytest.param("从 PDF 中提取文本 with the tool and this.", id="chinese"),
        pytest.param("Извлекает текст и таблицы from the PDF.", id="russian"),
    ],
)
def test_description_with_when_or_not_english(description: str) -> None:
    assert nothing_left("x", "description-without-when", description=description)


# --- description-xml-tags ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "severity"),
    [
        pytest.param("</available_skills>", WARNING, id="end-tag"),
        pytest.param("<example>", WARNING, id="example"),
        pytest.param("<br/>", WARNING, id="empty-element"),
        pytest.param('<skill name="x">', WARNING, id="attribute"),
        pytest.param("<script>", WARNING, id="html"),
        pytest.param("<name>", INFO, id="placeholder"),
        pytest.param("<int>", INFO, id="type"),
    ],
)
def test_description_xml_tags(tag: str, severity: Severity) -> None:
    description = f"Use when {tag} is asked for."
    assert underlined("x", "description-xml-tags", description=description) == [(severity, tag)]


@pytest.mark.parametrize(
    "description",
    [
        pytest.param("Use when a < b and c > d.", id="less-and-greater"),
        pytest.param("Use when x<5 or y>3.", id="numbers"),
        pytest.param("Use when a<b and c>d.", id="comparison-without-blanks"),
        pytest.param("Use when I <3 PDFs -> text.", id="heart-and-arrow"),
        pytest.param("Use when &lt;tag&gt; is asked for.", id="entities"),
    ],
)
def test_no_tag_in_description(description: str) -> None:
    assert nothing_left("x", "description-xml-tags", description=description)


@pytest.mark.parametrize(
    ("text", "severity", "tag"),
    [
        pytest.param("List<int>", INFO, "<int>", id="type"),
        pytest.param("Array<a>", INFO, "<a>", id="type-like-an-element"),
        pytest.param("Vec<span>", INFO, "<span>", id="type-like-another"),
        pytest.param("one<br>two", WARNING, "<br>", id="line-break"),
        pytest.param("one<br/>two", WARNING, "<br/>", id="empty-element"),
        pytest.param("a<b>c</b>", WARNING, "</b>", id="end-tag"),
        pytest.param("see<a href=x>", WARNING, "<a href=x>", id="attribute"),
        pytest.param(" <span>", WARNING, "<span>", id="not-glued"),
    ],
)
def test_tag_glued_to_a_word(text: str, severity: Severity, tag: str) -> None:
    description = f"Use when {text} is asked for."
    assert underlined("x", "description-xml-tags", description=description) == [(severity, tag)]


def test_tag_in_a_folded_description_marks_the_whole_value() -> None:
    text = 'description: "Use when\n  <a\n  href=1> is asked for."\n'
    value = Scalar("Use when <a href=1> is asked for.", '"', 13, len(text) - 1)
    fields = {"description": Entry(scalar("description", text), value)}
    found = [f for f in check_prose(fields, Markup(text, len(text)), bool, bool) if "xml" in f.rule]
    assert [(f.start, f.end) for f in found] == [(13, len(text) - 1)]


# --- reference-missing: files that the text names ------------------------------------------------


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        pytest.param("Run `scripts/a.py`.", "scripts/a.py", id="inline-code"),
        pytest.param("Run `./scripts/a.py`.", "scripts/a.py", id="dot-slash"),
        pytest.param("Run `python scripts/a.py --all x.pdf`.", "scripts/a.py", id="inline-command"),
        pytest.param("Run `uv run scripts/a.py`.", "scripts/a.py", id="uv"),
        pytest.param('`DIR="$X" python3 -u scripts/a.py`', "scripts/a.py", id="environment"),
        pytest.param("See references/a.md for more.", "references/a.md", id="prose"),
        pytest.param("- ./references/a.md -- the rest", "references/a.md", id="list"),
        pytest.param("(references/a.md)", "references/a.md", id="parentheses"),
        pytest.param("Read references/a.md.", "references/a.md", id="end-of-sentence"),
        pytest.param(
            "见references/a.md。", "references/a.md", id="chinese-sentence-without-blanks"
        ),
        pytest.param("```bash\n$ python scripts/a.py\n```", "scripts/a.py", id="block-command"),
        pytest.param("```\nnode scripts/lib/a.js\n```", "scripts/lib/a.js", id="untagged-block"),
        pytest.param("```sh\n./scripts/a.sh x\n```", "scripts/a.sh", id="block-run-itself"),
        pytest.param("~~~\ncat references/a.b.md\n~~~", "references/a.b.md", id="two-suffixes"),
        pytest.param("| x | `scripts/a.py` |\n|-|-|", "scripts/a.py", id="table"),
        pytest.param("`${CLAUDE_SKILL_DIR}/scripts/a.py`", "scripts/a.py", id="own-directory"),
        pytest.param("```\nx <SKILL_DIR>/assets/a.svg\n```", "assets/a.svg", id="own-in-code"),
    ],
)
def test_named_file_is_missing(body: str, marked: str) -> None:
    assert underlined(body, "reference-missing", present=SCRIPTS) == [(WARNING, marked)]
    assert underlined(body, "reference-missing", present=SCRIPTS, alone=True) == [(INFO, marked)]
    assert nothing_left(body, "reference-missing", present={*SCRIPTS, marked})


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("**Example**: `scripts/a.py` for PDF rotation", id="example"),
        pytest.param("A `scripts/a.py` would be helpful", id="would"),
        pytest.param("Bare paths (e.g. `references/a.md`) resolve from here.", id="e.g."),
        pytest.param("Create `scripts/a.py` in the project.", id="create"),
        pytest.param("If `scripts/a.py` exists, run it.", id="if"),
        pytest.param("Write the result to `references/a.md`.", id="write"),
        pytest.param("Write to `assets/a.png`.", id="write-image"),
        pytest.param("Save the chart to `assets/a.png`.", id="save"),
        pytest.param("Put results in `references/a.md` as you go.", id="put"),
        pytest.param("Extract the text into `references/a.md`.", id="extract"),
        pytest.param("The output is `assets/a.png`.", id="output"),
        pytest.param("`assets/a.png` is generated.", id="generated"),
        pytest.param("Older versions had `scripts/a.py`; it was removed.", id="removed"),
        pytest.param("Before, `scripts/a.py` was there; it was\nremoved.", id="removed-next-line"),
        pytest.param("Do not use `scripts/a.py` any more", id="any-more"),
        pytest.param("The Rails app keeps `assets/stylesheets/a.css` there.", id="of-an-app"),
        pytest.param(f"- **Examples**: {'a word, ' * 40}`references/a.md`", id="far-in-the-line"),
        pytest.param("For example:\n\n- one\n- `references/a.md`", id="above-the-list"),
        pytest.param(
            "For example:\n" + f"- {'a word ' * 10}\n" * 30 + "- `references/a.md`",
            id="above-a-long-list",
        ),
        pytest.param("Such as\n- one\n\n- `references/a.md`", id="above-a-loose-list"),
        pytest.param("- Examples:\n  - one\n  - `references/a.md`", id="outer-item"),
        pytest.param("- A file that would\n  help:\n  `references/a.md`", id="same-item"),
        pytest.param("A long line would end\nhere: `references/a.md`.", id="same-paragraph"),
        pytest.param("You would call:\n\n`scripts/a.py`", id="paragraph-with-colon"),
        pytest.param("Create it, then:\n```bash\npython scripts/a.py\n```", id="above-code"),
        pytest.param("Create it, then:\r\n\r\n- x\r\n- `scripts/a.py`", id="crlf"),
    ],
)
def test_named_file_may_be_an_example_or_yet_to_be_made(body: str) -> None:
    present = {*SCRIPTS, "assets"}
    found = underlined(body, "reference-missing", present=present)
    assert [severity for severity, _ in found] == [INFO]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("- Create one.\n- Read `references/a.md`.", id="item-before"),
        pytest.param("- Read `references/a.md`.\n- Create one.", id="item-after"),
        pytest.param("- x\n  - Create one.\n- Read `references/a.md`.", id="inner-item-before"),
        pytest.param("Create one.\n\nRead `references/a.md`.", id="paragraph-before"),
        pytest.param("For example:\n\nx\n\nRead `references/a.md`.", id="two-paragraphs-before"),
        pytest.param("Read `references/a.md`.\n\nCreate one.", id="paragraph-after"),
        pytest.param("## Create\n\nRead `references/a.md`.", id="heading"),
        pytest.param("Create:\n\n## Rules\n\n- `references/a.md`", id="before-the-heading"),
        pytest.param("The format is described in `references/a.md`.", id="in"),
        pytest.param("Stick to `references/a.md`.", id="to"),
        pytest.param("For exports, refer to `references/a.md`: it tells all.", id="refer-to"),
    ],
)
def test_what_is_said_elsewhere_makes_nothing_unsure(body: str) -> None:
    assert underlined(body, "reference-missing", present=SCRIPTS) == [(WARNING, "references/a.md")]


@pytest.mark.parametrize(
    ("description", "severity"),
    [
        pytest.param("Creates new skills. Use when the user wants one.", INFO, id="skills"),
        pytest.param("Reads files.\n  Use for a plugin.", INFO, id="second-line"),
        pytest.param("This skill should be used to read PDF files.", WARNING, id="this-skill"),
    ],
)
def test_skill_about_skills_may_name_files_of_others(description: str, severity: Severity) -> None:
    found = underlined(
        "See `references/a.md`, [b](references/b.md).",
        "reference-missing",
        present=SCRIPTS,
        description=description,
    )
    assert sorted(found, key=str) == sorted(
        [(WARNING, "references/b.md"), (severity, "references/a.md")], key=str
    )


def test_named_file_where_the_skill_has_no_such_directory() -> None:
    body = "Use this when running `scripts/claw.js`."
    assert underlined(body, "reference-missing") == [(INFO, "scripts/claw.js")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("See references/a.md.", id="prose"),
        pytest.param("```bash\nnode scripts/ci/a.js --json\n```", id="block"),
    ],
)
def test_only_code_names_a_file_of_a_directory_that_is_not_there(body: str) -> None:
    assert nothing_left(body, "reference-missing")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("Run `src/scripts/a.py`.", id="in-another-directory"),
        pytest.param("Run `../scripts/a.py`.", id="above"),
        pytest.param("Run `/opt/scripts/a.py`.", id="absolute"),
        pytest.param("Run `~/scripts/a.py`.", id="home"),
        pytest.param("Run `$ROOT/scripts/a.py`.", id="variable"),
        pytest.param("Run `${CLAUDE_PLUGIN_ROOT}/scripts/a.py`.", id="plugin"),
        pytest.param("Run `{scaffoldDir}/scripts/a.ps1`.", id="braces"),
        pytest.param("Run `<dir>/scripts/a.py`.", id="placeholder"),
        pytest.param("Run `scripts/<name>.py`.", id="name-placeholder"),
        pytest.param("Run `scripts/*.py`.", id="glob"),
        pytest.param("Run `scripts/a.{js,ts}`.", id="choice"),
        pytest.param("Run `scripts/your-script.py`.", id="your"),
        pytest.param("Look into `scripts/` and `references/x`.", id="no-suffix"),
        pytest.param("See https://a.b/scripts/a.py and a.b/scripts/c.py", id="address"),
        pytest.param("myscripts/a.py prescripts/a.py", id="longer-word"),
        pytest.param("`mount x:scripts/a.py`", id="after-colon"),
        pytest.param("`grep foo scripts/a.py`", id="other-command"),
        pytest.param('```json\n"scripts/a.js"\n```', id="json"),
        pytest.param("```yaml\n- ./scripts/a.sql:/docker/a.sql\n```", id="yaml"),
        pytest.param("```\n├── scripts/a.py\n```", id="tree-diagram"),
        pytest.param("<!-- run `scripts/a.py` -->", id="comment"),
        pytest.param("<example>\n\nRun `scripts/a.py`.\n\n</example>", id="example-element"),
        pytest.param("```\n`scripts/a.py`\n\n```\n\n```\n", id="muddled"),
    ],
)
def test_file_of_another_place_is_not_judged(body: str) -> None:
    assert nothing_left(body, "reference-missing", present=SCRIPTS)


def test_missing_file_is_told_once_and_at_the_link() -> None:
    body = "`scripts/a.py` [a](scripts/a.py) `scripts/a.py` `scripts/b.py`"
    found = findings(body, "reference-missing", present=SCRIPTS)
    assert [finding.message for finding, _ in found] == [
        'the linked file "scripts/a.py" is not in the skill',
        'the file "scripts/b.py" is not in the skill',
    ]
    assert found[0][0].start > found[1][0].start - len(body)


# --- reference-escapes-skill ---------------------------------------------------------------------


OUT = "leads out of the skill, where its read rule does not reach"
OTHER = "leads into another skill"
NO_FILE = "leads nowhere: there is no such file"
COPY = "put a copy of the file into the skill and link to that"
NAME = "name that skill in the text: its files can be read only if it is ingested too"


@pytest.mark.parametrize(
    ("target", "present", "severity", "says", "help"),
    [
        pytest.param("../../A.md", {"../../A.md"}, WARNING, OUT, COPY, id="repository"),
        pytest.param("../rules/a/", {"../rules/a"}, WARNING, OUT, COPY, id="directory"),
        pytest.param("references/../../a.md", {"../a.md"}, WARNING, OUT, COPY, id="in-the-end"),
        pytest.param("%2e%2e/a.md", {"../a.md"}, WARNING, OUT, COPY, id="encoded"),
        pytest.param("../x/SKILL.md", {"../x/SKILL.md"}, INFO, OTHER, NAME, id="skill"),
        pytest.param(
            "../x/references/a.md#b",
            {"../x/SKILL.md", "../x/references/a.md"},
            INFO,
            OTHER,
            NAME,
            id="its-file",
        ),
        pytest.param(
            "../../x/a.md", {"../../SKILL.md", "../../x/a.md"}, INFO, OTHER, NAME, id="skill-around"
        ),
        pytest.param("../../A.md", set(), WARNING, NO_FILE, "correct the link", id="no-file"),
        pytest.param(
            "../x/a.md", {"../x/SKILL.md"}, WARNING, NO_FILE, "correct the link", id="not-its-file"
        ),
        pytest.param(
            "../gone/SKILL.md",
            {"../other/SKILL.md"},
            WARNING,
            'leads nowhere: there is no skill "gone"',
            "correct the link",
            id="no-skill",
        ),
        pytest.param(
            "../../SKILL.md", set(), WARNING, NO_FILE, "correct the link", id="skill-file"
        ),
        pytest.param(
            "../references/a.md",
            {"references", "references/a.md"},
            WARNING,
            NO_FILE,
            "did you mean references/a.md?",
            id="its-own-file",
        ),
        pytest.param(
            "../../rules/a.md",
            {"../rules/a.md"},
            WARNING,
            NO_FILE,
            "did you mean ../rules/a.md?",
            id="one-level-less",
        ),
        pytest.param(
            "../pdf/references/a.md#b",
            {"../pdf/SKILL.md", "../pdf/references/a.md", "references/a.md"},
            INFO,
            "leads out of the skill and back into it",
            "write references/a.md",
            id="back",
        ),
        pytest.param(
            "../pdf/",
            {"../pdf/SKILL.md", "SKILL.md"},
            INFO,
            "leads out of the skill and back into it",
            "write SKILL.md",
            id="back-to-itself",
        ),
    ],
)
def test_reference_escapes_skill(
    target: str, present: set[str], severity: Severity, says: str, help: str
) -> None:
    body = f"See [it]({target}) and [again]({target})."
    ((found, marked),) = findings(body, "reference-escapes-skill", present=present)
    assert (found.severity, marked, found.help) == (severity, target, help)
    assert found.message.endswith(f'" {says}')


def test_link_back_to_a_missing_file_of_the_skill() -> None:
    body = "[a](../pdf/references/A.md)"
    ((found, marked),) = findings(
        body, "reference-missing", present={"references", "references/a.md"}
    )
    assert (found.severity, marked) == (WARNING, "../pdf/references/A.md")
    assert found.message == 'the linked file "references/A.md" is not in the skill'
    assert found.help == "did you mean references/a.md?"
    assert nothing_left(body, "reference-escapes-skill")


def test_files_of_another_skill_may_be_taken_away_too() -> None:
    found = underlined(
        "[a](../x/references/a.md)",
        "reference-escapes-skill",
        present={"../x/SKILL.md"},
        alone=True,
    )
    assert found == [(INFO, "../x/references/a.md")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("`[a](../a.md)`", id="code"),
        pytest.param("```md\n[a](../a.md)\n```", id="block"),
        pytest.param("<!-- [a](../a.md) -->", id="comment"),
        pytest.param("[a](../{name}/a.md) [a](../path/to/a.md) [a](../<x>/a.md)", id="placeholder"),
        pytest.param("[a](../guide) [a](../guide.html)", id="web-page"),
        pytest.param("[a](x/../a.md) [b](https://a.b/../c.md)", id="inside-and-elsewhere"),
        pytest.param("`../agents/a.md` ../b.md", id="no-link"),
    ],
)
def test_reference_does_not_escape(body: str) -> None:
    assert nothing_left(body, "reference-escapes-skill")


def test_lookups_outside_are_bounded() -> None:
    asked: list[str] = []
    body = "".join(f"[a](../{'d/' * 150}{number}.md)\n" for number in range(30))

    def exists(path: str) -> bool:
        asked.append(path)
        return False

    assert len(underlined(body, "reference-escapes-skill", present=exists)) == 30
    assert len(asked) < 30 * 20


# --- absolute-path -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        pytest.param("cd /Users/mkowalski/code", "/Users/mkowalski/code", id="macos"),
        pytest.param("(/Users/m.k/a b)", "/Users/m.k/a", id="blank-ends"),
        pytest.param("See file:///Users/mk/a.md.", "file:///Users/mk/a.md", id="file-address"),
        pytest.param("`/home/mkowalski/src/x`", "/home/mkowalski/src/x", id="linux"),
        pytest.param("/home/mk/.venv/bin/python", "/home/mk/.venv/bin/python", id="dot-directory"),
        pytest.param("/home/mk/a/b.sh", "/home/mk/a/b.sh", id="file"),
        pytest.param(r"C:\Users\mk\a.py", r"C:\Users\mk\a.py", id="windows"),
        pytest.param(r'"C:\\Users\\mk\\a.py"', r"C:\\Users\\mk\\a.py", id="windows-escaped"),
        pytest.param("/mnt/c/Users/mk/a", "/mnt/c/Users/mk/a", id="windows-in-linux"),
        pytest.param("```sh\npython /Users/mk/a.py\n```", "/Users/mk/a.py", id="block"),
    ],
)
def test_absolute_path(body: str, marked: str) -> None:
    assert underlined(body, "absolute-path") == [(WARNING, marked)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("/home/user/scripts/foo /Users/name/bin/ba", id="user-and-name"),
        pytest.param("/Users/you/clawd/canvas /home/me/src/x", id="you"),
        pytest.param("/home/alice/projects/myapp /home/bob/src/a.c", id="alice-and-bob"),
        pytest.param("/Users/.../a /Users/<name>/a /home/$USER/src /Users/{n}/a", id="signs"),
        pytest.param("/Users/your-name/a /home/USERNAME/src/a /home/test-user/a.py", id="your"),
        pytest.param(
            "/home/runner/work/a.py /home/ubuntu/.ssh /home/vscode/.config", id="machines"
        ),
        pytest.param(r"C:\Users\Public\a C:\Users\%USERNAME%\a", id="windows"),
        pytest.param("/Users/Shared/a /home/linuxbrew/.linuxbrew/bin", id="shared"),
        pytest.param("Open /home/profile/ and /home/settings/edit", id="web-pages"),
        pytest.param("screens/home/components/a.tsx https://a.b/home/mk/a.md", id="other-paths"),
        pytest.param("GET /scim/v2/Users/mk/a and GET /Users/2819/x", id="web-api"),
        pytest.param("${X}/home/mk/a.py ~/home/mk/a.py", id="after-variable"),
        pytest.param("<!-- /Users/mk/a.py -->", id="comment"),
        pytest.param("~/.claude/skills ~/code/x", id="own-home"),
    ],
)
def test_path_that_is_nobodys(body: str) -> None:
    assert nothing_left(body, "absolute-path")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("GET /Users/mk/active.json and `POST /Users/mk/a`", id="request"),
        pytest.param("| DELETE | /Users/list/active.json |", id="request-in-table"),
        pytest.param("/Users/list/active.json /Users/search/a /Users/me/b", id="part-of-service"),
        pytest.param("/home/site/wwwroot/a.php /home/site/repository/x.py", id="azure"),
        pytest.param("/home/airflow/.local/x /home/steam/x.sh /home/oracle/a.sql", id="images"),
        pytest.param("/home/homeassistant/.homeassistant/a.yaml /home/jovyan/work/a", id="more"),
        pytest.param("/home/node/.npm /home/app/src/x /home/ec2-user/.ssh/a", id="node-ec2"),
        pytest.param("/home/vagrant/.ssh/a /home/pi/a.py /home/ubuntu/a.sh", id="vagrant-pi"),
        pytest.param("/home/vscode/.c /home/coder/a.sh /home/git/.ssh /home/www/a.sh", id="git"),
        pytest.param("/home/deploy/src/a.rb", id="deploy"),
        pytest.param("/home/dashboard/page.tsx /home/mk/index.html /home/orders/a.vue", id="web"),
        pytest.param("/home/settings/routes.ts", id="web-route"),
    ],
)
def test_path_of_a_machine_or_a_web_page(body: str) -> None:
    assert nothing_left(body, "absolute-path")


def test_a_request_elsewhere_on_the_line_makes_no_difference() -> None:
    body = "GET it from /Users/mk/a and GET /x, then /Users/mk/b"
    assert underlined(body, "absolute-path") == [(WARNING, "/Users/mk/a")]


@pytest.mark.parametrize(
    ("body", "severity", "marked"),
    [
        pytest.param(
            "See `D:/tmp/x/skills/other/SKILL.md`.",
            WARNING,
            "D:/tmp/x/skills/other/SKILL.md",
            id="a-skill",
        ),
        pytest.param(
            r"Run D:\work\skills\pdf\read.py.",
            WARNING,
            r"D:\work\skills\pdf\read.py",
            id="this-skill",
        ),
        pytest.param(
            r"Run `python E:\x\scripts\here.py`",
            WARNING,
            r"E:\x\scripts\here.py",
            id="file-of-this-skill",
        ),
        pytest.param(
            r"Run `D:\projects\pdf\read.py`", INFO, r"D:\projects\pdf\read.py", id="project"
        ),
        pytest.param("```bash\ncd C:/code/a/b\n```", INFO, "C:/code/a/b", id="shell"),
        pytest.param("file:///c:/tmp/a/b.md", INFO, "c:/tmp/a/b.md", id="file-address"),
    ],
)
def test_path_with_a_drive(body: str, severity: Severity, marked: str) -> None:
    assert underlined(body, "absolute-path", present=SCRIPTS) == [(severity, marked)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(r"C:\Windows\System32\cmd.exe C:/Program Files/a", id="system"),
        pytest.param(r"C:\tools\mytool\mytool.exe C:\CLRLoadLogs\a", id="any-directory"),
        pytest.param(r"C:\path\to\your\build D:\projects\my-app\a", id="example"),
        pytest.param('```xml\n<Import Project="C:\\repos\\a\\b.props" />\n```', id="another-file"),
        pytest.param("http://tmp/a/b x://code/a/b s3:/code/a/b a:tmp/b", id="addresses"),
        pytest.param("./etc.d:/code/a/b", id="mount"),
        pytest.param(r"<!-- D:\projects\pdf\read.py -->", id="comment"),
    ],
)
def test_path_with_a_drive_that_is_nobodys(body: str) -> None:
    assert nothing_left(body, "absolute-path", present=SCRIPTS)


@pytest.mark.parametrize(
    ("path", "help_"),
    [
        pytest.param("/Users/mk/x/pdf/scripts/here.py", "write scripts/here.py", id="directory"),
        pytest.param("/home/mk/code/pdf/top.md", "write top.md", id="below-its-name"),
        pytest.param(r"D:\x\scripts\here.py", "write scripts/here.py", id="drive"),
        pytest.param("/Users/mk/x/scripts/gone.py", "put the file into the skill", id="missing"),
        pytest.param("/Users/mk/top.md", "put the file into the skill", id="not-below-its-name"),
        pytest.param("/Users/mk/pdf/SKILL.md", "put the file into the skill", id="itself"),
        pytest.param("/Users/mk/pdf/../scripts/here.py", "put the file into", id="upward"),
    ],
)
def test_absolute_path_help(path: str, help_: str) -> None:
    present = {*SCRIPTS, "top.md", "SKILL.md"}
    ((found, _),) = findings(f"See {path} .", "absolute-path", present=present)
    assert (found.help or "").startswith(help_)


def test_absolute_path_is_told_once_a_home_and_cut() -> None:
    long = "/Users/mk/" + "x" * 200
    found = findings(f"{long}\n/Users/mk/b\n/home/jo/src/c\n/Users/mk/d", "absolute-path")
    assert [finding.message for finding, _ in found] == [
        f'"{long[:59]}…" is in the home directory of one machine, like 2 more there',
        '"/home/jo/src/c" is in the home directory of one machine',
    ]


def test_homes_are_bounded() -> None:
    body = "".join(f"/Users/m{number}/a\n" for number in range(500))
    assert len(underlined(body, "absolute-path")) == MAX_HOMES


# --- backslash-path ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        pytest.param(r"Run `scripts\here.py`.", r"scripts\here.py", id="code"),
        pytest.param(r"Run `python .\scripts\here.py`.", r"scripts\here.py", id="dot"),
        pytest.param(r"See references\here.md.", r"references\here.md", id="prose"),
        pytest.param("```bash\npython scripts\\here.py\n```", r"scripts\here.py", id="block"),
        pytest.param(r"[a](references\here.md)", r"references\here.md", id="link"),
    ],
)
def test_backslash_path(body: str, marked: str) -> None:
    assert underlined(body, "backslash-path", present=SCRIPTS) == [(WARNING, marked)]
    assert underlined(body, "backslash-path") == [(INFO, marked)]


def test_backslash_path_that_could_be_an_escape() -> None:
    body = r"`scripts\new.py`"
    assert nothing_left(body, "backslash-path")
    assert underlined(body, "backslash-path", present={"scripts/new.py"}) == [
        (WARNING, r"scripts\new.py")
    ]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(r"`.\scripts\here.ps1 -All`", id="powershell-script"),
        pytest.param("```powershell\npython scripts\\here.py\n```", id="powershell-block"),
        pytest.param('```xml\n<Content Include="scripts\\here.sql" />\n```', id="msbuild"),
        pytest.param(r"`assets\images\** scripts\*.sql`", id="glob"),
        pytest.param(r"`C:\scripts\here.py` `..\scripts\here.py`", id="longer"),
        pytest.param(r'`"references\nsee a.md"`', id="line-end"),
        pytest.param(r"<!-- scripts\here.py -->", id="comment"),
    ],
)
def test_backslash_left_alone(body: str) -> None:
    assert nothing_left(body, "backslash-path")


def test_backslash_path_help() -> None:
    ((found, _),) = findings(r"`scripts\here.py`", "backslash-path", present=SCRIPTS)
    assert found.help == "write scripts/here.py"


# --- placeholder-left ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        pytest.param("[TODO: 1-2 sentences]", "[TODO: 1-2 sentences]", id="todo"),
        pytest.param("## [TODO: Main section]", "[TODO: Main section]", id="heading"),
        pytest.param("[TODO: Add. Include:\n- code]", "[TODO: Add. Include:\n- code]", id="lines"),
        pytest.param("[待办：用1-2句话]", "[待办：用1-2句话]", id="chinese"),
        pytest.param("x\n\nTODO: add Linux support", "TODO: add Linux support", id="line"),
        pytest.param("1. TODO: Step one", "TODO: Step one", id="item"),
        pytest.param("# Insert instructions below", "# Insert instructions below", id="template"),
        pytest.param("# Your Skill Name\n\nText", "# Your Skill Name", id="heading-of-template"),
        pytest.param(
            "[Add your instructions here that Claude will follow when this skill is active]",
            "[Add your instructions here that Claude will follow when this skill is active]",
            id="instructions",
        ),
        pytest.param(
            "[Concrete examples of using this Skill]",
            "[Concrete examples of using this Skill]",
            id="examples",
        ),
        pytest.param("**TODO:** fill in the steps", "**TODO:** fill in the steps", id="bold"),
        pytest.param("- **TODO**: describe it", "**TODO**: describe it", id="bold-item"),
        pytest.param(
            "**Any unneeded directories can be deleted.** Not all.",
            "Any unneeded directories can be deleted.",
            id="template-sentence",
        ),
        pytest.param("Lorem ipsum dolor sit amet", "Lorem ipsum dolor", id="lorem"),
    ],
)
def test_placeholder_left(body: str, marked: str) -> None:
    assert underlined(body, "placeholder-left") == [(WARNING, marked)]


@pytest.mark.parametrize(
    "text",
    ["[Insert your text here]", "[Insert summary]", "<your description here>", "Replace this text"],
)
def test_placeholder_that_may_be_a_form(text: str) -> None:
    assert underlined(f"So: {text}", "placeholder-left") == [(INFO, text)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("Search for TODO and FIXME comments.", id="about-todos"),
        pytest.param("**TODO:** the states of a task", id="bold-legend"),
        pytest.param("`[Concrete examples of using this Skill]`", id="template-in-code"),
        pytest.param("- `// TODO: handle error` - a way of punting", id="code"),
        pytest.param("```\n[TODO: describe]\n```", id="block"),
        pytest.param('Leave no text like "[TODO: describe]".', id="quoted"),
        pytest.param("- [TODO] write tests\n- [DONE] plan", id="states"),
        pytest.param("- TODO: things to do later\n- FIXME: things that break", id="legend"),
        pytest.param("### SKIP and TODO", id="heading"),
        pytest.param("Every task gets a todo: add it to the list.", id="lower-case"),
        pytest.param("[TODO: see it](todo.md)", id="link"),
        pytest.param("Never use Lorem ipsum.", id="lorem-named"),
        pytest.param('Announce "Using [skill] to [purpose]".', id="form"),
        pytest.param("It split from <your best guess> - right?", id="your"),
        pytest.param("`<your name here>` and `[Insert x]`", id="form-in-code"),
        pytest.param("Replace this command with another. Replace with `x`.", id="replace"),
        pytest.param("A brief placeholder text for all sections.", id="placeholder"),
        pytest.param("<!-- [TODO: describe] -->", id="comment"),
        pytest.param("<example>\n\n[TODO: describe]\n\n</example>", id="example"),
    ],
)
def test_no_placeholder_left(body: str) -> None:
    assert nothing_left(body, "placeholder-left")


def test_skill_about_todos() -> None:
    about = "Keeps a list of todos. Use when the user plans."
    assert nothing_left("[TODO: buy milk]\n\nTODO: write", "placeholder-left", description=about)


@pytest.mark.parametrize(
    "description",
    [
        "[TODO: Complete and informative explanation]",
        "TODO: what it does",
        "[待办：完整且清晰地说明]",
        "Replace with description of the skill and when Claude should use it",
        "A description of what this skill does and when to use it.",
        "A brief description of what this skill does",
        "Brief description of what this Skill does and when to use it",
        "Description of the skill",
        "What this skill does and when to use it.",
        "A clear description of what this skill does, and when Claude should use it",
        "<description of what the skill does and when to use it>",
        "TODO",
        "[TODO]",
        "TBD.",
        "{{description}}",
        "{{ what it does }}",
        "${description}",
        "[description]",
        "Your skill description here",
        "Description goes here.",
        "[Insert description here]",
    ],
)
def test_placeholder_left_in_description(description: str) -> None:
    assert underlined("x", "placeholder-left", description=description) == [(WARNING, description)]
    assert nothing_left("x", "description-without-when", description=description)


@pytest.mark.parametrize(
    "description",
    [
        "Writes a description of what this skill does and when to use it, for others.",
        "What this skill does is read PDF files. Use when asked about one.",
        "Description of the skill market in Europe. Use when asked for wages.",
        "TODO lists: keep them. Use when the user plans.",
        "Fills {{ placeholders }} in. Use when a template is given.",
        "Use when the user needs a skill description here and now.",
    ],
)
def test_description_about_descriptions(description: str) -> None:
    assert nothing_left("x", "placeholder-left", description=description)


@pytest.mark.parametrize(
    ("name", "directory", "told"),
    [
        pytest.param("your-skill-name", "your-skill-name", True, id="directory-too"),
        pytest.param("skill-name", "skill-name", True, id="without-your"),
        pytest.param("your-skill-name", "pdf", False, id="mismatch-is-told"),
        pytest.param("my-skill", "my-skill", False, id="may-be-a-name"),
    ],
)
def test_placeholder_left_in_name(name: str, directory: str, told: bool) -> None:
    text = f"---\nname: {name}\n---\nText"
    fields = {"name": Entry(scalar("name", text), scalar(name, text))}
    exists = {f"../{directory}/SKILL.md"}.__contains__
    found = check_prose(fields, Markup(text, len(text) - 4), exists, bool)
    marked = [text[one.start : one.end] for one in found if one.rule == "placeholder-left"]
    assert marked == [name] * told


def test_placeholders_left_are_counted_and_cut() -> None:
    found = findings(f"[TODO: {'x' * 100}]\n\n[TODO: b]\n\n[Insert c]", "placeholder-left")
    assert [finding.message for finding, _ in found] == [
        f'left-over text: "[TODO: {"x" * 52}…", and 1 more',
        'perhaps left-over text: "[Insert c]"',
    ]


# --- client-placeholder-literal ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "marked", "client"),
    [
        pytest.param("Fix issue $ARGUMENTS.", "$ARGUMENTS", "Claude Code", id="arguments"),
        pytest.param("If `$ARGUMENTS` is there", "$ARGUMENTS", "Claude Code", id="inline-code"),
        pytest.param("```bash\ngh view $ARGUMENTS\n```", "$ARGUMENTS", "Claude Code", id="block"),
        pytest.param(
            '```bash\nnode "${CLAUDE_PLUGIN_ROOT}/a.cjs"\n```',
            "${CLAUDE_PLUGIN_ROOT}",
            "Claude Code",
            id="plugin",
        ),
        pytest.param("`${CLAUDE_SKILL_DIR}/a`", "${CLAUDE_SKILL_DIR}", "Claude Code", id="own"),
        pytest.param("`<SKILL_DIR>/a`", "<SKILL_DIR>", "other clients", id="bare"),
        pytest.param("`${HERMES_SKILL_DIR}/a`", "${HERMES_SKILL_DIR}", "Hermes", id="hermes"),
        pytest.param("`${SKILL_ROOT}/a`", "${SKILL_ROOT}", "other clients", id="root"),
        pytest.param("!`git status`", "!`git status`", "Claude Code", id="command"),
        pytest.param("- State: !`git status`", "!`git status`", "Claude Code", id="after-blank"),
    ],
)
def test_client_placeholder(body: str, marked: str, client: str) -> None:
    ((found, text),) = findings(body, "client-placeholder-literal")
    assert (found.severity, text) == (WARNING, marked)
    assert found.message.startswith(
        f'insomnia leaves "{marked}" as it is, which in {client} becomes'
    )
    assert found.help


@pytest.mark.parametrize(
    ("body", "keys", "marked"),
    [
        pytest.param("Fix $1 in $2", ("argument-hint",), ["$1"], id="hint"),
        pytest.param("Fix `$1` of $ARGUMENTS", (), ["$1", "$ARGUMENTS"], id="arguments"),
        pytest.param("Fix $1", (), [], id="takes-none"),
        pytest.param("It costs $1.50, $5K or $3,000", ("argument-hint",), [], id="money"),
        pytest.param("`awk '{print $1}'`", ("argument-hint",), [], id="awk"),
        pytest.param('```bash\nx="$1"\n```', ("argument-hint",), [], id="shell"),
    ],
)
def test_positional_placeholder(body: str, keys: tuple[str, ...], marked: list[str]) -> None:
    found = findings(body, "client-placeholder-literal", keys=keys)
    assert [text for _, text in found] == marked


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("```markdown\nFix $ARGUMENTS\n```", id="markdown"),
        pytest.param("```\n---\nname: x\n---\nFix $ARGUMENTS\n```", id="another-skill"),
        pytest.param('```json\n"${CLAUDE_PLUGIN_ROOT}/a.sh"\n```', id="hooks"),
        pytest.param("Errors of `${CLAUDE_PLUGIN_ROOT}` are duplicates.", id="spoken-of"),
        pytest.param("Use `tokio::select!` - or `x!`.", id="rust"),
        pytest.param("Never `return null!` to `x`, `!` does.", id="csharp"),
        pytest.param("Write `` !`git status` `` there.", id="command-shown"),
        pytest.param("```\n!`git status`\n```", id="command-in-block"),
        pytest.param("$ARGUMENTS_LIST ${SKILL_DIR} $SKILL_DIR", id="other-names"),
        pytest.param("<!-- $ARGUMENTS -->", id="comment"),
    ],
)
def test_placeholder_not_meant(body: str) -> None:
    assert nothing_left(body, "client-placeholder-literal")


def test_skill_about_skills_may_speak_of_placeholders() -> None:
    about = "Writes new skills. Use when the user wants a slash command."
    body = "Claude Code fills in `$ARGUMENTS`."
    assert underlined(body, "client-placeholder-literal", description=about) == [
        (INFO, "$ARGUMENTS")
    ]


def test_client_placeholder_wording() -> None:
    body = "$ARGUMENTS\n\n$ARGUMENTS\n\n!`" + "x" * 100 + "`"
    found = [finding for finding, _ in findings(body, "client-placeholder-literal")]
    assert found[0].message == (
        'insomnia leaves "$ARGUMENTS" as it is (2 times), '
        "which in Claude Code becomes what the user typed after the call"
    )
    assert f'"!`{"x" * 57}…"' in found[1].message


# --- the tables ----------------------------------------------------------------------------------

_KEYS = {
    *("disable-model-invocation", "user-invocable", "user-invokable", "argument-hint", "model"),
    *("effort", "context", "agent", "hooks", "when_to_use", "paths", "triggers", "inputs"),
    *("version", "mcp_tools", "mode", "modeSlugs", "disabled", "enabled", "id", "title"),
    *("category", "tags", "platforms", "environments", "required_environment_variables", "deps"),
}


def test_every_key_is_in_one_table() -> None:
    keys = [row.key for row in (*CLIENT_KEY_TABLE, *QUIET_KEY_TABLE)]
    assert set(keys) >= _KEYS
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("row", CLIENT_PLACEHOLDER_TABLE, ids=lambda row: row.text)
def test_every_placeholder_says_what_to_write(row: ClientPlaceholder) -> None:
    assert all((row.text, row.clients, row.effect, row.instead))


# --- all -----------------------------------------------------------------------------------------


def test_places_are_lines_and_columns_of_the_file() -> None:
    body = "# A\r\n\r\n- `scripts/a.py`\r\n\r\nFix $ARGUMENTS\r\n"
    head = "---\nname: pdf\n---\n"
    found = check_prose({}, Markup(head + body, len(head)), {"scripts"}.__contains__, bool)
    position = Lines(head + body).position
    assert [(f.rule, *position(f.start), *position(f.end)) for f in found] == [
        ("reference-missing", 6, 4, 6, 16),
        ("client-placeholder-literal", 8, 5, 8, 15),
    ]


_HOSTILE = (
    *(
        "/home/ab/x.y ",
        "/home/a/",
        "C:\\Users\\a\\",
        "scripts/",
        "s/",
        "`scripts/a.py` ",
        "scripts\\",
    ),
    *("[TODO: ", "TODO: add\n", "$ARGUMENTS $1 ", "!`a` ", "!`", "<!--", "<!-- -->", "`", "``a`"),
    *(
        "[insert ",
        "[Insert a] ",
        "[a](../b.md) ",
        "> ",
        "](../a.md",
        "${CLAUDE_SKILL_DIR}/scripts/",
    ),
    *("```\n```\n", "    ```\n", "~~~~\n", "<b>\n", "[a\n", "\n \n", " \n", "\n\na", "- > 1. "),
)


@pytest.mark.parametrize("piece", _HOSTILE)
def test_hostile_body_of_full_size_is_bounded(piece: str) -> None:
    found = list(
        check_prose(
            {}, Markup(piece * (MAX_PARSED_CHARACTERS // len(piece)), 0), lambda _: False, bool
        )
    )
    assert len(found) < 10


@pytest.mark.parametrize("piece", _HOSTILE)
def test_hostile_body_beyond_is_not_looked_at(piece: str) -> None:
    asked: list[str] = []
    body = piece * (MAX_PARSED_CHARACTERS // len(piece) + 1) + " " * len(piece)

    def exists(path: str) -> bool:
        asked.append(path)
        return False

    found = check_prose({}, Markup(body, 0), exists, bool)
    assert [finding.rule for finding in found] == ["body-unchecked"]
    assert asked == []


def test_clean_body_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: Markup) -> bool:
        raise AssertionError("parsed")

    monkeypatch.setattr(Markup, "unclear", property(fail))
    body = "Run `scripts/a.py`, see [b](references/b.md). $x !`\n```\n$1 C:\\\n```\n" * 20
    assert nothing_left(body, "reference-missing", present=lambda _: True)
    assert nothing_left(body, "absolute-path", present=lambda _: True)


# --- what stands where ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param("a ^ b", "prose", id="prose"),
        pytest.param("a `^` b", "code", id="code"),
        pytest.param("a `` ` ^ `` b", "code", id="two-backticks"),
        pytest.param("a `b` ^ `c`", "prose", id="between"),
        pytest.param(r"a \`^` b", "prose", id="escaped"),
        pytest.param("a `^ b", "prose", id="unclosed"),
        pytest.param("a\n\n```py\n^\n```\n", "block", id="fence"),
        pytest.param("- a\n\n  ```\n  ^\n  ```\n", "block", id="fence-in-list"),
        pytest.param("a\n\n    ^\n", "block", id="indented"),
        pytest.param("> a `^`", "code", id="quote"),
        pytest.param("<div>\n^\n</div>\n", "html", id="html"),
        pytest.param("a\n\n[b]: ^\n\nc", "other", id="definition"),
    ],
)
def test_place(body: str, kind: str) -> None:
    text = "---\n---\n" + body
    assert Markup(text, 8).place(text.index("^")).kind == kind


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a <!-- b\nc --> d", "a       \n      d"),
        ("<!-- a --><!--b-->c", " " * 18 + "c"),
        ("a <!-- b", "a <!-- b"),
        ("a --> b", "a --> b"),
    ],
)
def test_comments_are_not_visible(text: str, visible: str) -> None:
    assert Markup(text, 0).visible == visible


_PIECES = (
    *("", "", "a", "- a", "  b", "    c", "1. x", "   y", "10) z", "  - n", "# h", "---", "\tq"),
    *("```", "```py", "~~~", "````", "  ```", "  ```sh", "    ```", "- ```", "> ```", "```a`b"),
    *("<div>", "- <b>", "  <i>", "<!-- c -->", "<!-- c", "-->", "<pre>", "</pre>", "\x0c", "\xa0"),
    *("[l](a.md)", "- [l](b.md)", "  [m](c.md)", "`x` [l](d.md)", "`[l](e.md)`", "``", "> a"),
    *("[a]: f.md", "[a]", "- [ ] t", "====="),
)


def whole(text: str) -> Markup:
    """Markup whose body is parsed in one piece."""
    markup = Markup(text, 0)
    markup.__dict__["_cuts"] = None
    return markup


def reading(markup: Markup, step: int) -> list[tuple[Place, set[str]]]:
    """What stands at each character, and the links of its line."""
    links = cache(_linked_paths)
    read = []
    for offset in range(0, len(markup.text), step):
        section = markup.section(offset)
        paths = links(section).get(section.line(offset), set())
        read.append((markup.place(offset), paths))
    return read


def in_pieces(text: str, step: int = 1) -> bool:
    """Whether the text is cut; if so, it must read as it does in one piece."""
    markup, expected = Markup(text, 0), whole(text)
    assert markup.unclear == expected.unclear, text
    if not markup.unclear:
        assert reading(markup, step) == reading(expected, step), text
    return markup.section(len(text)).start > 0


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_body_in_pieces_reads_as_in_one(line_end: str) -> None:
    chance = Random(1)
    cut = 0
    for _ in range(1000):
        pieces = ["", "", *chance.sample(_PIECES, k=5)]
        cut += in_pieces(line_end.join(chance.choices(pieces, k=chance.randint(3, 12))))
    assert cut > 100


_ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "path",
    [str(path.relative_to(_ROOT)) for path in sorted(_ROOT.glob("[de]*/**/*.md"))],
)
def test_document_in_pieces_reads_as_in_one(path: str) -> None:
    in_pieces((_ROOT / path).read_text(encoding="utf-8")[:10_000], step=7)


@pytest.mark.parametrize(
    ("body", "cut"),
    [
        pytest.param("a\n\nb\n\n^", True, id="paragraphs"),
        pytest.param("- a\n\n  b\n\n^", True, id="after-list"),
        pytest.param("- a\n\n  ^", False, id="in-list"),
        pytest.param("a\n\n```\nx\n```\n\n^", True, id="after-fence"),
        pytest.param("```\nx\n\n^\n```", False, id="in-fence"),
        pytest.param("- a\n  ```\n  x\n  ```\n\n^", True, id="after-fence-in-list"),
        pytest.param("- a\n  ```\nx\n  ```\n\n^", False, id="fence-that-the-list-ends"),
        pytest.param("- a\n   ```\n\f\n   ```\n\n^", False, id="form-feed-is-no-blank"),
        pytest.param("```\nx\n\n^", False, id="unclosed"),
        pytest.param("<div>\n```\nx\n```\n\n^", False, id="html-before-fence"),
        pytest.param("<!--\nx\n\n^\n-->", False, id="comment"),
        pytest.param("[a]: b.md\n\n^", False, id="definition"),
    ],
)
def test_where_a_body_is_cut(body: str, cut: bool) -> None:
    assert (Markup(body, 0).section(body.index("^")).start > 0) is cut
