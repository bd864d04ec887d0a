"""A Gemini 3 call without its thought signature.

What:   the first `functionCall` part of each step of the current turn keeps its `thoughtSignature`.
Why:    Gemini 3 refuses the request: "Function call is missing a thought_signature".
Seen:   a client, or an OpenAI-shaped gateway, that has no place for the field.
Target: gemini-3
Bad:    [{"role": "user", "parts": [{"text": "ls"}]}, {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a"}}}]}]
Good:   [{"role": "user", "parts": [{"text": "ls"}]}, {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}},
        "thoughtSignature": "c2ln"}]}, {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a"}}}]}]
Source: https://ai.google.dev/gemini-api/docs/thought-signatures (seen 2026-11-30),
        https://github.com/lbjlaq/Antigravity-Manager/issues/3202 (2026-06-22).
"""

from collections.abc import Iterator
from typing import Any

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """The first call of each step after the last user text that has none."""
    if index.wire not in ("gemini", "chat") and not index.is_in_memory:
        return
    for at, message in index.answers:
        if at < index.turn_start or not message.calls:
            continue
        if not _signature(message.calls[0]):
            found = index.at_call(index.call_at(at, 0), "the first call of this step has no thoughtSignature")
            yield found


def _signature(call: dict[str, Any]) -> object:
    """The signature, where Gemini's own API or its OpenAI endpoint keeps it."""
    extras = call.get("extras") or {}
    beside = extras.get("extra_content")
    google = beside.get("google") if isinstance(beside, dict) else None
    return (
        extras.get("thoughtSignature") or extras.get("thought_signature") or (isinstance(google, dict) and google.get("thought_signature"))
    )


RULE = Rule(
    code="RSN06",
    name="thought-signature-missing",
    severity="error",
    check=check,
    fix="restore it; where it is lost, the value that Google gives for that",
    needs=facts.CALLS,
    profiled=True,
)
