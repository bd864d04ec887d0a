"""Programs that are wrong: a clear error or a limit, a history that can be sent, and nothing left running."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypedDict

import pytest

from holter import END, START, HumanMessage, MemoryJournal, MessagesState, ScriptedModel, StateGraph, tool
from holter.agent import Agent, Run
from holter.errors import GraphError, InvalidUpdate, ModelError, NoAnswer, NothingFits, RecursionLimit, StreamCut
from holter.graph.feed import Delta
from holter.messages import AIMessage, AIMessageChunk, Message, ToolMessage
from holter.models import Answer, ModelRequest
from holter.tools.drive import drive
from tests.graph.validity import busy_threads, check_history, other_tasks

Way = Callable[..., Any]


def in_sync(runnable: Any, given: Any, **options: Any) -> Any:
    """As a synchronous caller does it; nothing is left behind."""
    try:
        return (runnable.run if isinstance(runnable, Agent) else runnable.invoke)(given, **options)
    finally:
        assert busy_threads() == []


def in_async(runnable: Any, given: Any, **options: Any) -> Any:
    """As an asynchronous caller does it; nothing is left behind."""

    async def main() -> Any:
        try:
            return await (runnable.arun if isinstance(runnable, Agent) else runnable.ainvoke)(given, **options)
        finally:
            assert await other_tasks() == []

    try:
        return asyncio.run(main())
    finally:
        assert busy_threads() == []


@pytest.fixture(params=[in_sync, in_async])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run something."""
    chosen: Way = request.param
    return chosen


class State(TypedDict, total=False):
    """A small state."""

    number: int
    rows: list[dict[str, int]]


def one_node(action: Any, schema: Any = State) -> Any:
    """A graph of one node, `work`."""
    return StateGraph(schema).add_node("work", action).add_edge(START, "work").add_edge("work", END).compile()


def values(graph: Any) -> dict[str, Any]:
    """The state of the thread."""
    found: dict[str, Any] = graph.get_state({"configurable": {"thread_id": "t"}}).values
    return found


# Nodes


@pytest.mark.parametrize("is_async", [False, True])
def test_a_node_that_raises(way: Way, is_async: bool) -> None:
    """Its own exception comes, with a note of where; what was there before stands, and the thread goes on."""
    broken = [True]

    def work(state: State) -> State:
        if broken[0]:
            raise ZeroDivisionError("no half of nothing")
        return {"number": 2}

    async def work_async(state: State) -> State:
        return work(state)

    graph = one_node(work_async if is_async else work)
    with pytest.raises(ZeroDivisionError, match="no half of nothing") as caught:
        way(graph, {"number": 1}, thread="t")
    assert caught.value.__context__ is None
    (note,) = caught.value.__notes__
    assert "'work'" in note
    assert "'t'" in note
    assert values(graph) == {"number": 1}
    broken[0] = False
    assert way(graph, {}, thread="t") == {"number": 2}


@pytest.mark.parametrize("returned", [5, "text", object(), [1, 2], AIMessage("hi"), [AIMessage("hi")], {1: 2}])
def test_a_node_that_returns_another_type(way: Way, returned: Any) -> None:
    """The error names the node; nothing is written."""
    graph = one_node(lambda state: returned)
    with pytest.raises(InvalidUpdate, match="node 'work'"):
        way(graph, {"number": 1}, thread="t")
    assert values(graph) == {"number": 1}


def test_a_coroutine_that_never_ends() -> None:
    """Is cancelled with its run; the thread says so and goes on."""
    patience = [60.0]
    ended: list[str] = []

    async def work(state: State) -> State:
        try:
            await asyncio.sleep(patience[0])
        finally:
            ended.append("cleaned up")
        return {"number": 2}

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await graph.ainvoke({"number": 1}, thread="t")
        assert await other_tasks() == []
        assert ended == ["cleaned up"]
        assert values(graph) == {"number": 1}
        patience[0] = 0
        assert await graph.ainvoke({}, thread="t") == {"number": 2}

    graph = one_node(work)
    asyncio.run(main())
    assert busy_threads() == []


@pytest.fixture
def stuck() -> Iterator[threading.Event]:
    """What a function waits for that does not return as long as the test lasts."""
    event = threading.Event()
    yield event
    event.set()
    assert busy_threads() == []


