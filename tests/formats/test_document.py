import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import ReadError, UnknownFormat
from holter.formats import read
from holter.formats.literal import Literals
from holter.messages import AIMessage
from tests.formats.pasted import NAMES, document, notes, one, pasted, said, spots

_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"city": "北京"}'}}
_MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": '查 "天气"'},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "晴"},
    {"role": "assistant", "content": "a < b && <b>c</b>"},
]
_JSON = json.dumps(_MESSAGES, ensure_ascii=False)
_SAID = [("human", '查 "天气"'), ("ai", "", [("f", {"city": "北京"}, "c")]), ("tool", "晴", "c"), ("ai", "a < b && <b>c</b>")]


# Whole documents


def test_annotated_log() -> None:
    """A log with a comment on every line, prose before and behind it: the messages, where each stands, and one finding."""
    (conversation,) = read(document("annotated.txt").encode())
    assert said(conversation) == [
        ("human", "订单 A-17 到哪里了？ // 急"),
        ("ai", "", [("track", {"order": "A-17", "days": 3}, "call_1")]),
        ("tool", "已到上海", "call_1"),
        ("ai", "订单 A-17 已到上海。"),
    ]
    answer = conversation.messages[1]
    assert isinstance(answer, AIMessage)
    assert answer.usage_metadata == {"input_tokens": 40, "output_tokens": 10, "total_tokens": 50}
    assert answer.response_metadata == {"model_name": "demo-1", "finish_reason": "tool_calls", "logprobs": None}
    assert spots(conversation) == [(6, 1, "messages[0]"), (13, 1, "messages[1]"), (41, 1, "messages[2]"), (47, 1, "messages[3]")]
    assert [(f.code, f.line, f.column, f.text) for f in conversation.findings] == [("READ04", 4, 14, "comments were left out")]


def test_article() -> None:
    """An article: templates, single messages, curly quotes, and a list whose calls are taken from the message shown before."""
    found = read(document("article.md").encode())
    asked = ("ai", "", [("hotels", {"city": "苏州", "nights": 2}, "call_7"), ("weather", {"city": "苏州"}, "call_8")])
    assert [said(c) for c in found] == [
        [("human", "the question")],
        [("tool", "the result", "id")],
        [("human", "两天去苏州，住哪里？")],
        [asked],
        [("human", "..."), asked, ("tool", "三家：甲...", "call_7"), ("tool", "晴", "call_8")],
    ]
    assert spots(found[4]) == [(16, 3, "[0]"), (16, 39, "[1]"), (16, 109, "[2]"), (16, 175, "[3]")]
    assert [(f.code, f.column, f.message, f.text) for f in found[4].findings] == [
        ("READ04", 5, None, "typographic or back quotes were read as quotes"),
        ("READ04", 99, None, "comments were left out"),
        ("READ03", 39, 1, "the calls are left out here; they were taken from conversation 3, message 0"),
        ("READ03", 3, 0, "this text trails off: the document may leave its rest out"),
        ("READ03", 109, 2, "this text trails off: the document may leave its rest out"),
    ]


def test_page() -> None:
    """A web page: highlighted JSON with entities and a printed transcript, each with its line and column in the source."""
    log, printed = read(document("page.html").encode())
    assert (said(log), said(printed)) == ([("human", "a < b && c?"), ("ai", "yes")], [("human", "hi <b>"), ("ai", "ok")])
    assert (spots(log), spots(printed)) == ([(6, 2, "[0]"), (7, 2, "[1]")], [(10, 6, ""), (13, 1, "")])
    assert (notes(log), notes(printed)) == ([("READ04", 1, 1, None)], [("READ04", 10, 6, None)])


# Surroundings


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (f"日志：{_JSON}。结束", (3, 5)),
        (f"```json\n{_JSON}\n```", (4, 2)),
        (f"> {_JSON}", (3, 4)),
        (f"2026-03-01 08:00:00 DEBUG request: {_JSON}", (3, 37)),
        (f"| 1 | `{_JSON}` |", (3, 9)),
        (f"messages = {_JSON}\nx = run(messages)", (3, 13)),
        (f"[What's new](http://x.y) isn't {{it}}\n\n{_JSON}", (5, 2)),
        (json.dumps(_MESSAGES, ensure_ascii=False, indent=1), (4, 2)),
        ("> " + json.dumps(_MESSAGES, ensure_ascii=False, indent=1).replace("\n", "\n> "), (4, 4)),
        (repr(_MESSAGES), (3, 2)),
    ],
)
def test_surroundings(text: str, start: tuple[int, int]) -> None:
    """Prose, fences, quotation marks, tables, log lines and code around a log."""
    conversation = one(text)
    assert said(conversation) == _SAID
    assert spots(conversation)[0][:2] == start
    assert conversation.findings == []


