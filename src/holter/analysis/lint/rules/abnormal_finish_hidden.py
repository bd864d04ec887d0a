"""An abnormal end that looks like a normal one.

What:   MALFORMED_FUNCTION_CALL, a refusal and a content filter are not folded into `stop`.
Why:    the loop takes an answer that failed for one that is done.
Seen:   gateways that know four finish reasons and map the others to `stop`; Gemini's malformed calls come without any parts.
Bad:    {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "native_finish_reason": "MALFORMED_FUNCTION_CALL",
        "message": {"role": "assistant", "content": ""}}]}
Good:   {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "native_finish_reason": "STOP",
        "message": {"role": "assistant", "content": "Done."}}]}
Source: https://github.com/google-gemini/gemini-cli/issues/21830 (2026-03-10).
"""

from collections.abc import Iterator
from typing import Any

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage

_ABNORMAL = (
    *("malformed", "unexpected_tool_call", "safety", "recitation", "blocklist", "prohibited", "spii", "content_filter", "refusal"),
    *("guardrail", "error"),
)
_BROKEN = ("malformed_function_call", "unexpected_tool_call")
_NORMAL = frozenset({"stop", "end_turn", "completed", "complete", "finished", "done", "stop_sequence"})


def check(index: Index) -> Iterator[Found]:
    """Each answer that says `stop` and elsewhere something else; a broken call that ended the log, whatever it is called."""
    for at, message in index.answers:
        reason = (message.finish_reason or "").lower()
        hidden = hidden_end(message) if reason in _NORMAL else None
        if hidden is not None:
            yield index.at_body(at, "finish", f"the finish reason is {message.finish_reason!r}, and the answer ended with {hidden}")
        elif any(word in reason for word in _BROKEN) and not message.calls and at == len(index.messages) - 1:
            text = f"the answer ended with {message.finish_reason}, and nothing follows"
            hint = "the model's call could not be parsed: ask again, with fewer or simpler tools"
            yield index.at_body(at, "finish", text, hint=hint)


def hidden_end(message: AIMessage) -> str | None:
    """What the answer says of its end besides the finish reason."""
    if message.additional_kwargs.get("refusal") and not message.text.strip():
        return "a refusal"
    for fields in (message.response_metadata, message.extra):
        for key in ("native_finish_reason", "nativeFinishReason", "provider_finish_reason", "raw_finish_reason", "stop_details"):
            value = fields.get(key)
            if isinstance(value, str) and any(word in value.lower() for word in _ABNORMAL):
                return value
        if _is_filtered(fields.get("content_filter_results")):
            return "a content filter"
    return None


def _is_filtered(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(item, dict) and item.get("filtered") is True for item in value.values())


RULE = Rule(code="FIN05", name="abnormal-finish-hidden", severity="error", check=check, needs=facts.METADATA)
