"""Every field of a message that its lines do not show."""

from typing import Any

import msgspec
from rich.text import Text

from holter.messages import Message, Place
from holter.render.value import fields
from holter.render.view import View

_SHOWN = ("content", "name", "tool_calls", "invalid_tool_calls", "reasoning", "status")


def detail_lines(message: Message, place: Place | None, view: View) -> list[Text]:
    """One field after another, behind an empty line; nothing where there is nothing more to say."""
    values: dict[str, Any] = {name: getattr(message, name) for name in message.__struct_fields__ if name not in _SHOWN}
    if place is not None:
        values["place"] = msgspec.to_builtins(place)
    known = {name: value.isoformat() if name == "ts" else value for name, value in values.items() if value not in (None, {}, "")}
    return [Text(), *fields(known, view.width)] if known else []
