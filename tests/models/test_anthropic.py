"""Models of Anthropic's: what leaves, what comes, and that the official client agrees with the server that says it."""

import json
from typing import Any

import anthropic
import pytest
from inline_snapshot import snapshot

from holter.errors import ModelError, RateLimited, StreamCut
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, ToolSpec, merge_chunks
from holter.models import PROVIDERS
from holter.models.provider import quirks_of
from tests.formats.test_anthropic_deltas import body, events
from tests.models.conftest import KEY, Ask
from tests.models.server import Says, Server, says_json

WEATHER = ToolSpec("get_weather", "The weather.", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})


def answer(*content: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    return {**body(list(content)), "stop_reason": stop}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def says_stream(values: list[dict[str, Any]], **fields: Any) -> Says:
    pieces = [f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode() for value in values]
    return Says(pieces, headers={"content-type": "text/event-stream"}, **fields)


def either(value: dict[str, Any]) -> Any:
    return lambda asked: says_stream(events(value)) if asked.json.get("stream") else says_json(value)


def sent(server: Server, at: int = -1) -> Any:
    return server.requests[at].json


FULL = answer(
    {"type": "thinking", "thinking": "Two cities.", "signature": "c2ln"},
    text("I ask."),
    {"type": "tool_use", "id": "", "name": "get_weather", "input": {"city": "Oslo"}},
    {"type": "tool_use", "id": "", "name": "get_weather", "input": {}},
    stop="tool_use",
)


def test_an_answer(claude: Ask) -> None:
    """Thoughts with their signature, text, calls, usage with what was cached; whole and streamed it is the same."""
    model, server = claude(either(FULL))
    whole = model.invoke("Hi")
    assert merge_chunks(list(model.stream("Hi"))) == whole
    assert [(call["name"], call["args"], call["id"]) for call in whole.tool_calls] == [
        ("get_weather", {"city": "Oslo"}, "toolu_2"),
        ("get_weather", {}, "toolu_3"),
    ]
    assert (whole.reasoning_text, whole.text, whole.finish_reason) == ("Two cities.", "I ask.", "tool_use")
    assert (whole.usage_metadata["input_tokens"], whole.usage_metadata["output_tokens"]) == (5, 7)
    asked = server.requests[0]
    assert (asked.path, asked.headers["x-api-key"], asked.headers["anthropic-version"]) == ("/v1/messages", KEY, "2023-06-01")
    assert "authorization" not in asked.headers


def test_the_official_client_agrees(claude: Ask) -> None:
    """Anthropic's own client reads the same answers from this server, and its requests are ours."""
    model, server = claude(either(FULL))
    ours = model.invoke("Hi")
    with anthropic.Anthropic(api_key=KEY, base_url=server.url, max_retries=0) as client:
        theirs = client.messages.create(model="m-1", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
        with client.messages.stream(model="m-1", max_tokens=9, messages=[{"role": "user", "content": "Hi"}]) as stream:
            final = stream.get_final_message()
    for message in (theirs, final):
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
        calls = [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
        assert calls == [(call["id"], call["name"], call["args"]) for call in ours.tool_calls]
    assert server.requests[1].path == server.requests[0].path


def test_what_a_request_says(claude: Ask) -> None:
    """System apart, thoughts with their signature first, results together and first, marks for the cache, settings by its own names."""
    model, server = claude(says_json(answer(text("ok"))))
    before = claude(either(FULL))[0].invoke("Hi")
    history = [
        SystemMessage("Be brief."),
        HumanMessage("Weather?"),
        before,
        ToolMessage("4C", tool_call_id="toolu_2"),
        ToolMessage("no city", tool_call_id="toolu_3", status="error"),
        HumanMessage("Quick!"),
    ]
    bound = model.bind_tools([WEATHER], tool_choice="required", parallel_tool_calls=False)
    bound.invoke(history, stop="END", temperature=0, betas=["x-1", "y-2"], response_format={"type": "object", "properties": {}})
    assert server.requests[0].headers["anthropic-beta"] == "x-1,y-2"
    assert sent(server) == snapshot(
        {
            "model": "m-1",
            "messages": [
                {"role": "user", "content": "Weather?"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "Two cities.", "signature": "c2ln"},
                        {"type": "text", "text": "I ask."},
                        {"type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {"city": "Oslo"}},
                        {"type": "tool_use", "id": "toolu_3", "name": "get_weather", "input": {}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "4C"},
                        {"type": "tool_result", "tool_use_id": "toolu_3", "content": "no city", "is_error": True},
                        {"type": "text", "text": "Quick!", "cache_control": {"type": "ephemeral"}},
                    ],
                },
            ],
            "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
            "tools": [
                {
                    "name": "get_weather",
                    "description": "The weather.",
                    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
                }
            ],
            "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
            "stop_sequences": ["END"],
            "temperature": 0,
            "max_tokens": 8192,
            "output_config": {
                "format": {"type": "json_schema", "schema": {"type": "object", "properties": {}, "additionalProperties": False}}
            },
        }
    )


def test_no_marks_where_a_program_sets_its_own(claude: Ask) -> None:
    """Nor where they are not wanted."""
    own = [{"type": "text", "text": "Long.", "extras": {"cache_control": {"type": "ephemeral", "ttl": "1h"}}}]
    model, server = claude(says_json(answer(text("ok"))))
    model.invoke([SystemMessage(own), HumanMessage("Hi")])
    assert json.dumps(sent(server)).count("cache_control") == 1
    model, server = claude(says_json(answer(text("ok"))), prompt_cache=False)
    model.invoke([SystemMessage("Long."), HumanMessage("Hi")])
    assert sent(server) == {"model": "m-1", "messages": [{"role": "user", "content": "Hi"}], "system": "Long.", "max_tokens": 8192}


def test_thoughts_of_others_do_not_go(claude: Ask) -> None:
    """Anthropic takes back only what it has signed; opaque thoughts go as they came."""
    model, server = claude(says_json(answer(text("ok"))), prompt_cache=False)
    hidden = {"type": "redacted_thinking", "data": "x"}
    model.invoke(
        [HumanMessage("Hi"), AIMessage("Hello", reasoning="Hm."), HumanMessage("And?"), AIMessage([hidden, text("So.")]), HumanMessage("?")]
    )
    wire = sent(server)["messages"]
    assert (wire[1]["content"], wire[3]["content"]) == ([text("Hello")], [hidden, text("So.")])


def test_thinking_is_off_where_its_beginning_is_lost(claude: Ask) -> None:
    """A turn that goes on without the thoughts that it began with is asked without thinking; a new turn is not."""
    thinking = {"type": "enabled", "budget_tokens": 2_000}
    lost = [
        HumanMessage("Hi"),
        AIMessage(tool_calls=[{"name": "f", "args": {}, "id": "a", "type": "tool_call"}]),
        ToolMessage("ok", tool_call_id="a"),
    ]
    model, server = claude(says_json(answer(text("ok"))))
    model.invoke(lost, thinking=thinking)
    assert "thinking" not in sent(server)
    model.invoke([*lost, AIMessage("Done."), HumanMessage("Again")], thinking=thinking)
    assert (sent(server)["thinking"], sent(server)["max_tokens"]) == (thinking, 10_192)


def test_a_pause_is_continued(claude: Ask) -> None:
    """`pause_turn` waits for the same answer again: the parts are one, whole and streamed, with what all of them cost."""
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "tide"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]}
    parts = [answer(text("I look."), search, found, stop="pause_turn"), answer(text("High at noon."))]
    model, server = claude([says_json(part) for part in parts])
    whole = model.invoke("Tide?")
    assert [block["type"] for block in whole.content] == ["text", "server_tool_use", "web_search_tool_result", "text"]
    assert (whole.finish_reason, whole.usage_metadata["output_tokens"]) == ("end_turn", 14)
    assert [message["role"] for message in sent(server)["messages"]] == ["user", "assistant"]
    assert [block["type"] for block in sent(server)["messages"][1]["content"]] == ["text", "server_tool_use", "web_search_tool_result"]

    model, server = claude([says_stream(events(part)) for part in parts])
    merged = merge_chunks(list(model.stream("Tide?")))
    assert (merged.content, merged.usage_metadata) == (whole.content, whole.usage_metadata)


