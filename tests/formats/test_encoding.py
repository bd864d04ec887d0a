import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.encoding import encoding_of, to_text
from tests.strategies import texts

CHINESE = json.dumps({"问": "今天北京天气怎么样", "答": "晴"}, ensure_ascii=False)
FRENCH = json.dumps({"q": "Où est l’élève, déjà ?"}, ensure_ascii=False)


@pytest.mark.parametrize("text", [CHINESE, FRENCH, '[{"role": "user"}]'])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("marked", [True, False])
def test_unicode(text: str, codec: str, marked: bool) -> None:
    """Every form of Unicode is told by its mark, or without one."""
    data = ("\ufeff" * marked + text).encode(codec)
    assert encoding_of(data, whole=True) == (codec, len("\ufeff".encode(codec)) * marked)
    assert to_text(data)[0] == text


@pytest.mark.parametrize(
    ("data", "codec"),
    [
        (CHINESE.encode("gb18030"), "gb18030"),
        (CHINESE.encode("gbk"), "gb18030"),
        (FRENCH.encode("cp1252"), "cp1252"),
        ('"café"'.encode("latin-1"), "cp1252"),
        (FRENCH.encode() + b"\xff", "utf-8"),
        (CHINESE.encode()[1:], "utf-8"),
        (b'"x\xff\xfe"', "utf-8"),
        (b'"\xed\xa0\x80"', "utf-8"),
        (b'"x\0y\0"' + bytes(20), "utf-8"),
        (b"", "utf-8"),
    ],
)
def test_other_encodings(data: bytes, codec: str) -> None:
    """High bytes in pairs are Chinese, letters that people use are Western; a few bad bytes leave UTF-8 what it is."""
    assert encoding_of(data, whole=True) == (codec, 0)


def test_a_character_that_is_cut() -> None:
    """The beginning of a text may end inside a character."""
    assert encoding_of("x é".encode()[:-1], whole=False) == ("utf-8", 0)


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    """There is no text without its findings: bytes that are not UTF-8 are always said."""
    text, findings = to_text(data)
    assert findings or text.encode("utf-8", "surrogatepass") == data


@given(texts)
def test_text(text: str) -> None:
    """What is UTF-8 stays what it is."""
    assert to_text(text.encode()) == (text, []) or "\0" in text or text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("data", "text", "found"),
    [
        (b"a\nb\xffc\xfe", "a\nb\ufffdc\ufffd", [(2, 2, "2 bytes are not UTF-8; each was replaced by U+FFFD")]),
        (b"a\n\0b\0", "a\nb", [(2, 1, "2 NUL characters were left out")]),
        (b"\xef\xbb\xbfa", "a", [(1, 1, "a byte order mark stands before the text")]),
        ("é".encode("utf-16"), "é", [(1, 1, "the text is not UTF-8; it was read as UTF-16-LE")]),
        (b"\xed\xa0\xbd\xed\xb8\x80", "😀", []),
    ],
)
def test_what_was_accepted(data: bytes, text: str, found: list[tuple[int, int, str]]) -> None:
    """Each finding says where, and how many; surrogates that stand in pairs are characters."""
    read, findings = to_text(data)
    assert (read, [(f.line, f.column, f.text) for f in findings]) == (text, found)
