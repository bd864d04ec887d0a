"""Messages print as LangChain's do, byte for byte."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from langchain_core import messages as langchain

from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.messages.pretty import title_line
from tests import strategies

_CALL = {"name": "add", "args": {"a": 10, "城市": ["北京", None], "deep": {"x": "y"}}, "id": "call_1", "type": "tool_call"}
_INVALID = {"name": "add", "args": '{"a": 1', "id": None, "error": "not JSON", "type": "invalid_tool_call", "index": 1}


def _theirs(message: Message) -> Any:
    """The same message, made by LangChain."""
    common: dict[str, Any] = {"content": message.content, "name": message.name}
    match message:
        case SystemMessage():
            return langchain.SystemMessage(**common)
        case HumanMessage():
            return langchain.HumanMessage(**common)
        case ToolMessage():
            return langchain.ToolMessage(**common, tool_call_id=message.tool_call_id or "", status=message.status)
        case AIMessage():
            invalid = [{key: value for key, value in call.items() if key != "index"} for call in message.invalid_tool_calls]
            return langchain.AIMessage(**common, tool_calls=message.tool_calls, invalid_tool_calls=invalid)


@given(strategies.messages())
def test_prints_as_langchain_does(message: Message) -> None:
    """Every kind, with text or blocks, names, calls, invalid calls."""
    assert message.pretty_repr() == _theirs(message).pretty_repr()


@given(strategies.texts)
def test_titles_as_langchain_does(title: str) -> None:
    """Also titles that are too long for the line."""
    assert title_line(title * 9) == langchain.base.get_msg_title_repr(title * 9)


@given(st.sampled_from([None, {"a": 1}, "raw", ["a"], 7]), st.sampled_from([None, "", "why"]))
def test_prints_odd_arguments_as_langchain_does(args: Any, error: str | None) -> None:
    """Arguments that are neither text nor an object are not printed; nor is an empty error."""
    call = {"name": "add", "args": args, "id": "c1", "error": error, "type": "invalid_tool_call"}
    theirs = langchain.AIMessage("").model_copy(update={"invalid_tool_calls": [call]})
    assert AIMessage("", invalid_tool_calls=[call]).pretty_repr() == theirs.pretty_repr()


_MESSAGES: list[Message] = [
    SystemMessage("Be brief."),
    HumanMessage("10 加 5 等于几？", name="Ada"),
    HumanMessage([{"type": "text", "text": "look"}, {"type": "image", "url": "https://example.com/a.png"}]),
    AIMessage("  Fifteen.\n"),
    AIMessage("", tool_calls=[_CALL]),
    AIMessage("One moment.", name="bot", tool_calls=[_CALL], invalid_tool_calls=[_INVALID]),
    ToolMessage("15", name="add", tool_call_id="call_1"),
]


def test_prints_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """The title line, the name, the content, the calls; `html` changes nothing."""
    for message in _MESSAGES:
        message.pretty_print()
    assert capsys.readouterr().out == snapshot("""\
================================ System Message ================================

Be brief.
================================ Human Message =================================
Name: Ada

10 加 5 等于几？
================================ Human Message =================================

[{'type': 'text', 'text': 'look'}, {'type': 'image', 'url': 'https://example.com/a.png'}]
================================== Ai Message ==================================

  Fifteen.
================================== Ai Message ==================================
Tool Calls:
  add (call_1)
 Call ID: call_1
  Args:
    a: 10
    城市: ['北京', None]
    deep: {'x': 'y'}
================================== Ai Message ==================================
Name: bot

One moment.
Tool Calls:
  add (call_1)
 Call ID: call_1
  Args:
    a: 10
    城市: ['北京', None]
    deep: {'x': 'y'}
Invalid Tool Calls:
  add (None)
 Call ID: None
  Error: not JSON
  Args:
    {"a": 1
================================= Tool Message =================================
Name: add

15
""")
    assert [message.pretty_repr(html=True) for message in _MESSAGES] == [message.pretty_repr() for message in _MESSAGES]
