"""One call: through its wrappers to its function and back."""

import asyncio
import functools
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from holter.errors import ToolError
from holter.journal.event import Event, ToolFailed, ToolStarted
from holter.messages import ToolMessage
from holter.tools import Command, Interruption, Tool, ToolCallRequest, ToolRuntime, interrupt, tool
from holter.tools.drive import block_on, drive
from holter.tools.execute import Executor, Outcome
from holter.tools.failure import handler

Run = Callable[..., Outcome]


def call(name: str = "get_weather", call_id: str | None = "c1", **args: Any) -> dict[str, Any]:
    """A call."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def in_sync(executor: Executor, request: ToolCallRequest, answers: Any = ()) -> Outcome:
    """As a synchronous caller does it."""
    if executor.is_inline(request):
        return drive(executor.run(request, answers, inline=True))
    return block_on(executor.run(request, answers))


def in_async(executor: Executor, request: ToolCallRequest, answers: Any = ()) -> Outcome:
    """As an asynchronous caller does it."""
    return asyncio.run(executor.run(request, answers))


def in_notebook(executor: Executor, request: ToolCallRequest, answers: Any = ()) -> Outcome:
    """As a synchronous caller does it inside a loop."""

    async def cell() -> Outcome:
        return in_sync(executor, request, answers)

    return asyncio.run(cell())


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Run:
    """Each way to run a call."""
    chosen: Run = request.param
    return chosen


@pytest.fixture
def events() -> list[Event]:
    """What the journal was told."""
    return []


def outcome_of(
    way: Run, tools: list[Tool], made: dict[str, Any], wrappers: Any = (), *, handling: Any = True, answers: Any = (), **runtime: Any
) -> Outcome:
    """What becomes of a call."""
    executor = Executor({one.name: one for one in tools}, wrappers, handler(handling))
    return way(executor, executor.request(made, ToolRuntime(**runtime)), answers)


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"{city} 今天天气不错"


@tool
async def get_news(city: str) -> str:
    """The news of a city."""
    await asyncio.sleep(0)
    return f"news of {city}"


BOTH = [get_weather, get_news]


def text_of(outcome: Outcome) -> Any:
    """The content of the only message."""
    assert isinstance(outcome.result, ToolMessage), outcome
    return outcome.result.content


def test_a_call_and_its_message(way: Run, events: list[Event]) -> None:
    """The journal hears of it before the function is entered."""
    outcome = outcome_of(way, BOTH, call(city="北京"), emit=events.append)
    assert outcome == Outcome(call(city="北京"), ToolMessage("北京 今天天气不错", tool_call_id="c1", name="get_weather"))
    assert events == [ToolStarted(call_id="c1", name="get_weather", attempt=1)]
    assert text_of(outcome_of(way, BOTH, call("get_news", city="x"))) == "news of x"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (call("nope"), "Error: nope is not a valid tool, try one of [get_weather, get_news]."),
        (call(None), "Error: the call names no tool, try one of [get_weather, get_news]."),  # type: ignore[arg-type]
        (call(), "get_weather was not run: its arguments do not fit.\n- city: is missing; give a string\n"),
        (call(city=1, town="x"), "- city: found 1, expected a string\n- town: is no known argument"),
        ({**call(), "args": None}, "- city: is missing"),
        ({**call(), "args": [1]}, "found an array of 1 item, expected an object"),
        (
            {**call(), "type": "invalid_tool_call", "args": '{"city"', "error": "bad JSON at character 8"},
            "Error: get_weather was not run: bad JSON at character 8. Send the call again, with one JSON object as arguments.",
        ),
    ],
)
def test_a_call_that_cannot_be_run(way: Run, events: list[Event], made: dict[str, Any], text: str) -> None:
    """The model is told why; the function is not entered."""
    outcome = outcome_of(way, BOTH, made, emit=events.append, handling=False)
    assert text in text_of(outcome)
    assert (outcome.failed, outcome.error, events) == (True, None, [])


def raising(error: BaseException) -> tuple[Tool, Tool]:
    """A tool that raises, synchronous and not."""

    def fail() -> str:
        """Fails."""
        raise error

    async def fail_async() -> str:
        """Fails."""
        raise error

    return tool("fail", fail), tool("fail", fail_async)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("boom"), "ValueError: boom."),
        (RecursionError("too deep"), "RecursionError: too deep."),
        (SystemExit(3), "fail tried to end the process (exit code 3)"),
        (StopIteration(), "StopIteration"),
        (asyncio.CancelledError(), "something that it waited for was cancelled"),
        (ExceptionGroup("several", [ValueError("a"), KeyError("b")]), "several (2 sub-exceptions): ValueError: a; KeyError: 'b'."),
    ],
)
def test_what_a_tool_raises_is_data(way: Run, events: list[Event], error: BaseException, text: str) -> None:
    """A short text for the model; the traceback is in the event."""
    for failing in raising(error):
        events.clear()
        outcome = outcome_of(way, [failing], call("fail"), emit=events.append)
        assert text in text_of(outcome)
        assert "Traceback" not in text_of(outcome)
        started, failed = events
        assert isinstance(failed, ToolFailed)
        assert (started.kind, failed.attempt, failed.unknown, failed.error != "") == ("tool_started", 1, False, True)
        assert "Traceback" in failed.traceback
        outcome = outcome_of(way, [failing], call("fail"), handling=False)
        assert (outcome.result, outcome.failed, isinstance(outcome.error, Exception)) == (None, True, True)


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_ctrl_c_is_passed_on(way: Run, events: list[Event], error: type[BaseException]) -> None:
    """As an outcome, so that the batch's other results stand."""
    for failing in raising(error()):
        events.clear()
        outcome = outcome_of(way, [failing], call("fail"), emit=events.append)
        assert isinstance(outcome.error, error)
        assert [event.kind for event in events] == ["tool_started", "tool_failed"]


