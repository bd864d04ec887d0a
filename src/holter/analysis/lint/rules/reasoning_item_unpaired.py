"""A reasoning item without the item it belongs to.

What:   in a list of Responses items a reasoning item is followed by the message or call that came with it.
Why:    "Item of type 'reasoning' was provided without its required following item": the request is refused.
Seen:   a trimmer or a filter dropped one of the two.
Target: openai-responses
Bad:    [{"type": "message", "role": "user", "content": "x"}, {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "role": "user", "content": "y"}]
Good:   [{"type": "message", "role": "user", "content": "x"}, {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "ok"}]
Source: https://github.com/openai/openai-node/issues/1567 (2025-07-01), https://github.com/vercel/ai/issues/7099 (2026-07-22).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each reasoning item that nothing of its answer follows."""
    if index.wire != "responses":
        return
    for at, message in index.answers:
        blocks = message.content if isinstance(message.content, list) else []
        if not blocks or message.calls or (index.ends_with_response and at == len(index.messages) - 1):
            continue
        if all(block.get("type") == "reasoning" for block in blocks):
            yield index.at(at, "a reasoning item stands without the item that it led to", hint="drop the pair together, or send both")


RULE = Rule(
    code="RSN05",
    name="reasoning-item-unpaired",
    severity="error",
    check=check,
    fix="drop the item whose partner is missing",
    needs=facts.BLOCKS,
    profiled=True,
)
