"""Something stands before the results in a user message.

What:   `tool_result` blocks come first in their message.
Why:    Anthropic refuses the request, and says that results are missing.
Seen:   a reminder was put in front of the user message that holds the results.
Target: anthropic
Bad:    [{"role": "user", "content": "plan"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "todo", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "Reminder."}, {"type": "tool_result", "tool_use_id": "a", "content": "ok"}]}]
Good:   [{"role": "user", "content": "plan"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "todo", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}, {"type": "text", "text": "Reminder."}]}]
Source: https://github.com/shareAI-lab/learn-claude-code/issues/55 (2026-03-06).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import HumanMessage, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """The first block in front, once for each message of the source."""
    if index.wire != "anthropic":
        return
    told: set[int] = set()
    for at, message in enumerate(index.messages):
        own = index.place(at).index
        if not isinstance(message, ToolMessage) or own is None or own in told or at == 0:
            continue
        first = at
        while first and index.place(first - 1).index == own and isinstance(index.messages[first - 1], HumanMessage):
            first -= 1
        if first < at:
            told.add(own)
            yield index.at(
                first, f"a block stands before the result of {message.tool_call_id} in one message", hint="results first, then text"
            )


RULE = Rule(
    code="PAIR09",
    name="result-block-not-leading",
    severity="error",
    check=check,
    fix="put the results first, in their order, then the rest",
    needs=facts.RESULTS,
    profiled=True,
)
