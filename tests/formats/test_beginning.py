from hypothesis import given

from holter.formats.beginning import Beginnings
from holter.messages import AIMessage, Conversation, HumanMessage, Message, Shared, SystemMessage
from tests.strategies import valid_histories


def shared(*histories: list[Message]) -> list[Shared | None]:
    """What each of these conversations shares with one before it."""
    beginnings = Beginnings()
    return [beginnings.shared_by(Conversation(format="", messages=history), at) for at, history in enumerate(histories)]


A: list[Message] = [SystemMessage("s"), HumanMessage("a"), AIMessage("1"), HumanMessage("b")]
B: list[Message] = [SystemMessage("s"), HumanMessage("z"), AIMessage("2")]


def test_snapshots() -> None:
    """A growing history and a retry share all that stood before."""
    assert shared(A[:2], A[:3], A, A[:3]) == [None, Shared(0, 2), Shared(1, 3), Shared(2, 3)]


def test_threads_that_alternate() -> None:
    """Each snapshot is linked with the latest of its own thread."""
    assert shared(A[:2], B[:2], A, B) == [None, None, Shared(0, 2), Shared(1, 2)]


def test_a_system_message_alone_is_not_shared() -> None:
    """Conversations that only have the same instructions have nothing to do with each other."""
    assert shared(A, B, [SystemMessage("s")], [SystemMessage("s")], []) == [None] * 5


def test_another_beginning() -> None:
    """What differs before it makes a message another one."""
    assert shared(A, [SystemMessage("t"), *A[1:]]) == [None, None]


def test_values_too_deep_to_compare() -> None:
    """They count as different."""
    deep: list[object] = []
    other: list[object] = []
    for _ in range(50_000):
        deep, other = [deep], [other]
    first, second = (AIMessage("x", extra={"deep": value}) for value in (deep, other))
    assert shared([HumanMessage("a"), first], [HumanMessage("a"), second]) == [None, Shared(0, 1)]


@given(valid_histories())
def test_a_conversation_and_itself(history: list[Message]) -> None:
    """All of it is shared, when it is more than system messages."""
    alone = all(isinstance(message, SystemMessage) for message in history)
    assert shared(history, history) == [None, None if alone else Shared(0, len(history))]
