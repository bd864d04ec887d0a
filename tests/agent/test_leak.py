"""Calls that stand in an answer's text as markup: taken from there, said, and asked about where they have effects."""

import json
from pathlib import Path
from typing import Any

import pytest

from holter.agent import Agent
from holter.formats import read
from holter.journal import MemoryJournal
from holter.journal.event import MessageAdded, Repaired, ToolStarted
from holter.messages import AIMessage, ToolMessage
from holter.models import ScriptedModel
from holter.tools import tool
from holter.tools.drive import drive
from tests.agent.sample import calls_of, said
from tests.agent.ways import Way

CASES = {
    case["id"]: case
    for line in (Path(__file__).parents[1] / "cases" / "wire.jsonl").read_text().splitlines()
    for case in [json.loads(line)]
}
LEAKS = ["c068", "c070", "c073", "c075"]
MARKUP = '<tool_call>\n{"name": "pay", "arguments": {"euro": 5}}\n</tool_call>'

paid: list[int] = []


@tool(read_only=True)
def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"4 degrees in {city}"


@tool
def pay(euro: int) -> str:
    """Pay an invoice."""
    paid.append(euro)
    return f"{euro} € paid"


@tool
def search(q: str) -> str:
    """Search for something."""
    return q


@pytest.fixture(autouse=True)
def _nothing_is_paid() -> None:
    paid.clear()


def events(journal: MemoryJournal, thread: str = "t") -> list[Any]:
    """What the journal holds."""
    return [entry.event for entry in drive(journal.read(thread))]


def answer_of(case: dict[str, Any]) -> AIMessage:
    """The answer of a case's response."""
    [message] = read(json.dumps(case["input"]["response"]))[0].messages
    assert isinstance(message, AIMessage)
    return message


@pytest.mark.parametrize("name", LEAKS)
def test_a_leaked_call_is_run(way: Way, name: str) -> None:
    """Whatever the family of its markup, in the text or in the reasoning; the journal says so, and the history keeps no markup."""
    case = CASES[name]
    model = ScriptedModel([answer_of(case), "It is cold."])
    run = way(Agent(model, [get_weather], journal=(journal := MemoryJournal())), "Weather in Oslo?", thread="t")
    assert (run.status, run.answer) == ("done", "It is cold.")
    assert [(call["name"], call["args"]) for call in calls_of(run)] == [("get_weather", {"city": "Oslo"})]
    assert run.messages[2].text == "4 degrees in Oslo"
    assert [event.code for event in events(journal) if isinstance(event, Repaired)] == ["LEAK02" if name == "c073" else "LEAK01"]
    sent = model.requests[-1].messages[1]
    assert isinstance(sent, AIMessage)
    assert not set("<｜") & set(sent.text + (sent.reasoning or ""))


def test_the_event_comes_first_and_says_what_it_was() -> None:
    """Before the message that holds the call; with the markup, and the call's id."""
    agent = Agent(ScriptedModel([answer_of(CASES["c075"]), "ok"]), [get_weather], journal=(journal := MemoryJournal()))
    run = agent.run("go", thread="t")
    there = events(journal)
    [repair] = [event for event in there if isinstance(event, Repaired)]
    message = next(event for event in there if isinstance(event, MessageAdded) and isinstance(event.message, AIMessage))
    assert there.index(repair) < there.index(message)
    assert repair.call_id == calls_of(run)[0]["id"] == "recovered_1_0_0"
    assert repair.raw is not None
    assert repair.raw.startswith('<invoke name="get_weather">')
    assert repair.text.startswith("A call of get_weather stood in the text of the answer as markup and was taken from there; ")
    assert run.messages[1].text == "Let me look."


def test_one_with_effects_is_asked_about_first(way: Way) -> None:
    """Although the tool itself needs no approval; the question says why."""
    agent = Agent(ScriptedModel([f"I pay.\n{MARKUP}", "Paid."]), [pay], journal=(journal := MemoryJournal()))
    run = way(agent, "Pay it.", thread="t")
    assert run.status == "interrupted"
    [question] = run.interrupts
    assert question.value == {
        "type": "approval",
        "tool": "pay",
        "args": {"euro": 5},
        "tool_call_id": question.id,
        "reason": "the call stood as markup in the answer's text, where the model may only have spoken of it",
    }
    assert paid == []
    assert not any(isinstance(event, ToolStarted) for event in events(journal))
    assert agent.resume("t", True).answer == "Paid."
    assert paid == [5]


