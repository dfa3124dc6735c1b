"""The examples of rules, laid out on disk and checked as a user would check them."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

from insomnia_skills import Check, check_paths, check_workspace
from insomnia_skills.checking.choice import Choice
from insomnia_skills.rules.example import CONFIG_DIRECTORY, ExampleFile, ExampleKind, parse_example
from insomnia_skills.workspace import MARKER
from tests.trees import Tree, denied, link, write


def lay_out(example: str, tree: Tree) -> list[Path]:
    """Write the files of an example; the paths of those that are to be unreadable."""
    closed = []
    for file in parse_example(example):
        path = place(file, tree)
        if file.kind is ExampleKind.LINK:
            link(path, file.target)
        elif file.kind is ExampleKind.DIRECTORY:
            path.mkdir(parents=True)
            for number in range(file.files):
                (path / str(number)).touch()
        elif file.kind is ExampleKind.PIPE:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(path)
        else:
            write(path, file.data)
        if not file.readable:
            closed.append(path)
    return closed


def place(file: ExampleFile, tree: Tree) -> Path:
    if file.path.startswith(CONFIG_DIRECTORY):
        return tree.config / file.path.removeprefix(CONFIG_DIRECTORY)
    return tree.workspace / file.path


def check_example(example: str, tree: Tree) -> Check:
    """Check a workspace where the example has one, else every skill in it."""
    closed = lay_out(example, tree)
    with ExitStack() as stack:
        for path in closed:
            stack.enter_context(denied(path))
        if (tree.workspace / MARKER).is_dir():
            result = tree.ingest(thorough=True, user=tree.config.is_dir())
            return Choice().check(check_workspace(result))
        return Choice().check(check_paths([tree.workspace]))
