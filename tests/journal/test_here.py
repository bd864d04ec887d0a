"""Journals that suspend, under synchronous callers and under runs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holter import Command, HumanMessage, MemoryJournal, MessagesState, SQLiteJournal, ToolNode, interrupt, tool
from holter.journal.entry import Entry
from holter.journal.event import Event, RunStarted
from holter.journal.here import direct, here
from holter.journal.lease import Lease
from holter.messages import AIMessage
from tests.graph.validity import check_history
from tests.graph.ways import Way, graph_of, in_async, in_notebook, in_sync


class Distant:
    """A journal of somebody else's: it suspends in each method, and offers nothing beside the protocol."""

    def __init__(self) -> None:
        self._journal = MemoryJournal()
        self.loops: set[int] = set()

    async def _wait(self) -> None:
        self.loops.add(id(asyncio.get_running_loop()))
        await asyncio.sleep(0.0005)

    async def append(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        await self._wait()
        return await self._journal.append(thread, expected_seq, events)

    async def read(self, thread: str, start: int = 0, end: int | None = None) -> list[Entry]:
        await self._wait()
        return await self._journal.read(thread, start, end)

    async def length(self, thread: str) -> int:
        await self._wait()
        return await self._journal.length(thread)

    async def lease(self, thread: str, holder: str, seconds: float, *, takeover: bool = False) -> Lease:
        await self._wait()
        return await self._journal.lease(thread, holder, seconds, takeover=takeover)

    async def release(self, thread: str, holder: str) -> None:
        await self._wait()
        await self._journal.release(thread, holder)


@tool
async def ask() -> str:
    """Asks."""
    return f"answered {interrupt('?')}"


@tool
def say() -> str:
    """Says something."""
    return "said"


@pytest.mark.parametrize("way", [in_sync, in_async, in_notebook])
def test_a_run_on_a_journal_that_suspends(way: Way) -> None:
    """Goes as on any other, for every caller."""
    journal: Any = Distant()
    calls: list[dict[str, Any]] = [{"name": name, "args": {}, "id": name, "type": "tool_call"} for name in ("ask", "say")]
    graph = graph_of(MessagesState, tools=ToolNode([ask, say])).compile(journal=journal)
    given = {"messages": [HumanMessage("go"), AIMessage("", tool_calls=calls)]}
    assert len(way(graph, given, thread="t")["__interrupt__"]) == 1
    state = way(graph, Command(resume="yes"), thread="t")
    check_history(state["messages"])
    assert [message.text for message in state["messages"]] == ["go", "", "answered yes", "said"]
    assert asyncio.run(journal.length("t")) > 5


def test_own_journals_wait_on_the_callers_thread(tmp_path: Path) -> None:
    """Also where a loop runs: nothing suspends, and no other thread is asked."""

    async def main() -> None:
        with SQLiteJournal(tmp_path / "journal.db", "disk") as journal:
            assert direct(journal).append_here("t", 0, [RunStarted(run="r")]) == 1
            assert here(journal, lambda journal: journal.length("t")) == 1
            here(journal, lambda journal: journal.append("t", 1, [RunStarted(run="s")]))
            assert direct(journal).length_here("t") == 2
            assert direct(journal).length_here("u") == 0

    asyncio.run(main())


def test_the_length_of_any_journal_is_asked_for_here() -> None:
    """Of one that suspends, and of one that has a way of its own."""
    for journal in (Distant(), MemoryJournal()):
        ask: Any = journal
        asyncio.run(ask.append("t", 0, [RunStarted(run="r")]))
        assert direct(ask).length_here("t") == 1


def test_the_length_is_seen_at_once_by_others(tmp_path: Path) -> None:
    """What another process has appended, and then this one, and then the other again."""
    with SQLiteJournal(tmp_path / "journal.db") as journal, SQLiteJournal(tmp_path / "journal.db") as other:
        for seq in range(6):
            (journal if seq % 2 else other).append_here("t", seq, [RunStarted(run="r")])
            assert direct(journal).length_here("t") == direct(other).length_here("t") == seq + 1


def test_what_is_flushed_before_a_tool_starts(tmp_path: Path) -> None:
    """With `sync="disk"` a run waits for the device, in a loop and without one, without a loss."""

    @tool
    def flush_count() -> str:
        """How often the log was flushed before it was entered."""
        return str(len(flushed))

    flushed: list[int] = []
    for way in (in_sync, in_async):
        flushed.clear()
        with SQLiteJournal(tmp_path / f"{way.__name__}.db", "disk") as journal:
            flush = journal._database.flush
            to_device = flush._flush

            def counted(to_device: Any = to_device) -> None:
                flushed.append(1)
                to_device()

            flush._flush = counted  # type: ignore[method-assign]
            calls = [{"name": "flush_count", "args": {}, "id": "c", "type": "tool_call"}]
            graph = graph_of(MessagesState, tools=ToolNode([flush_count])).compile(journal=journal)
            state = way(graph, {"messages": [HumanMessage("go"), AIMessage("", tool_calls=calls)]}, thread="t")
            assert state["messages"][-1].text == "1"
            assert len(flushed) == 2
