"""Results find their calls: by position first, then by id."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given

from holter.messages import AIMessage, HumanMessage, Message, Pairing, ToolMessage
from tests import strategies


def _ai(*calls: str | None, invalid: Sequence[str] = (), name: str = "find") -> AIMessage:
    made: list[dict[str, Any]] = [{"name": name, "args": {}, "id": call_id, "type": "tool_call"} for call_id in calls]
    bad = [{"name": name, "args": "{", "id": call_id, "error": "cut", "type": "invalid_tool_call", "index": 0} for call_id in invalid]
    return AIMessage("", tool_calls=made, invalid_tool_calls=bad)


def _result(call_id: str | None, name: str | None = None) -> ToolMessage:
    return ToolMessage("done", tool_call_id=call_id, name=name)


def _answers(messages: list[Message]) -> list[tuple[int, int, int | None]]:
    """(message, position in it, its result) of each call."""
    return [(ref.message, ref.position, ref.result) for ref in Pairing(messages).calls]


_CASES: dict[str, tuple[list[Message], list[tuple[int, int, int | None]], list[int]]] = {
    "in order": ([_ai("a", "b"), _result("a"), _result("b")], [(0, 0, 1), (0, 1, 2)], []),
    "in any order": ([_ai("a", "b"), _result("b"), _result("a")], [(0, 0, 2), (0, 1, 1)], []),
    "an id used again": ([_ai("a"), _result("a"), _ai("a"), _result("a")], [(0, 0, 1), (2, 0, 3)], []),
    "an id used again while open": ([_ai("a"), _ai("a"), _result("a")], [(0, 0, None), (1, 0, 2)], []),
    "an id twice in one message": ([_ai("a", "a"), _result("a"), _result("a")], [(0, 0, 1), (0, 1, 2)], []),
    "a second result": ([_ai("a"), _result("a"), _result("a")], [(0, 0, 1)], [2]),
    "a result before its call": ([_result("a"), _ai("a")], [(1, 0, None)], [0]),
    "a wrong id": ([_ai("a"), _result("b")], [(0, 0, None)], [1]),
    "late": ([_ai("a"), HumanMessage("hello?"), _result("a")], [(0, 0, 2)], []),
    "no ids": ([_ai(None, None), _result(None), _result(None)], [(0, 0, 1), (0, 1, 2)], []),
    "empty ids": ([_ai("", ""), _result(""), _result("", "")], [(0, 0, 1), (0, 1, 2)], []),
    "no id, by name": ([AIMessage("", tool_calls=[*_ai("a").calls, *_ai("b", name="add").calls]), _result(None, "add")],
                       [(0, 0, None), (0, 1, 1)], []),
    "no id and an unknown name": ([_ai("a"), _result(None, "add")], [(0, 0, None)], [1]),
    "no id, the newest turn first": ([_ai("a"), _ai("b"), _result(None)], [(0, 0, None), (1, 0, 2)], []),
    "no id, then an older turn": ([_ai("a"), _ai("b"), _result("b"), _result(None)], [(0, 0, 3), (1, 0, 2)], []),
    "an invalid call": ([_ai("a", invalid=["x"]), _result("x"), _result("a")], [(0, 0, 1), (0, 1, 2)], []),
    "nothing": ([], [], []),
}  # fmt: skip


@pytest.mark.parametrize("case", _CASES.values(), ids=_CASES)
def test_pairs(case: tuple[list[Message], list[tuple[int, int, int | None]], list[int]]) -> None:
    """Each call has its result, what is left over is an orphan."""
    messages, answers, orphans = case
    assert _answers(messages) == answers
    assert Pairing(messages).orphans == orphans


@given(strategies.broken_histories())
def test_is_the_same_one_at_a_time(messages: list[Message]) -> None:
    """Adding a message later changes nothing that holds already but the calls it answers."""
    growing = Pairing()
    for count, message in enumerate(messages, 1):
        growing.add(message)
        whole = Pairing(messages[:count])
        assert [(r.message, r.position, r.result) for r in growing.calls] == _answers(messages[:count])
        assert growing.orphans == whole.orphans
        assert [(r.message, r.position) for r in growing.open] == [(r.message, r.position) for r in whole.open]


@given(strategies.broken_histories())
def test_every_result_answers_one_call_before_it_or_none(messages: list[Message]) -> None:
    """No result is shared, no call is answered before it was made, ids agree where both are there."""
    pairing = Pairing(messages)
    results = [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)]
    assert sorted([*pairing.answered, *pairing.orphans]) == results
    assert sorted(at for ref in pairing.calls if (at := ref.result) is not None) == sorted(pairing.answered)
    for at, ref in pairing.answered.items():
        result = messages[at]
        assert isinstance(result, ToolMessage)
        assert ref.message < at
        assert ref.result == at
        assert not result.tool_call_id or result.tool_call_id == ref.call["id"]


@given(strategies.valid_histories())
def test_a_valid_history_pairs_wholly(messages: list[Message]) -> None:
    """Every call has the result that stands in its place behind the message."""
    pairing = Pairing(messages)
    assert pairing.open == []
    assert pairing.orphans == []
    assert all(ref.result == ref.message + 1 + ref.position for ref in pairing.calls)


def _oldest_open_by_scanning(messages: list[Message]) -> dict[int, tuple[int, int]]:
    """The rule, told the slow way: result -> (message, position) of the call it answers."""
    open_calls: list[tuple[int, int, dict[str, Any]]] = []
    answered: dict[int, tuple[int, int]] = {}
    for at, message in enumerate(messages):
        if isinstance(message, AIMessage):
            open_calls += [(at, position, call) for position, call in enumerate(message.calls)]
        elif isinstance(message, ToolMessage):
            key, wanted = ("id", message.tool_call_id) if message.tool_call_id else ("name", message.name)
            fitting = [ref for ref in open_calls if not wanted or ref[2].get(key) == wanted]
            if fitting:
                newest = max(ref[0] for ref in fitting)
                ref = next(ref for ref in fitting if ref[0] == newest)
                open_calls.remove(ref)
                answered[at] = ref[:2]
    return answered


@given(strategies.broken_histories())
def test_follows_its_rule(messages: list[Message]) -> None:
    """The newest turn that has an open call of that id (or name), and there the first."""
    answered = {at: (ref.message, ref.position) for at, ref in Pairing(messages).answered.items()}
    assert answered == _oldest_open_by_scanning(messages)


def test_knows_the_calls_of_a_message() -> None:
    """By position; a message without calls has none."""
    pairing = Pairing([HumanMessage("x"), _ai("a", invalid=["x"])])
    assert [ref.call["id"] for ref in pairing.of(1)] == ["x", "a"]
    assert pairing.of(0) == pairing.of(9) == []


@pytest.mark.parametrize("call_id", ["c", None], ids=["one id", "no ids"])
def test_a_hundred_thousand_open_calls_are_no_burden(call_id: str | None) -> None:
    """Work grows with the messages and not with their square (which would take minutes)."""
    count = 100_000
    pairing = Pairing([*[_ai(call_id)] * count, *[_result(call_id)] * count])
    assert len(pairing.answered) == count
    assert pairing.open == []
    assert pairing.calls[0].result == 2 * count - 1


@pytest.mark.parametrize("odd", [[1], {"a": 1}, 5, True])
def test_ids_and_names_that_are_no_text(odd: Any) -> None:
    """A model may send anything; what is equal still pairs, and nothing raises."""
    message = AIMessage("", tool_calls=[{"name": odd, "args": {}, "id": odd, "type": "tool_call"}])
    pairing = Pairing([message, ToolMessage("x", tool_call_id=odd)])
    assert [(ref.position, ref.result) for ref in pairing.calls] == [(0, 1)]
