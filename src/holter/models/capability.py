"""What a model can do, tried with one tiny request for each thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from holter.errors import KeyRefused, ModelError
from holter.messages import AIMessage, ToolSpec, merge_chunks
from holter.models.base import ChatModel

MOST_TOKENS = 1_024
"""What an answer may have: enough for a model that thinks before it calls."""

_WEATHER = ToolSpec(
    "get_weather",
    "The weather in one city. For several cities call it once for each, all at the same time.",
    {"type": "object", "properties": {"city": {"type": "string", "description": "The city's name."}}, "required": ["city"]},
)


class Tried(msgspec.Struct, frozen=True):
    """One capability and how it went."""

    name: str
    works: bool
    text: str
    """What was seen, or why it does not work."""


def try_all(model: ChatModel) -> Iterator[Tried]:
    """Each capability as soon as it is known: text, usage, streaming, usage of a stream, tools, parallel tools. Where nobody can be asked,
    or the key is refused, the first one says so and nothing else is tried."""
    model = model.bind(max_tokens=MOST_TOKENS)
    answer: AIMessage | None = None
    try:
        answer = model.invoke("Reply with the single word: ready")
        yield Tried("text", bool(answer.text.strip()), _quoted(answer.text) if answer.text.strip() else _why_empty(answer))
    except ModelError as error:
        yield Tried("text", False, str(error))
        if isinstance(error, KeyRefused) or error.status in (None, 404):
            return
    if answer is not None:
        yield _usage("usage", answer)
    yield from _streaming(model)
    yield _try("tools", lambda: _tools(model))
    yield _try("parallel tools", lambda: _parallel(model))


def _try(name: str, body: Callable[[], Tried]) -> Tried:
    try:
        return body()
    except ModelError as error:
        return Tried(name, False, str(error))


def _streaming(model: ChatModel) -> Iterator[Tried]:
    try:
        chunks = list(model.stream("Count from one to five, in words."))
    except ModelError as error:
        yield Tried("streaming", False, str(error))
        return
    texts = sum(bool(chunk.content or chunk.reasoning) for chunk in chunks)
    yield Tried("streaming", texts > 1, f"{texts} pieces of text" if texts != 1 else "all of it came at once")
    yield _usage("usage of a stream", merge_chunks(chunks))


def _usage(name: str, answer: AIMessage) -> Tried:
    counted = answer.usage_metadata
    if not counted or not counted.get("total_tokens"):
        return Tried(name, False, "the answer does not say what it cost")
    return Tried(name, True, f"{counted['input_tokens']} tokens in, {counted['output_tokens']} out")


def _tools(model: ChatModel) -> Tried:
    answer = model.bind_tools([_WEATHER]).invoke("What is the weather in Oslo? Use the tool.")
    return _called("tools", answer, at_least=1)


def _parallel(model: ChatModel) -> Tried:
    answer = model.bind_tools([_WEATHER], parallel_tool_calls=True).invoke(
        "What is the weather in Oslo, and what in Rome? Call the tool for both at the same time."
    )
    return _called("parallel tools", answer, at_least=2)


def _called(name: str, answer: AIMessage, *, at_least: int) -> Tried:
    if answer.invalid_tool_calls:
        call = answer.invalid_tool_calls[0]
        return Tried(name, False, f"a call cannot be read: {call['error']}")
    calls = [f"{call['name']}({', '.join(f'{key}={value!r}' for key, value in call['args'].items())})" for call in answer.tool_calls]
    if len(calls) >= at_least:
        return Tried(name, True, ", ".join(calls))
    said = f"it called only {calls[0]}" if calls else f"it called nothing and said {_quoted(answer.text)}"
    return Tried(name, False, said)


def _why_empty(answer: AIMessage) -> str:
    return f"the answer is empty (finish reason {answer.finish_reason!r})"


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
