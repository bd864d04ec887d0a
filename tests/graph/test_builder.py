"""Building graphs, and what is checked before they run."""

from __future__ import annotations

import operator
import warnings
from typing import Annotated, Any, Literal, TypedDict

import pytest
from inline_snapshot import snapshot

from holter.errors import GraphError
from holter.graph.edge import END, START, Join
from holter.graph.state_graph import StateGraph
from holter.tools.command import Command
from tests.graph import graphs
from tests.graph.graphs import State, work


def refused(graph: StateGraph) -> str:
    """Why it cannot run."""
    with pytest.raises(GraphError) as caught:
        graph.check()
    return str(caught.value)


def warned(graph: StateGraph) -> list[str]:
    """What the check warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph.check()
    assert {warning.filename for warning in caught} == {__file__}
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    "make", [graphs.line, graphs.loop, graphs.diamond, graphs.fan_out, graphs.condition, graphs.again, graphs.long_names, graphs.chinese]
)
def test_good_graphs(make: Any) -> None:
    """Nothing is said of a graph that can run."""
    make().check()


def test_names() -> None:
    """A node has the name that is given, or its function's own; every method returns the graph."""
    graph = StateGraph(State)
    assert graph.add_node(work).add_node("other", work) is graph
    assert list(graph.nodes) == ["work", "other"]
    assert graph.add_edge(START, "work").set_finish_point("other").add_conditional_edges("work", lambda state: "other") is graph


def test_names_that_cannot_be() -> None:
    """Reserved, taken, missing."""

    def error(*given: Any) -> str:
        with pytest.raises(GraphError) as caught:
            StateGraph(State).add_node("work", work).add_node(*given)
        return str(caught.value)

    assert error("work", work) == snapshot("there is a node 'work' already; give this one another name: add_node(name, action)")
    assert error(work) == snapshot("there is a node 'work' already; give this one another name: add_node(name, action)")
    assert error(START, work) == snapshot(
        "'__start__' cannot be a node's name; reserved are __start__, __end__, __input__, __interrupt__, __parent__"
    )
    assert error("a:b", work) == snapshot("the node's name 'a:b' has ':' in it; ':' and '|' are reserved")
    assert error(" ", work) == snapshot("' ' cannot be a node's name; it needs one that can be seen, in one line")
    assert error("a\nb", work) == snapshot("'a\\nb' cannot be a node's name; it needs one that can be seen, in one line")
    assert error("other") == snapshot("node 'other' has no action; add_node('other', action)")
    assert error(lambda state: None).startswith("<function ")
    assert error(work, "name").startswith("add_node takes the name first: add_node(name, action), found <function work ")
    assert error(3) == snapshot("3 has no name of its own; add_node(name, action)")


def test_edges() -> None:
    """In the order in which they were added; a list of one is an ordinary edge."""
    graph = StateGraph(State).add_sequence([("a", work), ("b", work), ("c", work)])
    graph.set_entry_point("a").add_edge(["a", "b"], "c").add_edge(["c"], END)
    assert graph.edges == [("a", "b"), ("b", "c"), (START, "a"), ("c", END)]
    assert graph.joins == [Join(("a", "b"), "c")]


def test_edges_that_cannot_be() -> None:
    """Behind END, before START, from nowhere."""

    def error(start: Any, end: Any) -> str:
        with pytest.raises(GraphError) as caught:
            StateGraph(State).add_node(work).add_edge(start, end)
        return str(caught.value)

    assert error(END, "work") == snapshot("the edge from '__end__' to 'work': END has no edges, nothing comes after it")
    assert error("work", START) == snapshot("the edge from 'work' to '__start__': START is where the graph begins, nothing leads to it")
    assert error(["work", END], "work") == snapshot("the edge from ['work', '__end__'] to 'work': END has no edges, nothing comes after it")
    assert error([START, "work"], "work") == snapshot(
        "the edge from ['__start__', 'work'] to 'work': START does not run, so nothing waits for it; leave it out"
    )
    assert error([], "work") == snapshot("the edge to 'work' comes from an empty list; name the nodes that it waits for")
    assert error("work", work).startswith("an edge goes from a node's name to a node's name, found <function work ")
    with pytest.raises(GraphError, match="START is where the graph begins"):
        StateGraph(State).add_node(work).add_conditional_edges("work", lambda state: 1, {1: START})
    with pytest.raises(GraphError, match="END has no edges"):
        StateGraph(State).add_node(work).add_conditional_edges(END, lambda state: 1)
    with pytest.raises(GraphError, match="add_sequence got no nodes"):
        StateGraph(State).add_sequence([])


