import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.formats.anthropic_messages import FORM
from holter.formats.form import Loss
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "anthropic_messages"


def fixture(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text())


def read(value: Any) -> Conversation:
    (conversation,) = FORM.read(value, Place())
    return conversation


def write(conversation: Conversation) -> Any:
    assert FORM.write is not None
    return FORM.write(conversation)


def call(name: str, args: Any, call_id: str | None, **more: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call", **more}


def test_request() -> None:
    """A request gives its system prompt, its messages with each result as a message of its own, and its tools."""
    conversation = read(fixture("request"))
    ephemeral = {"cache_control": {"type": "ephemeral"}}
    assert conversation.messages == [
        SystemMessage([{"type": "text", "text": "You keep the books of a small library.", "extras": ephemeral}]),
        HumanMessage("Do we have Middlemarch and Silas Marner?"),
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "Two titles, two look-ups.", "extras": {"signature": "c2lnbmVk"}},
                {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
                {"type": "text", "text": "I look for both."},
            ],
            tool_calls=[
                call("find_book", {"title": "Middlemarch"}, "toolu_01"),
                call("find_book", {"title": "Silas Marner"}, "toolu_02", extras={"caller": {"type": "direct"}}),
            ],
        ),
        ToolMessage("shelf 12", tool_call_id="toolu_01"),
        ToolMessage(
            [{"type": "text", "text": "the catalogue is offline"}, {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}],
            tool_call_id="toolu_02",
            status="error",
            extra=ephemeral,
        ),
        HumanMessage("Please check the second one again."),
        AIMessage(
            [
                {"type": "text", "text": "Once more."},
                {"type": "tool_call", "id": "toolu_03", "position": 0},
                {"type": "server_tool_use", "id": "srvtoolu_04", "name": "web_search", "input": {"query": "Silas Marner"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_04", "content": []},
            ],
            tool_calls=[call("find_book", {}, "toolu_03")],
        ),
        ToolMessage("", tool_call_id="toolu_03"),
        AIMessage(
            [
                {
                    "type": "text",
                    "text": "It is on shelf 3.",
                    "extras": {"citations": [{"type": "char_location", "cited_text": "shelf 3"}]},
                }
            ]
        ),
        HumanMessage(
            [
                {"type": "file", "url": "https://example.org/rules.pdf", "extras": {"title": "Rules"}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "No food."}},
                {"type": "text", "text": "Are these our rules?"},
            ]
        ),
    ]
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    assert conversation.tools == [
        ToolSpec("find_book", "Looks a book up by title.", schema),
        ToolSpec("web_search", extra={"type": "web_search_20250305", "max_uses": 2}),
    ]
    assert conversation.extra == {"model": "claude-sonnet-4-5", "max_tokens": 1024}
    assert conversation.findings == []


def test_places() -> None:
    """Messages made of one user message share its index; a result's path is its block's."""
    assert list(read(fixture("request")).places)[:6] == [
        Place(path="system"),
        Place(index=0, path="messages[0]"),
        Place(index=1, path="messages[1]"),
        Place(index=2, path="messages[2].content[0]"),
        Place(index=2, path="messages[2].content[1]"),
        Place(index=2, path="messages[2].content[2]"),
    ]


def test_response() -> None:
    """A response is one message; cached tokens count as input, and its account of itself is response metadata."""
    usage = fixture("response")["usage"]
    assert read(fixture("response")).messages == [
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "A greeting.", "extras": {"signature": "c2ln"}},
                {"type": "text", "text": "Good morning."},
            ],
            id="msg_01",
            usage_metadata={
                "input_tokens": 125,
                "output_tokens": 12,
                "total_tokens": 137,
                "input_token_details": {"cache_read": 100, "cache_creation": 5},
                "output_token_details": {"reasoning": 4},
            },
            response_metadata={
                "id": "msg_01",
                "model_name": "claude-sonnet-4-5-20250929",
                "stop_reason": "end_turn",
                "usage": usage,
            },
        )
    ]


def test_exchange() -> None:
    """A request with its response is one conversation; the answer's index follows the request's."""
    conversation = read(fixture("exchange"))
    assert [message.text for message in conversation.messages] == ["How far is the moon?", "About 384,400 km."]
    assert list(conversation.places) == [Place(index=0, path="request.messages[0]"), Place(index=1, path="response")]
    assert conversation.extra == {"model": "claude-haiku-4-5", "max_tokens": 64, "latency_s": 0.8}


def test_several_responses() -> None:
    """Responses in a list are conversations of their own."""
    found = FORM.read([fixture("response"), fixture("response")], Place())
    assert [(len(c.messages), c.place.path) for c in found] == [(1, "[0]"), (1, "[1]")]


