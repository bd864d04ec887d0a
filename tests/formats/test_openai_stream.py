import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.formats.finding import input_cut, unknown_kept
from holter.formats.openai_chat import read_response
from holter.formats.openai_stream import STREAM, chunk
from holter.messages import AIMessage, Conversation, Place, merge_chunks
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "openai_stream"


def events(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


def event(delta: Any, finish_reason: str | None = None, **beside: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], **beside}


def read(values: list[Any]) -> Conversation:
    reader = STREAM.open()
    ends = [reader.add(value, Place(line=line)) for line, value in enumerate(values, 1)]
    assert not any(ends[:-1])
    return reader.finish()


def answer(values: list[Any]) -> AIMessage:
    (message,) = read(values).messages
    assert isinstance(message, AIMessage)
    return message


def made(message: AIMessage) -> list[tuple[Any, ...]]:
    return [(call["id"], call["name"], call["args"]) for call in message.calls]


def calls(*deltas: Any) -> list[tuple[Any, ...]]:
    """The calls of a stream whose deltas hold these entries of `tool_calls`."""
    return made(answer([*(event({"tool_calls": delta}) for delta in deltas), event({}, "tool_calls")]))


def entry(arguments: Any = None, name: str | None = None, **beside: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**beside, "function": {key: value for key, value in function.items() if value is not None}}


# A whole stream


def test_answer() -> None:
    """A whole stream gives the message that the same answer gives in one piece, with the usage of its last event."""
    conversation = read(events("answer"))
    usage = events("answer")[-1]["usage"]
    assert (conversation.format, conversation.findings, conversation.extra) == ("openai.stream", [], {})
    assert list(conversation.places) == [Place(index=0, line=1)]
    assert conversation.place == Place(line=1)
    assert conversation.messages == [
        AIMessage(
            "I ask the almanac.",
            reasoning="Two ports, two calls.",
            tool_calls=[
                {"name": "tide", "args": {"port": "Dover"}, "id": "call_1", "type": "tool_call"},
                {"name": "tide", "args": {"port": "Calais"}, "id": "call_2", "type": "tool_call"},
            ],
            usage_metadata={
                "input_tokens": 52,
                "output_tokens": 31,
                "total_tokens": 83,
                "input_token_details": {"cache_read": 32},
                "output_token_details": {"reasoning": 6},
            },
            response_metadata={
                "id": "chatcmpl-31",
                "created": 1790000000,
                "model_name": "harbour-2",
                "system_fingerprint": "fp_7",
                "token_usage": usage,
                "finish_reason": "tool_calls",
                "service_tier": "default",
            },
        )
    ]


def test_same_names_as_a_response() -> None:
    """A stream and a response body of the same answer differ in nothing that a reader of logs compares."""
    streamed = answer(events("answer"))
    body = {
        **{key: value for key, value in events("answer")[-1].items() if key != "object"},
        "choices": [
            {
                "finish_reason": "tool_calls",
                "message": {
                    "content": "I ask the almanac.",
                    "reasoning_content": "Two ports, two calls.",
                    "tool_calls": [
                        {"id": "call_1", "type": "function", "function": {"name": "tide", "arguments": '{"port":"Dover"}'}},
                        {"id": "call_2", "type": "function", "function": {"name": "tide", "arguments": '{"port":"Calais"}'}},
                    ],
                },
            }
        ],
    }
    assert read_response(body, Place())[0].messages == [streamed]


def test_last_event() -> None:
    """The stream is over with the usage that follows the finish reason, and not before."""
    reader = STREAM.open()
    assert [reader.add(value, Place()) for value in events("answer")] == [False] * 12 + [True]


def test_usage_before_the_end() -> None:
    """A usage without choices that comes before the finish reason ends nothing."""
    reader = STREAM.open()
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 0}}
    assert [reader.add(value, Place()) for value in (usage, event({"content": "a"}), event({}, "stop"))] == [False] * 3


def test_chunks() -> None:
    """The chunks of a stream, merged, are its reader's message."""
    assert merge_chunks([chunk(value) for value in events("answer")]) == answer(events("answer"))


def test_chunk_leaves_the_event_alone() -> None:
    """A live model may show an event and keep it."""
    values = events("answer")
    for value in values:
        chunk(value)
    assert values == events("answer")


# Streams that end badly


