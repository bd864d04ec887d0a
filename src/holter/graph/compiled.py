"""A compiled graph: what runs it, what streams it, and what tells its state.

Names and meaning are LangGraph's (`langgraph.graph.state.CompiledStateGraph`, 1.2, seen 2026-11).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Never

from holter.errors import GraphError, RunLimit, UnknownThread
from holter.graph import past
from holter.graph.absent import refuse
from holter.graph.builder import GraphBuilder
from holter.graph.ending import Ended
from holter.graph.engine import Execution, run_here
from holter.graph.feed import Feed
from holter.graph.nested import Place, asked, place
from holter.graph.node import Node
from holter.graph.options import RunOptions
from holter.graph.picture import Picture
from holter.graph.program import Program
from holter.graph.snapshot import Interrupt
from holter.graph.stream import Mode, Projections
from holter.graph.task import running
from holter.graph.threads import Config, Threads, checked, position_of, thread_of
from holter.journal.fold import Fold
from holter.journal.here import here
from holter.journal.journal import Journal
from holter.journal.memory import MemoryJournal
from holter.journal.store import Store
from holter.messages.reducer import new_id
from holter.models.drive import Beside
from holter.tools.command import Command


class CompiledGraph(Threads):
    """A graph that runs. It does not change; several runs may use it at once."""

    def __init__(self, builder: GraphBuilder, name: str, *, journal: Journal | None = None, store: Store | None = None) -> None:
        self.builder = builder
        self.name = name
        self.program = Program(builder, name)
        super().__init__(journal, store)

    @property
    def compiled(self) -> CompiledGraph:
        """The graph itself, so that a graph can be a node of another."""
        return self

    @property
    def nodes(self) -> dict[str, Node]:
        """By name."""
        return self.program.nodes

    # Running

    def invoke(
        self,
        input: Any,
        config: Config | None = None,
        *,
        context: Any = None,
        thread: str | None = None,
        takeover: bool = False,
        wait: bool = False,
        **others: Never,
    ) -> dict[str, Any]:
        """The state that the graph comes to. `input` is a state or a part of one, `Command(resume=…)` to answer open questions, or None to
        go on with a thread.

        `config` takes `{"configurable": {"thread_id": …}, "recursion_limit": N, "max_concurrency": N}`; `thread` is short for its thread.
        With a `checkpoint_id` of the past beside it, a fork runs (see `fork`). A thread that another run drives is refused (LeaseHeld);
        `wait` waits for that one's end, `takeover` takes the thread from it: it may have died within the last half minute.
        Without a journal, a named thread lives as long as the graph, in memory. Under "__interrupt__" stand the open questions.

        Works inside a running loop, too. What a node raises is raised on; RecursionLimit after too many steps.
        """
        refuse("invoke", others)
        execution = self.execution(input, config, context=context, thread=thread, takeover=takeover, wait=wait, inline=True)
        return self.result(execution, run_here(execution))

    async def ainvoke(
        self,
        input: Any,
        config: Config | None = None,
        *,
        context: Any = None,
        thread: str | None = None,
        takeover: bool = False,
        wait: bool = False,
        **others: Never,
    ) -> dict[str, Any]:
        """As `invoke`, without blocking the loop."""
        refuse("invoke", others)
        execution = self.execution(input, config, context=context, thread=thread, takeover=takeover, wait=wait)
        return self.result(execution, await execution.drive())

    def stream(
        self,
        input: Any,
        config: Config | None = None,
        *,
        context: Any = None,
        thread: str | None = None,
        stream_mode: Mode | Sequence[Mode] = "updates",
        subgraphs: bool = False,
        takeover: bool = False,
        wait: bool = False,
        **others: Never,
    ) -> Iterator[Any]:
        """What happens, as it happens, in one form or several (then pairs (mode, chunk)); with `subgraphs` those of nested graphs, too, as
        (namespace, …). The run does not wait for whoever reads; leaving the stream cancels it."""
        refuse("stream", others)
        feed = Feed()
        projections = Projections(stream_mode, self.program.messages_key, subgraphs=subgraphs)
        execution = self.execution(input, config, context=context, thread=thread, takeover=takeover, wait=wait, feed=feed)
        execution.enter_loop()
        beside = Beside(_closing(execution, feed))
        try:
            for namespace, item in feed:
                yield from projections.of(namespace, item)
            self.result(execution, beside.result())
        finally:
            beside.leave()

    async def astream(
        self,
        input: Any,
        config: Config | None = None,
        *,
        context: Any = None,
        thread: str | None = None,
        stream_mode: Mode | Sequence[Mode] = "updates",
        subgraphs: bool = False,
        takeover: bool = False,
        wait: bool = False,
        **others: Never,
    ) -> AsyncIterator[Any]:
        """As `stream`, without blocking the loop."""
        refuse("stream", others)
        feed = Feed()
        projections = Projections(stream_mode, self.program.messages_key, subgraphs=subgraphs)
        execution = self.execution(input, config, context=context, thread=thread, takeover=takeover, wait=wait, feed=feed)
        task = asyncio.create_task(_closing(execution, feed))
        try:
            feed.listen()
            while not feed.is_over:
                if (waiting := feed.wait()) is not None:
                    await waiting
                for namespace, item in feed.taken():
                    for chunk in projections.of(namespace, item):
                        yield chunk
            for namespace, item in feed.rest():
                for chunk in projections.of(namespace, item):
                    yield chunk
            self.result(execution, await task)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])

    def resume(self, thread: str, answers: Any = None, config: Config | None = None, **options: Any) -> dict[str, Any]:
        """Answers the open questions of a thread and goes on: one answer where one question is open, else `{id: answer}`, in any order and
        not all at once. None goes on with a thread that was stopped. `options` are those of `invoke`. UnknownThread where there is none."""
        return self.invoke(self._resumption(thread, answers), config, thread=thread, **options)

    async def aresume(self, thread: str, answers: Any = None, config: Config | None = None, **options: Any) -> dict[str, Any]:
        """As `resume`, without blocking the loop."""
        return await self.ainvoke(self._resumption(thread, answers), config, thread=thread, **options)

    def _resumption(self, thread: str, answers: Any) -> Command[Any] | None:
        if not here(self.journal or self.own_journal(), lambda journal: journal.length(thread)):
            raise UnknownThread(thread)
        return None if answers is None else Command(resume=answers)

    def execution(
        self,
        input: Any,
        config: Config | None = None,
        *,
        context: Any = None,
        thread: str | None = None,
        feed: Feed | None = None,
        inline: bool = False,
        deadline_s: float | None = None,
        journal: Journal | None = None,
        store: Store | None = None,
        takeover: bool = False,
        wait: bool = False,
    ) -> Execution:
        """One drive of a thread, which has not begun. GraphError for a configuration that cannot be."""
        settings = dict(checked(config))
        thread = thread_of(settings, thread)
        journal = journal or self.journal
        if thread is not None and (at := position_of(settings)) is not None:
            is_answer = isinstance(input, Command) and input.resume is not None
            thread = self._branched(journal or self.own_journal(), thread, at, is_answer=is_answer)
        around = place() if is_nested(thread, journal) else None
        context = _context(self.builder.context_schema, context)
        if around is not None:
            options = self._nested(around, settings, context, feed, inline=inline)
        else:
            options = RunOptions(
                thread=thread or new_id(),
                journal=journal or (self.own_journal() if thread is not None else MemoryJournal()),
                config={**settings, "configurable": _configurable(settings, thread)} if thread else settings,
                context=context,
                store=store or self.store,
                feed=feed,
                inline=inline,
                program=self.name,
                is_own=thread is None and journal is None,
                is_leased=thread is not None,
                takeover=takeover,
                waits=wait,
            )
        options.deadline_s = deadline_s
        return Execution(self.program, input, options)

    def _branched(self, journal: Journal, thread: str, at: int, *, is_answer: bool) -> str:
        """The thread in which a run goes on that begins at a position of this one."""
        if is_answer:
            return here(journal, lambda journal: past.branch_to_answer(journal, self.program, thread, at))
        return here(journal, lambda journal: past.branch(journal, thread, at))

    def _nested(self, around: Place, settings: dict[str, Any], context: Any, feed: Feed | None, *, inline: bool) -> RunOptions:
        """The options of a run inside another: what is not given is that one's."""
        outer = around.task
        return RunOptions(
            thread=around.thread,
            journal=outer.recorder.journal,
            config=settings or outer.runtime.config,
            context=outer.runtime.context if context is None else context,
            store=self.store or outer.runtime.store,
            feed=feed or outer.recorder.feed,
            namespace=(*outer.recorder.namespace, around.namespace) if feed is None else (),
            inline=inline,
            is_own=outer.recorder.is_own,
            program=self.name,
            around=around,
        )

    def result(self, execution: Execution, ended: Ended) -> dict[str, Any]:
        """The state that a drive came to, as a caller gets it; raises what it ended with."""
        if ended.error is not None:
            raise ended.error
        if ended.limit is not None:
            raise RunLimit(ended.limit.limit, ended.limit.value, ended.limit.text)
        if ended.parent:
            raise GraphError("a Command(graph=Command.PARENT) is meant for the graph around this one, and there is none")
        if ended.status == "interrupted" and execution.options.around is not None:
            raise asked(execution.fold.questions, execution.options.around)
        values = {name: value for name, value in execution.values().items() if name in self.program.output_fields}
        if ended.status == "interrupted":
            values["__interrupt__"] = open_questions(execution.fold)
        return values

    # Asking

    def get_graph(self, config: Config | None = None, *, xray: bool | int = False) -> Picture:  # noqa: ARG002 - LangGraph's signature
        """What draws the graph."""
        return Picture(self.builder, xray=xray)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **options: Any) -> dict[str, Any]:
        """The graph's picture, for notebooks."""
        return self.get_graph()._repr_mimebundle_(include, exclude, **options)

    def __repr__(self) -> str:
        return f"<CompiledGraph {self.name!r}: {', '.join(self.program.nodes)}>"