def test_it_is_asked_about_by_another_process_too() -> None:
    """The mark stands in the journal."""
    journal = MemoryJournal()
    Agent(ScriptedModel([MARKUP]), [pay], journal=journal).run("Pay it.", thread="t")
    run = Agent(ScriptedModel(["Not paid."]), [pay], journal=journal).resume("t", False)
    assert (run.answer, paid) == ("Not paid.", [])
    [result] = [message for message in run.messages if isinstance(message, ToolMessage)]
    assert "a person declined it" in result.text


def test_one_question_for_each_leaked_call_of_a_thread() -> None:
    """An answer to the first one is none to the second."""
    agent = Agent(ScriptedModel([MARKUP, MARKUP, "Paid twice."]), [pay])
    first = agent.run("Pay it.", thread="t")
    second = agent.resume("t", True)
    assert (second.status, paid) == ("interrupted", [5])
    assert first.interrupts[0].id != second.interrupts[0].id
    assert agent.resume("t", True).answer == "Paid twice."
    assert paid == [5, 5]


def test_only_leaked_calls_are_asked_about() -> None:
    """A call that came as one is run, in the same thread."""
    agent = Agent(ScriptedModel([MARKUP, [{"name": "pay", "args": {"euro": 7}}], "ok"]), [pay])
    agent.run("Pay it.", thread="t")
    assert agent.resume("t", True).status == "done"
    assert paid == [5, 7]


@pytest.mark.parametrize(
    "text",
    [
        f"Write it so:\n```\n{MARKUP}\n```",
        MARKUP.replace("pay", "steal"),
        MARKUP.removesuffix("</tool_call>"),
        MARKUP.replace('{"euro": 5}', '{"euro": '),
        '{"name": "pay", "arguments": {"euro": 5}}',
    ],
    ids=["code", "unknown", "cut", "broken", "plain"],
)
def test_what_is_no_call_is_text(text: str) -> None:
    """In code, of a name that was not offered, cut, damaged, or without markup: it is the answer, and nothing is run."""
    run = Agent(ScriptedModel([text]), [pay]).run("Pay it.")
    assert (run.status, run.answer, calls_of(run)) == ("done", text, [])


def test_what_the_output_limit_cut_off_is_no_call() -> None:
    """The call is whole, but what the model would have said of it is not."""
    answer = AIMessage(f"{MARKUP} And then", response_metadata={"finish_reason": "length"})
    run = Agent(ScriptedModel([answer]), [pay]).run("Pay it.")
    assert (run.status, calls_of(run)) == ("limit", [])


def test_where_no_tool_may_be_called_nothing_is_taken() -> None:
    """As the agent was told."""
    assert Agent(ScriptedModel([MARKUP]), [pay], tool_choice="none").run("Pay it.").answer == MARKUP


def test_calls_of_one_name() -> None:
    """c020: both run, each with its own result, in their order."""
    calls = [{"name": "search", "args": {"q": q}, "id": i, "type": "tool_call"} for i, q in (("s1", "x"), ("s2", "y"))]
    run = Agent(ScriptedModel([AIMessage("", tool_calls=calls), "done"]), [search]).run("go")
    results = [message for message in run.messages if isinstance(message, ToolMessage)]
    assert [(result.tool_call_id, result.text) for result in results] == [("s1", "x"), ("s2", "y")]
    assert run.answer == "done"


def test_an_answer_that_says_it_calls_and_does_not() -> None:
    """c021: no message of a tool; the model is asked once more, and what it says then counts."""
    leaky = AIMessage('calling <invoke name="x"></invoke>', response_metadata={"finish_reason": "tool_calls"})
    model = ScriptedModel([leaky, "Here you are."])
    run = Agent(model, [search]).run("go")
    assert said(run) == [("human", "go"), ("ai", "Here you are.")]
    again = Agent(ScriptedModel([leaky, leaky]), [search]).run("go")
    assert said(again) == [("human", "go"), ("ai", leaky.text)]
