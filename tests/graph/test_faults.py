"""Faults that LangGraph 1.2.24 was seen to have, each tried here. The numbers are those of the notes taken then."""

import asyncio
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict

import pytest

from holter import (
    END,
    START,
    Command,
    HumanMessage,
    MessagesState,
    StateGraph,
    ToolMessage,
    ToolNode,
    interrupt,
    tool,
    tools_condition,
    trim,
)
from holter.errors import InvalidUpdate, NotStorable
from holter.messages import AIMessage, Message
from holter.models import ScriptedModel
from holter.tools import ToolRuntime
from tests.graph.validity import check_history

Way = Callable[..., dict[str, Any]]


def in_sync(graph: Any, given: Any, thread: str = "t", **options: Any) -> dict[str, Any]:
    """As a synchronous caller does it."""
    result: dict[str, Any] = graph.invoke(given, thread=thread, **options)
    return result


def in_async(graph: Any, given: Any, thread: str = "t", **options: Any) -> dict[str, Any]:
    """As an asynchronous caller does it."""
    result: dict[str, Any] = asyncio.run(graph.ainvoke(given, thread=thread, **options))
    return result


@pytest.fixture(params=[in_sync, in_async])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a graph."""
    chosen: Way = request.param
    return chosen


def call(name: str, call_id: str, **args: Any) -> dict[str, Any]:
    """A call."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def loop(*answers: Any, tools: list[Any], schema: Any = MessagesState, **options: Any) -> Any:
    """A graph in which a model says these answers and its tools are run."""
    model = ScriptedModel(answers)

    def ask(state: Any) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(schema).add_node("ask", ask).add_node("tools", ToolNode(tools, **options))
    graph.add_edge(START, "ask").add_conditional_edges("ask", tools_condition, ["tools", END]).add_edge("tools", "ask")
    return graph.compile()


def asked(text: str = "go") -> dict[str, Any]:
    """The input of a run."""
    return {"messages": [HumanMessage(text)]}


def results(messages: list[Message]) -> list[tuple[str | None, str]]:
    """(call id, text) of each result."""
    return [(message.tool_call_id, message.text) for message in messages if isinstance(message, ToolMessage)]


def keys(result: dict[str, Any]) -> list[str]:
    """Under which keys questions wait for an answer."""
    return [question.id for question in result.get("__interrupt__", [])]


def test_1_a_parameter_that_is_only_called_runtime(way: Way) -> None:
    """Is the model's to fill."""

    @tool
    def play(title: str, runtime: str) -> str:
        """Play a film of this length."""
        return f"{title}, {runtime}"

    graph = loop([call("play", "c", title="Metropolis", runtime="153 min")], "Enjoy.", tools=[play])
    assert play.args.keys() == {"title", "runtime"}
    assert results(way(graph, asked())["messages"]) == [("c", "Metropolis, 153 min")]


def test_2_questions_of_one_batch_come_together_and_nothing_runs_again(way: Way) -> None:
    """Two of three calls ask. Both questions are there at once; one resume answers both; the third call runs once."""
    entered: Counter[str] = Counter()

    @tool
    def send(to: str) -> str:
        """Send a letter, when a person allows it."""
        entered[f"send {to}"] += 1
        return f"sent to {to}" if interrupt(f"send to {to}?") else f"not sent to {to}"

    @tool
    def note(text: str) -> str:
        """Make a note."""
        entered["note"] += 1
        return "noted"

    calls = [call("send", "a", to="ann"), call("note", "b", text="x"), call("send", "c", to="cem")]
    graph = loop(calls, "Done.", tools=[send, note])
    stopped = way(graph, asked())
    assert [(question.id, question.value) for question in stopped["__interrupt__"]] == [("a", "send to ann?"), ("c", "send to cem?")]
    done = way(graph, Command(resume={"c": False, "a": True}))
    assert results(done["messages"]) == [("a", "sent to ann"), ("b", "noted"), ("c", "not sent to cem")]
    assert entered == {"send ann": 2, "send cem": 2, "note": 1}
    check_history(done["messages"])


def test_2_a_call_is_entered_once_more_for_each_answer(way: Way) -> None:
    """And not for the answers of others, when they come one by one."""
    entered: Counter[str] = Counter()

    @tool
    def send(to: str) -> str:
        """Send a letter, when a person allows it."""
        entered[to] += 1
        return f"sent to {to}" if interrupt(f"send to {to}?") else f"not sent to {to}"

    graph = loop([call("send", key, to=key) for key in "abc"], "Done.", tools=[send])
    way(graph, asked())
    done: dict[str, Any] = {}
    for key in "bca":
        done = way(graph, Command(resume={key: key != "c"}))
    assert results(done["messages"]) == [("a", "sent to a"), ("b", "sent to b"), ("c", "not sent to c")]
    assert entered == {"a": 2, "b": 2, "c": 2}


