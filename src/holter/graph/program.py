"""A graph that does not change any more: what the engine runs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_origin

from holter.errors import GraphError
from holter.graph.builder import GraphBuilder
from holter.graph.field import is_schema
from holter.graph.node import Node
from holter.graph.route import Routes
from holter.graph.runtime import state_type
from holter.graph.written import journal_fields, messages_key


class Program:
    """What a builder came to."""

    def __init__(self, builder: GraphBuilder, name: str) -> None:
        self.name = name
        self.builder = builder
        self.nodes: dict[str, Node] = dict(builder.nodes)
        self.said = {name: f"node {name!r}" for name in self.nodes}
        """What errors call the nodes."""
        self.fields = dict(builder.fields)
        self.output_fields = frozenset(builder.output_schema.fields)
        """The fields that a caller gets."""
        self.routes = Routes(builder)
        self.messages_key = messages_key(self.fields)
        self.journal_fields = journal_fields(self.fields)
        self.patterns = tuple(dict.fromkeys(pattern for node in self.nodes.values() for pattern in _patterns(node)))
        """What is not to be shown of its threads, as regular expressions."""
        self._objects = frozenset(node.name for node in self.nodes.values() if _takes_object(node))
        """Nodes whose functions say that they take an object of a schema."""
        self.takes_config = {node.name: _takes_config(node.action) for node in self.nodes.values() if node.form == "invoke"}
        """Nodes that are run by their `invoke` -> whether it takes the configuration beside the input."""

    def node(self, name: str) -> Node:
        """The node. GraphError where a thread comes to one that its program does not have any more."""
        node = self.nodes.get(name)
        if node is None:
            raise GraphError(f"the thread goes on at node {name!r}, which the graph does not have; its nodes are {', '.join(self.nodes)}")
        return node

    def decoded(self, node: Node, value: Any) -> Any:
        """An input that a Send gave to the node, in its own types after it was in a journal: an object where the node's function says so
        by its annotation."""
        if not isinstance(value, Mapping):
            return value
        fields = journal_fields(node.schema.fields) if node.name in self._objects else self.journal_fields
        values = {key: decode(item) if (decode := getattr(fields.get(key), "decode", None)) else item for key, item in value.items()}
        is_object = node.name in self._objects and values.keys() <= fields.keys()
        return node.schema.input_of(node.name, values) if is_object else values


def _patterns(node: Node) -> tuple[str, ...]:
    """What a node says is not to be shown: one that runs tools by its wrappers, a graph by its nodes."""
    match node.form:
        case "graph":
            return node.action.compiled.program.patterns  # type: ignore[no-any-return]
        case "task":
            return getattr(node.action, "patterns", ())
        case _:
            return ()


def _takes_object(node: Node) -> bool:
    hint = state_type(node.action) if node.form == "function" else None
    cls: Any = get_origin(hint) or hint
    return is_schema(hint) and not issubclass(cls, dict)


def _takes_config(action: Any) -> bool:
    try:
        inspect.signature(getattr(action, "ainvoke", None) or action.invoke).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True
