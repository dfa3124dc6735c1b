"""How many tokens a language model makes of a text, estimated without its vocabulary."""

from __future__ import annotations

import re
import string

_LETTERS = string.ascii_letters.encode()
_CAPITALS = string.ascii_uppercase.encode()
_DIGITS = string.digits.encode()
_SIGNS = string.punctuation.encode() + b"\n"
_BLANKS = b" \t\r\v\f"
_EAST_ASIAN = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text.

    A word of ASCII letters is a token for each 9 letters begun, a number one for each 3 digits
    begun; an ASCII sign or line end is 0.8 tokens, a Chinese, Japanese or Korean character 0.85,
    any other character 0.3, and blanks belong to what follows them. The weights were fitted
    to real tokenizers; docs/commands/catalog.md has the errors.
    """
    # Bytes are counted, without a match for each word: `validate` asks for every body there is.
    data = text.encode("utf-8", "surrogatepass")
    signs = len(data) - len(data.translate(None, _SIGNS))
    tokens = _pieces(data, _LETTER_RUNS, 9) + _pieces(data, _DIGIT_RUNS, 3) + 0.8 * signs
    if others := data.translate(None, _LETTERS + _DIGITS + _SIGNS + _BLANKS):
        characters = "".join(others.decode("utf-8", "surrogatepass").split())
        east_asian = len(_EAST_ASIAN.findall(characters))
        tokens += 0.85 * east_asian + 0.3 * (len(characters) - east_asian)
    return round(tokens)


def has_at_most(tokens: int, data: bytes, signs: bytes) -> bool:
    """Whether `estimate_tokens` surely makes no more of the text that ``data`` are the bytes of.

    ``signs`` is what ``data`` has besides small letters and blanks. Of nearly all texts it is told
    in a fraction of the time.
    """
    digits = len(signs) - len(signs.translate(None, _DIGITS))
    most = 0.8 * len(signs.translate(None, _CAPITALS)) + 0.2 * digits
    # Between two words something stands that is no letter.
    if len(data) / 2 + most <= tokens:
        return True
    runs = data.translate(_LETTER_RUNS)
    return runs.count(b" x") + 1 + runs.count(b"x" * 9) + most <= tokens


def _runs(kind: bytes) -> bytes:
    """A table for `bytes.translate` that makes these bytes ``x`` and all others blanks."""
    return bytes(ord("x" if byte in kind else " ") for byte in range(256))


_LETTER_RUNS = _runs(_LETTERS)
_DIGIT_RUNS = _runs(_DIGITS)


def _pieces(data: bytes, runs: bytes, length: int) -> int:
    """How many pieces the runs fall into, cut after every ``length`` bytes."""
    cut = b" " + data.translate(runs).replace(b"x" * length, b"X ")
    return cut.count(b"X") + cut.count(b" x")
