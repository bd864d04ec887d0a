"""Arguments are repaired only where there is no doubt, every repair is reported, and what was cut off is never run."""

import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.messages import AIMessage, ToolSpec
from holter.messages.calls import split_calls, tool_call
from holter.tools.arguments import Decoded, RepairedCalls, decode, repaired_calls
from tests import strategies

_SCHEMA = {"type": "object", "properties": {"where": {"type": "string"}, "body": {"type": "string"}}, "required": ["where", "body"]}


def _decode(raw: Any, **options: Any) -> Decoded:
    return decode(raw, call_id="c", **{"parameters_schema": None, **options})


_REPAIRED: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
    "blank": (" \n", [{}], ["ARG03"]),
    "empty": ("", [{}], ["ARG03"]),
    "null": ("null", [{}], ["ARG04"]),
    "encoded twice": ('"{\\"branch\\": \\"North\\"}"', [{"branch": "North"}], ["ARG02"]),
    "one object twice": ('{"a": 1}\n{"a":1}', [{"a": 1}], ["ARG05"]),
    "two objects, braces in a text": ('{"a":"X","b":"}{"}{"a":"X","b":"Z"}', [{"a": "X", "b": "}{"}, {"a": "X", "b": "Z"}], ["ARG05"]),
    "1 and true are not equal": ('{"a":1}{"a":true}{"a":1}', [{"a": 1}, {"a": True}], ["ARG05"]),
    "an empty object before": ('{}{"a":1}', [{}, {"a": 1}], ["ARG05"]),
    "Python": ("{'theme': 'it\\'s', 'dark': True, 'x': None}", [{"theme": "it's", "dark": True, "x": None}], ["ARG06"]),
    "Python's last comma": ('{"a": [1, 2,],}', [{"a": [1, 2]}], ["ARG06"]),
    "code fence": ('```json\n{"a": 1}\n```', [{"a": 1}], ["ARG07"]),
    "code fence around Python": ("```python\n{'a': None}\n```", [{"a": None}], ["ARG07", "ARG06"]),
    "tags": ('<tool_call>\n{"a": 1}</tool_call>', [{"a": 1}], ["ARG07"]),
    "tag behind only": ('{"a": 1}</arguments>', [{"a": 1}], ["ARG07"]),
    "special token": ('<|python_tag|>{"a": 1}<|eom_id|>', [{"a": 1}], ["ARG07"]),
    "label": ('Action Input: {"a": 1}', [{"a": 1}], ["ARG07"]),
    "byte order mark": ('\ufeff{"a": 1}', [{"a": 1}], ["ARG07"]),
    "half a character": ('{"a": "x\\ud83d"}', [{"a": "x\ufffd"}], ["CONT03"]),
}


@pytest.mark.parametrize("name", _REPAIRED)
def test_repairs_what_is_unambiguous(name: str) -> None:
    """Each repair is reported under its rule, with the call and the raw text."""
    raw, objects, codes = _REPAIRED[name]
    decoded = _decode(raw)
    assert ([decoded.args, *decoded.split], decoded.error) == (objects, "")
    assert [json.dumps(item) for item in (decoded.args, *decoded.split)] == [json.dumps(item) for item in objects]
    assert [(repair.code, repair.call_id, repair.raw) for repair in decoded.repairs] == [(code, "c", raw) for code in codes]


