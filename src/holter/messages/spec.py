"""What a model is offered: one tool, as it was declared to it."""

from typing import Any

import msgspec


class ToolSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool that a request offered."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = {}
    """JSON Schema of the arguments."""
    strict: bool | None = None
    """Whether the provider was told to enforce the schema; None when it was not said."""
    extra: dict[str, Any] = {}
    """What else the declaration held: a hosted tool's own form stands here whole, with its `type`."""
