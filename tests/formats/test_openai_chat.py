import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holter.errors import WriteError
from holter.formats.finding import text_damaged, unknown_kept
from holter.formats.form import Loss, Written
from holter.formats.openai_chat import CHAT_FORM, RESPONSE_FORM, is_marked, read_chat, read_response, sniff_chat, write_chat, write_response
from holter.messages import AIMessage, Conversation, Finding, HumanMessage, Message, Place, SystemMessage, ToolMessage, ToolSpec
from tests import strategies
from tests.formats import wire
from tests.formats.damage import damaged

CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port":"Dover"}'}}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "When?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "06:12"},
]
READ: list[Message] = [
    SystemMessage("Be brief."),
    HumanMessage("When?"),
    AIMessage(tool_calls=[{"name": "tide", "args": {"port": "Dover"}, "id": "c1", "type": "tool_call"}]),
    ToolMessage("06:12", tool_call_id="c1"),
]
ANSWER = {"index": 0, "message": {"role": "assistant", "content": "At 06:12."}, "finish_reason": "stop"}
BODY: dict[str, Any] = {
    "id": "r1",
    "object": "chat.completion",
    "model": "m",
    "choices": [ANSWER],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
}
FUNCTION = {"name": "tide", "description": "Tides.", "parameters": {"type": "object"}}
TOOL = {"type": "function", "function": FUNCTION}
SPEC = ToolSpec("tide", "Tides.", {"type": "object"})


def read(value: Any) -> list[Conversation]:
    assert sniff_chat(value)
    return read_chat(json.loads(json.dumps(value)), Place())


def one(value: Any) -> Conversation:
    (conversation,) = read(value)
    return conversation


def message(value: dict[str, Any]) -> tuple[Message, list[Finding]]:
    """The message of a list that holds it alone, and what was found."""
    conversation = one({"messages": [value]})
    return conversation.messages[0], conversation.findings


