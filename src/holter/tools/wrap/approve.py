"""Asks a person before a call runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import deepcopy
from typing import Any
from weakref import WeakKeyDictionary

from holter.journal.event import ToolRefused
from holter.tools.approval import Decision, asked, declined
from holter.tools.around import Around, Inner
from holter.tools.command import Seat, seat
from holter.tools.failure import failed
from holter.tools.request import Result, ToolCallRequest


class approve(Around):
    """Stops with a question that holds the arguments. The answer is True, False or `{"grant": bool, "args": dict, "reason": str}`; with
    `args` the call runs with those, and the model's message stays as it wrote it."""

    def __init__(self, when: Callable[[ToolCallRequest], bool] | None = None, *, tools: Collection[str] | None = None) -> None:
        """`when` says which calls are asked about; None for all. It is asked anew when the run goes on, so it must say the same then."""
        super().__init__(tools)
        self._when = when
        self._decided: WeakKeyDictionary[Seat, list[tuple[dict[str, Any], Decision]]] = WeakKeyDictionary()
        """What was said of the calls that run now. A call that is tried again with the same arguments is asked about once."""

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result of a call that a person granted, or one that says that it was declined."""
        if self._when is not None and not self._when(request):
            return await execute(request)
        call = request.tool_call
        name = str(call.get("name"))
        decision = self._decision(name, call)
        if not decision.grant:
            text = declined(name, decision)
            request.runtime.emit(ToolRefused(call_id=request.runtime.tool_call_id, name=name, by="approve", reason=text))
            return failed(call, text)
        if decision.args is None:
            return await execute(request)
        return await execute(request.override(tool_call={**call, "args": deepcopy(decision.args)}))

    def _decision(self, name: str, call: dict[str, Any]) -> Decision:
        here = seat.get()
        if here is None:
            return asked(name, call)
        known = self._decided.setdefault(here, [])
        args = call.get("args") or {}
        for about, decision in known:
            if about == args:
                return decision
        decision = asked(name, call)
        known.append((deepcopy(args), decision))
        return decision
