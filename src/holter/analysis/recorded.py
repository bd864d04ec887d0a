"""A thread of a journal as a conversation, with what only a journal knows: how long each answer and each call took, and what was tried."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from holter.formats.holter_journal import conversation_of
from holter.journal.entry import Entry
from holter.journal.event import CacheHit, MessageAdded, ModelFailed, ModelStarted, Repaired, ThreadCreated, ToolFailed, ToolStarted
from holter.messages import AIMessage, Conversation, Message, ToolMessage
from holter.messages.conversation import Shared


class Recorded(msgspec.Struct, frozen=True):
    """One thread."""

    conversation: Conversation
    """Its messages, each with the time at which it was appended."""
    model_s: dict[int, float] = {}
    """Position of an AI message -> seconds from the asking to the answer."""
    tool_s: dict[int, float] = {}
    """Position of a tool message -> seconds from the call's first attempt to its result."""
    model_retries: int = 0
    """Attempts at an answer that failed."""
    tool_retries: int = 0
    """Attempts at a call that failed and were followed by another."""
    cache_hits: int = 0
    repairs: int = 0


def recorded(thread: str, entries: Sequence[Entry], *, is_apart: bool = True) -> Recorded:
    """What the entries of a thread, from its first on, come to. A fork that is not looked at apart, but beside the thread that it is a fork
    of, says what both share, and the attempts of that count there."""
    conversation = conversation_of(thread, entries)
    own = 0 if is_apart else _own(entries)
    if own:
        ids = {entry.event.message.id for entry in entries[:own] if isinstance(entry.event, MessageAdded)}
        count = sum(message.id in ids for message in conversation.messages)
        conversation = msgspec.structs.replace(conversation, shared=Shared(conversation.position, count))
    return _watched(conversation, entries, own)


def recorded_lines(conversation: Conversation) -> Conversation | Recorded:
    """What a conversation comes to that was read from lines of a journal; any other as it is."""
    return _watched(conversation, conversation.events, 0) if conversation.events else conversation


def origin_of(entries: Sequence[Entry]) -> str | None:
    """The thread that one is a fork of."""
    created = entries[_own(entries)].event
    return created.forked_from if isinstance(created, ThreadCreated) else None


def _own(entries: Sequence[Entry]) -> int:
    """Where a fork's own entries begin: with the one that says whose fork it is. 0 for other threads."""
    for at in range(len(entries) - 1, -1, -1):
        event = entries[at].event
        if isinstance(event, ThreadCreated) and event.forked_from is not None:
            return at
    return 0


def _watched(conversation: Conversation, entries: Sequence[Entry], own: int) -> Recorded:
    watch = _Watch()
    for at, entry in enumerate(entries):
        watch.add(entry, counts=at >= own)
    took = {at: seconds for at, message in enumerate(conversation.messages) if (seconds := watch.took_s.get(_key(message))) is not None}
    answers = {at for at in took if isinstance(conversation.messages[at], AIMessage)}
    return Recorded(
        conversation,
        {at: seconds for at, seconds in took.items() if at in answers},
        {at: seconds for at, seconds in took.items() if at not in answers},
        model_retries=watch.model_retries,
        tool_retries=watch.tool_retries,
        cache_hits=watch.cache_hits,
        repairs=watch.repairs,
    )


class _Watch:
    """The times of a thread's messages, by what tells them apart."""

    def __init__(self) -> None:
        self.model_retries = self.tool_retries = self.cache_hits = self.repairs = 0
        self._asked: float | None = None
        self._started: dict[str | None, float] = {}
        self.took_s: dict[tuple[str, str | None], float] = {}
        """Seconds from the asking to the answer, and from the first attempt to the result, by what tells messages apart."""

    def add(self, entry: Entry, *, counts: bool) -> None:
        match entry.event:
            case ModelStarted():
                self._asked = entry.ts if self._asked is None else self._asked
            case ModelFailed():
                self.model_retries += counts
            case ToolStarted(call_id=call_id):
                self._started.setdefault(call_id, entry.ts)
            case ToolFailed(wait_s=wait_s):
                self.tool_retries += counts and wait_s is not None
            case CacheHit():
                self.cache_hits += counts
            case Repaired():
                self.repairs += counts
            case MessageAdded(message=message):
                self._take(message, entry.ts)
            case _:
                pass

    def _take(self, message: Message, now: float) -> None:
        begun: float | None = None
        if isinstance(message, AIMessage):
            begun, self._asked = self._asked, None
        elif isinstance(message, ToolMessage):
            begun = self._started.pop(message.tool_call_id, None)
        if begun:  # lines without times have 0
            self.took_s[_key(message)] = max(now - begun, 0.0)


def _key(message: Message) -> tuple[str, str | None]:
    """What tells a message from the others of its thread, whose ids and call ids are their own."""
    return message.type, message.tool_call_id if isinstance(message, ToolMessage) else message.id
