"""A history that opens with an assistant message.

What:   the first message that is no system message is a user message, in the history as it would be sent.
Why:    strict providers and templates refuse the request.
Seen:   a trimmer kept the last n messages; a leading result without its call was dropped.
Target: anthropic
Bad:    assistant There are three rows. · user Thanks, and the sum?
Good:   user How many rows? · assistant There are three rows. · user Thanks, and the sum?
Source: https://github.com/continuedev/continue/issues/4751 (2025-03-21), https://github.com/microsoft/autogen/issues/3597 (2024-10-02).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, SystemMessage


def check(index: Index) -> Iterator[Found]:
    """At most one finding: results without a call are passed over, since they are not sent."""
    if not index.is_sent:
        return
    orphans = set(index.orphans) | index.empties
    for at, message in enumerate(index.messages):
        if isinstance(message, SystemMessage) or at in orphans:
            continue
        if isinstance(message, AIMessage):
            hint = "pull the cut back to a user turn, or put a short user line in front"
            yield index.at(at, "the history opens with an assistant message", hint=hint)
        return


RULE = Rule(
    code="ROLE06",
    name="opens-with-assistant",
    severity="warning",
    check=check,
    fix="put a short user line in front",
    needs=facts.OPENS_ODDLY,
    profiled=True,
)
