"""What can be put around a call: around all tools of a node or an agent (`wrap_tool_call=[…]`), or around one (`tool.wrapped(…)`).

May import: the modules of `holter.tools`, `holter.journal`, `holter.messages`, `holter.errors`.
"""

from typing import TYPE_CHECKING, Any

from holter.tools.around import Around, check_wrappers
from holter.tools.wrap.approve import approve
from holter.tools.wrap.cache_store import CacheStore
from holter.tools.wrap.cached import cached
from holter.tools.wrap.circuit_breaker import circuit_breaker
from holter.tools.wrap.limit_calls import limit_calls
from holter.tools.wrap.memory_cache import MemoryCache
from holter.tools.wrap.mock import mock
from holter.tools.wrap.redact import redact
from holter.tools.wrap.retry import retry
from holter.tools.wrap.timeout import timeout
from holter.tools.wrap.wait import exponential

if TYPE_CHECKING:
    from holter.tools.wrap.redis_cache import RedisCache
    from holter.tools.wrap.sqlite_cache import SqliteCache

__all__ = [
    "Around",
    "CacheStore",
    "MemoryCache",
    "RedisCache",
    "SqliteCache",
    "approve",
    "cached",
    "check_wrappers",
    "circuit_breaker",
    "exponential",
    "limit_calls",
    "mock",
    "redact",
    "retry",
    "timeout",
]


def __getattr__(name: str) -> Any:
    """The stores that need a database, loaded when they are asked for."""
    match name:
        case "RedisCache":
            from holter.tools.wrap.redis_cache import RedisCache

            return RedisCache
        case "SqliteCache":
            from holter.tools.wrap.sqlite_cache import SqliteCache

            return SqliteCache
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
