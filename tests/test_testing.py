"""What `holter.testing` gives to a test suite."""

import pytest

from holter.messages import AIMessage, HumanMessage, Message
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
