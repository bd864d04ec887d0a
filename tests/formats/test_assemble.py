import json
from typing import Any

import pytest

from holter.errors import UnknownFormat, UnreadFormat
from holter.formats.assemble import Assembler
from holter.formats.finding import text_damaged
from holter.messages import AIMessage, Conversation, HumanMessage, Place, Shared

TURN: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
ERROR = {"error": {"message": "slow down", "type": "rate_limit"}}


def turn() -> list[dict[str, Any]]:
    """A copy: readers take values apart."""
    return [dict(message) for message in TURN]


def assembled(*values: Any, lines_are_messages: bool = True) -> list[Conversation]:
    assembler = Assembler("log", lines_are_messages=lines_are_messages)
    taken = [c for line, value in enumerate(values, 1) for c in assembler.take(json.loads(json.dumps(value)), Place(line=line))]
    return [*taken, *assembler.end()]


def found(conversations: list[Conversation]) -> list[tuple[int | None, int | None, str]]:
    """(conversation, line, text) of every finding."""
    return [(f.conversation, f.line, f.text) for conversation in conversations for f in conversation.findings]


def test_messages_that_stand_alone() -> None:
    """Where lines are messages they are one conversation, which another value ends; elsewhere each is one of its own."""
    (first, second) = assembled(*TURN, {"messages": TURN})
    assert (first.messages, list(first.places)) == (
        [HumanMessage("Hi"), AIMessage("Hello.")],
        [Place(index=0, line=1), Place(index=1, line=2)],
    )
    assert (second.place, second.shared) == (Place(line=3), Shared(0, 2))
    assert [len(c.messages) for c in assembled(*TURN, lines_are_messages=False)] == [1, 1]


def test_langchain_messages_that_stand_alone() -> None:
    """Messages of another format that stand alone are a conversation of that format."""
    conversations = assembled(*TURN, {"type": "human", "content": "a"}, {"type": "ai", "content": "b"}, *TURN)
    assert [(c.format, len(c.messages)) for c in conversations] == [("openai.chat", 2), ("langchain.json", 2), ("openai.chat", 2)]


def test_findings_come_with_the_next_conversation() -> None:
    """What is noted before a conversation comes with it, and what is noted at the end with the last one."""
    assembler = Assembler(None, lines_are_messages=True)
    assembler.note(text_damaged("one"))
    taken = [*assembler.take(turn(), Place(line=1)), *assembler.take(turn(), Place(line=2))]
    assembler.note(text_damaged("two"))
    assert found([*taken, *assembler.end()]) == [(0, None, "one"), (1, None, "two")]


def test_findings_of_one_kind_are_counted() -> None:
    """Twenty of a kind are listed, numbers in their texts apart; the last of the others says how many there were."""
    assembler = Assembler(None, lines_are_messages=True)
    for line in range(1_000):
        assembler.note(text_damaged(f"{line} bytes are not UTF-8", Place(line=line)))
    (conversation,) = [*assembler.take(turn(), Place()), *assembler.end()]
    assert len(conversation.findings) == 21
    assert found([conversation])[-1] == (0, 999, "999 bytes are not UTF-8 (the last of 980 more)")


def test_values_that_are_no_conversation() -> None:
    """They are counted and said once, at the first."""
    conversations = assembled({"a": 1}, TURN, {"b": [1]}, 3, "x", None, {"run_type": "llm", "trace_id": "t", "inputs": {}})
    assert found(conversations) == [
        (0, 1, "a value that is no conversation was left out (5 times)"),
        (0, 7, "a LangSmith run; not read yet: was left out"),
    ]


def test_nothing_but_such_values() -> None:
    """What is known by name is named, first of all; otherwise the formats that were tried are."""
    with pytest.raises(UnknownFormat, match="nothing in it was recognised"):
        assembled({"a": 1}, 3)
    with pytest.raises(UnreadFormat, match="a LangSmith run; not read yet"):
        assembled({"a": 1}, {"run_type": "llm", "trace_id": "t", "inputs": {}}, ERROR)
    with pytest.raises(UnreadFormat, match="an OpenAI error body"):
        assembled(ERROR, {"a": 1})


def test_errors_do_not_stop_what_follows() -> None:
    """An error body at the beginning, a blocked prompt and a stream that is an error alone are findings when anything else is read."""
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    conversations = assembled(ERROR, blocked, overloaded, TURN)
    assert [len(c.messages) for c in conversations] == [2]
    assert [text.endswith("stands among the messages") for _, _, text in found(conversations)] == [True, True, True]


def test_the_same_fields_another_format() -> None:
    """A record with the fields of the last one is still told by what is in it."""
    response = {"id": "r", "object": "chat.completion", "choices": [{"index": 0, "message": TURN[1], "finish_reason": "stop"}]}
    chunk = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
    marked = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}]
    called = [*TURN, {"role": "tool", "tool_call_id": "c", "content": ""}]
    assert [c.format for c in assembled(response, chunk, response)] == ["openai.response", "openai.response", "openai.stream"]
    assert [c.format for c in assembled({"messages": called}, {"messages": marked}, {"messages": called})] == [
        "openai.chat",
        "anthropic.messages",
        "openai.chat",
    ]


def test_unknown_shapes_stay_cheap_and_known() -> None:
    """However many records of a shape have no foreign name, conversations in later ones are found."""
    conversations = assembled(*[{"a": {"b": 1}}] * 50, {"a": {"b": 1, "messages": TURN}}, {"a": TURN})
    assert [c.place for c in conversations] == [Place(line=51, path="a"), Place(line=52, path="a")]


def test_a_list_of_events() -> None:
    """A list of a stream's events is one stream; what stands behind it is another."""
    event = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "x"}}]}
    conversations = assembled([event, event], [event])
    assert [[m.text for m in c.messages] for c in conversations] == [["xx"], ["x"]]
    assert [c.place.path for c in conversations] == ["[0]", "[0]"]


def test_recognises() -> None:
    """What holds a conversation or an event, at any depth that is searched."""
    assembler = Assembler(None, lines_are_messages=False)
    assert assembler.recognises(TURN)
    assert assembler.recognises({"a": [{"b": TURN}]})
    assert assembler.recognises({"object": "chat.completion.chunk", "choices": []})
    assert not any(map(assembler.recognises, [{"a": 1}, [], [3], 3, "x", None]))


def test_a_state_without_messages_is_no_conversation() -> None:
    """A snapshot that holds no messages is left out, and said."""
    empty = {"values": {"messages": []}, "next": [], "config": {}}
    assert found(assembled(empty, TURN)) == [(0, 1, "a record without messages was left out")]
    with pytest.raises(UnknownFormat):
        assembled(empty)


def test_items_of_a_list_that_are_no_conversation() -> None:
    """They are counted where others of the list hold one."""
    (conversation,) = assembled([{"a": 1}, {"deep": {"role": "user", "content": "hi"}}, 7, None], lines_are_messages=False)
    assert conversation.messages == [HumanMessage("hi")]
    assert "a value that is no conversation was left out (3 times)" in [text for _, _, text in found([conversation])]
