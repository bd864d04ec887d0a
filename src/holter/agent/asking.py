"""One request to one of several models: in order, until one answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from holter.errors import NoAnswer
from holter.graph.task import TaskRun
from holter.journal.event import ModelFailed, ModelStarted
from holter.messages import AIMessage, AIMessageChunk, ChunkMerger, Message
from holter.models import ChatModel, ModelRequest
from holter.models.contract import answering, checked_answer, checked_delta, close, streaming
from holter.models.tries import tries
from holter.tools.failure import exception_text


class Models:
    """A model and those that are asked in its place when it fails."""

    def __init__(self, models: Sequence[ChatModel]) -> None:
        """The models, with all that is bound to them, the first one first."""
        named = [(model, ModelStarted(model=model.name or type(model).__name__, attempt=at)) for at, model in enumerate(models, 1)]
        self._models = [(model, start, start.attempt == len(named)) for model, start in named]
        """Each with what says that it is asked where none was asked more than once, and whether it is the last one."""

    @property
    def window_tokens(self) -> int | None:
        """The smallest window of those that are known."""
        windows = [model.window_tokens for model, _, _ in self._models if model.window_tokens is not None]
        return min(windows, default=None)

    @property
    def first(self) -> ChatModel:
        """The one that is asked first."""
        return self._models[0][0]

    @property
    def bound(self) -> ModelRequest:
        """What is bound to the first one."""
        return self._models[0][0].bound

    async def answer(
        self, messages: Sequence[Message], task: TaskRun, *, is_free: bool, changes: Mapping[str, Any]
    ) -> tuple[AIMessage, str]:
        """The answer, and the name of the model that gave it. `is_free`: a tool that was to be called has been, so the model may choose
        now. `changes` are what the messages make necessary: another setting `thinking`, `tools` that the history calls and nobody offers.

        Raises what the last model raised. An answer that broke off is none: what had come of it is not kept.
        """
        made = _Tries(task)
        token = tries.set(made)
        try:
            for model, start, is_last in self._models:
                request = model.request(messages)
                if is_free and request.tool_choice not in _FREE:
                    request = _with_choice(request)
                if changes:
                    request = _changed(request, changes)
                made.first(start)
                try:
                    if (tell := task.teller()) is not None:
                        answer = await _streamed(model, request, start.model, tell, is_inline=task.is_inline)
                    elif task.is_inline:
                        answer = checked_answer(model.generate_here(request), model)
                    else:
                        answer = checked_answer(await answering(model, request), model)
                    return answer, made.model
                except Exception as error:
                    made.failed(made.model, error, None)
                    if is_last:
                        raise
        finally:
            tries.reset(token)
        raise AssertionError("an agent has a model")


class _Tries:
    """Requests that are made for one answer, whoever makes them: each stands in the journal, and so does why it failed."""

    __slots__ = ("_attempt", "_task", "model")

    def __init__(self, task: TaskRun) -> None:
        self._task = task
        self._attempt = 0
        self.model = ""
        """The one that was asked last."""

    def first(self, start: ModelStarted) -> None:
        """Takes in that the next of the agent's models is asked; `start` says so where none was asked more than once."""
        self._attempt += 1
        self.model = start.model
        self._task.record_soon(start if start.attempt == self._attempt else ModelStarted(model=self.model, attempt=self._attempt))

    def begun(self, model: str) -> None:
        """Takes in that a model asks again, or another in its place."""
        self._attempt += 1
        self.model = model
        self._task.record(ModelStarted(model=model, attempt=self._attempt))

    def failed(self, model: str, error: Exception, wait_s: float | None) -> None:
        """Takes in that a model did not answer, and when it is asked again."""
        wait_s = None if wait_s is None else round(wait_s, 3)
        self._task.record(ModelFailed(model=model, attempt=self._attempt, error=exception_text(error), wait_s=wait_s))


_FREE = (None, "auto", "none")


def _with_choice(request: ModelRequest) -> ModelRequest:
    """The request without the demand for a call: it would be made again and again, and never answered."""
    return ModelRequest(request.messages, request.tools, "auto", request.parallel_tool_calls, request.settings, request.response_format)


def _changed(request: ModelRequest, changes: Mapping[str, Any]) -> ModelRequest:
    if "thinking" in changes:
        request = replace(request, settings={**request.settings, "thinking": changes["thinking"]})
    return replace(request, tools=changes["tools"], tool_choice="none") if "tools" in changes else request


async def _streamed(
    model: ChatModel, request: ModelRequest, name: str, tell: Callable[[AIMessageChunk], None], *, is_inline: bool
) -> AIMessage:
    merger, count = ChunkMerger(), 0
    if is_inline:
        for chunk in model.chunks_here(request):
            merger.add(checked_delta(chunk, model))
            tell(chunk)
            count += 1
    else:
        chunks = streaming(model, request)
        try:
            async for chunk in chunks:
                merger.add(chunk if chunk.__class__ is AIMessageChunk else checked_delta(chunk, model))
                tell(chunk)
                count += 1
        finally:
            await close(chunks)
    if not count:
        raise NoAnswer(f"{name} answered nothing: its stream ended without a chunk", model=name)
    return merger.message()