def test_faults() -> None:
    """Everything that keeps a graph from running, at once."""
    assert refused(StateGraph(State)) == snapshot("the graph has no nodes; add_node(name, action) adds one")
    assert refused(StateGraph(State).add_node(work)) == snapshot(
        "the graph has no beginning; add_edge(START, name) says which node runs first. Nodes are 'work'"
    )
    graph = StateGraph(State).add_node(work).add_edge("work", "nowhere").add_edge(["work", "lost"], END)
    graph.add_conditional_edges("work", lambda state: 1, {1: "gone"}).add_conditional_edges("absent", lambda state: 1)
    graph.add_node("jumps", work, destinations=["away"])
    assert refused(graph) == snapshot("""\
the graph has 6 faults:
- the graph has no beginning; add_edge(START, name) says which node runs first. Nodes are 'work', 'jumps'
- the edge from 'work' to 'nowhere' names 'nowhere', and there is no such node. Nodes are 'work', 'jumps'
- the edge from ['work', 'lost'] to '__end__' names 'lost', and there is no such node. Nodes are 'work', 'jumps'
- the condition '<lambda>' behind 'work' names 'gone', and there is no such node. Nodes are 'work', 'jumps'
- the condition '<lambda>' behind 'absent' names 'absent', and there is no such node. Nodes are 'work', 'jumps'
- node 'jumps', by the targets of its commands, names 'away', and there is no such node. Nodes are 'work', 'jumps'\
""")


def test_conditional_entry() -> None:
    """A path may say which node runs first."""
    StateGraph(State).add_node(work).set_conditional_entry_point(lambda state: "work", ["work"]).check()


def test_unreachable_nodes() -> None:
    """Also those that lead to one another."""
    graph = StateGraph(State)
    for name in ("a", "lost", "found"):
        graph.add_node(name, work)
    graph.set_entry_point("a").add_edge("lost", "found").add_edge("found", "lost")
    assert warned(graph) == snapshot(
        [
            (
                "nothing leads to node 'lost'; add an edge to it, or say where a command jumps to it: -> "
                'Command[Literal["lost"]], or add_node(…, destinations=["lost"])'
            ),
            (
                "nothing leads to node 'found'; add an edge to it, or say where a command jumps to it: -> "
                'Command[Literal["found"]], or add_node(…, destinations=["found"])'
            ),
        ]
    )


def test_what_may_lead_anywhere() -> None:
    """A path or a command that does not say where it leads may lead to every node."""

    def jump(state: State) -> Command:

        raise NotImplementedError

    StateGraph(State).add_node(work).add_node("other", work).set_entry_point("work").add_conditional_edges(
        "work", lambda state: "other"
    ).check()
    StateGraph(State).add_node(jump).add_node("other", work).set_entry_point("jump").check()


def test_repeated_edges() -> None:
    """They count once."""

    def path(state: State) -> Literal["a"]:

        raise NotImplementedError

    graph = StateGraph(State).add_sequence([("a", work), ("b", work)]).set_entry_point("a").add_edge("a", "b")
    graph.add_edge(["a", "b"], END).add_edge(["a", "b"], END).add_conditional_edges("b", path).add_conditional_edges("b", path)
    assert warned(graph) == snapshot(
        [
            "the edge from 'a' to 'b' was added twice; it counts once",
            "the edge from ['a', 'b'] to '__end__' was added twice; it counts once",
            "the condition 'path' behind 'b' was added twice; it counts once",
        ]
    )
    assert len(graph.edges) == 2


def test_edges_beside_commands() -> None:
    """Both run, as in LangGraph; somebody who did not mean that is told."""

    def jump(state: State) -> Command[Literal["b", "c"]]:

        raise NotImplementedError

    graph = StateGraph(State).add_node("a", jump).add_node("b", work).add_node("c", work).set_entry_point("a").add_edge("a", "b")
    assert warned(graph) == snapshot(
        [
            "node 'a' has an edge to 'b' and jumps to 'b', 'c' by Command: both run, since a command's goto "
            "adds to the edges; take the edge away if the command is to choose"
        ]
    )


class Outer(TypedDict):
    """A caller's view."""

    question: str


class Secret(TypedDict):
    """A field that two nodes share."""

    secret: Annotated[list[str], operator.add]


def test_schemas_are_joined() -> None:
    """A graph has the fields of all its schemas, those of single nodes too."""

    def hidden(state: Secret) -> dict[str, Any]:

        raise NotImplementedError

    graph = StateGraph(State, input_schema=Outer).add_node(hidden)
    assert list(graph.fields) == ["text", "question", "secret"]
    assert list(graph.nodes["hidden"].schema.fields) == ["secret"]


def test_schemas_that_differ() -> None:
    """A reducer wins over none; two different ones are refused."""

    class Bare(TypedDict):
        secret: list[str]

    class Other(TypedDict):
        secret: Annotated[list[str], operator.iadd]

    assert StateGraph(Bare, input_schema=Secret).fields["secret"].reducer is operator.add
    assert StateGraph(Secret, input_schema=Bare).fields["secret"].reducer is operator.add
    with pytest.raises(GraphError) as caught:
        StateGraph(Secret, input_schema=Other)
    assert str(caught.value) == snapshot(
        "two schemas of the graph declare the field 'secret' with different reducers, add and iadd; use one of them in both"
    )
