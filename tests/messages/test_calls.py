"""One JSON object is accepted as arguments, everything else is kept as it came, with the reason."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.messages.calls import as_json_text, decode_arguments, split_calls, tool_call
from tests import strategies

_REFUSED = {
    "empty": "",
    "blank": " \n",
    "null": "null",
    "array": "[1]",
    "number": "7",
    "boolean": "true",
    "encoded twice": '"{\\"a\\": 1}"',
    "NaN": '{"a": NaN}',
    "Infinity": '{"a": [Infinity]}',
    "-Infinity": '{"a": -Infinity}',
    "too large for a float": '{"a": -1e999}',
    "too many digits": '{"a": ' + "9" * 5_000 + "}",
    "truncated": '{"a": "b',
    "concatenated": '{"a": 1}{"b": 2}',
    "followed by text": '{"a": 1} done',
    "followed by NUL": '{"a": 1}\x00',
    "single quotes": "{'a': 1}",
    "fenced": '```json\n{"a": 1}\n```',
    "trailing comma": '{"a": 1,}',
    "comment": '{"a": 1 /* one */}',
    "BOM": '\ufeff{"a": 1}',
    "leading zero": '{"a": 01}',
    "raw newline in text": '{"a": "x\ny"}',
    "nested 100,000 deep": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "arrays nested 100,000 deep, open": '{"a":' + "[" * 100_000,
}


def test_refuses_all_that_is_not_one_json_object() -> None:
    """The reason says what was found."""
    reasons: dict[str, str] = {}
    for name, text in _REFUSED.items():
        with pytest.raises(ValueError, match=r".") as refused:
            decode_arguments(text)
        reasons[name] = str(refused.value)
    assert reasons == snapshot(
        {
            "empty": "the arguments are empty",
            "blank": "the arguments are empty",
            "null": "one JSON object was expected, found null",
            "array": "one JSON object was expected, found an array",
            "number": "one JSON object was expected, found a number",
            "boolean": "one JSON object was expected, found a boolean",
            "encoded twice": "one JSON object was expected, found a string",
            "NaN": "NaN is not JSON",
            "Infinity": "Infinity is not JSON",
            "-Infinity": "-Infinity is not JSON",
            "too large for a float": "-1e999 is too large a number",
            "too many digits": "a number of 5000 digits is too large",
            "truncated": "not JSON: Unterminated string starting at character 6",
            "concatenated": "not JSON: Extra data at character 8",
            "followed by text": "not JSON: Extra data at character 9",
            "followed by NUL": "not JSON: Extra data at character 8",
            "single quotes": "not JSON: Expecting property name enclosed in double quotes at character 1",
            "fenced": "not JSON: Expecting value at character 0",
            "trailing comma": "not JSON: Expecting property name enclosed in double quotes at character 8",
            "comment": "not JSON: Expecting ',' delimiter at character 8",
            "BOM": "not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig) at character 0",
            "leading zero": "not JSON: Expecting ',' delimiter at character 7",
            "raw newline in text": "not JSON: Invalid control character at character 8",
            "nested 100,000 deep": "nested too deeply",
            "arrays nested 100,000 deep, open": "nested too deeply",
        }
    )


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{}", {}),
        (' {"a": [1, 2.5, null, true]}\n', {"a": [1, 2.5, None, True]}),
        ('{"城市": "北京 🙂"}', {"城市": "北京 🙂"}),
        ('{"a": "\\ud800"}', {"a": "\ud800"}),
        ('{"a": "\ud800"}', {"a": "\ud800"}),
        ('{"a": "\\ud83d\\ude42"}', {"a": "🙂"}),
        ('{"a": ' + "9" * 40 + "}", {"a": int("9" * 40)}),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_accepts_one_json_object(text: str, arguments: dict[str, Any]) -> None:
    """White space around it, lone surrogates and large numbers are no fault."""
    assert decode_arguments(text) == arguments


@given(strategies.json_objects)
def test_decodes_what_was_written(arguments: dict[str, Any]) -> None:
    """What any writer makes of an object is read back."""
    assert decode_arguments(json.dumps(arguments)) == arguments
    assert decode_arguments(as_json_text(arguments)) == arguments


_json_like = st.one_of(
    strategies.any_texts,
    st.text('{}[]",:\\ 019.eE+-NaInfity', max_size=30),
    strategies.json_objects.map(json.dumps).flatmap(lambda text: st.integers(0, len(text)).map(lambda end: text[:end])),
)


@given(_json_like)
@example('{"a": 1e400}')
@example('{"a": -0}')
def test_agrees_with_strict_json(text: str) -> None:
    """What is accepted is what the standard library reads, finite numbers only; the rest is a ValueError."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    def finite(number: str) -> float:
        return float(number) if math.isfinite(float(number)) else refuse(number)

    try:
        expected = json.loads(text, parse_constant=refuse, parse_float=finite)
    except ValueError:
        expected = None
    try:
        decoded = decode_arguments(text)
    except ValueError:
        assert not isinstance(expected, dict)
    else:
        assert decoded == expected


