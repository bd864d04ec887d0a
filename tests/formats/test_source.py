from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.source import Source


@given(st.lists(st.sampled_from([b"", b"a", b"bc\r", b"{}"]), max_size=8), st.booleans())
def test_lines(lines: list[bytes], closed: bool) -> None:
    """Lines come without their line feed; the source knows whether the last one had one."""
    data = b"\n".join(lines) + b"\n" * closed
    source = Source(BytesIO(b"{\n" + data))
    assert list(source.lines()) == (b"{\n" + data).removesuffix(b"\n").split(b"\n") if data else [b"{"]
    assert source.ends_open == bool(data and not data.endswith(b"\n"))


def test_lines_longer_than_blocks() -> None:
    """A line may take several blocks, and a block hold several lines."""
    lines = [b"x" * size for size in (5, 3_000_000, 0, 700_000, 12)]
    assert list(Source(BytesIO(b"\n".join(lines))).lines()) == lines


@pytest.mark.parametrize("codec", ["utf-16", "utf-32-be", "gb18030", "utf-8"])
def test_everything_is_utf8(codec: str) -> None:
    """Characters that a block cuts are whole, whatever the encoding."""
    text = "[" + "你好，世界。" * 200_000 + "]"
    assert b"".join(Source(BytesIO(text.encode(codec))).blocks()).decode() == text
    assert Source(BytesIO(text.encode(codec))).all().decode() == text


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b'{"a": 1}\r{"b": 2}\r', [b'{"a": 1}', b'{"b": 2}']),
        (b"data: {}\r\rdata: [DONE]\r", [b"data: {}", b"", b"data: [DONE]"]),
        (b"Words\rmore words", [b"Words", b"more words"]),
        (b'{"a": "b\rc"}', [b'{"a": "b\rc"}']),
        (b"{}\r\n{}\r\n", [b"{}\r", b"{}\r"]),
    ],
)
def test_carriage_returns(data: bytes, lines: list[bytes]) -> None:
    """A carriage return alone ends a line where no line feed does, but not inside a text."""
    assert list(Source(BytesIO(data)).lines()) == lines


def test_the_beginning_grows_to_the_first_line() -> None:
    """The head can be made to hold the first line that is not blank, up to a limit; nothing is lost or read twice."""
    data = b"\n\n" + b"x" * 3_000_000 + b"\ny"
    source = Source(BytesIO(data))
    source.extend_line(1 << 21)
    assert b"y" not in source.head
    source.extend_line(1 << 62)
    assert b"\n" in source.head.lstrip()
    assert source.all() == data


def test_a_limit() -> None:
    """No more than was asked for is read, and one byte to tell that there is more."""
    file = BytesIO(bytes(5 << 20))
    assert len(Source(file).all(2 << 20)) == (2 << 20) + 1
    assert file.tell() == (2 << 20) + 1
