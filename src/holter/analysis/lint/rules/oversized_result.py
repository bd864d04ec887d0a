"""A result that fills the window.

What:   a result stays under a quarter of the context window, the results of a turn under half; without a known window under 100,000 characters.
Why:    the next request is refused for its length, or the rest of the history is pushed out.
Seen:   grep over a repository, a page as HTML, a table; several of them in parallel.
Bad:    {"window_tokens": 20, "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "g",
        "type": "function", "function": {"name": "grep", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "g", "content": "a result of many characters"}]}
Good:   user x · calls g grep · result g 3 lines
Source: https://github.com/anomalyco/opencode/issues/4826 (2025-11-27), https://github.com/coder/coder/pull/26637 (2026-06-23).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule

_PER_TOKEN = 4
"""Characters of a token, about."""
_SHARE, _TURN_SHARE = 4, 2


def check(index: Index) -> Iterator[Found]:
    """Each result that is too long alone, and the last of a turn whose results are too long together."""
    window = window_of(index)
    if not window and not index.facts & facts.LONG:
        return
    most = window * _PER_TOKEN // _SHARE if window else facts.LONGEST_RESULT
    together: dict[int, int] = {}
    for at, result in index.results:
        size = len(result.text)
        paired = index.pairing.answered.get(at)
        if paired is not None:
            together[paired.message] = together.get(paired.message, 0) + size
        if size > most:
            yield index.at_result(at, f"{size:,} characters in one result, more than {most:,}", "content", hint=_HINT)
        elif window and paired is not None and size and together[paired.message] > window * _PER_TOKEN // _TURN_SHARE:
            text = f"the results of this turn have {together[paired.message]:,} characters, more than half of the window"
            yield index.at_result(at, text, "content", hint=_HINT)


_HINT = "head and tail with a marker in between; the full text stays in the log"


def window_of(index: Index) -> int | None:
    """The context window in tokens: the caller's, or what the record says."""
    if index.window_tokens is not None:
        return index.window_tokens
    said = index.settings.get("window_tokens")
    return said if isinstance(said, int) and said > 0 else None


RULE = Rule(
    code="CONT04",
    name="oversized-result",
    severity="warning",
    check=check,
    fix="cut it to head and tail, with a marker",
    needs=facts.LONG | facts.SETTINGS,
)
