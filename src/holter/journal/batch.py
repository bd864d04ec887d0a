"""The calls of a thread and what is known of each: how often it was started, how it failed, what answered it.

Results are taken in the order in which they come, and given out in the order of the calls when a message's calls are all answered.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

import msgspec

from holter.journal.event import ToolFailed, ToolStarted
from holter.messages.message import AIMessage, Message, ToolMessage


class OpenCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that nothing has answered."""

    call: dict[str, Any]
    """The call itself, valid or invalid."""
    seq: int
    """Of the event whose message made it; with thread and call id, what an idempotency key is made of."""
    position: int
    """Among that message's calls, invalid ones included."""
    attempts: int = 0
    """How often its function was entered."""
    is_unknown: bool = False
    """Whether it may have run, or may run still: it was started, or left running, and nothing says how that ended."""
    failure: ToolFailed | None = None
    """How the newest attempt failed, where it did and none was started since."""


class _Call(msgspec.Struct, eq=False):
    call: dict[str, Any]
    key: str | None
    """Its id, as `_key` has it."""
    seq: int
    position: int
    arrival: int
    attempts: int = 0
    is_unknown: bool = False
    failure: ToolFailed | None = None
    result: ToolMessage | None = None

    def query(self) -> OpenCall:
        return OpenCall(
            call=self.call,
            seq=self.seq,
            position=self.position,
            attempts=self.attempts,
            is_unknown=self.is_unknown,
            failure=self.failure,
        )


class _Batch(msgspec.Struct, eq=False):
    """The calls of one message."""

    message: AIMessage
    calls: list[_Call]
    missing: int
    held: dict[int, ToolMessage]
    """Results that were not given out yet, by the position of their call."""

    def take_held(self) -> list[ToolMessage]:
        """The held results in the order of their calls; they are held no longer."""
        results = [self.held[position] for position in sorted(self.held)]
        self.held.clear()
        return results


_NONE: dict[Any, Any] = {}
"""Stands for an empty one, and is never written to: most threads need no other."""


