"""Defects of messages: pairs, arguments, names, roles, reasoning, contents, accounts. Each is tried in every format that can hold it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from benchmarks.defect.defect import (
    EVERYWHERE,
    MEMORY,
    WITH_IDS,
    Defect,
    Outcome,
    answer_at,
    found_in,
    result_at,
    with_messages,
)
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage

_Edit = Callable[[list[Message], int], tuple[list[Message], int | None]]
_CHAT = ("openai.chat",)
_RAW = ("openai.chat", "openai.responses")
_LANGCHAIN = ("langchain.json",)


def _defect(
    code: str, edit: _Edit, forms: tuple[str, ...], *companions: str, target: str | None = None, tools: dict[str, Any] | None = None
) -> Defect:
    def make(conversation: Conversation, at: int, form: str) -> Outcome:
        messages, place = edit(list(conversation.messages), at)
        broken = with_messages(conversation, messages)
        if tools is not None:
            specs = [msgspec.structs.replace(tool, parameters=_merged(tool.parameters, tools)) for tool in broken.tools]
            broken = msgspec.structs.replace(broken, tools=specs)
        return found_in(broken, form, target), place

    return Defect(code, make, forms, frozenset(companions))


def _merged(schema: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "properties": {**schema.get("properties", {}), **properties}}


# Pairs


def _no_result(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 1], *messages[at + 2 :]], at


def _no_call(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[:at], *messages[at + 1 :]], at


def _intruder(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 1], HumanMessage("as a table please"), *messages[at + 1 :]], at + 1


def _second_result(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 2], messages[at + 1], *messages[at + 2 :]], at + 2


def _same_id(messages: list[Message], at: int) -> tuple[list[Message], int]:
    message = answer_at(messages, at)
    return [*messages[:at], message.replace(tool_calls=message.tool_calls * 2), messages[at + 1], *messages[at + 1 :]], at


def _no_id(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[:at], *_with_id(messages, at, None), *messages[at + 2 :]], at


def _no_id_for_two(messages: list[Message], at: int) -> tuple[list[Message], int]:
    message = answer_at(messages, at)
    (call,) = message.tool_calls
    twice = message.replace(tool_calls=[call, {**call, "id": "call_other"}])
    bare = result_at(messages, at + 1).replace(tool_call_id=None)
    return [*messages[:at], twice, bare, bare, *messages[at + 2 :]], at + 1


def _second_call(messages: list[Message], at: int) -> tuple[list[Message], int]:
    """Two calls, one response."""
    message = answer_at(messages, at)
    (call,) = message.tool_calls
    return [*messages[:at], message.replace(tool_calls=[call, {**call, "id": "call_other"}]), *messages[at + 1 :]], at + 1


def _model_turn_before(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[:at], AIMessage("Let me look."), *messages[at:]], at + 1


def _same_message_id(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 2], messages[at + 2].replace(id=messages[at].id), *messages[at + 3 :]], at + 2


# Ids


def _with_id(messages: list[Message], at: int, call_id: str | None) -> list[Message]:
    message = answer_at(messages, at)
    calls = [{**call, "id": call_id} for call in message.tool_calls]
    return [message.replace(tool_calls=calls), result_at(messages, at + 1).replace(tool_call_id=call_id)]


def _id(call_id: str) -> _Edit:
    def edit(messages: list[Message], at: int) -> tuple[list[Message], int]:
        return [*messages[:at], *_with_id(messages, at, call_id), *messages[at + 2 :]], at

    return edit


def _form_lost(messages: list[Message], at: int) -> tuple[list[Message], int]:
    """All calls have Kimi's form of an id, but for one."""
    new: dict[str | None, str] = {}
    for position, message in enumerate(messages):
        for call in message.tool_calls if isinstance(message, AIMessage) and position != at else ():
            new[call["id"]] = f"functions.{call['name']}:{len(new)}"
    renamed: list[Message] = []
    for message in messages:
        if isinstance(message, AIMessage):
            renamed.append(message.replace(tool_calls=[{**call, "id": new.get(call["id"], call["id"])} for call in message.tool_calls]))
        elif isinstance(message, ToolMessage):
            renamed.append(message.replace(tool_call_id=new.get(message.tool_call_id, message.tool_call_id)))
        else:
            renamed.append(message)
    return renamed, at


# Arguments and names


def _raw(text: str) -> _Edit:
    def edit(messages: list[Message], at: int) -> tuple[list[Message], int]:
        message = answer_at(messages, at)
        (call,) = message.tool_calls
        broken = {"name": call["name"], "args": text, "id": call["id"], "error": "not JSON", "type": "invalid_tool_call", "index": 0}
        return [*messages[:at], message.replace(tool_calls=[], invalid_tool_calls=[broken]), *messages[at + 1 :]], at

    return edit


