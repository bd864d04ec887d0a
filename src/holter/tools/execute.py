"""Runs one call: through its wrappers to its function, and back to the message that answers it.

Exceptions and timeouts travel through `execute` to the wrappers, since a retry must see them, and become data outside the outermost
one. Questions (`Interruption`), cancellation and Ctrl-C always pass.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from holter.errors import ArgumentError, ToolError, ToolExit
from holter.journal.event import ToolFailed, ToolStarted
from holter.messages import HumanMessage, ToolMessage
from holter.tools.approval import Decision, asked, declined
from holter.tools.chain import chained, is_async
from holter.tools.command import Command, Interruption, Seat, seat
from holter.tools.declaration import Declaration
from holter.tools.drive import block_on, is_cancelled
from holter.tools.enter import entering
from holter.tools.failure import Handler, exception_text, failed, handler, traceback_text
from holter.tools.inject import ToolRuntime, injected
from holter.tools.naming import is_wrapper, unknown_tool_text
from holter.tools.outcome import ResultLimit, answered, messages_of
from holter.tools.request import Result, ToolCallRequest, Wrapper
from holter.tools.validation import problem_text


class Outcome(msgspec.Struct):
    """What became of one call."""

    call: dict[str, Any]
    result: Result | None = None
    error: BaseException | None = None
    """What was raised on: a question, Ctrl-C, or an exception that is not to be handled."""
    failed: bool = False
    """Whether nothing good came of the call."""

    @property
    def is_open(self) -> bool:
        """Whether the call was not even started, because one that it needs asks a question first."""
        return self.result is None and self.error is None


_AS_DATA = handler(True)


@dataclass(slots=True)
class Executor:
    """Runs the calls of some tools, all in the same way."""

    tools: Mapping[str, Declaration]
    wrappers: Sequence[Wrapper] = ()
    """Outermost first."""
    handler: Handler = _AS_DATA
    max_result_chars: int = 100_000
    is_cut_in_bytes: bool = False
    """Whether `max_result_chars` counts bytes of UTF-8: a share of a model's window."""
    messages_key: str = "messages"
    limit: ResultLimit = field(init=False)
    """How long a result may be."""
    _asked: list[str] | None = None
    """The tools of the calls that `request` was asked for."""

    def __post_init__(self) -> None:
        self.limit = ResultLimit(self.max_result_chars, self.is_cut_in_bytes)

    def request(self, call: dict[str, Any], runtime: ToolRuntime[Any, Any]) -> ToolCallRequest:
        """The request that a call begins as. Wrappers get a copy of the call: what they change is no part of the history."""
        own = ToolRuntime(
            runtime.state,
            runtime.context,
            runtime.config,
            call.get("id"),
            runtime.stream_writer,
            runtime.store,
            1,
            runtime.idempotency_key or call.get("id"),
            runtime.emit,
            self._count(call, runtime),
        )
        return self.request_with(call, own)

    def request_with(self, call: dict[str, Any], runtime: ToolRuntime[Any, Any]) -> ToolCallRequest:
        """As `request`, with a runtime that is this call's own."""
        tool = self.tool_of(call)
        is_wrapped = self.wrappers or (tool is not None and tool.wrappers)
        return ToolCallRequest(deepcopy(call) if is_wrapped else call, tool, runtime.state, runtime)

    def _count(self, call: Mapping[str, Any], runtime: ToolRuntime[Any, Any]) -> Callable[[], Mapping[str, int]]:
        """Counts the call, and gives what says how many of each tool stand before it. Without an engine that knows, those are the calls
        that were answered since the newest human message."""
        names = self._asked = [] if self._asked is None else self._asked
        place = len(names)
        names.append(str(call.get("name")))
        base = runtime.asked or (lambda: answered_since_input(runtime.state, self.messages_key))
        return lambda: Counter(names[:place]) + Counter(base())

    def tool_of(self, call: Mapping[str, Any]) -> Declaration | None:
        """The tool that a call names; None when there is none."""
        name = call.get("name")
        return self.tools.get(name) if isinstance(name, str) else None

    def is_inline(self, request: ToolCallRequest) -> bool:
        """Whether nothing about the call is asynchronous, so that it can run on the caller's own thread."""
        return self._is_inline(request.tool)

    def is_inline_call(self, call: Mapping[str, Any]) -> bool:
        """As `is_inline`, of a call that is no request yet."""
        return self._is_inline(self.tool_of(call))

    def _is_inline(self, tool: Declaration | None) -> bool:
        if tool is not None and tool.is_async:
            return False
        own = tool.wrappers if tool is not None else ()
        return not (self.wrappers or own) or not any(map(is_async, (*self.wrappers, *own)))

    async def run(self, request: ToolCallRequest, answers: Sequence[Any] = (), *, inline: bool = False) -> Outcome:
        """What becomes of one call. Only cancellation is raised: what else must go on up stands in the outcome.

        `answers` are those to the questions that the call asked before, in their order.
        """
        request = self.before(request)
        call = request.tool_call
        attempts = _Attempts(self, call)
        token = seat.set(Seat(call.get("id") or call.get("name") or "", answers, seat.get()))
        try:
            if self.wrappers:
                result = await chained(self.wrappers, attempts.wrapped, inline=inline)(request)
            elif request.tool is not None and request.tool.wrappers:
                result = await attempts.wrapped(request, inline)
            else:
                result = await attempts.next(request, inline)
            has_failed = result.status == "error" if isinstance(result, ToolMessage) else _is_failure(result, self.messages_key)
            return self.after(Outcome(call, result, failed=has_failed), request)
        except Exception as error:  # noqa: BLE001 - this is where a tool's exceptions become data
            attempts.report(error, request)
            return self.after(self._handled(error, call), request)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                if is_cancelled():
                    raise
                return self.after(self._handled(_cancelled_inside(error), call), request)
            return Outcome(call, error=error, failed=True)  # the batch's other results stand; whoever asked for them raises this on
        finally:
            seat.reset(token)

    def before(self, request: ToolCallRequest) -> ToolCallRequest:
        """The request that is run: this one. Whoever knows more of the thread overrides it."""
        return request

    def after(self, outcome: Outcome, request: ToolCallRequest) -> Outcome:  # noqa: ARG002 - for whoever overrides it
        """What became of the call, as it is handed on: as it is. Whoever knows more of the thread overrides it."""
        return outcome

    def _handled(self, error: Exception, call: dict[str, Any]) -> Outcome:
        try:
            message = self.handler(error, call)
        except Exception as raised:  # noqa: BLE001 - a handler of the user's own
            return Outcome(call, error=raised, failed=True)
        return Outcome(call, message, None if message is not None else error, failed=True)


