"""Standard output: text for a person, bytes for a program."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN = {"·": "-", "…": "...", "→": "->", "←": "<-", "─": "-", "┆": "|", "│": "|", "»": ">"}
"""Holter's own marks in ASCII."""


def prepare_streams() -> None:
    """Lets both streams take any text: what their encoding cannot say is written as Python writes it, Holter's own marks in ASCII."""
    codecs.register_error("holter.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="holter.plain")


def is_terminal() -> bool:
    """Whether a person is looking at standard output."""
    return sys.stdout.isatty()


def is_coloured() -> bool:
    """Whether styles are shown: on a terminal that can, unless NO_COLOR is set (https://no-color.org)."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal; COLUMNS or 100 where there is none."""
    return max(shutil.get_terminal_size((100, 24)).columns, 40)


def text_console(file: TextIO | None = None) -> Console:
    """A console that prints what it is given: no markup, no wrapping of its own, no escape codes where none belong.

    It writes to standard output, to the one there is when it prints; to `file` where that is given.
    """
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> NoReturn:
            raise BrokenPipeError

    coloured = is_coloured()
    return _Console(
        file=file,
        width=width(),
        force_terminal=coloured,
        no_color=not coloured,
        color_system="auto" if coloured else None,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=True,
    )


def write_bytes(data: bytes) -> None:
    """Writes bytes on standard output, whatever its encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


@contextmanager
def writing(name: str = "standard output") -> Iterator[None]:
    """Says of `name` that it cannot be written, as a ClickException, where that is so; a reader that has gone stays a BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"{name} cannot be written: {(error.strerror or str(error)).lower()}") from None


def let_go() -> None:
    """Gives up standard output after its reader has gone, so that nothing more is tried at the process's end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    made = "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return made, error.end
