"""Wrappers around the calls of agents: however a run is driven, across questions, in graphs and in agents that are tools."""

import asyncio
from typing import Any

import pytest

from holter import END, START, Command, HumanMessage, MemoryJournal, MessagesState, ScriptedModel, StateGraph, ToolMessage, ToolNode
from holter.agent import Agent, Run
from holter.journal.event import CacheHit, Event, ToolFailed, ToolRefused, ToolStarted
from holter.journal.fold import Fold
from holter.tools import Tool, tool
from holter.tools.drive import drive
from holter.tools.wrap import approve, cached, circuit_breaker, limit_calls, mock, redact, retry, timeout
from tests.agent.sample import call
from tests.agent.ways import WAYS, Way, in_async, in_sync
from tests.graph.validity import check_history


def results(run: Run) -> list[tuple[str, str]]:
    """Status and text of each result, in order."""
    return [(message.status, message.text) for message in run.messages if isinstance(message, ToolMessage)]


def events(run: Run, kind: type[Any]) -> list[Any]:
    """The run's events of one kind."""
    found: list[Event] = [entry.event for entry in drive(run.journal.read(run.thread))]
    return [event for event in found if isinstance(event, kind)]


def asking(*calls: dict[str, Any], answer: str = "done") -> ScriptedModel:
    """A model that makes each of the calls in an answer of its own, and then answers."""
    return ScriptedModel([*([one] for one in calls), answer])


@pytest.fixture(params=[False, True])
def is_async(request: pytest.FixtureRequest) -> bool:
    """Whether the tool is asynchronous."""
    return bool(request.param)


def counting(is_async: bool, **options: Any) -> tuple[Tool, list[int]]:
    """A tool that fails as often as it is told, and the numbers that it was entered with."""
    seen: list[int] = []

    def look(n: int, failures: int = 0) -> str:
        """Look."""
        seen.append(n)
        if seen.count(n) <= failures:
            raise ConnectionError(f"down {n}")
        return f"saw {n}"

    async def look_later(n: int, failures: int = 0) -> str:
        """Look."""
        await asyncio.sleep(0)
        return look(n, failures)

    return Tool(look_later if is_async else look, name="look", **options), seen


@pytest.mark.parametrize("way", WAYS)
def test_retry_and_cache(way: Way, is_async: bool) -> None:
    """A call that fails twice is tried three times; the same call again is a hit. Each is an event."""
    look, seen = counting(is_async, read_only=True)
    model = asking(call("look", n=1, failures=2), call("look", failures=2, n=1))
    run = way(Agent(model, tools=[look], wrap_tool_call=[cached(), retry(wait=0)]), "go")
    assert (run.status, results(run), seen) == ("done", [("success", "saw 1")] * 2, [1, 1, 1])
    assert [event.attempt for event in events(run, ToolStarted)] == [1, 2, 3]
    assert [event.wait_s for event in events(run, ToolFailed)] == [0.0, 0.0]
    assert [event.rate for event in events(run, CacheHit)] == [0.5]
    check_history(run.messages)


@pytest.mark.parametrize("way", WAYS)
def test_a_retry_that_gives_up(way: Way, is_async: bool) -> None:
    """Is a result that says so, and the run goes on."""
    look, seen = counting(is_async, idempotent=True)
    run = way(Agent(asking(call("look", n=1, failures=9)), tools=[look], wrap_tool_call=retry(attempts=2, wait=0)), "go")
    assert (run.status, run.answer, seen) == ("done", "done", [1, 1])
    assert [status for status, _ in results(run)] == ["error"]
    assert [event.wait_s for event in events(run, ToolFailed)] == [0.0, None]


