"""An error that came out of a cache.

What:   results that are errors are not kept in a cache.
Why:    a failure that passed by stays for as long as the entry lives.
Seen:   a cache around the tool that stores whatever it returns.
Bad:    {"events": [{"type": "tool_call", "id": "a", "name": "f"}, {"type": "cache_hit", "id": "a", "name": "f", "key": "k"},
        {"type": "tool_result", "id": "a", "content": "Error: timeout", "status": "error"}]}
Good:   {"events": [{"type": "tool_call", "id": "a", "name": "f"}, {"type": "cache_hit", "id": "a", "name": "f", "key": "k"},
        {"type": "tool_result", "id": "a", "content": "ok"}]}
Source: https://github.com/agno-agi/agno/issues/4822 (2025-09-26).
"""

from collections.abc import Iterator

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Trace


def check(trace: Trace) -> Iterator[Found]:
    """Each result that came from a cache and is an error."""
    hits: dict[str, int] = {}
    for step in trace.steps:
        if step.call_id is None:
            continue
        if step.kind == "cache_hit":
            hits[step.call_id] = step.position
        elif step.kind == "tool_result" and step.call_id in hits:
            if step.is_error:
                text = f"the result of {step.call_id} is an error, and came from a cache"
                yield Found(text=text, index=step.position, path=f"[{step.position}]", hint="do not store errors")
            del hits[step.call_id]


RULE = Rule(code="RUN06", name="cached-error", severity="error", check=check, fix="skip the store", about="trace")
