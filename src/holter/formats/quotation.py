"""Reads quoted strings as people paste them: with any quotes, with raw line breaks, and with quotes inside that nobody escaped.

A quote ends its string when what follows may follow a string where it stands; otherwise, when a later quote on the line fits better, it is
part of the text.
"""

import re
from typing import NamedTuple

from holter.formats.comment import SPACE

_DOUBLE = '"“”„‟'
_SINGLE = "'‘’‚‛"
_PLAIN = {mark: re.compile(rf"[^{mark}\\]*+") for mark in "'\"`"} | {
    "“": re.compile(rf"[^{_DOUBLE}\\]*+"),
    "‘": re.compile(rf"[^{_SINGLE}\\]*+"),
}
_CLOSING = {"'": "'", '"': '"', "`": "`", "“": _DOUBLE, "‘": _SINGLE}
_ANY = {mark: re.compile(f"[{closing}]") for mark, closing in _CLOSING.items()}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "a": "\a", "v": "\v", "\n": ""}
_UNESCAPED = "\"'\\/`“”‘’$"
_HEX = re.compile(r"[0-9a-fA-F]+")

_TEXT = r"""(?:"(?:[^"\\\n]|\\.){0,80}+"|'(?:[^'\\\n]|\\.){0,80}+'|[“”‘’`][^“”‘’`\n]{0,80}[“”‘’`])"""
_QUOTED_KEY = rf"{_TEXT}{SPACE}*+[:：=](?![=>])"
_CUT_KEY = rf"""["'“‘`]?[^"'”’`\n]{{0,80}}+["'”’`]?{SPACE}*+\Z"""
_BARE_KEY = rf"[\w$@][\w$@.\-]{{0,80}}+{SPACE}*+[:：=](?![=>])"
_REST = r"\Z|//|/\*|\#"
_DOTS = r"\.\.\.|…"
_VALUE = rf"""["'“‘`\[{{(<]|[-+.]?\d|(?:None|True|False|null|true|false|undefined|NaN)\b|[A-Z]\w*\(|{_DOTS}|{_REST}"""
_COMMA = rf"[,;，；、]++{SPACE}*+"


def _value(key: str) -> str:
    """What follows a value in braces: a comma and a key, or the end; or a key or one more string on the next line, a comma missing."""
    return (
        rf"""{SPACE}*+(?:{_COMMA}(?:{key}|{_CUT_KEY}|(?:\d[\w.]*+|None|True|False)\s*[:：]|[}}\])(]|{_DOTS}|{_REST})|[}}\])]|{_REST})"""
        rf"""|[ \t]++{_QUOTED_KEY}|[ \t\r]*+\n{SPACE}*+(?:{key}|["'])"""
    )


_FOLLOWS = {
    "key": re.compile(rf"{SPACE}*+(?:[:：=](?![=>])|[,，}}]|{_REST})"),
    "value": re.compile(_value(rf"""(?:{_QUOTED_KEY}|{_BARE_KEY}\s*["'“\[{{])""")),
    "bare-value": re.compile(_value(f"(?:{_BARE_KEY}|{_QUOTED_KEY})")),
    "item": re.compile(rf"""{SPACE}*+(?:{_COMMA}(?:{_VALUE}|\w+{SPACE}*+=(?!=)|[\])}}])|[\])}}]|{_REST})|[ \t\r]*+\n{SPACE}*+["'\[{{]"""),
    "argument": re.compile(
        rf"""{SPACE}*+(?:{_COMMA}(?:\w+{SPACE}*+=(?!=)|[)\]}}]|{_DOTS}|{_REST})|[)\]}}]|{_REST})|{SPACE}++(?:\w+=(?!=)|["'])"""
    ),
    "free": re.compile(r"[ \t]++\w+=|[ \t]*+(?:\r?\n|\Z)|[ \t]*+[,)\]};:<]"),
}
"""What may follow a string, by where it stands: as a key, a value behind one, an item, a keyword argument, or on its own."""
_COMPUTES = re.compile(r"""\s*[+%]\s*[A-Za-z_$"'`(\[{]|\.[a-z_]\w*\(|\s+if\s[^\n]{1,80}\selse\s""")
"""What goes on behind a string in a program."""
_NEW_VALUE = re.compile(r"\n[ \t>]*+[\[{][\s\[{]*+\Z")
_KEY = re.compile(r"""["“][\w$-]{1,60}["”]\s*+[:：]""")
_LOOK_BACK = 100
_LOOK = 2_000
"""Characters that are searched for a quote that fits better."""


class Quoted(NamedTuple):
    """A string that was read."""

    text: str
    end: int
    """Behind the closing quote; beyond the text when there is none."""
    notes: list[tuple[str, int]]
    """What had to be accepted, and where: "quotes", "newline", "inner-quote", "unclosed", "template"."""


