import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import ReadError, UnknownFormat
from holter.formats import read
from holter.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolMessage
from tests.formats.pasted import calls, document, notes, one, pasted, said, spots

# Reprs as LangChain prints them, made here: class, content, then the fields in its order.


def written(message: Message) -> str:
    fields: dict[str, Any] = {"content": message.content}
    if not isinstance(message, ToolMessage):
        fields |= {"additional_kwargs": dict(message.additional_kwargs), "response_metadata": dict(message.response_metadata)}
    fields |= {key: item for key, item in (("name", message.name), ("id", message.id)) if item is not None}
    match message:
        case AIMessage():
            fields |= {"tool_calls": message.tool_calls, "invalid_tool_calls": [], "usage_metadata": message.usage_metadata}
        case ToolMessage():
            fields |= {"tool_call_id": message.tool_call_id} | ({"status": "error"} if message.status == "error" else {})
        case _:
            pass
    listed = ", ".join(f"{key}={item!r}" for key, item in fields.items() if item is not None)
    return f"{type(message).__name__}({listed})"


def stripped(text: str) -> str:
    return re.sub("['\"=]", "", text)


def lost(value: Any) -> Any:
    """What is left of a value when the characters that were stripped are missing from its texts."""
    match value:
        case str():
            return stripped(value)
        case dict():
            return {key: lost(item) for key, item in value.items()}
        case list() | tuple():
            return type(value)(lost(item) for item in value)
        case _:
            return value


