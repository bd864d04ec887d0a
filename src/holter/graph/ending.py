"""How a run ends, and what ends it early."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from holter.errors import RecursionLimit, RunCancelled
from holter.journal.event import Cancelled, Event, LimitReached, RunEnded
from holter.tools.command import Command
from holter.tools.failure import exception_text

Status = Literal["done", "interrupted", "limit", "cancelled", "failed"]


class Ended(msgspec.Struct, frozen=True):
    """How one drive of a thread ended."""

    status: Status
    limit: LimitReached | None = None
    """The limit that ended it."""
    error: BaseException | None = None
    """What a failed run failed with; what a run that was cut off from outside is to raise: a cancellation, Ctrl-C."""
    parent: Sequence[Command[Any]] = []
    """Commands for the graph around this one, which ended it."""


class LimitHit(Exception):
    """Raised by a node of the engine's own kind to end the run with status "limit"."""

    def __init__(self, limit: str, value: float | None, text: str) -> None:
        super().__init__(text)
        self.limit = limit
        """Which: "steps", "tokens", …"""
        self.value = value
        self.text = text
        """Which and where, as a sentence."""


class NeedsLoop(Exception):
    """A synchronous run came to something asynchronous: it goes on in a loop. Nothing of the step has been done yet."""


class Broken(NamedTuple):
    """How a run is ended that did not come to its own end."""

    ended: Ended
    events: list[Event]
    """What its journal is to say of it; the last one ends the run."""
    reason: str
    """What calls without a result are told, as a clause."""


def broken_off(error: BaseException, run: str, left_running: Sequence[str]) -> Broken:
    """What becomes of a run that was ended by an exception: a limit, a cancellation, a failure."""
    match error:
        case LimitHit():
            limit = LimitReached(limit=error.limit, value=error.value, text=error.text)
            return Broken(Ended("limit", limit), [limit, RunEnded(run=run, status="limit")], f"the run reached a limit ({error.text})")
        case RecursionLimit():
            limit = LimitReached(limit="recursion", value=error.limit, text=str(error))
            return Broken(Ended("limit", limit, error), [limit, RunEnded(run=run, status="limit")], "the run reached its limit of steps")
        case RunCancelled():
            return Broken(Ended("cancelled", error=error), [RunEnded(run=run, status="cancelled")], "the run was cancelled")
        case asyncio.CancelledError() | KeyboardInterrupt() | GeneratorExit():
            cancelled = Cancelled(reason=f"left running: {', '.join(left_running)}" if left_running else "")
            return Broken(Ended("cancelled", error=error), [cancelled, RunEnded(run=run, status="cancelled")], "the run was cancelled")
        case _:
            end = RunEnded(run=run, status="failed", error=exception_text(error))
            return Broken(Ended("failed", error=error), [end], "the run failed")