@pytest.mark.parametrize("way", WAYS)
def test_approval_across_a_question(way: Way, is_async: bool) -> None:
    """The run stops with the arguments; with the answer it goes on with those that the person gave."""
    look, seen = counting(is_async)
    agent = Agent(asking(call("look", "c1", n=1), call("look", "c2", n=2)), tools=[look], wrap_tool_call=[approve()])
    run = way(agent, "go")
    assert run.status == "interrupted"
    (question,) = run.interrupts
    assert question.value == {"type": "approval", "tool": "look", "args": {"n": 1}, "tool_call_id": "c1"}
    run = agent.resume(run.thread, {"grant": True, "args": {"n": 7}})
    assert (run.status, seen) == ("interrupted", [7])
    run = way(agent, Command(resume={"grant": False, "reason": "enough"}), thread=run.thread)
    assert (run.status, seen) == ("done", [7])
    assert results(run)[0] == ("success", "saw 7")
    assert "declined it: enough" in results(run)[1][1]
    assert [made["args"] for message in run.messages for made in getattr(message, "tool_calls", ())] == [{"n": 1}, {"n": 2}]
    assert [event.by for event in events(run, ToolRefused)] == ["approve"]
    check_history(run.messages)


@pytest.mark.parametrize("way", WAYS)
def test_calls_of_a_run_are_counted_in_the_journal(way: Way, is_async: bool) -> None:
    """Across batches; over the limit the model is told so, and a new run begins anew."""
    look, seen = counting(is_async)
    batches: list[Any] = [[call("look", n=1), call("look", n=2)], [call("look", n=3), call("look", n=4)], "done"]
    agent = Agent(ScriptedModel(batches * 2), tools=[look], wrap_tool_call=limit_calls(per_run=3))
    run = way(agent, "go", thread="t")
    assert sorted(seen) == [1, 2, 3]
    assert [status for status, _ in results(run)] == ["success", "success", "success", "error"]
    assert "a run may make 3 calls" in results(run)[3][1]
    run = way(agent, "again", thread="t")
    assert sorted(seen) == [1, 1, 2, 2, 3, 3]
    check_history(run.messages)


@pytest.mark.parametrize("way", [in_sync, in_async])
def test_calls_are_counted_across_a_question_and_in_another_process(way: Way) -> None:
    """A run that is resumed goes on counting, by an agent that has seen nothing but the journal."""
    journal = MemoryJournal()

    def agent(*answers: Any) -> Agent:
        wrappers = [limit_calls(per_tool=2), approve(when=lambda request: request.tool_call["args"]["n"] == 2)]
        return Agent(ScriptedModel(answers), tools=[counting(False)[0]], wrap_tool_call=wrappers, journal=journal)

    run = way(agent([call("look", n=1), call("look", n=2)]), "go", thread="t")
    assert run.status == "interrupted"
    run = way(agent([call("look", n=3)], "done"), Command(resume=True), thread="t")
    assert [status for status, _ in results(run)] == ["success", "success", "error"]
    assert "may be called 2 times in a run" in results(run)[2][1]


def test_calls_of_the_history_are_not_those_of_the_run() -> None:
    """What a conversation holds when it begins was not asked for by this run; what it leaves open is."""
    look, seen = counting(False)
    history = [HumanMessage("before"), call_message("a", 1), ToolMessage("saw 1", tool_call_id="a", name="look")]
    agent = Agent(asking(call("look", n=2), call("look", n=3)), tools=[look], wrap_tool_call=limit_calls(per_run=1))
    run = agent.run("go", history=history)
    assert seen == [2]
    graph = StateGraph(MessagesState).add_node("tools", ToolNode([look], wrap_tool_call=limit_calls(per_run=1)))
    graph.add_edge(START, "tools").add_edge("tools", END)
    found = graph.compile().invoke({"messages": [*history, call_message("b", 4, 5)]})["messages"]
    assert [message.status for message in found[-2:]] == ["success", "error"]
    assert seen == [2, 4]
    check_history(run.messages)


def call_message(prefix: str, *numbers: int) -> Any:
    """An answer with a call for each number."""
    calls = [call("look", prefix if len(numbers) == 1 else f"{prefix}{n}", n=n) for n in numbers]
    return {"role": "assistant", "content": "", "tool_calls": calls}


@pytest.mark.parametrize("way", WAYS)
def test_a_timeout(way: Way) -> None:
    """Ends an asynchronous tool; the model is told, and the run goes on."""

    @tool(idempotent=True)
    async def sleep(s: float) -> str:
        """Sleep."""
        await asyncio.sleep(s)
        return "slept"

    wrappers = [timeout(0.05, tools=["sleep"])]
    run = way(Agent(asking(call("sleep", s=30), call("sleep", s=0)), tools=[sleep], wrap_tool_call=wrappers), "go")
    assert [status for status, _ in results(run)] == ["error", "success"]
    assert "0.05 s" in results(run)[0][1]
    assert run.seconds < 10


