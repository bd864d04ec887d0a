"""An agent from end to end, however it is run."""

import asyncio
from typing import Any

import pytest

from holter.agent import Agent, Limits
from holter.errors import GraphError, ModelError, NoAnswer, RateLimited, StreamCut
from holter.graph.runtime import Runtime
from holter.graph.state import MessagesState
from holter.journal import MemoryJournal
from holter.journal.event import ModelFailed, ModelStarted, Repaired
from holter.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from holter.models import Answer, ChatModel, ModelRequest, ScriptedModel
from holter.tools import Command, ToolRuntime, tool
from tests.agent.sample import add, call, calls_of, forever, greet, ls, said
from tests.agent.ways import Way


def test_a_call_and_an_answer(way: Way) -> None:
    """The model is asked, the tool is run, the model answers."""
    model = ScriptedModel([[call("add", a=1, b=2)], "It is 3."])
    run = way(Agent(model, [add]), "What is 1 + 2?")
    assert run.status == "done"
    assert run.answer == "It is 3."
    assert said(run) == [("human", "What is 1 + 2?"), ("ai", ""), ("tool", "3"), ("ai", "It is 3.")]
    assert run.steps == 2
    assert run.limit is None
    assert run.error is None
    assert run.usage["total_tokens"] == sum(
        message.usage_metadata["total_tokens"] for message in run.messages if isinstance(message, AIMessage) and message.usage_metadata
    )


def test_an_asynchronous_tool_and_a_synchronous_one(way: Way) -> None:
    """In one answer; the results stand in the order of the calls."""
    model = ScriptedModel([[call("greet", name="Ann"), call("add", a=1, b=2)], "done"])
    assert said(way(Agent(model, [add, greet]), "go"))[2:4] == [("tool", "Hello Ann"), ("tool", "3")]


def test_without_tools() -> None:
    """An agent may just talk; a call of a tool that is not there is answered."""
    assert Agent(ScriptedModel(["Hello!"])).run("Hi").answer == "Hello!"
    run = Agent(ScriptedModel([[call("nope")], "sorry"])).run("Hi")
    assert (run.answer, said(run)[2][0]) == ("sorry", "tool")


@pytest.mark.parametrize("nothing", [[], {}, {"messages": []}])
def test_a_run_without_a_message(way: Way, nothing: Any) -> None:
    """Has nothing to send: an error, unless there is a system message, a history, or a thread to go on with."""
    model = ScriptedModel(lambda request: f"{len(request.messages)}")
    with pytest.raises(ValueError, match=r"would begin without a message, found .*; give a prompt"):
        way(Agent(model), nothing)
    agent = Agent(model)
    with pytest.raises(ValueError, match="would begin without a message"):
        way(agent, nothing, thread="t")
    way(agent, "Hi", thread="t")
    assert way(agent, nothing, thread="t").answer == "2"
    assert way(Agent(model, system="Greet the guest."), nothing).answer == "1"
    assert way(Agent(model, history=["Hello?"]), nothing).answer == "1"


def test_what_the_request_holds() -> None:
    """System, history, tools, choice, settings, and what was bound to the model before."""
    model = ScriptedModel(["ok"])
    Agent(model.bind(top_p=0.5), [add], system="Be brief.", tool_choice="auto", parallel_tool_calls=False, settings={"temperature": 0}).run(
        [SystemMessage("Today is Monday."), ("user", "Hi")]
    )
    [request] = model.requests
    assert [message.text for message in request.messages] == ["Be brief.", "Today is Monday.", "Hi"] or [
        message.text for message in request.messages
    ] == ["Be brief.", "Hi"]
    assert [spec.name for spec in request.tools] == ["add"]
    assert (request.tool_choice, request.parallel_tool_calls) == ("auto", False)
    assert request.settings == {"top_p": 0.5, "temperature": 0}


def test_tools_that_are_bound_already_are_offered_too() -> None:
    """Such as those that the provider runs itself."""
    model = ScriptedModel(["ok"])
    Agent(model.bind_tools([{"type": "web_search"}, add]), [add, ls]).run("Hi")
    assert [spec.name for spec in model.requests[0].tools] == ["web_search", "add", "ls"]


def test_a_forced_choice_counts_until_a_tool_has_run() -> None:
    """Else the model would have to call for ever; the next request begins anew."""
    model = ScriptedModel([[call("ls")], "one", [call("ls")], "two"])
    agent = Agent(model, [ls], tool_choice="required")
    agent.run("a", thread="t")
    agent.run("b", thread="t")
    assert [request.tool_choice for request in model.requests] == ["required", "auto", "required", "auto"]


