import json
import os
import threading
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from holter.errors import ReadError, UnknownFormat, UnreadFormat
from holter.formats import iter_file, iter_stream, read
from holter.formats.finding import input_cut, unknown_kept
from holter.messages import AIMessage, Conversation, HumanMessage, Message, Place, Shared

FIXTURES = Path(__file__).parents[1] / "fixtures"
LOGS = [*sorted(FIXTURES.glob("openai_chat/*")), FIXTURES / "openai_stream" / "answer.jsonl"]
TURN: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
READ: list[Message] = [HumanMessage("Hi"), AIMessage("Hello.")]
LINE = json.dumps({"messages": TURN}).encode()
CHUNKS = [
    {"id": "A", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hel"}}]},
    {"id": "A", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "lo."}, "finish_reason": "stop"}]},
]


def sse(*events: Any, end: str = "\n\n") -> bytes:
    return "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}{end}" for event in events).encode()


def one(source: bytes | str) -> Conversation:
    (conversation,) = read(source)
    return conversation


def found(conversations: list[Conversation]) -> list[tuple[str, int | None, int | None, str]]:
    """(code, line, column, text) of every finding."""
    return [(f.code, f.line, f.column, f.text) for conversation in conversations for f in conversation.findings]


# Ways in


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_a_path_bytes_and_text_are_the_same(log: Path) -> None:
    """A file, its bytes, its text and a pipe of it give the same conversations, but for the source's name."""
    from_path = read(log)
    assert [c.source for c in from_path] == [str(log)] * len(from_path)
    unnamed = [replace(c, source=None) for c in from_path]
    assert read(str(log)) == from_path
    assert list(iter_file(log)) == from_path
    assert read(log.read_bytes()) == unnamed
    assert read(log.read_text()) == unnamed
    assert list(iter_stream(Dripping(log.read_bytes()), str(log))) == from_path


class Dripping(BytesIO):
    """A file that gives a few bytes at a time and cannot be sought."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(7, size) if size is not None and size >= 0 else 7)

    def seekable(self) -> bool:
        return False


def test_a_pipe() -> None:
    """A pipe that is filled while it is read is read to its end."""
    reader, writer = os.pipe()

    def fill() -> None:
        with os.fdopen(writer, "wb") as file:
            for _ in range(2_000):
                file.write(LINE + b"\n")

    thread = threading.Thread(target=fill)
    thread.start()
    with os.fdopen(reader, "rb") as file:
        assert sum(len(conversation.messages) for conversation in iter_stream(file, "-")) == 4_000
    thread.join()


@pytest.mark.parametrize(
    "text", [LINE.decode(), " " * 300 + LINE.decode(), "data: " + LINE.decode(), "\ufeff" + LINE.decode(), "x\n" + LINE.decode()]
)
def test_text_in_one_line(text: str) -> None:
    """Text that begins like a log is no path, however long; nor is text of several lines."""
    assert one(text).messages == READ


def test_a_text_is_a_path_where_such_a_file_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be called like the beginning of a log."""
    monkeypatch.chdir(tmp_path)
    Path("[1].json").write_bytes(LINE)
    assert one("[1].json").source == "[1].json"


def test_progress(tmp_path: Path) -> None:
    """Progress is called with growing numbers up to the size."""
    path = tmp_path / "log.jsonl"
    path.write_bytes((LINE + b"\n") * 40_000)
    calls: list[tuple[int, int]] = []
    assert sum(1 for _ in iter_file(path, progress=lambda done, size: calls.append((done, size)))) == 40_000
    size = path.stat().st_size
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert (calls[-1], {total for _, total in calls}) == ((size, size), {size})


