from typing import Any

import pytest

from holter.messages import ToolSpec
from holter.models.offer import choice_of, specs_of

ADD = ToolSpec("add", "Adds.", {"type": "object"})


class Declared:
    """A tool of another make: all that counts is its `spec`."""

    spec = ADD


def test_what_is_a_tool() -> None:
    """Tools, specs, and declarations of OpenAI, Anthropic and hosted tools."""
    wrapped = {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": {"type": "object"}}}
    plain = {"name": "look", "input_schema": {"type": "object"}}
    hosted = {"type": "web_search"}
    assert specs_of([Declared(), wrapped, plain, hosted]) == [
        ADD,
        ToolSpec("find", "Finds.", {"type": "object"}),
        ToolSpec("look", "", {"type": "object"}),
        ToolSpec("web_search", extra=hosted),
    ]


def test_strict() -> None:
    """`strict` goes into every declaration that has a schema of its own."""
    assert specs_of([ADD, {"type": "web_search"}], strict=True) == [
        ToolSpec("add", "Adds.", {"type": "object"}, True),
        ToolSpec("web_search", extra={"type": "web_search"}),
    ]


def add() -> None: ...


@pytest.mark.parametrize(
    ("tools", "error"),
    [
        ("add", "the tools are a list, found 'add'"),
        ({"name": "add"}, "the tools are a list, found {'name': 'add'}"),
        ([5], "a tool is a Tool, a ToolSpec, or a declaration with a name, found 5"),
        ([{"parameters": {}}], "a tool is a Tool, a ToolSpec, or a declaration with a name, found {'parameters': {}}"),
        ([ADD, Declared()], "two tools have the name 'add'; the model could not tell them apart"),
    ],
)
def test_what_is_none(tools: Any, error: str) -> None:
    """What is no tool is refused, and so are two of one name."""
    with pytest.raises((TypeError, ValueError)) as raised:
        specs_of(tools)
    assert str(raised.value) == error


def test_a_bare_function() -> None:
    """A function is no tool yet, and the error says how it becomes one."""
    with pytest.raises(TypeError, match="make a tool of it with @tool"):
        specs_of([add])


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        (None, None),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("any", "required"),
        ("add", "add"),
        ({"type": "function", "function": {"name": "add"}}, "add"),
        ({"type": "tool", "name": "add"}, "add"),
        ({"type": "any"}, "required"),
    ],
)
def test_choices(given: Any, choice: str | None) -> None:
    """The forms of a choice that people know."""
    assert choice_of(given, [ADD]) == choice


def test_choices_of_nothing() -> None:
    """A tool that is not offered cannot be chosen."""
    with pytest.raises(ValueError, match=r"or a tool that is offered \(add\); found 'find'"):
        choice_of("find", [ADD])
    with pytest.raises(ValueError, match=r"there is none"):
        choice_of({"type": "function"}, [])
