"""The calls of the newest answer while their results come: shown in the order of the calls, each result at its call.

A result that comes before it is its call's turn waits, so that what is written reads as the timeline of the whole thread does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.text import Text

from holter.messages import CallRef, ToolMessage
from holter.render import gutter
from holter.render.call import brief
from holter.render.exchange import asking_lines, exchange_lines, result_lines
from holter.render.span import span
from holter.render.thread import Thread
from holter.render.view import View

_OPEN, _ASKS = "← no result yet", "← waits for an answer"


class Calls:
    """The calls that are waited for."""

    def __init__(self, thread: Thread, view: View) -> None:
        self._thread, self._view = thread, view
        self._waiting: list[CallRef] = []
        self._early: dict[int, ToolMessage] = {}
        """Results whose turn has not come, by the position of their call."""
        self._is_shown = False
        """Whether the first call that is waited for was written already."""
        self._left: dict[str | None, tuple[CallRef, int]] = {}
        """Calls that the run left open, by id: their result will stand at this position."""

    def ask(self, refs: list[CallRef]) -> Iterator[Text]:
        """The calls of a new answer come."""
        self._waiting, self._early, self._is_shown = list(refs), {}, False
        yield from self._next()

    def answer(self, message: ToolMessage) -> list[Text] | None:
        """A result comes; None when nobody waits for it, and nothing was taken in."""
        call_id = message.tool_call_id
        ref = next((ref for ref in self._waiting if ref.call.get("id") == call_id and ref.position not in self._early), None)
        if ref is not None:
            self._early[ref.position] = message
            return list(self._next())
        if call_id not in self._left:
            return None
        ref, at = self._left.pop(call_id)
        self._thread.put(at, message)
        return exchange_lines(self._thread, ref, self._view)

    def name_of(self, place: str) -> str | None:
        """The tool of the call that a run inside belongs to, by its task and its call's id; None where it belongs to none."""
        found = (ref.call for ref in self._waiting if ref.call.get("id") and place.endswith(f".{ref.call['id']}"))
        return next((brief(call) for call in found), None)

    def show(self) -> Iterator[Text]:
        """The call that is waited for, before something else is written that belongs to it."""
        if self._waiting and not self._is_shown:
            self._is_shown = True
            yield from asking_lines(self._waiting[0], self._view)

    def interrupt(self) -> Iterator[Text]:
        """Something else comes in between: what is waited for is shown as it stands."""
        for ref in self._waiting:
            if (result := self._early.pop(ref.position, None)) is not None:
                self._thread.add(result)
                yield from self._answered(ref)
            else:
                yield from self._show_open(ref)
            self._is_shown = False
        self._waiting = []

    def leave(self, asking: Collection[str]) -> Iterator[Text]:
        """The run ends: as `interrupt`, but results that come later have their place. `asking` are the ids of calls with open questions."""
        for ref in self._waiting:
            result = self._early.pop(ref.position, None)
            at = self._thread.add(result or ToolMessage("", tool_call_id=ref.call.get("id")))
            if result is not None:
                yield from self._answered(ref)
            else:
                self._left[ref.call.get("id")] = ref, at
                yield from self._show_open(ref, _ASKS if ref.call.get("id") in asking else _OPEN)
            self._is_shown = False
        self._waiting = []

    def _show_open(self, ref: CallRef, why: str = _OPEN) -> Iterator[Text]:
        """A call without its result."""
        if not self._is_shown:
            yield from asking_lines(ref, self._view)
        yield from gutter.blank([span(why, "dim")])

    def _next(self) -> Iterator[Text]:
        while self._waiting and self._waiting[0].position in self._early:
            ref = self._waiting.pop(0)
            self._thread.add(self._early.pop(ref.position))
            yield from self._answered(ref)
            self._is_shown = False
        if not self._view.beside:
            yield from self.show()

    def _answered(self, ref: CallRef) -> list[Text]:
        if self._is_shown:
            return result_lines(self._thread, ref, self._view.width, self._view)
        return exchange_lines(self._thread, ref, self._view)
