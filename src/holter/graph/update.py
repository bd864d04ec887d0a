"""What a node returned, as writes to the state and as nodes to go on with."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from holter.errors import InvalidUpdate
from holter.graph.field import Field, Unfit
from holter.graph.state import Overwrite, Write
from holter.messages.message import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from holter.tools.command import Command, Send
from holter.tools.pydantic_form import is_model

_MESSAGES = (AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage)
_EXPECTED = "a node returns a dict of state fields, a Command, a list of these, or None"


class Update(msgspec.Struct):
    """What one node comes to."""

    writes: list[Write]
    """In the order in which they were written; a field may come several times."""
    goto: list[str | Send]
    """What its commands name."""
    parent: list[Command[Any]]
    """Commands that are meant for the graph around this one."""
    is_new: bool = False
    """Whether its messages are new ones, whatever ids they have: a model answered."""
    is_shown: bool = False
    """Whether a message that stands in the journal already shows that the task has ended."""


def update_of(node: str, returned: Any, fields: Mapping[str, Field]) -> Update:
    """What the node returned: None, a mapping, pairs, an object with fields, a Command, or a list of mappings and commands.

    InvalidUpdate, which names the node, and the key where one is at fault: another type, a field that the state does not declare, a value
    that the field refuses.
    """
    made = Update([], [], [])
    for part in _parts(returned):
        if isinstance(part, Command):
            _add_command(made, node, part, fields)
        else:
            made.writes += _writes(node, part, fields)
    return made


def input_writes(given: Any, fields: Mapping[str, Field]) -> list[Write]:
    """What a caller gave a graph, as the writes of START."""
    if given is None or isinstance(given, Command):
        return []
    return list(_writes("__start__", given, fields))


def _parts(returned: Any) -> list[Any]:
    """The updates and commands of a list of them; else what was returned, alone."""
    if isinstance(returned, list | tuple) and any(isinstance(part, Command | Mapping) for part in returned):
        return list(returned)
    return [returned]


def _add_command(made: Update, node: str, command: Command[Any], fields: Mapping[str, Field]) -> None:
    if command.graph == Command.PARENT:
        made.parent.append(command)
        return
    if command.graph is not None:
        raise InvalidUpdate(f"node {node!r} returned a Command for the graph {command.graph!r}; `graph` is left out, or Command.PARENT")
    if command.resume is not None:
        raise InvalidUpdate(f"node {node!r} returned a Command with `resume`; answers are inputs: invoke(Command(resume=…), thread=…)")
    made.writes += _writes(node, command.update, fields)
    made.goto += command.targets


def _writes(node: str, given: Any, fields: Mapping[str, Field]) -> Iterator[Write]:
    for key, value in _pairs(node, given):
        field = fields.get(key) if isinstance(key, str) else None
        if field is None:
            known = ", ".join(map(repr, fields)) or "none"
            raise InvalidUpdate(f"{subject(node)} wrote {key!r}, which the state does not declare; its fields are {known}")
        yield Write(node, field.name, _fitting(node, field, value))


def _fitting(node: str, field: Field, value: Any) -> Any:
    """The value as the field's type has it. What a reducer makes of a written value is checked when it has made it."""
    is_overwrite = isinstance(value, Overwrite)
    if field.check is None or (field.reducer is not None and not is_overwrite):
        return value
    try:
        return Overwrite(field.check(value.value)) if is_overwrite else field.check(value)
    except Unfit as unfit:
        raise InvalidUpdate(f"{subject(node)} wrote a value to {field.name!r} that does not fit: {unfit}") from None


def _pairs(node: str, given: Any) -> list[tuple[Any, Any]]:
    match given:
        case None:
            return []
        case Mapping():
            return list(given.items())
        case list() | tuple() if all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in given):
            return [(key, value) for key, value in given]
        case _ if not isinstance(given, type) and (fields := _attributes(given)) is not None:
            return list(fields.items())
        case _:
            raise InvalidUpdate(f"{subject(node)} {_found(given)}" if node != "__start__" else _no_input(given))


def _attributes(value: Any) -> dict[str, Any] | None:
    """The fields of an object that were written; None for what is no such object.

    Those of a pydantic model are those that somebody set; a None of another object is taken for "not written", as LangGraph does.
    """
    if isinstance(value, (*_MESSAGES, Send, Overwrite)):
        return None
    if is_model(type(value)):
        return {name: getattr(value, name) for name in value.model_fields_set}
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif dataclasses.is_dataclass(value):
        names = tuple(field.name for field in dataclasses.fields(value))
    else:
        return None
    found = {name: getattr(value, name, None) for name in names}
    return {name: part for name, part in found.items() if part is not None and part is not msgspec.UNSET}


def _found(given: Any) -> str:
    kind = type(given).__name__
    if isinstance(given, _MESSAGES):
        return f'returned a message ({kind}) and not a state update; return {{"messages": [message]}}'
    if isinstance(given, list | tuple) and any(isinstance(part, _MESSAGES) for part in given):
        return f'returned a {kind} of messages and not a state update; return {{"messages": messages}}'
    if isinstance(given, Send) or (isinstance(given, list | tuple) and any(isinstance(part, Send) for part in given)):
        return "returned a Send; a node returns Command(goto=[Send(…), …]), or a path behind it returns the sends"
    return f"returned {kind}: {_short(given)}; {_EXPECTED}"


def _no_input(given: Any) -> str:
    return f"the input of a graph is a dict of state fields, as in {{'messages': …}}; found {type(given).__name__}: {_short(given)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def subject(node: str) -> str:
    """Who wrote, to stand before "wrote"."""
    return "the input of the graph" if node == "__start__" else f"node {node!r}"
