"""Server-sent events out of the bytes of a stream, wherever it is cut.

Source: HTML Living Standard, 9.2.6 (interpreting an event stream), seen 2026-11. Not kept: `id` and `retry`, which no provider uses.
"""

from __future__ import annotations

from typing import TypeAlias

Event: TypeAlias = tuple[str, bytes]
"""The event's type ("" where it has none) and its data."""


class EventDecoder:
    """Takes bytes as they come. Lines end with LF, CR or both; a cut may lie anywhere, also inside a character."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        """Pieces of the line that has not ended."""
        self._data: list[bytes] = []
        self._kind = ""
        self._is_first = True

    def feed(self, piece: bytes) -> list[Event]:
        """The events that these bytes complete."""
        if piece.startswith(b"data: ") and piece.find(b"\n") == len(piece) - 2 and piece.endswith(b"\n\n") and self._is_between(piece):
            return [("", piece[6:-2])]
        if b"\n" not in piece and b"\r" not in piece and not self._holds_return():
            self._open.append(piece)
            return []
        if self._open:
            piece = b"".join((*self._open, piece))
            self._open = []
        lines = piece.splitlines(keepends=True)
        # A CR at the end may be half of a CR LF.
        if lines and not lines[-1].endswith(b"\n"):
            self._open = [lines.pop()]
        return self._taken(lines)

    def end(self) -> list[Event]:
        """What is left when the stream is over: a last event that no empty line ends, as some servers send it."""
        lines, self._open = (b"".join(self._open).splitlines(), []) if self._open else ([], [])
        return [*self._taken(lines), *self._taken([b"\n"])]

    def _is_between(self, piece: bytes) -> bool:
        """Whether a piece that looks like one whole event is one: nothing is open, as when each event is sent by itself."""
        return not self._open and not self._data and not self._kind and not self._is_first and b"\r" not in piece

    def _holds_return(self) -> bool:
        return bool(self._open) and self._open[-1].endswith(b"\r")

    def _taken(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for whole_line in lines:
            line = whole_line.rstrip(b"\r\n")
            if self._is_first:
                self._is_first = False
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if self._data:
                    events.append((self._kind, self._data[0] if len(self._data) == 1 else b"\n".join(self._data)))
                    self._data = []
                self._kind = ""
            elif line.startswith(b"event:"):
                self._kind = line[6:].strip().decode("utf-8", "replace")
        return events
