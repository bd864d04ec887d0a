"""What a literal was written as, where JSON has no word for it: calls, names, and what a document leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec


class Call(dict[str, Any]):
    """A constructor call of a repr: its keyword arguments, under the name of what is called."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.positional: list[Any] = []


class Bare(str):
    """A word or `<object …>` that is no literal: a variable, an enum member, an object without a repr."""

    __slots__ = ()


class ElidedList(list[Any]):
    """A list of which the document shows nothing: `[...]`."""


class Elided(str):
    """A value of which the document shows nothing: `...`, `{...}`."""

    __slots__ = ()


class Note(msgspec.Struct, frozen=True):
    """Something that had to be accepted on the way. Of each kind but "elided" the first only."""

    kind: str
    """"elided", "comment", "quotes", "bracket", "comma", "width" (of punctuation), "newline", "nan", "depth", "inner-quote", "unclosed";
    "template", "code" in programs."""
    offset: int
    """Where, in characters from the beginning of the text."""


class Parsed(msgspec.Struct, frozen=True):
    """What was read."""

    value: Any
    end: int
    """Where the reader stopped, in characters from the beginning of the text."""
    stopped: str
    """"" when the value is whole; "end" when the text ended inside it; "unexpected" when something else stood there."""
    starts: dict[int, int]
    """Where each container stood: id(container) -> offset. Valid as long as `value` lives."""
    notes: list[Note]
    open: list[Any] = []
    """The containers that were not closed, outermost first."""


def plain(value: Any) -> Any:
    """The value without this module's own types, which nothing but the readers knows. Containers are changed in place."""
    return _converted(value, _as_plain)


def readable(value: Any) -> Any:
    """The value as readers take it: names and what was left out are text, but for calls that are left out. Changed in place."""
    return _converted(value, lambda key, item: str.__str__(item) if _is_word(item) and key != "tool_calls" else item)


def _converted(value: Any, convert: Callable[[Any, Any], Any]) -> Any:
    box = [value]
    waiting: list[Any] = [box]
    while waiting:
        container = waiting.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            converted = convert(key, item)
            if converted is not item:
                container[key] = converted
            if isinstance(converted, dict | list):
                waiting.append(converted)
    return box[0]


def _is_word(item: Any) -> bool:
    return isinstance(item, Bare | Elided)


def _as_plain(_: Any, item: Any) -> Any:
    if _is_word(item):
        return str.__str__(item)
    return dict(item) if isinstance(item, Call) else list(item) if isinstance(item, ElidedList) else item
