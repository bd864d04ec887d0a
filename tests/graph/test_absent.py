"""Options of LangGraph's that are not here."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from holter import Agent, MessagesState, ScriptedModel, StateGraph
from tests.graph.ways import graph_of, says


def compiled() -> Any:
    """A graph that runs."""
    return graph_of(a=says("a")).compile()


def talking() -> Agent:
    """An agent that says one thing."""
    return Agent(ScriptedModel(["Hi!"]))


def add_node(**options: Any) -> Any:
    """A node with these options."""
    return StateGraph(MessagesState).add_node("late", says("late"), **options)


def ainvoke(**options: Any) -> Any:
    """A run with these options."""
    return asyncio.run(compiled().ainvoke({}, **options))


def stream(**options: Any) -> Any:
    """A stream with these options, to its end."""
    return list(compiled().stream({}, **options))


@pytest.mark.parametrize(
    ("ask", "option", "value", "instead"),
    [
        (add_node, "retry_policy", object(), r"wrap_tool_call=\[retry\(\)\]"),
        (add_node, "cache_policy", object(), r"wrap_tool_call=\[cached\(\)\]"),
        (add_node, "defer", True, r'add_edge\(\["a", "b"\], "c"\)'),
        (add_node, "timeout", 3, "asyncio.timeout"),
        (lambda **options: graph_of(a=says("a")).compile(**options), "interrupt_before", ["a"], r"interrupt\(…\)"),
        (lambda **options: graph_of(a=says("a")).compile(**options), "interrupt_after", "*", "needs_approval=True"),
        (lambda **options: compiled().invoke({}, **options), "durability", "sync", "SQLiteJournal"),
        (ainvoke, "interrupt_before", ["a"], r"interrupt\(…\)"),
        (lambda **options: Agent(ScriptedModel([]), **options), "system_prompt", "Be brief.", "its name is `system`"),
        (lambda **options: Agent(ScriptedModel([]), **options), "checkpointer", object(), "its name is `journal`"),
        (stream, "version", "v2", "pairs"),
        (lambda **options: talking().stream("Hi", **options).answer, "stream_mode", "values", r"agent\.compiled\.stream"),
        (lambda **options: talking().invoke({"messages": ["Hi"]}, **options), "interrupt_before", ["tools"], r"interrupt\(…\)"),
        (lambda **options: StateGraph(MessagesState, **options), "config_schema", dict, "context_schema"),
    ],
)
def test_an_option_that_is_not_here(ask: Callable[..., Any], option: str, value: Any, instead: str) -> None:
    """Is an error that says what to use; one that nobody knows is any mistake; one that asks for nothing does nothing."""
    with pytest.raises(TypeError, match=f"takes no `{option}`: .*{instead}"):
        ask(**{option: value})
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        ask(nonsense=None)
    ask(**{option: None})
    ask(**{option: False})


@pytest.mark.parametrize("journal", ["threads.db", True, object()])
def test_what_is_no_journal(journal: Any) -> None:
    """Is said when the graph is made, not when it runs."""
    for key in ("journal", "checkpointer"):
        with pytest.raises(TypeError, match="a journal is an object such as SQLiteJournal"):
            graph_of(a=says("a")).compile(**{key: journal})
