"""Requests that fit the model's window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.agent import Agent
from holter.agent.window import Window, overhead_tokens, room_tokens
from holter.errors import NothingFits
from holter.journal.event import Trimmed
from holter.messages import AIMessage, HumanMessage, Message, Pairing, SystemMessage, ToolSpec, approximate_tokens, sendable
from holter.models import ScriptedModel
from tests.agent.sample import call, ls, said, step, steps


def test_room_is_left_for_the_answer() -> None:
    """As much as the settings ask for, else an eighth, and no more than 8,192 tokens."""
    assert room_tokens(8_000, {}) == 7_000
    assert room_tokens(200_000, {}) == 191_808
    assert room_tokens(8_000, {"max_tokens": 3_000}) == 5_000
    assert room_tokens(100, {"max_tokens": 3_000}) == 1


def test_tools_and_a_form_cost_something() -> None:
    """They are sent with every request."""
    assert overhead_tokens([], None) == 0
    assert overhead_tokens([ToolSpec("ls", "List a folder.")], {"type": "object"}) > 10


def test_nothing_is_left_out_while_there_is_room() -> None:
    """The request is the whole history."""
    history = steps(5)
    assert Window(10_000, 0).fitted(history, history, None) == (history, [])


def test_old_turns_go_first() -> None:
    """What is kept begins with a message of the user."""
    history: list[Message] = [message for n in range(10) for message in (HumanMessage("q" * 400), AIMessage("a" * 400, id=f"{n}"))]
    sent, trimmed = Window(1_000, 0).fitted(history, history, None)
    assert sent == history[-6:]
    assert trimmed == [Trimmed(first=0, last=13)]


def test_the_task_of_a_long_run_stays() -> None:
    """It is one turn; its beginning is kept, with the newest steps."""
    history = [SystemMessage("Be brief."), *steps(20, size=200)]
    sent, trimmed = Window(800, 0).fitted(history, history, None)
    assert sent[:2] == history[:2]
    assert sent[2:] == history[-(len(sent) - 2) :]
    assert isinstance(sent[2], AIMessage)
    assert trimmed == [Trimmed(first=2, last=len(history) - len(sent) + 1)]


def test_what_is_left_out_stays_left_out() -> None:
    """Until the window is full again: the beginning of the requests stays the same, and no step passes over the history."""
    history, window = steps(20, size=200), Window(800, 0)
    first, trimmed = window.fitted(history, history, None)
    assert trimmed
    starts = [first[1]]
    for number in range(20, 26):
        new = step(number, result="x" * 200, n=number)
        history += new
        window.answered(new[0])  # type: ignore[arg-type]
        sent, trimmed = window.fitted(history, new, None)
        starts.append(sent[1])
    assert len({id(start) for start in starts}) == 2


def test_what_the_provider_counted_is_believed() -> None:
    """Where it counts more than a guess, more is left out."""
    history, window = steps(10), Window(1_000, 0)
    assert window.fitted(history, history, None)[1] == []
    answer = AIMessage("", id="a", tool_calls=[call("ls", "c11")], usage_metadata={"total_tokens": 1_200})
    window.answered(answer)
    sent, trimmed = window.fitted([*history, *(new := [answer, *step(11)[1:]])], new, None)
    assert trimmed
    assert len(sent) < 20


def test_a_count_that_cannot_be() -> None:
    """A guess is better than no request at all."""
    window = Window(1_000, 0)
    history: list[Message] = [HumanMessage("x" * 1_200), *steps(2)[1:]]
    window.fitted(history, history, None)
    answer = AIMessage("", id="a", tool_calls=[call("ls", "c11")], usage_metadata={"total_tokens": 10_000_000})
    window.answered(answer)
    sent, trimmed = window.fitted([*history, *(new := [answer, *step(11)[1:]])], new, None)
    assert (sent[:5], len(sent), trimmed) == (history, 7, [])


def test_one_message_that_is_too_long() -> None:
    """Nothing can be left out of it."""
    history: list[Message] = [HumanMessage("x" * 10_000)]
    with pytest.raises(NothingFits, match="tokens: 1000"):
        Window(1_000, 0).fitted(history, history, None)


_turns = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 4), st.integers(0, 300)), min_size=1, max_size=8)


@given(_turns, st.integers(100, 600))
def test_a_request_is_valid_and_fits(turns: list[tuple[int, int, int]], room: int) -> None:
    """Whatever the turns are: a prompt, some steps, an answer."""
    history: list[Message] = []
    number = 0
    for prompt, calls, size in turns:
        history.append(HumanMessage("q" * prompt))
        for _ in range(calls):
            number += 1
            history += step(number, result="r" * size)
    try:
        sent, trimmed = Window(room, 0).fitted(history, history, None)
    except NothingFits:
        return
    assert sum(map(approximate_tokens, sent)) <= room
    assert sendable(sent) == sent
    assert not Pairing(sent).open
    assert isinstance(sent[0], HumanMessage)
    assert (sent == history) == (not trimmed)
    assert len(history) - len(sent) == sum(cut.last - cut.first + 1 for cut in trimmed)


def test_an_agent_in_a_small_window() -> None:
    """The thread keeps everything, the requests are shorter, and the journal says what they left out."""
    model = ScriptedModel([[call("ls", p="x" * 300, n=n)] for n in range(12)] + ["done"], window_tokens=1_000, usage=None)
    run = Agent(model, [ls], system="Be brief.").stream("the task")
    events = [item.event for item in run if hasattr(item, "event")]
    trimmed = [event for event in events if isinstance(event, Trimmed)]
    assert run.answer == "done"
    assert len(run.messages) == 26
    assert trimmed
    assert all(request.messages[:2] == [SystemMessage("Be brief."), run.messages[0]] for request in model.requests)
    assert len(model.requests[-1].messages) < 20


def test_a_thread_that_was_trimmed_before() -> None:
    """The usage of its last answer is that of a shorter request; the next run does not send everything again."""
    model = ScriptedModel(lambda request: "a" * 400, window_tokens=700)
    agent = Agent(model)
    runs = [agent.run("q" * 100, thread="t") for _ in range(9)]
    assert len(said(runs[-1])) == 18
    assert max(len(request.messages) for request in model.requests) <= 9
