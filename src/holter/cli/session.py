"""One thread of an agent or a graph, driven from the command line."""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self

from holter.agent.agent import Agent
from holter.cli.choice import Chosen
from holter.cli.driving import AgentDrive, Drive, GraphDrive, Outcome
from holter.cli.recording import new_thread
from holter.graph.feed import Namespace, StreamItem

_TICK_S = 0.25


class Printer(Protocol):
    """What shows a run."""

    def __call__(self, namespace: Namespace, item: StreamItem) -> None:
        """Takes the next item."""

    def tick(self) -> None:
        """Is called now and then while nothing comes."""

    def end(self) -> None:
        """Is called when nothing more comes."""

    def aside(self) -> AbstractContextManager[None]:
        """Keeps what the program prints meanwhile off standard output."""


class Session:
    """A thread, and a loop in which its drives run one after another: what a model or a tool keeps open belongs to one loop."""

    def __init__(self, chosen: Chosen, printer: Printer, *, context: Any = None, thread: str | None = None, takeover: bool = False) -> None:
        """`thread` is the id of the thread, a new one without it; `takeover` takes it from whoever drives it."""
        self.graph = chosen.compiled
        self.thread = new_thread() if thread is None else thread
        self._takeover = takeover
        self._agent = chosen.value if isinstance(chosen.value, Agent) else None
        self._printer = printer
        self._context = context
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._runner.__exit__(*raised)

    def drive(self, given: Any) -> Outcome:
        """How it ended; shown is what happens until then. Ctrl-C cancels it."""
        begun = time.monotonic()
        try:
            with self._printer.aside():
                outcome = self._runner.run(self._driven(given))
        except KeyboardInterrupt:
            outcome = Outcome(status="cancelled")
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the program raised; the caller says it
            outcome = Outcome(error=error)
        outcome.seconds = time.monotonic() - begun
        self._printer.end()
        return outcome

    async def _driven(self, given: Any) -> Outcome:
        drive = self._begun(given)
        ticking = asyncio.create_task(self._ticks())
        try:
            async for namespace, item in drive.items():
                self._printer(namespace, item)
        except BaseException:
            await drive.cancel()
            async for namespace, item in drive.items():
                self._printer(namespace, item)
            raise
        finally:
            ticking.cancel()
        return drive.outcome()

    def _begun(self, given: Any) -> Drive:
        if self._agent is not None:
            return AgentDrive(self._agent, given, thread=self.thread, context=self._context, takeover=self._takeover)
        return GraphDrive(self.graph, given, thread=self.thread, context=self._context, takeover=self._takeover)

    async def _ticks(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self._printer.tick()
