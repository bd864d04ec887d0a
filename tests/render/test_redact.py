"""Conversations that can be passed on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Place, SystemMessage, ToolMessage, ToolSpec
from holter.render import json
from holter.render.redact import Level, redact
from holter.render.text import single, timeline
from holter.render.view import View

KEY = "sk-ant-api03-AbCdEf0123456789"

words = st.text("bcdfghjkmnpqvwxz北京天气", min_size=4, max_size=12)
"""Texts that Holter does not say itself."""


def everywhere(text: str) -> Conversation:
    """A conversation with `text` in every field that may hold text."""
    value: dict[str, Any] = {"note": text, "deep": [{"more": text, "n": 1}], text + " ": text}
    call = {"name": "look", "args": value, "id": "a", "type": "tool_call", "extras": {"signature": text}}
    raw = {"name": "look", "args": text, "id": "b", "error": f"not JSON: {text}", "type": "invalid_tool_call", "index": 1}
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": text, "extras": {"cited": text}},
        {"type": "reasoning", "reasoning": text, "extras": {"signature": text}},
        {"type": "image", "url": f"https://example.com/{text}"},
        {"type": "file", "base64": text, "filename": text},
        {"type": "server_tool_use", "id": "s", "input": {"query": text}},
    ]
    beside: dict[str, Any] = {"additional_kwargs": value, "response_metadata": value, "extra": value}
    return Conversation(
        format="openai.chat",
        messages=[
            SystemMessage(text, **beside),
            HumanMessage(blocks, **beside),
            AIMessage(text, reasoning=text, tool_calls=[call], invalid_tool_calls=[raw], **beside),
            ToolMessage(text, tool_call_id="a", artifact=value, **beside),
            ToolMessage(text, tool_call_id="c", status="error"),
            AIMessage(blocks, additional_kwargs={"refusal": text}),
        ],
        tools=[ToolSpec("look", text, {"type": "object", "description": text, "properties": {"q": {"enum": [text]}}}, None, value)],
        findings=[Finding(code="READ02", name="text-damaged", severity="warning", text=f"'{text}' is odd", hint=f'see "{text}"')],
        extra=value,
    )


def output(conversation: Conversation) -> str:
    """All that can be seen of it: the timeline, each message alone, JSON."""
    view = View(10_000, whole=True)
    pieces = [*timeline(conversation, view)]
    for at in range(len(conversation.messages)):
        pieces += single(conversation, at, view)
    return "\n".join(piece.plain for piece in pieces) + json.line(json.conversation(conversation)).decode()


def test_secrets_go_from_every_field() -> None:
    """Wherever a key stands."""
    assert KEY in output(everywhere(KEY))
    assert KEY not in output(redact(everywhere(KEY), "secrets"))


def test_fields_that_are_called_secrets_are_blanked() -> None:
    """The value goes by its key's name, whatever it looks like; counts of tokens stay."""
    made = redact(
        Conversation(format="x", messages=[], extra={"api_key": "abc", "max_tokens": 5, "password": 1, "secret": None}), "secrets"
    )
    assert made.extra == {"api_key": "[redacted]", "max_tokens": 5, "password": "[redacted]", "secret": None}


def test_secrets_go_from_what_names_things() -> None:
    """File names, ids, paths, and what a schema gives for a field of that name; whatever the level."""
    schema = {"properties": {"api_key": {"type": "string", "default": "quartz"}}}
    value = Conversation(
        format="x",
        source=f"logs/{KEY}.json",
        messages=[ToolMessage("", tool_call_id=f"call_{KEY}", name=KEY)],
        places=[Place(path=f'["{KEY}"]')],
        tools=[ToolSpec("f", "", schema)],
    )
    for level in ("secrets", "content"):
        left = output(redact(value, level))
        assert KEY not in left
        assert "quartz" not in left


@given(words)
def test_no_text_survives_without_content(text: str) -> None:
    """Nothing that was said anywhere is left in any output."""
    assert text in output(everywhere(text))
    assert text not in output(redact(everywhere(text), "content"))


def test_structure_stays_without_content() -> None:
    """Roles, names, ids and kinds; and how long each text was."""
    assert redact(everywhere("quartz"), "content").messages[2] == snapshot(
        AIMessage(
            content="[6 characters]",
            name=None,
            id=None,
            additional_kwargs={"note": "[6 characters]", "deep": [{"more": "[6 characters]", "n": 1}], "[7 characters]": "[6 characters]"},
            response_metadata={"note": "[6 characters]", "deep": [{"more": "[6 characters]", "n": 1}], "[7 characters]": "[6 characters]"},
            extra={"note": "[6 characters]", "deep": [{"more": "[6 characters]", "n": 1}], "[7 characters]": "[6 characters]"},
            ts=None,
            tool_calls=[
                {
                    "name": "look",
                    "args": {
                        "note": "[6 characters]",
                        "deep": [{"more": "[6 characters]", "n": "[number]"}],
                        "[7 characters]": "[6 characters]",
                    },
                    "id": "a",
                    "type": "tool_call",
                    "extras": {"signature": "[6 characters]"},
                }
            ],
            invalid_tool_calls=[
                {"name": "look", "args": "[6 characters]", "id": "b", "error": "[16 characters]", "type": "invalid_tool_call", "index": 1}
            ],
            usage_metadata=None,
            reasoning="[6 characters]",
        )
    )
    assert redact(everywhere("quartz"), "content").tools == snapshot(
        [
            ToolSpec(
                name="look",
                description="[6 characters]",
                parameters={"type": "object", "description": "[6 characters]", "properties": {"q": {"enum": ["[6 characters]"]}}},
                strict=None,
                extra={"note": "[6 characters]", "deep": [{"more": "[6 characters]", "n": 1}], "[7 characters]": "[6 characters]"},
            )
        ]
    )
    assert redact(everywhere("quartz"), "content").findings[0].text == snapshot("'[6 characters]' is odd")


@pytest.mark.parametrize("level", ["secrets", "content"])
def test_redacting_twice_is_redacting_once(level: Level) -> None:
    """What is blanked stays as it is."""
    once = redact(everywhere(KEY), level)
    assert redact(once, level) == once


def test_the_conversation_itself_is_not_changed() -> None:
    """Conversations are values."""
    value = everywhere(KEY)
    redact(value, "content")
    assert value == everywhere(KEY)


@pytest.mark.parametrize("level", ["secrets", "content"])
def test_deep_values_exhaust_nothing(level: Level) -> None:
    """What a log nests 900 levels deep is redacted as well."""
    value: Any = KEY
    for _ in range(900):
        value = [value]
    assert KEY not in output(redact(Conversation(format="x", messages=[HumanMessage("", extra={"deep": value})]), level))
