"""A document that leaves something out.

What:   the document shows everything, and no `...` stands for a part.
Why:    what was left out may be the reason for what is looked for.
Seen:   logs in articles and issues.
Bad:    [HumanMessage(content="hi"), ..., AIMessage(content="hello")]
Good:   [HumanMessage(content="hi", id="1"), AIMessage(content="hello", id="2")]
Source: Holter's readers.
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """What the reader said."""
    yield from index.said("READ03")


RULE = Rule(code="READ03", name="elided", severity="info", check=check, needs=facts.READ)
