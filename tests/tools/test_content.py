"""Whatever a tool returns becomes content that a provider takes."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.journal.event import Repaired
from holter.tools.content import Content, cap, to_content
from tests import strategies


def _content(value: Any, **options: Any) -> Content:
    return to_content(value, call_id="c", **options)


@pytest.mark.parametrize("text", ["", "18°C", "天气 🌦️", '{"a": 1}', "null", "a\x00b"])
def test_text_stays_as_it_is(text: str) -> None:
    """Nothing is quoted, trimmed or read."""
    assert _content(text) == Content(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        ({"é": [1, 2], "a": None}, '{"é": [1, 2], "a": null}'),
        ([{"id": 1, "name": "Ann"}], '[{"id": 1, "name": "Ann"}]'),
        (["a", "b"], '["a", "b"]'),
        ([], "[]"),
        ({}, "{}"),
        ((1, {2}), "[1, [2]]"),
        (b"a", '{"type": "bytes", "base64": "YQ=="}'),
        (ValueError("no such file"), "no such file"),
    ],
)
def test_other_values_become_json(value: Any, text: str) -> None:
    """Keys in their order, no escapes for what is not ASCII; what would be one text in JSON stands without quotes."""
    assert _content(value) == Content(text)


_BLOCKS: list[Any] = [
    {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}},
    {"type": "image", "url": "https://a/b.png"},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "YQ=="}},
    {"type": "image", "data": "YQ==", "mimeType": "image/png"},
    {"type": "image_url", "image_url": {"url": "https://a/b.png"}},
    {"type": "file", "base64": "YQ==", "mime_type": "application/pdf", "filename": "a.pdf"},
    {"type": "document", "source": {"type": "text", "data": "a"}, "title": "t"},
    {"type": "search_result", "source": "u", "title": "t", "content": [{"type": "text", "text": "a"}]},
    {"type": "json", "json": {"a": 1}},
]


def test_blocks_stay_blocks() -> None:
    """Ours and the providers'; plain text among them becomes a block too."""
    assert _content(_BLOCKS) == Content(_BLOCKS)
    assert _content(("a", _BLOCKS[0])) == Content([{"type": "text", "text": "a"}, _BLOCKS[0]])


@pytest.mark.parametrize(
    "rows",
    [
        [{"type": "file", "name": "a.txt", "path": "src/a.txt", "url": "https://a/a.txt"}],
        [{"type": "dir", "name": "src"}],
        [{"type": "image"}],
        [{"type": "text", "text": None}],
        [{"type": ["text"], "text": "a"}],
        [{"type": "text", "text": "a"}, {"id": 1}],
        [{"type": "text", "text": "a"}, 1],
    ],
)
def test_rows_that_look_like_blocks_are_json(rows: list[Any]) -> None:
    """A provider would refuse them, or leave them out without a word."""
    assert _content(rows) == Content(json.dumps(rows))


def test_bytes_in_a_block_are_base64() -> None:
    """Where the block's form wants it."""
    assert _content([{"type": "image", "base64": b"a", "mime_type": "image/png"}]).content == [
        {"type": "image", "base64": "YQ==", "mime_type": "image/png"}
    ]


def test_half_characters_are_replaced() -> None:
    """In text, in JSON and in blocks; a pair that was split is joined, a whole emoji is left alone."""
    assert _content("ok \ud83d") == snapshot(
        Content(
            content="ok �",
            repairs=[
                Repaired(
                    code="CONT03",
                    text="Halves of characters (lone surrogates), first at character 3, became U+FFFD; split pairs were joined.",
                    call_id="c",
                    raw="ok \\ud83d",
                )
            ],
            artifact=None,
        )
    )
    assert _content({"a": "\ud83c\udf78", "b\udf78": 1}).content == '{"a": "🍸", "b\ufffd": 1}'
    made = _content([{"type": "text", "text": "x\ud83d"}])
    assert (made.content, [repair.code for repair in made.repairs]) == ([{"type": "text", "text": "x\ufffd"}], ["CONT03"])
    assert _content("pair 🍸 ok").repairs == []


def test_numbers_without_a_json_form_are_null() -> None:
    """And it is said how many and which."""
    assert _content({"b": float("nan"), "a": [float("inf")]}) == snapshot(
        Content(
            content='{"b": null, "a": [null]}',
            repairs=[Repaired(code="CONT02", text="2 numbers that JSON does not know became null.", call_id="c", raw="nan, inf")],
            artifact=None,
        )
    )


def test_a_long_result_keeps_its_beginning_and_end() -> None:
    """The whole text goes to the artifact."""
    text = "a" * 30_000 + "z" * 30_000
    made = _content(text, max_chars=8_000)
    assert isinstance(made.content, str)
    assert len(made.content) == 8_000
    assert made.content.startswith("aaa")
    assert made.content.endswith("zzz")
    assert "… 52,042 of 60,000 characters left out …" in made.content
    assert made.artifact == text
    assert _content(["a" * 100_000]).artifact == json.dumps(["a" * 100_000])
    assert _content("é" * 100_000).artifact is None


def test_long_blocks_share_the_limit() -> None:
    """Short text and media stay whole."""
    image = {"type": "image", "base64": "a" * 9_000}
    blocks = [{"type": "text", "text": "a" * 100}, image, {"type": "json", "json": "b" * 5_000}, {"type": "text", "text": "c" * 5_000}]
    made = _content(blocks, max_chars=1_100)
    assert made.artifact == blocks
    assert [(block["type"], len(block.get("text", ""))) for block in made.content if isinstance(block, dict)] == snapshot(
        [("text", 100), ("image", 0), ("text", 500), ("text", 500)]
    )
    assert len(_content([{"type": "text", "text": "abc"}] * 50, max_chars=10).content) <= 10


@pytest.mark.parametrize(
    ("window_tokens", "in_batch", "chars"),
    [(None, 1, 100_000), (None, 9, 100_000), (8_000, 1, 8_000), (8_000, 2, 8_000), (8_000, 4, 4_000), (0, 0, 1)],
)
def test_the_limit_follows_the_window(window_tokens: int | None, in_batch: int, chars: int) -> None:
    """A quarter of it for one result, half of it for a batch; four characters a token."""
    assert cap(window_tokens, in_batch) == chars


_anything = st.recursive(
    st.one_of(
        strategies.any_texts, st.floats(), st.binary(max_size=4), st.dates(), st.timedeltas(), st.decimals(), st.none(), st.integers()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(strategies.any_texts, st.integers()), inner, max_size=3), st.tuples(inner)
    ),
    max_leaves=8,
)


@given(_anything | st.lists(strategies.blocks(strategies.any_texts), max_size=3), st.integers(0, 80))
def test_any_value_becomes_content_that_can_be_stored(value: Any, limit: int) -> None:
    """Never too long, always valid Unicode, and JSON where it is a dict."""
    msgspec.json.encode(_content(value))
    made = _content(value, max_chars=limit)
    assert not isinstance(made.content, str) or len(made.content) <= limit
    if isinstance(value, dict):
        assert isinstance(json.loads(str(_content(value).content)), dict)
