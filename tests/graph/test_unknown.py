"""Calls that were started when their process ended: they are asked for, run again, or have failed, as their tool and the caller say."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from holter import Command, HumanMessage, MessagesState, SQLiteJournal, ToolNode, ToolRuntime, interrupt, tool
from holter.errors import GraphError
from holter.graph.compiled import CompiledGraph
from holter.journal.event import Answered, Event, Interrupted, MessageAdded, RunStarted, ToolStarted
from holter.journal.here import here
from holter.journal.journal import Journal
from holter.messages import AIMessage
from holter.tools.unknown import UnknownCalls
from tests.graph.validity import check_history
from tests.graph.ways import Way, graph_of, in_async, in_notebook, in_sync

_ran: list[str] = []


@tool
def send(runtime: ToolRuntime) -> str:
    """Has an effect."""
    _ran.append(f"send {runtime.idempotency_key}")
    return "sent"


@tool(idempotent=True)
async def put(runtime: ToolRuntime) -> str:
    """May be done twice."""
    _ran.append(f"put {runtime.idempotency_key}")
    return "put"


@tool(needs_approval=True)
def publish(runtime: ToolRuntime) -> str:
    """Has an effect, and asks something else."""
    _ran.append(f"publish {interrupt('how loud?')}")
    return "published"


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a graph."""
    _ran.clear()
    chosen: Way = request.param
    return chosen


@pytest.fixture
def journal(tmp_path: Path) -> Any:
    """A journal in a file."""
    with SQLiteJournal(tmp_path / "journal.db") as made:
        yield made


def cut_off(journal: Journal, *names: str, more: tuple[Event, ...] = ()) -> None:
    """A thread whose worker died when it had started these tools."""
    calls: list[dict[str, Any]] = [{"name": name, "args": {}, "id": f"c-{name}", "type": "tool_call"} for name in names]
    events: list[Event] = [
        RunStarted(run="dead", program="graph", input={}),
        MessageAdded(message=HumanMessage("go", id="h")),
        MessageAdded(message=AIMessage("", tool_calls=calls, id="a")),
        *more,
        *(ToolStarted(call_id=call["id"], name=call["name"]) for call in calls),
    ]
    here(journal, lambda journal: journal.append("t", 0, events))


def running(journal: Journal, unknown_calls: UnknownCalls = "ask") -> CompiledGraph:
    """A graph that runs the tools."""
    return graph_of(MessagesState, tools=ToolNode([send, put, publish], unknown_calls=unknown_calls)).compile(journal=journal)


def texts(state: dict[str, Any]) -> list[str]:
    """What the results say."""
    check_history(state["messages"])
    return [message.text for message in state["messages"][2:]]


def test_an_idempotent_tool_runs_again(way: Way, journal: Journal) -> None:
    """With the key that it had before."""
    cut_off(journal, "put")
    assert texts(way(running(journal), None, thread="t")) == ["put"]
    assert _ran == ["put t:2:c-put"]


def test_another_one_is_asked_for(way: Way, journal: Journal) -> None:
    """Beside those that run again; the question says which call it was."""
    cut_off(journal, "send", "put")
    asked = way(running(journal), None, thread="t")["__interrupt__"]
    assert [(one.id, one.value) for one in asked] == [
        (
            "c-send~1",
            {
                "type": "unknown",
                "tool": "send",
                "args": {},
                "tool_call_id": "c-send",
                "attempts": 1,
                "answers": ["again", {"result": "…"}, "fail"],
            },
        )
    ]
    assert _ran == ["put t:2:c-put"]
    assert way(running(journal), None, thread="t")["__interrupt__"] == asked


@pytest.mark.parametrize(
    ("answer", "text", "runs"),
    [
        ("again", "sent", 1),
        (True, "sent", 1),
        ({"result": "it went out"}, "it went out", 0),
        ({"result": {"id": 7}}, '{"id": 7}', 0),
        (
            "fail",
            "Error: send was started, and the process ended before it answered. Whether it took effect is not known: find out before "
            "calling it again.",
            0,
        ),
        (
            {"fail": "The server is gone."},
            "Error: send was started, and the process ended before it answered. Whether it took effect is not known: find out before "
            "calling it again. The server is gone.",
            0,
        ),
    ],
)
def test_what_answers_mean(way: Way, journal: Journal, answer: Any, text: str, runs: int) -> None:
    """Run it again, here is its result, or nobody knows."""
    cut_off(journal, "send")
    graph = running(journal)
    way(graph, None, thread="t")
    assert texts(way(graph, Command(resume=answer), thread="t")) == [text]
    assert _ran == ["send t:2:c-send"] * runs


