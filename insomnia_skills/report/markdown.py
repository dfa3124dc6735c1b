"""Markdown rendered so that a reader sees all that a model is given."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.markdown import Markdown

_HIDING = ["html_block", "html_inline", "reference"]


class OpenMarkdown(Markdown):
    """rich's Markdown, but nothing in the text stays hidden.

    A preview that leaves out HTML comments, the titles of links or unused references would hide
    just what somebody hides there. Links show their address and are no escape sequences.
    """

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = text
        parser = MarkdownIt().enable(["strikethrough", "table"]).disable(_HIDING)
        self.parsed = _opened(parser.parse(text))


def _opened(tokens: Sequence[Token]) -> list[Token]:
    for token in tokens:
        if token.children:
            token.children = _opened(token.children)
        if token.type == "fence" and " " in token.info.strip():
            token.content = f"{token.info.strip()}\n{token.content}"
        elif token.type == "link_open" and token.attrs.get("title"):
            token.attrs["href"] = f'{token.attrs["href"]} "{token.attrs["title"]}"'
    return list(tokens)