def test_a_deep_recursion_ends_as_data(way: Run) -> None:
    """Python's own limit."""

    def deeper(x: int) -> int:
        return deeper(x + 1)

    assert "RecursionError" in text_of(outcome_of(way, [tool("deep", lambda: deeper(0))], call("deep")))


def test_a_timeout_is_data(way: Run, events: list[Event]) -> None:
    """That the function runs on is said to the model and to the journal."""

    @tool(timeout_s=0.05)
    def endless() -> None:
        """Never returns."""
        threading.Event().wait()

    text = text_of(outcome_of(way, [endless], call("endless"), emit=events.append))
    assert text == (
        "Error: endless took longer than 0.05 s; it was left running and may still take effect. "
        "Do not repeat it before you know whether it did."
    )
    assert isinstance(events[-1], ToolFailed)
    assert events[-1].unknown


def test_a_handler_that_fails_is_the_error(way: Run) -> None:
    """It is raised on, and not lost."""

    def broken(error: Exception) -> str:
        raise KeyError("handler")

    outcome = outcome_of(way, [raising(ValueError("a"))[0]], call("fail"), handling=broken)
    assert isinstance(outcome.error, KeyError)


# Questions


@tool
def transfer(amount: int) -> str:
    """Transfer money."""
    try:
        return f"{interrupt('sure?')} {interrupt('really?')}"
    except Exception:  # noqa: BLE001 - what is tested
        return "swallowed"


@tool("transfer")
async def transfer_async(amount: int) -> str:
    """Transfer money, in a task group."""
    async with asyncio.TaskGroup() as group:
        one = group.create_task(ask("sure?"))
    async with asyncio.TaskGroup() as group:
        two = group.create_task(ask("really?"))
    return f"{one.result()} {two.result()}"


async def ask(question: str) -> str:
    """Asks."""
    return str(interrupt(question))


def swallowing(request: ToolCallRequest, execute: Any) -> Any:
    """A wrapper that catches what it can."""
    try:
        return execute(request)
    except Exception:  # noqa: BLE001 - what is tested
        return ToolMessage("swallowed", tool_call_id="c1")


async def swallowing_async(request: ToolCallRequest, execute: Any) -> Any:
    """The same, asynchronous."""
    try:
        return await execute(request)
    except Exception:  # noqa: BLE001 - what is tested
        return ToolMessage("swallowed", tool_call_id="c1")


