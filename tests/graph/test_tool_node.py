"""The node that runs tools: what it takes, what it gives."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import pytest

from holter.errors import ToolTimeout
from holter.graph import Command, ToolNode, interrupt
from holter.journal import MemoryStore
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.tools import InjectedState, Interruption, ToolRuntime, tool

Way = Callable[..., Any]


def in_sync(node: ToolNode, given: Any, **options: Any) -> Any:
    """As a synchronous caller does it."""
    return node.invoke(given, **options)


def in_async(node: ToolNode, given: Any, **options: Any) -> Any:
    """As an asynchronous caller does it."""
    return asyncio.run(node.ainvoke(given, **options))


def in_notebook(node: ToolNode, given: Any, **options: Any) -> Any:
    """As a synchronous caller does it inside a loop."""

    async def cell() -> Any:
        return node.invoke(given, **options)

    return asyncio.run(cell())


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a node."""
    chosen: Way = request.param
    return chosen


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
async def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


@tool
def write(key: str) -> Command[Any]:
    """Write a field."""
    return Command(update={key: 1})


@tool
def state(runtime: ToolRuntime, messages: Annotated[list[Any], InjectedState("messages")]) -> str:
    """What the tool sees."""
    return f"{type(runtime.state).__name__} {len(messages)}"


