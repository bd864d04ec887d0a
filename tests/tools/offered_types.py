"""Types that a tool's parameters may have, of every kind."""

import dataclasses
import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, Required, TypedDict, TypeVar, Union

import msgspec

T = TypeVar("T")


class Colour(enum.Enum):
    """What it is painted in."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Place(TypedDict):
    """Where it is."""

    city: str
    radius: NotRequired[float]


class Query(TypedDict, total=False):
    text: Required[str]
    limit: int


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclasses.dataclass
class Box(Generic[T]):
    item: T
    more: list[T] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class NamedBox(Box[str]):
    name: str = ""


@dataclasses.dataclass
class Node:
    value: int
    next: "Node | None" = None
    children: list["Node"] = dataclasses.field(default_factory=list)


class Cat(msgspec.Struct, tag=True):
    lives: int = 9


class Dog(msgspec.Struct, tag=True):
    name: str


class Renamed(msgspec.Struct, rename="camel"):
    first_name: str
    is_new: bool = False


class Row(msgspec.Struct, array_like=True, tag="row"):
    key: str
    count: int = 0


UserId = NewType("UserId", int)
Json = Union[dict[str, "Json"], list["Json"], str, int, float, bool, None]  # noqa: UP007 - a text in it means itself

TYPES: list[Any] = [
    str,
    int,
    float,
    bool,
    None,
    Any,
    Literal["a", 1, None],
    Literal[Colour.RED],
    Colour,
    Level,
    int | None,
    int | str,
    float | int,
    Literal["auto"] | int,
    Literal["a", "b"] | str,
    list,
    list[int],
    set[int],
    frozenset[str],
    tuple[int, str],
    tuple[int, ...],
    tuple[()],
    Sequence[str],
    dict,
    dict[str, int],
    dict[int, str],
    dict[Colour, int],
    dict[datetime.date, float],
    dict[float, int],
    Mapping[str, list[int]],
    Place,
    Query,
    Point,
    Box[int],
    NamedBox,
    Node,
    Cat | Dog | None,
    Renamed,
    Row,
    UserId,
    Json,
    datetime.datetime,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    uuid.UUID,
    decimal.Decimal,
    bytes,
    pathlib.Path,
    Annotated[int, msgspec.Meta(ge=0, le=5)],
    Annotated[str, msgspec.Meta(pattern="^a+$")],
    Annotated[list[int], msgspec.Meta(min_length=1, max_length=2)],
    Annotated[datetime.datetime, msgspec.Meta(tz=True)],
    datetime.date | datetime.datetime,
    datetime.date | str,
    bytes | str,
    list[int] | list[str],
    Place | Query,
    Box[Place] | dict[str, int] | None,
    int | Colour,
]


def taking(annotation: Any, other: Any = Any) -> Any:
    """A function with a parameter `it` of this type, and one `other`, which may be left out."""

    def take(it, other=None): ...  # type: ignore[no-untyped-def]

    take.__annotations__ = {"it": annotation, "other": other}
    return take
