"""The forms in which a run can be read while it goes on; shapes are LangGraph's."""

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from holter import (
    END,
    START,
    Command,
    HumanMessage,
    Interrupt,
    MemoryJournal,
    MessagesState,
    ScriptedModel,
    Send,
    StateGraph,
    ToolMessage,
    ToolNode,
    get_stream_writer,
    interrupt,
    tool,
    tools_condition,
)
from holter.errors import GraphError
from holter.journal.entry import Entry
from holter.journal.event import RunEnded, RunStarted
from holter.messages import AIMessage, AIMessageChunk
from tests.graph.validity import busy_threads, other_tasks
from tests.graph.ways import Log, events_of, graph_of, says, streamed, streamed_async

Stream = Callable[..., list[Any]]


@pytest.fixture(params=[streamed, streamed_async])
def stream(request: pytest.FixtureRequest) -> Stream:
    """Each way to stream a graph."""
    chosen: Stream = request.param
    return chosen


def line() -> Any:
    """Two nodes, one after the other; the second writes nothing."""
    return graph_of(a=says("a"), b=lambda state: None).add_edge("a", "b").compile()


def fork() -> Any:
    """A node and, behind it, two at once."""
    graph = graph_of(a=lambda state: {"messages": [AIMessage("hi", id="m")]}, b=says("b"), c=says("c"))
    return graph.add_edge("a", "b").add_edge("a", "c").compile()


def asking() -> Any:
    """Two nodes at once of which one asks."""

    def ask(state: Log) -> Log:
        return {"log": [interrupt("sure?")]}

    return graph_of(a=says("a"), b=ask).add_edge(START, "b").compile()


def talking(*answers: Any, tools: Any = ()) -> Any:
    """A model with tools."""
    model = ScriptedModel(answers, usage=None)
    graph = StateGraph(MessagesState).add_node("say", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools)).add_edge(START, "say").add_edge("tools", "say")
    return graph.add_conditional_edges("say", tools_condition, ["tools", END]).compile()


def test_values(stream: Stream) -> None:
    """The state after the input and after each step; a question by itself."""
    assert stream(line(), {"n": 1}, stream_mode="values") == [
        {"log": [], "n": 1, "messages": []},
        {"log": ["a"], "n": 1, "messages": []},
        {"log": ["a"], "n": 1, "messages": []},
    ]
    graph = asking()
    assert stream(graph, {}, thread="t", stream_mode="values")[-1] == {"__interrupt__": (Interrupt("sure?", "1.1"),)}
    assert stream(graph, Command(resume="yes"), thread="t", stream_mode="values") == [
        {"log": ["a"], "messages": []},
        {"log": ["a", "yes"], "messages": []},
    ]


def test_updates(stream: Stream) -> None:
    """What each node wrote, once, as it ends; None where it wrote nothing. It is the form that nobody need ask for."""
    assert stream(line(), {}) == [{"a": {"log": ["a"]}}, {"b": None}]
    first, *others = stream(fork(), {}, stream_mode="updates")
    assert first == {"a": {"messages": [AIMessage("hi", id="m")]}}
    assert sorted(others, key=str) == [{"b": {"log": ["b"]}}, {"c": {"log": ["c"]}}]
    asked = stream(asking(), {}, thread="t")
    assert sorted(asked, key=str) == [{"__interrupt__": (Interrupt("sure?", "1.1"),)}, {"a": {"log": ["a"]}}]


def test_updates_of_one_node_that_runs_several_times_at_once(stream: Stream) -> None:
    """Are told apart, also where the node runs tools whose results come one by one."""

    @tool
    async def add(a: int, b: int) -> int:
        """Add."""
        await asyncio.sleep(0.01 * (a % 3))
        return a + b

    def call(number: int) -> dict[str, Any]:
        return {"name": "add", "args": {"a": number, "b": 1}, "id": f"c{number}", "type": "tool_call"}

    def fan(state: MessagesState) -> list[Send]:
        return [Send("tools", [call(1), call(2)]), Send("tools", [call(4), call(6)])]

    graph = StateGraph(MessagesState).add_node("tools", ToolNode([add])).add_conditional_edges(START, fan, ["tools"]).compile()
    asked = AIMessage("", tool_calls=[call(number) for number in (1, 2, 4, 6)])
    updates = stream(graph, {"messages": [asked]}, stream_mode="updates")
    texts = [sorted(message.text for message in update["tools"]["messages"]) for update in updates]
    assert sorted(texts) == [["2", "3"], ["5", "7"]]


