"""Reported flows that broke somebody's agent: what leaves is valid for its target, and what comes is read right."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from holter.errors import StreamCut
from holter.formats import read
from holter.formats.leaked_call import recover
from holter.messages import AIMessage, Message, ToolSpec, merge_chunks
from holter.models import PROVIDERS, Quirks
from holter.models.provider import quirks_of
from tests.models.conftest import Ask
from tests.models.server import chat, says_events, says_json

CASES = {
    case["id"]: case
    for line in (Path(__file__).parents[1] / "cases" / "wire.jsonl").read_text().splitlines()
    for case in [json.loads(line)]
}

PROVIDER = {"deepseek-thinking": "deepseek", "groq": "groq", "kimi-k2": "moonshot", "qwen-template": "qwen", "openai": "openai"}
"""Targets of the cases -> the provider whose rules they mean."""

HISTORIES = [name for name, case in CASES.items() if case["input_format"] in ("openai.chat", "anthropic.messages")]


def history(case: dict[str, Any]) -> list[Message]:
    return read(json.dumps({"messages": case["input"]["messages"]}))[0].messages


@pytest.mark.parametrize("provider", ["openai", "deepseek", "qwen", "moonshot", "groq", "mistral", "ollama"])
@pytest.mark.parametrize("name", HISTORIES)
def test_what_leaves_for_chat(chat_model: Ask, name: str, provider: str) -> None:
    """Whatever the history, every call is answered right behind it, once, under an id that the provider takes."""
    quirks = PROVIDERS[provider].quirks
    model, server = chat_model(says_json(chat()), quirks=quirks)
    model.invoke(history(CASES[name]))
    check_chat(server.requests[0].json["messages"], quirks)


def check_chat(wire: list[dict[str, Any]], quirks: Quirks) -> None:
    known = {"role", "content", "name", "tool_calls", "tool_call_id", quirks.reasoning_field, *quirks.message_fields}
    open_ids: list[str] = []
    seen: set[str] = set()
    for position, message in enumerate(wire):
        assert message.keys() <= known
        assert message["role"] in ("system", "user", "assistant", "tool")
        if message["role"] == "tool":
            assert open_ids.pop(0) == message["tool_call_id"]
            assert isinstance(message["content"], str)
            continue
        assert open_ids == []
        open_ids = [call["id"] for call in message.get("tool_calls", [])]
        for call in message.get("tool_calls", []):
            assert call["id"] not in seen
            seen.add(call["id"])
            assert len(call["id"]) <= quirks.id_longest or quirks.id_form
            assert not quirks.id_pattern or re.fullmatch(quirks.id_pattern, call["id"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])
        if quirks.system == "first":
            assert (message["role"] == "system") <= (position == 0)
        if quirks.reasoning == "never":
            assert "reasoning_content" not in message
        if quirks.reasoning == "required" and message.get("tool_calls"):
            assert "reasoning_content" in message
    assert open_ids == []


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize("prefill", [False, True])
@pytest.mark.parametrize("name", HISTORIES)
def test_what_leaves_for_anthropic(claude: Ask, name: str, prefill: bool, thinks: bool) -> None:
    """Results lead the message behind their calls, all of them; nothing is blank; the user opens; a half pair of a hosted call is gone."""
    body = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
    provider = PROVIDERS["anthropic"]
    quirks = quirks_of(provider, "claude-haiku-4-5" if prefill else "claude-opus-4-7")
    model, server = claude(says_json(body), quirks=quirks)
    settings = {"thinking": {"type": "enabled", "budget_tokens": 1024}} if thinks else {}
    model.invoke(history(CASES[name]), **settings)
    check_anthropic(server.requests[0].json, ends_with_user=not prefill)


def check_anthropic(request: dict[str, Any], *, ends_with_user: bool) -> None:
    wire = request["messages"]
    assert [message["role"] for message in wire] == ["user" if at % 2 == 0 else "assistant" for at in range(len(wire))]
    assert wire[-1]["role"] == "user" or not ends_with_user
    called: list[str] = []
    seen: set[str] = set()
    for message in wire:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert blocks
        assert all(block["type"] != "text" or block["text"].strip() for block in blocks)
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert all(block["type"] == "tool_result" for block in blocks[: len(results)])
        assert sorted(results) == sorted(called)
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert seen.isdisjoint(called)
        seen.update(called)
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call_id) for call_id in called)
        hosted = {block["id"] for block in blocks if block["type"] == "server_tool_use"}
        assert {b["tool_use_id"] for b in blocks if b["type"].endswith("_tool_result")} - set(results) <= hosted
        if "thinking" in request and called and message is wire[-2]:
            assert blocks[0]["type"] in ("thinking", "redacted_thinking")
    assert called == []


# Streams


def stream(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The case's chunks, which are shortened to their deltas, as events."""
    events = []
    for chunk in case["input"]["chunks"]:
        chunk = dict(chunk)
        finish, usage = chunk.pop("finish_reason", None), chunk.pop("usage", None)
        event = {"object": "chat.completion.chunk", "id": "x", "choices": [{"index": 0, "delta": chunk, "finish_reason": finish}]}
        events.append(event | ({"usage": usage} if usage else {}))
    return events


