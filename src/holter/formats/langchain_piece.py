"""The messages of a `pretty_print` transcript as lines: where each begins, and what ends it."""

import re
from collections.abc import Iterator

import msgspec

_ANSI = r"(?:(?:\x1b|\u241b|\\x1b|\\u001b|\\033)?\[[\d;]*m)?"
"""Bold and its end. Notebooks and web pages keep them without the escape character, or with a picture of it."""
_KINDS = r"(Human|Ai|AI|System|Tool|Function|Chat|Remove)(?:messagechunk| ?Chunk)?"
_TITLE = re.compile(rf"(?P<indent>[ \t>]*)={{3,}}+ ?{_ANSI} ?{_KINDS} Message(?: ?Chunk)?{_ANSI} {_ANSI} ?={{3,}}+[ \t]*")
_ANY_TITLE = re.compile(rf"={{3}} ?{_ANSI} ?{_KINDS} Message")
_CUT_TITLE = re.compile(r"[ \t>]*(?:=+|={3,} [A-Za-z]{0,16}(?: M?e?s?s?a?g?e?(?: =*)?)?)")
_RULE = re.compile(r"[ \t]*(?:={10,}(?: .{1,80} ={3,})?|={5,} .{1,80} ={5,})[ \t]*")
_LEVEL = r"(?:TRACE|DEBUG|INFO|SUCCESS|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_LOG_LINE = re.compile(
    rf"[\[(<]?\d{{4}}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d.{{0,80}}?\b{_LEVEL}\b.*"
    rf"|[\[(<]?\d\d:\d\d:\d\d.{{0,60}}?\b{_LEVEL}\b.*"
    rf"|[\[(<]?{_LEVEL}(?:\]|:[\w.]+:|:? {{1,8}}(?=\S)|\s*\|).*"
)
_HEADING = re.compile(
    r"(?:#{1,6} )?(?P<number>\d{1,2}(?:\.\d{1,2})+)(?P<dot>\.?)\s+(?P<title>\S.{0,78})|\d{1,2}(?:\.\d{1,2}){2,}\.?[^\W\d].{0,78}"
)
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*(\S*).*")
_ENDS_SENTENCE = ".。!！?？;；:：,，"


class Piece(msgspec.Struct):
    """The lines of one message, before they are read."""

    kind: str
    """The title's first word."""
    start: int
    """Where the title stands, in characters."""
    indent: str
    """What stands before the title, and before each of its lines."""
    padded: bool
    """Whether spaces stand at the end of the title, and so of every line."""
    lines: list[str]
    """Without line ends, indent and padding."""
    marked: bool
    """Whether more than log lines stands before it, so that another transcript may begin here."""
    stop: int = 0
    """Behind its last line, in characters."""
    end: str = "text"
    """What ended it: "title", "rule", "log", "heading", "fence", "indent", "cut" (half a title) or "text" (the end of the text)."""
    blank_before_end: bool = False
    breaks_off: bool = False
    """Whether the text ends without a line end here, so that the last line may not be whole."""


def pieces(text: str) -> tuple[list[Piece], bool]:
    """(every message, in order, whether prose stands around them, so that the end of the text marks nothing)"""
    if not _ANY_TITLE.search(text):
        return [], False
    splitter = _Splitter(text)
    return list(splitter.pieces()), splitter.prose


