"""Threads of Holter's own journal: what happened in real runs."""

from collections.abc import Callable
from contextlib import suppress
from itertools import repeat
from typing import Annotated, Any

from holter import Agent, Command, Conversation, MemoryJournal, MessagesState, ScriptedModel, ToolCallRequest, ToolMessage, interrupt, tool
from holter.analysis.lint import lint, lint_thread
from holter.errors import InvalidUpdate
from holter.journal import Entry, Fold
from holter.journal.event import ToolStarted
from holter.tools.drive import drive
from tests.agent.sample import call

Found = list[tuple[str, str, int | None, int | None]]


class Files(MessagesState):
    """A state that two tools write."""

    files: list[str]


class Merged(MessagesState):
    """The same, with a rule for both."""

    files: Annotated[list[str], lambda old, new: [*(old or []), *new]]


@tool
def write(p: str) -> Command[Any]:
    """Write a file."""
    return Command(update={"files": [p]})


@tool(idempotent=True)
def look(p: str = "") -> str:
    """Look at something."""
    return f"{p}: 4 C"


@tool
def pay(euro: int) -> str:
    """Pay."""
    raise TimeoutError("no answer within 5 s")


@tool
def send(p: str = "") -> str:
    """Send a mail."""
    return f"sent {p}"


def twice(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
    """Runs a call a second time, whatever came of it."""
    try:
        execute(request)
    except TimeoutError:
        return execute(request)
    return execute(request)


def findings(agent: Agent, journal: MemoryJournal) -> Found:
    """(code, path, index, message) of what is found in the thread."""
    found = lint_thread(drive(journal.read("t", 0)), tools=agent.tools.values())
    return [(f.code, f.path or "", f.index, f.message) for f in found if f.severity != "info"]


def ran(script: list[Any], tools: list[Any], **options: Any) -> Found:
    """What is found in the thread of one run."""
    journal = MemoryJournal()
    agent = Agent(ScriptedModel(script), tools, journal=journal, **options)
    with suppress(InvalidUpdate, TimeoutError):
        agent.run("Go.", thread="t")
    return findings(agent, journal)


def test_a_plain_run_is_clean() -> None:
    """Calls beside each other, an error that was answered, a second run, and a repair that the runtime made."""
    journal = MemoryJournal()
    both = [call("look", "a", p="x"), call("look", "b", p="y")]
    script: list[Any] = [
        both,
        [call("nothing", "c")],
        [{"name": "look", "args": '{"p": "z"', "id": "d"}],
        "Done.",
        [call("look", "a", p="x")],
        "Again.",
    ]
    agent = Agent(ScriptedModel(script), [look], journal=journal)
    agent.run("Go.", thread="t")
    agent.run("Again.", thread="t")
    assert [one for one in findings(agent, journal) if one[0].startswith("RUN")] == []


def test_two_calls_that_write_one_field() -> None:
    """RUN03 says who; with a rule for the field there is nothing to say."""
    both = [call("write", "a", p="a.txt"), call("write", "b", p="b.txt")]
    (found,) = [one for one in ran([both, "Done."], [write], state_schema=Files) if one[0] == "RUN03"]
    assert found[1].startswith("events[")
    assert [one for one in ran([both, "Done."], [write], state_schema=Merged) if one[0] == "RUN03"] == []


def test_a_command_without_its_result() -> None:
    """RUN04, at the message with the call."""
    found = ran([[call("write", "a", p="a.txt")], "Done."], [write], state_schema=Files)
    assert [(code, message) for code, _, _, message in found] == [("RUN04", 1)]


def test_a_call_that_is_run_twice() -> None:
    """RUN01; the second start is the place."""
    (found,) = [one for one in ran([[call("send", "a", p="x")], "Done."], [send], wrap_tool_call=twice) if one[0] == "RUN01"]
    assert found[3] == 1


def test_a_retry_that_may_pay_twice() -> None:
    """RUN02, for a tool that is not said to be idempotent."""
    (found,) = [one for one in ran([[call("pay", "a", euro=9)], "Done."], [pay], wrap_tool_call=twice) if one[0] == "RUN02"]
    assert found[3] == 1


def test_results_stay_what_they_are() -> None:
    """A message that a wrapper makes without running the call is no finding."""

    def refuse(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
        del execute
        return ToolMessage("not today", tool_call_id=request.tool_call["id"], status="error")

    assert ran([[call("pay", "a", euro=9)], "Done."], [pay], wrap_tool_call=refuse) == []


@tool
def ask(p: str = "") -> str:
    """Ask a person, twice."""
    return f"{interrupt('sure?')} {interrupt('really?')}"


def test_a_tool_that_asks_starts_again() -> None:
    """From its top, with the answers that it has: that is no second run of the call."""
    journal = MemoryJournal()
    agent = Agent(ScriptedModel([[call("ask", "a"), call("look", "b")], "Done."]), [ask, look], journal=journal)
    run = agent.run("Go.", thread="t")
    while run.status == "interrupted":
        run = agent.resume("t", {question.id: "yes" for question in run.interrupts})
    assert findings(agent, journal) == []


def test_a_call_that_was_cut_off() -> None:
    """Nobody knows whether it ran: an idempotent tool may start again, another may not."""
    whole = MemoryJournal()
    agent = Agent(ScriptedModel([[call("look", "a"), call("pay", "b", euro=9)], "Done."]), [look, pay], journal=whole)
    agent.run("Go.", thread="t")
    entries = drive(whole.read("t", 0))
    started = [entry for entry in entries if isinstance(entry.event, ToolStarted)]
    cut = [*entries[: started[-1].seq + 1], *started]
    events = [entry.event for entry in cut]
    found = [f for f in lint_thread(map(Entry, range(len(events)), repeat(0.0), events), tools=agent.tools.values()) if f.code == "RUN01"]
    assert [f.text for f in found] == [f"call b of pay is run and was started at {started[-1].seq} already"]


def test_a_conversation_with_its_events() -> None:
    """A thread that was read from a journal is linted as any log; without the tools, a second run may have been safe."""
    journal = MemoryJournal()
    agent = Agent(ScriptedModel([[call("pay", "a", euro=9)], "Done."]), [pay], journal=journal, wrap_tool_call=twice)
    agent.run("Go.", thread="t")
    entries = drive(journal.read("t", 0))
    thread = Conversation(format="holter.journal", messages=Fold.of(entries).messages(), events=entries, position=3)
    found = [(f.code, f.severity, f.conversation, f.message) for f in lint(thread) if f.code.startswith("RUN")]
    assert found == [("RUN02", "warning", 3, 1)]
