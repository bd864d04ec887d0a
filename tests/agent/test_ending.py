"""How answers end a run: cut off, empty, of the wrong form, repeated; cases that broke somebody's agent."""

import time
from dataclasses import dataclass
from typing import Any

import pytest

from holter.agent import Agent, Limits
from holter.agent.repetition import NOTE
from holter.agent.verdict import NUDGE
from holter.errors import UnfitAnswer
from holter.journal.event import LimitReached, Repaired
from holter.messages import AIMessage, HumanMessage, ToolMessage, sendable
from holter.models import Answer, ScriptedModel
from holter.tools import Command, ToolRuntime, tool
from tests.agent.sample import add, call, forever, ls, said
from tests.agent.ways import Way


def _wire(name: str, call_id: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_two_calls_of_one_tool() -> None:
    """c020: both are run, each result stands at its own call."""

    @tool
    def search(q: str) -> str:
        """Search."""
        return q

    model = ScriptedModel([{"tool_calls": [_wire("search", "s1", '{"q": "x"}'), _wire("search", "s2", '{"q": "y"}')]}, "done"])
    results = [message for message in Agent(model, [search]).run("go").messages if isinstance(message, ToolMessage)]
    assert [(result.tool_call_id, result.content) for result in results] == [("s1", "x"), ("s2", "y")]


def test_calls_are_run_whatever_the_finish_reason_says() -> None:
    """c076: it says "stop"."""
    model = ScriptedModel([Answer([call("ls")], finish_reason="stop"), "done"])
    assert said(Agent(model, [ls]).run("go")) == [("human", "go"), ("ai", ""), ("tool", "[]"), ("ai", "done")]


@pytest.mark.parametrize("reason", [None, "tool_calls", "weird"])
def test_text_without_calls_is_the_answer(reason: str | None) -> None:
    """c078, c021: no reason at all, or one that speaks of calls that are not there."""
    run = Agent(ScriptedModel([{"content": "All done.", "finish_reason": reason}]), [ls]).run("go")
    assert (run.status, run.answer, run.steps) == ("done", "All done.", 2 if reason == "tool_calls" else 1)


@pytest.mark.parametrize("arguments", ['{"path": "a.html", "text": "<h1>', '{"path": "a.html"}', '{"path": "a.html", "text": "whole"}'])
def test_calls_of_an_answer_that_was_cut_off_are_not_run(arguments: str) -> None:
    """c043, c045: the model is told that it was cut off first, and what is missing second."""
    written: list[str] = []

    @tool
    def write_file(path: str, text: str) -> str:
        """Write a file."""
        written.append(text)
        return "ok"

    usage = {"input_tokens": 50, "output_tokens": 4096, "total_tokens": 4146}
    model = ScriptedModel(
        [Answer([{"name": "write_file", "args": arguments, "id": "w1"}], finish_reason="length", usage=usage), "I will send less."]
    )
    run = Agent(model, [write_file]).run("go")
    [result] = [message for message in run.messages if isinstance(message, ToolMessage)]
    assert written == []
    assert (result.tool_call_id, result.status) == ("w1", "error")
    assert "the output limit was reached after 4,096 tokens and the arguments were cut off; send smaller pieces" in result.text
    assert ("(missing: text)" in result.text) == (arguments == '{"path": "a.html"}')
    assert run.answer == "I will send less."


def test_a_text_that_was_cut_off(way: Way) -> None:
    """The run ends with the reason; what had come is kept."""
    run = way(Agent(ScriptedModel([{"content": "Once upon a", "finish_reason": "length"}], usage=None)), "Tell me a story.")
    assert (run.status, run.answer) == ("limit", "Once upon a")
    assert run.limit == "The run was stopped: the model's output limit cut the answer off (finish reason 'length')."


def test_an_answer_that_was_cut_off_before_it_began() -> None:
    """Asked again it would be cut off again; the thread ends with a note."""
    model = ScriptedModel([{"content": "", "reasoning_content": "hm", "finish_reason": "length"}], usage=None)
    run = Agent(model).run("go")
    assert (run.status, len(model.requests)) == ("limit", 1)
    assert said(run)[-1] == (
        "ai",
        "There is no answer: the model's output limit cut the answer off (finish reason 'length') before it said anything.",
    )


@pytest.mark.parametrize("reason", ["stop", "tool_calls", None])
def test_an_empty_answer_is_asked_for_once_more(way: Way, reason: str | None) -> None:
    """c080, c021: with a nudge, which is no part of the thread; neither is the empty answer."""
    model = ScriptedModel([[call("ls")], {"content": "", "finish_reason": reason}, "12 letters"])
    run = way(Agent(model, [ls]), "sum up the letters")
    assert said(run) == [("human", "sum up the letters"), ("ai", ""), ("tool", "[]"), ("ai", "12 letters")]
    assert model.requests[2].messages[-1] == HumanMessage(NUDGE)
    assert run.steps == 3
    assert (
        run.usage["output_tokens"]
        == sum(
            message.usage_metadata["output_tokens"] for message in run.messages if isinstance(message, AIMessage) and message.usage_metadata
        )
        + 4
    )


def test_an_answer_that_is_empty_twice(way: Way) -> None:
    """A plain note in the thread, and a run that failed; the next one goes on."""
    agent = Agent(ScriptedModel([[call("ls")], "", "", "well"]), [ls])
    run = way(agent, "go", thread="t")
    note = "The model gave no answer: what it said was empty, and empty again when it was asked once more."
    assert (run.status, run.answer, str(run.error)) == ("failed", None, note)
    assert isinstance(run.error, UnfitAnswer)
    assert said(run)[-1] == ("ai", note)
    assert way(agent, "again", thread="t").answer == "well"


def test_the_second_try_may_call_a_tool() -> None:
    """Then the run goes on as ever."""
    run = Agent(ScriptedModel(["", [call("ls")], "done"]), [ls]).run("go")
    assert (run.status, said(run)[2]) == ("done", ("tool", "[]"))


def test_an_image_is_an_answer() -> None:
    """Although it has no text."""
    model = ScriptedModel([AIMessage([{"type": "image", "url": "https://example.com/a.png"}])])
    assert (Agent(model).run("draw").status, len(model.requests)) == ("done", 1)


def test_results_that_are_too_long() -> None:
    """c101: each is cut to a quarter of the window, two to half of it; the whole stands in the artifact."""

    @tool
    def grep() -> str:
        """Search."""
        return "x" * 60_000

    model = ScriptedModel([[call("grep"), call("grep")], "ok"], window_tokens=8_000)
    run = Agent(model, [grep]).run("go")
    results = [message for message in run.messages if isinstance(message, ToolMessage)]
    assert run.answer == "ok"
    assert [len(result.text) <= 8_000 for result in results] == [True, True]
    assert [len(result.artifact) for result in results] == [60_000, 60_000]


def test_a_call_that_repeats_itself(way: Way) -> None:
    """c105: from the third time on the result says that nothing has changed, in the thread as in the request; at five the run ends."""
    orders = [{"p": "/", "n": 1}, {"n": 1, "p": "/"}]
    model = ScriptedModel(lambda request: [call("ls", **orders[len(request.messages) // 2 % 2])])
    run = way(Agent(model, [ls]), "list")
    results = [message.text for message in run.messages if isinstance(message, ToolMessage)]
    assert results == ["[]", "[]", *[f"[]\n\n{NOTE}"] * 3]
    assert [message.text for message in model.requests[-1].messages if isinstance(message, ToolMessage)] == results[:4]
    assert run.status == "limit"
    assert run.limit == (
        "The run was stopped before message 11: ls was called 5 times in a row with the same arguments, and came to the same result "
        "each time."
    )
    assert sendable(run.messages) == run.messages


def test_results_that_change_never_count() -> None:
    """Polling is no loop."""
    times = iter(range(100))

    @tool
    def poll() -> str:
        """Poll."""
        return f"{next(times) % 2}"

    model = ScriptedModel([[call("poll")]] * 20 + ["ready"])
    assert Agent(model, [poll]).run("go").answer == "ready"


def test_a_model_that_takes_the_hint() -> None:
    """The run goes on."""
    run = Agent(ScriptedModel([[call("ls")]] * 3 + ["It is empty."]), [ls]).run("go")
    assert (run.status, run.answer) == ("done", "It is empty.")


def test_repetition_without_a_limit() -> None:
    """The steps end it."""
    run = Agent(ScriptedModel(forever("ls")), [ls], limits=Limits(steps=8, repeats=None)).run("go")
    assert run.limit == "The run was stopped before message 17: the model was asked 8 times, which is the limit."


def test_a_run_that_was_stopped_goes_on(way: Way) -> None:
    """With None, under limits of its own; the thread is valid in between."""
    agent = Agent(ScriptedModel([[call("ls", n=1)], [call("ls", n=2)], "done"]), [ls], limits=Limits(steps=1))
    stopped = way(agent, "go", thread="t")
    assert (stopped.status, stopped.answer, len(stopped.messages)) == ("limit", None, 3)
    assert sendable(stopped.messages) == stopped.messages
    assert way(agent, None, thread="t", limits=Limits(steps=5)).answer == "done"


def test_a_limit_on_tokens() -> None:
    """Those of all answers together."""
    model = ScriptedModel(lambda request: [call("ls", n=len(request.messages))], usage={"total_tokens": 40})
    run = Agent(model, [ls], limits={"tokens": 100}).run("go")
    assert run.limit == "The run was stopped before message 7: the run used 120 tokens; the limit is 100."


def test_a_limit_on_time(way: Way) -> None:
    """In the middle of an answer, and of a call, which is answered with what is known."""

    @tool
    def sleep() -> str:
        """Sleep."""
        time.sleep(2)
        return "late"

    began = time.monotonic()
    run = way(Agent(ScriptedModel([Answer("late", delay_s=60)]), limits=Limits(seconds=0.1)), "go")
    assert run.status == "limit"
    assert "0.1 s," in (run.limit or "")
    run = way(Agent(ScriptedModel([[call("sleep")]]), [sleep], limits=Limits(seconds=0.1)), "go")
    assert run.status == "limit"
    assert said(run)[-1][0] == "tool"
    assert sendable(run.messages) == run.messages
    assert time.monotonic() - began < 1.5


def test_the_limit_is_in_the_journal() -> None:
    """Which, and the sentence."""
    run = Agent(ScriptedModel(forever("ls")), [ls], limits=Limits(steps=1)).stream("go")
    [limit] = [item.event for item in run if isinstance(getattr(item, "event", None), LimitReached)]
    assert (limit.limit, limit.value, limit.text) == ("steps", 1, run.limit)


def test_a_result_that_is_the_answer(way: Way) -> None:
    """Where every call of the answer was of such a tool, and went well."""

    @tool(return_direct=True)
    def direct(n: int) -> str:
        """Answer."""
        return f"direct {n}"

    run = way(Agent(ScriptedModel([[call("direct", n=1), call("direct", n=2)], "never"]), [direct]), "go")
    assert (run.status, run.answer) == ("done", "direct 1\n\ndirect 2")
    assert way(Agent(ScriptedModel([[call("direct", n=1), call("ls")], "model"]), [direct, ls]), "go").answer == "model"
    assert way(Agent(ScriptedModel([[call("direct", n="no")], "model"]), [direct]), "go").answer == "model"


def test_a_command_that_goes_to_the_end(way: Way) -> None:
    """The model is not asked again; the call is answered."""

    @tool
    def stop(runtime: ToolRuntime) -> Command[Any]:
        """Stop."""
        return Command(goto="__end__", update={"messages": [ToolMessage("stopped", tool_call_id=runtime.tool_call_id)]})

    model = ScriptedModel([[call("stop"), call("add", a=1, b=2)], "never"])
    run = way(Agent(model, [stop, add]), "go")
    assert (run.status, said(run)[2:], len(model.requests)) == ("done", [("tool", "stopped"), ("tool", "3")], 1)


@dataclass
class Weather:
    """The weather in a city."""

    city: str
    degrees: float


def test_an_answer_of_a_form(way: Way) -> None:
    """The value is the answer; the request says what is wanted; tools may be called before."""
    model = ScriptedModel([[call("ls")], '```json\n{"city": "Oslo", "degrees": 3}\n```'])
    run = way(Agent(model, [ls], response_format=Weather), "How is the weather?")
    assert run.answer == Weather("Oslo", 3.0)
    assert model.requests[0].response_format["json_schema"]["name"] == "Weather"


def test_one_round_of_repair(way: Way) -> None:
    """The model is told every error with its path; that is part of the thread."""
    model = ScriptedModel(['{"city": 1}', '{"city": "Oslo", "degrees": 3}'])
    run = way(Agent(model, response_format=Weather), "go")
    assert run.answer == Weather("Oslo", 3.0)
    assert said(run)[1:3] == [
        ("ai", '{"city": 1}'),
        (
            "human",
            "Your answer does not have the form that was asked for.\n- degrees: is missing; give a number\n"
            "- city: found 1, expected a string\nAnswer again with the whole JSON value, put right, and nothing else.",
        ),
    ]


def test_an_answer_that_stays_wrong(way: Way) -> None:
    """The run has failed, with all that is wrong; nothing is raised, the thread goes on being usable."""
    agent = Agent(ScriptedModel(["I do not know.", '{"city": "Oslo"}', '{"city": "Oslo", "degrees": 3}']), response_format=Weather)
    run = way(agent, "go", thread="t")
    assert (run.status, run.answer) == ("failed", None)
    assert isinstance(run.error, UnfitAnswer)
    assert run.error.problems == (("degrees", "is missing; give a number"),)
    assert way(agent, "again", thread="t").answer == Weather("Oslo", 3.0)


def test_what_was_read_as_its_type_is_an_event() -> None:
    """Nothing is changed without a trace."""
    run = Agent(ScriptedModel(['{"city": "Oslo", "degrees": "3"}']), response_format=Weather).stream("go")
    repairs = [item.event for item in run if isinstance(getattr(item, "event", None), Repaired)]
    assert [repair.text for repair in repairs] == ['value.degrees: the string "3" was read as 3']
    assert run.answer == Weather("Oslo", 3.0)
