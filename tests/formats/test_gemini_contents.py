import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.errors import UnreadFormat
from holter.formats.form import Loss
from holter.formats.gemini_contents import FORM
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "gemini_contents"


def fixture(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text())


def read(value: Any) -> Conversation:
    (conversation,) = FORM.read(value, Place())
    return conversation


def write(conversation: Conversation) -> Any:
    assert FORM.write is not None
    return FORM.write(conversation)


def call(name: str, args: Any, call_id: str | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call", **more}


def test_request() -> None:
    """A request gives its instruction, its contents with each result as a message of its own, and its tools; calls keep their order."""
    conversation = read(fixture("request"))
    assert conversation.messages == [
        SystemMessage("You run a kitchen."),
        HumanMessage(
            [
                {"type": "text", "text": "Can we bake this?"},
                {"type": "image", "base64": "/9j/4AAQ", "mime_type": "image/jpeg"},
                {
                    "type": "video",
                    "url": "https://example.org/cake.mp4",
                    "mime_type": "video/mp4",
                    "extras": {"videoMetadata": {"startOffset": "2s"}},
                },
            ]
        ),
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "Flour and eggs first."},
                {"type": "text", "text": "I check."},
                {"type": "tool_call", "id": None, "position": 0},
                {"type": "tool_call", "id": "fc-2", "position": 1},
                {"type": "text", "text": "And the time.", "extras": {"thoughtSignature": "c2lnMg=="}},
                {"type": "tool_call", "id": None, "position": 2},
            ],
            tool_calls=[
                call("stock", {"thing": "flour"}, extras={"thoughtSignature": "c2ln"}),
                call("stock", {"thing": "eggs"}, "fc-2"),
                call("clock", {}),
            ],
        ),
        ToolMessage("2 kg", tool_call_id=None, name="stock", extra={"response_key": "output"}),
        ToolMessage('{"count":6,"fresh":true}', tool_call_id="fc-2", name="stock", extra={"response_key": ""}),
        ToolMessage(
            "no clock",
            tool_call_id=None,
            name="clock",
            status="error",
            extra={"response_key": "error", "functionResponse": {"scheduling": "SILENT"}},
        ),
        AIMessage(
            [
                {"type": "executableCode", "executableCode": {"language": "PYTHON", "code": "print(2 / 6)"}},
                {"type": "codeExecutionResult", "codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "0.33"}},
                {"type": "text", "text": "Yes, one cake."},
            ]
        ),
        HumanMessage("Do it."),
    ]
    assert list(conversation.places) == [
        Place(path="systemInstruction"),
        Place(index=0, path="contents[0]"),
        Place(index=1, path="contents[1]"),
        *(Place(index=2, path=f"contents[2].parts[{part}]") for part in range(3)),
        Place(index=3, path="contents[3]"),
        Place(index=4, path="contents[4]"),
    ]
    assert conversation.tools == [
        ToolSpec("stock", "How much there is of a thing.", {"type": "OBJECT", "properties": {"thing": {"type": "STRING"}}}),
        ToolSpec("clock", "The time.", {"type": "object", "properties": {}}),
        ToolSpec("googleSearch", extra={"type": "googleSearch", "googleSearch": {}}),
    ]
    assert conversation.extra == {"model": "gemini-3-flash"}
    assert conversation.findings == []


def test_response() -> None:
    """Each candidate is a conversation; thoughts count as output, and a candidate without parts is an empty answer that says why."""
    usage = {
        "input_tokens": 20,
        "output_tokens": 10,
        "total_tokens": 30,
        "input_token_details": {"cache_read": 5},
        "output_token_details": {"reasoning": 7},
    }
    said = {"id": "r-1", "model_name": "gemini-3-flash", "usage": fixture("response")["usageMetadata"]}
    first, second = FORM.read(fixture("response"), Place())
    assert first.messages == [
        AIMessage(
            [{"type": "text", "text": "Two", "extras": {"thoughtSignature": "c2ln"}}],
            usage_metadata=usage,
            response_metadata={**said, "finish_reason": "STOP"},
        )
    ]
    assert second.messages == [
        AIMessage(
            usage_metadata=usage,
            response_metadata={
                **said,
                "finish_reason": "MALFORMED_FUNCTION_CALL",
                "finishMessage": "Malformed function call: stock(",
            },
        )
    ]
    assert [list(c.places) for c in (first, second)] == [
        [Place(index=0, path="candidates[0]")],
        [Place(index=0, path="candidates[1]")],
    ]


def test_python_names() -> None:
    """A dump of the Python SDK, in snake_case with nulls and a config, reads like a request with its response."""
    conversation = read(fixture("snake"))
    assert conversation.messages == [
        SystemMessage("Be brief."),
        HumanMessage("How old is bread?"),
        AIMessage(
            tool_calls=[call("era", {"of": "bread"}, extras={"thoughtSignature": "c2ln"})],
            usage_metadata={
                "input_tokens": 9,
                "output_tokens": 4,
                "total_tokens": 13,
                "input_token_details": {},
                "output_token_details": {},
            },
            response_metadata={
                "model_name": "gemini-2.5-flash",
                "usage": {"prompt_token_count": 9, "candidates_token_count": 4, "total_token_count": 13},
                "finish_reason": "STOP",
            },
        ),
    ]
    assert conversation.tools == [ToolSpec("era")]
    assert conversation.extra == {"model": "gemini-2.5-flash", "config": {"temperature": 0.5}}


