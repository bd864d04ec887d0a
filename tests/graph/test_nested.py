"""Runs inside a run: graphs that are nodes, and graphs and agents that nodes and tools run themselves."""

import asyncio
import operator
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

import pytest

from holter import (
    START,
    Agent,
    Command,
    HumanMessage,
    Interrupt,
    MemoryJournal,
    MessagesState,
    Overwrite,
    Runtime,
    ScriptedModel,
    Send,
    StateGraph,
    ToolMessage,
    ToolNode,
    interrupt,
    tool,
)
from holter.errors import GraphError, RecursionLimit
from holter.messages import AIMessage
from tests.graph.validity import check_history
from tests.graph.ways import Log, Way, graph_of, in_async, in_notebook, in_sync, joined, says


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a graph."""
    chosen: Way = request.param
    return chosen


def asks(name: str) -> Any:
    """A node that asks and logs the answer."""
    return lambda state: {"log": [f"{name}: {interrupt(f'{name}?')}"]}


def texts(state: dict[str, Any]) -> list[str]:
    """What the messages say."""
    return [message.text for message in state["messages"]]


# Graphs that are nodes


def test_what_both_states_have_is_shared(way: Way) -> None:
    """Lists and messages are not doubled, other fields stay where they are, a field without a reducer is whole."""

    class Inner(TypedDict, total=False):
        log: Annotated[list[str], joined]
        plain: list[str]
        messages: Annotated[list[Any], operator.add]
        own: str

    class Outer(MessagesState, total=False):
        log: Annotated[list[str], joined]
        plain: list[str]
        other: str

    def work(state: Any) -> Any:
        return {"log": ["inner"], "plain": [*state["plain"], "inner"], "own": "mine"}

    inner = graph_of(Inner, work=work).compile()
    outer = graph_of(Outer, first=lambda state: {"log": ["first"], "messages": [AIMessage("first")]}, inner=inner)
    compiled = outer.add_edge("first", "inner").compile()
    given = {"plain": ["a"], "other": "kept", "messages": [HumanMessage("q")]}
    done = way(compiled, given)
    assert (done["log"], done["plain"], done["other"], texts(done)) == (["first", "inner"], ["a", "inner"], "kept", ["q", "first"])


def test_messages_of_a_nested_graph(way: Way) -> None:
    """New ones are added, replaced ones replaced."""

    def work(state: MessagesState) -> dict[str, Any]:
        return {"messages": [HumanMessage("Q", id="q"), AIMessage("a")]}

    outer = graph_of(MessagesState, inner=graph_of(MessagesState, work=work).compile()).compile()
    assert texts(way(outer, {"messages": [HumanMessage("q", id="q"), HumanMessage("r")]})) == ["Q", "r", "a"]


@dataclass
class AsObject:
    """A state that is an object."""

    extra: int = 0
    log: Annotated[list[str], joined] = field(default_factory=list)
    messages: Annotated[list[Any], operator.add] = field(default_factory=list)


def test_states_that_are_objects(way: Way) -> None:
    """Are shared the same way, also with a nested graph of another kind of state."""
    for schema in (AsObject, Log):
        inner = graph_of(schema, work=lambda state: {"log": ["inner"]}).compile()
        outer = graph_of(AsObject, a=lambda state: {"log": ["a"]}, inner=inner).add_edge("a", "inner").compile()
        assert way(outer, AsObject(extra=3, log=["given"])) == {"extra": 3, "log": ["given", "a", "inner"], "messages": []}


def test_a_nested_graph_that_overwrites(way: Way) -> None:
    """What it overwrote is written as a whole, through the reducer around it, as in LangGraph."""
    inner = graph_of(work=lambda state: {"log": Overwrite(["new"])}).compile()
    assert way(graph_of(a=says("a"), inner=inner).add_edge("a", "inner").compile(), {})["log"] == ["a", "new"]


def test_schemas_of_a_nested_graph(way: Way) -> None:
    """It gets the fields of its input, and gives those of its output."""

    class In(TypedDict):
        n: int

    class Out(TypedDict):
        log: Annotated[list[str], joined]

    def work(state: Any) -> Any:
        return {"log": [f"{sorted(state)}"], "n": 9}

    inner = StateGraph(Log, input_schema=In, output_schema=Out).add_node("work", work).add_edge(START, "work").compile()
    assert way(graph_of(inner=inner).compile(), {"n": 1, "log": ["x"]}) == {
        "log": ["x", "['log', 'messages', 'n']"],
        "n": 1,
        "messages": [],
    }


def test_nested_graphs_at_once(way: Way) -> None:
    """Each is a run of its own, by edges and by sends."""

    async def work(state: Any) -> Log:
        await asyncio.sleep(0.01 * (3 - state["n"]))
        return {"log": [f"n {state['n']}"]}

    inner = graph_of(work=work).compile()
    sends = StateGraph(Log).add_node("inner", inner)
    sends.add_conditional_edges(START, lambda state: [Send("inner", {"n": n}) for n in range(3)], ["inner"])
    assert way(sends.compile(), {})["log"] == ["n 0", "n 1", "n 2"]
    beside = StateGraph(Log).add_node("x", inner).add_node("y", inner).add_edge(START, "x").add_edge(START, "y").compile()
    assert way(beside, {"n": 1})["log"] == ["n 1", "n 1"]


def test_a_nested_graph_in_a_loop(way: Way) -> None:
    """Begins anew each time."""
    inner = graph_of(work=lambda state: {"log": [f"saw {len(state['log'])}"]}).compile()
    outer = graph_of(inner=inner).add_conditional_edges("inner", lambda state: "inner" if len(state["log"]) < 3 else "__end__")
    assert way(outer.compile(), {})["log"] == ["saw 0", "saw 1", "saw 2"]


def test_context_store_and_configuration_reach_a_nested_graph(way: Way) -> None:
    """Those of the run around it."""

    def work(state: Log, runtime: Runtime[Any], config: dict[str, Any]) -> Log:
        return {"log": [runtime.context, config["own"]]}

    outer = graph_of(inner=graph_of(work=work).compile()).compile()
    assert way(outer, {}, context="ann", config={"own": "mine"})["log"] == ["ann", "mine"]


def test_the_limit_of_steps_holds_for_each_run(way: Way) -> None:
    """A nested run that reaches it ends the run around it."""
    inner = graph_of(a=says("a"), b=says("b"), c=says("c")).add_edge("a", "b").add_edge("b", "c").compile()
    outer = graph_of(inner=inner).compile()
    assert way(outer, {}, config={"recursion_limit": 3})["log"] == ["a", "b", "c"]
    with pytest.raises((RecursionLimit, GraphError), match="after 2 steps, before c"):
        way(outer, {}, config={"recursion_limit": 2})


def test_commands_for_the_parent(way: Way) -> None:
    """Update and jump there, from two levels down one by one; the nested run ends with them. Without a parent they are an error."""

    def leave(state: Log) -> Command[Any]:
        return Command(graph=Command.PARENT, update={"log": ["left"]}, goto="next")

    inner = graph_of(leave=leave, never=says("never")).add_edge("leave", "never").compile()
    outer = StateGraph(Log).add_node("inner", inner, destinations=["next"]).add_node("next", says("next")).add_edge(START, "inner")
    assert way(outer.compile(), {})["log"] == ["left", "next"]
    with pytest.raises(GraphError, match="there is none"):
        way(inner, {})
    top = graph_of(middle=outer.compile(), end=says("end")).add_edge("middle", "end").compile()
    assert way(top, {"log": ["given"]})["log"] == ["given", "left", "next", "end"]


def test_a_tool_that_hands_over_to_the_parent(way: Way) -> None:
    """The call is answered in both histories."""

    @tool
    def hand_over() -> Command[Any]:
        """Hand over."""
        return Command(graph=Command.PARENT, goto="other")

    @tool
    def stay() -> str:
        """Stay."""
        return "stayed"

    calls: list[dict[str, Any]] = [{"name": name, "args": {}, "id": name, "type": "tool_call"} for name in ("stay", "hand_over")]
    inner = graph_of(MessagesState, say=lambda state: {"messages": [AIMessage("", tool_calls=calls)]}, tools=ToolNode([hand_over, stay]))
    outer = StateGraph(MessagesState).add_node("inner", inner.add_edge("say", "tools").compile(), destinations=["other"])
    outer.add_node("other", lambda state: {"messages": [AIMessage(f"{len(state['messages'])} seen")]}).add_edge(START, "inner")
    done = way(outer.compile(), {"messages": [HumanMessage("go")]}, thread="t")
    assert done["messages"][-1].text.endswith("seen")
    check_history(done["messages"])


def test_questions_two_levels_down(way: Way) -> None:
    """Come with keys that say where; nodes that have ended on any level do not run again."""
    ran: Counter[str] = Counter()

    def once(name: str) -> Any:
        def node(state: Log) -> Log:
            ran[name] += 1
            return {"log": [name]}

        return node

    low = graph_of(low=once("low"), ask=asks("x"), more=asks("y")).add_edge("low", "ask").add_edge("low", "more").compile()
    middle = graph_of(middle=once("middle"), low=low).add_edge("middle", "low").compile()
    top = graph_of(top=once("top"), middle=middle, end=once("end")).add_edge("top", "middle").add_edge("middle", "end").compile()
    asked = way(top, {}, thread="t")["__interrupt__"]
    assert sorted((question.value, question.id) for question in asked) == [("x?", "2.0::2.0::2.0"), ("y?", "2.0::2.0::2.1")]
    way(top, Command(resume={"2.0::2.0::2.1": "second"}), thread="t")
    done = way(top, Command(resume="first"), thread="t")
    assert done["log"] == ["top", "middle", "low", "x: first", "y: second", "end"]
    assert ran == {"top": 1, "middle": 1, "low": 1, "end": 1}


def test_a_nested_run_that_failed_goes_on_where_it_failed(way: Way) -> None:
    """Its input is not given to it a second time, and what had ended in it does not run again: as a node, and in a node."""
    for is_node in (True, False):
        ran: Counter[str] = Counter()

        def first(state: Log, ran: Counter[str] = ran) -> Log:
            ran["first"] += 1
            return {"log": ["first"], "messages": [AIMessage("first")]}

        def second(state: Log, ran: Counter[str] = ran) -> Log:
            ran["second"] += 1
            if ran["second"] == 1:
                raise ValueError("bad")
            return {"log": ["second"]}

        inner = StateGraph(Log).add_node("first", first).add_node("second", second).add_edge(START, "first").add_edge("first", "second")
        compiled = inner.compile()

        def node(state: Log, compiled: Any = compiled) -> dict[str, Any]:
            done = compiled.invoke({"log": state["log"], "messages": [HumanMessage("q")]})
            return {"log": done["log"], "messages": done["messages"]}

        outer = graph_of(Log, inner=compiled if is_node else node).compile()
        with pytest.raises(ValueError, match="bad"):
            way(outer, {"log": ["given"], "messages": [HumanMessage("q")]}, thread="t")
        done = way(outer, None, thread="t")
        assert done["log"] == (["given", "first", "second"] if is_node else ["given", "given", "first", "second"])
        assert texts(done) == (["q", "first"] if is_node else ["q", "q", "first"])
        assert ran == {"first": 1, "second": 2}


# Graphs that nodes and tools run


@pytest.mark.parametrize("hands_on", [False, True])
def test_a_graph_that_a_node_runs(way: Way, hands_on: bool) -> None:
    """Asks in the name of the node, with the node's configuration handed on or not; several runs are told apart, and one that is done
    is not run again."""
    ran: Counter[str] = Counter()

    def once(state: Log) -> Log:
        ran[f"once {state['n']}"] += 1
        return {"log": [f"once {state['n']}"]}

    inner = graph_of(once=once, ask=asks("x")).add_edge("once", "ask").compile()

    def node(state: Log, config: dict[str, Any]) -> Log:
        log: list[str] = []
        for n in range(2):
            log += inner.invoke({"n": n}, config if hands_on else None)["log"]
        return {"log": log}

    outer = graph_of(node=node, end=says("end")).add_edge("node", "end").compile()
    assert way(outer, {}, thread="t")["__interrupt__"] == [Interrupt("x?", "1.0::2.0")]
    assert way(outer, Command(resume="yes"), thread="t")["__interrupt__"] == [Interrupt("x?", "1.0#1::2.0")]
    done = way(outer, Command(resume="no"), thread="t")
    assert done["log"] == ["once 0", "x: yes", "once 1", "x: no", "end"]
    assert ran == {"once 0": 1, "once 1": 1}
    assert way(outer, {}, thread="t")["__interrupt__"] == [Interrupt("x?", "4.0::2.0")]


def test_an_asynchronous_node_that_runs_graphs_at_once() -> None:
    """Their questions are told apart."""
    inner = graph_of(ask=lambda state: {"log": [f"{state['n']} {interrupt(state['n'])}"]}).compile()

    async def node(state: Log) -> Log:
        done = await asyncio.gather(*(inner.ainvoke({"n": n}) for n in range(2)), return_exceptions=True)
        if wrong := [one for one in done if isinstance(one, BaseException)]:
            raise wrong[0]
        return {"log": [text for one in done if not isinstance(one, BaseException) for text in one["log"]]}

    outer = graph_of(node=node).compile()
    state = in_async(outer, {}, thread="t")
    answers = {0: "zero", 1: "one"}
    while questions := state.get("__interrupt__"):
        state = in_async(outer, Command(resume={question.id: answers[question.value] for question in questions}), thread="t")
    assert state["log"] == ["0 zero", "1 one"]


def test_a_graph_and_an_agent_that_a_tool_runs(way: Way) -> None:
    """Ask in the name of the call."""
    inner = graph_of(ask=asks("x")).compile()

    @tool
    def pay(euro: int) -> str:
        """Pay."""
        return f"paid {euro}: {interrupt(f'pay {euro}?')}"

    model = ScriptedModel([[{"name": "pay", "args": {"euro": 5}, "id": "p"}], "It is paid."])
    agent = Agent(model, tools=[pay])

    @tool
    def ask_graph() -> str:
        """Ask a graph."""
        return str(inner.invoke({})["log"])

    @tool
    def ask_agent() -> str:
        """Ask an agent."""
        return str(agent.run("pay 5").answer)

    outer = graph_of(MessagesState, tools=ToolNode([ask_graph, ask_agent])).compile()
    calls: list[dict[str, Any]] = [{"name": name, "args": {}, "id": name} for name in ("ask_graph", "ask_agent")]
    asked = way(outer, {"messages": [AIMessage("", tool_calls=calls)]}, thread="t")["__interrupt__"]
    assert sorted((question.value, question.id) for question in asked) == [("pay 5?", "ask_agent::p"), ("x?", "ask_graph::1.0")]
    done = way(outer, Command(resume={"ask_agent::p": "ok", "ask_graph::1.0": "yes"}), thread="t")
    assert [message.text for message in done["messages"] if isinstance(message, ToolMessage)] == ["['x: yes']", "It is paid."]
    assert len(model.requests) == 2


def test_a_graph_with_a_thread_of_its_own_is_no_part_of_the_run(way: Way) -> None:
    """Its questions are the node's to ask or to answer, and its thread goes on from run to run."""
    inner = graph_of(ask=asks("x")).compile()

    def node(state: Log) -> Log:
        asked = inner.invoke({}, thread="inner")
        done = inner.invoke(Command(resume="by the node"), thread="inner")
        return {"log": [asked["__interrupt__"][0].value, *done["log"]]}

    outer = graph_of(node=node).compile()
    assert way(outer, {}, thread="t")["log"] == ["x?", "x: by the node"]
    assert way(outer, {}, thread="t")["log"][2:] == ["x?", "x: by the node", "x: by the node"]


def test_one_journal_for_both(way: Way) -> None:
    """A graph in the same journal is part of the run; one in another is not."""
    journal, other = MemoryJournal(), MemoryJournal()
    for kept in (journal, other):
        inner = graph_of(ask=asks("x")).compile(journal=kept)

        def node(state: Log, config: dict[str, Any], inner: Any = inner) -> Log:
            done = inner.invoke({}, config)
            return {"log": [*done["log"], *(question.value for question in done.get("__interrupt__", []))]}

        outer = graph_of(node=node).compile(journal=journal)
        thread = "same" if kept is journal else "other"
        state = way(outer, {}, thread=thread)
        if kept is journal:
            state = way(outer, Command(resume="yes"), thread=thread)
        assert state["log"] == (["x: yes"] if kept is journal else ["x?"])
