"""Any value has a form in JSON."""

import array
import dataclasses
import json
from collections import OrderedDict, deque, namedtuple
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import msgspec
import pytest
from inline_snapshot import snapshot

from holter.tools.plain import Plain


class _Colour(Enum):
    RED = "red"


class _Level(IntEnum):
    HIGH = 3


class _Word(StrEnum):
    YES = "yes"


class _Right(Flag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass
class _Point:
    y: int
    x: Any = None


class _Row(msgspec.Struct, tag="row"):
    second: int = msgspec.field(name="2nd")
    first: Any = None
    left_out: Any = msgspec.UNSET


_Pair = namedtuple("_Pair", "b a")


class _Array:
    """As NumPy's arrays are."""

    dtype = "float64"

    def __init__(self, *numbers: float, shape: tuple[int, ...] = (2,)) -> None:
        self.numbers, self.shape = numbers, shape

    def tolist(self) -> list[float]:
        return list(self.numbers)

    def __str__(self) -> str:
        return "[1. 2. … 9.]"


class _Broken:
    """Whose text cannot be made."""

    def __str__(self) -> str:
        raise RuntimeError("no")


class _Unbound:
    """As an unbound proxy is."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("unbound")

    def __str__(self) -> str:
        return "unbound"


class _Faulty(dict[str, Any]):
    """Whose entries cannot be read."""

    def items(self) -> Any:
        raise KeyError("no")


def _count() -> Iterator[int]:
    yield 1


_VALUES: dict[str, Any] = {
    "scalars": [None, True, 1, 1.5, "天"],
    "tuple": (1, (2,)),
    "named tuple": _Pair(1, 2),
    "set": {"b", "a", "c"},
    "set of mixed": frozenset([(1, 2), "a", 3, None]),
    "deque": deque([1]),
    "views": [{"a": 1}.keys(), {"a": 1}.values(), {"a": 1}.items()],
    "array": array.array("i", [1, 2]),
    "mappings": [OrderedDict(b=1, a=2), MappingProxyType({"a": 1})],
    "keys": {1: 1, None: 2, False: 3, 1.5: 4, (1, 2): 5, _Colour.RED: 6, date(2026, 1, 2): 7, float("nan"): 8},
    "enums": [_Colour.RED, _Level.HIGH, _Word.YES, _Right.READ | _Right.WRITE],
    "times": [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), date(2026, 1, 2), time(3, 4), timedelta(hours=1, minutes=30), timedelta(days=-1)],
    "numbers": [Decimal("1.10"), Decimal("NaN"), Fraction(1, 3), 1j],
    "others": [UUID(int=1), Path("/tmp/a"), PurePosixPath("b")],
    "bytes": [b"\x00\xff", bytearray(b"a"), memoryview(b"abcdef")[::2]],
    "dataclass": _Point(1, _Point(2)),
    "struct": _Row(second=1, first=_Colour.RED),
    "not finite": [float("nan"), float("inf"), {"a": {float("-inf")}}],
    "arrays": [_Array(1.0, 2.0), _Array(float("nan")), _Array(shape=(10_000, 2))],
    "types": [int, _Point],
    "range": range(10**9),
    "broken": [_Broken(), _Unbound(), _Faulty(a=1)],
    "huge": 1 << 14_001,
}


def test_every_kind_of_value_has_a_form() -> None:
    """As the table of the module says."""
    made = {name: Plain().of(value) for name, value in _VALUES.items()}
    made["huge"] = made["huge"][:6]
    json.dumps(made, allow_nan=False)
    assert made == snapshot(
        {
            "scalars": [None, True, 1, 1.5, "天"],
            "tuple": [1, [2]],
            "named tuple": [1, 2],
            "set": ["a", "b", "c"],
            "set of mixed": ["a", 3, [1, 2], None],
            "deque": [1],
            "views": [["a"], [1], [["a", 1]]],
            "array": [1, 2],
            "mappings": [{"b": 1, "a": 2}, {"a": 1}],
            "keys": {"1": 1, "null": 8, "false": 3, "1.5": 4, "(1, 2)": 5, "red": 6, "2026-01-02": 7},
            "enums": ["red", 3, "yes", 3],
            "times": ["2026-01-02T03:04:05+00:00", "2026-01-02", "03:04:00", "PT5400S", "-P1D"],
            "numbers": ["1.10", "NaN", "1/3", "1j"],
            "others": ["00000000-0000-0000-0000-000000000001", "/tmp/a", "b"],
            "bytes": [{"type": "bytes", "base64": "AP8="}, {"type": "bytes", "base64": "YQ=="}, {"type": "bytes", "base64": "YWNl"}],
            "dataclass": {"y": 1, "x": {"y": 2, "x": None}},
            "struct": {"type": "row", "2nd": 1, "first": "red"},
            "not finite": [None, None, {"a": [None]}],
            "arrays": [[1.0, 2.0], [None], "[1. 2. … 9.]"],
            "types": ["<class 'int'>", "<class 'tests.tools.test_plain._Point'>"],
            "range": "range(0, 1000000000)",
            "broken": ["<_Broken object, whose text could not be made: RuntimeError>", "unbound", "{'a': 1}"],
            "huge": "0x2000",
        }
    )


def test_keeps_what_is_not_finite() -> None:
    """In order, so that it can be reported."""
    plain = Plain()
    plain.of(_VALUES["not finite"])
    assert plain.non_finite == ["nan", "inf", "-inf"]


def test_a_generator_is_not_consumed() -> None:
    """Whoever made it may still want it."""
    generator = _count()
    assert Plain().of([generator])[0].startswith("<generator object")
    assert list(generator) == [1]


def test_what_has_no_end_gets_one() -> None:
    """Part of itself, too deep, or one thing so many times that nobody could wait for it."""
    cyclic: dict[str, Any] = {"a": [1]}
    cyclic["a"].append(cyclic)
    assert Plain().of(cyclic) == {"a": [1, "…"]}
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert len(json.dumps(Plain().of(deep))) < 300
    twice = [1]
    assert Plain().of([twice, twice]) == [[1], [1]]


@pytest.mark.nightly
def test_what_doubles_stops_growing() -> None:
    """Sixty lists, each of which holds the one below twice."""
    doubling: list[Any] = [1]
    for _ in range(60):
        doubling = [doubling, doubling]
    json.dumps(Plain().of(doubling))


def test_reads_pydantic_models() -> None:
    """By their own dump, secrets hidden."""
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", when=(datetime, ...), secret=(pydantic.SecretStr, ...))
    made = Plain().of(model(when=datetime(2026, 1, 2, tzinfo=UTC), secret="s"))
    assert made == {"when": "2026-01-02T00:00:00+00:00", "secret": "**********"}
