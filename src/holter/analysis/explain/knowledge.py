"""The knowledge of fields, read from `knowledge/*.toml`: kinds of objects, their fields, and what stands inside which.

A kind is named "format.kind": "openai_chat.usage". What a vendor adds to a format, or means otherwise, stands in a file of its own.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import msgspec

from holter.analysis.explain.entry import Entry, Source

BOOKS = ("langchain", "openai_chat", "openai_responses", "anthropic", "gemini", "journal")
"""The formats, by their file's name."""
ADDITIONS = ("deepseek", "qwen", "other_chat")
"""What vendors add, in the order in which they are asked."""
ANY = "*"


class Book(msgspec.Struct, frozen=True):
    """One file of knowledge."""

    name: str
    kinds: dict[str, dict[str, Entry]]
    """Kind -> field -> entry. A field named `*` stands for all others."""
    adds_to: str = ""
    models: tuple[str, ...] = ()
    """Beginnings of the names of models whose answers it is about."""
    also: dict[str, list[str]] = {}
    """Kind -> full names of kinds in which its fields are looked up, too."""


class Known(msgspec.Struct, frozen=True):
    """An entry, with where it stands."""

    book: str
    kind: str
    field: str
    entry: Entry

    @property
    def inside(self) -> str:
        """The full name of the kind of what stands inside it; empty where that has no fields."""
        holds = self.entry.holds
        if not holds or "." in holds:
            return holds
        return f"{BOOK_OF.get(self.book, self.book)}.{holds}"


BOOK_OF = dict.fromkeys(ADDITIONS, "openai_chat")
"""The format that an addition belongs to."""


@functools.cache
def book(name: str) -> Book:
    """The file of this name."""
    raw: dict[str, Any] = tomllib.loads(_text(name))
    about = raw.pop("about")
    kinds = {kind: {field: _entry(value, about["source"]) for field, value in fields.items()} for kind, fields in raw.items()}
    return Book(name, kinds, about.get("adds_to", ""), tuple(about.get("models", ())), about.get("also", {}))


def _text(name: str) -> str:
    return (files("holter.analysis.explain") / "knowledge" / f"{name}.toml").read_text("utf-8")


def _entry(value: dict[str, Any], source: str) -> Entry:
    return msgspec.convert({"source": source, **value}, Entry)


@functools.cache
def sources() -> dict[str, Source]:
    """Where explanations come from, by name."""
    return msgspec.convert(tomllib.loads(_text("sources")), dict[str, Source])


def find(kind: str, field: str, vendor: str = "") -> Known | None:
    """What is known of a field of a kind, as `vendor` means it; None where nothing is.

    `vendor` is the name of an addition. What only another vendor's file knows counts too: a field has one meaning more often than two.
    """
    format_, _, name = kind.partition(".")
    own = _look(vendor, name, field) if vendor and BOOK_OF.get(vendor) == format_ else None
    return own or _look(format_, name, field) or _added(format_, name, field) or _also(format_, name, field) or _look(format_, name, ANY)


def _also(format_: str, kind: str, field: str) -> Known | None:
    others = (other.split(".") for other in book(format_).also.get(kind, ()))
    return next((found for name, other in others if (found := _look(name, other, field))), None)


def _added(format_: str, kind: str, field: str) -> Known | None:
    return next((found for name in ADDITIONS if BOOK_OF[name] == format_ and (found := _look(name, kind, field))), None)


def _look(name: str, kind: str, field: str) -> Known | None:
    entry = book(name).kinds.get(kind, {}).get(field)
    return Known(name, kind, field, entry) if entry is not None else None


def vendor_of(model: str | None) -> str:
    """The addition that is about this model; empty where there is none."""
    lowered = (model or "").lower().rpartition("/")[2]
    return next((name for name in ADDITIONS if any(lowered.startswith(begin) for begin in book(name).models)), "")


def entries() -> Iterator[Known]:
    """All that is known."""
    for name in (*BOOKS, *ADDITIONS):
        for kind, fields in book(name).kinds.items():
            for field, entry in fields.items():
                yield Known(name, kind, field, entry)
