"""What happened in a run, in order: entries of Holter's journal, or the plain objects of another log."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import msgspec

from holter.journal import event as kinds
from holter.journal.entry import Entry
from holter.messages import AIMessage, ToolMessage
from holter.messages.calls import as_json_text


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened."""

    position: int
    """Place in the list of events, 0-based; of a journal's entry its `seq`."""
    kind: str
    """The event's kind: "tool_started", "tool_call", …"""
    call_id: str | None = None
    name: str | None = None
    args: Any = None
    attempt: int = 1
    text: str | None = None
    """Of a result, what was sent to the model."""
    executed: str | None = None
    """Of a result, what the tool gave, where that is known."""
    is_error: bool = False
    is_unknown: bool = False
    """Of a failure, whether the tool may have run all the same."""
    key: str | None = None
    """Of a cache hit or a clash, the key; of a question and its answer, that of the question, which begins with its call's id."""
    writers: tuple[str, ...] = ()
    ts: Any = None
    """The time, as it was written."""
    seq: int | None = None


class Trace:
    """The steps of a run, oldest first. `idempotent` are names of tools that may safely run twice; None where nobody says which do."""

    def __init__(self, steps: list[Step], idempotent: frozenset[str] | None = frozenset()) -> None:
        self.steps = steps
        self.idempotent = idempotent

    @classmethod
    def of(cls, events: Iterable[Any], idempotent: Iterable[str] | None = ()) -> Trace:
        """The trace of journal entries (`seq`, `ts`, `event`), of bare events, or of plain objects."""
        steps = [step for at, event in enumerate(events) for step in _steps(event.seq if isinstance(event, Entry) else at, event)]
        return cls(steps, None if idempotent is None else frozenset(idempotent))

    def may_repeat(self, name: str | None) -> bool | None:
        """Whether the tool may safely run twice; None where nobody says that."""
        return None if self.idempotent is None else name in self.idempotent

    @cached_property
    def calls(self) -> list[Step]:
        """The calls that a model made, in order."""
        return [step for step in self.steps if step.kind == "tool_call"]

    def call_before(self, step: Step) -> Step | None:
        """The newest call of the step's id that was made before it."""
        earlier = [call for call in self.calls if call.call_id == step.call_id and call.position <= step.position]
        return earlier[-1] if earlier else None


def canonical(args: Any) -> str:
    """Arguments as one text, keys in order."""
    try:
        return msgspec.json.encode(args, order="sorted").decode()
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return as_json_text(args)


def _steps(at: int, event: Any) -> list[Step]:
    if isinstance(event, dict):
        return [_plain(at, event)]
    inner, seq, ts = getattr(event, "event", event), getattr(event, "seq", None), getattr(event, "ts", None)
    match inner:
        case kinds.MessageAdded(message=AIMessage() as message):
            made = [
                Step(position=at, kind="tool_call", call_id=c.get("id"), name=c.get("name"), args=c.get("args"), ts=ts, seq=seq)
                for c in message.calls
            ]
            return made or [Step(position=at, kind="message", ts=ts, seq=seq)]
        case kinds.MessageAdded(message=ToolMessage() as message):
            failed = message.status == "error"
            said = message.text
            return [Step(position=at, kind="tool_result", call_id=message.tool_call_id, text=said, is_error=failed, ts=ts, seq=seq)]
        case kinds.ToolStarted():
            return [Step(position=at, kind="tool_started", call_id=inner.call_id, name=inner.name, attempt=inner.attempt, ts=ts, seq=seq)]
        case kinds.ToolFailed():
            unknown = inner.unknown or _is_unclear(inner.error)
            return [
                Step(
                    position=at,
                    kind="tool_failed",
                    call_id=inner.call_id,
                    name=inner.name,
                    attempt=inner.attempt,
                    text=inner.error,
                    is_unknown=unknown,
                    ts=ts,
                    seq=seq,
                )
            ]
        case kinds.Interrupted() | kinds.Answered():
            return [Step(position=at, kind=inner.kind, key=inner.key, ts=ts, seq=seq)]
        case kinds.CacheHit():
            return [Step(position=at, kind="cache_hit", call_id=inner.call_id, name=inner.name, key=inner.key, ts=ts, seq=seq)]
        case kinds.Discarded():
            return [Step(position=at, kind="discarded", key=inner.key, writers=tuple(inner.writers), ts=ts, seq=seq)]
        case kinds.Repaired():
            return [Step(position=at, kind=f"repair {inner.code}", call_id=inner.call_id, text=inner.text, ts=ts, seq=seq)]
        case _:
            return [Step(position=at, kind=str(getattr(inner, "kind", "event")), ts=ts, seq=seq)]


def _is_unclear(error: str) -> bool:
    """Whether a failure leaves open if the tool did its work: the answer was lost, not the request."""
    head = error[:200].lower()
    return any(word in head for word in ("timeout", "timed out", "connection reset", "connectionreset", "disconnected", "broken pipe"))


def _plain(at: int, event: dict[str, Any]) -> Step:
    seq, attempt = event.get("seq"), event.get("attempt")
    sent = event.get("sent", event.get("content", event.get("result")))
    executed = event.get("executed")
    error = event.get("error")
    return Step(
        position=at,
        kind=str(event.get("type") or event.get("kind") or "event"),
        call_id=_text(event.get("id", event.get("call_id"))),
        name=_text(event.get("name", event.get("tool"))),
        args=event.get("args"),
        attempt=attempt if isinstance(attempt, int) else 1,
        text=_text(sent if sent is not None else error),
        executed=_text(executed),
        is_error=event.get("status") == "error" or bool(event.get("is_error")) or bool(error),
        is_unknown=bool(event.get("unknown")) or (isinstance(error, str) and _is_unclear(error)),
        key=_text(event.get("key")),
        writers=tuple(str(writer) for writer in event.get("writers") or ()) if isinstance(event.get("writers"), list) else (),
        ts=event.get("ts", event.get("timestamp")),
        seq=seq if isinstance(seq, int) else None,
    )


def _text(value: Any) -> str | None:
    return None if value is None else as_json_text(value)


def moment(value: Any) -> datetime | None:
    """A step's time, with or without an offset; None where it is none."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _of_number(value)
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    return None


_MILLISECONDS = 1e11
"""Numbers from here on count milliseconds: as seconds they would be in the year 5138."""


def _of_number(value: float) -> datetime | None:
    """The time of a number of seconds, or of milliseconds, since the epoch."""
    try:
        return datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
