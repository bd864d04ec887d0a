"""One message of a history as OpenAI chat and its copies take it.

`formats.openai_message` writes what a log held; here only what a server is known to take leaves.
"""

from __future__ import annotations

import re
from typing import Any, assert_never

import msgspec

from holter.formats.openai_blocks import write_content
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.messages.calls import as_json_text
from holter.messages.content import MEDIA, Block, Content, text_block
from holter.messages.surrogate import repaired
from holter.models.alias import ToolNames
from holter.models.provider import Quirks

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ChatWriter:
    """Writes the messages of one request, in order."""

    def __init__(self, quirks: Quirks, names: ToolNames, *, takes_developer: bool) -> None:
        self._quirks = quirks
        self._names = names
        self._takes_developer = takes_developer
        self._beside: list[Block] = []
        """Images and files of results, which follow the results in a message of the user's: a tool message holds text alone."""

    def write(self, messages: list[Message]) -> list[dict[str, Any]]:
        """The messages on the wire."""
        written: list[dict[str, Any]] = []
        for message in messages:
            if self._beside and not isinstance(message, ToolMessage):
                written.append(self._flushed())
            written.append(self._message(message))
        if self._beside:
            written.append(self._flushed())
        return written

    def _message(self, message: Message) -> dict[str, Any]:
        match message:
            case SystemMessage():
                is_developer = self._takes_developer and message.extra.get("role") == "developer"
                body = {"role": "developer" if is_developer else "system", "content": self._content(message.content)}
            case HumanMessage():
                body = {"role": "user", "content": self._content(message.content)}
            case ToolMessage():
                return {"role": "tool", "tool_call_id": message.tool_call_id, "content": self._result(message)}
            case AIMessage():
                body = self._assistant(message)
            case _:
                assert_never(message)
        if message.name and _NAME.fullmatch(message.name):
            body["name"] = message.name
        return body

    def _content(self, content: Content) -> Any:
        if isinstance(content, str):
            return content
        blocks = [self._block(block) for block in content if _is_said(block)]
        if not blocks:
            return ""
        is_text = all(block.keys() == {"type", "text"} for block in blocks)
        if is_text and (len(blocks) == 1 or not self._quirks.text_blocks):
            return "\n\n".join(block["text"] for block in blocks)
        return write_content(blocks)

    def _block(self, block: Block) -> Block:
        """The block with what the server knows beside it."""
        if "type" not in block:
            return text_block(as_json_text(block))
        extras = block.get("extras")
        if not isinstance(extras, dict):
            return block
        known = {key: value for key, value in extras.items() if key in self._quirks.block_fields}
        return {**{key: value for key, value in block.items() if key != "extras"}, **({"extras": known} if known else {})}

    def _result(self, message: ToolMessage) -> str:
        if isinstance(message.content, str):
            return message.content
        content: list[Any] = message.content
        media = [block for block in content if isinstance(block, dict) and block.get("type") in MEDIA]
        texts = [block for block in content if block not in media]
        said = "\n\n".join(_text(block) for block in texts)
        if media:
            self._beside += [text_block(f"What the call {message.tool_call_id} gave:"), *map(self._block, media)]
            note = f"({len(media)} {'attachment follows' if len(media) == 1 else 'attachments follow'} in the next message of the user.)"
            said = f"{said}\n\n{note}" if said else note
        return said

    def _flushed(self) -> dict[str, Any]:
        blocks, self._beside = self._beside, []
        return {"role": "user", "content": write_content(blocks)}

    def _assistant(self, message: AIMessage) -> dict[str, Any]:
        calls = [self._call(call) for call in message.calls]
        content = self._content(_spoken(message))
        if calls and content == "" and self._quirks.blank_beside_calls == "null":
            content = None
        body: dict[str, Any] = {"role": "assistant", "content": content}
        if calls:
            body["tool_calls"] = calls
        reasoning = self._reasoning(message)
        if reasoning is not None:
            body[self._quirks.reasoning_field] = reasoning
        return body | {key: message.extra[key] for key in self._quirks.message_fields if message.extra.get(key) is not None}

    def _reasoning(self, message: AIMessage) -> str | None:
        if self._quirks.reasoning == "never":
            return None
        said = message.reasoning_text or None
        return "" if said is None and message.calls and self._quirks.reasoning == "required" else said

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        function = {"name": self._names.sent(call["name"] or "unknown_tool"), "arguments": argument_text(call)}
        extras = call.get("extras")
        beside = {key: extras[key] for key in self._quirks.call_fields if key in extras} if isinstance(extras, dict) else {}
        return {"id": call["id"], "type": "function", "function": function, **beside}


def argument_text(call: dict[str, Any]) -> str:
    """The call's arguments as the text of one JSON object, whatever the model wrote: servers read it again for their templates."""
    return encoded(argument_object(call)).decode()


def argument_object(call: dict[str, Any]) -> dict[str, Any]:
    """The call's arguments as an object; what is none stands under `_raw`, and nothing at all is an empty one."""
    args = call["args"]
    if isinstance(args, dict):
        return args
    text = str(args)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        value = text
    if isinstance(value, dict):
        return value
    return {} if value is None or not text.strip() else {"_raw": value}


def encoded(value: Any) -> bytes:
    """The value as JSON; what JSON has no form for becomes text, and half characters U+FFFD."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError, OverflowError, UnicodeError):
        return repaired(as_json_text(value)).encode()


def _is_said(block: Any) -> bool:
    """Whether a block leaves: not reasoning, nor marks of where calls stood, nor what only another provider knows."""
    if not isinstance(block, dict) or "type" not in block:
        return True
    if block["type"] == "text":
        return bool(block.get("text"))
    return block["type"] in MEDIA


def _spoken(message: AIMessage) -> Content:
    """What the model said; its refusal where it said nothing else."""
    refusal = message.additional_kwargs.get("refusal")
    return message.content or (refusal if isinstance(refusal, str) else "")


def _text(block: Any) -> str:
    if isinstance(block, str):
        return block
    return str(block.get("text")) if isinstance(block, dict) and block.get("type") == "text" else as_json_text(block)
