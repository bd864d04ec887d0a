"""Signed thinking that is not what the provider sent.

What:   signed thinking blocks are sent back as they came: same text, same signature, same place and order.
Why:    Anthropic checks the signature and refuses the request.
Seen:   a store cut long thinking, or a converter joined two blocks.
Bad:    {"before": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "First this, then that.", "signature": "c2ln"}, {"type": "text", "text": "So."}]}],
        "after": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "First this", "signature": "c2ln"}, {"type": "text", "text": "So."}]}, {"role": "user", "content": "y"}]}
Good:   {"before": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "First this.", "signature": "c2ln"}, {"type": "text", "text": "So."}]}],
        "after": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "First this.", "signature": "c2ln"}, {"type": "text", "text": "So."}]}, {"role": "user", "content": "y"}]}
Source: https://github.com/vybestack/llxprt-code/pull/1160 (2026-01-22).
"""

from collections.abc import Iterator
from typing import Any

from holter.analysis.lint.cut import Cut, answer_key
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, Message


def check(cut: Cut) -> Iterator[Found]:
    """Each answer of `after` whose signed thinking differs from that of the same answer in `before`."""
    originals = {key: _signed(m) for m in cut.before if (key := answer_key(m)) is not None and _signed(m)}
    for at, message in enumerate(cut.after):
        original = originals.get(answer_key(message) or ())
        if original is not None and _signed(message) and _signed(message) != original:
            text = "the signed thinking is not what the provider sent"
            yield Found(text=text, message=at, index=at, path=f"[{at}]", hint="send it back unchanged, or leave all of it out")


def _signed(message: Message) -> list[tuple[Any, Any, Any]]:
    """(kind, text, signature) of the signed blocks, in their order."""
    if not isinstance(message, AIMessage) or not isinstance(message.content, list):
        return []
    found = []
    for block in message.content:
        extras = block.get("extras") or {}
        signature = block.get("signature") or extras.get("signature") or block.get("data")
        if block.get("type") in ("reasoning", "thinking", "redacted_thinking") and signature:
            found.append((block.get("type"), block.get("reasoning", block.get("thinking")), signature))
    return found


RULE = Rule(code="RSN03", name="thinking-altered", severity="error", check=check, about="cut")
