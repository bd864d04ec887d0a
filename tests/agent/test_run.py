"""What a run tells, while it goes on and when it has ended."""

import asyncio
import gc
import json
import threading
import time
import tracemalloc

import pytest

from holter.agent import Agent
from holter.formats import read, write
from holter.graph.feed import Custom, Delta
from holter.journal.entry import Entry
from holter.journal.event import MessageAdded, RunEnded
from holter.messages import Conversation
from holter.models import Answer, ScriptedModel
from holter.tools import ToolRuntime, interrupt, tool
from tests.agent.sample import add, call, ls, said
from tests.agent.ways import Way


@tool
def ask(question: str) -> str:
    """Ask a person."""
    return f"said {interrupt(question)}"


@tool
def tell(runtime: ToolRuntime) -> str:
    """Tell how far it is."""
    runtime.stream_writer("half")
    return "done"


def test_what_a_stream_gives() -> None:
    """The events as they stand in the journal, deltas, and what tools send, in the order in which they happen."""
    run = Agent(ScriptedModel([[call("tell")], "It is done."]), [tell]).stream("go")
    items = list(run)
    assert {type(item) for item in items} == {Entry, Delta, Custom}
    assert [item.seq for item in items if isinstance(item, Entry)] == list(range(len(asyncio.run(run.journal.read(run.thread)))))
    assert [item.value for item in items if isinstance(item, Custom)] == ["half"]
    assert "".join(str(item.chunk.content) for item in items if isinstance(item, Delta)) == "It is done."
    assert isinstance(items[-1].event, RunEnded)


def test_the_end_can_be_asked_for_without_reading() -> None:
    """The run goes on by itself; what is asked of it waits."""
    run = Agent(ScriptedModel([Answer("late", delay_s=0.1)])).stream("go")
    assert "goes on" in repr(run)
    assert run.answer == "late"
    assert run.seconds >= 0.1
    assert len([item for item in run if isinstance(item, Entry)]) == 5


def test_on_a_loop_nothing_can_wait_but_await() -> None:
    """Asking too early is an error that says so."""

    async def main() -> None:
        run = Agent(ScriptedModel([Answer("late", delay_s=0.05)])).astream("go")
        with pytest.raises(RuntimeError, match="`await run` first"):
            _ = run.answer
        assert (await run).answer == "late"
        assert (await run) is run

    asyncio.run(main())


def test_a_stream_that_nobody_reads_warns_of_nothing() -> None:
    """Neither does one that fails."""

    async def main() -> None:
        run = Agent(ScriptedModel([])).astream("go")
        await asyncio.sleep(0.05)
        assert run.status == "failed"
        del run
        gc.collect()

    asyncio.run(main())


def test_what_nobody_reads_takes_no_history_each_step() -> None:
    """What waits in a stream grows with the steps, not with their square: 5,000 of them once took a gigabyte."""

    def memory(steps: int) -> int:
        script = ScriptedModel(lambda request: [call("add", a=len(request.messages), b=1)], keep=1)
        run = Agent(script, [add], limits={"steps": steps}).stream("go")
        assert run.status == "limit"
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    few, many = memory(100), memory(300)
    tracemalloc.stop()
    assert many < 4 * few


def test_leaving_a_stream_early() -> None:
    """The run goes on to its end."""
    run = Agent(ScriptedModel([[call("ls")], "done"]), [ls]).stream("go")
    for _ in run:
        break
    assert run.answer == "done"


def test_ending_a_stream() -> None:
    """`cancel` ends it; nothing is left running."""
    before = threading.active_count()
    run = Agent(ScriptedModel([Answer("late", delay_s=60)])).stream("go")
    time.sleep(0.05)
    run.cancel()
    assert run.status == "cancelled"
    assert said(run) == [("human", "go")]
    with pytest.raises(asyncio.CancelledError):
        list(run)
    for _ in range(50):
        if threading.active_count() <= before:
            break
        time.sleep(0.02)
    assert threading.active_count() <= before


def test_a_run_that_was_not_streamed_has_nothing_to_read() -> None:
    """The error says what to do."""
    with pytest.raises(TypeError, match="use stream or astream"):
        list(Agent(ScriptedModel(["x"])).run("go"))


def test_open_questions(way: Way) -> None:
    """All come together, and are answered in any order."""
    agent = Agent(ScriptedModel([[call("ask", "a", question="one?"), call("ask", "b", question="two?")], "done"]), [ask])
    run = way(agent, "go", thread="t")
    assert (run.status, run.answer) == ("interrupted", None)
    assert {question.id: question.value for question in run.interrupts} == {"a": "one?", "b": "two?"}
    second = agent.resume("t", {"b": "no"})
    assert [question.id for question in second.interrupts] == ["a"]
    third = asyncio.run(agent.aresume("t", "yes"))
    assert said(third)[2:] == [("tool", "said yes"), ("tool", "said no"), ("ai", "done")]


def test_questions_of_a_thread_without_a_name() -> None:
    """They can be answered as long as the run is kept."""
    agent = Agent(ScriptedModel([[call("ask", question="one?")], "done"]), [ask])
    run = agent.run("go")
    assert agent.resume(run.thread, "yes").answer == "done"


