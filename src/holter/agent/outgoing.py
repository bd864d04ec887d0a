"""The thread as it goes into requests: valid, and with the provider's own ids. A request costs the messages that are new."""

from __future__ import annotations

from collections.abc import Sequence

from holter.graph.thread_ids import provider_ids, with_ids
from holter.messages import AIMessage, Message, SystemMessage, ToolMessage, sendable
from holter.messages.history import History

_NONE: dict[str | None, str] = {}
"""Stands for an empty one, and is never written to."""


class Outgoing:
    """The messages of one thread, as a provider gets them.

    A thread is valid between two steps. What was put into it from outside, or taken out of it, may not be: then, and at the beginning of
    a run, `sendable` looks at all of it; else only the new messages are looked at.
    """

    __slots__ = ("_changes", "_count", "_followed", "_has_system", "_open", "_own", "_seen", "messages", "offset", "rebuilt")

    def __init__(self, *, has_system: bool = False) -> None:
        """`has_system`: the sender has a system message of its own, which takes the place of those that the thread begins with."""
        self.messages: list[Message] = []
        """What is sent. It grows in place."""
        self.offset = 0
        """How many messages in front of these are not sent."""
        self.rebuilt = 0
        """How often everything was looked at."""
        self._seen: Sequence[Message] = ()
        self._followed: History | None = None
        self._changes = 0
        """Of the history that is followed."""
        self._count = 0
        """How many messages of the history that is followed were taken in."""
        self._open: list[str | None] = []
        """The calls that wait for their results."""
        self._own: dict[str | None, str] = _NONE
        self._has_system = has_system

    def take(self, messages: list[Message]) -> Sequence[Message]:
        """Takes in the thread's messages as they stand now; what comes back are those that are new in `self.messages`: that list itself
        where it was built anew. The caller leaves the list to this object."""
        known, before = len(self._seen), len(self.messages)
        new = messages[known:]
        del messages[known:]  # so that the beginning can be compared without a copy; equal objects are seen at 1 ns a message
        is_known = bool(known) and self._seen == messages
        messages += new
        if is_known and self._add(new):
            self._seen = messages
            return self.messages[before:]
        self._seen, self._followed = messages, None
        self._rebuild(messages)
        return self.messages

    def follow(self, history: History) -> Sequence[Message]:
        """As `take`, for a history that tells whether it has only grown: then what was seen is not looked at, however long it is."""
        before = len(self.messages)
        has_grown = self._followed is history and self._changes == history.changes
        if has_grown and self._add(history.since(self._count)):
            self._count = len(history)
            return self.messages[before:]
        self._followed, self._changes, self._count, self._seen = history, history.changes, len(history), ()
        self._rebuild(history.messages())
        return self.messages

    def _rebuild(self, messages: list[Message]) -> None:
        self.rebuilt += 1
        self._open, self._own = [], _NONE
        valid = sendable(messages)
        if self._has_system:
            self.offset = next((at for at, message in enumerate(valid) if not isinstance(message, SystemMessage)), len(valid))
        self.messages = list(map(self._as_sent, valid[self.offset :] if self.offset else valid))

    def _add(self, messages: Sequence[Message]) -> bool:
        """Whether these messages can stand behind the others as they are; then they do."""
        sent: list[Message] = []
        for message in messages:
            sent.append(self._as_sent(message) if self._own or message.response_metadata else message)
            if isinstance(message, ToolMessage):
                if message.tool_call_id not in self._open:
                    return False
                self._open.remove(message.tool_call_id)
            elif self._open:
                return False
            elif isinstance(message, AIMessage) and (calls := message.calls):
                self._open = [call.get("id") for call in calls]
                if None in self._open or (len(calls) > 1 and len(set(self._open)) < len(calls)):
                    return False
        if self._open:
            return False
        self.messages += sent
        return True

    def _as_sent(self, message: Message) -> Message:
        """The message with the ids that its provider gave; mostly itself."""
        if isinstance(message, AIMessage):
            if own := provider_ids(message):
                self._own = self._own or {}
                self._own.update(own)
                return with_ids(message, [own.get(call.get("id"), call.get("id")) for call in message.calls])
        elif self._own and isinstance(message, ToolMessage) and message.tool_call_id in self._own:
            return message.replace(tool_call_id=self._own[message.tool_call_id])
        return message
