"""The words and numbers of a growing conversation, so that asking where a value stands costs what is found, and not the history."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, assert_never

from holter.analysis.explain.number import Number, numbers, worth
from holter.analysis.explain.word import bare, is_apart, last_name, leaves, pieces, weight, written
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage

Speaker: TypeAlias = Literal["user", "system", "answer", "result"]

_SPEAKERS: tuple[Speaker, ...] = ("user", "system", "result", "answer")
_MOST_ASKED = 64
"""Messages of a kind that hold a value's rarest word, of which the oldest are looked at."""
_SHORTEST = 3
"""Weight from which on a value that stands somewhere in a result, or in what the model gave, was taken from there."""
_SHORTEST_RULE = 4
"""The same for a number in instructions, in characters."""
_SHORT_RESULT = 200
"""Characters of a result in which a number of two digits is no chance."""
_LONGEST_FORM = 100
"""Characters of a value that may be another form of what the user wrote."""
_MOST_FORMS = 8
"""What the user said last, of which the words are taken as other forms of a value."""
_LONGEST = 2_000
"""Characters of a value that are looked for."""
_MOST_LEAVES = 10_000
"""Values of a result that are told apart by their names."""
_SHARE = 0.6
"""Share of a value's words that one message of the user's has, from which on it is put together of them."""

_Key: TypeAlias = str | Number


