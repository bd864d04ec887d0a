import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import ReadError
from holter.formats import read
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from holter.messages.pretty import title_line
from tests.formats.pasted import calls, document, notes, said, spots

_LINES = [
    "你好，世界：今天（北京）",
    "Tool Calls:",
    "Invalid Tool Calls:",
    "Name: x",
    "---",
    "1. item",
    "### heading",
    "| a | b |",
    "> quote",
    "2026-03-01 12:00:00",
    "3.5 hours",
    "Call ID: 1",
    "  Args:",
    "=== x ===",
    "",
]
_CONTENTS = st.lists(st.sampled_from(_LINES), min_size=1, max_size=4).map(lambda lines: "\n".join(["text", *lines]).rstrip())
_SCALARS = st.one_of(
    st.integers(-99, 99), st.booleans(), st.none(), st.just(0.5), st.sampled_from(["北京", "a: b", "x, y", "don't", "{", ""])
)
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["city", "days", "note_2"]),
    st.one_of(_SCALARS, st.lists(_SCALARS, max_size=2), st.dictionaries(st.just("k"), _SCALARS, max_size=1)),
    max_size=3,
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Turns with calls and their results in call order, under names that pair them."""
    messages: list[Message] = [SystemMessage(draw(_CONTENTS))] if draw(st.booleans()) else []
    for turn in range(draw(st.integers(1, 3))):
        messages.append(HumanMessage(f"{turn}. {draw(_CONTENTS)}", name=draw(st.sampled_from([None, "lin"]))))
        made: list[dict[str, Any]] = [
            {"name": f"tool_{n}", "args": draw(_ARGUMENTS), "id": f"call_{turn}_{n}", "type": "tool_call"}
            for n in range(draw(st.integers(0, 2)))
        ]
        if made:
            messages.append(AIMessage(draw(st.one_of(st.just(""), _CONTENTS)), tool_calls=made))
            messages += [ToolMessage(draw(_CONTENTS), tool_call_id=call["id"], name=call["name"]) for call in made]
        messages.append(AIMessage(draw(_CONTENTS)))
    return messages


def printed(messages: list[Message]) -> str:
    return "".join(message.pretty_repr() + "\n" for message in messages)


def result(text: str) -> tuple[list[Any], list[str]]:
    """(kind, name, content, calls, call id) of the messages of the text's only conversation, and the codes of its findings."""
    (conversation,) = read(text.encode())
    return shown(conversation.messages), [finding.code for finding in conversation.findings]


def shown(messages: list[Message]) -> list[Any]:
    return [(m.type, m.name, m.content, calls(m), getattr(m, "tool_call_id", None)) for m in messages]


# Read back


@given(conversations())
def test_read_back(messages: list[Message]) -> None:
    """What is printed is read back: kinds, names, contents, calls with arguments of JSON's types, and which result answers which."""
    assert result(printed(messages)) == (shown(messages), ["READ04"])


_LOGS = [
    "2026-06-22 11:12:21.039 | INFO     | __main__:node:71 - calling {}",
    "2026-06-22 11:12:21,039 - root - WARNING - slow",
    "[2026-06-22 11:12:21] ERROR: no",
    "INFO:httpx:HTTP Request: POST https://x.y",
    "INFO:     127.0.0.1:80 - ok",
]


@given(conversations(), st.randoms(use_true_random=False))
def test_log_lines_between(messages: list[Message], chance: random.Random) -> None:
    """Lines of loguru, logging and uvicorn between messages belong to none."""
    text = "".join(m.pretty_repr() + "\n" + (chance.choice(_LOGS) + "\n" if chance.random() < 0.4 else "") for m in messages)
    assert result("INFO:app:start\n" + text + "INFO:app:end\n") == (shown(messages), ["READ04"])


def _quoted(text: str) -> str:
    return "前文\n\n" + "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines()) + "\n后文\n"


def _indented(text: str) -> str:
    return "前文\n\n" + "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines()) + "\n后文\n"


@pytest.mark.parametrize(
    "around",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "   \n"),
        lambda text: f"前文\n\n````text\n{text}````\n\n后文\n",
        lambda text: f"====== -> messages <- ======\n{text}====== -> the rest <- ======\n{{'a': 1}}\n",
        lambda text: text.replace("=" * 31, "=" * 9),
        _quoted,
        _indented,
    ],
    ids=["crlf", "trailing spaces", "fence", "rules", "narrow", "quotation", "indent"],
)
def test_surroundings(around: Any) -> None:
    """Line ends, padding, fences, rules, quotation marks and indents are no part of a message, and end the last one for sure."""
    messages: list[Message] = [
        HumanMessage("去哪里？\n\n  缩进"),
        AIMessage("查\n---", tool_calls=[{"name": "f", "args": {"a": 1, "b": "x"}, "id": "c", "type": "tool_call"}]),
        ToolMessage("晴", tool_call_id="c", name="f"),
        AIMessage("### 好\n\n1. 晴"),
    ]
    assert result(around(printed(messages))) == (shown(messages), ["READ04"])


# A whole log


