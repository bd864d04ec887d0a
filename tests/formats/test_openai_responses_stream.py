import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from holter.formats.finding import input_cut, unknown_kept
from holter.formats.openai_responses import FORM
from holter.formats.openai_responses_stream import STREAM, chunk
from holter.messages import AIMessage, Conversation, Place, merge_chunks
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "openai_responses_stream"


def events(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


def read(values: list[Any]) -> Conversation:
    reader = STREAM.open()
    ends = [reader.add(event, Place(line=line)) for line, event in enumerate(values, 1)]
    assert not any(ends[:-1])
    return reader.finish()


CALL = {"name": "tide", "args": {"port": "Dover"}, "id": "call_3", "type": "tool_call"}


def test_answer() -> None:
    """A whole stream gives the message of its final response."""
    conversation = read(events("answer"))
    assert conversation.format == "openai.responses.stream"
    assert conversation.findings == []
    assert conversation.messages == FORM.read(events("answer")[-1]["response"], Place())[0].messages
    assert conversation.messages[0].content == [
        {"type": "reasoning", "reasoning": "Ask the almanac.", "extras": {"id": "rs_3", "encrypted_content": "ZW5j"}},
        {"type": "text", "text": "I look it up.", "extras": {"item": {"id": "msg_5"}}},
    ]


def test_items_without_the_final_response() -> None:
    """Without its last event the deltas and items say the same, and the cut is a finding."""
    whole = read(events("answer")).messages[0]
    conversation = read(events("answer")[:-1])
    (message,) = conversation.messages
    assert isinstance(message, AIMessage)
    assert isinstance(whole, AIMessage)
    assert (message.content, message.tool_calls) == (whole.content, whole.tool_calls)
    assert conversation.findings == [input_cut("the stream ends before its response.completed", Place(line=20), 0)]


def test_truncated() -> None:
    """A stream that is cut gives what came; the call that is not whole is an invalid one with the reason."""
    (message,) = read(events("truncated")).messages
    assert isinstance(message, AIMessage)
    assert message.text == "I look it up."
    assert message.invalid_tool_calls == [
        {
            "name": "tide",
            "args": '{"port":',
            "id": "call_3",
            "error": "not JSON: Expecting value at character 8",
            "type": "invalid_tool_call",
            "index": 0,
            "extras": {"item": {"id": "fc_2", "status": "in_progress"}},
        }
    ]


def test_deltas_alone() -> None:
    """Deltas whose item never began are kept: a text is a message's, arguments are a call's."""
    deltas = [event for event in events("answer") if event["type"].endswith(".delta")]
    (message,) = read(deltas).messages
    assert isinstance(message, AIMessage)
    assert message.reasoning_text == "Ask the almanac."
    assert message.text == "I look it up."
    assert [call["args"] for call in message.calls] == ['{"port":"Dover"}']


def test_failed() -> None:
    """A failed answer keeps what came before it and the error, which a finding says."""
    conversation = read(events("failed"))
    (message,) = conversation.messages
    error = {"code": "server_error", "message": "try again", "param": None}
    assert (message.text, message.response_metadata["error"], message.response_metadata["status"]) == ("I look ", error, "failed")
    text = 'the stream ended with an error: {"code":"server_error","message":"try again","param":null}'
    assert conversation.findings == [input_cut(text, Place(line=6), 0)]


def test_unknown_delta() -> None:
    """A delta of an unknown kind is kept with its item."""
    event = {"type": "response.smell.delta", "sequence_number": 21, "output_index": 1, "delta": "salt"}
    conversation = read([*events("answer")[:12], event])
    assert conversation.messages[0].content[1] == {
        "type": "text",
        "text": "I look it up.",
        "extras": {"item": {"id": "msg_5", "status": "in_progress", "deltas": [event]}},
    }
    text = "event 'response.smell.delta' is not known here and was kept in `extra`"
    assert unknown_kept(text, Place(line=13), 0) in conversation.findings


def test_key() -> None:
    """Events with a response say which; the others belong to the newest."""
    values = events("answer")
    assert [STREAM.key(event) for event in (values[0], values[5], values[-1])] == ["resp_03", None, "resp_03"]
    assert [STREAM.starts(event) for event in values] == [True] + [False] * 20


def test_chunks() -> None:
    """The chunks of a stream, merged, say what its reader says: the whole that `done` repeats is not doubled."""
    values = events("answer")
    merged = merge_chunks([piece for event in values if (piece := chunk(event)) is not None])
    (message,) = read(values).messages
    assert isinstance(message, AIMessage)
    assert merged.content == [
        {"type": "reasoning", "reasoning": "Ask the almanac.", "extras": {"id": "rs_3", "encrypted_content": "ZW5j"}},
        {"type": "text", "text": "I look it up."},
    ]
    assert merged.tool_calls == message.tool_calls
    assert (merged.usage_metadata, merged.model) == (message.usage_metadata, "gpt-5-mini")


def test_sniff() -> None:
    """Each event is recognised, and so is the error of a stream; other values are not."""
    assert all(map(STREAM.sniff, [*events("answer"), *events("failed")]))
    others: list[Any] = [
        None,
        [],
        {"type": "response.created", "event_id": "event_1", "response": {}},
        {"type": "error", "error": {"type": "overloaded_error"}},
        {"type": "response.text"},
        {"type": [], "sequence_number": 1},
        {"object": "response", "output": []},
    ]
    assert not any(map(STREAM.sniff, others))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However the events are damaged, cut or shuffled, they are read."""
    values = data.draw(damaged(data.draw(st.permutations(events("answer"))) if data.draw(st.booleans()) else events("truncated")))
    reader = STREAM.open()
    for event in values:
        if STREAM.sniff(event):
            chunk(event)
            STREAM.key(event)
            if reader.add(event, Place()):
                break
    assert reader.finish().messages
