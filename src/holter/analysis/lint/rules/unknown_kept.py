"""Something unknown that was kept.

What:   fields and blocks are known ones.
Why:    it is kept in `extra`, and no rule looks at it.
Seen:   new fields of providers, a framework's own marks.
Bad:    [{"role": "user", "content": "hi", "mood": 3}, {"role": "assistant", "content": "hello"}]
Good:   [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
Source: Holter's readers.
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

_LOOKED_AT = ("field 'message_id'", "field 'raw_ids'", "block None ")


def check(index: Index) -> Iterator[Found]:
    """What the reader said, without what other rules look at: message ids, a provider's own ids, items without a type."""
    for found in index.said("READ06"):
        if not found.text.startswith(_LOOKED_AT):
            yield found


RULE = Rule(code="READ06", name="unknown-kept", severity="info", check=check, needs=facts.READ)