def test_truncated() -> None:
    """A stream that is cut gives what came; the call that is not whole is an invalid one with the reason."""
    conversation = read(events("truncated"))
    (message,) = conversation.messages
    assert isinstance(message, AIMessage)
    assert made(message) == [("call_1", "tide", {"port": "Dover"}), ("call_2", "tide", '{"port":"Ca')]
    assert [call["index"] for call in message.invalid_tool_calls] == [1]
    (finding,) = conversation.findings
    assert (finding.code, finding.severity, finding.message, finding.index, finding.line) == ("READ01", "error", 0, 9, 10)
    assert finding.text == "the stream ends without a finish_reason after 10 chunks"


def test_whole_call_without_an_end() -> None:
    """A call that looks whole is no proof that the answer was."""
    conversation = read([event({"tool_calls": [entry('{"n": 5}', "pay", index=0, id="p")]})])
    assert [finding.text for finding in conversation.findings] == ["the stream ends without a finish_reason after 1 chunk"]


def test_empty_finish_reason() -> None:
    """An empty finish reason is none."""
    assert [finding.code for finding in read([event({"content": "a"}, "")]).findings] == ["READ01"]


def test_nothing_came() -> None:
    """A reader that got nothing says so."""
    conversation = STREAM.open().finish()
    assert conversation.messages == [AIMessage()]
    assert [finding.text for finding in conversation.findings] == ["the stream ends without a finish_reason after 0 chunks"]


def test_error_in_mid_stream() -> None:
    """An error ends the stream; it is kept, and the finding says it."""
    conversation = read(events("error"))
    error = events("error")[-1]["error"]
    assert (conversation.messages[0].text, conversation.extra) == ("I ask the almanac.", {"error": error})
    text = f"the stream ends with an error after 6 chunks: {json.dumps(error, separators=(',', ':'))}"
    assert conversation.findings == [input_cut(text, Place(index=5, line=6), 0)]


def test_error_beside_a_delta() -> None:
    """OpenRouter sends the error with a last delta, whose text is kept."""
    conversation = read([event({"content": "a"}), event({"content": "b"}, "error", error={"code": 502, "message": "gone"})])
    assert (conversation.messages[0].text, conversation.extra) == ("ab", {"error": {"code": 502, "message": "gone"}})
    assert [finding.code for finding in conversation.findings] == ["READ01"]


def test_error_object() -> None:
    """vLLM's error stands in the event itself."""
    conversation = read([event({"content": "a"}), {"object": "error", "message": "too long", "code": 400}])
    assert conversation.extra["error"]["message"] == "too long"
    assert "model_name" not in conversation.messages[0].response_metadata


# Calls, as providers send them


def test_snapshots_of_all_calls() -> None:
    """Updates that hold every call so far give each call once."""
    a, b, c = entry("{}", "f1", id="a"), entry("{}", "f2", id="b"), entry("{}", "f3", id="c")
    assert calls([a], [a, b], [a, b, c]) == [("a", "f1", {}), ("b", "f2", {}), ("c", "f3", {})]


def test_index_missing() -> None:
    """Without an index a delta continues the open call, and a new id opens another."""
    first = [entry('{"zone":', "clock", id="a1")], [entry('"UTC"}')]
    assert calls(*first, [entry('{"port":"Oslo"}', "tide", id="a2")]) == [
        ("a1", "clock", {"zone": "UTC"}),
        ("a2", "tide", {"port": "Oslo"}),
    ]


def test_two_entries_of_one_call() -> None:
    """One event may hold two entries with the same index."""
    assert calls([entry("", "f", index=0, id="q"), entry('{"a":', index=0)], [entry("1}", index=0)]) == [("q", "f", {"a": 1})]


def test_late_id() -> None:
    """The id may come last, and empty texts before it say nothing."""
    deltas = [entry('{"q":', "ask", index=0)], [entry('"hi"', "", index=0, id="")], [entry("}", index=0, id="late")]
    assert calls(*deltas) == [("late", "ask", {"q": "hi"})]


def test_arguments_as_an_object() -> None:
    """Arguments that come as an object are that object."""
    assert calls([entry({"a": {}}, "f", index=0, id="x")], [entry({}, "g", index=1, id="y")]) == [("x", "f", {"a": {}}), ("y", "g", {})]


def test_single_call_without_a_list() -> None:
    """One call in place of the list is that call."""
    assert calls(entry("{}", "f", index=0, id="x")) == [("x", "f", {})]


