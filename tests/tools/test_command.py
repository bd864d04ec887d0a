"""Commands, sends and questions."""

import pytest

from holter.tools.command import Command, Interruption, Seat, Send, interrupt, seat


def test_goto_is_read_as_a_list() -> None:
    """One target, several, or none."""
    assert Command().targets == []
    assert Command(goto="a").targets == ["a"]
    assert Command(goto=["a", Send("b", {"x": 1})]).targets == ["a", Send("b", {"x": 1})]


def test_a_command_can_declare_its_targets() -> None:
    """`Command[…]` works as an annotation and makes commands."""
    assert Command[str](update={"a": 1}) == Command(update={"a": 1})


def test_a_question_without_an_answer_stops_the_call() -> None:
    """The key is the call's id; the second question of the same call is id/1."""
    token = seat.set(Seat("call_1", ["yes"]))
    try:
        assert interrupt("sure?") == "yes"
        with pytest.raises(Interruption) as raised:
            interrupt("really?")
    finally:
        seat.reset(token)
    assert (raised.value.key, raised.value.value) == ("call_1/1", "really?")


def test_an_exception_handler_of_the_tool_does_not_swallow_a_question() -> None:
    """`except Exception` lets a question pass."""
    token = seat.set(Seat("call_1"))

    def tool() -> str:
        try:
            return str(interrupt("sure?"))
        except Exception:  # noqa: BLE001 - what is tested
            return "swallowed"

    try:
        with pytest.raises(Interruption):
            tool()
    finally:
        seat.reset(token)


def test_outside_a_tool_there_is_nobody_to_ask_for() -> None:
    """A question in plain code is an error that says where it belongs."""
    with pytest.raises(RuntimeError, match="in the name of a tool or a node"):
        interrupt("sure?")
