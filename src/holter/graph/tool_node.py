"""The node that runs the tools a model asked for. Thin: batches run in `holter.tools.batch`.

Input and output forms are those of LangGraph's `ToolNode` (langgraph 1.2.24, seen 2026-11).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import msgspec

from holter.graph.ending import NeedsLoop
from holter.graph.task import TaskRun, running
from holter.graph.tool_task import ToolTask
from holter.graph.update import Update, update_of
from holter.journal.event import Event, MessageAdded
from holter.journal.fold import Fold
from holter.journal.question import unknown_key
from holter.journal.store import Store
from holter.messages import AIMessage, Pairing
from holter.messages.message import Message, ToolMessage
from holter.tools import unknown
from holter.tools.arguments import RepairedCalls, repaired_calls
from holter.tools.around import check_wrappers, patterns_of
from holter.tools.batch import OnOutcome, run_batch, run_batch_here
from holter.tools.command import Command, Interruption
from holter.tools.content import cap
from holter.tools.execute import Executor, Outcome
from holter.tools.failure import ErrorHandling, handler
from holter.tools.inject import ToolRuntime
from holter.tools.plan import Policy
from holter.tools.request import ToolCallRequest, Wrapper
from holter.tools.tool import Tool, as_tool
from holter.tools.unknown import UnknownCalls

_Form: TypeAlias = Literal["list", "calls", "state"]
_Wrappers: TypeAlias = "Wrapper | Sequence[Wrapper] | None"


class _Work(msgspec.Struct, frozen=True):
    """The calls to run, and the form the results go back in."""

    calls: list[dict[str, Any]]
    form: _Form
    """Of what came in: a list of messages, of calls, or a state that holds messages."""
    state: Any
    settled: dict[str, bool] = {}
    """The tools that answered other calls of the same message, and whether all of them went well."""
    changed: AIMessage | None = None
    """The message whose calls these are, where calls were split or unpacked, so that others stand in it now."""
    repairs: list[Event] = []


class ToolNode:
    """Runs the open calls of the newest AI message and answers each of them."""

    takes_held = True
    """That the answer whose calls it runs may be written with the start of a call (`Recorder.hold`)."""

    def __init__(
        self,
        tools: Iterable[Tool | Callable[..., Any]],
        *,
        name: str = "tools",
        tags: list[str] | None = None,
        handle_tool_errors: ErrorHandling = True,
        messages_key: str = "messages",
        wrap_tool_call: _Wrappers = None,
        awrap_tool_call: _Wrappers = None,
        policy: Policy = "parallel",
        max_result_chars: int | None = None,
        window_tokens: int | None = None,
        unknown_calls: UnknownCalls = "ask",
    ) -> None:
        """`wrap_tool_call` is a wrapper or a list of them, the first outermost, synchronous or not; `awrap_tool_call` those to use
        instead where the caller is asynchronous. Given alone, either is used for both. `policy="serial"` runs one call after another.
        `window_tokens` is the model's window: one result gets a quarter of it. `unknown_calls` says what becomes of calls that were started
        when their process ended, but for those of idempotent tools, which run again: "ask" a person, run them "again", or let them "fail".

        Raises ValueError for two tools of one name, for options that cannot be, and for a wrapper that must not be put around one of the
        tools; TypeError for what is no tool or no wrapper.
        """
        self.name = name
        self.tags = tags
        self.messages_key = messages_key
        if policy not in ("parallel", "serial"):
            raise ValueError(f'policy is "parallel" or "serial", found {policy!r}')
        self.policy: Policy = policy
        if unknown_calls not in ("ask", "again", "fail"):
            raise ValueError(f'unknown_calls is "ask", "again" or "fail", found {unknown_calls!r}')
        self.unknown_calls: UnknownCalls = unknown_calls
        self.tools_by_name: dict[str, Tool] = _by_name(tools)
        self._handler = handler(handle_tool_errors)
        self._wrappers = _wrappers(wrap_tool_call) or _wrappers(awrap_tool_call)
        self._async_wrappers = _wrappers(awrap_tool_call) or self._wrappers
        wrappers, made = (*self._wrappers, *self._async_wrappers), list(self.tools_by_name.values())
        check_wrappers(wrappers, made)
        self.patterns = patterns_of(wrappers, made)
        """What is not to be shown of the threads in which the node runs, as regular expressions."""
        self._is_wrapped = bool(wrappers) or any(tool.wrappers for tool in made)
        self._max_result_chars = max_result_chars
        self._window_tokens = window_tokens
        self._executors: dict[tuple[bool, int], Executor] = {}

    def invoke(
        self,
        input: Any,
        config: Mapping[str, Any] | None = None,
        *,
        context: Any = None,
        store: Store | None = None,
        stream_writer: Callable[[Any], None] | None = None,
        emit: Callable[[Event], Awaitable[None] | None] | None = None,
        on_outcome: OnOutcome | None = None,
    ) -> Any:
        """The results, in the form of the input: a list of messages for a list of messages, `{"messages": […]}` for a state or a list
        of calls, and a list of commands and such updates where a tool gave a command. Results stand in the order of the calls. Calls
        that are answered already are not run again.

        `on_outcome` hears of each as soon as it is known. `config["max_concurrency"]` is how many may run at once.

        Raises ValueError when there is no AI message; a question that nobody has answered; and what a tool raised where
        `handle_tool_errors` does not take it, when all the others have ended.
        """
        work = self._work(input)
        executor = self._executor(self._wrappers, len(work.calls))
        requests = _requests(executor, work, _runtime(work, config, context, store, stream_writer, emit))
        return self._output(work, run_batch_here(executor, requests, on_outcome=on_outcome, **self._options(work, config)))

    async def ainvoke(
        self,
        input: Any,
        config: Mapping[str, Any] | None = None,
        *,
        context: Any = None,
        store: Store | None = None,
        stream_writer: Callable[[Any], None] | None = None,
        emit: Callable[[Event], Awaitable[None] | None] | None = None,
        on_outcome: OnOutcome | None = None,
    ) -> Any:
        """As `invoke`, without blocking the loop."""
        work = self._work(input)
        executor = self._executor(self._async_wrappers, len(work.calls))
        requests = _requests(executor, work, _runtime(work, config, context, store, stream_writer, emit))
        return self._output(work, await run_batch(executor, requests, on_outcome=on_outcome, **self._options(work, config)))

    async def run_task(self, task: TaskRun) -> Update:
        """The calls as a task of a graph: each result is in the journal as soon as it exists. See `holter.graph.task`."""
        if task.messages_key != self.messages_key:
            task.recorder.flush()
            return await self._run_whole(task)
        work = self._work_of(task)
        if task.fold.has_held:
            work = self._left(work, task)
        executor = self._task_executor(len(work.calls), is_sync=task.is_sync)
        is_here = task.is_sync and len(work.calls) == 1 and executor.is_inline_call(work.calls[0])
        if task.is_inline and work.calls and not is_here:
            raise NeedsLoop
        if len(work.calls) != 1 or work.state is not None:
            task.recorder.flush()  # else the start of the call is the first that anybody sees, and is written with what is held
        if work.changed is not None or work.repairs:
            self._say(work, task)
        tasks = ToolTask(task, len(work.calls))
        if task.recorder.has_open_calls:
            work = self._decided(work, tasks, task)
        if task.fold.asked:
            work = self._not_waiting(work, tasks, task)
        requests = self._task_requests(executor, work, task)
        answers = _answers(work.calls, task)
        if len(requests) == 1 and not (requests[0].tool is not None and requests[0].tool.after):
            tasks.ended(0, await executor.run(requests[0], answers.get(0, ()), inline=is_here))
        elif requests:
            options: dict[str, Any] = {"policy": self.policy, "settled": work.settled, "limit": task.limit}
            await run_batch(executor, requests, on_outcome=tasks.ended, answers=answers, **options)
        tasks.check()
        return Update([], [], tasks.parent, is_shown=tasks.is_shown and bool(requests))

    def _work_of(self, task: TaskRun) -> _Work:
        """The calls to run. The state is made only where a wrapper or a tool looks at it."""
        if task.has_own_input:
            return self._work(task.input)
        messages = task.fold.settled.history.since_answer()
        if not messages:
            return self._work(task.input)
        calls = messages[0].tool_calls if isinstance(messages[0], AIMessage) else []
        if calls is task.recorder.clean_calls and len(messages) == 1:
            work = _Work(calls, "state", None)
        else:
            work = self._of_messages(messages, "state", None)
        return msgspec.structs.replace(work, state=task.input) if self._looks_at_state(work.calls) else work

    def _looks_at_state(self, calls: Sequence[dict[str, Any]]) -> bool:
        """Whether something that runs the calls may look at the state."""
        if self._is_wrapped:
            return True
        for call in calls:
            tool = self.tools_by_name.get(str(call.get("name")))
            if tool is not None and tool.injections:
                return True
        return False

    async def _run_whole(self, task: TaskRun) -> Update:
        """Where the state's messages are no list that the journal keeps, the results are one update."""
        if task.is_inline:
            raise NeedsLoop
        around = task.runtime
        returned = await self.ainvoke(
            task.input, around.config, context=around.context, store=around.store, stream_writer=around.stream_writer, emit=task.record
        )
        return update_of(task.node, returned, task.program.fields)

    def _left(self, work: _Work, task: TaskRun) -> _Work:
        """The work without the calls that were answered before the run was cut off."""
        held = {message.tool_call_id for message in task.fold.held}
        return msgspec.structs.replace(work, calls=[call for call in work.calls if call.get("id") not in held])

    def _decided(self, work: _Work, tasks: ToolTask, task: TaskRun) -> _Work:
        """The work without the calls that were started by a process that ended, and are not to run again: a person is asked, or has said
        what became of them."""
        left: list[dict[str, Any]] = []
        for at, call in enumerate(work.calls):
            fate = self._fate(call, task.fold)
            if fate is None:
                left.append(call)
            elif isinstance(fate, ToolMessage):
                tasks.ended(at, Outcome(call, fate, failed=fate.status == "error"))
            else:
                tasks.ended(at, Outcome(call, error=fate))
        return msgspec.structs.replace(work, calls=left)

    def _fate(self, call: dict[str, Any], fold: Fold) -> ToolMessage | Interruption | None:
        """What becomes of a call without being run: its result, or the question what became of it. None where it is to run."""
        open_call = fold.call(call.get("id"))
        tool = self.tools_by_name.get(str(call.get("name")))
        if open_call is None or not open_call.is_unknown or (tool is not None and tool.idempotent):
            return None
        call_id, attempts = str(call.get("id")), open_call.attempts
        asked = fold.unknown(call_id, attempts)
        said = unknown.verdict(asked.answer) if asked is not None and asked.is_answered else None
        match "ask" if said is None and asked is not None else self.unknown_calls if said is None else said.way:
            case "again":
                return None
            case "fail":
                return unknown.not_known(call, None if said is None else said.value)
            case "result":
                return unknown.result_of(call, None if said is None else said.value)
            case _:
                return Interruption(unknown_key(call_id, attempts), unknown.question(call, attempts))

    @staticmethod
    def _not_waiting(work: _Work, tasks: ToolTask, task: TaskRun) -> _Work:
        """The work without the calls whose questions nobody has answered since; these are asked again as they stand."""
        open_ = [question for question in task.fold.questions if not question.is_answered]
        left: list[dict[str, Any]] = []
        for at, call in enumerate(work.calls):
            call_id = str(call.get("id"))
            if task.fold.waits(call_id):
                tasks.wait(at, [(question.key, question.value) for question in open_ if question.base == call_id])
            else:
                left.append(call)
        return msgspec.structs.replace(work, calls=left)

    @staticmethod
    def _say(work: _Work, task: TaskRun) -> None:
        """Puts the repairs into the journal, and the message with the repaired calls."""
        changed = [] if work.changed is None else [MessageAdded(message=work.changed, task=task.name if task.is_shared else None)]
        task.record(*work.repairs, *changed)

    def _task_requests(self, executor: Executor, work: _Work, task: TaskRun) -> list[ToolCallRequest]:
        requests: list[ToolCallRequest] = []
        for call in work.calls:
            requests.append(executor.request_with(call, self._task_runtime(call, task, work)))
        return requests

    def _task_runtime(self, call: dict[str, Any], task: TaskRun, work: _Work) -> ToolRuntime[Any, Any]:
        runtime = task.tool_runtime(call.get("id"), work.state)
        if self._is_wrapped:
            runtime.asked = partial(task.asked_before, runtime.tool_call_id)
        return runtime

    def _task_executor(self, calls: int, *, is_sync: bool) -> Executor:
        """What runs so many calls of a task; made once for each number, since nothing in it changes."""
        key = (is_sync, calls)
        made = self._executors.get(key)
        if made is None:
            made = self._executors[key] = self._executor(self._wrappers if is_sync else self._async_wrappers, calls)
        return made

    def _executor(self, wrappers: Sequence[Wrapper], calls: int) -> Executor:
        is_own = self._max_result_chars is not None
        chars = cap(self._window_tokens, calls) if self._max_result_chars is None else self._max_result_chars
        in_bytes = self._window_tokens is not None and not is_own
        return Executor(self.tools_by_name, wrappers, self._handler, chars, in_bytes, self.messages_key)

    def _options(self, work: _Work, config: Mapping[str, Any] | None) -> dict[str, Any]:
        limit = (config or {}).get("max_concurrency")
        return {"policy": self.policy, "settled": work.settled, "limit": limit, "answers": _answers(work.calls, running())}

    def _work(self, given: Any) -> _Work:
        if isinstance(given, list) and given and isinstance(given[-1], dict) and given[-1].get("type") == "tool_call":
            return self._of_calls(given, {})
        if isinstance(given, list):
            return self._of_messages(given, "list", given)
        if isinstance(given, Mapping) and given.get("__type") == "tool_call_with_context":
            return self._of_calls([given["tool_call"]], given.get("state"))
        messages = given.get(self.messages_key) if isinstance(given, Mapping) else getattr(given, self.messages_key, None)
        if not messages:
            raise ValueError(
                f"there is no message to take calls from: the input, a {type(given).__name__}, has nothing under {self.messages_key!r}"
            )
        return self._of_messages(list(messages), "state", given)

    def _of_calls(self, calls: list[dict[str, Any]], state: Any) -> _Work:
        made = repaired_calls(AIMessage(tool_calls=calls), self.tools_by_name)
        return _Work(made.calls, "calls", state, repairs=list(made.repairs))

    def _of_messages(self, messages: list[Message], form: _Form, state: Any) -> _Work:
        at = next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], AIMessage)), None)
        if at is None:
            raise ValueError(f"nobody called a tool: there is no AIMessage among the messages ({_kinds(messages)})")
        message = messages[at]
        assert isinstance(message, AIMessage)
        made = repaired_calls(message, self.tools_by_name)
        is_changed = len(made.calls) != len(message.calls)
        if at == len(messages) - 1:
            return _Work(made.calls, form, state, {}, made.message if is_changed else None, list(made.repairs))
        results = _results(messages[at:], made, is_changed=is_changed)
        settled: dict[str, bool] = {}
        for call, result in zip(made.calls, results, strict=True):
            if result is not None:
                name = str(call.get("name"))
                settled[name] = settled.get(name, True) and result.status == "success"
        open_calls = [call for call, result in zip(made.calls, results, strict=True) if result is None]
        return _Work(open_calls, form, state, settled, made.message if is_changed else None, list(made.repairs) if open_calls else [])

    def _output(self, work: _Work, outcomes: list[Outcome]) -> Any:
        errors = [outcome.error for outcome in outcomes if outcome.error is not None]
        if errors:
            raise min(errors, key=_urgency)
        results: list[Any] = [] if work.changed is None else [work.changed]
        for outcome in outcomes:
            results += outcome.result if isinstance(outcome.result, list) else [outcome.result]
        if not any(isinstance(result, Command) for result in results):
            return results if work.form == "list" else {self.messages_key: results}
        return [result if isinstance(result, Command) else self._update(result, work.form) for result in results]

    def _update(self, message: Message, form: _Form) -> Any:
        return [message] if form == "list" else {self.messages_key: [message]}


