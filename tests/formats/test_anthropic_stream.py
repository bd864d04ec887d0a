import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.errors import UnreadFormat
from holter.formats.anthropic_stream import STREAM, chunk
from holter.formats.finding import input_cut, unknown_kept
from holter.messages import AIMessage, Conversation, Place, merge_chunks
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "anthropic_stream"


def events(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


def read(values: list[Any]) -> Conversation:
    reader = STREAM.open()
    ends = [reader.add(event, Place(line=line)) for line, event in enumerate(values, 1)]
    assert not any(ends[:-1])
    return reader.finish()


CALLS = [
    {"name": "tide", "args": {"port": "Dover"}, "id": "toolu_05", "type": "tool_call"},
    {"name": "now", "args": {}, "id": "toolu_06", "type": "tool_call"},
]


def test_answer() -> None:
    """A whole stream gives the message that the same answer gives in one piece."""
    conversation = read(events("answer"))
    usage = {"input_tokens": 30, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 41}
    assert conversation.format == "anthropic.stream"
    assert conversation.findings == []
    assert conversation.messages == [
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "The user wants two tides.", "extras": {"signature": "c2lnbmVk"}},
                {"type": "text", "text": "I ask the almanac."},
            ],
            id="msg_03",
            tool_calls=CALLS,
            usage_metadata={
                "input_tokens": 40,
                "output_tokens": 41,
                "total_tokens": 81,
                "input_token_details": {"cache_read": 10, "cache_creation": 0},
                "output_token_details": {},
            },
            response_metadata={"id": "msg_03", "model_name": "claude-sonnet-4-5", "stop_reason": "tool_use", "usage": usage},
        )
    ]


def test_last_event() -> None:
    """The stream is over with message_stop."""
    reader = STREAM.open()
    assert [reader.add(event, Place()) for event in events("answer")] == [False] * 19 + [True]


def test_truncated() -> None:
    """A stream that is cut gives what came; the call that is not whole is an invalid one with the reason."""
    conversation = read(events("truncated"))
    (message,) = conversation.messages
    assert isinstance(message, AIMessage)
    assert message.text == "I ask the almanac."
    assert message.tool_calls == []
    assert message.invalid_tool_calls == [
        {
            "name": "tide",
            "args": '{"port": "Do',
            "id": "toolu_05",
            "error": "not JSON: Unterminated string starting at character 9",
            "type": "invalid_tool_call",
            "index": 0,
        }
    ]
    assert conversation.findings == [input_cut("the stream ends before its message_stop", Place(line=14), 0)]


def test_error_event() -> None:
    """An error ends the stream; it is kept with the answer, and the finding says it."""
    conversation = read(events("overloaded"))
    error = {"type": "overloaded_error", "message": "Overloaded"}
    (message,) = conversation.messages
    assert (message.text, message.response_metadata["error"]) == ("I ask the almanac.", error)
    text = 'the stream ended with an error: {"type":"overloaded_error","message":"Overloaded"}'
    assert conversation.findings == [input_cut(text, Place(line=5), 0)]


def test_error_alone() -> None:
    """A stream of nothing but an error holds no answer."""
    with pytest.raises(UnreadFormat, match="an Anthropic error; it holds no messages"):
        read([{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}])


def test_unknown_delta() -> None:
    """A delta of an unknown kind is kept in its block."""
    values = events("answer")
    values.insert(9, {"type": "content_block_delta", "index": 1, "delta": {"type": "mood_delta", "mood": "calm"}})
    conversation = read(values)
    assert conversation.messages[0].content[1] == {
        "type": "text",
        "text": "I ask the almanac.",
        "extras": {"deltas": [{"type": "mood_delta", "mood": "calm"}]},
    }
    text = "delta 'mood_delta' is not known here and was kept in `extra`"
    assert conversation.findings == [unknown_kept(text, Place(path="delta", line=10), 0)]


def test_hosted_tool_and_citations() -> None:
    """The input of a hosted tool is decoded, and citations are gathered."""
    values = [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "server_tool_use", "id": "s", "name": "web_search"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"query": "tides"}'}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "High", "citations": []}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {"url": "https://example.org"}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": " at noon."}},
        {"type": "message_stop"},
    ]
    assert read(values).messages[0].content == [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tides"}},
        {"type": "text", "text": "High at noon.", "extras": {"citations": [{"url": "https://example.org"}]}},
    ]


def test_chunks() -> None:
    """The chunks of a stream, merged, say what its reader says; each call leaves its mark among the blocks."""
    values = events("answer")
    merged = merge_chunks([piece for event in values if (piece := chunk(event)) is not None])
    (message,) = read(values).messages
    assert isinstance(message, AIMessage)
    assert isinstance(message.content, list)
    marks = [{"type": "tool_call", "id": "toolu_05"}, {"type": "tool_call", "id": "toolu_06"}]
    assert merged.content == [*message.content, *marks]
    assert merged.calls[0] == CALLS[0]
    assert (merged.id, merged.finish_reason, merged.model) == (message.id, "tool_use", "claude-sonnet-4-5")


def test_sniff() -> None:
    """Each event is recognised, and so is the error of a stream; other values are not."""
    assert all(map(STREAM.sniff, [*events("answer"), *events("overloaded")]))
    others: list[Any] = [
        None,
        [],
        {"type": "message"},
        {"type": []},
        {"type": "error", "message": "no", "sequence_number": 3},
        {"error": {"type": "x"}},
        {"type": "ping", "data": 1},
    ]
    assert not any(map(STREAM.sniff, others))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However the events are damaged, cut or shuffled, they are read; only an error alone is refused."""
    values = data.draw(damaged(data.draw(st.permutations(events("answer"))) if data.draw(st.booleans()) else events("overloaded")))
    reader = STREAM.open()
    taken = []
    for event in filter(STREAM.sniff, values):
        taken.append(event["type"])
        chunk(event)
        if reader.add(event, Place()):
            break
    if set(taken) - {"error", "ping"}:
        assert len(reader.finish().messages) == 1
