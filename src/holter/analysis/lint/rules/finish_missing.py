"""An answer that does not say how it ended.

What:   a response has a finish reason.
Why:    loops that look at it go on, or stop, by accident.
Seen:   servers that send null; gateways that turn null into "unknown".
Bad:    {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": null, "message": {"role": "assistant", "content": "All done."}}]}
Good:   {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "All done."}}]}
Source: https://github.com/Science-Discovery/Aether/issues/683 (2026-05-07).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage


def check(index: Index) -> Iterator[Found]:
    """At most one finding, about the response that ends the log."""
    if not index.ends_with_response or index.conversation.format.endswith(".stream") or index.wire == "responses":
        return
    at = len(index.messages) - 1
    message = index.messages[at]
    assert isinstance(message, AIMessage)
    reason = message.finish_reason
    if reason is not None and reason.lower() not in ("", "unknown", "null", "none", "other_unknown"):
        return
    inferred = "tool_calls" if message.calls else "stop"
    yield index.at_body(at, "finish", "the response has no finish reason", hint=f"by what is there it is {inferred!r}")


RULE = Rule(
    code="FIN06",
    name="finish-missing",
    severity="warning",
    check=check,
    fix="calls: tool_calls, none: stop; marked as inferred",
    needs=facts.ENDS_WITH_ANSWER,
)