def test_transcripts_of_a_log() -> None:
    """Two runs in one log are two conversations; arguments and contents keep their lines; log lines and rules are no contents."""
    first, second = read(document("transcript.log").encode())
    assert said(first) == [
        ("human", "订单 A-17 到哪里了？"),
        (
            "ai",
            "我来查一下。",
            [
                ("track", {"order": "A-17", "days": 3, "note": "line one\nline two"}, "call_1"),
                ("track", {"order": "B-2", "fast": True}, "call_2"),
            ],
        ),
        ("tool", "2026-03-01 07:59:00", "call_1"),
        ("tool", "Tool Calls:\nnone", "call_2"),
        ("ai", "结果：\n\n---\n\n### A-17\n1. 已到上海"),
    ]
    assert spots(first) == [(3, 1, ""), (6, 1, ""), (22, 1, ""), (26, 1, ""), (31, 1, "")]
    assert [(f.code, f.line, f.text) for f in first.findings] == [
        (
            "READ04",
            3,
            "pretty_print does not show message ids and metadata and the types of arguments (numbers, booleans, lists and objects were "
            "told by their look); 2 tool_call_id(s) were given by the order of the results",
        )
    ]
    assert shown(second.messages) == [("human", "lin", "谢谢", [], None), ("ai", None, "不客气！", [], None)]
    assert notes(second) == [("READ04", 41, 1, None)]


def test_invalid_calls() -> None:
    """Invalid calls keep their text and their reason."""
    text = f'{title_line("Ai Message")}\n\nhm\nInvalid Tool Calls:\n  f (c)\n Call ID: c\n  Error: no JSON\n  Args:\n    {{"a\nb\n'
    (conversation,) = read(text.encode())
    assert conversation.messages == [
        AIMessage(
            "hm",
            invalid_tool_calls=[
                {"name": "f", "args": '{"a\nb', "id": "c", "error": "no JSON", "type": "invalid_tool_call", "index": 0},
            ],
        )
    ]


@pytest.mark.parametrize(
    ("title", "kind", "extra"),
    [
        ("System Message", "system", {}),
        ("Aimessagechunk Message", "ai", {}),
        ("\x1b[1m Human Message \x1b[0m", "human", {}),
        ("[1m Human Message [0m", "human", {}),
        ("\\x1b[1m Human Message \\x1b[0m", "human", {}),
        ("Function Message", "tool", {"role": "function"}),
        ("Chat Message", "human", {"role": "chat"}),
    ],
)
def test_titles(title: str, kind: str, extra: dict[str, str]) -> None:
    """Every class has its title, in bold type, too."""
    (conversation,) = read(f"{'=' * 30} {title} {'=' * 30}\n\nhi\n".encode())
    assert [(m.type, m.content, dict(m.extra)) for m in conversation.messages] == [(kind, "hi", extra)]


def test_content_blocks() -> None:
    """Printed content blocks are blocks again."""
    message = AIMessage([{"type": "text", "text": "it's"}])
    assert result(printed([HumanMessage("q"), message]))[0] == shown([HumanMessage("q"), message])


# Where it ends


@pytest.mark.parametrize(
    ("behind", "codes"),
    [
        ("\n10.1.2. 用法\n\n正文。\n", ["READ04"]),
        ("\n1.2 Usage of it, with a full stop.\n", ["READ04", "READ05"]),
        ("\n正文。\n", ["READ04", "READ05"]),
        ("INFO:app:end\n\n正文。\n", ["READ04"]),
        ("\n正文。\n\nINFO:app:end\n", ["READ04", "READ05"]),
        ("==========\n正文。\n", ["READ04"]),
        ("", ["READ04", "READ05"]),
    ],
)
def test_end(behind: str, codes: list[str]) -> None:
    """READ05 is said where prose may have been taken for the last message, and only there."""
    assert result("文章开头。\n\n" + printed([HumanMessage("q"), AIMessage("a")]) + behind)[1] == codes


def test_end_of_a_log() -> None:
    """A program's output ends with its last message."""
    assert result("INFO:app:start\n" + printed([HumanMessage("q"), AIMessage("a")]))[1] == ["READ04"]


def test_runs_that_begin_alike() -> None:
    """A transcript that shows the same beginning again is another snapshot."""
    messages: list[Message] = [HumanMessage("q"), AIMessage("a"), HumanMessage("r"), AIMessage("b")]
    found = read((printed(messages[:2]) + printed(messages)).encode())
    assert [(len(c.messages), c.shared and c.shared.messages) for c in found] == [(2, None), (4, 2)]


def test_turns_of_one_chat() -> None:
    """Turns that follow one another, with log lines between, are one conversation."""
    text = printed([HumanMessage("q"), AIMessage("a")]) + "INFO:app:next\n" + printed([HumanMessage("r"), AIMessage("b")])
    assert [content for _, content in said(read(text.encode())[0])] == ["q", "a", "r", "b"]


# Damage

_WHOLE = printed(
    [
        HumanMessage("去哪里？"),
        AIMessage("查", tool_calls=[{"name": "f", "args": {"a": 1, "b": "x"}, "id": "c", "type": "tool_call"}]),
        ToolMessage("晴", tool_call_id="c", name="f"),
        AIMessage("好"),
    ]
)


def test_cut_anywhere() -> None:
    """Cut anywhere, the messages before the cut are all there, and the last one is a part of what it was."""
    whole = read(_WHOLE.encode())[0].messages
    for at in range(len(_WHOLE)):
        try:
            (conversation,) = read(("\n" + _WHOLE[:at]).encode())
        except ReadError:
            assert at < len(title_line("Human Message"))
            continue
        *before, last = conversation.messages
        assert before == whole[: len(before)]
        assert whole[len(before)].text.startswith(last.text) or last.text.startswith("查\nT")


@pytest.mark.parametrize(
    "end",
    ["=", "=" * 31 + " Ai Mess", "=" * 31, title_line("Ai Message"), title_line("Ai Message") + "\n\nx\nTool Calls:\n  f (c)\n Call ID"],
)
def test_cut_is_said(end: str) -> None:
    """An end inside a title or a call is a READ01."""
    assert "READ01" in result(printed([HumanMessage("q"), AIMessage("a")]) + end)[1]
