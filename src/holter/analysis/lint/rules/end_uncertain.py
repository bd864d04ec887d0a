"""An end that nothing marks.

What:   it is clear where the last message ends and the prose goes on.
Why:    the last message may hold a part of the article.
Seen:   printed transcripts inside a text.
Bad:    Some prose.
        ================================ Human Message =================================

        hi
        ================================== Ai Message ==================================

        hello

        And so the article goes on, about other things.
Good:   [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
Source: Holter's readers.
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """What the reader said."""
    yield from index.said("READ05")


RULE = Rule(code="READ05", name="end-uncertain", severity="info", check=check, needs=facts.READ)
