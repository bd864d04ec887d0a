"""Several calls, although parallel calls are off.

What:   with `parallel_tool_calls: false` an answer makes one call at most.
Why:    a runtime that runs one call leaves the others without a result.
Seen:   servers that ignore the setting (vLLM, SGLang).
Bad:    {"model": "m", "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}], "parallel_tool_calls": false,
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "1"}, {"role": "tool", "tool_call_id": "b", "content": "2"}]}
Good:   {"model": "m", "parallel_tool_calls": true, "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "ok"}]}
Source: https://github.com/vllm-project/vllm/issues/9451 (2024-10-17), https://github.com/sgl-project/sglang/issues/9696 (2025-08-27).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each answer with more than one call."""
    choice = index.settings.get("tool_choice")
    off = isinstance(choice, dict) and choice.get("disable_parallel_tool_use") is True
    if index.settings.get("parallel_tool_calls") is not False and not off:
        return
    for at, message in index.answers:
        if len(message.calls) > 1:
            hint = "run the first, answer the others with 'not run: one call per turn'"
            path = "tool_calls" if index.wire == "chat" else ""
            yield index.at(at, f"{len(message.calls)} calls, and parallel calls are off", path, hint=hint)


RULE = Rule(
    code="RUN09",
    name="parallel-when-disabled",
    severity="warning",
    check=check,
    fix="run the first, answer the rest with 'not run'",
    needs=facts.SETTINGS,
)