def test_legacy_function_call() -> None:
    """A `function_call` in pieces is one call that says where it came from, beside the others."""
    deltas = [{"function_call": {"name": "f", "arguments": '{"a"'}}, {"function_call": {"arguments": ":1}"}}]
    message = answer([*map(event, deltas), event({}, "function_call")])
    assert message.tool_calls == [{"name": "f", "args": {"a": 1}, "id": None, "type": "tool_call", "extras": {"type": "function_call"}}]


def test_custom_tool() -> None:
    """The free text of a custom tool comes in pieces and is no JSON."""
    first = {"index": 0, "id": "x", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}
    message = answer([event({"tool_calls": [first]}), event({"tool_calls": [{"index": 0, "custom": {"input": " 1"}}]}), event({}, "stop")])
    assert message.tool_calls == [
        {"name": "sql", "args": {"input": "SELECT 1"}, "id": "x", "type": "tool_call", "extras": {"type": "custom"}}
    ]


def test_what_else_a_call_says() -> None:
    """A provider's own field of a call is kept with it (Gemini's signature of a thought)."""
    signed = {**entry("{}", "f", index=0, id="x"), "extra_content": {"google": {"thought_signature": "c2ln"}}}
    (call,) = answer([event({"tool_calls": [signed]}), event({}, "stop")]).tool_calls
    assert call["extras"] == {"extra_content": {"google": {"thought_signature": "c2ln"}}}


# Text, reasoning and what stands beside them


def test_reasoning_under_its_other_name() -> None:
    """Groq and OpenRouter call it `reasoning`, and the message remembers it."""
    message = answer([event({"reasoning": "Hm"}), event({"reasoning": "."}), event({"content": "Yes"}, "stop")])
    assert (message.reasoning, message.content, message.extra) == ("Hm.", "Yes", {"reasoning_field": "reasoning"})
    assert read([event({"reasoning": "Hm"}, "stop")]).findings == []


def test_reasoning_under_both_names() -> None:
    """The same reasoning twice is one."""
    message = answer([event({"reasoning": "Hm", "reasoning_content": "Hm"}, "stop")])
    assert (message.reasoning, message.extra) == ("Hm", {})


def test_thinking_blocks() -> None:
    """Mistral's blocks of thinking are joined, and the answer's text comes behind them."""
    thinking = [event({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]}) for text in ("It", " is")]
    message = answer([*thinking, event({"content": "42"}), event({"content": "."}, "stop")])
    assert message.content == [{"type": "reasoning", "reasoning": "It is"}, {"type": "text", "text": "42."}]


def test_blocks_with_an_index() -> None:
    """Blocks are joined by their index, which the message does not keep."""
    pieces = [(0, "a"), (1, "b"), (0, "c")]
    values = [event({"content": [{"type": "text", "text": text, "index": index}]}) for index, text in pieces]
    assert answer([*values, event({}, "stop")]).content == [{"type": "text", "text": "ac"}, {"type": "text", "text": "b"}]


def test_refusal() -> None:
    """A refusal comes in pieces like any text."""
    message = answer([event({"refusal": "I "}), event({"refusal": "will not."}), event({}, "stop")])
    assert message.additional_kwargs == {"refusal": "I will not."}


def test_audio() -> None:
    """The transcript and the data of an audio answer come in pieces, its id once."""
    values = [event({"audio": {"id": "au"}}), event({"audio": {"transcript": "He", "data": "QQ"}}), event({"audio": {"transcript": "y"}})]
    assert answer([*values, event({}, "stop")]).additional_kwargs == {"audio": {"id": "au", "transcript": "Hey", "data": "QQ"}}


def test_logprobs() -> None:
    """The logprobs of every delta are kept in one list."""
    values = [event({"content": text}) for text in "ab"]
    for value, text in zip(values, "ab", strict=True):
        value["choices"][0]["logprobs"] = {"content": [{"token": text, "logprob": -0.5}], "refusal": None}
    tokens = answer([*values, event({}, "stop")]).response_metadata["logprobs"]["content"]
    assert [token["token"] for token in tokens] == ["a", "b"]


def test_padding_is_dropped() -> None:
    """`obfuscation` says nothing."""
    assert answer([event({"content": "a"}, "stop", obfuscation="x9")]).response_metadata == {"id": "c", "finish_reason": "stop"}


