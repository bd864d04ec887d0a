"""Questions of nodes and tools, and their answers: several, twice, at once, in parts, wrong."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter import START, Command, Interrupt, MemoryJournal, MessagesState, Send, StateGraph, ToolNode, interrupt, tool
from holter.errors import GraphError
from holter.journal.event import Answered, Interrupted
from holter.messages import AIMessage, HumanMessage
from holter.tools.drive import drive
from tests.graph.ways import Log, Way, events_of, graph_of, in_async, in_notebook, in_sync, says


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a graph."""
    chosen: Way = request.param
    return chosen


def asks(name: str, times: int = 1) -> Any:
    """A node that asks some questions, one after another, and logs the answers."""

    def node(state: Any) -> Log:
        return {"log": [f"{name}: {interrupt(f'{name} {number}?')}" for number in range(times)]}

    return node


def asks_later(name: str, times: int = 1) -> Any:
    """As `asks`, asynchronous."""

    async def node(state: Any) -> Log:
        answers: list[str] = []
        for number in range(times):
            await asyncio.sleep(0)
            answers.append(f"{name}: {interrupt(f'{name} {number}?')}")
        return {"log": answers}

    return node


@pytest.mark.parametrize("node", [asks, asks_later])
def test_a_question_and_its_answer(way: Way, node: Any) -> None:
    """The state so far comes with the question; the answer may be anything but None."""
    graph = graph_of(a=says("a"), b=node("b")).add_edge("a", "b").compile()
    for at, answer in enumerate(["text", 0, False, "", [], {}, {"x": {"y": 1}}, ["2.0"], {"2.1": 1}]):
        thread = f"t{at}"
        assert way(graph, {}, thread=thread) == {"log": ["a"], "messages": [], "__interrupt__": [Interrupt("b 0?", "2.0")]}
        assert way(graph, Command(resume=answer), thread=thread) == {"log": ["a", f"b: {answer}"], "messages": []}


def test_none_is_no_answer(way: Way) -> None:
    """It is an error that leaves the question open."""
    graph = graph_of(a=asks("a")).compile()
    way(graph, {}, thread="t")
    with pytest.raises(GraphError, match="the Command says nothing"):
        way(graph, Command(resume=None), thread="t")
    assert way(graph, Command(resume="yes"), thread="t")["log"] == ["a: yes"]


@pytest.mark.parametrize("node", [asks, asks_later])
def test_several_questions_of_one_node(way: Way, node: Any) -> None:
    """Come one by one; the node starts again from its top each time, with the answers that there are."""
    graph = graph_of(a=node("a", 3)).compile()
    asked = [way(graph, {}, thread="t")["__interrupt__"]]
    for answer in ("one", "two"):
        asked.append(way(graph, Command(resume=answer), thread="t")["__interrupt__"])
    assert asked == [[Interrupt("a 0?", "1.0")], [Interrupt("a 1?", "1.0/1")], [Interrupt("a 2?", "1.0/2")]]
    assert way(graph, Command(resume={"1.0/2": "three"}), thread="t")["log"] == ["a: one", "a: two", "a: three"]


def test_questions_of_nodes_at_once(way: Way) -> None:
    """Come together; the nodes that ask nothing run once; answers come by key, in any order and not all at once."""
    ran: Counter[str] = Counter()

    def count(state: Log) -> Log:
        ran["count"] += 1
        return {"log": ["counted"]}

    graph = graph_of(a=asks("a"), b=asks_later("b", 2), c=count, end=says("end"))
    graph.add_edge(START, "b").add_edge(START, "c").add_edge(["a", "b", "c"], "end")
    compiled = graph.compile()
    first = way(compiled, {}, thread="t")
    assert sorted(first["__interrupt__"], key=lambda question: question.id) == [Interrupt("a 0?", "1.0"), Interrupt("b 0?", "1.1")]
    assert first["log"] == ["counted"]
    with pytest.raises(GraphError, match="2 questions are open; answer by key"):
        way(compiled, Command(resume="both"), thread="t")
    with pytest.raises(GraphError, match=r"nobody asked '9\.9'"):
        way(compiled, Command(resume={"1.0": "x", "9.9": "y"}), thread="t")
    second = way(compiled, Command(resume={"1.1": "b1"}), thread="t")
    assert sorted(question.id for question in second["__interrupt__"]) == ["1.0", "1.1/1"]
    with pytest.raises(GraphError, match=r"nobody asked '1\.1'"):
        way(compiled, Command(resume={"1.1": "again", "1.0": "x"}), thread="t")
    done = way(compiled, Command(resume={"1.1/1": "b2", "1.0": "a1"}), thread="t")
    assert done["log"] == ["a: a1", "b: b1", "b: b2", "counted", "end"]
    assert ran == {"count": 1}


