"""Where a run was decided: before each call of the model, and after each batch of results; with what was new there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from holter.messages import AIMessage, Message, ToolMessage


class Decision(msgspec.Struct, frozen=True):
    """One point."""

    snapshot: int
    """How many messages there were: `log@N` names the same."""
    new: list[int]
    """Positions of the messages that no earlier point had."""
    results: int
    """How many results of calls have just come; 0 where none have."""
    answer: int | None
    """Position of what the model answered to this snapshot; None where it was not asked here."""


def decisions(messages: Sequence[Message]) -> Iterator[Decision]:
    """The points of a conversation, in order. Results that the model is asked right after are one point with that."""
    seen = results = 0
    for at, message in enumerate(messages):
        if isinstance(message, AIMessage):
            yield Decision(at, list(range(seen, at)), results, at)
            seen, results = at, 0
        elif isinstance(message, ToolMessage):
            results += 1
        elif results:
            yield Decision(at, list(range(seen, at)), results, None)
            seen, results = at, 0
    if results:
        yield Decision(len(messages), list(range(seen, len(messages))), results, None)
