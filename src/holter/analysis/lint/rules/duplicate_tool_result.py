"""A second result for one call.

What:   a call has at most one result.
Why:    OpenAI and Anthropic refuse the second; a lenient server shows the model either of them.
Seen:   a cache and the real run both wrote one; a resumed run answered again.
Bad:    user go · calls a kb · result a x · result a x · user ok
Good:   user go · calls a kb · result a x · user ok
Source: https://github.com/NorthlandPositronics/Cogtrix/issues/2278 (2026-06-26), https://github.com/humanlayer/fold/pull/42 (2026-09-15).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import ToolMessage


def check(index: Index) -> Iterator[Found]:
    """Each result of a call that has one already."""
    answered: dict[str, int] = {call.id: call.result for call in index.calls if call.id and call.result is not None}
    for at in index.orphans:
        result = index.messages[at]
        assert isinstance(result, ToolMessage)
        first = answered.get(result.tool_call_id or "")
        if first is None or at in index.empties:
            continue
        if first > at:
            continue
        equal = result.content == index.messages[first].content
        text = f"a second result for {result.tool_call_id}; the first stands at {index.shown(first)}"
        hint = "same text: one of them can go" if equal else "the texts differ: the first is kept, look which one is right"
        yield index.at_result(at, text, hint=hint)


RULE = Rule(
    code="PAIR04",
    name="duplicate-tool-result",
    severity="error",
    check=check,
    fix="keep the first",
    needs=facts.PAIRS,
)
