"""The form in which stores in databases keep values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from holter.errors import JournalDamaged, NotStorable
from holter.journal.storable import json_of, storable
from holter.journal.store import Item, Namespace


def encode(value: dict[str, Any]) -> str:
    """The value as JSON. NotStorable for one that JSON cannot hold."""
    if (problem := storable(value)) is not None:
        raise NotStorable("store", None, None, problem.path, problem.text)
    return json_of(value).decode()


def place_of(namespace: Sequence[str]) -> str:
    """The namespace as JSON: what stands below it begins with the same text, without the bracket."""
    return json_of(list(namespace)).decode()


def below(prefix: Sequence[str]) -> tuple[str, str, str]:
    """The place itself, and the range of all places below it: from the second text up to the third, which is not included."""
    own = place_of(prefix)
    if not prefix:
        return own, "[", "\\"  # the character after `[`
    return own, f"{own[:-1]},", f"{own[:-1]}-"  # the character after `,`


def namespace_of(place: str) -> Namespace:
    """The namespace that `place_of` wrote."""
    return tuple(msgspec.json.decode(place, type=list[str]))


def item(place: str, key: str, value: str, created: float, updated: float) -> Item:
    """A row as a value."""
    try:
        times = [datetime.fromtimestamp(ts, UTC) for ts in (created, updated)]
        return Item(namespace=namespace_of(place), key=key, value=msgspec.json.decode(value), created_at=times[0], updated_at=times[1])
    except (msgspec.DecodeError, TypeError, ValueError, OverflowError, OSError) as error:
        raise JournalDamaged(f"the value of {key!r} in the store cannot be read: {error}") from None
