"""One call on its way through a cache: found, waited for, or made and kept."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from holter.journal.event import CacheHit, CacheMissed, CacheSkipped
from holter.messages import ToolMessage
from holter.tools.around import Inner
from holter.tools.drive import Ended, caught, drive, ended
from holter.tools.request import Result, ToolCallRequest
from holter.tools.worker import submit
from holter.tools.wrap.cache_store import Port, StoreFailed
from holter.tools.wrap.flight import Flights, Landed, Landing
from holter.tools.wrap.kept import Frozen, Kept, NotKept, frozen, thawed
from holter.tools.wrap.renewal import Renewal

_POLL_S = (0.005, 0.25)
"""How long to wait between two looks for another process's value, at first and at most."""

_making: ContextVar[tuple[tuple[int, str], ...]] = ContextVar("holter.making", default=())
"""The caches and keys of the values that are made above: a tool that asks for its own value would wait for itself."""

_Found: TypeAlias = "tuple[Frozen, Kept] | None"


@dataclass(slots=True)
class Caching:
    """What the calls of one cache share."""

    port: Port
    flights: Flights
    ttl_s: float | None
    stale_s: float
    lease_s: float
    epoch: int = 0
    """Counts invalidations: what was begun before one is not kept after it."""
    hits: int = 0
    misses: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    refreshing: dict[str, Any] = field(default_factory=dict)
    """Key -> the task or future that makes a stale value anew."""

    def count(self, *, hit: bool) -> float:
        """Counts a lookup, and gives the share of hits."""
        with self.lock:
            self.hits += hit
            self.misses += not hit
            return round(self.hits / (self.hits + self.misses), 4)

    @property
    def keep_s(self) -> float | None:
        """How long a store keeps a value."""
        return None if self.ttl_s is None else self.ttl_s + self.stale_s


