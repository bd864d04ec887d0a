"""What `holter.testing` gives to a test suite."""

from datetime import UTC, datetime
from typing import Any

import pytest

from holter import tool
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage, ToolSpec
from holter.testing import assert_clean


def test_clean_messages_pass() -> None:
    """Holter's own, and plain ones."""
    own: list[Message] = [HumanMessage("hi"), AIMessage("hello")]
    assert_clean(own, target="openai")
    assert_clean([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}])
    assert_clean([])


def test_findings_are_told() -> None:
    """Each in a line, with what to do."""
    call = {"name": "look", "args": {}, "id": "a", "type": "tool_call"}
    messages: list[Message] = [HumanMessage("go"), AIMessage(tool_calls=[call]), HumanMessage("?")]
    with pytest.raises(
        AssertionError, match=r"1 finding:\n  error PAIR01 unanswered-tool-call at \[1\].tool_calls\[0\]: look \(a\) has no result"
    ):
        assert_clean(messages)
    assert_clean(messages, ignore=["PAIR01"])


def test_severity_that_fails_can_be_chosen() -> None:
    """A pending call is information."""
    call = {"name": "look", "args": {}, "id": "a", "type": "tool_call"}
    messages: list[Message] = [HumanMessage("go"), AIMessage(tool_calls=[call])]
    assert_clean(messages)
    with pytest.raises(AssertionError):
        assert_clean(messages, fail_on="info")


CALL = {"name": "look", "args": {"n": 1}, "id": "a", "type": "tool_call"}
OWN: list[Message] = [HumanMessage("go"), AIMessage("", tool_calls=[CALL]), ToolMessage("4C", tool_call_id="a"), AIMessage("4C.")]
PLAIN: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "4C"},
    {"role": "assistant", "content": "4C."},
]


@tool
def look(n: int = 0) -> str:
    """Look at it."""
    return str(n)


DECLARED = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


@pytest.mark.parametrize("offered", [look, look.spec, DECLARED], ids=["tool", "spec", "object"])
@pytest.mark.parametrize("messages", [OWN, PLAIN], ids=["own", "plain"])
def test_tools_in_any_form(messages: Any, offered: Any) -> None:
    """What was offered is known for messages of any form; a tool that was not is told."""
    assert_clean(messages, tools=[offered])
    with pytest.raises(AssertionError, match="NAME01 unknown-tool"):
        assert_clean(messages, tools=[ToolSpec("other")])


@pytest.mark.parametrize("value", [datetime(2026, 1, 2, tzinfo=UTC), b"4C", {1}, float("nan")])
def test_value_that_json_cannot_hold(value: object) -> None:
    """In plain objects, and as the content of a message."""
    with pytest.raises(AssertionError, match="CONT02 unserialisable-value"):
        assert_clean([*PLAIN[:2], {**PLAIN[2], "content": {"at": value}}, PLAIN[3]])
    with pytest.raises(AssertionError, match="CONT02 unserialisable-value"):
        assert_clean([*OWN[:2], ToolMessage(value, tool_call_id="a"), OWN[3]])  # type: ignore[arg-type]


def test_ignore_takes_beginnings_and_names() -> None:
    """As on the command line; what is none of it is an error."""
    assert_clean(PLAIN[:2], "openai", ignore=["PAIR"])
    assert_clean(PLAIN[:2], "openai", ignore=["unanswered-tool-call"])
    with pytest.raises(ValueError, match="'NOPE' is no rule's code"):
        assert_clean(PLAIN, ignore=["NOPE"])
