"""What an agent must not show leaves it nowhere; the model and the program have it."""

from typing import Any

import msgspec
import pytest

from holter import START, Command, MemoryJournal, MessagesState, ScriptedModel, StateGraph, ToolRuntime
from holter import write as write_log
from holter.agent import Agent, Run
from holter.graph.item import Custom, Delta, StepEnded, TaskBegan
from holter.journal.entry import Entry
from holter.journal.fold import Fold
from holter.tools import tool
from holter.tools.drive import drive
from holter.tools.wrap import approve, redact, retry
from tests.agent.sample import call
from tests.agent.ways import WAYS, Way

SECRET = "4111-1111-2222"
PATTERN = r"\d{4}-\d{4}-\d{4}"


@tool(idempotent=True)
def pay(card: str, runtime: ToolRuntime) -> str:
    """Pay.

    Args:
        card: The card.
    """
    runtime.stream_writer({"charging": card})
    if runtime.attempt == 1:
        raise ConnectionError(f"the bank does not know {card}")
    return f"paid with {card}"


def model(**options: Any) -> ScriptedModel:
    """A model that pays, and says with what; its answers come in pieces that hold no whole number."""
    return ScriptedModel([[call("pay", card=SECRET)], f"I paid with {SECRET}."], chunk=3, **options)


def agent(**options: Any) -> Agent:
    """An agent that pays."""
    wrappers = [*options.pop("outside", []), retry(wait=0), redact(PATTERN)]
    return Agent(options.pop("model", None) or model(), tools=[pay], wrap_tool_call=wrappers, **options)


def plain(item: Any) -> str:
    """All that an item holds, as text."""
    match item:
        case TaskBegan():
            return repr(item.input)
        case StepEnded():
            return repr(item.values)
        case _:
            return repr(item)


@pytest.mark.parametrize("way", WAYS)
def test_the_program_and_the_model_have_the_value(way: Way) -> None:
    """In the answer, in the messages, in the state and in the requests."""
    said = model()
    run = way(agent(model=said), f"pay with {SECRET}")
    assert run.answer == f"I paid with {SECRET}."
    assert [SECRET in message.text for message in run.messages] == [True, False, True, True]
    assert [SECRET in repr(request.messages) for request in said.requests] == [True, True]
    assert SECRET in repr(run.state)


def test_what_is_streamed() -> None:
    """Holds it nowhere, from the first item on, also where it comes in pieces; a piece of it is nowhere either."""
    run = agent().stream(f"pay with {SECRET}")
    items = list(run)
    assert all("4111-" not in plain(item) and "1-11" not in plain(item) for item in items)
    assert {type(item) for item in items} == {Entry, Delta, Custom}
    text = "".join(item.chunk.text for item in items if isinstance(item, Delta))
    assert text == "I paid with [redacted]."
    assert [item.value for item in items if isinstance(item, Custom)] == [{"charging": "[redacted]"}] * 2
    assert run.answer == f"I paid with {SECRET}."


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "custom", "tools", "tasks", "checkpoints", "debug", "events"])
def test_every_form_of_a_stream(mode: Any) -> None:
    """Of a graph holds it nowhere."""
    graph = agent().compiled
    chunks = list(graph.stream({"messages": [("user", f"pay with {SECRET}")]}, stream_mode=mode))
    assert chunks
    assert all("4111-" not in plain(chunk) for chunk in chunks)


def test_the_journal() -> None:
    """Holds it only in what the run goes on from; who reads the thread knows what is not to be shown of it."""
    journal = MemoryJournal()
    run = agent(journal=journal).run(f"pay with {SECRET}", thread="t")
    entries = drive(journal.read("t"))
    told = [entry.event for entry in entries if SECRET in msgspec.json.encode(entry.event).decode()]
    assert {event.kind for event in told} == {"message"}
    assert [event.kind for event in told] == ["message"] * 4
    assert Fold.of(entries).redaction.patterns == (PATTERN,)
    assert [entry.event.kind for entry in entries].count("redact") == 1
    assert Fold.of(entries).messages() == run.messages


