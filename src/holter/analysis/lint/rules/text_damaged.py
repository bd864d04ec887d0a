"""Text that was damaged.

What:   there is no NUL, no NaN, no wrong encoding, no part that is no message.
Why:    what was read may not be what was written.
Seen:   exports through a wrong code page; crashes; hand edits.
Bad:    [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello", "score": NaN}]
Good:   [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
Source: Holter's readers.
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """What the reader said; halves of characters are CONT03, which knows the message."""
    for found in index.said("READ02"):
        if "lone surrogate" not in found.text:
            yield found


RULE = Rule(code="READ02", name="text-damaged", severity="warning", check=check, needs=facts.READ)