@pytest.mark.parametrize("wrappers", [(), [swallowing], [swallowing_async], [swallowing, swallowing_async], [swallowing_async, swallowing]])
@pytest.mark.parametrize("asking", [transfer, transfer_async])
def test_questions_pass(way: Run, events: list[Event], wrappers: Any, asking: Tool) -> None:
    """Through the tool, task groups and wrappers; answers come in order. A question is no failure."""
    made = call("transfer", amount=1)
    keys = []
    for answers in ([], ["yes"]):
        outcome = outcome_of(way, [asking], made, wrappers, answers=answers, emit=events.append)
        assert isinstance(outcome.error, Interruption)
        keys.append((outcome.error.key, outcome.error.value))
    assert keys == [("c1", "sure?"), ("c1/1", "really?")]
    assert {event.kind for event in events} == {"tool_started"}
    assert text_of(outcome_of(way, [asking], made, wrappers, answers=["yes", "no"])) == "yes no"


# Wrappers


def noting(name: str, notes: list[str]) -> tuple[Any, Any]:
    """A wrapper that notes when it comes in and goes out, synchronous and not."""

    def note(request: ToolCallRequest, execute: Any) -> Any:
        notes.append(f"{name} in")
        result = execute(request)
        notes.append(f"{name} out")
        return result

    async def note_async(request: ToolCallRequest, execute: Any) -> Any:
        notes.append(f"{name} in")
        result = await execute(request)
        notes.append(f"{name} out")
        return result

    return note, note_async


@pytest.mark.parametrize("kinds", [(0, 0), (1, 1), (0, 1), (1, 0)])
@pytest.mark.parametrize("name", ["get_weather", "get_news"])
def test_the_first_wrapper_is_outermost(way: Run, kinds: tuple[int, int], name: str) -> None:
    """Synchronous and asynchronous ones, mixed, around either kind of tool."""
    notes: list[str] = []
    wrappers = [noting("a", notes)[kinds[0]], noting("b", notes)[kinds[1]]]
    assert "x" in text_of(outcome_of(way, BOTH, call(name, city="x"), wrappers))
    assert notes == ["a in", "b in", "b out", "a out"]


class Object:
    """A wrapper that is an object."""

    async def __call__(self, request: ToolCallRequest, execute: Any) -> Any:
        """Wraps."""
        return await execute(request)


async def with_extra(extra: str, request: ToolCallRequest, execute: Any) -> Any:
    """Is made a wrapper by a partial."""
    return await execute(request.override(tool_call={**request.tool_call, "args": {"city": extra}}))


@pytest.mark.parametrize("wrapper", [Object(), functools.partial(with_extra, "x")])
def test_what_else_is_a_wrapper(way: Run, wrapper: Any) -> None:
    """Objects and partials, asynchronous as they are."""
    assert text_of(outcome_of(way, BOTH, call(city="x"), [wrapper])).startswith("x")


def test_a_retry_sees_exceptions_and_its_attempts_are_counted(way: Run, events: list[Event]) -> None:
    """In the runtime and in the events."""
    seen: list[int] = []

    @tool
    def flaky(runtime: ToolRuntime) -> str:
        """Works the third time."""
        seen.append(runtime.attempt)
        if runtime.attempt < 3:
            raise ConnectionError("网络波动失败")
        return "ok"

    def retry(request: ToolCallRequest, execute: Any) -> Any:
        for _ in range(5):
            try:
                return execute(request)
            except ConnectionError:
                pass
        return None

    assert text_of(outcome_of(way, [flaky], call("flaky"), [retry], emit=events.append)) == "ok"
    assert seen == [1, 2, 3]
    assert [(event.kind, event.attempt) for event in events if isinstance(event, ToolStarted | ToolFailed)] == [
        ("tool_started", 1),
        ("tool_failed", 1),
        ("tool_started", 2),
        ("tool_failed", 2),
        ("tool_started", 3),
    ]


def test_a_message_of_a_wrapper_is_passed_on_as_it_is(way: Run, events: list[Event]) -> None:
    """Nothing is added; the tool is not entered."""
    made = ToolMessage("cached", tool_call_id="c1")

    def answer(request: ToolCallRequest, execute: Any) -> Any:
        return made

    async def answer_async(request: ToolCallRequest, execute: Any) -> Any:
        return made

    for wrapper in (answer, answer_async):
        assert outcome_of(way, BOTH, call(city="x"), [wrapper], emit=events.append).result is made
    assert events == []


