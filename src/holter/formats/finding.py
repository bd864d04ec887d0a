"""The READ findings: what readers say of damage, elision, recovery and the unknown. Codes and names are the rule catalogue's."""

import re
from typing import Any

from msgspec.structs import replace

from holter.messages import Finding, Place


def input_cut(text: str, place: Place | None = None, message: int | None = None, hint: str | None = None) -> Finding:
    """READ01: the document ends inside a value or message."""
    return _finding("READ01", "input-cut", "error", text, place, message, hint)


def text_damaged(text: str, place: Place | None = None, message: int | None = None, hint: str | None = None) -> Finding:
    """READ02: lone surrogate, NUL, BOM, wrong encoding, NaN, mixed line ends, or a part that is no message."""
    return _finding("READ02", "text-damaged", "warning", text, place, message, hint)


def elided(text: str, place: Place | None = None, message: int | None = None, hint: str | None = None) -> Finding:
    """READ03: the document itself leaves something out."""
    return _finding("READ03", "elided", "info", text, place, message, hint)


def recovered(text: str, place: Place | None = None, message: int | None = None, hint: str | None = None) -> Finding:
    """READ04: quotes, separators or structure were rebuilt; says what could not be known."""
    return _finding("READ04", "recovered", "info", text, place, message, hint)


def end_uncertain(text: str, place: Place | None = None, message: int | None = None, hint: str | None = None) -> Finding:
    """READ05: nothing marks where the last message ends and the prose goes on."""
    return _finding("READ05", "end-uncertain", "info", text, place, message, hint)


def unknown_kept(text: str, place: Place | None = None, message: int | None = None, hint: str | None = None) -> Finding:
    """READ06: a field or block of an unknown kind was kept in `extra`."""
    return _finding("READ06", "unknown-kept", "info", text, place, message, hint)


_LISTED = 20
"""Findings with the same text, numbers apart, that are listed; more of them are counted."""
_KIND_LENGTH = 40
"""How far texts are compared."""


class Tally:
    """Counts findings that say the same at many places, so that a fault in each line gives no list as long as the source."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._last: dict[str, Finding] = {}

    def counts(self, finding: Finding) -> bool:
        """Whether the finding is one of the first of its kind, which are listed."""
        kind = _NUMBER.sub("#", finding.text[:_KIND_LENGTH])
        count = self._seen[kind] = self._seen.get(kind, 0) + 1
        if count > _LISTED:
            self._last[kind] = finding
        return count <= _LISTED

    def rest(self) -> list[Finding]:
        """For each kind with more, the last finding, with the number of those that were not listed."""
        return [replace(f, text=f"{f.text} (the last of {self._seen[kind] - _LISTED} more)") for kind, f in self._last.items()]


_NUMBER = re.compile(r"\d+")


class Unknowns:
    """Collects unknown fields of one conversation: one finding per field name, at its first place, however many messages have it."""

    def __init__(self) -> None:
        self._seen: dict[str, list[Any]] = {}

    def add(self, name: str, place: Place, message: int | None, count: int = 1) -> None:
        """Notes `count` occurrences, the first at `place`; `name` is the field's name or the block's kind with its word: "block 'foo'"."""
        entry = self._seen.get(name)
        if entry is None:
            self._seen[name] = [count, place, message]
        else:
            entry[0] += count

    def findings(self) -> list[Finding]:
        """One READ06 a name, in the order of first sight."""
        return [
            unknown_kept(f"{name} is not known here and was kept in `extra`" + (f" ({count} times)" if count > 1 else ""), place, message)
            for name, (count, place, message) in self._seen.items()
        ]


def _finding(code: str, name: str, severity: Any, text: str, place: Place | None, message: int | None, hint: str | None) -> Finding:
    at = place or Place()
    return Finding(
        code=code,
        name=name,
        severity=severity,
        text=text,
        message=message,
        index=at.index,
        path=at.path or None,
        line=at.line,
        column=at.column,
        hint=hint,
    )
