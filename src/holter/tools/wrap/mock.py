"""Gives results of the test's own in place of what tools would do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from copy import copy, deepcopy
from typing import Any

from holter.tools.around import Around, Inner
from holter.tools.declaration import Declaration
from holter.tools.outcome import ResultLimit, answered
from holter.tools.request import Result, ToolCallRequest

_LIMIT = ResultLimit(100_000)


class mock(Around):
    """Answers calls by the tool's name. Arguments are checked and events are made as if the tool ran; its function is not entered, nor are
    its own wrappers. Calls of other tools run."""

    def __init__(self, results: Mapping[str, Any], *, tools: Collection[str] | None = None) -> None:
        """`results`: tool name -> what the tool returns: a value; an exception, which is raised; a function, which is called with the
        tool's arguments; or a `list` of such, one for each call, of which the last stands for all later ones."""
        super().__init__(tools)
        for name, result in results.items():
            if isinstance(result, list) and not result:
                raise ValueError(f"mock: the list of results of {name} is empty; for a tool that returns an empty list give [[]]")
        self._results = dict(results)
        self._lock = threading.Lock()
        self.calls: list[dict[str, Any]] = []
        """The calls that were answered, in their order."""

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The mocked result, or that of the tool where there is none."""
        name = request.tool_call.get("name")
        if name not in self._results:
            return await execute(request)
        result = self._next(str(name), request.tool_call)
        if request.tool is not None:
            return await execute(request.override(tool=_stand_in(request.tool, lambda **kwargs: _given(result, kwargs))))
        value = _given(result, request.tool_call.get("args") or {})
        stand_in = Declaration(lambda: value, name=str(name))
        return answered(stand_in, request.runtime.tool_call_id, value, request.runtime.emit, _LIMIT)

    def _next(self, name: str, call: Mapping[str, Any]) -> Any:
        with self._lock:
            number = sum(1 for earlier in self.calls if earlier.get("name") == name)
            self.calls.append(deepcopy(dict(call)))
        result = self._results[name]
        return result[min(number, len(result) - 1)] if isinstance(result, list) else result


def _stand_in(tool: Declaration, function: Callable[..., Any]) -> Declaration:
    """The tool with another function and no wrappers."""
    other = copy(tool)
    other.function, other.wrappers, other.is_async, other.receiver = function, (), False, None
    return other


def _given(result: Any, kwargs: Mapping[str, Any]) -> Any:
    if isinstance(result, BaseException) or (isinstance(result, type) and issubclass(result, BaseException)):
        raise result
    return result(**kwargs) if callable(result) else deepcopy(result)
