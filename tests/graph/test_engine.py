"""One drive of a thread: supersteps, joins, sends, jumps, schemas, reducers, limits, and what surrounds a node."""

import asyncio
import operator
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holter import (
    END,
    START,
    Command,
    HumanMessage,
    MemoryJournal,
    MemoryStore,
    MessagesState,
    Overwrite,
    RemoveMessage,
    Runtime,
    Send,
    StateGraph,
    Store,
    ToolNode,
    get_stream_writer,
    tool,
)
from holter.errors import GraphError, InvalidUpdate, LeaseHeld, NotStorable, RecursionLimit
from holter.journal.event import Event, MessageAdded, NodeEnded, RunStarted
from holter.messages import AIMessage, Message
from holter.tools import ToolRuntime
from holter.tools.drive import drive
from tests.graph.ways import Log, Way, events_of, graph_of, in_async, in_notebook, in_sync, joined, says


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a graph."""
    chosen: Way = request.param
    return chosen


# Steps


def test_nodes_of_one_step_see_the_same_state(way: Way) -> None:
    """What one writes the others see in the next step, in the order of the nodes' names, whichever ends first."""
    seen: dict[str, list[str]] = {}

    def node(name: str, wait_s: float) -> Any:
        async def run(state: Log) -> Log:
            await asyncio.sleep(wait_s)
            seen[name] = state["log"]
            return {"log": [name]}

        return run

    graph = graph_of(z=says("z"), a=node("a", 0.02), b=node("b", 0.0), c=node("c", 0.01), end=node("end", 0))
    for name in "cab":
        graph.add_edge("z", name)
    graph.add_edge(["a", "b", "c"], "end")
    assert way(graph.compile(), {})["log"] == ["z", "a", "b", "c", "end"]
    assert seen == {"a": ["z"], "b": ["z"], "c": ["z"], "end": ["z", "a", "b", "c"]}


def test_a_join_waits_for_branches_of_unequal_length(way: Way) -> None:
    """The node behind runs once, when the longest is done; with two edges in place of a join it runs twice."""
    nodes = {name: says(name) for name in ("s", "a", "b1", "b2", "end")}
    joining = graph_of(**nodes).add_edge("s", "a").add_edge("s", "b1").add_edge("b1", "b2").add_edge(["a", "b2"], "end")
    assert way(joining.compile(), {})["log"] == ["s", "a", "b1", "b2", "end"]
    apart = graph_of(**nodes).add_edge("s", "a").add_edge("s", "b1").add_edge("b1", "b2").add_edge("a", "end").add_edge("b2", "end")
    assert way(apart.compile(), {})["log"] == ["s", "a", "b1", "b2", "end", "end"]


def test_a_join_in_a_loop_waits_each_time(way: Way) -> None:
    """What arrived for the first time does not count for the second."""
    graph = graph_of(s=says("s"), a=says("a"), b1=says("b1"), b2=says("b2"), end=says("end"))
    graph.add_edge("s", "a").add_edge("s", "b1").add_edge("b1", "b2").add_edge(["a", "b2"], "end")
    graph.add_conditional_edges("end", lambda state: "s" if state["log"].count("end") < 2 else END, ["s", END])
    assert way(graph.compile(), {})["log"] == ["s", "a", "b1", "b2", "end"] * 2


def test_a_join_of_nodes_that_write_messages(way: Way) -> None:
    """Waits as well, although the journal leaves out the ends of such nodes."""

    def node(text: str) -> Any:
        return lambda state: {"messages": [AIMessage(text)]}

    graph = graph_of(MessagesState, a=node("a"), b=node("b"), c=node("c"), end=node("end"))
    graph.add_edge("a", "b").add_edge("b", "c").add_edge(["b", "c"], "end")
    assert [message.text for message in way(graph.compile(), {})["messages"]] == ["a", "b", "c", "end"]


def test_sends_give_each_task_an_input_of_its_own(way: Way) -> None:
    """Behind a node and behind the start; their writes come in the order of the sends."""

    async def work(state: Any) -> Log:
        await asyncio.sleep(0.01 * (3 - state["at"]))
        return {"log": [f"{state['at']}{sorted(state)}"]}

    def fan(state: Log) -> list[Send]:
        return [Send("work", {"at": at}) for at in range(3)]

    behind = graph_of(s=says("s"), work=work, end=says("end")).add_conditional_edges("s", fan, ["work"]).add_edge("work", "end")
    assert way(behind.compile(), {})["log"] == ["s", "0['at']", "1['at']", "2['at']", "end"]
    first = StateGraph(Log).add_node("work", work).add_conditional_edges(START, fan, ["work"])
    assert way(first.compile(), {})["log"] == ["0['at']", "1['at']", "2['at']"]


