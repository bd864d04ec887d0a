import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.formats.form import Loss
from holter.formats.openai_responses import FORM
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "openai_responses"


def fixture(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text())


def read(value: Any) -> Conversation:
    (conversation,) = FORM.read(value, Place())
    return conversation


def write(conversation: Conversation) -> Any:
    assert FORM.write is not None
    return FORM.write(conversation)


def test_request() -> None:
    """The model's items in a row are one message; a call's id is its call_id, and the items' own ids stand beside."""
    conversation = read(fixture("request"))
    assert conversation.messages == [
        SystemMessage("You plan walks."),
        SystemMessage("Answer in metres.", extra={"role": "developer"}),
        HumanMessage(
            [
                {"type": "text", "text": "Where to on Sunday?"},
                {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png", "extras": {"detail": "low"}},
                {"type": "file", "file_id": "file_1"},
            ]
        ),
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "Weather first.", "extras": {"id": "rs_1", "encrypted_content": "ZW5j"}},
                {"type": "text", "text": "I look at the weather.", "extras": {"item": {"id": "msg_1"}}},
                {"type": "tool_call", "id": "call_1", "position": 0},
                {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "walks"}},
                {"type": "tool_call", "id": "call_2", "position": 1},
            ],
            tool_calls=[
                {
                    "name": "weather",
                    "args": {"day": "Sunday"},
                    "id": "call_1",
                    "type": "tool_call",
                    "extras": {"item": {"id": "fc_1", "status": "completed"}},
                },
                {
                    "name": "sketch",
                    "args": {"input": "a hill"},
                    "id": "call_2",
                    "type": "tool_call",
                    "extras": {"item": {"id": "ctc_1"}, "type": "custom"},
                },
            ],
        ),
        ToolMessage("dry", tool_call_id="call_1"),
        ToolMessage(
            [{"type": "text", "text": "a drawing:"}, {"type": "image", "url": "https://example.org/hill.png"}],
            tool_call_id="call_2",
            extra={"type": "custom_tool_call_output"},
        ),
        AIMessage("Take the hill path.", id="msg_2"),
        HumanMessage("Thanks."),
    ]
    assert list(conversation.places) == [
        Place(path="instructions"),
        *(Place(index=index, path=f"input[{index}]") for index in (0, 1, 2, 7, 8, 9, 10)),
    ]
    assert conversation.tools == [
        ToolSpec("weather", "The weather of a day.", {"type": "object", "properties": {"day": {"type": "string"}}}, strict=True),
        ToolSpec("sketch", "Draws.", extra={"type": "custom", "format": {"type": "text"}}),
        ToolSpec("web_search", extra={"type": "web_search", "search_context_size": "low"}),
    ]
    assert conversation.extra == {"model": "gpt-5-mini", "previous_response_id": "resp_00"}
    assert conversation.findings == []


def test_response() -> None:
    """A response is one message; what it says of itself is metadata, and the settings it repeats are the conversation's."""
    conversation = read(fixture("response"))
    item = {"id": "msg_3", "status": "incomplete"}
    annotations = [{"type": "file_citation", "file_id": "file_1", "index": 3}]
    parts = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]
    assert conversation.messages == [
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "One.\n\nTwo.", "extras": {"id": "rs_2", "summary": parts}},
                fixture("response")["output"][1],
                {"type": "text", "text": "Two", "extras": {"annotations": annotations, "item": item}},
                {"type": "refusal", "refusal": "No more.", "extras": {"item": item}},
            ],
            usage_metadata={
                "input_tokens": 50,
                "output_tokens": 30,
                "total_tokens": 80,
                "input_token_details": {"cache_read": 20},
                "output_token_details": {"reasoning": 10},
            },
            response_metadata={
                "id": "resp_01",
                "created_at": 1764000000,
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
                "model_name": "gpt-5-mini-2025-08-07",
                "usage": fixture("response")["usage"],
            },
        )
    ]
    assert conversation.extra == {"instructions": "You plan walks.", "previous_response_id": "resp_00", "temperature": 1.0}
    assert (conversation.tools, conversation.tools_known) == ([], True)


def test_exchange() -> None:
    """A request with its response is one conversation; a text for input is the user's."""
    conversation = read(fixture("exchange"))
    assert conversation.messages == [
        HumanMessage("How deep is the lake?"),
        AIMessage("40 m.", id="msg_4", response_metadata={"id": "resp_02", "status": "completed", "model_name": "gpt-5-mini"}),
    ]
    assert list(conversation.places) == [Place(path="request.input"), Place(index=1, path="response.output[0]")]


def test_several_responses() -> None:
    """Responses in a list are conversations of their own."""
    assert [c.place.path for c in FORM.read([fixture("response"), fixture("response")], Place())] == ["[0]", "[1]"]


