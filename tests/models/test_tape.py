from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import TapeMismatch
from holter.formats import read
from holter.messages import AIMessage, Conversation, HumanMessage, Message, SystemMessage, ToolMessage, merge_chunks
from holter.models import ScriptedModel, TapeModel
from tests.strategies import valid_histories

CALL = {"name": "add", "args": {"a": 10, "b": 5}, "id": "c1", "type": "tool_call"}
CALLED = AIMessage(tool_calls=[CALL], id="m1", usage_metadata={"total_tokens": 9})
SAID = AIMessage("15", id="m2")
RECORDED: list[Message] = [SystemMessage("Be brief."), HumanMessage("10 + 5?"), CALLED, ToolMessage("15.0", tool_call_id="c1"), SAID]


def conversation(*messages: Message) -> Conversation:
    return Conversation(format="openai.chat", messages=list(messages))


def test_playing() -> None:
    """Each answer comes when what stands before it is asked, with its ids and usage; streamed, too."""
    tape = TapeModel(RECORDED)
    assert tape.invoke(RECORDED[:2]) == CALLED
    assert tape.invoke(RECORDED[:4]) == SAID
    assert merge_chunks(list(tape.stream(RECORDED[:2]))) == CALLED


def test_from_a_file() -> None:
    """A path, or its bytes, are read as any log is."""
    (travel,) = read("examples/travel.json")
    at = next(i for i, message in enumerate(travel.messages) if isinstance(message, AIMessage))
    with open("examples/travel.json", "rb") as file:
        content = file.read()
    for source in ("examples/travel.json", content, travel, [travel]):
        assert TapeModel(source).invoke(travel.messages[:at]) == travel.messages[at]


def test_what_is_not_compared() -> None:
    """Ids, names, usage, metadata and reasoning may differ, the form of a text and the order of arguments too."""
    asked: list[Message] = [
        SystemMessage("Be brief.", id="s"),
        HumanMessage([{"type": "text", "text": "10 + 5?"}], name="ann"),
        AIMessage(tool_calls=[{**CALL, "id": "c9", "args": {"b": 5, "a": 10}}], reasoning="hm", response_metadata={"x": 1}),
        ToolMessage("15.0", tool_call_id="c9", name="add", status="error"),
    ]
    assert TapeModel(RECORDED).invoke(asked) == SAID
    with pytest.raises(TapeMismatch) as raised:
        TapeModel(RECORDED, strict=True).invoke(asked)
    assert str(raised.value) == (
        "the recording does not go on here: message 0 is not what was recorded: 's' was asked, 'null' was recorded (id)"
    )
    assert TapeModel(RECORDED, strict=True).invoke(RECORDED[:4]) == SAID


@pytest.mark.parametrize(
    ("asked", "position", "error"),
    [
        (
            [SystemMessage("Be brief!")],
            0,
            "message 0 is not what was recorded: 'Be brief!' was asked, 'Be brief.' was recorded (text)",
        ),
        (
            [*RECORDED[:2], AIMessage(tool_calls=[{**CALL, "args": {"a": 10, "b": 6}}])],
            2,
            'message 2 is not what was recorded: \'dd", {"a": 10, "b": 6}]]\' was asked, '
            '\'dd", {"a": 10, "b": 5}]]\' was recorded (calls, from character 4 on)',
        ),
        (
            [*RECORDED[:3], HumanMessage("Well?")],
            3,
            "message 3 is not what was recorded: a message of the kind 'human' ('Well?') was asked, where a message of the kind 'tool' "
            "('15.0') was recorded",
        ),
        (
            [*RECORDED, HumanMessage("And 3?")],
            5,
            "message 5 is not what was recorded: the recording ends before it, and a message of the kind 'human' ('And 3?') was asked",
        ),
        (
            RECORDED[:1],
            1,
            "no answer was recorded behind the first 1 messages; a message of the kind 'human' was recorded next",
        ),
        (RECORDED, 5, "no answer was recorded behind the first 5 messages; the recording ends there"),
        (
            [SystemMessage("Be brief."), HumanMessage([{"type": "text", "text": "10 + 5?"}, {"type": "image", "url": "x"}])],
            1,
            "message 1 is not what was recorded: "
            '\'[{"type": "image", "url": "x"}]\' was asked, \'[]\' was recorded (content beside the text)',
        ),
    ],
)
def test_what_does_not_match(asked: list[Message], position: int, error: str) -> None:
    """The first message that differs is named, and how it does."""
    with pytest.raises(TapeMismatch) as raised:
        TapeModel(RECORDED).invoke(asked)
    assert str(raised.value) == f"the recording does not go on here: {error}"
    assert raised.value.position == position


