"""A cut that fell between a call and its results.

What:   what a trimmer left of a history begins or ends with whole groups of a call and its results.
Why:    the rest is refused by every provider: a result without its call, or a call without its results.
Seen:   the trimmer counts messages or tokens; it works until the fifteenth turn.
Bad:    {"before": [{"role": "user", "content": "find"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function",
        "function": {"name": "find", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "shelf 4"},
        {"role": "assistant", "content": "Shelf 4."}],
        "after": [{"role": "tool", "tool_call_id": "c", "content": "shelf 4"}, {"role": "assistant", "content": "Shelf 4."}]}
Good:   {"before": [{"role": "user", "content": "find"}, {"role": "assistant", "content": "Shelf 4."}, {"role": "user", "content": "free?"}],
        "after": [{"role": "assistant", "content": "Shelf 4."}, {"role": "user", "content": "free?"}]}
Source: https://github.com/langchain-ai/langchain/pull/35313 (2026-02-18), https://github.com/langchain-ai/langchain/pull/38357 (2026-06-22).
"""

from collections.abc import Iterator

from holter.analysis.lint.cut import Cut
from holter.analysis.lint.rule import Found, Rule


def check(cut: Cut) -> Iterator[Found]:
    """The first place in `after` where one side of a pair was left out."""
    told: set[int] = set()
    for result, ref in cut.pairing.answered.items():
        has_call, has_result = ref.message in cut.kept, result in cut.kept
        if has_call == has_result:
            continue
        position = cut.kept[result] if has_result else cut.kept[ref.message]
        if position in told:
            continue
        told.add(position)
        gone, left = (f"the call at before[{ref.message}]", "its result") if has_result else (f"the result at before[{result}]", "its call")
        yield Found(
            text=f"the cut took {gone} and left {left}",
            message=position,
            index=position,
            path=f"[{position}]",
            hint="keep a call and its results together: `holter.trim` does",
        )


RULE = Rule(
    code="TRIM01",
    name="cut-splits-pair",
    severity="warning",
    check=check,
    fix="cut in whole groups of a call and its results",
    about="cut",
)
