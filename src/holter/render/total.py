"""What a conversation amounts to."""

import msgspec

from holter.messages import AIMessage, Conversation
from holter.render.control import one_line
from holter.render.quantity import amount, plural


class Total(msgspec.Struct, frozen=True):
    """Sums over the messages of a conversation."""

    messages: int
    calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    models: list[str]
    """In the order of their first answer."""


def total(conversation: Conversation) -> Total:
    """The sums; tokens are those of the AI messages that say them."""
    answers = [message for message in conversation.messages if isinstance(message, AIMessage)]
    usages = [message.usage_metadata for message in answers if message.usage_metadata]
    return Total(
        messages=len(conversation.messages),
        calls=sum(len(message.calls) for message in answers),
        input_tokens=sum(_count(usage.get("input_tokens")) for usage in usages),
        output_tokens=sum(_count(usage.get("output_tokens")) for usage in usages),
        total_tokens=sum(_count(usage.get("total_tokens")) for usage in usages),
        cached_tokens=sum(_count((usage.get("input_token_details") or {}).get("cache_read")) for usage in usages),
        reasoning_tokens=sum(_count((usage.get("output_token_details") or {}).get("reasoning")) for usage in usages),
        models=list(dict.fromkeys(message.model for message in answers if message.model)),
    )


def total_facts(sums: Total) -> list[str]:
    """`6 messages`, `2 calls`, `1,204 tokens: 1,100 in (320 cached), 104 out (48 reasoning)`, and the models."""
    parts = [plural(sums.messages, "message"), plural(sums.calls, "call")]
    if sums.total_tokens:
        cached = f" ({amount(sums.cached_tokens)} cached)" if sums.cached_tokens else ""
        thought = f" ({amount(sums.reasoning_tokens)} reasoning)" if sums.reasoning_tokens else ""
        tokens = plural(sums.total_tokens, "token")
        parts.append(f"{tokens}: {amount(sums.input_tokens)} in{cached}, {amount(sums.output_tokens)} out{thought}")
    return [*parts, *map(one_line, sums.models)]


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
