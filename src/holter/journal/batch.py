"""The calls of a thread and what is known of each: how often it was started, how it failed, what answered it.

Results are taken in the order in which they come, and given out in the order of the calls when a message's calls are all answered.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from holter.journal.event import ToolFailed, ToolStarted
from holter.messages.message import AIMessage, Message, ToolMessage
from holter.messages.pairs import Pairing


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


@dataclass(slots=True)
class _Call:
    call: dict[str, Any]
    seq: int
    position: int
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


@dataclass(slots=True)
class _Batch:
    """The calls of one message."""

    message: AIMessage
    calls: list[_Call]
    missing: int
    held: dict[int, ToolMessage] = field(default_factory=dict)
    """Results that were not given out yet, by the position of their call."""

    def take_held(self) -> list[ToolMessage]:
        """The held results in the order of their calls; they are held no longer."""
        results = [self.held[position] for position in sorted(self.held)]
        self.held.clear()
        return results


class Batches:
    """The calls of all messages. Taking in a message or an event costs the calls it touches."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._of_arrival: dict[int, _Batch] = {}
        """Arrival of a message -> its calls, as long as one is open or a result held."""
        self._open: dict[str | None, _Call] = {}
        """Call id -> the newest open call that has it."""
        self._arrivals = 0

    def take(self, message: Message, seq: int) -> list[ToolMessage] | None:
        """Takes in a message. Of a result that answers a call: the results that may stand in the list now, in the order of the calls,
        none as long as one is missing. None for every other message, which stands where it comes."""
        arrival, self._arrivals = self._arrivals, self._arrivals + 1
        self._pairing.add(message)
        match message:
            case AIMessage():
                self._begin(arrival, message, seq)
                return None
            case ToolMessage():
                return self._answer(arrival, message)
            case _:
                return None

    def _begin(self, arrival: int, message: AIMessage, seq: int) -> None:
        calls = [_Call(ref.call, seq, ref.position) for ref in self._pairing.of(arrival)]
        if not calls:
            return
        self._of_arrival[arrival] = _Batch(message, calls, len(calls))
        for call in reversed(calls):
            self._open[call.call.get("id")] = call

    def _answer(self, arrival: int, result: ToolMessage) -> list[ToolMessage] | None:
        ref = self._pairing.answered.get(arrival)
        if ref is None:
            return None
        batch = self._of_arrival[ref.message]
        call = batch.calls[ref.position]
        call.result = result
        call_id = call.call.get("id")
        if self._open.get(call_id) is call:
            del self._open[call_id]
        batch.held[ref.position] = result
        batch.missing -= 1
        if batch.missing:
            return []
        del self._of_arrival[ref.message]
        return batch.take_held()

    def started(self, event: ToolStarted) -> None:
        """Takes in that a call's function is being entered."""
        if (call := self._open.get(event.call_id)) is not None:
            call.attempts, call.is_unknown, call.failure = call.attempts + 1, True, None

    def failed(self, event: ToolFailed) -> None:
        """Takes in that an attempt failed."""
        if (call := self._open.get(event.call_id)) is not None:
            call.is_unknown, call.failure = event.unknown, event

    def interrupted(self, call_id: str) -> None:
        """Takes in that a call asked a question: it starts again from its top."""
        if (call := self._open.get(call_id)) is not None:
            call.is_unknown = False

    @property
    def open(self) -> list[OpenCall]:
        """Calls without a result, oldest first."""
        return [call.query() for batch in self._of_arrival.values() for call in batch.calls if call.result is None]

    def held(self) -> Iterator[ToolMessage]:
        """Results of batches that are not complete, in the order of the calls."""
        for batch in self._of_arrival.values():
            yield from (batch.held[position] for position in sorted(batch.held))

    def release(self, unlisted: Container[int] = ()) -> list[ToolMessage]:
        """The held results, in the order of the calls, to stand in the list although others are missing; they are held no longer. Those
        of the messages with the ids (`id()`) in `unlisted` stay."""
        batches = [batch for batch in self._of_arrival.values() if batch.held and id(batch.message) not in unlisted]
        return [result for batch in batches for result in batch.take_held()]

    def again(self, messages: Iterable[Message], seq: int) -> Batches:
        """The calls of another list, after messages were replaced or removed; what is known of a call that is open in both is kept."""
        made = Batches()
        for message in messages:
            made.take(message, seq)
        made.release()
        for call_id, call in made._open.items():
            if (old := self._open.get(call_id)) is not None and call_id is not None:
                call.seq, call.attempts, call.is_unknown, call.failure = old.seq, old.attempts, old.is_unknown, old.failure
        return made
