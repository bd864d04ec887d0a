"""What every model is: asked with a request, it answers with a message, whole or in deltas."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, Self

from msgspec.structs import replace

from holter.errors import NoAnswer
from holter.messages import AIMessage, AIMessageChunk, ChunkMerger, Message
from holter.models.contract import answered, answering, checked_answer, checked_delta, close, streamed, streaming
from holter.models.delta import whole
from holter.models.drive import block_on, each
from holter.models.listener import surroundings
from holter.models.offer import choice_of, specs_of
from holter.models.prompt import Prompt, as_messages
from holter.models.request import ModelRequest


class ChatModel:
    """A model. A subclass implements `generate` or `chunks`, and the other is made from it.

    Two ways to ask. A runtime makes the request and calls `generate` or `chunks`, which do exactly what it says. A program hands
    messages, or a text, to `invoke`, `ainvoke`, `stream` or `astream`; what was bound counts there.
    """

    name: str = ""
    """What the model is called."""
    window_tokens: int | None = None
    """How many tokens a request and its answer may have together; None when that is not known."""
    target: str | None = None
    """Whose rules its requests have to keep, a name of `holter.formats.target`; None where only its name tells that."""
    bound: ModelRequest = ModelRequest()
    """What `bind` and `bind_tools` gave: a request without messages."""

    # Requests

    async def generate(self, request: ModelRequest) -> AIMessage:
        """The answer. Raises a `ModelError` when there is none."""
        self._check_implemented()
        heard = _Heard(self.name or type(self).__name__)
        async for chunk in streamed(self, request):
            heard.take(chunk)
        return heard.message()

    async def chunks(self, request: ModelRequest) -> AsyncIterator[AIMessageChunk]:
        """The answer in deltas, as they come. Raises a `ModelError`, also in the middle, when it does not come to its end."""
        self._check_implemented()
        yield whole(await answered(self, request))

    def generate_here(self, request: ModelRequest) -> AIMessage:
        """As `generate`, waited for on this thread. A model that needs no loop for it overrides this."""
        return block_on(answered(self, request))

    def chunks_here(self, request: ModelRequest) -> Iterator[AIMessageChunk]:
        """As `chunks`, waited for on this thread. A model that needs no loop for it overrides this."""
        return each(streamed(self, request))

    def request(self, messages: Sequence[Message]) -> ModelRequest:
        """The request that these messages make with what is bound."""
        return replace(self.bound, messages=messages)

    # Options

    def bind_tools(
        self,
        tools: Iterable[Any],
        *,
        tool_choice: Any = None,
        parallel_tool_calls: bool | None = None,
        strict: bool | None = None,
        **settings: Any,
    ) -> Self:
        """A copy that offers these tools: tools, `ToolSpec`s, or declarations as providers take them. It shares all else with the model.

        `tool_choice` is "auto", "none", "required" or a tool's name; `strict` asks the provider to enforce every schema.
        """
        specs = specs_of(tools, strict=strict)
        return self.bind(tools=specs, tool_choice=tool_choice, parallel_tool_calls=parallel_tool_calls, **settings)

    def bind(
        self,
        *,
        tools: Iterable[Any] | None = None,
        tool_choice: Any = None,
        parallel_tool_calls: bool | None = None,
        response_format: Any = None,
        **settings: Any,
    ) -> Self:
        """A copy that asks with these options; None leaves one as it was, and settings are added to those there are."""
        before = self.bound
        specs = before.tools if tools is None else specs_of(tools)
        bound = copy(self)
        bound.bound = ModelRequest(
            tools=specs,
            tool_choice=choice_of(before.tool_choice if tool_choice is None else tool_choice, specs),
            parallel_tool_calls=before.parallel_tool_calls if parallel_tool_calls is None else parallel_tool_calls,
            settings={**before.settings, **settings},
            response_format=before.response_format if response_format is None else response_format,
        )
        return bound

    # Messages

    def invoke(self, prompt: Prompt, config: Any = None, **options: Any) -> AIMessage:  # noqa: ARG002 - LangChain's signature
        """The answer to text, messages, or a list that stands for messages. `options` are those of `bind`, for this time.

        `config` is accepted for compatibility and changes nothing. Works inside a running loop (a notebook), too.
        """
        request = self._asked(prompt, options)
        if (listen := surroundings.get().listen) is None:
            return self.generate_here(request)
        heard = _Heard(self.name or type(self).__name__, listen)
        for chunk in self.chunks_here(request):
            heard.take(chunk)
        return heard.message()

    async def ainvoke(self, prompt: Prompt, config: Any = None, **options: Any) -> AIMessage:  # noqa: ARG002 - LangChain's signature
        """As `invoke`, without blocking the loop."""
        request = self._asked(prompt, options)
        if (listen := surroundings.get().listen) is None:
            return checked_answer(await answering(self, request), self)
        heard, chunks = _Heard(self.name or type(self).__name__, listen), streaming(self, request)
        try:
            async for chunk in chunks:
                delta = chunk if chunk.__class__ is AIMessageChunk else checked_delta(chunk, self)
                heard.add(delta)  # `take` by hand: there are many
                heard.is_empty = False
                listen(delta)
        finally:
            await close(chunks)
        return heard.message()

    def stream(self, prompt: Prompt, config: Any = None, **options: Any) -> Iterator[AIMessageChunk]:  # noqa: ARG002 - LangChain's signature
        """As `invoke`, in deltas."""
        return self.chunks_here(self._asked(prompt, options))

    def astream(self, prompt: Prompt, config: Any = None, **options: Any) -> AsyncIterator[AIMessageChunk]:  # noqa: ARG002 - LangChain's signature
        """As `stream`, without blocking the loop."""
        return streamed(self, self._asked(prompt, options))

    def _asked(self, prompt: Prompt, options: dict[str, Any]) -> ModelRequest:
        return (self.bind(**options) if options else self).request(as_messages(prompt))

    def _check_implemented(self) -> None:
        kind = type(self)
        if kind.generate is ChatModel.generate and kind.chunks is ChatModel.chunks:
            raise TypeError(f"{kind.__name__} is no model yet: it must implement `generate` or `chunks`")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class _Heard:
    """An answer while it comes."""

    def __init__(self, model: str, listen: Callable[[AIMessageChunk], None] | None = None) -> None:
        self._model = model
        self._listen = listen
        self._merger = ChunkMerger()
        self.add = self._merger.add
        self.is_empty = True

    def take(self, chunk: AIMessageChunk) -> None:
        """Takes in the next delta, and hands it on."""
        self.add(chunk)
        self.is_empty = False
        if self._listen is not None:
            self._listen(chunk)

    def message(self) -> AIMessage:
        """The answer. Raises NoAnswer where nothing came."""
        if self.is_empty:
            raise NoAnswer(f"{self._model} answered nothing: its stream ended without a chunk", model=self._model)
        return self._merger.message()
