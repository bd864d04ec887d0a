"""How many calls a run asked for, as its journal has it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from holter.graph.recorder import Recorder
from holter.journal.entry import Entry
from holter.journal.event import MessageAdded
from holter.messages.message import AIMessage, ToolMessage
from holter.tools.drive import drive


class _Call(NamedTuple):
    id: str | None
    name: str


class Asked:
    """The calls of the newest run of a thread. The journal is read when somebody asks, and each time only what is new in it: a run in which
    nobody does pays nothing."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._next = recorder.fold.began
        self._messages: dict[str | int, list[_Call]] = {}
        """Calls by the id of their message; by its position where it has none."""
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def before(self, call_id: str | None) -> Mapping[str, int]:
        """How many calls of each tool stand before this one, in the order of the messages and of their calls; all, where it is none of
        them."""
        with self._lock:
            for entry in drive(self._recorder.journal.read(self._recorder.thread, self._next)):
                self._take(entry)
                self._next = entry.seq + 1
            counts = self._counts.copy()
            for calls in reversed(self._messages.values()):
                ids = [call.id for call in calls]
                is_here = call_id in ids
                counts.subtract(call.name for call in (calls[ids.index(call_id) :] if is_here else calls))
                if is_here:
                    return +counts
            return +self._counts

    def _take(self, entry: Entry) -> None:
        match entry.event:
            case MessageAdded(message=AIMessage() as message) if message.calls or message.id in self._messages:
                key = message.id if message.id is not None else entry.seq
                calls = [_Call(call.get("id"), str(call.get("name"))) for call in message.calls]
                self._counts.subtract(call.name for call in self._messages.pop(key, ()))
                self._counts.update(call.name for call in calls)
                self._messages[key] = calls
            case MessageAdded(message=ToolMessage(tool_call_id=call_id), node=None):
                self._leave_out(call_id)
            case _:
                pass

    def _leave_out(self, call_id: str | None) -> None:
        """A call of the input that the input answers is none of this run."""
        for calls in reversed(self._messages.values()):
            for call in calls:
                if call.id == call_id:
                    calls.remove(call)
                    self._counts[call.name] -= 1
                    return
