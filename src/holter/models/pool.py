"""The connections that are kept: one pool for each loop, which all models share and which is closed with the loop."""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import AsyncIterator
from weakref import WeakKeyDictionary

import httpx2

_KEPT = httpx2.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30.0)
"""As many connections as there are requests; idle ones are kept for half a minute, less than load balancers do."""


async def client() -> httpx2.AsyncClient:
    """The client of the loop that runs here. It follows no redirect and keeps no cookies beyond a request."""
    loop = asyncio.get_running_loop()
    kept = _CLIENTS.get(loop)
    if kept is None or kept[0].is_closed:
        made = httpx2.AsyncClient(verify=_trust(), limits=_KEPT, timeout=None, follow_redirects=False)
        lifetime = _lifetime(made)
        # A loop closes the asynchronous generators that were begun in it when it ends, and so the connections.
        await anext(lifetime)
        kept = _CLIENTS[loop] = (made, lifetime)
    return kept[0]


_CLIENTS: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[httpx2.AsyncClient, AsyncIterator[None]]] = WeakKeyDictionary()


async def _lifetime(made: httpx2.AsyncClient) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await made.aclose()


@functools.cache
def _trust() -> ssl.SSLContext:
    """Whom HTTPS trusts, read once: it takes tens of milliseconds."""
    return httpx2.create_ssl_context()
