"""Says it when a model asks for the same again and again, and gets the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from holter.journal.event import LimitReached, ToolRefused
from holter.messages import AIMessage, HumanMessage, ToolMessage
from holter.messages.content import text_block
from holter.tools.around import Around, Inner
from holter.tools.request import Result, ToolCallRequest
from holter.tools.wrap.cache_key import NoKey, digest
from holter.tools.wrap.number import as_count

_NOTE = "[Nothing changed: "


class limit_repeats(Around):
    """Counts equal calls with equal results since the newest human message. From the third on the result says that nothing changed; the
    fifth is an error, and the journal has a limit, at which an agent ends the run. A result that changes begins the count anew."""

    def __init__(self, tell: int = 3, stop: int = 5, *, messages_key: str = "messages", tools: Collection[str] | None = None) -> None:
        """`tell` and `stop` are the numbers of the call from which on it is said, and at which it ends."""
        super().__init__(tools)
        self._tell = as_count("limit_repeats: tell", tell, 2)
        self._stop = as_count("limit_repeats: stop", stop, self._tell)
        self._messages_key = messages_key

    async def wrap(self, request: ToolCallRequest, execute: Inner) -> Result:
        """The result, with what is to be said of it."""
        result = await execute(request)
        if not isinstance(result, ToolMessage):
            return result
        number = 1 + self._equal_before(request, result)
        if number < self._tell:
            return result
        name = str(request.tool_call.get("name"))
        said = f"{name} was called with these arguments {number} times, and the result is the same"
        if number < self._stop:
            return result.replace(content=_with_note(result.content, f"{_NOTE}{said}. Do something else, or answer with what you have.]"))
        request.runtime.emit(ToolRefused(call_id=request.runtime.tool_call_id, name=name, by="limit_repeats", reason=said))
        request.runtime.emit(LimitReached(limit="repeats", value=number))
        return result.replace(content=_with_note(result.content, f"{_NOTE}{said}. That is the limit; the run ends.]"), status="error")

    def _equal_before(self, request: ToolCallRequest, result: ToolMessage) -> int:
        """How many of the newest calls like this one had this result, one after the other."""
        try:
            wanted = digest((request.tool_call.get("name"), request.tool_call.get("args")))
            found = _without_note(result.content)
        except NoKey:
            return 0
        count = 0
        for call, earlier in _calls(request.state, self._messages_key):
            if call.get("name") != request.tool_call.get("name") or _digest(call) != wanted:
                continue
            if _without_note(earlier.content) != found:
                break
            count += 1
        return count


def _digest(call: Mapping[str, Any]) -> str | None:
    try:
        return digest((call.get("name"), call.get("args")))
    except NoKey:
        return None


def _calls(state: Any, messages_key: str) -> Iterator[tuple[Mapping[str, Any], ToolMessage]]:
    """The answered calls since the newest human message, newest first."""
    messages = state.get(messages_key) if isinstance(state, Mapping) else getattr(state, messages_key, state)
    results: dict[str | None, ToolMessage] = {}
    for message in reversed(messages) if isinstance(messages, Sequence) else ():
        match message:
            case HumanMessage():
                return
            case ToolMessage():
                results[message.tool_call_id] = message
            case AIMessage():
                yield from ((call, results.pop(call.get("id"))) for call in reversed(message.tool_calls) if call.get("id") in results)


def _with_note(content: Any, note: str) -> Any:
    return f"{content}\n\n{note}" if isinstance(content, str) else [*content, text_block(note)]


def _without_note(content: Any) -> Any:
    """The content as the tool gave it."""
    if isinstance(content, str):
        return content.rpartition(f"\n\n{_NOTE}")[0] if f"\n\n{_NOTE}" in content else content
    return [block for block in content if not (block.get("type") == "text" and str(block.get("text", "")).startswith(_NOTE))]
