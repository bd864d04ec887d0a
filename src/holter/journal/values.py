"""The values of a thread: its messages, and the fields of its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from holter.messages.coercion import as_messages
from holter.messages.history import REMOVE_ALL, History
from holter.messages.message import RemoveMessage

OVERWRITE = "__overwrite__"
"""The only key of a written value that takes the field's place, whatever its reducer (LangGraph's JSON form of `Overwrite`)."""


class Field(NamedTuple):
    """How a state field takes what is written to it."""

    reducer: Callable[[Any, Any], Any] | None = None
    """(value before, value written) -> value; None: the value written. It may not change its arguments."""
    initial: Callable[[], Any] | None = None
    """The value before the first write, for the reducer; without it the first write is the value."""
    decode: Callable[[Any], Any] | None = None
    """From JSON's types to the field's own, for what is read from a journal."""


_LAST = Field()


class Fault(NamedTuple):
    """A write that a reducer refused; the field kept its value."""

    seq: int
    """Of the event that wrote."""
    key: str
    error: Exception
    task: str = ""
    """The task or call ("3.0", "3.0.1") that wrote; empty for none."""


def is_overwrite(value: Any) -> bool:
    """Whether a written value takes the field's place."""
    return isinstance(value, dict) and value.keys() == {OVERWRITE}


_NONE: list[Any] = []
"""Stands for an empty one, and is never written to: most threads need no other."""


class Values:
    """Messages and fields; writes go through the fields' reducers."""

    __slots__ = ("_specs", "faults", "fields", "history", "messages_key")

    def __init__(self, specs: Mapping[str, Field], messages_key: str) -> None:
        self._specs = specs
        self.messages_key = messages_key
        self.history = History()
        self.fields: dict[str, Any] = {
            key: spec.initial() for key, spec in specs.items() if spec.initial is not None and key != messages_key
        }
        """The state without the messages."""
        self.faults: list[Fault] = _NONE

    def copy(self, *, history: History) -> Values:
        """Values with fields of their own, and this message list."""
        made = Values({}, self.messages_key)
        made._specs, made.history, made.fields = self._specs, history, self.fields.copy()
        return made

    def decoded(self, key: str, value: Any) -> Any:
        """A written value, from JSON's types to the field's own."""
        decode = self._specs.get(key, _LAST).decode
        if decode is None or key == self.messages_key:
            return value
        return {OVERWRITE: decode(value[OVERWRITE])} if is_overwrite(value) else decode(value)

    def write(self, key: str, value: Any, seq: int, task: str = "") -> None:
        """Writes a field. What a reducer raises becomes a fault: the event is in the journal, and the thread must stay readable."""
        try:
            if key == self.messages_key:
                self._write_messages(value)
            else:
                self.fields[key] = self._reduced(key, value)
        except Exception as error:  # noqa: BLE001 - a reducer of the user's own
            self.faults = self.faults or []
            self.faults.append(Fault(seq, key, error, task))

    def _write_messages(self, value: Any) -> None:
        if is_overwrite(value):
            self.history.update([RemoveMessage(REMOVE_ALL), *as_messages(value[OVERWRITE])])
        else:
            self.history.update(as_messages(value))

    def _reduced(self, key: str, value: Any) -> Any:
        reducer = self._specs.get(key, _LAST).reducer
        if is_overwrite(value):
            return value[OVERWRITE]
        return value if reducer is None or key not in self.fields else reducer(self.fields[key], value)
