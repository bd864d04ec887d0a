"""A state update without an answer to its call.

What:   a tool that returns an update of the state also answers its call.
Why:    the call stays open, and the next request is refused.
Seen:   a `Command(update=…)` without a tool message in it.
Bad:    {"events": [{"type": "repair RUN04", "id": "a", "content": "a result was made from the update"}]}
Good:   {"events": [{"type": "tool_call", "id": "a"}, {"type": "tool_result", "id": "a", "content": "ok"}]}
Source: https://github.com/langchain-ai/langgraph-swarm-py/issues/26 (2025-03-12).
"""

from collections.abc import Iterator

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Trace


def check(trace: Trace) -> Iterator[Found]:
    """Each call for which the runtime had to make a result."""
    for step in trace.steps:
        if step.kind == "repair RUN04":
            text = step.text or f"the update of call {step.call_id} came without a result"
            yield Found(text=text, index=step.position, path=f"[{step.position}]")


RULE = Rule(
    code="RUN04",
    name="command-without-result",
    severity="error",
    check=check,
    fix="a result made from the update",
    about="trace",
)
