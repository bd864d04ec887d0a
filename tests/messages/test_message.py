"""Messages are values: frozen, equal by content, the same after every way of copying and storing them."""

import copy
import json
import operator
import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.messages import AIMessage, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage
from holter.messages.message import EMPTY, NO_CALLS
from tests import strategies

_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_list_decoder: msgspec.json.Decoder[list[Message]] = msgspec.json.Decoder(list[Message])


@given(strategies.messages())
def test_reads_back_the_message_that_was_written(message: Message) -> None:
    """JSON keeps every field and the kind."""
    read = _decoder.decode(msgspec.json.encode(message))
    assert read == message
    assert type(read) is type(message)


@given(st.lists(strategies.messages(), max_size=4))
def test_reads_back_a_list_of_all_kinds(messages: list[Message]) -> None:
    """The union is told apart by `type`."""
    assert _list_decoder.decode(msgspec.json.encode(messages)) == messages


@given(strategies.messages(strategies.any_texts))
def test_is_the_same_after_copying_and_pickling(message: Message) -> None:
    """Copies are equal, lone surrogates or not."""
    assert copy.copy(message) == copy.deepcopy(message) == pickle.loads(pickle.dumps(message)) == message


@given(strategies.calls())
def test_a_call_is_a_plain_dict(call: dict[str, Any]) -> None:
    """Every JSON library writes a tool call."""
    message = AIMessage("", tool_calls=[call])
    assert json.loads(json.dumps(message.tool_calls[0])) == call
    assert orjson.loads(orjson.dumps(message.tool_calls[0])) == call


