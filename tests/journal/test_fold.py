"""What events come to: messages, state, and what a run that goes on has to know."""

import operator
from typing import Any

import pytest
from hypothesis import example, given

from holter.journal import Field, Fold
from holter.journal.event import (
    Answered,
    Cancelled,
    Discarded,
    Event,
    Interrupted,
    LimitReached,
    NodeEnded,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolStarted,
)
from holter.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage, sendable
from tests.journal.events import added, asked, entries, result, steps, threads
from tests.strategies import faults

HI = HumanMessage("hi", id="h")


def folded(*events: Event, **fields: Field) -> Fold:
    return Fold.of(entries(events), fields)


def wrote(task: str, **writes: Any) -> NodeEnded:
    return NodeEnded(node=f"n{task}", task=task, writes=writes)


# Messages


def test_messages_stand_in_the_order_in_which_they_came() -> None:
    """A turn without tools."""
    fold = folded(RunStarted(run="r"), *added(HI, AIMessage("hello", id="a")), RunEnded(run="r"))
    assert fold.messages() == [HI, AIMessage("hello", id="a")]
    assert fold.length == 4


def test_a_batch_stands_in_call_order_when_it_is_complete() -> None:
    """The journal has results as they came; the list takes them as they were asked for."""
    events = added(HI, asked("a", "b", "c"), result("c"), result("a"), result("b"))
    assert [getattr(message, "tool_call_id", None) for message in folded(*events).messages()] == [None, None, "a", "b", "c"]


def test_results_that_wait_for_others_are_shown() -> None:
    """An incomplete batch shows what is there, in call order; a provider gets the rest as unknown."""
    fold = folded(*added(HI, asked("a", "b", "c"), result("c"), result("a")))
    assert [getattr(message, "tool_call_id", None) for message in fold.messages()] == [None, None, "a", "c"]
    assert [message.tool_call_id for message in sendable(fold.messages()) if isinstance(message, ToolMessage)] == ["a", "b", "c"]
    assert [call.call["id"] for call in fold.open_calls] == ["b"]


def test_a_message_in_between_stands_behind_the_results_before_it() -> None:
    """Somebody speaks while a call is open; what came before stays before."""
    fold = folded(*added(asked("a", "b"), result("b"), HI, result("a")))
    assert [message.id for message in fold.messages()] == ["m", "r-b", "h", "r-a"]
    assert faults(sendable(fold.messages())) == []


def test_a_result_of_no_call_stands_where_it_came() -> None:
    """It is kept, and `sendable` leaves it out."""
    fold = folded(*added(HI, result("x"), asked("a"), result("a"), result("a", "again").replace(id="r2")))
    assert [message.id for message in fold.messages()] == ["h", "r-x", "m", "r-a", "r2"]


def test_messages_of_parallel_tasks_stand_in_the_order_of_the_tasks() -> None:
    """Whichever ended first; before the step is over, too."""
    first, second = AIMessage("1", id="1"), AIMessage("2", id="2")
    events = [*added(HI), *added(second, task="1.1"), *added(first, task="1.0")]
    assert folded(*events).messages() == [HI, first, second]
    assert folded(*events, *added(AIMessage("3", id="3"))).messages() == [HI, first, second, AIMessage("3", id="3")]


def test_a_task_that_calls_tools_itself_keeps_its_messages_together() -> None:
    """Two tasks, each with a call and its result, mixed in time."""
    events = [
        *added(asked("b", message_id="2"), task="1.1"),
        *added(asked("a", message_id="1"), task="1.0"),
        *added(result("b"), task="1.1"),
        *added(result("a"), task="1.0"),
    ]
    assert [message.id for message in folded(*events).messages()] == ["1", "r-a", "2", "r-b"]
    assert [message.id for message in folded(*events, *added(HI)).messages()] == ["1", "r-a", "2", "r-b", "h"]


