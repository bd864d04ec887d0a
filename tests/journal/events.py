"""Threads that properties are tried on: what an engine writes, and what nobody should."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from holter.journal.entry import Entry
from holter.journal.event import (
    Answered,
    CacheHit,
    CacheMissed,
    CacheSkipped,
    Cancelled,
    Discarded,
    Event,
    Interrupted,
    LimitReached,
    MessageAdded,
    ModelFailed,
    ModelStarted,
    NodeEnded,
    Redacting,
    Repaired,
    RunEnded,
    RunStarted,
    ThreadCreated,
    ToolFailed,
    ToolRefused,
    ToolStarted,
    Trimmed,
)
from holter.messages import AIMessage, HumanMessage, ToolMessage
from tests.strategies import broken_histories, call_ids, call_names, json_objects, json_values, messages, texts

tasks = st.sampled_from(["0.0", "0.1", "1.0", "1.1", "1.1.0", "2.0", "plan", ""])
keys = st.sampled_from(["a", "b", "messages"])
_message_writes = st.one_of(
    st.lists(st.builds(dict, type=st.just("remove"), id=st.sampled_from(["a", "b", "__remove_all__"])), max_size=2),
    st.lists(st.fixed_dictionaries({"type": st.sampled_from(["human", "ai", "tool"]), "content": texts, "id": call_ids}), max_size=3),
    json_values,
)
_writes = st.one_of(
    json_objects,
    st.dictionaries(st.sampled_from(["a", "b"]), json_values, max_size=2),
    st.builds(lambda value: {"messages": value}, _message_writes),
    st.builds(lambda value: {"messages": {"__overwrite__": value}}, _message_writes),
)

events: st.SearchStrategy[Event] = st.one_of(
    st.builds(MessageAdded, message=messages(), node=st.just("model"), task=st.one_of(st.none(), tasks)),
    st.builds(NodeEnded, node=call_names, task=tasks, writes=_writes),
    st.builds(RunStarted, run=texts, input=st.one_of(json_values, _writes)),
    st.builds(RunEnded, run=texts, status=st.sampled_from(["done", "interrupted", "limit", "cancelled", "failed"])),
    st.builds(ToolStarted, call_id=call_ids, name=call_names),
    st.builds(ToolFailed, call_id=call_ids, name=call_names, unknown=st.booleans()),
    st.builds(Interrupted, key=st.sampled_from(["a", "b", "a/1", "1.0"]), value=json_values),
    st.builds(Answered, key=st.sampled_from(["a", "b", "a/1", "1.0", "c"]), value=json_values),
    st.builds(Discarded, key=keys),
    st.just(ThreadCreated(forked_from="t", at=3)),
    st.just(ModelStarted(model="m")),
    st.just(ModelFailed(model="m")),
    st.just(CacheHit(call_id="a", name="f")),
    st.just(CacheMissed(call_id="a", name="f")),
    st.just(CacheSkipped(call_id="a", name="f", reason="x")),
    st.just(ToolRefused(call_id="a", name="f", by="limit_calls")),
    st.just(Redacting(patterns=["x"])),
    st.just(Repaired(code="ARG01", text="x")),
    st.just(Trimmed(first=0, last=1)),
    st.just(LimitReached(limit="steps")),
    st.just(Cancelled()),
)
"""Any event with any content."""


@st.composite
def threads(draw: st.DrawFn) -> list[Event]:
    """Any events in any order; half of the time the messages are those of a history that was once one."""
    if draw(st.booleans()):
        return draw(st.lists(events, max_size=15))
    made: list[Event] = [MessageAdded(message=message) for message in draw(broken_histories())]
    for event in draw(st.lists(events, max_size=5)):
        made.insert(draw(st.integers(0, len(made))), event)
    return made


@st.composite
def steps(draw: st.DrawFn) -> list[Event]:
    """Steps of an agent under few ids, and what may stand between and in them: parts of others, questions, writes of tasks."""
    numbers = iter(range(100))

    def message_id() -> str:
        return f"m{draw(st.sampled_from([next(numbers)] * 4 + [0, 1]))}"

    def ask(ids: Sequence[str]) -> Event:
        return MessageAdded(message=asked(*ids, message_id=message_id()), node=draw(_nodes), task=draw(_few_tasks))

    def end(call_id: str) -> Event:
        return MessageAdded(message=ToolMessage("", tool_call_id=call_id, id=message_id()), node=draw(_nodes), task=draw(_few_tasks))

    def step() -> list[Event]:
        asked_id, started_id, ended_id = draw(st.one_of(_few_ids.map(lambda one: [one] * 3), st.lists(_few_ids, min_size=3, max_size=3)))
        more = draw(st.sampled_from([[], [], ["b"]]))
        return [ask([asked_id, *more]), ToolStarted(call_id=started_id, name="f"), end(ended_id)]

    made: list[Event] = []
    for kind in draw(st.lists(st.sampled_from(["step", "step", "step", "ask", "end", "other"]), min_size=1, max_size=6)):
        if kind == "step":
            made += step()
        elif kind == "other":
            made.append(draw(_between))
        else:
            made.append(ask([draw(_few_ids), draw(_few_ids)]) if kind == "ask" else end(draw(_few_ids)))
    return made


_few_ids = st.sampled_from(["a", "a", "b", ""])
_nodes = st.sampled_from([None, "n"])
_few_tasks = st.sampled_from([None, None, None, None, "0.0"])
_between: st.SearchStrategy[Event] = st.sampled_from(
    [
        Interrupted(key="a"),
        Interrupted(key="b"),
        Answered(key="a"),
        MessageAdded(message=HumanMessage("hi", id="h"), task="0.0"),
        NodeEnded(node="n", task="0.1", writes={"a": 1}),
        RunEnded(run="r"),
    ]
)


def entries(events: Sequence[Event]) -> list[Entry]:
    """The events as a journal gives them."""
    return [Entry(seq, 1_000.0 + seq, event) for seq, event in enumerate(events)]


def asked(*ids: str, message_id: str = "m", name: str = "f") -> AIMessage:
    """An answer that calls a tool under each of the ids."""
    return AIMessage("", id=message_id, tool_calls=[_call(call_id, name) for call_id in ids])


def _call(call_id: str, name: str) -> dict[str, Any]:
    return {"name": name, "args": {}, "id": call_id, "type": "tool_call"}


def result(call_id: str, text: str = "") -> ToolMessage:
    """A result of the call, under an id of its own."""
    return ToolMessage(text or f"result of {call_id}", tool_call_id=call_id, id=f"r-{call_id}")


def added(*messages: Any, task: str | None = None) -> list[Event]:
    """The events that add the messages."""
    return [MessageAdded(message=message, task=task) for message in messages]