# What is no log


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"messages": []}', "null", "3", '"text"', "[[]]", "[{}]", "NaN", "[]\n[]\n", '{"a": 1}\n{"b": 2}\n', "Words."]
)
def test_nothing_recognised(text: str) -> None:
    """A source without a message is an error that names what was tried, never an empty list."""
    with pytest.raises(UnknownFormat, match=r"nothing in it was recognised as a conversation \(tried: .*openai\.chat.*\)"):
        read(text.encode())


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_source(data: bytes) -> None:
    """Nothing, or nothing but space and a byte order mark, is said to be empty."""
    with pytest.raises(ReadError, match=r"^it is empty$"):
        read(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a PNG image; not read yet"),
        (b"PK\x03\x04" + bytes(200), "a zip archive; not read yet"),
        (b"\x1f\x8b\x08" + bytes(range(256)), "a gzip file; not read yet"),
        (bytes(range(256)) * 40, "it is binary data of an unknown kind"),
        (b"\x01\x02\x03\x04", "it is binary data of an unknown kind"),
        (bytes(100), "it is binary data of an unknown kind"),
    ],
)
def test_binary_data(data: bytes, text: str) -> None:
    """Binary data is refused in one sentence, by its name where it has one."""
    with pytest.raises(ReadError, match=f"^{text}$"):
        read(data)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    """A missing file and a directory are the operating system's errors."""
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError):
        read(str(tmp_path))


def test_errors_name_the_source(tmp_path: Path) -> None:
    """The name of a file stands before what is wrong with it, and the error keeps its class and values."""
    path = tmp_path / "a.json"
    path.write_text("[]")
    with pytest.raises(UnknownFormat) as unknown:
        read(path)
    assert unknown.value.text == f"{path}: nothing in it was recognised as a conversation"
    path.write_text('{"error": {"message": "no", "type": "quota"}}')
    with pytest.raises(UnreadFormat, match="an OpenAI error body") as unread:
        read(path)
    assert unread.value.detail == "it holds no messages"
    path.write_text("")
    with pytest.raises(ReadError, match=f"^{path}: it is empty$"):
        read(path)


def test_much_text_that_is_no_json(tmp_path: Path) -> None:
    """More than 64 MB of prose are refused in one sentence, and not all of it is read."""
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.seek(80 << 20)
        file.write(b"\n")
    with path.open("r+b") as file:
        for _ in range(40):
            file.write(b"All work and no play.\n" * 100_000)
    with pytest.raises(ReadError, match=r"it is no JSON, and text is searched up to 64 MB; this is 8[0-9] MB"):
        read(path)


def test_much_json_that_is_damaged(tmp_path: Path) -> None:
    """The limit of prose is none of JSON: a cut document of any size opens up to the cut."""
    path = tmp_path / "cut.json"
    with path.open("wb") as file:
        file.write(b'[{"role":"user","content":"hi"},{"role":"user","content":"')
        for _ in range(66):
            file.write(b"x" * (1 << 20))
    (conversation,) = read(path)
    assert [len(message.text) for message in conversation.messages] == [2, 66 << 20]
    assert [finding.code for finding in conversation.findings] == ["READ01"]


# Shapes


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"data": {"conversation": TURN}}, "data"),
        ({"data": {"turns": TURN}}, "data.turns"),
        ({"runs": [{"steps": [{"input": {"messages": TURN}}]}]}, "runs[0].steps[0].input"),
        ({"body": json.dumps({"messages": TURN})}, "body"),
        ([[TURN]], "[0][0]"),
        ([{"traj": TURN}], "[0]"),
    ],
)
def test_wrappers_are_searched(value: Any, path: str) -> None:
    """A conversation is found inside records that nobody knows, and inside JSON that stands as text; its place says where."""
    conversation = one(json.dumps(value).encode())
    assert (conversation.messages, conversation.place) == (READ, Place(path=path))
    hidden = unknown_kept(f"read from inside {path!r}; the record's other fields are not shown", Place(path=path))
    assert conversation.findings == ([] if path.endswith("]") else [replace(hidden, conversation=0)])


