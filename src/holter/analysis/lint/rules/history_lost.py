"""A compaction that left nothing of the history.

What:   after a compaction some of the old turns, or a summary that says something, is left.
Why:    the model starts again from nothing, and often does the work twice.
Seen:   the summary came back empty, and was put in the place of the history all the same.
Bad:    {"before": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "plan"}, {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "next"}], "after": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": " "}]}
Good:   {"before": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "plan"}, {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "next"}], "after": [{"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Summary: the plan is done."}, {"role": "user", "content": "next"}]}
Source: https://github.com/KryptSec/oasis/pull/70 (2026-03-10).
"""

from collections.abc import Iterator

from holter.analysis.lint.cut import Cut
from holter.analysis.lint.rule import Found, Rule


def check(cut: Cut) -> Iterator[Found]:
    """One finding where nothing is left of the turns before the last message."""
    if len(cut.body) < 2 or len(cut.after) >= len(cut.before):
        return
    earlier = [at for at in cut.body[:-1] if at in cut.kept]
    new = [message for at, message in enumerate(cut.after) if at not in cut.kept.values()]
    if not earlier and not any(message.text.strip() for message in new):
        text = f"nothing is left of {len(cut.body) - 1} messages, and no summary says what they held"
        yield Found(text=text, hint="refuse the compaction and keep the old history")


RULE = Rule(
    code="TRIM02",
    name="history-lost",
    severity="error",
    check=check,
    fix="refuse the compaction, keep the old history",
    about="cut",
)
