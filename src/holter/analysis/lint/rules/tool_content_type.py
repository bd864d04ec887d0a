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
    """The first item without a type, once a result."""
    for at, result in index.results:
        if isinstance(result.content, str):
            continue
        for number, block in enumerate(result.content):
            if not isinstance(block.get("type"), str):
                whole = len(result.content) == 1 and index.wire == "gemini"
                if not whole:
                    text = "the content is a list whose items have no type"
                    yield index.at(at, text, f"content[{number}]", hint="send it as JSON text")
                break


RULE = Rule(
    code="CONT01",
    name="tool-content-type",
    severity="error",
    check=check,
    fix="write it as JSON text",
    needs=facts.BLOCKS,
)
