"""What a cache keeps of a result: what the tool made, and nothing of the call that it was made for."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import msgspec

from holter.journal.storable import REFUSED, json_of
from holter.messages import ToolMessage


class Kept(msgspec.Struct, frozen=True):
    """A result without its call."""

    content: Any
    artifact: Any = None
    additional_kwargs: dict[str, Any] = {}
    response_metadata: dict[str, Any] = {}
    made: float = 0.0
    """When, in seconds since the epoch."""

    def message(self, call_id: str | None, name: str) -> ToolMessage:
        """The result as one of this call."""
        return ToolMessage(
            self.content,
            tool_call_id=call_id,
            name=name,
            artifact=self.artifact,
            additional_kwargs=self.additional_kwargs,
            response_metadata=self.response_metadata,
        )


class Held(msgspec.Struct, frozen=True):
    """A result of which no JSON is the same: held as it is, and copied whenever it is given out, so that nobody changes another's."""

    kept: Kept


Frozen = bytes | Held
"""A result at rest: JSON where that holds it exactly, else the values themselves."""

_decode = msgspec.json.Decoder(Kept).decode


class NotKept(Exception):
    """The result cannot be kept; the text says why."""


def frozen(message: ToolMessage, made: float, *, holds_objects: bool) -> Frozen:
    """The result at rest. Raises NotKept where the store cannot hold it."""
    kept = Kept(message.content, message.artifact, dict(message.additional_kwargs), dict(message.response_metadata), made)
    if (data := _exact_json(kept)) is not None:
        return data
    if not holds_objects:
        what = "artifact" if _exact_json(Kept(message.content)) is not None else "content"
        raise NotKept(f"the store holds JSON, and the {what} is more than that ({type(getattr(kept, what)).__name__})")
    try:
        return Held(deepcopy(kept))
    except Exception as error:
        raise NotKept(f"the result cannot be copied: {type(error).__name__}") from error


def thawed(value: Any) -> Kept:
    """The result as it was. Raises ValueError for what is none."""
    if isinstance(value, Held):
        return deepcopy(value.kept)
    if not isinstance(value, bytes | bytearray | memoryview | str):
        raise ValueError(f"the store gave a {type(value).__name__}, which is no result")
    try:
        return _decode(value)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ValueError(f"the store gave what is no result: {error}") from None


def _exact_json(kept: Kept) -> bytes | None:
    """The result as JSON, if it comes back from it as it is."""
    try:
        data = json_of(kept)
        return data if _same(_decode(data), kept) else None
    except (*REFUSED, msgspec.MsgspecError):
        return None


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same types."""
    if type(one) is not type(other):
        return False
    match one:
        case Kept():
            return all(_same(getattr(one, name), getattr(other, name)) for name in one.__struct_fields__)
        case dict():
            return len(one) == len(other) and all(key in other and _same(item, other[key]) for key, item in one.items())
        case list():
            return len(one) == len(other) and all(map(_same, one, other))
        case _:
            return bool(one == other)