def test_a_command_or_list_of_a_wrapper_is_passed_on(way: Run) -> None:
    """As it is, too."""
    command: Command[Any] = Command(goto="x")
    assert outcome_of(way, BOTH, call(city="x"), [lambda request, execute: command]).result is command
    assert outcome_of(way, BOTH, call(city="x"), [lambda request, execute: [command]]).result == [command]


@pytest.mark.parametrize("result", [None, "text", {"a": 1}, [1]])
def test_a_wrapper_that_returns_something_else(way: Run, result: Any) -> None:
    """Such as one that forgot its return."""

    def forgetful(request: ToolCallRequest, execute: Any) -> Any:
        execute(request)
        return result

    text = text_of(outcome_of(way, BOTH, call(city="x"), [forgetful]))
    assert f"the wrapper forgetful returned {type(result).__name__}; it has to return what execute(request) gave" in text


def test_a_wrapper_that_raises(way: Run, events: list[Event]) -> None:
    """Its exception is data as a tool's is, and in the journal once."""

    def broken(request: ToolCallRequest, execute: Any) -> Any:
        execute(request)
        raise KeyError("cache")

    assert "get_weather failed with KeyError: 'cache'" in text_of(outcome_of(way, BOTH, call(city="x"), [broken], emit=events.append))
    assert [event.kind for event in events] == ["tool_started", "tool_failed"]
    events.clear()
    outcome_of(way, [raising(ValueError("a"))[0]], call("fail"), [lambda request, execute: execute(request)], emit=events.append)
    assert [event.kind for event in events] == ["tool_started", "tool_failed"]


def test_a_wrapper_changes_the_request(way: Run) -> None:
    """The call, the state, the tool; the call's id stays."""

    @tool
    def who(x: int, runtime: ToolRuntime) -> str:
        """Who."""
        return f"{x} {runtime.state} {runtime.tool_call_id}"

    def change(request: ToolCallRequest, execute: Any) -> Any:
        changed = request.override(tool_call={**request.tool_call, "args": {"x": 2}, "id": "c9"}, state="new")
        assert (request.state, request.runtime.state, changed.runtime.state) == ("old", "old", "new")
        return execute(changed)

    result = outcome_of(way, [who], call("who", x=1), [change], state="old").result
    assert result == ToolMessage("2 new c1", tool_call_id="c1", name="who")


def test_a_wrapper_supplies_a_tool_for_an_unknown_name(way: Run) -> None:
    """Of either kind; and one that gives another name means another tool."""
    for supplied, content in ((get_weather, "x 今天天气不错"), (get_news, "news of x")):

        def supply(request: ToolCallRequest, execute: Any, supplied: Tool = supplied) -> Any:
            assert request.tool is None
            return execute(request.override(tool=supplied))

        assert text_of(outcome_of(way, [], call("nope", city="x"), [supply])) == content

    def rename(request: ToolCallRequest, execute: Any) -> Any:
        return execute(request.override(tool_call={**request.tool_call, "name": "get_news"}))

    assert text_of(outcome_of(way, BOTH, call("news", city="x"), [rename])) == "news of x"
    assert text_of(outcome_of(way, BOTH, call("get_weather", city="x"), [rename])) == "news of x"


def test_what_a_wrapper_does_to_the_call_is_no_part_of_the_history(way: Run) -> None:
    """It gets a copy."""

    def vandal(request: ToolCallRequest, execute: Any) -> Any:
        request.tool_call["args"]["city"] = "changed"
        return execute(request)

    made = call(city="x")
    assert text_of(outcome_of(way, BOTH, made, [vandal])).startswith("changed")
    assert made == call(city="x")


# The wrappers of a tutorial, as written there


@dataclass
class UserContext:
    """What the caller gives."""

    max_attempts: int


def hand_written_retry(request, execute):  # type: ignore[no-untyped-def]
    """Tries again on one kind of exception."""
    max_attempts = request.runtime.context.max_attempts
    tool_call_id = request.runtime.tool_call_id
    tool_msg: Any = ""
    for _ in range(max_attempts):
        try:
            tool_msg = execute(request)
            break
        except ConnectionError:
            pass
    if not tool_msg:
        tool_msg = ToolMessage(tool_call_id=tool_call_id, content="调用次数到达上限，调用失败")
    return tool_msg


