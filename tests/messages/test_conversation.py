"""A conversation knows where its messages stood, and its beginnings are conversations."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.messages import AIMessage, Conversation, Finding, HumanMessage, ListPlaces, Message, Place, Shared
from tests import strategies

_places = st.builds(
    ListPlaces, st.sampled_from(["messages", "body.contents"]), st.integers(0, 6), st.sampled_from([None, 3]), st.integers(0, 2)
)
_ends = st.one_of(st.none(), st.integers(-8, 8))
_steps = st.sampled_from([None, 1, 2, -1, -3])


@given(_places, st.builds(slice, _ends, _ends, _steps))
def test_places_are_a_sequence(places: ListPlaces, part: slice) -> None:
    """Length, iteration, slices, search and equality are those of a list of the same places."""
    listed = list(places)
    assert len(places) == len(listed)
    assert places[part] == listed[part]
    assert [places[i] for i in range(-len(listed), len(listed))] == listed * 2
    assert places == listed
    assert listed == places
    assert places == tuple(listed)
    assert hash(places) == hash(tuple(listed))
    assert list(reversed(places)) == listed[::-1]
    assert all(place in places and places.index(place) == i for i, place in enumerate(listed))
    assert places == copy.deepcopy(places) == pickle.loads(pickle.dumps(places))


@pytest.mark.parametrize("outside", [2, -3, 100])
def test_no_place_outside(outside: int) -> None:
    """A position that is not there is an IndexError."""
    with pytest.raises(IndexError):
        ListPlaces("messages", 2)[outside]


def test_places_are_told_apart() -> None:
    """What differs in any place is not equal, nor is what is no sequence; a position is a whole number."""
    places = ListPlaces("messages", 2)
    others: list[Any] = [
        ListPlaces("contents", 2),
        ListPlaces("messages", 3),
        ListPlaces("messages", 2, 7),
        ListPlaces("messages", 2, start=1),
    ]
    assert all(places != other for other in [*others, None, 2, "ab", {0: Place()}])
    with pytest.raises(TypeError):
        places[1.5]
    assert list(ListPlaces("messages", 2, 7, 3)) == snapshot(
        [Place(index=3, path="messages[3]", line=7, column=None), Place(index=4, path="messages[4]", line=7, column=None)]
    )
    assert repr(places) == snapshot("ListPlaces('messages', 2, line=None, start=0)")


def _finding(message: int | None) -> Finding:
    return Finding(code="READ01", name="input-cut", severity="error", text="cut", message=message)


_CONVERSATION = Conversation(
    format="openai.chat",
    messages=[HumanMessage("a"), AIMessage("b"), HumanMessage("c")],
    places=ListPlaces("messages", 3),
    findings=[_finding(None), _finding(0), _finding(2)],
    shared=Shared(0, 2),
    extra={"model": "gpt-5.5"},
    position=1,
)


@pytest.mark.parametrize(
    ("count", "messages", "findings", "shared"),
    [
        (0, 0, [None], None),
        (1, 1, [None, 0], Shared(0, 1)),
        (2, 2, [None, 0], Shared(0, 2)),
        (3, 3, [None, 0, 2], Shared(0, 2)),
        (99, 3, [None, 0, 2], Shared(0, 2)),
    ],
)
def test_a_head_is_a_snapshot(count: int, messages: int, findings: list[int | None], shared: Shared | None) -> None:
    """What concerns later messages is left out, what concerns the whole stays."""
    head = _CONVERSATION.head(count)
    assert head.messages == _CONVERSATION.messages[:messages]
    assert head.places == list(_CONVERSATION.places)[:messages]
    assert [finding.message for finding in head.findings] == findings
    assert head.shared == shared
    assert (head.format, head.extra, head.position) == ("openai.chat", {"model": "gpt-5.5"}, 1)


@given(strategies.valid_histories(), st.integers(0, 9), st.integers(0, 9))
def test_a_head_of_a_head_is_a_head(messages: list[Message], longer: int, shorter: int) -> None:
    """Only the shorter count matters, and all of it is the conversation itself."""
    whole = Conversation(format="openai.chat", messages=messages)
    assert whole.head(longer).head(shorter) == whole.head(min(longer, shorter))
    assert whole.head(len(messages)) == whole


def test_no_head_counts_from_the_end() -> None:
    """A negative count is a mistake of the caller."""
    with pytest.raises(ValueError, match="-1 was asked for"):
        _CONVERSATION.head(-1)
