"""What nodes wrote, in the journal's terms: events to append, and fields as the fold keeps them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from holter.errors import InvalidUpdate
from holter.graph.field import Field, Unfit, decoded
from holter.graph.state import Overwrite, Write
from holter.graph.update import subject
from holter.journal.event import Event, MessageAdded, NodeEnded
from holter.journal.mended import mended
from holter.journal.values import OVERWRITE
from holter.journal.values import Field as JournalField
from holter.messages.coercion import Update, as_messages
from holter.messages.history import History
from holter.messages.message import Message, RemoveMessage
from holter.messages.reducer import identified


def messages_key(fields: Mapping[str, Field]) -> str:
    """The field whose messages the journal keeps one by one: `messages`, or the first list of messages; "" when there is none."""
    if (field := fields.get("messages")) is not None and field.is_messages:
        return "messages"
    return next((name for name, field in fields.items() if field.is_messages), "")


def journal_fields(fields: Mapping[str, Field]) -> dict[str, JournalField]:
    """The fields as the fold takes writes to them."""
    return {
        name: JournalField(
            functools.partial(_reduced, field) if field.reducer is not None else None,
            field.default,
            functools.partial(_decoded, field),
        )
        for name, field in fields.items()
    }


def _reduced(field: Field, old: Any, written: Any) -> Any:
    """The new value. Unfit, as a clause, where the reducer fails or makes what the field refuses."""
    assert field.reducer is not None
    try:
        value = field.reducer(old.copy() if type(old) in (list, dict, set) else old, written)  # a reducer may change the old value in place
    except Exception as error:
        name = getattr(field.reducer, "__name__", "function")
        raise Unfit(f"its reducer {name!r} failed on the {type(written).__name__}: {type(error).__name__}: {error}") from error
    try:
        return value if field.check is None else field.check(value)
    except Unfit as unfit:
        raise Unfit(f"it does not fit any more: {unfit}") from None


def _decoded(field: Field, value: Any) -> Any:
    """The value from JSON's types to the field's; as it is where the type does not say how."""
    try:
        return field.check(value) if field.check is not None else decoded(field.type, value)
    except (Unfit, msgspec.ValidationError, TypeError):
        return value


class Written:
    """What one task wrote: messages, and other fields part by part."""

    def __init__(self, node: str, key: str) -> None:
        self._node = node
        self._key = key
        self.messages: list[Message] = []
        """New messages for the end of the list, each with an id."""
        self.parts: list[dict[str, Any]] = [{}]
        """State fields; a field that was written twice stands in a part of its own each time."""
        self.repairs: list[Event] = []

    def add(self, writes: Sequence[Write]) -> None:
        """Takes in writes. InvalidUpdate for what is no message where messages belong."""
        for write in writes:
            if write.key == self._key and isinstance(write.value, Overwrite):
                self._put(write.key, Overwrite(self._stored(self._updates(write.value.value))))
            elif write.key == self._key:
                self._add_messages(write.value)
            else:
                self._put(write.key, write.value)

    @property
    def is_plain(self) -> bool:
        """Whether nothing but new messages was written."""
        return not self.parts[0]

    def _add_messages(self, value: Any) -> None:
        updates = self._updates(value)
        if any(isinstance(update, RemoveMessage) for update in updates):
            self._put(self._key, self._stored(updates))
        else:
            self.messages += [update for update in updates if not isinstance(update, RemoveMessage)]

    def _updates(self, value: Any) -> list[Update]:
        try:
            updates = as_messages(value)
        except (TypeError, ValueError) as error:
            raise InvalidUpdate(f"{subject(self._node)} wrote {self._key!r}, and {error}") from None
        return [update if isinstance(update, RemoveMessage) else identified(update) for update in updates]

    def _stored(self, updates: Sequence[Update]) -> list[Update]:
        """The updates as a field's value can hold them."""
        made: list[Update] = []
        for update in updates:
            message, repairs = (update, []) if isinstance(update, RemoveMessage) else mended(update)
            made.append(message)
            self.repairs += repairs
        return made

    def _put(self, key: str, value: Any) -> None:
        stored = {OVERWRITE: value.value} if isinstance(value, Overwrite) else value
        for part in self.parts:
            if key not in part:
                part[key] = stored
                return
        self.parts.append({key: stored})

    def leave_out(self, history: History) -> None:
        """Leaves out messages that the history, or this, holds just so: whoever hands a whole list on writes it again."""
        if not any(history.has(message.id) for message in self.messages) and len(self.messages) < 2:
            return
        seen: dict[str | None, Message] = {}
        kept: list[Message] = []
        for message in self.messages:
            if message != (seen.get(message.id) or history.of_id(message.id)):
                kept.append(message)
            seen[message.id] = message
        self.messages = kept

    def message_events(self, task: str | None) -> list[Event]:
        """The events of the repairs and messages."""
        return [*self.repairs, *(MessageAdded(message=message, node=self._node, task=task) for message in self.messages)]

    def end_events(self, task: str, sends: list[Any]) -> list[Event]:
        """The events of the fields and of the task's end, which is the last one."""
        further = [NodeEnded(node=self._node, task=f"{task}.{number}", writes=part) for number, part in enumerate(self.parts[1:])]
        return [*further, NodeEnded(node=self._node, task=task, writes=self.parts[0], sends=sends)]