@dataclass(slots=True)
class Lookup:
    """One call that has a key."""

    caching: Caching
    request: ToolCallRequest
    execute: Inner
    name: str
    key: str
    labels: tuple[str, ...]

    async def run(self) -> Result:
        """The result: an earlier one, another's, or the call's own."""
        if (id(self.caching), self.key) in _making.get():
            self._skip("it is asked for by the very call that makes it")
            return await self.execute(self.request)
        if self.caching.port.is_quick and (found := await self._find()) is not None:
            return self._hit(found)
        while True:
            flight = self.caching.flights.join(self.key)
            if flight is None:
                return await self._make()
            landed = await self.execute.settled(flight)
            if landed is Landing.ALONE:
                self._miss()
                return await self.execute(self.request)
            if not isinstance(landed, Landing):
                return self._hit((landed, thawed(landed)), waited=True)

    # The one who makes the value

    async def _make(self) -> Result:
        landed: Landed = Landing.AGAIN
        token = uuid.uuid4().hex
        is_leased = False
        renewal: Renewal | None = None
        try:
            if (found := await self._find()) is not None:
                landed = found[0]
                return self._hit(found)
            is_leased, found = await self._leased(token)
            if found is not None:
                landed = found[0]
                return self._hit(found, waited=True)
            self._miss()
            epoch = self.caching.epoch
            renewal = self._renewal(token) if is_leased else None
            try:
                result = await self._executed()
                landed = await self._keep(result, epoch) or Landing.ALONE
            except Exception:
                landed = Landing.ALONE
                raise
            return result
        finally:
            self.caching.flights.land(self.key, landed)
            if renewal is not None:
                renewal.stop()
            if is_leased:
                await self._release(token)

    def _renewal(self, token: str) -> Renewal:
        return Renewal(self.caching.port, self.key, token, self.caching.lease_s, self.execute)

    async def _executed(self) -> Result:
        mark = _making.set((*_making.get(), (id(self.caching), self.key)))
        try:
            return await self.execute(self.request)
        finally:
            _making.reset(mark)

    async def _leased(self, token: str) -> tuple[bool, _Found]:
        """Whether this one holds the lease, and the value that another process made meanwhile. With neither, nobody could be waited for.
        A lease that is renewed runs out when its holder dies; one that is not is waited for only once."""
        port, lease_s = self.caching.port, self.caching.lease_s
        if not port.has_leases:
            return False, None
        end, pause = time.monotonic() + lease_s, _POLL_S[0]
        try:
            while not await port.lease(self.key, token, lease_s, self.execute):
                left = end - time.monotonic()
                if left <= 0 and not port.renews:
                    return False, None
                await self.execute.pause(pause if port.renews else min(pause, left))
                pause = min(pause * 1.5, _POLL_S[1])
                if (found := await self._find()) is not None:
                    return False, found
        except StoreFailed as failure:
            self._skip(f"the store failed ({failure})")
            return False, None
        return True, await self._find()

    async def _release(self, token: str) -> None:
        try:
            await self.caching.port.release(self.key, token, self.execute)
        except StoreFailed as failure:
            self._skip(f"the store failed ({failure})")

    # The store

    async def _find(self) -> _Found:
        """The value that may be given out; nothing where there is none or the store fails."""
        try:
            value = await self.caching.port.get(self.key, self.execute)
            if value is None:
                return None
            kept = thawed(value)
        except StoreFailed as failure:
            self._skip(f"the store failed ({failure})")
            return None
        except ValueError as damage:
            self._skip(str(damage))
            return None
        keep_s = self.caching.keep_s
        is_over = keep_s is not None and _age_s(kept) >= keep_s
        return None if is_over else (value, kept)

    async def _keep(self, result: Result, epoch: int) -> Frozen | None:
        """Keeps the result, and gives it as it is kept; None where it is nobody else's."""
        port = self.caching.port
        try:
            made = frozen(_keepable(result), time.time(), holds_objects=port.holds_objects)
        except NotKept as reason:
            self._skip(f"the result is not cached: {reason}")
            return None
        if epoch != self.caching.epoch:
            self._skip("the result is not cached: the cache was invalidated while it was made")
            return None
        try:
            await port.set(self.key, made, self.execute, ttl_s=self.caching.keep_s, labels=self.labels)
        except StoreFailed as failure:
            self._skip(f"the result is not cached: the store failed ({failure})")
        return made

    # A stale value

    def _is_stale(self, kept: Kept) -> bool:
        return self.caching.ttl_s is not None and _age_s(kept) >= self.caching.ttl_s

    def _refresh(self) -> None:
        """Makes the value anew beside everything else, one at a time. It is nobody's call: it makes no events."""
        caching = self.caching
        with caching.lock:
            if self.key in caching.refreshing:
                return
            caching.refreshing[self.key] = None
        runtime = replace(self.request.runtime, emit=_ignore, stream_writer=_ignore)
        quiet = replace(self, request=self.request.override(runtime=runtime))
        if self.execute.inline:
            future = submit(lambda: caught(lambda: drive(quiet._made_anew())))
            future.add_done_callback(lambda _: caching.refreshing.pop(self.key, None))
        else:
            task: asyncio.Task[Ended[None]] = asyncio.create_task(ended(quiet._made_anew()))
            caching.refreshing[self.key] = task
            task.add_done_callback(lambda _: caching.refreshing.pop(self.key, None))

    async def _made_anew(self) -> None:
        token, epoch = uuid.uuid4().hex, self.caching.epoch
        if not await self.caching.port.lease(self.key, token, self.caching.lease_s, self.execute):
            return
        renewal = self._renewal(token)
        try:
            await self._keep(await self._executed(), epoch)
        finally:
            renewal.stop()
            await self._release(token)

    # What the journal is told

    def _hit(self, found: tuple[Frozen, Kept], *, waited: bool = False) -> ToolMessage:
        kept = found[1]
        is_stale = self._is_stale(kept)
        if is_stale:
            self._refresh()
        call_id = self.request.runtime.tool_call_id
        rate = self.caching.count(hit=True)
        age_s = round(max(_age_s(kept), 0.0), 3)
        hit = CacheHit(call_id=call_id, name=self.name, key=self.key, age_s=age_s, stale=is_stale, waited=waited, rate=rate)
        self.request.runtime.emit(hit)
        return kept.message(call_id, self.name)

    def _miss(self) -> None:
        rate = self.caching.count(hit=False)
        self.request.runtime.emit(CacheMissed(call_id=self.request.runtime.tool_call_id, name=self.name, key=self.key, rate=rate))

    def _skip(self, reason: str) -> None:
        self.request.runtime.emit(CacheSkipped(call_id=self.request.runtime.tool_call_id, name=self.name, key=self.key, reason=reason))


def _ignore(_: Any) -> None:
    """Takes what nobody is to hear."""


def _age_s(kept: Kept) -> float:
    return time.time() - kept.made


def _keepable(result: Result) -> ToolMessage:
    """The message to keep. Raises NotKept for all that is not one that says what a tool found."""
    match result:
        case ToolMessage(status="success"):
            return result
        case ToolMessage():
            raise NotKept("it is an error")
        case list():
            raise NotKept("it holds more than a message")
        case _:
            raise NotKept("it is a command, which changes the state")
