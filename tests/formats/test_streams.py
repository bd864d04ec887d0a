import json
from typing import Any

from holter.formats.openai_stream import STREAM
from holter.formats.streams import OpenStreams
from holter.messages import Place


def chunk(key: str | None, text: str = "", finish: str | None = None, **beside: Any) -> dict[str, Any]:
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]
    return {"object": "chat.completion.chunk", "choices": choices, **({"id": key} if key else {}), **beside}


def usage(key: str) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "id": key, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


DONE = None


def answers(*events: dict[str, Any] | None) -> list[str]:
    """The texts of the answers, in the order the streams end; "…" behind one whose end was not seen."""
    streams = OpenStreams()
    readers = []
    for event in events:
        if event is DONE:
            readers += streams.done()
        elif "error" in event:
            readers += [reader for reader in [streams.error(event, Place())] if reader is not None]
        else:
            readers += streams.event(STREAM, json.loads(json.dumps(event)), Place())
    found = [reader.finish() for reader in [*readers, *streams.end()]]
    assert not streams
    return [c.messages[0].text + "…" * any(f.code == "READ01" for f in c.findings) for c in found]


def test_one_after_another() -> None:
    """Each stream ends at its mark, and at the end."""
    assert answers(chunk("A", "a"), chunk("A", finish="stop"), DONE, chunk("B", "b"), chunk("B", finish="stop")) == ["a", "b"]
    assert answers(chunk(None, "a"), chunk(None, finish="stop"), DONE, chunk(None, "b"), chunk(None, finish="stop"), DONE) == ["a", "b"]


def test_interleaved() -> None:
    """Events are told apart by their ids; one without an id belongs to the stream of the latest."""
    assert answers(chunk("A", "a"), chunk("B", "b"), chunk(None, "b"), chunk("A", "a"), chunk("A", finish="stop")) == ["aa", "bb…"]


def test_a_mark_ends_what_is_whole() -> None:
    """With several streams open a `[DONE]` ends the whole ones, and leaves the others to their own marks."""
    a, b = chunk("A", finish="stop"), chunk("B", finish="stop")
    assert answers(chunk("A", "a"), chunk("B", "b"), a, DONE, chunk("B", "b"), b, DONE) == ["a", "bb"]
    assert answers(chunk("A", "a"), chunk("B", "b"), a, chunk("B", "b"), DONE, b, DONE) == ["a", "bb"]
    assert answers(chunk("A", "a"), chunk("B", "b"), a, b, DONE) == ["a", "b"]
    assert answers(chunk("A", "a"), chunk("B", "b"), a, usage("A"), DONE, chunk("B", "b"), b, usage("B"), DONE) == ["a", "bb"]


def test_a_mark_where_nothing_is_whole() -> None:
    """It ends the stream of the latest event."""
    assert answers(chunk("A", "a"), chunk("B", "b"), chunk("A", "a"), DONE, chunk("B", "b"), chunk("B", finish="stop")) == ["aa…", "bb"]
    assert answers(DONE, DONE) == []


def test_an_error() -> None:
    """It ends the stream of the latest event; without one it is nobody's."""
    error = {"error": {"message": "overloaded"}}
    assert answers(chunk("A", "a"), error, chunk("B", "b"), chunk("B", finish="stop")) == ["a…", "b"]
    assert answers(error) == []


def test_very_many() -> None:
    """The oldest is ended when too many are open, so that memory is bounded, and marks are as cheap as ever."""
    streams = OpenStreams()
    ended = [reader for n in range(1_500) for reader in streams.event(STREAM, chunk(str(n), str(n)), Place())]
    assert [reader.finish().messages[0].text for reader in ended] == [str(n) for n in range(500)]
    assert len(streams.end()) == 1_000
