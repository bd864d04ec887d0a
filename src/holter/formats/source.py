"""A binary file that is read once from front to back, as UTF-8 whatever its encoding is."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeAlias

from holter.formats.encoding import encoding_of, mark_findings
from holter.messages import Finding

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (bytes read, bytes in all; 0 when unknown)."""

_HEAD = 1 << 20
_BLOCK = 1 << 18
"""Small enough to stay in a processor's cache: larger blocks are slower to cut."""
_LARGEST_READ = 1 << 24
_RETURNS = re.compile(rb"[\[{}\],][ \t]*\r|\r[ \t]*(?:[\[{}\]]|data:)")


def _ends_lines(head: bytes) -> bool:
    """Whether the carriage returns of a text end its lines; in JSON they might also stand in a string, against the rules."""
    return _RETURNS.search(head) is not None or not head.lstrip().startswith((b"{", b"["))


class Source:
    """The file, with its beginning at hand."""

    def __init__(self, file: BinaryIO, size: int = 0, progress: Progress | None = None) -> None:
        self.size = size
        """Its length in bytes; 0 when that is not known."""
        self.ends_open = False
        """Whether the last line, once it was read, had no line end."""
        self._file = file
        self._progress = progress
        self._done = 0
        self._decoder: codecs.IncrementalDecoder | None = None
        self._returns = False
        raw = self.raw_head = self._read(_HEAD)
        """The beginning as it stands in the file."""
        self.whole = len(raw) < _HEAD
        """Whether `head` is all there is."""
        codec, mark = encoding_of(raw, whole=self.whole)
        self.is_wide = codec.startswith(("utf-16", "utf-32"))
        """Whether NULs are a part of its encoding."""
        self.findings: list[Finding] = mark_findings(codec, mark)
        """What had to be accepted: another encoding, a byte order mark."""
        if codec != "utf-8":
            self._decoder = codecs.getincrementaldecoder(codec)("replace")
        self.head = self._as_utf8(raw[mark:] if mark else raw)
        """The beginning: about a mebibyte, or all there is."""
        if b"\r" in self.head and b"\n" not in self.head and _ends_lines(self.head):
            self._returns = True
            self.head = self.head.replace(b"\r", b"\n")

    def _read(self, count: int) -> bytes:
        parts = []
        while count > 0 and (part := self._file.read(min(count, _LARGEST_READ))):
            parts.append(part)
            count -= len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._done += len(data)
        if self._progress is not None and data:
            self._progress(self._done, self.size)
        return data

    def _as_utf8(self, data: bytes) -> bytes:
        """The bytes in UTF-8; lines that end in a carriage return alone end in a line feed."""
        if self._decoder is not None:
            data = self._decoder.decode(data, not data).encode()
        return data.replace(b"\r", b"\n") if self._returns else data

    def blocks(self) -> Iterator[bytes]:
        """Everything, in blocks."""
        yield self.head
        if not self.whole:
            while block := self._read(_BLOCK):
                yield self._as_utf8(block)

    def all(self, limit: int | None = None) -> bytes:
        """Everything at once; more than `limit` bytes when there is more than that."""
        if self.whole:
            return self.head
        return self.head + self._as_utf8(self._read(1 << 62 if limit is None else max(0, limit + 1 - len(self.head))))

    def extend_line(self, limit: int) -> None:
        """Lets the head reach to the end of the first line that is not blank, unless that is more than `limit` bytes away."""
        while not self.whole and len(self.head) < limit and b"\n" not in self.head.lstrip():
            more = self._read(len(self.head))
            self.whole = not more
            self.head += self._as_utf8(more)

    def lines(self) -> Iterator[bytes]:
        """Every line without its line feed; a carriage return stays.

        Lines are cut one by one: to split a block at once costs seven times as much, since all its lines are in memory together.
        """
        parts: list[bytes] = []
        for block in self.blocks():
            end = block.find(b"\n")
            if end < 0:
                parts.append(block)
                continue
            parts.append(block[:end])
            yield b"".join(parts)
            start = end + 1
            while (end := block.find(b"\n", start)) >= 0:
                yield block[start:end]
                start = end + 1
            parts = [block[start:]]
        last = b"".join(parts)
        if last:
            self.ends_open = True
            yield last
