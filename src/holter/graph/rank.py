"""The rows of a drawing: which box stands in which row, and in which order.

Layers by longest path, order by barycentres (Sugiyama, Tagawa, Toda 1981). Arrows that would lead up are not among the links here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

from holter.graph.diagram import Arrow, Diagram
from holter.graph.edge import START


@dataclass(slots=True, eq=False)
class Item:
    """What takes a place in a row."""

    kind: Literal["box", "label", "bend"]
    """A bend is where an arrow passes a row that is not its own."""
    text: str
    width: int
    layer: int = 0
    place: float = 0
    """The position in its row, or in the end its centre."""
    leads_back: bool = False
    above: list[Item] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Ranks:
    """Rows of items, and the arrows between them."""

    rows: list[list[Item]]
    """From top to bottom, each from left to right."""
    boxes: dict[str, Item]
    """By the node's name."""
    links: list[tuple[Item, Item, bool]]
    """(upper, lower, whether dotted), between neighbouring rows only."""


def ranks_of(diagram: Diagram, back: Collection[Arrow], text_of: Callable[[str], str], cells: Callable[[str], int], limit: int) -> Ranks:
    """The rows of a diagram without the arrows that lead up, none with boxes and labels that are wider together than `limit` if that can
    be."""
    forward = [arrow for arrow in diagram.arrows if arrow not in back]
    boxes = {name: Item("box", text_of(name), cells(text_of(name)) + 4) for name in diagram.nodes}
    for arrow in back:
        boxes[arrow.source].leads_back = True
    items = list(boxes.values())
    pairs: list[tuple[Item, Item, bool]] = []
    for arrow in forward:
        source, target = boxes[arrow.source], boxes[arrow.target]
        if arrow.label:
            label = Item("label", arrow.label, cells(arrow.label), leads_back=target.leads_back)
            items.append(label)
            pairs.append((source, label, arrow.is_dotted))
            source = label
        pairs.append((source, target, arrow.is_dotted))
    _set_layers(items, pairs, boxes[START])
    _split_wide(items, limit)
    links = _links(items, pairs)
    rows = _rows(items, [item for link in links for item in link[:2] if item.kind == "bend"])
    _order(rows)
    return Ranks(rows, boxes, links)


def back_of(diagram: Diagram) -> list[Arrow]:
    """The arrows that close a loop, those from a node to itself too, in their order.

    Found by walking from START in the order of the arrows.
    """
    going: dict[str, list[Arrow]] = {name: [] for name in diagram.nodes}
    for each in diagram.arrows:
        going[each.source].append(each)
    found: set[Arrow] = set()
    done: set[str] = set()
    for root in diagram.nodes:
        if root in done:
            continue
        path = {root: iter(going[root])}
        while path:
            name = next(reversed(path))
            if (arrow := next(path[name], None)) is None:
                done.add(name)
                del path[name]
            elif arrow.target in path:
                found.add(arrow)
            elif arrow.target not in done:
                path[arrow.target] = iter(going[arrow.target])
    return [arrow for arrow in diagram.arrows if arrow in found]


def _set_layers(items: list[Item], pairs: list[tuple[Item, Item, bool]], start: Item) -> None:
    """Each item as far down as the longest way to it; what nothing leads to just above what it leads to."""
    entering = dict.fromkeys(items, 0)
    for source, target, _ in pairs:
        source.below.append(target)
        target.above.append(source)
        entering[target] += 1
    roots = [item for item in items if not item.above]
    for item in roots:
        item.layer = 0 if item is start else 1
    waiting = list(roots)
    while waiting:
        item = waiting.pop()
        for target in item.below:
            target.layer = max(target.layer, item.layer + 1)
            entering[target] -= 1
            if not entering[target]:
                waiting.append(target)
    for item in roots:
        if item is not start and item.below:
            item.layer = max(1, min(target.layer for target in item.below) - 1)


_GAP = 3


def _split_wide(items: list[Item], limit: int) -> None:
    """Makes two rows, or more, of one that is too wide."""
    layer = 0
    while layer <= max(item.layer for item in items):
        row = [item for item in items if item.layer == layer]
        parts = _parts(row, limit)
        for item in items:
            if item.layer > layer:
                item.layer += len(parts) - 1
        for number, part in enumerate(parts):
            for item in part:
                item.layer = layer + number
        layer += len(parts)


def _parts(row: list[Item], limit: int) -> list[list[Item]]:
    total = sum(item.width + _GAP for item in row) - _GAP
    if total <= limit or len(row) < 2:
        return [row]
    count = min(-(-total // limit), len(row))
    while True:
        size = -(-len(row) // count)
        parts = [row[start : start + size] for start in range(0, len(row), size)]
        if size == 1 or all(sum(item.width + _GAP for item in part) - _GAP <= limit for part in parts):
            return parts
        count += 1


def _links(items: list[Item], pairs: list[tuple[Item, Item, bool]]) -> list[tuple[Item, Item, bool]]:
    """The pairs, with bends in every row that an arrow passes.

    Arrows from one item share their bends, and so do arrows to one item from items that lead nowhere else: both can be told apart.
    """
    targets: dict[tuple[Item, bool], set[Item]] = {}
    for source, target, is_dotted in pairs:
        targets.setdefault((source, is_dotted), set()).add(target)
    bends: dict[tuple[str, Item, bool, int], Item] = {}
    links: dict[tuple[Item, Item, bool], None] = {}
    for item in items:
        item.above, item.below = [], []
    for source, target, is_dotted in pairs:
        shared = ("to", target) if len(targets[source, is_dotted]) == 1 else ("from", source)
        current = source
        for layer in range(source.layer + 1, target.layer):
            bend = bends.setdefault((*shared, is_dotted, layer), Item("bend", "", 1, layer))
            links[current, bend, is_dotted] = None
            current = bend
        links[current, target, is_dotted] = None
    for source, target, _ in links:
        source.below.append(target)
        target.above.append(source)
    return list(links)


def _rows(items: list[Item], bends: Iterable[Item]) -> list[list[Item]]:
    everything = dict.fromkeys([*items, *bends])
    rows: list[list[Item]] = [[] for _ in range(max(item.layer for item in everything) + 1)]
    for item in everything:
        rows[item.layer].append(item)
    found = [row for row in rows if row]
    for layer, row in enumerate(found):
        for item in row:
            item.layer = layer
    return found


_SWEEPS = 8


def _order(rows: list[list[Item]]) -> None:
    """Orders each row so that few arrows cross."""
    _number(rows)
    best, fewest = [list(row) for row in rows], _crossings(rows)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        for row in rows if is_down else reversed(rows):
            row.sort(key=lambda item: (_barycentre(item, item.above if is_down else item.below), item.leads_back, item.place))
            for place, item in enumerate(row):
                item.place = place
        if (crossings := _crossings(rows)) < fewest or sweep == 0:
            best, fewest = [list(row) for row in rows], crossings
    for row, ordered in zip(rows, best, strict=True):
        row[:] = ordered
    _number(rows)


def _number(rows: list[list[Item]]) -> None:
    for row in rows:
        for place, item in enumerate(row):
            item.place = place


def _barycentre(item: Item, neighbours: list[Item]) -> float:
    return sum(other.place for other in neighbours) / len(neighbours) if neighbours else item.place


def _crossings(rows: list[list[Item]]) -> int:
    count = 0
    for row in rows:
        ends = [(item.place, other.place) for item in row for other in item.below]
        count += sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for at, a in enumerate(ends) for b in ends[:at])
    return count
