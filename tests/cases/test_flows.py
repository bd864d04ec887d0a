"""Message flows that broke somebody's agent: what the runtime does with them.

Each file beside this one holds one: where it was reported, what was seen, why, and what is expected.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

from holter import (
    END,
    START,
    Command,
    HumanMessage,
    MemoryJournal,
    MessagesState,
    ScriptedModel,
    Send,
    StateGraph,
    ToolMessage,
    ToolNode,
    ToolRuntime,
    interrupt,
    tools_condition,
)
from holter.agent import Agent, Run
from holter.errors import InvalidUpdate
from holter.journal.event import MessageAdded
from holter.messages import AIMessage, Message, approximate_tokens
from holter.models import ModelRequest
from holter.tools import Tool, tool
from holter.tools.drive import drive
from holter.tools.wrap import cached
from tests.graph.validity import check_history

Way = Callable[..., Run]


def in_sync(agent: Agent, given: Any, **options: Any) -> Run:
    """As a synchronous caller does it."""
    return agent.run(given, **options)


def in_async(agent: Agent, given: Any, **options: Any) -> Run:
    """As an asynchronous caller does it."""
    return asyncio.run(agent.arun(given, **options))


@pytest.fixture(params=[in_sync, in_async])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run an agent."""
    chosen: Way = request.param
    return chosen


def case(kind: str) -> dict[str, Any]:
    """The case's data."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name(f"{kind}.json").read_text("utf-8"))
    return found


def tools_of(found: dict[str, Any], act: Callable[..., Any]) -> list[Tool]:
    """The case's tools, by its own schemas; each does `act(**arguments)`."""
    return [tool(declared["name"], act, description="Acts.", args_schema=declared["parameters"]) for declared in found["tools"]]


def results(messages: list[Message]) -> dict[str | None, ToolMessage]:
    """The results by the ids of their calls, in the order of the history."""
    return {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}


def never(**args: Any) -> str:
    """A tool that must not run."""
    raise AssertionError(f"the tool was run with {args}")


@pytest.mark.parametrize("kind", ["calls_keyed_by_name", "finish_stop_with_calls"])
def test_every_call_is_run(way: Way, kind: str) -> None:
    """Two of one tool, and one in an answer that says it has ended."""
    found = case(kind)
    entered: list[dict[str, Any]] = []

    def echo(**args: Any) -> str:
        entered.append(args)
        return str(next(iter(args.values())))

    run = way(Agent(ScriptedModel(found["answers"]), tools=tools_of(found, echo)), "go")
    assert {key: message.text for key, message in results(run.messages).items()} == found["results"]
    assert list(results(run.messages)) == list(found["results"])
    assert len(entered) == len(found["results"])
    assert (run.status, run.answer) == ("done", found["answers"][-1]["content"])
    check_history(run.messages)


def test_an_answer_that_only_says_it_calls(way: Way) -> None:
    """Is text: no tool message, and one more request."""
    found = case("finish_says_calls_but_none")
    (odd,) = found["answers"]
    model = ScriptedModel([odd, "All is well."])
    run = way(Agent(model, tools=tools_of(found, never)), "go")
    assert (run.status, run.answer, len(model.requests)) == ("done", "All is well.", 2)
    assert results(run.messages) == {}
    check_history(run.messages)
    model = ScriptedModel([odd] * 9)
    run = way(Agent(model, tools=tools_of(found, never)), "go")
    assert (run.status, run.answer, len(model.requests)) == ("done", odd["content"], 2)
    assert results(run.messages) == {}
    check_history(run.messages)


def test_calls_that_were_cut_off(way: Way) -> None:
    """Are not run; the model is told why, and what to do."""
    found = case("args_truncated")
    run = way(Agent(ScriptedModel(found["answers"]), tools=tools_of(found, never)), "go")
    result = results(run.messages)[found["call"]]
    assert result.status == "error"
    assert all(part in result.text for part in ("limit", "cut off", "smaller")), result.text
    check_history(run.messages)


def test_calls_that_were_cut_off_and_closed(way: Way) -> None:
    """Are not run either; that they were cut stands before what is missing."""
    found = case("args_truncated_valid")
    run = way(Agent(ScriptedModel(found["answers"]), tools=tools_of(found, never)), "go")
    result = results(run.messages)[found["call"]]
    assert result.status == "error"
    assert 0 <= result.text.find("limit") < result.text.find(found["missing"]), result.text
    check_history(run.messages)


