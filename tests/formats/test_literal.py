import json
import pprint
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.literal import MAX_DEPTH, Bare, Call, Elided, ElidedList, Literals, Parsed, parse

_TEXTS = st.one_of(
    st.text(max_size=10),
    st.text(alphabet="'\"\\,:{}[]()#/ab \n\t=.…“”‘’`", max_size=12),
    st.sampled_from(['a "b", c', "it's", 'x": 1, "y', "// no", "# no", "/* x */", "\\'", "http://x.y/z", "None", "[...]"]),
)
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)),
    max_leaves=8,
)
_CONTAINERS = st.one_of(st.lists(_VALUES, max_size=3), st.dictionaries(_TEXTS, _VALUES, max_size=3))


def value(text: str) -> Any:
    """The value of a text that holds nothing else."""
    parsed = parse(text, 0)
    assert (parsed.stopped, parsed.end) == ("", len(text))
    return parsed.value


def rich(text: str) -> Any:
    return Literals(text).read(0).value


def kinds(text: str) -> list[str]:
    return [note.kind for note in parse(text, 0).notes]


# Whole values


@given(_CONTAINERS)
def test_json(written: Any) -> None:
    """JSON is read as it was written, whatever its texts hold."""
    assert value(json.dumps(written, ensure_ascii=False)) == written
    assert value(json.dumps(written, indent=1)) == written


@given(_CONTAINERS)
def test_repr(written: Any) -> None:
    """A Python repr is read as it was written."""
    assert value(repr(written)) == written


@given(st.dictionaries(st.text(alphabet="abc", max_size=3), _TEXTS, max_size=3))
def test_pprint(written: dict[str, str]) -> None:
    """What pprint breaks into adjacent strings is one string again."""
    assert value(pprint.pformat(written, width=10)) == written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'a': ('x',), 'b': (1, 2), 'c': ('x'), 'd': {1, 2}, 'e': set()}", {"a": ["x"], "b": [1, 2], "c": "x", "d": [1, 2], "e": []}),
        ("{a: 1, $b: undefined, 'c': null, d: True, e: -Infinity,}", {"a": 1, "$b": None, "c": None, "d": True, "e": float("-inf")}),
        ("{“a”: “b”, ‘c’: ‘it’s’}", {"a": "b", "c": "it’s"}),
        ("{“a”：“b”，“c”：1}", {"a": "b", "c": 1}),
        ("{a: `b`, c: new Date(1), d: 1n, e: 2024-01-02}", {"a": "b", "c": "Date(1)", "d": "1n", "e": "2024-01-02"}),
        ("{'a': '''x\n'y' z''', 'b': r'\\n', 'c': b'\\x41'}", {"a": "x\n'y' z", "b": "\\n", "c": "A"}),
        ('{"a": "\\ud83d\\ude00 \\u00e9 \\x41 \\q \\/"}', {"a": "😀 é A \\q /"}),
        ('{"a": 0x1F, "b": .5, "c": 1_000, "d": -2e3, "e": +1}', {"a": 31, "b": 0.5, "c": 1000, "d": -2000.0, "e": 1}),
        ("{1: 'x', None: 'y'}", {"1": "x", "None": "y"}),
        ("OrderedDict([('a', 1)])", [["a", 1]]),
        ("[1, ... 3 more items]", [1]),
        ("\u200b[\ufeff1,\u00a02]", [1, 2]),
        ("[\n> 1,\n> 2\n> ]", [1, 2]),
    ],
)
def test_notations(text: str, expected: Any) -> None:
    """Notations that JSON does not know."""
    assert value(text) == expected


def test_calls_and_names() -> None:
    """A constructor call is its keywords under its name; other calls, names and objects are their text; nothing is evaluated."""
    read = rich("A(a=1, at=datetime.datetime(2026, 3, 1, tzinfo=utc), o=<object at 0x7f>, e=<E.X: 'y'>, n=name, d=Decimal('1.5'))")
    assert (type(read), read.name, dict(read)) == (
        Call,
        "A",
        {
            "a": 1,
            "at": "datetime.datetime(2026, 3, 1, tzinfo=utc)",
            "o": "<object at 0x7f>",
            "e": "<E.X: 'y'>",
            "n": "name",
            "d": "Decimal('1.5')",
        },
    )
    assert all(type(read[key]) is Bare for key in ("at", "o", "e", "n", "d"))


def test_objects_as_node_prints_them() -> None:
    """A class name before braces is the class of what they hold."""
    (read,) = rich('[ AIMessage { "id": "1", content: "x" } ]')
    assert (read.name, dict(read)) == ("AIMessage", {"id": "1", "content": "x"})


def test_elisions() -> None:
    """What a document leaves out is told from what it says; a call without anything but dots is no message."""
    read = Literals('{"a": ..., "b": [...], "c": {...}, "d": "...", "e": [1, …, 2], ...}').read(0)
    assert read.value == {"a": "...", "b": [], "c": "...", "d": "...", "e": [1, 2]}
    assert [type(read.value[key]) for key in "abcd"] == [Elided, ElidedList, Elided, str]
    assert [(note.kind, note.offset) for note in read.notes] == [("elided", at) for at in (6, 17, 29, 56, 63)]


def test_parse_gives_plain_values() -> None:
    """`parse` gives what JSON writers take: no type of this module is left."""
    read = parse("[A(a=b), ..., {'c': [...]}, <x>]", 0).value
    assert read == [{"a": "b"}, {"c": []}, "<x>"]
    assert [type(item) for item in (read[0], read[0]["a"], read[1]["c"], read[2])] == [dict, str, list, str]


# Comments


