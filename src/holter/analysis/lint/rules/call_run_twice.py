"""One call that was run twice.

What:   a call is run once, also across a resume.
Why:    its effects happen twice: two mails, two payments.
Seen:   a resume that starts the node again; a checkpoint that was written after the tool ran, and lost.
Bad:    {"events": [{"type": "tool_call", "id": "a", "name": "pay"}, {"type": "tool_started", "id": "a", "name": "pay"},
        {"type": "tool_result", "id": "a", "content": "ok"}, {"type": "tool_started", "id": "a", "name": "pay"}]}
Good:   {"events": [{"type": "tool_call", "id": "a", "name": "pay"}, {"type": "tool_started", "id": "a", "name": "pay"},
        {"type": "tool_result", "id": "a", "content": "ok"}]}
Source: https://github.com/langchain-ai/langgraph/issues/6626 (2025-12-30).
"""

from collections.abc import Iterator

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Step, Trace
from holter.messages import Severity


def check(trace: Trace) -> Iterator[Found]:
    """Each start of a call that has a result, or that was started before and neither failed nor asked; a tool that may safely run twice
    may start again where nobody knows what came of it, and where nobody knows of the tool that is a warning."""
    open_: dict[str, Step] = {}
    done: set[str] = set()
    for step in trace.steps:
        if step.kind in ("interrupt", "answer"):
            for call_id in [call_id for call_id in open_ if _asks(call_id, step.key)]:
                del open_[call_id]
        if step.call_id is None:
            continue
        if step.kind == "tool_call":
            done.discard(step.call_id)
            open_.pop(step.call_id, None)
        elif step.kind in ("tool_result", "cache_hit"):
            done.add(step.call_id)
        elif step.kind == "tool_failed":
            open_.pop(step.call_id, None)
        elif step.kind == "tool_started":
            if step.call_id in done:
                yield _found(step, "after its result")
            elif step.call_id in open_ and (safe := trace.may_repeat(step.name)) is not True:
                before = f"and was started at {open_[step.call_id].position} already"
                yield _found(step, before, severity="warning" if safe is None else None)
            open_[step.call_id] = step


def _found(step: Step, when: str, severity: Severity | None = None) -> Found:
    text = f"call {step.call_id} of {step.name} is run {when}"
    return Found(text=text, index=step.position, path=f"[{step.position}]", severity=severity)


def _asks(call_id: str, key: str | None) -> bool:
    """Whether a question of this key is the call's: it, its second one ("id/1"), or one of a run inside it ("id::key")."""
    return key is not None and (key == call_id or key.startswith((f"{call_id}/", f"{call_id}::")))


RULE = Rule(code="RUN01", name="call-run-twice", severity="error", check=check, about="trace")