def test_one_conversation_per_record() -> None:
    """Records of every kind in one file are never merged; messages that stand a line each are one conversation."""
    body = json.loads((FIXTURES / "openai_chat" / "response.json").read_text())
    lines = [TURN, {"messages": TURN}, body, {"request": {"messages": TURN}, "response": body}, {"traj": TURN}, *TURN, {"messages": TURN}]
    conversations = read("\n".join(map(json.dumps, lines)))
    assert [(c.format, len(c.messages), c.place.line) for c in conversations] == [
        ("openai.chat", 2, 1),
        ("openai.chat", 2, 2),
        ("openai.response", 1, 3),
        ("openai.chat", 3, 4),
        ("openai.chat", 2, 5),
        ("openai.chat", 2, 6),
        ("openai.chat", 2, 8),
    ]
    assert [place.line for place in conversations[5].places] == [6, 7]
    assert [c.position for c in conversations] == [*range(7)]


def test_snapshots_are_linked() -> None:
    """Each snapshot of a growing history says what it shares with the one before it."""
    conversations = read(FIXTURES / "openai_chat" / "snapshots.jsonl")
    assert [(len(c.messages), c.shared) for c in conversations] == [(2, None), (4, Shared(0, 2)), (5, Shared(1, 4))]


def test_an_error_body_among_records() -> None:
    """It is a finding at its line; alone it is why nothing was read."""
    error = b'{"error": {"message": "slow down", "type": "rate_limit"}}'
    text = "an OpenAI error body (rate_limit: slow down) stands among the messages"
    assert found(read(error + b"\n" + LINE + b"\n" + error)) == [("READ02", 1, None, text), ("READ02", 3, None, text)]
    with pytest.raises(UnreadFormat, match=r"^an OpenAI error body \(rate_limit: slow down\); it holds no messages$"):
        read(error)


def test_a_foreign_record_among_others() -> None:
    """What another tool wrote is named once, with how often; alone it is refused by name."""
    foreign = json.dumps({"run_type": "llm", "trace_id": "t", "inputs": {}}).encode()
    assert found(read(b"\n".join([foreign, LINE, foreign]))) == [
        ("READ02", 1, None, "a LangSmith run; not read yet: was left out (2 times)")
    ]
    with pytest.raises(UnreadFormat, match=r"^a LangSmith run; not read yet$"):
        read(foreign)


# Streams


@pytest.mark.parametrize(
    "data",
    [
        sse(*CHUNKS, "[DONE]"),
        sse(*CHUNKS, "[DONE]", end="\r\n\r\n"),
        sse(*CHUNKS, "[DONE]").replace(b"data: ", b"data:"),
        b": PROCESSING\n\n" * 5 + sse(*CHUNKS, "[DONE]"),
        sse(*CHUNKS, "[DONE]").replace(b"data", b"event: message\nid: 3\nretry: 5\ndata"),
        "\n".join(map(json.dumps, CHUNKS)).encode(),
        json.dumps(CHUNKS).encode(),
        json.dumps(CHUNKS, indent=1).encode(),
        json.dumps({"chunks": CHUNKS}).encode(),
    ],
)
def test_a_stream(data: bytes) -> None:
    """Server-sent events with and without their other lines, lines of chunks and lists of chunks give the same answer."""
    conversation = one(data)
    assert [m.text for m in conversation.messages] == ["Hello."]
    assert [f for f in conversation.findings if f.code != "READ06"] == []


def test_a_cut_stream() -> None:
    """A stream that is cut inside an event says where, and that no finish reason came."""
    assert found(read(sse(*CHUNKS)[:-30])) == [
        ("READ01", 3, 100, "the line ends inside a value; the file was cut"),
        ("READ01", 3, None, "the stream ends without a finish_reason after 2 chunks"),
    ]


def test_an_error_ends_its_stream() -> None:
    """An error body among the events of a stream is the end of that stream, and not one of the file."""
    conversation = one(sse(CHUNKS[0], {"error": {"message": "overloaded"}}))
    assert conversation.extra == {"error": {"message": "overloaded"}}
    assert found([conversation]) == [("READ01", 3, None, 'the stream ends with an error after 2 chunks: {"message":"overloaded"}')]


