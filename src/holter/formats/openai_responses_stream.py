"""Streamed answers of the OpenAI Responses API.

Source: OpenAI API reference, responses, streaming events, seen 2026-11.

Shape:  `response.created` and `response.in_progress` with an empty response; for each item `response.output_item.added`, deltas keyed by
        the item's index, `*.done` events that repeat what the deltas said, `response.output_item.done` with the whole item; last
        `response.completed`, `response.incomplete` or `response.failed` with the whole response. An `error` comes before the last event
        or in its place.
Lost:   how the text was cut into deltas; the events that only tell of a hosted tool's progress.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from holter.formats import openai_responses
from holter.formats.finding import Unknowns, input_cut
from holter.formats.form import StreamForm
from holter.formats.openai_responses_blocks import read_reasoning
from holter.formats.wire import without_nulls
from holter.messages import AIMessageChunk, Conversation, Finding, Place
from holter.messages.calls import as_json_text
from holter.messages.content import Block
from holter.messages.message import EMPTY

NAME = "openai.responses.stream"

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})

_TEXTS = {
    "response.output_text": ("content", "content_index", "output_text", "text"),
    "response.refusal": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text": ("content", "content_index", "reasoning_text", "text"),
    "response.reasoning_summary_text": ("summary", "summary_index", "summary_text", "text"),
}
"""Of each kind of text: the item's list it grows in, the event's field with its position there, the part's kind and the part's field."""

_FIELDS = {
    "response.function_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
    "response.mcp_call_arguments": "arguments",
    "response.code_interpreter_call_code": "code",
}
"""Of each kind of delta that lengthens a field of its item: the field; its `done` event calls it the same."""


def sniff(value: Any) -> bool:
    """An event; an error in the form that the stream gives it. Events of the Realtime API look alike and carry an `event_id`."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or "event_id" in value:
        return False
    if kind == "error":
        return "sequence_number" in value
    return kind.startswith("response.") and bool(value.keys() & {"sequence_number", "response", "output_index", "item_id"})


def key(event: dict[str, Any]) -> str | None:
    """The id of the response where the event holds it."""
    response = event.get("response")
    own_id = response.get("id") if isinstance(response, dict) else None
    return own_id if isinstance(own_id, str) else None


def starts(event: dict[str, Any]) -> bool:
    """Whether the event opens an answer."""
    return event.get("type") == "response.created"


class Reader:
    """Puts one answer together: the final response where it came, else the response that the deltas tell of; then the message in it."""

    def __init__(self) -> None:
        self._body: dict[str, Any] = {}
        self._items: dict[str, _Growing] = {}
        self._error: Any = None
        self._ended = False
        self._unknown = Unknowns()
        self._first: Place | None = None
        self._last = Place()

    def add(self, event: dict[str, Any], place: Place) -> bool:
        """Takes in the next event; True when it was the last one."""
        self._first, self._last = self._first or place, place
        kind = str(event.get("type"))
        response = event.get("response")
        if isinstance(response, dict):
            self._body = dict(response)
        if kind == "error":
            self._error = {key: item for key, item in event.items() if key not in ("type", "sequence_number")}
        elif kind in _LAST:
            self._ended = True
        elif not isinstance(response, dict):
            self._grow(kind, event, place)
        return self._ended

    def finish(self) -> Conversation:
        """What came."""
        body = {"status": "in_progress", **self._body, "object": "response"}
        if not self._ended or not isinstance(body.get("output"), list) or not body["output"]:
            body["output"] = [item.value() for item in self._items.values() if item.came]
        error = self._error if self._error is not None else body.get("error")
        if error is not None:
            body["error"] = error
        conversation = openai_responses.read_response(body, self._first or Place(), NAME)
        places = [replace(place, line=(self._first or place).line) for place in conversation.places]
        findings = [*conversation.findings, *self._unknown.findings(), *self._cut(error)]
        return replace(conversation, findings=findings, places=places)

    def _grow(self, kind: str, event: dict[str, Any], place: Place) -> None:
        name = as_json_text(event.get("output_index", event.get("item_id")))
        item = event.get("item")
        if kind in ("response.output_item.added", "response.output_item.done") and isinstance(item, dict):
            self._items.setdefault(name, _Growing()).whole(item)
        elif kind.endswith((".delta", ".done")):
            growing = self._items.setdefault(name, _Growing())
            if not growing.take(kind, event) and kind.endswith(".delta"):
                growing.keep(event)
                self._unknown.add(f"event {kind!r}", place, 0)

    def _cut(self, error: Any) -> Iterator[Finding]:
        if error is not None:
            yield input_cut(f"the stream ended with an error: {as_json_text(error)}", self._last, 0)
        elif not self._ended:
            yield input_cut("the stream ends before its response.completed", self._last, 0)


