"""Tool blocks in a request that declares no tools.

What:   a request whose history holds calls or results declares tools.
Why:    Bedrock and Anthropic refuse it: "The toolConfig field must be defined when using toolUse and toolResult content blocks".
Seen:   a summary, or a last answer without tools, asked with the whole history.
Target: anthropic
Bad:    {"model": "claude", "max_tokens": 10, "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]}
Good:   {"model": "claude", "max_tokens": 10, "tools": [{"name": "f", "input_schema": {"type": "object"}}], "messages": [
        {"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]}
Source: https://github.com/langgenius/dify/issues/17545 (2025-04-07), https://github.com/vxcontrol/pentagi/pull/196 (2026-03-11).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """At most one finding, about the request."""
    if not index.conversation.tools and (index.is_request or index.conversation.tools_known) and (index.calls or index.results):
        hint = "declare the tools that were used, with tool_choice none; or write the turns as text"
        yield index.at(None, "the history holds calls or results, and the request declares no tools", "tools", hint=hint)


RULE = Rule(
    code="RUN10",
    name="tools-missing-for-history",
    severity="error",
    check=check,
    fix="declare the tools that were used",
    needs=facts.SETTINGS | facts.OFFERED,
    profiled=True,
)
