"""`StateGraph`: a graph in the making that can be compiled. Names and meaning are LangGraph's (`langgraph.graph`, 1.2, seen 2026-11)."""

from __future__ import annotations

from typing import Any, Never

from holter.graph.absent import refuse
from holter.graph.builder import GraphBuilder
from holter.graph.compiled import CompiledGraph
from holter.journal.journal import Journal
from holter.journal.store import Store


class StateGraph(GraphBuilder):
    """A graph in the making. Every method that adds something returns the graph; `compile` makes one that runs."""

    def compile(
        self,
        checkpointer: Any = None,
        *,
        journal: Journal | None = None,
        store: Store | None = None,
        name: str | None = None,
        **others: Never,
    ) -> CompiledGraph:
        """The graph, ready to run; what is added to the builder later is no part of it. `checkpointer` is another name of `journal`.

        GraphError, with all that is wrong, for a graph that cannot run; warnings as `check` gives them. TypeError for what is no journal,
        and for an option that LangGraph has and Holter does not: it says what to use.
        """
        refuse("compile", others)
        self.check(stacklevel=2)
        return CompiledGraph(self.copy(), name or "graph", journal=checkpointer or None if journal is None else journal, store=store)
