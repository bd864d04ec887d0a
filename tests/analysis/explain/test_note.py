"""What values say in their place: right where people who annotate logs by hand are loose."""

import json
from pathlib import Path
from typing import Any

import pytest

from holter.analysis.explain.document import documents
from holter.analysis.explain.explanation import explain

FIXTURES = Path(__file__).parents[2] / "fixtures"


def notes(log: bytes, language: Any = "en") -> dict[str, list[str]]:
    """Path -> notes."""
    (document,) = documents(log, None)
    return {line.field.path: line.notes for line in explain(document, language).lines}


@pytest.fixture(scope="module")
def calculator() -> dict[str, list[str]]:
    """Of a log as a Chinese article has it."""
    return notes((FIXTURES / "explained" / "calculator.txt").read_bytes())


def test_text_tokens_include_the_reasoning(calculator: dict[str, list[str]]) -> None:
    """They are no length of the visible text."""
    details = "messages[1].response_metadata.token_usage.completion_tokens_details"
    assert calculator[f"{details}.text_tokens"] == [
        "all of the output: the 63 reasoning tokens are counted in it, so 53 are left for text and calls"
    ]
    assert calculator[f"{details}.reasoning_tokens"] == ["63 of the 116 tokens of output, 54 %; 53 are left for text and calls"]


def test_a_runs_id_is_no_uuid(calculator: dict[str, list[str]]) -> None:
    """It has one in it, which tells the time."""
    run, made = calculator["messages[1].id"]
    assert run.startswith("the id of LangChain's run: `lc_run--` + the run's UUID + `-0`")
    assert made == "a UUID of version 7, made 2026-03-25 01:48:21 UTC"
    assert calculator["messages[0].id"] == ["a random UUID (version 4)"]
    assert calculator["messages[1].response_metadata.id"] == ["the server's id of one answer, `chatcmpl-` + its own number: no UUID"]
    assert "no UUID" in calculator["messages[1].tool_calls[0].id"][0]


def test_the_provider_is_the_client(calculator: dict[str, list[str]]) -> None:
    """Not the vendor of the model."""
    assert calculator["messages[1].response_metadata.model_provider"] == [
        "the client that LangChain used; the model `qwen3.5-flash` is Alibaba's"
    ]
    weather = notes((FIXTURES / "explained" / "weather.txt").read_bytes())
    assert weather["messages[1].response_metadata.model_name"] == ["somebody masked the model's name"]


def test_blank_is_not_empty() -> None:
    """Two line breaks are nothing to see, but they are a text."""
    found = notes((FIXTURES / "explained" / "weather.txt").read_bytes())["messages[1].content"]
    assert found[0] == "2 line breaks and nothing to see: blank, but not the empty text"
    calculator = notes((FIXTURES / "explained" / "calculator.txt").read_bytes(), "zh")["messages[1].content"]
    assert calculator[0] == "空文本"


def test_pairs_are_named(calculator: dict[str, list[str]]) -> None:
    """From the result to the call and back."""
    assert calculator["messages[2].tool_call_id"] == ["answers the call of `calculator` in message 1"]
    assert calculator["messages[2].name"] == ["the tool that message 1 called"]
    assert calculator["messages[1].tool_calls[0].id"][-1] == "answered by message 2"


def test_sums(calculator: dict[str, list[str]]) -> None:
    """They are checked, and the same count twice is said to be one."""
    assert calculator["messages[1].response_metadata.token_usage.total_tokens"] == ["457 + 116"]
    assert "the same count as `token_usage.prompt_tokens`" in calculator["messages[1].usage_metadata.input_tokens"]
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 9}
    odd = notes(json.dumps({"choices": [{"message": {"role": "assistant", "content": "x"}}], "usage": usage}).encode())
    assert odd["usage.total_tokens"] == ["not 1 + 2 = 3: this server counts something apart"]


def test_a_finish_reason_that_disagrees() -> None:
    """Calls are there, whatever the server says."""
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}
    found = notes(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())
    assert "but there are calls: go by those" not in found["choices[0].message.content"]
    assert found["choices[0].message.tool_calls[0].id"][-1] == "nothing answers it"
    assert found["choices[0].message.tool_calls[0].function.arguments"] == ["text: JSON of 0 argument(s)"]