EXPECTED = {
    "c016": [("a", "f1", {}), ("b", "f2", {}), ("c", "f3", {})],
    "c058": [("a1", "get_weather", {"city": "Lima"}), ("a2", "get_time", {"tz": "CET"})],
    "c060": [("q", "f", {"a": 1})],
    "c061": [("call_late", "ask", {"q": "hi"})],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_streams(chat_model: Ask, name: str) -> None:
    """Calls without an index, in pieces, late, or said again are what they were meant to be."""
    model, _ = chat_model(says_events(stream(CASES[name])))
    calls = merge_chunks(list(model.stream("Hi"))).tool_calls
    assert [(call["id"], call["name"], call["args"]) for call in calls] == EXPECTED[name]


def test_a_stream_without_an_end(chat_model: Ask) -> None:
    """c065: a call that looks whole is none while nothing says that the answer is: a typed error, and nothing to run."""
    model, server = chat_model(says_events(stream(CASES["c065"]), done=False))
    with pytest.raises(StreamCut, match="without saying that the answer was whole"):
        list(model.stream("Hi"))
    assert len(server.requests) == 1


def test_running_totals(chat_model: Ask) -> None:
    """c066: counts that are said again and again are not added."""
    model, _ = chat_model(says_events(stream(CASES["c066"])))
    usage = merge_chunks(list(model.stream("Hi"))).usage_metadata
    assert usage is not None
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (10, 3, 13)


# Answers


def answered(chat_model: Ask, name: str) -> tuple[AIMessage, list[ToolSpec]]:
    given = CASES[name]["input"]
    model, _ = chat_model(says_json(given["response"]))
    specs = [ToolSpec(tool["name"], parameters=tool["parameters"]) for tool in given.get("tools", [])]
    return model.bind(**given.get("params", {})).invoke("Hi"), specs


@pytest.mark.parametrize("name", ["c068", "c070", "c073", "c075"])
def test_leaked_calls(chat_model: Ask, name: str) -> None:
    """A call in the text, or in the reasoning of an answer without text, is recovered, and its markup is gone."""
    message, specs = answered(chat_model, name)
    found = recover(message, specs)
    assert found is not None
    assert [(call["name"], call["args"]) for call in found.message.tool_calls] == [("get_weather", {"city": "Oslo"})]
    assert found.raw not in f"{found.message.text}{found.message.reasoning}"
    assert "<" not in f"{found.message.text}{found.message.reasoning or ''}"


def test_no_leaked_call(chat_model: Ask) -> None:
    """c071: JSON in a text is text."""
    assert recover(*answered(chat_model, "c071")) is None


def test_finish_reasons(chat_model: Ask) -> None:
    """Calls count whatever the finish reason is; without one, and with text, an answer is an answer; cut arguments are no call."""
    assert answered(chat_model, "c076")[0].tool_calls[0]["id"] == "s1"
    assert answered(chat_model, "c078")[0].text == "All done."
    cut = answered(chat_model, "c043")[0]
    assert (cut.tool_calls, cut.finish_reason, cut.invalid_tool_calls[0]["id"]) == ([], "length", "w1")
    assert "at character 11" in answered(chat_model, "c046")[0].invalid_tool_calls[0]["error"]


def test_a_cache_that_is_counted_apart(chat_model: Ask) -> None:
    """c103: more from the cache than in the prompt is Anthropic's way of counting; the prompt had both."""
    usage = answered(chat_model, "c103")[0].usage_metadata
    assert usage is not None
    assert (usage["input_tokens"], usage["total_tokens"], usage["input_token_details"]) == (4000, 4005, {"cache_read": 3800})


def test_ids_of_kimi(chat_model: Ask) -> None:
    """c033: Kimi sees its own form of ids again, counted through the history."""
    model, server = chat_model(says_json(chat()), quirks=PROVIDERS["moonshot"].quirks)
    model.invoke(history(CASES["c033"]))
    wire = server.requests[0].json["messages"]
    assert wire[1]["tool_calls"][0]["id"] == wire[2]["tool_call_id"] == "functions.read_file:0"
