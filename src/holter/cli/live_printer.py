"""A run on standard output, as a person follows it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import assert_never

import msgspec

from holter.cli.output import width
from holter.cli.screen import Screen
from holter.graph.feed import Custom, Delta, Namespace, StepEnded, StreamItem, TaskBegan, TaskFailed
from holter.journal.entry import Entry
from holter.render.live import Live, Wish
from holter.render.view import View


class LivePrinter:
    """Prints a run, and those that follow it on the same thread."""

    def __init__(self, wish: Wish, *, whole: bool) -> None:
        self.screen = Screen()
        self.view = View(width=width(), whole=whole)
        self.live = Live(self.view, msgspec.structs.replace(wish, streams=wish.streams and self.screen.is_live))

    def know(self, entries: Iterable[Entry]) -> None:
        """Takes in what stood in the thread before, without printing it: results that come find their calls."""
        for entry in entries:
            self.live.entry(entry)
        self.live.end()

    def __call__(self, namespace: Namespace, item: StreamItem) -> None:
        """Prints the next item."""
        live = self.live
        match item:
            case Entry():
                self.screen.write(live.entry(item, namespace))
            case Delta():
                self.screen.write(live.delta(item.chunk, item.node, item.task, namespace))
            case Custom():
                self.screen.write(live.custom(item.value, item.node, namespace))
            case TaskBegan():
                live.began(item.node, item.task, namespace)
            case StepEnded():
                live.stepped(item.next, namespace)
            case TaskFailed():
                pass  # the end of the run says it
            case _:
                assert_never(item)
        self.tick()

    def tick(self) -> None:
        """Shows what the run is busy with, and for how long."""
        self.screen.tell(self.live.status)

    def end(self) -> None:
        """Prints what was kept back when nothing more comes."""
        self.screen.tell("")
        self.screen.write(self.live.end())
        self.screen.end_line()

    def aside(self) -> AbstractContextManager[None]:
        """Within it, what anybody else prints goes to standard error."""
        return self.screen.aside()
