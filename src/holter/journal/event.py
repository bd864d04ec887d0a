"""What a journal holds: every kind of event, as a value. One union, one JSON form, told apart by `kind`.

Where an event stands (its `seq` in the thread, its time) is the journal's to say and not part of these values.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from holter.messages import Message


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="kind", gc=False):
    """What all events share: nothing but how they are told apart. None can be part of itself, so the garbage collector need not look."""

    @property
    def kind(self) -> str:
        """The event's kind: "message", "tool_started", …"""
        return str(self.__struct_config__.tag)


class ThreadCreated(_Event, frozen=True, tag="thread"):
    """A thread begins, on its own or as a fork."""

    forked_from: str | None = None
    """The thread it is a fork of."""
    at: int | None = None
    """The position in that thread up to which both are the same."""


class RunStarted(_Event, frozen=True, tag="run_started"):
    """A run begins."""

    run: str
    program: str = ""
    input: Any = None


class MessageAdded(_Event, frozen=True, tag="message"):
    """A message is part of the thread from here on."""

    message: Message
    node: str | None = None
    """The node that made it."""
    task: str | None = None
    """The task of the step that made it, as in `NodeEnded`; None where the step had only one, or the message comes from no step."""


class NodeEnded(_Event, frozen=True, tag="node"):
    """A node is done; left out where its messages show it already."""

    node: str
    task: str
    """Its place among the tasks: "3.0" is the first of step 3, "3.0.1" what the second call of that task wrote. Steps are numbered over the
    whole thread. Writes of one step count in the order of its tasks, whichever ended first."""
    writes: dict[str, Any] = {}
    """State fields as the node wrote them; `{"__overwrite__": value}` takes the place of what stood there, whatever the field's reducer."""
    sends: list[Any] = []
    """Where the graph goes on behind the task: a node's name; `{"node", "arg"}`, a run of a node with an input of its own; `{"node",
    "after"}`, a node that waits until all nodes in `after` have ended. Of a call ("3.0.1") where its command goes."""


class ModelStarted(_Event, frozen=True, tag="model_started"):
    """A model is being asked."""

    model: str
    attempt: int = 1


class ModelFailed(_Event, frozen=True, tag="model_failed"):
    """A model did not answer."""

    model: str
    attempt: int = 1
    error: str = ""
    wait_s: float | None = None


class ToolStarted(_Event, frozen=True, tag="tool_started"):
    """A tool's function is about to be entered."""

    call_id: str | None
    name: str
    attempt: int = 1


class ToolFailed(_Event, frozen=True, tag="tool_failed"):
    """An attempt at a tool failed."""

    call_id: str | None
    name: str
    attempt: int = 1
    error: str = ""
    """The exception's class and text."""
    traceback: str = ""
    wait_s: float | None = None
    """How long the next attempt waits; None when there is none."""
    unknown: bool = False
    """Whether the function may still be running: it was abandoned."""


class CacheHit(_Event, frozen=True, tag="cache_hit"):
    """A result came from a cache."""

    call_id: str | None
    name: str
    key: str = ""
    age_s: float | None = None
    """How long ago the result was made."""
    stale: bool = False
    """Whether it is older than it should be, and is being made anew."""
    waited: bool = False
    """Whether another call of the same was waited for."""
    rate: float | None = None
    """The share of hits among all that the cache was asked for so far, by this process."""


class CacheMissed(_Event, frozen=True, tag="cache_miss"):
    """A cache had no result."""

    call_id: str | None
    name: str
    key: str = ""
    rate: float | None = None
    """As in `CacheHit`."""


class CacheSkipped(_Event, frozen=True, tag="cache_skip"):
    """A cache was not asked, did not answer, or does not keep a result."""

    call_id: str | None
    name: str
    key: str = ""
    reason: str = ""
    """Why, as a sentence."""


class ToolRefused(_Event, frozen=True, tag="tool_refused"):
    """A wrapper answered a call without running it, because it must not run."""

    call_id: str | None
    name: str
    by: str = ""
    """The wrapper: "limit_calls"."""
    reason: str = ""


class Redacting(_Event, frozen=True, tag="redact"):
    """Texts that match are not to be shown: in this thread they are replaced wherever it leaves the journal, earlier events included."""

    patterns: list[str] = []
    """Regular expressions."""


class Interrupted(_Event, frozen=True, tag="interrupt"):
    """A question to a person, which the run waits for."""

    key: str
    """The call's id, or the node task; a second question of the same call is `id/1`."""
    value: Any = None


class Answered(_Event, frozen=True, tag="answer"):
    """The answer to a question."""

    key: str
    value: Any = None


class Repaired(_Event, frozen=True, tag="repair"):
    """Something that came in, or would have gone out, was put right."""

    code: str
    """The rule's code: "ARG02"."""
    text: str
    """What was done, as a sentence."""
    call_id: str | None = None
    raw: str | None = None
    """What it was before."""


class Noticed(_Event, frozen=True, tag="finding"):
    """A request broke a rule that no repair could keep, and was sent."""

    code: str
    """The rule's code: "RSN06"."""
    severity: Literal["error", "warning"]
    text: str
    """What is wrong, as a sentence."""


class Trimmed(_Event, frozen=True, tag="trimmed"):
    """Messages that a request left out."""

    first: int
    last: int


class Discarded(_Event, frozen=True, tag="discarded"):
    """Writes of one key that clashed."""

    key: str
    writers: list[str] = []


class LimitReached(_Event, frozen=True, tag="limit"):
    """A limit ended the run."""

    limit: str
    value: float | int | None = None
    text: str = ""
    """Which and where, as a sentence."""


class Cancelled(_Event, frozen=True, tag="cancelled"):
    """The run was cancelled."""

    reason: str = ""


class RunEnded(_Event, frozen=True, tag="run_ended"):
    """A run is over."""

    run: str
    status: Literal["done", "interrupted", "limit", "cancelled", "failed"] = "done"
    error: str = ""


Event: TypeAlias = (
    ThreadCreated
    | RunStarted
    | MessageAdded
    | NodeEnded
    | ModelStarted
    | ModelFailed
    | ToolStarted
    | ToolFailed
    | CacheHit
    | CacheMissed
    | CacheSkipped
    | ToolRefused
    | Redacting
    | Interrupted
    | Answered
    | Repaired
    | Noticed
    | Trimmed
    | Discarded
    | LimitReached
    | Cancelled
    | RunEnded
)
