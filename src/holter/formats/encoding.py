"""Which encoding the bytes of a text are in, and what had to be accepted to read them."""

import codecs
import re

from holter.formats.finding import text_damaged
from holter.messages import Finding, Place

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
"""Byte order marks, the longer ones first where one begins another."""

_SAMPLE = 4_096
_HIGH = re.compile(rb"[\x80-\xff]+")


def encoding_of(head: bytes, *, whole: bool) -> tuple[str, int]:
    """(codec, length of the byte order mark) of a text that begins with `head`, or is it when `whole`.

    "utf-8" also where a few bytes are damaged. Without a mark UTF-16 and UTF-32 are told by their NULs, GB 18030 by high bytes in pairs,
    Windows-1252 by letters that people use.
    """
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec, len(mark)
    return _wide(head[:_SAMPLE]) or _narrow(head, whole=whole), 0


def _wide(sample: bytes) -> str | None:
    """UTF-16 or UTF-32, where ASCII characters leave NULs at the same place of each unit; None for anything else.

    Two ASCII characters at the beginning, as JSON has them, are enough; other text must have more.
    """
    size = len(sample) // 4
    first, second, third, fourth = (sample[at::4].count(0) for at in range(4))
    if size and third + fourth > 1.8 * size and first + second < 1.2 * size and first * 50 < size:
        return "utf-32-le"
    if size and first + second > 1.8 * size and third + fourth < 1.2 * size and fourth * 50 < size:
        return "utf-32-be"
    even, odd = first + third, second + fourth
    if even * 50 < odd and (sample[1:4:2] == b"\0\0" or odd * 8 > len(sample) > 16):
        return "utf-16-le"
    if odd * 50 < even and (sample[0:4:2] == b"\0\0" or even * 8 > len(sample) > 16):
        return "utf-16-be"
    return None


def _narrow(data: bytes, *, whole: bool) -> str:
    if data.isascii():
        return "utf-8"
    try:
        codecs.getincrementaldecoder("utf-8")("surrogatepass").decode(data, whole)
    except UnicodeDecodeError as error:
        return _not_utf8(data[max(0, error.start - 2_000) : error.start + 100_000])
    return "utf-8"


def _not_utf8(sample: bytes) -> str:
    bad = sample.decode("utf-8", "replace").count("\ufffd")
    runs = _HIGH.findall(sample)
    high = sum(map(len, runs))
    if bad * 4 < high:
        return "utf-8"
    alone = sum(len(run) == 1 for run in runs)
    unread = sample.decode("gb18030", "replace").count("\ufffd")
    if high >= 4 and alone * 2 < len(runs) and unread * 10 < high:
        return "gb18030"
    return "cp1252" if set(b"".join(runs).decode("cp1252", "replace")) <= _WESTERN else "utf-8"


_WESTERN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýŒœŠšŽžŸ€‚„…†‡‰‹›‘’“”•–—™¡¢£§©ª«®°±²³´µ¶·º»¼½¾¿×÷\u00a0\u00ad"
)
"""What people write in Windows-1252."""


def to_text(data: bytes) -> tuple[str, list[Finding]]:
    """The text of `data`, and what had to be accepted: another encoding, undecodable bytes, NUL characters, a byte order mark."""
    codec, mark = encoding_of(data, whole=True)
    findings = mark_findings(codec, mark)
    text, damaged = _utf8(data[mark:]) if codec == "utf-8" else (data[mark:].decode(codec, "replace"), [])
    findings += damaged
    if "\0" in text:
        line, column = _position(text, text.index("\0"))
        count = text.count("\0")
        what = "1 NUL character was" if count == 1 else f"{count} NUL characters were"
        findings.append(text_damaged(f"{what} left out", Place(line=line, column=column)))
        text = text.replace("\0", "")
    return text, findings


def mark_findings(codec: str, mark: int) -> list[Finding]:
    """What is to be said of a text in this encoding, with a byte order mark of so many bytes."""
    if codec != "utf-8":
        return [text_damaged(f"the text is not UTF-8; it was read as {codec.upper()}", Place(line=1, column=1))]
    return [text_damaged("a byte order mark stands before the text", Place(line=1, column=1))] if mark else []


def _utf8(data: bytes) -> tuple[str, list[Finding]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    try:
        # Surrogates that some writers encode one by one: pairs are joined, a lone one is kept as JSON's escapes keep it.
        text = data.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        line, column = _position(text, text.index("\ufffd", len(data[: error.start].decode("utf-8", "replace"))))
        bad = text.count("\ufffd")
        what = "1 byte is not UTF-8; it was" if bad == 1 else f"{bad} bytes are not UTF-8; each was"
        return text, [text_damaged(f"{what} replaced by U+FFFD", Place(line=line, column=column))]
    return text, []


def _position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
