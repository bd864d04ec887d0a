"""What stands in an argument object that may not reach a tool: template markup, what is no JSON, halves of characters."""

import json
from math import isfinite
from typing import Any

from holter.messages.calls import as_json_text
from holter.messages.surrogate import is_valid, repaired
from holter.tools.residue import residue, texts


def is_plain(args: dict[str, Any]) -> bool:
    """Whether there is plainly nothing to look for: short of nested values, `<` and letters beyond ASCII."""
    for key, value in args.items():
        if type(key) is not str or "<" in key or not key.isascii():
            return False
        kind = type(value)
        if kind is str:
            if "<" in value or not value.isascii():
                return False
        elif kind is not int and kind is not bool and value is not None:
            return False
    return True


def fault_of(args: dict[str, Any], schema: dict[str, Any] | None) -> str:
    """Why an object may not be run as it is: it holds template markup, or what is no JSON. "" when nothing is wrong."""
    if is_plain(args):
        return ""
    if found := residue(args):
        missing = missing_of(args, schema)
        return f"template markup {repaired(found[0][:80])!r} stands in {repaired(found[1])}{f' ({missing})' if missing else ''}"
    return _no_json(args)


def is_unicode(args: dict[str, Any]) -> bool:
    return is_plain(args) or all(is_valid(text) for _, text, _ in texts(args))


def in_unicode(args: dict[str, Any]) -> dict[str, Any]:
    """A copy without halves of characters; what JSON does not know becomes text."""
    copy: dict[str, Any] = json.loads(repaired(as_json_text(args)))
    return copy


def _no_json(args: dict[str, Any]) -> str:
    """What in an object is no JSON, where it came ready-made; "" when it all is."""
    seen: set[int] = set()
    waiting: list[Any] = [args]
    while waiting:
        value = waiting.pop()
        if isinstance(value, float) and not isfinite(value):
            return f"{value} is not JSON; send a number or null"
        if isinstance(value, dict | list) and id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
                return "a key of an object is no text"
            waiting += value.values() if isinstance(value, dict) else value
    return ""


def missing_of(args: dict[str, Any], schema: dict[str, Any] | None) -> str:
    required = schema.get("required") if isinstance(schema, dict) else None
    names = [name for name in required if isinstance(name, str) and name not in args] if isinstance(required, list) else []
    return f"missing: {', '.join(names)}" if names else ""
