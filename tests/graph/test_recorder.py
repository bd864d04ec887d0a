"""What a run writes together: an answer, and the start of the call that it asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from holter.agent import Agent, Run
from holter.errors import JournalConflict, JournalUnavailable, RunCancelled
from holter.graph import START, MessagesState, StateGraph
from holter.journal import Fold, MemoryJournal
from holter.journal.event import Answered, Cancelled, Event, RunStarted, ToolStarted
from holter.messages import AIMessage
from holter.models import ModelRequest, ScriptedModel
from holter.tools import Tool, ToolRuntime, tool
from tests.agent.sample import call


class Watched(MemoryJournal):
    """Keeps how the events came, append by append, and does something before the first append that begins a call."""

    def __init__(self, before: Callable[[Watched], object] = lambda journal: None) -> None:
        super().__init__()
        self.appends: list[list[str]] = []
        self._before = before
        self._is_done = False

    def append_here(self, thread: str, expected_seq: int, events: Sequence[Event]) -> int:
        """As that of a journal in memory."""
        if not self._is_done and any(isinstance(event, ToolStarted) for event in events):
            self._is_done = True
            self._before(self)
        length = super().append_here(thread, expected_seq, events)
        self.appends.append([event.kind for event in events])
        return length

    def from_outside(self, event: Event) -> None:
        """Appends what somebody else says of the thread."""
        super().append_here("t", asyncio.run(self.length("t")), [event])


def paying(paid: list[str]) -> Tool:
    """A tool that is told nothing but its arguments."""

    @tool
    def pay(to: str = "me") -> str:
        """Pays."""
        paid.append(to)
        return "paid"

    return pay


def kinds(journal: MemoryJournal) -> list[str]:
    """The kinds of a thread's events."""
    return [entry.event.kind for entry in asyncio.run(journal.read("t"))]


def run(journal: Watched, *tools: Tool, answer: Any = None) -> Run:
    """A run of an agent that calls `pay` once."""
    script = [answer or [call("pay", "c")], "ok"]
    return Agent(ScriptedModel(script), tools=tools, journal=journal).run("go", thread="t")


def test_an_answer_is_written_with_the_start_of_its_call() -> None:
    """Before the tool's function is entered; and the last answer with the end of the run."""
    journal = Watched()
    run(journal, paying([]))
    assert journal.appends == [
        ["run_started", "message"],
        ["model_started", "message", "tool_started"],
        ["message"],
        ["model_started", "message", "run_ended"],
    ]


def test_an_answer_is_written_before_anybody_sees_anything() -> None:
    """A tool that is told of the run, a wrapper, several calls, a listener: each may do something before a call begins."""

    @tool
    def pay(runtime: ToolRuntime) -> str:
        """Pays."""
        return str(runtime.idempotency_key)

    journal = Watched()
    assert run(journal, pay).messages[-2].text == "t:3:c"
    assert journal.appends[1:3] == [["model_started", "message"], ["tool_started"]]
    journal = Watched()
    run(journal, paying([]), answer=[call("pay", "c", to="a"), call("pay", "d", to="b")])
    assert journal.appends[1:4] == [["model_started", "message"], ["tool_started"], ["tool_started"]]
    journal = Watched()
    list(Agent(ScriptedModel([[call("pay", "c")], "ok"]), tools=[paying([])], journal=journal).stream("go", thread="t"))
    assert journal.appends[2:4] == [["message"], ["tool_started"]]


@pytest.mark.parametrize("count", [1, 3])
def test_answers_from_outside_in_between(count: int) -> None:
    """Stand in front of what was not appended yet; nothing is lost or doubled."""

    def say(journal: Watched) -> None:
        for number in range(count):
            journal.from_outside(Answered(key=f"other{number}", value=1))

    journal, paid = Watched(say), list[str]()
    made = run(journal, paying(paid))
    assert (made.answer, paid) == ("ok", ["me"])
    assert kinds(journal)[2 : 5 + count] == [*["answer"] * count, "model_started", "message", "tool_started"]
    assert Fold.of(asyncio.run(journal.read("t"))).messages() == made.messages


def test_a_cancellation_from_outside_in_between() -> None:
    """Is seen when the call has ended, as it is without anything held."""
    journal, paid = Watched(lambda journal: journal.from_outside(Cancelled(reason="enough"))), list[str]()
    with pytest.raises(RunCancelled, match="enough"):
        run(journal, paying(paid))
    fold = Fold.of(asyncio.run(journal.read("t")))
    assert [message.type for message in fold.messages()] == ["human", "ai", "tool"]
    assert (fold.open_calls, paid) == ([], ["me"])


def test_a_cancellation_while_the_model_is_asked() -> None:
    """Is seen before the call begins, however late it comes: nothing is done in a run that somebody has ended."""
    journal, paid = Watched(), list[str]()

    def answer(request: ModelRequest) -> Any:
        journal.from_outside(Cancelled(reason="enough"))
        return [call("pay", "c")]

    with pytest.raises(RunCancelled, match="enough"):
        Agent(ScriptedModel(answer), tools=[paying(paid)], journal=journal).run("go", thread="t")
    messages = Fold.of(asyncio.run(journal.read("t"))).messages()
    assert [message.type for message in messages] == ["human", "ai", "tool"]
    assert messages[-1].text == "Error: pay was not run: the run was cancelled."
    assert paid == []


def test_another_run_takes_the_thread_while_the_model_is_asked() -> None:
    """The answer is not its, and the call does not begin."""
    journal, paid = Watched(), list[str]()

    def answer(request: ModelRequest) -> Any:
        journal.from_outside(RunStarted(run="another"))
        return [call("pay", "c")]

    with pytest.raises(JournalConflict):
        Agent(ScriptedModel(answer), tools=[paying(paid)], journal=journal).run("go", thread="t")
    assert (kinds(journal)[2:], paid) == (["run_started"], [])


def test_an_answer_that_cannot_be_kept_as_it_is_is_not_held() -> None:
    """It is mended first, and the thread says so."""
    journal = Watched()
    run(journal, paying([]), answer=AIMessage("\ud800", tool_calls=[call("pay", "c")]))
    assert journal.appends[1:3] == [["model_started", "repair", "message"], ["tool_started"]]


def test_a_journal_that_fails_in_between() -> None:
    """The call does not begin. What was held is written with the next events: nothing is lost."""

    def fail(journal: Watched) -> None:
        raise JournalUnavailable("no disk")

    journal, paid = Watched(fail), list[str]()
    made = run(journal, paying(paid))
    assert made.messages[-2].text.startswith("Error: pay failed with JournalUnavailable: no disk.")
    assert (made.answer, paid) == ("ok", [])
    assert Fold.of(asyncio.run(journal.read("t"))).messages() == made.messages


def test_a_function_behind_an_agent() -> None:
    """Finds the answer in the thread: it may wait, or do what others see."""
    journal = Watched()
    seen: list[list[str]] = []
    builder = StateGraph(MessagesState).add_node("a", Agent(ScriptedModel(["ok"])))
    builder.add_node("b", lambda state: seen.append(kinds(journal)))
    builder.add_edge(START, "a").add_edge("a", "b").compile(journal=journal).invoke({"messages": ["go"]}, thread="t")
    assert seen == [["run_started", "message", "message"]]
