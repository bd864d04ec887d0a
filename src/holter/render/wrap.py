"""Lines that fit a terminal: widths are counted in cells, Chinese is broken between characters, continuation lines keep the indentation."""

import re
from collections.abc import Iterator

from rich.cells import cell_len as cells
from rich.cells import chop_cells, set_cell_size

__all__ = ["cells", "flow", "pad", "pieces", "shorten", "wrap"]

_TAB = 4

_OPENING = "（《「『【〈〔“‘［｛"
_CLOSING = "，。、；：？！）》」』】〉〕”’］｝…—～·%％"
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U0001f1e6-\U0001faff\U00020000-\U0003fffd"
)
_JOINED = "(?:[\u0300-\u036f\u20e3\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d.)*"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"

pieces = re.compile(rf"\s+|[{_OPENING}]*(?:{_FLAG}|[{_WIDE}]|[^\s{_WIDE}{_OPENING}]+){_JOINED}[{_CLOSING}]*|[{_OPENING}]+").findall
"""What a line is broken between: runs of blanks, words, and wide characters with what may not be parted from them (GB/T 15834: no closing
mark begins a line and no opening one ends it)."""


def wrap(text: str, width: int) -> list[str]:
    """The lines of `text`, none wider than `width` cells; at least one."""
    return [line for source in text.split("\n") for line in _wrapped(source, max(width, 8))]


def flow(facts: list[str], width: int) -> list[str]:
    """Facts with dots between them, in lines that end between two of them where they can."""
    rows = facts[:1]
    for fact in facts[1:]:
        longer = f"{rows[-1]} · {fact}"
        if cells(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(fact)
    return [line for row in rows for line in wrap(row, width)]


def shorten(text: str, width: int) -> str:
    """The beginning of `text` in at most `width` cells, with `…` where something is left out."""
    if cells(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"


def shorten_start(text: str, width: int) -> str:
    """The end of `text` in at most `width` cells, with `…` where something is left out: of paths, which differ at their ends."""
    if cells(text) <= width:
        return text
    start = 0
    while start < len(text) and cells(text[start:]) >= width:
        start += 1
    return "…" + text[start:]


def pad(text: str, width: int) -> str:
    """`text` with blanks up to `width` cells; longer text stays as it is."""
    return text + " " * (width - cells(text))


def _wrapped(line: str, width: int) -> Iterator[str]:
    if "\t" in line:
        line = _without_tabs(line)
    if cells(line) <= width:
        yield line
        return
    body = line.lstrip()
    hang = min(len(line) - len(body), width // 2)
    indent = " " * hang
    for broken in _broken(body, width - hang):
        yield indent + broken


def _broken(line: str, width: int) -> Iterator[str]:
    """The lines of one that is too wide; a word that is wider than all of it is cut."""
    current, taken = "", 0
    for piece in pieces(line):
        wide = cells(piece)
        if taken + wide <= width:
            current, taken = current + piece, taken + wide
            continue
        if current.strip():
            yield current.rstrip()
        if piece.isspace():
            current, taken = "", 0
            continue
        *whole, current = chop_cells(piece, width) if wide > width else [piece]
        yield from whole
        taken = cells(current)
    if current.strip():
        yield current.rstrip()


def _without_tabs(line: str) -> str:
    first, *others = line.split("\t")
    for part in others:
        first += " " * (_TAB - cells(first) % _TAB) + part
    return first
