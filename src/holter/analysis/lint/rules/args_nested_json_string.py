"""A JSON text where the schema wants the value.

What:   a field that the schema calls an array or object is not the JSON text of one.
Why:    the schema check refuses it, or the tool gets a text.
Seen:   models that quote nested values.
Bad:    {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"tags": {"type": "array"}}}}}],
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "f", "arguments": "{\\"tags\\": \\"[1, 2]\\"}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"tags": {"type": "array"}}}}}],
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "f", "arguments": "{\\"tags\\": [1, 2]}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Source: https://github.com/quarkiverse/quarkus-langchain4j/pull/2642 (2026-06-29).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each call with such a field."""
    yield from index.argument_findings("ARG10")


RULE = Rule(
    code="ARG10",
    name="args-nested-json-string",
    severity="warning",
    check=check,
    fix="decode the field",
    needs=facts.OFFERED,
)
