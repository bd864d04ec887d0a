"""What an answer without calls is worth."""

from typing import Any

import pytest

from holter.agent.verdict import cut_text, is_cut, is_empty
from holter.messages import AIMessage
from holter.messages.content import text_block


@pytest.mark.parametrize(
    "content",
    ["", " \n", [], [text_block("")], [text_block("  ")], [{"type": "reasoning", "reasoning": "hm"}], [{"type": "tool_call", "id": "c"}]],
)
def test_answers_that_say_nothing(content: Any) -> None:
    """The user would see nothing, whatever the model thought."""
    assert is_empty(AIMessage(content, reasoning="hm"))


@pytest.mark.parametrize(
    "content",
    ["x", [text_block(""), text_block("x")], [{"type": "image", "url": "u"}], [{"type": "file", "file_id": "f"}], [{"type": "custom"}]],
)
def test_answers_that_say_something(content: Any) -> None:
    """A file or an image is an answer."""
    assert not is_empty(AIMessage(content))


def test_a_refusal_says_something() -> None:
    """Where OpenAI puts it."""
    assert not is_empty(AIMessage("", additional_kwargs={"refusal": "I cannot help with that."}))


@pytest.mark.parametrize(("reason", "cut"), [("length", True), ("MAX_TOKENS", True), ("stop", False), (None, False)])
def test_whether_it_was_cut_off(reason: str | None, cut: bool) -> None:
    """In any provider's words."""
    metadata = {} if reason is None else {"finish_reason": reason}
    assert is_cut(AIMessage("x", response_metadata=metadata)) is cut


def test_where_it_was_cut_off() -> None:
    """After how many tokens, where that is known."""
    answer = AIMessage("x", response_metadata={"stop_reason": "max_tokens"}, usage_metadata={"output_tokens": 4096})
    assert cut_text(answer) == "the model's output limit cut the answer off after 4,096 tokens (finish reason 'max_tokens')"
