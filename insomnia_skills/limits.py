"""How much of what others wrote is taken in: every bound on input, and what happens beyond it.

Plain numbers, since every start imports them. A docstring's first line says what is counted, the
rest why it is that many, and behind ``Beyond:`` what comes of more. ``python docs/generate.py``
makes ``docs/limits.md`` of them, where the sections below are the headings.
"""

from __future__ import annotations

# Files

MAX_FILE_BYTES = 1024 * 1024
"""Bytes of a SKILL.md, a native Workflow, a Knowledge, or a text on stdin.

The largest of 106,186 real SKILL.md has 294,426.
Beyond: `file-too-large`, an error; nothing of the file is taken.
"""

MAX_MANIFEST_BYTES = 256 * 1024
"""Bytes of a manifest.

Room for thousands of skills roots.
Beyond: `file-too-large`, an error; exit code 2. An edit that would make it larger is refused.
"""

MAX_CONFIG_BYTES = 1024 * 1024
"""Bytes of `insomnia-skills.toml` or `pyproject.toml`.

A `pyproject.toml` belongs to other tools too.
Beyond: exit code 2 with the size; nothing is checked by half a configuration.
"""

MAX_BASELINE_BYTES = 64 * 1024 * 1024
"""Bytes of a baseline.

A finding takes some 200 of them, so that is room for 300,000.
Beyond: exit code 2 with the size; nothing is checked, and the file stays as it is.
"""

MAX_RESULT_BYTES = 512 * 1024 * 1024
"""Bytes of one result that `report merge` reads.

Such a file is made by `validate` and holds every finding of a part of a registry.
Beyond: exit code 2 with the size; nothing is merged.
"""

MAX_CACHE_BYTES = 1024 * 1024 * 1024
"""Bytes of the result cache.

Nothing else removes what it knows of files that are gone.
Beyond: it is begun anew, which costs the time of one run. No effect on what is found.
"""

# Frontmatter, manifests and configurations

MAX_FRONTMATTER_CHARACTERS = 64 * 1024
"""Characters of a frontmatter.

The largest of 106,186 real ones has 9,089 bytes.
Beyond: `frontmatter-too-large`, an error.
"""

MAX_YAML_DEPTH = 32
"""Levels of lists and mappings in a frontmatter.

Real ones have a handful.
Beyond: `yaml-too-deep`, an error.
"""

MAX_ALIKE = 1000
"""Findings of one rule in one file.

The most that a rule finds in 362 real skills is 37. A hostile one of 64 KiB had 21,665, each with
its line: 156 MB.
Beyond: the last that is told says how many more there are.
"""

MAX_KEY_PARTS = 100
"""Parts of a dotted key in a manifest or configuration.

Python's reader of TOML takes time and memory in the square of their number.
Beyond: `manifest-syntax`, an error; for a configuration exit code 2.
"""

# Bodies

MAX_PARSED_CHARACTERS = 64 * 1024
"""Characters of a body that is parsed as Markdown, to tell links and prose from code.

A hostile text of this size is judged in a blink and drawn in seconds; some take time in the square
of their size.
Beyond: `body-unchecked`, an info; links, paths and placeholders are not looked at, and `show`
draws the body as it is written.
"""

MAX_TARGETS = 1000
"""Links, file names, paths with a drive and paths with backslashes in a body, each.

Every one may cost a look at the disk.
Beyond: `body-unchecked`, an info; those after that are not looked at.
"""

MAX_CANDIDATES = 200
"""Places in a body that look like placeholders, each of the author's and of other clients'.

Every one costs a look at what it stands in; more are no left-overs.
Beyond: `body-unchecked`, an info; those after that are not looked at.
"""

MAX_REQUIRED = 100
"""Knowledge slugs in one `requires`, repeated ones too.

A Pod is given every one of them, each of up to a file's size.
Beyond: `requires-type`, an error.
"""

MAX_IGNORES = 1000
"""Rule names in the comments of a file that silence rules.

A comment may repeat them, and each is compared with all findings.
Beyond: `ignore-unknown-rule`, a warning; names after that silence nothing.
"""

MAX_IGNORE_CHARACTERS = 1000
"""Characters of one comment that silences rules.

Its end is looked for, and a body may have many comments without one.
Beyond: `ignore-unknown-rule`, a warning; the comment silences nothing.
"""

MAX_HOMES = 10
"""Home directories, and directories at the top of a drive, that a body is told of, each.

More are a list of some kind, not slips.
Beyond: `body-unchecked`, an info; those after that are not told of.
"""

MAX_LEVELS = 8
"""Directories above a file that an absolute path may have in the skill.

The files of a skill do not lie deeper.
Beyond: the help of `absolute-path` names no path to write instead.
"""

MAX_PARENTS = 8
"""Directories above a link's target that are asked whether they are another skill.

The files of a skill do not lie deeper.
Beyond: `reference-escapes-skill` says "another place" instead of "another skill".
"""

MAX_NEAR = 20
"""Missing files of one body for which the file that may be meant is looked for.

That costs dozens of looks at the disk.
Beyond: they are told without "did you mean".
"""

MAX_ASKED = 100
"""Files that a skill names and the cache looks for again.

To ask for more takes as long as judging the skill.
Beyond: the skill is not kept in the cache. No effect on what is found.
"""

# Directories

MAX_NESTED_DIRECTORIES = 2000
"""Directories below a skills root that are searched for skills that lie too deep.

A root may be any directory, be it the top of a disk.
Beyond: `nested-skill` says "or more"; what lies beyond is not pointed out, and is never ingested
anyway.
"""

MAX_SEARCHED_DIRECTORIES = 2_000_000
"""Directories below a path given to `validate` that are searched for skills, links to others too.

A link may lead to a whole disk. A registry of a million skills has about as many.
Beyond: exit code 2, since not all was checked; what was found until then may be told.
"""

MAX_SKILL_FILES = 10_000
"""Files and directories below a skill that are looked at.

A skill with more has something in it that is none of it, such as `node_modules`.
Beyond: `too-many-files`, a warning. `show`, `scope` and `eject` tell of no more than that, and
a copy with more is never `identical` to another one.
"""

MAX_COMPARED_BYTES = 256 * 1024 * 1024
"""Bytes of the files beside a SKILL.md that are compared with those of another copy.

Every command that resolves reads them for that, where two copies have files of the same size.
Beyond: the copies count as `different`, and `resolve --diff` names what was not compared.
"""

MAX_SIBLINGS = 200
"""Skills around one, and directories of each, that are looked at for files beside the SKILL.md.

Each root is asked once, and any shipped file is an answer.
Beyond: the root counts as one without such files, and `reference-missing` is an info there.
"""

# Work

MAX_SHARDS = 1000
"""Parts of `--shard I/N`.

More parts than any service has machines for.
Beyond: exit code 2.
"""

MAX_FIX_WORK = 500_000
"""Characters of frontmatter that are judged to fix one file; those of a body count an eighth.

A fix may uncover what another one mends, so a file is judged many times: one with a frontmatter of
9,000 characters, which is the largest known, fifty times.
Beyond: the file is refused with that reason, and is not changed.
"""

MAX_DIFF_LINES = 4000
"""Lines of one body that `resolve --diff` compares one by one, without equal ones at both ends.

The work may grow with the square of their number; with this many it takes about a second.
Beyond: it says how many lines differ, instead of a diff.
"""

MAX_DIFF_PAIRS = 2_000_000
"""Pairs of words that are compared in one diff, to make changed words stand out.

The work is their number.
Beyond: lines after that have no words that stand out. The diff is whole.
"""
