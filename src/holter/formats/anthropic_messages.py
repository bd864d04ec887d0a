"""Anthropic messages: request bodies, lists of messages, response bodies, and requests kept with their responses.

Source: Anthropic API reference, messages (anthropic-version 2023-06-01), seen 2026-11.

Shape:  `{"system": …, "messages": [{"role": …, "content": [blocks]}], "tools": [{"input_schema": …}]}`; the list of `messages` alone;
        `{"type": "message", "content": [blocks], "stop_reason": …}`; `{"request": {…}, "response": {…}}`; a request with `response` beside.
        A user message that holds results is several messages here: a tool message for each result, a human message for what stands between.
Lost:   reading: nulls of optional fields; whether a single text was a block. Writing: places of system messages that do not lead, and what
        `Written.losses` says.
"""

from __future__ import annotations

from typing import Any

import msgspec

from holter.formats.anthropic_blocks import EXTRAS, is_damaged, is_known, read_block
from holter.formats.anthropic_request import write
from holter.formats.form import Form, inside
from holter.formats.turn import Turn, object_call, plain
from holter.formats.wire import Reading, without_nulls
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage
from holter.messages.calls import as_json_text
from holter.messages.content import Block, Content
from holter.messages.message import EMPTY
from holter.messages.usage import UsageMetadata, count, usage

NAME = "anthropic.messages"

_MARKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use", "compaction"})
"""Kinds of blocks that only Anthropic's messages have."""


# Recognising


def sniff(value: Any) -> bool:
    """A request, a list of messages, or a response, with something in it that OpenAI's have not."""
    if isinstance(value, list):
        return _is_marked_list(value) or (len(value) > 1 and all(map(is_answer, value)))
    if not isinstance(value, dict):
        return False
    if is_answer(value) or _is_request(value):
        return True
    request = value.get("request")
    return _is_messages_body(request) and (is_answer(value.get("response")) or _is_request(request))


def is_answer(value: Any) -> bool:
    """Whether a value is a response body."""
    if not isinstance(value, dict) or value.get("type") != "message" or not isinstance(value.get("content"), list):
        return False
    return value.get("role") == "assistant" and bool(value.keys() & {"stop_reason", "usage", "model"})


def _is_messages_body(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    return bool(value["messages"]) and all(map(_is_message, value["messages"][:4]))


def _is_request(value: Any) -> bool:
    if not _is_messages_body(value):
        return False
    messages, tools = value["messages"], value.get("tools")
    if any(isinstance(message, dict) and _is_openai(message) for message in messages):
        return False
    return (
        isinstance(value.get("system"), str | list)
        or (isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools))
        or is_answer(value.get("response"))
        or _is_marked_list(messages)
    )


def _is_marked_list(values: list[Any]) -> bool:
    """Whether these are messages, some of them with blocks of Anthropic's, and none with a field of OpenAI's."""
    if not values or not all(map(_is_message, values[:4])):
        return False
    messages = [value for value in values if isinstance(value, dict)]
    return any(map(_is_marked, messages)) and not any(map(_is_openai, messages))


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in ("user", "assistant", "system") and "content" in value


def _is_openai(message: dict[str, Any]) -> bool:
    return message.get("role") in ("tool", "function", "developer") or "tool_calls" in message


