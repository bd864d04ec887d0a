"""What a node may return."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import pydantic
import pytest
from inline_snapshot import snapshot

from holter.errors import InvalidUpdate
from holter.graph.field import fields_of
from holter.graph.state import MessagesState, Overwrite, Write
from holter.graph.update import Update, input_writes, update_of
from holter.messages import AIMessage, HumanMessage
from holter.tools.command import Command, Send


@dataclass
class State:
    """A state."""

    text: str = ""
    number: int | None = None


class Structure(msgspec.Struct):
    """One that checks its values."""

    text: str = ""
    number: int | None = None


class Model(pydantic.BaseModel):
    """One that checks its values."""

    text: str = ""
    number: Annotated[int, pydantic.Field(ge=0)] = 0


FIELDS = fields_of(State)


def writes(returned: Any, schema: Any = State) -> list[tuple[str, Any]]:
    """What a node's return value writes."""
    return [(write.key, write.value) for write in update_of("a", returned, fields_of(schema)).writes]


def refused(returned: Any, schema: Any = State) -> str:
    """Why it cannot be."""
    with pytest.raises(InvalidUpdate) as caught:
        update_of("a", returned, fields_of(schema))
    return str(caught.value)


def test_an_answer_is_no_update() -> None:
    """A node cannot give it."""
    assert refused(Command(resume=True)) == snapshot(
        "node 'a' returned a Command with `resume`; answers are inputs: invoke(Command(resume=…), thread=…)"
    )


def test_forms() -> None:
    """None, a mapping, pairs, objects with fields."""
    assert writes(None) == []
    assert writes({}) == []
    assert writes([]) == []
    assert writes({"text": "x"}) == [("text", "x")]
    assert writes([("text", "x"), ("number", 1), ("text", "y")]) == [("text", "x"), ("number", 1), ("text", "y")]
    assert writes(State("x")) == [("text", "x")]
    assert writes(Structure("x", 2)) == [("text", "x"), ("number", 2)]
    assert writes(Model(number=3)) == [("number", 3)]


def test_commands() -> None:
    """A command writes and jumps; one for the graph around is passed on; a list may mix commands and updates."""
    outer = Command[Any](graph=Command.PARENT, update={"x": 1}, goto="b")
    send = Send("c", 1)
    update = update_of("a", [{"text": "x"}, Command(update={"number": 1}, goto=["b", send]), outer, Command(goto="d")], FIELDS)
    assert update == Update([Write("a", "text", "x"), Write("a", "number", 1)], ["b", send, "d"], [outer])
    assert update_of("a", Command(goto="b"), FIELDS) == Update([], ["b"], [])


def test_errors() -> None:
    """Each names the node, and the key where one is at fault."""
    assert refused({"txt": 1}) == snapshot("node 'a' wrote 'txt', which the state does not declare; its fields are 'text', 'number'")
    assert refused("done") == snapshot(
        "node 'a' returned str: 'done'; a node returns a dict of state fields, a Command, a list of these, or None"
    )
    assert refused(3) == snapshot("node 'a' returned int: 3; a node returns a dict of state fields, a Command, a list of these, or None")
    assert refused(AIMessage("x")) == snapshot(
        "node 'a' returned a message (AIMessage) and not a state update; return {\"messages\": [message]}"
    )
    assert refused([HumanMessage("x")], MessagesState) == snapshot(
        "node 'a' returned a list of messages and not a state update; return {\"messages\": messages}"
    )
    assert refused([Send("b", 1)]) == snapshot(
        "node 'a' returned a Send; a node returns Command(goto=[Send(…), …]), or a path behind it returns the sends"
    )
    assert refused(Command(graph="other")) == snapshot(
        "node 'a' returned a Command for the graph 'other'; `graph` is left out, or Command.PARENT"
    )
    assert refused(Command(update="x")) == snapshot(
        "node 'a' returned str: 'x'; a node returns a dict of state fields, a Command, a list of these, or None"
    )
    assert refused({1: 2}) == snapshot("node 'a' wrote 1, which the state does not declare; its fields are 'text', 'number'")
    assert refused(State) == snapshot(
        "node 'a' returned type: <class 'tests.graph.test_update.State'>; a node returns a dict of state "
        "fields, a Command, a list of these, or None"
    )


def test_values_that_do_not_fit() -> None:
    """Schemas that check their values say what is wrong with one; what fits is stored as the type has it."""
    assert refused({"number": "x"}, Structure) == snapshot(
        "node 'a' wrote a value to 'number' that does not fit: Expected `int | null`, got `str`"
    )
    assert refused({"number": -1}, Model) == snapshot(
        "node 'a' wrote a value to 'number' that does not fit: Input should be greater than or equal to 0"
    )
    assert refused({"number": Overwrite("x")}, Model) == snapshot(
        "node 'a' wrote a value to 'number' that does not fit: Input should be a valid integer, unable to parse string as an integer"
    )
    assert writes({"number": "3"}, Model) == [("number", 3)]
    assert writes({"number": "x"}) == [("number", "x")]


def test_input() -> None:
    """What a caller gives is checked in the same way."""
    assert input_writes({"text": "x"}, FIELDS) == [Write("__start__", "text", "x")]
    assert input_writes(None, FIELDS) == []
    with pytest.raises(InvalidUpdate) as caught:
        input_writes({"txt": "x"}, FIELDS)
    assert str(caught.value) == snapshot(
        "the input of the graph wrote 'txt', which the state does not declare; its fields are 'text', 'number'"
    )