def test_a_message_of_a_known_id_takes_its_place() -> None:
    """An answer is edited before its call runs: the old call is gone, the new one is open, and what is known of a call that stays is
    kept."""
    edited = asked("a", "x").replace(content="edited")
    fold = folded(*added(HI, asked("a", "b")), ToolStarted(call_id="a", name="f"), *added(edited))
    assert fold.messages() == [HI, edited]
    assert [(call.call["id"], call.attempts, call.seq) for call in fold.open_calls] == [("a", 1, 1), ("x", 0, 3)]


def test_a_message_is_not_replaced_by_one_of_another_kind() -> None:
    """Nor a result by that of another call: it would be run again."""
    fold = folded(*added(AIMessage("", id="m1", tool_calls=asked("a", "b").tool_calls)))
    for seq, message in enumerate([result("a").replace(id="m1"), result("b").replace(id="m1")], 1):
        fold.add(entries([*added(HI)] * seq + added(message))[seq])
    assert [(message.type, message.id) for message in fold.messages()] == [("ai", "m1"), ("tool", "m1_2"), ("tool", "m1_3")]
    assert [(renamed.old, renamed.new) for renamed in fold.renamed] == [("m1", "m1_2"), ("m1", "m1_3")]
    assert fold.open_calls == []


def test_messages_are_removed_by_writes() -> None:
    """`RemoveMessage` comes through the node that wrote it; a removed call is not open."""
    fold = folded(
        *added(HI, asked("a")), wrote("1.0", messages=[{"type": "remove", "id": "m"}, {"type": "ai", "content": "no", "id": "n"}])
    )
    assert fold.messages() == [HI, AIMessage("no", id="n")]
    fold.settle()
    assert fold.open_calls == []
    fold = folded(*added(HI), wrote("1.0", messages=[RemoveMessage("__remove_all__"), AIMessage("new", id="n")]))
    assert fold.messages() == [AIMessage("new", id="n")]
    fold = folded(*added(HI), wrote("1.0", messages={"__overwrite__": ["new"]}))
    assert [message.text for message in fold.messages()] == ["new"]


def test_a_list_of_the_callers_own() -> None:
    """What comes out is a list, and changing it changes nothing."""
    fold = folded(*added(HI))
    fold.messages().clear()
    assert type(fold.messages()) is list
    assert fold.messages() == [HI]


def test_a_snapshot_stays_as_it_was() -> None:
    """Whatever is appended, replaced or removed afterwards."""
    fold = folded(*added(HI, asked("a", "b"), result("b")), wrote("1.0", x=1))
    snapshot = fold.snapshot()
    before = snapshot.messages.messages()
    later = [*added(result("a"), HI.replace(content="edited")), wrote("2.0", x=2, messages=[{"type": "remove", "id": "m"}])]
    for entry in entries([*added(HI)] * 4 + later)[4:]:
        fold.add(entry)
    assert fold.messages() != before
    assert snapshot.messages.messages() == before
    assert (snapshot.length, len(snapshot.messages), snapshot.fields) == (4, 3, {"x": 1})


# State


def test_fields_take_what_was_written_last() -> None:
    """Without a reducer; the input of a run is written, too."""
    fold = folded(RunStarted(run="r", input={"a": 1, "b": [1]}), wrote("0.0", a=2), wrote("1.0", a=3))
    assert fold.fields == {"a": 3, "b": [1]}


def test_reducers_take_the_writes_of_a_step_in_the_order_of_its_tasks() -> None:
    """Whichever ended first; a call's own writes stand behind those of the calls before it."""
    numbers = Field(operator.add, list)
    events = [
        wrote("1.1", n=[3]),
        wrote("1.0.1", n=[2]),
        wrote("1.0.0", n=[1]),
        wrote("2.0", n=[4]),
        wrote("2.10", n=[6]),
        wrote("2.9", n=[5]),
    ]
    assert folded(n=numbers).fields == {"n": []}
    assert folded(*events, n=numbers).fields == {"n": [1, 2, 3, 4, 5, 6]}