def test_long_texts() -> None:
    """Of long texts the part that differs is shown."""
    recorded: list[Message] = [HumanMessage("x" * 1_000 + "yes"), AIMessage("")]
    tape = TapeModel(recorded)
    with pytest.raises(TapeMismatch) as raised:
        tape.invoke("x" * 1_000 + "no")
    twenty = "x" * 20
    assert str(raised.value).endswith(f"'{twenty}no' was asked, '{twenty}yes' was recorded (text, from character 980 on)")


def test_branches() -> None:
    """Conversations of one file that begin alike are followed to where they part; snapshots of one are one."""
    other = AIMessage("fifteen")
    tape = TapeModel(
        [conversation(*RECORDED[:3]), conversation(*RECORDED), conversation(*RECORDED[:3], ToolMessage("?", tool_call_id="c1"), other)]
    )
    assert [tape.invoke(RECORDED[:2]) for _ in range(2)] == [CALLED, CALLED]
    assert tape.invoke(RECORDED[:4]) == SAID
    assert tape.invoke([*RECORDED[:3], ToolMessage("?", tool_call_id="c1")]) == other
    with pytest.raises(TapeMismatch, match=r"'!' was asked, '15.0' was recorded \(text\); 1 more stand there"):
        tape.invoke([*RECORDED[:3], ToolMessage("!", tool_call_id="c1")])


def test_one_history_with_several_answers() -> None:
    """They come in turn, and then the last one again; each goes on as it did."""
    twins = [AIMessage("one", id=id) for id in ("a", "b")]
    tape = TapeModel([conversation(HumanMessage("x"), twin) for twin in (*twins, twins[0])])
    assert [tape.invoke("x").id for _ in range(3)] == ["a", "b", "b"]
    one, two = AIMessage("one"), AIMessage("two")
    tape = TapeModel([conversation(HumanMessage("x"), answer, HumanMessage("on"), AIMessage(f"{answer.text}!")) for answer in (one, two)])
    assert [tape.invoke("x") for _ in range(3)] == [one, two, two]
    assert [tape.invoke(["x", answer, "on"]).text for answer in (one, two)] == ["one!", "two!"]


@pytest.mark.parametrize("recording", [[], [HumanMessage("hi")], conversation(HumanMessage("hi"))])
def test_nothing_to_play(recording: Any) -> None:
    """A recording without an answer is no tape."""
    with pytest.raises(ValueError, match="the recording holds no answer of a model, so there is nothing to play"):
        TapeModel(recording)


@given(valid_histories(), st.booleans())
def test_a_tape_plays_all_of_its_recording(history: list[Message], strict: bool) -> None:
    """Asked with what stood before an answer, it gives that answer, or one that cannot be told from it."""
    history = [*history, AIMessage("end")]
    tape = TapeModel(history, strict=strict)
    for position, message in enumerate(history):
        if isinstance(message, AIMessage):
            assert tape.invoke(history[:position]) == message


@pytest.mark.parametrize("recording", [3, print, [{"role": "assistant", "content": "hi"}], ScriptedModel(["hi"])])
def test_what_is_no_recording(recording: Any) -> None:
    """Is an error that says what is one."""
    with pytest.raises(TypeError, match=r"a recording is a file, what stands in one, a conversation .*, found "):
        TapeModel(recording)
