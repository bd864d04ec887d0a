import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import UnknownFormat
from holter.formats.lines import Lines, is_lines
from holter.formats.source import Source
from holter.messages import AIMessage, Conversation, HumanMessage, Message, Place
from tests.formats import wire

TURN: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
READ: list[Message] = [HumanMessage("Hi"), AIMessage("Hello.")]
LINE = json.dumps({"messages": TURN}).encode()


def read(*lines: bytes) -> list[Conversation]:
    return list(Lines(Source(BytesIO(b"\n".join(lines))), None).conversations())


def found(conversations: list[Conversation]) -> list[tuple[str, int | None, int | None, str]]:
    return [(f.code, f.line, f.column, f.text) for conversation in conversations for f in conversation.findings]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{}\n{}", True),
        (b"[]\n\n[]\n", True),
        (b'"{}"\n"[]"\n', True),
        (b"{}\n{}\nwords\nwords\nwords\n", True),
        (LINE + b"\n" + LINE[:9], True),
        (b"{}\nwords\n{}\nwords\n", True),
        (b"data: {}\n\ndata: [DONE]\n", True),
        (b"data: {}", True),
        (b": waiting\n" * 8 + b"data: {}\n", True),
        (b"event: x\ndata: {}\n\n", True),
        (b"[\n{},\n{}\n]", False),
        (b"{}", False),
        (b"{}\nwords", False),
        (b"words\n{}\nwords\nwords\n", False),
        (b"event: a conference\nwhere: here\nwhen: now\nwho: all\n", False),
        (b"The stream:\n\ndata: {}\nand so on\nand on\n", False),
        (b'{\n "a": 1\n}\n', False),
        (b"{" + b'"x": 1,' * 300_000 + b'"y": 1}\n{}\n', True),
        (b"[" + b"1," * 600_000 + b"1]\n[]\n", True),
        (b"", False),
    ],
)
def test_is_lines(data: bytes, expected: bool) -> None:
    """Lines of JSON, most of them whole, and events that hold data; not indented JSON, and not prose with such lines in it."""
    assert is_lines(Source(BytesIO(data))) is expected


@given(st.lists(st.one_of(wire.records, wire.plain_records), min_size=1, max_size=3))
def test_each_line_is_read_alone(records: list[dict[str, Any]]) -> None:
    """A line gives what it gives without the others, but for the position and what it shares with those before it."""
    lines = [json.dumps(record).encode() for record in records]
    alone = []
    for line in lines:
        try:
            alone += [conversation.messages for conversation in read(line)]
        except UnknownFormat:
            continue
    try:
        together = read(*lines)
    except UnknownFormat:
        together = []
    assert [conversation.messages for conversation in together] == alone
    assert [conversation.position for conversation in together] == [*range(len(alone))]


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        (b"garbage", ("READ02", 2, None, "this line is not JSON; it was left out")),
        (b"{garbage", ("READ01", 2, 9, "the line ends inside a value")),
        (b'{"a": {', ("READ01", 2, 8, "the line ends inside a value")),
        (b"3", ("READ02", 2, None, "this line holds no conversation")),
        (b'"words"', ("READ02", 2, None, "this line holds no conversation")),
        (b'{"a": 1}', ("READ02", 2, None, "a value that is no conversation was left out")),
        (b"\0" * 9, ("READ02", 2, 1, "9 NUL characters were left out")),
    ],
)
def test_one_line_without_a_conversation(line: bytes, finding: tuple[str, int, int | None, str]) -> None:
    """The others are all there, and the finding names the line."""
    conversations = read(LINE, line, LINE)
    assert [c.messages for c in conversations] == [READ, READ]
    assert found(conversations) == [finding]


@pytest.mark.parametrize(
    ("line", "messages", "finding"),
    [
        (LINE + b" and words", READ, ("READ02", 2, 94, "this line is not JSON; what stands before this column was read")),
        (b"12:00 INFO " + LINE, READ, ("READ02", 2, 12, "this line is not JSON; it was read from this column on")),
        (LINE.replace(b'"', b"'"), READ, ("READ02", 2, None, "this line is not JSON; it was read as a literal")),
        (
            LINE.replace(b"Hi", b"\xff"),
            [HumanMessage("\ufffd"), READ[1]],
            ("READ02", 2, 44, "1 byte is not UTF-8; it was replaced by U+FFFD"),
        ),
    ],
)
def test_one_damaged_line(line: bytes, messages: list[Message], finding: tuple[str, int, int | None, str]) -> None:
    """It is read as far as it goes, between the others."""
    conversations = read(LINE, line, LINE)
    assert [c.messages for c in conversations] == [READ, messages, READ]
    assert found(conversations) == [finding]


def test_a_cut_line() -> None:
    """A line that ends inside a value, in the middle and at the end: the last message keeps what came of it."""
    conversations = read(LINE, LINE[:-8], LINE[:-8])
    assert [c.messages[-1].text for c in conversations] == ["Hello.", "He", "He"]
    assert found(conversations) == [
        ("READ01", 2, 86, "the line ends inside a value"),
        ("READ01", 3, 86, "the line ends inside a value; the file was cut"),
    ]


def test_several_values_on_a_line() -> None:
    """Values without anything between them are each read."""
    conversations = read(LINE, LINE + LINE, LINE)
    assert [c.messages for c in conversations] == [READ] * 4
    assert [c.place for c in conversations] == [Place(line=line) for line in (1, 2, 2, 3)]
    assert found(conversations) == [("READ04", 2, None, "2 values stand on this line; each was read")]


def test_json_as_text() -> None:
    """A line may be a JSON string that holds the record."""
    assert [c.messages for c in read(json.dumps(LINE.decode()).encode(), LINE)] == [READ, READ]


def test_very_many_damaged_lines() -> None:
    """Twenty are listed, the others are counted at the end."""
    conversations = read(LINE, *[b"garbage"] * 1_000, LINE)
    assert [c.messages for c in conversations] == [READ, READ]
    texts = [text for _, _, _, text in found(conversations)]
    assert texts == ["this line is not JSON; it was left out"] * 20 + ["this line is not JSON; it was left out (the last of 980 more)"]
    assert found(conversations)[-1][1] == 1_001


def test_the_fast_reader_comes_and_goes() -> None:
    """Plain and odd lines, and messages that stand alone between them, keep their order."""
    odd = json.dumps({"messages": TURN, "x": 1}).encode()
    alone = [json.dumps(message).encode() for message in TURN]
    conversations = read(LINE, odd, *alone, LINE, odd, odd, odd, odd, LINE)
    assert [c.place.line for c in conversations] == [1, 2, 3, 5, 6, 7, 8, 9, 10]
    assert [c.messages for c in conversations] == [READ] * 9
