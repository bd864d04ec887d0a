"""Tries a call again when it failed in a way that may pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from holter.errors import InjectionError
from holter.journal.event import ToolFailed
from holter.tools.around import Around, Inner
from holter.tools.declaration import Declaration
from holter.tools.failure import exception_text, traceback_text
from holter.tools.request import Result, ToolCallRequest
from holter.tools.wrap.listening import Listening
from holter.tools.wrap.number import as_count, as_seconds
from holter.tools.wrap.wait import Wait, exponential

Attempts: TypeAlias = int | str | Callable[[ToolCallRequest], int]
"""How many tries: a number, the name of a value of the context, or what gives it for a request."""


class retry(Around):
    """Tries a call up to `attempts` times, as long as it raises one of `on`."""

    def __init__(
        self,
        on: type[Exception] | tuple[type[Exception], ...] = (ConnectionError, TimeoutError),
        *,
        attempts: Attempts = 3,
        wait: Wait | None = None,
        max_seconds: float | None = None,
        should_retry: Callable[[Exception], bool] | None = None,
        unsafe: bool = False,
        tools: Collection[str] | None = None,
    ) -> None:
        """`attempts` counts the first try, too. `wait` is by default `exponential(0.5, max=30)`. After `max_seconds` no try begins.
        `should_retry` says no to some of the exceptions.

        `unsafe` lets it try tools again that are not idempotent: what such a tool did before it failed, it may do twice.
        """
        super().__init__(tools)
        self._on = _kinds(on)
        self._attempts = as_count("retry: attempts", attempts) if isinstance(attempts, int) else attempts
        self._wait: Wait = exponential(0.5, max=30) if wait is None else wait
        self._max_seconds = None if max_seconds is None else as_seconds("retry: max_seconds", max_seconds)
        self._should_retry = should_retry
        self._unsafe = unsafe

    def check_tool(self, tool: Declaration) -> None:
        """Raises ValueError for a tool that is not idempotent."""
        if not (tool.idempotent or self._unsafe):
            raise ValueError(
                f"retry: {tool.name} is not idempotent, so that a second try may do a thing twice. Declare it @tool(idempotent=True) or "
                "read_only=True, name the others with tools=[…], or say unsafe=True"
            )

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result of the first try that raises nothing to be tried again; else the last failure is raised on."""
        limit = self._limit(request)
        tries = _Tries()
        while True:
            heard = Listening(request.runtime.emit, holds_failures=True)
            try:
                return await execute(heard.request(request))
            except self._on as error:
                tries.add(error)
                wait_s = self._next_wait(error, tries, limit, heard, request.tool)
                failure = heard.take()
                if wait_s is None:
                    tries.note(error)
                    if failure is not None:
                        heard.failure = msgspec.structs.replace(failure, traceback=traceback_text(error))
                    raise
                request.runtime.emit(msgspec.structs.replace(failure or _failure(request, error, tries), wait_s=wait_s))
            finally:
                if (rest := heard.take()) is not None:
                    request.runtime.emit(rest)
            tries.waited(wait_s)
            await execute.pause(wait_s)

    def _limit(self, request: ToolCallRequest) -> int:
        match self._attempts:
            case int(number):
                return number
            case str(name):
                return _count(_of_context(request.runtime.context, name), f"the context's {name}")
            case function:
                return _count(function(request), "what attempts gave")

    def _next_wait(self, error: Exception, tries: _Tries, limit: int, heard: Listening, tool: Declaration | None) -> float | None:
        """How long to wait before the next try; None when there is to be none."""
        if len(tries.errors) >= limit or not self._may(heard, tool) or (self._should_retry is not None and not self._should_retry(error)):
            return None
        wait_s = max(self._wait(len(tries.errors)) if callable(self._wait) else self._wait, 0.0)
        is_late = self._max_seconds is not None and tries.seconds + wait_s >= self._max_seconds
        return None if is_late else wait_s

    def _may(self, heard: Listening, tool: Declaration | None) -> bool:
        """Whether what failed may be run twice. A wrapper further in may have chosen another tool than the one that is seen here."""
        if self._unsafe:
            return True
        return tool is not None and tool.idempotent and (heard.started is None or heard.started.name == tool.name)


@dataclass(slots=True)
class _Tries:
    """What was tried so far."""

    errors: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def add(self, error: Exception) -> None:
        self.errors.append(exception_text(error))

    def waited(self, wait_s: float) -> None:
        self.waits.append(wait_s)

    def note(self, error: Exception) -> None:
        """Says in the notes of the last failure what came before it."""
        if len(self.errors) == 1:
            return
        lines = [
            f"{number}. {text}" + (f", then waited {self.waits[number - 1]:.3g} s" if number <= len(self.waits) else "")
            for number, text in enumerate(self.errors, 1)
        ]
        error.add_note("\n".join([f"tried {len(self.errors)} times in {self.seconds:.3g} s:", *lines]))


def _failure(request: ToolCallRequest, error: Exception, tries: _Tries) -> ToolFailed:
    """The event of a failure that did not come out of the tool's function, such as one of a wrapper."""
    name = str(request.tool_call.get("name"))
    return ToolFailed(
        call_id=request.runtime.tool_call_id,
        name=name,
        attempt=len(tries.errors),
        error=exception_text(error),
        traceback=traceback_text(error),
        unknown=bool(getattr(error, "unknown", False)),
    )


def _kinds(on: Any) -> tuple[type[Exception], ...]:
    kinds = on if isinstance(on, tuple) else (on,)
    if wrong := [kind for kind in kinds if not (isinstance(kind, type) and issubclass(kind, Exception))]:
        raise ValueError(f"retry: on is exception types, found {wrong[0]!r}")
    return kinds


def _of_context(context: Any, name: str) -> Any:
    value = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
    if value is None:
        raise InjectionError(f"retry wants the context's {name!r}, and the context has none")
    return value


def _count(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InjectionError(f"retry wants a number of tries from 1, and {what} is {value!r}")
    return value
