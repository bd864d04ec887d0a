"""Reads the literals of a text that hold conversations, and says what had to be accepted in them.

What was misread is read again from its next bracket on, as far as a budget allows, so that the work stays linear in the text.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from msgspec.structs import replace

from holter.formats import langchain_repr
from holter.formats.assemble import Assembler
from holter.formats.detect import form_of
from holter.formats.finding import elided, input_cut, recovered, text_damaged
from holter.formats.form import child
from holter.formats.literal import Call, ElidedList, Literals, Parsed
from holter.formats.notation import readable
from holter.formats.program import is_program
from holter.messages import Conversation, Finding, Place

_Locate: TypeAlias = Callable[[int], Place]

_START = re.compile(
    langchain_repr.PRINTED.pattern
    + r"|[\[{]|\b(?:(?:Human|AI|System|Tool|Function|Chat|Remove)Message(?:Chunk)?|StateSnapshot)(?:\(| \{)"
    + r"|(?<![\w)\]])\((?=\s?(?:['\"](?:values|updates|messages|custom|debug|tasks|checkpoints)['\"],"
    + r"|\((?:['\"]|\))|(?:AI|Human|Tool)Message))"
)
_CUT_START = re.compile(r"""[\[{(]?\s*[\[{]?\s*(?:["'“‘][a-z_]{0,20}(?!\w)|\Z|\w+Message)|\w+\(""")
_LETTERS = re.compile(r"[^\W_]")
_NOTES = {
    "comment": "comments were left out",
    "quotes": "typographic or back quotes were read as quotes",
    "inner-quote": "a quote inside a text was not escaped; where the text ends was guessed",
    "newline": "a text holds raw line breaks, which JSON and Python do not allow",
    "unclosed": "a text is not closed here; it was read to the end of its line",
    "width": "full-width commas and colons were read as commas and colons",
    "comma": "a comma is missing before what ends here; it was put back",
    "bracket": "a closing bracket is missing before this one; it was put back",
}
_SPARE = 200_000
"""Characters that may be read again, whatever the text's length."""
_LONGEST_GAP = 200
_LONGEST_PROGRAM = 5_000
"""Characters that are passed over in search of the end of a program's literal."""


class Finder:
    """Reads the literals of a text that hold conversations."""

    def __init__(self, text: str, assembler: Assembler, locate: _Locate) -> None:
        self._text = text
        self._assembler = assembler
        self._locate = locate
        self._spare = _SPARE + len(text)
        """Characters that may be read again."""
        self._found = False
        self._offsets: dict[tuple[int | None, int | None], _Offsets] = {}
        """Of each literal that was taken, by its line and column."""
        self._newest: tuple[int | None, _Offsets] | None = None
        """The line and the offsets of the literal that is being taken."""

    def placed(self, place: Place) -> Place:
        """The place with the line and column of what its path names inside the literal that it stands in."""
        offsets = self._offsets.get((place.line, place.column))
        if offsets is None and place.column is None and self._newest is not None and place.line == self._newest[0]:
            offsets = self._newest[1]
        if offsets is None:
            return place
        at = self._locate(offsets.of(place.path))
        return replace(place, line=at.line, column=at.column)

    def literals(self, start: int, end: int) -> Iterator[Conversation]:
        """The conversations between two offsets."""
        part = _Part(self._text[start:end], start, end == len(self._text))
        at = behind = 0
        while match := _START.search(part.text, at):
            begin = match.start()
            if part.text.startswith("[DONE]", begin):
                yield from self._assembler.done()
                at = begin + len("[DONE]")
                continue
            if match.group().startswith("content"):
                message = langchain_repr.printed(part.literals, part.text, begin)
                at = message.end if message is not None else match.end()
                if message is not None:
                    yield from self._printed(message, behind, begin, part)
                    behind = at
                elif part.is_last and self._found and part.literals.read(at).stopped == "end":
                    self._note_cut(part, begin)
                continue
            parsed = part.literals.read(begin)
            if not self._holds_messages(parsed.value) or _is_empty(parsed) or is_program(parsed, part.text, begin):
                at = self._behind(parsed, begin, part)
                continue
            at = max(parsed.end, begin + 1)
            yield from self._flush(behind, begin, part)
            behind = at
            yield from self._take(parsed, begin, part)

    def _flush(self, behind: int, begin: int, part: "_Part") -> Iterator[Conversation]:
        """Ends the messages that stand alone, unless this one is on the next line, and the parts of a stream where words stand between."""
        if _LETTERS.search(part.text, behind, begin):
            yield from self._assembler.flush()
        elif not part.is_next(behind, begin):
            yield from self._assembler.flush(parts=False)

    def _printed(self, printed: langchain_repr.Printed, behind: int, begin: int, part: "_Part") -> Iterator[Conversation]:
        """Takes a printed message."""
        yield from self._flush(behind, begin, part)
        place = self._locate(part.start + begin)
        if not part.is_next(behind, begin):
            self._assembler.note(recovered("a printed message does not show its class; it was told by its fields", place))
        if not printed.whole:
            self._assembler.note(input_cut("the text ends inside this message", place))
        self._found = True
        yield from self._assembler.take(readable(printed.message), place)

    def _holds_messages(self, value: Any) -> bool:
        return isinstance(value, dict | list) and bool(value) and self._assembler.recognises(value)

    def _behind(self, parsed: Parsed, begin: int, part: "_Part") -> int:
        """Where to go on behind a literal that holds no conversation: behind it when it was read well, else behind its first character."""
        if parsed.stopped == "end" and part.is_last and self._found and _CUT_START.match(part.text, begin):
            self._note_cut(part, begin)
        end = max(parsed.end, begin + 1)
        if self._holds_messages(parsed.value):
            return max(part.literals.close(begin, end - begin + _LONGEST_PROGRAM), end)
        if not parsed.stopped and not parsed.notes:
            return end
        self._spare -= end - begin
        return begin + 1 if self._spare >= 0 else end

    def _note_cut(self, part: "_Part", begin: int) -> None:
        self._assembler.note(input_cut("the text ends inside this value", self._locate(part.start + begin)))
        self._found = False

    def _take(self, parsed: Parsed, begin: int, part: "_Part") -> Iterator[Conversation]:
        self._found = True
        locate = part.located(self._locate)
        if parsed.stopped == "end":
            _drop_remnant(parsed)
        for finding in _findings(parsed, locate):
            self._assembler.note(finding)
        place = locate(begin)
        offsets = self._offsets[place.line, place.column] = _Offsets(parsed, begin, part.start)
        self._newest = place.line, offsets
        yield from self._assembler.take(readable(parsed.value), place)
        self._newest = None


class _Part:
    """A stretch of the text that is searched for literals."""

    def __init__(self, text: str, start: int, is_last: bool) -> None:
        self.text = text
        self.start = start
        self.is_last = is_last
        self.literals = Literals(text)

    def is_next(self, behind: int, begin: int) -> bool:
        """Whether what begins here stands on the line below what ended at `behind`, or behind it with a comma."""
        return behind > 0 and begin - behind < _LONGEST_GAP and self.text[behind:begin].strip(" \t\r,") in ("", "\n")

    def located(self, locate: _Locate) -> _Locate:
        """Places of offsets in this stretch."""
        return lambda offset: locate(self.start + offset)


def _findings(parsed: Parsed, locate: _Locate) -> Iterator[Finding]:
    """What had to be accepted in a literal, each kind once."""
    of_calls = _elided_calls(parsed)
    left_out = [note.offset for note in parsed.notes if note.kind == "elided" and note.offset not in of_calls]
    if left_out:
        more = f", the first of {len(left_out)} such places in this log" if len(left_out) > 1 else ""
        yield elided(f"the document leaves something out here (`...`){more}", locate(left_out[0]))
    for note in parsed.notes:
        if note.kind == "nan":
            yield text_damaged("NaN and Infinity are not JSON; read as numbers that JSON cannot hold", locate(note.offset))
        elif note.kind == "depth":
            yield text_damaged("nested too deeply; kept as text from here on", locate(note.offset))
        elif note.kind in _NOTES:
            yield recovered(_NOTES[note.kind], locate(note.offset))
    if parsed.stopped == "end":
        yield input_cut("the text ends inside this value", locate(parsed.end))
    elif parsed.stopped:
        yield recovered("this value is not closed; what stands before this place was read", locate(parsed.end))


def _is_empty(parsed: Parsed) -> bool:
    """Whether the text ends before anything is seen of a message that stands alone."""
    return parsed.stopped == "end" and isinstance(parsed.value, Call) and list(parsed.value.items()) == [("content", "")]


def _elided_calls(parsed: Parsed) -> set[int]:
    """Where the dots stand for the calls of a message, which has its own finding."""
    opened: list[int] = []
    waiting = [parsed.value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict) and isinstance(calls := item.get("tool_calls"), ElidedList) and id(calls) in parsed.starts:
            opened.append(parsed.starts[id(calls)])
        children = item.values() if isinstance(item, dict) else item
        waiting += [child_ for child_ in children if isinstance(child_, dict | list)]
    dots = [note.offset for note in parsed.notes if note.kind == "elided"]
    return {dots[at] for start in opened if (at := bisect_right(dots, start)) < len(dots)}


def _drop_remnant(parsed: Parsed) -> None:
    """Takes what the text's end left of a message out of its list, when it is too little to be told as one."""
    for outer, inner in zip(parsed.open, parsed.open[1:], strict=False):
        if isinstance(outer, list) and len(outer) > 1 and outer[-1] is inner and form_of(outer[:-1]) and not form_of([inner]):
            del outer[-1]


class _Offsets:
    """Where each container of a value begins, by its JSON path."""

    def __init__(self, parsed: Parsed, begin: int, base: int) -> None:
        self._of: dict[str, int] = {"": base + begin}
        waiting: list[tuple[str, Any]] = [("", parsed.value)]
        while waiting:
            path, value = waiting.pop()
            if id(value) in parsed.starts:
                self._of[path] = base + parsed.starts[id(value)]
            children = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [(child(path, key), item) for key, item in children if isinstance(item, dict | list)]

    def of(self, path: str) -> int:
        """The offset of the container at this path, or of the innermost around it."""
        while path not in self._of:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._of[path]