def test_nodes_come_before_sends(way: Way) -> None:
    """As in LangGraph: of one step first the nodes by name, then the sends."""

    def start(state: Log) -> Command[Literal["a", "x", "z"]]:
        return Command(goto=[Send("x", {"n": 1}), "z", Send("a", {"n": 2}), "a"])

    def node(name: str) -> Any:
        return lambda state: {"log": [f"{name}{state.get('n', '')}"]}

    graph = graph_of(start=start, a=node("a"), x=node("x"), z=node("z"))
    assert way(graph.compile(), {})["log"] == ["a", "z", "x1", "a2"]


def test_a_path_that_is_asynchronous_asks_once_and_its_node_runs_once(way: Way) -> None:
    """Also for a synchronous caller, who gets a loop for it; declared asynchronous or not."""
    ran: Counter[str] = Counter()

    def node(state: Log) -> Log:
        ran["node"] += 1
        return {"n": 1}

    async def path(state: Log) -> Literal["b", "__end__"]:
        ran["path"] += 1
        await asyncio.sleep(0)
        return "b"

    for condition in (path, lambda state: path(state)):
        ran.clear()
        graph = graph_of(a=node, b=says("b")).add_conditional_edges("a", condition, ["b", END])
        assert way(graph.compile(), {})["log"] == ["b"]
        assert ran == {"node": 1, "path": 1}


def test_the_path_behind_a_node_sees_what_it_wrote_and_no_sibling(way: Way) -> None:
    """As in LangGraph."""
    seen: dict[str, list[str]] = {}

    def path(name: str) -> Any:
        def look(state: Log) -> str:
            seen[name] = state["log"]
            return END

        return look

    graph = graph_of(s=says("s"), a=says("a"), b=says("b")).add_edge("s", "a").add_edge("s", "b")
    graph.add_conditional_edges("a", path("a"), [END]).add_conditional_edges("b", path("b"), [END])
    way(graph.compile(), {})
    assert seen == {"a": ["s", "a"], "b": ["s", "b"]}


def test_the_entry_may_be_a_condition_of_the_input(way: Way) -> None:
    """Synchronous or not, with a map of values that are no names."""

    async def later(state: Log) -> bool:
        await asyncio.sleep(0)
        return state["n"] > 0

    for path in (later, lambda state: state["n"] > 0):
        graph = StateGraph(Log).add_node("up", says("up")).add_node("down", says("down"))
        compiled = graph.set_conditional_entry_point(path, {True: "up", False: "down"}).compile()
        assert [way(compiled, {"n": n})["log"] for n in (1, -1)] == [["up"], ["down"]]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (lambda state: "nowhere", "the path '<lambda>' behind 'a' returned 'nowhere', and there is no such node; nodes are 'a', and END"),
        (lambda state: Send("nowhere", {}), "returned a Send to 'nowhere', and there is no such node"),
        (lambda state: 5, "returned 5, and that is no node's name"),
    ],
)
def test_a_path_that_leads_nowhere(way: Way, path: Any, expected: str) -> None:
    """Is an error that names the path, the node before it, and the nodes there are."""
    graph = graph_of(a=says("a")).add_conditional_edges("a", path).compile()
    with pytest.raises(GraphError) as caught:
        way(graph, {})
    assert expected in str(caught.value)


def test_a_command_updates_and_goes_on(way: Way) -> None:
    """To a node, to several, to END; several commands in a list; an update of pairs."""

    def a(state: Log) -> Command[Literal["b", "c"]]:
        return Command(update={"log": ["a"]}, goto=("b", "c"))

    def b(state: Log) -> list[Command[Literal["d"]] | Log]:
        return [Command(update=[("log", ["b1"])], goto="d"), {"log": ["b2"]}, Command(update={"log": ["b3"]})]

    def c(state: Log) -> Command[Any]:
        return Command(update={"log": ["c"]}, goto=END)

    graph = graph_of(a=a, b=b, c=c, d=says("d"))
    assert way(graph.compile(), {})["log"] == ["a", "b1", "b2", "b3", "c", "d"]


def test_a_command_as_the_input(way: Way) -> None:
    """Writes the state and begins at the nodes that it names, and not behind START."""
    graph = StateGraph(Log).add_node("a", says("a"), destinations=["b"]).add_node("b", says("b")).add_edge(START, "a").compile()
    assert way(graph, Command(update={"n": 1}, goto="b"), thread="t") == {"log": ["b"], "n": 1, "messages": []}
    with pytest.raises(GraphError, match="the input goes to 'x', and there is no such node"):
        way(graph, Command(goto="x"), thread="t")
    with pytest.raises(GraphError, match="the Command says nothing"):
        way(graph, Command(), thread="t")
    assert way(graph, {}, thread="t")["log"] == ["b", "a"]


