"""A known name behind a prefix.

What:   the name of a call is the tool's own, without `functions.`, `default_api:` or a server's name.
Why:    runtimes that look the name up as it is do not find the tool.
Seen:   GPT models write `functions.`, Gemini `default_api:`, MCP clients `server__`.
Bad:    {"tools": [{"type": "function", "function": {"name": "read", "parameters": {}}}], "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "functions.read",
        "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"tools": [{"type": "function", "function": {"name": "fs__read", "parameters": {}}}], "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "fs__read",
        "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Source: https://github.com/tontinton/maki/pull/518 (2026-07-16).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call, with the name that is left."""
    for call, name, code, meant in index.odd_names:
        if code == "NAME03":
            yield index.at_call(call, f"{name} means {meant}", "name", hint="strip the prefix where the rest is exactly one tool's name")


RULE = Rule(code="NAME03", name="name-prefix", severity="warning", check=check, fix="strip the prefix", needs=facts.OFFERED)
