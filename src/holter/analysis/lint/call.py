"""A call as the rules see it."""

from __future__ import annotations

from typing import Any

import msgspec


class Call(msgspec.Struct, frozen=True, eq=False):
    """One call of a conversation."""

    message: int
    """Position of the message that made it."""
    position: int
    """Place among that message's calls."""
    call: dict[str, Any]
    result: int | None
    """Position of its result; None while it has none."""

    @property
    def id(self) -> str | None:
        """The id; None where it has none, or no text for one."""
        found = self.call.get("id")
        return found if isinstance(found, str) else None

    @property
    def name(self) -> str | None:
        """The tool's name as the model wrote it."""
        found = self.call.get("name")
        return found if isinstance(found, str) else None

    @property
    def is_valid(self) -> bool:
        """Whether the arguments were one JSON object."""
        return self.call.get("type") != "invalid_tool_call"

    @property
    def args(self) -> dict[str, Any]:
        """The arguments of a valid call."""
        args = self.call.get("args")
        return args if isinstance(args, dict) else {}

    @property
    def raw(self) -> Any:
        """The arguments as they stood, of an invalid call."""
        return self.call.get("args")
