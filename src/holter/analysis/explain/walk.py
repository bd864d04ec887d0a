"""Every field of a document, with what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from holter.analysis.explain.knowledge import Known, find
from holter.formats.form import child

_STREAM = "langchain.stream"
_DEEPEST = 100
"""Levels that are walked."""


class Field(msgspec.Struct, frozen=True):
    """One field of a document."""

    path: str
    """Its JSON path in the document."""
    value: Any
    known: Known | None
    """None where nothing is known of it."""
    message: int | None
    """Position of the message that it is part of; None where it is part of none."""
    depth: int
    """How deep it stands, below its message or the document."""
    inside: Mapping[str, Any]
    """The object that it is a field of."""
    key: str
    """Its own name there."""

    @property
    def name(self) -> str:
        """Its path without positions and without what stands around its message."""
        return named(self.path)


def named(path: str) -> str:
    """The path of a field without positions: "tool_calls[].id" of "tool_calls[3].id"."""
    parts: list[str] = []
    for part in path.split("["):
        head, closed, rest = part.partition("]")
        parts.append(f"[]{rest}" if closed and head.isdigit() else f"[{part}" if parts else part)
    return "".join(parts)


class Messages(msgspec.Struct, frozen=True):
    """Where the messages of a document stand, and of which kind they are."""

    kind: str
    """The full name: "openai_chat.message"."""
    at: Mapping[str, int]
    """JSON path -> position of the message."""
    above: frozenset[str] = frozenset()
    """Every path that leads to a message."""


def messages_at(kind: str, at: Mapping[str, int]) -> Messages:
    """The messages that stand at these paths."""
    above = {path[:end] for path in at for end, letter in enumerate(path) if letter in ".["}
    return Messages(kind, at, frozenset(above))


class _Here(msgspec.Struct, frozen=True):
    kind: str
    message: int | None
    depth: int


def fields(value: Any, kind: str, messages: Messages, vendor: str, path: str = "") -> Iterator[Field]:
    """The fields of what stands at `path`, in the order of the document. What stands inside a field that nobody knows has no kind, until a
    message begins."""
    yield from _walk(value, path, _Here(kind, None, 0), messages, vendor)


def _walk(value: Any, path: str, here: _Here, messages: Messages, vendor: str) -> Iterator[Field]:
    at = messages.at.get(path)
    if at is not None:
        here = _Here(here.kind or messages.kind, at, 0)
    if here.depth > _DEEPEST:
        return
    if isinstance(value, list):
        for position, item in enumerate(value):
            inner = child(path, position)
            here = _Here(here.kind, messages.at.get(inner, here.message), here.depth)
            if isinstance(item, dict | list):
                yield from _walk(item, inner, here, messages, vendor)
    elif isinstance(value, dict):
        yield from _object(value, path, here, messages, vendor)


def _object(value: dict[Any, Any], path: str, here: _Here, messages: Messages, vendor: str) -> Iterator[Field]:
    kind = _STREAM if "langgraph_node" in value and here.kind.startswith("langchain.") else here.kind
    for key, item in value.items():
        inner = child(path, str(key))
        known = find(kind, str(key), vendor) if kind else None
        message = messages.at.get(inner, here.message)
        yield Field(inner, item, known, message, here.depth, value, str(key))
        if isinstance(item, dict | list) and (known is None or not known.entry.opaque or inner in messages.above):
            below = known.inside if known is not None else ""
            if known is not None or inner in messages.above or inner in messages.at:
                yield from _walk(item, inner, _Here(below, message, here.depth + 1), messages, vendor)
