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