class Quotations:
    """The strings of one text. It remembers what it looked for in vain, so that the work stays linear however often it is asked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._fits: dict[tuple[str, str, bool], tuple[int, int]] = {}
        """(from, the next quote from there on that fits) of each kind of question."""
        self._barren: dict[tuple[str, str, bool], tuple[int, int]] = {}
        """A stretch in which no quote fits, of each kind of question."""

    def read(self, opening: str, at: int, where: str) -> Quoted:
        """The string whose opening quote, prefix included, ends at `at`; `where` is a key of the table above."""
        if opening[-3:] in ('"""', "'''"):
            return self._read_triple(opening[-3:], at)
        mark = "“" if opening[-1] in _DOUBLE[1:] else "‘" if opening[-1] in _SINGLE[1:] else opening[-1]
        return self._read(mark, at, where, raw="r" in opening[:-1].lower())

    def _read(self, mark: str, at: int, where: str, *, raw: bool) -> Quoted:
        text, start, better, first_line = self._text, at, -1, -1
        pieces: list[str] = []
        notes = [] if mark in "\"'" else [("quotes", at)]
        while True:
            run = _PLAIN[mark].match(text, at)
            assert run is not None
            pieces.append(run.group())
            if first_line < 0 and "\n" in pieces[-1]:
                first_line = len(pieces)
            at = run.end()
            if at >= len(text):
                return _quoted(pieces, len(text) + 1, notes, start)
            if text[at] == "\\" and not raw:
                piece, at = self._escape(at)
                pieces.append(piece)
                continue
            if first_line >= 0 and self._is_unclosed(mark, start, at):
                return self._first_line(pieces[:first_line], start, notes)
            if text[at] != "\\" and at >= better:
                better = at if at == better else self._end(mark, where, start, at)
                if at == better:
                    return _quoted(pieces, at + 1, notes, start)
                notes.append(("inner-quote", at))
            pieces.append(text[at])
            at += 1

    def _is_unclosed(self, mark: str, start: int, at: int) -> bool:
        """Whether the quote at `at` begins a key of another value, which stands on its own line: the string was never closed."""
        if mark not in ('"', "“") or not _KEY.match(self._text, at):
            return False
        return _NEW_VALUE.search(self._text[max(start, at - _LOOK_BACK) : at]) is not None

    def _first_line(self, pieces: list[str], start: int, notes: list[tuple[str, int]]) -> Quoted:
        """The string as far as its first line goes."""
        line, _, _ = pieces[-1].partition("\n")
        return Quoted("".join(pieces[:-1]) + line, self._text.index("\n", start), [*notes, ("unclosed", start)])

    def _read_triple(self, mark: str, at: int) -> Quoted:
        """A triple-quoted string of Python, which ends at the next three quotes."""
        end = self._text.find(mark, at)
        text = self._text[at : end if end >= 0 else len(self._text)]
        return Quoted(text.replace("\\" + mark[0], mark[0]), end + 3 if end >= 0 else len(self._text) + 1, [])

    def _end(self, mark: str, where: str, start: int, at: int) -> int:
        """The quote that ends the string: the one at `at` when it fits, else one that fits better; -1 when it is farther on."""
        fits = _FOLLOWS[where].match(self._text, at + 1) is not None
        if fits or (mark in "\"'`" and where != "free" and _COMPUTES.match(self._text, at + 1)):
            return at
        is_json = at - start < 10 and self._text[start:at].strip() in ("{", "[", "[{")
        better = self._next(mark, where, at, is_json)
        if better < 0 and is_json:
            better = self._next(mark, where, at, False)
        return at if better < 0 and mark in "\"'`" else better

    def _next(self, mark: str, where: str, at: int, closed: bool) -> int:
        """The next quote on the line that fits, or -1; with `closed` one behind a bracket, as at the end of JSON whose quotes are bare."""
        text, question = self._text, (mark, where, closed)
        known, fitting = self._fits.get(question, (0, -1))
        if known <= at < fitting:
            return fitting
        first, last = self._barren.get(question, (0, 0))
        end = text.find("\n", at, at + _LOOK)
        end = end if end >= 0 else min(len(text), at + _LOOK)
        goes_on = first <= at < last
        for quote in _ANY[mark].finditer(text, last if goes_on else at + 1, end):
            here = quote.start()
            if text[here - 1] == "\\" or (closed and text[here - 10 : here].rstrip()[-1:] not in ("}", "]")):
                continue
            if _FOLLOWS[where].match(text, here + 1):
                self._fits[question] = at, here
                return here
        self._barren[question] = (first if goes_on else at), end
        return -1

    def _escape(self, at: int) -> tuple[str, int]:
        """(what the escape that begins at `at` means, where it ends)"""
        text = self._text
        follows = text[at + 1 : at + 2]
        width = {"u": 4, "x": 2, "U": 8}.get(follows, 0)
        if not follows or at + 2 + width > len(text):
            return "", len(text)
        if not width:
            return _ESCAPES.get(follows, follows if follows in _UNESCAPED else "\\" + follows), at + 2
        code = _code(text[at + 2 : at + 2 + width])
        if code < 0:
            return "\\" + follows, at + 2
        if 0xD800 <= code < 0xDC00 and text[at + 6 : at + 8] == "\\u" and 0xDC00 <= (low := _code(text[at + 8 : at + 12])) < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + low - 0xDC00), at + 12
        return chr(code), at + 2 + width


def _code(digits: str) -> int:
    """The character's number, or -1 when the digits are none."""
    code = int(digits, 16) if _HEX.fullmatch(digits) else -1
    return code if code < 0x110000 else -1


def _quoted(pieces: list[str], end: int, notes: list[tuple[str, int]], start: int) -> Quoted:
    text = "".join(pieces)
    if any("\n" in piece and piece != "\n" for piece in pieces):
        notes.append(("newline", start))
    if notes and notes[0][0] == "quotes" and "${" in text:
        notes.append(("template", start))
    return Quoted(text, end, notes)
