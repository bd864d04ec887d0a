"""Reads one value written as JSON, JavaScript, or a Python repr, as people paste them: with comments, any quotes, elisions, and cut
anywhere.

Nothing is evaluated: a call such as `AIMessage(content='hi')` becomes a `Call`, a name or `<object …>` a `Bare`. The parser keeps its own
stack, so depth costs no recursion, and it never goes back, so every input is read in linear time.

Accepted beyond JSON: `//`, `#` and `/* */` comments; '…', “…”, ‘…’, `…` and triple-quoted strings with raw newlines; adjacent strings;
unquoted keys; trailing and missing commas, missing closing brackets, full-width punctuation; None/True/False, undefined, NaN; tuples and
sets (as lists); `...` and `…` for what was left out.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from holter.formats.bracket import Brackets
from holter.formats.comment import Comments
from holter.formats.notation import Bare, Call, Elided, ElidedList, Note, Parsed, plain
from holter.formats.quotation import Quotations

MAX_DEPTH = 400
"""Deeper values are kept as text: no reader, writer or terminal can do anything with them, and Python's own tools fail near 1,000."""


_TOKEN = re.compile(
    r"""(?P<open>[\[{(])|(?P<close>[\]})])|(?P<comma>[,;，；、])|(?P<colon>[:=：](?![=>]))
    |(?P<quote>[bruBRU]{0,2}(?:'''|\"""|'|"|[“”„‟‘’‚‛`]))
    |(?P<dots>(?:\.{3,}|…+)(?:\ \d+\ more\ (?:items?|characters?))?)
    |(?P<number>[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w./-]))
    |(?P<word>-?[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)*+)
    |(?P<object><[^<>\n]{0,2000}+>)
    |(?P<junk>[+!\d.-][^,;\[\]{}()"'“”‘’`\n，；<>=]{0,120}+)""",
    re.VERBOSE,
)
_FULL_WIDTH = "，；、："
_KEY_MARK = re.compile(r"[:=：](?![=>])")
_CODE = re.compile(r"\.[A-Za-z_]|[+%*?|&\[(]|=>|(?:if|else|for|in|and|or|as)\b")
"""What stands behind a value in a program, and in no log."""
_WORDS: dict[str, Any] = {
    "null": None,
    "None": None,
    "undefined": None,
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "NaN": float("nan"),
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_PARTNER = {"[": "]", "{": "}", "(": ")"}
_MOST_MISSING = 4
"""Closing brackets that may be missing at one place."""
_LONGEST_OPEN = 2_000
"""Characters that `<object …>` or a comment may be cut in at the text's end."""
_NOTHING = object()


class _Frame:
    """An open container: a list, a dict, or a call."""

    __slots__ = ("bare", "close", "comma", "elided", "is_map", "items", "key", "offset", "parted")

    def __init__(self, bracket: str, offset: int, items: Any) -> None:
        self.close = _PARTNER[bracket]
        self.items = items
        self.offset = offset
        self.is_map = bracket == "{"
        self.key: Any = _NOTHING
        self.bare = False
        """Whether the newest key had no quotes."""
        self.comma = False
        self.parted = True
        """Whether a comma, or nothing, stands before the next entry."""
        self.elided = False

    @property
    def is_call(self) -> bool:
        return isinstance(self.items, Call) and not self.is_map

    @property
    def waits_for_key(self) -> bool:
        return self.is_map and self.key is _NOTHING

    @property
    def where(self) -> str:
        """Where a string that begins now stands, as `quotation` names it."""
        if self.is_map:
            return "key" if self.key is _NOTHING else "bare-value" if self.bare else "value"
        return "argument" if self.is_call and self.key is not _NOTHING else "item"


class Literals:
    """Reads the values of one text. Reading several costs no more than the text that is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._comments = Comments(text)
        self._quotations = Quotations(text)
        self._brackets = Brackets(text)

    def read(self, start: int) -> Parsed:
        """The value that begins at `start`, or as much of it as there is. What does not begin a value gives None, stopped "unexpected"."""
        return _Parser(self._text, self._comments, self._quotations, self._brackets).run(start)

    def close(self, start: int, limit: int) -> int:
        """Behind the bracket that closes the one at `start`, whatever stands between; `start` when none does within `limit` characters."""
        return self._brackets.close(start, limit)


def parse(text: str, start: int) -> Parsed:
    """As `Literals.read`, in plain values: a name, `<object …>` and what was left out are text, a call is the dict of its keywords."""
    parsed = Literals(text).read(start)
    return msgspec.structs.replace(parsed, value=plain(parsed.value))


class _Parser:
    def __init__(self, text: str, comments: Comments, quotations: Quotations, brackets: Brackets) -> None:
        self._text = text
        self._comments = comments
        self._quotations = quotations
        self._brackets = brackets
        self._stack: list[_Frame] = []
        self._starts: dict[int, int] = {}
        self._notes: list[Note] = []
        self._kinds: set[str] = set()
        self._result: Any = _NOTHING
        self._after = 0
        """Behind the token that is being handled."""

    def run(self, start: int) -> Parsed:
        text, end, at = self._text, len(self._text), start
        while self._result is _NOTHING:
            begin = at
            at, commented = self._comments.skip(at)
            if commented:
                self._note("comment", begin)
            if at >= end:
                return self._stop(at, "end")
            token = _TOKEN.match(text, at)
            moved = self._take(token, at) if token else -1
            if moved < 0:
                return self._stop(end, "end") if self._is_cut(at, token) else self._stop(at, "unexpected")
            if moved > end:
                return self._stop(end, "end")
            at = moved
        return Parsed(self._result, at, "", self._starts, self._notes)

    def _is_cut(self, at: int, token: re.Match[str] | None) -> bool:
        """Whether the text ended inside the token at `at`: too little is left of it to tell what it was."""
        left = len(self._text) - at
        if token is not None:
            return token.end() == len(self._text) and token.lastgroup in ("word", "number", "junk", "dots")
        opens = self._text.startswith("/*", at) or (self._text[at] == "<" and self._text.find("\n", at, at + _LONGEST_OPEN) < 0)
        return left < 3 or (opens and left < _LONGEST_OPEN)

    def _take(self, token: re.Match[str], at: int) -> int:
        """Handles one token; where to go on, -1 when it does not belong here, beyond the text when it is cut."""
        kind = token.lastgroup
        after = self._after = token.end()
        if after == len(self._text) and self._stack and kind in ("word", "number", "junk") and token.group() not in _WORDS:
            return -1
        match kind:
            case "open":
                return self._open(token.group(), at, after)
            case "close":
                return after if self._close(token.group(), at) else -1
            case "comma" | "colon" if token.group() in _FULL_WIDTH and self._stack:
                self._note("width", at)
                return after if (self._comma() if kind == "comma" else self._colon()) else -1
            case "comma":
                return after if self._comma() else -1
            case "colon":
                return after if self._colon() else -1
            case "quote":
                return self._string(token.group(), at, after)
            case "dots":
                return self._dots(at, after)
            case "number":
                return after if self._value(_number(token.group())) else -1
            case "object":
                return after if self._value(Bare(token.group())) else -1
            case "junk":
                return after if self._junk(token.group().strip()) else -1
            case _:
                return self._word(token.group(), at, after)

    def _open(self, bracket: str, at: int, after: int) -> int:
        if self._stack and bracket != "{" and _touches_word(self._text, at):
            return -1
        if len(self._stack) >= MAX_DEPTH:
            return self._too_deep(at)
        self._push(_Frame(bracket, at, {} if bracket == "{" else []))
        return after

    def _push(self, frame: _Frame) -> None:
        self._starts[id(frame.items)] = frame.offset
        self._stack.append(frame)

    def _close(self, bracket: str, at: int) -> bool:
        """Ends the container that this bracket closes, and those inside it whose own is missing."""
        missing = next((n for n, frame in enumerate(self._stack[: -_MOST_MISSING - 1 : -1]) if frame.close == bracket), None)
        if missing is None:
            return False
        if missing:
            self._note("bracket", at)
        for _ in range(missing + 1):
            frame = self._stack[-1]
            self._settle(frame)
            self._stack.pop()
            if not self._value(self._finished(frame)):
                return False
        return True

    def _finished(self, frame: _Frame) -> Any:
        items = frame.items
        if isinstance(items, Call):
            return self._finished_call(items, frame.offset)
        if frame.elided and not items:
            if isinstance(items, dict):
                return Elided("...")
            empty = ElidedList()
            self._starts[id(empty)] = frame.offset
            return empty
        if frame.close == ")" and len(items) == 1 and not frame.comma:
            return items[0]
        return items

    def _finished_call(self, call: Call, offset: int) -> Any:
        """A call with keywords stays one; `deque([…])` is its list; one with plain positional arguments is kept as its text."""
        if call.positional and not any(isinstance(item, dict | list) for item in call.positional):
            return call if "content" in call else Bare(self._text[offset : self._after])
        if call:
            return call
        if not call.positional:
            return _EMPTY_CALLS[call.name]() if call.name in _EMPTY_CALLS else Bare(self._text[offset : self._after])
        return call.positional[0] if len(call.positional) == 1 else Bare(self._text[offset : self._after])

    def _comma(self) -> bool:
        if not self._stack:
            return False
        frame = self._stack[-1]
        self._settle(frame)
        frame.comma = frame.parted = True
        return True

    def _settle(self, frame: _Frame) -> None:
        """Ends the entry that is being read: a key without a value gets None."""
        if frame.key is not _NOTHING:
            key, frame.key = frame.key, _NOTHING
            self._put(frame, key, None)

    def _colon(self) -> bool:
        """A colon or `=` belongs behind a key, which stands as the pending value of a dict or the last positional of a call."""
        if not self._stack:
            return False
        frame = self._stack[-1]
        if frame.is_call:
            if frame.items.positional and isinstance(frame.items.positional[-1], Bare) and frame.key is _NOTHING:
                frame.key = str(frame.items.positional.pop())
                return True
            return False
        return frame.is_map and frame.key is not _NOTHING

    def _value(self, value: Any) -> bool:
        """Puts a whole value where it belongs; False when no value may stand here."""
        if not self._stack:
            self._result = value
            return True
        frame = self._stack[-1]
        if isinstance(value, Elided) and frame.key is _NOTHING:
            frame.elided = True
            return True
        if frame.key is _NOTHING:
            if not frame.parted:
                self._note("comma", self._after)
            frame.parted = False
        if frame.is_call:
            if frame.key is _NOTHING:
                frame.items.positional.append(value)
            else:
                frame.items[frame.key], frame.key = value, _NOTHING
            return True
        if frame.is_map:
            return self._into_map(frame, value)
        frame.items.append(value)
        return True

    def _into_map(self, frame: _Frame, value: Any) -> bool:
        if frame.key is not _NOTHING:
            key, frame.key = frame.key, _NOTHING
            self._put(frame, key, value)
            return True
        if self._is_key(self._after):
            frame.key = value
            frame.bare = type(value) is not str
            return True
        return self._as_set(frame, value)

    def _as_set(self, frame: _Frame, value: Any) -> bool:
        """An entry without a key: the braces hold a set, unless they hold keys already."""
        if frame.items:
            return False
        frame.is_map = False
        del self._starts[id(frame.items)]
        frame.items = [value]
        self._starts[id(frame.items)] = frame.offset
        return True

    def _put(self, frame: _Frame, key: Any, value: Any) -> None:
        frame.items[str(key)] = value

    def _word(self, word: str, at: int, after: int) -> int:
        follows = self._text[after : after + 1]
        if follows == "(":
            if len(self._stack) >= MAX_DEPTH:
                return self._too_deep(after)
            self._push(_Frame("(", at, Call(word)))
            return after + 1
        if word[0].isupper() and (braces := _INSPECTED.match(self._text, after)):
            if len(self._stack) >= MAX_DEPTH:
                return self._too_deep(braces.end() - 1)
            self._push(_Frame("{", at, Call(word)))
            return braces.end()
        if word == "new" and _CONSTRUCTED.match(self._text, after):
            return after
        frame = self._stack[-1] if self._stack else None
        if frame is not None and (frame.is_call or frame.waits_for_key) and self._is_key(after):
            return after if self._value(Bare(word)) else -1
        if word in _WORDS:
            value = _WORDS[word]
            if isinstance(value, float):
                self._note("nan", at)
            return after if self._value(value) else -1
        if frame is None or frame.waits_for_key:
            return -1
        return after if self._value(Bare(word)) else -1

    def _junk(self, text: str) -> bool:
        """A value that is no literal and holds no bracket, such as a bare date; it belongs behind a key only."""
        return bool(self._stack) and self._stack[-1].key is not _NOTHING and self._value(Bare(text))

    def _dots(self, at: int, after: int) -> int:
        if not self._stack or _SPREAD.match(self._text, after):
            return -1
        self._note("elided", at)
        return after if self._value(Elided("...")) else -1

    def _string(self, quote: str, at: int, after: int) -> int:
        if self._stack and _touches_word(self._text, at):
            return -1
        text, moved = self._read_string(quote, after)
        while moved <= len(self._text):
            frame = self._stack[-1] if self._stack else None
            again = _TOKEN.match(self._text, self._comments.skip(moved)[0])
            if frame is None or again is None or again.lastgroup != "quote" or not self._may_join(frame, quote + again.group()):
                break
            more, end = self._read_string(again.group(), again.end())
            if frame.is_map and end <= len(self._text) and self._is_key(end):
                self._after = moved
                self._value(text)
                text, moved = more, end
                break
            text, moved, quote = text + more, end, quote + again.group()
        self._after = moved
        is_key = bool(self._stack) and self._stack[-1].waits_for_key
        if is_key and (moved > len(self._text) or self._comments.skip(moved)[0] >= len(self._text)):
            return len(self._text) + 1
        return moved if self._value(text) else -1

    def _may_join(self, frame: _Frame, quotes: str) -> bool:
        """Whether two strings without a comma between are one: in Python reprs they are; in a JSON list a comma is missing."""
        return frame.close == ")" or frame.key is not _NOTHING or (not frame.is_map and "'" in quotes)

    def _read_string(self, quote: str, after: int) -> tuple[str, int]:
        quoted = self._quotations.read(quote, after, self._stack[-1].where if self._stack else "free")
        for kind, offset in quoted.notes:
            self._note(kind, offset)
        return quoted.text, quoted.end

    def _is_key(self, at: int) -> bool:
        return _KEY_MARK.match(self._text, self._comments.skip(at)[0]) is not None

    def _too_deep(self, at: int) -> int:
        """Keeps a value that is nested too deeply as text, up to the bracket that closes it."""
        self._note("depth", at)
        end = self._after = self._brackets.partner(at)
        return end if self._value(self._text[at:end]) else -1

    def _note(self, kind: str, at: int) -> None:
        if kind == "elided" or kind not in self._kinds:
            self._kinds.add(kind)
            self._notes.append(Note(kind, at))

    def _stop(self, at: int, why: str) -> Parsed:
        """Closes what is open and gives what there is. A key that the text's end left without a value is dropped with it."""
        if why == "unexpected" and self._stack and _CODE.match(self._text, at):
            self._note("code", at)
        self._after = len(self._text)
        value: Any = None
        opened: list[Any] = []
        while self._stack:
            frame = self._stack.pop()
            if frame.key is not _NOTHING and why == "unexpected":
                self._settle(frame)
            value = frame.items if frame.is_call else self._finished(frame)
            opened.append(value)
            is_remnant = isinstance(value, dict | list) and not value and not isinstance(value, ElidedList)
            parent = self._stack[-1] if self._stack else None
            if parent is not None and not (is_remnant and not parent.is_map) and not self._value(value):
                break
        return Parsed(value, at, why, self._starts, self._notes, opened[::-1])


_INSPECTED = re.compile(r" \{(?!\s*\})")
"""What follows the class name of an object as Node prints it: `AIMessage { … }`."""
_CONSTRUCTED = re.compile(r"\s+[A-Za-z_$][\w$.]*+\(")
_SPREAD = re.compile(r"[A-Za-z_$(\[{]")
_EMPTY_CALLS: dict[str, Any] = {"set": list, "frozenset": list, "list": list, "tuple": list, "dict": dict, "OrderedDict": dict}


def _touches_word(text: str, at: int) -> bool:
    """Whether a word, a call or a subscript ends right before `at`, as no literal does."""
    before = text[at - 1 : at]
    return before in (")", "_", "$") or (before.isascii() and before.isalnum())


def _number(text: str) -> int | float:
    digits = text.replace("_", "")
    try:
        return int(digits, 16) if "x" in digits.lower() else int(digits)
    except ValueError:
        return float(digits)


__all__ = ["MAX_DEPTH", "Bare", "Call", "Elided", "ElidedList", "Literals", "Note", "Parsed", "parse", "plain"]
