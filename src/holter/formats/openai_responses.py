"""OpenAI Responses: request bodies, lists of items, response bodies, and requests kept with their responses.

Source: OpenAI API reference, responses, seen 2026-11; and what Azure, xAI and LM Studio answer in this form.

Shape:  `{"input": text or [items], "instructions": …, "tools": […]}`; a list of items alone; `{"object": "response", "output": [items]}`;
        `{"request": {…}, "response": {…}}`; a request with `response` beside. The model's items in a row are one message: reasoning, texts
        and hosted tools are its content, function calls its calls. A call's `id` is its `call_id`; the item's own id stands under "item"
        in "extras".
Lost:   reading: nulls of optional fields, empty lists of annotations, the status of a completed message. Writing: what `Written.losses`
        says.
"""

from __future__ import annotations

from typing import Any

from holter.formats.form import Form, inside
from holter.formats.openai_responses_blocks import (
    CALLS,
    ITEMS,
    OUTPUTS,
    PARTS,
    ROLES,
    is_given,
    read_part,
    read_reasoning,
)
from holter.formats.openai_responses_request import write
from holter.formats.turn import Turn, plain
from holter.formats.wire import Reading, without_nulls
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage
from holter.messages.calls import as_json_text, tool_call
from holter.messages.content import Block, Content, text_block
from holter.messages.message import EMPTY
from holter.messages.usage import UsageMetadata, usage

NAME = "openai.responses"

_SETTINGS = frozenset(
    """
    background conversation include instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id
    prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text
    tool_choice tools top_logprobs top_p truncation user frequency_penalty presence_penalty
    """.split()
)
"""Fields of a request that are not its input. A response repeats most of them."""

_DISTINCT = frozenset(
    """
    include instructions max_output_tokens max_tool_calls previous_response_id prompt_cache_retention reasoning store text truncation
    """.split()
)
"""Settings that chat completions, embeddings and traces do not have beside an `input`."""


# Recognising


def sniff(value: Any) -> bool:
    """A response body, a request with an input, or a list of items."""
    if isinstance(value, list):
        return _is_item_list(value) or (len(value) > 1 and all(map(is_response, value)))
    if not isinstance(value, dict):
        return False
    request = value.get("request")
    return (
        is_response(value) or _is_request(value) or (_has_input(request) and (is_response(value.get("response")) or _is_request(request)))
    )


def is_response(value: Any) -> bool:
    """Whether a value is a response body."""
    return isinstance(value, dict) and value.get("object") == "response" and isinstance(value.get("output"), list)


