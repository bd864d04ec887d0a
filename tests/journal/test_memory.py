"""The memory journal does what every journal does."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.journal import Fold, Journal, MemoryJournal, follow
from holter.journal.event import Event, ToolStarted
from holter.journal.testing import CHECKS, Check, Clock, check, run
from tests.journal.events import threads


@asynccontextmanager
async def opened(clock: Clock) -> AsyncIterator[Journal]:
    yield MemoryJournal(clock=clock)


@pytest.mark.parametrize("one", CHECKS, ids=lambda one: one.__name__)
def test_conformance(one: Check) -> None:
    """Each check that every journal must pass."""
    run(one, opened)


def test_a_check_that_fails_says_so() -> None:
    """A journal that loses what it was given does not pass, and the error says what was expected."""

    class Forgetful(MemoryJournal):
        async def length(self, thread: str) -> int:
            return 0

    @asynccontextmanager
    async def forgetful(clock: Clock) -> AsyncIterator[Journal]:
        yield Forgetful(clock=clock)

    with pytest.raises(AssertionError, match="length: expected 5, found 0"):
        check(forgetful)


def test_the_time_is_that_of_the_append() -> None:
    """Without a clock of the caller's, entries carry the time of day, in UTC."""

    async def main() -> None:
        before = time.time()
        journal = MemoryJournal()
        await journal.append("t", 0, [ToolStarted(call_id="1", name="f")])
        [entry] = await journal.read("t")
        [info] = await journal.threads()
        assert before <= entry.ts <= time.time()
        assert entry.time.timestamp() == pytest.approx(entry.ts)
        assert info.updated_at == entry.time

    asyncio.run(main())


def test_nothing_suspends() -> None:
    """All but waiting can be driven without an event loop."""
    journal = MemoryJournal()
    body = journal.append("t", 0, [ToolStarted(call_id="1", name="f")])
    with pytest.raises(StopIteration) as ended:
        body.send(None)
    assert ended.value.value == 1


def test_a_watcher_that_stops_leaves_nothing() -> None:
    """A follower that is cancelled, and one whose loop was closed while it waited, are in nobody's way."""
    journal = MemoryJournal()

    async def watch() -> None:
        async for _ in follow(journal, "t"):
            pass

    async def briefly() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await watch()

    asyncio.run(briefly())
    assert journal._waiting.threads() == []
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(journal.changed("t", 0))
    loop.run_until_complete(asyncio.sleep(0))
    assert journal._waiting.threads() == ["t"]
    waiting.cancel()
    body = journal.append("t", 0, [ToolStarted(call_id="1", name="f")])
    with pytest.raises(StopIteration):
        body.send(None)
    loop.run_until_complete(asyncio.wait([waiting]))
    loop.close()


@given(threads(), st.data())
def test_a_thread_cut_anywhere_reads_as_a_prefix(events: list[Event], data: st.DataObject) -> None:
    """What stands in the journal up to any entry is what was there when that entry was the last; a fork there comes to the same, and
    what is appended to it leaves the thread alone."""

    async def main() -> None:
        journal = MemoryJournal()
        seq = 0
        for event in events:
            seq = await journal.append("t", seq, [event])
        whole = await journal.read("t")
        assert len(whole) == len(events)
        cut = data.draw(st.integers(0, len(events)))
        assert await journal.read("t", 0, cut) == whole[:cut]
        await journal.append("u", await journal.fork("t", cut, "u") if events else 0, events)
        assert await journal.read("t") == whole
        shared = await journal.read("u", 0, cut)
        assert shared == whole[:cut]
        assert Fold.of(shared).messages() == Fold.of(whole[:cut]).messages()

    asyncio.run(main())