def _by_name(tools: Iterable[Tool | Callable[..., Any]]) -> dict[str, Tool]:
    if isinstance(tools, Tool) or not isinstance(tools, Iterable):
        raise TypeError(f"the tools of a ToolNode are a list, found {tools!r}")
    found: dict[str, Tool] = {}
    for tool in map(as_tool, tools):
        if found.setdefault(tool.name, tool) is not tool:
            raise ValueError(f"two tools have the name {tool.name!r}; the model could call only one of them")
    return found


def _wrappers(given: _Wrappers) -> tuple[Wrapper, ...]:
    if given is None:
        return ()
    made: tuple[Any, ...] = tuple(given) if isinstance(given, Sequence) else (given,)
    if wrong := [wrapper for wrapper in made if not callable(wrapper)]:
        raise TypeError(f"a wrapper is a function (request, execute), found {wrong[0]!r}")
    return made


def _requests(executor: Executor, work: _Work, runtime: ToolRuntime[Any, Any]) -> list[ToolCallRequest]:
    return [executor.request(call, runtime) for call in work.calls]


def _runtime(
    work: _Work,
    config: Mapping[str, Any] | None,
    context: Any,
    store: Store | None,
    stream_writer: Callable[[Any], None] | None,
    emit: Callable[[Event], Awaitable[None] | None] | None,
) -> ToolRuntime[Any, Any]:
    runtime: ToolRuntime[Any, Any] = ToolRuntime(state=work.state, context=context, config=dict(config or {}), store=store)
    if stream_writer is not None:
        runtime.stream_writer = stream_writer
    if emit is not None:
        runtime.emit = emit
    for repair in work.repairs:
        runtime.emit(repair)
    return runtime