def test_text_without_a_reason_ends_a_run(way: Way) -> None:
    """After one request."""
    found = case("finish_missing")
    model = ScriptedModel(found["answers"] * 3)
    run = way(Agent(model), "go")
    assert (run.status, run.answer, len(model.requests)) == ("done", "All done.", 1)


def test_an_empty_last_answer(way: Way) -> None:
    """Is asked for once more; then there is a note."""
    found = case("empty_final")
    calls, nothing = found["answers"]
    model = ScriptedModel([calls, nothing, "12 letters"])
    run = way(Agent(model, tools=tools_of(found, lambda: "12 letters")), "sum up the letters")
    assert (run.status, run.answer, len(model.requests)) == ("done", "12 letters", 3)
    check_history(run.messages)
    model = ScriptedModel([calls, *[nothing] * 9])
    run = way(Agent(model, tools=tools_of(found, lambda: "12 letters")), "sum up the letters")
    assert (run.status, run.answer, len(model.requests)) == ("failed", None, 3)
    assert "gave no answer" in run.messages[-1].text
    check_history(run.messages)


def test_an_answer_that_is_an_image(way: Way) -> None:
    """Is not empty."""
    found = case("empty_final")
    image = AIMessage([{"type": "image", "base64": "AA==", "mime_type": "image/png"}])
    model = ScriptedModel([found["answers"][0], image, "too much"])
    run = way(Agent(model, tools=tools_of(found, lambda: "12 letters")), "draw the letters")
    assert (run.status, len(model.requests), run.messages[-1].content) == ("done", 2, image.content)


