"""Reads a source of which each line is a value: JSON lines, and the `data:` lines of server-sent events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from holter.formats import openai_line
from holter.formats.assemble import Assembler
from holter.formats.decode import json_inside, loose_json, strict_json, without_stub
from holter.formats.encoding import to_text
from holter.formats.finding import input_cut, recovered, text_damaged
from holter.formats.literal import Parsed, parse
from holter.formats.source import Source
from holter.messages import Conversation, Place

_LOOKED_AT = 10
"""Lines from the beginning that decide."""
_LONGEST_ARRAY = 16 << 20
"""A first line with a longer array is taken for the whole source."""
_CONTAINER = (b"{", b"[", b'"{', b'"[')
_EVENT = (b"event:", b":", b"id:", b"retry:")
"""Lines of server-sent events that hold no data."""
_BEGIN = re.compile(r"[\[{]")
_MOST_MISSES = 3
"""Lines that the fast reader declines before it is asked no more."""


def is_lines(source: Source) -> bool:
    """Whether the source begins with lines of JSON, or of server-sent events."""
    begins = source.head.lstrip()[:1]
    if begins == b"{":
        source.extend_line(1 << 62)
    elif begins == b"[":
        source.extend_line(_LONGEST_ARRAY)
    return _are_lines([line for raw in source.head.split(b"\n", 10 * _LOOKED_AT) if (line := raw.strip())], source.whole)


def _are_lines(lines: list[bytes], whole: bool) -> bool:
    first = lines[:_LOOKED_AT]
    events = [line for line in first if line.startswith((b"data:", *_EVENT))]
    if len(events) * 2 > len(first) and any(line.startswith(b"data:") for line in lines):
        return True
    if len(lines) < 2:
        return False
    if len(lines) == 2:
        return _is_json(lines[0]) and lines[1].startswith(_CONTAINER)
    complete = first if whole or len(lines) > len(first) else first[:-1]
    if all(map(_is_json, complete[:2])):
        return True
    return sum(map(_is_json, complete)) * 2 > len(complete) - _is_json(complete[0])


def _is_json(line: bytes) -> bool:
    if not line.startswith(_CONTAINER):
        return False
    try:
        value = strict_json(line)
    except ValueError:
        try:
            value, _ = loose_json(to_text(line)[0], lambda _: Place())
        except ValueError:
            return False
    return isinstance(value, dict | list) or (isinstance(value, str) and json_inside(value) is not None)


class Lines:
    """The lines of a source on their way to an assembler."""

    def __init__(self, source: Source, name: str | None) -> None:
        self._source = source
        self._assembler = Assembler(name, lines_are_messages=True)
        self._misses = 0
        self._ends = [0, 0]
        """Lines that end in LF, and in CR LF."""
        self._first_ends = [0, 0]
        """The first line that ends so."""

    def conversations(self) -> Iterator[Conversation]:
        """Every conversation of the lines. Raises as `Assembler.end` does."""
        assembler = self._assembler
        for finding in self._source.findings:
            assembler.note(finding)
        pending: tuple[bytes, int] | None = None
        ends = self._ends
        for number, raw in enumerate(self._source.lines(), 1):
            line = raw.strip()
            if not line:
                continue
            is_crlf = raw[-1] == 13
            ends[is_crlf] += 1
            if ends[is_crlf] == 1:
                self._first_ends[is_crlf] = number
            if pending is not None:
                yield from self._line(*pending, last=False)
                pending = None
            if self._misses < _MOST_MISSES and line[0] in b"[{":
                conversation = openai_line.read_line(line, number, assembler.source, assembler.position)
                if conversation is not None:
                    self._misses = 0
                    yield from assembler.flush()
                    if (ready := assembler.hold(conversation)) is not None:
                        yield ready
                    continue
                self._misses += 1
            pending = line, number
        if pending is not None:
            yield from self._line(*pending, last=True)
        self._note_ends()
        yield from assembler.end()

    def _note_ends(self) -> None:
        line_feeds, both = self._ends
        if self._source.ends_open and line_feeds:
            line_feeds -= 1
        if line_feeds and both:
            text = f"line ends are mixed: {both} lines end in CR LF, {line_feeds} in LF"
            self._assembler.note(text_damaged(text, Place(line=max(self._first_ends))))

    def _line(self, line: bytes, number: int, *, last: bool) -> Iterable[Conversation]:
        payload = line
        if line[0] not in b"{[":
            if line.startswith(_EVENT):
                return ()
            payload = line[5:].strip() if line.startswith(b"data:") else line
            if payload == b"[DONE]":
                return self._assembler.done()
        place = Place(line=number)
        try:
            value = strict_json(payload)
        except ValueError:
            return self._take(self._damaged(payload, place, last=last), place)
        if isinstance(value, dict | list):
            return self._assembler.take(value, place)
        return self._take([json_inside(value) if isinstance(value, str) else value], place)

    def _take(self, values: list[Any], place: Place) -> Iterator[Conversation]:
        for value in values:
            if isinstance(value, dict | list):
                yield from self._assembler.take(value, place)
            else:
                self._assembler.note(text_damaged("this line holds no conversation", place))

    def _damaged(self, line: bytes, place: Place, *, last: bool) -> list[Any]:
        """What can be read of a line that is not JSON as every reader takes it. What is wrong is noted."""
        text, findings = to_text(line)
        for finding in findings:
            self._assembler.note(replace(finding, line=place.line))
        if not text.strip():  # An empty `data:`, or NULs.
            return []
        try:
            value, findings = loose_json(text, lambda offset: Place(line=place.line, column=offset + 1))
        except ValueError:
            return self._salvaged(text, place, last=last)
        for finding in findings:
            self._assembler.note(finding)
        return [value]

    def _salvaged(self, text: str, place: Place, *, last: bool) -> list[Any]:
        """The conversations of a line that is damaged, or holds several values."""
        found = []
        at = 0
        while match := _BEGIN.search(text, at):
            parsed = parse(text, match.start())
            at = max(parsed.end, match.end())
            if self._assembler.recognises(parsed.value):
                found.append((match.start(), parsed))
        if not found:
            self._assembler.note(_nothing_read(text, place, last=last))
            return []
        self._note_salvaged(text, found, place, last=last)
        return [without_stub(parsed.value) if parsed.stopped == "end" else parsed.value for _, parsed in found]

    def _note_salvaged(self, text: str, found: list[tuple[int, Parsed]], place: Place, *, last: bool) -> None:
        note = self._assembler.note
        start, end = found[0][0], found[-1][1]
        if start:
            note(text_damaged("this line is not JSON; it was read from this column on", replace(place, column=start + 1)))
        if len(found) > 1:
            note(recovered(f"{len(found)} values stand on this line; each was read", place))
        if any(item.kind == "depth" for _, parsed in found for item in parsed.notes):
            note(text_damaged("nested too deeply; what is deeper was kept as text", place))
        elif end.stopped == "end":
            note(_cut(replace(place, column=end.end + 1), last=last))
        elif end.stopped or text[end.end :].strip():
            note(text_damaged("this line is not JSON; what stands before this column was read", replace(place, column=end.end + 1)))
        elif len(found) == 1 and not start:
            note(text_damaged("this line is not JSON; it was read as a literal", place))


def _cut(place: Place, *, last: bool) -> Any:
    return input_cut("the line ends inside a value" + ("; the file was cut" if last else ""), place)


def _nothing_read(text: str, place: Place, *, last: bool) -> Any:
    parsed = parse(text, 0) if text.startswith(("{", "[")) else None
    if parsed is not None and parsed.stopped == "end":
        return _cut(replace(place, column=parsed.end + 1), last=last)
    return text_damaged("this line is not JSON; it was left out", place)