def test_a_function_that_never_returns(stuck: threading.Event) -> None:
    """Is abandoned when its run is cancelled, and named; the thread goes on without it."""

    def work(state: State) -> State:
        if state["number"] == 1:
            stuck.wait(10)
        return {"number": 2}

    journal = MemoryJournal()
    graph = StateGraph(State).add_node("work", work).add_edge(START, "work").compile(journal=journal)

    async def main() -> None:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await graph.ainvoke({"number": 1}, thread="t")
        assert time.monotonic() - began < 2
        assert await other_tasks() == []
        said = " ".join(str(entry.event) for entry in drive(journal.read("t")))
        assert "left running" in said
        assert "work" in said
        assert await graph.ainvoke({"number": 3}, thread="t") == {"number": 2}

    asyncio.run(main())


@pytest.mark.parametrize("streams", [False, True])
def test_a_tool_that_never_returns(way: Way, stuck: threading.Event, streams: bool) -> None:
    """Is abandoned after its time, and named to the model."""

    @tool(timeout_s=0.05)
    def wait() -> str:
        """Waits."""
        stuck.wait(10)
        return "never"

    agent = Agent(ScriptedModel([[{"name": "wait", "args": {}, "id": "c"}], "Sorry."]), tools=[wait])
    run = agent.run("go")
    assert run.answer == "Sorry."
    (result,) = (message for message in run.messages if isinstance(message, ToolMessage))
    assert "wait took longer than 0.05 s; it was left running and may still take effect" in result.text
    check_history(run.messages)


def test_a_node_that_changes_its_input(way: Way) -> None:
    """Changes a copy: neither the state nor the other nodes nor the caller see it."""
    seen: list[Any] = []

    def spoil(state: Any) -> dict[str, Any]:
        state["messages"].clear()
        state["messages"].append(HumanMessage("forged"))
        state["more"] = True
        return {}

    def look(state: MessagesState) -> dict[str, Any]:
        seen.append([message.text for message in state["messages"]])
        return {"messages": [AIMessage("seen")]}

    graph = StateGraph(MessagesState).add_node("spoil", spoil).add_node("look", look).add_node("beside", look)
    graph.add_edge(START, "spoil").add_edge(START, "beside").add_edge("spoil", "look")
    given = {"messages": [HumanMessage("true")]}
    done = way(graph.compile(), given)
    assert sorted(seen) == [["true"], ["true", "seen"]]
    assert [message.text for message in done["messages"]] == ["true", "seen", "seen"]
    assert [message.text for message in given["messages"]] == ["true"]


def test_an_empty_graph() -> None:
    """Does not compile."""
    with pytest.raises(GraphError, match="the graph has no nodes"):
        StateGraph(State).compile()


def test_a_graph_without_an_end(way: Way) -> None:
    """Is stopped, and what it did stands."""
    graph = (
        StateGraph(State).add_node("work", lambda state: {"number": state["number"] + 1}).add_edge(START, "work").add_edge("work", "work")
    )
    compiled = graph.compile()
    with pytest.raises(RecursionLimit, match="the graph was stopped after 20 steps, before work"):
        way(compiled, {"number": 0}, thread="t", config={"recursion_limit": 20})
    assert values(compiled) == {"number": 20}


# Models


def test_a_model_that_answers_nothing(way: Way) -> None:
    """An empty stream is an error that says so."""
    agent = Agent(ScriptedModel([[] for _ in range(9)]))
    with pytest.raises(NoAnswer, match="answered nothing"):
        way(agent, "go", thread="t")


def test_a_model_whose_answers_are_empty(way: Way) -> None:
    """Is asked once more; then there is a note in its place, and the run has failed."""
    model = ScriptedModel([""] * 9)
    run: Run = way(Agent(model), "go")
    assert (run.status, run.answer, len(model.requests)) == ("failed", None, 2)
    assert "The model gave no answer" in run.messages[-1].text
    assert "The model gave no answer" in str(run.error)
    check_history(run.messages)


def test_a_model_that_calls_an_unknown_tool_for_ever(way: Way) -> None:
    """Is told each time which there are, and ends at the limit of steps, or of repetitions where the call is the same."""

    def says(request: ModelRequest) -> list[dict[str, Any]]:
        return [{"name": "fly", "args": {"to": len(request.messages)}}]

    def same(request: ModelRequest) -> list[dict[str, Any]]:
        return [{"name": "fly", "args": {}}]

    for script, steps in ((says, 50), (same, 5)):
        run: Run = way(Agent(ScriptedModel(script), tools=[tool("walk", lambda: "slow", description="Walks.")]), "go")
        results = [message for message in run.messages if isinstance(message, ToolMessage)]
        assert (run.status, len(results)) == ("limit", steps)
        assert all(message.status == "error" and "fly" in message.text and "walk" in message.text for message in results)
        check_history(run.messages)