def test_records_in_events() -> None:
    """Events may hold whole records."""
    assert [c.messages for c in read(sse({"messages": TURN}, {"messages": TURN}, "[DONE]"))] == [READ, READ]


# Damage


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_every_prefix(log: Path) -> None:
    """Cut at any byte, a log is read as far as it goes: nothing but ReadError is raised, and a cut inside a value is said."""
    data = log.read_bytes()
    whole = len(read(data))
    for end in range(len(data)):
        try:
            conversations = read(data[:end])
        except ReadError:
            continue
        assert 0 < len(conversations) <= whole
        assert all(conversation.messages for conversation in conversations)
        if data[:end].rstrip()[-1:] not in b"}]" and log.suffix == ".json":
            assert "READ01" in {f.code for conversation in conversations for f in conversation.findings}


def test_a_cut_request_keeps_its_messages() -> None:
    """However little of the last message came, those before it are one conversation."""
    data = (FIXTURES / "openai_chat" / "request.json").read_bytes()
    before = data.index(b'"role": "tool"')
    for end in range(before, data.index(b'"tools"')):
        conversation = one(data[:end])
        assert [m.type for m in conversation.messages[:3]] == ["system", "human", "ai"]


_TOKENS = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\r", b"\0", b"\xff", b"NaN", b"1e999", b"\\ud800", b"data: ", b"//"]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A fixture of any format with bytes taken out, put in, or doubled."""
    data = bytearray(draw(st.sampled_from(_DATA)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 8, 60])))
        data[start:end] = draw(
            st.one_of(st.sampled_from(_TOKENS), st.binary(max_size=3), st.just(bytes(data[start:end]) * 2), st.just(b""))
        )
    return bytes(data)


_DATA = [path.read_bytes() for path in sorted(FIXTURES.glob("*/*")) if path.stat().st_size < 8_000] + [sse(*CHUNKS, "[DONE]")]


@given(mutated())
@example(b"x")
def test_mutations(data: bytes) -> None:
    """Whatever happens to a log, reading it gives conversations with messages, or ReadError."""
    try:
        conversations = read(data)
    except ReadError:
        return
    assert conversations
    assert all(conversation.messages and len(conversation.places) == len(conversation.messages) for conversation in conversations)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-16", "UTF-16-LE"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
        ("utf-32", "UTF-32-LE"),
        ("utf-32-be", "UTF-32-BE"),
        ("gb18030", "GB18030"),
    ],
)
@pytest.mark.parametrize("layout", ["lines", "document", "indented", "events"])
def test_encodings(encoding: str, name: str, layout: str) -> None:
    """A log in another encoding is read whole, in every layout, and the encoding is said once."""
    value = {"messages": [{"role": "user", "content": "今天北京天气怎么样，请你查一下。"}, TURN[1]]}
    dumped = json.dumps(value, ensure_ascii=False, indent=1 if layout == "indented" else None)
    text = {"lines": f"{dumped}\n{dumped}\n", "events": f"data: {dumped}\n\ndata: [DONE]\n\n"}.get(layout, dumped)
    conversations = read(text.encode(encoding))
    assert [c.messages[0].text for c in conversations] == ["今天北京天气怎么样，请你查一下。"] * (2 if layout == "lines" else 1)
    assert found(conversations) == [("READ02", 1, 1, f"the text is not UTF-8; it was read as {name}")]


