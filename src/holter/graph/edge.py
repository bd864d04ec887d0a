"""Where a graph goes on: the two ends, edges that wait for several nodes, and conditions."""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

import msgspec

from holter.errors import GraphError
from holter.graph.runtime import Wish, is_async, return_type, wishes_of
from holter.messages.message import Message
from holter.tools.command import Command, Send

START: Final = "__start__"
"""Where a graph begins: an edge from here names the first node."""

END: Final = "__end__"
"""Where it ends: an edge to here names no node."""

Path: TypeAlias = Callable[..., Any]
"""`path(state)`: the name of the next node, several, sends, or values that the path map knows. It may be asynchronous."""

PathMap: TypeAlias = "Mapping[Any, str] | Sequence[str]"


Peek: TypeAlias = Callable[[Sequence[Message]], Any]
"""`path.holter_peek(messages)`: what `path(state)` returns, told from the messages from the newest AI message on."""


class Join(msgspec.Struct, frozen=True):
    """An edge that waits until all of several nodes are done."""

    sources: tuple[str, ...]
    target: str


class Branch(msgspec.Struct, frozen=True):
    """A condition behind a node."""

    source: str
    path: Path
    targets: dict[Hashable, str] | None
    """What the path may return -> the node; None when it may name any node."""
    is_async: bool = False
    wishes: dict[str, Wish] = {}
    """Parameters of the path beside the state -> what they get."""
    peek: Peek | None = None
    """What the path says by itself, without a copy of the state: its attribute `holter_peek`, if it has one."""

    @property
    def name(self) -> str:
        """The path's name."""
        return str(getattr(self.path, "__name__", type(self.path).__name__))

    def chosen(self, result: Any, nodes: Collection[str]) -> list[str | Send]:
        """The nodes that a result of the path means, in order; END among them where it says so.

        GraphError for one that is not in the path map, or names no node.
        """
        if self._is_key(result) or not isinstance(result, list | tuple | set | frozenset):
            return [self._target(result, nodes)]
        return [self._target(value, nodes) for value in result]

    def _is_key(self, value: Any) -> bool:
        try:
            return self.targets is not None and value in self.targets
        except TypeError:  # it cannot be hashed
            return False

    def _target(self, value: Any, nodes: Collection[str]) -> str | Send:
        said = f"the path {self.name!r} behind {self.source!r} returned"
        if isinstance(value, Send):
            return destination(value, nodes, said)
        if self.targets is None:
            return destination(value, nodes, said)
        if not self._is_key(value):
            known = ", ".join(map(repr, self.targets))
            raise GraphError(f"{said} {value!r}, which is not in its path map; it knows {known}")
        return self.targets[value]


def destination(value: Any, nodes: Collection[str], said: str) -> str | Send:
    """A value that names a node, END, or sends to a node. GraphError for another; `said` begins its text: "node 'a' goes to"."""
    name = value.node if isinstance(value, Send) else value
    if isinstance(name, str) and (name in nodes or (name == END and not isinstance(value, Send))):
        return typing.cast("str | Send", value)
    found = f"a Send to {name!r}" if isinstance(value, Send) else repr(value)
    kind = "there is no such node" if isinstance(name, str) else "that is no node's name"
    raise GraphError(f"{said} {found}, and {kind}; nodes are {', '.join(map(repr, nodes)) or 'none'}, and END")


def branch_of(source: str, path: Path, path_map: PathMap | None) -> Branch:
    """A condition; without a path map, its targets are those that the path's return type says (`Literal["a", "b"]`).

    GraphError for what is no function and for a map that names no nodes.
    """
    owner = f"the path behind {source!r}"
    if not callable(path):
        raise GraphError(f"{owner} is a {type(path).__name__}: {path!r}; a path is a function of the state that names the next node")
    return Branch(source, path, _targets(path, path_map, owner), is_async(path), wishes_of(path, owner), getattr(path, "holter_peek", None))


def _targets(path: Path, path_map: PathMap | None, owner: str) -> dict[Hashable, str] | None:
    if path_map is None:
        said = dict.fromkeys(value for value in literals(return_type(path)) if isinstance(value, str))
        return {name: name for name in said} or None
    if isinstance(path_map, str):
        raise GraphError(f"{owner} has the path map {path_map!r}; a path map is a list of nodes, or a dict from results to nodes")
    targets: dict[Hashable, str] = dict(path_map) if isinstance(path_map, Mapping) else {name: name for name in path_map}
    if not targets:
        raise GraphError(f"{owner} has an empty path map; leave it out where the path may go anywhere")
    for value, name in targets.items():
        if not isinstance(name, str):
            raise GraphError(f"{owner} maps {value!r} to {name!r}, which is no node's name")
    return targets


def literals(hint: Any) -> Iterator[Any]:
    """The values of every Literal in a type, in order."""
    hint = getattr(hint, "__value__", hint)
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    elif get_origin(hint) is not Send:
        for part in get_args(hint):
            yield from literals(part)


def command_targets(hint: Any) -> list[str] | None:
    """The nodes that a function's commands name, by its return type (`Command[Literal["a"]]`); none when it returns no commands, None
    when it does and does not say where they lead."""
    hint = getattr(hint, "__value__", hint)
    if hint is Command:
        return None
    if get_origin(hint) is Command:
        return [name for name in literals(hint) if isinstance(name, str)] or None
    found: list[str] = []
    for part in get_args(hint):
        targets = command_targets(part)
        if targets is None:
            return None
        found += targets
    return list(dict.fromkeys(found))
