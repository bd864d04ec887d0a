"""`holter threads`: the threads of a journal, and what clears them up."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, get_args

import click

from holter.cli.command import Command, redact_option
from holter.cli.destination import destination
from holter.cli.journal import journal_option, opened
from holter.cli.output import writing
from holter.cli.say import say
from holter.cli.when import WHEN
from holter.errors import JournalError, ReadError
from holter.journal.archive import Archive
from holter.journal.journal import Journal
from holter.journal.memory import MemoryJournal
from holter.journal.search import Wanted
from holter.journal.thread import Status
from holter.render.quantity import plural
from holter.render.redact import Level


class _Threads(Command, click.Group):
    """A command with commands of its own, which lists without one."""


@click.group(
    cls=_Threads,
    name="threads",
    invoke_without_command=True,
    examples=[
        "holter threads",
        'holter threads --search "refund 航班" --status failed',
        "holter threads --tool get_weather --since 7d --json",
        "holter threads prune --older-than 30d",
        "holter threads export -o threads.jsonl",
    ],
)
@journal_option
@click.option("--search", default="", metavar="WORDS", help='Only threads that say all these words; "words in a row" in quotation marks.')
@click.option("--status", type=click.Choice(get_args(Status)), help="Only threads whose newest run stands so.")
@click.option("--tool", metavar="NAME", help="Only threads that called this tool.")
@click.option("--error", metavar="TEXT", help="Only threads with an error that says TEXT; * for any error.")
@click.option("--since", type=WHEN, metavar="WHEN", help="Only threads changed since (7d, 2026-01-31).")
@click.option("--until", type=WHEN, metavar="WHEN", help="Only threads not changed since.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="At most N threads.")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Leave out the first N.")
@click.option("--nested", is_flag=True, help="Threads of runs inside others, too.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each thread.")
@redact_option
@click.pass_context
def command(
    ctx: click.Context,
    journal: str | None,
    search: str,
    status: Status | None,
    tool: str | None,
    error: str | None,
    since: float | None,
    until: float | None,
    limit: int,
    offset: int,
    nested: bool,
    as_json: bool,
    redact: Level | None,
) -> int:
    """The threads of a journal, the one that changed last first. Searches whole threads: messages, calls, results, questions and errors."""
    ctx.obj = journal
    if ctx.invoked_subcommand is not None:
        return 0
    wanted = Wanted(text=search, status=status, tool=tool, error=error, since=since, until=until, nested=nested)
    with opened(journal) as found:
        if found is None:
            say("there is no journal here yet")
        else:
            asyncio.run(_list(found, wanted, limit, offset, as_json, redact))
    return 0


async def _list(journal: Archive, wanted: Wanted, limit: int, offset: int, as_json: bool, level: Level | None) -> None:
    from holter.cli import thread_list

    infos = await journal.find(wanted, limit, offset)
    begins = [await thread_list.words(journal, info, level) for info in infos]
    with writing():
        if as_json:
            thread_list.print_json(infos, begins)
        elif infos:
            thread_list.print_text(infos, begins)
        else:
            say(await _none(journal, wanted, offset))


async def _none(journal: Archive, wanted: Wanted, offset: int) -> str:
    if offset and await journal.find(wanted, 1):
        return f"there are no more than {offset:,} such threads"
    return "no thread fits" if await journal.find(Wanted(nested=True), 1) else "the journal holds no threads"


def _there(ctx: click.Context, journal: str | None) -> Any:
    """The journal of a command below `threads`, which must be there."""
    return opened(journal or ctx.obj)


@command.command(cls=Command, name="prune", examples=["holter threads prune --older-than 30d"])
@click.option("--older-than", "before", type=WHEN, required=True, metavar="WHEN", help="Threads not changed since (30d, 2026-01-31).")
@click.option("--dry-run", is_flag=True, help="Only say which.")
@journal_option
@click.pass_context
def _prune(ctx: click.Context, before: float, dry_run: bool, journal: str | None) -> int:
    """Deletes threads that nobody has appended to for so long. Those that a worker drives stay, and so does what a living fork shares."""
    with _there(ctx, journal) as found:
        gone: list[str] = []
        if found is not None:
            gone = asyncio.run(_older(found, before) if dry_run else found.prune(before))
    for thread in gone:
        click.echo(thread)
    say(f"{plural(len(gone), 'thread')} {'would be ' if dry_run else ''}deleted")
    return 0


async def _older(journal: Archive, before: float) -> list[str]:
    old = await journal.find(Wanted(until=before), limit=sys.maxsize)
    return sorted([info.id for info in old if await journal.leased(info.id) is None])


@command.command(cls=Command, name="delete", examples=["holter threads delete trip"])
@click.argument("threads", nargs=-1, required=True, metavar="THREAD...")
@journal_option
@click.pass_context
def _delete(ctx: click.Context, threads: tuple[str, ...], journal: str | None) -> int:
    """Deletes threads, whatever their age. What a fork shares with one of them stays."""
    with _there(ctx, journal) as found:
        for thread in threads:
            _check(found, thread)
        for thread in threads:
            asyncio.run(_check(found, thread).delete(thread))
    say(f"{plural(len(threads), 'thread')} deleted")
    return 0


def _check(journal: Archive | None, thread: str) -> Archive:
    """The journal, which holds the thread. JournalError where it does not."""
    if journal is None or not asyncio.run(journal.length(thread)):
        raise JournalError(f"there is no thread {thread!r}")
    return journal


@command.command(
    cls=Command,
    name="redact",
    examples=[
        "holter threads redact trip 4 --reason 'asked for by the customer'",
        "holter threads redact trip 4 --text 4111-1111-1111-1111",
    ],
)
@click.argument("thread", metavar="THREAD")
@click.argument("seq", type=click.IntRange(min=0), metavar="SEQ")
@click.option("--text", metavar="TEXT", help="Only this text in it, wherever it stands; without it, all that it says.")
@click.option("--reason", default="", metavar="TEXT", help="Is kept with the event that says what was done.")
@journal_option
@click.pass_context
def _redact(ctx: click.Context, thread: str, seq: int, text: str | None, reason: str, journal: str | None) -> int:
    """Blanks the event at SEQ of THREAD for good. Forks that share it lose it, too; its place, its ids and the names of tools stay."""
    from holter.journal.blank import blanked, without

    async def blank(found: Archive) -> None:
        entries = await found.read(thread, seq, seq + 1)
        if not entries:
            raise JournalError(f"thread {thread!r} has {plural(await found.length(thread), 'event')}; there is none at {seq}")
        event = entries[0].event
        await found.redact(thread, seq, blanked(event) if text is None else without(event, text), reason)

    with _there(ctx, journal) as found:
        asyncio.run(blank(_check(found, thread)))
    say(f"event {seq} of thread {thread!r} was redacted")
    return 0


@command.command(cls=Command, name="export", examples=["holter threads export > threads.jsonl", "holter threads export trip -o trip.jsonl"])
@click.argument("threads", nargs=-1, metavar="[THREAD]...")
@click.option("-o", "out", metavar="OUT", help="Write to this file, whole or not at all; standard output without it.")
@click.option("--whole", is_flag=True, help="With what a thread says is not to be shown of it, so that its run can go on elsewhere.")
@journal_option
@click.pass_context
def _export(ctx: click.Context, threads: tuple[str, ...], out: str | None, whole: bool, journal: str | None) -> int:
    """Threads, all without a name, as JSON lines: one event a line. `import` reads them."""
    from holter.journal import transfer

    async def write(found: Journal) -> None:
        with destination(out) as put:
            async for line in transfer.export(found, threads or None, whole=whole):
                put(line)

    with _there(ctx, journal) as found:
        if found is None:
            say("there is no journal here yet")
        asyncio.run(write(found or MemoryJournal()))
    return 0


@command.command(cls=Command, name="import", examples=["holter threads import threads.jsonl", "holter threads import - < threads.jsonl"])
@click.argument("file", type=click.File("rb"), metavar="FILE")
@journal_option
@click.pass_context
def _import(ctx: click.Context, file: Any, journal: str | None) -> int:
    """Takes in what `export` wrote. Threads that are there already with the same events are passed over; with others, they are an error."""
    from holter.journal import transfer

    with opened(journal or ctx.obj, create=True) as found:
        assert found is not None
        try:
            made = asyncio.run(transfer.restore(found, file))
        except ReadError as error:
            raise click.ClickException(f"{file.name}: {error}") from None
    already = f"; {plural(len(made.known), 'thread')} there already" if made.known else ""
    say(f"{plural(len(made.begun), 'thread')} imported{already}")
    return 0
