"""Half of a character.

What:   texts are valid Unicode: no surrogate stands alone.
Why:    it cannot be written as UTF-8: the request, or the store, fails.
Seen:   a result was cut by length inside an emoji; escapes were decoded one by one.
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": "ok \\ud83d"}]
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": "ok \\ud83c\\udf78"}]
Source: https://github.com/Aider-AI/aider/issues/3693 (2025-03-31), https://github.com/anomalyco/opencode/pull/17758 (2026-03-16).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage
from holter.messages.surrogate import first, is_valid
from holter.tools.residue import texts


def check(index: Index) -> Iterator[Found]:
    """Each text with a half, in order."""
    for at, message in enumerate(index.messages):
        content = message.content
        if isinstance(content, str):
            if not is_valid(content):
                yield index.at_content(at, _text(content), rest="text")
        else:
            for number, block in enumerate(content):
                found = next((text for _, text, _ in texts(block) if not is_valid(text)), None)
                if found is not None:
                    yield index.at_content(at, _text(found), number, "text" if found == block.get("text") else "")
        if isinstance(message, AIMessage):
            if message.reasoning is not None and not is_valid(message.reasoning):
                yield index.at(at, _text(message.reasoning), "reasoning_content" if index.wire == "chat" else "")
            for position, call in enumerate(message.tool_calls):
                found = next((text for _, text, _ in texts(call["args"]) if not is_valid(text)), None)
                if found is not None:
                    yield index.at_call(index.call_at(at, position), _text(found), "args")


def _text(text: str) -> str:
    at = first(text)
    kind = "high" if text[at] < "\udc00" else "low"
    return f"half of a character (a lone {kind} surrogate) stands at character {at}"


RULE = Rule(
    code="CONT03",
    name="lone-surrogate",
    severity="error",
    check=check,
    fix="join split pairs; U+FFFD for a half",
    needs=facts.SURROGATE | facts.BLOCKS | facts.ODD_ARGS,
)