def _call(**changes: Any) -> _Edit:
    def edit(messages: list[Message], at: int) -> tuple[list[Message], int]:
        message = answer_at(messages, at)
        (call,) = message.tool_calls
        made = {key: change(call[key]) if callable(change) else change for key, change in changes.items()}
        result = result_at(messages, at + 1)
        result = result.replace(name=made["name"]) if made.get("name") else result
        return [*messages[:at], message.replace(tool_calls=[{**call, **made}]), result, *messages[at + 2 :]], at

    return edit


_WRAPPED = {"tool_uses": [{"recipient_name": "functions.get_weather", "parameters": {"city": "Oslo"}}]}


# Text


def _leaked(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[:at], AIMessage(_markup(messages, at)), *messages[at + 2 :]], at


def _leaked_in_reasoning(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[:at], AIMessage("", reasoning=_markup(messages, at)), *messages[at + 2 :]], at


def _markup(messages: list[Message], at: int) -> str:
    (call,) = answer_at(messages, at).tool_calls
    return f"<tool_call>{json.dumps({'name': call['name'], 'arguments': call['args']})}</tool_call>"


def _answer(behind: int = 0, **changes: Any) -> _Edit:
    """The model's message with the call, or the one so many messages behind it, with other fields."""

    def edit(messages: list[Message], at: int) -> tuple[list[Message], int]:
        place = at + behind
        return [*messages[:place], messages[place].replace(**changes), *messages[place + 1 :]], place

    return edit


def _last_is_empty(messages: list[Message], at: int) -> tuple[list[Message], int]:
    del at
    return [*messages[:-1], AIMessage("")], len(messages) - 1


def _result(content: Any) -> _Edit:
    return _answer(1, content=content)


def _ends(finish: str, behind: int = 0, **metadata: str) -> _Edit:
    return _answer(behind, response_metadata={"finish_reason": finish, "model_name": "played", **metadata})


def _used(**usage: Any) -> _Edit:
    return _answer(2, usage_metadata={"input_tokens": 100, "output_tokens": 20, "total_tokens": 120, **usage})


# Roles and reasoning


def _late_system(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 3], SystemMessage("Be brief."), *messages[at + 3 :]], at + 3


def _second_user(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 4], HumanMessage("And Oslo?"), *messages[at + 4 :]], at + 4


