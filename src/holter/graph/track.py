"""The space between two rows of a drawing: in which order the horizontal parts of its arrows lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Side: TypeAlias = Literal["above", "below"]


class Port(NamedTuple):
    """Where an arrow enters or leaves the space."""

    x: int
    side: Side
    end: int | None
    """The row at which it ends; None: the row beside its track, where a line at the side of the drawing takes it up."""
    has_head: bool = False


@dataclass(slots=True, eq=False)
class Net:
    """Arrows that share a horizontal part: all that enters from above leads to all that leaves below."""

    is_dotted: bool
    ports: list[Port] = field(default_factory=list)
    track: int | None = None
    """Counted from above; None for a straight line."""

    @property
    def low(self) -> int:
        """The leftmost column."""
        return min(port.x for port in self.ports)

    @property
    def high(self) -> int:
        """The rightmost column."""
        return max(port.x for port in self.ports)

    @property
    def is_straight(self) -> bool:
        """Whether it has no horizontal part."""
        return self.low == self.high and all(port.end is not None for port in self.ports)


def untangle(nets: list[Net]) -> list[Net]:
    """Nets that lead some arrows one or more columns aside before their own, where two would otherwise have to lie above each other.

    The arrows' ports move to the new columns; the row of a new net's track becomes the end of the moved port.
    """
    made: list[Net] = []
    waiting = [net for net in nets if not net.is_straight]
    taken = {port.x for net in nets for port in net.ports}
    while waiting:
        free = [net for net in waiting if not any(_must_precede(other, net) for other in waiting if other is not net)]
        if free:
            waiting = [net for net in waiting if net not in free]
            continue
        net = next(net for net in waiting if any(_must_precede(net, other) for other in waiting if other is not net))
        below = {port.x for other in waiting if other is not net for port in other.ports if port.side == "below"}
        for at, port in enumerate(net.ports):
            if port.side == "above" and port.x in below:
                x = next(x for step in range(1, len(taken) + 2) for x in (port.x - step, port.x + step) if x not in taken and x >= 0)
                taken.add(x)
                made.append(Net(net.is_dotted, [port, Port(x, "below", None)]))
                net.ports[at] = port._replace(x=x)
    return made


def set_tracks(nets: list[Net]) -> int:
    """Gives each net that is not straight a track, so that no two lie on one another; how many tracks that takes."""
    bent = [net for net in nets if not net.is_straight]
    placed: list[Net] = []
    waiting = list(bent)
    while waiting:
        free = [net for net in waiting if not any(_must_precede(other, net) for other in waiting if other is not net)]
        net = min(free or waiting, key=lambda net: (sum(_cost(net, other) for other in waiting if other is not net), net.low))
        waiting.remove(net)
        net.track = 1 + max((_track(other) for other in placed if _touch(net, other)), default=-1)
        placed.append(net)
    return 1 + max((_track(net) for net in bent), default=-1)


def _track(net: Net) -> int:
    assert net.track is not None
    return net.track


def _touch(one: Net, other: Net) -> bool:
    return one.low <= other.high + 1 and other.low <= one.high + 1


def _must_precede(upper: Net, lower: Net) -> bool:
    """Whether a vertical part of one would lie on one of the other if it were not above it."""
    return any(a.x == b.x for a in upper.ports if a.side == "above" for b in lower.ports if b.side == "below")


def _cost(upper: Net, lower: Net) -> int:
    """How many more lines cross with the one above the other than the other way round."""
    return _crossings(upper, lower) - _crossings(lower, upper)


def _crossings(upper: Net, lower: Net) -> int:
    down = sum(lower.low < port.x < lower.high for port in upper.ports if port.side == "below")
    return down + sum(upper.low < port.x < upper.high for port in lower.ports if port.side == "above")
