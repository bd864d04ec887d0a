"""Cuts a JSON array of any size into its items, block by block, without decoding them."""

import re
from collections.abc import Iterable, Iterator

import msgspec

_MARK = re.compile(rb'"(?:[^"\\]|\\.)*+"|["\[\]{}]', re.DOTALL)
_INSIDE_STRING = re.compile(rb'(?:[^"\\]|\\.)*+', re.DOTALL)


class Item(msgspec.Struct, frozen=True):
    """One item of the array that is itself an array or an object, as its bytes."""

    data: bytes
    position: int
    """Its place in the array, 0-based."""
    line: int
    """The line it begins on, from 1."""
    cut: bool = False
    """Whether the input ended inside it, or, where it has no bytes, before the array did."""
    follows: bool = False
    """Whether this is no item, but what stands behind the end of the array, as far as its block reaches."""


def split_array(blocks: Iterable[bytes]) -> Iterator[Item]:
    """The arrays and objects of the array that the blocks hold together, in order; numbers and texts between them are passed over.

    Memory is that of the longest item, work that of the whole. An array that does not end gives a last item with `cut`; text behind the
    array's end gives one last item with `follows`.
    """
    splitter = _Splitter()
    for block in blocks:
        yield from splitter.take(block)
        if splitter.ended:
            return
    yield from splitter.end()


class _Splitter:
    def __init__(self) -> None:
        self.ended = False
        """Whether text came behind the end of the array."""
        self._depth = 0
        self._closed = False
        self._in_string = False
        self._kept: list[bytes] = []
        """The beginning of the item that is open, from earlier blocks."""
        self._position = 0
        self._line = 1
        self._item_line = 1
        self._rest = b""

    def take(self, block: bytes) -> Iterator[Item]:
        data = self._rest + block
        self._rest = b""
        at = self._leave_string(data) if self._in_string else 0
        start = counted = 0
        between = at
        while not self._in_string and not self._closed and (mark := _MARK.search(data, at)):
            at = mark.end()
            first = data[mark.start()]
            if self._depth == 1:
                self._position += data.count(b",", between, mark.start())
                between = at
            if first in b"[{":
                self._depth += 1
                if self._depth == 2:
                    start = mark.start()
                    self._line += data.count(b"\n", counted, start)
                    self._item_line, counted = self._line, start
            elif first in b"]}":
                self._depth -= 1
                self._closed = self._depth <= 0
                if self._depth == 1:
                    self._kept.append(data[start:at])
                    between = at
                    yield self._item()
            elif at == mark.start() + 1:
                self._in_string = True
                self._leave_string(data, at)
        if self._closed:
            yield from self._behind(data, at, counted)
            return
        if self._depth == 1 and not self._in_string:
            self._position += data.count(b",", between)
        end = len(data) - len(self._rest)
        self._line += data.count(b"\n", counted, end)
        if self._depth > 1:
            self._kept.append(data[start:end])

    def _leave_string(self, data: bytes, at: int = 0) -> int:
        """Where the open string's closing quote ends, or the end of the data; a backslash that ends the block waits for what it escapes."""
        inside = _INSIDE_STRING.match(data, at)
        assert inside is not None
        end = inside.end()
        if end < len(data) and data[end] == 0x22:
            self._in_string = False
            return end + 1
        self._rest = data[end:]
        return len(data)

    def _behind(self, data: bytes, at: int, counted: int) -> Iterator[Item]:
        """Looks for text behind the end of the array."""
        text = data[at:].lstrip()
        self._line += data.count(b"\n", counted, len(data) - len(text))
        if text:
            self.ended = True
            yield Item(text, self._position, self._line, follows=True)

    def _item(self) -> Item:
        item = Item(b"".join(self._kept), self._position, self._item_line)
        self._kept = []
        return item

    def end(self) -> Iterator[Item]:
        if self._depth > 0:
            self._kept.append(self._rest if self._depth > 1 else b"")
            yield Item(b"".join(self._kept), self._position, self._item_line if self._depth > 1 else self._line, cut=True)