def test_the_system_message_may_be_a_function(way: Way) -> None:
    """Of the state, and of the runtime; asynchronous or not. An empty text is none."""

    def by_state(state: dict[str, Any]) -> str:
        return f"{len(state['messages'])} messages" if len(state["messages"]) < 3 else ""

    async def by_runtime(state: dict[str, Any], runtime: Runtime[str]) -> SystemMessage:
        return SystemMessage(f"for {runtime.context}")

    model = ScriptedModel([[call("ls")], "ok", "ok"])
    way(Agent(model, [ls], system=by_state), "Hi")
    way(Agent(model, system=by_runtime), "Hi", context="Ann")
    assert [request.messages[0].text for request in model.requests] == ["1 messages", "Hi", "for Ann"]


def test_a_state_of_ones_own() -> None:
    """Its fields come with the prompt, reach tools, and are written by them."""

    class State(MessagesState):
        user: str
        notes: int

    @tool
    def note(runtime: ToolRuntime[Any, dict[str, Any]]) -> Command[Any]:
        """Note."""
        return Command(update={"notes": 3, "messages": [ToolMessage(runtime.state["user"], tool_call_id=runtime.tool_call_id)]})

    run = Agent(ScriptedModel([[call("note")], "ok"]), [note], state_schema=State).run({"messages": "Hi", "user": "Ann"})
    assert said(run)[2] == ("tool", "Ann")
    assert (run.state["user"], run.state["notes"]) == ("Ann", 3)


def test_several_runs_of_one_thread() -> None:
    """The second goes on with the first; another name is another thread."""
    model = ScriptedModel(["one", "two", "three"])
    agent = Agent(model)
    agent.run("1", thread="a")
    assert said(agent.run("2", thread="a")) == [("human", "1"), ("ai", "one"), ("human", "2"), ("ai", "two")]
    assert said(agent.run("3", thread="b")) == [("human", "3"), ("ai", "three")]


def test_a_thread_without_a_name_lives_as_long_as_its_run() -> None:
    """It can be gone on with by its id."""
    agent = Agent(ScriptedModel(["one", "two"]))
    run = agent.run("1")
    assert len(said(agent.run("2", thread=run.thread))) == 4


def test_a_journal_of_ones_own() -> None:
    """Another agent goes on with the thread."""
    journal = MemoryJournal()
    Agent(ScriptedModel(["one"]), journal=journal).run("1", thread="t")
    run = Agent(ScriptedModel(["two"]), journal=journal).run("2", thread="t")
    assert len(said(run)) == 4
    assert run.journal is journal


def test_the_next_model_is_asked_when_one_fails(way: Way) -> None:
    """In order, whatever it raised; the journal says which."""
    agent = Agent(
        ScriptedModel([RateLimited("slow down")], name="first"),
        fallback=[ScriptedModel([ConnectionError("gone")], name="second"), ScriptedModel(["ok"], name="third")],
        journal=(journal := MemoryJournal()),
    )
    assert way(agent, "Hi", thread="t").answer == "ok"
    events = [entry.event for entry in asyncio.run(journal.read("t"))]
    assert [event for event in events if isinstance(event, ModelStarted | ModelFailed)] == [
        ModelStarted(model="first", attempt=1),
        ModelFailed(model="first", attempt=1, error="RateLimited: slow down"),
        ModelStarted(model="second", attempt=2),
        ModelFailed(model="second", attempt=2, error="ConnectionError: gone"),
        ModelStarted(model="third", attempt=3),
    ]


def test_what_the_last_model_raised_is_raised_on(way: Way) -> None:
    """The thread stays valid, and the next run goes on with it."""
    agent = Agent(ScriptedModel([[call("ls")], RateLimited("one"), "well"]), [ls], fallback=ScriptedModel([RateLimited("two")]))
    with pytest.raises(RateLimited, match="two"):
        way(agent, "Hi", thread="t")
    assert said(way(agent, "again", thread="t")) == [("human", "Hi"), ("ai", ""), ("tool", "[]"), ("human", "again"), ("ai", "well")]


