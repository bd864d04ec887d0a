"""Reads the text of a call's arguments: JSON first, then the narrow repairs ARG02 to ARG07, and nothing wider."""

import json
import re
from typing import Any, TypeAlias

from holter.messages.calls import decode_arguments
from holter.messages.surrogate import repaired
from holter.tools import json_value, python_literal
from holter.tools.json_value import Stopped

Repairs: TypeAlias = list[tuple[str, str]]
"""(rule, what was done) of each repair, in the order they were made."""


class Refused(ValueError):
    """Why there is no object, as a clause for the model."""


def read(raw: Any, schema: dict[str, Any] | None) -> tuple[list[dict[str, Any]], Repairs]:
    """The objects that `raw` holds, in order, and what had to be repaired. Raises Refused.

    A tool whose schema is a text and no object gets a text as `{"input": text}`.
    """
    if raw is None:
        return [{}], [_NULL]
    if not isinstance(raw, str):
        raise Refused(f"one JSON object was expected, found {_kind(raw)}")
    try:
        return [decode_arguments(raw)], []
    except ValueError:
        if not raw.strip():
            return [{}], [("ARG03", "Blank arguments were taken as {}.")]
    start, end, dropped = _bare(raw)
    if raw[start] == "{":
        objects, repairs = _written_objects(raw[:end], start)
        return objects, [("ARG07", f"Text around the arguments was left out: {dropped}.")] * bool(dropped) + repairs
    return _no_object(_only_value(raw), schema)


_NULL = ("ARG04", "null was taken as {}: no arguments.")
_BLANK = " \t\r\n"
_KNOWN = re.compile(
    r"```[A-Za-z]*+|</?(?:tool_call|function_call|function|arguments|args|parameters|parameter|invoke|json)>|<\|[a-z][a-z_]*+\|>|\ufeff"
    r"|(?:(?:tool |function |action )?(?:arguments|args|parameters|input)|json)[ \t]*+:",
    re.IGNORECASE,
)
"""Markup and words that stand around arguments and mean nothing: code fences, tags, special tokens, a label, a byte order mark."""
_LONGEST_KNOWN = 40
_MOST_KNOWN = 8


def _bare(text: str) -> tuple[int, int, str]:
    """Where the text begins and ends without the known markup around an object, and what that was. Without an object there: all of it."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if text[start] != "{":
        start = _behind_known(text, start)
        if not text.startswith("{", start):
            return len(text) - len(text.lstrip()), end, ""
    end = _before_known(text, start, end)
    around = [*text[:start].split(), *text[end:].split()]
    return start, end, " ".join(around)


def _behind_known(text: str, at: int) -> int:
    for _ in range(_MOST_KNOWN):
        known = _KNOWN.match(text, at)
        if known is None:
            break
        at = known.end()
        while text[at : at + 1].isspace():
            at += 1
    return at


def _before_known(text: str, start: int, end: int) -> int:
    for _ in range(_MOST_KNOWN):
        at = max(text.rfind(mark, max(start, end - _LONGEST_KNOWN), end) for mark in ("<", "```", "\ufeff"))
        known = _KNOWN.fullmatch(text, at, end) if at >= 0 else None
        if known is None:
            break
        end = at
        while end > start and text[end - 1].isspace():
            end -= 1
    return end


def _written_objects(text: str, start: int) -> tuple[list[dict[str, Any]], Repairs]:
    """The objects from `start` to the end of the text: JSON, one or several side by side, or one Python literal. Raises Refused."""
    found: list[dict[str, Any]] = []
    at = start
    try:
        while at < len(text):
            value, at = json_value.read(text, at)
            found.append(value)
            at = _behind_blank(text, at)
            if not text.startswith("{", at) and at < len(text):
                raise Stopped(at, "one JSON object was expected and nothing behind it")
    except Stopped as stopped:
        if found:
            raise Refused(_why(stopped, text)) from None
        return [_literal(text, start, stopped)], [("ARG06", "A Python literal was read as JSON.")]
    return _distinct(found)


def _behind_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _literal(text: str, start: int, stopped: Stopped) -> dict[str, Any]:
    """The dict that a Python literal is. Raises Refused with the reason of the reader that came further: it knew the language."""
    try:
        value, end = python_literal.read(text, start)
    except Stopped as other:
        raise Refused(_why(max(stopped, other, key=lambda stop: (stop.is_end, stop.at)), text)) from None
    if end < len(text):
        raise Refused(_why(max(stopped, Stopped(end, "nothing was expected behind the object"), key=lambda stop: stop.at), text))
    assert isinstance(value, dict)
    return value


def _distinct(found: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], Repairs]:
    """Each object once, in order. Compared as JSON: to Python 1, 1.0 and true are equal."""
    if len(found) == 1:
        return found, []
    by_text: dict[str, dict[str, Any]] = {}
    try:
        for item in found:
            by_text.setdefault(json.dumps(item, sort_keys=True), item)
    except RecursionError:
        raise Refused("the arguments are nested too deeply") from None
    distinct = list(by_text.values())
    if len(distinct) == 1:
        return distinct, [("ARG05", f"The same object stood there {len(found)} times; it is kept once.")]
    return distinct, [("ARG05", f"{len(found)} objects stood side by side, {len(distinct)} of them distinct; each of these is a call.")]


# One value that is no object


def _only_value(text: str) -> Any:
    """The one JSON value that the text is. Raises Refused."""
    end = len(text.rstrip())
    start = len(text) - len(text.lstrip())
    try:
        value, at = json_value.read(text[:end], start)
        if at < end:
            raise Stopped(at, "nothing was expected behind the value")
    except Stopped as stopped:
        raise Refused(_why(stopped, text[:end])) from None
    return value


def _no_object(value: Any, schema: dict[str, Any] | None) -> tuple[list[dict[str, Any]], Repairs]:
    """What null stands for, or what a text holds that was encoded twice. Raises Refused."""
    if value is None:
        return [{}], [_NULL]
    if not isinstance(value, str):
        raise Refused(f"one JSON object was expected, found {_kind(value)}")
    if _takes_text(schema):
        return [{"input": value}], []
    return [_encoded_object(value.strip())], [("ARG02", "The arguments were encoded twice.")]


def _encoded_object(inner: str) -> dict[str, Any]:
    """The object that a text inside the text is. Raises Refused."""
    if not inner.startswith("{"):
        raise Refused("one JSON object was expected, found a string")
    try:
        return decode_arguments(inner)
    except ValueError:
        pass
    try:
        json_value.read(inner, 0)
    except Stopped as stopped:
        raise Refused(f"one JSON object was expected, found a string, and in it {_why(stopped, inner)}") from None
    raise Refused("one JSON object was expected, found a string that holds more than one")


def _takes_text(schema: dict[str, Any] | None) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "an array"
        case _:
            return type(value).__name__


# What the model is told


def _why(stopped: Stopped, text: str) -> str:
    if stopped.is_end:
        return f"the arguments were cut off at character {stopped.at}, inside a value; send all of them, long content in smaller pieces"
    near = repaired(text[stopped.at : stopped.at + 20])
    return f"bad JSON at character {stopped.at} ({stopped.why}){f', at {near!r}' if near else ''}"
