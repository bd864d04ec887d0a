"""Programs as tutorials of LangGraph have them run when their import lines are changed, and print what they printed there."""

import random
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest

from holter import (
    REMOVE_ALL_MESSAGES,
    START,
    AIMessage,
    HumanMessage,
    MessagesState,
    RemoveMessage,
    ScriptedModel,
    StateGraph,
    StreamWriter,
    read,
)

DOCUMENT = Path(__file__).parents[1] / "fixtures" / "tutorial" / "tool_nodes.md"
"""Five programs, each with what it printed."""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FRAMEWORK = re.compile(r"^from (?:langchain\.\w+|langgraph\.[\w.]+) import ", re.MULTILINE)
_SURROUNDINGS = re.compile(r"^from (?:langchain_openai|IPython\.display) import ", re.MULTILINE)


def programs() -> list[tuple[str, list[str]]]:
    """(source, what it printed, each time that it was run)."""
    found: list[tuple[str, list[str]]] = []
    for language, text in _BLOCK.findall(DOCUMENT.read_text("utf-8")):
        if language == "python":
            found.append((text, []))
        else:
            found[-1][1].append(text)
    return found


def answers(printed: str) -> list[AIMessage]:
    """What the model said, as the printed conversations show it."""
    return [message for conversation in read(printed) for message in conversation.messages if isinstance(message, AIMessage)]


def run(source: str, said: list[AIMessage], seed: int, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Runs a program, with only its imports changed; the pictures that it displayed."""
    displayed: list[dict[str, str]] = []

    def display(graph: Any) -> None:
        displayed.append(graph._repr_mimebundle_())

    surroundings, program = ModuleType("surroundings"), ModuleType("program")
    monkeypatch.setattr(surroundings, "ChatOpenAI", lambda model: ScriptedModel(said, name=model), raising=False)
    monkeypatch.setattr(surroundings, "display", display, raising=False)
    monkeypatch.setitem(sys.modules, "surroundings", surroundings)
    monkeypatch.setitem(sys.modules, "program", program)
    source = _SURROUNDINGS.sub("from surroundings import ", _FRAMEWORK.sub("from holter import ", source))
    assert "lang" not in re.findall(r"^(?:from|import) (\w{4})", source, re.MULTILINE)
    random.seed(seed)
    exec(compile(source, "program", "exec"), program.__dict__)
    return displayed


@pytest.mark.parametrize(
    ("number", "time", "seed"),
    [
        pytest.param(0, 0, 0, id="a tool node by hand"),
        pytest.param(1, 0, 0, id="ToolNode"),
        pytest.param(2, 0, 0, id="state updates"),
        pytest.param(3, 0, 3, id="a retry that gives up"),
        pytest.param(3, 1, 7, id="a retry that succeeds"),
        pytest.param(4, 0, 0, id="a cache"),
    ],
)
def test_a_program_prints_what_it_printed_there(
    number: int, time: int, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the model's recorded answers; the graph has a picture for a notebook, too."""
    source, printed = programs()[number]
    (picture,) = run(source, answers(printed[time]), seed, monkeypatch)
    assert capsys.readouterr().out == printed[time]
    assert "image/svg+xml" in picture


def test_all_programs_are_run() -> None:
    """The document holds what the test above names."""
    assert [len(printed) for _, printed in programs()] == [1, 1, 1, 2, 1]


def test_a_thread_named_by_a_uuid() -> None:
    """Tutorials hand `uuid.uuid4()` over as it is."""
    thread = uuid4()
    graph = StateGraph(MessagesState).add_node("say", lambda state: {"messages": "hello"}).add_edge(START, "say").compile()
    graph.invoke({"messages": "hi"}, {"configurable": {"thread_id": thread}})
    assert len(graph.get_state({"configurable": {"thread_id": str(thread)}}).values["messages"]) == 2


@pytest.mark.parametrize(("content", "text"), [(7, "7"), (["a ", {"type": "text", "text": "b"}], "a b")])
def test_content_as_langchain_takes_it(content: Any, text: str) -> None:
    """Tutorials give results as tools return them, and put plain text among blocks."""

    def say(state: MessagesState) -> dict[str, Any]:
        return {"messages": [HumanMessage(content)]}

    graph = StateGraph(MessagesState).add_node(say).add_edge(START, "say").compile()
    assert graph.invoke({"messages": "hi"})["messages"][-1].text == text


def test_names_that_tutorials_import() -> None:
    """A writer by its type, and all messages removed at once."""

    def say(state: MessagesState, writer: StreamWriter) -> dict[str, Any]:
        writer("saying")
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), HumanMessage("only this")]}

    graph = StateGraph(MessagesState).add_node(say).add_edge(START, "say").compile()
    said, done = list(graph.stream({"messages": "hi"}, stream_mode=["custom", "values"]))[1:]
    assert said == ("custom", "saying")
    assert [message.text for message in done[1]["messages"]] == ["only this"]