def test_half_an_answer_is_none(way: Way) -> None:
    """A stream that dies is a failure; nothing of it stays, and another model may be asked."""
    half = Answer("It is 15 degrees", cut_after=2)
    agent = Agent(ScriptedModel([half, "well"]))
    with pytest.raises(StreamCut, match="ended after 2 chunks, in the middle of the answer"):
        way(agent, "Hi", thread="t")
    assert said(way(agent, "again", thread="t")) == [("human", "Hi"), ("human", "again"), ("ai", "well")]
    assert way(Agent(ScriptedModel([half]), fallback=ScriptedModel(["whole"])), "Hi").answer == "whole"


def test_a_call_that_was_cut_off_is_never_run(way: Way) -> None:
    """Its arguments may be whole by accident."""
    agent = Agent(ScriptedModel([Answer([call("add", a=1, b=2)], cut_after=1), "well"]), [add])
    with pytest.raises(StreamCut):
        way(agent, "Hi", thread="t")
    assert calls_of(way(agent, "again", thread="t")) == []


class _Silent(ChatModel):
    """A model of somebody else, whose stream holds nothing."""

    name = "silent"

    async def chunks(self, request: ModelRequest) -> Any:
        chunks: list[AIMessageChunk] = []
        for chunk in chunks:
            yield chunk


class _Wrong(ChatModel):
    """A model of somebody else that gives something else."""

    name = "wrong"

    async def generate(self, request: ModelRequest) -> Any:
        return "hello"


def test_models_of_somebody_else(way: Way) -> None:
    """An empty stream and a wrong type are errors that name the model."""
    with pytest.raises(NoAnswer, match="silent answered nothing"):
        way(Agent(_Silent()), "Hi")


def test_a_model_that_gives_no_message() -> None:
    """A text is not taken for one."""
    with pytest.raises(TypeError, match="wrong answered with str; a model gives an AIMessage"):
        Agent(_Wrong()).run("Hi")


def test_a_stream_in_chunks() -> None:
    """Deltas reach whoever listens, and come to the message that the thread keeps."""
    chunks = [AIMessageChunk("He"), AIMessageChunk("llo", response_metadata={"finish_reason": "stop"})]
    run = Agent(ScriptedModel([chunks])).stream("Hi")
    assert [item.chunk.content for item in run if hasattr(item, "chunk")] == ["He", "llo"]
    assert run.answer == "Hello"


def test_ids_that_come_again_are_made_unique(way: Way) -> None:
    """In the thread; the provider gets its own back. Nothing is answered twice, nothing replaced."""
    model = ScriptedModel([AIMessage("", id="m", tool_calls=[call("ls", "c")])] * 2 + [AIMessage("done", id="m")])
    run = way(Agent(model, [ls], journal=(journal := MemoryJournal())), "go", thread="t")
    assert [made["id"] for made in calls_of(run)] == ["c", "c_2"]
    assert [message.id for message in run.messages if isinstance(message, AIMessage)] == ["m", "m_2", "m_3"]
    assert [message.tool_call_id for message in model.requests[-1].messages if isinstance(message, ToolMessage)] == ["c", "c"]
    events = [entry.event for entry in asyncio.run(journal.read("t"))]
    assert [event.code for event in events if isinstance(event, Repaired)] == ["PAIR12", "PAIR05", "PAIR12"]


def test_calls_are_repaired_at_the_door() -> None:
    """What the model wrote stands in the event, the repaired call in the thread; one call may be several."""
    model = ScriptedModel([[{"name": "functions.add", "args": '{"a": 1, "b": 2}{"a": 3, "b": 4}', "id": "k"}], "ok"])
    run = Agent(model, [add], journal=(journal := MemoryJournal())).run("go", thread="t")
    assert [(made["name"], made["args"], made["id"]) for made in calls_of(run)] == [
        ("add", {"a": 1, "b": 2}, "k"),
        ("add", {"a": 3, "b": 4}, "k_2"),
    ]
    assert said(run)[2:4] == [("tool", "3"), ("tool", "7")]
    repairs = [entry.event for entry in asyncio.run(journal.read("t")) if isinstance(entry.event, Repaired)]
    assert [repair.code for repair in repairs] == ["NAME03", "ARG05"]
    assert repairs[1].raw == '{"a": 1, "b": 2}{"a": 3, "b": 4}'


def test_as_a_graph() -> None:
    """`invoke` gives the state."""
    state = Agent(ScriptedModel([[call("add", a=1, b=2)], "3"]), [add]).invoke({"messages": [("user", "1 + 2?")]})
    assert [message.text for message in state["messages"]] == ["1 + 2?", "", "3", "3"]
    state = asyncio.run(Agent(ScriptedModel(["hi"])).ainvoke({"messages": "Hi"}))
    assert state["messages"][-1].text == "hi"