def test_sends_that_ask(way: Way) -> None:
    """Each has its own question, and starts again with the input that it was sent."""

    def work(state: Any) -> Log:
        return {"log": [f"{state['at']}: {interrupt(state['at'])}"]}

    graph = StateGraph(Log).add_node("work", work)
    graph.add_conditional_edges(START, lambda state: [Send("work", {"at": at}) for at in "xyz"], ["work"])
    compiled = graph.compile()
    asked = way(compiled, {}, thread="t")["__interrupt__"]
    assert sorted((question.value, question.id) for question in asked) == [("x", "1.0"), ("y", "1.1"), ("z", "1.2")]
    way(compiled, Command(resume={"1.2": "third"}), thread="t")
    done = way(compiled, Command(resume={"1.0": "first", "1.1": "second"}), thread="t")
    assert done["log"] == ["x: first", "y: second", "z: third"]


def test_going_on_without_an_answer_asks_again(way: Way) -> None:
    """The same question, once in the journal; the node does not run for it."""
    ran: list[int] = []

    def node(state: Log) -> Log:
        ran.append(1)
        return {"log": [interrupt("sure?")]}

    journal = MemoryJournal()
    graph = graph_of(a=node).compile(journal=journal)
    first = way(graph, {}, thread="t")
    assert way(graph, None, thread="t") == first
    assert ran == [1]
    assert sum(isinstance(event, Interrupted) for event in events_of(journal)) == 1


def test_another_input_drops_the_questions(way: Way) -> None:
    """The graph begins anew; the old question cannot be answered any more."""
    graph = graph_of(a=lambda state: {"log": [interrupt(state["n"])]}).compile()
    way(graph, {"n": 1}, thread="t")
    (question,) = way(graph, {"n": 2}, thread="t")["__interrupt__"]
    assert question.value == 2
    with pytest.raises(GraphError, match=r"nobody asked '1\.0'"):
        way(graph, Command(resume={"1.0": "old", question.id: "new"}), thread="t")
    assert way(graph, Command(resume="new"), thread="t")["log"] == ["new"]
    with pytest.raises(GraphError, match="there is no open question to answer"):
        way(graph, Command(resume="more"), thread="t")


def test_an_answer_and_more_is_refused(way: Way) -> None:
    """Who answers says nothing else."""
    graph = graph_of(a=asks("a")).compile()
    way(graph, {}, thread="t")
    with pytest.raises(GraphError, match="says nothing else"):
        way(graph, Command(resume="x", update={"n": 1}), thread="t")


def test_a_question_that_the_node_catches_as_an_exception(way: Way) -> None:
    """Is not caught: `except Exception` takes errors."""

    def node(state: Log) -> Log:
        try:
            return {"log": [interrupt("sure?")]}
        except Exception:  # noqa: BLE001 - what many nodes do
            return {"log": ["caught"]}

    graph = graph_of(a=node).compile()
    assert way(graph, {}, thread="t")["__interrupt__"] == [Interrupt("sure?", "1.0")]
    assert way(graph, Command(resume="yes"), thread="t")["log"] == ["yes"]


