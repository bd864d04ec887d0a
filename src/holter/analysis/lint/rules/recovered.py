"""A document that had to be put right.

What:   quotes, separators and structure are as the format wants them.
Why:    the finding says what could not be known.
Seen:   chat pastes with curly quotes, JSON with comments.
Bad:    [{"role": "user", "content": "hi"}, // first
        {"role": "assistant", "content": "hello"}]
Good:   [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
Source: Holter's readers.
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """What the reader said."""
    yield from index.said("READ04")


RULE = Rule(code="READ04", name="recovered", severity="info", check=check, needs=facts.READ)
