"""The law of histories: whatever tools, models and people do, the messages of a thread can be sent to a provider."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter import (
    END,
    START,
    Command,
    HumanMessage,
    MemoryJournal,
    MessagesState,
    StateGraph,
    ToolMessage,
    ToolNode,
    interrupt,
    tools_condition,
)
from holter.agent import Agent
from holter.errors import InvalidUpdate, ModelError, RateLimited
from holter.journal.fold import Fold
from holter.messages import AIMessage, AIMessageChunk, Message, sendable
from holter.messages.pairs import Pairing
from holter.models import Answer, ScriptedModel
from holter.tools import Tool, ToolRuntime, tool
from holter.tools.drive import drive as driven
from tests.graph.validity import check_history


class State(MessagesState):
    """A conversation, and a field that only one call of a step may write."""

    note: str


_let_go = threading.Event()


@tool
def answer(n: int) -> str:
    """Succeeds."""
    return f"answer {n}"


@tool
async def answer_later(n: int) -> list[dict[str, Any]]:
    """Succeeds after others."""
    await asyncio.sleep(0)
    return [{"type": "text", "text": f"answer {n}"}]


@tool
def fail(n: int) -> str:
    """Raises."""
    raise ValueError(f"failed \ud800 {n}")


@tool
def leave(n: int) -> str:
    """Tries to end the process."""
    raise SystemExit(n)


@tool(timeout_s=0.005)
async def late(n: int) -> str:
    """Takes too long."""
    await asyncio.sleep(60)
    return "never"


@tool(timeout_s=0.005)
def abandoned(n: int) -> str:
    """Takes too long and cannot be stopped."""
    _let_go.wait(10)
    return "never"


@tool
def update(n: int, runtime: ToolRuntime) -> Command[Any]:
    """Writes the state and answers."""
    return Command(update={"note": str(n), "messages": [ToolMessage("noted", tool_call_id=runtime.tool_call_id)]})


@tool
def update_silently(n: int) -> Command[Any]:
    """Writes the state and forgets to answer."""
    return Command(update={"note": str(n)})


@tool
def answer_another(n: int) -> ToolMessage:
    """Answers a call that nobody made."""
    return ToolMessage(f"answer {n}", tool_call_id="nobody's", id="always the same")


@tool
def say_more(n: int, runtime: ToolRuntime) -> Command[Any]:
    """Puts a message of a person among the results."""
    said = [HumanMessage(f"also {n}"), ToolMessage("said", tool_call_id=runtime.tool_call_id)]
    return Command(update={"messages": said if n % 2 else said[::-1]})


@tool
def ask(n: int) -> str:
    """Asks a person."""
    return f"answered {interrupt(n)}"


@tool
async def ask_twice(n: int) -> str:
    """Asks a person twice."""
    return f"answered {interrupt([n, 1])} and {interrupt([n, 2])}"


@tool(needs_approval=True)
def approved(n: int) -> str:
    """Runs when a person allows it."""
    return f"allowed {n}"


@tool(after="ask")
def after_ask(n: int) -> str:
    """Runs behind another tool."""
    return f"behind {n}"


TOOLS: list[Tool] = [
    answer,
    answer_later,
    fail,
    leave,
    late,
    update,
    update_silently,
    answer_another,
    say_more,
    ask,
    ask_twice,
    approved,
    after_ask,
]
_names = st.sampled_from([*(one.name for one in TOOLS), "unknown_tool", "multi_tool_use.parallel"])
_arguments = st.one_of(st.integers(0, 9).map(lambda n: {"n": n}), st.sampled_from([{}, {"n": "x"}, {"n": 1, "m": 2}]))
_ids = st.sampled_from(["a", "b", "c", "call_1"])
_odd_ids = st.sampled_from(["a", "b", "call_1", "", None])


@st.composite
def calls(draw: st.DrawFn, ids: st.SearchStrategy[str | None] = _ids) -> dict[str, Any]:
    """A call, as it should be or not."""
    made = {"name": draw(_names), "id": draw(ids)}
    if draw(st.integers(0, 5)):
        return {**made, "args": draw(_arguments), "type": "tool_call"}
    text = draw(st.sampled_from(['{"n": 1', '{"n": 1,}', "n = 1", '{"n": 1}{"n": 2}', ""]))
    return {**made, "args": text, "error": "not JSON", "type": "invalid_tool_call"}


def _asking(made: Sequence[dict[str, Any]], text: str, id: str | None) -> AIMessage:
    valid = [call for call in made if call["type"] == "tool_call"]
    return AIMessage(text, id=id, tool_calls=valid, invalid_tool_calls=[call for call in made if call["type"] != "tool_call"])


_answers = st.one_of(
    st.builds(
        _asking, st.lists(calls(), min_size=1, max_size=4, unique_by=lambda call: call["id"]), st.sampled_from(["", "I look."]), st.none()
    ),
    st.sampled_from(["done", ""]),
)
_odd_answers = st.builds(
    _asking, st.lists(calls(_odd_ids), min_size=1, max_size=4), st.just(""), st.sampled_from([None, "m", "always the same"])
)
"""With calls whose ids come twice in one answer, and without ids; messages under one id."""
_bad_answers = st.sampled_from(
    [
        RateLimited("slow down"),
        Answer("It is a long way", cut_after=2),
        Answer(AIMessage("", tool_calls=[{"name": "answer", "args": {"n": 1}, "id": "a", "type": "tool_call"}]), cut_after=1),
        [AIMessageChunk("half"), AIMessageChunk(" of it")],
    ]
)
scripts = st.lists(st.one_of(_answers, _answers, _answers, _bad_answers), max_size=5)
"""What a model says, good and bad."""


def graph_of(script: Sequence[Any], journal: MemoryJournal, tools: Sequence[Tool] = TOOLS, **options: Any) -> Any:
    """A model and its tools in a loop; when the script is over, the model is done."""
    model = ScriptedModel([*script, *["done"] * 10])

    async def say(state: State) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(sendable(state["messages"]))]}

    graph = StateGraph(State).add_node("say", say).add_node("tools", ToolNode(tools, **options)).add_edge(START, "say")
    graph.add_conditional_edges("say", tools_condition, ["tools", END]).add_edge("tools", "say")
    return graph.compile(journal=journal)


def check_prefixes(journal: MemoryJournal) -> None:
    """Fails unless every prefix of the thread, as a crash may leave it, can be closed and sent."""
    entries = driven(journal.read("t"))
    for length in range(len(entries) + 1):
        check_history(sendable(Fold.of(entries[:length]).messages()))


def check_sent(messages: list[Message], questions: Sequence[Any]) -> None:
    """Fails unless what a provider gets of the messages is valid."""
    check_history(sendable(messages))


def check_state(messages: list[Message], questions: Sequence[Any]) -> None:
    """Fails unless the messages can be sent; where questions wait, but for the calls that ask them, or wait for one that asks."""
    if not questions:
        check_history(messages)
        return
    open_ids = {ref.call["id"] for ref in Pairing(messages).open}
    assert {question.id.split("/")[0] for question in questions} <= open_ids
    check_history(sendable(messages))


Turn = Callable[[Any], Awaitable[tuple[list[Message], Sequence[Any]]]]
"""One run of a thread: its messages then, and the questions that are open."""


def turn_of(graph: Any, data: st.DataObject) -> Turn:
    """Runs of a graph, for synchronous and asynchronous callers."""

    async def turn(given: Any) -> tuple[list[Message], Sequence[Any]]:
        questions: Sequence[Any] = []
        is_sync = data.draw(st.booleans())
        with suppress(ModelError, InvalidUpdate):
            state = await (asyncio.to_thread(graph.invoke, given, thread="t") if is_sync else graph.ainvoke(given, thread="t"))
            questions = state.get("__interrupt__", [])
        return graph.get_state(thread="t").values["messages"], questions

    return turn


def turn_of_agent(agent: Agent) -> Turn:
    """Runs of an agent."""

    async def turn(given: Any) -> tuple[list[Message], Sequence[Any]]:
        try:
            run = await agent.arun(given, thread="t")
        except (ModelError, InvalidUpdate):
            return agent.compiled.get_state(thread="t").values["messages"], []
        return run.messages, run.interrupts

    return turn


async def drive(turn: Turn, data: st.DataObject, check: Callable[[list[Message], Sequence[Any]], None] = check_state) -> None:
    """Runs the thread to its end, with answers to the questions in whatever order, and goes on after what was raised."""
    given: Any = {"messages": [HumanMessage("go", id="q")]}
    for number in range(40):
        messages, questions = await turn(given)
        check(messages, questions)
        if questions:
            some = data.draw(st.lists(st.sampled_from([question.id for question in questions]), min_size=1, unique=True))
            given = Command(resume={key: data.draw(st.sampled_from([True, False, "yes"])) for key in some})
        elif number < 3 and data.draw(st.booleans()):
            given = {"messages": [HumanMessage(f"and {number}?")]}
        else:
            return
    raise AssertionError("the thread came to no end")


@given(scripts, st.data())
@settings(max_examples=100)
def test_a_thread_of_a_graph_is_always_valid(script: list[Any], data: st.DataObject) -> None:
    """Batches of calls that succeed, fail, take too long, write the state, clash, ask, or cannot be read; models that break."""
    journal = MemoryJournal()
    asyncio.run(drive(turn_of(graph_of(script, journal), data), data))
    check_prefixes(journal)


@given(st.lists(st.one_of(_answers, _odd_answers), max_size=4), st.data())
@settings(max_examples=60)
def test_a_graph_by_hand_copes_with_odd_ids(script: list[Any], data: st.DataObject) -> None:
    """Its nodes write messages as they like: the thread comes to its end, and what a provider gets of it is valid."""
    journal = MemoryJournal()
    asyncio.run(drive(turn_of(graph_of(script, journal), data), data, check_sent))
    check_prefixes(journal)


@given(st.lists(st.one_of(_answers, _odd_answers, _bad_answers), max_size=5), st.data())
@settings(max_examples=100)
def test_a_thread_of_an_agent_is_always_valid(script: list[Any], data: st.DataObject) -> None:
    """Also where calls have no ids, or ids that come twice, and where all answers come under one id."""
    journal = MemoryJournal()
    agent = Agent(ScriptedModel([*script, *["done"] * 20]), tools=TOOLS, state_schema=State, journal=journal)
    asyncio.run(drive(turn_of_agent(agent), data))
    check_prefixes(journal)


@given(st.lists(_answers, max_size=3), st.integers(1, 12))
@settings(max_examples=40)
def test_a_thread_that_is_cut_off_is_valid(script: list[Any], turns: int) -> None:
    """Cancelled after so many turns of the loop, a run leaves a thread that can be sent and that goes on."""

    async def main() -> list[Message]:
        run = asyncio.create_task(graph.ainvoke({"messages": [HumanMessage("go")]}, thread="t"))
        for _ in range(turns):
            await asyncio.sleep(0)
        run.cancel()
        await asyncio.wait([run])
        state = await graph.ainvoke({"messages": [HumanMessage("again")]}, thread="t")
        messages: list[Message] = state["messages"]
        return messages

    journal = MemoryJournal()
    quiet = [one for one in TOOLS if one not in (ask, ask_twice, approved, update, update_silently, after_ask)]
    graph = graph_of(script, journal, quiet)
    check_history(asyncio.run(main()))
    check_prefixes(journal)


@given(st.lists(st.sampled_from([answer, fail, leave, update]), min_size=1, max_size=4), st.booleans())
def test_a_batch_whose_errors_are_raised_on_is_valid(acts: list[Tool], is_sync: bool) -> None:
    """With `handle_tool_errors=False` a run fails, and every call has a result."""
    made = [{"name": one.name, "args": {"n": 1}, "id": f"c{at}", "type": "tool_call"} for at, one in enumerate(acts)]
    journal = MemoryJournal()
    graph = graph_of([AIMessage("", tool_calls=made)], journal, [answer, fail, leave, update], handle_tool_errors=False)
    start = {"messages": [HumanMessage("go")]}
    invoke: Callable[[], Any] = (
        (lambda: graph.invoke(start, thread="t")) if is_sync else lambda: asyncio.run(graph.ainvoke(start, thread="t"))
    )
    try:
        messages = invoke()["messages"]
    except Exception:  # noqa: BLE001 - which one is not the point
        messages = graph.get_state(thread="t").values["messages"]
    check_history(messages)
    assert sum(isinstance(message, ToolMessage) for message in messages) == len(acts)
    check_prefixes(journal)


def test_a_function_that_is_left_running() -> None:
    """Is answered, and what it does later changes nothing."""
    made = [{"name": "abandoned", "args": {"n": 1}, "id": key, "type": "tool_call"} for key in "ab"]
    journal = MemoryJournal()
    graph = graph_of([AIMessage("", tool_calls=made)], journal, [abandoned])
    messages = asyncio.run(graph.ainvoke({"messages": [HumanMessage("go")]}, thread="t"))["messages"]
    _let_go.set()
    check_history(messages)
    assert ["may still take effect" in message.text for message in messages if isinstance(message, ToolMessage)] == [True, True]
    check_prefixes(journal)


@pytest.mark.parametrize("ids", ["b", "ab", "ba"])
def test_what_a_call_says_beside_its_result_stands_behind_the_batch(ids: str) -> None:
    """Also where the run is cut off before the batch is complete."""
    said = asyncio.Event()

    @tool
    async def never(n: int) -> str:
        """Is cut off."""
        said.set()
        await asyncio.sleep(60)
        return "never"

    made = [{"name": {"a": "never", "b": "say_more"}[key], "args": {"n": 1}, "id": key, "type": "tool_call"} for key in ids]
    journal = MemoryJournal()
    graph = graph_of([AIMessage("", tool_calls=made)], journal, [never, say_more])

    async def main() -> None:
        run = asyncio.create_task(graph.ainvoke({"messages": [HumanMessage("go")]}, thread="t"))
        if "a" in ids:
            await said.wait()
            while not any(isinstance(message, ToolMessage) for message in graph.get_state(thread="t").values["messages"]):
                await asyncio.sleep(0.001)
            run.cancel()
        await asyncio.wait([run])

    asyncio.run(main())
    messages = graph.get_state(thread="t").values["messages"]
    check_history(messages)
    assert [message.type for message in messages[2 : 3 + len(ids)]] == ["tool"] * len(ids) + ["human"]
    check_prefixes(journal)
