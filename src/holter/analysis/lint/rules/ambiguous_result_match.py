"""A result without an id that fits more than one open call.

What:   a result that has no id fits one open call only.
Why:    which call it answers is a guess, and a wrong guess swaps the results of parallel calls.
Seen:   parallel calls of one tool, with results that carry only the tool's name.
Bad:    [{"role": "user", "content": "go"}, {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{\\"n\\": 1}"}},
        {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{\\"n\\": 2}"}}]},
        {"role": "tool", "name": "look", "content": "x"}, {"role": "tool", "tool_call_id": "b", "content": "y"}]
Good:   user go · calls a look {"n":1}; b look {"n":2} · result a x · result b y
Source: https://github.com/generative-computing/mellea/issues/1431 (2026-07-22).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such result, in order."""
    if index.has_no_ids:
        return
    for at, result in index.results:
        if result.tool_call_id:
            continue
        fits = [
            call
            for call in index.calls
            if call.message < at and (call.result is None or call.result >= at) and (not result.name or call.name == result.name)
        ]
        newest = [call for call in fits if call.message == fits[-1].message]
        if len(newest) > 1:
            ids = ", ".join(call.id or "?" for call in newest)
            text = f"the result has no id and fits {len(newest)} open calls: {ids}"
            told = "there are as many results as calls: their order tells, if it was kept"
            yield index.at_result(at, text, "id", hint="it has to be told by hand" if at in index.untold else told)


RULE = Rule(code="PAIR07", name="ambiguous-result-match", severity="error", check=check, needs=facts.PAIRS)
