import json
from typing import Any

import pytest

from holter.errors import WriteError
from holter.formats import SHORT_NAMES, WRITERS, read, write
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage

MESSAGES: list[Message] = [
    SystemMessage("Be brief."),
    HumanMessage("When?"),
    AIMessage("", tool_calls=[{"name": "tide", "args": {"port": "Dover"}, "id": "c1", "type": "tool_call"}]),
    ToolMessage("06:12", tool_call_id="c1", name="tide"),
    AIMessage("At 06:12."),
]


def shown(messages: list[Message]) -> list[tuple[Any, ...]]:
    """(kind, text, names and arguments of the calls) of each message."""
    return [(m.type, m.text, [(c["name"], c["args"]) for c in m.calls] if isinstance(m, AIMessage) else []) for m in messages]


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_every_format_is_read_as_it_was_written(name: str) -> None:
    """A conversation written in any format is recognised as that format, and shows the same messages."""
    whole = name != "openai.response"
    written = write(Conversation(format="holter", messages=MESSAGES), name)
    (conversation,) = read(json.dumps(written.document))
    assert conversation.format == name
    assert shown(conversation.messages) == shown(MESSAGES if whole else MESSAGES[-1:])


LOADED = Conversation(
    format="holter",
    messages=[
        SystemMessage([{"type": "text", "text": "s", "extras": {"cache_control": {"type": "ephemeral"}, "odd": 1}}]),
        HumanMessage([{"type": "image", "base64": "AAAA", "mime_type": "image/png", "extras": {"odd": 1}}, {"type": "text", "text": "q"}]),
        AIMessage(
            [{"type": "reasoning", "reasoning": "r", "extras": {"signature": "s", "encrypted_content": "e", "odd": 1}}],
            tool_calls=[{"name": "f", "args": {}, "id": "c", "type": "tool_call", "extras": {"thoughtSignature": "s", "odd": 1}}],
        ),
        ToolMessage([{"type": "text", "text": "t", "extras": {"odd": 1}}], tool_call_id="c"),
    ],
)


@pytest.mark.parametrize("name", sorted({*WRITERS} - {"langchain.json", "openai.response"}))
def test_what_stands_beside_blocks_and_calls_is_kept_or_named(name: str) -> None:
    """Nothing that another provider put there goes without a word; each message that lost something is among them."""
    named = {position for loss in write(LOADED, name).losses for position in loss.messages}
    assert named == {0, 1, 2, 3}


def test_langchain_keeps_what_stands_beside() -> None:
    """However often it is written and read."""
    (once,) = read(json.dumps(write(LOADED, "langchain").document))
    (twice,) = read(json.dumps(write(once, "langchain").document))
    assert once.messages == twice.messages == LOADED.messages


def test_short_names() -> None:
    """A short name is one of a format that is written."""
    assert set(SHORT_NAMES.values()) <= set(WRITERS)
    conversation = Conversation(format="openai.chat", messages=MESSAGES)
    assert write(conversation, "openai") == write(conversation, "openai.chat")


@pytest.mark.parametrize("name", ["", "OpenAI", "openai.stream", "langchain.repr", "nothing"])
def test_what_is_not_written(name: str) -> None:
    """An unknown name, and a format that is only read, are an error that names those that there are."""
    with pytest.raises(WriteError, match=f"{name!r} is no format that can be written; there are langchain, openai, "):
        write(Conversation(format="openai.chat", messages=MESSAGES), name)
