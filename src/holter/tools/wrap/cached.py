"""Keeps the results of tools that only read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from holter.journal.event import CacheSkipped
from holter.tools.around import Around, Inner
from holter.tools.declaration import Declaration
from holter.tools.request import Result, ToolCallRequest
from holter.tools.wrap.cache_key import NoKey, digest
from holter.tools.wrap.cache_store import CacheStore, Port
from holter.tools.wrap.flight import Flights
from holter.tools.wrap.lookup import Caching, Lookup
from holter.tools.wrap.memory_cache import MemoryCache
from holter.tools.wrap.number import as_count, as_seconds
from holter.tools.wrap.origin import Origins

KeyOf = Callable[[ToolCallRequest], Any]


class cached(Around):
    """Gives the result of an earlier call of the same tool with the same arguments; of calls at the same time one runs and the others get
    its result. Errors and commands are not kept."""

    def __init__(
        self,
        store: CacheStore | None = None,
        ttl_s: float | None = 300,
        max_entries: int = 10_000,
        key: KeyOf | None = None,
        vary: str | Collection[str] = (),
        *,
        tags: str | Collection[str] = (),
        stale_while_revalidate_s: float = 0,
        lease_s: float = 30,
        tools: Collection[str] | None = None,
    ) -> None:
        """`store` is by default a MemoryCache of this wrapper's own. Results are given out for `ttl_s` (None: for ever), and for
        `stale_while_revalidate_s` more while they are made anew. `max_entries` is for stores that have no limit of their own.

        `key` gives what stands for the arguments; None for a call that is not to be cached. `vary` names values of the context that belong
        to the key ("user", "tenant", "user.region"); where one is missing the call is not cached. `tags` are names to invalidate by.
        `lease_s` is how long other processes wait for one that has died while it ran the tool.
        """
        super().__init__(tools)
        self._ttl_s = None if ttl_s is None else as_seconds("cached: ttl_s", ttl_s)
        self._stale_s = as_seconds("cached: stale_while_revalidate_s", stale_while_revalidate_s, may_be_zero=True)
        self._key = key
        self._vary = _names(vary)
        self._tags = _names(tags)
        self._port = Port(_store(store, as_count("cached: max_entries", max_entries)))
        self._caching = Caching(self._port, Flights(), self._ttl_s, self._stale_s, as_seconds("cached: lease_s", lease_s))
        self._origins = Origins()
        self._fixed: WeakKeyDictionary[Declaration, str] = WeakKeyDictionary()
        self._lock = threading.Lock()

    @property
    def store(self) -> Any:
        """Where the results are kept."""
        return self._port.store

    @property
    def hits(self) -> int:
        """How many calls were answered from the cache, in this process."""
        return self._caching.hits

    @property
    def misses(self) -> int:
        """How many calls found nothing in the cache, in this process."""
        return self._caching.misses

    def check_tool(self, tool: Declaration) -> None:
        """Raises ValueError for a tool that is not `read_only`, and for one that reads what is not in the key."""
        if not tool.read_only:
            raise ValueError(
                f"cached: {tool.name} is not read_only, so that a call that is not run may be missed. Declare it @tool(read_only=True), or "
                "name the others with tools=[…]"
            )
        if tool.injections and self._key is None and not self._vary:
            raise ValueError(
                f"cached: {tool.name} reads {', '.join(tool.injections)} from the runtime, which the arguments do not tell. Say with key=… "
                "or vary=… what else its result depends on"
            )

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result, from the cache where it has one."""
        tool = request.tool
        if tool is None:
            return await execute(request)
        name = str(request.tool_call.get("name"))
        try:
            key = self._key_of(request, tool)
        except NoKey as reason:
            request.runtime.emit(CacheSkipped(call_id=request.runtime.tool_call_id, name=name, reason=f"{name} is not cached: {reason}"))
            return await execute(request)
        if key is None:
            return await execute(request)
        labels = (f"tool:{tool.name}", *(f"tag:{tag}" for tag in self._tags))
        return await Lookup(self._caching, request, execute, name, f"{tool.name}:{key}", labels).run()

    def _key_of(self, request: ToolCallRequest, tool: Declaration) -> str | None:
        """The call's key; None where the arguments do not fit, so that the tool is not run anyway. Raises NoKey, which says why."""
        self._check_here(tool)
        vary = [(name, _of_context(request.runtime.context, name)) for name in self._vary]
        if self._key is not None:
            said = self._key(request)
            if said is None:
                raise NoKey("key= gave None")
        else:
            args = request.tool_call.get("args") or {}
            if not isinstance(args, dict):
                return None
            checked = tool.parameters.check({name: value for name, value in args.items() if name not in tool.injections})
            if checked.problems:
                return None
            said = checked.values
        return digest((self._fixed_of(tool), self._origin_of(tool), said, vary))

    def _check_here(self, tool: Declaration) -> None:
        """Raises NoKey for a tool that nobody checked before, since a wrapper supplied it."""
        try:
            self.check_tool(tool)
        except ValueError as error:
            raise NoKey(str(error)) from None

    def _fixed_of(self, tool: Declaration) -> str:
        """What of the key is the same for all calls of a tool: its name, version, code and parameters."""
        fixed = self._fixed.get(tool)
        if fixed is None:
            function = getattr(tool.function, "func", tool.function)
            code = [str(getattr(function, name, "")) for name in ("__module__", "__qualname__")]
            fixed = digest((tool.name, tool.version, code, tool.parameters.schema, tool.response_format))
            with self._lock:
                self._fixed[tool] = fixed
        return fixed

    def _origin_of(self, tool: Declaration) -> int:
        number = 0 if tool.version else self._origins.number(self._fixed_of(tool), tool.function)
        if number and not self._port.is_quick:
            raise NoKey(
                "another tool of the same name and code is cached here already, and the store cannot tell them apart; give each a version="
            )
        return number

    def invalidate(self, *, tool: str | None = None, key: str | None = None, tag: str | None = None) -> int:
        """Forgets the results of a tool, of a key (as events tell it) or of a tag; gives how many that were, by the store's account.

        What is being made meanwhile is given to its own call and not kept. TypeError where the store cannot forget.
        """
        given = [name for name in (tool, key, tag) if name is not None]
        if len(given) != 1:
            raise ValueError(f"invalidate: give one of tool, key and tag, found {len(given)}")
        self._caching.epoch += 1
        if key is not None:
            return self._port.forget(key=key)
        return self._port.forget(label=f"tool:{tool}" if tool is not None else f"tag:{tag}")


def _names(given: str | Collection[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _store(store: Any, max_entries: int) -> Any:
    """The store, with a limit where it has none."""
    if store is None:
        return MemoryCache(max_entries)
    if not callable(getattr(store, "get", None)) or not callable(getattr(store, "set", None)):
        raise TypeError(f"cached: a store has get and set, found {store!r}")
    if _is_client(store):
        from holter.tools.wrap.redis_cache import RedisCache

        return RedisCache(store)
    if getattr(store, "max_entries", 0) is None:
        store.max_entries = max_entries
    return store


def _is_client(store: Any) -> bool:
    """Whether it is a synchronous client of Redis or Valkey."""
    module = type(store).__module__
    return module.partition(".")[0] in ("redis", "valkey") and ".asyncio" not in module and hasattr(store, "pipeline")


def _of_context(context: Any, name: str) -> Any:
    """The context's value. Raises NoKey where it is missing or None: who it is for is not known then."""
    value = context
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
        if value is None:
            raise NoKey(f"vary names {name!r}, and the context has none")
    return value
