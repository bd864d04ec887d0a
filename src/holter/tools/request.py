"""One call on its way to its tool: what wrappers see and may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from holter.messages import ToolMessage
from holter.tools.command import Command
from holter.tools.declaration import Declaration
from holter.tools.inject import ToolRuntime

Result: TypeAlias = "ToolMessage | Command[Any] | list[ToolMessage | Command[Any]]"
"""What a call comes to."""


@dataclass(slots=True)
class ToolCallRequest:
    """A call, its tool, and what surrounds it. Wrappers get one and hand one on."""

    tool_call: dict[str, Any]
    """A copy of the model's call."""
    tool: Declaration | None
    """None for a name that no tool has; a wrapper may supply one with `override(tool=…)`."""
    state: Any
    runtime: ToolRuntime[Any, Any]

    def override(self, **changes: Any) -> ToolCallRequest:
        """A copy in which the named fields are changed. Another state is the runtime's, too; a call with another name is one of the
        tool with that name, unless a tool is given."""
        copy = replace(self, **changes)
        if "state" in changes and "runtime" not in changes:
            copy.runtime = replace(copy.runtime, state=changes["state"])
        if "tool" not in changes and copy.tool_call.get("name") != self.tool_call.get("name"):
            copy.tool = None
        return copy


Execute: TypeAlias = Callable[[ToolCallRequest], Result]
AsyncExecute: TypeAlias = Callable[[ToolCallRequest], Awaitable[Result]]
Wrapper: TypeAlias = Callable[[ToolCallRequest, Execute], Result] | Callable[[ToolCallRequest, AsyncExecute], Awaitable[Result]]
"""`wrap_tool_call(request, execute)`: may call `execute` never, once or often, and gives the result."""
