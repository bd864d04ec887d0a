"""Half of a pair that the provider's own tool made.

What:   the result of a tool that the provider ran follows its own `server_tool_use` block in the same message.
Why:    Anthropic refuses the request.
Seen:   a compaction dropped one block of the pair inside an assistant message.
Target: anthropic
Bad:    [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}, {"type": "text", "text": "So:"}]},
        {"role": "user", "content": "y"}]
Good:   [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}, {"type": "text", "text": "So:"}]},
        {"role": "user", "content": "y"}]
Source: https://github.com/anthropics/claude-code/issues/64383 (2026-06-01), https://github.com/anthropics/claude-code/issues/66548 (2026-06-09).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages.content import Block


def check(index: Index) -> Iterator[Found]:
    """Results before or without their use, and uses that nothing answers."""
    answered = {str(block.get("tool_use_id")) for _, m in index.answers for block in _blocks(m.content) if _is_result(block)}
    for at, message in index.answers:
        declared: set[str] = {str(call.get("id")) for call in message.calls}
        for number, block in enumerate(_blocks(message.content)):
            if block.get("type") in ("server_tool_use", "mcp_tool_use"):
                declared.add(str(block.get("id")))
                if str(block.get("id")) not in answered and at < len(index.messages) - 1:
                    yield index.at(at, f"{block.get('id')} has no result in this message", f"content[{number}]")
            elif _is_result(block) and str(block.get("tool_use_id")) not in declared:
                yield index.at(at, f"{block.get('tool_use_id')} was not declared before it in this message", f"content[{number}]")


def _blocks(content: str | list[Block]) -> list[Block]:
    return content if isinstance(content, list) else []


def _is_result(block: Block) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith("_tool_result") and "tool_use_id" in block


RULE = Rule(
    code="PAIR14",
    name="server-tool-pair",
    severity="error",
    check=check,
    fix="drop the half that is left",
    needs=facts.BLOCKS,
    profiled=True,
)
