"""Writers in several processes and threads, and what they were told was kept."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

from holter.errors import JournalConflict, JournalUnavailable
from holter.journal import PostgresJournal, SQLiteJournal
from holter.journal.archive import Archive
from holter.journal.event import ToolStarted

THREADS = 4
"""Threads of the journal that all writers write to."""

Written = dict[str, set[str]]
"""Thread of the journal -> the events in it."""


def opened(place: str) -> Archive:
    """The journal of `sqlite:PATH` or `postgres:SCHEMA:URL`."""
    kind, _, rest = place.partition(":")
    if kind == "sqlite":
        return SQLiteJournal(rest, patience_s=30)
    schema, _, url = rest.partition(":")
    return PostgresJournal(url, schema=schema)


def write_all(place: str, *, processes: int, threads: int, seconds: float) -> Written:
    """Lets them all write for so long, and gives what was acknowledged to one of them."""
    command = [sys.executable, "-m", "tests.journal.writers", place, str(threads), str(seconds)]
    root = Path(__file__).parents[2]
    running = [subprocess.Popen([*command, f"p{number}"], stdout=subprocess.PIPE, cwd=root, text=True) for number in range(processes)]
    found: Written = defaultdict(set)
    for process in running:
        out, _ = process.communicate(timeout=seconds + 60)
        assert process.returncode == 0
        for thread, events in json.loads(out).items():
            assert not found[thread] & set(events)
            found[thread] |= set(events)
    return dict(found)


def written(journal: Archive) -> Written:
    """What the journal holds. Each event stands once, and each thread is whole."""

    async def main() -> Written:
        found: Written = {}
        for info in await journal.threads(THREADS + 1):
            entries = await journal.read(info.id)
            assert [entry.seq for entry in entries] == list(range(info.length))
            ids = [entry.event.call_id for entry in entries if isinstance(entry.event, ToolStarted)]
            assert len(ids) == len(set(ids)) == info.length
            found[info.id] = {call_id for call_id in ids if call_id is not None}
        return found

    return asyncio.run(main())


def _write(journal: Archive, writer: str, end: float, kept: dict[str, list[str]]) -> None:
    async def main() -> None:
        number = 0
        seqs = dict.fromkeys((f"t{i}" for i in range(THREADS)), 0)
        while time.monotonic() < end:
            thread = f"t{number % THREADS}"
            name = f"{writer}-{number}"
            try:
                seqs[thread] = await journal.append(thread, seqs[thread], [ToolStarted(call_id=name, name="f")])
            except JournalConflict as conflict:
                seqs[thread] = conflict.found
            except JournalUnavailable:
                continue
            else:
                kept[thread].append(name)
                number += 1

    asyncio.run(main())


def _main(place: str, threads: int, seconds: float, process: str) -> None:
    journal = opened(place)
    kept: dict[str, list[str]] = defaultdict(list)
    end = time.monotonic() + seconds
    writers = [threading.Thread(target=_write, args=(journal, f"{process}-{number}", end, kept)) for number in range(threads)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    journal.close()
    print(json.dumps(kept))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
