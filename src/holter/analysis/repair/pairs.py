"""Repairs of calls and results: what is open is closed, what is out of place is moved, ids are made to fit."""

from __future__ import annotations

import hashlib
import re

from holter.analysis.lint.rules.id_form_lost import raw_id
from holter.analysis.lint.untold import lacks_ids, untold_results
from holter.analysis.repair.draft import Draft, positions
from holter.messages import AIMessage, Finding, HumanMessage, Message, Pairing, SystemMessage, ToolMessage, sendable
from holter.messages.message import EMPTY, NO_CALLS

CONTINUED = "(The conversation so far was cut here.)"
"""What stands in front of a history whose beginning was cut away."""


def drop_messages(draft: Draft, found: list[Finding]) -> None:
    """Messages that say nothing and answer nothing go."""
    gone = set(positions(found))
    draft.messages = [message for at, message in enumerate(draft.messages) if at not in gone]


def pair(draft: Draft, found: list[Finding]) -> None:
    """The one orphan of a turn takes the id of the one open call there; then the history is made sendable."""
    draft.messages = _renamed(draft.messages)
    unique = "history" if any(f.code == "PAIR05" for f in found) else (draft.target.ids_unique_in if draft.target else "message")
    hidden, kept = _without_untold(draft)
    made = sendable(hidden, unique_ids=unique)
    draft.messages = [kept.get(id(message), message) for message in made]


def _without_untold(draft: Draft) -> tuple[list[Message], dict[int, Message]]:
    """The messages with a blank one in the place of each that belongs to a turn where nothing says which result answers which call, and
    what stood there, by the blank one's identity: to pair such a turn would be to guess."""
    messages = draft.messages
    pairing = Pairing(messages)
    turns = set() if lacks_ids(draft.form, draft.target, pairing) else set(untold_results(messages, pairing).values())
    places = turns | {at for at, ref in pairing.answered.items() if ref.message in turns}
    blank = {at: HumanMessage("") for at in places}
    kept = {id(blank[at]): messages[at] for at in places}
    return [blank.get(at, message) for at, message in enumerate(messages)], kept


def _renamed(messages: list[Message]) -> list[Message]:
    pairing = Pairing(messages)
    orphans: dict[int, list[int]] = {}
    for at in pairing.orphans:
        turn = next((ref.message for ref in reversed(pairing.calls) if ref.message < at), -1)
        between = range(turn + 1, at)
        if turn >= 0 and not any(isinstance(messages[step], AIMessage | HumanMessage | SystemMessage) for step in between):
            orphans.setdefault(turn, []).append(at)
    answered = {ref.call.get("id") for ref in pairing.calls if ref.result is not None}
    changed = list(messages)
    for turn, places in orphans.items():
        open_calls = [ref for ref in pairing.of(turn) if ref.result is None]
        result = messages[places[0]]
        if len(open_calls) == 1 and len(places) == 1 and isinstance(result, ToolMessage) and result.tool_call_id not in answered:
            changed[places[0]] = result.replace(tool_call_id=open_calls[0].call.get("id"))
    return changed


def merge_model_turns(draft: Draft, found: list[Finding]) -> None:
    """Neighbouring turns of the model become one; a history that a cut opened gets a user line in front."""
    del found
    merged: list[Message] = []
    for message in draft.messages:
        before = merged[-1] if merged else None
        if isinstance(message, AIMessage) and isinstance(before, AIMessage) and message.calls and not before.calls:
            merged[-1] = _joined(before, message)
        elif isinstance(message, AIMessage) and isinstance(before, AIMessage) and message.calls:
            merged += [HumanMessage("(continue)"), message]
        else:
            merged.append(message)
    draft.messages = merged
    open_history(draft, [])


def _joined(first: AIMessage, second: AIMessage) -> AIMessage:
    if isinstance(first.content, str) and isinstance(second.content, str):
        content: object = "\n\n".join(text for text in (first.content, second.content) if text)
    else:
        content = [*_blocks(first), *_blocks(second)]
    return second.replace(content=content)


def _blocks(message: AIMessage) -> list[dict[str, object]]:
    if isinstance(message.content, str):
        return [{"type": "text", "text": message.content}] if message.content else []
    return list(message.content)


