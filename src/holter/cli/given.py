"""What a person types, as what a graph takes: a prompt, answers, a context."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from holter.graph.compiled import CompiledGraph
from holter.messages import HumanMessage
from holter.tools.approval import APPROVAL, decision

STANDARD_INPUT = "-"


def read_prompt(prompt: str) -> str:
    """The prompt, or what standard input holds for `-`. UsageError where there is nothing."""
    if prompt == STANDARD_INPUT:
        if sys.stdin is None:
            raise click.UsageError("standard input is closed")
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace").strip("\r\n")
    if not prompt.strip():
        raise click.UsageError("the prompt is empty")
    return prompt


def is_answerable() -> bool:
    """Whether a person sits at standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


def state_of(graph: CompiledGraph, prompt: str) -> dict[str, Any]:
    """The input that a prompt stands for: a message; or, as a JSON object of the state's fields, the state.

    UsageError for a prompt that the state has no place for.
    """
    program = graph.program
    fields = list(program.builder.input_schema.fields)
    value = json_object(prompt)
    if value is not None and value.keys() <= set(fields) and (value or not takes_messages(graph)):
        return value
    if takes_messages(graph):
        return {program.messages_key: [HumanMessage(prompt)]}
    found = f", not {', '.join(map(repr, value.keys() - set(fields)))}" if value is not None else ""
    example = json.dumps({fields[0]: "…"} if fields else {}, ensure_ascii=False)
    raise click.UsageError(
        f"the state of the graph holds no messages: give a JSON object with some of its fields ({', '.join(fields)}{found}), '{example}'"
    )


def takes_messages(graph: CompiledGraph) -> bool:
    """Whether a message can be the input."""
    return graph.program.messages_key in graph.program.builder.input_schema.fields


def answer_of(text: str, question: Any) -> Any:
    """What an answer says: `y` and `n` are True and False, JSON is its value, anything else is text.

    To the question whether a call may run, text is the reason why it may not.
    """
    word = text.strip().lower()
    if word in ("y", "yes", "n", "no"):
        return word[0] == "y"
    value = json_or_text(text.strip())
    is_approval = isinstance(question, dict) and question.get("type") == APPROVAL
    if isinstance(value, str) and is_approval and decision(value) is None:
        return {"grant": False, "reason": value}
    return value


def json_or_text(text: str) -> Any:
    """The value that a text is as JSON, else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def json_object(text: str) -> dict[str, Any] | None:
    """The object that a text is as JSON; None where it is none."""
    value = json_or_text(text) if text.lstrip().startswith("{") else None
    return value if isinstance(value, dict) else None
