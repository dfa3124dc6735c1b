"""Plain data with places: what YAML 1.2's core schema reads in a value, and in whose words."""

from __future__ import annotations

import pytest

from insomnia_skills.yaml.node import Entry, Mapping, Node, Plain, Scalar, Sequence, describe, plain
from insomnia_skills.yaml.node import scalars as all_scalars


def bare(value: str) -> Scalar:
    return Scalar(value, "", 0, len(value))


def mapping(**values: Node) -> Mapping:
    return Mapping({key: Entry(bare(key), value) for key, value in values.items()}, 0, 0)


def sequence(*items: Node) -> Sequence:
    return Sequence(items, 0, 0)


# What a plain (unquoted) value is, by YAML 1.2.2, 10.3.2.
CORE_SCHEMA = [
    *((value, "nothing") for value in ("", "~", "null", "Null", "NULL")),
    *((value, "text") for value in ("nULL", "none", "None", "nil", "-", "N/A")),
    *((value, "true or false") for value in ("true", "True", "TRUE", "false", "False", "FALSE")),
    *((value, "text") for value in ("yes", "no", "on", "off", "y", "n", "tRUE", "Yes", "NO")),
    *((value, "a number") for value in ("0", "123", "-1", "+1", "007", "1.10", "1.", ".5", "-.5")),
    *((value, "a number") for value in ("1e3", "1E+3", "1.5e-3", "1.e2", ".5e1")),
    *((value, "a number") for value in ("0o17", "0x1F", "0xff", ".inf", "-.Inf", "+.INF", ".nan")),
    *((value, "a number") for value in (".NaN", ".NAN")),
    *((value, "text") for value in ("0b11", "0o8", "-0x1", "0xg", "1_000", "1,000", "1.2.3")),
    *((value, "text") for value in (".", "e3", ".e3", "1e", "1e3.5", "--1", "inf", "nan", "-.nan")),
    *((value, "text") for value in ("2026-08-01", "2001-12-14t21:59:43.10-05:00", "12:30:45")),
    *((value, "text") for value in ("٣", "¹", "1 2", "1\n", "v1.0", "pdf")),
]


@pytest.mark.parametrize(
    ("value", "kind"), [pytest.param(value, kind, id=repr(value)) for value, kind in CORE_SCHEMA]
)
def test_what_a_plain_value_is(value: str, kind: str) -> None:
    scalar = bare(value)
    assert describe(scalar) == kind
    assert scalar.is_null is (kind == "nothing")
    assert scalar.is_number is (kind == "a number")
    assert (scalar.boolean is not None) is (kind == "true or false")
    assert scalar.is_text is (kind == "text")


@pytest.mark.parametrize(
    ("value", "boolean"),
    [
        pytest.param("true", True, id="true"),
        pytest.param("TRUE", True, id="TRUE"),
        pytest.param("false", False, id="false"),
        pytest.param("False", False, id="False"),
        pytest.param("yes", None, id="yes-is-text"),
    ],
)
def test_boolean(value: str, boolean: bool | None) -> None:
    assert bare(value).boolean is boolean


@pytest.mark.parametrize("style", ["'", '"', "|", ">"])
@pytest.mark.parametrize("value", ["", "null", "true", "1.10", "~"])
def test_a_quoted_or_block_value_is_text(value: str, style: str) -> None:
    scalar = Scalar(value, style, 0, 9)
    assert scalar.is_text
    assert scalar.boolean is None
    assert not scalar.is_null
    assert not scalar.is_number
    assert not scalar.is_refused
    assert describe(scalar) == "text"
    assert plain(scalar) == value


def test_a_refused_value_is_nothing_else() -> None:
    scalar = Scalar("", "*", 0, 5)
    assert scalar.is_refused
    assert not scalar.is_null
    assert not bare("").is_refused


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        pytest.param(sequence(), "a list", id="empty-list"),
        pytest.param(sequence(bare("1")), "a list", id="list"),
        pytest.param(mapping(), "a mapping", id="empty-mapping"),
        pytest.param(mapping(a=bare("1")), "a mapping", id="mapping"),
    ],
)
def test_describe_collections(node: Node, kind: str) -> None:
    assert describe(node) == kind


@pytest.mark.parametrize(
    ("node", "value"),
    [
        pytest.param(bare("1.10"), "1.10", id="a-number-stays-as-written"),
        pytest.param(bare("0x1F"), "0x1F", id="hexadecimal-stays-as-written"),
        pytest.param(bare("True"), "True", id="a-boolean-stays-as-written"),
        pytest.param(bare("2026-08-01"), "2026-08-01", id="a-date-stays-as-written"),
        pytest.param(bare("~"), None, id="nothing"),
        pytest.param(Scalar("~", "'", 0, 3), "~", id="quoted-tilde"),
        pytest.param(sequence(), [], id="empty-list"),
        pytest.param(sequence(bare("a"), bare("")), ["a", None], id="list"),
        pytest.param(mapping(), {}, id="empty-mapping"),
        pytest.param(
            mapping(z=bare("1"), a=sequence(mapping(b=bare("null")))),
            {"z": "1", "a": [{"b": None}]},
            id="nested",
        ),
    ],
)
def test_plain(node: Node, value: Plain) -> None:
    assert plain(node) == value


def test_plain_keeps_the_order_of_keys() -> None:
    data = plain(mapping(z=bare("1"), a=bare("2"), m=bare("3")))
    assert isinstance(data, dict)
    assert list(data) == ["z", "a", "m"]


@pytest.mark.parametrize(
    ("node", "values"),
    [
        pytest.param(bare("x"), ["x"], id="one"),
        pytest.param(sequence(), [], id="empty-list"),
        pytest.param(
            mapping(key=bare("a"), other=sequence(bare("b"), mapping(inner=bare("c"))), z=bare("")),
            ["key", "a", "other", "b", "inner", "c", "z", ""],
            id="keys-and-values-in-order",
        ),
    ],
)
def test_scalars(node: Node, values: list[str]) -> None:
    assert [scalar.value for scalar in all_scalars(node)] == values