class _Growing:
    """An item that is being put together."""

    def __init__(self) -> None:
        self._item: Block = {}
        self._parts: dict[tuple[str, int, str, str], list[str]] = {}
        self._fields: dict[str, list[str]] = {}
        self._kept: list[Any] = []

    @property
    def came(self) -> bool:
        """Whether anything of the item came."""
        return bool(self._item or self._parts or self._fields or self._kept)

    def keep(self, event: dict[str, Any]) -> None:
        """Keeps a delta that nobody knows."""
        self._kept.append(event)

    def whole(self, item: Block) -> None:
        """Takes in the item as it is when it is added or done: what the deltas before said is in it."""
        self._item = {**self._item, **item}
        self._parts, self._fields = {}, {}

    def take(self, kind: str, event: dict[str, Any]) -> bool:
        """Takes in a delta, or the whole that the deltas before it made; False for an event that adds nothing known."""
        base, _, what = kind.rpartition(".")
        if base in _TEXTS:
            where, position, part, field = _TEXTS[base]
            at = event.get(position)
            pieces = self._parts.setdefault((where, at if isinstance(at, int) else 0, part, field), [])
        elif base in _FIELDS:
            field = _FIELDS[base]
            pieces = self._fields.setdefault(field, [])
        else:
            return False
        text = event.get("delta" if what == "delta" else field)
        if not isinstance(text, str):
            return False
        if what == "done":
            pieces.clear()
        pieces.append(text)
        return True

    def value(self) -> Block:
        """The item so far."""
        item = dict(self._item) if "type" in self._item else {"type": self._guessed_kind(), "role": "assistant", **self._item}
        if self._kept:
            item["deltas"] = self._kept
        for field, pieces in self._fields.items():
            item[field] = "".join(pieces)
        for (where, _, part, field), pieces in sorted(self._parts.items(), key=lambda entry: entry[0][:2]):
            started = item.get(where)
            item[where] = [*(started if isinstance(started, list) else []), {"type": part, field: "".join(pieces)}]
        return item

    def _guessed_kind(self) -> str:
        """What an item whose start is missing must be."""
        if self._fields:
            return "custom_tool_call" if "input" in self._fields else "function_call"
        return "reasoning" if any(part in ("reasoning_text", "summary_text") for _, _, part, _ in self._parts) else "message"


# For whoever shows an answer while it comes


def chunk(event: dict[str, Any]) -> AIMessageChunk | None:
    """What the event adds to the answer; None when it adds nothing. Blocks carry an index: "item.part". The `done` of an item repeats a
    call's arguments, which merging puts up with, since some servers send no deltas."""
    match event:
        case {"type": "response.output_text.delta", "delta": str(text)}:
            return AIMessageChunk([{"type": "text", "text": text, "index": _index(event, "content_index")}])
        case {"type": "response.reasoning_summary_text.delta" | "response.reasoning_text.delta", "delta": str(text)}:
            return AIMessageChunk([{"type": "reasoning", "reasoning": text, "index": _index(event)}])
        case {"type": "response.function_call_arguments.delta", "delta": str(text)}:
            return AIMessageChunk(tool_call_chunks=[{"index": event.get("output_index"), "args": text}])
        case {"type": "response.output_item.added", "item": dict(item)} if item.get("type") == "function_call":
            return _called(event, item, "")
        case {"type": "response.output_item.done", "item": dict(item)}:
            return _done(event, item)
        case {"type": str(kind), "response": dict(response)} if kind in _LAST or kind == "response.created":
            return _account(response)
        case _:
            return None


def _index(event: dict[str, Any], part: str | None = None) -> str:
    return f"{event.get('output_index')}.{event.get(part, 0) if part else 0}"


def _called(event: dict[str, Any], item: Block, args: Any) -> AIMessageChunk:
    call = {"index": event.get("output_index"), "id": item.get("call_id"), "name": item.get("name"), "args": args}
    beside = {name: value for name, value in without_nulls(item).items() if name not in ("type", "call_id", "name", "arguments")}
    return AIMessageChunk(tool_call_chunks=[{**call, "extras": {"item": beside}}])


def _done(event: dict[str, Any], item: Block) -> AIMessageChunk | None:
    kind = item.get("type")
    if kind == "function_call":
        return _called(event, item, item.get("arguments"))
    if kind == "message":
        return None
    if kind == "reasoning":
        return AIMessageChunk([{**read_reasoning(item), "reasoning": "", "index": _index(event)}])
    return AIMessageChunk([{**item, "index": _index(event)}])


def _account(response: dict[str, Any]) -> AIMessageChunk:
    kept = ("id", "created_at", "model", "status", "incomplete_details", "error", "usage")
    said = {"model_name" if name == "model" else name: response[name] for name in kept if response.get(name) is not None}
    return AIMessageChunk(usage_metadata=openai_responses.read_usage(response.get("usage")), response_metadata=said or EMPTY)


STREAM = StreamForm(name=NAME, title="an OpenAI Responses stream", sniff=sniff, key=key, starts=starts, open=Reader)