@pytest.mark.parametrize("slow", ["a", "b", "c"])
@pytest.mark.parametrize("late", ["a", "b", "c"])
def test_3_answers_reach_the_call_that_asked(way: Way, slow: str, late: str) -> None:
    """Whichever call comes to its question first, and whichever comes to it first when it starts again; answered one by one or together."""
    passes: Counter[str] = Counter()

    @tool
    async def pick(seat: str) -> str:
        """Pick a seat."""
        passes[seat] += 1
        await asyncio.sleep(0.02 if seat == (slow if passes[seat] == 1 else late) else 0)
        return f"{seat}: {interrupt(seat)}"

    graph = loop([call("pick", key, seat=key) for key in "abc"], "Done.", tools=[pick])
    assert sorted(keys(way(graph, asked()))) == ["a", "b", "c"]
    assert sorted(keys(way(graph, Command(resume={"b": "second"})))) == ["a", "c"]
    done = way(graph, Command(resume={"c": "third", "a": "first"}))
    assert results(done["messages"]) == [("a", "a: first"), ("b", "b: second"), ("c", "c: third")]


def test_4_what_a_sibling_did_is_not_lost(way: Way) -> None:
    """A tool whose exception is raised on ends the run; the finished call's result stands, the other one's too, and the thread goes on."""

    @tool
    async def quick() -> str:
        """Is done at once."""
        return "done at once"

    @tool
    async def broken() -> str:
        """Breaks."""
        await asyncio.sleep(0.01)
        raise OSError("no space left")

    @tool
    async def slow() -> str:
        """Is done later."""
        await asyncio.sleep(0.03)
        return "done later"

    calls = [call("quick", "a"), call("broken", "b"), call("slow", "c")]
    graph = loop(calls, "Sorry.", tools=[quick, broken, slow], handle_tool_errors=False)
    with pytest.raises(OSError, match="no space left"):
        way(graph, asked())
    messages = graph.get_state({"configurable": {"thread_id": "t"}}).values["messages"]
    found = dict(results(messages))
    assert (found["a"], found["c"]) == ("done at once", "done later")
    assert "no space left" in found["b"]
    check_history(messages)
    assert way(graph, asked("and now?"))["messages"][-1].text == "Sorry."


class Notes(MessagesState):
    """A state with a field that holds one value."""

    note: str


@tool
def write_note(text: str, runtime: ToolRuntime) -> Command[Any]:
    """Keep a note."""
    return Command(update={"note": text, "messages": [ToolMessage("kept", tool_call_id=runtime.tool_call_id)]})


def test_5_two_calls_that_write_one_field(way: Way) -> None:
    """Neither is written, the error names both and the field, both results stand, and the thread is of use."""
    calls = [call("write_note", "a", text="x"), call("write_note", "b", text="y")]
    graph = loop(calls, "Sorry.", tools=[write_note], schema=Notes)
    with pytest.raises(InvalidUpdate) as caught:
        way(graph, asked())
    assert all(part in str(caught.value) for part in ("'note'", "'a'", "'b'"))
    values = graph.get_state({"configurable": {"thread_id": "t"}}).values
    assert results(values["messages"]) == [("a", "kept"), ("b", "kept")]
    assert "note" not in values
    check_history(values["messages"])
    assert way(graph, asked("and now?"))["messages"][-1].text == "Sorry."


class Team(MessagesState):
    """A state that both graphs have."""

    done: Annotated[list[str], lambda old, new: [*old, *new]]


def test_6_commands_for_the_parent_from_parallel_calls(way: Way) -> None:
    """All updates arrive in the order of the calls, whichever ends first, with the results of both."""

    @tool
    async def report(text: str, runtime: ToolRuntime) -> Command[Any]:
        """Report to the other team."""
        await asyncio.sleep(0.01 if text == "x" else 0)
        answer = ToolMessage(f"reported {text}", tool_call_id=runtime.tool_call_id)
        return Command(graph=Command.PARENT, goto="boss", update={"done": [text], "messages": [*runtime.state["messages"], answer]})

    model = ScriptedModel([[call("report", "a", text="x"), call("report", "b", text="y")]])
    team = StateGraph(Team).add_node("ask", lambda state: {"messages": [model.invoke(state["messages"])]})
    team.add_node("tools", ToolNode([report])).add_edge(START, "ask").add_edge("ask", "tools")
    firm = StateGraph(Team).add_node("team", team.compile(), destinations=["boss"]).add_node("boss", lambda state: {"done": ["boss"]})
    firm.add_edge(START, "team")
    done = way(firm.compile(), asked())
    assert done["done"] == ["x", "y", "boss"]
    assert results(done["messages"]) == [("a", "reported x"), ("b", "reported y")]
    check_history(done["messages"])