def test_text_before_a_result() -> None:
    """Blocks and results of a user message keep their order in reading; in writing the results come first, and that is said."""
    blocks = [{"type": "text", "text": "Reminder."}, {"type": "tool_result", "tool_use_id": "toolu_a", "content": "ok"}]
    conversation = read([{"role": "user", "content": deepcopy(blocks)}])
    assert conversation.messages == [HumanMessage("Reminder."), ToolMessage("ok", tool_call_id="toolu_a")]
    written = write(conversation)
    assert written.document == {"messages": [{"role": "user", "content": blocks[::-1]}]}
    assert written.losses == [Loss("order: in a message with results the results come first", [1])]


def test_arguments_that_are_text() -> None:
    """Arguments sent as text are an invalid call, even where the text is an object's; writing keeps the text under a name of its own."""
    conversation = read([{"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": '{"a": 1}'}]}])
    assert conversation.messages == [
        AIMessage(
            invalid_tool_calls=[
                {
                    "name": "f",
                    "args": '{"a": 1}',
                    "id": "t1",
                    "type": "invalid_tool_call",
                    "error": "one JSON object was expected, found a string",
                    "index": 0,
                }
            ]
        )
    ]
    written = write(conversation)
    assert written.document["messages"][0]["content"][0]["input"] == {"raw_arguments": '{"a": 1}'}
    assert written.losses == [Loss("arguments that are no JSON object: their text stands under `raw_arguments`", [0])]


def test_malformed() -> None:
    """What is not what its place calls for is kept, and said with its place."""
    conversation = read(fixture("malformed"))
    assert [message.text for message in conversation.messages] == ["7loose words", "", "12", "3", "Meanwhile.", "not a message"]
    assert [(f.code, f.path) for f in conversation.findings] == [
        ("READ02", "[0].content[0]"),
        ("READ02", "[0].content[1]"),
        ("READ02", "[1].content[0]"),
        ("READ02", "[2].content[0].content"),
        ("READ02", "[2].content[0]"),
        ("READ02", "[3].content"),
        ("READ02", "[4].content"),
        ("READ02", "[5]"),
        ("READ06", "[0].content[2]"),
        ("READ06", "[1].mood"),
        ("READ06", "[4]"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "hi"}],
        {"messages": [{"role": "user", "content": "hi"}], "model": "gpt-4o"},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]},
        [{"role": "assistant", "tool_calls": [], "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}],
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}], "status": "completed"},
        {"type": "error", "error": {}},
        None,
        "text",
        [],
        {},
    ],
)
def test_what_is_not_anthropic(value: Any) -> None:
    """Plain messages, OpenAI's calls and items of the Responses API are not claimed."""
    assert not FORM.sniff(value)


@pytest.mark.parametrize(
    "value",
    [
        {"system": "Be brief.", "messages": [{"role": "user", "content": "hi"}]},
        {"tools": [{"name": "f", "input_schema": {}}], "messages": [{"role": "user", "content": "hi"}]},
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}],
        [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}]}],
    ],
)
def test_what_is_anthropic(value: Any) -> None:
    """A top-level system prompt, an input schema or a block of Anthropic's is enough."""
    assert FORM.sniff(value)


def test_foreign_conversation() -> None:
    """From another provider's log: system prompts move to the top, roles are joined, and what Anthropic cannot say is named."""
    written = write(
        Conversation(
            format="openai.chat",
            messages=[
                HumanMessage("Hello", name="ann"),
                HumanMessage("Anybody?"),
                SystemMessage("Be kind."),
                AIMessage("Here.", reasoning="A greeting.", tool_calls=[call("f", {}, "c1", extras={"index": 4})]),
                ToolMessage("1", tool_call_id="c1"),
                HumanMessage([{"type": "audio", "base64": "AAAA"}]),
            ],
            tools=[ToolSpec("f"), ToolSpec("web_search", extra={"type": "web_search"})],
        )
    )
    assert written.document == {
        "system": "Be kind.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "Anybody?"}]},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Here."}, {"type": "tool_use", "id": "c1", "name": "f", "input": {}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "1"}]},
        ],
        "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {}}}],
    }
    assert written.losses == [
        Loss("name: an Anthropic request has no place for it", [0]),
        Loss("position: Anthropic has one system prompt, which stands before everything else", [2]),
        Loss("reasoning: Anthropic takes back only thinking that it has signed", [3]),
        Loss("tool_calls: what only its own provider knows of a call", [3]),
        Loss("block 'audio': Anthropic has none of this kind", [5]),
        Loss("tool 'web_search': Anthropic hosts no tool of the kind 'web_search'"),
    ]


@pytest.mark.parametrize("name", ["request"])
def test_written_back(name: str) -> None:
    """What was read from a clean request is read again from what is written."""
    conversation = read(fixture(name))
    again = read(write(conversation).document)
    assert again.messages == conversation.messages
    assert again.tools == conversation.tools
    assert list(again.places) == list(conversation.places)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However a log is damaged, what is recognised is read, and what was read can be written."""
    value = data.draw(damaged(fixture(data.draw(st.sampled_from(["request", "response", "exchange", "malformed"])))))
    if FORM.sniff(value):
        for conversation in FORM.read(value, Place()):
            json.dumps(write(conversation).document)