def test_a_value_may_overwrite_and_is_decoded() -> None:
    """An overwriting value passes the reducer by; the field's own type comes before both."""
    fold = folded(wrote("0.0", s=[1, 2]), wrote("1.0", s=[2]), wrote("2.0", t=[5]), s=Field(operator.or_, set, set), t=Field(decode=tuple))
    assert fold.fields == {"s": {1, 2}, "t": (5,)}
    fold = folded(wrote("0.0", s=[1, 2]), wrote("1.0", s={"__overwrite__": [9]}), s=Field(operator.or_, set, set))
    assert fold.fields == {"s": {9}}


def test_writes_that_clashed_are_discarded() -> None:
    """Neither counts; what else the tasks wrote does."""
    fold = folded(
        wrote("0.0", k=0), wrote("1.0", k=1, a=1), wrote("1.1", k=2, b=1), Discarded(key="k", writers=["1.0", "1.1"]), wrote("2.0")
    )
    assert fold.fields == {"k": 0, "a": 1, "b": 1}


def test_a_reducer_that_raises_leaves_the_thread_readable() -> None:
    """The field keeps its value, the fault says where; the rest is written."""
    fold = folded(wrote("0.0", n=[1]), wrote("1.0", n=5, ok=1), wrote("2.0"), n=Field(operator.add, list))
    assert fold.fields == {"n": [1], "ok": 1}
    assert [(fault.seq, fault.key, type(fault.error)) for fault in fold.faults] == [(1, "n", TypeError)]
    fold = folded(wrote("0.0", messages=[{"type": "remove", "id": "nobody"}]), wrote("1.0", messages=5), wrote("2.0"))
    assert [str(fault.error)[:40] for fault in fold.faults] == [
        "Attempting to delete a message with an I",
        "a message was expected, found int: give ",
    ]


# What a run that goes on has to know


def test_open_calls_say_what_is_known() -> None:
    """Not started, started, failed and known to be so, left running, asking."""
    fold = folded(
        *added(asked("new", "started", "failed", "left", "asks", "done")),
        ToolStarted(call_id="started", name="f"),
        ToolStarted(call_id="failed", name="f"),
        ToolFailed(call_id="failed", name="f", error="ValueError: no"),
        ToolStarted(call_id="left", name="f"),
        ToolFailed(call_id="left", name="f", error="timeout", unknown=True),
        ToolStarted(call_id="asks", name="f"),
        Interrupted(key="asks", value="may I?"),
        ToolStarted(call_id="done", name="f"),
        *added(result("done")),
    )
    assert [(call.call["id"], call.position, call.attempts, call.is_unknown, bool(call.failure)) for call in fold.open_calls] == [
        ("new", 0, 0, False, False),
        ("started", 1, 1, True, False),
        ("failed", 2, 1, False, True),
        ("left", 3, 1, True, True),
        ("asks", 4, 1, False, False),
    ]
    assert {call.seq for call in fold.open_calls} == {0}


def test_a_retry_makes_a_failed_call_unknown_again() -> None:
    """Attempts are counted, and the failure is the newest attempt's."""
    events = [
        *added(asked("a")),
        ToolStarted(call_id="a", name="f"),
        ToolFailed(call_id="a", name="f"),
        ToolStarted(call_id="a", name="f", attempt=2),
    ]
    [call] = folded(*events).open_calls
    assert (call.attempts, call.is_unknown, call.failure) == (2, True, None)


def test_an_id_that_comes_again_is_another_call() -> None:
    """What is known of the answered one is not said of the new one."""
    fold = folded(*added(asked("a")), ToolStarted(call_id="a", name="f"), *added(result("a"), asked("a", message_id="m2")))
    [call] = fold.open_calls
    assert (call.seq, call.attempts, call.is_unknown) == (3, 0, False)


