from typing import Any

import pytest
from hypothesis import given

from holter.formats.langchain_message import body_of, envelope_of, kind_of, read_message, write_message
from holter.formats.literal import Literals
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from tests.strategies import messages


def read(value: dict[str, Any]) -> Message:
    kind = kind_of(value)
    assert kind is not None
    return read_message(kind, body_of(value))


_BODY: dict[str, Any] = {"content": "x", "id": "1", "name": None, "additional_kwargs": {}, "response_metadata": {}}
_FLAT = {"type": "human", **_BODY}


@pytest.mark.parametrize(
    ("value", "envelope"),
    [
        (_FLAT, ()),
        ({"type": "HumanMessage", **_BODY}, ()),
        ({"type": "HumanMessageChunk", **_BODY}, ()),
        ({"type": "human", "data": _FLAT}, ("data",)),
        ({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": _BODY}, ("kwargs",)),
        (Literals("HumanMessage(content='x', id='1')").read(0).value, ()),
    ],
    ids=["flat", "class name", "chunk", "dict form", "constructor", "repr"],
)
def test_envelopes(value: dict[str, Any], envelope: tuple[str, ...]) -> None:
    """A message is the same in each of its envelopes."""
    assert (read(value), envelope_of(value)) == (HumanMessage("x", id="1"), envelope)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "human",
        [],
        {},
        {"type": "human"},
        {"type": 3, "content": "x"},
        {"type": "button", "content": "x"},
        {"type": "human", "data": {}},
        {"lc": 1, "type": "constructor", "id": [], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "PromptTemplate"], "kwargs": {}},
        Literals("HumanMessage(name='x')").read(0).value,
        Literals("Document(content='x')").read(0).value,
    ],
)
def test_no_message(value: Any) -> None:
    """What is no message has no kind."""
    assert kind_of(value) is None


def test_answer() -> None:
    """Calls, invalid calls, usage, metadata and reasoning go where they belong; raw copies of calls are kept and counted once."""
    raw = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
    value = {
        "type": "ai",
        "content": "",
        "additional_kwargs": {"tool_calls": raw, "reasoning_content": "hm"},
        "response_metadata": {"model_name": "demo-1", "finish_reason": "tool_calls"},
        "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
        "invalid_tool_calls": [{"name": "g", "args": "{", "id": "c2", "error": None, "type": "invalid_tool_call"}],
        "usage_metadata": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        "example": False,
    }
    assert read(value) == AIMessage(
        "",
        additional_kwargs={"tool_calls": raw},
        response_metadata={"model_name": "demo-1", "finish_reason": "tool_calls"},
        reasoning="hm",
        tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
        invalid_tool_calls=[
            {"name": "g", "args": "{", "id": "c2", "error": "the log says that it is invalid", "type": "invalid_tool_call", "index": 1}
        ],
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    )


def test_counts_that_are_none() -> None:
    """Are no usage, and stay as they were given."""
    given = {"input_tokens": "many", "output_tokens": 2, "output_token_details": 5}
    value = {"type": "ai", "content": "x", "usage_metadata": given}
    assert read(value) == AIMessage("x", usage_metadata={"output_tokens": 2}, extra={"usage_metadata": given})
    assert read({"type": "ai", "content": "x", "usage_metadata": "none"}) == AIMessage("x", extra={"usage_metadata": "none"})


@pytest.mark.parametrize(
    ("kwargs", "call"),
    [
        (
            {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]},
            {"name": "f", "args": {"a": 1}, "id": "c", "type": "tool_call"},
        ),
        (
            {"function_call": {"name": "f", "arguments": '{"a": 1}'}},
            {"name": "f", "args": {"a": 1}, "id": None, "type": "tool_call", "extras": {"type": "function_call"}},
        ),
    ],
)
def test_raw_calls(kwargs: dict[str, Any], call: dict[str, Any]) -> None:
    """Logs older than `tool_calls` have their calls in `additional_kwargs`."""
    message = read({"type": "ai", "content": "", "additional_kwargs": kwargs})
    assert isinstance(message, AIMessage)
    assert message.calls == [call]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "system", "content": "x"}, SystemMessage("x")),
        (
            {"type": "tool", "content": "x", "tool_call_id": "c", "status": "error", "artifact": [1], "name": "f"},
            ToolMessage("x", tool_call_id="c", status="error", artifact=[1], name="f"),
        ),
        ({"type": "tool", "content": "x", "tool_call_id": 7}, ToolMessage("x", tool_call_id="7")),
        ({"type": "function", "content": "x", "name": "f"}, ToolMessage("x", tool_call_id=None, name="f", extra={"role": "function"})),
        ({"type": "chat", "role": "assistant", "content": "x"}, AIMessage("x", extra={"role": "assistant"})),
        ({"type": "chat", "role": "critic", "content": "x"}, HumanMessage("x", extra={"role": "critic"})),
        ({"type": "human", "content": "x", "colour": "red", "id": 3}, HumanMessage("x", extra={"colour": "red", "id": 3})),
    ],
)
def test_kinds(value: dict[str, Any], expected: Message) -> None:
    """Each kind with its own fields; unknown fields are kept."""
    assert read(value) == expected


@given(messages())
def test_read_back(message: Message) -> None:
    """Reading never raises on what was written, and keeps kind, text, name and id."""
    again = read(write_message(message))
    assert (again.type, again.text, again.name, again.id) == (message.type, message.text, message.name, message.id)