def test_one_conversation_per_candidate_of_an_exchange() -> None:
    """A request whose response has two candidates is two conversations with the same beginning."""
    found = FORM.read({**fixture("request"), "response": fixture("response")}, Place())
    assert [len(c.messages) for c in found] == [9, 9]
    assert found[0].messages[:8] == found[1].messages[:8]
    assert found[1].places[8] == Place(index=5, path="response.candidates[1]")


def test_blocked_prompt() -> None:
    """A prompt that was blocked has no message to show; among other answers it is left out."""
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    assert FORM.sniff(blocked)
    with pytest.raises(UnreadFormat, match="a Gemini answer without candidates; blocked: SAFETY"):
        FORM.read(dict(blocked), Place())
    assert len(FORM.read([dict(blocked), fixture("response")], Place())) == 2


def test_role_function() -> None:
    """The old role of results comes back as it was."""
    contents = [{"role": "function", "parts": [{"functionResponse": {"name": "stock", "response": {"result": "2 kg"}}}]}]
    conversation = read([*contents])
    assert conversation.messages == [
        ToolMessage("2 kg", tool_call_id=None, name="stock", extra={"role": "function", "response_key": "result"})
    ]
    assert write(conversation).document == {"contents": contents}


def test_malformed() -> None:
    """What is not what its place calls for is kept, and said with its place."""
    conversation = read(fixture("malformed"))
    assert [(message.type, message.text) for message in conversation.messages] == [
        ("human", "loose words"),
        ("ai", ""),
        ("tool", "2 kg"),
        ("human", "Well?"),
        ("human", ""),
        ("human", "Meanwhile."),
        ("human", "not a content"),
    ]
    assert [(f.code, f.path) for f in conversation.findings] == [
        ("READ02", "[0].parts[0]"),
        ("READ02", "[0].parts[1]"),
        ("READ02", "[1].parts[0]"),
        ("READ02", "[2].parts[0]"),
        ("READ02", "[2].parts[0]"),
        ("READ02", "[4].parts"),
        ("READ02", "[5]"),
        ("READ06", "[0].parts[2]"),
        ("READ06", "[1].mood"),
        ("READ06", "[4]"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "hi"}],
        [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}],
        [{"role": "user", "parts": [{"kind": "text", "text": "hi"}]}],
        [{"candidates": [{"content": {"parts": [{"text": "piece"}]}}]}, {"candidates": [{"content": {"parts": [{"text": "piece"}]}}]}],
        {"candidates": []},
        {"contents": "text"},
        {"error": {"code": 429}},
        None,
        [],
        {},
        "text",
    ],
)
def test_what_is_not_gemini(value: Any) -> None:
    """Messages with content, parts with a type or kind, and pieces of a stream are not claimed."""
    assert not FORM.sniff(value)


def test_foreign_conversation() -> None:
    """From another provider's log: instructions move up, results in a row are one content and say what they answer, losses are named."""
    broken = {"name": "f", "args": "{", "id": "c2", "error": "not JSON", "type": "invalid_tool_call", "index": 1}
    written = write(
        Conversation(
            format="openai.chat",
            messages=[
                HumanMessage("Hello"),
                SystemMessage("Be kind."),
                AIMessage("Here.", reasoning="Hm.", tool_calls=[call("f", {}, "c1")], invalid_tool_calls=[broken]),
                ToolMessage("1", tool_call_id="c1", name="f"),
                ToolMessage("bad", tool_call_id="c2", status="error"),
                AIMessage([{"type": "refusal", "refusal": "No."}, {"type": "file", "file_id": "file_1"}]),
            ],
            tools=[
                ToolSpec("f", parameters={"type": "object"}, extra={"type": "custom"}),
                ToolSpec("web_search", extra={"type": "web_search"}),
            ],
        )
    )
    assert written.document == {
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hello"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True},
                    {"text": "Here."},
                    {"functionCall": {"id": "c1", "name": "f", "args": {}}},
                    {"functionCall": {"id": "c2", "name": "f", "args": {"raw_arguments": "{"}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "1"}}},
                    {"functionResponse": {"id": "c2", "name": "f", "response": {"error": "bad"}}},
                ],
            },
            {"role": "model", "parts": []},
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "description": "", "parametersJsonSchema": {"type": "object"}}]}],
    }
    assert written.losses == [
        Loss("position: Gemini has one system instruction, which stands before everything else", [1]),
        Loss("arguments that are no JSON object: their text stands under `raw_arguments`", [2]),
        Loss("block 'refusal': Gemini has none of this kind", [5]),
        Loss("block 'file': its file_id is another provider's", [5]),
        Loss("tool 'web_search': Google hosts no tool of the kind 'web_search'"),
    ]


def test_written_back() -> None:
    """A clean request comes back as it was; a call without arguments says so."""
    conversation = read(fixture("request"))
    document = write(conversation).document
    source = fixture("request")
    source["contents"][1]["parts"][-1]["functionCall"]["args"] = {}
    assert document == {key: source[key] for key in ("systemInstruction", "contents", "tools")}
    again = read(document)
    assert (again.messages, again.tools) == (conversation.messages, conversation.tools)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However a log is damaged, what is recognised is read, and what was read can be written; only a blocked prompt alone is refused."""
    value = data.draw(damaged(fixture(data.draw(st.sampled_from(["request", "response", "snake", "malformed"])))))
    if FORM.sniff(value):
        try:
            found = FORM.read(value, Place())
        except UnreadFormat:
            return
        for conversation in found:
            json.dumps(write(conversation).document)
