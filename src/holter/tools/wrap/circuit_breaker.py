"""Leaves a tool alone that fails again and again."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass

from holter.journal.event import ToolRefused
from holter.messages import ToolMessage
from holter.tools.around import Around, Inner
from holter.tools.failure import failed
from holter.tools.request import Result, ToolCallRequest
from holter.tools.wrap.listening import Listening
from holter.tools.wrap.number import as_count, as_seconds


@dataclass(slots=True)
class _Circuit:
    """What is known of one tool."""

    failures: int = 0
    """In a row."""
    opened: float | None = None
    """When it was opened, or None while it is closed."""
    trial: float | None = None
    """When the call that is let through was, while it runs."""


class circuit_breaker(Around):
    """Each tool has a circuit. After `failures` in a row it is open: calls are answered with an error at once. After `open_s` one call is
    let through: if it goes well the circuit is closed, else it is open again."""

    def __init__(self, failures: int = 5, open_s: float = 30.0, *, tools: Collection[str] | None = None) -> None:
        """A failure is what a tool raises, and an error that it answers with; arguments that do not fit are none."""
        super().__init__(tools)
        self._failures = as_count("circuit_breaker: failures", failures)
        self._open_s = as_seconds("circuit_breaker: open_s", open_s)
        self._circuits: dict[str, _Circuit] = {}
        self._lock = threading.Lock()

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result of a call that is let through, or one that says that the tool is left alone."""
        name = str(request.tool_call.get("name"))
        with self._lock:
            circuit = self._circuits.setdefault(name, _Circuit())
            reason = self._refusal(circuit)
        if reason is not None:
            request.runtime.emit(ToolRefused(call_id=request.runtime.tool_call_id, name=name, by="circuit_breaker", reason=reason))
            return failed(request.tool_call, f"Error: {name} was not run: {reason}. Go on without it for now.")
        heard = Listening(request.runtime.emit)
        try:
            result = await execute(heard.request(request))
        except Exception:
            self._failed(circuit)
            raise
        except BaseException:
            self._undecided(circuit)
            raise
        self._ended(circuit, result, heard)
        return result

    def _refusal(self, circuit: _Circuit) -> str | None:
        """Why a call is not let through. One that is let through an open circuit is the trial."""
        if circuit.opened is None:
            return None
        now = time.monotonic()
        left = circuit.opened + self._open_s - now
        is_tried = circuit.trial is not None and now - circuit.trial < self._open_s
        if left <= 0 and not is_tried:
            circuit.trial = now
            return None
        when = f"it is tried again in {max(round(left), 1)} s" if left > 0 else "it is being tried now"
        return f"it failed {circuit.failures} times in a row, and {when}"

    def _ended(self, circuit: _Circuit, result: Result, heard: Listening) -> None:
        is_error = isinstance(result, ToolMessage) and result.status == "error"
        if not is_error:
            with self._lock:
                circuit.failures, circuit.opened, circuit.trial = 0, None, None
        elif heard.started is not None:
            self._failed(circuit)
        else:
            self._undecided(circuit)

    def _failed(self, circuit: _Circuit) -> None:
        with self._lock:
            circuit.failures += 1
            if circuit.failures >= self._failures:
                circuit.opened, circuit.trial = time.monotonic(), None

    def _undecided(self, circuit: _Circuit) -> None:
        """The call said nothing about the tool: it was cancelled, asked a question, or was never run."""
        with self._lock:
            circuit.trial = None