def _has_input(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    given = value.get("input")
    return isinstance(given, str) or (isinstance(given, list) and bool(given) and all(map(_is_item, given[:4])))


def _is_request(value: Any) -> bool:
    if not _has_input(value) or "output" in value or "messages" in value:
        return False
    given = value["input"]
    if isinstance(given, list) and _is_item_list(given):
        return True
    if is_response(value.get("response")) or value.keys() & _DISTINCT:
        return True
    return isinstance(given, list) and "model" in value and value.keys() <= _SETTINGS | {"input"}


def _is_item_list(values: list[Any]) -> bool:
    return bool(values) and all(map(_is_item, values[:4])) and any(map(_is_typed, values))


def _is_item(value: Any) -> bool:
    return _is_typed(value) or (isinstance(value, dict) and value.get("role") in ROLES and "content" in value and "tool_calls" not in value)


def _is_typed(value: Any) -> bool:
    """Whether the value is of a kind that only this API has."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "message":
        return value.get("role") in ROLES and "content" in value and "stop_reason" not in value and "usage" not in value
    if kind == "reasoning":
        return isinstance(value.get("summary"), list) or "encrypted_content" in value
    return isinstance(kind, str) and kind in ITEMS


# Reading


def read(value: Any, place: Place) -> list[Conversation]:
    """One conversation; one per response where a list holds several."""
    if isinstance(value, list):
        if all(map(is_response, value)):
            return [read_response(body, inside(place, i)) for i, body in enumerate(value)]
        reading = _Reading(NAME, place)
        reading.items(value, place)
        return [reading.finished({})]
    if is_response(value):
        return [read_response(value, place)]
    if _has_input(value.get("request")):
        request, response = value.pop("request"), value.pop("response", None)
        return [_read_record(request, response, inside(place, "request"), inside(place, "response"), value)]
    return [_read_record(value, value.pop("response", None), place, inside(place, "response"), {})]


def read_response(body: dict[str, Any], place: Place, form: str = NAME) -> Conversation:
    """The conversation of one response body; streams that put a body together give their own name as `form`."""
    reading = _Reading(form, place)
    extra = _settings(body)
    tools = reading.tools(extra, place)
    reading.response(body, place, 0)
    return reading.finished(extra, tools)


def _read_record(request: dict[str, Any], response: Any, place: Place, response_place: Place, outer: dict[str, Any]) -> Conversation:
    reading = _Reading(NAME, place)
    repeated = _settings(response) if is_response(response) else {}
    extra = {**{key: value for key, value in repeated.items() if key not in request}, **request, **outer}
    tools = reading.tools(extra, place)
    reading.instructions(extra, place)
    given = extra.pop("input")
    at = inside(place, "input")
    if isinstance(given, str):
        reading.add(HumanMessage(given), at)
    else:
        reading.items(given, at)
    if is_response(response):
        reading.response(response, response_place, len(given) if isinstance(given, list) else 1)
    elif response is not None:
        extra["response"] = response
    return reading.finished(extra, tools)


def _settings(body: dict[str, Any]) -> dict[str, Any]:
    """Takes the settings of its request out of a response."""
    return without_nulls({key: body.pop(key) for key in list(body) if key in _SETTINGS and key != "model"})


class _Reading(Reading):
    """Reads the items of one conversation."""

    def __init__(self, form: str, place: Place) -> None:
        super().__init__(form, place)
        self._turn: Turn | None = None
        self._turn_place = place

    def instructions(self, request: dict[str, Any], place: Place) -> None:
        """Takes the instructions out of a request: text, or items."""
        at = inside(place, "instructions")
        given = request.get("instructions")
        if isinstance(given, str):
            self.add(SystemMessage(request.pop("instructions")), at)
        elif isinstance(given, list):
            self.items(request.pop("instructions"), at)
        elif given is not None:
            self.damaged("the instructions are neither text nor a list of items; they were kept", at)

    def response(self, body: dict[str, Any], place: Place, start: int) -> None:
        """Reads a response body. What it says of itself is metadata of its last answer; `start` is the index of its first item."""
        before = len(self.messages)
        self.items(body.pop("output"), inside(place, "output"), start)
        if not any(isinstance(message, AIMessage) for message in self.messages[before:]):
            self.add(AIMessage(), place)
        at = max(i for i, message in enumerate(self.messages) if isinstance(message, AIMessage))
        said = without_nulls({"model_name" if key == "model" else key: item for key, item in body.items() if key != "object"})
        self.messages[at] = self.messages[at].replace(response_metadata=said or EMPTY, usage_metadata=read_usage(said.get("usage")))

    def items(self, values: list[Any], place: Place, start: int = 0) -> None:
        """Reads the items of a list that stands at `place`."""
        for position, value in enumerate(values):
            self._item(value, inside(place, position, index=start + position))
        self._close()

    def _item(self, value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            self._close()
            self.no_message(value, place)
            return
        kind = value.get("type", "message" if "role" in value else None)
        if kind == "message":
            self._message(value, place)
        elif kind == "reasoning":
            self._open(place).block(read_reasoning(value))
        elif isinstance(kind, str) and kind in CALLS:
            self._call(kind, value, place)
        elif isinstance(kind, str) and kind in OUTPUTS:
            self._close()
            self._result(kind, value, place)
        else:
            self._kept(kind, value, place)

    def _kept(self, kind: Any, value: Block, place: Place) -> None:
        """Keeps an item as a block, in the turn that it belongs to."""
        given = is_given(value)
        if given:
            self._close()
        turn = None if given else self._open(place)
        if not isinstance(kind, str) or kind not in ITEMS:
            self.unknown(f"item {kind!r}", place)
        if turn is None:
            self.add(HumanMessage([value]), place)
        else:
            turn.block(value)

    def _message(self, value: dict[str, Any], place: Place) -> None:
        role, content = value.pop("role", None), value.pop("content", None)
        at = inside(place, "content", index=place.index)
        item = without_nulls({key: part for key, part in value.items() if key != "type" and (key, part) != ("status", "completed")})
        if role == "assistant":
            turn = self._open(place)
            self.unknown_fields(item.keys() - {"id", "status", "phase"}, place)
            read = self._content(content, at, "output_text")
            for block in [text_block(read)] if isinstance(read, str) else read:
                turn.block(_with_item(block, item))
            return
        self._close()
        if role not in ROLES:
            self.unknown(f"role {role!r}", place)
        own_id = item.pop("id") if isinstance(item.get("id"), str) else None
        self.unknown_fields(item.keys() - {"status", "id"}, place)
        kind = SystemMessage if role in ("system", "developer") else HumanMessage
        extra = item if role in ("user", "system") else {**item, "role": role}
        self.add(kind(self._content(content, at, "input_text"), id=own_id, extra=extra or EMPTY), place)

    def _call(self, kind: str, value: dict[str, Any], place: Place) -> None:
        turn = self._open(place)
        name, call_id = value.pop("name", None), self.id_text(value.pop("call_id", None), place)
        given = value.pop("arguments" if kind == "function_call" else "input", None)
        if kind == "custom_tool_call" and isinstance(given, str):
            given = {"input": given}
        item = without_nulls({key: part for key, part in value.items() if key != "type"})
        extras = ({"item": item} if item else {}) | ({"type": "custom"} if kind == "custom_tool_call" else {})
        self.unknown_fields(item.keys() - {"id", "status", "namespace", "caller"}, place)
        turn.call(tool_call(name, given, call_id, len(turn.calls), extras))

    def _result(self, kind: str, value: dict[str, Any], place: Place) -> None:
        call_id, output = self.id_text(value.pop("call_id", None), place), value.pop("output", None)
        name, own_id = value.pop("name", None), value.pop("id", None)
        rest = without_nulls({key: part for key, part in value.items() if key != "type"})
        rest |= {key: part for key, part in (("name", name), ("id", own_id)) if part is not None and not isinstance(part, str)}
        self.unknown_fields(rest.keys() - {"status"}, place)
        if kind != "function_call_output":
            rest["type"] = kind
        message = ToolMessage(
            self._content(output, inside(place, "output", index=place.index), "input_text"),
            tool_call_id=call_id,
            name=name if isinstance(name, str) else None,
            id=own_id if isinstance(own_id, str) else None,
            extra=rest or EMPTY,
        )
        self.add(message, place)

    def _content(self, value: Any, place: Place, usual: str) -> Content:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        if isinstance(value, list):
            return plain([self._part(part, inside(place, i, index=place.index), usual) for i, part in enumerate(value)])
        self.damaged("the content is neither text nor a list of parts; it was kept", place)
        return [self._part(value, place, usual)] if isinstance(value, dict) else as_json_text(value)

    def _part(self, part: Any, place: Place, usual: str) -> Block:
        if not isinstance(part, dict):
            return self.no_block(part, place)
        kind = part.get("type")
        read = read_part(part, usual)
        if not isinstance(kind, str) or kind not in PARTS:
            self.unknown(f"block {kind!r}", place)
        elif read is part and kind in ("input_text", "output_text", "text"):
            self.damaged(f"this {kind} part holds no text; it was kept", place)
        return read

    def _open(self, place: Place) -> Turn:
        """The model's turn, which begins at `place` when none is open."""
        if self._turn is None:
            self._turn, self._turn_place = Turn(), place
        return self._turn

    def _close(self) -> None:
        """Ends the model's turn. A single plain text is the content itself, and its item's id the message's."""
        if self._turn is None:
            return
        fields = self._turn.fields()
        match fields["content"]:
            case [{"type": "text", "text": str(text), "extras": {"item": {"id": str(own_id), **more}, **rest}}] if not more and not rest:
                fields |= {"content": text, "id": own_id}
        self._turn = None
        self.add(AIMessage(**fields), self._turn_place)


def _with_item(block: Block, item: dict[str, Any]) -> Block:
    """The block with what the item around it says of itself."""
    extras = block.get("extras", {})
    return {**block, "extras": {**extras, "item": item}} if item and isinstance(extras, dict) else block


def read_usage(value: Any) -> UsageMetadata | None:
    """Usage metadata from a body's `usage`."""
    if not isinstance(value, dict):
        return None
    given, made = value.get("input_tokens_details"), value.get("output_tokens_details")
    return usage(
        value.get("input_tokens"),
        value.get("output_tokens"),
        value.get("total_tokens"),
        cache_read=given.get("cached_tokens") if isinstance(given, dict) else None,
        reasoning=made.get("reasoning_tokens") if isinstance(made, dict) else None,
    )


FORM = Form(name=NAME, title="OpenAI Responses", sniff=sniff, read=read, write=write)