def call(name: str = "add", call_id: str | None = "c1", **args: Any) -> dict[str, Any]:
    """A call."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def asking(*calls: dict[str, Any], **more: Any) -> AIMessage:
    """An answer that calls tools."""
    return AIMessage("", tool_calls=list(calls), **more)


def result(content: str, call_id: str | None = "c1", name: str = "add", **more: Any) -> ToolMessage:
    """A result."""
    return ToolMessage(content, tool_call_id=call_id, name=name, **more)


@dataclass
class Kept:
    """A state that is a dataclass."""

    messages: list[Message] = field(default_factory=list)


class Packed(msgspec.Struct):
    """A state that is a struct."""

    messages: list[Message] = []


ONE = asking(call(a=1, b=2))
MAKE: Any = ToolNode
NODE = ToolNode([add, greet, write, state])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([ONE], [result("3")]),
        ([HumanMessage("hi"), ONE], [result("3")]),
        ([call(a=1, b=2)], {"messages": [result("3")]}),
        ([call(a=1, b=2), call(call_id="c2", a=2, b=2)], {"messages": [result("3"), result("4", "c2")]}),
        ({"messages": [ONE]}, {"messages": [result("3")]}),
        ({"messages": (ONE,), "user": "ann"}, {"messages": [result("3")]}),
        (Kept([ONE]), {"messages": [result("3")]}),
        (Packed([ONE]), {"messages": [result("3")]}),
        ({"__type": "tool_call_with_context", "tool_call": call(a=1, b=2), "state": {}}, {"messages": [result("3")]}),
        ([AIMessage("no calls")], []),
        ({"messages": [AIMessage("no calls")]}, {"messages": []}),
        ([ONE, HumanMessage("quick"), HumanMessage("please")], [result("3")]),
    ],
)
def test_forms_of_input_and_output(way: Way, given: Any, expected: Any) -> None:
    """A list of messages, of calls, a state of any kind."""
    assert way(NODE, given) == expected


def test_a_state_of_pydantic() -> None:
    """Where it is installed."""
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("State", messages=(list[Any], ...))
    assert NODE.invoke(model(messages=[ONE])) == {"messages": [result("3")]}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([], "no AIMessage among the messages .an empty list"),
        ([HumanMessage("hi")], "no AIMessage among the messages .holter.HumanMessage"),
        ([{"role": "assistant"}], "no AIMessage among the messages .builtins.dict"),
        ({}, "the input, a dict, has nothing under 'messages'"),
        ({"messages": []}, "nothing under 'messages'"),
        (None, "the input, a NoneType, has nothing"),
        (Kept(), "the input, a Kept, has nothing"),
    ],
)
def test_input_that_holds_no_calls(way: Way, given: Any, text: str) -> None:
    """The error says what was found."""
    with pytest.raises(ValueError, match=text):
        way(NODE, given)


def test_messages_under_another_key(way: Way) -> None:
    """In and out."""
    node = ToolNode([add, write], messages_key="talk")
    assert way(node, {"talk": [ONE]}) == {"talk": [result("3")]}
    (command,) = way(node, {"talk": [asking(call("write", key="x"))]})
    assert list(command.update) == ["x", "talk"]


def test_commands_stand_in_a_list_with_updates(way: Way) -> None:
    """In the order of the calls."""
    calls = [call(a=1, b=2), call("write", "c2", key="x")]
    command = Command(update={"x": 1, "messages": [result('Done. State updated: {"x": 1}', "c2", "write")]})
    assert way(NODE, {"messages": [asking(*calls)]}) == [{"messages": [result("3")]}, command]
    assert way(NODE, [asking(*calls)]) == [[result("3")], command]


def test_what_is_answered_is_not_run_again(way: Way) -> None:
    """Whatever came behind it; the other calls of the answer are run."""
    two = asking(call(a=1, b=2), call(call_id="c2", a=2, b=2))
    assert way(NODE, [ONE, result("3"), HumanMessage("thanks")]) == []
    assert way(NODE, [two, result("3")]) == [result("4", "c2")]
    assert way(NODE, {"messages": [two, result("4", "c2"), result("3")]}) == {"messages": []}
    assert way(NODE, [ONE, result("3"), ONE]) == [result("3")]


def test_answered_calls_of_one_id_and_of_none(way: Way) -> None:
    """By their places: as many as were answered are done."""
    same = asking(call(a=1, b=2), call(a=2, b=2))
    assert way(NODE, [same, result("3")]) == [result("4")]
    nameless = asking(call(call_id=None, a=1, b=2), call(call_id=None, a=2, b=2))
    assert way(NODE, [nameless, result("3", None)]) == [result("4", None)]


def test_a_needed_tool_that_is_answered_already(way: Way) -> None:
    """Counts, as it did before the run was broken off."""
    node = ToolNode([add, tool("later", lambda: "ok", after="add")])
    two = asking(call(a=1, b=2), call("later", "c2"))
    assert way(node, [two, result("3")]) == [result("ok", "c2", "later")]
    assert (
        way(node, [two, result("no", status="error")])[0].content
        == "Error: later was not run: it needs the result of add first, which failed."
    )


def invalid(args: str, name: str = "add") -> AIMessage:
    """An answer whose call could not be read."""
    return AIMessage("", invalid_tool_calls=[{"name": name, "args": args, "id": "c1", "error": "bad", "type": "invalid_tool_call"}])


def test_invalid_calls_are_repaired_or_answered(way: Way) -> None:
    """Never passed over; a repair is told."""
    events: list[Any] = []
    assert way(NODE, [invalid('{"a": 1, "b": 2,}')], emit=events.append) == [result("3")]
    assert [event.kind for event in events] == ["repair", "tool_started"]
    (answer,) = way(NODE, [invalid('{"a": 1, "b"')])
    assert (answer.status, answer.tool_call_id) == ("error", "c1")
    assert "add was not run" in answer.content
    (answer,) = way(NODE, [asking({**call(), "args": '{"a": 1, "b": 2}'})])
    assert answer == result("3")
    assert way(NODE, [{**call(), "args": '{"a": 1, "b": 2}'}]) == {"messages": [result("3")]}


def test_calls_that_were_unpacked_come_with_their_message(way: Way) -> None:
    """So that the history holds the calls that are answered; run again, nothing is."""
    uses = [{"recipient_name": "functions.add", "parameters": {"a": 1, "b": n}} for n in (1, 2)]
    wrapped = asking(call("multi_tool_use.parallel", "m1", tool_uses=uses))
    message, one, two = way(NODE, [wrapped])
    assert [made["id"] for made in message.tool_calls] == ["m1_1", "m1_2"]
    assert [one, two] == [result("2", "m1_1"), result("3", "m1_2")]
    assert way(NODE, [message, one, two]) == []
    assert way(NODE, [message, one]) == [two]
    (refused,) = way(NODE, [asking(call("multi_tool_use.parallel", "m1", tool_uses="x"))])
    assert "tool_uses must be a list" in refused.content


def test_what_tools_see(way: Way) -> None:
    """The state as it came in; of a plain list the messages."""
    made = asking(call("state"))
    assert way(NODE, [made])[0].content == "list 1"
    assert way(NODE, {"messages": [made]})["messages"][0].content == "dict 1"
    assert way(NODE, Kept([made]))["messages"][0].content == "Kept 1"
    with_state = {"__type": "tool_call_with_context", "tool_call": call("state"), "state": {"messages": [1, 2]}}
    assert way(NODE, with_state)["messages"][0].content == "dict 2"


def test_what_the_caller_gives_reaches_tools(way: Way) -> None:
    """Config, context, store, the stream and the journal."""
    heard: list[Any] = []
    events: list[Any] = []

    @tool
    def everything(runtime: ToolRuntime) -> str:
        """Everything."""
        runtime.stream_writer("hi")
        assert runtime.store is not None
        runtime.store.put(("a",), "k", {"v": 1})
        return f"{runtime.config['x']} {runtime.context} {runtime.tool_call_id} {runtime.idempotency_key}"

    store = MemoryStore()
    options = {"config": {"x": 1}, "context": "ctx", "store": store, "stream_writer": heard.append, "emit": events.append}
    assert way(ToolNode([everything]), [asking(call("everything"))], **options)[0].content == "1 ctx c1 c1"
    item = store.get(("a",), "k")
    assert (heard, item is not None, [event.kind for event in events]) == (["hi"], True, ["tool_started"])


def fail() -> str:
    """Fails."""
    raise ValueError("boom")


def stop() -> str:
    """Is stopped."""
    raise KeyboardInterrupt


def ask() -> str:
    """Asks."""
    return str(interrupt("sure?"))


def test_errors_are_data_unless_they_are_not_to_be(way: Way) -> None:
    """Questions and Ctrl-C are raised; the others' results were told."""
    two = asking(call("fail", "c1"), call("add", "c2", a=1, b=2))
    assert [message.status for message in way(ToolNode([fail, add]), [two])] == ["error", "success"]
    told: list[Any] = []

    def hear(position: int, outcome: Any) -> None:
        told.append((position, outcome.result))

    with pytest.raises(ValueError, match="boom"):
        way(ToolNode([fail, add], handle_tool_errors=False), [two], on_outcome=hear)
    assert sorted(told, key=str) == [(0, None), (1, result("3", "c2"))]
    with pytest.raises(KeyboardInterrupt):
        way(ToolNode([ask, fail, stop], handle_tool_errors=False), [asking(call("ask", "1"), call("fail", "2"), call("stop", "3"))])
    with pytest.raises(Interruption):
        way(ToolNode([ask, fail]), [asking(call("ask", "1"), call("fail", "2"))])


