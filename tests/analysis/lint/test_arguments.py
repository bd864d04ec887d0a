"""Arguments that are wrong in other ways than the examples of their rules: the narrowest rule tells of each, and a repair loses nothing."""

import json
from typing import Any

import pytest

from holter import formats
from holter.analysis.lint import lint
from holter.analysis.repair import repair


def called(arguments: Any) -> str:
    """A log with one answered call."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return json.dumps(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "ok"},
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "code", "args"),
    [
        ('```json\n{"q": 1}\n```', "ARG07", {"q": 1}),
        ('Sure: {"q": 1}', "ARG07", {"_raw": 'Sure: {"q": 1}'}),
        ('{"q": 1} done', "ARG07", {"_raw": '{"q": 1} done'}),
        ('{"q": 1}}', "ARG07", {"_raw": '{"q": 1}}'}),
        ('f({"q": 1})', "ARG07", {"_raw": 'f({"q": 1})'}),
        ('{"q": 1}, {"q": 2}', "ARG05", {"_raw": '{"q": 1}, {"q": 2}'}),
        ('{"q": one"}', "ARG01", {"_raw": '{"q": one"}'}),
        (None, "ARG04", {}),
    ],
)
def test_narrowest_rule_and_what_a_repair_makes(arguments: str | None, code: str, args: dict[str, Any]) -> None:
    """Markup that is known goes; any other text stays, whole, under `_raw`."""
    (conversation,) = formats.read(called(arguments))
    assert [(f.code, f.index, f.path, f.fixable) for f in lint(conversation, "openai")] == [
        (code, 1, "[1].tool_calls[0].function.arguments", True)
    ]
    made = repair(conversation, "openai").conversation
    assert [call["args"] for call in made.messages[1].calls] == [args]  # type: ignore[union-attr]
    assert lint(made, "openai") == []


@pytest.mark.parametrize(("given", "fixable"), [('{"q": 1}', True), ("", True), ("north", False), ("[1]", False)])
def test_text_for_an_object_is_a_wrong_type(given: str, fixable: bool) -> None:
    """For Anthropic any text is, whatever it holds; only one that holds an object can be decoded."""
    record = {
        "system": "s",
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": given}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]},
        ],
    }
    (conversation,) = formats.read(json.dumps(record))
    found = [(f.code, f.index, f.path, f.fixable) for f in lint(conversation)]
    assert found == [("ARG09", 1, "messages[1].content[0].input", fixable)]
