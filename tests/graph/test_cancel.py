"""Runs that are cancelled: by their task, by a time limit, and by somebody else through the journal."""

import asyncio
import threading
import time
from typing import Any

import pytest

from holter import START, Command, HumanMessage, MemoryJournal, MessagesState, ToolNode, interrupt, tool
from holter.errors import JournalConflict, RunCancelled
from holter.journal.event import Cancelled, Event, RunEnded, RunStarted
from holter.messages import AIMessage
from holter.tools.drive import drive
from tests.graph.validity import busy_threads, check_history, other_tasks
from tests.graph.ways import Log, events_of, graph_of, says


def append(journal: MemoryJournal, *events: Event, thread: str = "t") -> None:
    """Appends as somebody else does it, who reads on until it works."""
    while True:
        try:
            drive(journal.append(thread, drive(journal.length(thread)), events))
            return
        except JournalConflict:
            continue


def ends(journal: MemoryJournal) -> list[str]:
    """How the runs of the thread ended."""
    return [event.status for event in events_of(journal) if isinstance(event, RunEnded)]


def calling(*names: str) -> dict[str, Any]:
    """The input of a graph that runs tools."""
    calls = [{"name": name, "args": {}, "id": f"c-{name}", "type": "tool_call"} for name in names]
    return {"messages": [HumanMessage("go"), AIMessage("", tool_calls=calls)]}


@tool
async def quick() -> str:
    """Is done at once."""
    return "done at once"


@tool
async def slow() -> str:
    """Takes long."""
    await asyncio.sleep(60)
    return "never"


@pytest.mark.parametrize("by", ["task", "timeout", "tight"])
def test_a_run_that_its_caller_cancels(by: str) -> None:
    """Ends with the caller's own cancellation; what was done stands, what runs is closed, and the thread goes on."""

    async def main() -> None:
        if by == "task":
            run = asyncio.create_task(graph.ainvoke(calling("quick", "slow"), thread="t"))
            await asyncio.sleep(0.03)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            assert run.cancelled()
        else:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.03 if by == "timeout" else 0):
                    await graph.ainvoke(calling("quick", "slow"), thread="t")
        assert await other_tasks() == []

    journal = MemoryJournal()
    nodes = {"tools": ToolNode([quick, slow]), "end": lambda state: {"messages": [AIMessage("end")]}}
    graph = graph_of(MessagesState, **nodes).add_edge("tools", "end").compile(journal=journal)
    asyncio.run(main())
    if by == "tight":
        return
    assert ends(journal) == ["cancelled"]
    messages = graph.get_state(thread="t").values["messages"]
    check_history(messages)
    assert [message.text[:24] for message in messages[2:]] == ["done at once", "Error: slow was started,"]
    assert graph.invoke(None, thread="t")["messages"][-1].text == "end"
    assert ends(journal) == ["cancelled", "done"]


def test_nodes_at_once_are_all_cancelled() -> None:
    """Those that clean up get to do so; what had ended stands and does not run again."""
    log: list[str] = []

    def node(name: str, wait_s: list[float]) -> Any:
        async def run(state: Log) -> Log:
            try:
                await asyncio.sleep(wait_s[0])
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                log.append(f"{name} cleaned up")
                raise
            log.append(f"{name} ended")
            return {"log": [name]}

        return run

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await graph.ainvoke({}, thread="t")
        assert await other_tasks() == []
        patience[0] = 0
        assert (await graph.ainvoke(None, thread="t"))["log"] == ["a", "b", "c"]

    patience = [60.0]
    nodes = {"a": node("a", [0]), "b": node("b", patience), "c": node("c", patience)}
    graph = graph_of(**nodes).add_edge(START, "b").add_edge(START, "c").compile()
    asyncio.run(main())
    assert sorted(log) == ["a ended", "b cleaned up", "b ended", "c cleaned up", "c ended"]


def test_a_failure_cancels_the_nodes_beside_it() -> None:
    """The failure is what comes out, and nothing is left running."""
    log: list[str] = []

    async def wait(state: Log) -> Log:
        try:
            await asyncio.sleep(60)
        finally:
            log.append("cleaned up")
        return {}

    async def broken(state: Log) -> Log:
        await asyncio.sleep(0.01)
        raise ValueError("bad")

    async def main() -> None:
        with pytest.raises(ValueError, match="bad"):
            await graph.ainvoke({}, thread="t")
        assert await other_tasks() == []

    graph = graph_of(a=wait, b=broken).add_edge(START, "b").compile()
    asyncio.run(main())
    assert log == ["cleaned up"]
    assert busy_threads() == []


@pytest.mark.parametrize("streams", [False, True])
def test_somebody_else_cancels_while_a_tool_runs(streams: bool) -> None:
    """The run stops soon, and not when the tool is done; the error says why; the calls are closed, and the thread goes on."""

    async def main() -> None:
        async def run() -> None:
            if streams:
                async for _ in graph.astream(calling("quick", "slow"), thread="t"):
                    pass
            else:
                await graph.ainvoke(calling("quick", "slow"), thread="t")

        running = asyncio.create_task(run())
        await asyncio.sleep(0.03)
        append(journal, Cancelled(reason="too dear"))
        began = time.monotonic()
        with pytest.raises(RunCancelled, match="cancelled from outside: too dear"):
            await running
        assert time.monotonic() - began < 5
        assert running.cancelling() == 0
        assert await other_tasks() == []

    journal = MemoryJournal()
    graph = graph_of(MessagesState, tools=ToolNode([quick, slow])).compile(journal=journal)
    asyncio.run(main())
    assert ends(journal) == ["cancelled"]
    assert sum(isinstance(event, Cancelled) for event in events_of(journal)) == 1
    messages = graph.get_state(thread="t").values["messages"]
    check_history(messages)
    assert messages[2].text == "done at once"
    assert "the run was cancelled" in messages[3].text
    assert graph.invoke({"messages": [HumanMessage("again")]}, thread="t")["messages"][-1].text == "again"