def _ends_with_answer(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return messages[: at + 3], at + 2


def _opens_with_answer(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[at:-1]], 0


def _one_without_reasoning(messages: list[Message], at: int) -> tuple[list[Message], int]:
    given = [m.replace(reasoning="hm") if isinstance(m, AIMessage) and place != at else m for place, m in enumerate(messages[:-1])]
    return given, at


def _repeated(messages: list[Message], at: int) -> tuple[list[Message], int]:
    message, result = answer_at(messages, at), result_at(messages, at + 1)
    again: list[Message] = []
    for number in range(3):
        call = {**message.tool_calls[0], "id": f"again{number}"}
        again += [message.replace(tool_calls=[call], id=None), result.replace(tool_call_id=f"again{number}", id=None)]
    return [*messages[:at], *again, *messages[at + 2 :]], at + 4


def _before_its_end(messages: list[Message], at: int) -> tuple[list[Message], int]:
    """A request in the middle of a turn: what the provider gave beside the call is not sent back."""
    return messages[: at + 2], at


DEFECTS = (
    _defect("PAIR01", _no_result, EVERYWHERE),
    _defect("PAIR02", _no_call, ("openai.chat", "openai.responses", "langchain.json", "gemini.contents")),
    _defect("PAIR03", _intruder, ("openai.chat", "langchain.json")),
    _defect("PAIR04", _second_result, WITH_IDS, "PAIR12"),
    _defect("PAIR05", _same_id, WITH_IDS, "PAIR12"),
    _defect("PAIR06", _no_id, ("openai.chat", "langchain.json", "anthropic.messages", "openai.responses")),
    _defect("PAIR07", _no_id_for_two, ("openai.chat", "langchain.json"), "PAIR06", "PAIR12"),
    _defect("PAIR10", _model_turn_before, ("gemini.contents",)),
    _defect("PAIR11", _second_call, ("gemini.contents",)),
    _defect("PAIR12", _same_message_id, _LANGCHAIN),
    _defect("ID01", _id("call_" + "0" * 60), _CHAT, target="openai"),
    _defect("ID02", _id("call.1"), ("anthropic.messages",)),
    _defect("ID02", _id("call.1"), _CHAT, "ROLE03", target="anthropic-bridge"),
    _defect("ID03", _form_lost, _CHAT, target="kimi"),
    _defect("ARG01", _raw('{"city": oslo"}'), (*_RAW, *_LANGCHAIN)),
    _defect("ARG02", _raw('"{\\"city\\": \\"Oslo\\"}"'), _RAW),
    _defect("ARG03", _raw(""), _RAW, "ARG12"),
    _defect("ARG04", _raw("null"), _RAW, "ARG12"),
    _defect("ARG05", _raw('{"city": "Oslo"}{"city": "Rome"}'), _RAW),
    _defect("ARG06", _raw("{'city': 'Oslo', 'day': None}"), _RAW, "ARG12"),
    _defect("ARG07", _raw('```json\n{"city": "Oslo"}\n```'), _RAW),
    _defect("ARG08", _raw('{"city": "Os'), _RAW),
    _defect("ARG10", _call(args={"city": "Oslo", "filter": '{"stars": 4}'}), EVERYWHERE, tools={"filter": {"type": "object"}}),
    _defect("ARG11", _call(args={"city</arg_key><arg_value>": "Oslo"}), EVERYWHERE, "ARG12"),
    _defect("ARG12", _call(args={"city": "Oslo", "day": "soon"}), EVERYWHERE),
    _defect("ARG13", _raw('{"city": "Oslo", "day": NaN}'), _RAW),
    _defect("NAME01", _call(name="book_flight"), EVERYWHERE),
    _defect("NAME02", _call(name="fly away"), _CHAT, "NAME01", target="openai"),
    _defect("NAME03", _call(name=lambda name: f"functions.{name}"), EVERYWHERE, "NAME02"),
    _defect("NAME04", _call(name="multi_tool_use.parallel", args=_WRAPPED), EVERYWHERE, "NAME02"),
    _defect("NAME05", _call(name=lambda name: name * 2), EVERYWHERE),
    _defect("NAME06", _call(name=""), EVERYWHERE),
    _defect("LEAK01", _leaked, EVERYWHERE),
    _defect("LEAK02", _leaked_in_reasoning, _CHAT),
    _defect("FIN01", _ends("stop"), _LANGCHAIN),
    _defect("FIN02", _ends("tool_calls", 2), _LANGCHAIN),
    _defect("FIN03", _ends("length"), _LANGCHAIN),
    _defect("FIN04", _last_is_empty, EVERYWHERE, "ROLE04", "ROLE06"),
    _defect("FIN05", _ends("stop", 2, native_finish_reason="MALFORMED_FUNCTION_CALL"), _LANGCHAIN),
    _defect("ROLE01", _late_system, _CHAT, target="qwen-template"),
    _defect("ROLE02", _second_user, _CHAT, target="strict-template"),
    _defect("ROLE03", _ends_with_answer, ("openai.chat", "anthropic.messages"), "ARG09", target="anthropic-no-prefill"),
    _defect("ROLE04", _answer(2, content=" "), ("anthropic.messages",)),
    _defect("ROLE06", _opens_with_answer, _CHAT, target="strict-template"),
    _defect("RSN01", _one_without_reasoning, _CHAT, target="deepseek-thinking"),
    _defect("RSN02", _answer(0, reasoning="hm"), _CHAT, target="groq"),
    _defect("RSN06", _before_its_end, ("gemini.contents", "openai.chat", MEMORY), "ARG09", target="gemini-3"),
    _defect("CONT01", _result([{"rows": 3}]), _CHAT),
    _defect("CONT02", _result([{"type": "json", "json": {"celsius": float("nan")}}]), (MEMORY,)),
    _defect("CONT03", _result("clear \ud83d"), ("openai.chat", "langchain.json", MEMORY)),
    _defect("CONT04", _result("x" * 150_000), EVERYWHERE),
    _defect("CONT05", _result(""), ("anthropic.messages",)),
    _defect("USE01", _used(total_tokens=150), _LANGCHAIN),
    _defect("USE02", _used(input_token_details={"cache_read": 900}), _LANGCHAIN),
    _defect("USE03", _used(output_token_details={"reasoning": 90}), _LANGCHAIN),
    _defect(
        "USE05",
        _answer(2, response_metadata={"token_usage": {"prompt_tokens": 100, "completion_tokens": 90}}),
        _LANGCHAIN,
    ),
    _defect("LOOP01", _repeated, EVERYWHERE, "PAIR12"),
)
"""One or more for each rule about messages."""
