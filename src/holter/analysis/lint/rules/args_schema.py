"""Arguments that the tool's schema does not allow.

What:   the arguments are an object that satisfies the schema of the tool.
Why:    the tool fails, or works with a default that nobody wanted.
Seen:   a loose description, a field the model made up. Answered with an error that says so, it is a model's mistake handled well (info).
Bad:    {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}},
        "required": ["n"]}}}], "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\\"n\\": \\"two\\"}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}},
        "required": ["n"]}}}], "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\\"n\\": 2}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Source: https://github.com/langchain-ai/langchain/issues/34790 (2026-01-17).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call, with the first problems."""
    for found, call in index.argument_faults_of("ARG12"):
        yield replace(found, severity="info") if index.was_refused(call) else found


RULE = Rule(code="ARG12", name="args-schema", severity="error", check=check, needs=facts.OFFERED | facts.INVALID)
