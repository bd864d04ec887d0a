"""Models behind Anthropic's Messages API.

Source: Anthropic API reference, messages (anthropic-version 2023-06-01), seen 2026-11.
"""

from __future__ import annotations

from typing import Any

from holter.formats.anthropic_deltas import Deltas
from holter.formats.anthropic_messages import is_answer, read_answer
from holter.messages import AIMessage, AIMessageChunk, Place
from holter.models.alias import ToolNames
from holter.models.anthropic_request import anthropic_request, is_thinking
from holter.models.continued import Why
from holter.models.endpoint import Endpoint
from holter.models.http_model import HTTPModel, Sent
from holter.models.named import own_names, own_names_of_chunk
from holter.models.provider import PROVIDERS, Quirks
from holter.models.request import ModelRequest

VERSION = "2023-06-01"


class Anthropic(HTTPModel):
    """A model behind `…/v1/messages`. `prompt_cache` marks what the provider may keep from one request to the next."""

    def __init__(
        self,
        name: str,
        model: str,
        endpoint: Endpoint,
        *,
        quirks: Quirks = PROVIDERS["anthropic"].quirks,
        prompt_cache: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(name, model, endpoint, **options)
        self.quirks = quirks
        self.prompt_cache = prompt_cache

    def _write(self, request: ModelRequest, begun: AIMessage | None, *, is_stream: bool) -> Sent:
        names = ToolNames(spec.name for spec in request.tools)
        body = anthropic_request(request, self.model, self.quirks, names, begun=begun, marks_cache=self.prompt_cache)
        betas = request.settings.get("betas")
        headers = {"anthropic-version": VERSION, **({"anthropic-beta": ",".join(betas)} if betas else {})}
        return Sent("/v1/messages", body | ({"stream": True} if is_stream else {}), AnthropicReply(names), headers)

    def _continues(self, answer: AIMessage, request: ModelRequest) -> Why:
        if answer.finish_reason == "pause_turn":
            return "pause"
        is_cut = answer.finish_reason == "max_tokens" and not answer.calls and bool(answer.text.strip())
        return "length" if is_cut and self.quirks.prefix != "none" and not is_thinking(request.settings) else ""


class AnthropicReply:
    """Takes in one answer."""

    def __init__(self, names: ToolNames) -> None:
        self._names = names
        self._deltas = Deltas()
        self.is_whole = False
        self.is_over = False

    def message(self, body: dict[str, Any]) -> AIMessage | None:
        """The message of a response body."""
        if not is_answer(body):
            return None
        read = read_answer(body, Place()).messages[0]
        assert isinstance(read, AIMessage)
        return own_names(read, self._names)

    def piece(self, data: bytes) -> AIMessageChunk | None:  # noqa: ARG002 - every event is read in its order
        """None: an event says what it is about by its index alone."""
        return None

    def chunks(self, event: dict[str, Any]) -> list[AIMessageChunk]:
        """What an event adds."""
        kind = event.get("type")
        if kind == "message_stop":
            self.is_whole = self.is_over = True
        elif kind == "message_delta" and isinstance(event.get("delta"), dict) and event["delta"].get("stop_reason"):
            self.is_whole = True
        chunk = self._deltas.take(event)
        return [] if chunk is None else [own_names_of_chunk(chunk, self._names)]
