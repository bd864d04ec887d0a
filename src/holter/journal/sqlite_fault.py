"""What SQLite's errors mean for a caller of the journal."""

from __future__ import annotations

import sqlite3

from holter.errors import JournalDamaged, JournalError, JournalUnavailable

_BUSY = (5, 6)
"""SQLITE_BUSY, SQLITE_LOCKED (https://sqlite.org/rescode.html; the low byte of an extended code is the code)."""
_DAMAGED = 11
"""SQLITE_CORRUPT."""
_NO_DATABASE = 26
"""SQLITE_NOTADB."""
_UNAVAILABLE = {
    3: "it may not be opened; give the right to read and write it",
    8: "it is read-only here; give the right to write it, or name a copy",
    9: "it was interrupted",
    10: "the disk fails",
    13: "the disk is full; free some space, and try again",
    14: "it cannot be opened; name a file in a folder that can be written",
    23: "it may not be used",
}


class Busy(Exception):
    """Another process writes just now."""


def code(error: sqlite3.Error) -> int:
    """SQLite's result code without its extension; 1 where the error is the binding's own."""
    return int(getattr(error, "sqlite_errorcode", 1)) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Whether waiting may help."""
    return code(error) in _BUSY


def fault(error: sqlite3.Error, path: str) -> JournalError:
    """The error as the journal's own."""
    number = code(error)
    if number == _NO_DATABASE:
        return JournalDamaged(
            f"{path} is no SQLite database ({error}). Name another file for the journal, or go back to a copy of this one"
        )
    if number == _DAMAGED:
        text = f"{path} is damaged ({error}). Go back to a copy of it, or save what can be read with `sqlite3 {path} .recover`"
        return JournalDamaged(text)
    if number in _UNAVAILABLE:
        return JournalUnavailable(f"{path}: {_UNAVAILABLE[number]} ({error})")
    return JournalError(f"{path}: {error}")


def _binding_fault(error: BaseException, path: str) -> JournalError | None:
    """The error for what the binding itself stumbles over in a damaged file: a name that is no text, a length that no memory holds."""
    match error:
        case UnicodeDecodeError():
            return JournalDamaged(f"{path} is damaged: a text in it is none ({error}). Go back to a copy of it")
        case MemoryError():
            return JournalUnavailable(f"{path}: SQLite asks for more memory than there is; where it always does, the file is damaged")
        case _:
            return None


def busy(path: str, waited_s: float) -> JournalUnavailable:
    """The error when another process kept the lock for too long."""
    return JournalUnavailable(f"{path}: another process has kept the database locked for {waited_s:g} s. Try again, or end that process")


class Faults:
    """Raises the journal's errors in place of SQLite's, and `Busy` where waiting may help."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None:
            return
        if isinstance(error, sqlite3.Error):
            if is_busy(error):
                raise Busy from None
            raise fault(error, self._path) from error
        if (made := _binding_fault(error, self._path)) is not None:
            raise made from error
