"""The last look at a request: what is put right in it, what is told, and what it costs."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter import Agent
from holter.agent.proof import SENT, Proof, Proofreader, target_of
from holter.analysis.lint import lint_messages
from holter.errors import UnfitHistory
from holter.formats.target import names
from holter.journal.event import Noticed, Repaired
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.models import ScriptedModel
from holter.tools import tool
from holter.tools.drive import drive
from tests.agent.sample import call, step
from tests.agent.ways import Way


@tool
def silent(n: int = 0) -> str:
    """Say nothing."""
    return ""


def told(agent: Agent, thread: str) -> list[tuple[str, str]]:
    """Kind and code of what the journal says of requests."""
    journal = agent.compiled.own_journal()
    return [(e.event.kind, e.event.code) for e in drive(journal.read(thread, 0)) if isinstance(e.event, Repaired | Noticed)]


def test_what_is_sent_is_put_right_and_the_thread_is_not(way: Way) -> None:
    """Each repair is an event; an id that was mapped is the same in every later request."""
    model = ScriptedModel([[call("silent", "toolu.1")], [call("silent", "toolu.2", n=1)], "Nothing."])
    agent = Agent(model, [silent], system="Be brief.", target="anthropic")
    run = way(agent, "Listen.", thread="t")
    last = model.requests[-1].messages
    assert [message.text for message in last] == ["Be brief.", "Listen.", "", "(no output)", "", "(no output)"]
    assert list(last[:4]) == list(model.requests[1].messages)
    assert lint_messages(list(last), "anthropic") == []
    assert [message.text for message in run.messages] == ["Listen.", "", "", "", "", "Nothing."]
    assert [c["id"] for m in run.messages if isinstance(m, AIMessage) for c in m.calls] == ["toolu.1", "toolu.2"]
    assert told(agent, "t") == [("repair", "ID02"), ("repair", "CONT05")] * 2


OTHERS: list[Message] = [
    AIMessage("Hello."),
    AIMessage("", tool_calls=[call("find it", "x.1")]),
    ToolMessage("", tool_call_id="x.1", name="find it"),
]
"""What another provider took."""


def test_a_history_from_elsewhere_fits_its_new_provider() -> None:
    """Its ids, how it opens, and the tools that it called and that nobody offers now."""
    model = ScriptedModel(["Done."])
    agent = Agent(model, target="anthropic", history=OTHERS)
    agent.run("Go on.", thread="t")
    (request,) = model.requests
    assert [message.text for message in request.messages] == [
        "(The conversation so far was cut here.)",
        "Hello.",
        "",
        "(no output)",
        "Go on.",
    ]
    assert ([spec.name for spec in request.tools], request.tool_choice) == (["find it"], "none")
    assert {code for _, code in told(agent, "t")} == {"ROLE06", "ID02", "CONT05", "RUN10"}


def test_what_was_told_is_not_told_again() -> None:
    """The next run on the thread puts the same things right, and says nothing of them."""
    agent = Agent(ScriptedModel(["1", "2"]), target="anthropic", history=OTHERS)
    agent.run("a", thread="t")
    before = told(agent, "t")
    agent.run("b", thread="t")
    assert told(agent, "t") == before


CUT = [
    HumanMessage("Write it."),
    AIMessage("", invalid_tool_calls=[{"name": "silent", "args": '{"n": "1', "id": "c", "error": "cut off", "type": "invalid_tool_call"}]),
    ToolMessage("Error: cut off", tool_call_id="c", status="error"),
]
"""Arguments that no repair may complete."""


def test_what_stays_is_told_or_raised() -> None:
    """By the mode; a request that is not sent leaves the thread usable."""
    model = ScriptedModel(["Done."])
    agent = Agent(model, [silent], history=CUT)
    assert agent.run("Go on.", thread="t").answer == "Done."
    assert told(agent, "t") == [("finding", "ARG08")]

    strict = Agent(ScriptedModel(["Done."]), [silent], history=CUT, lint="error", target="openai")
    with pytest.raises(UnfitHistory, match=r"was not sent: openai would refuse it\. ARG08 args-truncated") as raised:
        strict.run("Go on.", thread="t")
    assert raised.value.target == "openai"
    assert strict.compiled.get_state({"configurable": {"thread_id": "t"}}).values["messages"][-1].text == "Go on."

    model = ScriptedModel(["Done."])
    lax = Agent(model, [silent], history=OTHERS, lint="off", target="anthropic")
    lax.run("Go on.", thread="t")
    assert [message.text for message in model.requests[0].messages] == ["Hello.", "", "", "Go on."]
    assert told(lax, "t") == []


def test_thinking_goes_off_where_it_is_lost() -> None:
    """For this request: the setting is changed, since what the model thought is not there."""
    model = ScriptedModel([[call("silent", "a")], "Done."])
    agent = Agent(model, [silent], target="anthropic", settings={"thinking": {"type": "enabled"}, "max_tokens": 9})
    agent.run("Go.")
    assert [request.settings for request in model.requests] == [
        {"thinking": {"type": "enabled"}, "max_tokens": 9},
        {"thinking": {"type": "disabled"}, "max_tokens": 9},
    ]


def test_the_target_is_told_by_the_model() -> None:
    """By what the model says of itself, else by its name."""
    model = ScriptedModel([[call("silent", "a")], "Done."])
    model.target = "deepseek-thinking"
    Agent(model, [silent]).run("Go.")
    sent = model.requests[-1].messages[1]
    assert isinstance(sent, AIMessage)
    assert sent.reasoning == ""
    model = ScriptedModel([[call("silent", "a")], "Done."])
    model.name = "mistral:mistral-large"
    Agent(model, [silent]).run("Go.")
    assert len(model.requests[-1].messages[1].calls[0]["id"]) == 9  # type: ignore[union-attr]


@pytest.mark.parametrize(("option", "text"), [({"target": "acme"}, "'acme' is no target"), ({"lint": "on"}, "found 'on'")])
def test_what_there_is_not(option: dict[str, Any], text: str) -> None:
    """Said when the agent is made."""
    with pytest.raises(ValueError, match=text):
        Agent(ScriptedModel([]), **option)


@pytest.mark.parametrize("name", [None, "anthropic", "deepseek-thinking"])
def test_a_step_costs_what_is_new(name: str | None) -> None:
    """However long the history is, also where every step has something to put right."""
    proof = Proof(Proofreader("warn", target_of(name, None, ""), offers_tools=True), None, is_first=True)
    history: list[Message] = [HumanMessage("Go.")]
    for number in range(200):
        sent, _ = proof.read(None, history, "same")
        assert len(sent) == len(history)
        history += step(number, result="", n=number)
    assert proof.looked == 1 + 2 * 199


CALLS = st.lists(
    st.builds(
        lambda n, i: {"name": n, "args": {}, "id": i, "type": "tool_call"},
        st.sampled_from(["a", "b c", ""]),
        st.sampled_from(["x", "y.1", None]),
    ),
    max_size=2,
)
HISTORY = st.lists(
    st.one_of(
        st.builds(HumanMessage, st.sampled_from(["", " ", "hi"])),
        st.builds(SystemMessage, st.sampled_from(["s", ""])),
        st.builds(lambda text, calls: AIMessage(text, tool_calls=calls), st.sampled_from(["", "ok", " "]), CALLS),
        st.builds(lambda text, i: ToolMessage(text, tool_call_id=i), st.sampled_from(["", "4"]), st.sampled_from(["x", "y.1", None])),
    ),
    max_size=6,
)


@given(HISTORY, st.sampled_from([None, *names()]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_what_leaves_is_clean(history: list[Message], target: str | None, has_system: bool) -> None:
    """For every target and any history: nothing that could be put right is left in a request, in the first one or a later one."""
    model = ScriptedModel([[call("silent", "c.1")], [call("silent", "c.2", n=1)], "Done."])
    Agent(model, [silent], target=target, history=history, system="Be brief." if has_system else None).run("Go.")
    for request in model.requests:
        left = [f for f in lint_messages(list(request.messages), target) if f.code in SENT and f.fixable and f.severity == "error"]
        assert left == []