@pytest.mark.parametrize("is_sync", [True, False])
def test_somebody_else_cancels_between_two_steps(is_sync: bool) -> None:
    """The node that runs ends, its writes stand, and the next one is not begun."""
    journal = MemoryJournal()

    def node(state: Log) -> Log:
        append(journal, Cancelled(reason="enough"))
        return {"log": ["a"]}

    graph = graph_of(a=node, b=says("b")).add_edge("a", "b").compile(journal=journal)
    with pytest.raises(RunCancelled, match="enough"):
        graph.invoke({}, thread="t") if is_sync else asyncio.run(graph.ainvoke({}, thread="t"))
    state = graph.get_state(thread="t")
    assert (state.values["log"], state.next) == (["a"], ("b",))
    assert graph.invoke(None, thread="t")["log"] == ["a", "b"]
    assert ends(journal) == ["cancelled", "done"]


def test_somebody_else_cancels_a_nested_run_with_the_one_around_it() -> None:
    """Both end cancelled."""

    async def wait(state: Log) -> Log:
        await asyncio.sleep(60)
        return {}

    async def main() -> None:
        running = asyncio.create_task(outer.ainvoke({}, thread="t"))
        await asyncio.sleep(0.03)
        append(journal, Cancelled())
        with pytest.raises(RunCancelled):
            await running

    journal = MemoryJournal()
    outer = graph_of(inner=graph_of(wait=wait).compile()).compile(journal=journal)
    asyncio.run(main())
    assert ends(journal) == ["cancelled"]
    assert [event.status for event in events_of(journal, "t::1.0") if isinstance(event, RunEnded)] == ["cancelled"]


def test_an_old_cancellation_stops_no_new_run() -> None:
    """One that came when nothing ran, or behind the end."""
    journal = MemoryJournal()
    graph = graph_of(a=says("a")).compile(journal=journal)
    append(journal, Cancelled(reason="early"))
    assert graph.invoke({}, thread="t")["log"] == ["a"]
    append(journal, Cancelled(reason="late"))
    assert graph.invoke({}, thread="t")["log"] == ["a", "a"]


def test_a_thread_that_another_run_has_taken_over() -> None:
    """The run that finds itself put out ends with an error, and writes no more."""
    journal = MemoryJournal()

    def node(state: Log) -> Log:
        append(journal, RunStarted(run="another"))
        return {"log": ["a"]}

    graph = graph_of(a=node).compile(journal=journal)
    with pytest.raises(JournalConflict):
        graph.invoke({}, thread="t")
    assert [type(event).__name__ for event in events_of(journal)] == ["RunStarted", "RunStarted"]


def test_ctrl_c_in_a_node() -> None:
    """Is raised on, and the thread says that the run was cancelled."""
    journal = MemoryJournal()
    broken = [True]

    def node(state: Log) -> Log:
        if broken[0]:
            raise KeyboardInterrupt
        return {"log": ["a"]}

    graph = graph_of(a=node).compile(journal=journal)
    with pytest.raises(KeyboardInterrupt):
        graph.invoke({}, thread="t")
    assert ends(journal) == ["cancelled"]
    broken[0] = False
    assert graph.invoke(None, thread="t")["log"] == ["a"]


def test_a_question_beside_a_node_that_is_cancelled() -> None:
    """Waits still when the thread goes on, and is not asked twice."""
    patience = [60.0]

    async def wait(state: Log) -> Log:
        await asyncio.sleep(patience[0])
        return {"log": ["waited"]}

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await graph.ainvoke({}, thread="t")

    graph = graph_of(ask=lambda state: {"log": [interrupt("sure?")]}, wait=wait).add_edge(START, "wait").compile()
    asyncio.run(main())
    assert [question.value for question in graph.get_state(thread="t").interrupts] == ["sure?"]
    patience[0] = 0
    assert graph.invoke(Command(resume="yes"), thread="t")["log"] == ["yes", "waited"]


def test_synchronous_nodes_that_are_left_running() -> None:
    """Are named in the error of the run that was cancelled, and their results are dropped."""
    go = threading.Event()

    def stuck(state: Log) -> Log:
        go.wait(10)
        return {"log": ["late"]}

    async def main() -> None:
        run = asyncio.create_task(graph.ainvoke({}, thread="t"))
        await asyncio.sleep(0.03)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    journal = MemoryJournal()
    graph = graph_of(stuck=stuck).compile(journal=journal)
    asyncio.run(main())
    go.set()
    assert busy_threads() == []
    assert next(event.reason for event in events_of(journal) if isinstance(event, Cancelled)) == "left running: node 'stuck'"
    assert graph.get_state(thread="t").values["log"] == []
