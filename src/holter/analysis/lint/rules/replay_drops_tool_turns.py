"""Tool turns that are missing from the next request.

What:   turns that only call tools, and their results, are in the next request too.
Why:    the model does not know that it has called the tool, and calls it again.
Seen:   turns with an empty text were taken for empty turns.
Bad:    {"before": [{"role": "user", "content": "work"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "k", "type": "function",
        "function": {"name": "ping", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "k", "content": "ok"}],
        "after": [{"role": "user", "content": "work"}, {"role": "user", "content": "and?"}]}
Good:   {"before": [{"role": "user", "content": "work"}, {"role": "assistant", "content": "I did."}],
        "after": [{"role": "user", "content": "work"}, {"role": "assistant", "content": "I did."}, {"role": "user", "content": "and?"}]}
Source: https://github.com/Conway-Research/automaton/pull/65 (2026-02-19).
"""

from collections.abc import Iterator

from holter.analysis.lint.cut import Cut
from holter.analysis.lint.rule import Found, Rule


def check(cut: Cut) -> Iterator[Found]:
    """One finding for each hole behind a kept message; what is missing from the beginning is a trimmer's work."""
    first_kept = next((at for at in cut.body if at in cut.kept), None)
    if first_kept is None:
        return
    hole: list[int] = []
    before = first_kept
    for at in [*cut.body[cut.body.index(first_kept) + 1 :], None]:
        if at is not None and at not in cut.kept:
            hole.append(at)
            continue
        gone = [position for position in hole if cut.is_tool_turn(position)]
        if gone:
            position = cut.kept[before]
            which = f"turns {gone[0]}-{gone[-1]}" if len(gone) > 1 else f"turn {gone[0]}"
            yield Found(
                text=f"tool {which} of `before` not sent on, behind this message",
                message=position,
                index=position,
                path=f"[{position}]",
                hint="an empty text is no reason to drop a turn that has calls",
            )
        hole = []
        before = before if at is None else at


RULE = Rule(code="RUN12", name="replay-drops-tool-turns", severity="error", check=check, about="cut")
