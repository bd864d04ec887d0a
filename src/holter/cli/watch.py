"""`holter watch`: a thread while somebody else drives it."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

import click

from holter.cli.command import Command, redact_option
from holter.cli.event_printer import EventPrinter
from holter.cli.journal import existing, journal_option
from holter.cli.say import say
from holter.cli.session import Printer
from holter.graph.lease import LEASE_S
from holter.graph.veil import Veil
from holter.journal.archive import Archive
from holter.journal.entry import Entry
from holter.journal.journal import follow
from holter.journal.question import INSIDE
from holter.journal.redaction import Redaction
from holter.journal.thread import status_after, status_of
from holter.render.redact import Level

_LOOK_S = 1.0
"""How often it is looked whether the worker is still there."""


@click.command(cls=Command, examples=["holter watch trip", "holter watch trip --json"])
@click.argument("thread", metavar="THREAD")
@journal_option
@click.option("--from", "start", type=click.IntRange(min=0), default=0, metavar="SEQ", help="Leave out what stands before SEQ.")
@click.option("--follow", "goes_on", is_flag=True, help="Go on when the run has ended: another one may begin. Ctrl-C ends it.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each event.")
@click.option("--full", is_flag=True, help="Long texts whole.")
@redact_option
def command(thread: str, journal: str | None, start: int, goes_on: bool, as_json: bool, full: bool, redact: Level | None) -> int:
    """Shows what stands in THREAD and what comes to it, from whatever process; until its run has ended, or its worker is gone."""
    printer = EventPrinter(redact) if as_json else _live(redact, whole=full)
    with existing(journal, thread) as found:
        try:
            asyncio.run(_watch(found, thread, start, printer, goes_on=goes_on))
        except KeyboardInterrupt:
            return 130
        finally:
            printer.end()
    return 0


def _live(redact: Level | None, *, whole: bool) -> Printer:
    from holter.cli.live_printer import LivePrinter
    from holter.render.live import Wish

    return LivePrinter(Wish(streams=False, redact=redact, names_nodes=True, shows_input=True), whole=whole)


async def _watch(journal: Archive, thread: str, start: int, printer: Printer, *, goes_on: bool) -> None:
    known = await journal.read(thread)
    status, newest, veil = status_of(entry.event for entry in known), known[-1], Veil()
    veil.add(Redaction.of(entry.event for entry in known).patterns)
    if not goes_on and status != "running" and len(known) <= start:
        return

    async def is_left() -> bool:
        return not goes_on and status == "running" and await _is_left(journal, thread, newest)

    entries: AsyncIterator[Entry] = follow(journal, thread, start)
    async with aclosing(entries) as coming:  # type: ignore[type-var]  # it is a generator
        while (entry := await _next(coming, is_left)) is not None:
            veil.add(Redaction.of([entry.event]).patterns)
            for namespace, shown in veil.of((), entry):
                printer(namespace, shown)
            if entry.seq > newest.seq:
                status, newest = status_after(status, [entry.event]), entry
            if not goes_on and entry.seq == newest.seq and status != "running":
                return
    if not goes_on and status == "running":
        say(f"nobody drives thread {thread!r} any more; `holter resume PROGRAM {shlex.quote(thread)}` goes on with it")


async def _next(coming: AsyncIterator[Entry], is_left: Callable[[], Awaitable[bool]]) -> Entry | None:
    """The next entry; None where none will come."""
    waiting = asyncio.ensure_future(anext(coming, None))
    try:
        while not (await asyncio.wait([waiting], timeout=_LOOK_S))[0]:
            if await is_left():
                return None
        return waiting.result()
    finally:
        waiting.cancel()
        await asyncio.wait([waiting])


async def _is_left(journal: Archive, thread: str, newest: Entry) -> bool:
    """Whether the worker that drove the thread has been gone for so long that its lease has ended. A run inside another one has none."""
    if INSIDE in thread or time.time() - newest.ts < LEASE_S or await journal.leased(thread) is not None:
        return False
    return await journal.length(thread) == newest.seq + 1
