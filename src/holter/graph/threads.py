"""What a compiled graph does with its threads without running them. Names and meaning are LangGraph's, where it has them (1.2, seen
2026-11)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from typing import Any, TypedDict, TypeVar

from holter.errors import GraphError
from holter.graph import past
from holter.graph.program import Program
from holter.graph.runtime import Runtime
from holter.graph.snapshot import StateSnapshot
from holter.graph.thread_name import thread_name
from holter.journal.here import here
from holter.journal.journal import Journal
from holter.journal.memory import MemoryJournal
from holter.journal.store import Store
from holter.tools.drive import block_on

Value = TypeVar("Value")
Config = Mapping[str, Any]


class RunnableConfig(TypedDict, total=False):
    """A configuration, as LangGraph's programs annotate one. Whatever a program adds is handed on to its nodes and tools."""

    configurable: dict[str, Any]
    """`thread_id` and `checkpoint_id` name a thread and a position in it; the rest is the program's own."""
    recursion_limit: int
    max_concurrency: int | None
    metadata: dict[str, Any]
    tags: list[str]
    run_name: str


class Threads:
    """The threads of a graph: their states, forks, writes, answers and cancellations from outside."""

    program: Program

    def __init__(self, journal: Journal | None, store: Store | None) -> None:
        """TypeError for what is no journal."""
        if journal is not None and not hasattr(journal, "append"):
            raise TypeError(f"a journal is an object such as SQLiteJournal(path) or PostgresJournal(url), found {journal!r}")
        self.journal = journal
        self.store: Store | None = getattr(journal, "store", None) if store is None else store
        """Long-term memory; the one that lies beside the journal, where no other was given."""
        self._memory: Journal | None = None

    def own_journal(self) -> Journal:
        """The journal in memory in which threads live that are named, where the graph was given none."""
        if self._memory is None:
            self._memory = MemoryJournal()
        return self._memory

    @property
    def _threads(self) -> Journal:
        return self.journal or self.own_journal()

    def _here(self, ask: Callable[[Journal], Coroutine[Any, Any, Value]]) -> Value:
        return here(self._threads, ask)

    # States

    def get_state(self, config: Config | None = None, *, thread: str | None = None) -> StateSnapshot:
        """The state of a thread as it stands, or as it stood at the position that `checkpoint_id` names. GraphError where no thread is
        named."""
        named, at = _named(config, thread, "get_state tells the state of a thread")
        return self._here(lambda journal: past.state_at(journal, self.program, named, at))

    async def aget_state(self, config: Config | None = None, *, thread: str | None = None) -> StateSnapshot:
        """As `get_state`."""
        named, at = _named(config, thread, "get_state tells the state of a thread")
        return await past.state_at(self._threads, self.program, named, at)

    def get_state_history(
        self,
        config: Config | None = None,
        *,
        thread: str | None = None,
        filter: Mapping[str, Any] | None = None,
        before: Config | None = None,
        limit: int | None = None,
    ) -> Iterator[StateSnapshot]:
        """The states that a thread went through, one for each step, the newest first. `filter` are values of the metadata, `before` the
        configuration of a state that is not told any more, `limit` the number of states."""
        named, at = _named(config, thread, "get_state_history tells the states of a thread")
        found = self._here(lambda journal: past.history_of(journal, self.program, named, _before(before, at)))
        yield from _chosen(found, filter, limit)

    async def aget_state_history(
        self,
        config: Config | None = None,
        *,
        thread: str | None = None,
        filter: Mapping[str, Any] | None = None,
        before: Config | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[StateSnapshot]:
        """As `get_state_history`."""
        named, at = _named(config, thread, "get_state_history tells the states of a thread")
        for state in _chosen(await past.history_of(self._threads, self.program, named, _before(before, at)), filter, limit):
            yield state

    # Branches

    def fork(self, thread: str, seq: int | None = None, new_thread: str | None = None) -> str:
        """Begins a thread that shares the first `seq` events of another, all for None, and gives its id: `thread@seq`, where none is
        given. Nothing is copied. UnknownThread, ValueError for a position that is not there, JournalConflict for an id that is taken."""
        return self._here(lambda journal: past.fork(journal, thread, seq, new_thread))

    async def afork(self, thread: str, seq: int | None = None, new_thread: str | None = None) -> str:
        """As `fork`."""
        return await past.fork(self._threads, thread, seq, new_thread)

    def update_state(self, config: Config | None, values: Any, as_node: str | None = None, *, thread: str | None = None) -> dict[str, Any]:
        """Writes to the state of a thread that nobody runs, and gives the configuration that names the new state.

        `values` is what a node may return. With `as_node` the graph goes on behind that node; without, what runs next is as before. At a
        position of the past it is a fork that is written to: the configuration names its thread.
        """
        return block_on(self.aupdate_state(config, values, as_node, thread=thread))

    async def aupdate_state(
        self, config: Config | None, values: Any, as_node: str | None = None, *, thread: str | None = None
    ) -> dict[str, Any]:
        """As `update_state`."""
        named, at = _named(config, thread, "update_state writes to a thread")
        journal = self._threads
        branch = await past.branch(journal, named, at)
        runtime: Runtime[Any] = Runtime(store=self.store, config=dict(config or {}))
        return await past.update(journal, self.program, branch, values, as_node, runtime)

    # From outside

    def answer(self, thread: str, answers: Any) -> None:
        """Answers open questions of a thread, in the forms of `resume`, whoever runs it: a worker that does goes on with the answers.
        GraphError for answers that nobody asked for."""
        self._here(lambda journal: past.answer(journal, self.program, thread, answers))

    async def aanswer(self, thread: str, answers: Any) -> None:
        """As `answer`."""
        await past.answer(self._threads, self.program, thread, answers)

    def cancel(self, thread: str, reason: str = "") -> None:
        """Ends the run of a thread, whoever drives it: in its next step, and while a tool runs within 0.2 s."""
        self._here(lambda journal: past.cancel(journal, self.program, thread, reason))

    async def acancel(self, thread: str, reason: str = "") -> None:
        """As `cancel`."""
        await past.cancel(self._threads, self.program, thread, reason)


def _named(config: Config | None, thread: str | None, what: str) -> tuple[str, int | None]:
    """The thread and the position that are named. GraphError where no thread is."""
    named = thread_of(config, thread)
    if named is None:
        raise GraphError(f'{what}; name it: config={{"configurable": {{"thread_id": …}}}}')
    return named, position_of(config)


def _before(before: Config | None, at: int | None) -> int | None:
    """The first position that is not told; a configuration that names a state is told with that state."""
    stop = position_of(before)
    return stop if stop is not None else None if at is None else at + 1


def _chosen(found: list[StateSnapshot], filter: Mapping[str, Any] | None, limit: int | None) -> list[StateSnapshot]:
    wanted = (filter or {}).items()
    return [state for state in found if all(state.metadata.get(key) == value for key, value in wanted)][:limit]


def checked(config: Config | None) -> Config:
    """A configuration; an empty one for None. GraphError for what is none."""
    if config is not None and not isinstance(config, Mapping):
        raise GraphError(
            f'a configuration is a dict, as in {{"configurable": {{"thread_id": …}}}}, found {config!r}; a thread is `thread=…`'
        )
    return config or {}


def _configured(config: Config | None) -> Mapping[str, Any]:
    configurable = checked(config).get("configurable")
    return configurable if isinstance(configurable, Mapping) else {}


def thread_of(config: Config | None, thread: Any = None) -> str | None:
    """The thread that is named: by itself, or by a configuration; None when neither does. GraphError for an id that cannot be."""
    if thread is None:
        thread = _configured(config).get("thread_id")
    return None if thread is None else thread_name(thread)


def position_of(config: Config | None) -> int | None:
    """The position that a configuration names as `checkpoint_id`; None when it names none. GraphError for one that is none."""
    position = _configured(config).get("checkpoint_id")
    if position is None or (isinstance(position, int) and position >= 0):
        return position
    if isinstance(position, str) and position.isdecimal():
        return int(position)
    raise GraphError(f"a checkpoint_id is a number of events, as get_state_history tells it; found {position!r}")