_REFUSED: dict[str, Any] = {
    "a token that is none": '{"action": opeen_menu"}',
    "JavaScript": "{a: 1}",
    "quote inside a text": '{"a": "he said "hi" twice"}',
    "raw line break": '{"a": "x\ny"}',
    "bad escape": '{"a": "\\q"}',
    "leading zero": '{"a": 01}',
    "array": "[1, 2]",
    "array as it is": [1, 2],
    "number": "7",
    "boolean": "true",
    "bytes": b"{}",
    "bare text": "rain",
    "a text": '"rain"',
    "an array in a text": '"[1]"',
    "encoded three times": json.dumps(json.dumps('{"a": 1}')),
    "several objects in a text": '"{\\"a\\": 1}{\\"a\\": 2}"',
    "words before": 'Sure: {"a": 1}',
    "words behind": '{"a": 1} done',
    "an object and an array": '{"a": 1}[2]',
    "NaN": '{"s": "NaN", "n": NaN}',
    "-Infinity": '{"n": -Infinity}',
    "too large": '{"n": 1e999}',
    "too many digits": '{"n": ' + "9" * 5_000 + "}",
    "NaN as it is": {"n": float("nan")},
    "key as it is": {1: 2},
    "set": "{'a', 'b'}",
    "set inside": "{'a': {'b', 'c'}}",
    "tuple": "{'a': (1, 2)}",
    "Python bytes": "{'a': b'x'}",
    "f-string": "{'a': f'{1}'}",
    "complex": "{'a': 1j}",
    "call": "{'a': open('x')}",
    "strings side by side": "{'a': 'x' 'y'}",
    "Python's nan": "{'a': nan}",
    "mixed words": "{'a': true}",
    "number as key": "{1: 'a'}",
    "text behind a literal": "{'a': 1} done",
    "marker in a key": '{"where<arg_key>": "part</arg_key><arg_value>2"}',
    "marker in a value": '{"where": "a.txt</parameter>\\n<parameter name=\\"body\\">x", "body": ""}',
    "deep": '{"a":' * 100_000,
    "deep Python": "{'a':" * 100_000,
}


def test_says_why_it_refuses() -> None:
    """Where it stands and what was expected; nothing is run, nothing reported as repaired."""
    reasons: dict[str, str] = {}
    for name, raw in _REFUSED.items():
        decoded = _decode(raw, parameters_schema=_SCHEMA)
        assert (decoded.args, decoded.repairs, decoded.split) == (None, [], [])
        assert "cut off" not in decoded.error
        reasons[name] = decoded.error
    assert reasons == snapshot(
        {
            "a token that is none": "bad JSON at character 11 (expecting value), at 'opeen_menu\"}'",
            "JavaScript": "bad JSON at character 1 (expecting property name enclosed in double quotes), at 'a: 1}'",
            "quote inside a text": "bad JSON at character 16 (expecting ',' delimiter), at 'hi\" twice\"}'",
            "raw line break": "bad JSON at character 8 (a raw control character; write it as \\n), at '\\ny\"}'",
            "bad escape": "bad JSON at character 7 (invalid \\escape), at '\\\\q\"}'",
            "leading zero": "bad JSON at character 7 (expecting ',' delimiter), at '1}'",
            "array": "one JSON object was expected, found an array",
            "array as it is": "one JSON object was expected, found an array",
            "number": "one JSON object was expected, found a number",
            "boolean": "one JSON object was expected, found a boolean",
            "bytes": "one JSON object was expected, found bytes",
            "bare text": "bad JSON at character 0 (expecting value), at 'rain'",
            "a text": "one JSON object was expected, found a string",
            "an array in a text": "one JSON object was expected, found a string",
            "encoded three times": "one JSON object was expected, found a string",
            "several objects in a text": "one JSON object was expected, found a string that holds more than one",
            "words before": "bad JSON at character 0 (expecting value), at 'Sure: {\"a\": 1}'",
            "words behind": "bad JSON at character 9 (one JSON object was expected and nothing behind it), at 'done'",
            "an object and an array": "bad JSON at character 8 (one JSON object was expected and nothing behind it), at '[2]'",
            "NaN": "bad JSON at character 18 (NaN is not JSON; send a number or null), at 'NaN}'",
            "-Infinity": "bad JSON at character 6 (-Infinity is not JSON; send a number or null), at '-Infinity}'",
            "too large": "bad JSON at character 6 (1e999 is too large a number), at '1e999}'",
            "too many digits": "bad JSON at character 6 (a number of 5000 digits is too large), at '99999999999999999999'",
            "NaN as it is": "nan is not JSON; send a number or null",
            "key as it is": "a key of an object is no text",
            "set": "bad JSON at character 1 (expecting property name enclosed in double quotes), at \"'a', 'b'}\"",
            "set inside": "bad JSON at character 7 (a set is no JSON value), at \"'b', 'c'}}\"",
            "tuple": "bad JSON at character 6 (a tuple is no JSON value), at '(1, 2)}'",
            "Python bytes": "bad JSON at character 6 (bytes are no JSON value), at \"b'x'}\"",
            "f-string": "bad JSON at character 6 (a string with the prefix f is no JSON value), at \"f'{1}'}\"",
            "complex": "bad JSON at character 6 (a complex number is no JSON value), at '1j}'",
            "call": "bad JSON at character 6 (open is no JSON value), at \"open('x')}\"",
            "strings side by side": "bad JSON at character 10 (a comma or } was expected), at \"'y'}\"",
            "Python's nan": "bad JSON at character 6 (nan is no JSON value), at 'nan}'",
            "mixed words": "bad JSON at character 6 (true is no JSON value), at 'true}'",
            "number as key": "bad JSON at character 1 (expecting property name enclosed in double quotes), at \"1: 'a'}\"",
            "text behind a literal": "bad JSON at character 8 (nothing was expected behind the object), at ' done'",
            "marker in a key": "template markup '<arg_key>' stands in the key 'where<arg_key>' (missing: where, body)",
            "marker in a value": "template markup '</parameter>' stands in the value of 'where'",
            "deep": 'bad JSON at character 1000 (nested too deeply), at \'{"a":{"a":{"a":{"a":\'',
            "deep Python": "bad JSON at character 1000 (nested too deeply), at \"{'a':{'a':{'a':{'a':\"",
        }
    )