@pytest.mark.parametrize("keep", ["first", "last"])
def test_7_trimming_parts_no_call_from_its_result(keep: Literal["first", "last"]) -> None:
    """At any budget, what is left can be sent."""
    history: list[Message] = [
        HumanMessage("a"),
        AIMessage("", tool_calls=[call("add", "1"), call("add", "2")]),
        ToolMessage("x", tool_call_id="1"),
        ToolMessage("y", tool_call_id="2"),
        AIMessage("b"),
        HumanMessage("c"),
        AIMessage("", tool_calls=[call("add", "3")]),
        ToolMessage("z", tool_call_id="3"),
        AIMessage("d"),
    ]
    for budget in range(1, len(history) + 1):
        kept = trim(history, max_messages=budget, keep=keep)
        assert kept
        check_history(kept)


def test_8_a_question_in_a_loop_gets_each_answer_once(way: Way) -> None:
    """A node asks until the answer will do: every answer belongs to one question, also when the graph comes back to the node."""

    class Form(TypedDict):
        ages: Annotated[list[int], lambda old, new: [*old, *new]]

    heard: list[list[str]] = []

    def ask_age(state: Form) -> Form:
        answers: list[str] = []
        while not (answers and answers[-1].isdigit()):
            answers.append(interrupt(f"age {len(state['ages'])}, question {len(answers)}"))
        heard.append(answers)
        return {"ages": [int(answers[-1])]}

    graph = StateGraph(Form).add_node("ask", ask_age).add_edge(START, "ask")
    compiled = graph.add_conditional_edges("ask", lambda state: len(state["ages"]) < 2, {True: "ask", False: END}).compile()
    questions = [way(compiled, {"ages": []})["__interrupt__"]]
    for answer in ("old", "very", "70"):
        questions.append(way(compiled, Command(resume=answer))["__interrupt__"])
    assert [[question.value for question in some] for some in questions] == [
        ["age 0, question 0"],
        ["age 0, question 1"],
        ["age 0, question 2"],
        ["age 1, question 0"],
    ]
    done = way(compiled, Command(resume="7"))
    assert (done["ages"], "__interrupt__" in done) == ([70, 7], False)
    assert heard == [["old", "very", "70"], ["7"]]


def test_8_a_later_call_under_an_old_id_asks_anew(way: Way) -> None:
    """The answer to the first one is not given to it."""

    @tool
    def pay(euro: int) -> str:
        """Pay."""
        return f"{euro} €: {interrupt(f'pay {euro}?')}"

    graph = loop([call("pay", "c", euro=1)], [call("pay", "c", euro=2)], "Done.", tools=[pay])
    way(graph, asked())
    again = way(graph, Command(resume="yes"))
    assert [question.value for question in again["__interrupt__"]] == ["pay 2?"]
    done = way(graph, Command(resume="no"))
    assert [text for _, text in results(done["messages"])] == ["1 €: yes", "2 €: no"]
    check_history(done["messages"])


def test_9_calls_that_cannot_be_read_are_not_the_end(way: Way) -> None:
    """The model is told what is wrong and goes on."""

    @tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    broken = {"name": "add", "args": '{"a": 1, "b', "id": "c", "error": "cut off", "type": "invalid_tool_call"}
    graph = loop(AIMessage("", invalid_tool_calls=[broken]), [call("add", "d", a=1, b=2)], "3", tools=[add])
    done = way(graph, asked())
    (first, text), second = results(done["messages"])
    assert (first, second) == ("c", ("d", "3"))
    assert "was not run" in text
    assert done["messages"][-1].text == "3"
    check_history(done["messages"])


