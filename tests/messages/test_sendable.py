"""Whatever happened to a history, what is sent of it is valid and holds all that can be kept."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage, sendable
from holter.messages.sendable import UNKNOWN
from tests import strategies


def _call(call_id: str | None, name: str = "find") -> dict[str, Any]:
    return {"name": name, "args": {}, "id": call_id, "type": "tool_call"}


def _ids(messages: list[Message]) -> list[Any]:
    """The ids of each message's calls, or of the call it answers, with its text."""
    return [
        [call["id"] for call in m.calls] if isinstance(m, AIMessage) else (m.tool_call_id, m.text) if isinstance(m, ToolMessage) else m.text
        for m in messages
    ]


@given(strategies.valid_histories())
def test_a_valid_history_comes_back_as_it_is(messages: list[Message]) -> None:
    """The very same objects, also where an id comes again in a later turn."""
    sent = sendable(messages)
    assert len(sent) == len(messages)
    assert all(a is b for a, b in zip(sent, messages, strict=True))


@given(strategies.broken_histories())
def test_what_is_sent_is_valid(messages: list[Message]) -> None:
    """Every call is answered right behind its message, in call order, under an id of its own; no result is left over."""
    assert strategies.faults(sendable(messages)) == []


@given(strategies.broken_histories(), st.sampled_from(["message", "history"]))
def test_is_idempotent(messages: list[Message], unique_ids: Any) -> None:
    """What is valid already is not touched again."""
    sent = sendable(messages, unique_ids=unique_ids)
    again = sendable(sent, unique_ids=unique_ids)
    assert all(a is b for a, b in zip(again, sent, strict=True))


@given(strategies.broken_histories())
def test_loses_nothing_but_results_of_no_call(messages: list[Message]) -> None:
    """Human, system and AI messages stay, in their order and but for ids unchanged; so do results that answer a call."""

    def without_ids(message: Message) -> Message:
        if not isinstance(message, AIMessage):
            return message
        calls = [[{**call, "id": None} for call in calls] for calls in (message.tool_calls, message.invalid_tool_calls)]
        invalid = sorted(calls[1], key=lambda call: (call.get("index") is None, call.get("index")))
        return message.replace(tool_calls=calls[0], invalid_tool_calls=invalid)

    kept = [without_ids(message) for message in messages if not isinstance(message, ToolMessage)]
    assert [without_ids(message) for message in sendable(messages) if not isinstance(message, ToolMessage)] == kept


@given(strategies.broken_histories())
def test_ids_can_be_unique_in_the_whole_history(messages: list[Message]) -> None:
    """As Anthropic wants them."""
    sent = sendable(messages, unique_ids="history")
    ids = [call["id"] for message in sent if isinstance(message, AIMessage) for call in message.calls]
    assert len(set(ids)) == len(ids)
    assert strategies.faults(sent) == []


@given(strategies.valid_histories(), strategies.valid_histories(), st.sampled_from(["message", "history"]))
def test_what_was_sent_stays_as_the_history_grows(before: list[Message], after: list[Message], unique_ids: Any) -> None:
    """A provider's cache of the beginning holds."""
    sent = sendable(before, unique_ids=unique_ids)
    assert sendable(before + after, unique_ids=unique_ids)[: len(sent)] == sent


def test_closes_open_calls() -> None:
    """Also those of the last message and invalid ones; the result says that nothing is known."""
    invalid = {"name": None, "args": "{", "id": "b", "error": "cut", "type": "invalid_tool_call", "index": 1}
    sent = sendable([HumanMessage("hi"), AIMessage("", tool_calls=[_call("a")], invalid_tool_calls=[invalid])])
    assert sent[2:] == [
        ToolMessage(UNKNOWN, tool_call_id="a", name="find", status="error"),
        ToolMessage(UNKNOWN, tool_call_id="b", status="error"),
    ]
    assert snapshot("No result was recorded for this call: it may or may not have run.") == UNKNOWN


def test_moves_results_behind_their_call_and_drops_orphans() -> None:
    """What stood between comes after them."""
    messages: list[Message] = [
        ToolMessage("cut off", tool_call_id="z"),
        SystemMessage("Be brief."),
        AIMessage("", tool_calls=[_call("a"), _call("b")]),
        ToolMessage("B", tool_call_id="b"),
        HumanMessage("hello?"),
        ToolMessage("A", tool_call_id="a"),
        ToolMessage("A again", tool_call_id="a"),
    ]
    assert _ids(sendable(messages)) == snapshot(["Be brief.", ["a", "b"], ("a", "A"), ("b", "B"), "hello?"])


@pytest.mark.parametrize("unique_ids", ["message", "history"])
def test_ids_of_one_message_are_unique(unique_ids: Any) -> None:
    """A later call with an earlier one's id is renamed with its result; an id that is taken already is not chosen."""
    calls = [_call("a"), _call("a"), _call("a_2"), _call(None), _call("a"), _call("call_0_3")]
    results = [ToolMessage(str(i), tool_call_id=call["id"]) for i, call in enumerate(calls)]
    assert _ids(sendable([AIMessage("", tool_calls=calls), *results], unique_ids=unique_ids)) == snapshot(
        [
            ["a", "a_3", "a_2", "call_0_3_2", "a_4", "call_0_3"],
            ("a", "0"),
            ("a_3", "1"),
            ("a_2", "2"),
            ("call_0_3_2", "3"),
            ("a_4", "4"),
            ("call_0_3", "5"),
        ]
    )


def test_ids_of_later_turns() -> None:
    """They may come again, unless they are to be unique in the whole history."""
    turn: list[Message] = [AIMessage("", tool_calls=[_call("a")]), ToolMessage("A", tool_call_id="a")]
    assert _ids(sendable(turn * 3)) == [["a"], ("a", "A")] * 3
    assert _ids(sendable(turn * 3, unique_ids="history")) == [["a"], ("a", "A"), ["a_2"], ("a_2", "A"), ["a_3"], ("a_3", "A")]


def test_renames_the_marks_in_the_content_too() -> None:
    """Where blocks mark the places of calls, each mark takes its call's new id; other blocks stay."""
    marks: list[dict[str, Any]] = [{"type": "tool_call", "id": call_id} for call_id in ("a", "a", None, "b", "a")]
    content: list[dict[str, Any]] = [{"type": "text", "text": "first", "id": "a"}, *marks, {"type": "tool_call"}]
    sent = sendable([AIMessage(content, tool_calls=[_call("a"), _call("a"), _call(None), _call("b")])])
    assert sent[0].content == snapshot(
        [
            {"type": "text", "text": "first", "id": "a"},
            {"type": "tool_call", "id": "a"},
            {"type": "tool_call", "id": "a_2"},
            {"type": "tool_call", "id": "call_0_2"},
            {"type": "tool_call", "id": "b"},
            {"type": "tool_call", "id": "a"},
            {"type": "tool_call"},
        ]
    )


def test_calls_without_a_type_are_calls() -> None:
    """People write calls by hand without "type", as LangChain lets them."""
    call = {"name": "find", "args": {}, "id": ""}
    assert sendable([AIMessage("", tool_calls=[call])])[0] == AIMessage("", tool_calls=[{**call, "id": "call_0_0"}])


def test_a_huge_batch_of_one_id() -> None:
    """Renaming takes each call once."""
    count = 50_000
    sent = sendable([AIMessage("", tool_calls=[_call("a")] * count), *[ToolMessage("", tool_call_id="a")] * count])
    assert len({message.tool_call_id for message in sent if isinstance(message, ToolMessage)}) == count
