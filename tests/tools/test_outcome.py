"""From what a tool returned to what answers its call."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from holter.journal.event import Event, Repaired
from holter.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from holter.tools import Command, Send, tool
from holter.tools.outcome import ResultLimit, answered


@tool
def save(x: int) -> str:
    """Save."""
    return ""


@tool(response_format="content_and_artifact")
def fetch(x: int) -> str:
    """Fetch."""
    return ""


def made(value: Any, of: Any = save) -> tuple[Any, list[Event]]:
    """The result, and what was put right."""
    events: list[Event] = []
    return answered(of, "c1", value, events.append, ResultLimit(1_000)), events


def message(content: Any = "ok", call_id: str | None = "c1", name: str | None = "save", **more: Any) -> ToolMessage:
    """A result."""
    return ToolMessage(content, tool_call_id=call_id, name=name, **more)


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("ok", "ok"),
        (None, "null"),
        ({"é": [1, None]}, '{"é": [1, null]}'),
        ([], "[]"),
        ((1, 2), "[1, 2]"),
        ([Send("a", 1)], '[{"node": "a", "arg": 1}]'),
        ("", ""),
    ],
)
def test_a_value_becomes_a_message(value: Any, content: str) -> None:
    """Under the tool's name."""
    assert made(value) == (message(content), [])


def test_repairs_are_reported() -> None:
    """NaN and halves of characters."""
    result, events = made({"a": float("nan"), "b": "\ud83d"})
    assert result.content == '{"a": null, "b": "\ufffd"}'
    assert [(event.code, event.call_id) for event in events if isinstance(event, Repaired)] == [("CONT02", "c1"), ("CONT03", "c1")]


def test_a_long_text_is_cut_and_kept_as_the_artifact() -> None:
    """In a message of the tool's own, too, unless that has an artifact."""
    text = "x" * 20_000_000
    for value in (text, message(text)):
        result, _ = made(value)
        assert len(result.content) <= 1_000
        assert result.artifact == text
    assert made(message(text, artifact=7))[0].artifact == 7


def test_a_message_of_the_tools_own_is_kept() -> None:
    """It gets the tool's name where it has none, and its status stands."""
    assert made(message("no", name=None, status="error")) == (message("no", status="error"), [])
    assert made(message("no", name="other")) == (message("no", name="other"), [])
    blocks = [{"type": "own", "data": 1}]
    assert made(message(blocks))[0].content == blocks
    assert made(message({"a": 1}))[0].content == '{"a": 1}'


def test_a_message_for_another_call_answers_its_own() -> None:
    """A result under a foreign id would leave this call open."""
    result, events = made(message("ok", "c9"))
    assert result == message("ok")
    assert events == [Repaired(code="RUN04", text="save answered 'c9'; its message now answers its own call", call_id="c1")]
    assert made(message("ok", None))[0] == message("ok")


def test_a_pair_of_content_and_artifact() -> None:
    """The first for the model, the second for the program."""
    assert made(("ok", [1]), fetch)[0] == message("ok", name="fetch", artifact=[1])
    assert made(({"a": 1}, None), fetch)[0] == message('{"a": 1}', name="fetch")
    assert made((message("ok", name=None), [1]), fetch)[0] == message("ok", name="fetch", artifact=[1])
    assert made(message("ok"), fetch)[0] == message("ok")
    for wrong, found in (("ok", "str"), (("a", "b", "c"), "a tuple of 3"), (None, "NoneType")):
        with pytest.raises(ValueError, match=f"must return a pair .content, artifact., found {found}"):
            made(wrong, fetch)