def test_10_goto_adds_to_the_edges_and_compile_says_so(way: Way) -> None:
    """Kept, since it is what LangGraph documents; who declares a target and has an edge as well is warned."""

    class Went(TypedDict):
        names: Annotated[list[str], lambda old, new: [*old, *new]]

    def first(state: Went) -> Command[Literal["c"]]:
        return Command(goto="c")

    graph = StateGraph(Went).add_node("a", first).add_edge(START, "a").add_edge("a", "b")
    for name in "bc":
        graph.add_node(name, lambda state, name=name: {"names": [name]})
    with pytest.warns(UserWarning, match="node 'a' has an edge to 'b' and jumps to 'c' by Command: both run"):
        compiled = graph.compile()
    assert way(compiled, {"names": []})["names"] == ["b", "c"]


def test_11_a_field_that_the_state_does_not_declare(way: Way) -> None:
    """Is an error that names the node, the field, and the fields that there are."""
    graph = StateGraph(MessagesState).add_node("a", lambda state: {"mesages": []}).add_edge(START, "a").compile()
    with pytest.raises(InvalidUpdate, match="node 'a' wrote 'mesages', which the state does not declare; its fields are 'messages'"):
        way(graph, asked())


def test_12_what_a_node_writes_to_a_pydantic_state(way: Way) -> None:
    """Is checked, as the input is."""
    pydantic = pytest.importorskip("pydantic")
    Form = pydantic.create_model("Form", age=(int, 0))
    graph = StateGraph(Form).add_node("a", lambda state: {"age": "foo"}).add_edge(START, "a").compile()
    with pytest.raises(InvalidUpdate, match="node 'a' wrote a value to 'age' that does not fit: Input should be a valid integer"):
        way(graph, {"age": 1})
    with pytest.raises(InvalidUpdate, match="the input of the graph wrote a value to 'age' that does not fit"):
        way(graph, {"age": "bar"})


def test_13_a_value_that_cannot_be_stored(way: Way) -> None:
    """Is an error that names the node, the field, and the path in its value; the thread is of use."""

    class Table(TypedDict):
        rows: list[Any]

    def fill(state: Table) -> Table:
        return {"rows": [{"at": 1}, {"at": threading.Lock()}] if not state["rows"] else []}

    graph = StateGraph(Table).add_node("fill", fill).add_edge(START, "fill").compile()
    with pytest.raises(NotStorable) as caught:
        way(graph, {"rows": []})
    assert (caught.value.node, caught.value.key) == ("fill", "rows")
    assert "[1].at" in caught.value.path
    assert way(graph, {"rows": [0]})["rows"] == []


def test_14_a_synchronous_wrapper_does_not_block_the_loop() -> None:
    """Four of them wait for each other, and for the loop; around an asynchronous tool."""
    together = threading.Barrier(4)
    turned = threading.Event()

    def wait(request: Any, execute: Any) -> Any:
        together.wait(5)
        assert turned.wait(5)
        return execute(request)

    @tool
    async def greet(who: str) -> str:
        """Greet."""
        return f"hello {who}"

    graph = loop([call("greet", key, who=key) for key in "abcd"], "Done.", tools=[greet], wrap_tool_call=wait)

    async def main() -> dict[str, Any]:
        asyncio.get_running_loop().call_later(0.02, turned.set)
        done: dict[str, Any] = await graph.ainvoke(asked())
        return done

    assert [text for _, text in results(asyncio.run(main())["messages"])] == ["hello a", "hello b", "hello c", "hello d"]


def test_15_what_is_answered_is_not_run_again(way: Way) -> None:
    """A history that comes back with a new question."""
    entered: list[int] = []

    @tool
    def charge(euro: int) -> str:
        """Charge a card."""
        entered.append(euro)
        return "charged"

    history = [
        HumanMessage("charge 1"),
        AIMessage("", tool_calls=[call("charge", "a", euro=1)]),
        ToolMessage("charged", tool_call_id="a"),
        HumanMessage("thanks"),
    ]
    graph = StateGraph(MessagesState).add_node("tools", ToolNode([charge])).add_edge(START, "tools").compile()
    assert [message.text for message in way(graph, {"messages": history})["messages"]] == ["charge 1", "", "charged", "thanks"]
    assert ToolNode([charge]).invoke(history) == []
    assert entered == []


def test_16_a_tool_node_alone() -> None:
    """Needs no graph, and no configuration."""

    @tool
    def where(runtime: ToolRuntime) -> str:
        """Says what it sees."""
        return f"{len(runtime.state)} messages, call {runtime.tool_call_id}"

    asking = AIMessage("", tool_calls=[call("where", "c")])
    expected = [ToolMessage("1 messages, call c", tool_call_id="c", name="where")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ToolNode([where]).invoke([asking]) == expected
        assert asyncio.run(ToolNode([where]).ainvoke([asking])) == expected