@pytest.mark.parametrize("form", ["Send", "one", "pair"])
def test_a_tool_that_jumps(way: Way, form: str) -> None:
    """Where the commands of calls go counts beside the edges, of one call and of several."""

    @tool
    def go(to: str) -> Command[Any]:
        """Go somewhere."""
        return Command(update={"log": [f"to {to}"]}, goto=Send(to, {"log": ["sent"]}) if form == "Send" else to)

    class State(MessagesState):
        log: Annotated[list[str], joined]

    calls = [{"name": "go", "args": {"to": to}, "id": to} for to in ("x", "y")[: 2 if form == "pair" else 1]]
    graph = StateGraph(State).add_node("tools", ToolNode([go]), destinations=["x", "y"])
    for name in "xy":
        graph.add_node(name, lambda state, name=name: {"log": [f"{name} {len(state['log'])}"]})
    graph.add_node("then", lambda state: {"log": ["then"]}).add_edge(START, "tools")
    graph.add_conditional_edges("tools", lambda state: "then", ["then", END])
    log = way(graph.compile(), {"messages": [AIMessage("", tool_calls=calls)]})["log"]
    assert (
        log
        == {
            "Send": ["to x", "then", "x 1"],
            "one": ["to x", "then", "x 1"],
            "pair": ["to x", "to y", "then", "x 2", "y 2"],
        }[form]
    )


# Limits


@pytest.mark.parametrize("is_async", [False, True])
def test_a_graph_may_take_as_many_steps_as_it_is_allowed(way: Way, is_async: bool) -> None:
    """And not one more; the error says where it stood, and the thread goes on from there."""

    async def later(state: Log) -> Log:
        return {"log": ["x"]}

    graph = graph_of(a=later if is_async else says("x"), b=later if is_async else says("x"), c=says("c"))
    compiled = graph.add_edge("a", "b").add_edge("b", "c").compile()
    assert way(compiled, {}, config={"recursion_limit": 3})["log"] == ["x", "x", "c"]
    with pytest.raises(RecursionLimit) as caught:
        way(compiled, {}, thread="t", config={"recursion_limit": 2})
    assert (caught.value.limit, caught.value.nodes) == (2, ("c",))
    assert way(compiled, None, thread="t", config={"recursion_limit": 1})["log"] == ["x", "x", "c"]


def test_a_step_of_several_nodes_is_one_step(way: Way) -> None:
    """For the limit."""
    graph = graph_of(a=says("a"), b=says("b")).add_edge(START, "b").compile()
    assert way(graph, {}, config={"recursion_limit": 1})["log"] == ["a", "b"]


@pytest.mark.parametrize("value", [0, -1, "3", True, 1.5])
def test_limits_are_numbers(way: Way, value: Any) -> None:
    """From 1 on."""
    for key in ("recursion_limit", "max_concurrency"):
        with pytest.raises(GraphError, match=f"{key} is a number of"):
            way(graph_of(a=says("a")).compile(), {}, config={key: value})


def test_max_concurrency_bounds_what_runs_at_once(way: Way) -> None:
    """Of the nodes of a step, asynchronous and not, and of the calls of a tool node."""
    now, most = [0], [0]
    lock = threading.Lock()

    def enter(by: int) -> None:
        with lock:
            now[0] += by
            most[0] = max(most[0], now[0])

    async def later(state: Any) -> Log:
        enter(1)
        await asyncio.sleep(0.005)
        enter(-1)
        return {"log": ["x"]}

    def here(state: Any) -> Log:
        enter(1)
        threading.Event().wait(0.005)
        enter(-1)
        return {"log": ["x"]}

    for node in (later, here):
        most[0] = 0
        graph = StateGraph(Log).add_node("work", node)
        graph.add_conditional_edges(START, lambda state: [Send("work", {}) for _ in range(6)], ["work"])
        assert way(graph.compile(), {}, config={"max_concurrency": 2})["log"] == ["x"] * 6
        assert most[0] == 2
    most[0] = 0
    slow = tool("slow", lambda: here(None) and "done", description="Slow.")
    calls = [{"name": "slow", "args": {}, "id": f"c{at}"} for at in range(6)]
    tools = graph_of(MessagesState, tools=ToolNode([slow])).compile()
    way(tools, {"messages": [AIMessage("", tool_calls=calls)]}, config={"max_concurrency": 3})
    assert most[0] == 3


