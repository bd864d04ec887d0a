"""Where an agent goes on: behind its model, and behind its tools. Both look only at the newest messages (see `Branch.peek`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from holter.agent.tools import GOTO, messages_in, newest_results
from holter.graph.edge import END
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage
from holter.tools.tool import Tool


class AfterModel:
    """To the tools where the answer has calls; back to the model where it was told what is wrong with its answer."""

    __name__ = "after_model"

    def __call__(self, state: Any) -> Literal["tools", "model", "__end__"]:
        return self.holter_peek(messages_in(state))

    def holter_peek(self, messages: Sequence[Message]) -> Literal["tools", "model", "__end__"]:
        """What it says, from the newest messages."""
        last = messages[-1] if messages else None
        if isinstance(last, AIMessage):
            return "tools" if last.tool_calls or last.calls else END
        return "model" if isinstance(last, HumanMessage) else END


class AfterTools:
    """Back to the model; to the end where a command goes on elsewhere, and where the results are the answer (`return_direct`)."""

    __name__ = "after_tools"

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._direct = {name for name, tool in tools.items() if tool.return_direct}

    def __call__(self, state: Any) -> Literal["model", "__end__"]:
        return self.holter_peek(messages_in(state))

    def holter_peek(self, messages: Sequence[Message]) -> Literal["model", "__end__"]:
        """What it says, from the newest messages."""
        for message in reversed(messages):
            if message.__class__ is not ToolMessage:
                break
            if message.additional_kwargs and GOTO in message.additional_kwargs:
                return END
        return self._behind_direct(messages) if self._direct else "model"

    def _behind_direct(self, messages: Sequence[Message]) -> Literal["model", "__end__"]:
        call, results = newest_results(messages)
        if call is None or not all(one.get("name") in self._direct for one in call.calls):
            return "model"
        return END if call.calls and all(result.status == "success" for result in results) else "model"
