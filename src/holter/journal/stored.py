"""The form in which events are kept: one JSON object each. Every journal writes and reads it with these two functions, so that what one
takes, each takes, and that it comes back the same from each."""

from __future__ import annotations

import msgspec

from holter.errors import NotStorable
from holter.journal.event import Event, MessageAdded, NodeEnded
from holter.journal.storable import REFUSED, Problem, json_of, non_finite, storable

_decode = msgspec.json.Decoder(Event).decode


def decode(stored: bytes | str) -> Event:
    """The event that was kept. Raises msgspec.DecodeError for what `encode` did not make."""
    return _decode(stored)


def encode(event: Event) -> bytes:
    """The event as it is kept, tried out: it can be read again. Raises NotStorable for one that cannot be kept as it is."""
    try:
        stored = json_of(event)
        is_the_same = _decode(stored) == event
    except REFUSED as error:
        raise _refused(event, error) from None
    # Another value may be right: a tuple comes back as a list. Equality is asked first because it costs less than looking for a null.
    if not is_the_same and b"null" in stored and non_finite(event):
        raise _refused(event)
    return stored


def _refused(event: Event, error: Exception | None = None) -> NotStorable:
    node = event.node if isinstance(event, NodeEnded | MessageAdded) else None
    for key, value in event.writes.items() if isinstance(event, NodeEnded) else ():
        if (problem := storable(value)) is not None:
            return NotStorable(event.kind, node, str(key), problem.path, problem.text)
    problem = storable(event) or _ill_typed(error)
    return NotStorable(event.kind, node, None, problem.path, problem.text)


def _ill_typed(error: Exception | None) -> Problem:
    """Of a field that holds JSON, but not what belongs there: a number for a message's name."""
    text, _, path = str(error).partition(" - at ")
    return Problem(path.strip("`").removeprefix("$").lstrip("."), text[:1].lower() + text[1:])
