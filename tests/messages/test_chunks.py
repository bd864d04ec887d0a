import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holter.messages import AIMessage, AIMessageChunk, ChunkMerger, merge_chunks
from tests.strategies import json_objects, texts


def call(args: str | None = None, name: str | None = None, call_id: str | None = None, index: Any = None, **beside: Any) -> dict[str, Any]:
    given = {"index": index, "id": call_id, "name": name, "args": args, **beside}
    return {key: value for key, value in given.items() if value is not None}


def merged(*deltas: dict[str, Any]) -> AIMessage:
    """The message of these deltas of calls, one a chunk."""
    return merge_chunks([AIMessageChunk(tool_call_chunks=[delta]) for delta in deltas])


def calls(*deltas: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(made["id"], made["name"], made["args"]) for made in merged(*deltas).calls]


def usage(given: int, made: int, **details: int) -> dict[str, Any]:
    return {
        "input_tokens": given,
        "output_tokens": made,
        "total_tokens": given + made,
        "input_token_details": {},
        "output_token_details": details,
    }


@st.composite
def pieces(draw: st.DrawFn, text: str) -> list[str]:
    """The text cut at any points; empty pieces too."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=5)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def is_snapshots(parts: list[str]) -> bool:
    """Whether the pieces cannot be told from whole texts that grow."""
    full = [part for part in parts if part]
    return len(full) >= 3 and all(b.startswith(a) for a, b in pairwise(full))


# Text


@given(st.data(), texts, texts)
def test_text_is_put_together(data: st.DataObject, text: str, reasoning: str) -> None:
    """However text and reasoning are cut, merging gives them back."""
    said, thought = data.draw(pieces(text)), data.draw(pieces(reasoning))
    assume(not is_snapshots(said) and not is_snapshots(thought))
    chunks = [*(AIMessageChunk(reasoning=part) for part in thought), *(AIMessageChunk(part) for part in said)]
    assert merge_chunks(chunks) == AIMessage(text, reasoning=reasoning or None)


@given(st.data(), texts, texts)
def test_blocks_are_put_together(data: st.DataObject, text: str, thought: str) -> None:
    """However the texts of two blocks are cut and mixed, merging gives the blocks back."""
    first = [{"type": "reasoning", "reasoning": part, "index": 0} for part in data.draw(pieces(thought))]
    second = [{"type": "text", "text": part, "index": 1} for part in data.draw(pieces(text))]
    order = data.draw(st.permutations([0] * (len(first) - 1) + [1] * (len(second) - 1)))
    left = {0: iter(first[1:]), 1: iter(second[1:])}
    chunks = [AIMessageChunk([first[0], second[0]]), *(AIMessageChunk([next(left[which])]) for which in order)]
    assert merge_chunks(chunks).content == [{"type": "reasoning", "reasoning": thought}, {"type": "text", "text": text}]


def test_whole_texts_that_grow() -> None:
    """Three or more texts that each begin with the one before are one text, sent whole every time."""
    assert merge_chunks([AIMessageChunk(text) for text in ("He", "Hello", "Hello you")]).content == "Hello you"
    assert merge_chunks([AIMessageChunk(text) for text in ("ha", "ha", "ha")]).content == "hahaha"


def test_text_before_and_after_blocks() -> None:
    """Text that comes as a string keeps its place among blocks."""
    image = {"type": "image", "url": "https://example.org/a.png"}
    chunks = [AIMessageChunk("See"), AIMessageChunk(":"), AIMessageChunk([image]), AIMessageChunk("Nice"), AIMessageChunk(".")]
    assert merge_chunks(chunks).content == [{"type": "text", "text": "See:"}, image, {"type": "text", "text": "Nice."}]


def test_blocks_without_an_index() -> None:
    """A text without an index goes on until a block of another kind comes, and joins no block that has one."""
    blocks = [("text", "a"), ("text", "b"), ("reasoning", "c"), ("text", "d")]
    chunks = [AIMessageChunk([{"type": kind, kind: text}]) for kind, text in blocks]
    chunks.insert(0, AIMessageChunk([{"type": "text", "text": "z", "index": 1}]))
    content = merge_chunks(chunks).content
    assert isinstance(content, list)
    assert [block.get("text", block.get("reasoning")) for block in content] == ["z", "ab", "c", "d"]


def test_type_of_a_block_stays() -> None:
    """The deltas of a block may have types of their own (LangChain's chunks of Anthropic)."""
    opened = {"type": "tool_use", "id": "t", "name": "f", "input": {}, "index": 1}
    chunks = [
        AIMessageChunk([opened]),
        *(AIMessageChunk([{"type": "input_json_delta", "partial_json": part, "index": 1}]) for part in "{}"),
    ]
    assert merge_chunks(chunks).content == [{"type": "tool_use", "id": "t", "name": "f", "input": {}, "partial_json": "{}"}]


def test_extras_of_a_block() -> None:
    """What stands beside a block's text is gathered."""
    chunks = [AIMessageChunk([{"type": "reasoning", "reasoning": "a", "index": 0}])]
    chunks += [
        AIMessageChunk([{"type": "reasoning", "extras": extras, "index": 0}])
        for extras in ({"signature": "c2"}, {"signature": "ln", "n": 1})
    ]
    assert merge_chunks(chunks).content == [{"type": "reasoning", "reasoning": "a", "extras": {"signature": "c2ln", "n": 1}}]


# Calls


@given(st.data(), st.lists(json_objects, min_size=1, max_size=3), st.booleans())
def test_arguments_are_put_together(data: st.DataObject, arguments: list[dict[str, Any]], indexed: bool) -> None:
    """However the arguments of parallel calls are cut, merging gives the calls back."""
    deltas = []
    for position, args in enumerate(arguments):
        index = position if indexed else None
        parts = data.draw(pieces(json.dumps(args)))
        deltas += [call(parts[0], "f", f"id{position}", index), *(call(part, index=index) for part in parts[1:])]
    assert calls(*deltas) == [(f"id{position}", "f", args) for position, args in enumerate(arguments)]


@given(st.data(), json_objects, json_objects)
def test_calls_may_come_mixed(data: st.DataObject, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Deltas of two calls in any order are told apart by their index, whenever the id comes."""
    parts = {index: data.draw(pieces(json.dumps(args))) for index, args in enumerate((first, second))}
    late = {index: data.draw(st.integers(0, len(parts[index]) - 1)) for index in parts}
    queues = {
        index: iter([call(part, index=index, call_id=f"id{index}" if at == late[index] else None) for at, part in enumerate(parts[index])])
        for index in parts
    }
    order = data.draw(st.permutations([0] * len(parts[0]) + [1] * len(parts[1])))
    made = merged(call("", "f", index=0), call("", "g", index=1), *(next(queues[index]) for index in order))
    assert [(one["id"], one["name"], one["args"]) for one in made.calls] == [("id0", "f", first), ("id1", "g", second)]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ([call("{}", "f", "a", 0), call("{}", "g", "b", 0)], [("a", "f", {}), ("b", "g", {})]),
        ([call('{"n":', "f", "a", 0), call("1}", index=0), call("{}", call_id="b", index=0)], [("a", "f", {"n": 1}), ("b", None, "{}")]),
        ([call("{}", "f", index=0), call("{}", "g", index=0)], [(None, "f", {}), (None, "g", {})]),
        ([call("{}", "f", "a", 0), call('{"n":', "g", "b", 0), call("1}", index=0)], [("a", "f", {}), ("b", "g", {"n": 1})]),
        ([call("{", "f", "a", 0), call("{", "g", "b", 0), call("}", call_id="a", index=0)], [("a", "f", {}), ("b", "g", "{")]),
    ],
)
def test_index_used_again(deltas: list[dict[str, Any]], expected: list[Any]) -> None:
    """One index with another id, or with another name once arguments have come, is another call."""
    assert calls(*deltas) == expected


def test_id_that_changes_in_every_delta() -> None:
    """A new id without a name, while the arguments are open, is the same call under the same index."""
    assert calls(call('{"n":', "f", "a", 0), call("1", call_id="b", index=0), call("}", call_id="c", index=0)) == [("a", "f", {"n": 1})]


def test_index_that_changes_in_every_delta() -> None:
    """A new index with a known id and no name goes on with that call; with a name it is a call that reuses the id."""
    assert calls(call('{"n":', "f", "a", 0), call("1}", call_id="a", index=1)) == [("a", "f", {"n": 1})]
    assert calls(call("{}", "f", "a", 0), call("{}", "g", "a", 1)) == [("a", "f", {}), ("a", "g", {})]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ([call('{"n":', "f", "a"), call("1}"), call("{}", "g", "b")], [("a", "f", {"n": 1}), ("b", "g", {})]),
        ([call("{}", "f"), call("{}", "f")], [(None, "f", {}), (None, "f", {})]),
        ([call('{"n":', "f"), call("1}", "f")], [(None, "f", {"n": 1})]),
        ([call('{"n":', "f"), call("1}", call_id="a")], [("a", "f", {"n": 1})]),
        ([call("{", "f", "a"), call("{", "g", "b"), call("}", call_id="a"), call("}", call_id="b")], [("a", "f", {}), ("b", "g", {})]),
    ],
)
def test_no_index(deltas: list[dict[str, Any]], expected: list[Any]) -> None:
    """Without an index a known id decides, then whether the open call can go on."""
    assert calls(*deltas) == expected


@pytest.mark.parametrize(
    "parts",
    [
        ["{}", "{}"],
        ['{"n": 1}', '{"n": 1}', '{"n": 1}'],
        ['{"n"', '{"n": 1', '{"n": 1}'],
        ['{"n"', ": 1}", '{"n": 1}'],
    ],
)
def test_arguments_that_are_said_again(parts: list[str]) -> None:
    """Arguments sent whole every time, or once more at the end, are taken once."""
    assert merged(*(call(part, "f", "a", 0) for part in parts)).tool_calls[0]["args"] == json.loads(parts[-1])


def test_name_in_pieces_or_again() -> None:
    """A name comes once, in pieces, or in every delta."""
    assert calls(call(name="get_", call_id="a", index=0), call("{}", "tide", index=0)) == [("a", "get_tide", {})]
    assert calls(call("{", "tide", "a", 0), call("}", "tide", index=0)) == [("a", "tide", {})]


def test_arguments_that_are_not_whole() -> None:
    """A cut call is an invalid one with its text, its place and the reason."""
    made = merged(call("{}", "f", "a", 0), call('{"n', "g", "b", 1))
    assert [one["name"] for one in made.tool_calls] == ["f"]
    (invalid,) = made.invalid_tool_calls
    assert (invalid["args"], invalid["index"], invalid["id"]) == ('{"n', 1, "b")


def test_free_text_of_a_custom_tool() -> None:
    """Input that is no JSON by nature makes a valid call."""
    made = merged(call("SELECT", "sql", "a", 0, extras={"type": "custom"}), call(" 1", index=0))
    assert (made.tool_calls[0]["args"], made.invalid_tool_calls) == ({"input": "SELECT 1"}, [])


def test_odd_types() -> None:
    """What is no text where a text belongs is taken as its JSON; an odd index is none."""
    deltas: list[dict[str, Any]] = [
        {"index": [0], "id": 7, "name": "f", "args": {"n": 1}, "extras": "x"},
        {"index": 1.5, "name": "g", "args": "{}"},
    ]
    assert calls(*deltas) == [("7", "f", {"n": 1}), (None, "g", {})]


# What stands beside


def test_running_totals() -> None:
    """Of each count the highest holds, also where an event leaves some out, and the total is never less than its parts."""
    counts = [usage(10, 0), usage(10, 2, reasoning=1), {**usage(0, 3), "output_token_details": None}]
    made = merge_chunks([AIMessageChunk(usage_metadata=count) for count in counts])
    assert made.usage_metadata == usage(10, 3, reasoning=1)
    assert merge_chunks([AIMessageChunk(usage_metadata=count) for count in ({}, usage(4, 1))]).usage_metadata == usage(4, 1)


def test_metadata() -> None:
    """The latest value of a field holds, and null takes nothing back; logprobs are gathered."""
    deltas: list[dict[str, Any]] = [
        {"model_name": "m", "finish_reason": None, "citations": ["a"], "logprobs": {"content": [1]}},
        {"model_name": None, "finish_reason": "stop", "citations": ["a", "b"], "logprobs": {"content": [2]}},
    ]
    made = merge_chunks([AIMessageChunk(response_metadata=delta) for delta in deltas])
    expected = {"model_name": "m", "finish_reason": "stop", "citations": ["a", "b"], "logprobs": {"content": [1, 2]}}
    assert made.response_metadata == expected


def test_additional_kwargs_and_extra() -> None:
    """Texts are joined, lists and objects merged, any other value is the latest."""
    deltas: list[dict[str, Any]] = [
        {"refusal": "I ", "audio": {"id": "x", "data": "QQ"}, "annotations": [{"url": "a"}], "n": 1},
        {"refusal": "won't", "audio": {"data": "=="}, "annotations": [{"url": "b"}], "n": 2},
    ]
    expected = {"refusal": "I won't", "audio": {"id": "x", "data": "QQ=="}, "annotations": [{"url": "a"}, {"url": "b"}], "n": 2}
    made = merge_chunks([AIMessageChunk(additional_kwargs=delta, extra=delta) for delta in deltas])
    assert (made.additional_kwargs, made.extra) == (expected, expected)


def test_message_so_far() -> None:
    """A message that was asked for is not changed by what comes later."""
    merger = ChunkMerger()
    chunk = AIMessageChunk(
        [{"type": "text", "text": "a", "index": 0, "extras": {"n": [1]}}],
        tool_call_chunks=[call("{}", "f", "a", 0, extras={"n": {"m": 1}})],
        usage_metadata=usage(1, 1),
        response_metadata={"model_name": "m"},
        additional_kwargs={"audio": {"data": "QQ"}},
        id="x",
    )
    merger.add(chunk)
    early = merger.message()
    copy = merge_chunks([chunk])
    merger.add(
        AIMessageChunk(
            [{"type": "text", "text": "b", "index": 0, "extras": {"n": [2]}}], tool_call_chunks=[call(" ", index=0, extras={"n": {"m": 2}})]
        )
    )
    merger.add(
        AIMessageChunk(response_metadata={"model_name": "n"}, additional_kwargs={"audio": {"data": "=="}}, usage_metadata=usage(2, 2))
    )
    assert early == copy
    assert merger.message() != early


def test_two_deltas_are_one_when_they_are_added() -> None:
    """As LangChain's chunks are; streams are put together so in many programs."""
    one = AIMessageChunk("a", id="m", tool_call_chunks=[call('{"x"', "f", "c", 0)], usage_metadata=usage(5, 0), reasoning="r")
    other = AIMessageChunk(
        "b", tool_call_chunks=[call(": 1}", index=0)], usage_metadata=usage(0, 2), response_metadata={"finish_reason": "stop"}
    )
    both = one + other
    assert (both.text, both.id, both.reasoning) == ("ab", "m", "r")
    assert merge_chunks([both]) == merge_chunks([one, other])
    assert merge_chunks([both]).tool_calls == [{"name": "f", "args": {"x": 1}, "id": "c", "type": "tool_call"}]


def test_added_deltas_keep_blocks_and_what_stands_beside() -> None:
    """Texts and blocks may follow each other; joined fields stay joined."""
    chunks = [
        AIMessageChunk("a", response_metadata={"logprobs": {"content": [1]}, "model_name": "m"}, additional_kwargs={"refusal": "n"}),
        AIMessageChunk([{"type": "text", "text": "b", "index": 0}], response_metadata={"logprobs": {"content": [2]}, "model_name": None}),
        AIMessageChunk([{"type": "text", "text": "c", "index": 0}], additional_kwargs={"refusal": "o"}),
        AIMessageChunk("d"),
    ]
    assert merge_chunks([chunks[0] + chunks[1] + chunks[2] + chunks[3]]) == merge_chunks(chunks)


def test_only_deltas_can_be_added() -> None:
    """A message is no delta."""
    other: Any = AIMessage("a")
    with pytest.raises(TypeError, match="unsupported operand"):
        AIMessageChunk("a") + other
