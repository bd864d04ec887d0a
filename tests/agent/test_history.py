"""Conversations that an agent goes on with."""

import json
from pathlib import Path

import pytest

from holter.agent import Agent
from holter.errors import UnknownThread
from holter.formats import read
from holter.graph import START, MessagesState, StateGraph
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage
from holter.models import ScriptedModel
from tests.agent.sample import call, ls, said
from tests.agent.ways import Way

OPEN: list[Message] = [SystemMessage("old"), HumanMessage("list"), AIMessage("", tool_calls=[call("ls", "c")])]


def test_a_log_is_gone_on_with(tmp_path: Path, way: Way) -> None:
    """Any conversation that was read; what is open in it is closed."""
    log = tmp_path / "log.json"
    log.write_text(
        json.dumps(
            [
                {"role": "user", "content": "list"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
                },
            ]
        )
    )
    model = ScriptedModel(["Nothing came back."])
    run = way(Agent(model, [ls], history=read(log)[0]), "What did you find?")
    assert said(run) == [
        ("human", "list"),
        ("ai", ""),
        ("tool", "No result was recorded for this call: it may or may not have run."),
        ("human", "What did you find?"),
        ("ai", "Nothing came back."),
    ]
    assert list(model.requests[0].messages) == run.messages[:4]


def test_every_new_thread_begins_with_it() -> None:
    """And only a new one."""
    agent = Agent(ScriptedModel(["1", "2", "3"]), history=[("user", "Hi"), ("assistant", "Hello!")])
    assert len(agent.run("a", thread="a").messages) == 4
    assert len(agent.run("b", thread="a").messages) == 6
    assert len(agent.run("c", thread="b").messages) == 4


def test_the_history_of_one_run() -> None:
    """In the place of the agent's; a thread that has begun refuses it."""
    agent = Agent(ScriptedModel(["1", "2"]), history=[("user", "Hi"), ("assistant", "Hello!")])
    assert said(agent.run("a", thread="t", history=["other"]))[0] == ("human", "other")
    with pytest.raises(ValueError, match="thread 't' has begun already"):
        agent.run("b", thread="t", history=["other"])


def test_history_of_a_thread_that_a_configuration_names() -> None:
    """Begins it once; inside another run of that name it is another thread, which begins with it."""
    agent = Agent(ScriptedModel(["1", "2"]), history=[("user", "Hi"), ("assistant", "Hello!")])
    config = {"configurable": {"thread_id": "t"}}
    agent.run("a", config=config)
    assert [text for _, text in said(agent.run("b", config=config))] == ["Hi", "Hello!", "a", "1", "b", "2"]

    inner = Agent(ScriptedModel(["3"]), history=["before"])
    outer = StateGraph(MessagesState).add_node("ask", lambda state, config: {"messages": inner.run("c", config=config).answer})
    graph = outer.add_edge(START, "ask").compile()
    assert [message.text for message in graph.invoke({"messages": "d"}, config)["messages"]] == ["d", "3"]


def test_without_a_prompt() -> None:
    """The history itself is what is asked."""
    assert said(Agent(ScriptedModel(["Hello!"])).run(None, history=["Hi"])) == [("human", "Hi"), ("ai", "Hello!")]


def test_the_agents_system_message_counts() -> None:
    """That of the history stays in the thread, and is not sent; without one of the agent's it is."""
    with_own, without = ScriptedModel(["ok"]), ScriptedModel(["ok"])
    run = Agent(with_own, system="new", history=OPEN).run("go")
    Agent(without, history=OPEN).run("go")
    assert run.messages[0] == SystemMessage("old", id=run.messages[0].id)
    assert [message.text for message in with_own.requests[0].messages if isinstance(message, SystemMessage)] == ["new"]
    assert [message.text for message in without.requests[0].messages if isinstance(message, SystemMessage)] == ["old"]


def test_ids_that_come_twice_in_a_log() -> None:
    """No message takes another's place."""
    history = [HumanMessage("a", id="1"), AIMessage("b", id="1"), HumanMessage("c", id="1")]
    assert [text for _, text in said(Agent(ScriptedModel(["ok"])).run("d", history=history))] == ["a", "b", "c", "d", "ok"]


def test_what_is_no_history(tmp_path: Path) -> None:
    """A list of conversations, a text."""
    log = tmp_path / "log.json"
    log.write_text('[{"role": "user", "content": "Hi"}]')
    with pytest.raises(TypeError, match=r"history is one conversation, found a list of them; choose one: holter.read\(path\)\[0\]"):
        Agent(ScriptedModel([]), history=read(log))


def test_answers_for_a_thread_that_is_not_there() -> None:
    """Said with its name."""
    with pytest.raises(UnknownThread, match="there is no thread 'gone'"):
        Agent(ScriptedModel([])).resume("gone", "yes")
