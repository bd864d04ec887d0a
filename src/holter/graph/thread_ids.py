"""Ids that a provider uses again, or leaves out: in a thread each call and each answer has one of its own.

What the provider itself called a call is kept in `response_metadata["call_ids"]`, and sent back to it: some write their own form of ids
(Kimi's `functions.NAME:N`) and lose it when they see another.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holter.journal.event import Repaired
from holter.messages import AIMessage
from holter.messages.content import Block
from holter.messages.history import History
from holter.messages.message import NO_CALLS
from holter.tools.call_id import CallIds

_KEPT = "call_ids"
_NONE: frozenset[str] = frozenset()
_FEW = 16


class ThreadIds:
    """The ids that stand in a thread already."""

    __slots__ = ("_calls", "_coming", "_history")

    def __init__(self, history: History) -> None:
        """`history` is the thread's own, and grows with it."""
        self._history = history
        ids = [call.get("id") for message in history if isinstance(message, AIMessage) for call in message.calls]
        self._calls: list[Any] | set[Any] = ids if len(ids) < _FEW else set(ids)
        """Of all calls: a list while they are few, which takes a sixth of the memory and is as quick."""
        self._coming = _NONE
        """Ids of messages that are admitted and may not stand in the history yet."""

    def add(self, message: AIMessage) -> None:
        """Takes in an answer that comes into the thread."""
        if message.id is not None:
            self._coming |= {message.id}
        self._take([call.get("id") for call in message.calls])

    def _take(self, ids: list[Any]) -> None:
        if isinstance(self._calls, set):
            self._calls.update(ids)
        else:
            self._calls += ids
            if len(self._calls) >= _FEW:
                self._calls = set(self._calls)

    def _are_new(self, ids: list[Any]) -> bool:
        """Whether all calls have ids, each its own, that no other in the thread has."""
        return all(ids) and len(set(ids)) == len(ids) and not any(call_id in self._calls for call_id in ids)

    def _has(self, message_id: str | None) -> bool:
        return self._history.has(message_id) or message_id in self._coming

    def take_new(self, message: AIMessage) -> bool:
        """Whether the answer's ids, its calls' included, are all there and new in the thread; then its calls' belong to it."""
        if self._has(message.id):
            return False
        if calls := message.calls:
            ids = [call.get("id") for call in calls]
            if not (ids[0] and ids[0] not in self._calls if len(ids) == 1 else self._are_new(ids)):
                return False
            self._take(ids)
        return True

    def admit(self, message: AIMessage, position: int) -> tuple[AIMessage, list[Repaired]]:
        """The answer with ids that are new in the thread, where it stands at `position`, and what had to be changed."""
        repairs: list[Repaired] = []
        if message.id is not None and self._has(message.id):
            new = self._free_message_id(message.id)
            repairs.append(
                Repaired(code="PAIR12", text=f"An earlier message has the id of this answer, which is now {new!r}.", raw=message.id)
            )
            message = message.replace(id=new)
        if calls := message.calls:
            ids = [call.get("id") for call in calls]
            if not self._are_new(ids):
                message = self._renamed(message, ids, position, repairs)
        return message, repairs

    def _renamed(self, message: AIMessage, ids: list[Any], position: int, repairs: list[Repaired]) -> AIMessage:
        made = CallIds([*ids, *self._calls])
        given: set[Any] = set()
        new_ids: list[str] = []
        own: dict[str, str] = {}
        for at, old in enumerate(ids):
            new = old
            if not old or old in given or old in self._calls:
                new = made.made(old or f"call_{position}", 2 if old else at, at)
                why = "another call of the answer has it" if old in given else "an earlier call has it"
                code = "PAIR05" if old else "PAIR06"
                text = f"The call {repr(old) if old else 'without an id'} got the id {new!r}" + (f": {why}." if old else ".")
                repairs.append(Repaired(code=code, text=text, call_id=new, raw=old or None))
                if old and old not in given:
                    own[new] = old
            given.add(old)
            new_ids.append(new)
        renamed = with_ids(message, new_ids)
        return renamed.replace(response_metadata={**renamed.response_metadata, _KEPT: own}) if own else renamed

    def _free_message_id(self, base: str) -> str:
        number = 2
        while self._has(f"{base}_{number}"):
            number += 1
        return f"{base}_{number}"


def provider_ids(message: AIMessage) -> Mapping[str | None, str]:
    """Id of a call -> what the provider called it, for those that were renamed."""
    kept = message.response_metadata.get(_KEPT) if message.response_metadata else None
    return kept if isinstance(kept, dict) else {}


def with_ids(message: AIMessage, ids: Sequence[Any]) -> AIMessage:
    """The message with these ids for its calls, in their order, also where its content marks their places."""
    calls = message.calls
    invalid = {id(call) for call in message.invalid_tool_calls}
    made = [(id(call) in invalid, {**call, "id": new}) for call, new in zip(calls, ids, strict=True)]
    old = [call.get("id") for call in calls]
    return message.replace(
        content=message.content if isinstance(message.content, str) else list(_marks(message.content, old, ids)),
        tool_calls=[call for is_invalid, call in made if not is_invalid],
        invalid_tool_calls=[call for is_invalid, call in made if is_invalid] or NO_CALLS,
    )


def _marks(blocks: Sequence[Block], old: Sequence[Any], new: Sequence[Any]) -> Iterator[Block]:
    """The blocks; the first mark of an id takes the new id of the first call of that id, and so on."""
    waiting: dict[Any, deque[Any]] = defaultdict(deque)
    for before, after in zip(old, new, strict=True):
        waiting[before].append(after)
    for block in blocks:
        ids = waiting.get(block.get("id")) if block.get("type") == "tool_call" else None
        yield {**block, "id": ids.popleft()} if ids else block
