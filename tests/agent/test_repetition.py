"""Calls that come to the same result again and again."""

from typing import Any

import pytest

from holter.agent.repetition import NOTE, Repeated, is_noted, noted, repeats, steps_back, too_often, without_note
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage
from holter.messages.content import text_block
from tests.agent.sample import call, step


def _history(*made: tuple[str, dict[str, Any], str]) -> list[Message]:
    history: list[Message] = [HumanMessage("go")]
    for number, (name, args, result) in enumerate(made):
        history += step(number, name, result, **args)
    return history


A: tuple[str, dict[str, Any], str] = ("ls", {"p": "/", "n": 1}, "[]")
B: tuple[str, dict[str, Any], str] = ("cat", {"p": "a"}, "text")


@pytest.mark.parametrize(
    ("earlier", "count"),
    [
        ([], 1),
        ([A], 2),
        ([A, A], 3),
        ([A, A, A, A], 5),
        ([A, A, A, A, A, A, A], 5),
        ([("ls", {"n": 1, "p": "/"}, "[]")] * 2, 3),
        ([("ls", {"p": "/", "n": 1}, "[1]"), A], 2),
        ([A, ("ls", {"p": "/", "n": 1}, "[1]")], 1),
        ([A, ("ls", {"p": "/", "n": 1}, "[1]")] * 5, 1),
        ([A, ("ls", {"p": "/", "n": 2}, "[]")], 2),
        ([A, B], 2),
        ([A, B, A, B], 3),
        ([A, B, A, ("cat", {"p": "b"}, "text")], 2),
        ([A, B, A, B, A, B, A, B], 5),
        ([A, B, B], 1),
    ],
)
def test_how_often_in_a_row(earlier: list[tuple[str, dict[str, Any], str]], count: int) -> None:
    """In each step, or in every other one between equal steps; another result begins anew, another order of keys does not."""
    result = ToolMessage("[]", tool_call_id="now")
    assert repeats(call("ls", "now", p="/", n=1), result, steps_back(_history(*earlier)), 5) == count


def test_what_stands_between_ends_the_row() -> None:
    """A new request of the user is a reason to call again."""
    history = [*_history(A), HumanMessage("again"), *step(9, *A[::2], **A[1])]
    assert repeats(call("ls", "now", **A[1]), ToolMessage("[]", tool_call_id="now"), steps_back(history), 5) == 2


@pytest.mark.parametrize("content", ["[]", "", [text_block("[]")], [{"type": "image", "url": "u"}]])
def test_the_note_is_put_on_and_taken_off(content: Any) -> None:
    """So that a noted result is still the same result."""
    plain = ToolMessage(content, tool_call_id="c")
    assert not is_noted(plain)
    assert is_noted(noted(plain))
    assert NOTE in str(noted(plain).content)
    assert without_note(noted(plain).content) == content


def _noted(history: list[Message], start: int) -> list[Message]:
    return [noted(message) if isinstance(message, ToolMessage) and at >= start else message for at, message in enumerate(history)]


def test_too_often() -> None:
    """Counted only where the newest result is noted, which it is from the third time on."""
    assert too_often(_history(*[A] * 5), 5) is None
    assert too_often(_noted(_history(*[A] * 4), 5), 5) is None
    assert too_often(_noted(_history(*[A] * 5), 5), 5) == Repeated("ls", 5)
    assert too_often(_history(*[A] * 2), 2) == Repeated("ls", 2)
    assert too_often([*_noted(_history(*[A] * 5), 5), AIMessage("done")], 5) is None
    assert too_often([], 5) is None


def test_one_of_several_calls() -> None:
    """Another call beside it that comes to something new each time does not hide it."""
    history: list[Message] = [HumanMessage("go")]
    for number in range(5):
        history.append(AIMessage("", tool_calls=[call("ls", f"l{number}"), call("poll", f"p{number}")]))
        history.append(noted(ToolMessage("[]", tool_call_id=f"l{number}")))
        history.append(ToolMessage(f"{number}", tool_call_id=f"p{number}"))
    assert too_often(history, 5) == Repeated("ls", 5)
