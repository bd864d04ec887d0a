"""The states that a thread went through, branches of them, and writes from outside."""

import asyncio
import sqlite3
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

from holter import (
    END,
    START,
    AIMessage,
    BaseStore,
    Command,
    HumanMessage,
    InMemorySaver,
    InMemoryStore,
    Interrupt,
    InvalidUpdate,
    MessagesState,
    RunnableConfig,
    Send,
    SqliteSaver,
    StateGraph,
    ToolMessage,
    ToolNode,
    interrupt,
    tool,
    tools_condition,
)
from holter.errors import GraphError, JournalConflict, LeaseHeld
from holter.journal.here import here
from tests.graph.validity import check_history
from tests.graph.ways import Log, graph_of, says

CONFIG = {"configurable": {"thread_id": "t"}}


def three() -> Any:
    """A graph of three nodes, one after another."""
    return graph_of(a=says("a"), b=says("b"), c=says("c")).add_edge("a", "b").add_edge("b", "c").compile(checkpointer=InMemorySaver())


def test_each_step_has_a_state() -> None:
    """The newest comes first; each names the one before, and what comes next."""
    graph = three()
    graph.invoke({}, CONFIG)
    states = list(graph.get_state_history(CONFIG))
    assert [(state.values.get("log", []), state.next, state.metadata["source"]) for state in states] == [
        (["a", "b", "c"], (), "loop"),
        (["a", "b"], ("c",), "loop"),
        (["a"], ("b",), "loop"),
        ([], ("a",), "input"),
    ]
    assert [state.parent_config for state in states] == [state.config for state in states[1:]] + [None]
    assert states[0] == graph.get_state(CONFIG)._replace(parent_config=states[1].config)
    for state in states:
        assert graph.get_state(state.config).values == state.values
        assert graph.get_state(state.config).next == state.next


def test_a_part_of_the_history() -> None:
    """By metadata, by what came before, and by number."""
    graph = three()
    graph.invoke({}, CONFIG)
    states = list(graph.get_state_history(CONFIG))
    assert list(graph.get_state_history(CONFIG, filter={"source": "input"})) == states[3:]
    assert list(graph.get_state_history(CONFIG, before=states[1].config, limit=1)) == states[2:3]
    assert list(graph.get_state_history(states[2].config)) == states[2:]
    assert list(graph.get_state_history(thread="nobody's")) == []

    async def main() -> list[Any]:
        return [state async for state in graph.aget_state_history(CONFIG, limit=2)]

    assert asyncio.run(main()) == states[:2]
    with pytest.raises(GraphError, match="a checkpoint_id is a number of events"):
        graph.get_state({"configurable": {"thread_id": "t", "checkpoint_id": "1ef-later"}})


def test_several_runs_and_questions() -> None:
    """A step that asked has one state, with its question, also when that is answered; and inputs have theirs."""
    graph = graph_of(a=lambda state: {"log": [interrupt("?")]}, b=says("b")).add_edge("a", "b").compile(checkpointer=InMemorySaver())
    graph.invoke({}, CONFIG)
    graph.invoke(Command(resume="yes"), CONFIG)
    graph.invoke({"messages": [HumanMessage("again")]}, CONFIG)
    states = list(graph.get_state_history(CONFIG))
    assert [(state.values.get("log", []), state.next, len(state.interrupts)) for state in states] == [
        (["yes", "b"], ("a",), 1),
        (["yes", "b"], (), 0),
        (["yes"], ("b",), 0),
        ([], ("a",), 1),
    ]
    assert [[task.interrupts for task in state.tasks] for state in states[2:]] == [[()], [(Interrupt("?", "1.0"),)]]
    assert len(states[0].values["messages"]) == 1


