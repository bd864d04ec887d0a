"""Making visible what a terminal would obey or hide: a log is somebody else's text.

Visible are made: C0 but newline and tab, DEL, C1 (ECMA-48); the bidi overrides and isolates (CVE-2021-42574, "Trojan Source"); line and
paragraph separators; interlinear marks; tag characters, with which text is smuggled past a reader's eye, outside the flags that are spelled
with them; lone surrogates, which no encoding can say.
"""

import re

_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_HIDDEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
_find = re.compile(f"{_FLAG}|{_HIDDEN}")


def visible(text: str) -> str:
    """`text` with such characters as Python writes them (`\\x1b`, `\\r`, `\\u202e`); newlines and tabs stay."""
    return text if text.isascii() and text.isprintable() else _find.sub(_as_python, text)


def one_line(text: str) -> str:
    """The same in one line: for names, ids, paths and error messages."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def visible_in_json(document: str) -> str:
    """JSON text with such characters as JSON's own escapes. They stand in strings only, so the value is the same."""
    return document if document.isascii() and "\x7f" not in document else _find.sub(_as_json, document)


def _as_python(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) > 1:
        return found
    code = ord(found)
    if found == "\r":
        return "\\r"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _as_json(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) > 1:
        return found
    units = found.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
