"""What every format module offers, and the small things they share.

A format is one module with a `FORM`: it recognises a decoded JSON value, reads it, and writes a conversation where the format can say it.
A format that comes in pieces also has a `STREAM`, which takes events one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec

from holter.messages import Conversation, Place, ToolSpec
from holter.messages.message import AIMessage, Message


class Loss(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something of a conversation that the target format cannot say."""

    what: str
    """The field or feature, and why it has no place: "usage_metadata: a message list has no token counts"."""
    messages: list[int] = []
    """Positions of the messages it was lost from; empty when it is about the conversation."""


class Written(msgspec.Struct, frozen=True):
    """A conversation in another format."""

    document: Any
    """The JSON value."""
    losses: list[Loss] = []


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """One format of finished conversations."""

    name: str
    title: str
    """What people call it: "OpenAI chat messages"."""
    sniff: Callable[[Any], bool]
    """Whether a decoded JSON value is of this format. Cheap: it looks at keys and at the first items only."""
    read: Callable[[Any, Place], list[Conversation]]
    """The conversations of such a value; the place is where the value stands. The reader may take the value apart."""
    write: Callable[[Conversation], Written] | None = None


class StreamReader(Protocol):
    """Puts one streamed answer together."""

    def add(self, event: dict[str, Any], place: Place) -> bool:
        """Takes in the next event; True when it was the last one."""

    def finish(self) -> Conversation:
        """What came. A stream whose end was not seen carries a READ01 finding."""


class StreamForm(msgspec.Struct, frozen=True, kw_only=True):
    """One format of streams."""

    name: str
    title: str
    sniff: Callable[[Any], bool]
    """Whether a decoded JSON value is an event of this format."""
    key: Callable[[dict[str, Any]], str | None]
    """What tells this event's stream from others in the same file; None where the event does not say and belongs to the newest one."""
    starts: Callable[[dict[str, Any]], bool]
    """Whether the event opens a stream whatever its key is."""
    open: Callable[[], StreamReader]
    passes: Callable[[dict[str, Any]], bool] = lambda value: False  # noqa: ARG005 - of most formats each event says something
    """Whether the event says nothing of any stream: a head of the file."""


_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def child(path: str, key: str | int) -> str:
    """The JSON path of an item or field: "messages[3].content", `["odd key"]` where the key is no plain word."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not _PLAIN_KEY.fullmatch(key):
        return f"{path}[{_json_text(key)}]"
    return f"{path}.{key}" if path else key


def _json_text(key: str) -> str:
    try:
        return msgspec.json.encode(key).decode()
    except UnicodeEncodeError:
        return json.dumps(key)


def inside(place: Place, *keys: str | int, index: int | None = None) -> Place:
    """The place of something inside what stands at `place`."""
    path = place.path
    for key in keys:
        path = child(path, key)
    return Place(index=index, path=path, line=place.line, column=place.column)


def moment(value: Any) -> datetime | None:
    """A time of a foreign log in UTC: ISO 8601 with an offset, or seconds, milliseconds, microseconds or nanoseconds since 1970.

    None for anything else; a time without an offset is nobody's time and stays with the log's own fields.
    """
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return parsed.astimezone(UTC) if parsed.tzinfo else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = float(value)
            while seconds > 1e11:
                seconds /= 1_000
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def last_answer(messages: list[Message]) -> AIMessage | None:
    """The last message when the model made it."""
    return messages[-1] if messages and isinstance(messages[-1], AIMessage) else None


def tool_spec(value: Any) -> ToolSpec | None:
    """A tool declaration, bare or wrapped in `function` or `custom`, of any provider; None when it is none.

    Schema keys: `parameters` (OpenAI, Gemini), `input_schema` (Anthropic), `inputSchema` (MCP), `parametersJsonSchema` (Gemini).
    A hosted tool has no schema: its own form is kept whole in `extra`.
    """
    if not isinstance(value, dict):
        return None
    wrapped = value.get("function", value.get("custom") if value.get("type") == "custom" else None)
    body = (
        dict(wrapped) if isinstance(wrapped, dict) else {k: v for k, v in value.items() if k != "type" or v not in ("function", "custom")}
    )
    name = body.pop("name", None)
    if not isinstance(name, str):
        kind = value.get("type")
        return ToolSpec(kind, extra=value) if isinstance(kind, str) else None
    description = body.pop("description", None)
    parameters: dict[str, Any] = {}
    for key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "args_schema"):
        if isinstance(body.get(key), dict):
            parameters = body.pop(key)
            break
    strict = body.pop("strict", None)
    if value.get("type") == "custom":
        body["type"] = "custom"
    return ToolSpec(
        name,
        description if isinstance(description, str) else "",
        parameters,
        strict if isinstance(strict, bool) else None,
        body,
    )


def tool_specs(value: Any) -> list[ToolSpec]:
    """The declarations of a list, in order; what is no declaration is left out."""
    return [spec for spec in map(tool_spec, value) if spec is not None] if isinstance(value, list) else []
