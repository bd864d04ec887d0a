"""A history cut to a budget is as valid as it was, and as long as it may be."""

import pickle
from typing import Any, Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.errors import HolterError, NothingFits
from holter.messages import AIMessage, HumanMessage, Message, Pairing, SystemMessage, ToolMessage, approximate_tokens, sendable, trim
from tests import strategies

Keep = Literal["first", "last"]

_keeps = st.sampled_from(["first", "last"])
_starts = st.sampled_from([None, "human", "ai"])
_budgets = st.one_of(st.none(), st.integers(-1, 20))
_token_budgets = st.one_of(st.none(), st.integers(-1, 200))


def _call(call_id: str) -> dict[str, Any]:
    return {"name": "find", "args": {}, "id": call_id, "type": "tool_call"}


def _turn(*ids: str) -> list[Message]:
    return [AIMessage("", tool_calls=[_call(call_id) for call_id in ids]), *(ToolMessage(f"result {i}", tool_call_id=i) for i in ids)]


def _is_subsequence(part: list[Message], whole: list[Message]) -> bool:
    rest = iter(whole)
    return all(any(message is candidate for candidate in rest) for message in part)


def _leading(messages: list[Message]) -> int:
    return next((i for i, message in enumerate(messages) if not isinstance(message, SystemMessage)), len(messages))


def _trimmed(messages: list[Message], **options: Any) -> tuple[list[Message] | None, NothingFits | None]:
    try:
        return trim(messages, **options), None
    except NothingFits as error:
        return None, error


@given(strategies.valid_histories(), _keeps, _starts, _token_budgets, _budgets)
def test_is_valid_within_budget_and_part_of_what_was(
    messages: list[Message], keep: Keep, start_on: Any, max_tokens: int | None, max_messages: int | None
) -> None:
    """A subsequence that keeps the leading system messages, or `NothingFits`."""
    cut, _ = _trimmed(messages, max_tokens=max_tokens, max_messages=max_messages, keep=keep, start_on=start_on)
    assume(cut is not None)
    assert cut is not None
    system = _leading(messages)
    assert strategies.faults(cut) == []
    assert _is_subsequence(cut, messages)
    assert cut[:system] == messages[:system]
    assert max_tokens is None or sum(map(approximate_tokens, cut)) <= max_tokens
    assert max_messages is None or len(cut) <= max_messages
    assert len(cut) > system or len(messages) == system
    assert start_on is None or len(cut) == system or cut[system].type == start_on


@given(strategies.valid_histories(), _keeps, _starts, st.integers(0, 12))
def test_is_as_long_as_it_may_be(messages: list[Message], keep: Keep, start_on: Any, budget: int) -> None:
    """No longer valid piece from that end fits; when nothing is returned, none does at all, and the error says what would."""
    system = _leading(messages)
    head, rest = messages[:system], messages[system:]
    if keep == "first":
        start = next((i for i, m in enumerate(rest) if (start_on is None or m.type == start_on) and not strategies.faults(rest[i:])), None)
        pieces = [] if start is None else [rest[start:end] for end in range(start + 1, len(rest) + 1)]
    else:
        pieces = [rest[start:] for start in range(len(rest)) if start_on is None or rest[start].type == start_on]
    pieces = [piece for piece in pieces if not strategies.faults(piece)]
    fitting = [piece for piece in pieces if len(head) + len(piece) <= budget]
    cut, error = _trimmed(messages, max_messages=budget, keep=keep, start_on=start_on)
    if error is None:
        assert cut == head + max(fitting, key=len, default=[])
    else:
        assert not fitting
        assert error.needed == (system + min(map(len, pieces)) if pieces else None if rest else system)
        assert error.start_on == (None if pieces or not rest else start_on)


