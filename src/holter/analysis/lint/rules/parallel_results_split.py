"""Results of one turn in several user messages.

What:   all results of a turn stand in one user message.
Why:    Anthropic and Bedrock look for every result in the message that follows the calls, and refuse the request.
Seen:   a converter turned each result into a message of its own.
Target: anthropic
Bad:    [{"role": "user", "content": "compare"}, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "calc", "input": {}}, {"type": "tool_use", "id": "t2", "name": "calc", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "2"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "4"}]}]
Good:   [{"role": "user", "content": "compare"}, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "calc", "input": {}}, {"type": "tool_use", "id": "t2", "name": "calc", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "2"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "4"}]}]
Source: https://github.com/MoonshotAI/kosong/issues/45 (2025-12-01), https://github.com/agentjido/req_llm/pull/250 (2025-11-29).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each later message that holds results of the same turn."""
    if index.wire != "anthropic" or not index.conversation.places:
        return
    told: set[int] = set()
    for call in index.calls:
        if call.result is None:
            continue
        first = min(c.result for c in index.calls if c.message == call.message and c.result is not None)
        own, earliest = index.place(call.result).index, index.place(first).index
        between = range(first, call.result)
        if own == earliest or own is None or own in told or not all(isinstance(index.messages[at], ToolMessage) for at in between):
            continue
        told.add(own)
        yield index.at(call.result, f"the result of {call.id} must stand in message {earliest}, with the others of its turn")


RULE = Rule(
    code="PAIR08",
    name="parallel-results-split",
    severity="error",
    check=check,
    fix="join the neighbouring messages that hold only results",
    needs=facts.RESULTS,
    profiled=True,
)