def test_unknown_field_of_a_delta() -> None:
    """An unknown field is kept, its texts joined by index, and said once with its first place."""
    details = [event({"reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0}]}) for text in ("So", " be it")]
    conversation = read([event({"content": "a"}), *details, event({}, "stop")])
    assert conversation.messages[0].extra == {"reasoning_details": [{"type": "reasoning.text", "text": "So be it", "index": 0}]}
    text = "field 'reasoning_details' is not known here and was kept in `extra` (2 times)"
    place = Place(index=1, path="choices[0].delta.reasoning_details", line=2)
    assert conversation.findings == [unknown_kept(text, place, 0)]


# Usage


def test_running_totals() -> None:
    """Counts that grow from event to event are not summed."""
    counts = [{"prompt_tokens": 10, "completion_tokens": n, "total_tokens": 10 + n} for n in (1, 2, 3)]
    values = [event({"content": "a"}, usage=counts[0]), event({"content": "b"}, usage=counts[1]), event({}, "stop", usage=counts[2])]
    message = answer(values)
    assert message.usage_metadata is not None
    assert [message.usage_metadata[key] for key in ("input_tokens", "output_tokens", "total_tokens")] == [10, 3, 13]
    assert message.response_metadata["token_usage"] == counts[2]


@pytest.mark.parametrize("where", ["x_groq", "choice"])
def test_usage_elsewhere(where: str) -> None:
    """Groq sends the usage under `x_groq`, Moonshot in the choice."""
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    value = event({}, "stop", **({"x_groq": {"id": "req", "usage": usage}} if where == "x_groq" else {}))
    if where == "choice":
        value["choices"][0]["usage"] = usage
    counted = answer([value]).usage_metadata
    assert counted is not None
    assert counted["total_tokens"] == 9


# Several choices


def test_further_choices() -> None:
    """The first choice is the message, whatever order they come in; the others are kept and said."""
    values = [event({"content": "b"}), event({"content": "a"}), event({}, "stop")]
    values[0]["choices"][0]["index"] = 1
    conversation = read(values)
    assert conversation.messages[0].text == "a"
    assert conversation.extra == {"choices": [{"index": 1, "message": {"type": "ai", "content": "b", "response_metadata": {"id": "c"}}}]}
    text = "the stream holds 2 choices; the first is the message, the others were kept in `extra`"
    assert conversation.findings == [unknown_kept(text, Place(path="choices", line=1), 0)]


# Recognising


def test_sniff() -> None:
    """Each event is recognised, also a usage and a filter result without choices; other values are not."""
    alone = [{"choices": [], "usage": {}}, {"choices": [], "id": "", "prompt_filter_results": []}, {"object": "chat.completion.chunk"}]
    assert all(map(STREAM.sniff, [*events("answer"), *alone, event({})]))
    others: list[Any] = [
        None,
        [],
        {"choices": []},
        {"choices": {}},
        {"choices": [3]},
        {"choices": [{"delta": "a"}]},
        {"choices": [{"message": {"content": "a"}}], "object": "chat.completion"},
        {"error": {"message": "no"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
    ]
    assert not any(map(STREAM.sniff, others))


def test_key() -> None:
    """The id tells streams apart; an empty one or another thing in its place does not."""
    assert [STREAM.key({"id": own_id}) for own_id in ("c", "", None, 3)] == ["c", None, None, None]
    assert not any(map(STREAM.starts, events("answer")))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_reading_never_raises(data: st.DataObject) -> None:
    """However the events are damaged, cut or shuffled, they are read."""
    values = data.draw(damaged(data.draw(st.permutations(events("answer"))) if data.draw(st.booleans()) else events("error")))
    reader = STREAM.open()
    for value in values:
        if isinstance(value, dict):
            STREAM.sniff(value)
            STREAM.key(value)
            chunk(value)
            reader.add(value, Place())
    assert len(reader.finish().messages) == 1


@pytest.mark.parametrize("name", ["answer", "error"])
def test_every_beginning_is_read(name: str) -> None:
    """A stream that is cut after any event gives a message and says that it is cut."""
    values = events(name)
    for count in range(len(values)):
        conversation = read(values[:count])
        assert len(conversation.messages) == 1
        assert any(finding.code == "READ01" for finding in conversation.findings) == (count < 12)
