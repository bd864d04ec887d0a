import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.errors import UnreadFormat
from holter.formats.finding import input_cut, unknown_kept
from holter.formats.gemini_contents import FORM
from holter.formats.gemini_stream import STREAM, chunk
from holter.messages import AIMessage, Conversation, Place, merge_chunks
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "gemini_stream"


def events(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


def event(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}


def read(values: list[Any]) -> Conversation:
    reader = STREAM.open()
    ends = [reader.add(value, Place(line=line)) for line, value in enumerate(values, 1)]
    assert not any(ends[:-1])
    return reader.finish()


CLOCK = {"name": "clock", "args": {}, "id": None, "type": "tool_call", "extras": {"thoughtSignature": "c2ln"}}


def test_answer() -> None:
    """Texts and thoughts are joined, arguments are put where their paths say, and of each count the highest holds."""
    conversation = read(events("answer"))
    order = {"items": [{"name": "flour", "kg": 2.5}, {"name": "eggs"}], "fast": False, "note to": None}
    used = {"promptTokenCount": 12, "candidatesTokenCount": 9, "thoughtsTokenCount": 5, "totalTokenCount": 26}
    assert conversation.format == "gemini.stream"
    assert conversation.findings == []
    assert conversation.messages == [
        AIMessage(
            [{"type": "reasoning", "reasoning": "First the flour."}, {"type": "text", "text": "I order."}],
            tool_calls=[CLOCK, {"name": "order", "args": order, "id": None, "type": "tool_call"}],
            usage_metadata={
                "input_tokens": 12,
                "output_tokens": 14,
                "total_tokens": 26,
                "input_token_details": {},
                "output_token_details": {"reasoning": 5},
            },
            response_metadata={"id": "r-2", "model_name": "gemini-3-flash", "finish_reason": "STOP", "usage": used},
        )
    ]


def test_truncated() -> None:
    """A stream that is cut gives what came; the call that was not finished is an invalid one."""
    conversation = read(events("truncated"))
    (message,) = conversation.messages
    assert isinstance(message, AIMessage)
    assert message.tool_calls == [CLOCK]
    assert [(call["args"], call["error"]) for call in message.invalid_tool_calls] == [
        ('{"items":[{"name":"flour","kg":2.5}]}', "the call was not finished")
    ]
    assert conversation.findings == [input_cut("the stream ends before its finishReason", Place(line=8), 0)]


def test_call_that_no_event_closes() -> None:
    """A call whose last piece says that it goes on is whole where the answer ended, and where the next call begins."""
    values = [
        event({"functionCall": {"name": "a", "willContinue": True}}),
        event({"functionCall": {"partialArgs": [{"jsonPath": "$.x", "numberValue": 1}], "willContinue": True}}),
        event({"functionCall": {"name": "b", "willContinue": True}}),
        event({"text": ""}, finishReason="STOP"),
    ]
    (message,) = read(values).messages
    assert isinstance(message, AIMessage)
    assert [(call["name"], call["args"]) for call in message.tool_calls] == [("a", {"x": 1}), ("b", {})]


def test_signed_text() -> None:
    """A signature that comes with an empty text signs the text before it; what follows is a text of its own."""
    values = [
        event({"text": "One"}, {"text": "", "thoughtSignature": "c2ln"}),
        event({"text": " two"}),
        event({"text": ""}, finishReason="STOP"),
    ]
    assert read(values).messages[0].content == [
        {"type": "text", "text": "One", "extras": {"thoughtSignature": "c2ln"}},
        {"type": "text", "text": " two"},
    ]


@pytest.mark.parametrize("path", ["$.items[99999999].name", "$", "items", "$.a..b", "$.name[0]"])
def test_path_that_leads_nowhere(path: str) -> None:
    """A piece whose path cannot be followed is kept with its call, and said."""
    piece = {"jsonPath": path, "stringValue": "x"}
    values = [
        event({"functionCall": {"name": "f", "args": {}, "partialArgs": [{"jsonPath": "$.name", "stringValue": "n"}, piece]}}),
        event({"text": ""}, finishReason="STOP"),
    ]
    conversation = read(values)
    (message,) = conversation.messages
    assert isinstance(message, AIMessage)
    (call,) = message.tool_calls
    assert call["extras"] == {"functionCall": {"partialArgs": [piece]}}
    text = f"partial argument {json.dumps(piece, separators=(',', ':'))} is not known here and was kept in `extra`"
    assert conversation.findings == [unknown_kept(text, Place(line=1), 0)]


def test_answer_of_one_event() -> None:
    """A whole answer in one event is what it is outside a stream."""
    body = {**event({"text": "Hi."}, finishReason="STOP"), "responseId": "r-3"}
    conversation = read([body])
    (outside,) = FORM.read(body, Place())
    assert (conversation.format, conversation.messages) == ("gemini.contents", outside.messages)


def test_blocked() -> None:
    """A blocked prompt alone is refused; a stream that is blocked on its way keeps what came."""
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    with pytest.raises(UnreadFormat, match="blocked: SAFETY"):
        read([blocked])
    conversation = read([event({"text": "Well"}), blocked])
    assert conversation.messages[0].text == "Well"
    text = 'the stream ends without an answer: {"blockReason":"SAFETY"}'
    assert conversation.findings == [input_cut(text, Place(line=2), 0)]


def test_chunks() -> None:
    """The chunks of a stream, merged, say what its reader says, but for arguments that come by paths."""
    values = events("answer")
    merged = merge_chunks([piece for value in values if (piece := chunk(value)) is not None])
    (message,) = read(values).messages
    assert isinstance(message, AIMessage)
    assert (merged.text, merged.reasoning_text) == (message.text, message.reasoning_text)
    assert merged.tool_calls == [CLOCK]
    assert (merged.usage_metadata, merged.finish_reason, merged.model) == (message.usage_metadata, "STOP", "gemini-3-flash")


def test_key_and_sniff() -> None:
    """Events are told apart by the response's id; answers with several candidates are no events."""
    assert {STREAM.key(value) for value in events("answer")} == {"r-2"}
    assert all(map(STREAM.sniff, events("answer")))
    two = {"candidates": [*event({"text": "a"})["candidates"], *event({"text": "b"})["candidates"]]}
    others: list[Any] = [None, [], {}, {"candidates": []}, {"usageMetadata": {"promptTokenCount": 1}}, two]
    assert not any(map(STREAM.sniff, others))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However the events are damaged, cut or shuffled, they are read; only a blocked prompt alone is refused."""
    values = data.draw(damaged(data.draw(st.permutations(events("answer"))) if data.draw(st.booleans()) else events("truncated")))
    reader = STREAM.open()
    taken = [value for value in values if STREAM.sniff(value)]
    for value in taken:
        chunk(value)
        STREAM.key(value)
        if reader.add(value, Place()):
            break
    if taken and "candidates" in taken[0]:
        assert reader.finish().messages
