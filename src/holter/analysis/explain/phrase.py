"""Sentences that are computed of a log, in both languages: data in `knowledge/phrases.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib.resources import files
from typing import Any

from holter.analysis.explain.entry import Language


@functools.cache
def phrases() -> dict[str, dict[str, dict[Language, str]]]:
    """Group -> name -> language -> text."""
    text = (files("holter.analysis.explain") / "knowledge" / "phrases.toml").read_text("utf-8")
    return tomllib.loads(text)


def say(group: str, name: str, language: Language, /, **values: Any) -> str:
    """The sentence of this name, filled in."""
    return phrases()[group][name][language].format(**values)
