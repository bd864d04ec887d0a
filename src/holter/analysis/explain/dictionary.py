"""The knowledge of fields as a dictionary: what a name means, in each format that has it."""

from __future__ import annotations

import difflib
import functools

import msgspec

from holter.analysis.explain.knowledge import ANY, BOOK_OF, Known, book, entries
from holter.analysis.explain.walk import named

_ROOTS = {
    "langchain": ("message", "state", "stream"),
    "openai_chat": ("message", "record", "choice"),
    "openai_responses": ("item", "record", "event"),
    "anthropic": ("block", "message", "record", "event"),
    "gemini": ("content", "record", "candidate", "interaction", "step"),
    "journal": ("event", "record"),
}
"""The kinds that paths begin at, the nearest first."""
TITLES = {
    "langchain": "LangChain",
    "openai_chat": "OpenAI chat",
    "openai_responses": "OpenAI Responses",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
    "journal": "Holter journal",
    "deepseek": "DeepSeek",
    "qwen": "Qwen",
    "other_chat": "OpenAI chat, other servers",
}
"""What people call the formats."""
_DEEPEST = 6


class Meaning(msgspec.Struct, frozen=True):
    """One entry of the dictionary."""

    known: Known
    path: str
    """Where the field stands, below a message or a record."""

    @property
    def title(self) -> str:
        """What people call its format."""
        return TITLES[self.known.book]


def dictionary(path: str) -> list[Meaning]:
    """What a field means in each format that has it. The path may be a name, or end in one: "tool_call_id",
    "response_metadata.token_usage", "messages[1].tool_calls[0].id"."""
    wanted = _steps(path)
    found: dict[int, Meaning] = {}
    for meaning in _meanings():
        steps = _steps(meaning.path)
        if wanted and (steps[-len(wanted) :] == wanted or (wanted[-len(steps) :] == steps and len(steps) > 1)):
            found.setdefault(id(meaning.known.entry), meaning)
    return list(found.values())


def near(path: str) -> list[str]:
    """Names of known fields that are spelled like this one."""
    name = _steps(path)[-1] if _steps(path) else path
    return difflib.get_close_matches(name, sorted({known.field for known in entries() if known.field != ANY}), 5, 0.6)


def _steps(path: str) -> tuple[str, ...]:
    return tuple(step for step in named(path).replace("[]", "").replace('["', ".").replace('"]', "").split(".") if step)


@functools.cache
def _meanings() -> tuple[Meaning, ...]:
    """Every entry, at the shortest path that leads to it."""
    found: dict[int, Meaning] = {}
    for name, roots in _ROOTS.items():
        waiting = [(f"{name}.{root}", "", 0) for root in roots]
        while waiting:
            kind, path, depth = waiting.pop(0)
            for known in _fields(kind):
                inner = f"{path}.{known.field}" if path else known.field
                found.setdefault(id(known.entry), Meaning(known, inner))
                if known.inside and depth < _DEEPEST and known.inside.startswith(f"{name}."):
                    waiting.append((known.inside, inner, depth + 1))
    return tuple(found.values())


def _fields(kind: str) -> list[Known]:
    """The fields of a kind, those that vendors add included."""
    format_, _, name = kind.partition(".")
    books = [format_, *(added for added, of in BOOK_OF.items() if of == format_)]
    return [Known(each, name, field, entry) for each in books for field, entry in book(each).kinds.get(name, {}).items() if field != ANY]


def has(path: str, wanted: str) -> bool:
    """Whether a field's path ends in another, or is it, positions included where the other names some."""
    if "[" in wanted and any(part.partition("]")[0].isdigit() for part in wanted.split("[")[1:]):
        return path == wanted or path.endswith(f".{wanted}")
    steps, ending = _steps(path), _steps(wanted)
    return bool(ending) and steps[-len(ending) :] == ending
