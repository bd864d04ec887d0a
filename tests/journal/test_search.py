"""What a search asks of events."""

import sqlite3

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holter.journal.event import Event, LimitReached, MessageAdded, ModelFailed, NodeEnded, Repaired, RunStarted, ToolStarted
from holter.journal.search import ESCAPE, Wanted, errors, terms, texts
from holter.journal.stored import encode
from holter.messages import AIMessage, HumanMessage, ToolMessage
from tests.journal.events import events

CALL = {"name": "pay", "args": {"to": ["Ann", {"n": 17, "ok": True}]}, "id": "call-id", "type": "tool_call"}
_connection = sqlite3.connect(":memory:", check_same_thread=False)


def fits(pattern: str, event: Event) -> bool:
    """Whether a database says that the pattern fits the event as it is kept."""
    sql = f"SELECT ? LIKE ? ESCAPE '{ESCAPE}'"
    return bool(_connection.execute(sql, (encode(event).decode(), pattern)).fetchone()[0])


@given(events, st.data())
def test_a_pattern_passes_over_nothing(event: Event, data: st.DataObject) -> None:
    """Whatever an event says, the pattern of a part of it fits, in any case, and the event matches."""
    said = [text for text in texts(event) if text.strip()]
    assume(said)
    text = data.draw(st.sampled_from(said))
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : start + data.draw(st.integers(1, 12))].strip()
    assume(part and '"' not in part and len(part.split()) == 1)
    for written in (part, part.upper(), part.casefold()):
        for term in terms(Wanted(text=written)):
            if term.matches(event):
                assert fits(term.pattern, event)
    [term] = terms(Wanted(text=part))
    assert term.matches(event)


@pytest.mark.parametrize(
    ("said", "word", "is_found"),
    [
        ("Straße", "straße", True),
        ("Straße", "strasse", False),
        ("5 \u212a", "k", False),
        ("5 \u212a", "\u212a", True),
        ("\u0130stanbul", "\u0130stan", True),
        ("ΟΔΟΣ", "οδος", True),
        ("ÄRGER", "ärger", True),
        ("\u017fo", "\u017fo", True),
    ],
)
def test_the_case_of_letters_beyond_ascii(said: str, word: str, is_found: bool) -> None:
    """A letter is another's case where both are one character; then the pattern fits, too."""
    event = MessageAdded(message=HumanMessage(said, id="h"))
    [term] = terms(Wanted(text=word))
    assert term.matches(event) == is_found
    assert fits(term.pattern, event) or not is_found


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (MessageAdded(message=HumanMessage("hi", id="h")), ["hi"]),
        (MessageAdded(message=AIMessage("", id="a", reasoning="so", tool_calls=[CALL])), ["", "so", "pay", "Ann", "17"]),
        (MessageAdded(message=ToolMessage("out", id="t", tool_call_id="c", name="pay", status="error")), ["out", "pay"]),
        (RunStarted(run="r", input={"k": "v"}), ["v"]),
        (NodeEnded(node="n", task="0.0", writes={"k": [1.5, None]}), ["1.5"]),
        (Repaired(code="ARG02", text="closed it"), ["closed it"]),
        (ModelFailed(model="m", error="no"), ["no"]),
        (LimitReached(limit="steps"), ["steps"]),
        (ToolStarted(call_id="c", name="pay"), []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_an_event_says(event: Event, expected: list[str]) -> None:
    """Texts and numbers; no ids and no names of fields."""
    assert list(texts(event)) == expected


def test_what_an_event_says_of_a_failure() -> None:
    """A result that says that it failed is one, a good one is none."""
    assert list(errors(MessageAdded(message=ToolMessage("out", id="t", tool_call_id="c", status="error")))) == ["out"]
    assert list(errors(MessageAdded(message=ToolMessage("out", id="t", tool_call_id="c")))) == []


def test_words_and_phrases_are_told_apart() -> None:
    """Each word is a demand of its own, words in quotation marks are one."""
    assert [term.pattern for term in terms(Wanted(text='refund "my order" 50%'))] == ["%refund%", "%my order%", "%50!%%"]
    assert terms(Wanted()) == []
