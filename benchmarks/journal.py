"""Journals: what a durable step costs, how large the file is, and how long it takes to open a thread, to fork it, and to list threads.

A step is what an agent writes: a message that calls a tool together with the tool's start, then the result, of 200 B of text each. The
peer is LangGraph's SqliteSaver, which is given the same messages in the way its graphs give them: the whole list at every step, and the
writes of each task.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.measurement import Measurement, Reach, Settings
from holter.journal import Fold, SQLiteJournal
from holter.journal.event import Event, MessageAdded, RunStarted, ToolStarted
from holter.journal.search import Wanted
from holter.journal.sqlite_database import Sync
from holter.journal.stored import encode
from holter.messages import AIMessage, HumanMessage, ToolMessage

STEPS = 1_000
TEXT = "x y " * 50
"""200 bytes."""
MANY_THREADS = 100_000


def run(settings: Settings) -> Iterator[Measurement]:
    """Steps at both durabilities and whether they grow, sizes, opening, forking, listing."""
    with tempfile.TemporaryDirectory() as folder:
        yield from steps(Path(folder), settings)
        yield size(Path(folder))
        yield from long_thread(Path(folder), settings)
        yield from many_threads(Path(folder), settings)


def step(number: int) -> tuple[list[Event], list[Event]]:
    """What the model's answer and the tool's result append."""
    call: dict[str, Any] = {"name": "get_weather", "args": {"city": "Hangzhou"}, "id": f"call_{number:020d}", "type": "tool_call"}
    asked = MessageAdded(message=AIMessage(TEXT, id=f"ai-{number}", tool_calls=[call]))
    result = MessageAdded(message=ToolMessage(TEXT, id=f"tool-{number}", tool_call_id=call["id"], name="get_weather"))
    return [asked, ToolStarted(call_id=call["id"], name="get_weather")], [result]


def steps(folder: Path, settings: Settings) -> Iterator[Measurement]:
    """CPU time of the appends of a step; of the last hundred beside the first; beside the peer's last hundred."""
    peer = peer_steps(folder) if importlib.util.find_spec("langgraph") else None
    limits: dict[Sync, float] = {"effects": 200, "disk": 400}
    for sync, limit in limits.items():
        turns = [durable_steps(folder / f"{sync}-{turn}.db", sync) for turn in range(settings.repeat)]
        first, last = (min(times) for times in zip(*turns, strict=True))
        yield Measurement(
            name=f"durable step, {sync}, the last 100 of {STEPS:,}",
            value=last * 1e6,
            unit="µs",
            floor=peer * 1e6 if peer else None,
            floor_name="LangGraph SqliteSaver",
            reach=Reach("value", "most", limit),
            note=f"the first 100: {first * 1e6:,.0f} µs",
        )


def durable_steps(path: Path, sync: Sync) -> tuple[float, float]:
    """CPU seconds of one step, among the first hundred and among the last."""

    async def main() -> tuple[float, float]:
        with SQLiteJournal(path, sync) as journal:
            made = [step(number) for number in range(STEPS)]
            seq, marks = 0, [time.process_time()]
            for asked, result in made:
                seq = await journal.append("t", seq, asked)
                seq = await journal.append("t", seq, result)
                marks.append(time.process_time())
            return (marks[100] - marks[0]) / 100, (marks[-1] - marks[-101]) / 100

    return asyncio.run(main())


def peer_steps(folder: Path) -> float:
    """CPU seconds of the checkpoints of one step of LangGraph's, among the last hundred: one after the model, one after the tool."""
    from langchain_core.messages import AIMessage as Asked
    from langchain_core.messages import ToolMessage as Result
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.sqlite import SqliteSaver

    messages: list[Any] = []
    marks: list[float] = []
    with SqliteSaver.from_conn_string(str(folder / "peer.db")) as saver:
        saver.conn.execute("PRAGMA synchronous = NORMAL")
        config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        for number in range(STEPS):
            marks.append(time.process_time())
            call = {"name": "get_weather", "args": {"city": "Hangzhou"}, "id": f"call_{number}", "type": "tool_call"}
            for message in (Asked(TEXT, tool_calls=[call]), Result(TEXT, tool_call_id=call["id"], name="get_weather")):
                messages.append(message)
                checkpoint = empty_checkpoint()
                checkpoint["channel_values"] = {"messages": messages}
                config = saver.put(config, checkpoint, {"source": "loop", "step": number, "parents": {}}, {"messages": f"{len(messages)}"})
                saver.put_writes(config, [("messages", [message])], f"task-{len(messages)}")
        marks.append(time.process_time())
    return (marks[-1] - marks[-101]) / 100


