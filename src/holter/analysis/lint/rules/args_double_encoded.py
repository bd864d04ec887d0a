"""Arguments that were encoded twice.

What:   one decode gives an object, and not a text that holds one.
Why:    strict runtimes refuse the call; lenient ones hand the tool a text.
Seen:   a gateway calls `json.dumps` on arguments that are JSON already.
Bad:    [{"role": "user", "content": "sales?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "d", "type": "function",
        "function": {"name": "sales", "arguments": "\\"{\\\\\\"branch\\\\\\": \\\\\\"North\\\\\\"}\\""}}]}, {"role": "tool", "tool_call_id": "d", "content": "1"}]
Good:   user sales? · calls d sales {"branch": "North"} · result d 1
Source: https://github.com/FoundationAgents/OpenManus/pull/989 (2025-03-31), https://github.com/livekit/agents/pull/5411 (2026-04-10).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call."""
    yield from index.argument_findings("ARG02")


RULE = Rule(code="ARG02", name="args-double-encoded", severity="warning", check=check, fix="decode once more", needs=facts.INVALID)
