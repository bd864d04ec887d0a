from typing import Any

import pytest
from hypothesis import given

from holter.formats.detect import FORMS, NAMES, STREAMS, form_of, stream_of
from tests.formats import wire
from tests.strategies import json_values

TURN = [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (TURN, "openai.chat"),
        ({"messages": TURN, "max_tokens": 5}, "openai.chat"),
        ({"messages": TURN, "system": "s", "max_tokens": 5}, "anthropic.messages"),
        ({"messages": TURN, "tools": [{"name": "f", "input_schema": {}}]}, "anthropic.messages"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}], "anthropic.messages"),
        ({"object": "chat.completion", "choices": [{"message": {"role": "assistant"}}]}, "openai.response"),
        ({"object": "response", "output": []}, "openai.responses"),
        ([{"role": "user", "content": "Hi"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}], "openai.responses"),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}, "gemini.contents"),
        ({"object": "interaction", "steps": []}, "gemini.interactions"),
        ([{"type": "human", "content": "Hi"}], "langchain.json"),
    ],
)
def test_form_of(value: Any, name: str) -> None:
    """The narrower formats come first: what only looks like chat is what it is."""
    form = form_of(value)
    assert form is not None
    assert form.name == name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"object": "chat.completion.chunk", "choices": []}, "openai.stream"),
        ({"type": "message_start", "message": {}}, "anthropic.stream"),
        ({"type": "response.created", "response": {}, "sequence_number": 0}, "openai.responses.stream"),
        ({"candidates": [{"content": {"parts": [{"text": "x"}]}}]}, "gemini.stream"),
    ],
)
def test_stream_of(value: Any, name: str) -> None:
    """An event is told from a finished conversation."""
    form = stream_of(value)
    assert form is not None
    assert form.name == name


def test_every_name_is_named_once() -> None:
    """An error that names what was tried names each format once, with those that are found in text."""
    assert len(set(NAMES)) == len(NAMES)
    assert {form.name for form in FORMS} | {form.name for form in STREAMS} < set(NAMES)
    assert {"langchain.repr", "langchain.pretty"} < set(NAMES)


@given(json_values)
def test_any_value(value: Any) -> None:
    """Asking never raises; scalars are of no format."""
    form, stream = form_of(value), stream_of(value)
    assert (form, stream) == (None, None) or isinstance(value, dict | list)


@given(wire.records)
def test_chat_is_recognised(record: dict[str, Any]) -> None:
    """What is on OpenAI's wire is no event, and of its own format or of one that its blocks or tools belong to."""
    assert stream_of(record) is None
    form = form_of(record)
    assert form is None or form.name in ("openai.chat", "anthropic.messages", "langchain.json")
