"""Writes of one step that cannot stand beside each other."""

import asyncio
from typing import Annotated, Any, TypedDict

import pytest

from holter import START, Command, MemoryJournal, Overwrite, Send, StateGraph
from holter.errors import InvalidUpdate
from holter.graph.clash import Clash, clashes, name_of
from holter.graph.state import StateSchema
from holter.journal.event import Discarded, NodeEnded
from holter.journal.pending import Writer
from holter.messages import HumanMessage
from holter.tools.drive import drive
from tests.graph.ways import Log, Way, events_of, graph_of, in_async, in_notebook, in_sync, joined


@pytest.fixture(params=[in_sync, in_async, in_notebook])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way to run a graph."""
    chosen: Way = request.param
    return chosen


class State(TypedDict):
    """A field that holds one value, and one that holds all."""

    one: int
    all: Annotated[list[int], joined]


FIELDS = StateSchema(State).fields


def test_clashes() -> None:
    """Two writers of a field that holds one value, and two that overwrite; all else goes together."""
    names = {"1.0": "node 'a'", "1.1": "node 'b'"}
    first, second = Writer("1.0", False), Writer("1.1", False)
    over, other_over = Writer("1.0", True), Writer("1.1", True)
    assert clashes(FIELDS, {"one": [first], "all": [first, second, over]}, names) == []
    assert clashes(FIELDS, {"one": [first, second], "all": [over, other_over]}, names) == [
        Clash(
            "one",
            ["node 'a'", "node 'b'"],
            "node 'a' and node 'b' wrote 'one' in one step, and it holds one value; let one of them write it, or give the field a reducer: "
            "Annotated[T, function]",
        ),
        Clash("all", ["node 'a'", "node 'b'"], "node 'a' and node 'b' overwrote 'all' in one step; only one of them may"),
    ]


def test_name_of() -> None:
    """A call that is not named is named by its task; what belongs to no task is the input."""
    names = {"1.0": "node 'a'", "1.0.1": "call 'c' of f"}
    assert [name_of(task, names) for task in ("1.0.1", "1.0.0", "1.0", "2.0", "")] == [
        "call 'c' of f",
        "node 'a'",
        "node 'a'",
        "task 2.0",
        "the input",
    ]


def test_two_nodes_that_write_one_field(way: Way) -> None:
    """Neither is written, the journal and the error say who they were; other fields are written, and the thread goes on."""
    journal = MemoryJournal()
    graph = graph_of(State, a=lambda state: {"one": 1, "all": [1]}, b=lambda state: {"one": 2, "all": [2]}).add_edge(START, "b")
    compiled = graph.compile(journal=journal)
    with pytest.raises(InvalidUpdate, match="node 'a' and node 'b' wrote 'one' in one step, and it holds one value"):
        way(compiled, {"one": 0}, thread="t")
    assert compiled.get_state(thread="t").values == {"one": 0, "all": [1, 2]}
    assert [event for event in events_of(journal) if isinstance(event, Discarded)] == [
        Discarded(key="one", writers=["node 'a'", "node 'b'"])
    ]
    assert way(compiled, None, thread="t") == {"one": 0, "all": [1, 2]}


def test_a_node_sent_to_twice_and_a_list_of_updates(way: Way) -> None:
    """Clash as well: with themselves."""
    sends = StateGraph(State).add_node("a", lambda state: {"one": state["n"]})
    sends.add_conditional_edges(START, lambda state: [Send("a", {"n": n}) for n in range(2)], ["a"])
    with pytest.raises(InvalidUpdate, match="node 'a', 2 times, wrote 'one' in one step"):
        way(sends.compile(), {"one": 0})
    twice = graph_of(State, a=lambda state: [{"one": 1}, Command(update={"one": 2})]).compile()
    with pytest.raises(InvalidUpdate, match="node 'a', 2 times, wrote 'one' in one step"):
        way(twice, {"one": 0})


def test_overwriting_beside_others(way: Way) -> None:
    """One may, and what it writes stands for all; two may not."""
    graph = graph_of(State, a=lambda state: {"all": [1]}, b=lambda state: {"all": Overwrite([9])}, c=lambda state: {"all": [3]})
    graph.add_edge(START, "b").add_edge(START, "c")
    assert way(graph.compile(), {"all": [0]})["all"] == [9]
    both = graph_of(State, a=lambda state: {"all": Overwrite([1])}, b=lambda state: {"all": Overwrite([2])}).add_edge(START, "b")
    with pytest.raises(InvalidUpdate, match="node 'a' and node 'b' overwrote 'all' in one step"):
        way(both.compile(), {"all": [0]})


def test_a_message_that_is_replaced_beside_other_writes() -> None:
    """Does not settle the step: the order of the writes is that of the nodes, and a clash is found."""

    def node(wait_s: float, update: dict[str, Any]) -> Any:
        async def run(state: Log) -> Any:
            await asyncio.sleep(wait_s)
            return update

        return run

    def graph(**fields: Any) -> Any:
        made = graph_of(
            a=node(0.03, {"log": ["a"], **fields}),
            b=node(0.0, {"log": ["b"], **fields}),
            c=node(0.01, {"messages": [HumanMessage("new", id="m")]}),
            d=node(0.02, {"log": ["d"]}),
        )
        for name in "bcd":
            made.add_edge(START, name)
        return made.compile()

    given = {"messages": [HumanMessage("old", id="m")]}
    done = in_async(graph(), given)
    assert (done["log"], [message.text for message in done["messages"]]) == (["a", "b", "d"], ["new"])
    with pytest.raises(InvalidUpdate, match="node 'a' and node 'b' wrote 'n' in one step"):
        in_async(graph(n=1), given)


def test_a_clash_that_nobody_noted(way: Way) -> None:
    """A process that died between the last write and the note of the clash: the next one finds it."""
    journal, cut = MemoryJournal(), MemoryJournal()
    graph = graph_of(State, a=lambda state: {"one": 1}, b=lambda state: {"one": 2}).add_edge(START, "b")
    with pytest.raises(InvalidUpdate):
        graph.compile(journal=journal).invoke({"one": 0}, thread="t")
    events = events_of(journal)
    last = max(at for at, event in enumerate(events) if isinstance(event, NodeEnded))
    drive(cut.append("t", 0, events[: last + 1]))
    compiled = graph.compile(journal=cut)
    with pytest.raises(InvalidUpdate, match="wrote 'one' in one step, and it holds one value"):
        way(compiled, None, thread="t")
    assert way(compiled, None, thread="t") == {"one": 0, "all": []}
