"""Defects of what happened: in the journal of a run of Holter's, and between two requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.corpus.holter_runs import thread
from benchmarks.corpus.scene import Scene
from benchmarks.defect.defect import answer_at
from holter.analysis.lint import lint_cut, lint_thread, lint_trace
from holter.journal import Entry, Event
from holter.journal.event import CacheHit, Discarded, MessageAdded, Repaired, ToolFailed, ToolStarted
from holter.messages import AIMessage, Conversation, Finding, ToolMessage

_Made = tuple[list[Finding], int | None]
"""What is found, and the index that it has to have."""


class Happened:
    """The events of a run, and where its call stands among them."""

    def __init__(self, scene: Scene, call_id: str) -> None:
        self.entries, _ = thread(scene)
        self.call_id = call_id
        self.started = self._at(lambda event: isinstance(event, ToolStarted) and event.call_id == call_id)
        self.result = self._at(
            lambda event: (
                isinstance(event, MessageAdded) and isinstance(event.message, ToolMessage) and event.message.tool_call_id == call_id
            )
        )

    def _at(self, is_it: Callable[[Event], bool]) -> int:
        return next(at for at, entry in enumerate(self.entries) if is_it(entry.event))

    def found(self, at: int, *events: Event, ts: float | None = None) -> list[Finding]:
        """What is found when these events happened, too, at this position."""
        new = [Entry(0, self.entries[at - 1].ts if ts is None else ts, event) for event in events]
        entries = [*self.entries[:at], *new, *self.entries[at:]]
        return lint_thread(Entry(seq, entry.ts, entry.event) for seq, entry in enumerate(entries))


def _run_twice(run: Happened) -> _Made:
    return run.found(run.result + 1, ToolStarted(call_id=run.call_id, name="look")), run.result + 1


def _retried(run: Happened) -> _Made:
    failed = ToolFailed(call_id=run.call_id, name="look", error="TimeoutError: 5 s", unknown=True)
    return run.found(run.result, failed, ToolStarted(call_id=run.call_id, name="look", attempt=2)), run.result + 1


def _clash(run: Happened) -> _Made:
    return run.found(run.result + 1, Discarded(key="files", writers=["call a", "call b"])), None


def _no_message(run: Happened) -> _Made:
    event = Repaired(code="RUN04", text="a command came without a result", call_id=run.call_id)
    return run.found(run.result, event), run.result


def _cached_error(run: Happened) -> _Made:
    entry = run.entries[run.result]
    assert isinstance(entry.event, MessageAdded)
    failed = MessageAdded(message=entry.event.message.replace(status="error"), node=entry.event.node)
    run.entries[run.result] = Entry(entry.seq, entry.ts, failed)
    return run.found(run.result, CacheHit(call_id=run.call_id, name="look", key="k")), run.result + 1


def _of_another(run: Happened) -> _Made:
    """One entry of a cache serves this call and one with other arguments that was made before."""
    messages = [(at, entry.event.message) for at, entry in enumerate(run.entries) if isinstance(entry.event, MessageAdded)]
    made = next(at for at, m in messages if isinstance(m, AIMessage) and any(call["id"] == run.call_id for call in m.calls))
    (call,) = answer_at([message for at, message in messages if at == made], 0).tool_calls
    other = {**call, "id": "call_other", "args": {"city": "elsewhere"}}
    asked = MessageAdded(message=AIMessage("", tool_calls=[other]))
    answered = MessageAdded(message=ToolMessage("cold", tool_call_id="call_other"))
    hits = [CacheHit(call_id=call_id, name=call["name"], key="k") for call_id in ("call_other", run.call_id)]
    first = run.found(made, asked, hits[0], answered)
    assert not [finding for finding in first if finding.code == "RUN07"]
    before = [Entry(0, run.entries[made].ts, event) for event in (asked, hits[0], answered)]
    run.entries = [*run.entries[:made], *before, *run.entries[made:]]
    return run.found(run.result + 3, hits[1]), run.result + 3


def _back_in_time(run: Happened) -> _Made:
    event = Repaired(code="ARG02", text="decoded once more", call_id=run.call_id)
    return run.found(run.result, event, ts=run.entries[0].ts - 3600), run.result


def _other_order(run: Happened) -> _Made:
    """A cache whose key is the text of the arguments: a second run where a hit was due."""
    del run
    events: list[dict[str, Any]] = []
    for call_id, args in (("a", {"city": "Oslo", "day": 1}), ("b", {"city": "Oslo", "day": 1}), ("c", {"day": 1, "city": "Oslo"})):
        events.append({"type": "tool_call", "id": call_id, "name": "look", "args": args})
        events.append({"type": "cache_hit" if call_id == "b" else "tool_started", "id": call_id, "name": "look", "key": "k"})
        events.append({"type": "tool_result", "id": call_id, "content": "4 C"})
    return lint_trace(events), 6


def _other_settings(run: Happened) -> _Made:
    del run
    asked = {"model": "m", "tool_choice": "auto", "tools": ["look"]}
    events = [
        {"type": "model_request", "key": "k", "args": asked},
        {"type": "cache_hit", "key": "k", "args": {**asked, "tool_choice": "required"}},
    ]
    return lint_trace(events), 1


OF_JOURNALS: dict[str, Callable[[Happened], _Made]] = {
    "RUN01": _run_twice,
    "RUN02": _retried,
    "RUN03": _clash,
    "RUN04": _no_message,
    "RUN05": _other_order,
    "RUN06": _cached_error,
    "RUN07": _of_another,
    "RUN08": _other_settings,
    "RUN11": _back_in_time,
}
"""Rule -> how its defect gets into a run."""


def _behind_the_call(conversation: Conversation, at: int) -> _Made:
    return lint_cut(conversation.messages, conversation.messages[at + 1 :]), 0


def _nothing_left(conversation: Conversation, at: int) -> _Made:
    del at
    return lint_cut(conversation.messages, [conversation.messages[-1]]), None


def _hole(conversation: Conversation, at: int) -> _Made:
    return lint_cut(conversation.messages, [*conversation.messages[:at], *conversation.messages[at + 2 :]]), at - 1


def _altered(conversation: Conversation, at: int) -> _Made:
    block = {"type": "thinking", "thinking": "It is cold.", "signature": "c2lnbmVk"}
    text = conversation.messages[at + 2].text

    def thinking(thought: str) -> Sequence[Any]:
        said = AIMessage([{**block, "thinking": thought}, {"type": "text", "text": text}])
        return [*conversation.messages[: at + 2], said, *conversation.messages[at + 3 :]]

    return lint_cut(thinking("It is cold."), thinking("It is warm.")), at + 2


OF_CUTS: dict[str, tuple[Callable[[Conversation, int], _Made], frozenset[str]]] = {
    "TRIM01": (_behind_the_call, frozenset({"PAIR02", "RUN12"})),
    "TRIM02": (_nothing_left, frozenset()),
    "RUN12": (_hole, frozenset()),
    "RSN03": (_altered, frozenset()),
}
"""Rule -> how its defect gets between a history and what is left of it, and the rules that may speak beside it."""
