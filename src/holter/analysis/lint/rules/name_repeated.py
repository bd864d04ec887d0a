"""A known name said several times.

What:   the name of a call is not a tool's name said n times.
Why:    there is no such tool; it is left by a merger of stream chunks that appends names.
Seen:   providers that repeat the name in every chunk.
Bad:    {"tools": [{"type": "function", "function": {"name": "find_doc", "parameters": {}}}], "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "find_docfind_doc",
        "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"tools": [{"type": "function", "function": {"name": "dada", "parameters": {}}}], "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "dada",
        "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Source: https://github.com/NousResearch/hermes-agent/pull/11984 (2026-04-18), https://github.com/bytedance/deer-flow/pull/654 (2025-10-24).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    for call, name, code, meant in index.odd_names:
        if code == "NAME05" and meant:
            text = f"{name} is {meant} said {len(name) // len(meant)} times"
            yield index.at_call(call, text, "name", hint="a fault in merging a stream: names do not add up")


RULE = Rule(code="NAME05", name="name-repeated", severity="warning", check=check, fix="say it once", needs=facts.OFFERED)
