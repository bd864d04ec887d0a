"""What a run is busy with at the moment, in a few words."""

from __future__ import annotations

from holter.journal.event import Event, MessageAdded, ModelFailed, ModelStarted, NodeEnded, RunEnded, ToolFailed, ToolStarted
from holter.messages import AIMessage, ToolMessage
from holter.render.control import one_line


class Status:
    """Nodes, a model and tools that have begun and not ended."""

    def __init__(self) -> None:
        self.nodes: dict[str, str] = {}
        """Task -> node, of the step that runs."""
        self._model = ""
        self._calls: dict[str | None, str] = {}

    def began(self, node: str, task: str) -> None:
        """Takes in that a task begins."""
        self.nodes[task] = node

    def hear(self, event: Event) -> None:
        """Takes in what happens."""
        match event:
            case ModelStarted():
                self._model = event.model
            case ModelFailed():
                self._model = f"{event.model}, again in {event.wait_s:g} s" if event.wait_s is not None else ""
            case ToolStarted():
                self._calls[event.call_id] = event.name
            case ToolFailed():
                self._calls[event.call_id] = f"{event.name}, again in {event.wait_s:g} s" if event.wait_s is not None else event.name
            case MessageAdded(message=ToolMessage(tool_call_id=call_id)):
                self._calls.pop(call_id, None)
            case MessageAdded(message=AIMessage()):
                self._model = ""
            case NodeEnded():
                self.nodes.pop(event.task, None)
            case RunEnded():
                self.nodes, self._model, self._calls = {}, "", {}
            case _:
                pass

    def __str__(self) -> str:
        busy = list(self._calls.values()) or ([self._model] if self._model else list(self.nodes.values()))
        return one_line(", ".join(dict.fromkeys(busy)))
