"""An explained log, and entries of the dictionary of fields, as JSON values."""

from __future__ import annotations

from typing import Any

from holter.analysis.explain.dictionary import Meaning
from holter.analysis.explain.entry import Entry, Language
from holter.analysis.explain.explanation import Explained, Line
from holter.analysis.explain.knowledge import sources


def explained_json(explained: Explained) -> dict[str, Any]:
    """The explanation as a JSON value."""
    conversation = explained.document.conversation
    return {
        "source": conversation.source,
        "conversation": conversation.position,
        "format": conversation.format,
        "account": [[{"name": s.name, "message": s.message, "text": s.text} for s in part] for part in explained.account],
        "fields": [_line_json(line, explained.language) for line in explained.lines],
        "unknown": explained.unknown,
    }


def meaning_json(meaning: Meaning, language: Language) -> dict[str, Any]:
    """An entry of the dictionary as a JSON value."""
    return {"field": meaning.path, "format": meaning.title, **_entry_json(meaning.known.entry, language)}


def _line_json(line: Line, language: Language) -> dict[str, Any]:
    known = line.field.known
    found = {
        "path": line.field.path,
        "message": line.field.message,
        "value": line.field.value,
        "known": known is not None,
        "notes": line.notes,
    }
    return found if known is None else found | _entry_json(known.entry, language)


def _entry_json(entry: Entry, language: Language) -> dict[str, Any]:
    words, source = entry.words(language), sources()[entry.source]
    return {
        "means": words.means,
        "set_by": entry.by,
        "unit": entry.unit or None,
        "typical": words.typical,
        "goes_with": entry.pairs,
        "check": words.check,
        "values": {value: said.zh if language == "zh" else said.en for value, said in entry.values.items()},
        "source": {"title": source.named(language), "url": source.url or None, "seen": source.seen},
    }
