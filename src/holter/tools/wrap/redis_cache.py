"""A cache in Redis or Valkey, shared by all processes that reach it. Needs the extra `redis`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as error:  # pragma: no cover - the extra is part of the tests' environment
    raise ImportError("RedisCache needs redis-py: pip install 'holter[redis]'") from error

_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
_RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"
_LABEL = """
redis.call('sadd', KEYS[1], ARGV[1])
local left = redis.call('pttl', KEYS[1])
if ARGV[2] == '' then redis.call('persist', KEYS[1])
elseif redis.call('scard', KEYS[1]) == 1 or (left >= 0 and left < tonumber(ARGV[2])) then redis.call('pexpire', KEYS[1], ARGV[2]) end
return 1
"""
"""A label lives as long as the longest of its values."""


class RedisCache:
    """Keeps results under keys that begin with `prefix`. How many there may be is the server's to say (`maxmemory`, `allkeys-lru`)."""

    holds_objects = False
    is_quick = False

    def __init__(self, server: Any = "redis://127.0.0.1:6379/0", *, prefix: str = "holter:cache:", timeout_s: float = 1.0) -> None:
        """`server` is a URL, or a client (`redis.Redis`, `valkey.Valkey`), which keeps its own options. A server that does not answer for
        `timeout_s` is one that failed. Nothing is connected yet."""
        self._client: Any = server
        if isinstance(server, str):
            self._client = redis.Redis.from_url(
                server,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                retry=Retry(NoBackoff(), 1),
                health_check_interval=0,
            )
        self._prefix = prefix

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def get(self, key: str) -> bytes | None:
        """The value, or None."""
        return self._client.get(self._prefix + key)  # type: ignore[no-any-return]

    def set(self, key: str, value: bytes, *, ttl_s: float | None = None, labels: Collection[str] = ()) -> None:
        """Keeps the value for `ttl_s`; None for as long as the server does."""
        ttl_ms = None if ttl_s is None else max(round(ttl_s * 1000), 1)
        pipe = self._client.pipeline(transaction=True)
        pipe.set(self._prefix + key, value, px=ttl_ms)
        for label in labels:
            pipe.eval(_LABEL, 1, self._label(label), self._prefix + key, "" if ttl_ms is None else ttl_ms)
        pipe.execute()

    def delete(self, key: str) -> int:
        """Forgets the value; gives how many that were."""
        return int(self._client.delete(self._prefix + key))

    def delete_label(self, label: str) -> int:
        """Forgets the values with this label; gives how many that were."""
        keys = list(self._client.smembers(self._label(label)))
        if not keys:
            return 0
        pipe = self._client.pipeline(transaction=True)
        pipe.delete(*keys)
        pipe.srem(self._label(label), *keys)
        return int(pipe.execute()[0])

    def lease(self, key: str, token: str, seconds: float) -> bool:
        """Whether this one may make the value: nobody else holds the lease, or it has run out."""
        return bool(self._client.set(self._lease(key), token, nx=True, px=max(round(seconds * 1000), 1)))

    def renew(self, key: str, token: str, seconds: float) -> None:
        """Holds on to the lease for so long from now, if it is still this one's."""
        self._client.eval(_RENEW, 1, self._lease(key), token, max(round(seconds * 1000), 1))

    def release(self, key: str, token: str) -> None:
        """Gives the lease back, if it is still this one's."""
        self._client.eval(_RELEASE, 1, self._lease(key), token)

    def _lease(self, key: str) -> str:
        return f"{self._prefix}lease:{key}"

    def _label(self, label: str) -> str:
        return f"{self._prefix}label:{label}"