@pytest.mark.parametrize("character", ["x", "é", "好", "🧑‍🚀"])
@pytest.mark.parametrize("has_window", [True, False])
def test_results_that_are_too_long(way: Way, has_window: bool, character: str) -> None:
    """Are cut where they enter the history, to a quarter of the window or 100,000 characters; the whole is kept for the program."""
    found = case("oversized_result")
    window = found["window_tokens"] if has_window else None
    whole = character * (found["result_chars"] if has_window else 150_000)
    journal = MemoryJournal()
    agent = Agent(ScriptedModel(found["answers"], window_tokens=window), tools=tools_of(found, lambda: whole), journal=journal)
    run = way(agent, "go", thread="t")
    assert run.status == "done"
    for result in results(run.messages).values():
        if window is None:
            assert 99_900 <= len(result.text) <= 100_000
        else:
            assert window // 10 <= approximate_tokens(result) <= window // 4 + 10
        head, _, rest = result.text.partition("\n… ")
        marker, _, tail = rest.partition(" …\n")
        assert marker == f"{len(whole) - len(head) - len(tail):,} of {len(whole):,} characters left out"
        assert head == character * (len(head) // len(character))
        assert tail == character * (len(tail) // len(character))
        assert result.artifact == whole
    kept = [entry.event.message for entry in drive(journal.read("t")) if isinstance(entry.event, MessageAdded)]
    assert [message.artifact for message in kept if isinstance(message, ToolMessage)] == [whole, whole]


def repeating(found: dict[str, Any]) -> Callable[[ModelRequest], dict[str, Any]]:
    """A model that calls the same for ever, its arguments in this order and in that."""

    def says(request: ModelRequest) -> dict[str, Any]:
        made = sum(isinstance(message, AIMessage) for message in request.messages)
        return {"tool_calls": [{**found["calls"][made % 2], "id": f"r{made}"}]}

    return says


def test_the_same_call_with_the_same_result(way: Way) -> None:
    """The third result says that nothing changed; the fifth is the last."""
    found = case("repeated_call")
    run = way(Agent(ScriptedModel(repeating(found)), tools=tools_of(found, lambda **args: found["result"])), "list")
    texts = [message.text for message in results(run.messages).values()]
    assert texts[:2] == ["[]", "[]"]
    assert len(texts) == 5
    for text in texts[2:]:
        assert text.startswith("[]")
        assert text != "[]"
    assert run.status == "limit"
    assert run.limit is not None
    assert "ls" in str(run.limit)
    check_history(run.messages)


def test_the_same_call_with_other_results(way: Way) -> None:
    """Is no repetition, however often."""
    found = case("repeated_call")
    done = iter(range(1, 100))

    def says(request: ModelRequest) -> Any:
        return "ready" if "20" in request.messages[-1].text else repeating(found)(request)

    run = way(Agent(ScriptedModel(says), tools=tools_of(found, lambda **args: f"{next(done)} % done")), "wait")
    assert (run.status, run.answer, len(results(run.messages))) == ("done", "ready", 20)
    assert [message.text for message in results(run.messages).values()] == [f"{n} % done" for n in range(1, 21)]


def test_three_approvals_at_once(way: Way) -> None:
    """Each under its call's id; the declined one's result says so."""
    found = case("interrupt_ids")
    (draw,) = found["tools"]
    drawing = tool(
        draw["name"], lambda **args: f"drew a {args['s']}", description="Draws.", args_schema=draw["parameters"], needs_approval=True
    )
    agent = Agent(ScriptedModel(found["answers"]), tools=[drawing], journal=MemoryJournal())
    run = way(agent, "draw", thread="t")
    assert (run.status, [question.id for question in run.interrupts]) == ("interrupted", ["d1", "d2", "d3"])
    run = way(agent, Command(resume=found["decisions"]), thread="t")
    found_results = results(run.messages)
    assert list(found_results) == ["d1", "d2", "d3"]
    assert (found_results["d1"].text, found_results["d3"].text) == ("drew a square", "drew a star")
    assert (found_results["d2"].status, "declined" in found_results["d2"].text) == ("error", True)
    assert (run.status, run.answer) == ("done", "done")
    check_history(run.messages)


def test_a_second_question_of_one_call(way: Way) -> None:
    """Stands under a key of its own, beside the first questions of the others."""
    found = case("interrupt_ids")

    def draw(**args: Any) -> str:
        colour = interrupt(f"colour of the {args['s']}?")
        return f"{colour} {args['s']}, {interrupt('signed?')}"

    agent = Agent(ScriptedModel(found["answers"]), tools=tools_of(found, draw), journal=MemoryJournal())
    way(agent, "draw", thread="t")
    run = way(agent, Command(resume={"d2": "red"}), thread="t")
    assert sorted((question.id, question.value) for question in run.interrupts) == [
        ("d1", "colour of the square?"),
        ("d2/1", "signed?"),
        ("d3", "colour of the star?"),
    ]
    way(agent, Command(resume={"d1": "blue", "d3": "green", "d2/1": "yes"}), thread="t")
    run = way(agent, Command(resume={"d3/1": "no", "d1/1": "yes"}), thread="t")
    assert [message.text for message in results(run.messages).values()] == ["blue square, yes", "red circle, yes", "green star, no"]
    assert run.status == "done"
    check_history(run.messages)


def driven(graph: Any, given: Any, is_async: bool) -> dict[str, Any]:
    """The state after a run of the graph's one thread."""
    state: dict[str, Any] = asyncio.run(graph.ainvoke(given, thread="t")) if is_async else graph.invoke(given, thread="t")
    return state


class Items(TypedDict):
    """What is split, and what came of it."""

    text: str
    results: Annotated[list[str], lambda old, new: [*old, *new]]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_answer_does_not_take_the_place_of_the_input(is_async: bool) -> None:
    """One of three workers asks; resumed, all three are there, and nobody saw another input."""
    found = case("resume_wrong_input")
    seen: list[str] = []

    def split(state: Items) -> list[Send]:
        seen.append(state["text"])
        return [Send("worker", item) for item in state["text"].split(",")]

    def worker(item: str) -> dict[str, Any]:
        return {"results": [f"{item}({interrupt(item)})" if item == found["asks"] else item]}

    graph = StateGraph(Items).add_node("worker", worker).add_conditional_edges(START, split, ["worker"]).compile()

    assert len(driven(graph, {"text": found["input"]}, is_async)["__interrupt__"]) == 1
    done = driven(graph, Command(resume=found["reply"]), is_async)
    assert (done["results"], done["text"]) == (found["results"], found["input"])
    assert set(seen) == {found["input"]}


class Files(MessagesState):
    """A state with a field that has no rule for merging."""

    files: dict[str, int]


class MergedFiles(MessagesState):
    """A state with one that has."""

    files: Annotated[dict[str, int], lambda old, new: {**old, **new}]


def writing(found: dict[str, Any], schema: Any) -> Any:
    """A graph whose model calls the tool twice."""
    (declared,) = found["tools"]
    model = ScriptedModel(found["answers"])

    def write(p: str, runtime: ToolRuntime) -> Command[Any]:
        return Command(update={found["field"]: {p: 1}, "messages": [ToolMessage(f"wrote {p}", tool_call_id=runtime.tool_call_id)]})

    graph = StateGraph(schema).add_node("ask", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([tool(declared["name"], write, description="Writes.")])).add_edge(START, "ask")
    return graph.add_conditional_edges("ask", tools_condition, ["tools", END]).add_edge("tools", "ask").compile()


@pytest.mark.parametrize("is_async", [False, True])
def test_two_calls_that_write_one_field(is_async: bool) -> None:
    """Without a rule neither is written, and the error names both; both results stand and the thread goes on."""
    found = case("concurrent_state")
    graph = writing(found, Files)
    with pytest.raises(InvalidUpdate) as caught:
        driven(graph, {"messages": [HumanMessage("write")]}, is_async)
    assert all(part in str(caught.value) for part in (found["field"], "'a'", "'b'"))
    done = driven(graph, {"messages": [HumanMessage("and?")]}, is_async)
    assert [message.text for message in results(done["messages"]).values()] == ["wrote a.txt", "wrote b.txt"]
    assert done["messages"][-1].text == "ok"
    assert found["field"] not in done
    check_history(done["messages"])


@pytest.mark.parametrize("is_async", [False, True])
def test_two_calls_that_write_one_field_with_a_rule(is_async: bool) -> None:
    """With a reducer both are written, in the order of the calls."""
    found = case("concurrent_state")
    done = driven(writing(found, MergedFiles), {"messages": [HumanMessage("write")]}, is_async)
    assert list(done[found["field"]]) == ["a.txt", "b.txt"]
    assert done["messages"][-1].text == "ok"


def test_equal_arguments_in_another_order_are_a_hit(way: Way) -> None:
    """Whatever is equal runs once, whatever is not each for itself."""
    found = case("cache_key_order")
    entered: list[dict[str, Any]] = []

    def add(**args: Any) -> str:
        entered.append(args)
        return f"{len(entered)}"

    tools = [tool("add", add, description="Adds.", args_schema=found["tools"][0]["parameters"], read_only=True)]
    for name, runs in (("equal", 1), ("different", len(found["different"]))):
        entered.clear()
        calls = [{"name": "add", "args": args, "id": f"c{at}", "type": "tool_call"} for at, args in enumerate(found[name])]
        run = way(Agent(ScriptedModel([*([one] for one in calls), "done"]), tools=tools, wrap_tool_call=cached()), "go")
        assert len(entered) == runs
        assert [message.text for message in results(run.messages).values()] == [str(at + 1 if runs > 1 else 1) for at in range(len(calls))]
        check_history(run.messages)


def test_the_result_is_that_of_the_call(way: Way) -> None:
    """And of none that had its id before."""
    found = case("cache_foreign_result")
    executed: list[str] = []

    def read(p: str) -> str:
        executed.append(p)
        return f"{p} text"

    tools = [tool("read", read, description="Reads.", args_schema=found["tools"][0]["parameters"], read_only=True)]
    run = way(Agent(ScriptedModel(found["answers"]), tools=tools, wrap_tool_call=[cached()]), "go")
    assert [message.text for message in run.messages if isinstance(message, ToolMessage)] == found["results"]
    assert executed == found["executed"]
    ids = [message.tool_call_id for message in run.messages if isinstance(message, ToolMessage)]
    assert len(set(ids)) == len(ids)
    check_history(run.messages)


def test_calls_that_were_not_to_be_parallel(way: Way) -> None:
    """Run in their order, none beside another."""
    found = case("parallel_when_disabled")
    order: list[str] = []

    async def pick(o: str) -> str:
        order.append(f"begin {o}")
        await asyncio.sleep(0.01)
        order.append(f"end {o}")
        return o

    run = way(Agent(ScriptedModel(found["answers"]), tools=tools_of(found, pick), parallel_tool_calls=False), "go")
    assert order == found["order"]
    assert run.answer == "picked"
    check_history(run.messages)


def test_every_case_names_its_source() -> None:
    """And says what was seen, why, and what is expected."""
    for path in sorted(Path(__file__).parent.glob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        assert found["kind"].replace("-", "_") == path.stem
        assert all(url.startswith("https://github.com/") for url in found["source"])
        assert all(isinstance(found[field], str) and found[field] for field in ("symptom", "cause", "expect"))
