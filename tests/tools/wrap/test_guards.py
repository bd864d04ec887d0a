"""Approval, limits, circuit breakers, redaction and mocks."""

import asyncio
import time
from typing import Any

import pytest

from holter.graph import ToolNode
from holter.journal.entry import Entry
from holter.journal.event import MessageAdded, Redacting, ToolFailed, ToolRefused, ToolStarted
from holter.journal.fold import Fold
from holter.messages import AIMessage, HumanMessage, ToolMessage
from holter.tools import Interruption, Tool, ToolRuntime, tool
from holter.tools.batch import run_batch_here
from holter.tools.execute import Executor
from holter.tools.wrap import approve, cached, circuit_breaker, limit_calls, mock, redact, retry
from tests.tools.wrap.calls import WAYS, Recorded, Way, asking, call


@tool(idempotent=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def note(text: str) -> str:
    """Note."""
    return text


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
        ("yes", "neither true nor false"),
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


@pytest.mark.parametrize("way", WAYS)
def test_calls_of_a_run_are_counted(way: Way) -> None:
    """Over the limit the model gets an error that says so, in the order of the calls; a new input begins anew."""
    node = ToolNode([pay, note], wrap_tool_call=limit_calls(per_run=3, per_tool=2))
    history: list[Any] = [HumanMessage("go")]
    calls = [call("pay", "a", amount=1), call("pay", "b", amount=2), call("pay", "c", amount=3), call("note", "d", text="x")]
    history += [AIMessage("", tool_calls=calls[:2])]
    history += way(node, history)
    history += [AIMessage("", tool_calls=calls[2:])]
    events: list[Any] = []
    results = way(node, history, emit=events.append)
    assert [result.status for result in results] == ["error", "error"]
    assert results[0].content == (
        "Error: pay was not run: pay may be called 2 times in a run, and that is used up; go on with what you have."
    )
    assert "a run may make 3 calls, and they are used up" in results[1].content
    assert {event.by for event in events if isinstance(event, ToolRefused)} == {"limit_calls"}
    again = [*history, *results, HumanMessage("again"), AIMessage("", tool_calls=[call("pay", "e", amount=1)])]
    assert way(node, again)[0].content == "paid 1"


def test_the_engine_may_say_how_many_there_were() -> None:
    """What the journal counts goes before what the messages show, and the calls of the batch are added to it."""
    executor = Executor({"pay": pay}, [limit_calls(per_run=5)])
    runtime: ToolRuntime[Any, Any] = ToolRuntime(asked=lambda: {"pay": 3})
    requests = [executor.request(call("pay", str(number), amount=number), runtime) for number in range(4)]
    results = [outcome.result for outcome in run_batch_here(executor, requests)]
    assert [getattr(result, "status", None) for result in results] == ["success", "success", "error", "error"]


def test_calls_a_minute() -> None:
    """All runs that share the wrapper share the minute; `tools` leaves others out."""
    limit = limit_calls(per_minute=2, tools=["pay"])
    runs = [Recorded(ToolNode([pay, note], wrap_tool_call=limit)) for _ in range(2)]
    assert [run("pay", amount=1).status for run in (*runs, *runs)] == ["success", "success", "error", "error"]
    assert runs[0]("note", text="x").content == "x"
    assert "only 2 calls a minute" in str(runs[1]("pay", amount=1).content)


@pytest.mark.parametrize("way", WAYS)
def test_a_circuit_opens_and_closes(way: Way) -> None:
    """After two failures nothing runs; then one call is let through, and its end decides."""
    works = False

    @tool
    def fragile(x: int = 0) -> str:
        """Fragile."""
        if not works:
            raise ConnectionError("down")
        return "up"

    run = Recorded(ToolNode([fragile, note], wrap_tool_call=circuit_breaker(2, 0.2)), way)
    for _ in range(4):
        assert run("fragile").status == "error"
    assert run("fragile", x="no number").status == "error"
    assert len(run.of(ToolStarted)) == 2
    assert run.of(ToolRefused)[0].reason.startswith("it failed 2 times in a row, and it is tried again in 1 s")
    assert run("note", text="others go on").status == "success"
    time.sleep(0.25)
    run("fragile")
    run("fragile")
    assert len(run.of(ToolStarted)) == 4
    time.sleep(0.25)
    works = True
    assert [run("fragile").content for _ in range(3)] == ["up"] * 3


def test_half_open_lets_one_through() -> None:
    """While it is tried, others are refused; a cancelled trial decides nothing."""
    entered: list[int] = []

    @tool
    async def slow() -> str:
        """Slow."""
        entered.append(1)
        if len(entered) == 1:
            raise ConnectionError("down")
        await asyncio.sleep(0.1)
        return "up"

    async def main() -> None:
        node = ToolNode([slow], wrap_tool_call=circuit_breaker(1, 0.1))
        await node.ainvoke(asking(call("slow")))
        await asyncio.sleep(0.12)
        trial = asyncio.create_task(node.ainvoke(asking(call("slow"))))
        await asyncio.sleep(0.01)
        assert "it is being tried now" in (await node.ainvoke(asking(call("slow"))))[0].content
        trial.cancel()
        await asyncio.gather(trial, return_exceptions=True)
        results = await node.ainvoke(asking(*[call("slow", str(number)) for number in range(5)]))
        assert sorted(result.status for result in results) == ["error"] * 4 + ["success"]
        assert (await node.ainvoke(asking(call("slow"))))[0].content == "up"

    asyncio.run(main())


@pytest.mark.parametrize("way", WAYS)
def test_what_must_not_be_seen(way: Way) -> None:
    """Events and what a tool streams have `[redacted]`; the model's message keeps the value; the thread knows what is not to be shown."""
    streamed: list[Any] = []

    @tool
    def charge(card: str, runtime: ToolRuntime) -> str:
        """Charge."""
        runtime.stream_writer({"charging": card})
        raise ValueError(f"card {card} is refused")

    node = ToolNode([charge], wrap_tool_call=redact([r"\b\d{4}-\d{4}\b"]))
    run = Recorded(node, way, stream_writer=streamed.append)
    assert "1234-5678" in str(run("charge", card="1234-5678").content)
    (failure,) = run.of(ToolFailed)
    assert failure.error == "ValueError: card [redacted] is refused"
    assert "1234-5678" not in failure.traceback
    assert streamed == [{"charging": "[redacted]"}]

    asked = AIMessage("paying with 1234-5678", tool_calls=[call("charge", card="1234-5678")], id="1234-5678")
    events = [MessageAdded(message=asked), *run.events, MessageAdded(message=ToolMessage("1234-5678 ok", tool_call_id="c1"))]
    fold = Fold.of(Entry(seq, 0.0, event) for seq, event in enumerate(events))
    assert fold.redaction.patterns == (r"\b\d{4}-\d{4}\b",)
    shown = [fold.redaction.struct(event) for event in events]
    assert shown[0] == MessageAdded(
        message=AIMessage("paying with [redacted]", tool_calls=[call("charge", card="[redacted]")], id="1234-5678")
    )
    assert shown[-1] == MessageAdded(message=ToolMessage("[redacted] ok", tool_call_id="c1"))
    assert [event for event in shown if isinstance(event, Redacting)] == run.of(Redacting)
    assert asked.tool_calls[0]["args"] == {"card": "1234-5678"}


def failing_answer(**_: Any) -> str:
    """Raises."""
    raise ConnectionError("mocked")


@pytest.mark.parametrize("way", WAYS)
def test_mocked_results(way: Way) -> None:
    """Values, exceptions, functions and one for each call stand for what the tool does; its function is not entered."""
    mocked = mock({"pay": ["a", ConnectionError("down"), lambda amount: amount * 2], "gone": {"x": 1}})

    @tool("pay", idempotent=True)
    async def real(amount: int) -> str:
        """Pay."""
        raise AssertionError("entered")

    run = Recorded(ToolNode([real, note], wrap_tool_call=mocked), way)
    assert run("pay", amount=1) == ToolMessage("a", tool_call_id="c1", name="pay")
    assert "ConnectionError: down" in str(run("pay", amount=1).content)
    assert [run("pay", amount=number).content for number in (3, 4)] == ["6", "8"]
    assert run("pay", amount="much").status == "error"
    assert run("gone", y=1) == ToolMessage('{"x": 1}', tool_call_id="c1", name="gone")
    assert run("note", text="real").content == "real"
    assert [made["name"] for made in mocked.calls] == ["pay"] * 5 + ["gone"]
    run = Recorded(ToolNode([real], wrap_tool_call=[retry(wait=0), mock({"pay": [ConnectionError(), "later"]})]), way)
    assert run("pay", amount=1).content == "later"


def test_around_one_tool() -> None:
    """A wrapped tool has its wrappers wherever it is called, inside those of the node; arguments in, the content out."""
    order: list[str] = []

    def named(name: str) -> Any:
        def wrapper(request: Any, execute: Any) -> Any:
            order.append(name)
            return execute(request)

        return wrapper

    seen: list[int] = []

    @tool(read_only=True)
    def look(x: int) -> dict[str, int]:
        """Look."""
        seen.append(x)
        return {"x": x}

    wrapped: Tool = look.wrapped(named("c"), cached()).wrapped(named("b"))
    assert isinstance(wrapped, Tool)
    node = ToolNode([wrapped], wrap_tool_call=[named("a")])
    assert [node.invoke(asking(call("look", x=1)))[0].content for _ in range(2)] == ['{"x": 1}'] * 2
    assert order == ["a", "b", "c"] * 2
    assert wrapped.invoke({"x": 1}) == '{"x": 1}'
    assert asyncio.run(wrapped.ainvoke({"x": 1})) == '{"x": 1}'
    assert wrapped.invoke(call("look", "c9", x=1)).tool_call_id == "c9"
    assert seen == [1]
    assert look.invoke({"x": 1}) == {"x": 1}
    assert look.wrappers == ()
    with pytest.raises(TypeError, match="a wrapper is a function"):
        look.wrapped("retry")  # type: ignore[arg-type]


def test_by_hand() -> None:
    """Inside a wrapper of the user's own, synchronous or not, one can be called."""
    again = retry(wait=0)

    def plain(request: Any, execute: Any) -> Any:
        return again(request, execute)

    async def waiting(request: Any, execute: Any) -> Any:
        return await again.around(request, execute)

    for wrapper in (plain, waiting):

        @tool(idempotent=True)
        def fetch(runtime: ToolRuntime) -> str:
            """Fetch."""
            if runtime.attempt < 3:
                raise ConnectionError("gone")
            return "there"

        for way in WAYS:
            assert way(ToolNode([fetch], wrap_tool_call=wrapper), asking(call("fetch")))[0].content == "there"


@pytest.mark.parametrize(
    "make",
    [
        lambda: limit_calls(),
        lambda: limit_calls(per_run=-1),
        lambda: circuit_breaker(0),
        lambda: circuit_breaker(open_s=0),
        lambda: redact([]),
        lambda: redact("("),
        lambda: redact("x*"),
        lambda: mock({"pay": []}),
    ],
)
def test_what_cannot_be(make: Any) -> None:
    """Options that cannot be are refused when the wrapper is made."""
    with pytest.raises(ValueError, match=r"\w+"):
        make()
