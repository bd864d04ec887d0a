"""Standard output while a run goes on: what is written stays; on a terminal a line below says what the run is busy with."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from holter.cli.output import is_coloured, is_terminal, text_console, width, writing
from holter.render.wrap import shorten

if TYPE_CHECKING:
    from rich.text import Text

_CLEAR = "\r\x1b[K"


class Screen:
    """Takes what is to be written. What the program prints meanwhile goes to standard error, in lines of its own."""

    def __init__(self) -> None:
        self._out = sys.stdout
        self._console = text_console(self._out)
        self.is_live = is_terminal() and os.environ.get("TERM") != "dumb"
        """Whether a line can be taken back, so that deltas and the line below make sense."""
        self.lock = threading.RLock()
        """Who writes: the program may print from any thread."""
        self._is_line_open = False
        self._held = ""
        """What others printed while a line was being written."""
        self._is_aside_open = False
        """Whether others have begun a line: they may be asking something in it, so that it has to stay."""
        self._busy = self._status = ""
        self._since = 0.0

    def write(self, text: Text) -> None:
        """Writes the text as it is."""
        if not text.plain:
            return
        with self.lock, writing():
            self._clear()
            self._is_aside_open = False
            self._console.print(text, end="")
            self._is_line_open = not text.plain.endswith("\n")
            self._out.flush()
            self._put_held()

    def tell(self, busy: str) -> None:
        """Says what the run is busy with; an empty text says nothing. Told again, it says for how long."""
        if not self.is_live:
            return
        with self.lock, writing():
            if busy != self._busy:
                self._busy, self._since = busy, time.monotonic()
            is_shown = busy and not self._is_line_open and not self._is_aside_open
            elapsed_s = int(time.monotonic() - self._since)
            status = f"    {busy} …{f' {elapsed_s} s' if elapsed_s else ''}" if is_shown else ""
            if status != self._status:
                self._clear()
                self._show(shorten(status, width() - 1))
                self._out.flush()
                self._status = status

    def end_line(self) -> None:
        """Goes to the beginning of a line."""
        with self.lock, writing():
            self._clear()
            if self._is_line_open:
                self._out.write("\n")
                self._is_line_open = False
            self._out.flush()
            self._put_held()

    def put_aside(self, text: str) -> None:
        """Writes somebody else's text on standard error, when no line is being written."""
        with self.lock, writing():
            self._held += text
            self._put_held()

    def _put_held(self) -> None:
        if self._held and not self._is_line_open:
            self._clear()
            self._out.flush()
            held, self._held = self._held, ""
            sys.stderr.write(held)
            sys.stderr.flush()
            self._is_aside_open = not held.endswith("\n")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Within it, what anybody else prints goes to standard error."""
        aside = _Aside(self)
        with redirect_stdout(aside):
            try:
                yield
            finally:
                aside.flush()

    def _show(self, status: str) -> None:
        dim, plain = ("\x1b[2m", "\x1b[0m") if status and is_coloured() else ("", "")
        self._out.write(f"{dim}{status}{plain}")

    def _clear(self) -> None:
        if self._status:
            self._out.write(_CLEAR)
            self._status = ""


class _Aside(io.TextIOBase):
    """Where the program prints: whole lines go on at once, parts of lines when it flushes."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._part = ""

    def write(self, text: str) -> int:
        with self._screen.lock:
            *lines, self._part = (self._part + text).split("\n")
            if lines:
                self._screen.put_aside("".join(f"{line}\n" for line in lines))
        return len(text)

    def flush(self) -> None:
        with self._screen.lock:
            part, self._part = self._part, ""
            if part:
                self._screen.put_aside(part)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return sys.stderr.isatty()

    def fileno(self) -> int:
        return sys.stderr.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stderr.encoding
