"""LangChain's chat models, asked as Holter asks: needs langchain-core (extra `langchain`).

Source: langchain-core 1.8.3, seen 2026-11.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any

from msgspec.structs import replace

from holter.errors import ModelError, ModelTimeout
from holter.formats.langchain_message import chunk_of, read_message, write_message
from holter.formats.openai_message import write_tool
from holter.messages import AIMessage, AIMessageChunk, Message, sendable
from holter.messages.usage import UsageMetadata
from holter.models.base import ChatModel
from holter.models.continued import added
from holter.models.endpoint import Endpoint
from holter.models.fault import Asked, of_status
from holter.models.request import ModelRequest


def is_chat_model(value: object) -> bool:
    """Whether a value is one of LangChain's chat models, bound or not; where LangChain was never imported, it is none."""
    core = sys.modules.get("langchain_core.language_models.chat_models")
    return core is not None and isinstance(getattr(value, "bound", value), core.BaseChatModel)


class LangChainModel(ChatModel):
    """A LangChain chat model. What it raises is raised as a `ModelError`, with the original as its cause."""

    def __init__(self, model: Any, *, name: str = "", window_tokens: int | None = None) -> None:
        if not is_chat_model(model):
            raise TypeError(f"a LangChain chat model was expected, found {type(model).__name__}")
        inner = getattr(model, "bound", model)
        said = next((getattr(inner, field) for field in ("model_name", "model") if isinstance(getattr(inner, field, None), str)), "")
        self.name = name or f"langchain:{said or type(inner).__name__}"
        self.window_tokens = window_tokens
        self._model = model

    async def generate(self, request: ModelRequest) -> AIMessage:
        bound, messages = self._prepared(request)
        try:
            return _answer(await bound.ainvoke(messages))
        except Exception as error:
            raise self._error(error) from error

    async def chunks(self, request: ModelRequest) -> AsyncGenerator[AIMessageChunk, None]:
        bound, messages = self._prepared(request)
        deltas = _Deltas()
        source: AsyncIterator[Any] = bound.astream(messages)
        try:
            async for chunk in source:
                yield deltas.take(chunk)
        except ModelError:
            raise
        except Exception as error:
            raise self._error(error) from error
        finally:
            if close := getattr(source, "aclose", None):
                await close()

    def generate_here(self, request: ModelRequest) -> AIMessage:
        bound, messages = self._prepared(request)
        try:
            return _answer(bound.invoke(messages))
        except Exception as error:
            raise self._error(error) from error

    def chunks_here(self, request: ModelRequest) -> Iterator[AIMessageChunk]:
        bound, messages = self._prepared(request)
        deltas = _Deltas()
        try:
            for chunk in bound.stream(messages):
                yield deltas.take(chunk)
        except Exception as error:
            raise self._error(error) from error

    def _prepared(self, request: ModelRequest) -> tuple[Any, list[Any]]:
        """The model with what the request says, and the messages as LangChain has them."""
        from langchain_core.messages import messages_from_dict

        bound = self._model
        if request.tools:
            options: dict[str, Any] = {}
            if request.tool_choice is not None:
                options["tool_choice"] = "any" if request.tool_choice == "required" else request.tool_choice
            if request.parallel_tool_calls is not None:
                options["parallel_tool_calls"] = request.parallel_tool_calls
            bound = bound.bind_tools([write_tool(spec) for spec in request.tools], **options)
        settings = {**request.settings, **({} if request.response_format is None else {"response_format": request.response_format})}
        if settings:
            bound = bound.bind(**settings)
        return bound, messages_from_dict([_dict_of(message) for message in sendable(request.messages, unique_ids="history")])

    def _error(self, error: Exception) -> ModelError:
        if isinstance(error, ModelError):
            return error
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            request = getattr(error, "request_id", None)
            asked = Asked(self.name, str(getattr(getattr(error, "request", None), "url", "") or "its provider"), _NO_ENDPOINT)
            return of_status(asked, status, str(error), str(getattr(error, "code", "") or ""), request_id=request)
        kind = ModelTimeout if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__ else ModelError
        return kind(f"{self.name} did not answer: {type(error).__name__}: {error}", model=self.name)


_NO_ENDPOINT = Endpoint("http://langchain.invalid", key="langchain-keeps-its-own-key")
"""LangChain's models keep their keys to themselves."""


def _dict_of(message: Message) -> dict[str, Any]:
    body = {key: value for key, value in write_message(message).items() if key != "extra"}
    return {"type": body.get("type"), "data": body}


def _answer(message: Any) -> AIMessage:
    read = read_message("ai", _body(message))
    assert isinstance(read, AIMessage)
    return read


def _body(message: Any) -> dict[str, Any]:
    body: dict[str, Any] = message.model_dump()
    return body


class _Deltas:
    """LangChain's counts are those of each delta, to be added; ours are running totals."""

    def __init__(self) -> None:
        self._usage: UsageMetadata = {}

    def take(self, chunk: Any) -> AIMessageChunk:
        delta = chunk_of(_body(chunk))
        if delta.usage_metadata:
            self._usage = added(
                self._usage, {key: value or {} if "details" in key else value for key, value in delta.usage_metadata.items()}
            )
            delta = replace(delta, usage_metadata=self._usage)
        return delta
