"""`add_messages`, and the growing list that it stands on."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core import messages as langchain

from holter.messages import AIMessage, AIMessageChunk, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage, add_messages
from holter.messages.history import REMOVE_ALL, History
from tests.strategies import messages

A, B, C = HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")
CALL = {"name": "f", "args": {"x": 1}, "id": "k", "type": "tool_call"}


def test_messages_are_appended() -> None:
    """Lists or single ones, on either side."""
    assert add_messages([A], [B, C]) == [A, B, C]
    assert add_messages(A, B) == [A, B]
    assert add_messages([], []) == []


def test_one_of_a_known_id_takes_the_place() -> None:
    """The position stays."""
    assert add_messages([A, B, C], [B.replace(content="new")]) == [A, B.replace(content="new"), C]


def test_messages_are_removed() -> None:
    """One, all before, and one that comes again in the same update, which keeps its place."""
    assert add_messages([A, B, C], [RemoveMessage("2")]) == [A, C]
    assert add_messages([A, B], [C, RemoveMessage(REMOVE_ALL), HumanMessage("n", id="n")]) == [HumanMessage("n", id="n")]
    assert add_messages([A, B], [RemoveMessage("1"), A.replace(content="again")]) == [A.replace(content="again"), B]
    assert add_messages([A], [B, RemoveMessage("2")]) == [A]


def test_removing_what_is_not_there_is_an_error() -> None:
    """And changes nothing."""
    with pytest.raises(ValueError, match="Attempting to delete a message with an ID that doesn't exist \\('9'\\)"):
        add_messages([A], [RemoveMessage("9")])
    history = History([A])
    with pytest.raises(ValueError, match="'1'"):
        history.update([RemoveMessage(REMOVE_ALL), B, RemoveMessage("1")])
    assert history.messages() == [A]


def test_messages_without_an_id_get_one() -> None:
    """New ones; the caller's objects stay as they are."""
    mine = HumanMessage("x")
    one, two = add_messages([mine], [mine])
    assert mine.id is None
    assert one.id
    assert two.id
    assert one.id != two.id
    assert (one.content, two.content) == ("x", "x")


def test_no_message_is_replaced_by_one_of_another_kind() -> None:
    """Rule PAIR12: the answer stays, and so do both results."""
    answer = AIMessage("", id="m1", tool_calls=[CALL, {**CALL, "id": "k2"}])
    results = [ToolMessage("1", tool_call_id="k", id="m1"), ToolMessage("2", tool_call_id="k2", id="m1")]
    assert add_messages([answer], results) == [answer, results[0].replace(id="m1_2"), results[1].replace(id="m1_3")]
    history = History([answer])
    assert history.add(results[0]).id == "m1_2"
    assert history.renamed[0].text == "A message (tool) came under the id 'm1' of one that it is no new form of; it now has the id 'm1_2'."


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("hi", HumanMessage("hi")),
        (("user", "hi"), HumanMessage("hi")),
        (("ai", "hi"), AIMessage("hi")),
        ({"role": "system", "content": "s"}, SystemMessage("s")),
        ({"role": "developer", "content": "s"}, SystemMessage("s", extra={"role": "developer"})),
        (
            {"type": "human", "content": ["a", {"type": "text", "text": "b"}]},
            HumanMessage([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        ),
        ({"role": "user", "content": "x", "name": "ann", "cache": True}, HumanMessage("x", name="ann", extra={"cache": True})),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "k", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}],
            },
            AIMessage("", tool_calls=[CALL]),
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"name": "f", "args": {"x": 1}, "id": "k"}]},
            AIMessage("", tool_calls=[CALL]),
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"id": "k", "function": {"name": "f", "arguments": "{"}}]},
            AIMessage(
                "",
                invalid_tool_calls=[
                    {
                        "name": "f",
                        "args": "{",
                        "id": "k",
                        "error": "not JSON: Expecting property name enclosed in double quotes at character 1",
                        "type": "invalid_tool_call",
                        "index": 0,
                    }
                ],
            ),
        ),
        ({"role": "tool", "content": 5, "tool_call_id": "k"}, ToolMessage("5", tool_call_id="k")),
        ({"type": "tool", "content": "", "tool_call_id": 7, "status": "error"}, ToolMessage("", tool_call_id="7", status="error")),
        ({"type": "human", "data": {"content": "d", "type": "human"}}, HumanMessage("d")),
        ({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "AIMessage"], "kwargs": {"content": "l"}}, AIMessage("l")),
        (AIMessageChunk("whole"), AIMessage("whole")),
        (langchain.HumanMessage("theirs", name="ann"), HumanMessage("theirs", name="ann")),
        (langchain.AIMessage("", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "k"}]), AIMessage("", tool_calls=[CALL])),
    ],
    ids=lambda value: "",
)
def test_what_people_write_for_a_message(given: Any, made: Message) -> None:
    """Text, pairs, dicts of OpenAI's and LangChain's kind, objects of LangChain's."""
    [found] = add_messages([], [given])
    assert found == made.replace(id=found.id)


@pytest.mark.parametrize(
    ("given", "error"), [(5, TypeError), (None, ValueError), ({"content": "x"}, ValueError), (("bot", "x"), ValueError)]
)
def test_what_is_no_message(given: Any, error: type[Exception]) -> None:
    """The error says what a message is."""
    with pytest.raises(error, match=r"a message|takes both"):
        add_messages([], given)


def test_removal_as_a_dict() -> None:
    """The JSON form of a RemoveMessage, and LangChain's."""
    assert add_messages([A, B], [{"type": "remove", "id": "1"}]) == [B]
    assert add_messages([A, B], [{"role": "remove", "id": "1", "content": ""}]) == [B]
    assert add_messages([A, B], [langchain.RemoveMessage("1")]) == [B]


def test_options_can_be_filled_in() -> None:
    """`Annotated[list, add_messages(format=…)]` works as in LangGraph."""
    reducer = add_messages(format="langchain-openai")
    assert reducer([A], [B]) == [A, B]
    with pytest.raises(ValueError, match="format"):
        add_messages(format="other")  # type: ignore[call-overload]


@given(st.lists(messages(), max_size=5), st.lists(messages(), max_size=5))
def test_lists_are_values(left: list[Message], right: list[Message]) -> None:
    """Neither list changes, all ids are there, and adding the result to nothing gives it again."""
    before = (list(left), list(right))
    made = add_messages(left, right)
    assert (left, right) == before
    assert all(message.id is not None for message in made)
    assert add_messages(made, []) == made


@given(st.lists(messages(), max_size=6))
def test_a_message_comes_back_from_its_json(given: list[Message]) -> None:
    """The dict form of a message is read as that message."""
    assert add_messages([], [msgspec.to_builtins(message.replace(id=str(at))) for at, message in enumerate(given)]) == [
        message.replace(id=str(at)) for at, message in enumerate(given)
    ]
