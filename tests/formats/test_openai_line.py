import json
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from holter.errors import UnknownFormat
from holter.formats.assemble import Assembler
from holter.formats.openai_line import read_line
from holter.messages import AIMessage, Conversation, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from tests.formats import wire


def generally(line: bytes) -> list[Conversation]:
    """What the general readers make of a line."""
    assembler = Assembler(None, lines_are_messages=True)
    try:
        return [*assembler.take(json.loads(line), Place(line=1)), *assembler.end()]
    except UnknownFormat:
        return []


@given(
    st.one_of(
        wire.plain_records,
        st.lists(wire.plain_messages, min_size=1, max_size=5),
        wire.records,
        st.lists(wire.messages, min_size=1, max_size=5),
    )
)
def test_the_fast_reader_agrees_with_the_general_ones(value: Any) -> None:
    """What the fast reader accepts, the general readers read as the same conversation."""
    line = json.dumps(value).encode()
    read = read_line(line, 1)
    event("declined" if read is None else "read")
    if read is not None:
        assert generally(line) == [read]


def test_a_plain_record() -> None:
    """A record of messages, tools and settings is read whole: calls decoded, settings kept, every message's place made when asked for."""
    call = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": "Dover"}'}}
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "When?", "name": "ann"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "06:12"},
        {"role": "assistant", "content": "At 06:12.", "reasoning_content": "Read it off."},
    ]
    tools = [{"type": "function", "function": {"name": "tide", "description": "Tides.", "parameters": {"type": "object"}}}]
    line = json.dumps({"messages": messages, "tools": tools, "model": "m", "temperature": 0}).encode()
    read = read_line(line, 7, "log.jsonl", 3)
    assert read == Conversation(
        format="openai.chat",
        messages=[
            SystemMessage("Be brief."),
            HumanMessage("When?", name="ann"),
            AIMessage(tool_calls=[{"name": "tide", "args": {"port": "Dover"}, "id": "c1", "type": "tool_call"}]),
            ToolMessage("06:12", tool_call_id="c1"),
            AIMessage("At 06:12.", reasoning="Read it off."),
        ],
        tools=[ToolSpec("tide", "Tides.", {"type": "object"})],
        tools_known=True,
        places=[Place(index=i, path=f"messages[{i}]", line=7) for i in range(5)],
        place=Place(line=7),
        extra={"model": "m", "temperature": 0},
        source="log.jsonl",
        position=3,
    )


def test_an_invalid_call_keeps_its_text_and_its_position() -> None:
    """Arguments that are no object make the call invalid; valid and invalid calls stay in the model's order."""
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in (("a", "{"), ("b", "{}"), ("c", ""))
    ]
    read = read_line(json.dumps([{"role": "user", "content": ""}, {"role": "assistant", "content": "", "tool_calls": calls}]).encode(), 1)
    assert read is not None
    message = read.messages[1]
    assert isinstance(message, AIMessage)
    assert message.tool_calls == [{"name": "b", "args": {}, "id": "b", "type": "tool_call"}]
    assert [(call["id"], call["args"], call["index"]) for call in message.invalid_tool_calls] == [("a", "{", 0), ("c", "", 2)]
    assert [call["id"] for call in message.calls] == ["a", "b", "c"]
    assert message.extra == {"content": ""}


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"messages": []},
        [{"role": "user", "content": "x", "weight": 1}],
        [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
        [{"role": "user", "content": None}],
        [{"role": "developer", "content": "x"}],
        [{"role": "assistant"}],
        [{"role": "assistant", "content": "x", "refusal": "no"}],
        {"messages": [{"role": "user", "content": "x"}], "run": 1},
        {"messages": [{"role": "user", "content": "x"}], "tools": [{"name": "f", "input_schema": {}}]},
        {"messages": [{"role": "user", "content": "x"}], "tools": [{"name": 5}]},
        3,
    ],
)
def test_everything_else_is_declined(value: Any) -> None:
    """What is not of the plainest kind is left to the general readers."""
    assert read_line(json.dumps(value).encode(), 1) is None


@pytest.mark.parametrize("line", [b"", b"[", b'[{"role": "user", "content": "\xff"}]', b"[" * 5_000, b'[{"role": "user", "content": NaN}]'])
def test_damaged_lines_are_declined(line: bytes) -> None:
    """A line that is not JSON is left to the general readers, however deep it is."""
    assert read_line(line, 1) is None