async def _closing(execution: Execution, feed: Feed) -> Ended:
    try:
        return await execution.drive()
    finally:
        feed.close()


def _configurable(settings: Mapping[str, Any], thread: str) -> dict[str, Any]:
    """What a configuration says beside the thread, with the thread that runs: one named with a position of the past is a fork."""
    given = settings.get("configurable", {})
    if "checkpoint_id" not in given:
        return {"thread_id": thread, **given}
    return {**{key: value for key, value in given.items() if key != "checkpoint_id"}, "thread_id": thread}


def _context(schema: Any, given: Any) -> Any:
    """The context as the graph's schema has it, where a mapping was given for an object."""
    is_object = isinstance(schema, type) and not issubclass(schema, dict)
    return schema(**given) if is_object and isinstance(given, Mapping) else given


def is_nested(thread: str | None, journal: Journal | None) -> bool:
    """Whether a run is part of the one around it: it names no other thread (its caller may hand its own configuration on) and no other
    journal."""
    outer = running()
    if outer is None or (journal is not None and journal is not outer.recorder.journal):
        return False
    return thread is None or thread == thread_of(outer.runtime.config)


def open_questions(fold: Fold) -> list[Interrupt]:
    """The questions that nobody has answered yet, in the order of the calls and tasks that asked them, whichever asked first; without what
    is not to be shown of the thread."""
    places = {str(open_call.call.get("id")): place for place, open_call in enumerate(fold.open_calls)}
    asked_ = [question for question in fold.questions if not question.is_answered]
    return [
        Interrupt(fold.redaction.value(question.value), question.key)
        for question in sorted(asked_, key=lambda question: (places.get(question.base, len(places)), _task_place(question.base)))
    ]


def _task_place(base: str) -> tuple[int, ...]:
    """The numbers in a task's name; none where it is none."""
    return tuple(int(number) for number in base.split(".") if number.isdecimal())