def open_history(draft: Draft, found: list[Finding]) -> None:
    """A user line in front of a history that does not begin with one; results without their call go first."""
    del found
    orphans = set(Pairing(draft.messages).orphans)
    draft.messages = [message for at, message in enumerate(draft.messages) if at not in orphans]
    first = next((at for at, message in enumerate(draft.messages) if not isinstance(message, SystemMessage)), None)
    if first is not None and not isinstance(draft.messages[first], HumanMessage):
        draft.messages.insert(first, HumanMessage(CONTINUED))


def unique_message_ids(draft: Draft, found: list[Finding]) -> None:
    """The later message of two with one id gets a suffix."""
    for at in positions(found):
        message = draft.messages[at]
        if message.id is not None:
            draft.messages[at] = message.replace(id=_suffixed(draft.messages, message.id))
        else:
            own = message.extra.get("message_id")
            draft.messages[at] = message.replace(extra={**message.extra, "message_id": _suffixed(draft.messages, str(own))})


def _suffixed(messages: list[Message], base: str) -> str:
    ids = [message.id for message in messages] + [message.extra.get("message_id") for message in messages]
    taken = {one for one in ids if isinstance(one, str)}
    count = 2
    while f"{base}_{count}" in taken:
        count += 1
    return f"{base}_{count}"


def drop_halves(draft: Draft, found: list[Finding]) -> None:
    """Blocks of a provider's own tool whose other half is missing go."""
    gone = {(f.message, int(match[1])) for f in found if f.message is not None and (match := re.search(r"content\[(\d+)\]$", f.path or ""))}
    for at in positions(found):
        message = draft.answer(at)
        if message is not None and isinstance(message.content, list):
            kept = [block for number, block in enumerate(message.content) if (at, number) not in gone]
            draft.messages[at] = message.replace(content=kept or "(empty)")


def fit_ids(draft: Draft, found: list[Finding]) -> None:
    """Ids in the form that the target takes, the same on both sides; what fits stays."""
    del found
    target = draft.target
    if target is None:
        return
    limit, charset = target.demand("ID01"), target.demand("ID02")
    most = limit.limit if limit is not None and limit.limit is not None else 1 << 30
    pattern = re.compile(charset.pattern) if charset is not None and charset.pattern is not None else re.compile(r"(?s).*")

    def fitted(call_id: str | None) -> str | None:
        if not call_id or (len(call_id) <= most and pattern.fullmatch(call_id)):
            return call_id
        digest = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
        return next((made for made in (f"call_{digest[:24]}", digest[:9], digest) if pattern.fullmatch(made) and len(made) <= most), digest)

    for at, message in enumerate(draft.messages):
        if isinstance(message, AIMessage) and message.calls:
            draft.messages[at] = _with_ids(message, [fitted(call["id"]) for call in message.calls])
        elif isinstance(message, ToolMessage):
            draft.messages[at] = message.replace(tool_call_id=fitted(message.tool_call_id))


def restore_ids(draft: Draft, found: list[Finding]) -> None:
    """The model's own ids, where the log kept them, on both sides."""
    pairing = Pairing(draft.messages)
    for at in positions(found):
        message = draft.answer(at)
        if message is None:
            continue
        ids = [raw_id(message, place) or call["id"] for place, call in enumerate(message.calls)]
        for ref, call_id in zip(pairing.of(at), ids, strict=True):
            result = draft.result(ref.result) if ref.result is not None else None
            if result is not None and ref.result is not None:
                draft.messages[ref.result] = result.replace(tool_call_id=call_id)
        extra = {key: value for key, value in message.extra.items() if key != "raw_ids"}
        draft.messages[at] = _with_ids(message, ids).replace(extra=extra or EMPTY)


def _with_ids(message: AIMessage, ids: list[str | None]) -> AIMessage:
    """The message with these ids for its calls, in their order, also where its content marks them."""
    new = dict(zip(map(id, message.calls), ids, strict=True))
    by_old = {call["id"]: call_id for call, call_id in zip(message.calls, ids, strict=True)}
    content = message.content
    if isinstance(content, list):
        content = [
            {**block, "id": by_old.get(block.get("id"), block.get("id"))} if block.get("type") == "tool_call" else block
            for block in content
        ]
    return message.replace(
        content=content,
        tool_calls=[{**call, "id": new[id(call)]} for call in message.tool_calls],
        invalid_tool_calls=[{**call, "id": new[id(call)]} for call in message.invalid_tool_calls] or NO_CALLS,
    )