def test_a_run_that_fails() -> None:
    """Its error and its tracebacks are kept without it; the program gets what was raised."""
    journal = MemoryJournal()
    failing = Agent(model(), tools=[pay], wrap_tool_call=redact(PATTERN), handle_tool_errors=False, journal=journal)
    with pytest.raises(ConnectionError, match=SECRET):
        failing.run("pay", thread="t")
    kept = [entry.event for entry in drive(journal.read("t")) if entry.event.kind in ("run_ended", "tool_failed")]
    assert [SECRET in repr(event) for event in kept] == [False] * len(kept)
    assert "[redacted]" in repr(kept[-1])


def shown(run: Run, capsys: pytest.CaptureFixture[str]) -> str:
    """What `show` prints."""
    run.show(width=100)
    return capsys.readouterr().out


def test_what_is_shown_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    """`show`, and the conversation that is written into a log."""
    run = agent().run(f"pay with {SECRET}")
    text = shown(run, capsys)
    assert SECRET not in text
    assert "I paid with [redacted]." in text
    written = write_log(run.conversation(), "openai")
    assert SECRET not in str(written)
    assert "[redacted]" in str(written)


def test_what_is_asked() -> None:
    """A question shows it as it is shown; the call runs with the value."""
    asking = agent(outside=[approve()])
    run = asking.run("pay")
    (question,) = run.interrupts
    assert question.value["args"] == {"card": "[redacted]"}
    run = asking.resume(run.thread, True)
    assert run.answer == f"I paid with {SECRET}."


def test_questions_of_a_graph() -> None:
    """Under "__interrupt__", in `get_state` and in a stream."""
    graph = Agent(model(), tools=[pay], wrap_tool_call=[approve(), redact(PATTERN)]).compiled
    found = graph.invoke({"messages": [("user", "pay")]}, thread="t")
    assert found["__interrupt__"][0].value["args"] == {"card": "[redacted]"}
    state = graph.get_state(thread="t")
    assert state.interrupts[0].value["args"] == {"card": "[redacted]"}
    assert state.tasks[0].interrupts[0].value["args"] == {"card": "[redacted]"}
    assert SECRET in repr(graph.invoke(Command(resume=True), thread="t"))


@pytest.mark.parametrize("is_node", [False, True])
def test_an_agent_inside(is_node: bool) -> None:
    """Says it for the run around it, too, which begins before it; and the other way round."""
    inner = agent(name="payer")
    if is_node:
        builder = StateGraph(MessagesState).add_node("payer", inner).add_edge(START, "payer")
        graph = builder.compile(journal=MemoryJournal())
    else:
        asked = ScriptedModel([[call("payer", prompt=f"pay with {SECRET}")], f"It paid with {SECRET}."])
        graph = Agent(asked, tools=[inner], journal=MemoryJournal()).compiled
    chunks = list(graph.stream({"messages": [("user", f"pay with {SECRET}")]}, thread="t", stream_mode="events", subgraphs=True))
    assert all("4111-" not in plain(item) for _, item in chunks)
    assert any(namespace for namespace, _ in chunks)
    assert graph.journal is not None
    threads = [thread.id for thread in drive(graph.journal.threads())]
    assert len(threads) == 2
    for thread in threads:
        fold = Fold.of(drive(graph.journal.read(thread)))
        assert fold.redaction.patterns == (PATTERN,)
        assert SECRET in repr(fold.messages())


def test_a_later_run_without_the_wrapper() -> None:
    """The thread still says what is not to be shown of it."""
    journal = MemoryJournal()
    agent(journal=journal).run("pay", thread="t")
    later = Agent(ScriptedModel([f"It was {SECRET}."]), journal=journal)
    items = list(later.stream("which card?", thread="t"))
    assert all("4111-" not in plain(item) for item in items)
