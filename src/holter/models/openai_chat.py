"""Models that speak OpenAI's chat completions: OpenAI's own, and what copies them.

Source: OpenAI API reference, chat completions, seen 2026-11; in what the others differ stands in `provider`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from holter.formats import openai_stream
from holter.formats.openai_chat import read_response
from holter.messages import AIMessage, AIMessageChunk, Place
from holter.messages.usage import UsageMetadata
from holter.models.alias import ToolNames
from holter.models.chat_request import chat_request
from holter.models.continued import Why
from holter.models.endpoint import Endpoint
from holter.models.http_model import HTTPModel, Sent
from holter.models.named import own_names, own_names_of_chunk
from holter.models.provider import COMPATIBLE, Quirks
from holter.models.request import ModelRequest


class OpenAIChat(HTTPModel):
    """A model behind `…/chat/completions`."""

    def __init__(self, name: str, model: str, endpoint: Endpoint, *, quirks: Quirks = COMPATIBLE, **options: Any) -> None:
        super().__init__(name, model, endpoint, **options)
        self.quirks = quirks
        self._is_echoed = quirks.echoes_prefix

    def _write(self, request: ModelRequest, begun: AIMessage | None, *, is_stream: bool) -> Sent:
        names = ToolNames(spec.name for spec in request.tools)
        body = chat_request(request, self.model, self.quirks, names, is_stream=is_stream, prefix=begun)
        path = f"{self.quirks.prefix_url}/chat/completions" if begun is not None else "/chat/completions"
        return Sent(path, body, ChatReply(names))

    def _continues(self, answer: AIMessage, request: ModelRequest) -> Why:  # noqa: ARG002 - it is all in the answer
        is_cut = answer.finish_reason == "length" and not answer.calls and bool(answer.text)
        return "length" if is_cut and self.quirks.prefix != "none" and isinstance(answer.content, str) else ""


class ChatReply:
    """Takes in one answer."""

    def __init__(self, names: ToolNames) -> None:
        self._names = names
        self.is_whole = False
        self.is_over = False
        self._is_plain = False
        """Whether the latest event that was read whole says nothing of its own."""

    def message(self, body: dict[str, Any]) -> AIMessage | None:
        """The message of the first choice."""
        choices = body.get("choices")
        if (
            not isinstance(choices, list)
            or not choices
            or not isinstance(choices[0], dict)
            or not isinstance(choices[0].get("message"), dict)
        ):
            return None
        read = read_response(body | {"choices": choices[:1]}, Place())[0].messages[0]
        assert isinstance(read, AIMessage)
        if read.usage_metadata:
            read = read.replace(usage_metadata=plausible(read.usage_metadata))
        return own_names(read, self._names)

    def piece(self, data: bytes) -> AIMessageChunk | None:
        """The delta of an event that brings text or reasoning alone, behind one that said whose it is."""
        if not self._is_plain:
            return None
        try:
            delta = _decode_piece(data).choices[0].delta
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None
        return AIMessageChunk(delta.content or "", reasoning=delta.reasoning_content)

    def chunks(self, event: dict[str, Any]) -> list[AIMessageChunk]:
        """What an event adds to the first choice."""
        self._is_plain = event.keys() <= _SAID_AGAIN
        choices = event.get("choices")
        if isinstance(choices, list) and choices:
            first = [choice for choice in choices if isinstance(choice, dict) and choice.get("index", 0) in (0, None)]
            if not first:
                return []
            if len(first) != len(choices):
                event = event | {"choices": first}
            if first[0].get("finish_reason"):
                self.is_whole = True
        return [self._delta(openai_stream.chunk(event))]

    def _delta(self, chunk: AIMessageChunk) -> AIMessageChunk:
        if chunk.usage_metadata:
            chunk = replace(chunk, usage_metadata=plausible(chunk.usage_metadata))
        return own_names_of_chunk(chunk, self._names)


class _Delta(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    role: str | None = None
    refusal: None = None
    tool_calls: None = None


class _Choice(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    delta: _Delta
    index: Literal[0] = 0
    finish_reason: None = None
    logprobs: None = None


class _Piece(msgspec.Struct, gc=False):
    """An event that brings one piece of text and nothing else; what it says of the answer as a whole was said before."""

    choices: tuple[_Choice]
    usage: None = None
    error: None = None


_decode_piece = msgspec.json.Decoder(_Piece).decode

_SAID_AGAIN = frozenset(
    {"id", "object", "created", "model", "choices", "usage", "system_fingerprint", "service_tier", "provider", "obfuscation", "error"}
)
"""Fields of an event that say the same in all of them."""


def plausible(counted: UsageMetadata) -> UsageMetadata:
    """The counts; where more was read from a cache than went in, the cache was counted apart, as Anthropic does it, and is added."""
    cached = (counted.get("input_token_details") or {}).get("cache_read", 0)
    if cached <= counted["input_tokens"]:
        return counted
    inputs = counted["input_tokens"] + cached
    return {**counted, "input_tokens": inputs, "total_tokens": max(counted["total_tokens"], inputs + counted["output_tokens"])}
