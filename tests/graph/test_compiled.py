"""A compiled graph: how it is called, what it keeps, and how it shows itself."""

import asyncio
import inspect
import threading
from typing import Any

import pytest

from holter import Agent, Command, HumanMessage, MemoryJournal, MessagesState, ScriptedModel, interrupt
from holter.errors import GraphError, InvalidUpdate
from holter.journal.event import RunEnded, RunStarted
from holter.messages import AIMessage
from holter.tools.drive import drive
from tests.graph.validity import busy_threads
from tests.graph.ways import Log, events_of, graph_of, says, streamed, streamed_async


def test_a_compiled_graph_does_not_change() -> None:
    """What is added to its builder later is no part of it."""
    builder = graph_of(a=says("a"))
    compiled = builder.compile(name="mine")
    builder.add_node("b", says("b")).add_edge("a", "b")
    assert compiled.invoke({})["log"] == ["a"]
    assert builder.compile().invoke({})["log"] == ["a", "b"]
    assert repr(compiled) == "<CompiledGraph 'mine': a>"
    assert list(compiled.nodes) == ["a"]


@pytest.mark.parametrize("key", ["journal", "checkpointer"])
def test_where_threads_live(key: str) -> None:
    """In the journal that the graph was given, under either name; else with the graph, in memory. A run that names no thread leaves
    nothing behind."""
    journal = MemoryJournal()
    options: dict[str, Any] = {key: journal}
    given, own = graph_of(a=says("a")).compile(**options), graph_of(a=says("a")).compile()
    for graph in (given, own):
        graph.invoke({}, thread="t")
        graph.invoke({})
        assert graph.get_state(thread="t").values["log"] == ["a"]
    assert graph_of(a=says("a")).compile().get_state(thread="t").values == {}
    assert [thread.id for thread in drive(own.own_journal().threads())] == ["t"]
    assert [event.program for event in events_of(journal) if isinstance(event, RunStarted)] == ["graph"]


@pytest.mark.parametrize("config", ["t", ["t"], 3])
def test_what_is_no_configuration(config: Any) -> None:
    """Is said, with the form that it has."""
    graph = graph_of(a=says("a")).compile()
    for ask in (graph.invoke, lambda given, config: list(graph.stream(given, config)), lambda _, config: graph.get_state(config)):
        with pytest.raises(GraphError, match=r"a configuration is a dict, as in .*, found .*; a thread is `thread=…`"):
            ask({}, config)
    with pytest.raises(GraphError, match="a configuration is a dict"):
        Agent(ScriptedModel(["hi"]), limits={"steps": None}).run("Hi", config=config)


def test_messages_that_cannot_be_the_input() -> None:
    """Are said to be the caller's."""
    with pytest.raises(InvalidUpdate, match="the input of the graph wrote 'messages', and a message was expected, found int"):
        graph_of(a=says("a")).compile().invoke({"messages": [3]})


def test_a_synchronous_graph_runs_on_the_callers_thread() -> None:
    """So that a debugger and thread-locals work; no thread and no loop is begun for it."""
    here = threading.get_ident()
    seen: list[int] = []

    def node(state: Log) -> Log:
        seen.append(threading.get_ident())
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return {"log": ["a"]}

    graph = graph_of(a=node, b=node).add_edge("a", "b").add_conditional_edges("b", lambda state: "__end__").compile()
    before = threading.active_count()
    graph.invoke({}, thread="t")
    assert (seen, threading.active_count()) == ([here, here], before)


def test_an_asynchronous_caller_is_not_blocked() -> None:
    """By a node that is synchronous."""

    async def main() -> int:
        turns = 0
        run = asyncio.create_task(graph.ainvoke({}))
        while not run.done():
            turns += 1
            if turns == 5:
                go.set()
            await asyncio.sleep(0)
        await run
        return turns

    go = threading.Event()
    graph = graph_of(a=lambda state: go.wait(5) and {"log": ["a"]}).compile()
    assert asyncio.run(main()) >= 5