def test_a_tool_that_never_returns(way: Way) -> None:
    """The other results stand."""

    @tool(timeout_s=0.05)
    def endless() -> None:
        """Never returns."""
        threading.Event().wait()

    late, fine = way(ToolNode([endless, add]), [asking(call("endless", "c1"), call("add", "c2", a=1, b=2))])
    assert (late.status, fine) == ("error", result("3", "c2"))
    with pytest.raises(ToolTimeout):
        way(ToolNode([endless], handle_tool_errors=False), [asking(call("endless"))])


def test_twenty_megabytes(way: Way) -> None:
    """The model gets its share, the program all of it; a batch shares the window."""

    @tool
    def big() -> str:
        """Big."""
        return "x" * 20_000_000

    (one,) = way(ToolNode([big]), [asking(call("big"))])
    assert (len(one.content) <= 100_000, len(one.artifact)) == (True, 20_000_000)
    results = way(ToolNode([big], window_tokens=1_000), [asking(*(call("big", str(n)) for n in range(4)))])
    assert all(len(message.content) <= 500 for message in results)


def test_wrappers_are_used_by_both_kinds_of_caller(way: Way) -> None:
    """One, a list, and those for asynchronous callers; given alone, either counts for both, so that none is passed by."""
    notes: list[str] = []

    def noting(name: str) -> Any:
        def note(request: Any, execute: Any) -> Any:
            notes.append(name)
            return execute(request)

        return note

    def noting_async(name: str) -> Any:
        async def note(request: Any, execute: Any) -> Any:
            notes.append(name)
            return await execute(request)

        return note

    for options, expected in (
        ({"wrap_tool_call": noting("a")}, ["a"]),
        ({"wrap_tool_call": [noting("a"), noting("b")]}, ["a", "b"]),
        ({"awrap_tool_call": noting_async("c")}, ["c"]),
        ({"wrap_tool_call": noting("a"), "awrap_tool_call": noting_async("c")}, ["c"] if way is in_async else ["a"]),
        ({"wrap_tool_call": [noting("a"), noting_async("c")]}, ["a", "c"]),
    ):
        notes.clear()
        assert way(ToolNode([add], **options), [ONE]) == [result("3")]
        assert notes == expected


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ToolNode([add, tool("add", lambda: 1)]), "two tools have the name 'add'"),
        (lambda: MAKE(add), "the tools of a ToolNode are a list"),
        (lambda: MAKE(["add"]), "made of a function, found 'add'"),
        (lambda: MAKE([add], handle_tool_errors=3), "handle_tool_errors"),
        (lambda: MAKE([add], wrap_tool_call="x"), "a wrapper is a function"),
        (lambda: MAKE([add], policy="random"), "policy"),
    ],
)
def test_what_a_node_cannot_be_made_of(make: Callable[[], Any], text: str) -> None:
    """The error comes at once."""
    with pytest.raises((ValueError, TypeError), match=text):
        make()


def test_tools_by_name() -> None:
    """Functions become tools; one tool given twice is one."""
    assert list(ToolNode([add, fail, add]).tools_by_name) == ["add", "fail"]


def test_the_callers_messages_stay_as_they_are(way: Way) -> None:
    """Tools and wrappers get copies."""

    @tool
    def sort(items: list[int]) -> list[int]:
        """Sort."""
        items.sort()
        return items

    given = [SystemMessage("s"), asking(call("sort", items=[3, 1, 2]))]
    assert way(ToolNode([sort]), given)[0].content == "[1, 2, 3]"
    assert given == [SystemMessage("s"), asking(call("sort", items=[3, 1, 2]))]
