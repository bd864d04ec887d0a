"""An empty result, where the target refuses it.

What:   a result says something.
Why:    Anthropic takes a call with an empty result for one without a result, and refuses the request.
Seen:   commands without output, tools that return None.
Target: anthropic
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": ""}]}]
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "(no output)"}]}]
Source: https://github.com/anomalyco/opencode/issues/15371 (2026-02-27), https://github.com/zed-industries/zed/pull/27130 (2025-03-19).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such result."""
    for at, result in index.results:
        if not result.content or (isinstance(result.content, str) and not result.content.strip()):
            yield index.at_result(at, "the result is empty", "content", hint='say "(no output)"')


RULE = Rule(
    code="CONT05",
    name="empty-tool-result",
    severity="warning",
    check=check,
    fix='"(no output)"',
    needs=facts.BLANK,
    profiled=True,
)