def size(folder: Path) -> Measurement:
    """The file after the steps, beside a table with a row for each message that holds the same JSON."""
    rows = folder / "rows.db"
    with closing(sqlite3.connect(rows)) as connection:
        connection.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, thread TEXT, data TEXT)")
        for number in range(STEPS):
            for event in (events[0] for events in step(number)):
                connection.execute("INSERT INTO message (thread, data) VALUES ('t', ?)", (encode(event).decode(),))
        connection.commit()
    return Measurement(
        name=f"journal of {STEPS:,} steps, 200 B messages",
        value=(folder / "effects-0.db").stat().st_size / 1e3,
        unit="kB",
        floor=rows.stat().st_size / 1e3,
        floor_name="a row per message",
        reach=Reach("ratio", "most", 1.5),
    )


def long_thread(folder: Path, settings: Settings) -> Iterator[Measurement]:
    """Opening a thread of 10,000 messages, and forking it at its end."""
    path = folder / "long.db"
    with SQLiteJournal(path) as journal:
        events = [event for number in range(5_000) for events in step(number) for event in events]
        length = driven(lambda: journal.append("t", 0, events))
    with SQLiteJournal(path) as journal:
        read = best(settings, lambda _: driven(lambda: journal.read("t")))
        opened = best(settings, lambda _: Fold.of(driven(lambda: journal.read("t"))).messages())
        yield Measurement(
            name="open a thread of 10,000 messages, CPU",
            value=opened * 1e3,
            unit="ms",
            reach=Reach("value", "most", 50),
            note=f"{length:,} events; reading them: {read * 1e3:.1f} ms, the rest is the fold",
        )
        driven(lambda: journal.append("short", 0, events[:3]))
        long = best(settings, lambda turn: driven(lambda: journal.fork("t", length, f"long-{turn}")))
        short = best(settings, lambda turn: driven(lambda: journal.fork("short", 3, f"short-{turn}")))
    yield Measurement(
        name=f"fork at {length:,} events, CPU",
        value=long * 1e6,
        unit="µs",
        floor=short * 1e6,
        floor_name="at 3 events",
        reach=Reach("ratio", "most", 3),
    )


def many_threads(folder: Path, settings: Settings) -> Iterator[Measurement]:
    """Listing the newest of many threads; searching all of them."""
    with SQLiteJournal(folder / "many.db", "off") as journal:
        asyncio.run(fill(journal))
        listed = best(settings, lambda _: driven(lambda: journal.threads(50)))
        yield Measurement(
            name=f"list the newest 50 of {MANY_THREADS:,} threads, CPU", value=listed * 1e3, unit="ms", reach=Reach("value", "most", 5)
        )
        found = best(settings, lambda _: driven(lambda: journal.find(Wanted(text="zebra"))))
        yield Measurement(name=f"search {MANY_THREADS:,} threads for a word that is not there, CPU", value=found * 1e3, unit="ms")


async def fill(journal: SQLiteJournal) -> None:
    """Begins the threads."""
    for number in range(MANY_THREADS):
        said: list[Event] = [RunStarted(run="r"), MessageAdded(message=HumanMessage(f"hello, this is number {number}", id="h"))]
        await journal.append(f"thread-{number}", 0, said)


def best(settings: Settings, work: Callable[[int], object]) -> float:
    """The least CPU seconds that the work takes; it is told the turn."""
    times: list[float] = []
    for turn in range(settings.repeat):
        began = time.process_time()
        work(turn)
        times.append(time.process_time() - began)
    return min(times)


def driven(body: Callable[[], Any]) -> Any:
    """What a journal's method gives, without an event loop."""
    try:
        body().send(None)
    except StopIteration as ended:
        return ended.value
    raise SystemExit("the journal waited for something")