def test_a_path_is_asked_once_about_a_node_that_asks(way: Way) -> None:
    """Whatever it would say the second time: the answer reaches the node that asked, and `next` names it."""
    asked: list[int] = []

    def path(state: Log) -> str:
        asked.append(1)
        return "b" if len(asked) == 1 else "c"

    graph = graph_of(a=lambda state: {"messages": [AIMessage("hi")]}, b=asks("b"), c=asks("c"))
    compiled = graph.add_conditional_edges("a", path).compile()
    way(compiled, {}, thread="t")
    assert compiled.get_state(thread="t").next == ("b",)
    assert way(compiled, Command(resume="yes"), thread="t")["log"] == ["b: yes"]
    assert asked == [1]


def test_fields_written_before_the_question_are_there_after_it(way: Way) -> None:
    """The node that starts again in another process sees the state that it saw before."""
    seen: list[tuple[int, list[str]]] = []

    def ask(state: Log) -> Log:
        seen.append((state["n"], state["log"]))
        return {"log": [interrupt("sure?")]}

    journal = MemoryJournal()
    first, second = (graph_of(a=lambda state: {"n": 5, "log": ["a"]}, b=ask).add_edge("a", "b").compile(journal=journal) for _ in range(2))
    way(first, {}, thread="t")
    way(second, Command(resume="yes"), thread="t")
    assert seen == [(5, ["a"])] * 2
    assert second.get_state(thread="t").values == {"log": ["a", "yes"], "n": 5, "messages": []}


def test_a_node_that_fails_after_its_answer_keeps_it(way: Way) -> None:
    """The question is not asked again when the thread goes on."""
    broken = [True]

    def node(state: Log) -> Log:
        answer = interrupt("sure?")
        if broken[0]:
            raise ValueError("bad")
        return {"log": [answer]}

    graph = graph_of(a=node).compile()
    way(graph, {}, thread="t")
    with pytest.raises(ValueError, match="bad"):
        way(graph, Command(resume="yes"), thread="t")
    broken[0] = False
    assert way(graph, None, thread="t") == {"log": ["yes"], "messages": []}


def test_an_answer_from_outside_reaches_a_thread_that_waits(way: Way) -> None:
    """Appended to the journal by somebody else, while nothing runs: going on uses it."""
    journal = MemoryJournal()
    graph = graph_of(a=asks("a")).compile(journal=journal)
    way(graph, {}, thread="t")
    drive(journal.append("t", drive(journal.length("t")), [Answered(key="1.0", value="from outside")]))
    assert way(graph, None, thread="t")["log"] == ["a: from outside"]


def test_tools_and_nodes_that_ask_at_once(way: Way) -> None:
    """A tool's question is keyed by its call, a node's by its task."""

    @tool
    def pay(euro: int) -> str:
        """Pay."""
        return f"{euro}: {interrupt(f'pay {euro}?')}"

    class State(MessagesState):
        note: str

    graph = graph_of(State, tools=ToolNode([pay]), note=lambda state: {"note": interrupt("note?")}).add_edge(START, "note")
    compiled = graph.compile()
    calls = [{"name": "pay", "args": {"euro": euro}, "id": f"c{euro}"} for euro in (1, 2)]
    asked = way(compiled, {"messages": [AIMessage("", tool_calls=calls)]}, thread="t")["__interrupt__"]
    assert sorted((question.id, question.value) for question in asked) == [("1.0", "note?"), ("c1", "pay 1?"), ("c2", "pay 2?")]
    done = way(compiled, Command(resume={"c2": "no", "1.0": "noted", "c1": "yes"}), thread="t")
    assert (done["note"], [message.text for message in done["messages"][1:]]) == ("noted", ["1: yes", "2: no"])