def test_another_request_comes_first() -> None:
    """The open call is answered with that."""
    agent = Agent(ScriptedModel([[call("ask", question="one?")], "as you like"]), [ask])
    agent.run("go", thread="t")
    run = agent.run("never mind", thread="t")
    assert said(run)[2:] == [
        ("tool", "Error: ask was not run: another request came first."),
        ("human", "never mind"),
        ("ai", "as you like"),
    ]


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    """The flow as `holter show` prints it, and how it ended where that is not plain."""
    run = Agent(ScriptedModel([[call("add", a=1, b=2)], "It is 3."]), [add]).run("What is 1 + 2?")
    run.show(width=80)
    shown = capsys.readouterr().out
    assert "→ add(a=1, b=2)" in shown
    assert "2 ← 3" in shown
    Agent(ScriptedModel([[call("ls")]]), [ls], limits={"steps": 1}).run("go").show()
    assert "The run was stopped before message 3" in capsys.readouterr().out
    Agent(ScriptedModel(["", ""])).run("go").show()
    assert "The run failed: The model gave no answer" in capsys.readouterr().out
    Agent(ScriptedModel([[call("ask", "q", question="one?")]]), [ask]).run("go").show()
    assert "The run waits for answers: q" in capsys.readouterr().out


def test_the_thread_as_a_log() -> None:
    """It is written like any conversation, and read again."""
    conversation = Agent(ScriptedModel([[call("add", "c", a=1, b=2)], "3"]), [add]).run("1 + 2?").conversation()
    assert isinstance(conversation, Conversation)
    assert [spec.name for spec in conversation.tools] == ["add"]
    [again] = read(json.dumps(write(conversation, "openai.chat").document).encode())
    assert [message.text for message in again.messages] == ["1 + 2?", "", "3", "3"]


def test_its_events_stand_in_the_journal() -> None:
    """Each message once."""
    run = Agent(ScriptedModel([[call("ls")], "done"]), [ls]).run("go")
    entries = asyncio.run(run.journal.read(run.thread))
    assert [entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)] == run.messages


def test_ending_a_stream_in_the_middle_of_a_call() -> None:
    """A synchronous tool does not keep the run from ending; that it was left running is said."""
    began, go_on = threading.Event(), threading.Event()

    @tool
    def work() -> str:
        """Work for long."""
        began.set()
        go_on.wait(5)
        return "done"

    agent = Agent(ScriptedModel([[call("work", "c")], "never said"]), [work])
    run = agent.stream("go", thread="t")
    assert began.wait(5)
    run.cancel()
    assert run.status == "cancelled"
    go_on.set()
    assert [kind for kind, _ in said(run)] == ["human", "ai", "tool"]
    assert "was started, and the run was cancelled" in run.messages[-1].text


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_streamed_inside_of_another_comes_to_its_end(way: Way, is_async: bool) -> None:
    """It has a stream of its own, which is closed when it ends, and that of the run around it is not."""

    @tool
    async def aside(question: str) -> str:
        """Ask somebody else."""
        run = (helper.astream if is_async else helper.stream)(question)
        items = [item async for item in run] if is_async else list(run)
        return f"{run.status}, {sum(isinstance(item, Delta) for item in items)} deltas"

    helper = Agent(ScriptedModel(["Yes, it is."]), name="helper")
    agent = Agent(ScriptedModel([call("aside", question="Is it?"), "So it is."]), [aside])
    assert [text for _, text in said(way(agent, "Ask."))] == ["Ask.", "", "done, 4 deltas", "So it is."]


def test_a_stream_is_read_on_in_another_loop() -> None:
    """A run in the background does not care who reads it."""
    run = Agent(ScriptedModel([Answer("a b c", delay_s=0.05)])).stream("go")

    async def first() -> object:
        async for item in run:
            return item
        return None

    async def rest() -> list[object]:
        return [item async for item in run]

    assert isinstance(asyncio.run(first()), Entry)
    assert "".join(str(item.chunk.content) for item in asyncio.run(rest()) if isinstance(item, Delta)) == "a b c"
    assert run.status == "done"


def test_a_run_and_its_journal_take_attributes() -> None:
    """As any object of Python."""
    run = Agent(ScriptedModel(["ok"])).run("go")
    run.tag = "mine"  # type: ignore[attr-defined]  # what is tried
    run.journal.tag = "mine"  # type: ignore[attr-defined]  # likewise
    assert run.tag == run.journal.tag == "mine"  # type: ignore[attr-defined]


def test_a_run_inside_a_streamed_one_is_no_stream() -> None:
    """It says so, as anywhere, and takes nothing from the stream around it."""

    @tool
    async def aside(question: str) -> str:
        """Ask somebody else."""
        run = await helper.arun(question)
        with pytest.raises(TypeError, match="this run was not streamed"):
            list(run)
        return str(run.answer)

    helper = Agent(ScriptedModel(["Yes."]), name="helper")
    run = Agent(ScriptedModel([call("aside", question="Is it?"), "So it is."]), [aside]).stream("Ask.")
    kinds = [item.event.kind for item in run if isinstance(item, Entry)]
    assert (kinds[0], kinds[-1], run.answer) == ("run_started", "run_ended", "So it is.")