class _Attempts:
    """The tries of one call: `execute` may be called never, once or often."""

    __slots__ = ("_count", "_executor", "_granted", "_id", "_reported")

    def __init__(self, executor: Executor, call: Mapping[str, Any]) -> None:
        self._executor = executor
        self._id = call.get("id")
        self._count = 0
        self._granted: Decision | None = None
        self._reported: list[BaseException] = []

    async def wrapped(self, request: ToolCallRequest, inline: bool) -> Result:
        """As `next`, through the wrappers that the tool itself has."""
        tool = request.tool or self._executor.tool_of(request.tool_call)
        if tool is None or not tool.wrappers:
            return await self.next(request, inline)
        request = request if request.tool is tool else request.override(tool=tool)
        if inline and any(map(is_async, tool.wrappers)):
            return block_on(_awaited(chained(tool.wrappers, self.next, inline=False)(request)))
        return await chained(tool.wrappers, self.next, inline=inline)(request)

    async def next(self, request: ToolCallRequest, inline: bool) -> Result:
        """Checks the arguments and enters the function; what it raises is raised on. A name or arguments that do not fit are a
        message."""
        executor = self._executor
        call = request.tool_call if request.tool_call.get("id") == self._id else {**request.tool_call, "id": self._id}
        tool = request.tool or executor.tool_of(call)
        if tool is None or call.get("type") == "invalid_tool_call":
            return failed(call, _refusal(call, tool, executor.tools))
        attempt = self._count + 1
        runtime = request.runtime if attempt == 1 else replace(request.runtime, attempt=attempt)
        try:
            kwargs = arguments_of(tool, call.get("args") or {}, runtime, executor.messages_key)
            if tool.needs_approval:
                granted = self._decided(tool, call)
                if not granted.grant:
                    return failed(call, declined(tool.name, granted))
                if granted.args is not None:
                    kwargs = arguments_of(tool, granted.args, runtime, executor.messages_key)
        except ArgumentError as error:
            return failed(call, str(error))
        self._count = attempt
        flushing = runtime.emit(ToolStarted(call_id=self._id, name=tool.name, attempt=attempt))
        if flushing is not None and not inline:
            await flushing
        try:
            value = await entering(tool, kwargs, runtime.stream_writer, inline=inline)
            return answered(tool, self._id, value, runtime.emit, executor.limit, executor.messages_key)
        except BaseException as error:
            raised = _passed(error, tool.name)
            if not isinstance(raised, Interruption):
                self.report(raised, request, tool.name, attempt)
            if raised is error:
                raise
            raise raised from error

    def _decided(self, tool: Declaration, call: Mapping[str, Any]) -> Decision:
        """What a person said of the call; asked once, however often it is tried."""
        if self._granted is None:
            self._granted = asked(tool.name, call, tool.asks_because)
        return self._granted

    def report(self, error: BaseException, request: ToolCallRequest, name: str | None = None, attempt: int | None = None) -> None:
        """Puts an exception into the journal, once."""
        if any(error is known for known in self._reported):
            return
        self._reported.append(error)
        request.runtime.emit(
            ToolFailed(
                call_id=self._id,
                name=name or str(request.tool_call.get("name")),
                attempt=attempt or max(self._count, 1),
                error=exception_text(error),
                traceback=traceback_text(error),
                unknown=bool(getattr(error, "unknown", False)) or isinstance(error, asyncio.CancelledError),
            )
        )


