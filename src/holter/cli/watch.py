"""`holter watch`: a thread while somebody else drives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import click

from holter.cli.command import Command, redact_option
from holter.cli.event_printer import EventPrinter
from holter.cli.journal import existing, journal_option
from holter.cli.session import Printer
from holter.graph.veil import Veil
from holter.journal.entry import Entry
from holter.journal.journal import Journal, follow
from holter.journal.redaction import Redaction
from holter.journal.thread import status_after
from holter.render.redact import Level


@click.command(cls=Command, examples=["holter watch trip", "holter watch trip --json"])
@click.argument("thread", metavar="THREAD")
@journal_option
@click.option("--from", "start", type=click.IntRange(min=0), default=0, metavar="SEQ", help="Leave out what stands before SEQ.")
@click.option("--follow", "goes_on", is_flag=True, help="Go on when the run has ended: another one may begin. Ctrl-C ends it.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each event.")
@click.option("--full", is_flag=True, help="Long texts whole.")
@redact_option
def command(thread: str, journal: str | None, start: int, goes_on: bool, as_json: bool, full: bool, redact: Level | None) -> int:
    """Shows what stands in THREAD and what comes to it, as it comes, from whatever process; until its run has ended."""
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


async def _watch(journal: Journal, thread: str, start: int, printer: Printer, *, goes_on: bool) -> None:
    length = await journal.length(thread)
    events = [entry.event for entry in await journal.read(thread)]
    status, veil = status_after("new", events), Veil()
    veil.add(Redaction.of(events).patterns)
    is_over = status != "running" and not goes_on
    if is_over and length <= start:
        return
    entries: AsyncIterator[Entry] = follow(journal, thread, start)
    async with aclosing(entries) as coming:  # type: ignore[type-var]  # it is a generator
        async for entry in coming:
            veil.add(Redaction.of([entry.event]).patterns)
            for namespace, shown in veil.of((), entry):
                printer(namespace, shown)
            status = status_after(status, [entry.event])
            if not goes_on and entry.seq + 1 >= length and status != "running":
                return
