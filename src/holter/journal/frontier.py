"""Where a graph stands: the step that runs or runs next, its tasks, and which of them have ended. Read from the events alone.

A node's end says where the graph goes on behind it (`NodeEnded.sends`). Where the end is left out, because its one message shows it, only
the graph knows: `planned` is None then, and `last` is the node to ask for.
"""

from __future__ import annotations

from typing import Any

import msgspec

from holter.journal.event import NodeEnded

START = "__start__"

OUTSIDE = "outside"
"""As a task: what somebody wrote who is no task of the graph."""
UPDATE = "__update__"
"""As a node: what came from outside in nobody's name, and does not move the graph."""

NO_ARG: Any = msgspec.UNSET
"""In the place of an input: the task gets the state."""


_NONE: dict[Any, Any] = {}
"""Stands for an empty one, and is never written to: most threads need no other, and a thousand of them run at once."""


class Planned(msgspec.Struct, frozen=True):
    """A task of a step."""

    node: str
    arg: Any = NO_ARG
    """The input that a Send gave it; `NO_ARG` for the state."""


class Frontier:
    """The step of a thread that is not over. Adding an event costs the event."""

    __slots__ = ("_arrived", "_jumps", "ended", "last", "planned", "step")

    def __init__(self) -> None:
        self.step = 0
        """Number of the step, over the whole thread; its tasks are "3.0", "3.1", …"""
        self.planned: list[Planned] | None = []
        """The step's tasks in their order, none when the graph has come to its end; None when edges behind `last` say them."""
        self.last = START
        """The node that ended last, where a step has one task."""
        self.ended: dict[int, NodeEnded] = _NONE
        """Place of a task in the step -> how it ended."""
        self._jumps: dict[int, list[Any]] = _NONE
        """Place of a task in the step -> where its calls' commands go."""
        self._arrived: dict[tuple[str, tuple[str, ...]], set[str]] = _NONE
        """(target, sources) of an edge that waits for several -> those that have ended."""

    def begin(self) -> None:
        """Takes in an input: the graph begins anew."""
        self.planned, self.last = None, START
        self._arrived = _NONE
        self._next()

    def jump(self, event: NodeEnded, place: int) -> None:
        """Takes in what a call of a task wrote: where its commands go counts when the task has ended."""
        if event.sends:
            self._jumps = self._jumps or {}
            self._jumps.setdefault(place, []).extend(event.sends)

    def end(self, event: NodeEnded, place: int, step: int) -> None:
        """Takes in the end of a task; after its message has said that it has ended, only where it goes on."""
        self.ended = self.ended or {}
        self.ended[place] = event
        if step < self.step and self.planned is None:
            self.planned, self.ended = self._following(), _NONE
            return
        if len(self.ended) >= (1 if self.planned is None else len(self.planned)):
            self.planned = self._following()
            self.last = event.node
            self._next()

    def move(self, event: NodeEnded) -> None:
        """Takes in an end that was written from outside: what runs next is what comes behind that node."""
        self._next()
        self.ended = {0: event}
        self.planned, self.last = self._following(), event.node
        self.ended = _NONE

    def message(self, node: str) -> None:
        """Takes in the only message of the only task, whose end is left out."""
        self.planned, self.last = None, node
        self._next()

    def open(self) -> list[int]:
        """The places of the tasks that have not ended."""
        return [place for place in range(len(self.planned or ())) if place not in self.ended]

    def _next(self) -> None:
        self.step += 1
        self.ended = self._jumps = _NONE

    def _following(self) -> list[Planned]:
        """What the ends of a step lead to: nodes in the order of their names, each once, then sends in the order of their tasks. The order
        is LangGraph's (1.2.24, seen 2026-11)."""
        names: set[str] = set()
        sends: list[Planned] = []
        for place in sorted(self.ended):
            event = self.ended[place]
            for target in [*event.sends, *self._jumps.get(place, ())]:
                if isinstance(target, str):
                    names.add(target)
                elif "after" in target:
                    self._arrive(target["node"], tuple(target["after"]), event.node, names)
                else:
                    sends.append(Planned(target["node"], target["arg"]))
        return [*map(Planned, sorted(names)), *sends]

    def _arrive(self, target: str, sources: tuple[str, ...], source: str, names: set[str]) -> None:
        self._arrived = self._arrived or {}
        arrived = self._arrived.setdefault((target, sources), set())
        arrived.add(source)
        if arrived.issuperset(sources):
            del self._arrived[target, sources]
            names.add(target)