def test_questions_and_answers_by_key() -> None:
    """Answers come in any order, the first one holds, and a call that starts again gets them in the order of its questions."""
    fold = folded(
        *added(asked("a", "b")),
        Interrupted(key="a", value="1?"),
        Interrupted(key="b", value="?"),
        Answered(key="b", value="of b"),
        Answered(key="a", value="of a"),
        Answered(key="a", value="too late"),
        Answered(key="nobody", value=0),
        Interrupted(key="a/1", value="2?"),
    )
    assert [(question.key, question.value, question.is_answered, question.answer) for question in fold.questions] == [
        ("a", "1?", True, "of a"),
        ("a/1", "2?", False, None),
        ("b", "?", True, "of b"),
    ]
    assert (fold.answers("a"), fold.answers("b"), fold.answers("c")) == (["of a"], ["of b"], [])


def test_what_has_ended_asks_no_more() -> None:
    """A call by its result, a task by its end."""
    events = [*added(asked("a")), Interrupted(key="a"), Answered(key="a", value=1), Interrupted(key="2.0", value="?"), *added(result("a"))]
    assert [question.key for question in folded(*events).questions] == ["2.0"]
    assert folded(*events, wrote("2.0")).questions == []


def test_runs_begin_and_end() -> None:
    """Which run is active, how the newest one ended, and why."""
    fold = folded(RunStarted(run="r1", program="agent"), LimitReached(limit="steps", value=50), Cancelled(reason="stop"))
    assert (fold.run, fold.program, fold.status) == ("r1", "agent", "running")
    assert fold.limit == LimitReached(limit="steps", value=50)
    assert fold.cancelled == Cancelled(reason="stop")
    fold.add(entries([RunEnded(run="r1")] * 4)[3])
    assert (fold.run, fold.status) == (None, "done")
    again = Fold.of(entries([RunStarted(run="r1"), Cancelled(), LimitReached(limit="steps"), RunStarted(run="r2")]))
    assert (again.run, again.status, again.limit, again.cancelled) == ("r2", "running", None, None)


def test_a_fork_does_not_inherit_the_run() -> None:
    """The run goes on in the other thread; what is unknown there is unknown here."""
    fold = folded(RunStarted(run="r"), *added(asked("a")), ToolStarted(call_id="a", name="f"), ThreadCreated(forked_from="t", at=3))
    assert (fold.run, fold.status) == (None, "new")
    assert [call.is_unknown for call in fold.open_calls] == [True]


def test_a_step_that_was_interrupted_goes_on() -> None:
    """What ended in it is known to the next run, which has no input; its writes and those to come count as one step's."""
    numbers = Field(operator.add, list)
    events: list[Event] = [RunStarted(run="r1"), wrote("3.1", n=[2]), RunEnded(run="r1", status="interrupted"), RunStarted(run="r2")]
    fold = folded(*events, n=numbers)
    assert fold.writers == {"n": [("3.1", False)]}
    assert folded(*events, wrote("3.0", n=[1]), wrote("4.0"), n=numbers).fields == {"n": [1, 2]}


def test_settling_changes_nothing_that_is_seen() -> None:
    """It says that the step is over, which the next step's first write would say."""
    events: list[Event] = [wrote("0.1", n=[2]), wrote("0.0", n=[1]), *added(HI, task="0.0")]
    fold = folded(*events, n=Field(operator.add, list))
    before = fold.snapshot()
    fold.settle()
    assert fold.fields == before.fields == {"n": [1, 2]}
    assert fold.messages() == before.messages.messages() == [HI]


def test_entries_come_one_after_another() -> None:
    """A gap is a mistake of the caller's."""
    fold = folded(*added(HI))
    with pytest.raises(ValueError, match="the next entry is that with seq 1, found 0"):
        fold.add(entries(added(HI))[0])


# Laws


@given(threads())
def test_every_prefix_folds_to_a_history_that_can_be_sent(events: list[Event]) -> None:
    """Whatever happened, in whatever order, and wherever the journal ends; and folding step by step is folding at once."""
    whole = entries(events)
    growing = Fold()
    for end, entry in enumerate(whole, 1):
        growing.add(entry)
        assert faults(sendable(growing.messages())) == []
        at_once = Fold.of(whole[:end])
        assert at_once.messages() == growing.messages() == growing.snapshot().messages.messages()
        assert at_once.fields == growing.fields
        assert at_once.open_calls == growing.open_calls
        assert at_once.questions == growing.questions


