"""A growing list of messages: an append-only buffer that snapshots share.

A snapshot costs nothing and an append costs the append, however long the list is. Replacing or removing a message starts a new buffer
where a snapshot shares the old one, so that no snapshot ever changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from holter.messages.coercion import Update
from holter.messages.message import AIMessage, Message, RemoveMessage

REMOVE_ALL = "__remove_all__"
"""The id in a RemoveMessage by which all messages go, also those that stand before it in the same update."""


_NONE: list[Any] = []
"""Stands for an empty one, and is never written to: most histories need no other."""


class Snapshot:
    """The messages of a history as they were at one time."""

    __slots__ = ("_buffer", "_length", "_tail")

    def __init__(self, buffer: list[Message], length: int, tail: tuple[Message, ...] = ()) -> None:
        self._buffer, self._length, self._tail = buffer, length, tail

    def __len__(self) -> int:
        return self._length + len(self._tail)

    def messages(self) -> list[Message]:
        """The messages, oldest first; a list of the caller's own."""
        made = self._buffer[: self._length]
        made += self._tail
        return made


class Renamed(msgspec.Struct, frozen=True):
    """A message came under the id of one that it may not replace, and got one of its own."""

    old: str
    new: str
    kind: str
    """Of the message that came: "tool"."""

    @property
    def text(self) -> str:
        """What was done, as a sentence."""
        return f"A message ({self.kind}) came under the id {self.old!r} of one that it is no new form of; it now has the id {self.new!r}."


class History:
    """Messages, oldest first, and where each id stands."""

    __slots__ = ("_buffer", "_is_shared", "_places", "changes", "renamed")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._buffer: list[Message] = list(messages)
        self._places = _places(self._buffer)
        self._is_shared = False
        self.renamed: list[Renamed] = _NONE
        """What was renamed so far, in order."""
        self.changes = 0
        """How often messages were replaced or removed: while it is the same, the history has only grown."""

    def __len__(self) -> int:
        return len(self._buffer)

    def __iter__(self) -> Iterator[Message]:
        """The messages, oldest first, without a copy. The history is not changed meanwhile."""
        return iter(self._buffer)

    def __reversed__(self) -> Iterator[Message]:
        """The messages, newest first, without a copy. The history is not changed meanwhile."""
        return reversed(self._buffer)

    def messages(self) -> list[Message]:
        """The messages; a list of the caller's own."""
        return self._buffer.copy()

    def since(self, start: int) -> list[Message]:
        """The messages from that position on; a list of the caller's own."""
        return self._buffer[start:]

    def since_answer(self) -> list[Message]:
        """The messages from the newest AI message on; none where there is no such message."""
        buffer, at = self._buffer, len(self._buffer) - 1
        while at >= 0 and buffer[at].__class__ is not AIMessage:
            at -= 1
        return buffer[at:] if at >= 0 else []

    def is_just(self, messages: Sequence[Any]) -> bool:
        """Whether these are the messages, and no others."""
        return messages == self._buffer

    def newest(self) -> Message | None:
        """The last message; None of an empty history."""
        return self._buffer[-1] if self._buffer else None

    def snapshot(self, tail: tuple[Message, ...] = ()) -> Snapshot:
        """The messages as they are now, with more behind them."""
        self._is_shared = True
        return Snapshot(self._buffer, len(self._buffer), tail)

    def copy(self) -> History:
        """A history of its own with the same messages."""
        made = History()
        made._buffer, made._places = self._buffer.copy(), self._places.copy()
        return made

    def has(self, message_id: str | None) -> bool:
        """Whether a message has this id."""
        return message_id in self._places

    def of_id(self, message_id: str | None) -> Message | None:
        """The message that has this id; None when there is none."""
        at = self._places.get(message_id)
        return None if at is None else self._buffer[at]

    def replaces(self, message: Message) -> bool:
        """Whether adding the message would replace one."""
        at = self._places.get(message.id)
        return at is not None and _may_replace(self._buffer[at], message)

    def add(self, message: Message) -> Message:
        """Appends the message, or puts it in the place of the one of its id. Under the id of a message of another kind, or of the result
        of another call, it is appended with a new id, made from its own. What comes back is the message as it stands in the list."""
        at = self._places.get(message.id)
        if at is None:
            self.append(message)
            return message
        if _may_replace(self._buffer[at], message):
            self._writable()[at] = message
            return message
        made = message.replace(id=self._free_id(str(message.id)))
        self.renamed = self.renamed or []
        self.renamed.append(Renamed(str(message.id), str(made.id), message.type))
        return self.add(made)

    def append(self, message: Message) -> None:
        """As `add`, for a message whose id nothing has."""
        if message.id is not None:
            self._places[message.id] = len(self._buffer)
        self._buffer.append(message)

    def update(self, updates: Sequence[Update]) -> None:
        """Adds and removes as the updates say; a message that is removed and comes again in the same update keeps its place.

        Raises ValueError, before anything changes, for the removal of an id that no message has.
        """
        last = max((at for at, update in enumerate(updates) if _is_remove_all(update)), default=None)
        updates = updates if last is None else updates[last + 1 :]
        _check_removals(updates, self._places if last is None else {})
        if last is not None:
            self._start([])
        removed: set[str] = set()
        for update in updates:
            if isinstance(update, RemoveMessage):
                removed.add(update.id)
            elif self.add(update) is update and update.id is not None:
                removed.discard(update.id)
        if removed:
            self._start([message for message in self._buffer if message.id not in removed])

    def _start(self, messages: list[Message]) -> None:
        self._buffer, self._places, self._is_shared = messages, _places(messages), False
        self.changes += 1

    def _writable(self) -> list[Message]:
        """The buffer, to replace a message in; a new one when a snapshot shares the old."""
        self.changes += 1
        if self._is_shared:
            self._buffer, self._is_shared = self._buffer.copy(), False
        return self._buffer

    def _free_id(self, base: str) -> str:
        number = 2
        while f"{base}_{number}" in self._places:
            number += 1
        return f"{base}_{number}"


def _places(messages: list[Message]) -> dict[str | None, int]:
    """Id -> position of the last message that has it."""
    return {message.id: at for at, message in enumerate(messages) if message.id is not None}


def _may_replace(old: Message, new: Message) -> bool:
    """Whether both are forms of one message. Were a result replaced by that of another call, the first call would be open again."""
    return type(old) is type(new) and getattr(old, "tool_call_id", None) == getattr(new, "tool_call_id", None)


def _is_remove_all(update: Update) -> bool:
    return isinstance(update, RemoveMessage) and update.id == REMOVE_ALL


def _check_removals(updates: Sequence[Update], places: Mapping[str | None, int]) -> None:
    coming: set[str | None] = set()
    for update in updates:
        if not isinstance(update, RemoveMessage):
            coming.add(update.id)
        elif update.id not in places and update.id not in coming:
            raise ValueError(f"Attempting to delete a message with an ID that doesn't exist ('{update.id}')")
