"""Holter's own journal as JSON lines: an event a line, as `holter run --json` and `holter threads export` write them.

`run --json`: `{"seq", "ts", "kind", …}` with the fields of the event; those of a run inside another have `inside`, the names of the tasks
around them. The export: `{"thread", "seq", "ts", "event": {"kind", …}}`, behind a first line `{"holter": "journal", "version": 1}`; before
the events of a fork may stand `{"thread", "shares": {"thread", "events"}}`: its first events are those of another thread.

What is lost: nothing of the messages, but for what the thread says is not to be shown (`redact`). Events of other kinds say how the list
came about, and are not shown; they are the conversation's `events`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import msgspec

from holter.formats.finding import elided, text_damaged
from holter.formats.form import StreamForm, moment
from holter.journal.entry import Entry
from holter.journal.event import Event, MessageAdded
from holter.journal.fold import Fold
from holter.messages import AIMessage, Conversation, Finding, Place
from holter.messages.message import Message
from holter.messages.usage import sound

NAME = "holter.journal"
_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Event))
_NO_FIELDS = ("seq", "ts", "inside")


def _sniff(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "kind" in value:
        return value["kind"] in _KINDS and "seq" in value and "ts" in value
    if value.get("holter") == "journal":
        return True
    return "thread" in value and (isinstance(value.get("shares"), dict) or ("seq" in value and isinstance(value.get("event"), dict)))


def _key(value: dict[str, Any]) -> str | None:
    if "thread" in value:
        return f"thread {value['thread']}"
    return f"run {inside}" if (inside := value.get("inside")) else "run"


class _Reader:
    """One thread."""

    def __init__(self) -> None:
        self._fold = Fold()
        self._place: Place | None = None
        self._thread: str | None = None
        self._places: dict[str | None, Place] = {}
        self._times: dict[str | None, Any] = {}
        self._findings: list[Finding] = []
        self._entries: list[Entry] = []

    def add(self, value: dict[str, Any], place: Place) -> bool:
        """Takes in the next line. A thread has no last one."""
        self._place = self._place or place
        self._thread = value.get("thread", self._thread)
        if "shares" in value:
            of = value["shares"].get("thread")
            self._findings.append(elided(f"its first {value['shares'].get('events')} events are those of thread {of!r}", place))
            return False
        given = value["event"] if "event" in value else {key: item for key, item in value.items() if key not in _NO_FIELDS}
        try:
            event: Event = msgspec.convert(given, type=Event)
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            self._findings.append(text_damaged(f"this event cannot be read: {error}", place))
            return False
        self.take(_sound(event), value.get("seq"), value.get("ts"), place)
        return False

    def take(self, event: Event, seq: Any, ts: Any, place: Place) -> None:
        """Takes in the next event."""
        time = moment(ts)
        before = self._entries[-1] if self._entries else Entry(-1, 0.0, event)
        self._entries.append(Entry(seq if isinstance(seq, int) else before.seq + 1, before.ts if time is None else time.timestamp(), event))
        if isinstance(event, MessageAdded):
            self._places[event.message.id] = place
            self._times[event.message.id] = time
        self._fold.add_new(event)

    def finish(self) -> Conversation:
        """The messages as they stand behind the last line."""
        messages = [self._timed(self._fold.redaction.struct(message)) for message in self._fold.messages()]
        return Conversation(
            format=NAME,
            messages=messages,
            places=[self._places.get(message.id, Place()) for message in messages],
            place=self._place or Place(),
            findings=self._findings,
            extra={} if self._thread is None else {"thread": self._thread},
            events=self._entries,
        )

    def _timed(self, message: Message) -> Message:
        time = self._times.get(message.id)
        return message if message.ts is not None or time is None else message.replace(ts=time)


def _sound(event: Event) -> Event:
    """The event without token counts that are none, in a file that somebody has changed."""
    if not isinstance(event, MessageAdded) or not isinstance(event.message, AIMessage) or event.message.usage_metadata is None:
        return event
    counted = sound(event.message.usage_metadata)
    if counted is event.message.usage_metadata:
        return event
    return msgspec.structs.replace(event, message=event.message.replace(usage_metadata=counted))


def conversation_of(thread: str, entries: Iterable[Entry]) -> Conversation:
    """The conversation of a thread, from its first entry on."""
    reader = _Reader()
    for entry in entries:
        reader.take(entry.event, entry.seq, entry.ts, Place(index=entry.seq))
    return msgspec.structs.replace(reader.finish(), source=thread, extra={"thread": thread})


STREAM = StreamForm(
    name=NAME,
    title="Holter's journal",
    sniff=_sniff,
    key=_key,
    starts=lambda value: value.get("seq") == 0 and "kind" in value and value["kind"] == "run_started" and not value.get("inside"),
    open=_Reader,
    passes=lambda value: "holter" in value and "thread" not in value and "kind" not in value,
)
