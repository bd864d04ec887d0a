"""Where the values of a call's arguments come from: from which earlier message, or from none.

Each message is read once, into an index of its words, so that asking costs what is found, and not the history.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, assert_never

import msgspec

from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage

Where: TypeAlias = Literal["user", "system", "answer", "result", "form", "choice", "nowhere"]
"""What the user said; the instructions; what the model said or called before; a result; what the user wrote in another form; one of the
choices that the tool's schema gives; none of these."""

_ASKED: tuple[Where, ...] = ("user", "system", "result", "answer")
_WORD = re.compile(r"[a-z0-9_]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
_MOST_ASKED = 64
"""Messages of a kind that hold a value's rarest word, of which the oldest are looked at."""
_SHORTEST = 3
"""Characters from which on a value that stands in a result, or in what the model gave, says that it was taken from there."""
_SHORTEST_RULE = 4
"""The same for a number in instructions."""
_WRITTEN = re.compile(r"[\w.-]+")
_NO_LETTER = re.compile(r"[\W_]")
_LONGEST_FORM = 100
"""Characters of a value that may be another form of what the user wrote."""
_MOST_FORMS = 8
"""What the user said last, of which the words are taken as other forms of a value."""
_LONGEST = 2_000
"""Characters of a value that are looked for."""


class Origin(msgspec.Struct, frozen=True):
    """Where one value comes from."""

    path: str
    """Which argument: "city", "days[0]"."""
    value: Any
    where: Where
    message: int | None = None
    """Position of the message it stands in."""
    form: str = ""
    """What the user wrote, where the value is another form of it."""


class Index:
    """The words of a growing conversation."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._users: deque[tuple[int, list[tuple[str, str]]]] = deque(maxlen=_MOST_FORMS)
        """(message, its words as they stand and bare) of what the user said last."""
        self._holders: dict[Where, defaultdict[str, list[int]]] = {where: defaultdict(list) for where in _ASKED}

    def add(self, message: Message) -> None:
        """Takes in the next message."""
        at = len(self._texts)
        where = _where(message)
        text = _said(message).lower()
        self._texts.append(text)
        if where == "user":
            self._users.append((at, [(word, _bare(word)) for word in _WRITTEN.findall(text)]))
        holders = self._holders[where]
        for word in set(_pieces(text)):
            holders[word].append(at)

    def find(self, value: Any) -> tuple[Where, int] | None:
        """The message that a value stands in: what the user said, or the instructions, else the first that brought it up: a result, or the
        model itself."""
        text = _text_of(value)
        if not text or len(text) > _LONGEST:
            return None
        if (at := self._first("user", value, text)) is not None:
            return "user", at
        is_short_number = not isinstance(value, str) and len(text) < _SHORTEST_RULE
        if not is_short_number and (at := self._first("system", value, text)) is not None:
            return "system", at
        if len(text) < _SHORTEST:
            return None
        wheres: tuple[Where, ...] = ("result", "answer")
        found = [(at, where) for where in wheres if (at := self._first(where, value, text)) is not None]
        return (min(found)[1], min(found)[0]) if found else None

    def _first(self, where: Where, value: Any, text: str) -> int | None:
        """The oldest message of a kind that a value stands in."""
        pieces = list(_pieces(text))
        if not pieces:
            return None
        holders = self._holders[where]
        rarest = min((holders.get(piece, []) for piece in pieces), key=len)
        return next((at for at in rarest[:_MOST_ASKED] if self._stands(value, text, at)), None)

    def forms(self, value: str) -> tuple[str, int] | None:
        """(what the user wrote, message) where the value is another form of it: its initials, or the same letters written otherwise."""
        if len(value) > _LONGEST_FORM:
            return None
        lowered = value.lower()
        words = lowered.split()
        plain = _bare(lowered)
        initials = "".join(word[0] for word in words) if len(words) > 1 else ""
        for at, written in reversed(self._users):
            for word, bare in written:
                if len(bare) > 1 and (bare == initials or (bare == plain and word != lowered)):
                    return word.strip("."), at
        return None

    def _stands(self, value: Any, text: str, at: int) -> bool:
        held = self._texts[at]
        if isinstance(value, int | float):
            return any(_equal(number, value) for number in _NUMBER.findall(held))
        start = held.find(text)
        while start >= 0:
            if _is_apart(held, start, start + len(text)):
                return True
            start = held.find(text, start + 1)
        return False


def origins(call: dict[str, Any], index: Index, choices: dict[str, list[Any]]) -> Iterator[Origin]:
    """Where each value of a call's arguments comes from; true, false and null come from nowhere and are left out. `choices` are the values
    that the tool's schema gives for an argument."""
    args = call.get("args")
    for path, value in _leaves(args, "") if isinstance(args, dict) else ():
        found = index.find(value)
        if found is not None:
            yield Origin(path, value, *found)
        elif value in choices.get(path, ()):
            yield Origin(path, value, "choice")
        elif isinstance(value, str) and (form := index.forms(value)) is not None:
            yield Origin(path, value, "form", form[1], form[0])
        else:
            yield Origin(path, value, "nowhere")


def _bare(text: str) -> str:
    """Letters and digits only."""
    return _NO_LETTER.sub("", text)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        at, item = waiting.pop()
        if isinstance(item, dict):
            waiting += reversed([(f"{at}.{key}" if at else str(key), inner) for key, inner in item.items()])
        elif isinstance(item, list):
            waiting += reversed([(f"{at}[{i}]", inner) for i, inner in enumerate(item)])
        elif item is not None and not isinstance(item, bool) and item != "":
            yield at, item


def _where(message: Message) -> Where:
    match message:
        case HumanMessage():
            return "user"
        case SystemMessage():
            return "system"
        case ToolMessage():
            return "result"
        case AIMessage():
            return "answer"
        case _:
            assert_never(message)


def _said(message: Message) -> str:
    """What a message says, the arguments of its calls included, so that a result which repeats one is not taken for its origin."""
    if not isinstance(message, AIMessage) or not message.tool_calls:
        return message.text
    values = [str(value) for call in message.tool_calls for _, value in _leaves(call.get("args"), "")]
    return "\n".join([message.text, *values])


def _text_of(value: Any) -> str:
    return " ".join(value.lower().split()) if isinstance(value, str) else str(value)


def _pieces(text: str) -> Iterator[str]:
    """Words, and of scripts without spaces each pair of characters."""
    for word in _WORD.findall(text):
        if not _CJK.match(word) or len(word) == 1:
            yield word
        else:
            yield from (word[i : i + 2] for i in range(len(word) - 1))


def _equal(number: str, value: float) -> bool:
    try:
        return float(number) == float(value)
    except (ValueError, OverflowError):
        return False


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether what stands between is not a part of a longer word."""
    before = start > 0 and _joins(text[start - 1]) and _joins(text[start])
    after = end < len(text) and _joins(text[end]) and _joins(text[end - 1])
    return not before and not after


def _joins(letter: str) -> bool:
    return letter.isalnum() and not _CJK.match(letter)


def choices_of(schema: dict[str, Any] | None) -> dict[str, list[Any]]:
    """Argument -> the values that a schema gives for it."""
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict):
        return {}
    return {name: inner["enum"] for name, inner in properties.items() if isinstance(inner, dict) and isinstance(inner.get("enum"), list)}
