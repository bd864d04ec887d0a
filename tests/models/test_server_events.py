"""Server-sent events, wherever their bytes are cut."""

from hypothesis import given
from hypothesis import strategies as st

from holter.models.server_events import Event, EventDecoder


def decoded(pieces: list[bytes]) -> list[Event]:
    decoder = EventDecoder()
    return [*(event for piece in pieces for event in decoder.feed(piece)), *decoder.end()]


def test_events() -> None:
    """Types, data in several lines, comments, all three ends of lines, a mark in front, and a last event that nothing ends."""
    stream = '\ufeffevent: a\r\ndata: {"x": "é"}\r\n\r\n: still here\n\ndata:1\rdata: 2\r\rid: 7\nretry: 3\ndata\n\nevent: b\n\ndata: end'
    assert decoded([stream.encode()]) == [("a", '{"x": "é"}'.encode()), ("", b"1\n2"), ("", b"end")]


LINE = st.sampled_from(["data: a", "data:b", "data: ", "event: x", ": c", "", "data: é中", "data: {}", "odd"])


@given(st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r"])), max_size=12), st.data())
def test_cuts_change_nothing(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    """However the bytes are cut into pieces, the events are the same."""
    stream = "".join(line + end for line, end in lines).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)))))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert decoded(pieces) == decoded([stream])
    assert decoded([bytes([byte]) for byte in stream]) == decoded([stream])