def _answers(calls: Sequence[dict[str, Any]], task: TaskRun | None) -> dict[int, Sequence[Any]]:
    """The answers to what the calls of a task asked before, by their places; they begin again. None outside of a graph."""
    found: dict[int, Sequence[Any]] = {}
    if task is not None and task.fold.asked:
        for at, call in enumerate(calls):
            call_id = str(call.get("id"))
            found[at] = task.fold.answers(call_id)
            task.fold.begins(call_id)
    return found


def _results(messages: list[Message], made: RepairedCalls, *, is_changed: bool) -> list[ToolMessage | None]:
    """For each call of the first message the result that stands behind it; by the ids, where the calls are not the message's own."""
    if is_changed:
        by_id = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
        return [by_id.get(call.get("id")) for call in made.calls]
    found = [messages[ref.result] if ref.result is not None else None for ref in Pairing(messages).of(0)]
    return [message if isinstance(message, ToolMessage) else None for message in found]


def _kinds(messages: Sequence[Any]) -> str:
    names = dict.fromkeys(f"{type(message).__module__.split('.')[0]}.{type(message).__name__}" for message in messages)
    return ", ".join(names) or "an empty list"


def _urgency(error: BaseException) -> int:
    """What is raised where there are several: Ctrl-C first, a question last."""
    return 2 if isinstance(error, Interruption) else 1 if isinstance(error, Exception) else 0
