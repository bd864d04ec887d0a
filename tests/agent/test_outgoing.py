"""The thread as it goes into requests."""

from hypothesis import given
from hypothesis import strategies as st

from holter.agent.outgoing import Outgoing
from holter.messages import AIMessage, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage, sendable
from holter.messages.history import History
from tests.agent.sample import call, step, steps


def test_a_growing_thread_is_looked_at_once() -> None:
    """Each step costs its own messages; what was sent before are the same objects."""
    history, outgoing = steps(50), Outgoing()
    for end in range(1, len(history) + 1, 2):
        new = outgoing.take(history[:end])
        assert outgoing.messages == history[:end]
        assert len(new) == (1 if end == 1 else 2)
    assert outgoing.rebuilt == 1


def test_what_is_taken_out_or_put_in_is_noticed() -> None:
    """Then everything is looked at again, and is valid again."""
    history, outgoing = steps(3), Outgoing()
    outgoing.take(list(history))
    del history[2]
    outgoing.take(list(history))
    assert outgoing.rebuilt == 2
    assert outgoing.messages == sendable(history)
    history[0] = HumanMessage("another", id="h")
    outgoing.take(list(history))
    assert outgoing.rebuilt == 3
    assert outgoing.messages[0] == HumanMessage("another", id="h")


def test_a_history_that_is_followed_is_looked_at_once() -> None:
    """Until a message of it is replaced or removed, or another one is followed."""
    history, outgoing = History(steps(3)), Outgoing()
    assert outgoing.follow(history) is outgoing.messages
    new = step(4)
    for message in new:
        history.add(message)
    assert (outgoing.follow(history), outgoing.rebuilt) == (new, 1)
    history.add(HumanMessage("another", id=history.messages()[0].id))
    outgoing.follow(history)
    assert (outgoing.messages[0].text, outgoing.rebuilt) == ("another", 2)
    history.update([RemoveMessage(str(history.messages()[0].id))])
    outgoing.follow(history)
    assert (outgoing.messages, outgoing.rebuilt) == (history.messages(), 3)
    outgoing.follow(other := History(steps(1)))
    assert (outgoing.messages, outgoing.rebuilt) == (other.messages(), 4)
    outgoing.take(history.messages())
    outgoing.follow(other)
    assert (outgoing.messages, outgoing.rebuilt) == (other.messages(), 6)


def test_a_result_that_comes_late_stands_behind_its_call() -> None:
    """The call was closed for the request before."""
    asked: list[Message] = [HumanMessage("go"), AIMessage("", tool_calls=[call("ls", "c")])]
    outgoing = Outgoing()
    outgoing.take(list(asked))
    assert "No result was recorded" in outgoing.messages[-1].text
    late = [*asked, HumanMessage("well?"), ToolMessage("[]", tool_call_id="c")]
    outgoing.take(list(late))
    assert [message.text for message in outgoing.messages] == ["go", "", "[]", "well?"]


def test_the_senders_own_system_message_takes_the_place_of_others() -> None:
    """Those that the thread begins with; later ones are part of the conversation."""
    history: list[Message] = [SystemMessage("old"), HumanMessage("a"), SystemMessage("note"), HumanMessage("b")]
    outgoing = Outgoing(has_system=True)
    outgoing.take(list(history))
    assert outgoing.messages == history[1:]
    assert outgoing.offset == 1


_pieces = st.lists(
    st.one_of(
        st.builds(lambda text: [HumanMessage(text)], st.text(max_size=3)),
        st.builds(lambda number: step(number), st.integers(0, 3)),
        st.builds(lambda number: [step(number)[0]], st.integers(0, 3)),
        st.builds(lambda number: [step(number)[1]], st.integers(0, 3)),
        st.just([AIMessage("ok")]),
    ),
    max_size=8,
)


@given(_pieces)
def test_it_is_always_what_sendable_gives(pieces: list[list[Message]]) -> None:
    """Whatever is put into a thread, piece by piece."""
    history = History()
    given, followed = Outgoing(), Outgoing()
    for piece in pieces:
        for message in piece:
            history.add(message)
        given.take(history.messages())
        followed.follow(history)
        assert given.messages == followed.messages == sendable(history.messages())