# Schemas


class Given(TypedDict):
    """What a caller gives."""

    question: str


class Got(TypedDict):
    """What a caller gets."""

    answer: str


class Whole(Given, Got):
    """The state."""

    draft: str


class Private(TypedDict):
    """What two nodes share, and nobody else."""

    secret: str


def test_input_output_and_private_schemas(way: Way) -> None:
    """The output holds the output's fields; a node gets the fields of the schema that it asks for; fields of a node's own schema are
    part of the state, although the state's schema does not name them."""
    seen: dict[str, Any] = {}

    def first(state: Given) -> Private:
        seen["first"] = dict(state)
        return {"secret": state["question"].upper()}

    def second(state: Private) -> dict[str, Any]:
        seen["second"] = dict(state)
        return {"draft": f"draft of {state['secret']}"}

    def third(state: Whole) -> Got:
        seen["third"] = dict(state)
        return {"answer": f"{state['draft']}!"}

    graph = StateGraph(Whole, input_schema=Given, output_schema=Got)
    for node in (first, second, third):
        graph.add_node(node)
    graph.add_edge(START, "first").add_edge("first", "second").add_edge("second", "third")
    compiled = graph.compile()
    assert way(compiled, {"question": "why"}, thread="t") == {"answer": "draft of WHY!"}
    assert seen == {"first": {"question": "why"}, "second": {"secret": "WHY"}, "third": {"question": "why", "draft": "draft of WHY"}}
    assert compiled.get_state(thread="t").values == {
        "question": "why",
        "answer": "draft of WHY!",
        "draft": "draft of WHY",
        "secret": "WHY",
    }


@dataclass
class AsDataclass:
    """A state."""

    n: int = 0
    log: Annotated[list[str], joined] = field(default_factory=list)
    inner: dict[str, int] = field(default_factory=dict)


class AsStruct(msgspec.Struct):
    """A state."""

    n: int = 0
    log: Annotated[list[str], joined] = []
    inner: dict[str, int] = {}


@pytest.mark.parametrize("schema", [AsDataclass, AsStruct])
@pytest.mark.parametrize("returns_object", [False, True])
def test_states_that_are_objects(way: Way, schema: Any, returns_object: bool) -> None:
    """Nodes get an object and may return one; callers give an object or a dict and get a dict."""
    kinds: list[type] = []

    def node(state: Any) -> Any:
        kinds.append(type(state))
        update = {"n": state.n + 1, "log": [f"{state.n}"], "inner": {"x": state.n}}
        return schema(**update) if returns_object else update

    graph = graph_of(schema, a=node, b=node).add_edge("a", "b").compile()
    for state in ({"n": 5}, schema(n=5)):
        assert way(graph, state) == {"n": 7, "log": ["5", "6"], "inner": {"x": 6}}
    assert kinds == [schema] * 4


def test_pydantic_states_and_fields(way: Way) -> None:
    """A model is checked and given as an object; a field of a model is one still when the thread was read from its journal."""
    pydantic = pytest.importorskip("pydantic")
    Part: Any = pydantic.create_model("Part", x=(int, ...))
    Form = pydantic.create_model("Form", n=(int, 0), part=(Part | None, None))
    graph = graph_of(Form, a=lambda state: {"n": str(state.n + 1), "part": {"x": state.n}}).compile()
    assert way(graph, {"n": "1"}) == {"n": 2, "part": Part(x=1)}
    Parts: Any = TypedDict("Parts", {"parts": list[Part], "by": dict[str, Part]}, total=False)
    kept = graph_of(Parts, a=lambda state: {"parts": [Part(x=1)], "by": {"k": Part(x=2)}}).compile()
    way(kept, {}, thread="t")
    assert kept.get_state(thread="t").values == {"parts": [Part(x=1)], "by": {"k": Part(x=2)}}


def test_values_come_out_of_the_journal_as_they_went_in(way: Way) -> None:
    """By the state's annotations; a text where a number was declared stays a text."""

    class Mixed(TypedDict, total=False):
        number: int
        either: int | str
        pairs: list[tuple[int, str]]
        by_number: dict[int, str]
        names: set[str]

    values = {"number": "5", "either": "5", "pairs": [(1, "a")], "by_number": {1: "a"}, "names": {"x"}}
    graph = graph_of(Mixed, a=lambda state: values).compile()
    assert way(graph, {}, thread="t") == values
    assert graph.get_state(thread="t").values == values