@given(st.dictionaries(st.sampled_from("abc"), st.integers(1, 3), min_size=1), st.data())
def test_answers_reach_their_questions_in_any_order(times: dict[str, int], data: st.DataObject) -> None:
    """Nodes that run at once and ask several questions, answered some at a time, synchronously and not."""
    graph = graph_of(**{name: asks(name, number) for name, number in times.items()})
    for name in list(times)[1:]:
        graph.add_edge(START, name)
    compiled = graph.compile()
    state: dict[str, Any] = compiled.invoke({}, thread="t")
    while questions := state.get("__interrupt__"):
        ordered = sorted(questions, key=lambda question: question.id)
        some = data.draw(st.lists(st.sampled_from(ordered), min_size=1, unique_by=lambda question: question.id))
        answers = {question.id: f"{question.value} yes" for question in some}
        way = data.draw(st.sampled_from([in_sync, in_async]))
        state = way(compiled, Command(resume=answers), thread="t")
    assert state["log"] == [f"{name}: {name} {number}? yes" for name in sorted(times) for number in range(times[name])]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_path_that_asks(way: Way, is_async: bool) -> None:
    """Behind START, behind a node, and behind calls, which have ended and are not run again; the answer is where to go."""
    ran: list[str] = []

    @tool
    def note() -> str:
        """Make a note."""
        ran.append("note")
        return "noted"

    def path(name: str, *targets: str) -> Any:
        def asked(state: MessagesState) -> str:
            return str(interrupt(f"{name}?"))

        async def asked_later(state: MessagesState) -> str:
            await asyncio.sleep(0)
            return asked(state)

        return asked_later if is_async else asked, [*targets]

    def call(state: MessagesState) -> MessagesState:
        return {"messages": [AIMessage("", tool_calls=[{"name": "note", "args": {}, "id": "n", "type": "tool_call"}])]}

    builder = StateGraph(MessagesState).add_node("call", call).add_node("tools", ToolNode([note])).add_node("say", say)
    builder.add_conditional_edges(START, *path("start", "call", "say"))
    builder.add_edge("call", "tools").add_conditional_edges("tools", *path("tools", "call", "say"))
    builder.add_conditional_edges("say", *path("say", "say", "__end__"))
    graph = builder.compile()
    given: Any = {"messages": ["go"]}
    for key, question, answer in [
        ("0.0", "start?", "call"),
        ("2.0", "tools?", "call"),
        ("4.0", "tools?", "say"),
        ("5.0", "say?", "say"),
        ("6.0", "say?", "__end__"),
    ]:
        stopped = way(graph, given, thread="t")
        assert stopped["__interrupt__"] == [Interrupt(question, key)]
        assert way(graph, None, thread="t")["__interrupt__"] == stopped["__interrupt__"]
        given = Command(resume=answer)
    done = way(graph, given, thread="t")
    assert [message.type for message in done["messages"]] == ["human", "ai", "tool", "ai", "tool", "human", "human"]
    assert ran == ["note", "note"]
    assert way(graph, {"messages": ["again"]}, thread="t")["__interrupt__"] == [Interrupt("start?", "7.0")]


def say(state: MessagesState) -> MessagesState:
    """A node that says something."""
    return {"messages": [HumanMessage("said")]}


def test_interrupt_outside() -> None:
    """Is an error that says where it belongs."""
    with pytest.raises(RuntimeError, match="none is running here"):
        interrupt("sure?")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_node_that_a_node_runs_by_itself_gets_its_answer(way: Way, is_async: bool) -> None:
    """The question is asked once, under the call's id, and the answer reaches the tool when the node starts again."""

    @tool
    def sure(question: str) -> str:
        """Asks."""
        return str(interrupt(question))

    tools, runs = ToolNode([sure]), [0]
    given = {"messages": [AIMessage("", tool_calls=[{"name": "sure", "args": {"question": "Sure?"}, "id": "z", "type": "tool_call"}])]}

    async def later(state: Any) -> Log:
        runs[0] += 1
        return {"log": [(await tools.ainvoke(given))["messages"][0].text]}

    def now(state: Any) -> Log:
        runs[0] += 1
        return {"log": [tools.invoke(given)["messages"][0].text]}

    graph = graph_of(a=later if is_async else now).compile()
    assert [asked.id for asked in way(graph, {"log": []}, thread="t")["__interrupt__"]] == ["z"]
    assert way(graph, Command(resume="yes"), thread="t")["log"] == ["yes"]
    assert runs == [2]
