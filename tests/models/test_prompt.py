from typing import Any

import pytest
from hypothesis import given

from holter.formats.langchain_message import write_message as write_langchain
from holter.formats.openai_message import write_message as write_openai
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage
from holter.models.prompt import as_messages
from tests.strategies import valid_histories

CALL = {"name": "add", "args": {"a": 1}, "id": "c", "type": "tool_call"}


@pytest.mark.parametrize(
    ("prompt", "messages"),
    [
        ("hi", [HumanMessage("hi")]),
        (HumanMessage("hi"), [HumanMessage("hi")]),
        ([], []),
        (["hi", AIMessage("ho")], [HumanMessage("hi"), AIMessage("ho")]),
        ((HumanMessage("hi"),), [HumanMessage("hi")]),
        ([("system", "Be brief."), ("human", "hi")], [SystemMessage("Be brief."), HumanMessage("hi")]),
        ([("user", [{"type": "text", "text": "hi"}]), ("ai", "ho")], [HumanMessage([{"type": "text", "text": "hi"}]), AIMessage("ho")]),
        ([("developer", "Be brief.")], [SystemMessage("Be brief.", extra={"role": "developer"})]),
        (("user", "hi"), [HumanMessage("hi")]),
        (("hi", "ho"), [HumanMessage("hi"), HumanMessage("ho")]),
        ([{"role": "ai", "content": "ho"}], [AIMessage("ho")]),
        ([{"role": "tool", "content": "3", "tool_call_id": "c"}], [ToolMessage("3", tool_call_id="c")]),
        (
            [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}],
                }
            ],
            [AIMessage(tool_calls=[CALL])],
        ),
        ([{"type": "human", "content": "hi"}], [HumanMessage("hi")]),
        ([{"type": "AIMessage", "content": "", "tool_calls": [CALL]}], [AIMessage(tool_calls=[CALL])]),
        (Conversation(format="openai.chat", messages=[HumanMessage("hi")]), [HumanMessage("hi")]),
    ],
)
def test_what_is_taken(prompt: Any, messages: list[Message]) -> None:
    """Texts, messages, pairs and dicts stand for messages."""
    assert as_messages(prompt) == messages


@pytest.mark.parametrize(
    ("prompt", "error"),
    [
        (5, "a prompt is text, a message, or a list of messages, found 5"),
        ({"role": "user", "content": "hi"}, "a prompt is text, a message, or a list of messages, found {'role': 'user', 'content': 'hi'}"),
        (["hi", 5], "message 1 is no message, text, pair of role and content, or dict with a role: 5"),
        ([("robot", "hi")], "message 0 has the role 'robot'; known are ai, assistant, developer, function, human, system, tool, user"),
        ([{"content": "hi"}], "message 0 has no `role`: {'content': 'hi'}"),
        ([{"type": "remove", "content": "", "id": "x"}], "message 0 has no `role`: {'type': 'remove', 'content': '', 'id': 'x'}"),
    ],
)
def test_what_is_refused(prompt: Any, error: str) -> None:
    """What can be no message is named, with its position."""
    with pytest.raises((TypeError, ValueError)) as raised:
        as_messages(prompt)
    assert str(raised.value) == error


def test_the_prompt_stays_as_it_was() -> None:
    """The list is a new one, and the caller's dicts are left alone."""
    prompt: list[Any] = [{"role": "user", "content": "hi", "name": "ann"}]
    as_messages(prompt)
    assert prompt == [{"role": "user", "content": "hi", "name": "ann"}]
    history: list[Message] = [HumanMessage("hi")]
    assert as_messages(history) is not history


@given(valid_histories())
def test_wire_forms(history: list[Message]) -> None:
    """A history in LangChain's flat form, or in OpenAI's, comes back with the same kinds and texts."""
    for write in (write_langchain, write_openai):
        again = as_messages([write(message) for message in history])
        assert [(message.type, message.text) for message in again] == [(message.type, message.text) for message in history]