@pytest.mark.parametrize(
    "half",
    [
        Answer("It is a long way to go", cut_after=2),
        Answer(AIMessage("I look.", tool_calls=[{"name": "walk", "args": {}, "id": "c", "type": "tool_call"}]), cut_after=3),
        Answer([AIMessageChunk("", tool_call_chunks=[{"index": 0, "name": "walk", "args": '{"a', "id": "c"}])], cut_after=1),
    ],
)
def test_a_model_that_breaks_off(way: Way, half: Answer) -> None:
    """Is an error that holds what came; no half answer is part of the history, and the thread goes on."""
    agent = Agent(ScriptedModel([half, "Here I am."]), tools=[tool("walk", lambda: "slow", description="Walks.")], journal=MemoryJournal())
    with pytest.raises(StreamCut) as caught:
        way(agent, "go", thread="t")
    assert caught.value.partial is not None
    run: Run = way(agent, "are you there?", thread="t")
    assert [message.text for message in run.messages] == ["go", "are you there?", "Here I am."]
    check_history(run.messages)


def test_a_model_that_breaks_off_while_it_is_streamed() -> None:
    """The pieces come, then the error; nothing is left running."""
    agent = Agent(ScriptedModel([Answer("It is a long way to go", cut_after=2)]))

    pieces: list[str] = []

    async def listen() -> None:
        async for item in agent.astream("go"):
            if isinstance(item, Delta):
                pieces.append(str(item.chunk.content))

    async def main() -> None:
        with pytest.raises(StreamCut):
            await listen()
        assert await other_tasks() == []

    asyncio.run(main())
    assert "".join(pieces) == "It is "
    assert busy_threads() == []


def test_a_stream_that_nobody_reads_to_its_end() -> None:
    """Ends its run: what it waits for is cancelled, and the history can be sent."""
    ended: list[str] = []

    @tool
    async def wait() -> str:
        """Waits."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cleaned up")
        return "never"

    def agent_of(journal: MemoryJournal) -> Any:
        return Agent(ScriptedModel([[{"name": "wait", "args": {}}], "done", "done"]), tools=[wait], journal=journal).compiled

    async def leave() -> None:
        stream = graph.astream({"messages": [HumanMessage("go")]}, thread="t")
        async for _ in stream:
            break
        await stream.aclose()
        assert await other_tasks() == []

    graph = agent_of(MemoryJournal())
    asyncio.run(leave())
    check_history(values(graph)["messages"])
    graph = agent_of(MemoryJournal())
    for _ in graph.stream({"messages": [HumanMessage("go")]}, thread="t"):
        break
    assert busy_threads() == []
    check_history(values(graph)["messages"])
    assert ended == ["cleaned up"] * 2


def long_prompt() -> str:
    """Ten megabytes."""
    return "0123456789" * 1_000_000


def test_a_long_prompt_and_no_known_window(way: Way) -> None:
    """Is sent: who does not know the window refuses nothing. A refusal of the model's is an error."""
    model = ScriptedModel(["Long."])
    run: Run = way(Agent(model), long_prompt())
    assert (run.answer, len(model.requests[0].messages[-1].text)) == ("Long.", 10_000_000)
    check_history(run.messages)


def test_a_long_prompt_and_a_small_window(way: Way) -> None:
    """Is an error that says how much is over, before the model is asked; the thread goes on."""
    model = ScriptedModel(["Short."], window_tokens=8_000)
    agent = Agent(model, journal=MemoryJournal())
    with pytest.raises((NothingFits, ModelError), match="tokens"):
        way(agent, long_prompt(), thread="t")
    assert model.requests == []


def test_a_long_history_and_a_small_window(way: Way) -> None:
    """Is trimmed for the request, and whole in the thread."""
    model = ScriptedModel(["Short."], window_tokens=8_000)
    history: list[Message] = [HumanMessage("x" * 20_000), AIMessage("y" * 20_000)] * 5
    run: Run = way(Agent(model, history=history), "and now?")
    assert run.answer == "Short."
    assert sum(len(message.text) for message in model.requests[0].messages) < 32_000
    assert len(run.messages) == 12
    check_history(run.messages)