def test_windows_1252() -> None:
    """Accented letters of Windows-1252 are read as what they are."""
    conversation = one('[{"role": "user", "content": "Ça coûte 5 €, n’est-ce pas ?"}]'.encode("cp1252"))
    assert conversation.messages == [HumanMessage("Ça coûte 5 €, n’est-ce pas ?")]
    assert found([conversation]) == [("READ02", 1, 1, "the text is not UTF-8; it was read as CP1252")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"Hi", b"H\xffi", ("READ02", 1, 45, "1 byte is not UTF-8; it was replaced by U+FFFD")),
        (
            b"Hi",
            "H\ud800i".encode("utf-8", "surrogatepass"),
            ("READ02", 1, 45, "a lone surrogate is no character; it cannot be stored or sent"),
        ),
        (b"Hi", b"H\\ud800i", ("READ02", 1, 45, "a lone surrogate is no character; it cannot be stored or sent")),
        (b"Hi", b"H\0i", ("READ02", 1, 45, "1 NUL character was left out")),
        (b"Hi", b"H\x01i", ("READ02", 1, 45, "the control character U+0001 stands in the text")),
        (b"Hi", b"H\ni", ("READ02", 1, 45, "a text holds a raw line break or tab, which JSON does not allow")),
        (b"{", b'{"t": NaN, ', ("READ02", 1, 7, "NaN is not JSON; it was read as a number that JSON cannot hold")),
        (b"{", b'{"t": "NaN", "u": -Infinity, ', ("READ02", 1, 19, "-Infinity is not JSON; it was read as a number that JSON cannot hold")),
        (b"{", b'{"t": 1e999, ', ("READ02", 1, 7, "1e999 is too large; it was kept as text")),
        (b"{", b'{"t": ' + b"9" * 5_000 + b", ", ("READ02", 1, 7, "a number of 5000 characters is too large; it was kept as text")),
        (b"{", b"\xef\xbb\xbf{", ("READ02", 1, 1, "a byte order mark stands before the text")),
    ],
)
def test_damaged_text(old: bytes, new: bytes, expected: tuple[str, int, int, str]) -> None:
    """What JSON does not allow is read, and the finding says where it stands and what it is."""
    conversation = one(LINE.replace(old, new, 1))
    assert len(conversation.messages) == 2
    assert found([conversation]) == [expected]


def test_nuls_at_the_end() -> None:
    """The NULs that a crash leaves behind are no reason to refuse a log."""
    conversation = one(LINE + bytes(4_096))
    assert (conversation.messages, found([conversation])) == (READ, [("READ02", 1, len(LINE) + 1, "4096 NUL characters were left out")])


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n", "\n\r\n"])
def test_line_ends(end: str) -> None:
    """Lines may end in CR LF, in CR, and be followed by blank lines."""
    data = (LINE + end.encode()) * 3
    assert [c.messages for c in read(data)] == [READ] * 3
    assert found(read(data)) == []
    assert [m.text for m in one(json.dumps(TURN, indent=1).replace("\n", end[:2]).encode()).messages] == ["Hi", "Hello."]


def test_mixed_line_ends() -> None:
    """They are said once, with the first line that ends otherwise."""
    text = "line ends are mixed: 2 lines end in CR LF, 1 in LF"
    assert found(read(LINE + b"\r\n" + LINE + b"\r\n" + LINE + b"\n")) == [("READ02", 3, None, text)]
    assert found(read(b"[\r\n" + LINE + b",\n" + LINE + b"]\r\n")) == [("READ02", 2, None, text)]
    assert found(read(LINE + b"\r\n" + LINE)) == []


@pytest.mark.parametrize(
    "text",
    [
        LINE + LINE,
        LINE + b" " + LINE,
        json.dumps({"messages": TURN}, indent=1).encode() * 2,
        LINE + b"\n\nThis was the log. " + LINE,
        LINE + b",\n" + LINE + b",\n",
        b"Two logs:\n" + LINE + b"\n" + LINE,
    ],
)
def test_several_documents(text: bytes) -> None:
    """Documents without anything between them, with commas, and with prose around them are read one by one."""
    assert [c.messages for c in read(text)] == [READ, READ]


@pytest.mark.parametrize("text", [LINE[:-1] + b",}", LINE + b"\n\nThat was the log.", b"// a log\n" + LINE])
def test_nearly_json(text: bytes) -> None:
    """Trailing commas, prose behind the document and comments do no harm."""
    assert one(text).messages == READ


_DEPTH = 10_000


