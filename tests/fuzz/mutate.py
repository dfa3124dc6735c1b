"""One input made from another: bytes taken out, put in, repeated, or brought in from a third."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

MAX_BYTES = 96 * 1024
"""Larger inputs are cut: they are slow, and what is long in them is seen at this size too."""

Change: TypeAlias = Callable[[random.Random, bytes, Sequence[bytes], Sequence[bytes]], bytes]
"""Takes a dice, an input, tokens, and other inputs."""

_LINE_ENDS = (b"\n", b"\r\n", b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\n\n", b"\n \n", b"\n\t")

COMMON = (
    *_LINE_ENDS,
    *(b" ", b"  ", b"\t", b"\0", b"\x1b[31m", b"\x07", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80"),
    *(
        b"\xef\xbb\xbf",
        b"\xe2\x80\xae",
        b"\xe2\x80\x8b",
        b"\xc2\xa0",
        b"\xcc\x81",
        b"\xf0\x9f\x98\x80",
    ),
    *(
        b"\xc2\x9b",
        b"\xf3\xa0\x81\x81",
        b"\xef\xb8\x8f",
        b"\xf4\x8f\xbf\xba",
        b"\xc3\xa9",
        b"\xe6\x97\xa5",
    ),
    *(b"-", b"#", b":", b"'", b'"', b"\\", b"/", b"[", b"]", b"{", b"}", b"(", b")", b"<", b">"),
    *(
        b"*",
        b"&",
        b"!",
        b"|",
        b"%",
        b"@",
        b"`",
        b"~",
        b"=",
        b",",
        b".",
        b"..",
        b"$",
        b"?",
        b"+",
        b"_",
    ),
    *(b"0", b"-1", b"1e999", b"0x1F", b"18446744073709551616", b"null", b"true", b"a", b"A"),
)
"""What has a meaning nearly everywhere."""


def mutated(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    """The input with one to a few changes."""
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        data = dice.choice(_CHANGES)(dice, data, tokens, others)[:MAX_BYTES]
    return data


def _place(dice: random.Random, data: bytes) -> tuple[int, int]:
    """A range of bytes, mostly a short one."""
    start = dice.randint(0, len(data))
    return start, min(len(data), start + dice.choice((0, 0, 1, 1, 2, 3, 5, 12, 40, 200)))


def _line(dice: random.Random, data: bytes) -> tuple[int, int]:
    """A range of whole lines."""
    starts = [0, *(end.end() for end in re.finditer(b"\n", data))]
    first = dice.randrange(len(starts))
    last = min(len(starts) - 1, first + dice.choice((0, 0, 0, 1, 2, 4)))
    end = starts[last + 1] if last + 1 < len(starts) else len(data)
    return starts[first], end


def _some(dice: random.Random, data: bytes) -> tuple[int, int]:
    return dice.choice((_place, _line))(dice, data)


def _put_token(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, end = _place(dice, data)
    if dice.random() < 0.7:
        end = start
    token = dice.choice(tokens) if dice.random() < 0.6 else dice.choice(COMMON)
    return data[:start] + token + data[end:]


def _put_at_line(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, _ = _line(dice, data)
    return data[:start] + dice.choice(tokens) + dice.choice((b"", b"\n")) + data[start:]


def _take_out(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, end = _some(dice, data)
    return data[:start] + data[end:]


def _repeat(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, end = _some(dice, data)
    piece = data[start:end] if dice.random() < 0.5 else dice.choice((*tokens, *COMMON))
    times = dice.choice((1, 1, 2, 3, 10, 40, 200, 2000, 30_000))
    times = min(times, MAX_BYTES // max(len(piece), 1))
    return data[:start] + piece * times + data[start if dice.random() < 0.5 else end :]


def _move(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, end = _some(dice, data)
    rest = data[:start] + data[end:]
    at = _some(dice, rest)[0]
    return rest[:at] + data[start:end] + rest[at:]


def _bring_in(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    other = dice.choice(others)
    start, end = _some(dice, other)
    at, until = _some(dice, data)
    return data[:at] + other[start:end] + data[at if dice.random() < 0.5 else until :]


def _cross(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    other = dice.choice(others)
    return data[: _some(dice, data)[0]] + other[_some(dice, other)[0] :]


def _another_byte(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    if not data:
        return data
    at = dice.randrange(len(data))
    byte = dice.choice((dice.randrange(256), data[at] ^ (1 << dice.randrange(8))))
    return data[:at] + bytes((byte,)) + data[at + 1 :]


def _other_line_ends(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, end = _line(dice, data) if dice.random() < 0.7 else (0, len(data))
    return data[:start] + data[start:end].replace(b"\n", dice.choice(_LINE_ENDS)) + data[end:]


def _other_case(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    start, end = _place(dice, data)
    return data[:start] + data[start:end].swapcase() + data[end:]


def _cut(
    dice: random.Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]
) -> bytes:
    return data[: dice.randint(0, len(data))]


_CHANGES: tuple[Change, ...] = (
    *(_put_token,) * 6,
    *(_put_at_line,) * 2,
    *(_take_out,) * 4,
    *(_bring_in,) * 3,
    *(_repeat, _repeat, _move, _move, _cross, _another_byte, _other_line_ends, _other_case, _cut),
)