def test_a_value_that_json_cannot_hold(way: Way) -> None:
    """Names the node, the field and the path: of what a node wrote, of an input, and of a Send."""
    lock = threading.Lock()
    wrote = graph_of(a=lambda state: {"log": ["x", {"deep": [lock]}]}).compile()
    with pytest.raises(NotStorable) as caught:
        way(wrote, {}, thread="t")
    assert (caught.value.node, caught.value.key, caught.value.path) == ("a", "log", "[1].deep[0]")
    with pytest.raises(NotStorable) as caught:
        way(wrote, {"log": [float("nan")]}, thread="t")
    assert (caught.value.path, caught.value.problem) == ("input.log[0]", "nan")
    sends = graph_of(a=lambda state: Command(goto=Send("a", {"lock": lock}))).compile()
    with pytest.raises(NotStorable) as caught:
        way(sends, {}, thread="t")
    assert caught.value.node == "a"
    assert "lock" in caught.value.path


# Reducers


def test_reducers(way: Way) -> None:
    """Any function of two values; Overwrite passes them by; a reducer that changes the old value in place harms nobody."""

    def in_place(old: list[int], new: list[int]) -> list[int]:
        old.extend(new)
        return old

    class Sums(TypedDict):
        total: Annotated[int, operator.add]
        best: Annotated[int, max]
        texts: Annotated[list[str], operator.add]
        grown: Annotated[list[int], in_place]

    seen: list[list[int]] = []

    def node(state: Sums) -> Sums:
        seen.append(state["grown"])
        return {"total": 2, "best": 3, "texts": ["x"], "grown": [1]}

    def over(state: Sums) -> dict[str, Any]:
        return {"total": Overwrite(10), "texts": Overwrite(["new"])}

    graph = graph_of(Sums, a=node, b=node, c=over).add_edge("a", "b").add_edge("b", "c").compile()
    assert way(graph, {"total": 1, "best": 5, "texts": [], "grown": [0]}) == {"total": 10, "best": 5, "texts": ["new"], "grown": [0, 1, 1]}
    assert seen == [[0], [0, 1]]


def test_a_reducer_that_fails(way: Way) -> None:
    """Is an error that names the node, the field and the reducer; nothing is written, and the thread goes on."""

    class Sum(TypedDict):
        total: Annotated[int, operator.add]

    graph = graph_of(Sum, a=lambda state: {"total": "one" if state["total"] == 1 else 1}).compile()
    with pytest.raises(InvalidUpdate, match="node 'a' wrote 'total', and its reducer 'add' failed on the str"):
        way(graph, {"total": 1}, thread="t")
    assert way(graph, {"total": 1}, thread="t") == {"total": 3}


def test_lists_of_messages_by_operator_add(way: Way) -> None:
    """As older programs have it: they grow, nothing is doubled when a node hands the whole list on, and messages have ids."""

    class Old(TypedDict):
        messages: Annotated[Sequence[Message], operator.add]

    def node(state: Old) -> Old:
        return {"messages": [*state["messages"], AIMessage("a")]}

    done = way(
        graph_of(Old, a=node, b=lambda state: {"messages": [AIMessage("b")]}).add_edge("a", "b").compile(),
        {"messages": [HumanMessage("q")]},
    )
    assert [message.text for message in done["messages"]] == ["q", "a", "b"]
    assert all(message.id for message in done["messages"])


def test_messages_are_replaced_removed_and_overwritten(way: Way) -> None:
    """By id; texts, pairs and dicts are messages, too; every message has an id, and a broken text is put right."""
    graph = graph_of(
        a=lambda state: {"messages": [("ai", "one"), {"role": "user", "content": "two"}, HumanMessage("new", id="q")]},
        b=lambda state: {"messages": [RemoveMessage(id="q"), HumanMessage("three \ud800", id="h")]},
        c=lambda state: {"messages": Overwrite([HumanMessage("four \ud800"), *state["messages"]]), "log": [len(state["messages"])]},
    )
    compiled = graph.add_edge("a", "b").add_edge("b", "c").compile()
    done = way(compiled, {"messages": [HumanMessage("q", id="q")]}, thread="t")
    assert [message.text for message in done["messages"]] == ["four \ufffd", "one", "two", "three \ufffd"]
    assert done["log"] == [3]
    assert all(message.id for message in done["messages"])
    assert compiled.get_state(thread="t").values["messages"] == done["messages"]


# What surrounds a node


@dataclass
class Who:
    """A context."""

    user: str


