"""Where everything in a drawing stands, in columns and rows of a terminal; a picture is drawn over the same grid.

Rows of boxes from top to bottom, arrows in right angles between them. Arrows that lead up run at the right side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from holter.graph.diagram import Arrow, Diagram
from holter.graph.edge import END, START
from holter.graph.rank import Item, Ranks, back_of, ranks_of
from holter.graph.track import Net, Port, set_tracks, untangle

Point: TypeAlias = tuple[int, int]
"""(column, row), from the upper left, from 0."""


class Box(NamedTuple):
    """A node."""

    node: str
    text: str
    x: int
    y: int
    width: int
    height: int
    is_end: bool
    """Whether it is START or END."""


class Line(NamedTuple):
    """A part of an arrow; the parts of one arrow meet and do not lie on one another."""

    points: list[Point]
    is_dotted: bool


class Head(NamedTuple):
    """The cell with an arrow's head, right before the box."""

    x: int
    y: int
    direction: Literal["down", "left"]


class Label(NamedTuple):
    """A text on an arrow."""

    text: str
    x: int
    y: int
    width: int


@dataclass(slots=True)
class Layout:
    """A drawing."""

    width: int = 0
    height: int = 0
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Lane:
    """A line at the right side, which leads up to one box."""

    target: str
    is_dotted: bool
    label: str
    sources: list[str]
    x: int = 0
    enters_aside: bool = False
    leaves_aside: list[str] = field(default_factory=list)
    """The sources that it leaves at their right side; the others it leaves below."""


def layout_of(diagram: Diagram, text_of: Callable[[str], str], cells: Callable[[str], int], width: int) -> Layout:
    """The drawing of a diagram, at most `width` columns wide if that can be. `text_of` gives a node's text, `cells` a text's width."""
    back = back_of(diagram)
    lanes = _lanes(back)
    limit = max(width - sum(_lane_width(lane, cells) for lane in lanes), 20)
    ranks = ranks_of(diagram, back, text_of, cells, limit - _RESERVE)
    return _Making(ranks, lanes, cells, limit).layout()


_RESERVE = 8
"""Columns that are kept for arrows that pass a row."""


def _lanes(back: list[Arrow]) -> list[_Lane]:
    """A lane for all upward arrows of one target, style and label."""
    found: dict[tuple[str, bool, str], list[Arrow]] = {}
    for arrow in back:
        found.setdefault((arrow.target, arrow.is_dotted, arrow.label), []).append(arrow)
    return [_Lane(*key, [arrow.source for arrow in arrows]) for key, arrows in found.items()]


def _lane_width(lane: _Lane, cells: Callable[[str], int]) -> int:
    return 3 + (cells(lane.label) + 1 if lane.label else 0)


