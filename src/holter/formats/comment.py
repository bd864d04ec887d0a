"""Where the space and the comments between two tokens of a pasted literal end.

`//`, `#` and `/* */` are comments. Pasted text loses its line breaks, so a `//` comment may end inside its line, before a key, a message or
the brackets that close what stands around it.
"""

import re

SPACE = r"[\s\u200b-\u200d\u2060\ufeff\u00a0]"
"""One character of space, those without width included."""

_RUN = re.compile(rf"(?:\n[ \t]*+(?:>[ \t]*+)++|{SPACE})++")
"""Space, and the marks of a Markdown quotation at the beginning of a line."""
_VALUE = r"""(?:["'“‘\[{]|-?\d|true|false|null|None|True|False)"""
_GOES_ON = re.compile(
    rf"""\s\{{?\s{{0,20}}["'“‘][A-Za-z_]\w{{0,40}}["'”’]\s{{0,20}}[:：]\s{{0,20}}{_VALUE}"""
    r"""|\s(?=[\]}),\s]{1,40}(?:\n|\Z))(?=\s{0,20}[\]})])"""
)
"""What follows a comment whose line break was lost: a key with its value, or nothing but closing brackets."""
_BRACKET = re.compile(r"[\[\]{}\n]")
_LONGEST_LOOK = 64
"""Brackets looked at behind a comment: as many on one line are no comment."""
_LONGEST_BLOCK = 20_000
"""Characters of a `/* */` comment; a longer one is none."""
_LONGEST_INDENT = 200


class Comments:
    """The comments of one text. It remembers what it looked for in vain, so that the work stays linear however often it is asked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._without_end = (0, 0)
        """A stretch of the text in which no `*/` stands."""

    def skip(self, at: int) -> tuple[int, bool]:
        """(where the space and comments that begin at `at` end, whether there was a comment)"""
        commented = False
        while True:
            if space := _RUN.match(self._text, at):
                at = space.end()
            end = self._end(at)
            if end < 0:
                return at, commented
            commented, at = True, end

    def _end(self, at: int) -> int:
        """Where the comment that begins at `at` ends; -1 when none begins there."""
        text = self._text
        if text.startswith("/*", at):
            return self._block_end(at + 2)
        if not (text.startswith("//", at) or text.startswith("#", at)):
            return -1
        line_end = text.find("\n", at)
        line_end = line_end if line_end >= 0 else len(text)
        if self._begins_line(at):
            return line_end
        goes_on = _GOES_ON.search(text, at, line_end + 1)
        return goes_on.start() if goes_on is not None and self._closes_more(goes_on.start()) else line_end

    def _begins_line(self, at: int) -> bool:
        line_start = self._text.rfind("\n", max(0, at - _LONGEST_INDENT), at) + 1
        return (line_start > 0 or at < _LONGEST_INDENT) and not self._text[line_start:at].strip(" \t>")

    def _block_end(self, at: int) -> int:
        start, stop = self._without_end
        end = self._text.find("*/", max(at, stop - 1) if start <= at <= stop else at, at + _LONGEST_BLOCK)
        if end < 0:
            self._without_end = at, min(at + _LONGEST_BLOCK, len(self._text))
            return -1
        return end + 2

    def _closes_more(self, at: int) -> bool:
        """Whether the rest of the line closes more brackets than it opens, as it does when it is no part of a comment; or is all that is
        left of a text that was cut."""
        depth = 0
        for count, bracket in enumerate(_BRACKET.finditer(self._text, at)):
            if bracket.group() == "\n":
                return False
            depth += 1 if bracket.group() in "[{" else -1
            if depth < 0 or count >= _LONGEST_LOOK:
                return True
        return True
