"""From bytes and text to JSON values, with what was damaged on the way.

msgspec first; what it refuses (NaN, lone surrogates, raw control characters, huge numbers) Python's own reader may take; what that refuses,
too, is left to the tolerant reader of literals.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from math import isinf
from typing import Any

import msgspec

from holter.formats.finding import text_damaged
from holter.messages import Finding, Place

_decode = msgspec.json.Decoder().decode

_LONE_SURROGATE = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F][0-9a-fA-F]{2})|[\ud800-\udfff]")
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BREAK = re.compile(r"[\n\r\t]")
_STRING = r'"(?:[^"\\]|\\.)*+"'
_STRINGS = re.compile(_STRING, re.DOTALL)


def strict_json(data: bytes) -> Any:
    """The JSON value that `data` is. ValueError when it is none, or not one that every JSON reader takes."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeError) as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def loose_json(text: str, locate: Callable[[int], Place]) -> tuple[Any, list[Finding]]:
    """The JSON value that `text` is, with what only Python's reader lets pass, one finding a kind: NaN, lone surrogates, raw control
    characters; a number that is too large is kept as text. ValueError when it is none."""
    odd: dict[str, str] = {}
    try:
        value = json.loads(
            text,
            strict=False,
            parse_constant=lambda name: _noted(odd, "nan", name, float(name)),
            parse_float=lambda number: _noted(odd, "large", number, number) if isinf(float(number)) else float(number),
            parse_int=lambda number: int(number) if len(number) < 4_300 else _noted(odd, "large", number, number),
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    found = list(_damage(text, odd, locate))
    if not found and (at := _raw_break(text)) is not None:
        found.append(text_damaged("a text holds a raw line break or tab, which JSON does not allow", locate(at)))
    return value, found


def _noted(odd: dict[str, str], kind: str, token: str, value: Any) -> Any:
    odd.setdefault(kind, token)
    return value


def _damage(text: str, odd: dict[str, str], locate: Callable[[int], Place]) -> Iterator[Finding]:
    if name := odd.get("nan"):
        yield text_damaged(f"{name} is not JSON; it was read as a number that JSON cannot hold", locate(_outside_strings(text, name)))
    if number := odd.get("large"):
        shown = number if len(number) <= 20 else f"a number of {len(number)} characters"
        yield text_damaged(f"{shown} is too large; it was kept as text", locate(_outside_strings(text, number)))
    if match := _LONE_SURROGATE.search(_PAIR.sub(lambda pair: " " * len(pair.group()), text)):
        yield text_damaged("a lone surrogate is no character; it cannot be stored or sent", locate(match.start()))
    if match := _CONTROL.search(text):
        yield text_damaged(f"the control character U+{ord(match.group()):04X} stands in the text", locate(match.start()))


def _outside_strings(text: str, token: str) -> int:
    """Where the token stands first, strings apart."""
    for match in re.finditer(rf"{_STRING}|({re.escape(token)})", text, re.DOTALL):
        if match.group(1):
            return match.start()
    return 0


def _raw_break(text: str) -> int | None:
    """Where a string holds what should have been escaped."""
    for match in _STRINGS.finditer(text):
        if inner := _BREAK.search(match.group()):
            return match.start() + inner.start()
    return None


def json_inside(text: str) -> Any:
    """The list or object that a string holds as JSON text; None when it holds none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = strict_json(text.encode())
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def without_stub(value: Any) -> Any:
    """The value of a text that was cut, without an item at its very end that had only begun: it has at most a role."""
    holder = value
    while isinstance(holder, dict | list) and holder:
        last = next(reversed(holder.values())) if isinstance(holder, dict) else holder[-1]
        if isinstance(last, dict) and isinstance(holder, list) and all(item is None or key == "role" for key, item in last.items()):
            del holder[-1]
            break
        holder = last
    return value


class Locator:
    """Lines and columns of offsets in a text, both from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: list[int] | None = None

    def __call__(self, offset: int) -> Place:
        """The place of a character."""
        if self._ends is None:
            self._ends = [match.end() for match in re.finditer("\n", self._text)]
        line = bisect_right(self._ends, offset)
        return Place(line=line + 1, column=offset - (self._ends[line - 1] if line else 0) + 1)
