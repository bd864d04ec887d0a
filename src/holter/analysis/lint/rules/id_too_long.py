"""An id longer than the target takes.

What:   ids of calls are as short as the target wants them: 40 characters for OpenAI chat, 64 for Responses and Bedrock.
Why:    the request is refused.
Seen:   gateways and MCP hosts that put names or whole hashes into ids.
Target: openai
Bad:    user x · calls ws_0123456789abcdef0123456789abcdef0123456789abcdef search · result ws_0123456789abcdef0123456789abcdef0123456789abcdef r
Good:   user x · calls ws_0123456789abcdef search · result ws_0123456789abcdef r
Source: https://github.com/microsoft/autogen/issues/6377 (2025-04-23), https://github.com/AnswerDotAI/fastllm/issues/45 (2026-06-08).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each call and each result with such an id."""
    demand = index.demand("ID01")
    if demand is None or demand.limit is None:
        return
    limit = demand.limit
    for at, message in index.answers:
        for position, call in enumerate(message.calls):
            own = call.get("id")
            if isinstance(own, str) and len(own) > limit:
                hint = "a stable hash on both sides of the pair, on the wire copy only"
                text = f"the id has {len(own)} characters, more than {demand.limit}"
                yield index.at_call(index.call_at(at, position), text, "id", hint=hint)
    for at, result in index.results:
        if result.tool_call_id and len(result.tool_call_id) > demand.limit:
            yield index.at_result(at, f"the id has {len(result.tool_call_id)} characters, more than {demand.limit}", "id")


RULE = Rule(
    code="ID01",
    name="id-too-long",
    severity="error",
    check=check,
    fix="a short hash on both sides",
    needs=facts.CALLS | facts.RESULTS,
    profiled=True,
)