def _is_marked(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(isinstance(block, dict) and _is_mark(block) for block in content)


def _is_mark(block: Block) -> bool:
    kind = block.get("type")
    if kind in ("image", "document"):
        return isinstance(block.get("source"), dict)
    if kind == "thinking":
        return isinstance(block.get("thinking"), str)
    return isinstance(kind, str) and (kind in _MARKS or kind.endswith("_tool_result"))


# Reading


def read(value: Any, place: Place) -> list[Conversation]:
    """One conversation; one per response where a list holds several."""
    if isinstance(value, list):
        if all(map(is_answer, value)):
            return [read_answer(body, inside(place, i, index=0)) for i, body in enumerate(value)]
        reading = _Reading(NAME, place)
        reading.history(value, place)
        return [reading.finished({})]
    if is_answer(value):
        return [read_answer(value, msgspec.structs.replace(place, index=0))]
    if _is_messages_body(value.get("request")):
        request, response = value.pop("request"), value.pop("response", None)
        return [_read_record(request, response, inside(place, "request"), inside(place, "response"), value)]
    return [_read_record(value, value.pop("response", None), place, inside(place, "response"), {})]


def _read_record(request: dict[str, Any], response: Any, place: Place, response_place: Place, outer: dict[str, Any]) -> Conversation:
    reading = _Reading(NAME, place)
    messages = request.pop("messages")
    reading.system(request, place)
    reading.history(messages, inside(place, "messages"))
    tools = reading.tools(request, place)
    extra = {**request, **outer}
    if is_answer(response):
        reading.answer(response, Place(index=len(messages), path=response_place.path, line=response_place.line))
    elif response is not None:
        extra["response"] = response
    return reading.finished(extra, tools)


def read_answer(body: dict[str, Any], place: Place, form: str = NAME) -> Conversation:
    """The conversation of one response body; streams that put a body together give their own name as `form`."""
    reading = _Reading(form, place)
    reading.answer(body, place)
    return reading.finished({})


class _Reading(Reading):
    """Reads the messages of one conversation."""

    def history(self, values: list[Any], place: Place) -> None:
        """Reads the messages of a list that stands at `place`."""
        for position, value in enumerate(values):
            self._message(value, inside(place, position, index=position))

    def system(self, request: dict[str, Any], place: Place) -> None:
        """Takes the system prompt out of a request."""
        at = inside(place, "system")
        if isinstance(request.get("system"), str | list):
            self.add(SystemMessage(self._content(request.pop("system"), at)), at)
        elif request.get("system") is not None:
            self.damaged("the system prompt is neither text nor a list of blocks; it was kept", at)

    def answer(self, body: dict[str, Any], place: Place) -> None:
        """Reads a response body. All that it says of itself is response metadata."""
        del body["type"], body["role"]
        content = body.pop("content")
        self.add(AIMessage(**self._parts(content, inside(place, "content", index=place.index)), **_account(body, body.keys())), place)

    def _message(self, value: Any, place: Place) -> None:
        if not isinstance(value, dict):
            self.no_message(value, place)
            return
        role, content = value.pop("role", None), value.pop("content", None)
        at = inside(place, "content", index=place.index)
        if role == "assistant":
            self._assistant(content, value, place)
        elif role == "system":
            self.unknown_fields(value, place)
            self.add(SystemMessage(self._content(content, at), extra=value or EMPTY), place)
        else:
            if role != "user":
                self.unknown(f"role {role!r}", place)
                value["role"] = role
            self._user(content, value, place)

    def _assistant(self, content: Any, rest: dict[str, Any], place: Place) -> None:
        if rest.get("type") == "message":
            del rest["type"]
        account = _account(rest, _ACCOUNT)
        self.unknown_fields(rest, place)
        self.add(AIMessage(**self._parts(content, inside(place, "content", index=place.index)), **account, extra=rest or EMPTY), place)

    def _user(self, content: Any, rest: dict[str, Any], place: Place) -> None:
        """A tool message for each result, a human message for each run of other blocks, in their order."""
        at = inside(place, "content", index=place.index)
        self.unknown_fields(rest.keys() - {"role"}, place)
        if not isinstance(content, list) or not any(map(_is_result, content)):
            self.add(HumanMessage(self._content(content, at), extra=rest or EMPTY), place)
            return
        run: list[Block] = []
        start, first = at, len(self.messages)
        for position, block in enumerate(content):
            here = inside(at, position, index=place.index)
            if _is_result(block):
                self._flush(run, start)
                run = []
                self._result(block, here)
            else:
                start = start if run else here
                run.append(self._block(block, here))
        self._flush(run, start)
        if rest:
            message = self.messages[first]
            fields = {"message": rest} if isinstance(message, ToolMessage) else rest
            self.messages[first] = message.replace(extra={**message.extra, **fields})

    def _flush(self, run: list[Block], place: Place) -> None:
        if run:
            self.add(HumanMessage(plain(run)), place)

    def _result(self, block: Block, place: Place) -> None:
        call_id, failed = self.id_text(block.pop("tool_use_id", None), place), block.pop("is_error", None)
        del block["type"]
        content = self._content(block.pop("content", None), inside(place, "content", index=place.index))
        extra = without_nulls(block)
        self.unknown_fields(extra.keys() - EXTRAS, place)
        if failed is not None and not isinstance(failed, bool):
            self.damaged("is_error is neither true nor false; it was kept", place)
            extra["is_error"] = failed
        self.add(ToolMessage(content, tool_call_id=call_id, status="error" if failed is True else "success", extra=extra or EMPTY), place)

    def _parts(self, content: Any, place: Place) -> dict[str, Any]:
        """Content and calls of an assistant message."""
        if not isinstance(content, list):
            return {"content": self._content(content, place)}
        turn = Turn()
        for position, block in enumerate(content):
            at = inside(place, position, index=place.index)
            if isinstance(block, dict) and block.get("type") == "tool_use":
                turn.call(self._call(block, len(turn.calls), at))
            else:
                turn.block(self._block(block, at))
        return turn.fields()

    def _call(self, block: Block, position: int, place: Place) -> dict[str, Any]:
        name, arguments, call_id = block.pop("name", None), block.pop("input", None), self.id_text(block.pop("id", None), place)
        extras = without_nulls({key: item for key, item in block.items() if key != "type"})
        self.unknown_fields(extras.keys() - EXTRAS, place)
        return object_call(name, arguments, call_id, position, extras)

    def _content(self, value: Any, place: Place) -> Content:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        if isinstance(value, list):
            return plain([self._block(block, inside(place, i, index=place.index)) for i, block in enumerate(value)])
        self.damaged("the content is neither text nor a list of blocks; it was kept", place)
        return [self._block(value, place)] if isinstance(value, dict) else as_json_text(value)

    def _block(self, block: Any, place: Place) -> Block:
        if not isinstance(block, dict):
            return self.no_block(block, place)
        read = read_block(block)
        if is_damaged(block, read):
            self.damaged(f"this {block['type']} block holds no text; it was kept", place)
        elif not is_known(block.get("type")):
            self.unknown(f"block {block.get('type')!r}", place)
        return read


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


_ACCOUNT = frozenset(
    {"id", "model", "stop_reason", "stop_sequence", "stop_details", "usage", "container", "context_management", "service_tier"}
)
"""What a response says of itself; it stands in an assistant message of a history where the whole body was put back."""


def _account(value: dict[str, Any], names: Any) -> dict[str, Any]:
    """Constructor arguments for a response's account of itself, which is taken out of `value`; LangChain calls its `model` `model_name`."""
    said = without_nulls({key: value.pop(key) for key in list(value) if key in names})
    metadata = {"model_name" if key == "model" else key: item for key, item in said.items()}
    own_id = said.get("id")
    return {
        "id": own_id if isinstance(own_id, str) else None,
        "response_metadata": metadata or EMPTY,
        "usage_metadata": read_usage(said.get("usage")),
    }


def read_usage(value: Any) -> UsageMetadata | None:
    """Usage metadata from a body's `usage`. Anthropic counts cached tokens apart from `input_tokens`; here they are part of them."""
    if not isinstance(value, dict):
        return None
    cached, created = value.get("cache_read_input_tokens"), value.get("cache_creation_input_tokens")
    details = value.get("output_tokens_details")
    given = [tokens for tokens in map(count, (value.get("input_tokens"), cached, created)) if tokens is not None]
    return usage(
        sum(given) if given else None,
        value.get("output_tokens"),
        cache_read=cached,
        cache_creation=created,
        reasoning=details.get("thinking_tokens") if isinstance(details, dict) else None,
    )


FORM = Form(name=NAME, title="Anthropic messages", sniff=sniff, read=read, write=write)
