"""Defects that only a document can hold: how a provider's wire is written, and what a request says beside its messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchmarks.defect.defect import Defect, Outcome, answer_at, found_in_document, with_messages
from holter import formats
from holter.analysis.lint import lint_all, lint_stream
from holter.messages import Conversation

_Edit = Callable[[dict[str, Any], int], int | None]
"""Breaks a document; `at` is the position of the message with the call, in the document's own list. What comes back is that of what is
broken."""

_CHAT, _ANTHROPIC, _RESPONSES = ("openai.chat",), ("anthropic.messages",), ("openai.responses",)


def _defect(
    code: str, edit: _Edit, forms: tuple[str, ...], *companions: str, target: str | None = None, length: int | None = None
) -> Defect:
    """`length`: the run ends so many messages behind the one with the call."""

    def make(conversation: Conversation, at: int, form: str) -> Outcome:
        messages = conversation.messages[: None if length is None else at + length]
        document: Any = json.loads(json.dumps(formats.write(with_messages(conversation, messages), form).document))
        (again,) = formats.read(json.dumps(document))
        index = again.places[at].index
        assert index is not None
        place = edit(document, index)
        return found_in_document(document, target), place

    return Defect(code, make, forms, frozenset(companions), by_index=True)


def _split_results(document: dict[str, Any], at: int) -> int:
    """Two calls; each result in a message of its own."""
    messages = document["messages"]
    call, result = messages[at]["content"][-1], messages[at + 1]["content"][0]
    messages[at]["content"].append({**call, "id": "toolu_2"})
    messages.insert(at + 2, {"role": "user", "content": [{**result, "tool_use_id": "toolu_2"}]})
    return at + 2


def _call_gone(document: dict[str, Any], at: int) -> int:
    del document["messages"][at]
    return at


def _user_between(document: dict[str, Any], at: int) -> int:
    document["messages"].insert(at + 1, {"role": "user", "content": "as a table please"})
    return at + 1


def _text_first(document: dict[str, Any], at: int) -> int:
    document["messages"][at + 1]["content"].insert(0, {"type": "text", "text": "Here it is."})
    return at + 1


def _foreign_half(document: dict[str, Any], at: int) -> int:
    half = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    answer = document["messages"][at + 2]
    text = answer["content"]
    answer["content"] = [half, *([{"type": "text", "text": text}] if isinstance(text, str) else text)]
    return at + 2


def _empty_result(document: dict[str, Any], at: int) -> int:
    document["messages"].insert(at + 3, {"role": "tool", "content": ""})
    return at + 3


def _text_for_object(document: dict[str, Any], at: int) -> int:
    call = document["messages"][at]["content"][-1]
    call["input"] = json.dumps(call["input"])
    return at


def _null_content(document: dict[str, Any], at: int) -> int:
    for place, message in enumerate(document["messages"]):
        if message["role"] == "assistant" and message.get("content") is None and place != at:
            message["content"] = ""
    document["messages"][at]["content"] = None
    return at


def _without_thinking(document: dict[str, Any], at: int) -> int:
    document |= {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4096, "model": "claude"}
    return at


def _lone_reasoning(document: dict[str, Any], at: int) -> int:
    calls = [place for place, item in enumerate(document["input"]) if item["type"] == "message" and item["role"] == "user"]
    document["input"].insert(calls[0], {"type": "reasoning", "id": "rs_1", "summary": []})
    del at
    return calls[0]


def _forced(document: dict[str, Any], at: int) -> None:
    del at
    document |= {"tool_choice": "required", "model": "played"}


def _not_parallel(document: dict[str, Any], at: int) -> int:
    """Parallel calls are off, and one message has two; all others have one."""
    messages, kept = document["messages"], set[str]()
    for message in messages:
        del message.get("tool_calls", [])[1:]
        kept |= {call["id"] for call in message.get("tool_calls", ())}
    (call,) = messages[at]["tool_calls"]
    messages[at]["tool_calls"].append({**call, "id": "call_other"})
    messages.insert(at + 2, {**messages[at + 1], "tool_call_id": "call_other"})
    kept.add("call_other")
    document["messages"] = [message for message in messages if message["role"] != "tool" or message["tool_call_id"] in kept]
    document["parallel_tool_calls"] = False
    return next(place for place, message in enumerate(document["messages"]) if len(message.get("tool_calls", ())) > 1)


def _no_tools(document: dict[str, Any], at: int) -> None:
    del at
    document.pop("tools", None)
    document |= {"max_tokens": 100, "model": "claude"}


def _empty_tools(document: dict[str, Any], at: int) -> None:
    del at
    document["tools"] = []


def _response(conversation: Conversation, at: int, form: str) -> Outcome:
    """A response body without a finish reason."""
    del form
    message = {"role": "assistant", "content": answer_at(conversation.messages, at + 2).text}
    return found_in_document({"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": None}]}), 0


def _cut(conversation: Conversation, at: int, form: str) -> Outcome:
    """A document that ends in the middle of a text."""
    text = json.dumps(formats.write(conversation, form).document, ensure_ascii=False)
    end = text.index(conversation.messages[at + 3].text) + 5
    return lint_all(formats.read(text[:end])), at + 3


def _stream(
    place: int | None,
    *,
    index: bool = True,
    late: bool = False,
    ends: bool = True,
    whole: bool = False,
    again: bool = False,
    doubled: bool = False,
) -> Callable[[Conversation, int, str], Outcome]:
    """The answer with the call as a stream of chunks, in three pieces; `place` is the chunk that is wrong."""

    def make(conversation: Conversation, at: int, form: str) -> Outcome:
        del form
        (call,) = answer_at(conversation.messages, at).tool_calls
        text = json.dumps(call["args"], ensure_ascii=False)
        pieces = [text, text, text] if whole else [text[:4], text[4:9], text[9:]]
        deltas: list[dict[str, Any]] = [{"function": {"arguments": piece}} for piece in pieces]
        deltas[0]["function"]["name"] = call["name"]
        deltas[2 if late else 0] |= {"id": call["id"], "type": "function"}
        if whole:
            for delta in deltas:
                delta |= {"id": call["id"], "function": {"name": call["name"], "arguments": text}}
        if again:
            deltas.append({"id": "call_other", "type": "function", "function": {"name": call["name"], "arguments": text}})
        if index:
            deltas = [{"index": 0, **delta} for delta in deltas]
        chunks = [_chunk({"tool_calls": [delta]}, None) for delta in deltas] + ([_chunk({}, "tool_calls")] if ends else [])
        usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
        if doubled:
            chunks.append({"object": "chat.completion.chunk", "choices": [], "usage": usage})
        found = lint_stream(chunks, tools=conversation.tools, recorded_usage={"total_tokens": 26} if doubled else None)
        return found, place

    return make


def _chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": "played", "choices": [choice]}


_STREAM = ("openai.stream",)

DEFECTS = (
    _defect("PAIR02", _call_gone, _ANTHROPIC),
    _defect("PAIR03", _user_between, _ANTHROPIC),
    _defect("PAIR08", _split_results, _ANTHROPIC),
    _defect("PAIR09", _text_first, _ANTHROPIC),
    _defect("PAIR13", _empty_result, _CHAT),
    _defect("PAIR14", _foreign_half, _ANTHROPIC),
    _defect("ARG09", _text_for_object, _ANTHROPIC),
    _defect("ROLE05", _null_content, _CHAT, target="vllm"),
    _defect("RSN04", _without_thinking, _ANTHROPIC, length=2),
    _defect("RSN05", _lone_reasoning, _RESPONSES),
    _defect("LOOP02", _forced, _CHAT, length=2),
    _defect("RUN09", _not_parallel, _CHAT, "PAIR12"),
    _defect("RUN10", _no_tools, _ANTHROPIC, length=2),
    _defect("TOOL01", _empty_tools, _CHAT),
    Defect("FIN06", _response, ("openai.response",)),
    Defect("READ01", _cut, ("openai.chat", "anthropic.messages", "gemini.contents"), frozenset({"READ04"})),
    Defect("STRM01", _stream(0, index=False), _STREAM, by_index=True),
    Defect("STRM02", _stream(3, again=True), _STREAM, by_index=True),
    Defect("STRM03", _stream(2, late=True), _STREAM, by_index=True),
    Defect("STRM04", _stream(2, ends=False), _STREAM, by_index=True),
    Defect("STRM05", _stream(1, whole=True), _STREAM, by_index=True),
    Defect("USE04", _stream(None, doubled=True), _STREAM, by_index=True),
)
"""One for each rule about documents, requests and streams."""