def without(record: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {key: item for key, item in record.items() if key not in fields}


# Shapes of a log


@pytest.mark.parametrize(
    ("value", "path", "extra"),
    [
        (HISTORY, "[{}]", {}),
        ({"messages": HISTORY}, "messages[{}]", {}),
        ({"messages": HISTORY, "model": "m", "seed": None}, "messages[{}]", {"model": "m", "seed": None}),
        ({"task_id": 1, "reward": 0.0, "traj": HISTORY}, "traj[{}]", {"task_id": 1, "reward": 0.0}),
        ({"conversation": HISTORY}, "conversation[{}]", {}),
        ({"history": HISTORY}, "history[{}]", {}),
        ({"request": {"messages": HISTORY, "seed": 1}, "at": 5}, "request.messages[{}]", {"seed": 1, "at": 5}),
        ({"request": {"messages": HISTORY}, "response": {"error": "x"}}, "request.messages[{}]", {"response": {"error": "x"}}),
        ({"messages": HISTORY, "response": "words"}, "messages[{}]", {"response": "words"}),
        ({"request": {"messages": HISTORY, "id": 1}, "id": 2}, "request.messages[{}]", {"id": 1, "record": {"id": 2}}),
    ],
)
def test_one_conversation(value: Any, path: str, extra: dict[str, Any]) -> None:
    """A message list is read wherever it stands, with its places; what else the record held is kept."""
    conversation = one(value)
    assert conversation.messages == READ
    assert list(conversation.places) == [Place(index=i, path=path.format(i)) for i in range(4)]
    assert (conversation.extra, conversation.findings, conversation.tools_known) == (extra, [], False)


@pytest.mark.parametrize(
    "value",
    [
        {"request": {"messages": HISTORY, "tools": [TOOL]}, "response": BODY},
        {"messages": HISTORY, "tools": [TOOL], "response": BODY},
    ],
)
def test_an_exchange(value: Any) -> None:
    """A request with its response is one conversation that ends with the answer and its usage."""
    conversation = one(value)
    answer = AIMessage(
        "At 06:12.",
        usage_metadata={
            "input_tokens": 5,
            "output_tokens": 2,
            "total_tokens": 7,
            "input_token_details": {},
            "output_token_details": {},
        },
        response_metadata={"id": "r1", "model_name": "m", "token_usage": BODY["usage"], "finish_reason": "stop"},
    )
    assert conversation.messages == [*READ, answer]
    assert conversation.places[4] == Place(index=4, path="response.choices[0].message")
    assert (conversation.tools, conversation.tools_known, conversation.extra) == ([SPEC], True, {})


def test_several_choices() -> None:
    """Each choice is a conversation of its own: after the request's messages, or alone where only the response was kept."""
    body = {**BODY, "choices": [ANSWER, {"index": 1, "message": {"role": "assistant", "content": "Soon."}, "finish_reason": "length"}]}
    after = read({"messages": HISTORY, "response": body})
    assert [conversation.messages[:4] for conversation in after] == [READ, READ]
    assert [conversation.messages[4].text for conversation in after] == ["At 06:12.", "Soon."]
    alone = read_response(deepcopy(body), Place())
    assert [[m.text for m in conversation.messages] for conversation in alone] == [["At 06:12."], ["Soon."]]
    assert [list(conversation.places) for conversation in alone] == [[Place(index=0, path=f"choices[{i}].message")] for i in range(2)]


def test_choices_without_a_message() -> None:
    """A damaged choice is kept in `extra` with a finding; the others are read at their own positions."""
    body = {**BODY, "choices": [None, ANSWER, {"text": "x"}]}
    (conversation,) = read_response(deepcopy(body), Place())
    assert conversation.places == [Place(index=0, path="choices[1].message")]
    assert conversation.extra == {"choices": [None, {"text": "x"}]}
    assert conversation.findings == [text_damaged("2 choices hold no message, or are too many; they were kept", Place(path="choices"))]
    after = one({"messages": HISTORY, "response": body})
    assert after.extra == {"response": {"choices": [None, {"text": "x"}]}}


def test_a_long_history_is_not_copied_for_each_of_very_many_choices() -> None:
    """No more choices than OpenAI gives become conversations, so that their number times the history's length stays small."""
    body = {**BODY, "choices": [ANSWER] * 130}
    found = read({"messages": HISTORY, "response": body})
    assert len(found) == 128
    assert found[0].extra == {"response": {"choices": [ANSWER] * 2}}


@pytest.mark.parametrize(
    "value",
    [
        [HISTORY[0], 3, None, HISTORY[1]],
        [None, HISTORY[0], HISTORY[1]],
        [HISTORY[0], HISTORY[1], "words"],
        [{"role": "critic", "content": "x"}, HISTORY[1]],
        [{"role": "user"}, HISTORY[1]],
    ],
)
def test_a_list_of_which_half_are_messages(value: Any) -> None:
    """A message list is one conversation even where its first or last item is damaged or of an unknown role."""
    assert len(one(value).messages) == len(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "text",
        [],
        {},
        [[]],
        [{}],
        [3, "x"],
        [{"role": "user"}],
        [{"role": "User", "content": "x"}],
        [{"role": "user", "parts": [], "content": ""}],
        [HISTORY[0], 1, 2, 3],
        {"messages": []},
        {"messages": None},
        {"messages": ["hi"]},
        {"messages": [{}]},
        {"request": {}},
        {"traj": [{"role": "user"}]},
        {"choices": []},
    ],
)
def test_what_is_no_chat(value: Any) -> None:
    """Without one message that has a role and a body nothing is recognised: no conversation is ever empty."""
    assert not sniff_chat(value)


def test_items_that_are_no_messages() -> None:
    """They are kept as text at their place, and each of the first is found; many are counted."""
    conversation = one({"messages": [HISTORY[0], 3, *[None] * 30, *[HISTORY[1]] * 40]})
    assert conversation.messages[1:3] == [HumanMessage("3", extra={"role": None}), HumanMessage("null", extra={"role": None})]
    assert conversation.findings[0] == text_damaged("this item is no message; it was kept as text", Place(index=1, path="messages[1]"), 1)
    assert len(conversation.findings) == 21
    assert conversation.findings[20].text == "this item is no message; it was kept as text (the last of 11 more)"
    assert conversation.findings[20].message == 31


def test_records_that_leave_no_doubt() -> None:
    """A call or a result among the first messages marks a record; LangChain's messages, which have a type, do not."""
    assert is_marked({"messages": HISTORY})
    assert not is_marked({"messages": HISTORY[:2]})
    assert not is_marked({"messages": [{"role": "tool", "type": "tool", "tool_call_id": "c", "content": ""}]})
    assert not is_marked({"messages": []})
    assert not is_marked({})