_PHRASES = [
    "what is the weather in sf",
    "你好，世界：今天（北京）",
    "Hello (world), foo: bar",
    "It is 10:30, id 5, name x, status ok",
    "id, name: Bob, id: 7",
    "line one\nline two, b\n",
    'it\'s "fine"',
    "smile :)",
    "a)b(c",
    "x, y), z",
    "{a: [1}",
    "C:\\new",
    "",
    "\n\n",
    "42",
    "status success, name search",
    "namely, identical, statuses",
    "😀",
]
_CONTENTS = st.lists(st.sampled_from(_PHRASES), min_size=1, max_size=2).map(" ".join)
_PLAIN = st.sampled_from(["北京", "San Francisco", "a b", "x (y)", "http://x.y/z", 3, -2, 1.5, True, None, ["p", 1], {"k": "v"}, "10:30"])
_IDS = st.sampled_from(
    [
        None,
        "0b35d353-d7d2-4a59-bbb0-87b5fa168973",
        "run-0b35d353-d7d2-4a59-bbb0-87b5fa168973-0",
        "lc_run--0b35d353-d7d2-4a59-bbb0-87b5fa168973-0",
        "msg_01",
        "1",
    ]
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = [SystemMessage(draw(_CONTENTS))] if draw(st.booleans()) else []
    messages.append(HumanMessage(draw(_CONTENTS), id=draw(_IDS), name=draw(st.sampled_from([None, "bob"]))))
    made: list[dict[str, Any]] = [
        {"name": f"tool_{n}", "args": draw(st.dictionaries(st.sampled_from("abc"), _PLAIN)), "id": f"call_{n}", "type": "tool_call"}
        for n in range(draw(st.integers(0, 2)))
    ]
    counted = draw(st.sampled_from([None, {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}]))
    metadata = {"token_usage": {"n": 75, "details": None}, "model_name": "demo-1", "logprobs": None}
    messages.append(AIMessage(draw(_CONTENTS), id=draw(_IDS), tool_calls=made, usage_metadata=counted, response_metadata=metadata))
    status: Any = draw(st.sampled_from(["success", "error"]))
    messages += [ToolMessage(draw(_CONTENTS), tool_call_id=c["id"], name=c["name"], id=draw(_IDS), status=status) for c in made]
    return messages


def fields(messages: list[Message]) -> list[Any]:
    return [
        (m.type, m.content, m.name, m.id, calls(m), getattr(m, "tool_call_id", None), getattr(m, "status", None), m.response_metadata)
        for m in messages
    ]


# Whole reprs


@given(conversations())
def test_whole(messages: list[Message]) -> None:
    """A list of reprs is read as it was, and nothing has to be said of it."""
    conversation = one("[" + ", ".join(map(written, messages)) + "]")
    assert (conversation.format, fields(conversation.messages), conversation.findings) == ("langchain.repr", fields(messages), [])


def test_reprs_of_a_session() -> None:
    """A snapshot and printed messages of an interactive session, with values that are no Python kept as their text."""
    snapshot, printed = read(document("reprs.txt").encode())
    assert said(snapshot) == [
        ("human", "What's 2 × 3?"),
        ("ai", "", [("multiply", {"a": 2, "b": 3.5, "tags": ["x", "y"]}, "call_1")]),
    ]
    assert snapshot.messages[1].response_metadata == {
        "created_at": "datetime.datetime(2026, 3, 1, 8, 0, tzinfo=datetime.timezone.utc)",
        "finish_reason": "<FinishReason.TOOL: 'tool_calls'>",
        "raw": "<object at 0x7f2c>",
    }
    assert snapshot.extra == {
        "next": ["tools"],
        "config": {"configurable": {"thread_id": "1"}},
        "metadata": {"step": 1},
        "created_at": "2026-03-01T08:00:00+00:00",
        "parent_config": None,
        "tasks": [{"id": "t-1", "name": "tools", "path": ["__pregel_pull", "tools"], "error": None, "interrupts": [], "state": None}],
        "count": 1,
    }
    assert spots(snapshot) == [(2, 44, "values.messages[0]"), (2, 94, "values.messages[1]")]
    assert snapshot.findings == []
    assert said(printed) == [("ai", "It's 6."), ("human", "谢谢")]
    assert spots(printed) == [(5, 1, ""), (6, 1, "")]
    assert notes(printed) == [("READ04", 5, 1, None)]


def test_raw_line_breaks() -> None:
    """Texts with raw line breaks are read, which is said once; the places behind them are right."""
    conversation = one("[HumanMessage(content='a\n\"b\"\n\nit\\'s', id='1'),\n AIMessage(content=\"don't\n\", id='2')]")
    assert said(conversation) == [("human", 'a\n"b"\n\nit\'s'), ("ai", "don't\n")]
    assert spots(conversation) == [(3, 2, "[0]"), (7, 2, "[1]")]
    assert notes(conversation) == [("READ04", 3, 24, None)]


@pytest.mark.parametrize(
    "text",
    [
        "messages = [\n    HumanMessage(content='''a\nb'''),\n    AIMessage(content=('b'\n        'c')),\n]",
        "{'messages': [HumanMessage(content='a\\nb'),\n              AIMessage(content='b'\n                        'c')]}",
        '[HumanMessage {\n  "content": "a\\nb",\n}, AIMessage {\n  content: \'bc\',\n}]',
    ],
    ids=["code", "pprint", "node"],
)
def test_ways_to_write_a_list(text: str) -> None:
    """Code with literal contents, what pprint breaks into lines, and what Node prints."""
    assert said(one(text)) == [("human", "a\nb"), ("ai", "bc")]


def test_reprs_on_lines() -> None:
    """Reprs on lines that follow one another are one conversation; with words between, each is its own."""
    a, b = "HumanMessage(content='a', id='1')", "AIMessage(content='b', id='2')"
    assert [said(c) for c in pasted(f"{a}\n{b}")] == [[("human", "a"), ("ai", "b")]]
    assert [said(c) for c in pasted(f"{a}\n\n然后\n\n{b}")] == [[("human", "a")], [("ai", "b")]]


@pytest.mark.parametrize(
    "code",
    [
        'HumanMessage("hi")',
        "ToolMessage(content=res, tool_call_id=x)",
        'ToolMessage(content=str(res), tool_call_id=call["id"])',
        'AIMessage(content="", tool_calls=[{"name": name, "args": args, "id": i}])',
        'HumanMessage(content=f"hello {x}")',
        'HumanMessage(content="Hi {}".format(name))',
        'HumanMessage(content="a" if b else "c")',
        'graph.invoke({"messages": [HumanMessage(content="What is 2+2?")]})',
        'model.invoke([SystemMessage(content="Be kind."), HumanMessage(content="Hi")])',
        'messages = [SystemMessage(content="a")] + history',
        'messages = [SystemMessage(content="a"), *history, question]',
        "The class AIMessage(content, additional_kwargs) and ToolMessage(content, tool_call_id) exist.",
        "content='x' name = 3\nf(content='x', name='y')",
    ],
)
def test_code(code: str) -> None:
    """Code that makes messages, and prose about it, is no log."""
    with pytest.raises(UnknownFormat):
        pasted(code)


# Stripped reprs


@given(conversations())
def test_stripped(messages: list[Message]) -> None:
    """Without quotes and `=`, everything comes back but those characters."""
    conversation = one("返回" + stripped("{'messages': [" + ", ".join(map(written, messages)) + "]}") + "以上")
    assert fields(conversation.messages) == [lost(field) for field in fields(messages)]
    assert [f.code for f in conversation.findings] == ["READ04"]


def test_stripped_document() -> None:
    """A blog's rendering without spaces, with commas before closing brackets, and prose around it."""
    (conversation,) = read(document("stripped.txt").encode())
    assert said(conversation) == [
        ("human", "where is order A-17, and (maybe) B-2?"),
        ("ai", "\n\nLet me look: id, name, status", [("track", {"order": "A-17, B-2", "days": 3}, "call_1")]),
        ("tool", "Its in Shanghai (港口), name tags on", "call_1"),
        ("ai", "Done :)"),
    ]
    answer, result = conversation.messages[1:3]
    assert isinstance(answer, AIMessage)
    assert isinstance(result, ToolMessage)
    assert answer.response_metadata == {
        "token_usage": {"completion_tokens": 7, "details": None},
        "model_name": "demo-1",
        "finish_reason": "tool_calls",
    }
    assert answer.usage_metadata == {"input_tokens": 29, "output_tokens": 7, "total_tokens": 36, "output_token_details": {}}
    assert (result.name, result.status, result.id) == ("track", "error", "53dde99e-2a6f-45be-b247-d6119106658e")
    assert spots(conversation) == [(1, 17, ""), (1, 156, ""), (1, 592, ""), (1, 728, "")]
    assert [(f.code, f.line, f.column, f.text) for f in conversation.findings] == [
        (
            "READ04",
            1,
            17,
            "quotes and `=` were stripped from this repr and put back; quotes, apostrophes and `=` inside texts, whether a value was text "
            "or a number, and whether commas and colons inside arguments were text, cannot be known",
        )
    ]


def test_stripped_brackets_that_do_not_match() -> None:
    """A bracket in an argument's text costs that text only, and is said."""
    call = {"name": "f", "args": {"code": "[0", "n": 1}, "id": "call_1", "type": "tool_call"}
    conversation = one(stripped(written(AIMessage("", tool_calls=[call], response_metadata={"a": 1}))))
    assert said(conversation) == [("ai", "", [("f", {"code": "[0", "n": 1}, "call_1")])]
    assert [(f.text, f.message) for f in conversation.findings][1:] == [
        ("brackets inside the texts of tool_calls do not match; what they hold was guessed", 0)
    ]


def test_stripped_without_marks() -> None:
    """Where no field follows a text, its end is a guess, which is said."""
    conversation = one("[HumanMessage(contenta (b), c), AIMessage(contentyes, idrun-1)]")
    assert said(conversation) == [("human", "a (b), c"), ("ai", "yes")]
    assert [(f.text, f.message) for f in conversation.findings][1:] == [
        ("no field marks where this text ends; it was taken to end at a closing bracket", 0)
    ]


def test_stripped_invalid_call() -> None:
    """An invalid call keeps its text and reason."""
    text = (
        "[AIMessage(content, additional_kwargs{}, response_metadata{}, tool_calls[], "
        "invalid_tool_calls[{name: f, args: {a: , id: c, error: bad, x, type: invalid_tool_call}])]"
    )
    (answer,) = one(text).messages
    assert isinstance(answer, AIMessage)
    assert answer.invalid_tool_calls == [
        {"name": "f", "args": "{a: ", "id": "c", "error": "bad, x", "type": "invalid_tool_call", "index": 0},
    ]


# Damage


@pytest.mark.parametrize("name", ["reprs.txt", "stripped.txt"])
def test_cut_anywhere(name: str) -> None:
    """Cut anywhere, the messages before the cut are all there, and the cut is said where it is inside one."""
    text = document(name)
    whole = [m for c in read(text.encode()) for m in c.messages]
    for at in range(len(text)):
        try:
            found = read(("\n" + text[:at]).encode())
        except ReadError:
            continue
        messages = [m for c in found for m in c.messages]
        assert messages[:-1] == whole[: len(messages) - 1]
        assert len(messages) <= len(whole)


def test_cut_is_said() -> None:
    """The finding names the message, and the place where the text ends."""
    for text in (
        "[HumanMessage(content='a', id='1'), AIMessage(content='b', id=",
        "[HumanMessage(content='a', id='1'), AIMessage(content='b",
    ):
        (conversation,) = read(("\n" + text).encode())
        assert notes(conversation) == [("READ01", 2, len(text) + 1, 1)]
        assert said(conversation) == [("human", "a"), ("ai", "b")]


def test_cut_before_it_is_a_message() -> None:
    """What is too little to be told as a message is none."""
    (conversation,) = read(b"\n[HumanMessage(content='a', id='1'), AIMessage(con")
    assert (said(conversation), [f.code for f in conversation.findings]) == ([("human", "a")], ["READ01"])
