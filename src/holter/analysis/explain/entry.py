"""What is known of one field of a format."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Language: TypeAlias = Literal["en", "zh"]

LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry in one language."""

    means: str
    typical: str
    """Typical values."""
    check: str
    """What to look at when it looks wrong."""


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one value of a field says."""

    en: str
    zh: str


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an explanation comes from."""

    title: str
    url: str
    seen: str
    """The month in which it was read."""
    title_zh: str = ""
    """The title in Chinese, where it is no name."""

    def named(self, language: Language) -> str:
        """The title in this language."""
        return self.title_zh if language == "zh" and self.title_zh else self.title


Setter: TypeAlias = Literal["user", "client", "model", "provider", "runtime", "tool", "program"]
"""Who sets a field: the person; the code that asks the model; the model; its server; the agent's framework; the tool; the program around
it all."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One field."""

    by: Setter
    en: Words
    zh: Words
    unit: str = ""
    holds: str = ""
    """The kind of what stands inside; empty where that has no fields. "format.kind" for a kind of another file."""
    opaque: bool = False
    """Whether what stands inside is somebody else's own: a tool's arguments, a schema."""
    pairs: list[str] = []
    """Fields that go with it."""
    source: str = ""
    """A name of `sources.toml`; that of the file where it is empty."""
    values: dict[str, Value] = {}
    """What single values say."""

    def words(self, language: Language) -> Words:
        """The entry in this language."""
        return self.zh if language == "zh" else self.en
