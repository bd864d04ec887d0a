"""A retry after a failure that leaves open what happened.

What:   a tool that is not idempotent is not tried again after a timeout or a lost connection.
Why:    the first attempt may have done its work: the effect happens twice.
Seen:   one retry policy for all tools.
Bad:    {"events": [{"type": "tool_started", "id": "a", "name": "pay"}, {"type": "tool_failed", "id": "a", "name": "pay", "error": "timed out"},
        {"type": "tool_started", "id": "a", "name": "pay", "attempt": 2}]}
Good:   {"events": [{"type": "tool_started", "id": "a", "name": "pay"}, {"type": "tool_failed", "id": "a", "name": "pay", "error": "ValueError"},
        {"type": "tool_started", "id": "a", "name": "pay", "attempt": 2}]}
Source: https://github.com/PrefectHQ/fastmcp/issues/4735 (2026-08-03).
"""

from collections.abc import Iterator

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Step, Trace
from holter.messages import Severity


def check(trace: Trace) -> Iterator[Found]:
    """Each attempt behind an unclear failure of the same call; a warning where nobody knows whether the tool may run twice."""
    unclear: dict[str, Step] = {}
    for step in trace.steps:
        if step.call_id is None:
            continue
        if step.kind == "tool_failed" and step.is_unknown:
            unclear[step.call_id] = step
        elif step.kind == "tool_started" and step.call_id in unclear and (safe := trace.may_repeat(step.name)) is not True:
            failed = unclear.pop(step.call_id)
            text = f"{step.name} ({step.call_id}) is tried again after {failed.text or 'an unclear failure'}: it may have run"
            hint = "mark it idempotent if that is true; else ask before it runs again"
            severity: Severity | None = "warning" if safe is None else None
            yield Found(text=text, index=step.position, path=f"[{step.position}]", hint=hint, severity=severity)


RULE = Rule(code="RUN02", name="unsafe-retry", severity="error", check=check, about="trace")
