"""From a provider's call (name, argument text, id) to a tool call, or to an invalid one with the reason.

Only one JSON object is accepted as arguments. Nothing is repaired here: a reader shows what is there.
"""

import json
from math import isinf
from typing import Any, NoReturn

import msgspec

from holter.messages.message import NO_CALLS, InvalidToolCall, ToolCall

_decode = msgspec.json.Decoder(dict[str, Any]).decode


_DEEPEST = 50
"""Levels that are written of a value that cannot be written whole."""

NO_ARGUMENTS = "there are no arguments"
"""Why a call whose arguments are null, or not there, is invalid."""

_LONGEST_INT_BITS = 14_000
"""Python refuses to write or read a number of more than 4,300 decimal digits, which is 14,284 bits."""


class _NotJSON(ValueError):
    """Why a text is refused, by our own choice and not the parser's."""


def _refuse_constant(name: str) -> NoReturn:
    raise _NotJSON(f"{name} is not JSON")


def _finite(text: str) -> float:
    """The number; refused when it is too large for a float, since infinity cannot be written as JSON again."""
    number = float(text)
    if isinf(number):
        raise _NotJSON(f"{text[:40]} is too large a number")
    return number


def _short_enough(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise _NotJSON(f"a number of {len(text)} digits is too large") from None


def decode_arguments(text: str) -> dict[str, Any]:
    """The JSON object that `text` holds; of a key that comes twice, the last value. ValueError with the reason when it holds none."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _decode_tolerantly(text)


def _decode_tolerantly(text: str) -> dict[str, Any]:
    """What msgspec refuses and JSON allows (lone surrogate escapes, huge numbers), or the reason as ValueError."""
    if not text.strip():
        raise ValueError("the arguments are empty")
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_short_enough)
    except _NotJSON:
        raise
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg.removesuffix(' at')} at character {error.pos}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if isinstance(value, dict):
        return value
    raise ValueError(f"one JSON object was expected, found {_kind(value)}")


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case _:
            return type(value).__name__


def tool_call(name: Any, arguments: Any, call_id: Any, position: int, extras: dict[str, Any] | None = None) -> ToolCall | InvalidToolCall:
    """A tool call when `arguments` is an object or the text of one, else an invalid call; told apart by their "type".

    `position` is where the call stood among all calls of its message; `extras` is what the provider said besides.
    """
    error = None
    args: Any = arguments
    if isinstance(arguments, str):
        try:
            args = decode_arguments(arguments)
        except ValueError as reason:
            error = str(reason)
    elif not isinstance(arguments, dict):
        args = "" if arguments is None else as_json_text(arguments)
        error = NO_ARGUMENTS if arguments is None else f"one JSON object was expected, found {_kind(arguments)}"
    if not isinstance(name, str):
        error = error or "the call has no name"
        args = arguments if isinstance(arguments, str) else as_json_text(args)
        name = None if name is None else as_json_text(name)
    call_id = call_id if isinstance(call_id, str) or call_id is None else as_json_text(call_id)
    if error is None:
        call: ToolCall = {"name": name, "args": args, "id": call_id, "type": "tool_call"}
    else:
        call = {"name": name, "args": args, "id": call_id, "error": error, "type": "invalid_tool_call", "index": position}
    if extras:
        call["extras"] = extras
    return call


def as_json_text(value: Any) -> str:
    """`value` as compact JSON text, as a provider would have sent it; text stays as it is, and what JSON does not know becomes text.

    A value that cannot be written whole (nested too deeply, part of itself, keys that are no text) is written 50 levels deep, each list and
    object once; "…" stands for what is left out.
    """
    if isinstance(value, str):
        return value
    try:
        return _write(value)
    except (RecursionError, TypeError, ValueError):
        return _write(_bounded(value, set()))


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_text)


def _text(value: object) -> str:
    try:
        return str(value)
    except (RecursionError, TypeError, ValueError):
        return f"<{type(value).__name__}>"


def _bounded(value: Any, seen: set[int], depth: int = 0) -> Any:
    """A copy that can be written; `seen` are the ids of the lists and objects that stand in it already."""
    match value:
        case dict() | list() | tuple() if depth == _DEEPEST or id(value) in seen:
            return "…"
        case dict():
            seen.add(id(value))
            return {_text(key): _bounded(item, seen, depth + 1) for key, item in value.items()}
        case list() | tuple():
            seen.add(id(value))
            return [_bounded(item, seen, depth + 1) for item in value]
        case int() if value.bit_length() > _LONGEST_INT_BITS:
            return hex(value)
        case _:
            return value


def split_calls(calls: list[dict[str, Any]]) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    """Valid calls and invalid ones, each in their order; told apart by "type", which `tool_call` sets."""
    valid = [call for call in calls if call["type"] == "tool_call"]
    return valid, [call for call in calls if call["type"] != "tool_call"] or NO_CALLS
