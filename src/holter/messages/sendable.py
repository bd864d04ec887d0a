"""From what is there to what a provider accepts: every call answered right behind it, no result without its call."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Literal

from holter.messages.content import Block
from holter.messages.message import NO_CALLS, AIMessage, Message, ToolMessage
from holter.messages.pairs import CallRef, Pairing

UNKNOWN = "No result was recorded for this call: it may or may not have run."
"""What the result of an unanswered call says."""


def sendable(messages: Sequence[Message], *, unique_ids: Literal["message", "history"] = "message") -> list[Message]:
    """The history as it can be sent: open calls are closed with an error result that says so, results stand in call order right behind
    their message, results of no call are left out, every call has an id and its result the same one.

    Ids are unique in each message; a later one that comes again is renamed on both sides ("c1", "c1_2"; Anthropic allows no "#" in ids).
    In a later turn OpenAI takes an id again, and real logs use it; Anthropic refuses it, so `unique_ids="history"` renames there too.

    A valid history comes back equal, made of the same objects; whatever is not a tool message is always kept. What was renamed stays so
    when the history grows.
    """
    pairing = Pairing(messages)
    ids = _Ids()
    sent: list[Message] = []
    for position, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            continue
        refs = pairing.of(position)
        if isinstance(message, AIMessage) and refs:
            if unique_ids == "message":
                ids = _Ids()
            new = ids.of(refs)
            sent.append(_with_ids(message, refs, new))
            sent += [_result(messages, ref, call_id) for ref, call_id in zip(refs, new, strict=True)]
        else:
            sent.append(message)
    return sent


class _Ids:
    """Hands out ids that were not handed out before."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._tries: dict[str, int] = {}

    def of(self, refs: list[CallRef]) -> list[str]:
        """An id for each call of one message: its own, else one made from it, or from its position where it has none."""
        own = {ref.call["id"] for ref in refs if ref.call.get("id")}
        ids: list[str] = []
        for ref in refs:
            call_id = ref.call.get("id")
            if not call_id or call_id in self._given:
                call_id = self._made(call_id or f"call_{ref.message}_{ref.position}", own)
            self._given.add(call_id)
            ids.append(call_id)
        return ids

    def _made(self, base: str, own: set[str]) -> str:
        """The first of `base`, `base_2`, `base_3`, … that is neither given yet nor another call's own."""
        made = base
        while made in self._given or made in own:
            self._tries[base] = self._tries.get(base, 1) + 1
            made = f"{base}_{self._tries[base]}"
        return made


def _result(messages: Sequence[Message], ref: CallRef, call_id: str) -> Message:
    if ref.result is None:
        return ToolMessage(UNKNOWN, tool_call_id=call_id, name=ref.call.get("name"), status="error")
    result = messages[ref.result]
    assert isinstance(result, ToolMessage)
    return result if result.tool_call_id == call_id else result.replace(tool_call_id=call_id)


def _with_ids(message: AIMessage, refs: list[CallRef], ids: list[str]) -> AIMessage:
    """The message with these ids for its calls, also where its content marks their places; itself when it has them already."""
    if all(ref.call.get("id") == call_id for ref, call_id in zip(refs, ids, strict=True)):
        return message
    invalid = {id(call) for call in message.invalid_tool_calls}
    calls = [(id(ref.call) in invalid, {**ref.call, "id": call_id}) for ref, call_id in zip(refs, ids, strict=True)]
    return message.replace(
        content=message.content if isinstance(message.content, str) else list(_renamed_marks(message.content, refs, ids)),
        tool_calls=[call for is_invalid, call in calls if not is_invalid],
        invalid_tool_calls=[call for is_invalid, call in calls if is_invalid] or NO_CALLS,
    )


def _renamed_marks(blocks: list[Block], refs: list[CallRef], ids: list[str]) -> Iterator[Block]:
    """The blocks; the first mark of an id takes the new id of the first call of that id, and so on."""
    new_ids: dict[str, deque[str]] = defaultdict(deque)
    for ref, call_id in zip(refs, ids, strict=True):
        new_ids[ref.call.get("id") or ""].append(call_id)
    for block in blocks:
        waiting = new_ids.get(block.get("id") or "") if block.get("type") == "tool_call" else None
        yield {**block, "id": waiting.popleft()} if waiting else block
