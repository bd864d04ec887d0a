"""The ready-made loop: a graph of two nodes that asks a model and runs the tools it calls, until it answers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Never
from weakref import WeakValueDictionary

from holter import models
from holter.agent.agent_tool import tool_of
from holter.agent.asking import Models
from holter.agent.begin import Given, History, history_of, input_of, is_empty
from holter.agent.instruction import Instruction, System, check_state
from holter.agent.limit import Limits, limits_of
from holter.agent.meter import Meter
from holter.agent.model_node import METER, ModelNode
from holter.agent.proof import Lint, Proofreader, checked, target_of
from holter.agent.run import Run
from holter.agent.structured import AnswerForm, form_of
from holter.agent.tools import AgentTools
from holter.agent.way import AfterModel, AfterTools
from holter.errors import UnknownThread
from holter.graph.absent import refuse
from holter.graph.compiled import CompiledGraph, is_nested
from holter.graph.edge import END, START
from holter.graph.feed import Feed
from holter.graph.state import MessagesState
from holter.graph.state_graph import StateGraph
from holter.graph.threads import Config, thread_of
from holter.graph.threads import checked as checked_config
from holter.journal.here import here
from holter.journal.journal import Journal
from holter.journal.store import Store
from holter.models import ChatModel
from holter.models.cost import check_prices
from holter.tools.command import Command
from holter.tools.failure import ErrorHandling
from holter.tools.plan import Policy
from holter.tools.request import Wrapper
from holter.tools.tool import Tool, as_tool
from holter.tools.unknown import UnknownCalls

_MODEL, _TOOLS = "model", "tools"


class Agent:
    """A model, its tools, and the loop between them. Several runs may use one agent at once."""

    def __init__(
        self,
        model: Any,
        tools: Iterable[Any] = (),
        *,
        system: System | None = None,
        context_schema: Any = None,
        state_schema: Any = None,
        response_format: Any = None,
        limits: Limits | Mapping[str, Any] | None = None,
        wrap_tool_call: Wrapper | Sequence[Wrapper] | None = None,
        tool_choice: Any = None,
        parallel_tool_calls: bool | None = None,
        settings: Mapping[str, Any] | None = None,
        fallback: Any = None,
        history: History | None = None,
        name: str | None = None,
        description: str | None = None,
        journal: Journal | None = None,
        store: Store | None = None,
        handle_tool_errors: ErrorHandling = True,
        policy: Policy = "parallel",
        lint: Lint = "warn",
        target: str | None = None,
        unknown_calls: UnknownCalls = "ask",
        **others: Never,
    ) -> None:
        """`model` is a `ChatModel`, the name of one ("deepseek:deepseek-v4-flash", see `load`), or a LangChain chat model. `tools` are
        tools, functions, LangChain tools, and other agents. TypeError or ValueError says what cannot be, KeyRefused that a key is missing.

        * `system`: a text, a `SystemMessage`, or a function of the state, which may take a `Runtime`, too. It stands in front of each
          request, and in the place of system messages that a history begins with; it is no part of the thread.
        * `context_schema`, `state_schema`: as of a `StateGraph`; the state inherits from `MessagesState`.
        * `response_format`: the type of the final answer, or a JSON Schema.
        * `tool_choice`: "required" and a tool's name count until a tool has run; after that the model may answer.
        * `parallel_tool_calls=False`: the model is to make one call at a time; more than one are run one after the other all the same.
        * `settings`: the provider's own (temperature, max_tokens, …).
        * `fallback`: a model, or several, that are asked, in their order, when the one before has failed.
        * `history`: what every new thread begins with.
        * `wrap_tool_call`, `handle_tool_errors`, `policy`, `unknown_calls`: as of a `ToolNode`.
        * `lint`: what becomes of a request that its provider would refuse. "warn": what can safely be put right is, in what is sent, with
          an event for each; what cannot is sent, and an event says so. "error": it is not sent, and UnfitHistory raised. "off": nothing.
        * `target`: whose rules those are (`holter.formats.target`); told by the model without it.
        """
        refuse("Agent", others)
        self.name = name or "agent"
        self.description = description or ""
        self._is_named = name is not None
        self.limits = _checked(limits_of(limits))
        self.history = history_of(history)
        self._form = form_of(response_format)
        if not isinstance(tools, Iterable):
            raise TypeError(f"the tools of an Agent are a list, found {tools!r}")
        made = [as_tool(_tool(tool)) for tool in tools]
        self._options: dict[str, Any] = {
            "tools": made,
            "system": system,
            "context_schema": context_schema,
            "state_schema": state_schema,
            "response_format": response_format,
            "limits": limits,
            "wrap_tool_call": wrap_tool_call,
            "tool_choice": tool_choice,
            "parallel_tool_calls": parallel_tool_calls,
            "settings": settings,
            "history": history,
            "name": name,
            "description": description,
            "journal": journal,
            "store": store,
            "handle_tool_errors": handle_tool_errors,
            "policy": policy,
        }
        several = [model, *_listed(fallback)]
        options: dict[str, Any] = dict(settings or {})
        self._models = Models([_bound(one, made, tool_choice, parallel_tool_calls, self._form, options) for one in map(_model, several)])
        node = AgentTools(
            made,
            wrap_tool_call=wrap_tool_call,
            handle_tool_errors=handle_tool_errors,
            policy="serial" if parallel_tool_calls is False else policy,
            unknown_calls=unknown_calls,
            window_tokens=self._models.window_tokens,
        )
        self.tools: dict[str, Tool] = node.tools_by_name
        """By name."""
        self._direct = frozenset(tool.name for tool in self.tools.values() if tool.return_direct)
        first = self._models.first
        reader = Proofreader(checked(lint), target_of(target, first.target, first.name), offers_tools=bool(first.bound.tools))
        self._speaks_first = system is not None
        """Whether there is something to send before anybody has said a word."""
        asking = ModelNode(self._models, self.tools, Instruction(system), self._form, self.limits, reader)
        self.compiled: CompiledGraph = self._graph(asking, node, state_schema, context_schema, journal, store)
        """The graph. It can be drawn, and a node of another graph, as the agent itself can."""
        self._unnamed: WeakValueDictionary[str, Any] = WeakValueDictionary()

    def _graph(
        self, asking: ModelNode, tools: AgentTools, state: Any, context: Any, journal: Journal | None, store: Store | None
    ) -> CompiledGraph:
        builder = StateGraph(state or MessagesState, context)
        check_state(state, builder.fields)
        builder.add_node(_MODEL, asking)
        builder.add_node(_TOOLS, tools)
        builder.add_edge(START, _MODEL)
        again = [_MODEL] if self._form is not None else []
        builder.add_conditional_edges(_MODEL, AfterModel(), [_TOOLS, *again, END])
        builder.add_conditional_edges(_TOOLS, AfterTools(self.tools), [_MODEL, END])
        return builder.compile(journal=journal, store=store, name=self.name)

    def with_model(self, model: Any) -> Agent:
        """The same agent with another model, and none to fall back to. Threads that live in memory stay with this one."""
        return Agent(model, **self._options)

    # Running

    def run(
        self,
        prompt: Given,
        *,
        thread: str | None = None,
        context: Any = None,
        config: Config | None = None,
        history: History | None = None,
        limits: Limits | Mapping[str, Any] | None = None,
        takeover: bool = False,
        wait: bool = False,
    ) -> Run:
        """The run, when it has ended. `prompt` is text, a message, messages, or a part of the state; `Command(resume=…)` to answer open
        questions, None to go on with a thread.

        `thread` names the conversation: the next run of that name goes on with it. Without a journal it lives as long as the agent; one
        without a name, as long as its run. `history` is what a new thread begins with, `limits` those of this run. A thread that another
        run drives is refused (LeaseHeld); `wait` waits for that one's end, `takeover` takes the thread from it.

        A limit, an open question and an answer that cannot be used are ends (`Run.status`). What a model, a node, or a tool with
        `handle_tool_errors=False` raised is raised on; the thread stays valid then, too. Works inside a running loop, too.
        """
        run = self._run(prompt, thread, context, config, history, limits, takeover=takeover, wait=wait, inline=True)
        run.drive_here()
        return run

    async def arun(
        self,
        prompt: Given,
        *,
        thread: str | None = None,
        context: Any = None,
        config: Config | None = None,
        history: History | None = None,
        limits: Limits | Mapping[str, Any] | None = None,
        takeover: bool = False,
        wait: bool = False,
    ) -> Run:
        """As `run`, without blocking the loop."""
        run = self._run(prompt, thread, context, config, history, limits, takeover=takeover, wait=wait)
        run.take_end(await run.driving())
        return run

    def stream(
        self,
        prompt: Given,
        *,
        thread: str | None = None,
        context: Any = None,
        config: Config | None = None,
        history: History | None = None,
        limits: Limits | Mapping[str, Any] | None = None,
        subgraphs: bool = False,
        takeover: bool = False,
        wait: bool = False,
        **others: Never,
    ) -> Run:
        """The run, which goes on in another thread: `for item in run` gives what happens. See `Run`."""
        refuse("Agent.stream", others)
        run = self._run(prompt, thread, context, config, history, limits, takeover=takeover, wait=wait, feed=Feed(), subgraphs=subgraphs)
        run.begin_beside()
        return run

    def astream(
        self,
        prompt: Given,
        *,
        thread: str | None = None,
        context: Any = None,
        config: Config | None = None,
        history: History | None = None,
        limits: Limits | Mapping[str, Any] | None = None,
        subgraphs: bool = False,
        takeover: bool = False,
        wait: bool = False,
        **others: Never,
    ) -> Run:
        """The run, which goes on as a task of this loop: `async for item in run` gives what happens, `await run` waits for the end."""
        refuse("Agent.stream", others)
        run = self._run(prompt, thread, context, config, history, limits, takeover=takeover, wait=wait, feed=Feed(), subgraphs=subgraphs)
        run.begin()
        return run

    def resume(self, thread: str, answers: Any, **options: Any) -> Run:
        """Answers the open questions of a thread and goes on: one answer where one question is open, else `{id: answer}`, in any order and
        not all at once. `options` are those of `run`."""
        return self.run(Command(resume=answers), thread=thread, **options)

    async def aresume(self, thread: str, answers: Any, **options: Any) -> Run:
        """As `resume`, without blocking the loop."""
        return await self.arun(Command(resume=answers), thread=thread, **options)

    def _run(
        self,
        given: Given,
        thread: str | None,
        context: Any,
        config: Config | None,
        history: History | None,
        limits: Limits | Mapping[str, Any] | None,
        *,
        inline: bool = False,
        feed: Feed | None = None,
        subgraphs: bool = False,
        takeover: bool = False,
        wait: bool = False,
    ) -> Run:
        """A run that has not begun."""
        bounds = self.limits if limits is None else _checked(limits_of(limits))
        thread = thread_of(config, thread)
        journal = None if thread is None else self._unnamed.get(thread)
        begins_anew = is_nested(thread, journal or self.compiled.journal)
        execution = self.compiled.execution(
            self._input(given, None if begins_anew else thread, history, journal),
            _with_steps(config, bounds),
            context=context,
            thread=thread,
            feed=feed,
            inline=inline,
            deadline_s=bounds.seconds,
            journal=journal,
            takeover=takeover,
            wait=wait,
        )
        if self.compiled.journal is None and thread is None:
            self._unnamed[execution.options.thread] = execution.options.journal
        meter = execution.kept[METER] = Meter(bounds)
        return Run(execution, meter, self._form, self.tools, self._models.bound.tools, subgraphs=subgraphs)

    def _input(self, given: Given, thread: str | None, history: History | None, journal: Journal | None) -> Any:
        """The graph's input. UnknownThread for answers in a thread that is not there, ValueError for the history of one that is, and for a
        thread that would begin with nothing to send."""
        is_answer = isinstance(given, Command) and given.resume is not None
        if thread is None or not (is_answer or history is not None or self.history):
            made = input_of(given, self.history if history is None else history_of(history))
            if self._speaks_first or not is_empty(made) or self._length(thread, journal):
                return made
            raise ValueError(f"the run would begin without a message, found {given!r}; give a prompt: text, a message, or messages")
        length = self._length(thread, journal)
        if is_answer and not length:
            raise UnknownThread(thread)
        if history is not None and length:
            raise ValueError(f"thread {thread!r} has begun already ({length} events); history is what a new thread begins with")
        begins = [] if length else self.history if history is None else history_of(history)
        return input_of(given, [] if is_answer else begins)

    def _length(self, thread: str | None, journal: Journal | None) -> int:
        """How many events the thread has; none where it has no name."""
        if thread is None:
            return 0
        return here(journal or self.compiled.journal or self.compiled.own_journal(), lambda journal: journal.length(thread))

    # As a graph, a node and a tool

    def invoke(
        self, input: Any, config: Config | None = None, *, context: Any = None, thread: str | None = None, **others: Never
    ) -> dict[str, Any]:
        """The state that the graph comes to, as `CompiledGraph.invoke` gives it."""
        return self.compiled.invoke(input, config, context=context, thread=thread, **others)

    async def ainvoke(
        self, input: Any, config: Config | None = None, *, context: Any = None, thread: str | None = None, **others: Never
    ) -> dict[str, Any]:
        """As `invoke`, without blocking the loop."""
        return await self.compiled.ainvoke(input, config, context=context, thread=thread, **others)

    def as_tool(self, name: str | None = None, description: str | None = None) -> Tool:
        """The agent as a tool of another: one text in, the answer out. ValueError where it has no name."""
        if name is None and not self._is_named:
            raise ValueError("an agent that is a tool needs a name that says what it does: Agent(…, name=…), or as_tool(name=…)")
        patterns = self.compiled.program.patterns
        return tool_of(self, name or self.name, self.description if description is None else description, patterns)

    def __repr__(self) -> str:
        return f"<Agent {self.name!r}: {', '.join(self.tools) or 'no tools'}>"


def _tool(given: Any) -> Any:
    return given.as_tool() if isinstance(given, Agent) else given


def _listed(fallback: Any) -> list[Any]:
    if fallback is None:
        return []
    return list(fallback) if isinstance(fallback, list | tuple) else [fallback]


def _model(given: Any) -> ChatModel:
    """The model; what is none is the name of one, or a LangChain chat model."""
    return given if isinstance(given, ChatModel) else models.load(given)


def _bound(
    model: ChatModel, tools: Sequence[Tool], tool_choice: Any, parallel: bool | None, form: AnswerForm | None, settings: dict[str, Any]
) -> ChatModel:
    """The model with all that the agent asks it with, beside what is bound to it already."""
    names = {tool.name for tool in tools}
    offered = [*(spec for spec in model.bound.tools if spec.name not in names), *tools]
    return model.bind(
        tools=offered or None,
        tool_choice=tool_choice,
        parallel_tool_calls=parallel,
        response_format=None if form is None else form.response_format,
        **settings,
    )


def _checked(limits: Limits) -> Limits:
    """The limits. ImportError where they cannot be kept."""
    if limits.cost_usd is not None:
        check_prices()
    return limits


_STEPS_EACH = 3
"""Steps of the graph, at most, for each request to the model: the request, its calls, and one to spare."""
_USUAL_STEPS = 300


def _with_steps(config: Config | None, limits: Limits) -> Config | None:
    """The configuration, so that the graph's own limit does not come before that of the agent."""
    if (limits.steps is not None and limits.steps <= _USUAL_STEPS) or "recursion_limit" in checked_config(config):
        return config
    return {**checked_config(config), "recursion_limit": sys.maxsize if limits.steps is None else limits.steps * _STEPS_EACH}
