"""A log as JSON with comments: what each message is, and what each field means where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from holter.analysis.explain.entry import Language
from holter.analysis.explain.explanation import Explained, Line
from holter.analysis.explain.phrase import say
from holter.formats.form import child
from holter.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

_RULE = "=" * 46
_DEEPEST = 200


def annotated(explained: Explained) -> str:
    """The documents of a conversation as JSON with comments, which `holter show` opens to the same conversation. Each value stands on lines
    of its own; a comment says what it means where that was not said before."""
    writer = _Writer(explained)
    return "".join(writer.document(number) for number in range(len(explained.document.values)))


class _Writer:
    def __init__(self, explained: Explained) -> None:
        self._explained = explained
        self._language: Language = explained.language
        self._lines: Mapping[tuple[int, str], Line] = {(line.document, line.field.path): line for line in explained.lines}
        self._origins = _origins(explained)
        self._told: set[int] = set()

    def document(self, number: int) -> str:
        self._number = number
        self._at = self._explained.document.messages[number].at
        value = self._explained.document.values[number]
        head = self._banner("", 0) if "" in self._at and number == 0 else ""
        return head + "".join(self._value(value, "", 0, "")) + "\n"

    def _value(self, value: Any, path: str, depth: int, comment: str, *, comma: str = "") -> Iterator[str]:
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield "{" + _comment(comment) + "\n"
            yield from self._entries([(child(path, str(key)), f"{_json(str(key))}: ", item) for key, item in value.items()], depth)
            yield "  " * depth + "}" + comma
        elif isinstance(value, list) and value and depth < _DEEPEST and any(isinstance(item, dict | list) for item in value):
            yield "[" + _comment(comment) + "\n"
            yield from self._entries([(child(path, position), "", item) for position, item in enumerate(value)], depth)
            yield "  " * depth + "]" + comma
        else:
            yield _json(value) + comma + _comment(comment)

    def _entries(self, entries: list[tuple[str, str, Any]], depth: int) -> Iterator[str]:
        for position, (path, key, item) in enumerate(entries):
            comma = "," if position < len(entries) - 1 else ""
            if path in self._at:
                yield self._banner(path, depth + 1)
            yield "  " * (depth + 1) + key
            yield from self._value(item, path, depth + 1, self._said(path) if key else "", comma=comma)
            yield "\n"

    def _said(self, path: str) -> str:
        """What a comment says of the field at this path."""
        line = self._lines.get((self._number, path))
        if line is None or line.field.known is None:
            return self._origins.get((self._number, path), "")
        entry = line.field.known.entry
        first = [] if id(entry) in self._told else [_short(entry.words(self._language).means)]
        self._told.add(id(entry))
        origins = line.origins(self._language) if isinstance(line.field.value, str) else []
        return say("label", "semicolon", self._language).join([*first, *map(_short, line.notes), *origins])

    def _banner(self, path: str, depth: int) -> str:
        position = self._at[path]
        indent = "  " * depth
        return f"{indent}// {_RULE}\n{indent}// {position}. {self._title(position)}\n{indent}// {_RULE}\n"

    def _title(self, position: int) -> str:
        message = self._explained.document.conversation.messages[position]
        match message:
            case SystemMessage():
                return say("banner", "system", self._language)
            case HumanMessage():
                return say("banner", "human", self._language)
            case AIMessage():
                names = ", ".join(_plain(str(call.get("name"))) for call in message.calls)
                return say("banner", "ai_calls", self._language, names=names) if names else say("banner", "ai", self._language)
            case ToolMessage():
                name = "tool_failed" if message.status == "error" else "tool"
                return say("banner", name, self._language, name=_plain(message.name or message.tool_call_id or "?"))


def _origins(explained: Explained) -> dict[tuple[int, str], str]:
    """(document, path) of each argument that stands in the log as an object -> where its value comes from."""
    return {
        (line.document, f"{line.field.path}.{argument}"): text
        for line in explained.lines
        if isinstance(line.field.value, dict)
        for argument, text in line.arguments.items()
    }


def _short(text: str) -> str:
    return text.rstrip(".。")


def _comment(text: str) -> str:
    return f" // {_plain(text)}" if text else ""


def _plain(text: str) -> str:
    return " ".join(text.split())


def _json(value: Any) -> str:
    """The value on one line; characters that no text may hold are escaped."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except (UnicodeEncodeError, TypeError):
        return json.dumps(value, default=_builtin)
    return text


def _builtin(value: Any) -> Any:
    try:
        return msgspec.to_builtins(value)
    except TypeError:
        return str(value)
