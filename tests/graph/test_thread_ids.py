"""Ids of calls and answers in a thread."""

from typing import Any

from holter.agent.outgoing import Outgoing
from holter.graph.thread_ids import ThreadIds, provider_ids, with_ids
from holter.journal.event import Repaired
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage
from holter.messages.history import History
from tests.agent.sample import call, step


def _ids(message: AIMessage) -> list[Any]:
    return [made.get("id") for made in message.calls]


def test_new_ids_stay() -> None:
    """The message is passed on as it is."""
    answer = AIMessage("", id="m9", tool_calls=[call("ls", "c9")])
    admitted, repairs = ThreadIds(History(step(1))).admit(answer, 3)
    assert admitted is answer
    assert repairs == []


def test_a_call_id_that_an_earlier_call_has() -> None:
    """It is made unique; the provider's own stands beside."""
    admitted, repairs = ThreadIds(History(step(1))).admit(AIMessage("", tool_calls=[call("ls", "c1")]), 3)
    assert _ids(admitted) == ["c1_2"]
    assert provider_ids(admitted) == {"c1_2": "c1"}
    assert repairs == [
        Repaired(code="PAIR05", text="The call 'c1' got the id 'c1_2': an earlier call has it.", call_id="c1_2", raw="c1"),
    ]


def test_ids_twice_in_one_answer_and_none_at_all() -> None:
    """Both calls are kept, each with an id; what was ambiguous is not sent back as it was."""
    admitted, repairs = ThreadIds(History()).admit(
        AIMessage("", tool_calls=[call("ls", "c"), call("ls", "c"), call("ls", None), call("ls", "")]), 4
    )
    assert _ids(admitted) == ["c", "c_2", "call_4_2", "call_4_3"]
    assert provider_ids(admitted) == {}
    assert [repair.code for repair in repairs] == ["PAIR05", "PAIR06", "PAIR06"]


def test_made_ids_are_new_in_the_thread_too() -> None:
    """ "c1_2" is taken already."""
    history = [AIMessage("", tool_calls=[call("ls", "c1"), call("ls", "c1_2")])]
    admitted, _ = ThreadIds(History(history)).admit(AIMessage("", tool_calls=[call("ls", "c1")]), 3)
    assert _ids(admitted) == ["c1_3"]


def test_a_message_id_that_comes_again() -> None:
    """Else the new answer would take the place of the old one."""
    admitted, repairs = ThreadIds(History([AIMessage("one", id="m"), AIMessage("x", id="m_2")])).admit(AIMessage("two", id="m"), 1)
    assert admitted.id == "m_3"
    assert repairs == [Repaired(code="PAIR12", text="An earlier message has the id of this answer, which is now 'm_3'.", raw="m")]


def test_marks_and_invalid_calls_go_along() -> None:
    """Where the content says where a call stood, it says so of the new id."""
    invalid = {"name": "ls", "args": "{", "id": "b", "error": "not JSON", "type": "invalid_tool_call", "index": 1}
    message = AIMessage(
        [{"type": "tool_call", "id": "a"}, {"type": "text", "text": "then"}, {"type": "tool_call", "id": "b"}],
        tool_calls=[call("ls", "a")],
        invalid_tool_calls=[invalid],
    )
    renamed = with_ids(message, ["a2", "b2"])
    assert _ids(renamed) == ["a2", "b2"]
    assert renamed.content == [{"type": "tool_call", "id": "a2"}, {"type": "text", "text": "then"}, {"type": "tool_call", "id": "b2"}]
    assert renamed.invalid_tool_calls == [{**invalid, "id": "b2"}]


def test_the_provider_gets_its_own_ids_back() -> None:
    """On the call and on its result, in the run that renamed it and in a later one."""
    ids = ThreadIds(History(first := [HumanMessage("go"), *step(1)]))
    admitted, _ = ids.admit(AIMessage("", tool_calls=[call("ls", "c1")]), 3)
    history: list[Message] = [*first, admitted, ToolMessage("[]", tool_call_id="c1_2")]
    growing, later = Outgoing(), Outgoing()
    growing.take(list(first))
    growing.take(list(history))
    later.take(list(history))
    for outgoing in (growing, later):
        sent = outgoing.messages[3:]
        assert isinstance(sent[0], AIMessage)
        assert isinstance(sent[1], ToolMessage)
        assert (_ids(sent[0]), sent[1].tool_call_id) == (["c1"], "c1")
