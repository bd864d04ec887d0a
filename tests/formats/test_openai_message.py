import json
from typing import Any

import pytest
from hypothesis import given

from holter.formats.openai_message import (
    is_message,
    plain_calls,
    read_call,
    read_usage,
    response_metadata,
    write_call,
    write_tool,
    write_usage,
)
from holter.messages import ToolSpec
from tests import strategies
from tests.formats import wire


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"role": "user", "content": "x"}, True),
        ({"role": "user", "content": None}, True),
        ({"role": "assistant", "tool_calls": []}, True),
        ({"role": "assistant", "function_call": {}}, True),
        ({"role": "assistant", "refusal": "no"}, True),
        ({"role": "user"}, False),
        ({"role": "User", "content": "x"}, False),
        ({"role": ["user"], "content": "x"}, False),
        ({"content": "x"}, False),
        ({"role": "user", "content": "", "parts": []}, False),
        ([], False),
        (None, False),
    ],
)
def test_is_message(value: Any, expected: bool) -> None:
    """A known role and a body; parts are another format's."""
    assert is_message(value) is expected


@given(wire.calls)
def test_plain_calls_are_calls(call: dict[str, Any]) -> None:
    """The quick reader of calls gives what the general one gives, or declines."""
    quick = plain_calls([call])
    assert quick is None or quick == [read_call(call, 0)]


@pytest.mark.parametrize("made", [None, {}, [None], [{}], ["x"], [{"id": "a", "type": "function", "function": "f"}], [[]]])
def test_what_is_no_plain_call(made: Any) -> None:
    """Everything else is declined."""
    assert plain_calls(made) is None


@given(wire.calls)
def test_a_call_is_written_as_it_was(call: dict[str, Any]) -> None:
    """Reading what was written gives the same call, reasons apart; its text stays valid JSON or what it was."""
    read = read_call(call, 0)
    again = read_call(json.loads(json.dumps(write_call(read))), 0)
    assert {**again, "error": None} == {**read, "error": None}


@given(strategies.json_values)
def test_any_value_for_a_call(value: Any) -> None:
    """Whatever stands for a call is one, valid or invalid, and can be written."""
    write_call(read_call(value, 0))


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 2}, (5, 2, 7, {}, {})),
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 9}, (5, 2, 9, {}, {})),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
            (5, 2, 7, {"cache_read": 4, "audio": 1}, {"reasoning": 1}),
        ),
        ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_cache_hit_tokens": 3}, (5, 2, 7, {"cache_read": 3}, {})),
        ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": [1]}, (5, 2, 7, {}, {})),
    ],
)
def test_usage(counted: dict[str, Any], expected: tuple[int, int, int, dict[str, int], dict[str, int]]) -> None:
    """Counts and their details, whoever names them; a missing total is the sum."""
    names = ("input_tokens", "output_tokens", "total_tokens", "input_token_details", "output_token_details")
    assert read_usage(counted) == dict(zip(names, expected, strict=True))


@pytest.mark.parametrize("value", [None, [], "5", {}, {"prompt_tokens": None}, {"prompt_tokens": "many"}])
def test_no_usage(value: Any) -> None:
    """Without a count there is none."""
    assert read_usage(value) is None


def test_usage_is_written_as_it_was() -> None:
    """The counts that a body has go back under its names."""
    counted = {
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    read = read_usage(counted)
    assert read is not None
    assert write_usage(read) == counted


def test_metadata() -> None:
    """A body's own fields stand under LangChain's names, with those of the choice."""
    body = {"id": "r", "object": "chat.completion", "model": "m", "usage": {}, "choices": []}
    assert response_metadata(body, {"finish_reason": "stop"}) == {"id": "r", "model_name": "m", "token_usage": {}, "finish_reason": "stop"}


def test_tools_are_written() -> None:
    """A declaration is wrapped; a hosted tool keeps its own form."""
    hosted = {"type": "web_search", "filters": {}}
    assert write_tool(ToolSpec("web_search", extra=hosted)) == hosted
    assert write_tool(ToolSpec("f", "d", {"type": "object"}, True)) == {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True},
    }
