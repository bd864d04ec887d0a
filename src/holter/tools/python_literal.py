"""Reads a Python literal of JSON's types, as models write them in place of JSON: single quotes, True, None, a comma before the bracket.

Nothing is evaluated. `ast.literal_eval` builds a syntax tree first, which deep nesting can bring down with the process, and takes more:
sets, tuples, bytes, complex numbers, strings that stand side by side. `formats.literal` takes what people paste, which is more still.
Source of the grammar: the Python Language Reference 3.14, section 2, seen 2026-11.
"""

import re
from typing import Any

from holter.tools.json_value import Stopped, finite, short_enough

_DEEPEST = 200
_SPACE = re.compile(r"[ \t\r\n]*+")
_NUMBER = re.compile(
    r"[-+]?(?:(?P<int>0|[1-9][0-9]*+)(?![.\deE])|(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|[0-9]++[eE][-+]?[0-9]++)(?![\w.])"
)
_CUT_NUMBER = re.compile(r"[-+]?[0-9]*+\.?[0-9]*+(?:[eE][-+]?)?\Z")
_COMPLEX = re.compile(r"[-+]?[0-9.][0-9.eE]*+[jJ]")
_WORD = re.compile(r"[A-Za-z_]\w*+")
_WORDS = {"True": True, "False": False, "None": None}
_STRINGS = {
    "'": re.compile(r"(?:[^'\\\n\0]|\\[^\0])*+"),
    '"': re.compile(r'(?:[^"\\\n\0]|\\[^\0])*+'),
    "'''": re.compile(r"(?:[^'\\\0]|\\[^\0]|'(?!''))*+"),
    '"""': re.compile(r'(?:[^"\\\0]|\\[^\0]|"(?!""))*+'),
}
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPED = {**dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)), "\n": "", "\\": "\\", "'": "'", '"': '"'}
_BRACKETS: dict[type[Any], str] = {list: "]", dict: "}"}


def read(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and where it ends. Raises Stopped."""
    return _Reader(text, start).run()


class _Reader:
    """Keeps its own stack, so depth costs no recursion, and never goes back."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._open: list[Any] = []
        """Lists and dicts that are not closed, outermost first."""
        self._keys: list[str] = []
        """The key that waits for its value, for each open dict."""

    def run(self) -> tuple[Any, int]:
        while True:
            value = self._value()
            while self._open:
                self._put(value)
                if self._goes_on():
                    break
                value = self._close()
            else:
                return value, self._at

    def _value(self) -> Any:
        """The next value that is whole: text, number, word, or an empty list or dict. What opens on the way is pushed."""
        while (char := self._next()) in ("[", "{"):
            if len(self._open) == _DEEPEST:
                raise Stopped(self._at, "nested too deeply")
            self._at += 1
            self._open.append([] if char == "[" else {})
            if self._next() == _BRACKETS[type(self._open[-1])]:
                return self._close()
            if char == "{":
                self._read_key()
        return self._string() if char in "'\"" else self._scalar(char)

    def _put(self, value: Any) -> None:
        container = self._open[-1]
        if isinstance(container, dict):
            container[self._keys.pop()] = value
        else:
            container.append(value)

    def _goes_on(self) -> bool:
        """Whether another value follows in the innermost container; its key is read already."""
        container = self._open[-1]
        bracket = _BRACKETS[type(container)]
        if (char := self._next()) == ",":
            self._at += 1
            char = self._next()
            if char != bracket and isinstance(container, dict):
                self._read_key()
            return char != bracket
        if char != bracket:
            raise self._bad(f"a comma or {bracket} was expected")
        return False

    def _close(self) -> Any:
        self._at += 1
        return self._open.pop()

    def _read_key(self) -> None:
        start = self._at
        if self._next() not in "'\"":
            raise self._bad("a key must be text in quotes")
        key = self._string()
        if self._next() != ":":
            raise Stopped(start, "a set is no JSON value" if self._next() in ",}" else "a colon was expected behind this key")
        self._at += 1
        self._keys.append(key)

    def _next(self) -> str:
        """The next character that is no whitespace; there is one."""
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        if self._at >= len(self._text):
            raise self._cut()
        return self._text[self._at]

    def _scalar(self, char: str) -> Any:
        if number := _NUMBER.match(self._text, self._at):
            return self._number(number)
        if word := _WORD.match(self._text, self._at):
            return self._word(word)
        if _CUT_NUMBER.match(self._text, self._at):
            raise self._cut()
        is_complex = _COMPLEX.match(self._text, self._at)
        raise self._bad(
            "a tuple is no JSON value" if char == "(" else "a complex number is no JSON value" if is_complex else "a value was expected"
        )

    def _number(self, number: re.Match[str]) -> int | float:
        try:
            value = finite(number.group()) if number["int"] is None else short_enough(number.group())
        except ValueError:
            raise self._bad("too large a number") from None
        self._at = number.end()
        return value

    def _word(self, word: re.Match[str]) -> Any:
        name = word.group()
        if name in _WORDS:
            self._at = word.end()
            return _WORDS[name]
        if word.end() == len(self._text) and any(known.startswith(name) for known in _WORDS):
            raise self._cut()
        follows = self._text[word.end() : word.end() + 1]
        if follows and follows in "'\"":
            raise self._bad("bytes are no JSON value" if "b" in name.lower() else f"a string with the prefix {name[:4]} is no JSON value")
        raise self._bad(f"{name[:40]} is no JSON value")

    def _string(self) -> str:
        char = self._text[self._at]
        quote = char * 3 if self._text.startswith(char * 3, self._at) else char
        begin = self._at + len(quote)
        inside = _STRINGS[quote].match(self._text, begin)
        end = inside.end() if inside else begin
        if not self._text.startswith(quote, end):
            if self._text.startswith(("\n", "\0", "\\\0"), end):
                self._at = end
                raise self._bad("a raw control character; write it as \\n")
            raise self._cut()
        self._at = end + len(quote)
        body = self._text[begin:end]
        return _ESCAPE.sub(lambda found: self._character(found, begin), body) if "\\" in body else body

    def _character(self, escape: re.Match[str], begin: int) -> str:
        """What an escape stands for. Python keeps one that it does not know as it is and warns; what the model meant is not clear then."""
        octal, *hexes, other = escape.groups()
        if other in _ESCAPED:
            return _ESCAPED[other]
        code = -1 if other else int(octal, 8) if octal else int(next(digits for digits in hexes if digits), 16)
        if not 0 <= code <= 0x10FFFF:
            raise Stopped(begin + escape.start(), "invalid \\escape")
        return chr(code)

    def _bad(self, why: str) -> Stopped:
        return Stopped(self._at, why)

    def _cut(self) -> Stopped:
        return Stopped(len(self._text), "the text ends inside it", is_end=True)