class _Making:
    """A layout in the making."""

    def __init__(self, ranks: Ranks, lanes: list[_Lane], cells: Callable[[str], int], limit: int) -> None:
        self.ranks, self.lanes, self.cells, self.limit = ranks, lanes, cells, limit
        self.result = Layout()
        self.spaces: list[list[Net]] = [[] for _ in range(len(ranks.rows) + 1)]
        """The nets above each row, and below the last."""
        self.entering: dict[Item, list[Net]] = {}
        self.leaving: dict[Item, list[Net]] = {}
        self.ends: dict[Net, tuple[list[Item], list[Item]]] = {}
        """The items that a net comes from, and those that it leads to."""
        self.bends: dict[Net, int] = {}
        """The row of a net's horizontal part."""
        self.lane_nets: list[tuple[_Lane, Net, Literal["above", "below"]]] = []

    def layout(self) -> Layout:
        """The layout."""
        self._make_nets()
        self._take_sides()
        self._widen()
        _set_columns(self.ranks.rows, self.limit)
        self._set_lanes()
        self._set_ports()
        self._set_rows()
        return self.result

    # Nets

    def _make_nets(self) -> None:
        targets: dict[tuple[Item, bool], list[Item]] = {}
        for source, target, is_dotted in self.ranks.links:
            targets.setdefault((source, is_dotted), []).append(target)
        nets: dict[tuple[frozenset[Item], bool], Net] = {}
        for (source, is_dotted), found in targets.items():
            key = (frozenset(found), is_dotted)
            net = nets.get(key)
            if net is None:
                net = nets[key] = self._net(is_dotted, source.layer + 1)
                self.ends[net][1].extend(found)
                for target in found:
                    self.entering.setdefault(target, []).append(net)
            self.ends[net][0].append(source)
            self.leaving.setdefault(source, []).append(net)

    def _net(self, is_dotted: bool, space: int) -> Net:
        net = Net(is_dotted)
        self.spaces[space].append(net)
        self.ends[net] = ([], [])
        return net

    def _take_sides(self) -> None:
        """Which lanes begin and end at the right side of a box; the others do above or below it."""
        taken: set[str] = set()
        for lane in self.lanes:
            if lane.target not in taken and self._is_rightmost(lane.target):
                lane.enters_aside = True
                taken.add(lane.target)
        for lane in self.lanes:
            for source in lane.sources:
                if source not in taken and self._is_rightmost(source):
                    lane.leaves_aside.append(source)
                    taken.add(source)
        for lane in self.lanes:
            if not lane.enters_aside:
                box = self.ranks.boxes[lane.target]
                net = self._net(lane.is_dotted, box.layer)
                self.ends[net][1].append(box)
                self.entering.setdefault(box, []).append(net)
                self.lane_nets.append((lane, net, "below"))
            for source in lane.sources:
                if source not in lane.leaves_aside:
                    box = self.ranks.boxes[source]
                    net = self._net(lane.is_dotted, box.layer + 1)
                    self.ends[net][0].append(box)
                    self.leaving.setdefault(box, []).append(net)
                    self.lane_nets.append((lane, net, "above"))

    def _is_rightmost(self, name: str) -> bool:
        box = self.ranks.boxes[name]
        row = self.ranks.rows[box.layer]
        return all(item.kind == "bend" for item in row[row.index(box) + 1 :])

    # Columns

    def _widen(self) -> None:
        """Makes boxes wide enough for the arrows that enter and leave them."""
        for item in self.ranks.boxes.values():
            arrows = max(len(self.entering.get(item, [])), len(self.leaving.get(item, [])))
            item.width = max(item.width, 2 * arrows + 1)

    def _set_lanes(self) -> None:
        """Short lanes are inner lanes."""
        x = max(_left(item) + item.width for row in self.ranks.rows for item in row) + 1
        boxes = self.ranks.boxes
        for lane in sorted(self.lanes, key=lambda lane: max(boxes[name].layer for name in lane.sources) - boxes[lane.target].layer):
            lane.x = x + 1
            x += _lane_width(lane, self.cells)
        self.result.width = x if self.lanes else x - 1

    def _set_ports(self) -> None:
        for row in self.ranks.rows:
            for item in row:
                self._enter(item)
                self._leave(item)

    def _enter(self, item: Item) -> None:
        nets = self.entering.get(item, [])
        wishes = [self._wish(net, [port.x for port in net.ports if port.side == "above"], item) for net in nets]
        for net, x in zip(nets, _spread(item, wishes), strict=True):
            net.ports.append(Port(x, "below", 0, has_head=item.kind == "box"))

    def _leave(self, item: Item) -> None:
        nets = self.leaving.get(item, [])
        wishes = [self._wish(net, [_centre(target) for target in self.ends[net][1]], item) for net in nets]
        for net, x in zip(nets, _spread(item, wishes) if len(nets) > 1 else [_centre(item)] * len(nets), strict=True):
            net.ports.append(Port(x, "above", 0))

    def _wish(self, net: Net, others: list[int], item: Item) -> float:
        """The column at which a net would best meet an item."""
        lane = next((lane for lane, other, _ in self.lane_nets if other is net), None)
        if lane is not None:
            return lane.x
        return sum(others) / len(others) if others else _centre(item)

    # Rows

    def _set_rows(self) -> None:
        for lane, net, side in self.lane_nets:
            net.ports.append(Port(lane.x, side, None))
        y = 0
        rows: list[int] = []
        for number, row in enumerate(self.ranks.rows):
            if number:
                y = self._draw_space(number, y, self.ranks.rows[number - 1], row)
            rows.append(y)
            self._draw_row(row, y)
            y += _height(row)
        last = len(self.ranks.rows)
        self.result.height = self._draw_space(last, y, self.ranks.rows[-1], []) if self.spaces[last] else y
        self._draw_lanes(rows)

    def _draw_row(self, row: list[Item], y: int) -> None:
        height = _height(row)
        names = {item: name for name, item in self.ranks.boxes.items()}
        for item in row:
            if item.kind == "box":
                name = names[item]
                self.result.boxes.append(Box(name, item.text, _left(item), y, item.width, height, name in (START, END)))
            elif item.kind == "label":
                self.result.labels.append(Label(item.text, _left(item), y + height // 2, item.width))
            elif height > 1:
                is_dotted = (self.entering.get(item) or self.leaving[item])[0].is_dotted
                self.result.lines.append(Line([(_centre(item), y), (_centre(item), y + height - 1)], is_dotted))

    def _draw_space(self, number: int, y: int, upper: list[Item], lower: list[Item]) -> int:
        """Draws the nets between two rows; where the lower row begins."""
        nets = self.spaces[number]
        is_under_label = _height(upper) == 1 and any(not net.is_straight and self._comes_from_label(net) for net in nets)
        first = y + (1 if is_under_label else 0)
        jogs = untangle(nets)
        start = first + set_tracks(jogs)
        tracks = set_tracks(nets)
        if not tracks and any(net.is_dotted and self.ends[net][0][0].kind == "box" for net in nets):
            start += 1  # room to see that it is dotted
        end = start + tracks + (1 if lower else 0)
        bare = {_centre(item) for item in upper if item.kind == "label" and _height(upper) == 1}
        bare_below = {_centre(item) for item in lower if item.kind == "label" and _height(lower) == 1}
        for net in nets:
            labels = {"above": bare, "below": bare_below}
            ports = [port._replace(end=_end(port, port.x in labels[port.side], y, end)) for port in net.ports]
            self._draw_net(net, self._jogged(ports, jogs, first), start)
        for jog in jogs:
            self._draw_net(jog, [port._replace(end=_end(port, port.x in bare, y, end)) for port in jog.ports], first)
        return end

    def _jogged(self, ports: list[Port], jogs: list[Net], first: int) -> list[Port]:
        """The ports, those that were led aside ending where that was done."""
        rows = {port.x: first + (jog.track or 0) for jog in jogs for port in jog.ports if port.side == "below"}
        return [port._replace(end=rows[port.x]) if port.side == "above" and port.x in rows else port for port in ports]

    def _comes_from_label(self, net: Net) -> bool:
        return any(item.kind == "label" for item in self.ends[net][0])

    def _draw_net(self, net: Net, ports: list[Port], top: int) -> None:
        self.result.heads += [Head(port.x, port.end, "down") for port in ports if port.has_head and port.end is not None]
        if net.track is None:
            ends = [port.end for port in ports if port.end is not None]
            if min(ends) != max(ends):
                self.result.lines.append(Line([(net.low, min(ends)), (net.low, max(ends))], net.is_dotted))
            return
        y = self.bends[net] = top + net.track
        left = min(ports, key=lambda port: port.x)
        right = max(ports, key=lambda port: port.x)
        main = [(left.x, _stub(left, y)), (left.x, y), (right.x, y), (right.x, _stub(right, y))]
        self.result.lines.append(Line([point for at, point in enumerate(main) if at == 0 or point != main[at - 1]], net.is_dotted))
        for port in ports:
            if port is not left and port is not right and _stub(port, y) != y:
                self.result.lines.append(Line([(port.x, y), (port.x, _stub(port, y))], net.is_dotted))

    def _draw_lanes(self, rows: list[int]) -> None:
        tracks: dict[tuple[_Lane, str], list[int]] = {}
        for lane, net, side in self.lane_nets:
            tracks.setdefault((lane, side), []).append(self.bends[net])
        for lane in self.lanes:
            self._draw_lane(lane, rows, tracks.get((lane, "below"), []), tracks.get((lane, "above"), []))

    def _turn(self, end: Point, to: Point) -> None:
        """Leads the line that ends at a point on to the next one."""
        line = next(line for line in self.result.lines if line.points[-1] == end)
        line.points.append(to)

    def _draw_lane(self, lane: _Lane, rows: list[int], entries: list[int], exits: list[int]) -> None:
        boxes = self.ranks.boxes
        if lane.enters_aside:
            box = boxes[lane.target]
            upper = rows[box.layer] + _height(self.ranks.rows[box.layer]) // 2
            right = _left(box) + box.width
            self.result.heads.append(Head(right, upper, "left"))
            self.result.lines.append(Line([(right, upper), (lane.x, upper)], lane.is_dotted))
        else:
            upper = entries[0]
        aside = [(rows[boxes[name].layer] + _height(self.ranks.rows[boxes[name].layer]) // 2, boxes[name]) for name in lane.leaves_aside]
        lower = max([*exits, *(y for y, _ in aside)])
        for y, box in aside:
            self.result.lines.append(Line([(_left(box) + box.width - 1, y), (lane.x, y)], lane.is_dotted))
        self._turn((lane.x, upper), (lane.x, upper + 1))
        self._turn((lane.x, lower), (lane.x, lower - 1))
        if lower - 1 > upper + 1:
            self.result.lines.append(Line([(lane.x, upper + 1), (lane.x, lower - 1)], lane.is_dotted))
        if lane.label:
            self.result.labels.append(Label(lane.label, lane.x + 2, (upper + lower) // 2, self.cells(lane.label)))


def _end(port: Port, meets_label: bool, top: int, bottom: int) -> int | None:
    """The row at which a port's line ends in a space from row `top` to above row `bottom`: in the box or the row's own line, before a head,
    and before a label that is all there is in its row."""
    if port.end is None:
        return None
    if port.side == "above":
        return top if meets_label else top - 1
    return bottom - 1 if port.has_head or meets_label else bottom


def _stub(port: Port, y: int) -> int:
    """The row at which the vertical part of a port ends that begins at the track; the track itself where a lane takes it up."""
    return y if port.end is None else port.end


def _height(row: list[Item]) -> int:
    return 3 if any(item.kind == "box" for item in row) else 1


def _left(item: Item) -> int:
    return int(item.place) - item.width // 2


def _centre(item: Item) -> int:
    return int(item.place)


_PASSES = 8
_SLACK = 8
"""Columns by which a drawing may be wider than its widest row, where that makes arrows straighter."""


def _set_columns(rows: list[list[Item]], limit: int) -> None:
    """Sets each item's centre: as near to those that it is connected with as its row and the limit allow."""
    room = max(max(map(_width, rows)), min(limit, max(map(_width, rows)) + _SLACK))
    for row in rows:
        _place(row, [0.0] * len(row), room)
    for number in range(_PASSES):
        is_down = number % 2 == 1
        for row in rows if is_down else reversed(rows):
            _place(row, [_wished(item, item.above if is_down else item.below) for item in row], room)
    for row in rows:
        if all(item.kind != "box" for item in row):
            _place(row, [_wished(item, item.below if item.kind == "label" else []) for item in row], room)
    left = min(_left(item) for row in rows for item in row)
    for row in rows:
        for item in row:
            item.place -= left


def _wished(item: Item, others: list[Item]) -> float:
    return sum(other.place for other in others) / len(others) if others else item.place


def _offsets(row: list[Item]) -> list[int]:
    """How far the centres are from the first one where the items stand as close as they may."""
    offsets = [0]
    for one, other in pairwise(row):
        gap = 3 if one.kind == other.kind == "box" else 2
        offsets.append(offsets[-1] + one.width - one.width // 2 + gap + other.width // 2)
    return offsets


def _width(row: list[Item]) -> int:
    return row[0].width // 2 + _offsets(row)[-1] + row[-1].width - row[-1].width // 2


def _place(row: list[Item], wishes: list[float], room: int) -> None:
    """Places the items, in their order, with gaps and within the room around column 0, so that the squares of the distances from where they
    want to be are least."""
    offsets = _offsets(row)
    low = row[0].width // 2 - room // 2
    high = low + room - _width(row)
    places = _rising([wish - offset for wish, offset in zip(wishes, offsets, strict=True)])
    for item, offset, place in zip(row, offsets, places, strict=True):
        item.place = offset + min(max(round(place), low), high)


def _rising(values: list[float]) -> list[float]:
    """The sequence nearest to the values that never falls (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (one, count), (other, more) = pools[-2:]
            pools[-2:] = [((one * count + other * more) / (count + more), count + more)]
    return [value for value, count in pools for _ in range(count)]


def _spread(item: Item, wishes: list[float]) -> list[int]:
    """Columns of an item at which arrows meet it, near to where they want to, at least two apart; the middle for one that cannot come
    straight."""
    centre = _centre(item)
    if len(wishes) < 2:
        near = [round(wish) for wish in wishes if abs(wish - centre) <= 1 and item.kind == "box"]
        return near or [centre] * len(wishes)
    order = sorted(range(len(wishes)), key=lambda at: wishes[at])
    placed = _rising([wishes[at] - 2 * number for number, at in enumerate(order)])
    low, high = _left(item) + 1, _left(item) + item.width - 2
    columns = {}
    for number, at in enumerate(order):
        column = round(placed[number]) + 2 * number
        columns[at] = min(max(column, low + 2 * number), high - 2 * (len(order) - 1 - number))
    return [columns[at] for at in range(len(wishes))]
