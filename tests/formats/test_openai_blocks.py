import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.openai_blocks import read_content, unsayable, write_content
from holter.messages.content import Content
from tests import strategies
from tests.formats import wire


@pytest.mark.parametrize(
    ("block", "read"),
    [
        ({"type": "text", "text": "x"}, {"type": "text", "text": "x"}),
        ({"type": "text", "text": "x", "cache_control": {}}, {"type": "text", "text": "x", "extras": {"cache_control": {}}}),
        ({"type": "input_text", "text": "x"}, {"type": "text", "text": "x", "extras": {"type": "input_text"}}),
        (
            {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
            {"type": "image", "url": "https://x/y.png", "extras": {"detail": "low"}},
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            {"type": "image", "base64": "AA==", "mime_type": "image/png"},
        ),
        ({"type": "video_url", "video_url": {"url": "https://x/y.mp4"}}, {"type": "video", "url": "https://x/y.mp4"}),
        (
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
            {"type": "audio", "base64": "AA==", "mime_type": "audio/wav"},
        ),
        ({"type": "file", "file": {"file_id": "f", "filename": "a.pdf"}}, {"type": "file", "file_id": "f", "filename": "a.pdf"}),
        (
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}},
            {"type": "file", "base64": "AA==", "mime_type": "application/pdf", "filename": "a.pdf"},
        ),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "x"}]}, {"type": "reasoning", "reasoning": "x"}),
        ({"type": "refusal", "refusal": "no"}, {"type": "refusal", "refusal": "no"}),
        ({"type": "odd", "x": 1}, {"type": "odd", "x": 1}),
        ({"type": "text", "text": None}, {"type": "text", "text": None}),
        (
            {"type": "input_audio", "input_audio": {"data": "", "format": "wav", "x": 1}},
            {"type": "input_audio", "input_audio": {"data": "", "format": "wav", "x": 1}},
        ),
        ({}, {}),
        ({"type": []}, {"type": []}),
    ],
)
def test_blocks(block: dict[str, Any], read: dict[str, Any]) -> None:
    """Each block is read in its standard form, one of no known form is kept, and goes back as it was."""
    assert read_content([block]) == [read]
    assert write_content([read]) == [block]


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (None, ""),
        ("x", "x"),
        ([], []),
        (5, "5"),
        ({"type": "text", "text": "x"}, [{"type": "text", "text": "x"}]),
        (["x", 5, None], [{"type": "text", "text": "x"}, {"type": "text", "text": "5"}, {"type": "text", "text": "null"}]),
        (
            [{"type": "image_url", "image_url": "https://x/y.png"}],
            [{"type": "image", "url": "https://x/y.png"}],
        ),
    ],
)
def test_contents(value: Any, content: Content) -> None:
    """Text is text, null the empty text, and what is no block is kept as text."""
    assert read_content(value) == content


@given(strategies.contents())
def test_what_is_written_is_read_or_named(content: Content) -> None:
    """Content comes back as it was, or its losses are named."""
    assert read_content(json.loads(json.dumps(write_content(content)))) == content or list(unsayable(content))


@given(st.lists(wire.blocks, max_size=3))
def test_openai_loses_nothing_of_its_own(blocks: list[dict[str, Any]]) -> None:
    """Blocks that were read from OpenAI can all be said."""
    assert list(unsayable(read_content(blocks))) == []


def test_losses() -> None:
    """A file behind a URL has no form, and calls stand apart from the content."""
    content: Content = [{"type": "file", "url": "u"}, {"type": "tool_call", "id": "c"}, {"type": "text", "text": "x"}]
    assert list(unsayable(content)) == [
        "content: OpenAI has no form for this block of the type 'file'",
        "content: OpenAI keeps calls apart, and not where they stood in it",
    ]
    assert write_content(content) == [{"type": "file", "file": {}}, {"type": "text", "text": "x"}]


@given(strategies.json_values)
def test_any_content(value: Any) -> None:
    """Whatever stands for a content is read, and can be written."""
    write_content(read_content(value))