def test_a_hand_written_retry(way: Run) -> None:
    """Its own message has no name."""
    tries: list[int] = []

    @tool("get_weather")
    def fails_twice(city: str) -> str:
        """Fails twice."""
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError("网络波动失败")
        return f"{city} 今天天气不错"

    outcome = outcome_of(way, [fails_twice], call(city="北京"), [hand_written_retry], context=UserContext(3))
    assert outcome.result == ToolMessage("北京 今天天气不错", tool_call_id="c1", name="get_weather")
    tries.clear()
    outcome = outcome_of(way, [fails_twice], call(city="北京"), [hand_written_retry], context=UserContext(2))
    assert outcome.result == ToolMessage("调用次数到达上限，调用失败", tool_call_id="c1")


def test_a_hand_written_cache(way: Run) -> None:
    """The second call is answered without the tool."""
    cache: dict[Any, Any] = {}
    runs: list[str] = []

    @tool("get_weather")
    def counted(city: str) -> str:
        """Counts."""
        runs.append(city)
        return f"{city} 今天天气不错"

    def cached(request, execute):  # type: ignore[no-untyped-def]
        cache_key = (request.tool_call["name"], json.dumps(request.tool_call["args"]))
        found = cache.get(cache_key)
        if found:
            return ToolMessage(tool_call_id=request.runtime.tool_call_id, content=found)
        tool_msg = execute(request)
        cache[cache_key] = tool_msg.content
        return tool_msg

    results = [outcome_of(way, [counted], call(call_id=call_id, city="北京"), [cached]).result for call_id in ("a", "b")]
    assert [(r.tool_call_id, r.name, r.content) for r in results if isinstance(r, ToolMessage)] == [
        ("a", "get_weather", "北京 今天天气不错"),
        ("b", None, "北京 今天天气不错"),
    ]
    assert runs == ["北京"]


# Threads and cancellation


def test_a_synchronous_call_runs_on_the_callers_thread() -> None:
    """With synchronous wrappers, too."""
    main = threading.current_thread().name

    @tool
    def thread() -> str:
        """Where it runs."""
        return threading.current_thread().name

    for wrappers in ([], [swallowing], [swallowing, swallowing]):
        assert text_of(outcome_of(in_sync, [thread], call("thread"), wrappers)) == main
    assert text_of(outcome_of(in_async, [thread], call("thread"), [swallowing])) == "holter-tool"


@pytest.mark.parametrize("wrappers", [(), [swallowing], [swallowing_async], [swallowing, swallowing_async], [swallowing_async, swallowing]])
def test_cancellation_passes_and_takes_the_tool_along(wrappers: Any) -> None:
    """Through wrappers that catch what they can, in other threads too."""
    ended: list[str] = []

    @tool
    async def work() -> str:
        """Works."""
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append("cleaned up")
        return ""

    async def main() -> None:
        executor = Executor({"work": work}, wrappers)
        task = asyncio.create_task(executor.run(executor.request(call("work"), ToolRuntime())))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["cleaned up"]

    asyncio.run(main())


def test_a_wrapper_that_lives_on_after_a_cancellation_executes_nothing() -> None:
    """Its thread cannot be stopped, but its tool is not entered any more."""
    going, entered = threading.Event(), []
    ended: list[BaseException] = []

    @tool
    def work() -> str:
        """Works."""
        entered.append(1)
        return ""

    def late(request: ToolCallRequest, execute: Any) -> Any:
        going.wait(10)
        try:
            return execute(request)
        except BaseException as error:
            ended.append(error)
            raise

    async def main() -> None:
        executor = Executor({"work": work}, [late])
        task = asyncio.create_task(executor.run(executor.request(call("work"), ToolRuntime())))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    going.set()
    for _ in range(500):
        if ended:
            break
        threading.Event().wait(0.01)
    assert ([type(error) for error in ended], entered) == ([asyncio.CancelledError], [])


def test_a_wrapper_of_the_caller_may_raise_on() -> None:
    """An error class of Holter's own is an exception as any other."""
    assert "ToolError: no" in text_of(outcome_of(in_sync, [raising(ToolError("no"))[0]], call("fail")))
