"""Results without an id: paired by their order where there are as many as calls, and never by a guess."""

from typing import Any

import pytest

from holter.analysis.lint import lint_messages
from holter.analysis.repair import repaired_messages
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage


def turn(calls: str, *results: tuple[str | None, str | None]) -> list[Message]:
    """A turn of calls, written "a:f b:g", and of results as (id, name)."""
    made: list[dict[str, Any]] = []
    for call_id, _, name in (call.partition(":") for call in calls.split()):
        made.append({"name": name, "args": {}, "id": call_id, "type": "tool_call"})
    answers = [ToolMessage(str(place), tool_call_id=call_id, name=name) for place, (call_id, name) in enumerate(results)]
    return [HumanMessage("go"), AIMessage("", tool_calls=made), *answers, HumanMessage("well?")]


@pytest.mark.parametrize(
    "messages",
    [
        turn("a:f b:f", (None, None)),
        turn("a:f b:f", (None, "f")),
        turn("a:f b:f c:g", (None, "f"), ("c", "g")),
        turn("a:f b:f c:f", (None, None), (None, None)),
    ],
)
def test_what_cannot_be_told_is_left_to_a_person(messages: list[Message]) -> None:
    """No repair is offered, and none is made, of the result or of the calls that it may answer."""
    found = lint_messages(messages, "openai")
    assert {"PAIR01", "PAIR06", "PAIR07"} == {f.code for f in found}
    assert not any(f.fixable for f in found)
    assert repaired_messages(messages, "openai") == (messages, [])


@pytest.mark.parametrize(
    ("messages", "ids"),
    [
        (turn("a:f b:f", (None, None), (None, None)), ["a", "b"]),
        (turn("a:f b:f", ("b", None), (None, None)), ["a", "b"]),
        (turn("a:f b:g", (None, "g"), (None, "f")), ["a", "b"]),
    ],
)
def test_as_many_results_as_calls_are_told_by_order_or_name(messages: list[Message], ids: list[str]) -> None:
    """Each gets an id, in the calls' order."""
    made, _ = repaired_messages(messages, "openai")
    assert [message.tool_call_id for message in made if isinstance(message, ToolMessage)] == ids
    assert lint_messages(made, "openai") == []


def test_other_turns_are_repaired_all_the_same() -> None:
    """A turn that is left as it is does not keep another from being closed."""
    messages = [*turn("a:f b:f", (None, None)), *turn("c:f")]
    made, done = repaired_messages(messages, "openai")
    assert [f.code for f in done] == ["PAIR01"]
    assert made[:4] == messages[:4]
    assert [message.tool_call_id for message in made if isinstance(message, ToolMessage)] == [None, "c"]