# Tools


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [TOOL]},
        {"tools": [FUNCTION]},
        {"tools": [{"type": "function", **FUNCTION}]},
        {"functions": [FUNCTION]},
    ],
)
def test_tools(fields: dict[str, Any]) -> None:
    """Declarations are read bare or wrapped, under either name."""
    conversation = one({"messages": HISTORY, **fields})
    assert (conversation.tools, conversation.tools_known, conversation.extra) == ([SPEC], True, {})


def test_no_tools_and_unknown_tools() -> None:
    """An empty list says that none were offered; null says nothing and is kept."""
    assert (one({"messages": HISTORY, "tools": []}).tools_known, one({"messages": HISTORY}).tools_known) == (True, False)
    unsaid = one({"messages": HISTORY, "tools": None})
    assert (unsaid.tools_known, unsaid.extra) == (False, {"tools": None})


def test_entries_of_tools_that_are_no_declarations() -> None:
    """They stay in the record, with one finding, and go back when it is written."""
    conversation = one({"messages": HISTORY, "tools": [3, TOOL, {"x": 1}]})
    assert (conversation.tools, conversation.extra) == ([SPEC], {"tools": [3, {"x": 1}]})
    assert conversation.findings == [text_damaged("2 of 3 entries of `tools` are no declarations; they were kept", Place(path="tools"))]
    assert write_chat(conversation).document["tools"] == [TOOL, 3, {"x": 1}]


# Messages


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"role": "developer", "content": "x"}, SystemMessage("x", extra={"role": "developer"})),
        ({"role": "user", "content": "x", "name": "ann"}, HumanMessage("x", name="ann")),
        ({"role": "user", "content": None}, HumanMessage("")),
        ({"role": "user", "content": 5}, HumanMessage("5")),
        ({"role": "function", "name": "f", "content": "x"}, ToolMessage("x", tool_call_id=None, name="f", extra={"role": "function"})),
        ({"role": "tool", "content": "x"}, ToolMessage("x", tool_call_id=None)),
        ({"role": "assistant", "content": ""}, AIMessage("")),
        ({"role": "assistant", "content": None}, AIMessage("", extra={"content": None})),
        ({"role": "assistant"}, AIMessage("", extra={"content": None})),
        ({"role": "assistant", "content": "x", "reasoning_content": "r"}, AIMessage("x", reasoning="r")),
        ({"role": "assistant", "content": "x", "reasoning": "r"}, AIMessage("x", reasoning="r", extra={"reasoning_field": "reasoning"})),
        (
            {"role": "assistant", "content": None, "refusal": "no"},
            AIMessage("", additional_kwargs={"refusal": "no"}, extra={"content": None}),
        ),
        ({"role": "assistant", "content": "x", "refusal": None, "annotations": []}, AIMessage("x", additional_kwargs={"annotations": []})),
        ({"role": "assistant", "content": "x", "tool_calls": [], "function_call": None}, AIMessage("x")),
        ({"role": "user", "content": "x", "id": "m1"}, HumanMessage("x", id="m1")),
    ],
)
def test_messages(value: dict[str, Any], expected: Message) -> None:
    """Every role and field has its place, and nothing in these is unknown; nulls of optional fields say nothing."""
    assert message(value) == (expected, [])


def test_unknown_fields() -> None:
    """They are kept in `extra`, and said once per name however many messages have them."""
    conversation = one({"messages": [{"role": "user", "content": "x", "weight": i, "at": None, "reasoning": 5} for i in range(3)]})
    assert conversation.messages == [HumanMessage("x", extra={"weight": i, "reasoning": 5}) for i in range(3)]
    assert conversation.findings == [
        unknown_kept(f"field {name!r} is not known here and was kept in `extra`", Place(index=0, path=f"messages[0].{name}"), 0)
        for name in ("weight", "reasoning")
    ]


def test_an_unknown_role() -> None:
    """The message is a human one that keeps its role, and goes back under it."""
    critic = {"role": "critic", "content": "x"}
    read_message = one([*HISTORY, critic]).messages[4]
    assert read_message == HumanMessage("x", extra={"role": "critic"})
    assert write_chat(Conversation(format="openai.chat", messages=[read_message])).document == {"messages": [critic]}


