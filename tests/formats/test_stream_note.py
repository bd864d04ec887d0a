"""What is odd in how a stream cuts its calls."""

from typing import Any

import pytest

from holter.formats.stream_note import StreamNotes
from holter.messages import Place


def notes(*deltas: dict[str, Any]) -> list[tuple[str, int | None]]:
    """(code, chunk) of what was found."""
    noted = StreamNotes()
    for position, delta in enumerate(deltas):
        noted.add(delta, Place(index=position))
    return [(finding.code, finding.index) for finding in noted.findings]


def call(index: Any, call_id: str | None = None, args: str = "", name: str | None = None) -> dict[str, Any]:
    """A delta of one call."""
    fields = {"index": index, "id": call_id, "function": {"name": name, "arguments": args}}
    return {"tool_calls": [{key: value for key, value in fields.items() if value is not None}]}


@pytest.mark.parametrize(
    ("deltas", "found"),
    [
        ([call(0, "a", "{", "f"), call(0, None, "}"), call(1, "b", "{}", "g")], []),
        ([call(0, "a", "{", "f"), call(0, "a", "}")], []),
        ([call(None, "a", "{", "f"), call(None, None, "}")], [("STRM01", 0), ("STRM01", 1)]),
        ([call({"at": 0}, "a", "{}", "f"), call([], None, "}")], [("STRM01", 0), ("STRM01", 1)]),
        ([call(0, "a", "{}", "f"), call(0, "b", "{}", "g")], [("STRM02", 1)]),
        ([call(0, None, "{", "f"), call(0, None, "1"), call(0, "late", "}")], [("STRM03", 2)]),
        ([call(0, "a", '{"x"', "f"), call(0, "a", '{"x": 1', "f"), call(0, "a", '{"x": 1}', "f")], [("STRM05", 1)]),
        ([{"content": "a"}, {"content": "ab"}, {"content": "abc"}, {"content": "abcd"}], [("STRM05", 1)]),
        ([{"content": "a"}, {"content": "a"}, {"content": "a"}, {"content": "b"}], []),
    ],
)
def test_deltas(deltas: list[dict[str, Any]], found: list[tuple[str, int]]) -> None:
    """Each kind at its chunk, and silence on plain streams."""
    assert notes(*deltas) == found
