import json
from typing import Any

import pytest
from hypothesis import given

from holter.formats import read
from holter.formats.langchain_json import FORM, is_stream_part, sniff
from holter.messages import AIMessage, HumanMessage, Place
from tests.formats.damage import damaged
from tests.formats.pasted import document, notes, one, pasted, said, spots

_HUMAN: dict[str, Any] = {"type": "human", "content": "q", "id": "h"}
_CALLING: dict[str, Any] = {
    "type": "ai",
    "content": "",
    "id": "a",
    "tool_calls": [{"name": "f", "args": {"x": 1}, "id": "c", "type": "tool_call"}],
}
_RESULT: dict[str, Any] = {"type": "tool", "content": "r", "name": "f", "tool_call_id": "c"}
_ANSWER: dict[str, Any] = {"type": "ai", "content": "done", "id": "b"}
_ALL = [_HUMAN, _CALLING, _RESULT, _ANSWER]
_SAID = [("human", "q"), ("ai", "", [("f", {"x": 1}, "c")]), ("tool", "r", "c"), ("ai", "done")]


def constructor(message: dict[str, Any]) -> dict[str, Any]:
    names = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    body = {key: item for key, item in message.items() if key != "type"}
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", names[message["type"]]], "kwargs": body}


def chunk(**fields: Any) -> dict[str, Any]:
    return {"type": "AIMessageChunk", "content": "", "id": "run-1", **fields}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (_ALL, "[0]"),
        ({"messages": _ALL}, "messages[0]"),
        ([{"type": m["type"], "data": m} for m in _ALL], "[0].data"),
        ([constructor(m) for m in _ALL], "[0].kwargs"),
        ({"values": {"messages": _ALL}, "next": [], "config": {}}, "values.messages[0]"),
        (["values", {"messages": _ALL}], "[1].messages[0]"),
        ([[], "values", {"messages": _ALL}], "[2].messages[0]"),
        ([["updates", {"agent": {"messages": [m]}}] for m in _ALL], "[0][1].agent.messages[0]"),
        ([{"agent": {"messages": [m]}, "empty": None} for m in _ALL], "[0].agent.messages[0]"),
    ],
    ids=["list", "state", "dict form", "constructors", "snapshot", "tuple", "subgraph tuple", "updates", "bare updates"],
)
def test_shapes(value: Any, path: str) -> None:
    """The same conversation in each of its shapes, with the JSON path of its first message."""
    assert sniff(value)
    (conversation,) = FORM.read(json.loads(json.dumps(value)), Place())
    assert (said(conversation), conversation.places[0].path) == (_SAID, path)
    assert said(one(json.dumps(value))) == _SAID


@pytest.mark.parametrize(
    "value", [None, [], {}, [[]], {"messages": []}, {"messages": {}}, ["values", {}], {"a": {"messages": "x"}}, "human"]
)
def test_sniff_refuses(value: Any) -> None:
    """What holds no messages is of no shape."""
    assert not sniff(value)
    assert not is_stream_part(value)


def test_stream_of_states_and_updates() -> None:
    """Each state is a conversation; the updates that follow one another are one, up to an answer; what holds no messages is said."""
    parts = [
        ["values", {"messages": [_HUMAN]}],
        ["updates", {"agent": {"messages": [_CALLING]}}],
        ["custom", {"progress": 1}],
        ["updates", {"tools": {"messages": [_RESULT]}}],
        ["updates", {"agent": {"messages": [_ANSWER]}}],
        ["updates", {"agent": {"messages": [_ANSWER]}}],
    ]
    found = FORM.read(parts, Place())
    assert [said(c) for c in found] == [_SAID[:1], _SAID[1:], _SAID[3:]]
    assert [c.place.path for c in found] == ["[0][1]", "[1]", "[5]"]
    assert [(f.code, f.path, f.text) for f in found[0].findings] == [
        ("READ06", "[2]", "this stream part (custom) holds no messages; it was left out")
    ]


def test_chunks() -> None:
    """Deltas of one answer are one message, in a list or with metadata beside."""
    deltas = [
        chunk(content="he"),
        chunk(content="llo"),
        chunk(tool_call_chunks=[{"name": "f", "args": '{"x":', "id": "c", "index": 0}]),
        chunk(tool_call_chunks=[{"name": None, "args": " 1}", "id": None, "index": 0}], usage_metadata={"input_tokens": 1}),
    ]
    expected = [("ai", "hello", [("f", {"x": 1}, "c")])]
    assert said(FORM.read(list(deltas), Place())[0]) == expected
    assert said(FORM.read([["messages", [delta, {"langgraph_node": "a"}]] for delta in deltas], Place())[0]) == expected
    assert said(FORM.read([chunk(content="alone")], Place())[0]) == [("ai", "alone")]