def test_messages(stream: Stream) -> None:
    """The deltas of models, and messages that did not come in deltas, with where they come from; nothing twice."""

    @tool
    def look() -> str:
        """Look."""
        return "seen"

    graph = talking(AIMessage("I look", tool_calls=[{"name": "look", "args": {}, "id": "c"}]), "All is well.", tools=[look])
    chunks = stream(graph, {"messages": [HumanMessage("go")]}, stream_mode="messages")
    told: dict[tuple[str, int], str] = {}
    for chunk, origin in chunks:
        key = (origin["langgraph_node"], origin["langgraph_step"])
        told[key] = told.get(key, "") + chunk.content
    assert told == {("say", 1): "I look", ("tools", 2): "seen", ("say", 3): "All is well."}
    kinds = [type(chunk).__name__ for chunk, _ in chunks]
    assert kinds.count("ToolMessage") == 1
    assert kinds.count("AIMessage") == 0


def test_messages_that_a_node_made_beside_its_model(stream: Stream) -> None:
    """Come whole, in the same step and later ones; an answer that the node kept for itself came in deltas."""
    model = ScriptedModel(["a plan", "an answer"], usage=None)

    def say(state: MessagesState) -> dict[str, Any]:
        model.invoke("plan")
        return {"messages": [AIMessage("made by hand"), model.invoke("answer")]}

    graph = graph_of(MessagesState, say=say, end=lambda state: {"messages": [AIMessage("the end")]}).add_edge("say", "end")
    chunks = stream(graph.compile(), {}, stream_mode="messages")
    whole = [chunk.text for chunk, _ in chunks if isinstance(chunk, AIMessage)]
    deltas = "".join(str(chunk.content) for chunk, _ in chunks if isinstance(chunk, AIMessageChunk))
    assert (whole, deltas) == (["made by hand", "the end"], "a planan answer")


def test_messages_of_one_node_that_runs_twice_at_once(stream: Stream) -> None:
    """Each answer comes in deltas, and not once more as a whole."""

    async def say(state: Any) -> dict[str, Any]:
        return {"messages": [await ScriptedModel([state["text"]], usage=None).ainvoke("go")]}

    graph = StateGraph(MessagesState).add_node("say", say)
    graph.add_conditional_edges(START, lambda state: [Send("say", {"text": "one of two"}), Send("say", {"text": "two of two"})], ["say"])
    chunks = stream(graph.compile(), {}, stream_mode="messages")
    assert {type(chunk) for chunk, _ in chunks} == {AIMessageChunk}
    assert sorted("".join(str(chunk.content) for chunk, _ in chunks)) == sorted("one of twotwo of two")