def test_places_behind_long_values() -> None:
    """Lines and columns count characters, whatever the texts before hold."""
    text = "[HumanMessage(content='😀\n\n', id='1'), /* 注\n释 */ AIMessage(content='b',\n  id='2')]"
    assert spots(one(text)) == [(3, 2, "[0]"), (6, 6, "[1]")]


def test_stream_events_in_a_log() -> None:
    """`data:` lines between others make one answer, which stands where its first event does."""
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": "he"}, None), ({"content": "llo"}, None), ({}, "stop")]
    events = [
        {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in deltas
    ]
    text = "".join(f"08:00:0{n} recv\ndata: {json.dumps(event)}\n\n" for n, event in enumerate(events)) + "data: [DONE]\n"
    conversation = one("connecting to the server\n" * 5 + text)
    assert (conversation.format, said(conversation)) == ("openai.stream", [("ai", "hello")])
    assert [(place.line, place.column) for place in conversation.places] == [(9, 7)]


def test_log_lines() -> None:
    """Each log line with a message is its own record."""
    lines = [f"2026-03-01 08:00:0{n} INFO got {json.dumps(m, ensure_ascii=False)}" for n, m in enumerate(_MESSAGES)]
    assert [said(c) for c in pasted("\n".join(lines))] == [[message] for message in _SAID]


# Elisions


def test_elided_calls_that_nothing_shows() -> None:
    """Calls that are left out are filled by the ids of their results only; what is not found is said."""
    text = (
        '[{"role": "assistant", "tool_calls": [...]}, {"role": "tool", "tool_call_id": "zz", "content": "r"}, '
        '{"role": "assistant", "tool_calls": [...]}, {"role": "user", "content": "q"}, {...}, ...]'
    )
    first, second = pasted(f"{_JSON}\n\n然后\n\n{text}")
    assert said(first) == _SAID
    assert said(second) == [("ai", ""), ("tool", "r", "zz"), ("ai", ""), ("human", "q")]
    assert [(f.code, f.message, f.text) for f in second.findings] == [
        ("READ03", None, "the document leaves something out here (`...`), the first of 2 such places in this log"),
        ("READ03", 0, "the calls are left out here, and no earlier part shows those of 'zz'"),
        ("READ03", 2, "the calls are left out here, and no result says which they were"),
    ]


def test_many_elisions_are_said_once() -> None:
    """Texts that trail off are said one by one up to five, then counted; so are comments, which are said once."""
    text = "[" + ", // 略\n".join(f'{{"role": "user", "content": "{n}..."}}' for n in range(50)) + "]"
    findings = one(text).findings
    assert [(f.code, f.message) for f in findings] == [("READ04", None), *[("READ03", n) for n in range(6)]]
    assert findings[-1].text == "45 more texts trail off, the first of them here"


# No false conversations


@pytest.mark.parametrize(
    "text",
    [
        "Agents are great. [See more](http://x.y/z?a=b). \"It's\" {don't}. [What's new](x) and {bar: 1}.\n- [x] done",
        'f(x, {"a": [1, 2]})\nmessages.append({"role": "user", "content": user_input})',
        'messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "x" + y}]',
        'messages.append({"role": "tool", "content": json.dumps(r), "tool_call_id": call.id})',
        '{"role": "user", "content": f"hello {name}"}',
        'interface Message { role: "user" | "assistant"; content: string }\ntype M = { type: "human", content: string };',
        'const m = [{ role: "user", content: prompt }, { role: "system", content: `You are ${name}` }];',
        'await chat({ messages: [...history, { role: "user", content: text }] });',
        'new HumanMessage({ content: "x" + y });',
        'config: {"type": "object", "properties": {"role": {"type": "string"}, "content": {"type": "string"}}}',
        '{"a": 1, // note\n "b": [1, 2, {"type": "button", "content": "OK"}]}',
        '{"role": role, "content": content}',
        "| role | content |\n|---|---|\n| user | who asks |",
        "======== Message ========\nHuman Message\n=============\ntext",
        "class AIMessage(BaseMessage):\n    content: str\n    type: Literal['ai'] = 'ai'",
    ],
)
def test_no_conversation(text: str) -> None:
    """Articles, code in Python and TypeScript, Markdown and other JSON hold no conversation."""
    with pytest.raises(UnknownFormat):
        pasted(text)


# Damage


def _pieces(text: str) -> list[Any]:
    return [message for conversation in read(text.encode()) for message in conversation.messages]


@pytest.mark.parametrize("name", ["annotated.txt", "article.md", "page.html", "stream.ts"])
def test_cut_anywhere(name: str) -> None:
    """Cut anywhere, nothing raises but that nothing is recognised, and no message appears that was not begun before the cut."""
    text = document(name)
    whole = _pieces(text)
    for at in range(0, len(text), 2):
        try:
            messages = _pieces("\n" + text[:at])
        except ReadError:
            continue
        assert len(messages) <= len(whole) or name == "stream.ts"


def test_cut_keeps_what_came_before() -> None:
    """Cut inside a list, the messages before are whole, the last one is a part or gone, and a READ01 says where the text ends."""
    text = "前文\n" + _JSON
    whole = read((text + "\n后文\n").encode())[0].messages
    inside = text.index("[") + 40
    for at in range(inside, len(text)):
        (conversation,) = read(text[:at].encode())
        *before, last = conversation.messages
        assert before == whole[: len(before)]
        assert whole[len(before)].text.startswith(last.text)
        (cut,) = [f for f in conversation.findings if f.code == "READ01"]
        assert (cut.line, cut.column, cut.message) == (2, at - 2, len(before))


def test_a_log_that_breaks_off_in_the_middle() -> None:
    """A value that is not closed ends before the prose, and does not swallow the next one."""
    first, second = pasted('看 {"role": "user", "content": "hello\n\n正文。\n\n{"role": "assistant", "content": "x"}')
    assert (said(first), said(second)) == ([("human", "hello")], [("ai", "x")])
    assert [(f.code, f.line, f.text) for f in first.findings] == [
        ("READ04", 3, "a text is not closed here; it was read to the end of its line"),
        ("READ04", 5, "this value is not closed; what stands before this place was read"),
    ]


_PATCH = st.one_of(
    st.text(alphabet="'\"{}[](),:= \n/*#.…“”<>&;\\x1\ud800", max_size=4), st.sampled_from([document(n)[:200] for n in NAMES])
)


@given(st.sampled_from(NAMES), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5), _PATCH), min_size=1, max_size=4))
def test_mutations(name: str, changes: list[tuple[float, int, str]]) -> None:
    """No change to a document raises; every message has its place, and JSON can say what was read."""
    text = document(name)
    for where, width, patch in changes:
        at = int(where * len(text))
        text = text[:at] + patch + text[at + width :]
    try:
        found = read(("\n" + text).encode("utf-8", "surrogatepass"))
    except ReadError:
        return
    for conversation in found:
        assert len(conversation.places) == len(conversation.messages)
        json.dumps(msgspec.to_builtins([conversation.messages, conversation.findings, conversation.extra]))