def test_chunks_of_several_answers() -> None:
    """Deltas are told apart by their id; a whole message between them stays one, and one that was streamed is not doubled."""
    values = [
        chunk(content="a"),
        chunk(content="b", id="run-2"),
        chunk(content="c"),
        _RESULT,
        {"type": "ai", "content": "ac", "id": "run-1"},
    ]
    (conversation,) = FORM.read([[value, {"langgraph_node": "n"}] for value in values], Place())
    assert said(conversation) == [("ai", "ac"), ("ai", "b"), ("tool", "r", "c")]


def test_remove_message() -> None:
    """An instruction to a reducer is no message; that it was left out is said, in updates, too."""
    remove = {"type": "remove", "content": "", "id": "h"}
    (state,) = FORM.read({"messages": [_HUMAN, remove, _ANSWER]}, Place())
    (update,) = FORM.read([{"a": {"messages": [_HUMAN]}}, {"a": {"messages": [remove, _ANSWER]}}], Place())
    assert said(state) == said(update) == [("human", "q"), ("ai", "done")]
    text = "RemoveMessage('h') is an instruction and no message; it was left out"
    assert [(f.code, f.text, f.path) for f in state.findings] == [("READ06", text, "messages[1]")]
    assert [(f.code, f.text, f.path) for f in update.findings] == [("READ06", text, "[1].a.messages[0]")]


def test_unknown_fields() -> None:
    """Unknown fields are kept and said once a name, with the path they have in their envelope and the message they are of."""
    odd = constructor(_ANSWER)
    odd["kwargs"] |= {"colour": "red"}
    (conversation,) = FORM.read([{"a": {"messages": [_HUMAN]}}, {"a": {"messages": [odd, odd]}}], Place())
    assert [(f.code, f.text, f.path, f.message) for f in conversation.findings] == [
        ("READ06", "field 'colour' is not known here and was kept in `extra` (2 times)", "[1].a.messages[0].kwargs.colour", 1)
    ]
    assert conversation.messages[1] == AIMessage("done", id="b", extra={"colour": "red"})


def test_an_item_that_is_no_message() -> None:
    """It is kept as text, with its place."""
    (conversation,) = FORM.read([_HUMAN, {"x": 1}], Place())
    assert conversation.messages == [HumanMessage("q", id="h"), HumanMessage('{"x":1}', extra={"role": None})]
    assert [(f.code, f.path, f.message) for f in conversation.findings] == [("READ02", "[1]", 1)]


def test_snapshot() -> None:
    """What else a snapshot holds is in `extra`."""
    value = {"values": {"messages": [_HUMAN], "count": 1}, "next": ["agent"], "config": {"configurable": {"thread_id": "1"}}, "tasks": []}
    (conversation,) = FORM.read(value, Place())
    assert conversation.extra == {"next": ["agent"], "config": {"configurable": {"thread_id": "1"}}, "tasks": [], "count": 1}


def test_a_stream_in_typescript() -> None:
    """A recording in a source file: unquoted keys, single quotes, undefined; each message has its line and column."""
    state, chunks, updates = read(document("stream.ts").encode())
    assert [said(c) for c in (state, chunks, updates)] == [[("human", "Delete it, don't ask")], [("ai", "Deleted.")], [("ai", "Deleted.")]]
    assert [spots(c) for c in (state, chunks, updates)] == [
        [(3, 27, "[0][1].messages[0]")],
        [(7, 7, "[1][1][0]")],
        [(12, 37, "[3][1].agent.messages[0]")],
    ]
    assert notes(updates) == [("READ06", 12, 37, 0)]


def test_stream_parts_on_lines() -> None:
    """Updates that a program printed one by one are one conversation, whatever lines of dashes stand between."""
    lines = "\n----\n\n".join(json.dumps({"agent": {"messages": [m]}}) for m in _ALL)
    conversation = one(lines)
    assert said(conversation) == _SAID
    assert [(line, column) for line, column, _ in spots(conversation)] == [(3, 25), (6, 25), (9, 25), (12, 25)]


def test_messages_on_lines() -> None:
    """Messages on lines that follow one another are one conversation; with an empty line between, each is its own."""
    lines = [json.dumps(m) for m in _ALL]
    assert [said(c) for c in pasted(",\n".join(lines))] == [_SAID]
    assert [len(said(c)) for c in pasted("文\n" * 9 + "\n\n".join(lines))] == [1, 1, 1, 1]


def test_write() -> None:
    """A conversation is written as a state, and is read back as it was."""
    (conversation,) = FORM.read({"messages": json.loads(json.dumps(_ALL)), "count": 1}, Place())
    assert FORM.write is not None
    written = FORM.write(conversation)
    (again,) = FORM.read(written.document, Place())
    assert (again.messages, again.extra, written.losses) == (conversation.messages, {"count": 1}, [])


@given(
    damaged([{"values": {"messages": _ALL}, "next": [], "config": {}}, ["messages", [chunk(content="x"), {"langgraph_node": "a"}]], _ALL])
)
def test_damaged(value: Any) -> None:
    """No damage to a value raises, and every message has its place."""
    for inner in [value, *(value if isinstance(value, list) else [])]:
        if sniff(inner):
            for conversation in FORM.read(inner, Place()):
                assert len(conversation.places) == len(conversation.messages)
