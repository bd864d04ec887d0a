"""Agents that work for others: as a tool, and as a node that hands over."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from holter.agent import Agent
from holter.graph.edge import START
from holter.graph.state import MessagesState
from holter.graph.state_graph import StateGraph
from holter.journal import MemoryJournal
from holter.messages import HumanMessage, ToolMessage
from holter.models import ScriptedModel
from holter.tools import Command, ToolRuntime, interrupt, tool
from tests.agent.sample import call, forever, ls, said
from tests.agent.ways import Way


def test_an_agent_as_a_tool(way: Way) -> None:
    """It gets a task in words; its answer is the result, and its run stands in a thread of its own."""
    helper = Agent(ScriptedModel([[call("ls")], "It is empty."]), [ls], name="helper", description="Looks at folders.")
    model = ScriptedModel([[call("helper", prompt="Look at /")], "Nothing there."])
    journal = MemoryJournal()
    run = way(Agent(model, [helper], journal=journal), "What is in /?", thread="t")
    assert said(run) == [("human", "What is in /?"), ("ai", ""), ("tool", "It is empty."), ("ai", "Nothing there.")]
    assert model.requests[0].tools[0].description == "Looks at folders."
    assert len(asyncio.run(journal.threads())) == 2
    assert run.steps == 2


def test_a_value_of_a_form_is_the_result() -> None:
    """As JSON."""

    @dataclass
    class Size:
        files: int

    helper = Agent(ScriptedModel(['{"files": 3}']), response_format=Size, name="counter")
    run = Agent(ScriptedModel([[call("counter", prompt="count")], "3"]), [helper]).run("go")
    assert said(run)[2] == ("tool", '{"files": 3}')


@pytest.mark.parametrize(
    ("helper", "text"),
    [
        (Agent(ScriptedModel(forever("ls")), [ls], name="helper"), "helper was stopped. The run was stopped before message 11"),
        (Agent(ScriptedModel(lambda request: ""), name="helper"), "helper gave no answer that can be used: The model gave no answer"),
        (Agent(ScriptedModel([]), name="helper"), "helper failed with NoAnswer"),
    ],
)
def test_a_helper_that_does_not_answer(helper: Agent, text: str) -> None:
    """Its end is an error result, and the agent that asked goes on."""
    run = Agent(ScriptedModel([[call("helper", prompt="go")], "I tried."]), [helper]).run("go")
    assert run.answer == "I tried."
    assert text in said(run)[2][1]


def test_questions_come_up(way: Way) -> None:
    """The outer run asks them; the helper goes on where it stood."""
    asked = 0

    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        nonlocal asked
        asked += 1
        return f"said {interrupt(question)}"

    helper = Agent(ScriptedModel([[call("ls")], [call("ask", question="Sure?")], "He is sure."]), [ls, ask], name="helper")
    agent = Agent(ScriptedModel([[call("helper", prompt="ask him")], "Good."]), [helper])
    run = way(agent, "go", thread="t")
    assert [question.value for question in run.interrupts] == ["Sure?"]
    run = agent.resume("t", "yes")
    assert said(run)[2:] == [("tool", "He is sure."), ("ai", "Good.")]
    assert asked == 2


def test_it_needs_a_name() -> None:
    """That the model can call."""
    with pytest.raises(ValueError, match="an agent that is a tool needs a name"):
        Agent(ScriptedModel([]), [Agent(ScriptedModel([]))])
    assert Agent(ScriptedModel([])).as_tool("helper", "Helps.").description == "Helps."


def test_one_agent_hands_over_to_another() -> None:
    """By a tool's command for the graph around them."""

    @tool
    def transfer(runtime: ToolRuntime) -> Command[Any]:
        """Hand over to Bob."""
        update = {"messages": [ToolMessage("Bob takes over.", tool_call_id=runtime.tool_call_id)]}
        return Command(goto="bob", graph=Command.PARENT, update=update)

    alice = Agent(ScriptedModel([[call("transfer")], "never"]), [transfer], name="alice")
    bob = Agent(ScriptedModel(["I am Bob."]), name="bob")
    graph = StateGraph(MessagesState)
    graph.add_node("alice", alice, destinations=["bob"])
    graph.add_node("bob", bob)
    graph.add_edge(START, "alice")
    state = graph.compile().invoke({"messages": [HumanMessage("Hi")]})
    assert [(message.type, message.text) for message in state["messages"]] == [
        ("human", "Hi"),
        ("ai", ""),
        ("tool", "Bob takes over."),
        ("ai", "I am Bob."),
    ]


def test_as_a_node_of_a_graph() -> None:
    """It adds its messages to the state around it."""
    graph = StateGraph(MessagesState)
    graph.add_node("agent", Agent(ScriptedModel([[call("ls")], "empty"]), [ls]))
    graph.add_edge(START, "agent")
    state = asyncio.run(graph.compile().ainvoke({"messages": [HumanMessage("Hi")]}))
    assert [message.text for message in state["messages"]] == ["Hi", "", "[]", "empty"]
