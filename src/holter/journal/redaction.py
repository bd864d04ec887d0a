"""What must not be shown of a thread: the values that match are replaced on their way out, and stay where the model needs them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from holter.journal.event import Answered, Event, Interrupted, MessageAdded, NodeEnded, Redacting, RunStarted

REPLACEMENT = "[redacted]"
_DEEPEST = 100

_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_NEEDED = (MessageAdded, NodeEnded, RunStarted, Interrupted, Answered, Redacting)
"""What a run goes on from: it needs the values as they are."""


class Redaction:
    """Replaces what matches one of some regular expressions. Without one it gives back what it gets."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        """Raises ValueError for a pattern that is no regular expression, or that matches the empty text."""
        self.patterns = tuple(dict.fromkeys(patterns))
        self._compiled = [_compiled(pattern) for pattern in self.patterns]

    def and_also(self, patterns: Iterable[str]) -> Redaction:
        """One that replaces what matches these as well; patterns that no regular expression is made of, as only a foreign journal holds
        them, stand for their own text."""
        more = [pattern for pattern in patterns if pattern and pattern not in self.patterns]
        return Redaction((*self.patterns, *(pattern if _is_pattern(pattern) else re.escape(pattern) for pattern in more))) if more else self

    @classmethod
    def of(cls, events: Iterable[Event]) -> Redaction:
        """What the events of a thread say is not to be shown of it."""
        made = NOTHING
        for event in events:
            if isinstance(event, Redacting):
                made = made.and_also(event.patterns)
        return made

    def __bool__(self) -> bool:
        """Whether there is anything to replace."""
        return bool(self._compiled)

    def text(self, text: str) -> str:
        """The text with `[redacted]` for each match."""
        for pattern in self._compiled:
            text = pattern.sub(REPLACEMENT, text)
        return text

    def value(self, value: Any, depth: int = 0) -> Any:
        """The JSON value with every text in it replaced, keys too. Structs, dataclasses, tuples and sets stay such; any other value stays
        as it is."""
        if not self._compiled:
            return value
        match value:
            case str():
                return self.text(value)
            case dict() | list() | tuple() if depth == _DEEPEST:
                return REPLACEMENT
            case dict():
                return {self.value(key, depth + 1): self.value(item, depth + 1) for key, item in value.items()}
            case list():
                return [self.value(item, depth + 1) for item in value]
            case tuple() if hasattr(value, "_fields"):
                return type(value)(*(self.value(item, depth + 1) for item in value))
            case tuple() | set() | frozenset():
                return type(value)(self.value(item, depth + 1) for item in value)
            case int() | float() if not isinstance(value, bool) and self.text(str(value)) != str(value):
                return REPLACEMENT  # a number may be the secret: a card's, a telephone's
            case msgspec.Struct():
                return self.struct(value, depth)
            case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
                return self._object(value, depth)
            case _:
                return value

    def struct(self, value: _Struct, depth: int = 0) -> _Struct:
        """An event or a message with every text in it replaced, its own fields' numbers apart; what names a call or a message stays, so
        that pairs stay pairs. Patterns stay as well, but for those that are what they match."""
        if not self._compiled:
            return value
        if isinstance(value, Redacting):
            return msgspec.structs.replace(value, patterns=[pattern for pattern in value.patterns if self.text(pattern) == pattern])
        changes: dict[str, Any] = {}
        for name in value.__struct_fields__:
            old = getattr(value, name)
            if name in _NAMING or isinstance(old, int | float):
                continue
            new = [self._call(call) for call in old] if name in _CALLS and isinstance(old, list) else self.value(old, depth + 1)
            if new != old:
                changes[name] = new
        return msgspec.structs.replace(value, **changes) if changes else value

    def kept(self, events: Iterable[Event]) -> list[Event]:
        """The events as a journal keeps them: what a run goes on from holds the values, and nothing else does. That something is not to be
        shown is said once."""
        return [event if isinstance(event, _NEEDED) else self.struct(event) for event in events if not self._knows(event)]

    def _knows(self, event: Event) -> bool:
        return isinstance(event, Redacting) and all(pattern in self.patterns for pattern in event.patterns)

    def _object(self, value: Any, depth: int) -> Any:
        """A copy of a dataclass's object, made without its own code."""
        made = object.__new__(type(value))
        for name in [field.name for field in dataclasses.fields(value)]:
            object.__setattr__(made, name, self.value(getattr(value, name), depth + 1))
        return made

    def _call(self, call: Any) -> Any:
        """A call whose name, id and type stay."""
        if not isinstance(call, dict):
            return self.value(call)
        return {key: item if key in ("name", "id", "type", "index") else self.value(item) for key, item in call.items()}


_NAMING = frozenset("id name call_id tool_call_id key run node task forked_from ts status by".split())
_CALLS = ("tool_calls", "invalid_tool_calls", "tool_call_chunks")


NOTHING = Redaction()
"""Replaces nothing."""


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        made = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"the pattern {pattern!r} is no regular expression: {error}") from None
    if made.search("") is not None:
        raise ValueError(f"the pattern {pattern!r} matches the empty text, so that it would stand between all characters")
    return made


def _is_pattern(pattern: str) -> bool:
    try:
        _compiled(pattern)
    except ValueError:
        return False
    return True