def test_an_answer_that_says_nothing(way: Way, journal: Journal) -> None:
    """Is an error that says what would; the question stays open."""
    cut_off(journal, "send")
    graph = running(journal)
    way(graph, None, thread="t")
    with pytest.raises(GraphError, match='"again" runs it again'):
        way(graph, Command(resume="maybe"), thread="t")
    assert [one.id for one in graph.get_state(thread="t").interrupts] == ["c-send~1"]


@pytest.mark.parametrize(("policy", "text", "runs"), [("again", "sent", 1), ("fail", "Error: send was started", 0)])
def test_a_policy_of_the_caller(way: Way, journal: Journal, policy: UnknownCalls, text: str, runs: int) -> None:
    """Nobody is asked."""
    cut_off(journal, "send")
    [said] = texts(way(running(journal, policy), None, thread="t"))
    assert said.startswith(text)
    assert len(_ran) == runs


def test_the_call_has_questions_of_its_own(way: Way, journal: Journal) -> None:
    """Their answers go to them, and that to the unknown start to it; cut off again, it is asked again."""
    approval = Interrupted(key="c-publish", value={"type": "approval"})
    cut_off(journal, "publish", more=(approval, Answered(key="c-publish", value=True)))
    graph = running(journal)
    assert [one.id for one in way(graph, None, thread="t")["__interrupt__"]] == ["c-publish~1"]
    assert [one.id for one in way(graph, Command(resume="again"), thread="t")["__interrupt__"]] == ["c-publish/1"]
    length = here(journal, lambda journal: journal.length("t"))
    here(
        journal,
        lambda journal: journal.append(
            "t", length, [Answered(key="c-publish/1", value="very"), RunStarted(run="dead too"), ToolStarted(call_id="c-publish", name="")]
        ),
    )
    assert [one.id for one in way(graph, None, thread="t")["__interrupt__"]] == ["c-publish~3"]
    assert texts(way(graph, Command(resume="again"), thread="t")) == ["published"]
    assert _ran == ["publish very"]


def test_somebody_who_says_something_else_closes_it(way: Way, journal: Journal) -> None:
    """The result says that the call was started, and that nobody knows what it did."""
    cut_off(journal, "send")
    graph = running(journal)
    way(graph, None, thread="t")
    state = way(graph, {"messages": [HumanMessage("never mind")]}, thread="t")
    check_history(state["messages"])
    assert state["messages"][2].text.startswith("Error: send was started, and another request came first before it answered.")


def test_the_policy_is_one_of_three() -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match='unknown_calls is "ask", "again" or "fail"'):
        ToolNode([send], unknown_calls="perhaps")  # type: ignore[arg-type]  # the point of the test


def test_a_question_stands_there_while_others_run(journal: Journal) -> None:
    """A process that ends meanwhile does not make the call that asked one of which nobody knows what it did."""

    @tool
    async def ask() -> str:
        """Asks."""
        return f"answered {interrupt('?')}"

    @tool(idempotent=True)
    async def slow() -> str:
        """Takes long."""
        await asyncio.sleep(60)
        return "never"

    async def main() -> None:
        calls: list[dict[str, Any]] = [{"name": name, "args": {}, "id": f"c-{name}", "type": "tool_call"} for name in ("ask", "slow")]
        run = asyncio.create_task(graph.ainvoke({"messages": [HumanMessage("go"), AIMessage("", tool_calls=calls)]}, thread="t"))
        while not any(isinstance(entry.event, Interrupted) for entry in await journal.read("t")):
            await asyncio.sleep(0.005)
        run.cancel()
        await asyncio.wait([run])

    graph = graph_of(MessagesState, tools=ToolNode([ask, slow])).compile(journal=journal)
    asyncio.run(main())
