"""Opens a log: a file, bytes, or text, of whatever format, small or larger than memory.

Lines of JSON, `data:` lines and arrays of records are read as a stream; one JSON document is decoded whole; anything else is
searched as prose.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

from msgspec.structs import replace

from holter.errors import ReadError, UnknownFormat, UnreadFormat
from holter.formats import foreign
from holter.formats.array import split_array
from holter.formats.assemble import Assembler
from holter.formats.decode import Locator, json_inside, loose_json, strict_json, without_stub
from holter.formats.detect import NAMES, form_of
from holter.formats.document import search
from holter.formats.encoding import to_text
from holter.formats.finding import input_cut, text_damaged
from holter.formats.lines import Lines, is_lines
from holter.formats.literal import parse
from holter.formats.source import Progress, Source
from holter.messages import Conversation, Place

LARGEST_PROSE = 64 << 20
"""Bytes of text that are searched for logs; more of it is refused."""

_STREAMED_ARRAY = 16 << 20
"""Arrays from this size on, or of unknown size, are read item by item."""

_LONGEST_PATH = 4_096
_TEXT = re.compile(r"\s*(?:\ufeff|[\[{]|data:|content=|\w+(?:Message|MessageChunk|Snapshot)\()")


def read(source: str | bytes | os.PathLike[str]) -> list[Conversation]:
    """Every conversation of a file (its path), of bytes, or of text, in the order of the source.

    A string is a path when such a file exists, and text when it holds a line break or begins like a log. Raises `ReadError` (UnknownFormat,
    UnreadFormat) when there is none, and OSError when the file cannot be opened.
    """
    if isinstance(source, str) and _is_text(source):
        source = source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes):
        return list(iter_stream(BytesIO(source)))
    return list(iter_file(source))


def _is_text(source: str) -> bool:
    if "\n" in source or "\0" in source or len(source) > _LONGEST_PATH:
        return True
    return _TEXT.match(source) is not None and not os.path.exists(source)


def iter_file(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Iterator[Conversation]:
    """The conversations of a file, one after another, in bounded memory where the form allows: lines of JSON, `data:` lines, an
    array of records.

    Raises as `read` does, when the first conversation is asked for.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        yield from iter_stream(file, os.fspath(path), size=size, progress=progress)


def iter_stream(file: BinaryIO, name: str | None = None, *, size: int = 0, progress: Progress | None = None) -> Iterator[Conversation]:
    """The conversations of an open binary file, standard input for example; `size` is its length in bytes where that is known."""
    try:
        yield from _conversations(Source(file, size, progress), name)
    except ReadError as error:
        raise _named(error, name) from None


def _named(error: ReadError, name: str | None) -> ReadError:
    """The same error, with the source's name before its text."""
    if name is None:
        return error
    match error:
        case UnknownFormat():
            return UnknownFormat(f"{name}: {error.text}", error.tried)
        case UnreadFormat():
            return UnreadFormat(f"{name}: {error.kind}", error.detail)
        case _:
            return ReadError(f"{name}: {error}")


def _conversations(source: Source, name: str | None) -> Iterator[Conversation]:
    if not source.head.strip() and source.whole:
        raise ReadError("it is empty")
    binary = foreign.name_of_bytes(source.raw_head)
    if binary is not None:
        raise UnreadFormat(binary)
    if _is_binary(source.head if source.is_wide else source.raw_head):
        raise UnknownFormat("it is binary data of an unknown kind")
    if is_lines(source):
        yield from Lines(source, name).conversations()
    elif _is_large_array(source):
        yield from _array(source, name)
    else:
        yield from _whole(source, name)


_NULS = re.compile(rb"\0{16,}")
"""What a crash leaves where a block of a file was not written."""
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def _is_binary(head: bytes) -> bool:
    """Whether more than a tenth of the first bytes are control characters that no text holds."""
    sample = head[: 1 << 16]
    if b"\0" in sample:
        sample = _NULS.sub(b"", sample)
    sample = sample[:8_192]
    return not sample or len(_CONTROL.findall(sample)) * 10 > len(sample)


