"""What must not be shown is replaced, and nothing else."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given

from holter.journal.event import Event, Interrupted, MessageAdded, NodeEnded, Redacting, Repaired, RunEnded, RunStarted, ToolFailed
from holter.journal.fold import Fold
from holter.journal.redaction import NOTHING, Redaction
from holter.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from tests.journal.events import entries, events
from tests.strategies import json_values

SECRET = "4111-1111"
CARD = Redaction([r"\d{4}-\d{4}"])


@dataclass(frozen=True)
class Order:
    """An object of a program's own."""

    card: str
    items: list[Any]


class Pair(NamedTuple):
    """A tuple with names."""

    card: str
    amount: int


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("pay with 4111-1111, or 4222-2222", "pay with [redacted], or [redacted]"),
        ({"card": SECRET, SECRET: [SECRET, 7, None, True]}, {"card": "[redacted]", "[redacted]": ["[redacted]", 7, None, True]}),
        ((SECRET, 1), ("[redacted]", 1)),
        ({SECRET, "a"}, {"[redacted]", "a"}),
        (Pair(SECRET, 3), Pair("[redacted]", 3)),
        (Order(SECRET, [SECRET]), Order("[redacted]", ["[redacted]"])),
        (HumanMessage(SECRET, id="4111-1111"), HumanMessage("[redacted]", id="4111-1111")),
        (3.5, 3.5),
        (b"4111-1111", b"4111-1111"),
    ],
)
def test_values(value: Any, shown: Any) -> None:
    """Texts and keys, however deep; what is no JSON keeps its type."""
    assert CARD.value(value) == shown
    assert type(CARD.value(value)) is type(value)


def test_numbers() -> None:
    """A number among a program's values may be the secret; a message's own counts are none."""
    redaction = Redaction([r"\b4111\d*"])
    assert redaction.value({"card": 4111222, "other": 5, "yes": True}) == {"card": "[redacted]", "other": 5, "yes": True}
    failed = ToolFailed(call_id="c", name="pay", attempt=4111, error="4111 refused")
    assert redaction.struct(failed) == ToolFailed(call_id="c", name="pay", attempt=4111, error="[redacted] refused")


def test_messages() -> None:
    """Arguments and results are replaced; ids, names and statuses stay, so that calls and results stay pairs."""
    made = {"name": "pay", "args": {"card": SECRET}, "id": SECRET, "type": "tool_call"}
    shown = CARD.struct(AIMessage(f"with {SECRET}", tool_calls=[made], reasoning=SECRET, additional_kwargs={"raw": SECRET}))
    assert shown.tool_calls == [{**made, "args": {"card": "[redacted]"}}]
    assert (shown.text, shown.reasoning, shown.additional_kwargs) == ("with [redacted]", "[redacted]", {"raw": "[redacted]"})
    result = CARD.struct(ToolMessage(SECRET, tool_call_id=SECRET, name="pay", artifact={"x": SECRET}))
    assert (result.text, result.tool_call_id, result.artifact) == ("[redacted]", SECRET, {"x": "[redacted]"})
    chunk = AIMessageChunk("", tool_call_chunks=[{"index": 0, "id": SECRET, "name": "pay", "args": f'{{"card": "{SECRET}"}}'}])
    assert CARD.struct(chunk).tool_call_chunks == [{"index": 0, "id": SECRET, "name": "pay", "args": '{"card": "[redacted]"}'}]


def test_what_a_journal_keeps() -> None:
    """What a run goes on from keeps the values; what only tells what happened does not."""
    needed: list[Event] = [
        MessageAdded(message=HumanMessage(SECRET)),
        NodeEnded(node="n", task="1.0", writes={"card": SECRET}),
        RunStarted(run="r", input={"card": SECRET}),
        Interrupted(key="c", value=SECRET),
        Redacting(patterns=[SECRET]),
    ]
    assert CARD.kept(needed) == needed
    told: list[Event] = [RunEnded(run="r", status="failed", error=SECRET), Repaired(code="ARG02", text="x", raw=SECRET)]
    shown = [RunEnded(run="r", status="failed", error="[redacted]"), Repaired(code="ARG02", text="x", raw="[redacted]")]
    assert CARD.kept(told) == shown
    assert CARD.kept([Redacting(patterns=list(CARD.patterns)), *told]) == shown


def test_several_patterns() -> None:
    """Are all replaced; those of a foreign journal that are none stand for their own text."""
    both = Redaction(["ann"]).and_also(["(", "", "bob"])
    assert both.text("ann (bob") == "[redacted] [redacted][redacted]"
    assert both.and_also(["ann"]) is both
    assert NOTHING.text(SECRET) == SECRET
    assert not NOTHING
    for wrong in ("(", "x*"):
        with pytest.raises(ValueError, match="pattern"):
            Redaction([wrong])


def test_a_value_that_is_nested_too_deeply() -> None:
    """Is replaced as a whole: nothing gets out, and the stack is not exhausted."""
    deep: Any = SECRET
    for _ in range(5_000):
        deep = [deep]
    assert SECRET not in msgspec.json.encode(CARD.value(deep)).decode()


def test_a_pattern_that_is_the_secret() -> None:
    """Is not shown either; one that only describes it is."""
    event = Redacting(patterns=["hunter2", r"\d{4}"])
    assert Redaction(event.patterns).struct(event) == Redacting(patterns=[r"\d{4}"])
    assert Redaction(["hunter2"]).kept([event]) == [event]


@given(json_values)
def test_nothing_that_matches_is_left(value: Any) -> None:
    """Whatever the value is, and nothing that does not match is changed."""
    redaction = Redaction([r"\d"])
    assert not re.search(r"\d", re.sub(r"\\u\w{4}", "", msgspec.json.encode(redaction.value(value)).decode()))
    assert Redaction(["no such text, anywhere"]).value(value) == value


@given(events)
def test_events_stay_events(event: Any) -> None:
    """Of the same kind, which a journal can hold and a fold can take."""
    shown = Redaction(["[a-z]"]).struct(event)
    assert type(shown) is type(event)
    Fold.of(entries([shown]))
