"""The answer of one exchange in deltas, and what is raised where it does not come to its end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import Any, NoReturn, Protocol

import msgspec

from holter.errors import ModelError, ModelTimeout, NoAnswer, StreamCut
from holter.formats.decode import loose_json
from holter.messages import AIMessage, AIMessageChunk, Place
from holter.models.continued import Continued
from holter.models.delta import whole
from holter.models.exchange import Broken, Exchange
from holter.models.fault import no_json, of_event
from holter.models.server_events import Event, EventDecoder

_DONE = b"[DONE]"

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Reply(Protocol):
    """Takes in the answer of one request, as its provider writes it."""

    is_whole: bool
    """Whether a stream has said why it ends: nothing that matters is missing."""
    is_over: bool
    """Whether nothing follows."""

    def message(self, body: dict[str, Any]) -> AIMessage | None:
        """The message of a whole response body; None where it holds none."""

    def piece(self, data: bytes) -> AIMessageChunk | None:
        """What an event adds that brings but one more piece of text, as nearly all do; None for any other, which `chunks` reads."""

    def chunks(self, event: dict[str, Any]) -> list[AIMessageChunk]:
        """What an event adds to the answer."""


class AnswerStream:
    """One answer, taken in once."""

    def __init__(self, exchange: Exchange, reply: Reply, continued: Continued) -> None:
        self._exchange = exchange
        self._reply = reply
        self._continued = continued
        self._has_begun = False
        self.failed: ModelError | None = None
        """An error that came in place of the answer: nothing of it had begun."""

    async def chunks(self) -> AsyncGenerator[AIMessageChunk, None]:
        """The deltas. Raises a `ModelError` where the answer began and does not come to its end."""
        if not self._exchange.is_stream:
            answer = message_of(await self._exchange.read(), self._reply, self._exchange)
            if isinstance(answer, AIMessage):
                yield self._continued.take(whole(answer))
            else:
                self.failed = answer
            return
        decoder = EventDecoder()
        broken: Broken | None = None
        is_open = True
        while is_open and not self._reply.is_over:
            try:
                piece = await self._exchange.piece()
            except Broken as found:
                broken = found
                break
            is_open = piece is not None
            for chunk in self._taken(decoder.end() if piece is None else decoder.feed(piece)):
                yield chunk
            if self.failed is not None:
                return
        if self._reply.is_over:
            await self._exchange.drain()
        if not self._reply.is_whole:
            self._unfinished(broken)

    def _taken(self, events: list[Event]) -> Iterator[AIMessageChunk]:
        """The deltas of these events. An error in the place of the answer is kept in `failed`, one in the middle is raised."""
        for kind, data in events:
            if data == _DONE:
                self._reply.is_whole = self._reply.is_over = True
                continue
            piece = self._reply.piece(data)
            if piece is not None:
                yield self._continued.take(piece)
                continue
            value = object_of(data)
            if value is None:
                self._odd()
                continue
            if (error := _error_of(kind, value)) is not None:
                if not self._has_begun:
                    self.failed = self._error(error)
                    return
                self._cut("broke off its answer with an error", str(self._error(error)))
            for chunk in self._reply.chunks(value):
                self._has_begun = True
                yield self._continued.take(chunk)

    def _odd(self) -> None:
        """An event that is no JSON object: behind the end of an answer nobody minds."""
        if not self._reply.is_whole:
            self._unfinished(Broken("sent an event that is no JSON object", "", is_late=False))

    def _error(self, error: Any) -> ModelError:
        exchange = self._exchange
        return of_event(exchange.asked, error, request_id=exchange.request_id)

    def _unfinished(self, broken: Broken | None) -> NoReturn:
        what = broken.what if broken is not None else "ended its stream without saying that the answer was whole"
        if broken is not None and broken.is_late:
            error = self._exchange.error(ModelTimeout, what, broken.advice)
            assert isinstance(error, ModelTimeout)
            error.partial = self._continued.message()
            raise error
        if not self._has_begun:
            what = what if broken is not None else "answered nothing: its stream ended without a chunk"
            raise self._exchange.error(NoAnswer, what, "Ask again; look at its server where it is your own")
        self._cut(what, "")

    def _cut(self, what: str, said: str) -> NoReturn:
        advice = "What had come is in `partial`; none of its calls may run. Ask again for a whole answer"
        error = self._exchange.error(StreamCut, what, advice, said=said)
        assert isinstance(error, StreamCut)
        error.partial = self._continued.message()
        raise error


def message_of(body: bytes, reply: Reply, exchange: Exchange) -> AIMessage | ModelError:
    """The message of a whole response, or the error that is to be raised: a frame that holds the body is in no traceback."""
    value = object_of(body)
    if value is not None and (error := _error_of("", value)):
        return of_event(exchange.asked, error, request_id=exchange.request_id)
    message = reply.message(value) if value is not None else None
    if message is None:
        return no_json(exchange.asked, exchange.response.status_code, exchange.response.headers, body)
    return message


def object_of(data: bytes) -> dict[str, Any] | None:
    """The JSON object that the bytes are, also where only Python's reader takes it; None where they are none."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        value, _ = loose_json(data.decode("utf-8", "replace"), lambda _: Place())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _error_of(kind: str, value: dict[str, Any] | None) -> Any:
    """What stands for an error in an event; None where nothing does."""
    if value is None:
        return None
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = value.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
    if error:
        return error
    return value if kind == "error" or value.get("object") == "error" or value.get("type") == "error" else None