# Arrays


def _is_large_array(source: Source) -> bool:
    """Whether the source is an array of records, too large to be read at once; an array of messages is one conversation and is read
    whole."""
    if source.whole or source.head.lstrip()[:1] != b"[" or 0 < source.size < _STREAMED_ARRAY:
        return False
    first = next(split_array([source.head]), None)
    if first is None:
        return False
    return form_of([parse(to_text(first.data)[0], 0).value]) is None


def _array(source: Source, name: str | None) -> Iterator[Conversation]:
    """The conversations of a large array, item by item."""
    assembler = Assembler(name, lines_are_messages=False)
    for finding in source.findings:
        assembler.note(finding)
    for item in split_array(source.blocks()):
        if item.follows:
            assembler.note(text_damaged("what follows the end of the array was left out", Place(line=item.line)))
            break
        place = Place(path=f"[{item.position}]", index=item.position, line=item.line)
        if item.cut:
            assembler.note(input_cut("the file ends inside this item" if item.data else "the file ends before its array does", place))
            if not item.data:
                break
            value = without_stub(parse(to_text(item.data)[0], 0).value)
        else:
            try:
                value = strict_json(item.data)
            except ValueError:
                value = _loose_item(item.data, place, assembler)
        yield from assembler.take(value, place)
    yield from assembler.end()


def _loose_item(data: bytes, place: Place, assembler: Assembler) -> Any:
    text, findings = to_text(data)
    for finding in findings:
        assembler.note(replace(finding, line=place.line))
    try:
        value, findings = loose_json(text, lambda _: place)
    except ValueError:
        assembler.note(text_damaged("this item is not JSON; what could be read of it is shown", place))
        return parse(text, 0).value
    for finding in findings:
        assembler.note(finding)
    return value


# Whole documents


def _whole(source: Source, name: str | None) -> Iterator[Conversation]:
    """The conversations of one document: JSON, or text with logs inside it."""
    begins = source.head.lstrip()[:1]
    is_prose = begins not in (b"{", b"[", b'"')
    data = source.all(LARGEST_PROSE if is_prose else None)
    assembler = Assembler(name, lines_are_messages=False)
    for finding in source.findings:
        assembler.note(finding)
    _note_line_ends(data, assembler)
    try:
        value = strict_json(data)
    except ValueError:
        pass
    else:
        value = json_inside(value) if isinstance(value, str) else value
        if isinstance(value, dict | list):
            yield from assembler.take(value, Place())
            yield from assembler.end()
            return
    if is_prose and len(data) > LARGEST_PROSE:
        size = max(source.size, len(data)) >> 20
        raise ReadError(f"it is no JSON, and text is searched up to {LARGEST_PROSE >> 20} MB; this is {size} MB")
    yield from _text(data, assembler)


_LONE_FEED = re.compile(rb"(?<!\r)\n")


def _note_line_ends(data: bytes, assembler: Assembler) -> None:
    both = data.count(b"\r\n")
    lone = _LONE_FEED.search(data) if both else None
    if lone is None:
        return
    lines = data.count(b"\n")
    changed = data.count(b"\n", 0, max(lone.start(), data.index(b"\r\n"))) + 1
    text = f"line ends are mixed: {both} lines end in CR LF, {lines - both} in LF"
    assembler.note(text_damaged(text, Place(line=changed)))


def _text(data: bytes, assembler: Assembler) -> Iterator[Conversation]:
    text, findings = to_text(data)
    for finding in findings:
        assembler.note(finding)
    if re.match(r"\s*[\[{]", text):
        try:
            value, findings = loose_json(text, Locator(text))
        except ValueError:
            pass
        else:
            for finding in findings:
                assembler.note(finding)
            yield from assembler.take(value, Place())
            yield from assembler.end()
            return
    kind = foreign.name_of_text(text[:65_536])
    if kind is not None:
        raise UnreadFormat(kind)
    yield from search(text, assembler)


__all__ = ["LARGEST_PROSE", "NAMES", "Progress", "iter_file", "iter_stream", "read"]
