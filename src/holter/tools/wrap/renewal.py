"""Keeps a lease while a tool takes longer than it lasts."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from holter.tools.around import Inner
from holter.tools.drive import drive
from holter.tools.wrap.cache_store import Port, StoreFailed

_SHARE = 3
"""A lease is renewed when this part of its time is over, so that two renewals may fail."""


class Renewal:
    """Renews the lease until it is stopped: as a task of the loop, or inline in a thread of its own. A process that dies takes it along."""

    def __init__(self, port: Port, key: str, token: str, lease_s: float, inner: Inner) -> None:
        self._port, self._key, self._token, self._lease_s, self._inner = port, key, token, lease_s, inner
        self._task: asyncio.Task[None] | None = None
        self._stopped = threading.Event()
        if not port.renews:
            return
        if inner.inline:
            threading.Thread(target=self._beside, name="holter-lease", daemon=True).start()
        else:
            self._task = asyncio.create_task(self._on_loop())

    def stop(self) -> None:
        """Lets the lease be."""
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()

    async def _on_loop(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / _SHARE)
            with suppress(StoreFailed):  # the next one may reach it
                await self._port.renew(self._key, self._token, self._lease_s, self._inner)

    def _beside(self) -> None:
        while not self._stopped.wait(self._lease_s / _SHARE):
            with suppress(StoreFailed):
                drive(self._port.renew(self._key, self._token, self._lease_s, self._inner))
