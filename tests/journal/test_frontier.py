"""Where a graph stands, read from the events alone."""

from typing import Any

from hypothesis import given

from holter.journal.event import Event, MessageAdded, NodeEnded, RunStarted
from holter.journal.fold import Fold
from holter.journal.frontier import NO_ARG, START, Frontier, Planned
from holter.messages import AIMessage
from tests.journal.events import entries, threads

BEGUN = RunStarted(run="r", input={})


def ended(node: str, task: str, *sends: Any, **writes: Any) -> NodeEnded:
    """The end of a task."""
    return NodeEnded(node=node, task=task, sends=list(sends), writes=writes)


def after(*events: Event) -> Frontier:
    """Where the events lead."""
    return Fold.of(entries(events)).frontier


def stand(frontier: Frontier) -> tuple[int, list[Planned] | None, str, list[int]]:
    """The frontier as values: step, tasks, the node before, and the open places."""
    return frontier.step, frontier.planned, frontier.last, frontier.open()


def test_an_input_begins_behind_the_start() -> None:
    """Only the graph knows what comes there; another input begins anew, in another step."""
    assert stand(after()) == (0, [], START, [])
    assert stand(after(BEGUN)) == (1, None, START, [])
    assert stand(after(BEGUN, ended("a", "1.0", "b"), BEGUN)) == (3, None, START, [])


def test_a_run_without_input_goes_on() -> None:
    """Where the thread stands."""
    assert stand(after(BEGUN, ended("a", "1.0", "b"), RunStarted(run="s"))) == (2, [Planned("b")], "a", [0])


def test_ends_name_what_follows() -> None:
    """Nodes by their names, each once, then sends in their order, whichever task ended first; nothing is the end of the graph."""
    begun: list[Event] = [BEGUN, ended(START, "1.0", "a", "b")]
    one = ended("a", "2.0", {"node": "x", "arg": 1}, "z", "c")
    other = ended("b", "2.1", "c", {"node": "x", "arg": 2})
    expected = (3, [Planned("c"), Planned("z"), Planned("x", 1), Planned("x", 2)])
    assert stand(after(*begun, one))[3] == [1]
    for order in ([one, other], [other, one]):
        frontier = after(*begun, *order)
        assert (frontier.step, frontier.planned) == expected
    assert stand(after(*begun, ended("a", "2.0"), ended("b", "2.1"))) == (3, [], "b", [])


def test_a_message_may_be_an_end() -> None:
    """Of the only task of a step; a message without a node, or of a task that is named, is none."""
    said = MessageAdded(message=AIMessage("hi"), node="a")
    assert stand(after(BEGUN, said)) == (2, None, "a", [])
    assert stand(after(BEGUN, MessageAdded(message=AIMessage("hi"), node="a", task="1.0"))) == (1, None, START, [])
    assert stand(after(BEGUN, MessageAdded(message=AIMessage("hi")))) == (1, None, START, [])


def test_where_a_message_leads_may_be_said_behind_it() -> None:
    """The step is the same then, so that what its tasks are called does not depend on it."""
    said = MessageAdded(message=AIMessage("hi"), node="a")
    assert stand(after(BEGUN, said, ended("a", "1.0", "b", "c"))) == (2, [Planned("b"), Planned("c")], "a", [0, 1])
    assert stand(after(BEGUN, said, ended("a", "1.0"))) == (2, [], "a", [])


def test_a_join_waits() -> None:
    """For all of its sources, over several steps; an input forgets what has arrived."""
    join = {"node": "end", "after": ["a", "b"]}
    begun: list[Event] = [BEGUN, ended(START, "1.0", "a", "x"), ended("a", "2.0", join), ended("x", "2.1", "b")]
    assert stand(after(*begun)) == (3, [Planned("b")], "x", [0])
    assert after(*begun, ended("b", "3.0", join)).planned == [Planned("end")]
    again: list[Event] = [BEGUN, ended(START, "4.0", "b"), ended("b", "5.0", join)]
    assert after(*begun, *again).planned == []


def test_a_jump_of_a_call_counts_when_its_task_has_ended() -> None:
    """Beside what the task's own end names."""
    begun: list[Event] = [
        BEGUN,
        ended(START, "1.0", "tools", "z"),
        ended("tools", "2.0.1", "b"),
        ended("tools", "2.0.0", {"node": "x", "arg": 1}),
    ]
    assert stand(after(*begun))[3] == [0, 1]
    assert after(*begun, ended("tools", "2.0", "a"), ended("z", "2.1")).planned == [Planned("a"), Planned("b"), Planned("x", 1)]


def test_no_input_is_not_an_input_of_none() -> None:
    """A Send may give None."""
    frontier = after(BEGUN, ended("a", "1.0", {"node": "x", "arg": None}, "y"))
    assert frontier.planned == [Planned("y", NO_ARG), Planned("x", None)]


@given(threads())
def test_every_thread_leads_somewhere(events: list[Event]) -> None:
    """Whatever stands in it: the open places are those of planned tasks that have not ended, and steps are never taken back."""
    fold, steps = Fold(), [0]
    for entry in entries(events):
        fold.add(entry)
        frontier = fold.frontier
        assert frontier.open() == [place for place in range(len(frontier.planned or [])) if place not in frontier.ended]
        steps.append(frontier.step)
    assert steps == sorted(steps)
