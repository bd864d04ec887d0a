"""One run at a time drives a thread; what others do to it reaches the one that does."""

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holter import Agent, Command, HumanMessage, MessagesState, ScriptedModel, SQLiteJournal, ToolNode, interrupt, tool
from holter.errors import GraphError, JournalConflict, LeaseHeld, RunCancelled, UnknownThread
from holter.graph.lease import LEASE_S, Keeper
from holter.journal.event import RunEnded, RunStarted
from holter.journal.here import here
from holter.journal.postgres import PostgresJournal
from holter.messages import AIMessage, ToolMessage
from tests.graph.validity import check_history
from tests.graph.ways import graph_of
from tests.postgres_server import Server

Pair = tuple[Any, Any]


def holder_in(journal: Any) -> str | None:
    """Who drives the thread."""
    lease = here(journal, lambda journal: journal.leased("t"))
    return None if lease is None else lease.holder


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A running PostgreSQL server."""
    made = Server()
    yield made
    made.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def journals(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    """The same journal twice, as two processes have it."""
    if request.param == "sqlite":
        made: list[Any] = [SQLiteJournal(tmp_path / "journal.db") for _ in range(2)]
    else:
        server: Server = request.getfixturevalue("server")
        schema = f"s{time.monotonic_ns()}"
        made = [PostgresJournal(server.url, schema=schema, connections=2) for _ in range(2)]
    yield made[0], made[1]
    for journal in made:
        journal.close()


@tool
async def ask() -> str:
    """Asks."""
    return f"answered {interrupt('?')}"


@tool
async def slow() -> str:
    """Takes long."""
    await asyncio.sleep(0.5)
    return "slow"


def calling(*names: str) -> dict[str, Any]:
    """The input of a graph that runs tools."""
    calls = [{"name": name, "args": {}, "id": f"c-{name}", "type": "tool_call"} for name in names]
    return {"messages": [HumanMessage("go"), AIMessage("", tool_calls=calls)]}


def graph_on(journal: Any) -> Any:
    """A graph that runs the tools."""
    nodes = {"tools": ToolNode([ask, slow]), "end": lambda state: {"messages": [AIMessage("end")]}}
    return graph_of(MessagesState, **nodes).add_edge("tools", "end").compile(journal=journal)


def events(journal: Any) -> list[Any]:
    """What stands in the thread."""
    return [entry.event for entry in here(journal, lambda journal: journal.read("t"))]


def test_a_second_run_is_refused_or_waits(journals: Pair) -> None:
    """Refused, it says who drives the thread; waiting, it comes next."""

    async def main() -> None:
        first = asyncio.create_task(graph_on(journals[0]).ainvoke(calling("slow"), thread="t"))
        await asyncio.sleep(0.2)
        [begun] = [event for event in events(journals[1]) if isinstance(event, RunStarted)]
        with pytest.raises(LeaseHeld, match=begun.run):
            await graph_on(journals[1]).ainvoke({"messages": [HumanMessage("me, too")]}, thread="t")
        second = await graph_on(journals[1]).ainvoke(calling("slow"), thread="t", wait=True)
        assert first.done()
        check_history(second["messages"])
        assert [message.text for message in second["messages"] if message.text] == ["go", "slow", "end"] * 2

    asyncio.run(main())


def test_a_run_that_is_taken_over_ends(journals: Pair) -> None:
    """In its next append, with a conflict; what the other one appended stands, once."""

    async def main() -> None:
        first = asyncio.create_task(graph_on(journals[0]).ainvoke(calling("slow"), thread="t"))
        await asyncio.sleep(0.2)
        graph = graph_on(journals[1])
        state = await graph.ainvoke(None, thread="t", takeover=True)
        assert [one.id for one in state["__interrupt__"]] == ["c-slow~1"]
        with pytest.raises(JournalConflict):
            await first
        state = await graph.ainvoke(Command(resume={"result": "slow"}), thread="t")
        check_history(state["messages"])
        assert [message.text for message in state["messages"]] == ["go", "", "slow", "end"]
        assert sum(isinstance(event, RunEnded) for event in events(journals[1])) == 2

    asyncio.run(main())


def test_two_workers_that_both_take_over(journals: Pair) -> None:
    """Of those who append to the same place one is first; the thread is as if the other had not been."""
    outcomes: list[str] = []

    def drive(journal: Any) -> None:
        try:
            graph_on(journal).invoke(calling("slow"), thread="t", takeover=True)
            outcomes.append("done")
        except JournalConflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=drive, args=(journal,)) for journal in journals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) in (["conflict", "done"], ["done", "done"])
    messages = graph_on(journals[0]).get_state(thread="t").values["messages"]
    check_history(messages)
    results = [message.tool_call_id for message in messages if isinstance(message, ToolMessage)]
    assert len(results) == sum(bool(isinstance(message, AIMessage) and message.tool_calls) for message in messages)


def test_an_answer_reaches_a_worker_that_runs(journals: Pair) -> None:
    """It goes on with it, and ends without being asked to go on."""

    async def main() -> None:
        run = asyncio.create_task(graph_on(journals[0]).ainvoke(calling("ask", "slow"), thread="t"))
        other = graph_on(journals[1])
        while not (await other.aget_state(thread="t")).interrupts:
            await asyncio.sleep(0.01)
        await other.aanswer("t", {"c-ask": "yes"})
        state = await run
        assert "__interrupt__" not in state
        assert [message.text for message in state["messages"]] == ["go", "", "answered yes", "slow", "end"]

    asyncio.run(main())


def test_a_cancellation_reaches_a_worker_that_runs(journals: Pair) -> None:
    """While its tool runs."""

    async def main() -> None:
        run = asyncio.create_task(graph_on(journals[0]).ainvoke(calling("slow"), thread="t"))
        await asyncio.sleep(0.1)
        await graph_on(journals[1]).acancel("t", "too dear")
        with pytest.raises(RunCancelled, match="too dear"):
            await run

    asyncio.run(main())
    graph = graph_on(journals[1])
    check_history(graph.get_state(thread="t").values["messages"])
    graph.cancel("t")
    assert sum(isinstance(event, RunEnded) for event in events(journals[1])) == 1


def test_what_cannot_be_said_from_outside(journals: Pair) -> None:
    """Is an error."""
    graph = graph_on(journals[0])
    for say, given in ((graph.answer, ["t", 1]), (graph.cancel, ["t"]), (graph.resume, ["t", 1]), (graph.fork, ["t"])):
        with pytest.raises(UnknownThread):
            say(*given)
    graph.invoke(calling("slow"), thread="t")
    with pytest.raises(GraphError, match="no open question"):
        graph.answer("t", 1)


def test_parallel_approvals_across_a_restart(tmp_path: Path) -> None:
    """Both questions surface together, the answers come by key in either order and one by one, and the effect happens once."""
    for first, second in ((1, 2), (2, 1)):
        sent: list[str] = []

        @tool
        async def send(sent: list[str] = sent) -> str:
            """Has an effect."""
            sent.append("sent")
            return "sent"

        @tool(needs_approval=True)
        async def delete(name: str) -> str:
            """Asks twice: whether it may, and how."""
            return f"{name} deleted {interrupt(f'how, {name}?')}"

        def agent(journal: Any, tools: tuple[Any, ...] = (send, delete)) -> Agent:
            calls = [("delete", {"name": "1"}, "c1"), ("send", {}, "c0"), ("delete", {"name": "2"}, "c2")]
            answer = AIMessage("", tool_calls=[{"name": name, "args": args, "id": at, "type": "tool_call"} for name, args, at in calls])
            return Agent(
                ScriptedModel(lambda request: answer if len(request.messages) == 1 else AIMessage("end")), tools=tools, journal=journal
            )

        def resumed(path: Path, answers: dict[str, Any]) -> Any:
            with SQLiteJournal(path) as journal:
                return agent(journal).resume("t", answers)

        path = tmp_path / f"{first}.db"
        with SQLiteJournal(path) as journal:
            run = agent(journal).run("go", thread="t")
        assert [asked.id for asked in run.interrupts] == ["c1", "c2"]
        run = resumed(path, {f"c{first}": True})
        assert {asked.id for asked in run.interrupts} == {f"c{first}/1", f"c{second}"}
        run = resumed(path, {f"c{second}": True})
        assert {asked.id for asked in run.interrupts} == {"c1/1", "c2/1"}
        run = resumed(path, {"c2/1": "slowly", "c1/1": "quickly"})
        assert run.answer == "end"
        check_history(run.messages)
        assert [message.text for message in run.messages[2:5]] == ["1 deleted quickly", "sent", "2 deleted slowly"]
        assert sent == ["sent"]


def test_a_lease_is_renewed_as_long_as_its_run_lives(journals: Pair) -> None:
    """And ends soon after it is not: so long others are kept away after a crash."""
    mine, other = journals
    keeper = Keeper(pause_s=0.02)
    here(mine, lambda journal: journal.lease("t", "run", 0.05))
    held = keeper.hold(mine, "t", "run")
    time.sleep(0.2)
    lease = here(other, lambda journal: journal.leased("t"))
    assert lease is not None
    assert lease.holder == "run"
    assert lease.until - time.time() > LEASE_S - 5
    here(other, lambda journal: journal.lease("t", "another", 60, takeover=True))
    while not held.is_over:
        time.sleep(0.01)
    keeper.let_go(held)
    assert holder_in(other) == "another"