_CUT = {
    "in a text": '{"path": "a.html", "text": "<h1>',
    "in a key": '{"path": 1, "te',
    "behind a colon": '{"path":',
    "in a word": '{"path": tr',
    "in a number": '{"path": 1.',
    "in an escape": '{"path": "\\u00',
    "before the bracket": '{"path": [1]',
    "with a raw line break": '{"path": "a\nb',
    "second object": '{"path": 1}{"path"',
    "encoded twice": '"{\\"path\\": \\"a',
    "inside the encoding": '"{\\"path\\": \\"a"',
    "Python": "{'path': 'a', 'x': Tru",
    "in a fence": '```json\n{"path": "a',
    "only the bracket": "{",
}


@pytest.mark.parametrize("name", _CUT)
def test_says_that_arguments_were_cut_off(name: str) -> None:
    """Whatever the finish reason says; a text that could have gone on and been whole is called cut off, and no other."""
    decoded = _decode(_CUT[name], finish_reason="tool_calls")
    assert decoded.args is None
    assert "the arguments were cut off" in decoded.error


@pytest.mark.parametrize("finish_reason", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"])
@pytest.mark.parametrize("raw", ['{"body": "AA"}', '{"body": "AA', "", "null", "{'body': 'AA'}", {"body": "AA"}])
def test_runs_nothing_of_an_answer_that_the_limit_ended(raw: Any, finish_reason: str) -> None:
    """Not even whole arguments, nor blank ones as {}."""
    decoded = _decode(raw, finish_reason=finish_reason)
    assert decoded.args is None
    assert decoded.error.startswith("the output limit was reached and the arguments were cut off")


def test_names_the_cut_before_what_is_missing() -> None:
    """The missing field follows from the cut."""
    decoded = _decode('{"body": "AA"}', parameters_schema=_SCHEMA, finish_reason="length", output_tokens=4)
    assert decoded.error == snapshot(
        "the output limit was reached after 4 tokens and the arguments were cut off; send smaller pieces in several calls (missing: where)"
    )


@pytest.mark.parametrize(
    "raw",
    [
        '{"query": "who\'s on call"}',
        '{"html": "<div class=\\"a\\">x</div> a < b"}',
        '{"xml": "<parameter name=\\"a\\">1</parameter>"}',
        '{"usage": "run <parameter>"}',
        '{"emoji": "\\ud83c\\udf26"}',
        '{"text": "}{ ```json null None"}',
        '{"json": "{\\"a\\": 1}"}',
        "{}",
    ],
)
def test_leaves_valid_json_alone(raw: str) -> None:
    """No repair runs on it."""
    assert _decode(raw) == Decoded(json.loads(raw))


def test_takes_an_object_as_it_is() -> None:
    """Anthropic, Gemini and Ollama send objects, OpenAI texts; both are arguments."""
    args = {"a": [1, {"b": "天气"}], "c": 1.5}
    assert _decode(args).args is args


def test_a_tool_that_takes_a_text_keeps_it() -> None:
    """No layer is peeled off a text that is the argument itself."""
    assert _decode('"{\\"a\\": 1}"', parameters_schema={"type": "string"}) == Decoded({"input": '{"a": 1}'})


_plain_objects = strategies.json_objects.filter(lambda args: "<" not in json.dumps(args))


@given(_plain_objects, st.booleans())
def test_any_json_object_comes_back_equal(args: dict[str, Any], ascii_only: bool) -> None:
    """As a text or as it is, without a repair."""
    assert _decode(json.dumps(args, ensure_ascii=ascii_only)) == Decoded(args)
    assert _decode(args) == Decoded(args)


@given(
    _plain_objects,
    st.sampled_from([json.dumps, repr, lambda args: json.dumps(json.dumps(args)), lambda args: f"```json\n{json.dumps(args)}"]),
)
def test_no_beginning_of_arguments_is_run(args: dict[str, Any], write: Any) -> None:
    """Wherever they are cut, in whichever form they were; blank text alone is no argument at all."""
    text = write(args)
    for end in range(1, len(text)):
        assert _decode(text[:end]).args is None
    assert _decode(text).args == args


_PIECES = [
    *"{}[]\"':,\\1-.aj \n\x00\ud83d\ufeff",
    *"null None True NaN 1e \\u12 ``` ```json <tool_call> </parameter> Arguments: ''' b'".split(),
]
_PIECES += ['{"a": 1}', "{'a': 1}"]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join) | strategies.any_texts)
@example("{'\\ud83d': 1}")
@example('{"a": 1}\x00')
def test_no_text_is_too_wild(raw: str) -> None:
    """Nothing raises, and whatever is run or reported is JSON that can be stored."""
    decoded = _decode(raw)
    assert (decoded.args is None) == bool(decoded.error)
    msgspec.json.encode(decoded)
    json.dumps([decoded.args, decoded.split], allow_nan=False).encode()


