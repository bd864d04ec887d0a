"""Lets only so many calls run."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Mapping

from holter.journal.event import ToolRefused
from holter.tools.around import Around, Inner
from holter.tools.failure import failed
from holter.tools.request import Result, ToolCallRequest
from holter.tools.wrap.number import as_count

_MINUTE_S = 60.0


class limit_calls(Around):
    """Answers the calls that are over a limit with an error that says so. What counts are the calls that the model asked for, whatever
    became of them; the tries of a retry inside are one call."""

    def __init__(
        self,
        *,
        per_run: int | None = None,
        per_tool: int | None = None,
        per_minute: int | None = None,
        tools: Collection[str] | None = None,
    ) -> None:
        """`per_run` is for all the tools of one run together and `per_tool` for each of them, counted from the journal; `per_minute` for
        all the runs of this process that share this wrapper, in any 60 seconds."""
        super().__init__(tools)
        limits = {"per_run": per_run, "per_tool": per_tool, "per_minute": per_minute}
        if all(limit is None for limit in limits.values()):
            raise ValueError("limit_calls: give at least one of per_run, per_tool and per_minute")
        for name, limit in limits.items():
            if limit is not None:
                as_count(f"limit_calls: {name}", limit, 0)
        self._per_run, self._per_tool, self._per_minute = per_run, per_tool, per_minute
        self._recent: deque[float] = deque()
        self._lock = threading.Lock()

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result of a call within the limits, or one that names the limit."""
        name = str(request.tool_call.get("name"))
        reason = self._over_run(request, name) or self._over_minute()
        if reason is None:
            return await execute(request)
        request.runtime.emit(ToolRefused(call_id=request.runtime.tool_call_id, name=name, by="limit_calls", reason=reason))
        return failed(request.tool_call, f"Error: {name} was not run: {reason}.")

    def _over_run(self, request: ToolCallRequest, name: str) -> str | None:
        if self._per_run is None and self._per_tool is None:
            return None
        asked: Mapping[str, int] = request.runtime.asked() if request.runtime.asked is not None else {}
        if self._per_tool is not None and asked.get(name, 0) >= self._per_tool:
            return f"{name} may be called {_times(self._per_tool)} in a run, and that is used up; go on with what you have"
        whole = sum(count for tool, count in asked.items() if self.applies_to(tool))
        if self._per_run is not None and whole >= self._per_run:
            which = f" of {', '.join(sorted(self.tools))}" if self.tools is not None else ""
            return f"a run may make {_calls(self._per_run)}{which}, and they are used up; answer with what you have"
        return None

    def _over_minute(self) -> str | None:
        """Counts the call, or says when the next one may be made."""
        if self._per_minute is None:
            return None
        now = time.monotonic()
        with self._lock:
            while self._recent and now - self._recent[0] >= _MINUTE_S:
                self._recent.popleft()
            if len(self._recent) < self._per_minute:
                self._recent.append(now)
                return None
            wait_s = _MINUTE_S - (now - self._recent[0]) if self._recent else _MINUTE_S
        return f"only {_calls(self._per_minute)} a minute may be made; the next one in {max(round(wait_s), 1)} s"


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