@pytest.mark.parametrize("way", WAYS)
def test_a_circuit_breaker_over_two_runs(way: Way, is_async: bool) -> None:
    """What failed in one run is left alone in the next."""
    look, seen = counting(is_async)
    agent = Agent(ScriptedModel([[call("look", n=1, failures=9)], "no"] * 3), tools=[look], wrap_tool_call=circuit_breaker(failures=2))
    runs = [way(agent, "go") for _ in range(3)]
    assert seen == [1, 1]
    assert "2 times in a row" in results(runs[2])[0][1]
    assert [event.by for event in events(runs[2], ToolRefused)] == ["circuit_breaker"]


@pytest.mark.parametrize("way", WAYS)
def test_mocked_results(way: Way, is_async: bool) -> None:
    """The tool is not entered; what is raised is handled as if it had raised it."""
    look, seen = counting(is_async)
    model = asking(call("look", n=1), call("look", n=2))
    run = way(Agent(model, tools=[look], wrap_tool_call=mock({"look": ["one", ValueError("two")]})), "go")
    assert (results(run)[0], results(run)[1][0], seen) == (("success", "one"), "error", [])


def test_an_agent_refuses_a_wrapper_that_is_not_safe() -> None:
    """When it is built, naming the tool."""
    look, _ = counting(False)
    for wrapper in (retry(), cached()):
        with pytest.raises(ValueError, match="look is not"):
            Agent(ScriptedModel([]), tools=[look], wrap_tool_call=wrapper)
    with pytest.raises(ValueError, match="there is no tool 'gone'"):
        Agent(ScriptedModel([]), tools=[look], wrap_tool_call=timeout(1, tools=["gone"]))
    with pytest.raises(TypeError, match="a wrapper is a function"):
        Agent(ScriptedModel([]), tools=[look], wrap_tool_call=[3])  # type: ignore[list-item]
    Agent(ScriptedModel([]), tools=[look], wrap_tool_call=retry(unsafe=True))


@pytest.mark.parametrize("way", [in_sync, in_async])
def test_an_agent_inside_another_has_its_own(way: Way) -> None:
    """Its limit counts its own calls, and its questions are asked by the run around it."""
    look, seen = counting(False)
    wrappers = [limit_calls(per_run=1), approve()]
    inner = Agent(
        ScriptedModel([[call("look", "i1", n=1)], [call("look", "i2", n=2)], "found"]), tools=[look], wrap_tool_call=wrappers, name="helper"
    )
    outer = Agent(ScriptedModel([[call("helper", "o1", prompt="go")], "done"]), tools=[inner])
    run = way(outer, "go")
    assert run.status == "interrupted"
    run = way(outer, Command(resume=True), thread=run.thread)
    assert (run.status, seen, results(run)) == ("done", [1], [("success", "found")])


def test_a_tool_that_has_wrappers_of_its_own() -> None:
    """They count, are tried and are asked as those of the agent are."""
    look, seen = counting(False, idempotent=True)
    own = look.wrapped(limit_calls(per_tool=1), retry(wait=0))
    run = Agent(asking(call("look", n=1, failures=1), call("look", n=2)), tools=[own]).run("go")
    assert [status for status, _ in results(run)] == ["success", "error"]
    assert seen == [1, 1]


def test_wrappers_and_the_fold() -> None:
    """A thread whose wrappers said all they can is the same when it is read."""
    look, _ = counting(False, read_only=True)
    journal = MemoryJournal()
    wrappers = [limit_calls(per_run=3), cached(), circuit_breaker(failures=1), redact("xyz"), retry(wait=0)]
    calls = [call("look", n=1), call("look", n=1), call("look", n=2, failures=9), call("look", n=3)]
    run = Agent(asking(*calls), tools=[look], wrap_tool_call=wrappers, journal=journal).run("go", thread="t")
    fold = Fold.of(drive(journal.read("t")))
    assert fold.messages() == run.messages
    assert fold.redaction.patterns == ("xyz",)
    assert {event.kind for event in events(run, object)} >= {"cache_hit", "cache_miss", "tool_refused", "redact", "tool_failed"}
