"""The document ends inside a value.

What:   the document ends where its last value ends.
Why:    what is missing cannot be known: the last message may be half of one.
Seen:   a log was cut at a size limit, or copied in part.
Bad:    [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hel
Good:   [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
Source: Holter's readers.
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """What the reader said; a stream without its end is STRM04."""
    if not index.conversation.format.endswith(".stream"):
        yield from index.said("READ01")


RULE = Rule(code="READ01", name="input-cut", severity="error", check=check, needs=facts.READ)
