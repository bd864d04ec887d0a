"""A call of a tool that was not offered.

What:   the name of a call is among the tools of the request.
Why:    there is nothing to call; a runtime that does not expect it crashes.
Seen:   descriptions that overlap, tools of an earlier step, a name the model made up. Answered with an error it is handled well (info).
Bad:    {"tools": [{"type": "function", "function": {"name": "read", "parameters": {}}}], "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "fetch", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Good:   {"tools": [{"type": "function", "function": {"name": "read", "parameters": {}}}], "messages": [{"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"}]}
Source: https://github.com/tontinton/maki/pull/518 (2026-07-16).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.name import listed
from holter.analysis.lint.rule import Found, Rule
from holter.messages import Severity


def check(index: Index) -> Iterator[Found]:
    """Each such call, in order."""
    if index.offers_more_than_named:
        return
    for call, name, code, _ in index.odd_names:
        if code == "NAME01" and index.offered:
            hint = f"answer it with the names that there are: {listed(sorted(index.offered))}"
            severity: Severity | None = "info" if index.was_refused(call) else None
            yield index.at_call(call, f"{name} was not offered", "name", hint=hint, severity=severity, fixable=call.result is None)


RULE = Rule(
    code="NAME01",
    name="unknown-tool",
    severity="error",
    check=check,
    fix="answer it with an error result that lists the names",
    needs=facts.OFFERED,
)
