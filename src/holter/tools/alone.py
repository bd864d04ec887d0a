"""A tool run by itself, outside any graph: in a test, or in a program of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from holter.errors import ArgumentError, ToolError
from holter.messages import AIMessage, ToolMessage
from holter.tools.arguments import repaired_calls
from holter.tools.declaration import Declaration
from holter.tools.drive import block_on, drive
from holter.tools.enter import enter
from holter.tools.execute import Executor, Outcome, arguments_of
from holter.tools.failure import handler
from holter.tools.inject import ToolRuntime
from holter.tools.request import ToolCallRequest

Runtime = ToolRuntime[Any, Any] | None


def invoke(tool: Declaration, given: str | Mapping[str, Any], config: Mapping[str, Any] | None, runtime: Runtime) -> Any:
    """See `Tool.invoke`."""
    if is_call(given):
        executor, request = _request(tool, given, _runtime(config, runtime))
        inline = executor.is_inline(request)
        return _result(drive(executor.run(request, inline=True)) if inline else block_on(executor.run(request)))
    if tool.wrappers:
        executor, request = _wrapped_request(tool, given, _runtime(config, runtime))
        inline = executor.is_inline(request)
        return _content_of(drive(executor.run(request, inline=True)) if inline else block_on(executor.run(request)))
    kwargs, here = _entering(tool, given, config, runtime)
    body = enter(tool, kwargs, here.stream_writer, inline=not tool.is_async)
    return _content(tool, block_on(body) if tool.is_async else drive(body))


async def ainvoke(tool: Declaration, given: str | Mapping[str, Any], config: Mapping[str, Any] | None, runtime: Runtime) -> Any:
    """See `Tool.ainvoke`."""
    if is_call(given):
        executor, request = _request(tool, given, _runtime(config, runtime))
        return _result(await executor.run(request))
    if tool.wrappers:
        executor, request = _wrapped_request(tool, given, _runtime(config, runtime))
        return _content_of(await executor.run(request))
    kwargs, here = _entering(tool, given, config, runtime)
    return _content(tool, await enter(tool, kwargs, here.stream_writer, inline=False))


def is_call(given: Any) -> bool:
    """Whether a value is a tool call, and not the arguments of one."""
    return isinstance(given, Mapping) and given.get("type") == "tool_call" and "args" in given


def _request(tool: Declaration, given: Any, runtime: ToolRuntime[Any, Any]) -> tuple[Executor, ToolCallRequest]:
    """The call as one of this tool, whatever its name; arguments that came as text are read."""
    tools = {tool.name: tool}
    call = {**given, "name": tool.name, "id": given.get("id")}
    if not isinstance(call["args"], dict):
        read = repaired_calls(AIMessage(tool_calls=[call]), tools)
        call = read.calls[0]
        for repair in read.repairs:
            runtime.emit(repair)
    tool.check_receiver()
    executor = Executor(tools)
    return executor, executor.request(call, runtime)


def _wrapped_request(tool: Declaration, given: Any, runtime: ToolRuntime[Any, Any]) -> tuple[Executor, ToolCallRequest]:
    """The arguments as a call of a tool that has wrappers, which only know calls. What is raised stays raised."""
    call_id = runtime.tool_call_id or "call_1"
    executor, request = _request(tool, {"args": dict(_arguments(tool, given)), "id": call_id, "type": "tool_call"}, runtime)
    executor.handler = handler(False)
    return executor, request


def _content_of(outcome: Outcome) -> Any:
    """The content of the message that answers the call; ToolError with its text where that is an error."""
    result = _result(outcome)
    if not isinstance(result, ToolMessage):
        return result
    if result.status == "error":
        raise ToolError(str(result.content))
    return result.content


def _runtime(config: Mapping[str, Any] | None, runtime: Runtime) -> ToolRuntime[Any, Any]:
    if runtime is None:
        return ToolRuntime(config=dict(config or {}))
    return runtime if config is None else replace(runtime, config=dict(config))


def _entering(
    tool: Declaration, given: str | Mapping[str, Any], config: Mapping[str, Any] | None, runtime: Runtime
) -> tuple[dict[str, Any], ToolRuntime[Any, Any]]:
    """The keyword arguments to call the function with, and the runtime; a runtime among the arguments, as some tests give it, is that."""
    tool.check_receiver()
    args = _arguments(tool, given)
    if runtime is None and tool.injections:
        runtime = next((args[name] for name in tool.injections if isinstance(args.get(name), ToolRuntime)), None)
    here = _runtime(config, runtime)
    return arguments_of(tool, args, here), here


def _arguments(tool: Declaration, given: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    names = tool.parameters.names
    if len(names) == 1:
        return {names[0]: given}
    raise ArgumentError(
        f"{tool.name} takes {len(names)} arguments ({', '.join(names) or 'none'}), so one text does not say which it is; pass a dict"
    )


def _content(tool: Declaration, value: Any) -> Any:
    is_pair = tool.response_format == "content_and_artifact" and isinstance(value, tuple) and len(value) == 2
    return value[0] if is_pair else value


def _result(outcome: Outcome) -> Any:
    if outcome.error is not None:
        raise outcome.error
    return outcome.result
