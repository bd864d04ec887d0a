"""What a journal holds, and how a message becomes something that it can hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import NotStorable
from holter.journal.event import Event, Interrupted, MessageAdded, NodeEnded, Repaired, ToolStarted
from holter.journal.mended import mended
from holter.journal.storable import Problem, non_finite, storable
from holter.journal.stored import decode, encode
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage
from tests.journal.events import events
from tests.strategies import any_texts, json_values, messages


@dataclass
class Point:
    x: float


class Model(pydantic.BaseModel):
    x: Any
    at: datetime = datetime(2026, 1, 2, tzinfo=UTC)


class Part(msgspec.Struct):
    value: Any


@given(json_values)
def test_json_is_storable(value: Any) -> None:
    """Whatever JSON holds."""
    assert storable(value) is None
    assert decode(encode(Interrupted(key="k", value=value))) == Interrupted(key="k", value=value)


@pytest.mark.parametrize(
    ("value", "back"),
    [
        ((1, {2}), [1, [2]]),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (b"x", "eA=="),
        (Point(1.5), {"x": 1.5}),
        (Model(x=[1]), {"x": [1], "at": "2026-01-02T00:00:00Z"}),
        ({1: None}, {"1": None}),
        (2**80, 2**80),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_one_json_form_is_stored_as_that(value: Any, back: Any) -> None:
    """The state's annotations say what it was."""
    assert storable(value) is None
    assert decode(encode(NodeEnded(node="n", task="0.0", writes={"k": value}))) == NodeEnded(node="n", task="0.0", writes={"k": back})


def _deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (object(), Problem("", "an object")),
        ({"a b": [None, float("nan")]}, Problem("['a b'][1]", "nan")),
        ({"rows": (1, {"x": float("inf")})}, Problem("rows[1].x", "inf")),
        ("ab\udc00", Problem("", "half a character (a lone surrogate), at character 2")),
        ({"ok": {"\ud83d": 1}}, Problem("ok", "an object with a key that is no text ('\\ud83d')")),
        (Part([Part(1j)]), Problem("value[0].value", "a complex")),
        ([Point(float("nan"))], Problem("[0].x", "nan")),
        (Model(x=object()), Problem("", "a Model")),
        (len, Problem("", "a builtin_function_or_method")),
    ],
    ids=lambda value: "",
)
def test_a_problem_says_where_and_what(value: Any, problem: Problem) -> None:
    """The first thing in the way."""
    assert storable(value) == problem


def test_values_without_an_end() -> None:
    """Nested beyond sense, or part of themselves."""
    loop: dict[str, Any] = {}
    loop["me"] = loop
    for value in (_deep(100_000), loop):
        found = storable(value)
        assert found is not None
        assert found.text == "more than 100 levels, or a value that is part of itself"
        assert len(found.path) < 250


def test_the_error_names_node_key_and_path() -> None:
    """One sentence that says where, and one that says what a journal holds."""
    with pytest.raises(NotStorable) as raised:
        encode(NodeEnded(node="plan", task="0.0", writes={"ok": 1, "frame": [object()]}))
    assert str(raised.value) == (
        "the value of 'frame' of node 'plan' cannot be stored: at [0]: an object. A journal holds JSON: text, finite numbers, booleans, "
        "None, lists and dicts with text for keys, and what can be written so"
    )


def test_a_field_of_the_wrong_type_is_refused() -> None:
    """It could be written and not be read again."""
    wrong: Any = 5
    cases: list[tuple[Event, str]] = [
        (ToolStarted(call_id=wrong, name="f"), "call_id"),
        (MessageAdded(message=HumanMessage("x", name=wrong), node="n"), "message.name"),
    ]
    for event, path in cases:
        with pytest.raises(NotStorable) as raised:
            encode(event)
        assert (raised.value.path, raised.value.problem) == (path, "expected `str | null`, got `int`")


_ODD: list[Any] = [
    None,
    True,
    5,
    float("nan"),
    "",
    "text",
    b"bytes",
    [],
    ["x"],
    [{}],
    [None],
    {},
    {"a": None},
    {1: 2},
    {"a": float("inf")},
    (),
]
_FIELDS = [name for kind in (AIMessage, ToolMessage) for name in kind.__struct_fields__]


