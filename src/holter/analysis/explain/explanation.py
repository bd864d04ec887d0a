"""A log explained: the account, and each field with what is known of it and what its value says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from holter.analysis.explain.account import Sentence, account
from holter.analysis.explain.attempt import attempts
from holter.analysis.explain.document import Document
from holter.analysis.explain.entry import Language
from holter.analysis.explain.index import Index
from holter.analysis.explain.knowledge import vendor_of
from holter.analysis.explain.note import notes, scene
from holter.analysis.explain.origin import choices_of, origins
from holter.analysis.explain.phrase import say
from holter.analysis.explain.walk import Field, fields, named
from holter.formats.decode import json_inside
from holter.messages import AIMessage, Conversation

_MOST_ARGUMENTS = 20
"""Arguments of one call that are told one by one."""


class Line(msgspec.Struct, frozen=True):
    """One field of a document."""

    field: Field
    notes: list[str]
    """What its value says in its place."""
    is_first: bool
    """Whether no field of the same meaning comes before it."""
    document: int
    """Which of the conversation's values it stands in, 0-based."""
    arguments: dict[str, str] = {}
    """Of the arguments of a call: path of each value in them -> where it comes from."""

    def origins(self, language: Language) -> list[str]:
        """Where the first of the arguments come from, a sentence each, and how many more there are."""
        said = [f"{argument}: {origin}" for argument, origin in list(self.arguments.items())[:_MOST_ARGUMENTS]]
        left = len(self.arguments) - len(said)
        return [*said, say("note", "more_arguments", language, count=f"{left:,}")] if left else said


class Explained(msgspec.Struct, frozen=True):
    """One conversation, explained."""

    document: Document
    language: Language
    account: list[list[Sentence]]
    """Paragraphs, one for each round and one about tokens."""
    lines: list[Line]
    """Every field, in the order of the document."""

    @property
    def unknown(self) -> dict[str, int]:
        """Path of each field that nothing is known of, without positions -> how often it occurs."""
        return dict(Counter(named(line.field.path) for line in self.lines if line.field.known is None))


def explain(document: Document, language: Language = "en") -> Explained:
    """The conversation explained in this language."""
    conversation = document.conversation
    at = scene(conversation, language)
    seen: set[int] = set()
    lines = []
    vendor = _vendor(document)
    arguments = _Arguments(conversation, language)
    for number, (value, kind, messages) in enumerate(zip(document.values, document.kinds, document.messages, strict=True)):
        for field in fields(value, kind, messages, vendor):
            lines.append(Line(field, notes(field, at), _is_first(field, seen), number, arguments.of(field)))
    return Explained(document, language, account(conversation, language, attempts(document)), lines)


class _Arguments:
    """Where the arguments of the calls of a conversation come from."""

    def __init__(self, conversation: Conversation, language: Language) -> None:
        schemas = {tool.name: choices_of(tool.parameters) for tool in conversation.tools}
        semicolon = say("label", "semicolon", language)
        index = Index()
        self._said: dict[int, list[tuple[Any, dict[str, str]]]] = {}
        for position, message in enumerate(conversation.messages):
            if isinstance(message, AIMessage):
                for call in message.tool_calls:
                    found = origins(call, index, schemas.get(str(call.get("name")), {}))
                    said: dict[str, list[str]] = {}
                    for o in found:
                        said.setdefault(o.path, []).append(say("origin", o.where, language, message=o.message, form=o.form))
                    told = {path: semicolon.join(texts) for path, texts in said.items()}
                    self._said.setdefault(position, []).append((call.get("args"), told))
            index.add(message)

    def of(self, field: Field) -> dict[str, str]:
        """Where each value comes from, of a field that holds a call's arguments; empty for all others."""
        if field.message is None or field.known is None or not field.known.entry.opaque:
            return {}
        if field.path.rpartition(".")[2] not in ("args", "input", "arguments"):
            return {}
        value = json_inside(field.value) if isinstance(field.value, str) else field.value
        return next((said for args, said in self._said.get(field.message, []) if args == value), {})


def _vendor(document: Document) -> str:
    """Whose additions hold for the whole conversation: those of the first model that is known."""
    models = (message.model for message in document.conversation.messages if isinstance(message, AIMessage))
    named_model: Any = next((model for model in models if model), None) or document.conversation.extra.get("model")
    return vendor_of(named_model if isinstance(named_model, str) else None)


def _is_first(field: Field, seen: set[int]) -> bool:
    if field.known is None or id(field.known.entry) in seen:
        return False
    seen.add(id(field.known.entry))
    return True