class Index:
    """What has been said, by whom and where."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._users: deque[tuple[int, list[str]]] = deque(maxlen=_MOST_FORMS)
        """(message, its words as they stand) of what the user said last."""
        self._holders: dict[Speaker, defaultdict[_Key, list[int]]] = {who: defaultdict(list) for who in _SPEAKERS}
        """Speaker -> word or number -> the messages that have it, oldest first."""
        self._named: dict[tuple[str, _Key], tuple[Speaker, int]] = {}
        """(name of a field, its value) -> the message that brought it up first: a result, or the arguments of a call."""
        self._given: dict[_Key, int] = {}
        """Each value in the arguments of a call -> the message that gave it first."""
        self._whole: dict[_Key, int] = {}
        """Each result that is nothing but one value, or holds a single number -> the first such message."""

    @property
    def has_question(self) -> bool:
        """Whether anything that the user said is among it: many logs hold only the answer."""
        return bool(self._users)

    def add(self, message: Message) -> None:
        """Takes in the next message."""
        at = len(self._texts)
        who = _speaker(message)
        text = _said(message).lower()
        self._texts.append(text)
        if who == "user":
            self._users.append((at, written(text)))
        found = set(numbers(text))
        holders = self._holders[who]
        for key in {*pieces(text), *found}:
            holders[key].append(at)
        if isinstance(message, ToolMessage):
            self._add_result(at, text, found)
        elif isinstance(message, AIMessage):
            self._add_fields(at, "answer", [call.get("args") for call in message.tool_calls])

    def _add_result(self, at: int, text: str, found: set[Number]) -> None:
        if len(text) <= _SHORT_RESULT:
            self._whole.setdefault(" ".join(text.split()), at)
            if len(found) == 1:
                self._whole.setdefault(next(iter(found)), at)
        if text.lstrip().startswith(("{", "[")):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                return
            self._add_fields(at, "result", value)

    def _add_fields(self, at: int, who: Speaker, value: Any) -> None:
        for number, (path, leaf) in enumerate(leaves(value)):
            if number == _MOST_LEAVES:
                return
            self._named.setdefault((last_name(path), _key(leaf)), (who, at))
            if who == "answer":
                self._given.setdefault(_key(leaf), at)

    def find(self, value: Any, name: str = "") -> tuple[Speaker, int] | None:
        """The message that the value of an argument of this name was taken from: what the user said, or the instructions, else the first
        that brought it up: a result, or the model itself. None, too, where so short a value may stand by chance."""
        text = _text_of(value)
        if not text or len(text) > _LONGEST:
            return None
        if (at := self._first("user", value, text)) is not None:
            return "user", at
        is_short_number = not isinstance(value, str) and len(text) < _SHORTEST_RULE
        if not is_short_number and (at := self._first("system", value, text)) is not None:
            return "system", at
        return self._short(value, text, name) if weight(text) < _SHORTEST else self._earliest(value, text)

    def _earliest(self, value: Any, text: str) -> tuple[Speaker, int] | None:
        speakers: tuple[Speaker, ...] = ("result", "answer")
        found = [(at, who) for who in speakers if (at := self._first(who, value, text)) is not None]
        return (min(found)[1], min(found)[0]) if found else None

    def _short(self, value: Any, text: str, name: str) -> tuple[Speaker, int] | None:
        """Of a value that stands everywhere: a result that is this value, a field of its name, a number of two digits in a short result."""
        keys = [key for key in (text, worth(value)) if key is not None]
        named = next((named for key in keys if (named := self._same_name(name, key)) is not None), None)
        found = [at for at in (self._of_short_result(key, text) for key in keys) if at is not None]
        given = [at for at in (self._given.get(key) for key in keys) if at is not None]
        if found and not (given and min(given) < min(found)):
            return "result", min(found)
        return named if named is not None or not found else ("answer", min(given))

    def _of_short_result(self, key: _Key, text: str) -> int | None:
        """The first result that is nothing but this value, or a short one that holds this number of two digits."""
        if (at := self._whole.get(key)) is not None or isinstance(key, str) or len(text.lstrip("-")) < 2:
            return at
        holders = self._holders["result"].get(key, [])
        return next((at for at in holders[:_MOST_ASKED] if len(self._texts[at]) <= _SHORT_RESULT), None)

    def _same_name(self, name: str, key: _Key) -> tuple[Speaker, int] | None:
        last = last_name(name)
        parts = [last, *(part for part in last.replace("-", "_").split("_") if len(part) > 1)]
        return next((found for part in parts if (found := self._named.get((part, key))) is not None), None)

    def chance(self, value: Any) -> int | None:
        """The first message that a value stands in which is too short for that to say anything."""
        text = _text_of(value)
        found = [at for who in _SPEAKERS if (at := self._first(who, value, text)) is not None] if len(text) <= _LONGEST else []
        return min(found, default=None)

    def forms(self, value: str) -> tuple[str, int] | None:
        """(what the user wrote, message) where the value is another form of it: its initials, or the same letters written otherwise."""
        if len(value) > _LONGEST_FORM:
            return None
        lowered = value.lower()
        words = lowered.split()
        plain = bare(lowered)
        initials = "".join(word[0] for word in words) if len(words) > 1 else ""
        for at, said in reversed(self._users):
            for word in said:
                letters = bare(word)
                if len(letters) > 1 and (letters == initials or (letters == plain and word != lowered)):
                    return word, at
        return None

    def put_together(self, value: str) -> int | None:
        """The message of the user's whose words a value is made of."""
        wanted = set(pieces(_text_of(value)))
        if len(wanted) < 2 or len(value) > _LONGEST:
            return None
        holders = self._holders["user"]
        counts: defaultdict[int, int] = defaultdict(int)
        for piece in wanted:
            for at in holders.get(piece, [])[-_MOST_ASKED:]:
                counts[at] += 1
        most = max(counts, key=lambda at: counts[at], default=None)
        return most if most is not None and counts[most] >= _SHARE * len(wanted) else None

    def parts(self, value: str) -> Iterator[tuple[str, int]]:
        """(word, message) of each word with a digit inside a text (an id, an amount) that a result brought up, and not the user."""
        for word in dict.fromkeys(written(value)):
            if len(word) > 1 and any(letter.isdigit() for letter in word):
                number = worth(word)
                found = self.find(word if number is None else number)
                if found is not None and found[0] == "result":
                    yield word, found[1]

    def _first(self, who: Speaker, value: Any, text: str) -> int | None:
        """The oldest message of a speaker's that a value stands in."""
        holders = self._holders[who]
        if not isinstance(value, str):
            key = worth(value)
            return next(iter(holders.get(key, [])), None) if key is not None else None
        wanted = list(pieces(text))
        rarest = min((holders.get(piece, []) for piece in wanted), key=len) if wanted else []
        return next((at for at in rarest[:_MOST_ASKED] if self._stands(text, at)), None)

    def _stands(self, text: str, at: int) -> bool:
        held = self._texts[at]
        start = held.find(text)
        while start >= 0:
            if is_apart(held, start, start + len(text)):
                return True
            start = held.find(text, start + 1)
        return False


def _text_of(value: Any) -> str:
    """A value as it is looked for."""
    return " ".join(value.lower().split()) if isinstance(value, str) else str(value)


def _key(value: Any) -> _Key:
    number = None if isinstance(value, str) else worth(value)
    return _text_of(value) if number is None else number


def _speaker(message: Message) -> Speaker:
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
    values = [str(value) for call in message.tool_calls for _, value in leaves(call.get("args"))]
    return "\n".join([message.text, *values])