def test_comments() -> None:
    """Comments are passed over, and those that are JSON themselves, too."""
    text = '{ // {"a": 0},\n"a": 1, /* "b": 0\n */ # c\n"b" /* : */ : "x // y", // was "c": "z"\n"c": "http://x" }'
    assert value(text) == {"a": 1, "b": "x // y", "c": "http://x"}
    assert kinds(text) == ["comment"]


def test_comments_whose_line_break_was_lost() -> None:
    """A comment that lost its line break ends before the next key, message or closing brackets."""
    text = '[ {"a": 1}, // 第一条 {"a": 2}, // 第二条 "b" {"a": 3, // 三 "c": 4} // 最后 ]'
    assert value(text) == [{"a": 1}, {"a": 2}, {"a": 3, "c": 4}]


# Quotes


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('{"c": "say "hi", ok", "d": 1}', 'say "hi", ok'),
        ('{"c": "a: "b": c", "d": 1}', 'a: "b": c'),
        ("{'c': 'it's', 'd': 1}", "it's"),
        ("{“c”: “他说“你好”，对吗”, “d”: 1}", "他说“你好”，对吗"),
        ('{"c": "{"a": "b", "n": [1]}", "d": 1}', '{"a": "b", "n": [1]}'),
        ('{"c": "{", "d": 1}', "{"),
    ],
)
def test_quotes_that_nobody_escaped(text: str, content: str) -> None:
    """A quote ends its text where something follows that may follow a text."""
    assert value(text) == {"c": content, "d": 1}


def test_missing_commas_and_brackets() -> None:
    """Missing commas and closing brackets are put back; a bracket that is, is noted with its place."""
    assert value('{"a": "x" "b": [1, 2}') == {"a": "x", "b": [1, 2]}
    assert value("[{'a': 1} {'a': 2},, ]") == [{"a": 1}, {"a": 2}]
    assert [(n.kind, n.offset) for n in parse('{"a": [1, 2}', 0).notes] == [("bracket", 11)]
    assert [n.kind for n in parse("[{'a': 1} {'a': 2}]", 0).notes] == ["comma"]
    assert [n.kind for n in parse('{"a": "x" "b": 1}', 0).notes] == ["comma"]
    assert [n.kind for n in parse("[{'a': 1, 'b': f(1, x=2)}, (1,), {1, 2},]", 0).notes] == []


def test_full_width_punctuation() -> None:
    """As an input method writes it; noted, once."""
    parsed = parse('{"a"："x"，"b"：[1，2]}', 0)
    assert parsed.value == {"a": "x", "b": [1, 2]}
    assert [(n.kind, n.offset) for n in parsed.notes] == [("width", 4)]


def test_a_text_that_is_never_closed() -> None:
    """A text that runs into another value ends with its line."""
    parsed = parse('{"a": "cut off\n\nprose\n{"a": "b"}', 0)
    assert (parsed.value, parsed.stopped, parsed.end) == ({"a": "cut off"}, "unexpected", 16)


@pytest.mark.parametrize(
    "text", ["[don't]", '{"a": "x" + y}', "A(a='x'.format(y))", "[f('x')[0]]", "{a: `x ${y}`}", '{a: f"x"}', "[...rest]"]
)
def test_programs(text: str) -> None:
    """What computes stops the reader or is noted, so that nobody takes it for a log."""
    parsed = Literals(text).read(0)
    assert parsed.stopped == "unexpected" or "template" in {note.kind for note in parsed.notes}


# Damage


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "b", "c', {"a": "b"}),
        ('{"a": "b", "c"', {"a": "b"}),
        ('{"a": "b", "c":', {"a": "b"}),
        ('{"a": "b", "c": 12', {"a": "b"}),
        ('{"a": "b", "c": nul', {"a": "b"}),
        ('{"a": "b", "c": "d\\', {"a": "b", "c": "d"}),
        ('{"a": "b", "c": "d\\u12', {"a": "b", "c": "d"}),
        ('[{"a": 1}, {', [{"a": 1}]),
        ('[{"a": 1}, /* cut', [{"a": 1}]),
        ('{"a": [1, {"b": [2', {"a": [1, {"b": []}]}),
        ("A(a='x', b=No", {"a": "x"}),
    ],
)
def test_cut(text: str, expected: Any) -> None:
    """What the text's end leaves of a value is read, but for words and numbers that may not be whole."""
    parsed = parse(text, 0)
    assert (parsed.value, parsed.stopped, parsed.end) == (expected, "end", len(text))


def test_cut_says_what_was_open() -> None:
    """The containers that the text's end left open are named, outermost first."""
    parsed = parse('{"a": [1, {"b": 2, ', 0)
    assert parsed.open == [{"a": [1, {"b": 2}]}, [1, {"b": 2}], {"b": 2}]


def test_depth() -> None:
    """What is nested too deeply is kept as text, to its closing bracket, and no recursion is needed."""
    deep = "[" * 10_000 + "]" * 10_000
    parsed = parse(f'{{"a": {deep}, "b": 1}}', 0)
    assert (parsed.stopped, parsed.value["b"], [n.kind for n in parsed.notes]) == ("", 1, ["depth"])
    inner = parsed.value["a"]
    for _ in range(MAX_DEPTH - 1):
        (inner,) = inner
    assert inner == deep[MAX_DEPTH - 1 : -(MAX_DEPTH - 1)]


@given(st.text(alphabet="'\"\\,:{}[]()#/*ab1 \n=.…“”‘’`<>", max_size=60))
def test_any_text(text: str) -> None:
    """No text raises, and the reader stops inside it."""
    parsed: Parsed = parse("[" + text, 0)
    assert 0 <= parsed.end <= len(text) + 1
    json.dumps(parsed.value)
