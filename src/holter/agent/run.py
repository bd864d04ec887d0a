"""One run of an agent: how it ended, what came of it, and, while it goes on, what happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from holter.agent.meter import Meter
from holter.agent.structured import AnswerForm
from holter.agent.tools import newest_results
from holter.agent.total import total_usage
from holter.errors import GraphError, UnfitAnswer
from holter.graph.compiled import open_questions
from holter.graph.ending import Ended, Status
from holter.graph.engine import Execution, run_here
from holter.graph.feed import Custom, Delta, Feed, Namespace
from holter.graph.nested import asked
from holter.graph.snapshot import Interrupt
from holter.journal.entry import Entry
from holter.journal.journal import Journal
from holter.journal.redaction import Redaction
from holter.messages import AIMessage, Conversation, Message, ToolSpec
from holter.messages.usage import UsageMetadata
from holter.models.drive import Beside
from holter.tools.tool import Tool

_SHOWN = frozenset((Entry, Delta, Custom))
"""What a stream gives."""


class Run:
    """One run of an agent.

    One that is streamed goes on in the background, whether somebody reads it or not: `for` or `async for` gives what happens, and whatever
    else is asked of it waits for the end. On an event loop `await run` first: nothing can wait there.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_began",
        "_beside",
        "_end",
        "_execution",
        "_feed",
        "_form",
        "_offered",
        "_seconds",
        "_subgraphs",
        "_task",
        "_tools",
        "journal",
        "meter",
        "thread",
    )

    def __init__(
        self,
        execution: Execution,
        meter: Meter,
        form: AnswerForm | None,
        tools: Mapping[str, Tool],
        offered: Sequence[ToolSpec],
        *,
        subgraphs: bool = False,
    ) -> None:
        self.thread: str = execution.options.thread
        """The thread's id. One that the caller did not name can be gone on with as long as the run is kept."""
        self.journal: Journal = execution.options.journal
        """Where the thread's events stand."""
        self._execution = execution
        self.meter = meter
        """What the run has used so far."""
        self._form = form
        self._tools = tools
        self._offered = offered
        self._subgraphs = subgraphs
        self._began = monotonic()
        self._seconds: float | None = None
        self._end: Ended | None = None
        self._beside: Beside[Ended] | None = None
        self._task: asyncio.Task[Ended] | None = None
        feed, around = execution.options.feed, execution.options.around
        self._feed: Feed | None = None if around is not None and feed is around.task.recorder.feed else feed
        """What it can be read from: not what the run around it is read from, into which it speaks where it has none of its own."""

    # Driving

    def drive_here(self) -> None:
        """Runs it to its end on this thread. Raises what it ends with (see `ended`)."""
        self.take_end(run_here(self._execution))

    def driving(self) -> Coroutine[Any, Any, Ended]:
        """What drives it on a loop, for `take_end`."""
        return self._execution.drive()

    def take_end(self, ended: Ended) -> None:
        """Takes in how it ended. Raises what it ends with (see `ended`)."""
        self._end, self._seconds = ended, monotonic() - self._began
        self.check()

    async def _driven(self) -> Ended:
        try:
            self._end = await self._execution.drive()
            return self._end
        finally:
            self._seconds = monotonic() - self._began
            if self._feed is not None:
                self._feed.close()

    def begin_beside(self) -> None:
        """Runs it in another thread."""
        self._execution.enter_loop()
        self._beside = Beside(self._driven())

    def begin(self) -> None:
        """Runs it as a task of this loop."""
        self._task = asyncio.get_running_loop().create_task(self._driven())
        self._task.add_done_callback(_looked_at)

    def cancel(self) -> None:
        """Ends it, where it goes on still; its history stays valid. Does not wait."""
        if self._beside is not None:
            self._beside.cancel()
        if self._task is not None:
            self._task.cancel()

    def _ended(self) -> Ended:
        if self._end is None and self._beside is not None:
            self._end = self._beside.result()
        if self._end is None and self._task is not None and self._task.done():
            self._end = self._task.result()
        if self._end is None:
            raise RuntimeError(
                "the run has not ended, and nothing can wait for it on an event loop; `await run` first, or read it to its end"
            )
        return self._end

    def check(self) -> None:
        """Raises what ended the run, where that is no end of an agent: an exception of the model, a node or a tool, a cancellation; in a
        run inside another one its open questions, which the run around asks."""
        ended = self._ended()
        if ended.status in ("failed", "cancelled") and ended.error is not None and not isinstance(ended.error, UnfitAnswer):
            raise ended.error
        if ended.parent:
            raise GraphError("a Command(graph=Command.PARENT) is meant for the graph around this agent, and there is none")
        around = self._execution.options.around
        if ended.status == "interrupted" and around is not None:
            raise asked(self._execution.fold.questions, around)

    # What happens

    def __iter__(self) -> Iterator[Any]:
        """Entries of the journal, deltas of answers and what tools send, as they come; of a stream with `subgraphs` pairs
        (namespace, item), those of runs inside this one included. In the end what ended the run is raised, as `run` does."""
        yield from self._shown(self._items())
        self.check()

    async def __aiter__(self) -> AsyncIterator[Any]:
        """As `for`, on a loop."""
        feed = self._items()
        feed.listen()
        while not feed.is_over:
            if (waiting := feed.wait()) is not None:
                await waiting
            for item in self._shown(feed.taken()):
                yield item
        for item in self._shown(feed.rest()):
            yield item
        await self

    def _shown(self, items: Iterable[tuple[Namespace, Any]]) -> Iterator[Any]:
        """What a reader gets of the items."""
        for namespace, item in items:
            if item.__class__ in _SHOWN and (self._subgraphs or not namespace):
                yield (namespace, item) if self._subgraphs else item

    def __await__(self) -> Generator[Any, None, Run]:
        """Waits for the end, and raises what ended the run, as `arun` does."""
        if self._task is not None:
            yield from asyncio.wait([self._task]).__await__()
        self.check()
        return self

    def _items(self) -> Feed:
        if self._feed is None:
            raise TypeError("this run was not streamed, so there is nothing to read; use stream or astream, or look at run.messages")
        return self._feed

    # What came of it

    @property
    def status(self) -> Status:
        """ "done", "interrupted" (questions are open), "limit", "failed" (the answer cannot be used), "cancelled"."""
        return self._ended().status

    @property
    def error(self) -> BaseException | None:
        """Why a run failed, or was cancelled."""
        return self._ended().error

    @property
    def limit(self) -> str | None:
        """Which limit ended the run, and where, as a sentence; None where none did."""
        limit = self._ended().limit
        return None if limit is None else limit.text or f"The run was stopped by its limit {limit.limit!r}."

    @property
    def answer(self) -> Any:
        """The final answer: its text, or the value of the type that was asked for. The result of a tool with `return_direct`, where that
        is the answer. None where there is none: after a question, a limit before an answer, a failure."""
        if self._ended().status not in ("done", "limit"):
            return None
        messages = self.messages
        last = messages[-1] if messages else None
        if isinstance(last, AIMessage):
            return None if last.calls else self._value(last)
        _, results = newest_results(messages)
        is_direct = self._ended().status == "done" and bool(results)
        return "\n\n".join(result.text for result in results) if is_direct else None

    def _value(self, message: AIMessage) -> Any:
        text = message.text or str(message.additional_kwargs.get("refusal") or "")
        return text if self._form is None else self._form.read(text).value

    @property
    def messages(self) -> list[Message]:
        """All messages of the thread, oldest first."""
        self._ended()
        return self._execution.fold.messages()

    @property
    def state(self) -> dict[str, Any]:
        """The whole state, messages included."""
        self._ended()
        return self._execution.values()

    @property
    def interrupts(self) -> list[Interrupt]:
        """The questions that wait for an answer: `agent.resume(run.thread, {interrupt.id: answer})`."""
        self._ended()
        return open_questions(self._execution.fold)

    @property
    def usage(self) -> UsageMetadata:
        """The tokens of this run's answers, added up; runs inside it count for themselves."""
        self._ended()
        return total_usage(self.meter.usages)

    @property
    def cost_usd(self) -> float | None:
        """What they cost, in US dollars, where a limit asks for it and every price is known."""
        self._ended()
        return self.meter.cost_usd if self.meter.limits.cost_usd is not None and self.meter.unpriced is None else None

    @property
    def steps(self) -> int:
        """How often a model was asked."""
        self._ended()
        return self.meter.steps

    @property
    def seconds(self) -> float:
        """How long it took."""
        self._ended()
        return self._seconds or 0.0

    @property
    def redaction(self) -> Redaction:
        """What is not to be shown of the thread. `messages`, `state` and `answer` hold it, what is streamed, asked and shown does not."""
        return self._execution.fold.redaction

    def conversation(self) -> Conversation:
        """The thread as `holter.read` would give it, for `holter.write` and for whatever looks at logs; without what is not to be shown."""
        return Conversation(
            format="holter.journal",
            messages=self.redaction.value(self.messages),
            tools=list(self._offered),
            tools_known=True,
            source=self.thread,
        )

    def show(self, *, width: int | None = None, full: bool = False) -> None:
        """Prints the flow as `holter show` does; `full` shows long texts whole."""
        from rich.console import Console  # here, so that an agent that shows nothing does not load it

        from holter.render.text import timeline
        from holter.render.view import View

        console = Console(width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)
        for piece in timeline(self.conversation(), View(width=max(width or console.width, 40), whole=full)):
            console.print(piece)
        if (end := self._said()) is not None:
            console.print(self.redaction.text(end))

    def _said(self) -> str | None:
        """How it ended, where that is not plain from the messages."""
        if self.limit is not None:
            return self.limit
        if self.error is not None:
            return f"The run failed: {self.error}"
        keys = ", ".join(question.id for question in self.interrupts)
        return f"The run waits for answers: {keys}" if keys else None

    def __repr__(self) -> str:
        said = f"<Run of {self._execution.program.name} in thread {self.thread}"
        if self._end is None:
            return f"{said}: goes on>"
        return f"{said}: {self.status}, {len(self.messages)} messages, {self.seconds:.2f} s>"


def _looked_at(task: asyncio.Task[Any]) -> None:
    """The end is told by the run; a task that nobody awaited is no warning."""
    if not task.cancelled():
        with suppress(BaseException):
            task.exception()