def test_writes_only_what_was_said() -> None:
    """Fields at their default are left out."""
    call = {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    messages = [
        SystemMessage("Be brief."),
        HumanMessage("你好", name="Ada", ts=datetime(2026, 1, 2, tzinfo=UTC)),
        AIMessage("", tool_calls=[call], extra={"weight": 0}),
        ToolMessage("1", tool_call_id="c1"),
        ToolMessage([{"type": "text", "text": "?"}], tool_call_id=None, status="error"),
    ]
    assert [msgspec.to_builtins(message) for message in messages] == snapshot(
        [
            {"type": "system", "content": "Be brief."},
            {"type": "human", "content": "你好", "name": "Ada", "ts": "2026-01-02T00:00:00Z"},
            {"type": "ai", "extra": {"weight": 0}, "tool_calls": [{"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]},
            {"type": "tool", "content": "1", "tool_call_id": "c1"},
            {"type": "tool", "content": [{"type": "text", "text": "?"}], "tool_call_id": None, "status": "error"},
        ]
    )


def test_reads_langchain_s_names() -> None:
    """The fields are LangChain's; what Holter adds are `extra`, `ts` and `reasoning`."""
    assert {kind.__name__: list(kind.__struct_fields__) for kind in (SystemMessage, HumanMessage, AIMessage, ToolMessage)} == snapshot(
        {
            "SystemMessage": ["content", "name", "id", "additional_kwargs", "response_metadata", "extra", "ts"],
            "HumanMessage": ["content", "name", "id", "additional_kwargs", "response_metadata", "extra", "ts"],
            "AIMessage": [
                "content",
                "name",
                "id",
                "additional_kwargs",
                "response_metadata",
                "extra",
                "ts",
                "tool_calls",
                "invalid_tool_calls",
                "usage_metadata",
                "reasoning",
            ],
            "ToolMessage": [
                "content",
                "name",
                "id",
                "additional_kwargs",
                "response_metadata",
                "extra",
                "ts",
                "tool_call_id",
                "status",
                "artifact",
            ],
        }
    )


def test_content_is_the_one_positional_argument() -> None:
    """Everything else is named."""
    assert HumanMessage("hi").content == "hi"
    assert HumanMessage.__match_args__ == ("content",)
    with pytest.raises(TypeError):
        HumanMessage("hi", "Ada")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        ToolMessage("15")  # type: ignore[call-arg]


@pytest.mark.parametrize("message", [SystemMessage("x"), HumanMessage("x"), AIMessage("x"), ToolMessage("x", tool_call_id="c1")])
def test_is_frozen(message: Message) -> None:
    """A change makes a new message, and the old one stays."""
    with pytest.raises(AttributeError):
        message.content = "y"  # type: ignore[misc]
    assert message.replace(content="y").content == "y"
    assert message.content == "x"


def test_default_lists_are_not_shared() -> None:
    """What somebody appends to one message's calls is in no other."""
    AIMessage("a").tool_calls.append({"name": "add"})
    assert AIMessage("b").tool_calls == []


_CHANGES: dict[str, Callable[[Any], object]] = {
    "setitem": lambda empty: operator.setitem(empty, "a", 1),
    "delitem": lambda empty: operator.delitem(empty, "a"),
    "ior": lambda empty: empty.__ior__({"a": 1}),
    "update": lambda empty: empty.update(a=1),
    "setdefault": lambda empty: empty.setdefault("a", 1),
    "pop": lambda empty: empty.pop("a", None),
    "popitem": lambda empty: empty.popitem(),
    "clear": lambda empty: empty.clear(),
    "init": lambda empty: empty.__init__(a=1),
    "setattr": lambda empty: setattr(empty, "a", 1),
}


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES)
@pytest.mark.parametrize("field", ["additional_kwargs", "response_metadata", "extra"])
def test_the_shared_empty_mapping_cannot_be_changed(field: str, change: Callable[[Any], object]) -> None:
    """All messages share it, so no way of changing a dict works."""
    with pytest.raises((TypeError, AttributeError)):
        change(getattr(HumanMessage("x"), field))
    assert EMPTY == {}


def test_the_shared_empty_mapping_is_an_empty_dict() -> None:
    """It prints, compares, copies and is written as `{}`; what is made from it can be changed."""
    assert (repr(EMPTY), str(EMPTY), len(EMPTY), EMPTY == {}) == ("{}", "{}", 0, True)
    assert [json.dumps(EMPTY), orjson.dumps(EMPTY), msgspec.json.encode(EMPTY)] == ["{}", b"{}", b"{}"]
    assert copy.copy(EMPTY) is copy.deepcopy(EMPTY) is pickle.loads(pickle.dumps(EMPTY)) is EMPTY
    assert HumanMessage("x").extra is _decoder.decode(b'{"type":"human","content":"x"}').extra is EMPTY
    assert EMPTY | {"a": 1} == {"a": 1}
    assert [type(made) for made in (EMPTY | {}, EMPTY.copy(), dict(EMPTY))] == [dict, dict, dict]


_LIST_CHANGES: dict[str, Callable[[Any], object]] = {
    "append": lambda empty: empty.append(1),
    "extend": lambda empty: empty.extend([1]),
    "insert": lambda empty: empty.insert(0, 1),
    "iadd": lambda empty: empty.__iadd__([1]),
    "imul": lambda empty: empty.__imul__(2),
    "setitem": lambda empty: empty.__setitem__(slice(0, 0), [1]),
    "delitem": lambda empty: empty.__delitem__(slice(0, 1)),
    "pop": lambda empty: empty.pop(),
    "remove": lambda empty: empty.remove(1),
    "clear": lambda empty: empty.clear(),
    "sort": lambda empty: empty.sort(),
    "reverse": lambda empty: empty.reverse(),
    "init": lambda empty: empty.__init__([1]),
    "setattr": lambda empty: setattr(empty, "a", 1),
}


@pytest.mark.parametrize("change", _LIST_CHANGES.values(), ids=_LIST_CHANGES)
def test_the_shared_empty_list_cannot_be_changed(change: Callable[[Any], object]) -> None:
    """Nearly all answers share it, so no way of changing a list works."""
    with pytest.raises((TypeError, AttributeError)):
        change(AIMessage("x").invalid_tool_calls)
    assert NO_CALLS == []


def test_the_shared_empty_list_is_an_empty_list() -> None:
    """It prints, compares, copies and is written as `[]`, and left out of a message's JSON; what is made from it can be changed."""
    assert (repr(NO_CALLS), str(NO_CALLS), len(NO_CALLS), NO_CALLS == []) == ("[]", "[]", 0, True)
    assert [json.dumps(NO_CALLS), orjson.dumps(NO_CALLS), msgspec.json.encode(NO_CALLS)] == ["[]", b"[]", b"[]"]
    assert copy.copy(NO_CALLS) is copy.deepcopy(NO_CALLS) is pickle.loads(pickle.dumps(NO_CALLS)) is NO_CALLS
    read = _decoder.decode(b'{"type":"ai","content":"x"}')
    assert isinstance(read, AIMessage)
    assert AIMessage("x").invalid_tool_calls is read.invalid_tool_calls is NO_CALLS
    assert msgspec.json.encode(AIMessage("x")) == b'{"type":"ai","content":"x"}'
    assert [type(made) for made in (NO_CALLS[:], NO_CALLS.copy(), list(NO_CALLS), NO_CALLS * 2)] == [list] * 4
    assert AIMessage("x", invalid_tool_calls=[]) == AIMessage("x")


def _invalid(name: str, index: object = None) -> dict[str, Any]:
    return {"name": name, "args": "{", "id": name, "error": "cut", "type": "invalid_tool_call", "index": index}


def _valid(name: str) -> dict[str, Any]:
    return {"name": name, "args": {}, "id": name, "type": "tool_call"}


@pytest.mark.parametrize(
    ("valid", "invalid", "order"),
    [
        ("", [("x", 0)], "x"),
        ("ab", [], "ab"),
        ("ab", [("x", 0)], "xab"),
        ("ab", [("x", 1)], "axb"),
        ("ab", [("x", 2)], "abx"),
        ("ab", [("x", 9)], "abx"),
        ("ab", [("x", None)], "abx"),
        ("ab", [("x", -1)], "abx"),
        ("ab", [("x", "1")], "abx"),
        ("ab", [("y", 2), ("x", 0)], "xayb"),
        ("a", [("y", 1), ("x", 0)], "xya"),
        ("ab", [("x", None), ("y", 0)], "yabx"),
    ],
)
def test_calls_stand_in_the_order_the_model_made_them(valid: str, invalid: list[tuple[str, object]], order: str) -> None:
    """An invalid call stands at its index; one whose index is unknown comes last."""
    message = AIMessage("", tool_calls=[_valid(name) for name in valid], invalid_tool_calls=[_invalid(*call) for call in invalid])
    assert "".join(call["name"] for call in message.calls) == order


@given(st.lists(strategies.calls(), max_size=4), st.lists(strategies.invalid_calls(), max_size=4))
def test_calls_hold_each_call_once(valid: list[dict[str, Any]], invalid: list[dict[str, Any]]) -> None:
    """None is lost and none comes twice; the valid ones keep their order."""
    calls = AIMessage("", tool_calls=valid, invalid_tool_calls=invalid).calls
    assert sorted(map(id, calls)) == sorted(map(id, [*valid, *invalid]))
    assert [call for call in calls if call["type"] == "tool_call"] == valid


def test_reads_through_to_the_metadata() -> None:
    """The model and the reason are found under any provider's name for them."""
    openai = AIMessage("x", response_metadata={"model_name": "gpt-5.5", "finish_reason": "stop"})
    anthropic = AIMessage("x", response_metadata={"model": "claude-sonnet-5", "stop_reason": "end_turn"})
    gemini = AIMessage("x", response_metadata={"modelVersion": "gemini-3-pro", "finishReason": "STOP"})
    responses = AIMessage("x", response_metadata={"model_name": "gpt-5.5", "status": "completed", "incomplete_details": None})
    cut = AIMessage("x", response_metadata={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}})
    failed = AIMessage("", response_metadata={"status": "failed", "error": {"message": "oh"}})
    odd = AIMessage("x", response_metadata={"model": None, "finish_reason": 3, "status": 4})
    assert [(m.model, m.finish_reason) for m in (openai, anthropic, gemini, responses, cut, failed, odd)] == snapshot(
        [
            ("gpt-5.5", "stop"),
            ("claude-sonnet-5", "end_turn"),
            ("gemini-3-pro", "STOP"),
            ("gpt-5.5", "completed"),
            (None, "max_output_tokens"),
            (None, "failed"),
            (None, None),
        ]
    )


def test_joins_all_the_reasoning() -> None:
    """The field comes first, then the blocks, and text is apart from both."""
    content: list[dict[str, Any]] = [
        {"type": "reasoning", "reasoning": "b"},
        {"type": "text", "text": "c"},
        {"type": "reasoning", "reasoning": None},
    ]
    message = AIMessage(content, reasoning="a")
    assert (message.reasoning_text, message.text) == ("a\n\nb", "c")
    assert AIMessage("x").reasoning_text == ""


def test_each_kind_knows_langchain_s_name_of_it() -> None:
    """`type` is what LangChain writes."""
    kinds = [SystemMessage("x"), HumanMessage("x"), AIMessage("x"), ToolMessage("x", tool_call_id="c1")]
    assert [message.type for message in kinds] == ["system", "human", "ai", "tool"]
    assert msgspec.to_builtins(RemoveMessage("m1")) == {"type": "remove", "id": "m1", "content": ""}
