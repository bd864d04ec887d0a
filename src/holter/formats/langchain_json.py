"""LangChain messages as JSON, and what LangGraph makes of them: states, snapshots, and stream updates.

Source: langchain-core 1.8.3, and LangGraph 1.2 (`stream_mode` tuples, `StateSnapshot`), seen 2026-11.

Shape:  `{"type": "ai" | "AIMessage", "content": …}` (flat); `{"type": "ai", "data": {…}}`; `{"lc": 1, "type": "constructor",
        "id": […, "AIMessage"], "kwargs": {…}}`; lists of these; a state `{"messages": […]}`; `{"values": {"messages": …}, "next": …}`;
        updates `{node: {"messages": …}}`; stream tuples `["values" | "updates" | "messages", …]`. The same classes as Python reprs
        come here too, as `literal.Call`.
Lost:   the raw copies of calls in `additional_kwargs` are kept there and counted once.
"""

from typing import Any

from msgspec.structs import replace

from holter.formats.finding import Unknowns, text_damaged, unknown_kept
from holter.formats.form import Form, Loss, Written, inside, tool_specs
from holter.formats.langchain_message import BODY_FIELDS, body_of, chunk_of, class_name, envelope_of, kind_of, read_message, write_message
from holter.formats.literal import Call
from holter.messages import AIMessage, ChunkMerger, Conversation, Finding, HumanMessage, Place
from holter.messages.calls import as_json_text
from holter.messages.message import Message

NAME = "langchain.json"


REPR = "langchain.repr"


_STREAM_MODES = frozenset({"values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"})


