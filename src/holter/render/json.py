"""Conversations as JSON for other programs: messages in LangChain's field names, every field of a finding present."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

import msgspec

from holter.analysis.decision import decisions
from holter.formats.langchain_message import write_message
from holter.messages import Conversation, HumanMessage, Message
from holter.render.control import visible_in_json
from holter.render.total import total


def conversation(value: Conversation) -> dict[str, Any]:
    """The normalised conversation as a JSON value."""
    return {
        "format": value.format,
        "source": value.source,
        "position": value.position,
        "place": _fields(value.place),
        "messages": [message(each) for each in value.messages],
        "tools": [_fields(tool) for tool in value.tools],
        "tools_known": value.tools_known,
        "findings": [_fields(finding) for finding in value.findings],
        "places": [_fields(place) for place in value.places],
        "extra": value.extra,
        "shared": None if value.shared is None else _fields(value.shared),
    }


def message(value: Message) -> dict[str, Any]:
    """The message under LangChain's field names."""
    return write_message(value)


def summary(value: Conversation) -> dict[str, Any]:
    """What a line of the list says, as a JSON value."""
    said = next((each.text for each in value.messages if isinstance(each, HumanMessage)), None)
    errors = sum(finding.severity == "error" for finding in value.findings)
    sums = msgspec.structs.asdict(total(value))
    return {"format": value.format, "source": value.source, "position": value.position, **sums, "errors": errors, "begins_with": said}


def decision_points(value: Conversation) -> dict[str, Any]:
    """The decision points of a conversation as a JSON value."""
    points = [_fields(point) for point in decisions(value.messages)]
    return {"source": value.source, "conversation": value.position, "decisions": points}


def line(value: Any) -> bytes:
    """The value as one line of UTF-8, with its newline; never refused, and safe on a terminal.

    NaN and infinities, which JSON has not, become null; a lone surrogate becomes its escape.
    """
    return _encoded(value, None)


def pages(value: Any) -> bytes:
    """The value as indented UTF-8, with a newline at the end."""
    return _encoded(value, 2)


def _encoded(value: Any, indent: int | None) -> bytes:
    separators = (",", ":") if indent is None else (",", ": ")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators, default=_plain)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, separators=separators, default=_plain)
    return (visible_in_json(text) + "\n").encode()


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def _finite(value: Any) -> Any:
    """The value with null for each number that is none."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    """A JSON value for what JSON has no word for."""
    if isinstance(value, datetime):
        return value.isoformat()
    try:
        return msgspec.to_builtins(value)
    except TypeError:
        return str(value)