def test_a_command_with_its_message_is_passed_on() -> None:
    """With the tool's name in it; the tool's own object is not touched."""
    update = {"a": 1, "messages": [message("ok", name=None)]}
    result, events = made(Command(update=update, goto="next"))
    assert (result, events) == (Command(update={"a": 1, "messages": [message("ok")]}, goto="next"), [])
    assert update == {"a": 1, "messages": [message("ok", name=None)]}
    one = Command(update={"messages": message("ok")})
    assert made(one)[0] == Command(update={"messages": [message("ok")]})
    wire = {"role": "tool", "content": "ok", "tool_call_id": "c1"}
    assert made(Command(update={"messages": [wire]})) == (Command(update={"messages": [wire]}), [])


@pytest.mark.parametrize(
    ("command", "update"),
    [
        (Command(update={"a": 1}), {"a": 1, "messages": [message('Done. State updated: {"a": 1}')]}),
        (Command(update={"a": 1, "messages": []}), {"a": 1, "messages": [message('Done. State updated: {"a": 1}')]}),
        (Command(update=[("a", 1)]), {"a": 1, "messages": [message('Done. State updated: {"a": 1}')]}),
        (Command(goto="x"), {"messages": [message("Done.")]}),
        (Command(update=[]), [message("Done.")]),
        (Command(update=[HumanMessage("hi")]), [message("Done."), HumanMessage("hi")]),
        (Command(update={"messages": [AIMessage("hi")]}), {"messages": [message("Done."), AIMessage("hi")]}),
        (Command(update={"messages": [message("ok", "c9")]}), {"messages": [message("ok")]}),
    ],
)
def test_a_command_without_its_message_gets_one(command: Command[Any], update: Any) -> None:
    """Made from the update, in front of what else it adds; one under a foreign id becomes it. The journal hears of it."""
    result, events = made(command)
    assert (result.update, result.goto) == (update, command.goto)
    assert [event.code for event in events if isinstance(event, Repaired)] == ["RUN04"]


def test_commands_that_carry_no_answer() -> None:
    """One for the graph around, and one that takes every message away."""
    for command in (Command(graph=Command.PARENT, goto="x"), Command(update={"messages": [RemoveMessage("__remove_all__")]})):
        assert made(command) == (command, [])


@dataclass
class State:
    """A state."""

    a: int = 0
    messages: list[Any] = field(default_factory=list)


def test_an_update_that_is_an_object() -> None:
    """It is not changed; a missing answer stands beside it."""
    answering, silent = Command(update=State(messages=[message()])), Command(update=State())
    assert made(answering) == (answering, [])
    assert made(silent)[0] == [silent, message("Done.")]


def test_two_answers_are_one_too_many() -> None:
    """In a command, in a list."""
    for value in (
        Command(update={"messages": [message(), message()]}),
        [message(), message()],
        [message(), Command(update={"messages": [message()]})],
    ):
        with pytest.raises(ValueError, match="2 messages that answer its call; one call has one result"):
            made(value)


def test_a_list_of_messages_and_commands() -> None:
    """One of them answers the call, made where none does."""
    command, parent = Command(update={"a": 1}), Command(graph=Command.PARENT, goto="x")
    assert made([command, message("ok", name=None)]) == ([command, message("ok")], [])
    assert made([message("ok", "c9")])[0] == [message("ok")]
    assert made([command, Command(goto="x")])[0] == [
        Command(update={"a": 1, "messages": [message('Done. State updated: {"a": 1}')]}),
        Command(goto="x"),
    ]
    assert made([parent, parent]) == ([parent, parent], [])
    assert made([parent, message()])[0] == [parent, message()]
    assert made((command, message()))[0] == [command, message()]
    assert made([message("a", "c8"), message("b", "c9")])[0][-1].tool_call_id == "c1"
    with pytest.raises(TypeError, match="a list with str among messages and commands"):
        made([command, "text"])


def test_the_key_of_the_messages_is_the_nodes() -> None:
    """A graph may keep its messages under another name."""
    result = answered(save, "c1", Command(update={"a": 1}), lambda _: None, ResultLimit(1_000), "talk")
    assert isinstance(result, Command)
    assert list(result.update) == ["a", "talk"]
