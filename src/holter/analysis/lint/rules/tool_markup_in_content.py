"""A call written as text.

What:   an answer without calls holds no call markup of a known family in its text.
Why:    the call never happens, and the user reads the markup. Kept in the history, it teaches the model to do it again.
Seen:   the server has no parser, or the wrong one, for the model's own call format.
Bad:    user weather? · assistant <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>
Good:   user how are calls written? · assistant Like this: `<tool_call>{"name": …}</tool_call>`, says the template.
Source: https://github.com/sgl-project/sglang/issues/4379 (2025-03-13), https://github.com/anthropics/claude-code/issues/77061 (2026-07-13),
        https://github.com/ollama/ollama/issues/13519 (2025-12-18).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.markup import first_leak, is_by_design
from holter.analysis.lint.rule import Found, Rule
from holter.messages import HumanMessage, SystemMessage, ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each such answer; silent where calls are text by design."""
    offered = index.offered if index.conversation.tools_known else None
    for at, message in index.answers:
        if message.calls:
            continue
        block, leak = first_leak(message.content, offered)
        if leak is None or _is_by_design(index, at):
            continue
        names = [name for name, _ in leak.calls]
        whole = bool(names) and (not offered or all(name in offered for name in names))
        found = f" ({', '.join(names)})" if names else ", not whole"
        hint = "the server's tool parser does not match the model" if whole else "it cannot be read as a call; it stays text"
        text = f"{leak.family} stands in the text of an answer without calls{found}"
        yield index.at_content(at, text, block, "text", hint=hint, fixable=whole)


def _is_by_design(index: Index, at: int) -> bool:
    system = (m.text for m in index.messages if isinstance(m, SystemMessage))
    following = index.messages[at + 1] if at + 1 < len(index.messages) else None
    text = following.text if isinstance(following, HumanMessage) else None
    return is_by_design(system, text) and not isinstance(following, ToolMessage)


RULE = Rule(
    code="LEAK01",
    name="tool-markup-in-content",
    severity="error",
    check=check,
    fix="make it the call that it is, when it is whole and the name is offered",
    needs=facts.MARKUP | facts.BLOCKS,
)
