"""The JSON value in a model's answer: the whole text, a fenced block, or one value with prose around it. Nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*[\w-]*[ \t]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MOST_STARTS = 200
"""How many places of a text are tried: a failed try may read all of it."""


class NoValue(ValueError):
    """Why there is no value, as a sentence for the model."""


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse)


def json_in(text: str, openings: str = "{") -> Any:
    """The value that the text holds. `openings` are the characters that a value may begin with where prose stands around it.

    NoValue where there is none, or more than one.
    """
    stripped = text.strip().removeprefix("\ufeff")
    try:
        return _decoder.decode(stripped)
    except (ValueError, RecursionError) as error:
        whole = error
    fenced = list(_each(match[2].strip() for match in _FENCE.finditer(stripped)))
    found = fenced or list(_values(stripped, openings))
    if len(found) == 1:
        return found[0]
    if found:
        raise NoValue(f"it holds {len(found)} JSON values; answer with one")
    raise NoValue(_reason(stripped, whole))


def _each(texts: Iterator[str]) -> Iterator[Any]:
    for text in texts:
        try:
            yield _decoder.decode(text)
        except (ValueError, RecursionError):
            continue


def _values(text: str, openings: str) -> Iterator[Any]:
    """The values that begin with one of the openings and stand in no other."""
    end = 0
    starts = (match.start() for match in re.finditer(f"[{re.escape(openings)}]", text))
    for _, start in zip(range(_MOST_STARTS), starts, strict=False):
        if start < end:
            continue
        try:
            value, end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield value


def _reason(text: str, whole: Exception) -> str:
    if not text:
        return "it is empty"
    if isinstance(whole, json.JSONDecodeError) and ("{" in text or "[" in text):
        return f"it is not JSON: {whole.msg.removesuffix(' at')} at character {whole.pos}"
    return "it holds no JSON" if isinstance(whole, json.JSONDecodeError) else f"it is not JSON: {whole}"
