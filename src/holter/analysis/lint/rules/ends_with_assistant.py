"""A request that ends on an assistant message.

What:   a request ends on a user message or on results, where the target takes no prefilled answer.
Why:    "This model does not support assistant message prefill": newer Claude models refuse the request.
Seen:   the loop asks again after a text answer: to go on after `length`, to retry, or because a note was stored in front of it.
Target: anthropic-no-prefill
Bad:    user clean it · assistant Next I rename it.
Good:   user clean it · assistant Next I rename it. · user go on
Source: https://github.com/anthropics/claude-code/issues/52433 (2026-04-23), https://github.com/aaif-goose/goose/issues/7425 (2026-02-22).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage


def check(index: Index) -> Iterator[Found]:
    """At most one finding; a log that is not to be sent may end on an answer."""
    at = len(index.messages) - 1
    last = index.messages[at]
    if index.is_sent and isinstance(last, AIMessage) and not last.calls:
        yield index.at(at, "the request ends on an assistant message", hint="add a short user line if the loop is to go on; else stop it")


RULE = Rule(
    code="ROLE03",
    name="ends-with-assistant",
    severity="error",
    check=check,
    fix="add a short user turn",
    needs=facts.ENDS_WITH_ANSWER,
    profiled=True,
)
