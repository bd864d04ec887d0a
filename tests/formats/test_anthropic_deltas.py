"""Deltas of an Anthropic stream merge into what the same answer is in one piece."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.anthropic_deltas import Deltas
from holter.formats.anthropic_messages import read_answer
from holter.messages import AIMessage, Place, merge_chunks

FIXTURES = Path(__file__).parents[1] / "fixtures" / "anthropic_stream"

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
OBJECT = st.dictionaries(TEXT, st.integers() | TEXT, max_size=3)
BLOCK = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXT),
    st.builds(lambda text, url: {"type": "text", "text": text, "citations": [{"url": url}]}, TEXT, TEXT),
    st.builds(lambda text, sign: {"type": "thinking", "thinking": text, "signature": sign}, TEXT, TEXT),
    st.builds(lambda data: {"type": "redacted_thinking", "data": data}, TEXT),
    st.builds(lambda name, args: {"type": "tool_use", "id": "", "name": name, "input": args}, TEXT, OBJECT),
    st.builds(lambda args: {"type": "server_tool_use", "id": "s", "name": "web_search", "input": args}, OBJECT),
    st.builds(lambda url: {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": url}]}, TEXT),
)


def body(content: list[dict[str, Any]]) -> dict[str, Any]:
    content = [{**block, "id": f"toolu_{at}"} if block["type"] == "tool_use" else block for at, block in enumerate(content)]
    usage = {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 7}
    said = {"id": "msg_1", "model": "claude", "stop_reason": "end_turn", "usage": usage}
    return {"type": "message", "role": "assistant", "content": content, **said}


def events(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The stream of an answer, every text cut in two."""
    start = {**answer, "content": [], "stop_reason": None, "usage": {**answer["usage"], "output_tokens": 1}}
    found: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(answer["content"]):
        found += [{"index": index, **event} for event in _block_events(block)]
        found.append({"type": "content_block_stop", "index": index})
    end = {"type": "message_delta", "delta": {"stop_reason": answer["stop_reason"]}, "usage": {"output_tokens": 7}}
    return [*found, end, {"type": "message_stop"}]


def _block_events(block: dict[str, Any]) -> list[dict[str, Any]]:
    def delta(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "delta": {"type": kind, **fields}}

    def halves(text: str) -> list[str]:
        return [half for half in (text[: len(text) // 2], text[len(text) // 2 :]) if half]

    match block["type"]:
        case "text":
            cited: dict[str, Any] = {"citations": []} if "citations" in block else {}
            start = {"type": "text", "text": "", **cited}
            deltas = [delta("text_delta", text=half) for half in halves(block["text"])]
            deltas += [delta("citations_delta", citation=citation) for citation in block.get("citations", [])]
        case "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [delta("thinking_delta", thinking=half) for half in halves(block["thinking"])]
            deltas.append(delta("signature_delta", signature=block["signature"]))
        case "tool_use" | "server_tool_use":
            start = {**block, "input": {}}
            text = json.dumps(block["input"]) if block["input"] else ""
            deltas = [delta("input_json_delta", partial_json=half) for half in ["", *halves(text)]]
        case _:
            start, deltas = block, []
    return [{"type": "content_block_start", "content_block": start}, *deltas]


def merged(values: list[dict[str, Any]]) -> AIMessage:
    taker = Deltas()
    return merge_chunks([chunk for event in values if (chunk := taker.take(event)) is not None])


@given(st.lists(BLOCK, max_size=6))
def test_a_stream_is_the_answer(content: list[dict[str, Any]]) -> None:
    """Whatever stands in an answer, in whatever order: text, thoughts, calls with and without arguments, hosted tools, citations."""
    answer = body(content)
    (whole,) = read_answer(json.loads(json.dumps(answer)), Place()).messages
    assert merged(events(answer)) == whole


@pytest.mark.parametrize("name", ["answer"])
def test_recorded(name: str) -> None:
    """So it is with a recorded one."""
    values = [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]
    message = merged(values)
    assert [call["name"] for call in message.tool_calls] == ["tide", "now"]
    assert message.usage_metadata is not None
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (40, 41)
    assert message.text == "I ask the almanac."


def test_what_is_unknown_is_kept() -> None:
    """A delta that nobody knows stays with its block."""
    values = events(body([{"type": "text", "text": "Hi"}]))
    values.insert(4, {"type": "content_block_delta", "index": 0, "delta": {"type": "mood_delta", "mood": "calm"}})
    content = merged(values).content
    assert isinstance(content, list)
    assert content[-1]["extras"] == {"deltas": [{"type": "mood_delta", "mood": "calm"}]}


@given(st.lists(BLOCK, max_size=4), st.data())
def test_it_never_raises(content: list[dict[str, Any]], data: st.DataObject) -> None:
    """However the events are shuffled and cut."""
    values = data.draw(st.permutations(events(body(content))))
    merged(values[: data.draw(st.integers(0, len(values)))])
