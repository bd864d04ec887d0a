"""From the name that a model called to the tool that it meant, where there is no doubt."""

import re
from collections.abc import Collection
from typing import Any

import msgspec

from holter.journal.event import Repaired
from holter.messages.surrogate import repaired

_NAMESPACE = re.compile(r"(?:functions?|tools?|default_api)[.:/]")
"""What models put before a name because their prompt shows the tools in such a namespace (GPT: `functions.`, Gemini: `default_api:`)."""
_WRAPPER = re.compile(r"(?:functions\.)?multi_tool_use[._]parallel")
_LONGEST_SHOWN = 200
_LONGEST = 1_000
"""Longer names are not looked at for what they might mean."""


class Resolved(msgspec.Struct, frozen=True):
    """Which tool a name means."""

    name: str | None
    """The tool's own name; None when there is none."""
    error: str = ""
    """Why there is none, as a text for the model."""
    repair: Repaired | None = None
    """What had to be put right."""


def resolve(name: str | None, known: Collection[str], *, call_id: str | None = None) -> Resolved:
    """The known tool that `name` means: itself; without a prefix when exactly one tool is left (NAME03); one name said n times (NAME05)."""
    if name in known and name:
        return Resolved(name)
    if not name or not name.strip():
        repair = Repaired(code="NAME06", text="The call names no tool; it is answered with an error.", call_id=call_id, raw=name)
        return Resolved(None, unknown_tool_text(name, known), repair)
    if len(name) <= _LONGEST:
        if (found := _without_prefix(name, known)) is not None:
            return Resolved(found, "", _renamed("NAME03", name, found, "the prefix was left out", call_id))
        if (found := _said_once(name, known)) is not None:
            return Resolved(found, "", _renamed("NAME05", name, found, f"the name was said {len(name) // len(found)} times", call_id))
    return Resolved(None, unknown_tool_text(name, known))


def unknown_tool_text(name: str | None, known: Collection[str]) -> str:
    """What the model is told of a name that is no tool's; LangGraph's words, which prompts and tests of its users look for."""
    listed = f"try one of [{', '.join(known)}]."
    if not name or not name.strip():
        return f"Error: the call names no tool, {listed}"
    shown = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
    return f"Error: {repaired(shown)} is not a valid tool, {listed}"


def _renamed(code: str, name: str, found: str, why: str, call_id: str | None) -> Repaired:
    return Repaired(code=code, text=f"{name} is called as {found}: {why}.", call_id=call_id, raw=name)


def _without_prefix(name: str, known: Collection[str]) -> str | None:
    """The one known name that is left without a namespace, or without a server's name and `__`.

    Behind a server's name the rest may be the tool of another server: a second known name that ends alike is a doubt.
    """
    namespace = _NAMESPACE.match(name)
    if namespace is not None:
        return name[namespace.end() :] if name[namespace.end() :] in known else None
    parts = name.split("__")
    rests = {rest for i in range(1, len(parts)) if parts[0] and (rest := "__".join(parts[i:])) in known}
    alike = {other for other in known for rest in rests if other == rest or other.endswith(f"__{rest}")}
    return rests.pop() if len(rests) == 1 and len(alike) == 1 else None


def _said_once(name: str, known: Collection[str]) -> str | None:
    found = [k for k in known if k and len(k) < len(name) and len(name) % len(k) == 0 and k * (len(name) // len(k)) == name]
    return found[0] if len(found) == 1 else None


def is_wrapper(name: str | None) -> bool:
    """Whether the name is that of no tool but of GPT's wrapper around several calls (NAME04)."""
    return isinstance(name, str) and _WRAPPER.fullmatch(name) is not None


def wrapped_calls(args: dict[str, Any]) -> list[tuple[Any, Any]]:
    """(name, arguments) of each call in the wrapper's arguments, in order; empty when they are not of its form.

    The form: `{"tool_uses": [{"recipient_name": "functions.read", "parameters": {…}}, …]}`.
    """
    uses = args.get("tool_uses")
    if not isinstance(uses, list) or not all(isinstance(use, dict) and "recipient_name" in use for use in uses):
        return []
    return [(use["recipient_name"], use.get("parameters")) for use in uses]