def test_a_node_gets_what_surrounds_it(way: Way) -> None:
    """By type and by name: the context, as the schema has it, the store, the configuration, a writer."""
    store = MemoryStore()
    store.put(("a",), "k", {"x": 1})

    def node(state: Log, runtime: Runtime[Who], config: dict[str, Any], writer: Any, memory: Store) -> Log:
        item = memory.get(("a",), "k")
        writer("heard by nobody")
        get_stream_writer()("nor this")
        thread = config["configurable"]["thread_id"]
        return {"log": [runtime.context.user, str(item and item.value), str(runtime.store is memory), thread, config["own"]]}

    def path(state: Log, runtime: Runtime[Who]) -> str:
        return "b" if runtime.context.user == "ann" else END

    graph = StateGraph(Log, context_schema=Who).add_node("a", node).add_node("b", says("b")).add_edge(START, "a")
    compiled = graph.add_conditional_edges("a", path, ["b", END]).compile(store=store)
    for context in ({"user": "ann"}, Who("ann")):
        done = way(compiled, {}, config={"configurable": {"thread_id": f"t {context}"}, "own": "mine"}, context=context)
        assert done["log"] == ["ann", "{'x': 1}", "True", f"t {context}", "mine", "b"]


def test_a_tool_gets_what_surrounds_its_node(way: Way) -> None:
    """The same context, store and configuration; the state that the node got."""
    store = MemoryStore()

    @tool
    def look(runtime: ToolRuntime[Who, Any]) -> str:
        """Look around."""
        return f"{runtime.context.user} {runtime.store is store} {runtime.config['own']} {len(runtime.state['messages'])}"

    graph = graph_of(MessagesState, tools=ToolNode([look])).compile(store=store)
    asking = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c"}])
    assert way(graph, {"messages": [asking]}, context=Who("ann"), config={"own": "mine"})["messages"][-1].text == "ann True mine 1"


def test_get_stream_writer_outside_a_graph() -> None:
    """Says so."""
    with pytest.raises(GraphError, match="none is running here"):
        get_stream_writer()


def test_objects_with_invoke_are_nodes(way: Way) -> None:
    """A chain, a model: its `ainvoke` is preferred, and it gets the configuration where it takes one."""

    class Chain:
        def invoke(self, state: Log, config: Any = None) -> Log:
            raise AssertionError("has an ainvoke")

        async def ainvoke(self, state: Log, config: Any = None) -> Log:
            return {"log": [config["own"]]}

    class Plain:
        def invoke(self, state: Log) -> Log:
            return {"log": ["plain"]}

    graph = graph_of(a=Chain(), b=Plain()).add_edge("a", "b").compile()
    assert way(graph, {}, config={"own": "mine"})["log"] == ["mine", "plain"]


# Threads


def test_a_thread_takes_several_inputs(way: Way) -> None:
    """Each begins the graph anew on the state that is there; threads know nothing of each other; the config or `thread` names one."""
    graph = graph_of(a=lambda state: {"log": [f"{len(state['log'])} {state['n']}"]}).compile()
    way(graph, {"n": 1}, thread="t")
    way(graph, {"n": 2}, config={"configurable": {"thread_id": "t"}})
    way(graph, {"n": 9}, thread=None)
    assert way(graph, {}, thread="t")["log"] == ["0 1", "1 2", "2 2"]
    assert way(graph, {"n": 7}, config={"configurable": {"thread_id": 7}})["log"] == ["0 7"]
    assert graph.get_state(thread="7").values["log"] == ["0 7"]
    assert way(graph, {}, thread=7)["log"] == ["0 7", "1 7"]


@pytest.mark.parametrize("thread", ["", 1.5, True, ["t"], {"a": 1}, b"t", "a\0b", "\ud800"])
def test_a_threads_id_is_a_text(thread: Any) -> None:
    """Anything else, and what not every journal can hold, is an error and not a thread of its own."""
    graph = graph_of(a=says("a")).compile()
    for names in ({"config": {"configurable": {"thread_id": thread}}}, {"thread": thread}):
        with pytest.raises(GraphError, match="a thread's id is a text"):
            graph.invoke({}, **names)


def test_going_on_with_nothing(way: Way) -> None:
    """An empty thread has nothing to go on with; one that is done stays as it is."""
    ran: list[int] = []
    graph = graph_of(a=lambda state: ran.append(1)).compile()
    with pytest.raises(GraphError, match="there is nothing to go on with, the thread is empty"):
        way(graph, None, thread="t")
    assert way(graph, {"n": 1}, thread="t") == way(graph, None, thread="t")
    assert ran == [1]


