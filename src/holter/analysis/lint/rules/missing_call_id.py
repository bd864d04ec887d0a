"""A call or a result without an id.

What:   the id is a text that is not empty.
Why:    nothing says which result answers which call; providers refuse both.
Seen:   a server leaves the id out when `tool_choice` names a tool; a converter from Gemini, whose parts have none.
Bad:    [{"role": "user", "content": "go"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "", "type": "function",
        "function": {"name": "look", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "", "content": "4C"}]
Good:   user go · calls a look · result a 4C
Source: https://blog.gitcode.com/3de6776ade03fff38572832ff3da78d8.html (seen 2026-11-30).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Calls without an id, then results without one."""
    if index.has_no_ids:
        return
    for call in index.calls:
        if not (call.id or "").strip():
            yield index.at_call(
                call,
                f"the call of {call.name or 'no name'} has no id",
                "id",
                hint="make one at the door",
                fixable=index.is_fixable(call.message),
            )
    for at, result in index.results:
        if not (result.tool_call_id or "").strip() and result.extra.get("role") != "function":
            paired = index.pairing.answered.get(at)
            if at in index.untold:
                yield index.at_result(at, "the result has no id", "id", hint="nothing says which call it answers", fixable=False)
                continue
            hint = f"by its place it answers {paired.call.get('name')} at {index.shown(paired.message)}" if paired else None
            yield index.at_result(
                at, "the result has no id", "id", hint=hint, fixable=index.is_fixable(paired.message) if paired else False
            )


RULE = Rule(
    code="PAIR06",
    name="missing-call-id",
    severity="error",
    check=check,
    fix="make an id, the same for a call and the result that stands for it",
    needs=facts.PAIRS,
)
