"""Tools that a person has to approve."""

from typing import Any

import pytest

from holter.agent import Agent
from holter.errors import GraphError
from holter.graph import ToolNode
from holter.messages import AIMessage, ToolMessage
from holter.models import ScriptedModel
from holter.tools import Interruption, ToolRuntime, interrupt, tool
from holter.tools.approval import Decision, decision
from holter.tools.drive import drive
from holter.tools.execute import Executor, Outcome
from holter.tools.wrap import approve

PAID: list[int] = []


@tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    PAID.append(amount)
    return f"paid {amount}"


CALL = {"name": "pay", "args": {"amount": 5}, "id": "c1", "type": "tool_call"}


@pytest.fixture(autouse=True)
def nothing_paid() -> None:
    """Each test begins with nothing paid."""
    PAID.clear()


def ran(*answers: Any) -> Outcome:
    """What became of the call with these answers."""
    executor = Executor({"pay": pay})
    return drive(executor.run(executor.request(CALL, ToolRuntime()), answers, inline=True))


def test_it_does_not_run_before_a_person_said_so() -> None:
    """The question holds the tool and the arguments, under the call's id."""
    error = ran().error
    assert isinstance(error, Interruption)
    assert (error.key, error.value) == ("c1", {"type": "approval", "tool": "pay", "args": {"amount": 5}, "tool_call_id": "c1"})
    assert PAID == []


def test_the_node_asks_too() -> None:
    """Outside a graph nobody can answer, so the question is raised and nothing runs."""
    with pytest.raises(Interruption):
        ToolNode([pay]).invoke([AIMessage("", tool_calls=[CALL])])
    assert PAID == []


def test_granted_it_runs_once() -> None:
    """With a yes the result is the tool's."""
    assert ran(True).result == ToolMessage("paid 5", tool_call_id="c1", name="pay")
    assert PAID == [5]


def test_other_arguments_may_be_given() -> None:
    """The person's arguments are checked like the model's."""
    assert ran({"grant": True, "args": {"amount": "3"}}).result == ToolMessage("paid 3", tool_call_id="c1", name="pay")
    refused = ran({"grant": True, "args": {"amount": "much"}}).result
    assert isinstance(refused, ToolMessage)
    assert refused.status == "error"
    assert PAID == [3]


def test_declined_the_model_is_told_why() -> None:
    """A no is a result that says so."""
    text = "pay was not run: a person declined it: too dear. Do not call it again with the same arguments."
    assert ran({"grant": False, "reason": "too dear"}).result == ToolMessage(text, tool_call_id="c1", name="pay", status="error")
    assert PAID == []


def test_bad_arguments_ask_nobody() -> None:
    """A call that could not run anyway is answered without a question."""
    executor = Executor({"pay": pay})
    outcome = drive(executor.run(executor.request({**CALL, "args": {}}, ToolRuntime()), inline=True))
    assert isinstance(outcome.result, ToolMessage)
    assert outcome.result.status == "error"


def test_a_retry_does_not_ask_again() -> None:
    """One yes holds for every try of the call."""

    def twice(request: Any, execute: Any) -> Any:
        execute(request)
        return execute(request)

    executor = Executor({"pay": pay}, [twice])
    outcome = drive(executor.run(executor.request(CALL, ToolRuntime()), [True], inline=True))
    assert outcome.result == ToolMessage("paid 5", tool_call_id="c1", name="pay")
    assert PAID == [5, 5]


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        (True, Decision(True)),
        (False, Decision(False)),
        ("yes", Decision(True)),
        (" Approve ", Decision(True)),
        ("no", Decision(False)),
        ("reject", Decision(False)),
        ({"grant": True}, Decision(True)),
        ({"grant": True, "args": None, "reason": None}, Decision(True)),
        ({"grant": False, "reason": "no"}, Decision(False, None, "no")),
    ],
)
def test_what_an_answer_says(answer: Any, made: Decision) -> None:
    """True and False, a word for it, or more."""
    assert decision(answer) == made


@pytest.mark.parametrize(
    "answer",
    [
        1,
        0,
        "",
        "maybe",
        "yes, but smaller",
        None,
        [True],
        {"grant": "yes"},
        {"args": {}},
        {"grant": True, "args": [5]},
        {"grant": True, "arguments": {"amount": 3}},
        {"type": "approve"},
    ],
)
def test_what_says_neither_yes_nor_no(answer: Any) -> None:
    """Grants nothing, and is refused where an answer is taken: the question stays open."""
    assert decision(answer) is None
    result = ran(answer).result
    assert isinstance(result, ToolMessage)
    assert result.status == "error"
    assert PAID == []


@pytest.mark.parametrize("is_inside", [False, True])
@pytest.mark.parametrize("by", ["tool", "wrapper"])
def test_an_answer_that_says_neither_is_an_error(by: str, is_inside: bool) -> None:
    """That says what to answer; the question can be answered still. So in a run inside another."""
    payee, wrappers = (pay, []) if by == "tool" else (tool("pay", pay.function, description="Pay."), [approve()])
    agent = Agent(ScriptedModel([[CALL], "Done."]), [payee], wrap_tool_call=wrappers, name="clerk", description="Pays.")
    key = "c1"
    if is_inside:
        agent, key = Agent(ScriptedModel([[{"name": "clerk", "args": {"prompt": "Pay 5."}, "id": "k1"}], "Good."]), [agent]), "k1::c1"
    assert [question.id for question in agent.run("Pay.", thread="t").interrupts] == [key]
    for answer in (1, {"grant": True, "arguments": {}}, {key: "perhaps"}):
        with pytest.raises(GraphError, match=r'whether pay may run is no clear yes or no: `True` or "yes" grants it'):
            agent.resume("t", answer)
        with pytest.raises(GraphError):
            agent.compiled.answer("t", answer)
    assert PAID == []
    assert agent.resume("t", {key: "yes"}).status == "done"
    assert PAID == [5]


def test_a_question_of_the_tool_itself_takes_any_answer() -> None:
    """Only that of the approval is Holter's own."""

    @tool
    def ask() -> str:
        """Ask."""
        return str(interrupt({"type": "approval", "of": "the plan"}))

    agent = Agent(ScriptedModel([[{"name": "ask", "args": {}, "id": "a1"}], "Done."]), [ask])
    agent.run("Ask.", thread="t")
    assert agent.resume("t", "perhaps").messages[2].text == "perhaps"
