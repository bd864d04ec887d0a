"""Journals that fail while a run goes on: the error is clear, nothing is lost, and the run goes on when the fault is gone."""

import signal
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from holter import Command, HumanMessage, MessagesState, SQLiteJournal, ToolNode, tool
from holter.errors import JournalUnavailable
from holter.journal.event import Event, MessageAdded
from holter.journal.postgres import PostgresJournal
from holter.messages import AIMessage
from tests.graph.validity import check_history
from tests.graph.ways import Way, graph_of, in_async, in_notebook, in_sync
from tests.postgres_server import Server

CALL = {"name": "send", "args": {}, "id": "c", "type": "tool_call"}


@pytest.mark.parametrize("way", [in_sync, in_async, in_notebook])
def test_a_server_that_goes_away_in_mid_run(way: Way) -> None:
    """What it had acknowledged stands; the call whose result it did not get is asked for."""
    server = Server()
    try:
        with PostgresJournal(server.url) as journal:

            @tool
            def send() -> str:
                """Is done when the server is gone."""
                server.stop(signal.SIGQUIT)
                return "sent"

            graph = graph_of(MessagesState, tools=ToolNode([send])).compile(journal=journal)
            with pytest.raises(JournalUnavailable, match="PostgreSQL at"):
                way(graph, {"messages": [HumanMessage("go"), AIMessage("", tool_calls=[CALL])]}, thread="t")
            server.start()
            assert [one.id for one in way(graph, None, thread="t", takeover=True)["__interrupt__"]] == ["c~1"]
            state = way(graph, Command(resume={"result": "sent"}), thread="t")
            check_history(state["messages"])
            assert [message.text for message in state["messages"]] == ["go", "", "sent"]
    finally:
        server.remove()


@pytest.mark.parametrize("way", [in_sync, in_async])
def test_a_file_that_is_locked_in_mid_run(way: Way, tmp_path: Path) -> None:
    """The same."""
    path = tmp_path / "journal.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with SQLiteJournal(path, patience_s=0.05) as journal:

        @tool
        def send() -> str:
            """Is done when another process holds the lock."""
            other.execute("BEGIN IMMEDIATE")
            return "sent"

        graph = graph_of(MessagesState, tools=ToolNode([send])).compile(journal=journal)
        with pytest.raises(JournalUnavailable, match="another process"):
            way(graph, {"messages": [HumanMessage("go"), AIMessage("", tool_calls=[CALL])]}, thread="t")
        other.execute("ROLLBACK")
        assert [one.id for one in way(graph, None, thread="t", takeover=True)["__interrupt__"]] == ["c~1"]
        assert way(graph, Command(resume="fail"), thread="t")["messages"][-1].status == "error"
    other.close()


@pytest.mark.parametrize("way", [in_sync, in_async])
def test_a_fault_that_is_gone_at_once(way: Way, tmp_path: Path) -> None:
    """What could not be written is not made good for by an end that could: the call is asked for all the same."""
    with SQLiteJournal(tmp_path / "journal.db") as journal:
        append = journal.append_here

        def refusing(thread: str, expected_seq: int, events: Sequence[Event]) -> int:
            if any(isinstance(event, MessageAdded) and event.message.text == "sent" for event in events):
                raise JournalUnavailable("the disk is full")
            return append(thread, expected_seq, events)

        @tool
        def send() -> str:
            """Is done, and its result finds no room."""
            return "sent"

        graph = graph_of(MessagesState, tools=ToolNode([send])).compile(journal=journal)
        journal.append_here = refusing  # type: ignore[method-assign]  # a disk that is full for a moment
        with pytest.raises(JournalUnavailable, match="the disk is full"):
            way(graph, {"messages": [HumanMessage("go"), AIMessage("", tool_calls=[CALL])]}, thread="t")
        journal.append_here = append  # type: ignore[method-assign]
        assert [one.id for one in way(graph, None, thread="t")["__interrupt__"]] == ["c~1"]
        assert way(graph, Command(resume={"result": "sent"}), thread="t")["messages"][-1].text == "sent"
