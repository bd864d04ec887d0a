"""Comparing conversations."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given

from holter import formats
from holter.analysis.diff import Change, compare
from holter.messages import AIMessage, Conversation, HumanMessage, Message, ToolMessage, ToolSpec
from tests.strategies import broken_histories, valid_histories

EXAMPLES = Path(__file__).parents[3] / "examples"
FIXTURES = Path(__file__).parents[2] / "fixtures"


def conversation(*messages: Message, **fields: Any) -> Conversation:
    """A conversation in memory."""
    return Conversation(format="holter.messages", messages=list(messages), **fields)


def call(name: str, id_: str, **args: object) -> dict[str, Any]:
    """A tool call."""
    return {"name": name, "args": args, "id": id_, "type": "tool_call"}


def changes(a: Message, b: Message, **options: Any) -> list[tuple[str, str, Any, Any]]:
    """What is different in two messages."""
    (pair,) = compare(conversation(a), conversation(b), **options).pairs
    return [(change.aspect, change.path, change.a, change.b) for change in pair.changes]


@given(broken_histories())
def test_a_conversation_is_the_same_as_itself(messages: list[Message]) -> None:
    """Every message matches its own."""
    found = compare(conversation(*messages), conversation(*messages))
    assert found.is_empty
    assert [(pair.a, pair.b) for pair in found.pairs] == [(i, i) for i in range(len(messages))]


def test_a_hosted_tool_of_another_format() -> None:
    """One that a provider runs itself is declared otherwise elsewhere, or not at all."""
    hosted = ToolSpec("tool_search", extra={"type": "tool_search"})
    declared = ToolSpec("tool_search", parameters={"type": "object"})
    a = Conversation(format="openai.responses", messages=[HumanMessage("hi")], tools=[hosted], tools_known=True)
    for tools in ([declared], []):
        assert compare(a, Conversation(format="langchain.json", messages=a.messages, tools=tools, tools_known=True)).is_empty
    assert not compare(a, Conversation(format=a.format, messages=a.messages, tools=[declared], tools_known=True)).is_empty


@given(valid_histories())
def test_generated_ids_are_ignored(messages: list[Message]) -> None:
    """Others in all messages, calls and results, with the same pairs."""
    other = [_renamed(message) for message in messages]
    assert compare(conversation(*messages), conversation(*other)).is_empty


def _renamed(message: Message) -> Message:
    changed: dict[str, Any] = {"id": f"new-{message.id}"}
    if isinstance(message, AIMessage):
        changed["tool_calls"] = [one | {"id": f"new-{one['id']}"} if one["id"] else one for one in message.tool_calls]
        changed["invalid_tool_calls"] = [one | {"id": f"new-{one['id']}"} if one["id"] else one for one in message.invalid_tool_calls]
    elif isinstance(message, ToolMessage) and message.tool_call_id:
        changed["tool_call_id"] = f"new-{message.tool_call_id}"
    return message.replace(**changed)


@pytest.mark.parametrize("to", ["langchain", "openai", "openai-responses", "anthropic", "gemini"])
@pytest.mark.parametrize("path", [EXAMPLES / "travel.json", *sorted((FIXTURES / "explained").glob("*.txt"))], ids=lambda path: path.name)
def test_equal_logs_of_other_formats(path: Path, to: str) -> None:
    """What a format has no place for is no difference."""
    (one,) = formats.read(path)
    (other,) = formats.read(msgspec.json.encode(formats.write(one, to).document))
    assert compare(one, other).is_empty
    assert compare(other, one).is_empty


@given(broken_histories(), broken_histories())
def test_every_message_has_one_place(a: list[Message], b: list[Message]) -> None:
    """Of both, in order."""
    pairs = compare(conversation(*a), conversation(*b)).pairs
    assert [pair.a for pair in pairs if pair.a is not None] == list(range(len(a)))
    assert [pair.b for pair in pairs if pair.b is not None] == list(range(len(b)))


def test_an_argument() -> None:
    """Is named by its path, however deep; one that is new or gone, too."""
    a = AIMessage("", tool_calls=[call("f", "1", city="Rome", days=[{"n": 1}, {"n": 2}], old=1)])
    b = AIMessage("", tool_calls=[call("f", "2", city="Oslo", days=[{"n": 1}, {"n": 3}], new=None)])
    assert changes(a, b) == [
        ("argument", "calls[0].args.city", "Rome", "Oslo"),
        ("argument", "calls[0].args.days[1].n", 2, 3),
        ("argument", "calls[0].args.old", 1, None),
        ("argument", "calls[0].args.new", None, None),
    ]


def test_calls_that_only_one_has() -> None:
    """They are matched by their tools, in order."""
    a = AIMessage("", tool_calls=[call("f", "1"), call("g", "2", x=1)])
    b = AIMessage("", tool_calls=[call("g", "1", x=2), call("h", "2")])
    assert changes(a, b) == [
        ("call", "calls[0]", {}, None),
        ("argument", "calls[1].args.x", 1, 2),
        ("call", "calls[1]", None, {}),
    ]


def test_usage_model_and_end() -> None:
    """Where both say them."""
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    a = AIMessage("x", usage_metadata=usage, response_metadata={"model_name": "m", "finish_reason": "stop"})
    b = AIMessage(
        "x",
        usage_metadata={**usage, "output_tokens": 4, "total_tokens": 5},
        response_metadata={"model_name": "n", "finish_reason": "length"},
    )
    assert changes(a, b) == [
        ("model", "", "m", "n"),
        ("finish", "", "stop", "length"),
        ("usage", "output_tokens", 2, 4),
        ("usage", "total_tokens", 3, 5),
    ]
    found = compare(conversation(a), conversation(AIMessage("x")))
    assert (found.is_empty, found.not_compared) == (True, ["finish", "model", "usage"])


def test_a_result_that_answers_another_call() -> None:
    """Ids do not count, but what they link does."""
    asked = AIMessage("", tool_calls=[call("f", "1"), call("g", "2")])
    a = conversation(asked, ToolMessage("x", tool_call_id="1"), ToolMessage("y", tool_call_id="2"))
    b = conversation(asked, ToolMessage("x", tool_call_id="2"), ToolMessage("y", tool_call_id="1"))
    assert [change for pair in compare(a, b).pairs for change in pair.changes] == [
        Change("answers", "", "f #0", "g #1"),
        Change("answers", "", "g #1", "f #0"),
    ]


def test_status_and_reasoning() -> None:
    """Of one format they count, also where only one has them."""
    assert changes(ToolMessage("x", tool_call_id="1", status="error"), ToolMessage("x", tool_call_id="1")) == [
        ("status", "", "error", "success")
    ]
    assert changes(AIMessage("x", reasoning="a"), AIMessage("x")) == [("reasoning", "", "a", None)]


def test_times_do_not_count() -> None:
    """They are told where they are different by much."""
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def timed(seconds: float) -> Conversation:
        return conversation(HumanMessage("a", ts=start), AIMessage("b", ts=start + timedelta(seconds=seconds)))

    found = compare(timed(1), timed(3))
    assert found.is_empty
    assert found.pairs[1].changes == [Change("timing", "", 1.0, 3.0)]
    assert compare(timed(1), timed(1.04)).pairs[1].changes == []


def test_ids_on_request() -> None:
    """Of messages, calls and results."""
    assert changes(HumanMessage("a", id="1"), HumanMessage("a", id="2"), ids=True) == [("id", "id", "1", "2")]


def test_an_insertion_moves_nothing() -> None:
    """What stands behind it is the same."""
    rest: list[Message] = [HumanMessage("a"), AIMessage("b"), HumanMessage("c"), AIMessage("d")]
    found = compare(conversation(*rest), conversation(*rest[:2], HumanMessage("new"), AIMessage("newer"), *rest[2:]))
    assert [pair.kind for pair in found.pairs] == ["same", "same", "added", "added", "same", "same"]