def test_custom(stream: Stream) -> None:
    """What nodes and tools send, as it is, with every kind of writer."""

    @tool
    def look() -> str:
        """Look."""
        get_stream_writer()("from a tool")
        return "seen"

    async def say(state: MessagesState, writer: Any) -> dict[str, Any]:
        writer({"at": 1})
        get_stream_writer()(["at", 2])
        return {"messages": [AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c"}])]}

    graph = graph_of(MessagesState, say=say, tools=ToolNode([look])).add_edge("say", "tools").compile()
    assert stream(graph, {}, stream_mode="custom") == [{"at": 1}, ["at", 2], "from a tool"]


def test_tools(stream: Stream) -> None:
    """Each call that is started, finished or failed, with its id and name."""

    @tool
    def look(where: str) -> str:
        """Look."""
        if where == "down":
            raise ValueError("dark")
        return f"seen {where}"

    calls = [{"name": "look", "args": {"where": where}, "id": where} for where in ("up", "down")]
    chunks = stream(talking(AIMessage("", tool_calls=calls), "done", tools=[look]), {"messages": ["go"]}, stream_mode="tools")
    assert sorted((chunk["event"], chunk["tool_call_id"], chunk["tool_name"]) for chunk in chunks) == [
        ("tool-error", "down", "look"),
        ("tool-finished", "up", "look"),
        ("tool-started", "down", "look"),
        ("tool-started", "up", "look"),
    ]
    assert next(chunk["output"].text for chunk in chunks if chunk["event"] == "tool-finished") == "seen up"


def test_results_that_a_run_begins_with_are_no_tools_of_its_own(stream: Stream) -> None:
    """Neither those of a history, nor those that a graph inside is given."""

    @tool
    def look() -> str:
        """Look."""
        return "seen"

    def called(call_id: str) -> Any:
        return AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": call_id}])

    graph = StateGraph(MessagesState).add_node("a", talking(called("c1"), "done", tools=[look])).add_node("b", talking("so"))
    compiled = graph.add_edge(START, "a").add_edge("a", "b").compile()
    given = {"messages": ["go", called("c0"), ToolMessage("seen", tool_call_id="c0", name="look")]}
    chunks = stream(compiled, given, stream_mode="tools", subgraphs=True)
    assert [(space, chunk["event"], chunk["tool_call_id"]) for space, chunk in chunks] == [
        (("a:1.0",), "tool-started", "c1"),
        (("a:1.0",), "tool-finished", "c1"),
    ]


def test_tasks(stream: Stream) -> None:
    """A task's beginning with its input, and its end with its result, by the same id; of a question with the question."""
    chunks = stream(fork(), {"n": 1}, stream_mode="tasks")
    began = {chunk["id"]: chunk for chunk in chunks if "input" in chunk}
    ended = {chunk["id"]: chunk for chunk in chunks if "result" in chunk}
    assert [chunk["name"] for chunk in began.values()] == ["a", "b", "c"]
    assert {chunk["name"]: chunk["result"] for chunk in ended.values()} == {
        "a": {"messages": [AIMessage("hi", id="m")]},
        "b": {"log": ["b"]},
        "c": {"log": ["c"]},
    }
    assert began.keys() == ended.keys()
    assert len(chunks) == 6
    assert began["1.0"] == {"id": "1.0", "name": "a", "input": {"log": [], "n": 1, "messages": []}, "triggers": []}
    (asked,) = (chunk for chunk in stream(asking(), {}, thread="t", stream_mode="tasks") if chunk.get("interrupts"))
    assert asked == {"id": "1.1", "name": "b", "error": None, "result": {}, "interrupts": [{"value": "sure?", "id": "1.1"}]}


def test_a_path_that_asks(stream: Stream) -> None:
    """The state comes before the question, also where no node has run yet."""
    builder = graph_of(a=says("a"), b=says("b")).add_conditional_edges("a", lambda state: interrupt("go on?"), ["b", END])
    builder.edges.remove((START, "a"))
    graph = builder.add_conditional_edges(START, lambda state: interrupt("begin?"), ["a", END]).compile()
    first = stream(graph, {"n": 1}, thread="t", stream_mode=["values", "checkpoints"])
    assert [(mode, chunk.get("next", list(chunk))) for mode, chunk in first] == [
        ("values", ["log", "n", "messages"]),
        ("checkpoints", ["a"]),
        ("values", ["__interrupt__"]),
    ]
    second = stream(graph, Command(resume="a"), thread="t", stream_mode="updates")
    assert second == [{"__interrupt__": (Interrupt("go on?", "1.0"),)}]
    assert stream(graph, Command(resume="b"), thread="t", stream_mode="updates") == [{"a": {"log": ["a"]}}, {"b": {"log": ["b"]}}]


def test_tasks_that_fail(stream: Stream) -> None:
    """End with the error; what runs beside them and is cancelled does so, too. In "debug" as well."""

    def broken(state: Log) -> Log:
        raise ValueError("bad")

    async def slow(state: Log) -> Log:
        await asyncio.sleep(60)
        return {}

    graph = graph_of(a=says("a"), b=broken, c=slow).add_edge("a", "b").add_edge("a", "c").compile()
    for mode in ("tasks", "debug"):
        chunks = failing(stream, graph, mode)
        results = [chunk.get("payload", chunk) for chunk in chunks if "result" in chunk.get("payload", chunk)]
        assert [(chunk["id"], chunk["name"], chunk["error"], chunk["result"]) for chunk in results] == [
            ("1.0", "a", None, {"log": ["a"]}),
            ("2.0", "b", "ValueError: bad", {}),
            ("2.1", "c", "CancelledError", {}),
        ]
        assert all(chunk["type"] == "task_result" for chunk in chunks if "result" in chunk.get("payload", ()))


def failing(stream: Stream, graph: Any, mode: str) -> list[Any]:
    """What comes before the error that ends a stream."""
    chunks: list[Any] = []

    def here() -> None:
        for chunk in graph.stream({}, stream_mode=mode):
            chunks.append(chunk)

    async def later() -> None:
        async for chunk in graph.astream({}, stream_mode=mode):
            chunks.append(chunk)

    with pytest.raises(ValueError, match="bad"):
        here() if stream is streamed else asyncio.run(later())
    return chunks


def test_checkpoints(stream: Stream) -> None:
    """The state after each step, and the nodes that come next, also where only a condition knows them."""
    graph = graph_of(a=lambda state: {"messages": [AIMessage("hi", id="m")]}, b=says("b"), c=says("c"))
    compiled = graph.add_conditional_edges("a", lambda state: ["b", "c"]).compile()
    chunks = stream(compiled, {}, stream_mode="checkpoints")
    assert [(chunk["next"], chunk["values"]["log"], chunk["metadata"]["source"]) for chunk in chunks] == [
        (["a"], [], "input"),
        (["b", "c"], [], "loop"),
        ([], ["b", "c"], "loop"),
    ]


def test_debug(stream: Stream) -> None:
    """Checkpoints, tasks and results in their order, each with its step and time."""
    chunks = stream(line(), {}, stream_mode="debug")
    assert [(chunk["type"], chunk["payload"].get("name")) for chunk in chunks] == [
        ("checkpoint", None),
        ("task", "a"),
        ("task_result", "a"),
        ("checkpoint", None),
        ("task", "b"),
        ("task_result", "b"),
        ("checkpoint", None),
    ]
    assert all(datetime.fromisoformat(chunk["timestamp"]).tzinfo and isinstance(chunk["step"], int) for chunk in chunks)


def test_events(stream: Stream) -> None:
    """The journal's own entries, in their order, and what stands in no journal."""
    journal = MemoryJournal()
    graph = graph_of(a=says("a")).compile(journal=journal)
    entries = [item for item in stream(graph, {}, thread="t", stream_mode="events") if isinstance(item, Entry)]
    assert [entry.event for entry in entries] == events_of(journal)
    assert [entry.seq for entry in entries] == list(range(len(entries)))


def test_several_modes(stream: Stream) -> None:
    """Come as pairs (mode, chunk); a list of one mode, too."""
    assert stream(line(), {}, stream_mode=["updates", "values"]) == [
        ("values", {"log": [], "messages": []}),
        ("updates", {"a": {"log": ["a"]}}),
        ("values", {"log": ["a"], "messages": []}),
        ("updates", {"b": None}),
        ("values", {"log": ["a"], "messages": []}),
    ]
    assert stream(line(), {}, stream_mode=["updates"])[0] == ("updates", {"a": {"log": ["a"]}})
    with pytest.raises(GraphError, match="found 'update'"):
        stream(line(), {}, stream_mode=["values", "update"])


def test_subgraphs(stream: Stream) -> None:
    """What happens in nested graphs comes with where that is, innermost last; without `subgraphs` only the graph's own."""
    inner = graph_of(x=says("x")).compile()
    middle = graph_of(inner=inner).compile()
    outer = graph_of(middle=middle, end=says("end")).add_edge("middle", "end").compile()
    assert stream(outer, {}, stream_mode="updates", subgraphs=True) == [
        (("middle:1.0", "inner:1.0"), {"x": {"log": ["x"]}}),
        (("middle:1.0",), {"inner": {"log": ["x"]}}),
        ((), {"middle": {"log": ["x"]}}),
        ((), {"end": {"log": ["end"]}}),
    ]
    assert stream(outer, {}) == [{"middle": {"log": ["x"]}}, {"end": {"log": ["end"]}}]
    assert stream(outer, {}, stream_mode=["updates"], subgraphs=True)[0] == (
        ("middle:1.0", "inner:1.0"),
        "updates",
        {"x": {"log": ["x"]}},
    )


def test_a_graph_that_a_node_runs_is_streamed_with_it(stream: Stream) -> None:
    """Under the node's task."""
    inner = graph_of(x=says("x")).compile()
    outer = graph_of(a=lambda state: {"log": inner.invoke({})["log"]}).compile()
    assert stream(outer, {}, subgraphs=True) == [(("a:1.0",), {"x": {"log": ["x"]}}), ((), {"a": {"log": ["x"]}})]


def test_an_error_comes_behind_what_happened(stream: Stream) -> None:
    """And ends the stream."""

    def broken(state: Log) -> Log:
        raise ValueError("bad")

    graph = graph_of(a=says("a"), b=broken).add_edge("a", "b").compile()
    with pytest.raises(ValueError, match="bad"):
        stream(graph, {})
    here: list[Any] = []
    with pytest.raises(ValueError, match="bad"):
        here.extend(chunk["log"] for chunk in graph.stream({}, stream_mode="values"))
    assert here == [[], ["a"]]


def test_a_slow_reader_stops_nothing_and_loses_nothing() -> None:
    """The run is over long before the reader is; every event and all text comes, the text in fewer pieces."""
    over = threading.Event()
    text = "word " * 5_000

    def end(state: MessagesState) -> None:
        over.set()

    model = ScriptedModel([text], usage=None)
    graph = graph_of(MessagesState, say=lambda state: {"messages": [model.invoke("go")]}, end=end).add_edge("say", "end").compile()
    chunks = graph.stream({}, thread="t", stream_mode=["messages", "updates", "events"])
    first = next(chunks)
    assert over.wait(10)
    rest = [first, *chunks]
    deltas = [chunk[0].content for mode, chunk in rest if mode == "messages"]
    assert "".join(deltas) == text
    assert len(deltas) < 2_000
    events = [item.event for mode, item in rest if mode == "events" and isinstance(item, Entry)]
    assert (type(events[0]), type(events[-1])) == (RunStarted, RunEnded)
    assert [next(iter(chunk)) for mode, chunk in rest if mode == "updates"] == ["say", "end"]


def test_leaving_a_stream_ends_its_run() -> None:
    """What runs is cancelled, the thread is free at once, and it goes on where it stood."""
    cancelled: list[str] = []

    async def wait(state: Log) -> Log:
        if state["n"] == 1:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append("wait")
                raise
        return {"log": ["waited"]}

    graph = graph_of(a=says("a"), wait=wait).add_edge("a", "wait").compile()
    for _ in graph.stream({"n": 1}, thread="t"):
        break
    assert cancelled == ["wait"]
    assert graph.get_state(thread="t").next == ("wait",)
    assert graph.invoke({"n": 2}, thread="t")["log"] == ["a", "a", "waited"]
    assert busy_threads() == []

    async def main() -> None:
        chunks: Any = graph.astream({"n": 1}, thread="u")
        async for _ in chunks:
            break
        await chunks.aclose()
        assert await other_tasks() == []
        assert (await graph.ainvoke({"n": 2}, thread="u"))["log"] == ["a", "a", "waited"]

    asyncio.run(main())
    assert cancelled == ["wait"] * 2
