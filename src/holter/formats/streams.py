"""The streams of one source that have begun and not ended."""

from collections.abc import Iterator
from typing import Any

from holter.formats import openai_stream
from holter.formats.form import StreamForm, StreamReader
from holter.messages import Place

_MOST_OPEN = 1_000
"""The oldest is ended when more are open: each costs memory, and a log with so many holds pieces of streams."""

_DONE_LOOKED_AT = 4
"""How many of the newest streams are looked at when a `[DONE]` comes."""


class OpenStreams:
    """Gives each event to the stream it belongs to. A conversation comes from every stream that ends."""

    def __init__(self) -> None:
        self._readers: dict[tuple[str, str | None], StreamReader] = {}
        """By form and key, the first begun first."""
        self._newest: dict[str, str | None] = {}
        """Key of the latest event, by form."""
        self._latest: tuple[str, str | None] | None = None
        """Form and key of the latest event."""
        self._not_done = 0
        """Streams that ended by themselves, whose `[DONE]` has not come."""

    def __bool__(self) -> bool:
        return bool(self._readers)

    def event(self, form: StreamForm, value: dict[str, Any], place: Place) -> Iterator[StreamReader]:
        """Takes in an event; yields the reader of each stream that has ended."""
        said = form.key(value)
        key = (form.name, said if said is not None else self._newest.get(form.name))
        if key in self._readers and form.starts(value):
            yield self._readers.pop(key)
        reader = self._readers.get(key)
        if reader is None:
            reader = self._readers[key] = form.open()
        self._latest, self._newest[form.name] = key, key[1]
        if reader.add(value, place):
            self._not_done += 1
            yield self._readers.pop(key)
        elif len(self._readers) > _MOST_OPEN:
            yield self._readers.pop(next(iter(self._readers)))

    def error(self, value: dict[str, Any], place: Place) -> StreamReader | None:
        """The stream of the latest event, ended by this error body; None where that is not open, or its events hold their errors."""
        if self._latest not in self._readers or self._latest[0] != openai_stream.NAME:
            return None
        reader = self._readers.pop(self._latest)
        reader.add(value, place)
        return reader

    def done(self) -> list[StreamReader]:
        """What a `[DONE]` ends: the streams that are whole; where none is, that of the latest event, unless one that ended by itself may be
        meant."""
        if len(self._readers) == 1 and not self._not_done:
            return self.end()
        newest = [*self._readers][-_DONE_LOOKED_AT:]
        asked = newest if self._latest in newest or self._latest not in self._readers else [self._latest, *newest]
        ended = [key for key in asked if _is_whole(self._readers[key])]
        if not ended and self._not_done:
            self._not_done -= 1
        elif not ended and self._latest in self._readers:
            ended = [self._latest]
        return [self._readers.pop(key) for key in ended]

    def end(self) -> list[StreamReader]:
        """All that are open, the first begun first."""
        readers, self._readers, self._newest = list(self._readers.values()), {}, {}
        return readers


def _is_whole(reader: StreamReader) -> bool:
    return all(finding.code != "READ01" for finding in reader.finish().findings)
