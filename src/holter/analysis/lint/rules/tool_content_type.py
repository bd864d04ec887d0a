"""A result whose content is neither text nor typed blocks.

What:   the content of a result is a text, or a list of blocks that say their type.
Why:    providers refuse a list of plain objects; templates print nothing of it.
Seen:   a tool returned a list of records, which was taken for content blocks.
Bad:    [{"role": "user", "content": "users?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "l", "type": "function",
        "function": {"name": "find", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "l", "content": [{"id": 1, "name": "Ann"}]}]
Good:   user users? · calls l find · result l [{"id": 1, "name": "Ann"}]
Source: https://github.com/langchain-ai/langchainjs/pull/11092 (2026-06-20), https://github.com/vllm-project/vllm/pull/18729 (2025-05-26).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """What stands for the content, or the first item without a type, once a result."""
    whole = {f.message for f in index.conversation.findings if f.code == "READ02" and "neither text nor a list of" in f.text}
    for at, result in index.results:
        kind = result.extra.get("content_kind") if index.wire == "chat" else None
        if kind is None and at in whole and not isinstance(result.content, str):
            kind = "an object"
        if kind is not None:
            yield index.at_result(at, f"the content is {kind}, and neither text nor a list of blocks", "content", hint=_HINT)
        elif not isinstance(result.content, str):
            yield from _untyped(index, at, result.content)


_HINT = "send it as JSON text"


def _untyped(index: Index, at: int, content: list[dict[str, object]]) -> Iterator[Found]:
    number = next((number for number, block in enumerate(content) if not isinstance(block.get("type"), str)), None)
    if number is not None and not (len(content) == 1 and index.wire == "gemini"):
        yield index.at_content(at, "the content is a list whose items have no type", number, hint=_HINT)


RULE = Rule(
    code="CONT01",
    name="tool-content-type",
    severity="error",
    check=check,
    fix="write it as JSON text",
    needs=facts.BLOCKS | facts.ODD_CONTENT,
)
