"""Content is text or blocks; what can be read is read, whatever stands among them."""

from typing import Any

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from holter.messages import HumanMessage
from holter.messages.content import data_url, media_block, reasoning_block, text_block, text_of
from tests import strategies


@given(strategies.contents(strategies.any_texts))
def test_text_is_always_there(content: Any) -> None:
    """Whatever the blocks are, their text is a str."""
    assert isinstance(text_of(content), str)


def test_joins_text_blocks_and_nothing_else() -> None:
    """Text blocks are joined without a separator; others say nothing; plain text among them, as LangChain allows, counts."""
    blocks: list[Any] = [
        text_block("a"),
        reasoning_block("hidden"),
        {"type": "text", "text": None},
        {"type": "text"},
        {"text": "no type"},
        media_block("image", url="u"),
        "b",
        text_block("文"),
    ]
    assert text_of(blocks) == HumanMessage(blocks).text == "ab文"
    assert text_of([]) == text_of("") == ""


def test_makes_blocks() -> None:
    """Extras and fields without a value are left out."""
    assert [
        text_block("a"),
        text_block("a", {"cache_control": {"type": "ephemeral"}}),
        reasoning_block("r"),
        reasoning_block("r", {"signature": "s"}),
        media_block("image", url=None, base64="AA==", mime_type="image/png"),
        media_block("file", file_id="f1", extras={"detail": "low"}),
    ] == snapshot(
        [
            {"type": "text", "text": "a"},
            {"type": "text", "text": "a", "extras": {"cache_control": {"type": "ephemeral"}}},
            {"type": "reasoning", "reasoning": "r"},
            {"type": "reasoning", "reasoning": "r", "extras": {"signature": "s"}},
            {"type": "image", "base64": "AA==", "mime_type": "image/png"},
            {"type": "file", "file_id": "f1", "extras": {"detail": "low"}},
        ]
    )


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("data:image/png;base64,AA==", ("image/png", "AA==")),
        ("data:text/plain;charset=utf-8;base64,AA==", ("text/plain", "AA==")),
        ("data:;base64,AA==", ("text/plain", "AA==")),
        ("data:image/png,AA", None),
        ("https://example.com/a;base64,b", None),
        ("", None),
    ],
)
def test_takes_a_data_url_apart(url: str, parts: tuple[str, str] | None) -> None:
    """Only a base64 `data:` URL is one."""
    assert data_url(url) == parts
