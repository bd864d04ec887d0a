"""What the tests of wrappers share: calls, ways to run them, and the events that come of it."""

import asyncio
from collections.abc import Callable
from typing import Any

from holter.graph import ToolNode
from holter.journal.event import Event
from holter.messages import AIMessage, ToolMessage

Way = Callable[..., Any]


def in_sync(node: ToolNode, given: Any, **options: Any) -> Any:
    """As a synchronous caller does it."""
    return node.invoke(given, **options)


def in_async(node: ToolNode, given: Any, **options: Any) -> Any:
    """As an asynchronous caller does it."""
    return asyncio.run(node.ainvoke(given, **options))


WAYS = [in_sync, in_async]


def call(name: str, call_id: str = "c1", **args: Any) -> dict[str, Any]:
    """A call."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def asking(*calls: dict[str, Any]) -> list[Any]:
    """A history that ends with these calls."""
    return [AIMessage("", tool_calls=list(calls))]


class Recorded:
    """Runs calls through a node and keeps the events."""

    def __init__(self, node: ToolNode, way: Way = in_sync, **options: Any) -> None:
        self.node, self.way, self.options = node, way, options
        self.events: list[Event] = []

    def __call__(self, name: str, call_id: str = "c1", **args: Any) -> ToolMessage:
        """The message that answers one call."""
        message = self.way(self.node, asking(call(name, call_id, **args)), emit=self.events.append, **self.options)[0]
        assert isinstance(message, ToolMessage)
        return message

    @property
    def kinds(self) -> list[str]:
        """The kinds of the events so far."""
        return [event.kind for event in self.events]

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]
