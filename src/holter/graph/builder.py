"""Building a graph: nodes, the edges between them, and one state that they read and write.

Names and meaning are LangGraph's (`langgraph.graph`, 1.2, seen 2026-11).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Never, Self

from holter.errors import GraphError
from holter.graph.absent import refuse
from holter.graph.check import faults, oddities
from holter.graph.edge import END, START, Branch, Join, Path, PathMap, branch_of
from holter.graph.field import Field, joined
from holter.graph.node import Destinations, Node, checked_name, name_of, node_of
from holter.graph.state import StateSchema


class GraphBuilder:
    """A graph in the making. Every method that adds something returns the graph."""

    def __init__(
        self, state_schema: Any, context_schema: Any = None, *, input_schema: Any = None, output_schema: Any = None, **others: Never
    ) -> None:
        """`input_schema` and `output_schema` say which fields a caller gives and gets, where those are not all of the state's.

        GraphError for what is no schema. TypeError says what to use in the place of an option that LangGraph has and Holter does not.
        """
        refuse("StateGraph", others)
        self.schema = StateSchema(state_schema)
        self.input_schema = self.schema if input_schema is None else StateSchema(input_schema)
        self.output_schema = self.schema if output_schema is None else StateSchema(output_schema)
        self.context_schema = context_schema
        self.fields: dict[str, Field] = dict(self.schema.fields)
        """Every field that one of the schemas declares, those of single nodes too."""
        self.nodes: dict[str, Node] = {}
        self.edges: list[tuple[str, str]] = []
        """(from, to), in the order in which they were added; each once."""
        self.joins: list[Join] = []
        self.branches: list[Branch] = []
        self.repeated: list[str] = []
        """What was added a second time, as text."""
        self._declare(self.input_schema)
        self._declare(self.output_schema)

    def add_node(
        self,
        node: str | Any,
        action: Any = None,
        *,
        destinations: Destinations | None = None,
        metadata: Mapping[str, Any] | None = None,
        input_schema: Any = None,
        **others: Never,
    ) -> Self:
        """Adds a node under a name, or under its function's or object's own: a function of the state, synchronous or not, or an object with
        `invoke` and `ainvoke`.

        `destinations` names the nodes that its commands jump to, where its return type does not (`Command[Literal["a"]]`); `input_schema`
        the schema of what it gets, where the annotation of its first parameter does not; `metadata` is kept.

        GraphError for a name that is taken or reserved, and for what cannot be a node. TypeError says what to use in the place of an
        option that LangGraph has and Holter does not.
        """
        refuse("add_node", others)
        name, function = (node, action) if isinstance(node, str) else (name_of(node), node)
        if action is not None and not isinstance(node, str):
            raise GraphError(f"add_node takes the name first: add_node(name, action), found {node!r} and {action!r}")
        if function is None:
            raise GraphError(f"node {name!r} has no action; add_node({name!r}, action)")
        checked_name(name)
        if name in self.nodes:
            raise GraphError(f"there is a node {name!r} already; give this one another name: add_node(name, action)")
        made = node_of(name, function, self.schema, destinations=destinations, metadata=metadata, input_schema=input_schema)
        self._declare(made.schema)
        self.nodes[name] = made
        return self

    def add_edge(self, start_key: str | Sequence[str], end_key: str) -> Self:
        """Goes on from one node to another; from several in a list, when all of them are done.

        GraphError for an edge from END or to START.
        """
        starts = [start_key] if isinstance(start_key, str) else list(start_key)
        if not starts:
            raise GraphError(f"the edge to {end_key!r} comes from an empty list; name the nodes that it waits for")
        for name in (*starts, end_key):
            if not isinstance(name, str):
                raise GraphError(f"an edge goes from a node's name to a node's name, found {name!r}; add the node first, then name it")
        _check_ends(starts, end_key, f"the edge from {_said(starts)} to {end_key!r}")
        if len(starts) == 1:
            self._keep(self.edges, (starts[0], end_key), f"the edge from {starts[0]!r} to {end_key!r}")
        else:
            self._add_join(Join(tuple(dict.fromkeys(starts)), end_key))
        return self

    def add_conditional_edges(self, source: str, path: Path, path_map: PathMap | None = None) -> Self:
        """Goes on from a node to where `path(state)` says: a node's name, several, sends, or values that `path_map` gives a node for.

        `path_map` may be a list of the names that the path may return; without it, the path's return type says them (`Literal["a", "b"]`).
        GraphError for what cannot be a path or its map.
        """
        branch = branch_of(source, path, path_map)
        _check_ends([source], None, f"the condition {branch.name!r} behind {source!r}")
        for target in (branch.targets or {}).values():
            _check_ends([], target, f"the condition {branch.name!r} behind {source!r}")
        self._keep(self.branches, branch, f"the condition {branch.name!r} behind {source!r}")
        return self

    def add_sequence(self, nodes: Sequence[Any]) -> Self:
        """Adds nodes that run one after another: functions and objects, or pairs (name, action). GraphError for an empty sequence."""
        pairs = [item if isinstance(item, tuple) else (name_of(item), item) for item in nodes]
        if not pairs:
            raise GraphError("add_sequence got no nodes; give a list of functions, or of pairs (name, action)")
        for position, (name, action) in enumerate(pairs):
            self.add_node(name, action)
            if position:
                self.add_edge(pairs[position - 1][0], name)
        return self

    def set_entry_point(self, key: str) -> Self:
        """The node that runs first."""
        return self.add_edge(START, key)

    def set_conditional_entry_point(self, path: Path, path_map: PathMap | None = None) -> Self:
        """The nodes that run first are those that `path(state)` says."""
        return self.add_conditional_edges(START, path, path_map)

    def set_finish_point(self, key: str) -> Self:
        """A node after which nothing comes."""
        return self.add_edge(key, END)

    def check(self, *, stacklevel: int = 2) -> None:
        """Raises GraphError, with all that is wrong, for a graph that cannot run; warns of nodes that nothing leads to, of edges that were
        added twice, and of nodes that have edges and jump as well. `stacklevel` is that of `warnings.warn`."""
        if found := list(faults(self)):
            raise GraphError(
                found[0] if len(found) == 1 else "\n".join([f"the graph has {len(found)} faults:", *(f"- {text}" for text in found)])
            )
        for text in oddities(self):
            warnings.warn(text, stacklevel=stacklevel + 1)

    def copy(self) -> Self:
        """A graph of its own with the same nodes and edges."""
        made = copy(self)
        made.fields, made.nodes = self.fields.copy(), self.nodes.copy()
        made.edges, made.joins, made.branches, made.repeated = (list(kept) for kept in self._kept())
        return made

    def _kept(self) -> tuple[list[Any], ...]:
        return self.edges, self.joins, self.branches, self.repeated

    def _declare(self, schema: StateSchema) -> None:
        for name, field in schema.fields.items():
            self.fields[name] = joined(self.fields[name], field) if name in self.fields else field

    def _add_join(self, join: Join) -> None:
        self._keep(self.joins, join, f"the edge from {_said(join.sources)} to {join.target!r}")

    def _keep(self, kept: list[Any], item: Any, text: str) -> None:
        if item in kept:
            self.repeated.append(text)
        else:
            kept.append(item)


def _check_ends(starts: Sequence[str], end: str | None, text: str) -> None:
    if END in starts:
        raise GraphError(f"{text}: END has no edges, nothing comes after it")
    if len(starts) > 1 and START in starts:
        raise GraphError(f"{text}: START does not run, so nothing waits for it; leave it out")
    if end == START:
        raise GraphError(f"{text}: START is where the graph begins, nothing leads to it")


def _said(names: Sequence[str]) -> str:
    return repr(names[0]) if len(names) == 1 else f"[{', '.join(map(repr, names))}]"
