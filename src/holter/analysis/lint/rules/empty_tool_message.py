"""A tool message with neither id nor content.

What:   a tool message has an id, and says something.
Why:    it answers nothing; providers refuse it.
Seen:   the finish reason said `tool_calls`, none could be parsed, and the loop added a tool message all the same.
Bad:    [{"role": "user", "content": "go"}, {"role": "assistant", "content": "I go."}, {"role": "tool", "content": []},
        {"role": "user", "content": "and?"}]
Good:   user go · assistant I go. · user and?
Source: https://github.com/inflexa-ai/inflexa/issues/470 (2026-08-28).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such message, in order."""
    for at in sorted(index.empties):
        yield index.at(at, "a tool message with no id and no content", hint="no calls, no tool message")


RULE = Rule(code="PAIR13", name="empty-tool-message", severity="error", check=check, fix="drop it", needs=facts.PAIRS)