class _Splitter:
    """Goes through the lines of a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0
        self._piece: Piece | None = None
        self._marked = True
        self._outer: str | None = None
        """The fence that is open around the transcript."""
        self._inner: str | None = None
        """The fence that is open inside the message."""
        self._has_dots = False
        """Whether a numbered heading stood outside of the messages."""
        self.prose = False

    def pieces(self) -> Iterator[Piece]:
        """Every message, with what ended it."""
        for number, raw in enumerate(self._lines):
            line = raw.removesuffix("\r")
            title = _TITLE.fullmatch(line) if "===" in line else None
            mark = "title" if title else self._mark(number, line)
            if mark and self._piece:
                yield self._ended(mark, number)
            if title:
                indent = title.group("indent")
                padded = line != line.rstrip()
                self._piece = Piece(title.group(2), self._at + len(indent), indent, padded, [], self._marked)
                self._marked, self._inner = False, None
            elif mark:
                self._marked = self._marked or mark != "log" or (number > 0 and not self._lines[number - 1].strip())
            self._take(line, titled=title is not None, marked=bool(mark))
            self._at += len(raw) + 1
        if self._piece:
            yield self._ended("text", len(self._lines))

    def _ended(self, mark: str, number: int) -> Piece:
        piece, self._piece = self._piece, None
        assert piece is not None
        piece.end, piece.stop = mark, max(self._at - 1, 0) if number == len(self._lines) else self._at
        piece.blank_before_end = number > 0 and not self._lines[number - 1].strip()
        piece.breaks_off = mark in ("text", "cut") and self._lines[-1] != ""
        return piece

    def _take(self, line: str, *, titled: bool, marked: bool) -> None:
        """Puts the line into the open message, and follows the fences."""
        fence = _FENCE.fullmatch(line)
        if self._piece is not None and not titled:
            self._piece.lines.append(_unindented(line.rstrip() if self._piece.padded else line, self._piece.indent))
            self._inner = _after_fence(self._inner, fence)
        elif self._piece is None:
            self._outer = _after_fence(self._outer, fence)
            self._marked = self._marked or bool(line.strip() and not marked)
            heading = _HEADING.fullmatch(line.rstrip())
            self._has_dots = self._has_dots or heading is not None
            self.prose = self.prose or bool(line.strip() and not marked and not fence) or heading is not None

    def _mark(self, number: int, line: str) -> str | None:
        """The kind of hard mark that a line is: what pretty_print's own output would hardly hold."""
        if "=" in line and number == len(self._lines) - 1 and self._piece and _CUT_TITLE.fullmatch(line):
            return "cut"
        if "=====" in line and _RULE.fullmatch(line):
            return "rule"
        if (log := _LOG_LINE.fullmatch(line)) and not self._is_own_log(log):
            return "log"
        if self._outer and self._inner is None and _closes(self._outer, _FENCE.fullmatch(line)):
            return "fence"
        if self._is_heading(number, line.rstrip()):
            return "heading"
        if self._piece and self._piece.indent and line.strip() and not line.startswith(self._piece.indent.rstrip() or self._piece.indent):
            return "indent"
        return None

    def _is_own_log(self, log: re.Match[str]) -> bool:
        """Whether a log line belongs to the message: it is printed at once, so that its first line is its own, as are more of that look."""
        lines = self._piece.lines if self._piece else []
        begun = next((line for line in lines if line.strip() and not line.startswith("Name: ")), None)
        if begun is None:
            return sum(not line.strip() for line in lines) == 1
        first, last = _LOG_LINE.fullmatch(begun), _LOG_LINE.fullmatch(lines[-1])
        return first is not None and last is not None and _look(first) == _look(last) == _look(log)

    def _is_heading(self, number: int, line: str) -> bool:
        """Whether the line is a numbered heading of the document: alone, and numbered as no list or amount is."""
        heading = _HEADING.fullmatch(line) if line[:1].isdigit() or line.startswith("#") else None
        if heading is None or line[-1] in _ENDS_SENTENCE:
            return False
        numbered = heading.group("number")
        sure = numbered is None or bool(heading.group("dot")) or numbered.count(".") > 1 or self._has_dots
        before = number == 0 or not self._lines[number - 1].strip()
        after = number + 1 >= len(self._lines) or not self._lines[number + 1].strip()
        return sure and before and after


def _look(log: re.Match[str]) -> str:
    """A log line's beginning, whatever its time and level."""
    return re.sub(r"\d", "0", re.sub(_LEVEL, "LEVEL", log.group()[:40]))[:14]


def _unindented(line: str, indent: str) -> str:
    if not indent:
        return line
    return line.removeprefix(indent) if line.startswith(indent) else line.removeprefix(indent.rstrip())


def _closes(opening: str, fence: re.Match[str] | None) -> bool:
    return fence is not None and fence.group(1).startswith(opening) and not fence.group(2)


def _after_fence(opening: str | None, fence: re.Match[str] | None) -> str | None:
    """The fence that is open behind this line."""
    if fence is None:
        return opening
    if opening is None:
        return fence.group(1)
    return None if _closes(opening, fence) else opening
