"""One request to a provider and what comes back: limits of time, further tries, redirects, and errors with all that is known.

Errors are raised outside of the `except` that found them: what HTTP libraries keep in their frames, the key among it, is in no traceback.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

import httpx2
import msgspec

from holter.errors import ModelDown, ModelError, ModelRefused, ModelTimeout, RateLimited, StreamCut
from holter.models.fault import Asked, of_response, request_id_of
from holter.models.pool import client
from holter.models.retry import Retry, Retrying
from holter.models.timeouts import Timeouts
from holter.models.tries import tries
from holter.models.watch import Watch

log = logging.getLogger("holter.models")

EVENTS = "text/event-stream"

_DRAIN_S = 0.25
_MOST_REDIRECTS = 3
_MOST_ERROR_BYTES = 100_000


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How patient an exchange is."""

    timeouts: Timeouts = Timeouts()
    retry: Retry = Retry()
    on_retry: Callable[[Retrying], object] | None = None
    """Called before each further try."""


class Broken(Exception):
    """An answer that has begun does not go on. Never leaves `holter.models`."""

    def __init__(self, what: str, advice: str, is_late: bool) -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice
        self.is_late = is_late


class Exchange:
    """A request that is made when it is entered; left, its connection is free, or closed where the answer did not come to its end."""

    def __init__(self, asked: Asked, body: bytes, terms: Terms, *, is_stream: bool, headers: dict[str, str] | None = None) -> None:
        self.asked = asked
        self._body = body
        self._headers = headers or {}
        self._terms = terms
        self._accept = EVENTS if is_stream else "application/json"
        self._whole_at = _at(terms.timeouts.whole_s)
        self._first_at: float | None = None
        self._until: float | None = None
        """When the next piece has to be here."""
        self._response: httpx2.Response | None = None
        self._source: AsyncGenerator[bytes, None]
        self._watch = Watch()
        self._time = asyncio.get_running_loop().time
        self.tried = 0
        """How often the request was made."""

    async def __aenter__(self) -> Exchange:
        while True:
            error = await self._try()
            if error is None:
                return self
            await self.wait_after(error)

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Gives the connection back, or closes it."""
        if self._response is not None:
            response, self._response = self._response, None
            self._watch.close()
            await self._source.aclose()
            await response.aclose()

    async def wait_after(self, error: ModelError) -> None:
        """Waits until a further try may be made; raises the error where none is."""
        wait_s = self._terms.retry.wait_s(self.tried, error.retry_after_s) if may_pass(error) else None
        if wait_s is None or (self._whole_at is not None and _now() + wait_s >= self._whole_at):
            if self.tried > 1:
                error.args = (f"{error}. It was asked {self.tried} times",)
            raise error
        retrying = Retrying(self.asked.model, self.tried, wait_s, error)
        log.info("%s is asked again in %.2f s: %s", self.asked.model, wait_s, error)
        if self._terms.on_retry is not None:
            self._terms.on_retry(retrying)
        told = tries.get()
        if told is not None:
            told.failed(self.asked.model, error, wait_s)
        await asyncio.sleep(wait_s)
        if told is not None:
            told.begun(self.asked.model)

    @property
    def response(self) -> httpx2.Response:
        """The response, whose status says that an answer follows."""
        assert self._response is not None
        return self._response

    @property
    def request_id(self) -> str | None:
        """The provider's own id of the request."""
        return request_id_of(self.response.headers)

    @property
    def is_stream(self) -> bool:
        """Whether the answer comes as server-sent events: what is asked for so may be answered whole, or with a page."""
        kind = self.response.headers.get("content-type", "")
        return self._accept == EVENTS and not any(word in kind for word in ("json", "html", "xml"))

    async def piece(self) -> bytes | None:
        """The next bytes of the answer, unpacked; None at its end. Raises `Broken` where it does not come to that."""
        watch, broken, found = self._watch, None, None
        watch.begin(self._until)
        try:
            found = await anext(self._source, None)
        except asyncio.CancelledError:
            if not watch.ended_it():
                raise
            broken = Broken(*self._late(is_first=self._until is self._first_at), is_late=True)
        except httpx2.DecodingError as error:
            broken = Broken(f"sent bytes that cannot be unpacked ({error})", "A proxy between may have changed them", is_late=False)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            broken = Broken(f"lost the connection in the middle of its answer ({_said(error)})", "Ask again", is_late=False)
        finally:
            watch.end()
        if broken is not None:
            raise broken
        between_s = self._terms.timeouts.between_s
        self._until = self._whole_at if between_s is None else _earliest(self._whole_at, self._time() + between_s)
        return found

    async def drain(self) -> None:
        """Takes what is left behind the end of an answer, where it comes at once: then the connection can be used again."""
        with suppress(TimeoutError, Broken):
            async with asyncio.timeout(_DRAIN_S):
                while await self.piece() is not None:
                    pass

    async def read(self) -> bytes:
        """All bytes of the answer. Raises a `ModelError` where they do not come to their end."""
        pieces: list[bytes] = []
        broken: Broken | None = None
        try:
            while (piece := await self.piece()) is not None:
                pieces.append(piece)
        except Broken as found:
            broken = found
        if broken is None:
            return b"".join(pieces)
        raise self.error(ModelTimeout if broken.is_late else StreamCut, broken.what, broken.advice)

    def error(self, kind: type[ModelError], what: str, advice: str, *, said: str = "") -> ModelError:
        """An error about the response."""
        return self.asked.error(kind, what, advice, status=self.response.status_code, request_id=self.request_id, said=said)

    # One try

    async def _try(self) -> ModelError | None:
        """Makes the request; None when an answer follows, else why not."""
        self.tried += 1
        url = self.asked.url
        for _ in range(_MOST_REDIRECTS + 1):
            response, error = await self._sent(url)
            if response is None:
                return error
            if response.is_success:
                self._response, self._source = response, response.aiter_bytes()
                self._until = self._first_at
                return None
            target = _same_origin(url, response)
            body = await self._error_body(response)
            if target is None:
                return of_response(self.asked, response.status_code, response.headers, body)
            url = target
        return self.asked.error(ModelRefused, "sends from one URL to the next", "Load it with another base_url")

    async def _sent(self, url: str) -> tuple[httpx2.Response | None, ModelError | None]:
        http = await client()
        limits = self._terms.timeouts
        timeout = httpx2.Timeout(None, connect=limits.connect_s)
        self._first_at = _earliest(self._whole_at, _at(limits.first_byte_s))
        try:
            async with asyncio.timeout_at(self._first_at):
                return await http.send(self._request(http, url, timeout), stream=True), None
        except TimeoutError:
            what, advice = self._late(is_first=True)
            return None, self.asked.error(ModelTimeout, what, advice)
        except httpx2.ConnectTimeout:
            what = f"could not be reached within {limits.connect_s:g} s"
            return None, self.asked.error(ModelTimeout, what, "Look at the network and the base URL, or raise `connect_s`")
        except httpx2.ConnectError as error:
            return None, self.asked.error(ModelDown, "could not be reached", _connect_advice(self.asked), said=_said(error))
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            what = "closed the connection before it answered"
            return None, self.asked.error(ModelDown, what, "Ask again later; look at its server where it is your own", said=_said(error))

    def _request(self, http: httpx2.AsyncClient, url: str, timeout: httpx2.Timeout) -> httpx2.Request:
        headers = {"content-type": "application/json", "accept": self._accept, **self._headers, **self.asked.endpoint.headers()}
        return http.build_request("POST", url, headers=headers, content=self._body, timeout=timeout)

    async def _error_body(self, response: httpx2.Response) -> bytes:
        """What the body of an error says, as far as it comes."""
        pieces: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout_at(_earliest(self._first_at, _at(self._terms.timeouts.between_s))):
                async for piece in response.aiter_bytes():
                    pieces.append(piece)
                    size += len(piece)
                    if size > _MOST_ERROR_BYTES:
                        break
        except (TimeoutError, httpx2.HTTPError, httpx2.StreamError):
            pass
        finally:
            await response.aclose()
        return b"".join(pieces)

    def _late(self, *, is_first: bool) -> tuple[str, str]:
        limits = self._terms.timeouts
        if self._whole_at is not None and _now() >= self._whole_at:
            return f"took longer than the {limits.whole_s:g} s that it may take as a whole", "Raise `whole_s`, or ask for less at once"
        if is_first:
            return f"said nothing for {limits.first_byte_s:g} s", "Raise `first_byte_s` where the model thinks longer than that"
        return f"said no more for {limits.between_s:g} s", "Ask again; raise `between_s` where it pauses longer than that"


def may_pass(error: ModelError) -> bool:
    """Whether the same request may be answered another time."""
    return isinstance(error, RateLimited | ModelDown | ModelTimeout)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _at(seconds: float | None) -> float | None:
    return None if seconds is None else _now() + seconds


def _earliest(*moments: float | None) -> float | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _same_origin(url: str, response: httpx2.Response) -> str | None:
    """Where a request may be sent again as it is: to another path of the same server, where the status keeps method and body (RFC 9110)."""
    location = response.headers.get("location")
    if response.status_code not in (307, 308) or not location:
        return None
    target = urljoin(url, location)
    here, there = urlsplit(url), urlsplit(target)
    return target if (here.scheme, here.netloc) == (there.scheme, there.netloc) else None


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _connect_advice(asked: Asked) -> str:
    host = urlsplit(asked.url).hostname or ""
    if host in ("localhost", "::1") or host.startswith("127."):
        return "Is the server running, and on this port?"
    return "Look at the network, the proxy settings (HTTPS_PROXY) and the base URL"