def test_empty_response() -> None:
    """A response without items is an empty answer that says why."""
    body = {"object": "response", "id": "r", "status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}
    assert read(body).messages == [
        AIMessage(response_metadata={"id": "r", "status": "incomplete", "incomplete_details": {"reason": "content_filter"}})
    ]


def test_malformed() -> None:
    """What is not what its place calls for is kept, and said with its place."""
    conversation = read(fixture("malformed"))
    assert [(message.type, message.text) for message in conversation.messages] == [
        ("human", "5"),
        ("ai", ""),
        ("tool", ""),
        ("ai", ""),
        ("human", "loose words"),
        ("human", ""),
        ("human", "4"),
    ]
    assert conversation.messages[3].content == [{"type": "web_search_call"}, {"type": "hologram_call", "id": "hc_1"}]
    assert [(f.code, f.path) for f in conversation.findings] == [
        ("READ02", "[0].content"),
        ("READ02", "[1]"),
        ("READ02", "[2].output"),
        ("READ02", "[2].output"),
        ("READ02", "[5]"),
        ("READ02", "[7].content[1]"),
        ("READ06", "[4]"),
        ("READ06", "[6]"),
        ("READ06", "[7]"),
        ("READ06", "[7].mood"),
        ("READ06", "[7].content[0]"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "hi"}],
        {"model": "text-embedding-3-small", "input": "some text"},
        {"type": "GENERATION", "model": "gpt-4o", "input": [{"role": "user", "content": "hi"}], "output": {}},
        {"messages": [{"role": "user", "content": "hi"}], "store": True},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"},
        {"steps": [{"type": "function_call"}]},
        {"input": "What?", "intermediate_steps": []},
        None,
        [],
        {},
        "text",
    ],
)
def test_what_is_no_responses_log(value: Any) -> None:
    """Chat messages, embeddings, traces and other providers' messages are not claimed."""
    assert not FORM.sniff(value)


@pytest.mark.parametrize(
    "value",
    [
        {"model": "gpt-5", "input": [{"role": "user", "content": "hi"}]},
        {"model": "gpt-5", "input": "hi", "instructions": "Be brief."},
        [{"role": "user", "content": "hi"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        {"input": [{"type": "function_call_output", "call_id": "c", "output": "ok"}], "target": "openai.responses"},
    ],
)
def test_what_is_a_responses_log(value: Any) -> None:
    """Items, or an input beside settings of this API, are enough."""
    assert FORM.sniff(value)


def test_foreign_conversation() -> None:
    """From another provider's log: arguments that are no JSON go over as they are, and what has no place is named."""
    broken = {"name": "f", "args": "{", "id": "c2", "error": "not JSON", "type": "invalid_tool_call", "index": 1}
    written = write(
        Conversation(
            format="anthropic.messages",
            messages=[
                HumanMessage([{"type": "text", "text": "Hi", "extras": {"cache_control": {"type": "ephemeral"}}}]),
                AIMessage(
                    [
                        {"type": "reasoning", "reasoning": "Hm.", "extras": {"signature": "c2ln"}},
                        {"type": "text", "text": "Once."},
                        {"type": "tool_call", "id": "c1", "position": 0},
                        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                        {"type": "text", "text": "Twice."},
                        {"type": "tool_call", "id": "c2", "position": 1},
                    ],
                    tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
                    invalid_tool_calls=[broken],
                ),
                ToolMessage("bad", tool_call_id="c1", status="error"),
            ],
            tools=[ToolSpec("f"), ToolSpec("web_search", extra={"type": "web_search_20250305"})],
        )
    )
    text = {"type": "output_text", "annotations": []}
    assert written.document == {
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {"type": "message", "role": "assistant", "content": [{**text, "text": "Once."}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
            {"type": "message", "role": "assistant", "content": [{**text, "text": "Twice."}]},
            {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{"},
            {"type": "function_call_output", "call_id": "c1", "output": "bad"},
        ],
        "tools": [{"type": "function", "name": "f", "parameters": {}}],
    }
    assert written.losses == [
        Loss("content: cache_control of a block", [0]),
        Loss("reasoning: the Responses API takes back only its own reasoning items", [1]),
        Loss("block 'server_tool_use': the Responses API has none of this kind", [1]),
        Loss("status: a Responses request has no place for it", [2]),
        Loss("tool 'web_search': OpenAI hosts no tool of the kind 'web_search_20250305'"),
    ]


@pytest.mark.parametrize("name", ["request", "malformed"])
def test_written_back(name: str) -> None:
    """What was read from a request is read again from what is written."""
    conversation = read(fixture(name))
    again = read(write(conversation).document)
    assert [m.replace(extra={}) for m in again.messages] == [m.replace(extra={}) for m in conversation.messages]
    assert again.tools == conversation.tools


def test_request_written_back_whole() -> None:
    """A clean request comes back as it was, but for a text that need not have been a list."""
    document = write(read(fixture("request"))).document
    source = fixture("request")
    assert document["input"] == [{"type": "message", **item} for item in source["input"]]
    assert (document["instructions"], document["tools"]) == (source["instructions"], source["tools"])


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However a log is damaged, what is recognised is read, and what was read can be written."""
    value = data.draw(damaged(fixture(data.draw(st.sampled_from(["request", "response", "exchange", "malformed"])))))
    if FORM.sniff(value):
        for conversation in FORM.read(value, Place()):
            json.dumps(write(conversation).document)