class Batches:
    """The calls of all messages. Taking in a message or an event costs the calls it touches.

    Which result answers which call is said by the same rules as in `holter.messages.pairs`.
    """

    __slots__ = ("_arrivals", "_by_id", "_of_arrival", "_only", "_only_of", "holding")

    def __init__(self) -> None:
        self._only: _Call | None = None
        """The only open call, of a message that has no other: the usual case, for which less is made. No message has others then."""
        self._only_of: AIMessage | None = None
        """That message."""
        self._of_arrival: dict[int, _Batch] = _NONE
        """Arrival of a message -> its calls, as long as one is open or a result held."""
        self._by_id: dict[str | None, list[_Call]] = _NONE
        """Call id -> the open calls that have it, the newest turn's last, and there the first one last."""
        self._arrivals = 0
        self.holding = 0
        """How many results are held."""

    def take(self, message: Message, seq: int) -> list[ToolMessage] | None:
        """Takes in a message. Of a result that answers a call: the results that may stand in the list now, in the order of the calls,
        none as long as one is missing. None for every other message, which stands where it comes."""
        if message.__class__ is ToolMessage:
            return self._answer(message)
        if message.__class__ is AIMessage and (calls := message.calls):
            self._begin(message, calls, seq)
        return None

    def _begin(self, message: AIMessage, calls: list[dict[str, Any]], seq: int) -> None:
        self._arrivals += 1
        if len(calls) == 1 and self._only is None and not self._of_arrival:
            self._only, self._only_of = _Call(calls[0], _key(calls[0].get("id")), seq, 0, self._arrivals), message
        else:
            self._begin_several(message, calls, seq)

    def _begin_several(self, message: AIMessage, calls: list[dict[str, Any]], seq: int) -> None:
        arrival = self._arrivals
        self._spread()
        self._of_arrival, self._by_id = self._of_arrival or {}, self._by_id or {}
        made = [_Call(call, _key(call.get("id")), seq, position, arrival) for position, call in enumerate(calls)]
        self._of_arrival[arrival] = _Batch(message, made, len(made), {})
        for call in reversed(made):
            if (stack := self._by_id.get(call.key)) is None:
                self._by_id[call.key] = [call]
            else:
                stack.append(call)

    def _spread(self) -> None:
        """Puts the only call where several have their places."""
        if (call := self._only) is not None and self._only_of is not None:
            self._of_arrival = {call.arrival: _Batch(self._only_of, [call], 1, {})}
            self._only = self._only_of = None
            self._by_id = self._by_id or {}
            self._by_id.setdefault(call.key, []).append(call)

    def _answer(self, result: ToolMessage) -> list[ToolMessage] | None:
        if self._only is not None:
            if result.tool_call_id and result.tool_call_id == self._only.key:
                self._only = self._only_of = None
                return [result]
            self._spread()
        call = self._newest(result.tool_call_id) if result.tool_call_id else self._unnamed(result.name)
        if call is None:
            return None
        batch = self._of_arrival[call.arrival]
        call.result = result
        stack = self._by_id[call.key]
        if stack[-1] is call:
            if len(stack) > 1:
                stack.pop()
            else:
                del self._by_id[call.key]
        batch.missing -= 1
        if batch.missing:
            batch.held[call.position] = result
            self.holding += 1
            return []
        del self._of_arrival[call.arrival]
        if not batch.held:
            return [result]
        batch.held[call.position] = result
        self.holding -= len(batch.held) - 1
        return batch.take_held()

    def _newest(self, call_id: Any) -> _Call | None:
        """The first open call of the newest turn that has one of this id."""
        key = call_id if call_id.__class__ is str else _key(call_id)
        if self._only is not None:
            return self._only if self._only.key == key else None
        stack = self._by_id.get(key)
        if stack is None:
            return None
        while stack and stack[-1].result is not None:
            stack.pop()
        if stack:
            return stack[-1]
        del self._by_id[key]
        return None

    def _unnamed(self, name: str | None) -> _Call | None:
        """The call that a result without an id answers: of its name in the newest turn that has such an open call; without a name any."""
        for batch in reversed(self._of_arrival.values()):
            for call in batch.calls:
                if call.result is None and (not name or call.call.get("name") == name):
                    return call
        return None

    def started(self, event: ToolStarted) -> None:
        """Takes in that a call's function is being entered."""
        if (call := self._newest(event.call_id)) is not None:
            call.attempts, call.is_unknown, call.failure = call.attempts + 1, True, None

    def failed(self, event: ToolFailed) -> None:
        """Takes in that an attempt failed."""
        if (call := self._newest(event.call_id)) is not None:
            call.is_unknown, call.failure = event.unknown, event

    def interrupted(self, call_id: str) -> None:
        """Takes in that a call asked a question: it starts again from its top."""
        if (call := self._newest(call_id)) is not None:
            call.is_unknown = False

    def call(self, call_id: str | None) -> OpenCall | None:
        """The newest open call of this id, or None."""
        call = self._newest(call_id)
        return None if call is None else call.query()

    def seq_of(self, call_id: str | None) -> int | None:
        """`seq` of the event whose message made the newest open call of this id."""
        call = self._newest(call_id)
        return None if call is None else call.seq

    @property
    def open(self) -> list[OpenCall]:
        """Calls without a result, oldest first."""
        if self._only is not None:
            return [self._only.query()]
        return [call.query() for batch in self._of_arrival.values() for call in batch.calls if call.result is None]

    def held(self) -> Iterator[ToolMessage]:
        """Results of batches that are not complete, in the order of the calls."""
        for batch in self._of_arrival.values():
            yield from (batch.held[position] for position in sorted(batch.held))

    def release(self, unlisted: Container[int] = ()) -> list[ToolMessage]:
        """The held results, in the order of the calls, to stand in the list although others are missing; they are held no longer. Those
        of the messages with the ids (`id()`) in `unlisted` stay."""
        batches = [batch for batch in self._of_arrival.values() if batch.held and id(batch.message) not in unlisted]
        released = [result for batch in batches for result in batch.take_held()]
        self.holding -= len(released)
        return released

    def again(self, messages: Iterable[Message], seq: int) -> Batches:
        """The calls of another list, after messages were replaced or removed; what is known of a call that is open in both is kept."""
        made = Batches()
        for message in messages:
            made.take(message, seq)
        made.release()
        made._spread()
        for call_id in list(made._by_id):  # asking for the newest drops what was answered
            call, old = made._newest(call_id), self._newest(call_id)
            if call is not None and old is not None and call_id is not None:
                call.seq, call.attempts, call.is_unknown, call.failure = old.seq, old.attempts, old.is_unknown, old.failure
        return made


def _key(value: Any) -> str | None:
    """An id as a key: what is no text, as a model may send it, by how it looks."""
    return value if value.__class__ is str or value is None else repr(value)
