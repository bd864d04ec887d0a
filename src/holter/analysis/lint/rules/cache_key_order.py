"""Equal arguments that missed the cache.

What:   equal arguments in another order of keys are the same entry of a cache.
Why:    the tool runs again, and its effects and costs with it.
Seen:   keys made of the text of the arguments, in the order in which they came.
Bad:    {"events": [{"type": "tool_call", "id": "a", "name": "add", "args": {"x": 1, "y": 2}, "cache": true}, {"type": "tool_started", "id": "a"},
        {"type": "tool_call", "id": "b", "name": "add", "args": {"y": 2, "x": 1}}, {"type": "tool_started", "id": "b"},
        {"type": "cache_hit", "id": "z", "name": "add", "key": "k"}]}
Good:   {"events": [{"type": "tool_call", "id": "a", "name": "add", "args": {"x": 1, "y": 2}}, {"type": "tool_started", "id": "a"},
        {"type": "tool_call", "id": "b", "name": "add", "args": {"y": 2, "x": 1}}, {"type": "cache_hit", "id": "b", "name": "add", "key": "k"}]}
Source: https://github.com/PrefectHQ/fastmcp/issues/4735 (2026-08-03), https://github.com/agno-agi/agno/issues/4822 (2025-09-26).
"""

from collections.abc import Iterator

import msgspec

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Step, Trace, canonical


def check(trace: Trace) -> Iterator[Found]:
    """Each run of a cached tool whose arguments are an earlier run's in another order of keys."""
    cached = {step.name for step in trace.steps if step.kind == "cache_hit"}
    runs: dict[tuple[str | None, str], Step] = {}
    for step in trace.steps:
        if step.kind != "tool_started":
            continue
        call = trace.call_before(step)
        if call is None or call.name not in cached or not isinstance(call.args, dict):
            continue
        first = runs.setdefault((call.name, canonical(call.args)), call)
        if first is not call and _written(first) != _written(call):
            text = f"{call.name} runs again with equal arguments in another order of keys"
            yield Found(text=text, index=call.position, path=f"[{call.position}]", hint="make the key of canonical JSON, recursively")


def _written(call: Step) -> bytes:
    return msgspec.json.encode(call.args)


RULE = Rule(code="RUN05", name="cache-key-order", severity="warning", check=check, fix="canonical JSON, recursively", about="trace")
