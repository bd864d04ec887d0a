"""Arguments that are null.

What:   the arguments are not JSON `null`: `{}` says that there are none.
Why:    code that reads them as an object fails on None.
Seen:   Cohere, and some local servers, for tools without parameters.
Bad:    [{"role": "user", "content": "time?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "n", "type": "function",
        "function": {"name": "get_time", "arguments": "null"}}]}, {"role": "tool", "tool_call_id": "n", "content": "noon"}]
Good:   user time? · calls n get_time {} · result n noon
Source: https://github.com/langchain-ai/langchain/pull/33896 (2025-11-08), https://github.com/langroid/langroid/pull/988 (2026-02-25).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    yield from index.argument_findings("ARG04")


RULE = Rule(code="ARG04", name="args-null", severity="warning", check=check, fix="take them as {}", needs=facts.INVALID)