def _is_messages(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and kind_of(value[0]) is not None
    return kind_of(value) is not None


def _state_messages(value: Any) -> tuple[str, Any] | None:
    """(path key, messages) of a state, or None."""
    if isinstance(value, dict) and _is_messages(value.get("messages")):
        return "messages", value["messages"]
    return None


def _is_snapshot(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("values"), dict) and "next" in value and "config" in value


def is_update(value: Any) -> bool:
    """`{node: {"messages": […]}}`: what LangGraph streams in the mode "updates"."""
    if not isinstance(value, dict) or isinstance(value, Call) or not 1 <= len(value) <= 20 or "type" in value or "role" in value:
        return False
    return any(_state_messages(item) is not None for item in value.values()) and all(
        item is None or isinstance(item, dict) for item in value.values()
    )


def _tuple_mode(value: Any) -> str | None:
    """The mode of a stream tuple: `["values", …]`, or `[namespace, "values", …]` with subgraphs."""
    if not isinstance(value, list) or not 2 <= len(value) <= 3:
        return None
    mode = value[-2]
    return mode if isinstance(mode, str) and mode in _STREAM_MODES and isinstance(value[-1], dict | list) else None


def _is_chunk_pair(value: Any) -> bool:
    """`[message, metadata]`: what LangGraph streams in the mode "messages"."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and kind_of(value[0]) is not None
        and isinstance(value[1], dict)
        and "langgraph_node" in value[1]
    )


def sniff(value: Any) -> bool:
    """Messages of LangChain in any of the shapes above."""
    if isinstance(value, list):
        if not value:
            return False
        first = value[0]
        if _tuple_mode(value) is not None and (_state_messages(value[-1]) or is_update(value[-1]) or _is_chunk_pair(value[-1])):
            return True
        return _is_messages(value) or _is_part(first) or _is_chunk_pair(value)
    return _is_messages(value) or _state_messages(value) is not None or _is_snapshot(value) or is_update(value)


def is_stream_part(value: Any) -> bool:
    """A stream tuple of LangGraph, a chunk with its metadata or alone, a snapshot, or an update."""
    return (_is_part(value) and sniff(value)) or _is_chunk(value)


def _is_part(value: Any) -> bool:
    return _tuple_mode(value) is not None or _is_chunk_pair(value) or _is_snapshot(value) or is_update(value)


def _is_chunk(value: Any) -> bool:
    """Whether a value is one delta of an answer."""
    return kind_of(value) == "ai" and class_name(value) == "AIMessageChunk"


def read(value: Any, place: Place) -> list[Conversation]:
    """A conversation per message list, state or snapshot; one for the stream updates that follow one another, and one for the chunks."""
    if isinstance(value, list) and not _is_messages(value) and _tuple_mode(value) is None and not _is_chunk_pair(value):
        return read_parts([(part, inside(place, i)) for i, part in enumerate(value)])
    if (isinstance(value, list) and not _is_messages(value)) or is_update(value):
        return read_parts([(value, place)])
    return [_read_state(value, place)]


def _read_state(value: Any, place: Place) -> Conversation:
    """One conversation from a message, a message list, a state or a snapshot."""
    if isinstance(value, list) and len(value) > 1 and all(map(_is_chunk, value)):
        joined = _Joined(place)
        for position, chunk in enumerate(value):
            joined.add_chunk(chunk, inside(place, position, index=position))
        return joined.conversation()
    reading = _Reading(place)
    if _is_messages(value):
        return reading.conversation(value, place, {})
    if _is_snapshot(value):
        values = value.pop("values")
        found = _state_messages(values)
        rest = {**value, **{key: item for key, item in values.items() if key != "messages"}}
        return reading.conversation(found[1] if found else [], inside(place, "values", "messages"), rest)
    messages = value.pop("messages")
    return reading.conversation(messages, inside(place, "messages"), value)


def read_parts(parts: list[tuple[Any, Place]]) -> list[Conversation]:
    """The conversations of a stream: one per state, one for the updates, one for the chunks, in the order they begin."""
    found: list[Conversation | _Joined] = []
    updates: _Joined | None = None
    chunks: _Joined | None = None
    ignored: list[Finding] = []
    for part, at in parts:
        mode = _tuple_mode(part)
        payload, inner = (part[-1], inside(at, len(part) - 1)) if mode else (part, at)
        if mode in (None, "messages") and (_is_chunk_pair(payload) or _is_chunk(payload)):
            if chunks is None:
                chunks = _Joined(at)
                found.append(chunks)
            if isinstance(payload, list):
                chunks.add_chunk(payload[0], inside(inner, 0))
            else:
                chunks.add_chunk(payload, inner)
        elif mode in (None, "updates") and is_update(payload):
            if updates is None or updates.answered:
                updates = _Joined(at)
                found.append(updates)
            updates.add_update(payload, inner)
        elif _state_messages(payload) is not None or _is_snapshot(payload) or _is_messages(payload):
            found.append(_read_state(payload, inner))
        else:
            ignored.append(unknown_kept(f"this stream part ({mode or 'item'}) holds no messages; it was left out", at))
    read_ = [item.conversation() if isinstance(item, _Joined) else item for item in found]
    return [_with(read_[0], ignored), *read_[1:]] if read_ else []


def _with(conversation: Conversation, findings: list[Finding]) -> Conversation:
    return replace(conversation, findings=[*conversation.findings, *findings]) if findings else conversation


class _Joined:
    """A conversation that comes in parts: node updates, or chunks of messages."""

    def __init__(self, place: Place) -> None:
        self._reading = _Reading(place)
        self._place = place
        self._messages: list[Message | ChunkMerger] = []
        self._places: list[Place] = []
        self._by_id: dict[str, ChunkMerger] = {}
        self._findings: list[Finding] = []
        self._extra: dict[str, Any] = {}

    @property
    def answered(self) -> bool:
        """Whether the last message is an answer without calls: what follows is another run."""
        last = self._messages[-1] if self._messages else None
        return isinstance(last, AIMessage) and not last.calls

    def add_update(self, update: dict[str, Any], place: Place) -> None:
        for node, written in update.items():
            found = _state_messages(written)
            if found is None:
                self._extra[node] = written
                continue
            part = self._reading.conversation(found[1], inside(place, node, "messages"), {})
            behind = len(self._messages)
            self._findings += [f if f.message is None else replace(f, message=f.message + behind) for f in part.findings]
            self._messages += part.messages
            self._places += part.places

    def add_chunk(self, value: Any, place: Place) -> None:
        self._reading.saw(value)
        body = body_of(value)
        message_id = body.get("id")
        merger = self._by_id.get(message_id) if isinstance(message_id, str) else None
        if kind_of(value) != "ai" or "Chunk" not in class_name(value):
            message = self._reading.message(value, place, len(self._messages))
            if message is None or (message.id is not None and message.id in self._by_id):
                return
            self._messages.append(message)
            self._places.append(place)
            return
        if merger is None:
            merger = ChunkMerger()
            self._messages.append(merger)
            self._places.append(place)
            if isinstance(message_id, str):
                self._by_id[message_id] = merger
        merger.add(chunk_of(body))

    def conversation(self) -> Conversation:
        messages = [item.message() if isinstance(item, ChunkMerger) else item for item in self._messages]
        joined = self._reading.finished(messages, self._places, self._extra, self._place)
        return _with(joined, self._findings)


class _Reading:
    """Reads the messages of one conversation and collects what is unknown on the way."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._unknown = Unknowns()
        self._findings: list[Finding] = []
        self._repr = False

    def conversation(self, values: Any, place: Place, extra: dict[str, Any]) -> Conversation:
        """The messages of a list, or one message standing alone."""
        items = [(value, inside(place, i, index=i)) for i, value in enumerate(values)] if isinstance(values, list) else [(values, place)]
        messages: list[Message] = []
        places: list[Place] = []
        for value, at in items:
            message = self.message(value, at, len(messages))
            if message is not None:
                messages.append(message)
                places.append(inside(at, *envelope_of(value), index=at.index) if isinstance(value, dict) else at)
        return self.finished(messages, places, extra, self._place)

    def saw(self, value: Any) -> None:
        """Notes whether a message is written as a repr."""
        self._repr = self._repr or isinstance(value, Call)

    def finished(self, messages: list[Message], places: list[Place], extra: dict[str, Any], place: Place) -> Conversation:
        known = isinstance(extra.get("tools"), list)
        tools = tool_specs(extra.pop("tools")) if known else []
        findings = [*self._findings, *self._unknown.findings()]
        self._findings, self._unknown = [], Unknowns()
        return Conversation(
            format=REPR if self._repr else NAME,
            messages=messages,
            tools=tools,
            tools_known=known,
            places=places,
            findings=findings,
            place=place,
            extra=dict(extra),
        )

    def message(self, value: Any, place: Place, position: int) -> Message | None:
        """One message; None for an instruction to a reducer."""
        kind = kind_of(value)
        if kind is None:
            self._findings.append(text_damaged("this item is no message; it was kept as text", place, position))
            return HumanMessage(as_json_text(value), extra={"role": None})
        self.saw(value)
        body = body_of(value)
        if kind == "remove":
            self._findings.append(
                unknown_kept(f"RemoveMessage({body.get('id')!r}) is an instruction and no message; it was left out", place)
            )
            return None
        for name in sorted(body.keys() - BODY_FIELDS):
            self._unknown.add(f"field {name!r}", inside(place, *envelope_of(value), name, index=place.index), position)
        return read_message(kind, body)


def write(conversation: Conversation) -> Written:
    """`{"messages": […]}` in LangChain's flat form, with the offered tools beside."""
    document: dict[str, Any] = {"messages": [write_message(message) for message in conversation.messages]}
    if conversation.tools_known or conversation.tools:
        document["tools"] = [
            {"name": spec.name, "description": spec.description, "parameters": spec.parameters, **spec.extra} for spec in conversation.tools
        ]
    if conversation.format in (NAME, REPR):
        return Written({**document, **conversation.extra})
    losses = [Loss(f"the record's own fields: {', '.join(sorted(conversation.extra))}")] if conversation.extra else []
    return Written(document, losses)


FORM = Form(name=NAME, title="LangChain messages", sniff=sniff, read=read, write=write)
