"""Graphs that several tests build."""

from typing import Any, Literal, TypedDict

from holter.graph.edge import END, START
from holter.graph.state_graph import StateGraph


class State(TypedDict):
    """A small state."""

    text: str


def work(state: State) -> dict[str, Any]:
    """A node that writes nothing."""
    return {}


def line() -> StateGraph:
    """Three nodes, one after another."""
    graph = StateGraph(State).add_sequence([("fetch", work), ("parse", work), ("save", work)])
    return graph.set_entry_point("fetch").set_finish_point("save")


def loop() -> StateGraph:
    """A model that calls tools until it is done."""

    def route(state: State) -> Literal["tools", "__end__"]:
        return "tools"

    graph = StateGraph(State).add_node("model", work).add_node("tools", work)
    return graph.add_edge(START, "model").add_conditional_edges("model", route).add_edge("tools", "model")


def diamond() -> StateGraph:
    """Two nodes at the same time, and one that waits for both."""
    graph = StateGraph(State)
    for name in ("plan", "left", "right", "both"):
        graph.add_node(name, work)
    graph.add_edge(START, "plan").add_edge("plan", "left").add_edge("plan", "right")
    return graph.add_edge(["left", "right"], "both").add_edge("both", END)


def fan_out() -> StateGraph:
    """Eight nodes at the same time."""
    graph = StateGraph(State).add_node("plan", work).add_node("gather", work).add_edge(START, "plan")
    names = [f"worker_{number}" for number in range(8)]
    for name in names:
        graph.add_node(name, work).add_edge("plan", name)
    return graph.add_edge(names, "gather").add_edge("gather", END)


def condition() -> StateGraph:
    """A path with a map."""
    graph = StateGraph(State)
    for name in ("route", "math", "search", "answer"):
        graph.add_node(name, work)
    graph.add_edge(START, "route").add_conditional_edges(
        "route", lambda state: "sum", {"sum": "math", "question": "search", "nothing": END}
    )
    return graph.add_edge("math", "answer").add_edge("search", "answer").add_edge("answer", END)


def again() -> StateGraph:
    """A node that leads to itself."""
    graph = StateGraph(State).add_node("agent", work).add_edge(START, "agent")
    return graph.add_conditional_edges("agent", lambda state: True, {True: "agent", False: END})


def unreachable() -> StateGraph:
    """A node that nothing leads to."""
    return StateGraph(State).add_node("a", work).add_node("lost", work).add_edge(START, "a").add_edge("a", END).add_edge("lost", END)


def long_names() -> StateGraph:
    """Names that are longer than a line has room for."""
    first, second, third = (
        "retrieve_documents_from_the_vector_store_of_the_company",
        "grade_the_retrieved_documents_for_their_relevance",
        "search_the_web_where_nothing_was_relevant",
    )
    graph = StateGraph(State).add_node(first, work).add_node(second, work).add_node(third, work).add_edge(START, first)
    return graph.add_conditional_edges(first, lambda state: second, [second, third]).add_edge(second, END).add_edge(third, END)


def chinese() -> StateGraph:
    """Wide characters in names and labels."""
    graph = StateGraph(State).add_node("规划", work).add_node("查询天气", work).add_node("回答", work).add_edge(START, "规划")
    graph.add_conditional_edges("规划", lambda state: "够了", {"需要天气": "查询天气", "够了": "回答"})
    return graph.add_edge("查询天气", "规划").add_edge("回答", END)