@pytest.mark.parametrize(
    ("arguments", "text", "error"),
    [
        ("", "", "the arguments are empty"),
        (None, "", "there are no arguments"),
        ("null", "null", "one JSON object was expected, found null"),
        ("NaN", "NaN", "NaN is not JSON"),
        ('"{\\"a\\": 1}"', '"{\\"a\\": 1}"', "one JSON object was expected, found a string"),
        ("[1]", "[1]", "one JSON object was expected, found an array"),
        (5, "5", "one JSON object was expected, found a number"),
        ('{"a": ', '{"a": ', "not JSON: Expecting value at character 6"),
        ('{"a":1}}', '{"a":1}}', "not JSON: Extra data at character 7"),
        ("{" * 3, "{{{", "not JSON: Expecting property name enclosed in double quotes at character 1"),
        ('{"a":' * 10_000, '{"a":' * 10_000, "nested too deeply"),
    ],
)
def test_arguments_that_are_no_object(arguments: Any, text: str, error: str) -> None:
    """The call is invalid, with the raw text and the reason."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    read_message, findings = message({"role": "assistant", "content": None, "tool_calls": [call]})
    invalid = {"name": "f", "args": text, "id": "c", "error": error, "type": "invalid_tool_call", "index": 0}
    assert (read_message, findings) == (AIMessage(invalid_tool_calls=[invalid]), [])


@pytest.mark.parametrize("arguments", ['{"a": 1}', ' {"a":1}\n', {"a": 1}, '{"a": 2, "a": 1}'])
def test_arguments_that_are_an_object(arguments: Any) -> None:
    """They are decoded, also where the object itself stands in place of its text; of a key that comes twice the last value holds."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    read_message, _ = message({"role": "assistant", "content": None, "tool_calls": [call]})
    noted = {"arguments": "object"} if isinstance(arguments, dict) else {}
    assert read_message == AIMessage(tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c", "type": "tool_call"}], extra=noted)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}},
            {"name": "sql", "args": {"input": "SELECT"}, "id": "c", "type": "tool_call", "extras": {"type": "custom"}},
        ),
        (
            {"id": "c", "function": {"name": "f", "arguments": "{}", "x": 1}, "y": 2, "index": 5},
            {"name": "f", "args": {}, "id": "c", "type": "tool_call", "extras": {"y": 2, "index": 5, "function": {"x": 1}}},
        ),
        ({"function": {"name": "f", "arguments": "{}"}}, {"name": "f", "args": {}, "id": None, "type": "tool_call"}),
        (
            {"name": "f", "arguments": {}, "id": "c"},
            {"name": "f", "args": {}, "id": "c", "type": "tool_call", "extras": {"name": "f", "arguments": {}}},
        ),
    ],
)
def test_calls(call: dict[str, Any], expected: dict[str, Any]) -> None:
    """Custom tools, fields of a provider's own, calls without an id, and calls that are not wrapped."""
    read_message, findings = message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert (read_message, findings) == (AIMessage(tool_calls=[expected]), [])


def test_the_legacy_call() -> None:
    """A `function_call` is a call without an id that goes back as what it was."""
    value = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a":1}'}}
    read_message, findings = message(value)
    call = {"name": "f", "args": {"a": 1}, "id": None, "type": "tool_call", "extras": {"type": "function_call"}}
    assert (read_message, findings) == (AIMessage(tool_calls=[call]), [])
    assert write_chat(Conversation(format="openai.chat", messages=[read_message])).document == {"messages": [value]}


# Laws


def shown(conversation: Conversation) -> list[Message]:
    """The messages, their calls in the model's order, without the reasons that a reader gives."""
    found = []
    for entry in conversation.messages:
        if isinstance(entry, AIMessage):
            calls = [without(call, "error", "index", "type") for call in entry.calls]
            entry = entry.replace(tool_calls=calls, invalid_tool_calls=[])
        found.append(entry)
    return found


def kept(conversation: Conversation, losses: list[Loss]) -> list[Message]:
    """The messages without what was lost."""
    empty: dict[str, Any] = {"response_metadata": {}, "additional_kwargs": {}, "usage_metadata": None, "id": None, "ts": None}
    empty |= {"artifact": None, "status": "success", "content": "", "reasoning": None}
    found = shown(conversation)
    for loss in losses:
        for position in loss.messages:
            field = loss.what.split(":")[0]
            found[position] = found[position].replace(**{field: empty[field]})
            if loss.what.startswith("content: reasoning"):
                found[position] = found[position].replace(reasoning=None)
    return found


