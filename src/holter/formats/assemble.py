"""From the values of a source, one after another, to its conversations.

A value may be a whole record, one event of a stream, or one message of a list that stands a line each; what belongs together is put
together here, and what nobody recognises is counted and said once.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from holter.errors import UnknownFormat, UnreadFormat
from holter.formats import foreign, langchain_json, langchain_message, openai_chat, openai_message
from holter.formats.beginning import Beginnings
from holter.formats.detect import NAMES, form_of, stream_of
from holter.formats.finding import Tally, text_damaged, unknown_kept
from holter.formats.form import Form, StreamForm, StreamReader, inside
from holter.formats.streams import OpenStreams
from holter.formats.wrapper import found_inside
from holter.messages import Conversation, Finding, Place

_NO_CONVERSATION = "a value that is no conversation"
_POSITION = re.compile(r"\[(\d+)\]")
_ONLY_POSITIONS = re.compile(r"(?:\[\d+\])*")
_SHAPES_KNOWN = 1_000
_SHAPE_TRIES = 8
"""How many values with the same fields are asked for their foreign name: the question costs more than reading them."""


class Assembler:
    """Takes values and findings in the order of the source and gives conversations. Each call yields what has become complete."""

    def __init__(self, source: str | None, *, lines_are_messages: bool) -> None:
        self.source = source
        self.position = 0
        """The position that the next conversation gets."""
        self.locate: Callable[[Place], Place] | None = None
        """Gives the line and column of a place inside a value; None where a value's own place is all that is known."""
        self.lines_are_messages = lines_are_messages
        """Whether messages that stand alone, one behind another, are one conversation."""
        self._streams = OpenStreams()
        self._loose: list[tuple[Any, Place]] = []
        self._loose_form: str | None = None
        self._findings: list[Finding] = []
        self._noted = Tally()
        self._unread: dict[str, tuple[int, Place]] = {}
        self._refused: UnreadFormat | None = None
        self._held: Conversation | None = None
        self._beginnings = Beginnings()
        self._keys: frozenset[str] | None = None
        """The fields of the last record that a format took: one with the same fields is hardly a stream event or a foreign log."""
        self._was_chat = False
        self._shapes: dict[tuple[str, ...], int] = {}
        """Fields of values that have no foreign name, and how many of them were asked."""

    def recognises(self, value: Any) -> bool:
        """Whether a value is, or holds, something that is read."""
        if form_of(value) is not None or stream_of(value) is not None:
            return True
        return isinstance(value, dict | list) and next(found_inside(value, Place(), self._is_foreign), None) is not None

    def flush(self, *, parts: bool = True) -> Iterator[Conversation]:
        """Ends what stands alone so far: other text follows. Without `parts` only messages, and no parts of a stream."""
        if self._loose and (parts or self._loose_form != "parts"):
            yield from self._end_loose()

    def take(self, value: Any, place: Place) -> Iterable[Conversation]:
        """Takes in the next value."""
        if not self._loose and (form := self._form_like_last(value)) is not None:
            return self._read(form, value, place)
        return self._take(value, place)

    def keep(self, conversation: Conversation) -> Iterator[Conversation]:
        """Takes in a conversation that is read already."""
        yield from self.flush()
        yield from self._hold([conversation])

    def note(self, finding: Finding) -> None:
        """Takes in a finding about the source; it comes with the next conversation, or with the last one. Many of one kind are counted."""
        if self.locate is not None and finding.path:
            at = self.locate(Place(path=finding.path, line=finding.line, column=finding.column))
            finding = replace(finding, line=at.line, column=at.column)
        if self._noted.counts(finding):
            self._findings.append(finding)

    def done(self) -> Iterator[Conversation]:
        """Ends the streams that a `[DONE]` closes."""
        for reader in self._streams.done():
            yield from self._finish(reader)

    def end_streams(self) -> Iterator[Conversation]:
        """Ends the streams that are open: nothing of them follows."""
        for reader in self._streams.end():
            yield from self._finish(reader)

    def end(self) -> Iterator[Conversation]:
        """Ends the source. Raises UnreadFormat or UnknownFormat when nothing in it was a conversation."""
        yield from self._end_loose()
        yield from self.end_streams()
        if self._held is None:
            raise self._refused or UnknownFormat("nothing in it was recognised as a conversation", NAMES)
        for what, (count, place) in self._unread.items():
            self._findings.append(text_damaged(f"{what} was left out" + (f" ({count} times)" if count > 1 else ""), place))
        self._findings += self._noted.rest()
        last, self._held = self._held, None
        yield replace(last, findings=[*last.findings, *(replace(f, conversation=last.position) for f in self._findings)])

    # Values

    def _take(self, value: Any, place: Place) -> Iterator[Conversation]:
        form = self._form_like_last(value)
        if form is None:
            if (kind := self._loose_kind(value)) is not None:
                yield from self._take_loose(kind, value, place)
                return
            if isinstance(value, dict):
                stream = stream_of(value)
                if stream is not None:
                    yield from self._event(stream, value, place)
                    return
                if self._is_foreign(value):
                    self._take_foreign(str(foreign.name_of(value)), place)
                    return
                if (error := foreign.error_body(value)) is not None:
                    yield from self._take_error(value, error, place)
                    return
            form = form_of(value)
        if self._loose:
            yield from self._end_loose()
        if form is None:
            yield from self._unrecognised(value, place)
            return
        self._keys = frozenset(value) if isinstance(value, dict) else None
        self._was_chat = form is openai_chat.CHAT_FORM
        yield from self._read(form, value, place)

    def _form_like_last(self, value: Any) -> Form | None:
        """The form of a record with the same fields as the last one. Where the messages leave no doubt, nobody else is asked: the questions
        cost a tenth of the reading time."""
        if value.__class__ is not dict or value.keys() != self._keys:
            return None
        return openai_chat.CHAT_FORM if self._was_chat and openai_chat.is_marked(value) else form_of(value)

    def _read(self, form: Form, value: Any, place: Place) -> list[Conversation]:
        try:
            conversations = form.read(value, place)
        except UnreadFormat as error:
            self._refuse(error, place)
            return []
        return self._hold(conversations)

    # Messages that stand alone

    def _loose_kind(self, value: Any) -> str | None:
        if not isinstance(value, dict | list):
            return None
        if isinstance(value, dict) and self.lines_are_messages:
            if openai_message.is_message(value) and form_of(value) is openai_chat.CHAT_FORM:
                return openai_chat.CHAT
            if langchain_message.kind_of(value) is not None:
                return langchain_json.NAME
        return "parts" if langchain_json.is_stream_part(value) else None

    def _take_loose(self, kind: str, value: Any, place: Place) -> Iterator[Conversation]:
        if kind != self._loose_form:
            yield from self._end_loose()
        self._loose_form = kind
        self._loose.append((value, place))

    def _end_loose(self) -> Iterator[Conversation]:
        loose, form, self._loose, self._loose_form = self._loose, self._loose_form, [], None
        if not loose:
            return
        yield from self._hold(_loose_conversations(loose, form))

    # Streams

    def _event(self, form: StreamForm, value: dict[str, Any], place: Place) -> Iterator[Conversation]:
        if self._loose:
            yield from self._end_loose()
        if form.passes(value):
            return
        for reader in self._streams.event(form, value, place):
            yield from self._finish(reader)

    def _finish(self, reader: StreamReader) -> list[Conversation]:
        try:
            return self._hold([reader.finish()])
        except UnreadFormat as error:
            self._refuse(error, Place())
            return []

    # Values that are no conversation

    def _is_foreign(self, value: dict[str, Any]) -> bool:
        """Whether a value is refused by name."""
        shape = tuple(value)
        tries = self._shapes.get(shape, 0)
        if tries >= _SHAPE_TRIES:
            return False
        if foreign.name_of(value) is not None:
            return True
        if len(self._shapes) < _SHAPES_KNOWN or tries:
            self._shapes[shape] = tries + 1
        return False

    def _take_foreign(self, name: str, place: Place) -> None:
        self._refused = self._refused or UnreadFormat(name)
        self._leave_out(f"{name}; not read yet:", place)

    def _take_error(self, value: dict[str, Any], error: str, place: Place) -> Iterator[Conversation]:
        """Takes in an error body: it ends the stream that it came in, or stands for an answer that never was."""
        reader = self._streams.error(value, place)
        if reader is not None:
            yield from self._finish(reader)
        else:
            self._refuse(UnreadFormat(error, "it holds no messages"), place)

    def _refuse(self, error: UnreadFormat, place: Place) -> None:
        """Remembers why a value was not read; it is raised when nothing else in the source is."""
        self._refused = self._refused or error
        self.note(text_damaged(f"{error.kind} stands among the messages", place))

    def _leave_out(self, what: str, place: Place) -> None:
        count, first = self._unread.get(what, (0, place))
        self._unread[what] = count + 1, first

    def _unrecognised(self, value: Any, place: Place) -> Iterator[Conversation]:
        """Looks for conversations inside a list or a wrapper that nobody knows."""
        if isinstance(value, list) and value and stream_of(value[0]) is not None:
            for position, event in enumerate(value):
                yield from self._take(event, inside(place, position, index=position))
            yield from self.end_streams()
            return
        if isinstance(value, list):
            if (name := foreign.name_of(value)) is not None:
                self._take_foreign(name, place)
                return
            if (error := foreign.error_body(value)) is not None:
                self._refuse(UnreadFormat(error, "it holds no messages"), place)
                return
        found = list(found_inside(value, place, self._is_foreign)) if isinstance(value, dict | list) else []
        if not found:
            self._leave_out(_NO_CONVERSATION, place)
        elif isinstance(value, list):
            holding = {match[1] for _, _, at in found if (match := _POSITION.match(at.path, len(place.path)))}
            for position in range(len(value)):
                if str(position) not in holding:
                    self._leave_out(_NO_CONVERSATION, inside(place, position, index=position))
        for form, inner, at in found:
            if form is None:
                yield from self._take(inner, at)
                continue
            if not _ONLY_POSITIONS.fullmatch(at.path, len(place.path)):
                self.note(unknown_kept(f"read from inside {at.path!r}; the record's other fields are not shown", at))
            yield from self._read(form, inner, at)

    # Conversations on their way out

    def _hold(self, conversations: Iterable[Conversation]) -> list[Conversation]:
        """Holds back each in turn, and gives those that become complete; one without messages is no conversation."""
        found = []
        for conversation in conversations:
            if not conversation.messages:
                self._leave_out("a record without messages", conversation.place)
            elif (ready := self.hold(conversation)) is not None:
                found.append(ready)
        return found

    def hold(self, conversation: Conversation) -> Conversation | None:
        """Keeps this conversation back, so that what is found behind it can be said with it, and gives the one before it, now complete."""
        position, self.position = self.position, self.position + 1
        if self.locate is not None:
            conversation = _located(conversation, self.locate)
        shared = self._beginnings.shared_by(conversation, position)
        noted = self._findings
        if noted or conversation.findings or shared or conversation.position != position or conversation.source != self.source:
            findings = [replace(finding, conversation=position) for finding in (*noted, *conversation.findings)]
            self._findings = []
            conversation = replace(conversation, source=self.source, position=position, findings=findings, shared=shared)
        ready, self._held = self._held, conversation
        return ready


def _loose_conversations(loose: list[tuple[Any, Place]], form: str | None) -> Iterator[Conversation]:
    if form == "parts":
        yield from langchain_json.read_parts(loose)
        return
    reader = openai_chat.read_chat if form == openai_chat.CHAT else langchain_json.read
    for conversation in reader([value for value, _ in loose], loose[0][1]):
        whole = len(conversation.messages) == len(loose)
        places = [replace(at, index=index) for index, (_, at) in enumerate(loose)] if whole else conversation.places
        yield replace(conversation, places=places)


def _located(conversation: Conversation, locate: Callable[[Place], Place]) -> Conversation:
    """The conversation with the lines and columns of its places."""
    findings = []
    for finding in conversation.findings:
        at = locate(Place(path=finding.path or "", line=finding.line, column=finding.column))
        findings.append(replace(finding, line=at.line, column=at.column))
    return replace(
        conversation, places=[locate(place) for place in conversation.places], place=locate(conversation.place), findings=findings
    )