def test_a_cut_answer(claude: Ask) -> None:
    """It is continued where the model takes its beginning, which ends without blanks; newer ones take none."""
    parts = [says_json(answer(text("Once upon "), stop="max_tokens")), says_json(answer(text(" a time.")))]
    model, server = claude(parts, continue_length=1, prompt_cache=False)
    assert model.invoke("A tale").finish_reason == "end_turn"
    assert sent(server)["messages"][-1] == {"role": "assistant", "content": "Once upon"}
    newer = quirks_of(PROVIDERS["anthropic"], "claude-opus-4-7")
    model, server = claude(parts, continue_length=1, quirks=newer)
    assert (model.invoke("A tale").finish_reason, len(server.requests)) == ("max_tokens", 1)


def test_errors(claude: Ask) -> None:
    """Errors in a response, in the place of a stream, and in the middle of one."""
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"}
    model, server = claude(says_json(overloaded, 529, headers={"request-id": "req_1"}))
    with pytest.raises(RateLimited) as raised:
        model.invoke("Hi")
    assert (raised.value.status, raised.value.request_id, len(server.requests)) == (529, "req_1", 3)

    model, server = claude([says_stream([overloaded]), says_stream(events(answer(text("Hello"))))])
    assert merge_chunks(list(model.stream("Hi"))).text == "Hello"

    model, server = claude(says_stream([*events(answer(text("Hello")))[:5], overloaded]))
    with pytest.raises(StreamCut, match="Overloaded") as cut:
        list(model.stream("Hi"))
    assert (cut.value.partial.text, len(server.requests)) == ("Hello", 1)


