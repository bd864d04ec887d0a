"""Text of an HTML page, or of text whose quotes were written as entities, with the place each character came from."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator

_NAME = (
    r"(?:html|head|body|main|article|section|div|p|pre|code|span|table|tbody|thead|tr|td|th|ul|ol|li|h[1-6]|a|b|i|em|strong|small|br|hr|img"
    r"|blockquote|details|summary|figure|font|nav|header|footer|aside|title|meta|link|script|style|svg|button|label|samp|kbd)"
)
_FIRST = re.compile(rf"<(?:!--|!doctype\b|\?xml\b|{_NAME}[\s/>])", re.IGNORECASE)
_FIELD = r"(?:role|content|type|messages|tool_calls|tool_call_id|parts)"
_HIGHLIGHTED = re.compile(rf"""<span[^<>]{{0,200}}>\s*(?:["'“]?{_FIELD}["'”]?|(?:Human|AI|System|Tool)Message)\s*</span>""", re.IGNORECASE)
_QUOTE = r"&(?:quot|apos|#34|#39|#x27|#x22|ldquo|rdquo|#8220|#8221);"
_ESCAPED = re.compile(rf"{_QUOTE}{_FIELD}{_QUOTE}\s{{0,20}}:|Message\(content={_QUOTE}", re.IGNORECASE)
_UNESCAPED = re.compile(rf"""["'“]{_FIELD}["'”]\s{{0,20}}:|Message\(content=["']""")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]*+>")
_HIDDEN = re.compile(r"<(?:(!--)|(script|style)\b)", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:br|p|div|li|tr|h[1-6]|ul|ol|table|section|article|blockquote)\b", re.IGNORECASE)
_PRE = re.compile(r"</?pre\b", re.IGNORECASE)
_FENCE = "\n~~~~~~~~\n"
"""What stands for the beginning and the end of preformatted text, as a fence does in Markdown."""
_CELL = re.compile(r"</?t[dh]\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def is_html(text: str) -> bool:
    """Whether the text is a page or a fragment of one: it opens with a tag and closes some, its code is highlighted by tags, or JSON in
    it has its quotes written as entities."""
    if _FIRST.match(text.lstrip("\ufeff \t\r\n")[:100]) is not None and "</" in text:
        return True
    return _HIGHLIGHTED.search(text) is not None or (_ESCAPED.search(text) is not None and _UNESCAPED.search(text) is None)


class Page:
    """The text of a page: tags gone, blocks on lines of their own, entities resolved."""

    def __init__(self, source: str) -> None:
        self._pieces: list[str] = []
        self._at: list[int] = []
        self._from: list[int] = []
        self._size = 0
        begin = 0
        for start, end, instead in _tags(source):
            self._add_text(source, begin, start)
            self._add(instead, start)
            begin = end
        self._add_text(source, begin, len(source))
        self.text = "".join(self._pieces)

    def source(self, offset: int) -> int:
        """Where a character of the text stood in the source, in characters."""
        number = bisect_right(self._at, offset) - 1
        return self._from[number] + offset - self._at[number] if number >= 0 else 0

    def _add_text(self, source: str, begin: int, end: int) -> None:
        for entity in _ENTITY.finditer(source, begin, end):
            self._add(source[begin : entity.start()], begin)
            self._add(html.unescape(entity.group()).replace("\xa0", " "), entity.start())
            begin = entity.end()
        self._add(source[begin:end], begin)

    def _add(self, piece: str, begin: int) -> None:
        if piece:
            self._pieces.append(piece)
            self._at.append(self._size)
            self._from.append(begin)
            self._size += len(piece)


def _tags(source: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, what stands for it in the text) of each tag, comment, script and style sheet."""
    unclosed: set[str] = set()
    at = 0
    while (at := source.find("<", at)) >= 0:
        hidden = _HIDDEN.match(source, at)
        end = _hidden_end(source, hidden, unclosed) if hidden else -1
        if end >= 0:
            yield at, end, ""
            at = end
        elif tag := _TAG.match(source, at):
            yield at, tag.end(), _instead(tag.group())
            at = tag.end()
        else:
            at += 1


def _instead(tag: str) -> str:
    """What stands for a tag in the text."""
    if _PRE.match(tag):
        return _FENCE
    return "\n" if _BLOCK.match(tag) else " " if _CELL.match(tag) else ""


def _hidden_end(source: str, opening: re.Match[str], unclosed: set[str]) -> int:
    """Where the comment, script or style sheet ends; -1 when nothing closes it, which is remembered."""
    name = opening.group(2)
    closing = f"</{name.lower()}" if name else "-->"
    if closing in unclosed:
        return -1
    found = re.compile(re.escape(closing) + (r"\s*+>" if name else ""), re.IGNORECASE).search(source, opening.end())
    if found is None:
        unclosed.add(closing)
        return -1
    return found.end()
