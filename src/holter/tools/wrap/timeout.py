"""Ends a call that takes too long."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from holter.tools.around import Around, Inner
from holter.tools.enter import within
from holter.tools.request import Result, ToolCallRequest
from holter.tools.wrap.number import as_seconds


class timeout(Around):
    """Raises ToolTimeout, which is a TimeoutError, when what is inside takes longer than `seconds`: the tries of a retry and their waits
    together, or each try, as it stands outside or inside of that."""

    needs_loop: ClassVar[bool] = True

    def __init__(self, seconds: float, *, tools: Collection[str] | None = None) -> None:
        """A function that does not wait for anything cannot be ended: it is left running, and its call is unknown."""
        super().__init__(tools)
        self._seconds = as_seconds("timeout: seconds", seconds)

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result, if it comes in time."""
        return await within(str(request.tool_call.get("name")), self._seconds, execute(request))
