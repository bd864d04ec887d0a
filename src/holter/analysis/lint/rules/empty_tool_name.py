"""A call without a name.

What:   the name of a call is not blank.
Why:    there is nothing to call, and providers refuse the message.
Seen:   a stream whose name came in a chunk that was dropped.
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "?"}]
Good:   user x · calls a read · result a ok
Source: https://github.com/Zoo-Code-Org/Zoo-Code/issues/695 (2026-06-23).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    for call, _, code, _ in index.odd_names:
        if code == "NAME06":
            yield index.at_call(
                call, f"the call {call.id or 'without an id'} names no tool", "name", hint="answer it with an error; keep the id"
            )


RULE = Rule(
    code="NAME06",
    name="empty-tool-name",
    severity="error",
    check=check,
    fix="answer it with an error result; the id stays",
    needs=facts.CALLS,
)
