import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter.formats.foreign import error_body, name_of, name_of_bytes, name_of_text
from tests.formats.damage import damaged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "foreign"


def lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


NAMED = [(sample["name"], sample["value"]) for sample in lines("named")]


@pytest.mark.parametrize(("name", "value"), NAMED)
def test_named(name: str, value: Any) -> None:
    """Records, lists of them and single lines of each kind have its name, and are no error body."""
    assert name_of(value) == name
    assert error_body(value) is None


@pytest.mark.parametrize("value", lines("not_named"))
def test_not_named(value: Any) -> None:
    """What Holter reads, and what says nothing, has no name."""
    assert name_of(value) is None
    assert error_body(value) is None


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_naming_never_raises(data: st.DataObject) -> None:
    """However a log is damaged, it has a name or none."""
    for value in data.draw(damaged(data.draw(st.lists(st.sampled_from([value for _, value in NAMED]), min_size=1, max_size=2)))):
        assert isinstance(name_of(value), str | None)
        assert isinstance(error_body(value), str | None)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            {"error": {"message": "You exceeded your quota.", "type": "insufficient_quota", "param": None, "code": "insufficient_quota"}},
            "an OpenAI error body (insufficient_quota: You exceeded your quota.)",
        ),
        (
            {"error": {"message": "No such model", "type": "invalid_request_error"}},
            "an OpenAI error body (invalid_request_error: No such model)",
        ),
        ({"error": {"message": "No credits", "code": 402}, "user_id": "u"}, "an OpenAI error body (402: No credits)"),
        (
            {"object": "error", "message": "too long", "type": "BadRequestError", "code": 400},
            "an OpenAI error body (BadRequestError: too long)",
        ),
        (
            {"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED", "details": []}},
            "a Gemini error body (RESOURCE_EXHAUSTED: Slow down.)",
        ),
        ([{"error": {"code": 400, "message": "Bad", "status": "INVALID_ARGUMENT"}}], "a Gemini error body (INVALID_ARGUMENT: Bad)"),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req"},
            "an Anthropic error body (overloaded_error: Overloaded)",
        ),
        ({"error": "model 'm' not found"}, "an error body (model 'm' not found)"),
        ({"detail": "Not Found"}, "an error body (Not Found)"),
        ({"error": {"type": None, "message": None}}, "an OpenAI error body"),
    ],
)
def test_error_body(body: Any, text: str) -> None:
    """The phrase names the provider, its word for the error, and what it says."""
    assert error_body(body) == text


def test_long_error() -> None:
    """A long text, and one of several lines, becomes one short line."""
    text = error_body({"error": {"message": "a b\n\n" + "c" * 500, "code": "x"}})
    assert text == f"an OpenAI error body (x: a b {'c' * 112}…)"


@pytest.mark.parametrize(
    "value",
    [
        {"error": None},
        {"error": {"message": "no"}, "choices": []},
        {"error": {"message": "no"}, "request": {"messages": []}},
        {"error": "no", "run_type": "llm"},
        {"error": {}},
        [{"error": None}],
        [],
        "error",
    ],
)
def test_no_error_body(value: Any) -> None:
    """A record that holds more than an error is no error body."""
    assert error_body(value) is None


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("interactions:\n- request:\n    body: '{}'\n  response:\n    status: {code: 200}\nversion: 1\n", "a VCR cassette"),
        ("---\nhttp_interactions:\n- request:\n    method: post\n", "a VCR cassette"),
        ("\n# aider chat started at 2026-03-01 10:00:00\n", "an aider chat history"),
        ("interactions: many\nrequest: one\n", None),
        ("The interactions:\nwere fine.\n", None),
        ("", None),
    ],
)
def test_text(head: str, name: str | None) -> None:
    """Text files are known by their first lines."""
    assert name_of_text(head) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"PK\x03\x04" + bytes(26) + b"header.json", "an Inspect log (.eval)"),
        (b"PK\x03\x04" + bytes(26) + b"_journal/start.json", "an Inspect log (.eval)"),
        (b"PK\x03\x04" + bytes(26) + b"notes.txt", "a zip archive"),
        (b"PK\x05\x06" + bytes(18), "a zip archive"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
        (b"\x28\xb5\x2f\xfd\x04", "a zstd file"),
        (b"BZh91AY&SY", "a bzip2 file"),
        (b"SQLite format 3\x00\x10", "an SQLite database"),
        (b"PAR1\x15", "a Parquet file"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP image"),
        (b"\x7fELF\x02", "an ELF program"),
        (b"\x80\x05\x95\x10\x00", "a pickle, which Holter never loads"),
        (b"\x80\x02}q\x00.", "a pickle, which Holter never loads"),
        (b"a.json" + bytes(251) + b"ustar\x00", "a tar archive"),
        (b'{"messages": []}', None),
        ("中文".encode(), None),
        ("hi".encode("utf-16"), None),
        (b"\xef\xbb\xbf[]", None),
        (b"", None),
    ],
)
def test_bytes(head: bytes, name: str | None) -> None:
    """Binary files are known by their first bytes; text in any encoding is not binary."""
    assert name_of_bytes(head) == name


@given(st.binary(max_size=300))
def test_bytes_never_raise(head: bytes) -> None:
    """Any bytes have a name or none."""
    assert isinstance(name_of_bytes(head), str | None)


def test_attributes_under_odd_keys() -> None:
    """An attribute whose key is no text is passed over."""
    span = {"traceId": "a", "spanId": "b", "attributes": [{"key": {}}, {"key": "openinference.span.kind"}]}
    assert name_of({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) == "OpenInference spans"