@given(
    st.sampled_from([AIMessage, ToolMessage, HumanMessage]), st.dictionaries(st.sampled_from(_FIELDS), st.sampled_from(_ODD), max_size=3)
)
def test_what_is_stored_can_be_read(kind: Any, odd: dict[str, Any]) -> None:
    """Whatever stands in which field: it is refused, or comes back, with no number that became null."""
    fields: dict[str, Any] = {"content": "x", "id": "m", **({"tool_call_id": "k"} if kind is ToolMessage else {}), **odd}
    message = kind(**{name: value for name, value in fields.items() if name in kind.__struct_fields__})
    for event in (MessageAdded(message=message, node=fields.get("name", "n")), ToolStarted(call_id=fields["id"], name=fields["content"])):
        try:
            stored = encode(event)
        except NotStorable:
            continue
        assert not non_finite(event)
        assert decode(encode(decode(stored))) == decode(stored)


@given(events)
def test_every_event_is_stored_and_read(event: Event) -> None:
    """What is acknowledged can be read again, and is what it was."""
    assert decode(encode(event)) == event


# Messages that are mended


def test_a_message_that_can_be_stored_is_itself() -> None:
    """The same object, and no repair."""
    message = AIMessage("hi", response_metadata={"logprobs": None})
    made, repairs = mended(message)
    assert made is message
    assert repairs == []


def test_halves_of_characters_are_replaced() -> None:
    """In content, names, keys and arguments; a split pair is joined; the event shows the place."""
    call = {"name": "f", "args": {"k\udc00": "x\ud83d\ude42"}, "id": "c", "type": "tool_call"}
    made, repairs = mended(AIMessage("half \ud83d", id="m", tool_calls=[call]))
    assert made == AIMessage("half \ufffd", id="m", tool_calls=[{**call, "args": {"k\ufffd": "x🙂"}}])
    text = "Halves of characters (lone surrogates) in 3 texts became U+FFFD; split pairs were joined."
    assert repairs == [Repaired(code="CONT03", text=text, raw="half \\ud83d")]
    encode(MessageAdded(message=made))


def test_values_that_json_does_not_know_become_null_or_text() -> None:
    """A result is never lost for what stands beside its text."""
    made, repairs = mended(
        ToolMessage("1", tool_call_id="c", artifact={"n": float("nan"), "z": 1j, "at": datetime(2026, 1, 2, tzinfo=UTC)})
    )
    assert isinstance(made, ToolMessage)
    assert made.artifact == {"n": None, "z": "1j", "at": datetime(2026, 1, 2, tzinfo=UTC)}
    text = "2 values that JSON does not know became null or text."
    assert repairs == [Repaired(code="CONT02", text=text, call_id="c", raw="nan, complex")]


def test_plain_text_among_blocks_becomes_a_block() -> None:
    """As LangChain allows it."""
    content: Any = ["a", {"type": "text", "text": "b"}]
    made, repairs = mended(HumanMessage(content))
    assert made.content == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert repairs == []


def test_a_value_that_is_part_of_itself_ends() -> None:
    """So does one that is nested beyond sense."""
    loop: list[Any] = []
    loop.append(loop)
    for artifact in (loop, _deep(5_000)):
        made, repairs = mended(ToolMessage("1", tool_call_id="c", artifact=artifact))
        encode(MessageAdded(message=made))
        assert repairs[0].code == "CONT02"


@pytest.mark.parametrize(
    ("content", "text"), [(7, "7"), (0.5, "0.5"), (None, ""), (True, "true"), ({"a": [1]}, '{"a":[1]}'), (("a",), "a")]
)
def test_content_that_is_no_text_becomes_its_text(content: Any, text: str) -> None:
    """As LangChain's `ToolMessage(content=7, …)` does; programs rely on it."""
    made, _ = mended(ToolMessage(content, tool_call_id="c"))
    assert made.text == text
    encode(MessageAdded(message=made))


def test_a_field_that_holds_something_else_is_a_type_error() -> None:
    """Nobody can know what was meant."""
    wrong: Any = 5
    with pytest.raises(TypeError, match=r"a HumanMessage holds what it cannot: Expected `str \| null`, got `int` - at `\$\.name`"):
        mended(HumanMessage("x", name=wrong))


@given(messages(any_texts))
def test_every_message_can_be_stored_when_it_is_mended(message: Message) -> None:
    """And is stored as it is; mending it again changes nothing."""
    made, _ = mended(message)
    assert decode(encode(MessageAdded(message=made))) == MessageAdded(message=made)
    assert mended(made) == (made, [])
