"""What holds for any input: the linter never raises, and a repair comes to an end."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holter import formats
from holter.analysis.lint import Linter, lint, lint_cut, lint_messages, lint_stream, lint_trace
from holter.analysis.repair import repair, repaired_messages
from holter.errors import ReadError
from holter.formats.target import names
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage, ToolSpec

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
IDS = st.sampled_from(["a", "b", "c", "", "call.1", "x" * 50])
TEXTS = st.sampled_from(["", " ", "hi", "4C", '<invoke name="look"></invoke>', "<tool_call>{", "ok \ud83d", "Error: invalid"])
RAW = st.sampled_from(['{"n": 1}', "{}", "", "null", '{"n": ', "{'n': 1}", '{"n": 1}{"n": 2}', '{"n": NaN}', "[1]", "nonsense", '"{}"'])
NAMES = st.sampled_from(["look", "functions.look", "looklook", "", "find it", "multi_tool_use.parallel"])
TARGETS = st.sampled_from([None, *names()])
TOOLS = [ToolSpec("look", parameters={"type": "object", "properties": {"n": {"type": "integer"}}})]


def wire_message(role: str, content: Any, call_id: Any, name: Any, raw: Any, beside: Any) -> dict[str, Any]:
    """A chat message of any values."""
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "tool":
        message["tool_call_id"] = call_id
    if role == "assistant" and name is not None:
        message["tool_calls"] = [{"id": call_id, "type": "function", "function": {"name": name, "arguments": raw}}]
    return {**message, **beside}


ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
BESIDE = st.sampled_from(
    [{}, {"finish_reason": "stop"}, {"finish_reason": "length"}, {"reasoning_content": "hm"}, {"id": "m"}, {"mood": 1}]
)
WIRE = st.builds(wire_message, ROLES, TEXTS | JSON, IDS | JSON, st.none() | NAMES | JSON, RAW | JSON, BESIDE)
CALLS = st.lists(st.builds(lambda i, n: {"name": n, "args": {"n": 1}, "id": i, "type": "tool_call"}, IDS | st.none(), NAMES), max_size=3)
MESSAGES = st.lists(
    st.one_of(
        st.builds(SystemMessage, TEXTS),
        st.builds(HumanMessage, TEXTS),
        st.builds(lambda text, calls: AIMessage(text, tool_calls=calls), TEXTS, CALLS),
        st.builds(lambda text, call_id: ToolMessage(text, tool_call_id=call_id), TEXTS, IDS | st.none()),
    ),
    max_size=8,
)


@given(JSON, TARGETS)
@settings(max_examples=150, deadline=None)
def test_lint_never_raises_on_any_json(value: Any, target: str | None) -> None:
    """Whatever is read can be linted."""
    try:
        conversations = formats.read(json.dumps({"messages": [{"role": "user", "content": value}, value], "tools": value}))
    except ReadError:
        return
    for conversation in conversations:
        Linter(target).check(conversation)


@given(
    st.lists(WIRE, min_size=1, max_size=6), st.sampled_from([{}, {"model": "gpt-4o"}, {"tools": []}, {"tool_choice": "required"}]), TARGETS
)
@settings(max_examples=300, deadline=None)
def test_lint_never_raises_on_broken_chats(messages: list[dict[str, Any]], beside: dict[str, Any], target: str | None) -> None:
    """Chat messages with values of any kind in their fields."""
    try:
        conversations = formats.read(json.dumps({"messages": messages, **beside}))
    except ReadError:
        return
    for conversation in conversations:
        for finding in Linter(target).check(conversation):
            assert finding.text


@given(
    st.lists(JSON, max_size=5), st.lists(st.dictionaries(st.sampled_from(["type", "id", "ts", "args", "key", "error"]), JSON), max_size=5)
)
@settings(max_examples=100, deadline=None)
def test_streams_and_traces_never_raise(deltas: list[Any], events: list[dict[str, Any]]) -> None:
    """Chunks and events of any values."""
    lint_stream([{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": deltas}}]}])
    lint_trace(events)


@given(MESSAGES, MESSAGES)
@settings(max_examples=100, deadline=None)
def test_cuts_never_raise(before: list[Message], after: list[Message]) -> None:
    """Any two lists."""
    lint_cut(before, after)


@given(MESSAGES, TARGETS)
@settings(max_examples=400, deadline=None)
def test_repair_is_idempotent_and_leaves_no_fixable_error(messages: list[Message], target: str | None) -> None:
    """For every target: a second repair finds nothing to do, and no error is left that one could put right."""
    once, _ = repaired_messages(messages, target, tools=TOOLS)
    left = [f for f in lint_messages(once, target, tools=TOOLS) if f.fixable and f.severity == "error"]
    assert left == []
    twice, done = repaired_messages(once, target, tools=TOOLS)
    assert (twice, done) == (once, [])


@given(MESSAGES, TARGETS)
@settings(max_examples=150, deadline=None)
def test_repair_leaves_what_is_clean(messages: list[Message], target: str | None) -> None:
    """The same messages, where nothing can be put right."""
    if not any(f.fixable for f in lint_messages(messages, target)):
        made, done = repaired_messages(messages, target)
        assert done == []
        assert all(one is other for one, other in zip(made, messages, strict=True))


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of everything inside a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


def put(value: Any, path: tuple[str | int, ...], odd: Any) -> Any:
    """A copy with something else at a path."""
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return changed


def check_document(document: Any, target: str | None) -> None:
    """What can be read can be linted and repaired, once, and no error is left that could be put right."""
    try:
        found = formats.read(json.dumps(document))
    except ReadError:
        return
    for conversation in found:
        lint(conversation, target)
        made = repair(conversation, target).conversation
        assert [f for f in lint(made, target) if f.fixable and f.severity == "error"] == []
        assert repair(made, target).conversation is made


RECORDS = [
    json.loads(line)["input"]
    for line in (Path(__file__).parents[2] / "cases/lint/flows.jsonl").read_text("utf-8").splitlines()
    if json.loads(line)["input_format"] not in ("trace", "openai.trim", "openai.stream")
]
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, 5, True, "", "  ", [], {}, [1], [[]], {"type": "text"}, {"role": "tool"}, "\ud800", ["\ud800"], "x" * 70]
)


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_anything_anywhere_in_a_record(data: st.DataObject) -> None:
    """Records that are almost right, for any target."""
    record = data.draw(st.sampled_from(RECORDS))
    path = data.draw(st.sampled_from(list(places(record))))
    check_document(put(record, path, data.draw(ODD | JSON)), data.draw(TARGETS))


USER = {"role": "user", "content": "go"}
LEAKED = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
SCHEMA = {"type": "object", "properties": {"q": {"type": "integer"}}, "required": ["q"]}


@pytest.mark.parametrize(
    ("document", "target"),
    [
        ({"tools": [{"name": "f", "parameters": SCHEMA}], "messages": [USER, {"role": "assistant", "content": "", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"\\ud800": "\\ud800"}'}}]}]}, "openai"),
        ([{**USER, "message_id": {"n": 1}}, {**USER, "message_id": "m"}, {**USER, "message_id": "m"}], None),
        ({"tools": [{"name": " ", "parameters": SCHEMA}], "messages": [USER]}, "openai"),
        ({"contents": [{"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": [
            {"functionCall": {"name": "f", "args": True}}, {"functionCall": {"name": "g", "args": {}}}]}]}, "gemini-3"),
        ({"system": "s", "messages": [USER, {"role": "assistant", "content": [
            {"type": "text", "text": LEAKED}, {"type": "text", "text": "So:"}]}, USER]}, "anthropic"),
        ({"system": "s", "messages": [USER, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": {"type": "text"}}]}]}, "anthropic"),
    ],
)  # fmt: skip
def test_records_that_were_too_much_once(document: Any, target: str | None) -> None:
    """Halves of characters in arguments, ids of any value, blank names of tools, a first call that is invalid, markup in a block."""
    check_document(document, target)
