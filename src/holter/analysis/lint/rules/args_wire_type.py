"""Arguments of the wrong type on the wire.

What:   arguments are a text for OpenAI, an object for Anthropic, Gemini and Ollama.
Why:    the provider refuses the request, or the model sees a quoted text.
Seen:   history of one provider was sent to another without being converted.
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "f", "arguments": {"a": 1}}}]}, {"role": "tool", "tool_call_id": "a", "content": "ok"}]
Good:   user x · calls a f {"a": 1} · result a ok
Source: https://github.com/langchain-ai/langsmith-sdk/issues/2435 (2026-02-16), https://github.com/anthropics/claude-code/issues/6696 (2025-08-28),
        https://github.com/openclaw/openclaw/pull/50749 (2026-03-20).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import Severity

_WANTS_OBJECTS = ("anthropic", "gemini")
_IN_A_LOG: Severity = "info"
"""A log that nobody sends may keep arguments in a form of its own; benchmarks do."""


def check(index: Index) -> Iterator[Found]:
    """Each such call, against the log's own format, or against another target that the caller named."""
    if index.facts & facts.INVALID:
        yield from index.argument_findings("ARG09")
    if index.wire != "chat" or not (index.is_explicit or index.facts & facts.OBJECT_ARGS):
        return
    wants_object = index.is_explicit and (index.speaks in _WANTS_OBJECTS or index.demand("ARG09") is not None)
    if wants_object and index.target is not None and index.target.name == "bedrock":
        return
    for at, message in index.answers:
        has_objects = message.extra.get("arguments") in ("object", "as object")
        if has_objects == wants_object:
            continue
        for position, call in enumerate(message.calls):
            if wants_object and call.get("type") == "invalid_tool_call":
                continue
            found, wanted = ("an object", "a text") if has_objects else ("a text", "an object")
            severity = None if index.is_explicit or index.is_request else _IN_A_LOG
            text = f"the arguments are {found}; {wanted} is wanted here"
            fixable = not wants_object or index.demand("ARG09") is not None
            hint = None if fixable else "convert the log: `holter convert --to` does"
            yield index.at_call(index.call_at(at, position), text, "args", severity=severity, hint=hint, fixable=fixable)


RULE = Rule(
    code="ARG09",
    name="args-wire-type",
    severity="error",
    check=check,
    fix="encode or decode them on the wire copy",
    needs=facts.CALLS,
)