@pytest.mark.parametrize("is_async", [False, True])
def test_another_answer_to_a_question_of_the_past(is_async: bool) -> None:
    """At the state whose step asked, and at one that was written to since; the thread itself stays as it is."""

    def go(given: Any, config: Any) -> dict[str, Any]:
        return asyncio.run(graph.ainvoke(given, config)) if is_async else graph.invoke(given, config)

    def ask(name: str) -> Any:
        return lambda state: {"log": [f"{name} {interrupt(name)}"]}

    built = graph_of(a=ask("a"), b=ask("b"), c=says("c")).add_edge(START, "b").add_edge(["a", "b"], "c")
    graph = built.compile(checkpointer=InMemorySaver())
    asked = go({}, CONFIG)["__interrupt__"]
    here = graph.get_state(CONFIG).config
    keys = {question.value: question.id for question in asked}
    go(Command(resume={keys["a"]: 1}), CONFIG)
    go(Command(resume=2), CONFIG)
    begun = list(graph.get_state_history(CONFIG))[-1].config
    for config in (begun, here):
        assert go(Command(resume={keys["a"]: 3, keys["b"]: 4}), config)["log"] == ["a 3", "b 4", "c"]
    written = graph.update_state(begun, {"log": ["written"]})
    assert len(go(None, written)["__interrupt__"]) == 2
    assert go(Command(resume={keys["a"]: 5, keys["b"]: 6}), written)["log"] == ["written", "a 5", "b 6", "c"]
    assert graph.get_state(CONFIG).values["log"] == ["a 1", "b 2", "c"]
    with pytest.raises(GraphError, match="there is no open question"):
        go(Command(resume=7), graph.get_state(CONFIG).config)


def test_nodes_at_once_are_one_state() -> None:
    """However many of them ended."""

    def spread(state: Log) -> Command[Any]:
        return Command(goto=[Send("b", {"log": []}), Send("b", {"log": []}), "c"])

    graph = graph_of(a=spread, b=says("b"), c=says("c")).compile(checkpointer=InMemorySaver())
    graph.invoke({}, CONFIG)
    assert [state.next for state in graph.get_state_history(CONFIG)] == [(), ("c", "b", "b"), ("a",)]


def test_a_fork_goes_its_own_way() -> None:
    """The thread that it came from stays as it is; the id may be chosen, or says where it came from."""
    graph = three()
    graph.invoke({}, CONFIG)
    past = list(graph.get_state_history(CONFIG))[1]
    at = int(past.config["configurable"]["checkpoint_id"])
    names = [graph.fork("t", at), graph.fork("t", at), graph.fork("t", at, "mine"), asyncio.run(graph.afork("t"))]
    assert names == [f"t@{at}", f"t@{at}-2", "mine", f"t@{graph.get_state(CONFIG).config['configurable']['checkpoint_id']}"]
    assert graph.get_state(thread="mine").values == past.values
    assert graph.invoke(None, thread="mine")["log"] == ["a", "b", "c"]
    with pytest.raises(JournalConflict):
        graph.fork("t", at, "mine")
    with pytest.raises(ValueError, match="cannot be forked"):
        graph.fork("t", 1_000)
    assert graph.invoke(None, past.config)["log"] == ["a", "b", "c"]
    assert graph.get_state(thread=f"t@{at}-3").values["log"] == ["a", "b", "c"]
    assert graph.get_state(CONFIG).values["log"] == ["a", "b", "c"]


def test_a_position_that_is_the_newest_is_the_thread_itself() -> None:
    """Nothing is forked."""
    graph = three()
    graph.invoke({}, CONFIG)
    assert graph.invoke({}, graph.get_state(CONFIG).config)["log"] == ["a", "b", "c", "a", "b", "c"]
    assert graph.get_state(CONFIG).values["log"] == ["a", "b", "c", "a", "b", "c"]


def test_a_write_in_nobodys_name() -> None:
    """Changes the state, and not where the graph is."""
    graph = graph_of(a=says("a"), b=lambda state: {"log": [interrupt("?")]}).add_edge("a", "b").compile(checkpointer=InMemorySaver())
    graph.invoke({}, CONFIG)
    config = graph.update_state(CONFIG, {"log": ["from outside"], "n": 3})
    state = graph.get_state(config)
    assert (state.values["log"], state.values["n"], state.next) == (["a", "from outside"], 3, ("b",))
    assert [one.value for one in state.interrupts] == ["?"]
    assert graph.invoke(Command(resume="yes"), CONFIG)["log"] == ["a", "from outside", "yes"]
    assert "update" in [state.metadata["source"] for state in graph.get_state_history(CONFIG)]


