"""The state as nodes, paths, callers and readers of a stream see it: dicts and message lists of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from holter.graph.program import Program
from holter.journal.fold import Fold
from holter.journal.frontier import NO_ARG
from holter.messages.message import Message


def settled(program: Program, fold: Fold) -> dict[str, Any]:
    """As the tasks of a step get it: without what they wrote."""
    now = fold.settled
    return _in_order(program, now.fields, now.history.messages)


def whole(program: Program, fold: Fold) -> dict[str, Any]:
    """With what a step that is not over wrote."""
    return _in_order(program, fold.fields, fold.messages)


def whole_later(program: Program, fold: Fold) -> Callable[[], dict[str, Any]]:
    """What `whole` says now, for whoever asks later."""
    now = fold.snapshot()
    return lambda: _in_order(program, now.fields, now.messages.messages)


def input_of(program: Program, fold: Fold, node: str, arg: Any) -> Any:
    """What a node gets: the state, or what a Send gave; one that comes out of a journal has JSON's types."""
    of = program.node(node)
    if arg is not NO_ARG:
        return program.decoded(of, arg)
    return of.schema.input_of(node, settled(program, fold), program.messages_key)


def input_later(program: Program, fold: Fold, node: str, arg: Any) -> Callable[[], Any]:
    """What `input_of` says now, for whoever asks later."""
    if arg is not NO_ARG:
        return lambda: input_of(program, fold, node, arg)
    schema, key = program.node(node).schema, program.messages_key
    fields, messages = fold.settled.fields.copy(), fold.settled.history.snapshot()
    return lambda: schema.input_of(node, _in_order(program, fields, messages.messages), key)


def _in_order(program: Program, fields: Mapping[str, Any], messages: Callable[[], list[Message]]) -> dict[str, Any]:
    """The fields that have values, as the schemas declare them."""
    key = program.messages_key
    return {name: messages() if name == key else fields[name] for name in program.fields if name == key or name in fields}
