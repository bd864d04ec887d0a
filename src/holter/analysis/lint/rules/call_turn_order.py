"""A Gemini turn with calls in the wrong place.

What:   a turn with calls follows a user turn or a turn with responses, and the history opens with user text.
Why:    Gemini refuses the request: "function call turn comes immediately after a user turn or after a function response turn".
Seen:   text and call of one answer were stored as two turns; a trimmer cut the user turn away.
Target: gemini
Bad:    [{"role": "user", "parts": [{"text": "size?"}]}, {"role": "model", "parts": [{"text": "Looking."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "du", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "du", "response": {"output": "9G"}}}]}]
Good:   [{"role": "user", "parts": [{"text": "size?"}]},
        {"role": "model", "parts": [{"text": "Looking."}, {"functionCall": {"name": "du", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "du", "response": {"output": "9G"}}}]}]
Source: https://github.com/google-gemini/gemini-cli/issues/11814 (2025-10-23), https://github.com/lobehub/lobehub/issues/10049 (2025-11-04).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """A history that opens wrongly, then each turn with calls that follows a model turn."""
    first = next((at for at, m in enumerate(index.messages) if not isinstance(m, SystemMessage)), None)
    if first is not None and not isinstance(index.messages[first], HumanMessage) and len(index.messages) > first + 1:
        what = "a function response" if isinstance(index.messages[first], ToolMessage) else "a model turn"
        yield index.at(first, f"the history opens with {what}; user text has to come first", hint="move the cut back to a user turn")
    for at, message in enumerate(index.messages):
        if not at or at == first or not isinstance(message, AIMessage) or not message.calls:
            continue
        before = index.messages[at - 1]
        if isinstance(before, AIMessage):
            text = f"the turn with calls follows the model turn at {index.shown(at - 1)}"
            yield index.at(at, text, hint=f"merge {index.shown(at - 1)} and {index.shown(at)}")


RULE = Rule(
    code="PAIR10",
    name="call-turn-order",
    severity="error",
    check=check,
    fix="merge neighbouring model turns; put a user line in front of a cut history",
    needs=facts.NEIGHBOURS | facts.OPENS_ODDLY,
    profiled=True,
)