def step(call_id: str, **said: Any) -> list[Event]:
    """An answer, the start of its call, and its result."""
    return [*added(asked(call_id)), ToolStarted(call_id=call_id, name="f"), *added(result(call_id).replace(**said))]


@given(steps())
@example([*added(HI, task="0.0"), *step("a")])
@example([Interrupted(key="a"), *step("a")])
@example([*added(HumanMessage("hi", id="m")), *step("a")])
@example([*added(HumanMessage("hi", id="r-a")), *step("a")])
@example([*added(asked("b")), *step("a")[1:]])
@example([*added(asked("b", "c", message_id="x"), result("c")), *step("a")])
@example([*added(asked("a"), task="0.0"), *step("a")[1:]])
@example([*step("a")[:2], *added(result("a"), task="0.0"), *added(HI)])
@example(step("", name="of another tool"))
def test_steps_taken_at_once_are_those_taken_one_by_one(events: list[Event]) -> None:
    """Answers with their calls' starts and results, and what else may stand between them: the same is known in the end, and behind it."""
    whole = entries([*events, *added(result("a"), HI, asked("b", message_id="x")), RunEnded(run="r")])
    one_by_one, at_once = Fold(), Fold()
    for entry in whole:
        one_by_one.add(entry)
    at_once.extend(whole[: len(events)])
    at_once.extend(whole[len(events) :])
    for each in (one_by_one, at_once):
        each.settle()
    for fact in ("length", "fields", "open_calls", "questions", "held", "faults", "renamed", "writers", "status", "run", "runs", "began"):
        assert repr(getattr(at_once, fact)) == repr(getattr(one_by_one, fact))  # an exception is equal only to itself
    assert at_once.messages() == one_by_one.messages()
    for fact in ("step", "last", "planned", "ended"):
        assert getattr(at_once.frontier, fact) == getattr(one_by_one.frontier, fact)


def test_steps_taken_at_once_have_to_follow_one_another() -> None:
    """Entries of a step of which one is missing are refused as others are."""
    whole = entries([*added(asked("a")), ToolStarted(call_id="a", name="f"), ToolStarted(call_id="a", name="f"), *added(result("a"))])
    fold = Fold()
    with pytest.raises(ValueError, match="the next entry is that with seq 1, found 2"):
        fold.extend([whole[0], *whole[2:]])
    assert fold.length == 1


@given(threads())
def test_no_message_is_lost(events: list[Event]) -> None:
    """Where none has an id or a task and no node writes the list, every message that came is there once."""
    plain = [added(event.message.replace(id=None))[0] for event in events if event.kind == "message" and hasattr(event, "message")]
    messages = Fold.of(entries(plain)).messages()
    assert sorted(map(repr, messages)) == sorted(repr(event.message) for event in plain if hasattr(event, "message"))


@given(threads())
def test_snapshots_never_change(events: list[Event]) -> None:
    """Each is what it was when it was taken, however the thread goes on."""
    fold = Fold()
    taken = []
    for entry in entries(events):
        fold.add(entry)
        snapshot = fold.snapshot()
        taken.append((snapshot, snapshot.messages.messages()))
    assert [snapshot.messages.messages() for snapshot, _ in taken] == [messages for _, messages in taken]


def test_calls_of_one_id_that_were_answered_without_it_are_found_anew() -> None:
    """When the list changes, although asking for the newest of them drops what was answered."""
    events = added(HI, asked("a"), AIMessage("", id="m2", tool_calls=asked("a").tool_calls), result("", "1"), result("a", "2"))
    fold = folded(*events, NodeEnded(node="n", task="1.0", writes={"messages": [RemoveMessage("h")]}))
    fold.settle()
    assert HI not in fold.messages()
    assert len(fold.messages()) == 4