def test_a_write_in_a_nodes_name() -> None:
    """The graph goes on behind that node; what was asked before waits for nobody."""
    graph = (
        graph_of(a=says("a"), b=lambda state: {"log": [interrupt("?")]}, c=says("c"), d=says("d"))
        .add_edge("a", "b")
        .add_edge("b", "c")
        .add_conditional_edges("c", lambda state: "d" if state.get("n") else END, ["d", END])
        .compile(checkpointer=InMemorySaver())
    )
    graph.invoke({}, CONFIG)
    graph.update_state(CONFIG, {"log": ["for b"]}, as_node="b")
    state = graph.get_state(CONFIG)
    assert (state.next, state.interrupts) == (("c",), ())
    assert graph.invoke(None, CONFIG)["log"] == ["a", "for b", "c"]
    graph.update_state(CONFIG, {"n": 1}, as_node="c")
    assert graph.get_state(CONFIG).next == ("d",)
    assert graph.invoke(None, CONFIG)["log"] == ["a", "for b", "c", "d"]
    graph.update_state(CONFIG, None, as_node=START)
    assert graph.get_state(CONFIG).next == ("a",)
    graph.update_state(CONFIG, None, as_node=END)
    assert graph.get_state(CONFIG).next == ()
    with pytest.raises(GraphError, match="there is no node 'x'"):
        graph.update_state(CONFIG, {}, as_node="x")
    with pytest.raises(InvalidUpdate, match="does not declare"):
        graph.update_state(CONFIG, {"x": 1})


def test_a_write_begins_a_thread_and_one_to_the_past_a_fork() -> None:
    """The configuration that comes back names them."""
    graph = three()
    graph.update_state(CONFIG, {"log": ["first"]})
    assert graph.get_state(CONFIG).next == ("a",)
    graph.invoke(None, CONFIG)
    past = list(graph.get_state_history(CONFIG))[1]
    branch = graph.update_state(past.config, {"log": ["else"]})
    assert branch["configurable"]["thread_id"].startswith("t@")
    assert graph.invoke(None, branch)["log"] == ["first", "a", "b", "else", "c"]
    assert graph.get_state(CONFIG).values["log"] == ["first", "a", "b", "c"]


def test_a_result_in_the_name_of_the_tools() -> None:
    """The model goes on with it."""

    @tool
    def send() -> str:
        """Asks before it sends."""
        return f"sent {interrupt('may I?')}"

    def model(state: MessagesState) -> dict[str, Any]:
        called = any(isinstance(message, ToolMessage) for message in state["messages"])
        return {"messages": [AIMessage("end") if called else AIMessage("", tool_calls=[{"name": "send", "args": {}, "id": "c"}])]}

    graph = graph_of(MessagesState, model=model, tools=ToolNode([send])).add_conditional_edges("model", tools_condition)
    compiled = graph.add_edge("tools", "model").compile(checkpointer=InMemorySaver())
    compiled.invoke({"messages": [HumanMessage("go")]}, CONFIG)
    compiled.update_state(CONFIG, {"messages": [ToolMessage("a person sent it", tool_call_id="c")]}, as_node="tools")
    messages = compiled.invoke(None, CONFIG)["messages"]
    check_history(messages)
    assert [message.text for message in messages] == ["go", "", "a person sent it", "end"]


def test_a_thread_that_runs_is_not_written_to() -> None:
    """Its worker would have to guess what was meant."""
    graph = three()
    graph.invoke({}, CONFIG)
    here(graph.journal, lambda journal: journal.lease("t", "somebody", 60))
    with pytest.raises(LeaseHeld):
        graph.update_state(CONFIG, {"n": 1})


class Joke(TypedDict):
    """The state of the tutorial."""

    topic: str
    joke: str


def _tutorial(checkpointer: Any) -> list[Any]:
    """As LangGraph's tutorials on persistence, human review and time travel go on; only the import lines are others."""
    printed: list[Any] = []

    def generate_topic(state: Joke) -> dict[str, str]:
        return {"topic": "socks in the dryer"}

    def write_joke(state: Joke) -> dict[str, str]:
        return {"joke": f"Why do {state['topic']} elope?"}

    def review(state: Joke) -> Command[Any]:
        value = interrupt({"question": "Is this funny?", "joke": state["joke"]})
        return Command(update={"joke": value["joke"]}, goto=END)

    workflow = StateGraph(Joke)
    workflow.add_node("generate_topic", generate_topic)
    workflow.add_node("write_joke", write_joke)
    workflow.add_node("review", review, destinations=(END,))
    workflow.add_edge(START, "generate_topic")
    workflow.add_edge("generate_topic", "write_joke")
    workflow.add_edge("write_joke", "review")
    graph = workflow.compile(checkpointer=checkpointer, store=InMemoryStore())

    config: Any = {"configurable": {"thread_id": "1"}}
    result = graph.invoke({}, config)
    printed.append(result["__interrupt__"][0].value["question"])
    printed.append(graph.get_state(config).next)
    printed.append(graph.invoke(Command(resume={"joke": "Because."}), config)["joke"])

    states = list(graph.get_state_history(config))
    printed.append([state.next for state in states])
    selected_state = next(state for state in states if state.next == ("write_joke",))
    printed.append(selected_state.values)
    new_config = graph.update_state(selected_state.config, values={"topic": "chickens"})
    printed.append(graph.invoke(None, new_config)["__interrupt__"][0].value["joke"])
    printed.append(graph.get_state(config).values["joke"])
    return printed


