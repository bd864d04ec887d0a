"""Conversations of other formats on their way to OpenAI chat."""

import json

from holter.formats import read
from holter.formats.form import Loss
from holter.formats.openai_chat import write_chat
from holter.messages import AIMessage, Conversation, HumanMessage, ToolMessage, ToolSpec


def test_what_only_another_provider_knows_stays_behind() -> None:
    """Marks of caches, signatures and callers do not go over the wire, and each is named; the reasoning goes beside the content."""
    cached = {"cache_control": {"type": "ephemeral"}}
    call = {"name": "f", "args": {}, "id": "t1", "type": "tool_call", "extras": {"caller": {"type": "direct"}}}
    conversation = Conversation(
        format="anthropic.messages",
        messages=[
            HumanMessage([{"type": "text", "text": "hi", "extras": cached}]),
            AIMessage(
                [{"type": "reasoning", "reasoning": "Hm.", "extras": {"signature": "s"}}, {"type": "text", "text": "Here."}],
                tool_calls=[call],
            ),
            ToolMessage("ok", tool_call_id="t1", extra=cached),
        ],
        tools=[ToolSpec("f", "", {"type": "object"}, extra=cached)],
        tools_known=True,
    )
    written = write_chat(conversation)
    function = {"name": "f", "arguments": "{}"}
    assert written.document == {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "content": "Here.",
                "reasoning_content": "Hm.",
                "tool_calls": [{"id": "t1", "type": "function", "function": function}],
            },
            {"role": "tool", "content": "ok", "tool_call_id": "t1"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "description": "", "parameters": {"type": "object"}}}],
    }
    assert written.losses == [
        Loss("content: cache_control of a block", [0]),
        Loss("content: reasoning stands beside it, and not where it stood in it", [1]),
        Loss("reasoning: its signature or encrypted form, which only its own provider reads", [1]),
        Loss("tool_calls: what only its own provider knows of a call", [1]),
        Loss("extra: fields of another format", [2]),
        Loss("tools: what only their own provider knows of them"),
    ]


def test_tools_of_every_kind() -> None:
    """A tool that takes free text is wrapped in `custom`; what Anthropic calls custom takes arguments; a hosted tool is nobody else's."""
    conversation = Conversation(
        format="openai.responses",
        messages=[HumanMessage("hi")],
        tools=[
            ToolSpec("sql", "Asks.", extra={"type": "custom", "format": {"type": "text"}}),
            ToolSpec("f", "", {"type": "object"}, extra={"type": "custom"}),
            ToolSpec("web_search", extra={"type": "web_search_20250305", "max_uses": 1}),
        ],
    )
    written = write_chat(conversation)
    assert written.document["tools"] == [
        {"type": "custom", "custom": {"name": "sql", "description": "Asks.", "format": {"type": "text"}}},
        {"type": "function", "function": {"name": "f", "description": "", "parameters": {"type": "object"}}},
    ]
    assert written.losses == [Loss("tool 'web_search': OpenAI chat hosts no tool of the kind 'web_search_20250305'")]


def test_its_own_tools_go_back() -> None:
    """In the form that they had."""
    tools = [
        {"type": "custom", "custom": {"name": "sql", "description": "Asks.", "format": {"type": "text"}}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 1},
        {"type": "code_interpreter", "container": {"type": "auto"}},
    ]
    (conversation,) = read(json.dumps({"messages": [{"role": "user", "content": "hi"}], "tools": tools}))
    assert [tool.name for tool in conversation.tools] == ["sql", "web_search", "code_interpreter"]
    assert write_chat(conversation).document["tools"] == tools


def test_blocks_without_a_form_stay_behind() -> None:
    """A block that only its own provider has is left out and named, whoever said it."""
    conversation = Conversation(format="anthropic.messages", messages=[AIMessage([{"type": "server_tool_use", "id": "x"}])])
    written = write_chat(conversation)
    assert written.document == {"messages": [{"role": "assistant", "content": ""}]}
    assert written.losses == [Loss("content: OpenAI has no form for a block of the type 'server_tool_use'", [0])]


def test_its_own_conversations_go_back_whole() -> None:
    """What OpenAI's own log held beside a block goes back to where it stood."""
    block = {"type": "text", "text": "hi", "extras": {"cache_control": {"type": "ephemeral"}}}
    written = write_chat(Conversation(format="openai.chat", messages=[HumanMessage([block])]))
    assert written.document["messages"][0]["content"] == [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]
    assert written.losses == []