def unnoted(messages: list[Any]) -> list[Any]:
    """The messages without the note that arguments stood as objects: they are written as texts, as the API has them."""
    return [
        message.replace(extra={key: value for key, value in message.extra.items() if key != "arguments"}) if message.extra else message
        for message in messages
    ]


def written_and_read(conversation: Conversation) -> tuple[Conversation, list[Loss]]:
    written = write_chat(conversation)
    return one(json.loads(json.dumps(written.document))), written.losses


@given(wire.records)
def test_what_is_read_is_written_as_it_was(record: dict[str, Any]) -> None:
    """Reading what was written gives the same messages, tools and fields; what has no place is named."""
    assume(sniff_chat(record))
    conversation = one(json.loads(json.dumps(record)))
    again, losses = written_and_read(conversation)
    assert unnoted(kept(again, losses)) == unnoted(kept(conversation, losses))
    assert (again.tools, again.tools_known, again.extra) == (conversation.tools, conversation.tools_known, conversation.extra)


@given(st.lists(strategies.messages(), min_size=1, max_size=4))
def test_any_messages_are_written(messages: list[Message]) -> None:
    """Messages of other formats come back as they were, but for what is named as lost."""
    messages = [entry.replace(extra={}) for entry in messages]
    assume(not any(reads_as_valid(call) for entry in messages if isinstance(entry, AIMessage) for call in entry.invalid_tool_calls))
    again, losses = written_and_read(Conversation(format="langchain.json", messages=messages))
    assert kept(again, losses) == kept(Conversation(format="", messages=messages), losses)


def reads_as_valid(call: dict[str, Any]) -> bool:
    """Whether nothing is wrong with a call that is called invalid."""
    try:
        return call["name"] is not None and isinstance(json.loads(call["args"]), dict)
    except ValueError:
        return False


@given(st.one_of(*(damaged(value) for value in (HISTORY, {"messages": HISTORY, "tools": [TOOL], "response": BODY}, BODY))))
def test_damage_never_raises(value: Any) -> None:
    """Whatever is replaced or missing, what is recognised is read, and what is read can be written."""
    for form in (CHAT_FORM, RESPONSE_FORM):
        if form.sniff(value):
            for conversation in form.read(deepcopy(value), Place()):
                assert conversation.messages
                write_chat(conversation)


# Writing


def test_writing_a_request() -> None:
    """A request body: messages, the tools where they are known, the record's own fields where they are OpenAI's."""
    conversation = one({"messages": HISTORY, "tools": [TOOL], "model": "m"})
    assert write_chat(conversation) == Written({"model": "m", "messages": HISTORY, "tools": [TOOL]}, [])


def test_losses_are_named() -> None:
    """What a message list cannot say is named, with the positions of the messages."""
    conversation = Conversation(
        format="anthropic.messages",
        messages=[
            HumanMessage([{"type": "file", "url": "https://x/a.pdf"}], id="m1"),
            AIMessage("x", response_metadata={"id": "r"}, additional_kwargs={"k": 1}),
            ToolMessage("", tool_call_id="c", status="error", artifact=[1]),
        ],
        extra={"system": "s", "max_tokens": 5},
    )
    assert write_chat(conversation).losses == [
        Loss("response_metadata: an OpenAI message list has no place for it", [1]),
        Loss("additional_kwargs: an OpenAI message list has no place for it", [1]),
        Loss("id: an OpenAI message list has no place for it", [0]),
        Loss("status: an OpenAI message list has no place for it", [2]),
        Loss("artifact: an OpenAI message list has no place for it", [2]),
        Loss("content: OpenAI has no form for this block of the type 'file'", [0]),
        Loss("the record's own fields: max_tokens, system"),
    ]


def test_writing_a_response() -> None:
    """A response body holds the last message with its account; the messages before it are a loss."""
    (conversation,) = read_response(deepcopy(BODY), Place())
    assert write_response(conversation) == Written({**BODY, "choices": [{**ANSWER, "logprobs": None}]}, [])
    exchange = one({"messages": HISTORY, "response": BODY})
    assert write_response(exchange).losses == [Loss("messages before the last: a response body holds one answer", [0, 1, 2, 3])]


def test_a_response_needs_an_answer() -> None:
    """Without an answer of the model at the end there is no response to write."""
    with pytest.raises(WriteError, match="the last message is not the model's"):
        write_response(one(HISTORY))
