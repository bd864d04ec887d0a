"""Two parallel calls that wrote one key.

What:   parallel tools do not write one key of the state without a rule that merges.
Why:    one of the two writes is lost, or the run dies.
Seen:   two calls of one tool in a batch, each returning an update.
Bad:    {"events": [{"type": "discarded", "key": "files", "writers": ["a", "b"]}]}
Good:   {"events": [{"type": "node", "id": "a"}, {"type": "node", "id": "b"}]}
Source: https://github.com/langchain-ai/langgraph/issues/2336 (2024-11-05), https://github.com/langchain-ai/deepagentsjs/issues/144 (2026-01-26).
"""

from collections.abc import Iterator

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Trace


def check(trace: Trace) -> Iterator[Found]:
    """Each clash that the journal tells of."""
    for step in trace.steps:
        if step.kind == "discarded":
            writers = " and ".join(step.writers) or "several tasks"
            text = f"{writers} both write `{step.key}`, and there is no merge rule"
            yield Found(text=text, path=f"[{step.position}]", hint="a reducer on the key, or `parallel=False`")


RULE = Rule(code="RUN03", name="concurrent-state-write", severity="error", check=check, about="trace")