@pytest.mark.parametrize("data", [b"[" * _DEPTH, b"[" * _DEPTH + b"]" * _DEPTH, b'{"a":' * _DEPTH + b"1" + b"}" * _DEPTH])
def test_a_deep_document(data: bytes) -> None:
    """Depth alone is no conversation, and no crash."""
    with pytest.raises(UnknownFormat):
        read(data)


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("depth", [900, _DEPTH])
def test_a_deep_field(lines: int, depth: int) -> None:
    """An unknown field of any depth leaves the messages as they are, alone and among other lines."""
    deep = LINE[:-1] + b', "x": ' + b"[" * depth + b"]" * depth + b"}"
    conversations = read(b"\n".join([LINE, deep, deep][3 - lines :]))
    assert [c.messages for c in conversations] == [READ] * lines


# Arrays larger than a block


def _array(items: int, *, pad: int = 40_000, indent: int | None = None) -> bytes:
    records = [
        json.dumps({"n": n, "messages": [{"role": "user", "content": f'{n} "]}} {"x" * pad}'}]}, indent=indent) for n in range(items)
    ]
    return ("[" + ",\n".join(records) + "]").encode()


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_array(indent: int | None) -> None:
    """An array of records that comes through a pipe is read item by item, with the places that the whole has."""
    data = _array(60, indent=indent)
    streamed = list(iter_stream(BytesIO(data)))
    assert [c.extra["n"] for c in streamed] == [*range(60)]
    assert [c.place.path for c in streamed] == [f"[{n}]" for n in range(60)]
    assert [c.place.line for c in streamed] == [1 + n * (9 if indent else 1) for n in range(60)]


def test_strings_longer_than_a_block() -> None:
    """An item may be longer than several blocks."""
    streamed = list(iter_stream(BytesIO(_array(3, pad=900_000))))
    assert [len(c.messages[0].text) for c in streamed] == [900_006] * 3


def test_the_first_item_longer_than_the_beginning() -> None:
    """The kind of an array is told from its first item even where that is longer than what is looked at."""
    assert len(list(iter_stream(BytesIO(_array(3, pad=1_500_000))))) == 3


def test_a_large_array_that_is_cut() -> None:
    """The last item is read as far as it goes, and the finding says where it stands."""
    data = _array(40)
    inside = list(iter_stream(BytesIO(data[:-20_000])))
    assert (len(inside), inside[-1].findings[-1].text, inside[-1].findings[-1].path) == (40, "the file ends inside this item", "[39]")
    between = list(iter_stream(BytesIO(data[: data.index(b'{"n": 39')])))
    cut = input_cut("the file ends before its array does", Place(index=39, path="[39]", line=40))
    assert (len(between), between[-1].findings) == (39, [replace(cut, conversation=38)])


def test_damage_in_a_large_array() -> None:
    """An item that is not JSON is read as far as it goes, and the others are read; what follows the array is said to be left out."""
    data = _array(40).replace(b'"n": 5,', b'"n": NaN,').replace(b'"n": 7,', b"n: 7,") + b"\nThe end."
    conversations = list(iter_stream(BytesIO(data)))
    assert len(conversations) == 40
    assert found(conversations) == [
        ("READ02", 6, None, "NaN is not JSON; it was read as a number that JSON cannot hold"),
        ("READ02", 8, None, "this item is not JSON; what could be read of it is shown"),
        ("READ02", 41, None, "what follows the end of the array was left out"),
    ]


def test_scalars_in_a_large_array() -> None:
    """Scalars between the records are passed over, and count in the positions."""
    data = _array(40).replace(b"[{", b'[1, "a, b", null, {', 1)
    assert [c.place.index for c in iter_stream(BytesIO(data))] == [*range(3, 43)]


def test_a_large_list_of_messages_is_one_conversation() -> None:
    """A message list is not cut into items, however large it is."""
    data = json.dumps([{"role": "user", "content": "x" * 100_000}] * 20).encode()
    assert [len(c.messages) for c in iter_stream(BytesIO(data))] == [20]