_LONG = {
    "objects": '{"a":1}' * 30_000,
    "escapes": "{'a':'" + "\\'" * 100_000,
    "fences": "```json" * 30_000,
    "tags behind": '{"a":1}' + "</tool_call>" * 30_000,
    "blanks": " " * 300_000 + "x",
    "angles": "<" * 200_000,
    "tags never closed": '{"a":"' + "<parameter " * 30_000 + '"}',
    "tags without an end": '{"a":"' + "<parameter>" * 20_000 + '"}',
    "digits": '{"a": ' + "1" * 200_000 + "}",
}


@pytest.mark.parametrize("name", _LONG)
def test_takes_no_longer_than_the_text(name: str) -> None:
    """Hundreds of thousands of characters of whatever kind in well under a second."""
    raw = _LONG[name]
    begun = time.perf_counter()
    _decode(raw)
    assert time.perf_counter() - begun < 2


# The calls of a message

_TOOLS = {
    "read": ToolSpec("read", parameters={"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]}),
    "find_doc": ToolSpec("find_doc"),
}


def _message(*calls: tuple[Any, Any, Any], content: Any = "", **fields: Any) -> AIMessage:
    """A message as a reader makes it from (name, arguments, id)."""
    valid, invalid = split_calls([tool_call(name, args, call_id, position) for position, (name, args, call_id) in enumerate(calls)])
    return AIMessage(content, tool_calls=valid, invalid_tool_calls=invalid, **fields)


def _repaired(message: AIMessage) -> RepairedCalls:
    """The repaired calls; a message that was repaired is not touched again."""
    repaired = repaired_calls(message, _TOOLS)
    assert repaired_calls(repaired.message, _TOOLS).message is repaired.message
    return repaired


def _short(calls: list[dict[str, Any]]) -> list[Any]:
    return [(call["id"], call["name"], call["args"] if call["type"] == "tool_call" else call["error"]) for call in calls]


def test_a_message_without_faults_stays_the_same_object() -> None:
    """And so do its calls; an unknown name is the executor's to answer."""
    message = _message(("read", '{"p": "a"}', "a"), ("nope", "{}", "b"))
    repaired = _repaired(message)
    assert repaired.message is message
    assert repaired.repairs == []
    assert all(a is b for a, b in zip(repaired.calls, message.tool_calls, strict=True))


def test_repaired_calls_move_to_the_valid_ones() -> None:
    """In their order; what cannot be repaired stays invalid, at its new place."""
    message = _message(
        ("functions.read", "{'p': 'a'}", "a"), ("read", '{"p": zz}', "b"), ("find_docfind_doc", "null", "c"), ("read", '{"p": "d"}', "d")
    )
    repaired = _repaired(message)
    assert _short(repaired.calls) == snapshot(
        [
            ("a", "read", {"p": "a"}),
            ("b", "read", "bad JSON at character 6 (expecting value), at 'zz}'"),
            ("c", "find_doc", {}),
            ("d", "read", {"p": "d"}),
        ]
    )
    assert [(repair.code, repair.call_id, repair.raw) for repair in repaired.repairs] == snapshot(
        [("NAME03", "a", "functions.read"), ("ARG06", "a", "{'p': 'a'}"), ("NAME05", "c", "find_docfind_doc"), ("ARG04", "c", "null")]
    )
    assert [call["id"] for call in repaired.message.calls] == ["a", "b", "c", "d"]
    assert [call["id"] for call in repaired.message.invalid_tool_calls] == ["b"]


def test_distinct_objects_become_calls_of_their_own() -> None:
    """With ids that no other call has, marked in the content where the one call stood."""
    content = [{"type": "tool_call", "id": "k1", "position": 0}, {"type": "text", "text": "and"}]
    content += [{"type": "tool_call", "id": "k1_2", "position": 1}, {"type": "tool_call", "id": "k2"}]
    message = _message(("read", '{"p":"a"}{"p":"b"}', "k1"), ("read", '{"p":"c"}', "k1_2"), ("read", "{", "k2"), content=content)
    repaired = _repaired(message)
    assert _short(repaired.calls) == snapshot(
        [
            ("k1", "read", {"p": "a"}),
            ("k1_3", "read", {"p": "b"}),
            ("k1_2", "read", {"p": "c"}),
            (
                "k2",
                "read",
                "the arguments were cut off at character 1, inside a value; send all of them, long content in smaller pieces",
            ),
        ]
    )
    assert repaired.message.content == snapshot(
        [
            {"type": "tool_call", "id": "k1", "position": 0},
            {"type": "tool_call", "id": "k1_3", "position": 1},
            {"type": "text", "text": "and"},
            {"type": "tool_call", "id": "k1_2", "position": 2},
            {"type": "tool_call", "id": "k2"},
        ]
    )
    assert [(call["id"], call.get("index")) for call in repaired.message.calls] == snapshot(
        [("k1", None), ("k1_3", None), ("k1_2", None), ("k2", 3)]
    )


def test_the_parallel_wrapper_is_expanded() -> None:
    """Each call inside it is a call with a result of its own; the wrapper stays visible in the repair."""
    uses = [
        {"recipient_name": "functions.read", "parameters": {"p": "a"}},
        {"recipient_name": "functions.read", "parameters": '{"p": "b"}'},
        {"recipient_name": "nope", "parameters": {}},
        {"recipient_name": "read", "parameters": "{"},
        {"recipient_name": "multi_tool_use.parallel", "parameters": {"tool_uses": []}},
    ]
    repaired = _repaired(_message(("multi_tool_use.parallel", json.dumps({"tool_uses": uses}), "m1"), ("find_doc", "{}", "m1_1")))
    assert _short(repaired.calls) == snapshot(
        [
            ("m1_2", "read", {"p": "a"}),
            ("m1_3", "read", {"p": "b"}),
            ("m1_4", "nope", {}),
            (
                "m1_5",
                "read",
                "the arguments were cut off at character 1, inside a value; send all of them, long content in smaller pieces",
            ),
            ("m1_6", "multi_tool_use.parallel", "a wrapper inside a wrapper is not unpacked; call the tools themselves"),
            ("m1_1", "find_doc", {}),
        ]
    )
    assert [(repair.code, repair.call_id) for repair in repaired.repairs] == snapshot([("NAME04", "m1"), ("ARG09", "m1_3")])
    assert json.loads(repaired.repairs[0].raw or "") == {"tool_uses": uses}
    assert [call["id"] for call in repaired.message.calls] == [call["id"] for call in repaired.calls]


@pytest.mark.parametrize("args", ["{}", '{"tool_uses": []}', '{"tool_uses": [1]}', '{"tool_uses": {"recipient_name": "read"}}', "{"])
def test_a_wrapper_of_another_form_is_not_expanded(args: str) -> None:
    """It becomes an error, and the message stays as it is."""
    message = _message(("multi_tool_use.parallel", args, "m1"))
    repaired = _repaired(message)
    assert repaired.message is message
    assert [call["type"] for call in repaired.calls] == ["invalid_tool_call"]


@pytest.mark.parametrize("call_id", ["k1", "functions.read:0", "x" * 64, "call ü", "", None])
@pytest.mark.parametrize("name", ["read", "multi_tool_use.parallel"])
def test_made_ids_fit_the_providers(name: str, call_id: str | None) -> None:
    """Anthropic's pattern, OpenAI's length; never the same twice."""
    inner = [{"recipient_name": "read", "parameters": {"p": p}} for p in "ab"]
    args = json.dumps({"tool_uses": inner}) if name != "read" else '{"p":"a"}{"p":"b"}'
    calls = repaired_calls(_message((name, args, call_id), (name, args, "other")), _TOOLS).calls
    ids = [call["id"] for call in calls]
    made = [one for one in ids if one not in (call_id, "other")]
    assert len(set(ids)) == 4
    assert all(len(one) <= 40 and one.isascii() and one.replace("_", "").replace("-", "").isalnum() for one in made)


@pytest.mark.parametrize(
    "metadata",
    [
        {"finish_reason": "length"},
        {"stop_reason": "max_tokens"},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ],
)
def test_no_call_of_an_answer_that_the_limit_ended_is_run(metadata: dict[str, Any]) -> None:
    """Neither the last, which was cut, nor one before it; the message keeps what the model wrote."""
    message = _message(
        ("read", '{"p": "a"}', "a"), ("read", '{"p": "<h1', "b"), response_metadata=metadata, usage_metadata={"output_tokens": 4096}
    )
    repaired = _repaired(message)
    assert repaired.message is message
    assert {call["type"] for call in repaired.calls} == {"invalid_tool_call"}
    assert repaired.calls[1]["error"] == snapshot(
        "the output limit was reached after 4,096 tokens and the arguments were cut off; send smaller pieces in several calls"
    )


def test_a_call_without_a_name_is_an_error_under_its_id() -> None:
    """It cannot be run, and its result needs the id."""
    repaired = _repaired(_message(("", "{}", "a"), (None, "{}", "b")))
    assert _short(repaired.calls) == snapshot(
        [
            ("a", "", "Error: the call names no tool, try one of [read, find_doc]."),
            ("b", None, "Error: the call names no tool, try one of [read, find_doc]."),
        ]
    )
    assert [repair.code for repair in repaired.repairs] == ["NAME06", "NAME06"]


@pytest.mark.parametrize("name", [5, True, ["read"], {"name": "read"}, b"read"])
def test_a_name_that_is_no_text_names_no_tool(name: Any) -> None:
    """A program may put anything there; the call is answered, and the one beside it is run."""
    calls = [
        {"name": name, "args": {}, "id": "a", "type": "tool_call"},
        {"name": "read", "args": {"p": "x"}, "id": "b", "type": "tool_call"},
    ]
    repaired = _repaired(AIMessage(tool_calls=calls))
    assert [(call["name"], call.get("error", "")) for call in repaired.calls] == [
        (None, "Error: the call names no tool, try one of [read, find_doc]."),
        ("read", ""),
    ]


def test_a_signature_stays_with_the_first_call() -> None:
    """Gemini gives one for the call that it made."""
    call = {**tool_call("read", '{"p":"a"}{"p":"b"}', "k", 0), "extras": {"thought_signature": "s"}}
    calls = _repaired(AIMessage(invalid_tool_calls=[call])).calls
    assert [call.get("extras") for call in calls] == [{"thought_signature": "s"}, None]


@given(strategies.messages(strategies.any_texts))
def test_any_message_has_its_calls_repaired(message: Any) -> None:
    """Nothing raises; every call of it is there, ready or with a reason, and the same one when nothing was repaired."""
    if not isinstance(message, AIMessage):
        return
    repaired = repaired_calls(message, {"find": ToolSpec("find"), "add": ToolSpec("add")})
    assert len(repaired.calls) == len(repaired.message.calls) >= len(message.calls)
    assert all(isinstance(call["args"], dict) if call["type"] == "tool_call" else call["error"] for call in repaired.calls)
    assert all(isinstance(call["args"], dict) for call in repaired.message.tool_calls)
