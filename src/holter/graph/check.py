"""What can be said of a graph before it runs: what keeps it from running, and what its author may not have meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from holter.graph.edge import END, START, Branch, Join
from holter.graph.node import Node


class Graph(Protocol):
    """What is checked: a graph's nodes, and how it goes on behind each."""

    @property
    def nodes(self) -> Mapping[str, Node]:
        """By name."""

    @property
    def edges(self) -> Sequence[tuple[str, str]]:
        """(from, to)."""

    @property
    def joins(self) -> Sequence[Join]:
        """Edges that wait."""

    @property
    def branches(self) -> Sequence[Branch]:
        """Conditions."""

    @property
    def repeated(self) -> Sequence[str]:
        """What was added a second time."""


def faults(graph: Graph) -> Iterator[str]:
    """Why the graph cannot run: one text for each reason, none when it can."""
    if not graph.nodes:
        yield "the graph has no nodes; add_node(name, action) adds one"
        return
    if not any(source == START for source, _ in graph.edges) and not any(branch.source == START for branch in graph.branches):
        yield f"the graph has no beginning; add_edge(START, name) says which node runs first. {_there(graph)}"
    for text, name in _mentions(graph):
        if name not in graph.nodes and name not in (START, END):
            yield f"{text} names {name!r}, and there is no such node. {_there(graph)}"


def _there(graph: Graph) -> str:
    return f"Nodes are {', '.join(map(repr, graph.nodes))}"


def _mentions(graph: Graph) -> Iterator[tuple[str, str]]:
    """(where, name) of every name of a node that stands in an edge, a condition, or a node's destinations."""
    for source, target in graph.edges:
        yield from ((f"the edge from {source!r} to {target!r}", name) for name in (source, target))
    for join in graph.joins:
        text = f"the edge from [{', '.join(map(repr, join.sources))}] to {join.target!r}"
        yield from ((text, name) for name in (*join.sources, join.target))
    for branch in graph.branches:
        text = f"the condition {branch.name!r} behind {branch.source!r}"
        yield from ((text, name) for name in dict.fromkeys((branch.source, *(branch.targets or {}).values())))
    for node in graph.nodes.values():
        yield from ((f"node {node.name!r}, by the targets of its commands,", name) for name in node.targets or {})


def oddities(graph: Graph) -> Iterator[str]:
    """What the author may not have meant, one text each."""
    for text in graph.repeated:
        yield f"{text} was added twice; it counts once"
    reached = reachable(graph)
    for name in graph.nodes:
        if name not in reached:
            yield (
                f"nothing leads to node {name!r}; add an edge to it, or say where a command jumps to it: "
                f'-> Command[Literal["{name}"]], or add_node(…, destinations=["{name}"])'
            )
    for node in graph.nodes.values():
        targets = [end for start, end in graph.edges if start == node.name] + [
            join.target for join in graph.joins if node.name in join.sources
        ]
        if node.targets and targets:
            yield (
                f"node {node.name!r} has an edge to {', '.join(map(repr, targets))} and jumps to {', '.join(map(repr, node.targets))} by "
                "Command: both run, since a command's goto adds to the edges; take the edge away if the command is to choose"
            )


def reachable(graph: Graph) -> set[str]:
    """The nodes that the graph may come to, as far as it says."""
    found: set[str] = set()
    waiting = [START]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += targets_of(graph, name)
    return found - {START}


def targets_of(graph: Graph, name: str) -> list[str]:
    """Where the graph may go on behind a node: everywhere, if a path or a command does not say where."""
    targets = [end for start, end in graph.edges if start == name]
    targets += [join.target for join in graph.joins if name in join.sources]
    node = graph.nodes.get(name)
    said = [branch.targets for branch in graph.branches if branch.source == name]
    if None in said or (node is not None and node.targets is None):
        return [*targets, *graph.nodes, END]
    for mapped in said:
        targets += (mapped or {}).values()
    return targets + list(node.targets or {} if node else {})
