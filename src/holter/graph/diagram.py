"""What is drawn of a graph: boxes and arrows, before anything has a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import msgspec

from holter.graph.check import Graph
from holter.graph.edge import END, START


class Arrow(msgspec.Struct, frozen=True):
    """A way from one node to another."""

    source: str
    target: str
    label: str = ""
    """What a path returns for it, where that is not the target's name."""
    is_dotted: bool = False
    """Whether it is taken only when a path or a command says so."""


class Diagram(msgspec.Struct, frozen=True):
    """Boxes and arrows."""

    nodes: tuple[str, ...]
    """START, the nodes in the order in which they were added, and END where something leads there."""
    arrows: tuple[Arrow, ...]
    """In the order of their sources; between two nodes at most one of each kind."""


def diagram_of(graph: Graph, *, nested: bool = False) -> Diagram:
    """What a graph looks like. A node that nothing comes after leads to END; edges to nodes that do not exist are left out.

    A path or a command that does not say where it leads may lead everywhere. It is drawn to what nothing else leads to, and to everything
    only where there is nothing of that kind. `nested`: the nodes of a graph inside stand in the place of its own (`name:node`).
    """
    outer = _diagram(graph)
    if not nested:
        return outer
    return _unfolded(outer, {name: diagram_of(inner, nested=True) for name, inner in inner_graphs(graph).items()})


def inner_graphs(graph: Graph) -> dict[str, Graph]:
    """The nodes that are graphs of their own, in the order in which they were added, and what they run."""
    return {name: node.action.compiled.builder for name, node in graph.nodes.items() if node.form == "graph"}


def _unfolded(outer: Diagram, inner: dict[str, Diagram]) -> Diagram:
    """A diagram in which the nodes of each inner one stand where its name stood."""
    nodes: list[str] = []
    arrows: list[Arrow] = []
    for name in outer.nodes:
        nodes += [f"{name}:{node}" for node in inner[name].nodes if node not in (START, END)] if name in inner else [name]
        arrows += _within(name, inner[name]) if name in inner else []
    for arrow in outer.arrows:
        starts = _ends(arrow.source, inner.get(arrow.source), leaving=True)
        ends = _ends(arrow.target, inner.get(arrow.target), leaving=False)
        for start, end in product(starts, ends):
            label = ", ".join(part.label for part in (start, arrow, end) if part.label)
            arrows.append(Arrow(start.source, end.target, label, start.is_dotted or arrow.is_dotted or end.is_dotted))
    return Diagram(tuple(nodes), tuple(_merged(sorted(arrows, key=lambda arrow: nodes.index(arrow.source)))))


def _within(name: str, inner: Diagram) -> list[Arrow]:
    kept = [arrow for arrow in inner.arrows if arrow.source != START and arrow.target != END]
    return [Arrow(f"{name}:{arrow.source}", f"{name}:{arrow.target}", arrow.label, arrow.is_dotted) for arrow in kept]


def _ends(name: str, inner: Diagram | None, *, leaving: bool) -> list[Arrow]:
    """What an arrow that ends at a name ends at instead: the nodes that the inner graph begins with, or those that it is left from."""
    if inner is None:
        return [Arrow(name, name)]
    if leaving:
        found = [arrow for arrow in inner.arrows if arrow.target == END and arrow.source != START]
        return [Arrow(f"{name}:{arrow.source}", "", arrow.label, arrow.is_dotted) for arrow in found]
    found = [arrow for arrow in inner.arrows if arrow.source == START and arrow.target != END]
    return [Arrow("", f"{name}:{arrow.target}", arrow.label, arrow.is_dotted) for arrow in found]


def _diagram(graph: Graph) -> Diagram:
    known = (START, *graph.nodes, END)
    said = [arrow for arrow in _said(graph) if arrow.source in known and arrow.target in known]
    free = _free(graph)
    leading = {arrow.target for arrow in said}
    lonely = [name for name in known[1:] if name not in leading]
    arrows = [*said, *(Arrow(source, target, is_dotted=True) for source in free for target in (lonely or known[1:]) if target != source)]
    going_on = {arrow.source for arrow in arrows}
    arrows += [Arrow(name, END) for name in graph.nodes if name not in going_on]
    merged = _merged(sorted(arrows, key=lambda arrow: known.index(arrow.source)))
    ends = any(arrow.target == END for arrow in merged)
    return Diagram((START, *graph.nodes, *([END] if ends else [])), tuple(merged))


def _said(graph: Graph) -> Iterator[Arrow]:
    for source, target in graph.edges:
        yield Arrow(source, target)
    for join in graph.joins:
        yield from (Arrow(source, join.target) for source in join.sources)
    for branch in graph.branches:
        for value, target in (branch.targets or {}).items():
            yield Arrow(branch.source, target, "" if value == target else str(value), is_dotted=True)
    for node in graph.nodes.values():
        yield from (Arrow(node.name, target, label, is_dotted=True) for target, label in (node.targets or {}).items())


def _free(graph: Graph) -> list[str]:
    """The nodes behind which a path or a command may lead anywhere."""
    paths = [branch.source for branch in graph.branches if branch.targets is None]
    return list(dict.fromkeys([*paths, *(node.name for node in graph.nodes.values() if node.targets is None)]))


def _merged(arrows: Iterable[Arrow]) -> list[Arrow]:
    """Several arrows of one kind between two nodes as one, with all labels."""
    found: dict[tuple[str, str, bool], list[str]] = {}
    for arrow in arrows:
        found.setdefault((arrow.source, arrow.target, arrow.is_dotted), []).append(arrow.label)
    return [
        Arrow(source, target, ", ".join(dict.fromkeys(label for label in labels if label)), is_dotted)
        for (source, target, is_dotted), labels in found.items()
    ]
