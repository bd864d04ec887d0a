"""Calls in an answer that the output limit ended.

What:   no call is run from an answer with `finish_reason: length`.
Why:    the last call may be cut even where its JSON looks whole, and calls after it are missing.
Seen:   long file contents in arguments; servers that close the object early.
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": "", "finish_reason": "length", "tool_calls": [{"id": "a",
        "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": "A long story", "finish_reason": "length"}]
Source: https://github.com/ollama/ollama/pull/17564 (2026-08-04), https://github.com/XpressAI/xaibo/pull/33 (2026-03-13).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such answer, with the tokens it had."""
    for at, message in index.answers:
        if message.calls and index.was_cut(message):
            tokens = (message.usage_metadata or {}).get("output_tokens")
            after = f" after {tokens:,} tokens" if tokens else ""
            text = f"the output limit ended this answer{after}, and it makes calls (finish_reason={message.finish_reason})"
            handled = all(index.was_refused(index.call_at(at, position)) for position in range(len(message.calls)))
            hint = "do not run them: answer that the limit was reached, and ask for smaller pieces"
            yield index.at_body(at, None, text, hint=hint, severity="info" if handled else None)


RULE = Rule(code="FIN03", name="calls-cut-by-length", severity="error", check=check, needs=facts.METADATA)
