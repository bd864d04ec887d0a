"""Pieces of a chat template that a lenient parser left inside arguments.

A value may be about templates, and XML has a `<parameter>` too; so of the tags with an everyday name only those count that are no part of a
pair, as a value cut out of the template's markup holds them. HTML is no residue.
"""

import re
from collections.abc import Iterator
from typing import Any

_TAG = re.compile(
    r"<(?P<close>/?)(?:antml:)?(?P<name>arg_key|arg_value|parameter|invoke|tool_call|tool_calls|function_calls|function)"
    r"(?P<rest>(?:[=\s][^<>]*+)?)(?:>|\Z)"
)
_OWN = ("arg_key", "arg_value")
"""Names that nothing but a template uses: always a residue."""
_SPECIAL = re.compile(r"<\|[a-z][a-z_]{2,40}\|>|<｜[^<>｜]{1,40}｜>")


def marker(text: str, *, is_key: bool = False) -> str:
    """The first marker of a template in a key or a value, "" when there is none."""
    if "<" not in text:
        return ""
    if is_key:
        found = _TAG.search(text) or _SPECIAL.search(text)
        return found.group() if found else ""
    return _loose_tag(text) or _special_at_an_end(text)


def _loose_tag(text: str) -> str:
    opened: dict[str, list[re.Match[str]]] = {}
    for tag in _TAG.finditer(text):
        name, rest = tag["name"], tag["rest"]
        if name in _OWN:
            return tag.group()
        if rest.endswith("/"):
            continue
        if not tag["close"]:
            opened.setdefault(name, []).append(tag)
        elif not opened.get(name):
            return tag.group()
        else:
            opened[name].pop()
    return next((tag.group() for tags in opened.values() for tag in tags if "=" in tag["rest"]), "")


def _special_at_an_end(text: str) -> str:
    stripped = text.strip()
    found = _SPECIAL.match(stripped) or _SPECIAL.match(stripped, max(stripped.rfind("<"), 0))
    return found.group() if found and (found.start() == 0 or found.end() == len(stripped)) else ""


def residue(args: dict[str, Any]) -> tuple[str, str] | None:
    """The first marker in the keys and values of the arguments, and where: "the key 'a'", "the value of 'a'"."""
    for name, text, is_key in texts(args):
        if found := marker(text, is_key=is_key):
            return found, f"the key {name[:80]!r}" if is_key else f"the value of {name[:80]!r}"
    return None


def texts(args: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """(nearest key, text, whether it is that key) of every key and every text in the arguments, each container once."""
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", args)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            yield name, value, False
        elif isinstance(value, dict | list) and id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, list):
                waiting += [(name, item) for item in reversed(value)]
                continue
            yield from ((key, key, True) for key in value if isinstance(key, str))
            waiting += [(key if isinstance(key, str) else name, item) for key, item in reversed(value.items())]
