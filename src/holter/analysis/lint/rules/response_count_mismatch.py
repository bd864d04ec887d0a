"""More or fewer function responses than calls.

What:   a turn has as many `functionResponse` parts as the turn before has `functionCall` parts.
Why:    Gemini refuses the request.
Seen:   one of two parallel calls was cancelled, or its response was lost in a compaction.
Target: gemini
Bad:    [{"role": "user", "parts": [{"text": "edit both"}]}, {"role": "model", "parts": [{"functionCall": {"name": "write", "args": {"p": "a"}}},
        {"functionCall": {"name": "write", "args": {"p": "b"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "write", "response": {"output": "ok"}}}]}]
Good:   [{"role": "user", "parts": [{"text": "edit it"}]}, {"role": "model", "parts": [{"functionCall": {"name": "write", "args": {"p": "a"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "write", "response": {"output": "ok"}}}]}]
Source: https://github.com/google-gemini/gemini-cli/issues/3814 (2025-07-10).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each turn of responses whose number is not that of the calls before it."""
    for at, message in enumerate(index.messages):
        after = at + 1
        if not isinstance(message, AIMessage) or not message.calls or after >= len(index.messages):
            continue
        turn = index.place(after).index if index.wire == "gemini" and index.conversation.places else None
        end = after
        while end < len(index.messages) and isinstance(index.messages[end], ToolMessage) and turn in (None, index.place(end).index):
            end += 1
        responses, calls = end - after, len(message.calls)
        if responses and responses != calls:
            yield index.at(after, _text(calls, responses, index.shown(at)).strip())


def _text(calls: int, responses: int, at: int) -> str:
    made = "1 call" if calls == 1 else f"{calls} calls"
    given = "1 response" if responses == 1 else f"{responses} responses"
    return f"{made} at {at}, {given} here"


RULE = Rule(
    code="PAIR11",
    name="response-count-mismatch",
    severity="error",
    check=check,
    fix="add error responses for the missing ones, all in one turn",
    needs=facts.CALLS,
    profiled=True,
)
