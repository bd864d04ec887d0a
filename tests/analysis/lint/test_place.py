"""Paths of findings lead to what they are about, in the source's own names."""

import json
import re
from typing import Any

import pytest

from holter import formats
from holter.analysis.lint import lint

CUT = {"functionCall": {"name": "f", "args": "north"}}
ANSWERS: list[tuple[dict[str, Any], dict[str, str]]] = [
    (
        {
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "x"}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 9, "prompt_tokens_details": {"cached_tokens": 5}},
        },
        {
            "FIN02": "choices[0].finish_reason",
            "USE01": "usage.total_tokens",
            "USE02": "usage.prompt_tokens_details.cached_tokens",
        },
    ),
    (
        {
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "stop_reason": "end_turn",
            "content": [{"type": "tool_use", "id": "t", "name": "", "input": {}}],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
        {"FIN01": "stop_reason", "NAME06": "content[0].name"},
    ),
    (
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": "\ud800"}, CUT]}, "finishReason": "MAX_TOKENS"}],
            "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 20, "cachedContentTokenCount": 4},
        },
        {
            "ARG09": "candidates[0].content.parts[1].functionCall.args",
            "CONT03": "candidates[0].content.parts[0].text",
            "FIN03": "candidates[0]",
            "USE01": "usageMetadata.totalTokenCount",
            "USE02": "usageMetadata.cachedContentTokenCount",
        },
    ),
    (
        {
            "object": "response",
            "model": "o3",
            "status": "completed",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}],
            "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 9, "output_tokens_details": {"reasoning_tokens": 5}},
        },
        {"USE01": "usage.total_tokens", "USE03": "usage.output_tokens_details.reasoning_tokens"},
    ),
]


REQUESTS: list[dict[str, Any]] = [
    {"model": "m", "messages": [{"role": "user", "content": "q"}]},
    {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}]},
    {"contents": [{"role": "user", "parts": [{"text": "q"}]}]},
    {"model": "o3", "input": [{"role": "user", "content": "q"}]},
]


@pytest.mark.parametrize("at", range(4), ids=["openai", "anthropic", "gemini", "responses"])
@pytest.mark.parametrize("has_request", [False, True])
def test_path_of_an_answer(at: int, has_request: bool) -> None:
    """What an answer says of itself stands beside its message, or around its list of choices. Alone it is at 0; behind its request it
    counts as the next message."""
    body, expected = ANSWERS[at]
    document = {"request": REQUESTS[at], "response": body} if has_request else body
    (conversation,) = formats.read(json.dumps(document))
    found = {f.code: f for f in lint(conversation)}
    prefix = "response." if has_request else ""
    assert {code: (found[code].path, found[code].index) for code in expected} == {
        code: (f"{prefix}{path}", int(has_request)) for code, path in expected.items()
    }
    for code in expected:
        assert resolved(document, found[code].path or "") is not None


def resolved(value: Any, path: str) -> Any:
    """What stands at a path; LookupError where nothing does."""
    for position, key in re.findall(r"\[(\d+)\]|([^.\[\]]+)", path):
        value = value[int(position)] if position else value[key]
    return value
