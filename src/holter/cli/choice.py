"""Which agent or graph of a program is meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from inspect import Parameter, iscoroutine, isfunction, signature
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import click

from holter.agent.agent import Agent
from holter.cli.fault import raised_at, said
from holter.cli.program import NotLoaded, load
from holter.errors import KeyRefused
from holter.graph.check import Graph
from holter.graph.compiled import CompiledGraph
from holter.graph.diagram import inner_graphs
from holter.graph.state_graph import StateGraph

Drawn: TypeAlias = "Agent | CompiledGraph | StateGraph"

_USUAL = ("agent", "graph")
"""Names that are meant where none is given and there are several."""


class Chosen(NamedTuple):
    """An agent or a graph of a program."""

    name: str
    value: Drawn

    @property
    def graph(self) -> Graph:
        """The graph as it was built."""
        return self.value if isinstance(self.value, StateGraph) else self.value.compiled.builder

    @property
    def compiled(self) -> CompiledGraph:
        """The graph as it runs. GraphError where it cannot."""
        return self.value.compile() if isinstance(self.value, StateGraph) else self.value.compiled

    def with_model(self, model: str) -> Chosen:
        """The same agent with the model of this name. UsageError where there is no such model, or no agent that could have it."""
        if not isinstance(self.value, Agent):
            raise click.UsageError(f"--model changes the model of an agent, and {self.name} is a graph: its nodes ask models of their own")
        return Chosen(self.name, _loaded(self.value.with_model, model))


def talker(model: str) -> Chosen:
    """An agent without tools that only talks. UsageError where there is no model of this name."""
    return Chosen("agent", _loaded(Agent, model))


def _loaded(make: Callable[[str], Agent], model: str) -> Agent:
    try:
        return make(model)
    except (KeyRefused, ValueError, ImportError, OSError) as error:
        raise click.UsageError(f"--model {model}: {error}") from None


model_option = click.option(
    "--model",
    metavar="NAME",
    help="The model to ask in place of the program's own: deepseek:deepseek-v4-flash, gguf:PATH (see holter models).",
)


def choose(spec: str) -> Chosen:
    """What `FILE.py[:name]` or `package.module[:name]` means: what stands under the name, or is made by the function of that name; without
    a name the only agent or graph there is, `agent`, or `graph`. NotLoaded says what there is."""
    module, name = load(spec)
    return _only(module, spec) if name is None else _named(module, name, spec)


def _named(module: ModuleType, name: str, spec: str) -> Chosen:
    there = vars(module)
    if name not in there:
        raise NotLoaded(f"{spec}: there is no {name!r}; the agents and graphs there are: {', '.join(_found(there)) or 'none'}")
    value = _made(there[name], spec) if isfunction(there[name]) else there[name]
    if not _is_one(value):
        made = f"{name}() gives" if isfunction(there[name]) else f"{name} is"
        raise NotLoaded(f"{spec}: {made} no agent and no graph, but {type(value).__name__!r}")
    return Chosen(name, value)


def _made(function: Any, spec: str) -> Any:
    """What a function without parameters returns."""
    needed = [p.name for p in signature(function).parameters.values() if p.default is p.empty and p.kind not in _OPEN]
    if needed:
        raise NotLoaded(
            f"{spec}: {function.__name__} is a function that needs {', '.join(needed)}; name an agent, a graph, or a function without "
            "parameters that makes one"
        )
    try:
        with redirect_stdout(sys.stderr):
            made = function()
    except Exception as error:
        raise NotLoaded(f"{raised_at(error) or spec}: {said(error)}") from error
    if iscoroutine(made):
        made.close()
        raise NotLoaded(f"{spec}: {function.__name__} is asynchronous; write it with `def`, or make the agent or graph at the top level")
    return made


_OPEN = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def _only(module: ModuleType, spec: str) -> Chosen:
    found = _found(vars(module))
    if not found:
        raise NotLoaded(
            f"{spec}: there is no agent and no graph at its top level; make one there, `agent = Agent(…)` or `graph = builder.compile()`"
        )
    names = _outermost(found)
    name = names[0] if len(names) == 1 else next((usual for usual in _USUAL if usual in found), None)
    if name is None:
        raise NotLoaded(f"{spec} has {len(names)} agents and graphs: {', '.join(names)}; say which one, {spec}:{names[0]}")
    return Chosen(name, found[name])


def _found(there: Mapping[str, Any]) -> dict[str, Drawn]:
    """Agents and graphs by name. Types are asked and not the values, some of which would do something then.

    What stands there twice counts once: under one of the usual names, or the first; of a graph that stands there compiled and as it was
    built, the compiled one.
    """
    chosen: dict[tuple[int, ...], Chosen] = {}
    for name, value in there.items():
        if _is_one(value):
            new = Chosen(name, value)
            key = _identity(new.graph)
            chosen[key] = max(chosen.get(key, new), new, key=_rank)
    return {each.name: each.value for each in chosen.values()}


def _rank(chosen: Chosen) -> tuple[bool, bool]:
    return not isinstance(chosen.value, StateGraph), chosen.name in _USUAL


def _identity(graph: Graph) -> tuple[int, ...]:
    """The same for a graph and what it was built from: the nodes are."""
    return tuple(map(id, graph.nodes.values())) or (id(graph),)


def _outermost(found: Mapping[str, Drawn]) -> list[str]:
    """Those that are no node of another one."""
    graphs = {name: Chosen(name, value).graph for name, value in found.items()}
    inside = {_identity(inner) for graph in graphs.values() for inner in inner_graphs(graph).values()}
    return [name for name, graph in graphs.items() if _identity(graph) not in inside] or list(found)


def _is_one(value: Any) -> bool:
    return issubclass(type(value), Agent | CompiledGraph | StateGraph)
