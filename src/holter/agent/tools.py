"""The tools node of an agent: results of calls that repeat themselves say so, and where a command wants to go on is kept."""

from __future__ import annotations

from collections.abc import Reversible, Sequence
from typing import Any

from msgspec.structs import replace

from holter.agent.leak import asking_first, is_leaked
from holter.agent.repetition import NOTED_FROM, may_repeat, noted, repeats, steps_back
from holter.graph.edge import END
from holter.graph.task import running
from holter.graph.tool_node import ToolNode
from holter.messages import AIMessage, Message, ToolMessage
from holter.tools.command import Command
from holter.tools.execute import Executor, Outcome
from holter.tools.outcome import messages_of
from holter.tools.request import Result, ToolCallRequest, Wrapper

GOTO = "goto"
"""In `additional_kwargs` of a result: the nodes that its command names."""


class AgentTools(ToolNode):
    """A `ToolNode` that knows the thread."""

    def _executor(self, wrappers: Sequence[Wrapper], calls: int) -> Executor:
        plain = super()._executor(wrappers, calls)
        return _Executor(plain.tools, plain.wrappers, plain.handler, plain.max_result_chars, plain.is_cut_in_bytes, plain.messages_key)


class _Executor(Executor):
    """Runs calls as any executor does, and looks at what they come to."""

    def before(self, request: ToolCallRequest) -> ToolCallRequest:
        """The request, which asks first where its call stood in a text."""
        tool = request.tool
        if tool is None or tool.read_only or not is_leaked(self._history(request)):
            return request
        return request.override(tool=asking_first(tool))

    def after(self, outcome: Outcome, request: ToolCallRequest) -> Outcome:
        """The outcome, whose result says so where nothing has changed, and where a command goes on."""
        if isinstance(outcome.result, ToolMessage):
            outcome.result = _told(outcome.call, outcome.result, self._history(request))
        elif outcome.result is not None:
            outcome.result = _with_goto(outcome.call, outcome.result, self.messages_key)
        return outcome

    def _history(self, request: ToolCallRequest) -> Reversible[Message]:
        task = running()
        return messages_in(request.state, self.messages_key) if task is None else task.fold.settled.history


def messages_in(state: Any, key: str = "messages") -> list[Message]:
    """The messages of a state, or the state that is a list of them."""
    if isinstance(state, dict):
        return state.get(key) or []
    return state if isinstance(state, list) else getattr(state, key, None) or []


def _told(call: dict[str, Any], result: ToolMessage, messages: Reversible[Message]) -> ToolMessage:
    """The result, which says that nothing has changed where it has come too often. The thread keeps it so, as the model sees it."""
    if not may_repeat(call, messages):
        return result
    steps = steps_back(messages)
    next(steps, None)
    return noted(result) if repeats(call, result, steps, NOTED_FROM) >= NOTED_FROM else result


def _with_goto(call: dict[str, Any], result: Result, key: str) -> Result:
    """The commands among the result, each with its targets in the message that answers the call."""
    if isinstance(result, list):
        return [item if isinstance(item, ToolMessage) else _marked(call, item, key) for item in result]
    return result if isinstance(result, ToolMessage) else _marked(call, result, key)


def _marked(call: dict[str, Any], command: Command[Any], key: str) -> Command[Any]:
    names = [target for target in command.targets if isinstance(target, str)] or [END] * bool(command.targets)
    if not names or command.graph == Command.PARENT:
        return command
    messages = [
        message.replace(additional_kwargs={**message.additional_kwargs, GOTO: names})
        if isinstance(message, ToolMessage) and message.tool_call_id == call.get("id")
        else message
        for message in messages_of(command, key)
    ]
    update = command.update
    return (
        replace(command, update=messages if isinstance(update, list) else {**update, key: messages})
        if isinstance(update, list | dict)
        else command
    )


def newest_results(messages: Sequence[Message]) -> tuple[AIMessage | None, list[ToolMessage]]:
    """The newest message with calls, and the results that stand behind it, in their order."""
    results: list[ToolMessage] = []
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            results.append(message)
        else:
            return message if isinstance(message, AIMessage) else None, results[::-1]
    return None, results[::-1]
