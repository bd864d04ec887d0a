"""A node of a graph: what runs, what it wants beside the state, and where it may jump."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from holter.errors import GraphError
from holter.graph.edge import END, START, command_targets
from holter.graph.field import is_schema
from holter.graph.runtime import Wish, is_async, return_type, state_type, wishes_of
from holter.graph.state import StateSchema
from holter.tools.annotation import plain_function

Destinations: TypeAlias = "Sequence[str] | Mapping[str, str]"
"""Nodes that commands jump to; in a mapping with a label for the drawing."""


Form: TypeAlias = Literal["function", "invoke", "task", "graph"]


class Node(msgspec.Struct, frozen=True):
    """One node."""

    name: str
    action: Any
    """A function of the state, or an object with `invoke` and `ainvoke`."""
    form: Form
    """How the action is run: called, by its `invoke`/`ainvoke`, by its `run_task` (`holter.graph.task`), or as a graph of its own."""
    is_async: bool
    """Whether calling it gives something to await, or it has an `ainvoke`."""
    wishes: dict[str, Wish]
    """Parameters beside the state -> what they get."""
    schema: StateSchema
    """Of the state as this node gets it."""
    targets: dict[str, str] | None
    """Nodes that its commands may name -> a label or ""; None when it says that it jumps, and not where."""
    metadata: dict[str, Any]


def node_of(
    name: str,
    action: Any,
    schema: StateSchema,
    *,
    destinations: Destinations | None = None,
    metadata: Mapping[str, Any] | None = None,
    input_schema: Any = None,
) -> Node:
    """A node of a graph with that schema. Where the first parameter is annotated with another schema, the node gets the state as that.

    GraphError for what cannot be a node.
    """
    _check_action(name, action)
    form = _form(action)
    function = action if form == "function" else None
    wishes = wishes_of(function, f"node {name!r}") if function is not None else {}
    runs_async = is_async(action) if function is not None else form == "task" or hasattr(action, "ainvoke")
    seen = _schema(function, schema, input_schema)
    return Node(name, action, form, runs_async, wishes, seen, _targets(function, destinations), dict(metadata or {}))


def _form(action: Any) -> Form:
    if hasattr(action, "run_task"):
        return "task"
    if hasattr(action, "compiled"):
        return "graph"
    is_function = inspect.isroutine(action) or not (hasattr(action, "invoke") or hasattr(action, "ainvoke"))
    return "function" if is_function else "invoke"


def _check_action(name: str, action: Any) -> None:
    if isinstance(action, type):
        raise GraphError(
            f"node {name!r} is the class {action.__name__}; give an object of it, {action.__name__}(…), or a function of the state"
        )
    if hasattr(action, "add_node"):
        raise GraphError(f"node {name!r} is a graph that is not compiled; add_node({name!r}, graph.compile())")
    if not callable(action) and _form(action) == "function":
        raise GraphError(f"node {name!r} is a {type(action).__name__}: {action!r}; a node is a function of the state, or has `invoke`")
    plain = plain_function(action) if callable(action) else None
    if inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        raise GraphError(f"node {name!r} is a generator; a node returns its update, and sends what it has on the way with a StreamWriter")


def _schema(function: Any, schema: StateSchema, asked: Any) -> StateSchema:
    if asked is None and function is not None:
        hint = state_type(function)
        asked = hint if is_schema(hint) else None
    return schema if asked is None or asked is schema.schema else StateSchema(asked)


def _targets(function: Any, destinations: Destinations | None) -> dict[str, str] | None:
    if destinations is not None:
        return dict(destinations) if isinstance(destinations, Mapping) else dict.fromkeys(_listed(destinations), "")
    said = [] if function is None else command_targets(return_type(function))
    return None if said is None else dict.fromkeys(said, "")


def _listed(destinations: Sequence[str]) -> Sequence[str]:
    return [destinations] if isinstance(destinations, str) else destinations


RESERVED = (START, END, "__input__", "__interrupt__", "__parent__")
_CHARACTERS = (":", "|")


def checked_name(name: Any) -> str:
    """The name, when a node may have it. GraphError lists what is reserved."""
    if not isinstance(name, str):
        raise GraphError(f"a node's name is a text, found {name!r}")
    if not name.strip() or not name.isprintable():
        raise GraphError(f"{name!r} cannot be a node's name; it needs one that can be seen, in one line")
    if name in RESERVED:
        raise GraphError(f"{name!r} cannot be a node's name; reserved are {', '.join(RESERVED)}")
    if found := [character for character in _CHARACTERS if character in name]:
        raise GraphError(f"the node's name {name!r} has {found[0]!r} in it; {' and '.join(map(repr, _CHARACTERS))} are reserved")
    return name


def name_of(action: Any) -> str:
    """The name that an action has by itself: the function's, the object's `name`, or its class's. GraphError where there is none."""
    name = getattr(action, "name", None) if not inspect.isroutine(action) else None
    if not isinstance(name, str):
        name = getattr(action, "__name__", None) or getattr(getattr(action, "func", None), "__name__", None)
    if not isinstance(name, str):
        name = type(action).__name__ if callable(action) or hasattr(action, "invoke") else None
    if name is None or name == "<lambda>":
        raise GraphError(f"{action!r} has no name of its own; add_node(name, action)")
    return name