@pytest.mark.parametrize("kind", ["memory", "text", "connection", "in memory", "asynchronous"])
def test_a_tutorial(tmp_path: Path, kind: str) -> None:
    """With each way that tutorials make a checkpointer."""
    expected = [
        "Is this funny?",
        ("review",),
        "Because.",
        [(), ("review",), ("write_joke",), ("generate_topic",)],
        {"topic": "socks in the dryer"},
        "Why do chickens elope?",
        "Because.",
    ]
    match kind:
        case "memory":
            assert _tutorial(InMemorySaver()) == expected
        case "text":
            with SqliteSaver.from_conn_string(str(tmp_path / "c.sqlite")) as checkpointer:
                checkpointer.setup()
                assert _tutorial(checkpointer) == expected
        case "connection":
            connection = sqlite3.connect(tmp_path / "c.sqlite", check_same_thread=False)
            with SqliteSaver(connection) as checkpointer:
                assert _tutorial(checkpointer) == expected
            connection.close()
        case "in memory":
            with SqliteSaver.from_conn_string(":memory:") as checkpointer:
                assert _tutorial(checkpointer) == expected
        case _:

            async def main() -> None:
                async with SqliteSaver.from_conn_string(str(tmp_path / "c.sqlite")) as checkpointer:
                    assert await asyncio.to_thread(_tutorial, checkpointer) == expected

            asyncio.run(main())


def test_a_state_is_found_as_langgraphs_pages_find_it(tmp_path: Path) -> None:
    """By its step, its source, or what it asked; values stand in the order in which the state declares them."""
    remembered: list[Any] = []

    class State(TypedDict):
        foo: str
        bar: Annotated[list[str], add]

    def node_a(state: State, config: RunnableConfig, *, store: BaseStore) -> dict[str, Any]:
        store.put(("memories", config["configurable"]["user_id"]), "food", {"memory": "pizza"})
        return {"foo": "a", "bar": ["a"]}

    def node_b(state: State, store: BaseStore) -> dict[str, Any]:
        remembered.extend(item.dict() for item in store.search(("memories",)))
        return {"foo": interrupt("b?"), "bar": ["b"]}

    workflow = StateGraph(State).add_node(node_a).add_node(node_b).add_edge(START, "node_a").add_edge("node_a", "node_b")
    with SqliteSaver.from_conn_string(":memory:") as saver:
        graph = workflow.compile(checkpointer=saver)
        config: RunnableConfig = {"configurable": {"thread_id": "1", "user_id": "7"}}
        assert graph.get_state(config).values == {}
        graph.invoke({"foo": "", "bar": []}, config)
        graph.invoke(Command(resume="b"), config)
        graph.update_state(config, {"bar": ["c"]})

        states = list(graph.get_state_history(config))
        assert [(state.metadata["step"], state.metadata["source"]) for state in states] == [
            (2, "update"),
            (2, "loop"),
            (1, "loop"),
            (0, "input"),
        ]
        assert list(states[0].values.items()) == [("foo", "b"), ("bar", ["a", "b", "c"])]
        [first] = [state for state in states if state.metadata["step"] == 1]
        [asked] = [state for state in states if any(task.interrupts for task in state.tasks)]
        [forked] = [state for state in states if state.metadata["source"] == "update"]
        assert first == asked != forked
        assert asked.next == ("node_b",)

        saver.delete_thread("1")
        assert list(graph.get_state_history(config)) == []
        asyncio.run(saver.adelete_thread("1"))
    assert (remembered[0]["namespace"], remembered[0]["value"]) == (["memories", "7"], {"memory": "pizza"})


def test_the_store_beside_the_journal(tmp_path: Path) -> None:
    """Is what nodes get where no other store was given."""
    seen: list[Any] = []

    def remember(state: Log, store: Any) -> Log:
        store.put(("users",), "ann", {"likes": "mountains"})
        seen.append(store.get(("users",), "ann").value)
        return {}

    with SqliteSaver(tmp_path / "c.sqlite") as journal:
        graph_of(a=remember).compile(journal=journal).invoke({}, CONFIG)
        found = journal.store.get(("users",), "ann")
        assert found is not None
        assert found.value == {"likes": "mountains"}
    assert seen == [{"likes": "mountains"}]