def test_a_running_thread_is_not_driven_twice() -> None:
    """The second run is refused, with the id of the first; when that has ended the thread is free, also after a failure."""

    async def main() -> None:
        entered, leave = asyncio.Event(), asyncio.Event()

        async def node(state: Log) -> Log:
            entered.set()
            await leave.wait()
            if state["n"] == 1:
                raise ValueError("bad")
            return {"log": ["done"]}

        graph = graph_of(a=node).compile(journal=journal)
        run = asyncio.create_task(graph.ainvoke({"n": 1}, thread="t"))
        await entered.wait()
        with pytest.raises(LeaseHeld) as caught:
            await graph.ainvoke({"n": 2}, thread="t")
        assert caught.value.holder == next(event.run for event in events_of(journal) if isinstance(event, RunStarted))
        leave.set()
        with pytest.raises(ValueError, match="bad"):
            await run
        assert (await graph.ainvoke({"n": 3}, thread="t"))["log"] == ["done"]

    journal = MemoryJournal()
    asyncio.run(main())


@pytest.mark.parametrize("given", [None, {"n": 2}])
def test_what_ended_beside_a_failure_is_kept(way: Way, given: Any) -> None:
    """Siblings that had ended are not run again when the thread goes on, and their writes stand; with a new input, too."""
    ran: Counter[str] = Counter()
    quick = threading.Event()

    def a(state: Log) -> Log:
        ran["a"] += 1
        quick.set()
        return {"log": ["a"]}

    def b(state: Log) -> Log:
        ran["b"] += 1
        quick.wait(5)
        while not any(isinstance(event, NodeEnded) and event.node == "a" for event in events_of(journal)):
            pass
        if ran["b"] == 1:
            raise ValueError("bad")
        return {"log": ["b"]}

    journal = MemoryJournal()
    graph = graph_of(a=a, b=b, end=says("end")).add_edge(START, "b").add_edge(["a", "b"], "end").compile(journal=journal)
    with pytest.raises(ValueError, match="bad"):
        way(graph, {"n": 1}, thread="t")
    assert graph.get_state(thread="t").values["log"] == ["a"]
    done = way(graph, given, thread="t")
    assert (done["log"], ran) == ((["a", "b", "end"], {"a": 1, "b": 2}) if given is None else (["a", "a", "b", "end"], {"a": 2, "b": 2}))


def test_get_state(way: Way) -> None:
    """Values, what comes next, open questions with their tasks; nothing of an empty thread."""

    def ask(state: Log) -> Log:
        from holter import interrupt

        return {"log": [interrupt("sure?")]}

    graph = graph_of(a=lambda state: {"messages": [AIMessage("hi", id="m")]}, b=ask).add_conditional_edges("a", lambda state: "b").compile()
    empty = graph.get_state(thread="t")
    assert (empty.values, empty.next, empty.tasks, empty.interrupts, empty.created_at) == ({}, (), (), (), None)
    way(graph, {"n": 1}, thread="t")
    state = graph.get_state({"configurable": {"thread_id": "t"}})
    assert (state.values["n"], [message.text for message in state.values["messages"]], state.next) == (1, ["hi"], ("b",))
    ((task,), (question,)) = (state.tasks, state.interrupts)
    assert (task.name, task.interrupts, question.value) == ("b", (question,), "sure?")
    assert way(graph, Command(resume="yes"), thread="t")["log"] == ["yes"]
    done = graph.get_state(thread="t")
    assert (done.next, done.tasks, done.interrupts) == ((), (), ())
    with pytest.raises(GraphError, match="name it"):
        graph.get_state()


# The laws


NAMES = "abcdef"


class Shape(msgspec.Struct):
    """A random graph: who is behind whom, and how."""

    edges: list[tuple[str, str]]
    joins: list[tuple[list[str], str]]
    branches: dict[str, list[str]]
    """Node -> where a path goes the first, second, … time."""
    sends: dict[str, list[str]]
    """Node -> to whom it sends, by Command."""
    talkers: set[str]
    """Nodes that write a message and nothing else."""
    later: set[str]
    """Nodes that are asynchronous."""
    entries: list[str]


_name = st.sampled_from(NAMES)
_forward = st.tuples(_name, _name).filter(lambda pair: pair[0] < pair[1])
shapes = st.builds(
    Shape,
    edges=st.lists(_forward, max_size=7, unique=True),
    joins=st.lists(
        st.tuples(st.lists(st.sampled_from("abcd"), min_size=2, max_size=3, unique=True), st.sampled_from("ef")),
        max_size=2,
        unique_by=str,
    ),
    branches=st.dictionaries(_name, st.lists(st.sampled_from([*NAMES, END]), min_size=1, max_size=2), max_size=3),
    sends=st.dictionaries(_name, st.lists(_name, min_size=1, max_size=2), max_size=2),
    talkers=st.sets(_name, max_size=4),
    later=st.sets(_name, max_size=6),
    entries=st.lists(_name, min_size=1, max_size=2, unique=True),
)