def test_cancelled() -> None:
    """The run ends, nothing runs on, the thread is valid."""

    async def main() -> None:
        agent = Agent(ScriptedModel([Answer("late", delay_s=60), "well"]))
        task = asyncio.create_task(agent.arun("Hi", thread="t"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1
        assert (await agent.arun("again", thread="t")).answer == "well"

    asyncio.run(main())


def test_many_runs_at_once() -> None:
    """Each counts for itself."""

    async def main() -> None:
        agent = Agent(ScriptedModel(lambda request: [call("ls")] if len(request.messages) < 5 else "done"), [ls])
        runs = await asyncio.gather(*(agent.arun(f"{n}") for n in range(20)))
        assert {(run.status, run.steps, len(run.messages)) for run in runs} == {("done", 3, 6)}
        assert [run.messages[0].text for run in runs] == [f"{n}" for n in range(20)]

    asyncio.run(main())


def made(*given: Any, **options: Any) -> Agent:
    """An agent of whatever a program might give."""
    return Agent(*given, **options)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: made("gpt"), ValueError, "'gpt' alone does not say whose model it is"),
        (lambda: made(3), TypeError, "a model is a name, a ChatModel or a LangChain chat model, found 3"),
        (lambda: made(ScriptedModel([]), [3]), TypeError, "a tool is made of a function, found 3"),
        (lambda: made(ScriptedModel([]), add), TypeError, r"the tools of an Agent are a list, found Tool\(add"),
        (lambda: made(ScriptedModel([]), [ls, ls]), ValueError, "two tools have the name 'ls'"),
        (lambda: made(ScriptedModel([]), system=3), TypeError, "system is a text"),
        (lambda: made(ScriptedModel([]), tool_choice="nope"), ValueError, "tool_choice is one of"),
        (lambda: made(ScriptedModel([]), state_schema=dict), GraphError, "a state schema declares fields"),
        (lambda: made(ScriptedModel([]), limits=3), TypeError, "limits are a Limits"),
        (lambda: made(ScriptedModel([]), history="text"), TypeError, "history is a conversation"),
        (lambda: made(ScriptedModel([]), policy="fast"), ValueError, 'policy is "parallel" or "serial"'),
    ],
)
def test_what_cannot_be_is_said_when_the_agent_is_made(make: Any, error: type[Exception], text: str) -> None:
    """And not in the middle of a run."""
    with pytest.raises(error, match=text):
        make()


def test_a_state_without_messages() -> None:
    """An agent works on a conversation."""

    class Bare(MessagesState):
        pass

    class Wrong(dict[str, Any]):
        pass

    Agent(ScriptedModel([]), state_schema=Bare)
    with pytest.raises(GraphError):
        Agent(ScriptedModel([]), state_schema=Wrong)


def test_what_a_system_function_raises_is_raised_on() -> None:
    """With a note that names the node."""

    def broken(state: Any) -> str:
        raise KeyError("user")

    with pytest.raises(KeyError) as error:
        Agent(ScriptedModel(["x"]), system=broken).run("Hi")
    assert "in node 'model'" in error.value.__notes__[0]


def test_a_long_prompt() -> None:
    """10 MB are a message like any other where the window is not known."""
    run = Agent(ScriptedModel(["ok"])).run(HumanMessage("x" * 10_000_000))
    assert run.answer == "ok"


def test_more_steps_than_a_graph_may_take() -> None:
    """The agent's own limit counts, and not that of the graph."""
    run = Agent(ScriptedModel(lambda request: [call("ls", n=len(request.messages))]), [ls], limits=Limits(steps=700, repeats=None)).run(
        "go"
    )
    assert (run.status, run.steps) == ("limit", 700)
    assert len(run.messages) == 1_401


def test_its_picture() -> None:
    """The graph can be drawn."""
    drawn = Agent(ScriptedModel([])).compiled.get_graph().draw_mermaid()
    assert "model" in drawn
    assert "tools" in drawn


def test_errors_of_models_are_one_tree() -> None:
    """So that one clause catches them."""
    with pytest.raises(ModelError):
        Agent(ScriptedModel([])).run("Hi")


def test_unknown_tools_for_ever() -> None:
    """A limit ends it: the same call with the same result, or the steps."""
    assert Agent(ScriptedModel(forever("nope"))).run("go").status == "limit"
    run = Agent(ScriptedModel(lambda request: [call(f"t{len(request.messages)}")])).run("go")
    assert (run.status, run.steps) == ("limit", 50)
