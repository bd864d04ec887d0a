from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.messages import AIMessage, AIMessageChunk, merge_chunks
from holter.messages.calls import split_calls, tool_call
from holter.models.delta import PieceSize, check_size, deltas, pieces, whole
from tests.strategies import json_objects, json_values, texts

sizes: st.SearchStrategy[PieceSize] = st.one_of(st.sampled_from(["word", "character", "whole"]), st.integers(1, 5))
_growing = st.sampled_from(["a a  a   a    ", "好好 好  ", " a aa aaa", "a aa aaa", "\n\n\n", "x \u3000 x"])
_texts = st.one_of(texts, _growing, st.text("a 好\n", max_size=12))


def _blocks() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": _texts}, optional={"extras": st.just({"cache": "a"})}),
        st.fixed_dictionaries({"type": st.just("reasoning"), "reasoning": _texts}),
        st.fixed_dictionaries({"type": st.just("image"), "url": texts}),
    )


@st.composite
def _calls(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Calls as readers make them: whatever the arguments are, each with a name and an id of its own."""
    arguments = st.one_of(json_objects, st.dictionaries(texts, json_values, max_size=2), _texts, st.sampled_from(["{}{}", "[1]", '{"a":']))
    return [tool_call("find", draw(arguments), f"c{position}", position) for position in range(draw(st.integers(0, 3)))]


@st.composite
def answers(draw: st.DrawFn) -> AIMessage:
    """Answers that a stream can say: no time, no empty list of blocks, no empty text where None is meant."""
    valid, invalid = split_calls(draw(_calls()))
    return AIMessage(
        draw(st.one_of(_texts, st.lists(_blocks(), min_size=1, max_size=3))),
        tool_calls=valid,
        invalid_tool_calls=invalid,
        reasoning=draw(_texts) or None,
        usage_metadata=draw(st.sampled_from([None, {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}])),
        response_metadata=draw(st.sampled_from([{}, {"finish_reason": "stop", "model_name": "m", "logprobs": None}])),
        additional_kwargs=draw(st.sampled_from([{}, {"refusal": None}, {"audio": {"id": "a", "data": "xyz"}}])),
        extra=draw(st.sampled_from([{}, {"content": None}])),
        id=draw(st.sampled_from([None, "run-1"])),
        name=draw(st.sampled_from([None, "ann"])),
    )


@given(answers(), sizes)
def test_merged_they_are_the_message(message: AIMessage, size: PieceSize) -> None:
    """However an answer is cut into deltas, merging gives it back."""
    assert merge_chunks(list(deltas(message, size))) == message
    assert merge_chunks([whole(message)]) == message


@given(_texts, sizes)
def test_pieces_joined_are_the_text(text: str, size: PieceSize) -> None:
    """Pieces are never empty, and joined they are the text."""
    cut = list(pieces(text, size))
    assert "".join(cut) == text
    assert all(cut)


def test_words() -> None:
    """A word has the space behind it; where words are not spaced, a character is one."""
    assert list(pieces("10 + 5  equals\n15", "word")) == ["10 ", "+ ", "5  ", "equals\n", "15"]
    assert list(pieces("今天 ok，好", "word")) == ["今", "天 ", "ok", "，", "好"]
    assert list(pieces("hello", 2)) == ["he", "ll", "o"]


def test_the_order() -> None:
    """Reasoning, content, calls, and at last the account; the id comes first."""
    call = {"name": "add", "args": {"a": 1}, "id": "c", "type": "tool_call"}
    message = AIMessage("Let me", tool_calls=[call], reasoning="hm", id="m", usage_metadata={"total_tokens": 3})
    assert list(deltas(message, 4)) == [
        AIMessageChunk(reasoning="hm", id="m"),
        AIMessageChunk("Let "),
        AIMessageChunk("me"),
        AIMessageChunk(tool_call_chunks=[{"index": 0, "id": "c", "name": "add", "args": '{"a"'}]),
        AIMessageChunk(tool_call_chunks=[{"index": 0, "args": ":1}"}]),
        AIMessageChunk(usage_metadata={"total_tokens": 3}),
    ]


def test_custom_tools() -> None:
    """The free text of a custom tool is streamed as the text it is."""
    call = {"name": "run", "args": {"input": "ls -l"}, "id": "c", "type": "tool_call", "extras": {"type": "custom"}}
    message = AIMessage(tool_calls=[call])
    assert [chunk.tool_call_chunks[0]["args"] for chunk in deltas(message) if chunk.tool_call_chunks] == ["ls ", "-l"]
    assert merge_chunks(list(deltas(message))) == message


def test_text_among_blocks() -> None:
    """Plain text among blocks, as LangChain allows it, comes as a block."""
    content: Any = ["hi", {"type": "image", "url": "x"}]
    merged = merge_chunks(list(deltas(AIMessage(content))))
    assert merged.content == [{"type": "text", "text": "hi"}, {"type": "image", "url": "x"}]


@pytest.mark.parametrize("size", [0, -1, True, "line", None, 1.5])
def test_sizes(size: Any) -> None:
    """What is no size is refused."""
    with pytest.raises(ValueError, match="a size of chunks is 'word', 'character', 'whole', or a number of characters, found"):
        check_size(size)
