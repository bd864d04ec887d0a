"""From a Python function to a safe, observable call.

May import: `holter.formats`, `holter.journal`, `holter.messages`, `holter.errors`.
"""

from holter.tools.command import Command, Interruption, Send, interrupt
from holter.tools.inject import InjectedState, InjectedStore, InjectedToolArg, InjectedToolCallId, StreamWriter, ToolRuntime
from holter.tools.request import ToolCallRequest
from holter.tools.tool import Tool, tool

__all__ = [
    "Command",
    "InjectedState",
    "InjectedStore",
    "InjectedToolArg",
    "InjectedToolCallId",
    "Interruption",
    "Send",
    "StreamWriter",
    "Tool",
    "ToolCallRequest",
    "ToolRuntime",
    "interrupt",
    "tool",
]
