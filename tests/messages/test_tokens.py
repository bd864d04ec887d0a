"""The guess at a message's tokens."""

from typing import Any

from hypothesis import given
from inline_snapshot import snapshot

from holter.messages import AIMessage, HumanMessage, Message, ToolMessage, approximate_tokens
from tests import strategies


@given(strategies.messages(strategies.any_texts))
def test_every_message_costs_something(message: Message) -> None:
    """Nothing raises, lone surrogates and odd blocks included."""
    assert approximate_tokens(message) >= 4


@given(strategies.any_texts, strategies.any_texts)
def test_more_text_costs_no_less(text: str, more: str) -> None:
    """In content, in a block, in reasoning and in arguments."""
    for make in (
        HumanMessage,
        lambda said: HumanMessage([{"type": "text", "text": said}]),
        lambda said: AIMessage("", reasoning=said),
        lambda said: AIMessage("", tool_calls=[{"name": "find", "args": {"q": said}, "id": "c1", "type": "tool_call"}]),
    ):
        assert approximate_tokens(make(text)) <= approximate_tokens(make(text + more))


def test_counts() -> None:
    """A quarter of the bytes, rounded up, 4 for the message, 1,000 for a medium."""
    cycle: dict[str, Any] = {}
    cycle["a"] = cycle
    call = {"name": "find", "args": {"q": "dune"}, "id": "c1", "type": "tool_call"}
    odd: list[Any] = ["plain", {}, {"type": None}, {"type": ["image"]}, cycle]
    messages: dict[str, Message] = {
        "empty": HumanMessage(""),
        "four bytes": HumanMessage("four"),
        "five bytes": HumanMessage("five!"),
        "Chinese": HumanMessage("今天天气"),
        "lone surrogate": HumanMessage("\ud800"),
        "image": HumanMessage([{"type": "text", "text": "look"}, {"type": "image", "base64": "A" * 9_000}]),
        "call": AIMessage("", tool_calls=[call]),
        "reasoning": AIMessage("", reasoning="hm, hm"),
        "artifact": ToolMessage("ok", tool_call_id="c1", artifact="x" * 1_000),
        "odd blocks": HumanMessage(odd),
        "endless arguments": AIMessage("", tool_calls=[{**call, "args": cycle}]),
    }
    assert {name: approximate_tokens(message) for name, message in messages.items()} == snapshot(
        {
            "empty": 4,
            "four bytes": 5,
            "five bytes": 6,
            "Chinese": 7,
            "lone surrogate": 5,
            "image": 1012,
            "call": 8,
            "reasoning": 6,
            "artifact": 5,
            "odd blocks": 17,
            "endless arguments": 8,
        }
    )