_anything = st.one_of(
    strategies.json_values,
    strategies.any_texts,
    st.floats(),
    st.binary(max_size=5),
    st.dictionaries(st.tuples(st.integers()), st.integers(), max_size=2),
    st.sets(st.integers(), max_size=2),
    st.builds(object),
)


@given(_anything, _anything, _anything, st.integers(0, 5))
def test_any_call_is_a_valid_or_an_invalid_one(name: Any, arguments: Any, call_id: Any, position: int) -> None:
    """Nothing raises; a valid call has a name and a dict, an invalid one its raw text and the reason."""
    call = tool_call(name, arguments, call_id, position)
    assert isinstance(call["id"], str | None)
    if call["type"] == "tool_call":
        assert isinstance(call["name"], str)
        assert isinstance(call["args"], dict)
        assert list(call) == ["name", "args", "id", "type"]
    else:
        assert isinstance(call["name"], str | None)
        assert isinstance(call["args"], str)
        assert call["error"]
        assert call["index"] == position


@given(_json_like)
def test_raw_arguments_are_never_lost(text: str) -> None:
    """Text that is not accepted stands in the invalid call as it came."""
    call = tool_call("find", text, "c1", 0)
    assert call["type"] == "tool_call" or call["args"] == text


def test_says_why_a_call_is_invalid() -> None:
    """Each kind of fault has its reason."""
    made = [
        tool_call("find", '{"q": "dune"}', "c1", 0),
        tool_call("find", {"q": "dune"}, None, 0, {"caller": "direct"}),
        tool_call("find", None, "c1", 1),
        tool_call("find", ["q", "dune"], "c1", 1),
        tool_call("find", '{"q": "du', 7, 2),
        tool_call(None, "{}", "c1", 0),
        tool_call({"n": 1}, {"q": 1}, "c1", 0, {"caller": "direct"}),
    ]
    assert made == snapshot(
        [
            {"name": "find", "args": {"q": "dune"}, "id": "c1", "type": "tool_call"},
            {"name": "find", "args": {"q": "dune"}, "id": None, "type": "tool_call", "extras": {"caller": "direct"}},
            {"name": "find", "args": "", "id": "c1", "error": "there are no arguments", "type": "invalid_tool_call", "index": 1},
            {
                "name": "find",
                "args": '["q","dune"]',
                "id": "c1",
                "error": "one JSON object was expected, found an array",
                "type": "invalid_tool_call",
                "index": 1,
            },
            {
                "name": "find",
                "args": '{"q": "du',
                "id": "7",
                "error": "not JSON: Unterminated string starting at character 6",
                "type": "invalid_tool_call",
                "index": 2,
            },
            {"name": None, "args": "{}", "id": "c1", "error": "the call has no name", "type": "invalid_tool_call", "index": 0},
            {
                "name": '{"n":1}',
                "args": '{"q":1}',
                "id": "c1",
                "error": "the call has no name",
                "type": "invalid_tool_call",
                "index": 0,
                "extras": {"caller": "direct"},
            },
        ]
    )


def test_splits_valid_from_invalid() -> None:
    """Each keeps its order."""
    made = [tool_call(name, text, name, i) for i, (name, text) in enumerate([("a", "{"), ("b", "{}"), ("c", ""), ("d", "{}")])]
    valid, invalid = split_calls(made)
    assert [[call["id"] for call in calls] for calls in (valid, invalid)] == [["b", "d"], ["a", "c"]]


def _nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    value = inner
    for _ in range(depth):
        inner["a"] = inner = {}
    return value


def test_writes_every_value_as_bounded_json() -> None:
    """Depth, cycles, odd keys and huge numbers never raise, and what is written can be read."""
    cycle: dict[str, Any] = {"b": 1}
    cycle["a"] = [cycle, cycle]
    assert [as_json_text(value) for value in (cycle, {(1, 2): {3}}, {"a": 16**5_000 - 1, "b": "x"}, "{raw", None)][:2] == snapshot(
        ['{"b":1,"a":["…","…"]}', '{"(1, 2)":"{3}"}']
    )
    for value in (cycle, _nested(100_000), {"a": 16**5_000}, {b"k": _nested(2_000)}, {("t",): object()}):
        text = as_json_text(value)
        assert len(text) < 6_000
        assert isinstance(json.loads(text), dict)


def test_a_web_of_references_is_written_once() -> None:
    """Values that hold each other many times over do not multiply."""
    web: list[dict[str, Any]] = [{} for _ in range(30)]
    for node in web:
        node.update({str(i): other for i, other in enumerate(web)})
    assert len(as_json_text(web)) < 20_000
    assert tool_call("find", web, web, 0)["type"] == "invalid_tool_call"