def test_depth() -> None:
    """Nesting beyond all reason is kept as text, and said."""
    conversation = one('{"messages": [{"role": "user", "content": "q"}], "deep": ' + "[" * 10_000 + "]" * 10_000 + "}")
    assert said(conversation) == [("human", "q")]
    assert [f.code for f in conversation.findings] == ["READ02"]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        '"',
        "'",
        "(",
        "/*",
        "//",
        "AIMessage(content",
        "=\n",
        "\\",
        '{"a":',
        "content='",
        "[/*",
        '[{"a":"',
        "{'a'[",
        "<a",
        "&quot;",
        "[“",
        "[1",
    ],
)
def test_work_is_linear(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the text is twice the work, counted in characters that literals were read over."""
    counted = 0
    plain_read = Literals.read

    def counting_read(self: Literals, start: int) -> Any:
        nonlocal counted
        parsed = plain_read(self, start)
        counted += parsed.end - start
        return parsed

    monkeypatch.setattr(Literals, "read", counting_read)
    work = []
    for size in (20_000, 40_000, 80_000):
        counted = 0
        with pytest.raises(ReadError):
            pasted(unit * (size // len(unit)))
        work.append(counted)
    assert work[2] - work[1] <= 2 * (work[1] - work[0]) + 400_000
    assert work[2] <= 5 * 80_000 + 400_000