@given(strategies.broken_histories(), _keeps, _budgets)
def test_a_broken_history_gets_no_worse(messages: list[Message], keep: Keep, budget: int | None) -> None:
    """Calls keep the results they had, and a result of no call is dropped."""
    cut, _ = _trimmed(messages, max_messages=budget, keep=keep)
    assume(cut is not None)
    assert cut is not None
    assert _is_subsequence(cut, messages)
    pairing = Pairing(cut)
    assert pairing.orphans == []
    answered = {id(ref.call) for ref in Pairing(messages).calls if ref.result is not None}
    assert all((ref.result is not None) == (id(ref.call) in answered) for ref in pairing.calls if messages.count(cut[ref.message]) == 1)


@given(strategies.broken_histories(), _keeps, _budgets)
def test_what_is_sendable_stays_so(messages: list[Message], keep: Keep, budget: int | None) -> None:
    """After `sendable` any cut may be sent."""
    cut, _ = _trimmed(sendable(messages), max_messages=budget, keep=keep)
    assert cut is None or strategies.faults(cut) == []


_BOOK: list[Message] = [
    HumanMessage("find the book"),
    *_turn("c1"),
    AIMessage("Shelf 4."),
    HumanMessage("is it free?"),
]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"max_messages": 5}, [0, 1, 2, 3, 4]),
        ({"max_messages": 4}, [1, 2, 3, 4]),
        ({"max_messages": 3}, [3, 4]),
        ({"max_messages": 2}, [3, 4]),
        ({"max_messages": 1}, [4]),
        ({"max_messages": 4, "start_on": "human"}, [4]),
        ({"max_messages": 3, "start_on": "ai"}, [3, 4]),
        ({"max_messages": 2, "keep": "first"}, [0]),
        ({"max_messages": 3, "keep": "first"}, [0, 1, 2]),
        ({"max_messages": 3, "keep": "first", "start_on": "ai"}, [1, 2, 3]),
        ({"max_messages": 4, "max_tokens": 15}, [3, 4]),
        ({"max_messages": 1, "max_tokens": 15}, [4]),
        ({"max_tokens": 10**9}, [0, 1, 2, 3, 4]),
        ({}, [0, 1, 2, 3, 4]),
    ],
)
def test_never_parts_a_call_from_its_result(options: dict[str, Any], kept: list[int]) -> None:
    """Keeping the last three would start on the result, so the call's whole group goes."""
    assert trim(_BOOK, **options) == [_BOOK[i] for i in kept]


def test_a_turn_without_text_is_kept() -> None:
    """Empty text is no reason to drop a turn that has calls."""
    messages = [HumanMessage("work"), *_turn("k1"), *_turn("k2")]
    assert trim(messages, max_messages=5) == messages
    assert trim(messages, max_messages=4) == messages[1:]


def test_parallel_calls_and_what_stands_between_stay_together() -> None:
    """A group ends with the last result of its calls."""
    between = [*_turn("a", "b")[:2], HumanMessage("hello?"), ToolMessage("b", tool_call_id="b")]
    assert trim([HumanMessage("x"), *between], max_messages=4) == between
    with pytest.raises(NothingFits):
        trim([HumanMessage("x"), *between], max_messages=3)


def test_keeps_all_leading_system_messages() -> None:
    """They count in the budget; one that stands later is a message like others."""
    lead: list[Message] = [SystemMessage("a"), SystemMessage("b")]
    messages = [*lead, HumanMessage("x"), SystemMessage("later"), HumanMessage("y")]
    assert trim(messages, max_messages=3) == [*lead, messages[4]]
    assert trim(messages, max_messages=3, keep="first") == [*lead, messages[2]]
    assert trim(lead, max_messages=2, start_on="human") == lead


def test_a_result_of_no_call_is_dropped() -> None:
    """Even when all would fit."""
    assert trim([ToolMessage("cut off", tool_call_id="z"), HumanMessage("x")]) == [HumanMessage("x")]


def test_nothing_of_nothing() -> None:
    """An empty history fits every budget but one below nothing."""
    assert trim([]) == trim([], max_tokens=0, max_messages=0, start_on="human") == []
    assert trim((HumanMessage("x"),)) == [HumanMessage("x")]


