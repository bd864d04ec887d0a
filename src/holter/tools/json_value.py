"""Reads one JSON value from the middle of a text, and says where and why it cannot.

`json`, not msgspec: what is read here was refused by msgspec already, and only `json` says in characters where a value ends.
"""

import json
import re
from math import isinf
from typing import Any, NoReturn


class Stopped(ValueError):
    """Where a reader stopped, and why."""

    def __init__(self, at: int, why: str, *, is_end: bool = False) -> None:
        super().__init__(at, why)
        self.at = at
        """In characters from the beginning of the text."""
        self.why = why
        self.is_end = is_end
        """Whether the text ended inside the value: all that stands there could have become one."""


class _Refused(ValueError):
    """A number that no JSON can say again."""


def _constant(name: str) -> NoReturn:
    raise _Refused(name)


def finite(digits: str) -> float:
    """The number; ValueError when it is too large for a float."""
    number = float(digits)
    if isinf(number):
        raise _Refused(digits)
    return number


def short_enough(digits: str) -> int:
    """The number; ValueError when Python refuses to write that many digits again."""
    try:
        return int(digits)
    except ValueError:
        raise _Refused(digits) from None


_read = json.JSONDecoder(parse_constant=_constant, parse_float=finite, parse_int=short_enough).raw_decode
_read_control = json.JSONDecoder(parse_constant=_constant, parse_float=finite, parse_int=short_enough, strict=False).raw_decode

_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_CUT_NUMBER = re.compile(r"(?:\.|[eE][-+]?)\Z")
_CUT_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,4}\Z")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|(?P<number>-?Infinity|NaN|-?\d[\d.eE+-]*+)', re.DOTALL)


def read(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, no whitespace before it, and where it ends. Raises Stopped."""
    try:
        return _read(text, start)
    except json.JSONDecodeError as error:
        raise _stopped(text, start, error) from None
    except _Refused as error:
        raise _refused_number(text, start, str(error)) from None
    except RecursionError:
        raise Stopped(start, "nested too deeply") from None


def _stopped(text: str, start: int, error: json.JSONDecodeError) -> Stopped:
    if _is_end(text, error):
        return Stopped(len(text), "the text ends inside it", is_end=True)
    if error.msg.startswith("Invalid control character"):
        try:
            _read_control(text, start)
        except json.JSONDecodeError as later:
            if _is_end(text, later):
                return Stopped(len(text), "the text ends inside it", is_end=True)
        except (ValueError, RecursionError):
            pass
        return Stopped(error.pos, "a raw control character; write it as \\n")
    return Stopped(error.pos, error.msg[:1].lower() + error.msg[1:])


def _is_end(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text could go on and be JSON: it ends where the parser stopped, or in a word, number or escape that it began there."""
    message, at = error.msg, error.pos
    tail = text[at : at + 12]
    if message.startswith("Unterminated string") or not text[at:].strip():
        return True
    if message.startswith(("Invalid \\u", "Invalid \\escape")):
        return _CUT_ESCAPE.search(text, max(len(text) - 6, 0)) is not None and at >= len(text) - 6
    if message.startswith("Expecting value"):
        return any(word.startswith(tail) for word in _WORDS)
    return message.startswith("Expecting ',' delimiter") and text[at - 1].isdigit() and _CUT_NUMBER.match(text, at) is not None


def _refused_number(text: str, start: int, number: str) -> Stopped:
    """Where in the text the refused number stands, strings left out."""
    at = next((token.start() for token in _TOKEN.finditer(text, start) if token["number"] == number), start)
    if number in _WORDS:
        return Stopped(at, f"{number} is not JSON; send a number or null")
    return Stopped(at, f"a number of {len(number)} digits is too large" if number.isdigit() else f"{number[:40]} is too large a number")