def test_a_stream_cut_at_every_byte(claude: Ask) -> None:
    """Wherever the connection ends, there is the whole answer or an error."""
    whole = b"".join(says_stream(events(FULL)).pieces)
    finished = whole.index(b'"stop_reason": "tool_use"')
    cuts = iter(range(len(whole) + 1))
    headers = {"content-type": "text/event-stream", "connection": "close"}
    model, _ = claude(lambda _: Says(whole[: next(cuts)], headers=headers, chunked=False, closes=True))
    found = [_attempted(model) for _ in range(len(whole) + 1)]
    full = found[-1]
    assert isinstance(full, AIMessage)
    for at, one in enumerate(found):
        if isinstance(one, AIMessage):
            assert at > finished
            assert (one.content, one.tool_calls) == (full.content, full.tool_calls)
        elif isinstance(one, StreamCut) and one.partial is not None:
            assert full.text.startswith(one.partial.text)
            assert full.reasoning_text.startswith(one.partial.reasoning_text)


def _attempted(model: Any) -> AIMessage | ModelError:
    try:
        return merge_chunks(list(model.stream("Hi")))
    except ModelError as error:
        return error


def test_names_and_ids_that_are_not_taken(claude: Ask) -> None:
    """Both are sent in a form that is, in the whole history, and names come back as they are."""
    name = "文件.read"

    def script(asked: Any) -> Says:
        made = {"type": "tool_use", "id": "x", "name": asked.json["tools"][0]["name"], "input": {}}
        return says_json(answer(made, stop="tool_use"))

    model, server = claude(script)
    bound = model.bind_tools([ToolSpec(name)])
    call = {"name": name, "args": {}, "id": "sh:0#1", "type": "tool_call"}
    reply = bound.invoke([HumanMessage("Hi"), AIMessage(tool_calls=[call]), ToolMessage("ok", tool_call_id="sh:0#1")])
    assert reply.tool_calls[0]["name"] == name
    used = sent(server)["messages"][1]["content"][0]
    assert used["id"] == sent(server)["messages"][2]["content"][0]["tool_use_id"]
    assert f"{used['id']}{used['name']}".replace("_", "").replace("-", "").isalnum()
    assert used["id"].isascii()