_TOO_LITTLE: dict[str, tuple[list[Message], dict[str, Any]]] = {
    "one message": ([HumanMessage("x" * 100)], {"max_tokens": 28}),
    "a group": ([HumanMessage("x"), *_turn("a", "b")], {"max_messages": 2}),
    "system and a message": ([SystemMessage("s"), HumanMessage("x")], {"max_messages": 1}),
    "only system": ([SystemMessage("s")], {"max_messages": 0}),
    "below nothing": ([HumanMessage("x")], {"max_messages": -5}),
    "the second budget": ([HumanMessage("x")], {"max_tokens": 100, "max_messages": 0}),
    "up to the last human": ([HumanMessage("x"), AIMessage("y"), AIMessage("z")], {"max_messages": 2, "start_on": "human"}),
    "no human": ([AIMessage("y")], {"start_on": "human", "max_tokens": 100}),
}


def test_says_what_would_fit() -> None:
    """The numbers are those of the smallest history that may be sent, system messages included; a pickled error says the same."""
    said: dict[str, tuple[str, int | None, int | None]] = {}
    for name, (messages, options) in _TOO_LITTLE.items():
        with pytest.raises(NothingFits) as refused:
            trim(messages, **options)
        error = refused.value
        copied = pickle.loads(pickle.dumps(error))
        assert (str(copied), vars(copied)) == (str(error), vars(error))
        said[name] = (error.unit, error.budget, error.needed)
    assert said == snapshot(
        {
            "one message": ("tokens", 28, 29),
            "a group": ("messages", 2, 3),
            "system and a message": ("messages", 1, 2),
            "only system": ("messages", 0, 1),
            "below nothing": ("messages", -5, 1),
            "the second budget": ("messages", 0, 1),
            "up to the last human": ("messages", 2, 3),
            "no human": ("messages", None, None),
        }
    )


def test_says_what_to_do() -> None:
    """A text each for a budget that is too small and for a start that is not there."""
    assert issubclass(NothingFits, HolterError)
    assert str(NothingFits("tokens", 28, 29)) == snapshot(
        "no valid history fits the budget (tokens: 28): the smallest one that can be sent needs 29. "
        "Raise the budget, or shorten the system messages or what must stay with them."
    )
    assert str(NothingFits(start_on="human")) == snapshot(
        "no valid history starts on 'human': none of that kind is there, system messages and groups of a call and its results apart. "
        "Leave `start_on` out, or add such a message."
    )


@given(strategies.valid_histories(), st.sampled_from(["max_tokens", "max_messages"]), _keeps, _starts)
def test_what_is_needed_is_enough(messages: list[Message], unit: str, keep: Keep, start_on: Any) -> None:
    """The budget that the error asks for is met; one less is not."""
    _, error = _trimmed(messages, keep=keep, start_on=start_on, **{unit: -1})
    assume(error is not None and error.needed is not None)
    assert error is not None
    assert error.needed is not None
    enough, _ = _trimmed(messages, keep=keep, start_on=start_on, **{unit: error.needed})
    assert enough is not None
    _, error_again = _trimmed(messages, keep=keep, start_on=start_on, **{unit: error.needed - 1})
    assert error_again is not None
    assert error_again.needed == error.needed


def test_takes_another_counter_and_counts_no_more_than_it_must() -> None:
    """A tokenizer is slow: of a long history only what may be kept is counted."""
    counted: list[Message] = []

    def count(message: Message) -> int:
        counted.append(message)
        return 10

    messages: list[Message] = [HumanMessage(str(i)) for i in range(10_000)]
    assert trim(messages, max_tokens=35, count_tokens=count) == messages[-3:]
    assert len(counted) < 10


def test_a_huge_history_is_no_burden() -> None:
    """Work grows with the messages and not with their square."""
    messages = [message for i in range(30_000) for message in (HumanMessage("x"), *_turn(f"c{i}"))]
    assert trim(messages, max_messages=60_001, start_on="human") == messages[-60_000:]
    assert trim(messages, max_tokens=10**9, keep="first") == messages
