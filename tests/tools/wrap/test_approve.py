"""Asking a person before a call runs."""

from typing import Any

import pytest

from holter.graph import ToolNode
from holter.journal.event import ToolRefused
from holter.tools import Interruption, ToolRuntime, tool
from holter.tools.batch import run_batch_here
from holter.tools.execute import Executor
from holter.tools.wrap import approve, retry
from tests.tools.wrap.calls import WAYS, Way, asking, call


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def answered(wrappers: list[Any], answers: list[Any], **args: Any) -> Any:
    """What becomes of a call of `pay` with these answers, and the events."""
    events: list[Any] = []
    executor = Executor({"pay": pay}, wrappers)
    request = executor.request(call("pay", **args), ToolRuntime(emit=events.append))
    return run_batch_here(executor, [request], answers={0: answers})[0], events


@pytest.mark.parametrize("way", WAYS)
def test_a_person_is_asked_with_the_arguments(way: Way) -> None:
    """The question names the tool, its arguments and the call; calls that `when` leaves out are not asked about."""
    node = ToolNode([pay], wrap_tool_call=approve(when=lambda request: request.tool_call["args"]["amount"] > 10))
    assert way(node, asking(call("pay", amount=5)))[0].content == "paid 5"
    with pytest.raises(Interruption) as raised:
        way(node, asking(call("pay", amount=50)))
    assert raised.value.key == "c1"
    assert raised.value.value == {"type": "approval", "tool": "pay", "args": {"amount": 50}, "tool_call_id": "c1"}


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        (True, "paid 50"),
        ({"grant": True, "args": {"amount": 9}}, "paid 9"),
        ({"grant": True, "args": {"amount": "nine"}}, "pay was not run: its arguments do not fit."),
        (False, "pay was not run: a person declined it"),
        ({"grant": False, "reason": "too much"}, "a person declined it: too much."),
        ("yes", "paid 50"),
        (1, "neither grants nor declines"),
    ],
)
def test_what_the_answer_says(answer: Any, content: str) -> None:
    """True and False, other arguments, a reason; whatever else grants nothing. The model's call stays as it was."""
    outcome, events = answered([approve()], [answer], amount=50)
    assert content in outcome.result.content
    assert outcome.call["args"] == {"amount": 50}
    refusals = [event.by for event in events if isinstance(event, ToolRefused)]
    assert refusals == ([] if "paid" in content or "fit" in content else ["approve"])


def test_it_is_asked_once_however_often_it_is_tried() -> None:
    """A retry around an approval does not ask again; other arguments are another question."""
    tries: list[int] = []

    @tool("pay", idempotent=True)
    def failing(amount: int) -> str:
        """Pay."""
        tries.append(amount)
        raise ConnectionError("gone")

    executor = Executor({"pay": failing}, [retry(wait=0), approve()])
    request = executor.request(call("pay", amount=1), ToolRuntime())
    outcome = run_batch_here(executor, [request], answers={0: [True]})[0]
    assert tries == [1, 1, 1]
    assert outcome.result is not None