async def _awaited(body: Awaitable[Result]) -> Result:
    return await body


def _passed(error: BaseException, tool: str) -> BaseException:
    """What is raised on for an exception of a tool: the question inside a group of a task group; a failure where something that the tool
    waited for was cancelled, and not the call, and where it tried to end the process."""
    if isinstance(error, SystemExit):
        return _because(ToolExit(tool, error.code), error)
    if isinstance(error, asyncio.CancelledError) and not is_cancelled():
        return _cancelled_inside(error)
    while isinstance(error, BaseExceptionGroup) and (questions := error.subgroup(Interruption)) is not None:
        error = questions.exceptions[0]
    return error


def _cancelled_inside(error: BaseException) -> ToolError:
    return _because(ToolError("something that it waited for was cancelled"), error)


def _because(failure: ToolError, error: BaseException) -> ToolError:
    failure.__cause__ = error
    return failure


def _refusal(call: Mapping[str, Any], tool: Declaration | None, tools: Mapping[str, Declaration]) -> str:
    """Why a call is not run."""
    name = call.get("name")
    if tool is None and not (is_wrapper(name) and "error" in call):
        return unknown_tool_text(name, tools)
    return f"Error: {name} was not run: {_sentence(str(call.get('error')))} Send the call again, with one JSON object as arguments."


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def answered_since_input(state: Any, messages_key: str) -> Counter[str]:
    """How many calls of each tool the messages of a state answer since the newest human message."""
    messages = state.get(messages_key) if isinstance(state, Mapping) else getattr(state, messages_key, state)
    found: Counter[str] = Counter()
    for message in reversed(messages) if isinstance(messages, list | tuple) else ():
        if isinstance(message, HumanMessage):
            break
        if isinstance(message, ToolMessage):
            found[str(message.name)] += 1
    return found


def _is_failure(result: Result, messages_key: str) -> bool:
    items = result if isinstance(result, list) else [result]
    messages = [message for item in items for message in (messages_of(item, messages_key) if isinstance(item, Command) else [item])]
    return any(isinstance(message, ToolMessage) and message.status == "error" for message in messages)


def arguments_of(
    tool: Declaration, args: Mapping[str, Any], runtime: ToolRuntime[Any, Any], messages_key: str = "messages"
) -> dict[str, Any]:
    """The function's keyword arguments: the model's, checked, and what the runtime injects. What the model says of an injected one is
    ignored.

    Raises ArgumentError with all that is wrong, and InjectionError where the runtime has nothing to give.
    """
    injections = tool.injections
    checked = tool.parameters.check(_without(args, injections) if injections and isinstance(args, dict) else args)
    if checked.problems:
        text = problem_text(tool.name, checked.problems, tool.parameters.names)
        raise ArgumentError(text, tuple((problem.path, problem.text) for problem in checked.problems))
    for coercion in checked.coercions:
        runtime.emit(coercion.event(runtime.tool_call_id))
    return {**checked.values, **injected(injections, runtime, messages_key)} if injections else checked.values


def _without(args: dict[str, Any], names: Container[str]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name not in names}