def test_many_runs_of_one_graph_at_once() -> None:
    """Know nothing of each other, in one loop and in several threads."""

    async def node(state: Log) -> Log:
        await asyncio.sleep(0.001)
        return {"log": [str(state["n"])]}

    async def main() -> Any:
        return await asyncio.gather(*(graph.ainvoke({"n": n}, thread=f"t{n % 50}" if n < 50 else None) for n in range(100)))

    graph = graph_of(a=node, b=node).add_edge("a", "b").compile()
    assert [state["log"] for state in asyncio.run(main())] == [[str(n)] * 2 for n in range(100)]
    found: dict[int, list[str]] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: graph.invoke({"n": n}, thread=f"s{n}")["log"]})) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [str(n)] * 2 for n in range(8)}


@pytest.mark.parametrize("given", ["text", 5, [1], [HumanMessage("hi")], HumanMessage("hi")])
def test_what_is_no_input(given: Any) -> None:
    """Is an error that says what one is; nothing stands in the thread, and it is free."""
    graph = graph_of(MessagesState, a=lambda state: {}).compile()
    for call in (graph.invoke, lambda *args, **options: list(graph.stream(*args, **options))):
        with pytest.raises(InvalidUpdate, match="the input of a graph is a dict of state fields"):
            call(given, thread="t")
    assert events_of(graph.own_journal()) == []  # type: ignore[arg-type]  # it is one in memory
    assert graph.invoke({}, thread="t") == {"messages": []}


def test_a_run_that_cannot_begin_ends_its_stream() -> None:
    """With the error, at once."""
    graph = graph_of(a=says("a")).compile()
    for stream in (streamed, streamed_async):
        with pytest.raises(GraphError, match="nothing to go on with"):
            stream(graph, None, thread="t")
    assert busy_threads() == []


def test_every_run_ends_in_its_journal() -> None:
    """Once, whatever it came to, with the id that it began with."""
    broken = [True]

    def node(state: Log) -> Log:
        answer = interrupt("sure?")
        if broken[0]:
            raise ValueError("bad")
        return {"log": [answer]}

    journal = MemoryJournal()
    graph = graph_of(a=node).compile(journal=journal)
    graph.invoke({}, thread="t")
    with pytest.raises(ValueError, match="bad"):
        graph.invoke(Command(resume="yes"), thread="t")
    broken[0] = False
    graph.invoke(None, thread="t")
    begun = [event.run for event in events_of(journal) if isinstance(event, RunStarted)]
    ended = [(event.run, event.status, event.error) for event in events_of(journal) if isinstance(event, RunEnded)]
    assert ended == [(begun[0], "interrupted", ""), (begun[1], "failed", "ValueError: bad"), (begun[2], "done", "")]
    assert len(set(begun)) == 3


def test_a_thread_outlives_its_graph() -> None:
    """Another graph with the same journal goes on; one that lost the node says so."""
    journal = MemoryJournal()
    graph_of(a=says("a"), b=lambda state: {"log": [interrupt("sure?")]}).add_edge("a", "b").compile(journal=journal).invoke({}, thread="t")
    with pytest.raises(GraphError, match="the thread goes on at node 'b', which the graph does not have; its nodes are a"):
        graph_of(a=says("a")).compile(journal=journal).invoke(Command(resume="x"), thread="t")
    other = graph_of(a=says("a"), b=says("new b")).add_edge("a", "b").compile(journal=journal)
    assert other.invoke(None, thread="t")["log"] == ["a", "new b"]


def test_aget_state_and_signatures() -> None:
    """The asynchronous twins take and give the same."""
    graph = graph_of(MessagesState, a=lambda state: {"messages": [AIMessage("a", id="m")]}).compile()
    graph.invoke({}, thread="t")
    assert asyncio.run(graph.aget_state(thread="t")) == graph.get_state(thread="t")
    for name in ("invoke", "stream"):
        here, there = (inspect.signature(getattr(graph, f"{way}{name}")) for way in ("", "a"))
        assert list(here.parameters) == list(there.parameters)
