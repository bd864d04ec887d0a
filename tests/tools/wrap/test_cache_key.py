"""Keys: equal for equal values, different for others."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.tools.wrap.cache_key import NoKey, digest
from tests.strategies import json_values


class Color(Enum):
    """An enum."""

    RED = 1


@dataclass
class Point:
    """A dataclass."""

    x: int


class Place(msgspec.Struct):
    """A struct."""

    x: int


VALUES: list[Any] = [
    None, True, False, 1, 1.0, "1", 0, 0.0, -0.0, math.nan, math.inf, -math.inf, "", "nan", b"1", [], (), {}, [1], (1,), [True], [1.0],
    {"a": 1}, {"a": 1.0}, {"a": "1"}, {1: "a"}, {"1": "a"}, [[1], []], [[1, []]], ["ab", "c"], ["a", "bc"], {1}, frozenset({1}),
    Color.RED, Point(1), Place(1), Decimal("1"), Decimal("1.0"), datetime(2026, 1, 1),  # noqa: DTZ001 - a time without a zone is a value, too
    datetime(2026, 1, 1, tzinfo=UTC), 10**5000,
]  # fmt: skip


def test_values_that_differ_have_keys_that_differ() -> None:
    """No two of these collide, and each is itself."""
    keys = [digest([value]) for value in VALUES]
    assert len(set(keys)) == len(VALUES)
    assert keys == [digest([value]) for value in VALUES]
    assert digest(["a", "b"]) != digest([["a", "b"]])


@given(json_values)
def test_the_order_of_keys_is_nothing(value: Any) -> None:
    """Whatever JSON there is, turned around at every level, has the same key."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    assert digest([value]) == digest([turned(value)])


@given(json_values, json_values)
def test_different_json_has_different_keys(one: Any, other: Any) -> None:
    """Two values share a key only when their JSON, keys sorted, is the same."""
    texts = [msgspec.json.encode(value, order="deterministic") for value in (one, other)]
    assert (digest([one]) == digest([other])) == (texts[0] == texts[1])


@given(st.dictionaries(st.one_of(st.integers(), st.text()), st.integers()))
def test_mixed_keys(value: dict[Any, int]) -> None:
    """Keys that cannot be compared have an order, too."""
    assert digest([value]) == digest([dict(reversed(value.items()))])


def test_what_makes_no_key() -> None:
    """A value that cannot be told from another, and one that is part of itself, are refused."""
    endless: list[Any] = []
    endless.append(endless)
    for value in (object(), iter([1]), endless, [lambda: 1]):
        with pytest.raises(NoKey):
            digest([value])