class Recording(MemoryJournal):
    """A journal that remembers where its appends ended: only there can a crash leave it."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[int] = []

    async def append(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        end = await super().append(thread, expected_seq, events)
        self.ends.append(end)
        return end


def build(shape: Shape, journal: MemoryJournal, ran: Counter[str]) -> Any:
    """The graph; every node says in the log how often it saw itself there before, so that nothing that is run twice goes unseen."""

    class State(MessagesState, total=False):
        log: Annotated[list[str], joined]
        best: Annotated[int, max]

    def update(name: str, state: Any) -> Any:
        """What a node comes to; where it sends to, it does so once."""
        log = state.get("log", [])
        said = f"{name}{len(log)}"
        sent = state.get("sent", 0)
        ran[f"{said}{sent}"] += 1
        if name in shape.talkers:
            return {"messages": [AIMessage(f"{said} {sent}", id=f"{said} {sent} {ran[f'{said}{sent}']}")]}
        if name in shape.sends and not sent and not any(item.startswith(name) for item in log):
            return Command(update={"log": [said]}, goto=[Send(target, {"sent": at + 1}) for at, target in enumerate(shape.sends[name])])
        return {"log": [f"{said} {sent}"], "best": len(log)}

    def node(name: str) -> Any:
        async def later(state: Any) -> Any:
            for _ in range(ord(name) % 3):
                await asyncio.sleep(0)
            return update(name, state)

        return later if name in shape.later else lambda state: update(name, state)

    def path(name: str) -> Any:
        def follow(state: Any) -> str:
            times = sum(item.startswith(name) for item in state["log"]) + sum(
                message.text.startswith(name) for message in state["messages"]
            )
            targets = shape.branches[name]
            return targets[times - 1] if 0 < times <= len(targets) else END

        return follow

    graph = StateGraph(State)
    for name in NAMES:
        graph.add_node(name, node(name), destinations=list(NAMES))
    for entry in shape.entries:
        graph.add_edge(START, entry)
    for edge in shape.edges:
        graph.add_edge(*edge)
    for sources, target in shape.joins:
        graph.add_edge(sources, target)
    for name in shape.branches:
        graph.add_conditional_edges(name, path(name))
    return graph.compile(journal=journal)


def told(state: dict[str, Any]) -> tuple[list[str], Any, list[str]]:
    """What a state says, without ids."""
    return state["log"], state.get("best"), [message.text for message in state["messages"]]


class Stopped(NamedTuple):
    """A run was stopped by its limit."""

    nodes: tuple[str, ...]


def end_of(run: Any) -> Any:
    """What a run comes to."""
    try:
        return told(run())
    except RecursionLimit as limit:
        return Stopped(limit.nodes)


LIMIT = {"recursion_limit": 12}


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(shapes)
@settings(max_examples=50)
def test_a_graph_comes_to_one_state_whoever_runs_it(shape: Shape) -> None:
    """Synchronously, asynchronously, and as its journal tells it."""
    journals = MemoryJournal(), MemoryJournal()
    first, second = (build(shape, journal, Counter()) for journal in journals)
    here = end_of(lambda: first.invoke({"log": []}, thread="t", config=LIMIT))
    there = end_of(lambda: asyncio.run(second.ainvoke({"log": []}, thread="t", config=LIMIT)))
    assert here == there
    states = [told(graph.get_state(thread="t").values) for graph in (first, second)]
    assert states[0] == states[1]
    assert here == states[0] or isinstance(here, Stopped)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(shapes, st.booleans())
@settings(max_examples=50)
def test_a_run_that_is_cut_off_anywhere_comes_to_the_same_end(shape: Shape, is_sync: bool) -> None:
    """Behind each append of a finished run: no task that had ended runs again, and no message is lost or doubled."""
    journal, whole = Recording(), Counter[str]()
    end = end_of(lambda: build(shape, journal, whole).invoke({"log": []}, thread="t", config=LIMIT))
    assume(not isinstance(end, Stopped))
    events = events_of(journal)
    for cut in journal.ends[:-1]:
        kept, ran = MemoryJournal(), Counter[str]()
        drive(kept.append("t", 0, events[:cut]))
        graph = build(shape, kept, ran)
        assert (in_sync if is_sync else in_async)(graph, None, thread="t") is not None
        assert told(graph.get_state(thread="t").values) == end
        assert ran <= whole
        assert len([event for event in events_of(kept) if isinstance(event, NodeEnded | MessageAdded)]) == len(
            [event for event in events if isinstance(event, NodeEnded | MessageAdded)]
        )
