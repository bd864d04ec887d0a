"""Holter: it runs agents so that no message is lost, and reads what they did. Names are loaded when they are first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holter.agent import Agent, Limits, Run
    from holter.analysis.diagnose import diagnose
    from holter.analysis.lint import Linter, lint, lint_cut, lint_messages, lint_stream, lint_thread
    from holter.analysis.repair import repair
    from holter.errors import (
        GraphError,
        HolterError,
        InvalidUpdate,
        JournalError,
        ModelError,
        NothingFits,
        ReadError,
        RecursionLimit,
        ToolError,
        UnfitHistory,
        UnknownFormat,
        UnreadFormat,
        WriteError,
    )
    from holter.formats import iter_file, read, write
    from holter.graph import (
        END,
        START,
        CompiledGraph,
        Interrupt,
        MessagesState,
        Overwrite,
        Runtime,
        StateGraph,
        StateSnapshot,
        ToolNode,
        get_stream_writer,
        tools_condition,
    )
    from holter.journal import MemoryJournal, MemoryStore, Store
    from holter.messages import (
        REMOVE_ALL_MESSAGES,
        AIMessage,
        AIMessageChunk,
        AnyMessage,
        Conversation,
        Finding,
        HumanMessage,
        RemoveMessage,
        SystemMessage,
        ToolMessage,
        ToolSpec,
        add_messages,
        merge_chunks,
        pretty_repr,
        sendable,
        trim,
    )
    from holter.models import Answer, ChatModel, ModelRequest, ScriptedModel, TapeModel
    from holter.tools import (
        Command,
        InjectedState,
        InjectedStore,
        InjectedToolCallId,
        Send,
        StreamWriter,
        Tool,
        ToolCallRequest,
        ToolRuntime,
        interrupt,
        tool,
    )

_HOMES = {
    "holter.agent": ("Agent", "Limits", "Run"),
    "holter.analysis.diagnose": ("diagnose",),
    "holter.analysis.lint": ("Linter", "lint", "lint_cut", "lint_messages", "lint_stream", "lint_thread"),
    "holter.analysis.repair": ("repair",),
    "holter.errors": (
        "GraphError",
        "HolterError",
        "InvalidUpdate",
        "JournalError",
        "ModelError",
        "NothingFits",
        "ReadError",
        "RecursionLimit",
        "ToolError",
        "UnfitHistory",
        "UnknownFormat",
        "UnreadFormat",
        "WriteError",
    ),
    "holter.formats": (
        "iter_file",
        "read",
        "write",
    ),
    "holter.graph": (
        "END",
        "START",
        "CompiledGraph",
        "Interrupt",
        "MessagesState",
        "Overwrite",
        "Runtime",
        "StateGraph",
        "StateSnapshot",
        "ToolNode",
        "get_stream_writer",
        "tools_condition",
    ),
    "holter.journal": (
        "MemoryJournal",
        "MemoryStore",
        "Store",
    ),
    "holter.messages": (
        "REMOVE_ALL_MESSAGES",
        "AIMessage",
        "AIMessageChunk",
        "AnyMessage",
        "Conversation",
        "Finding",
        "HumanMessage",
        "RemoveMessage",
        "SystemMessage",
        "ToolMessage",
        "ToolSpec",
        "add_messages",
        "merge_chunks",
        "pretty_repr",
        "sendable",
        "trim",
    ),
    "holter.models": (
        "Answer",
        "ChatModel",
        "ModelRequest",
        "ScriptedModel",
        "TapeModel",
    ),
    "holter.tools": (
        "Command",
        "InjectedState",
        "InjectedStore",
        "InjectedToolCallId",
        "Send",
        "StreamWriter",
        "Tool",
        "ToolCallRequest",
        "ToolRuntime",
        "interrupt",
        "tool",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "END",
    "REMOVE_ALL_MESSAGES",
    "START",
    "AIMessage",
    "AIMessageChunk",
    "Agent",
    "Answer",
    "AnyMessage",
    "ChatModel",
    "Command",
    "CompiledGraph",
    "Conversation",
    "Finding",
    "GraphError",
    "HolterError",
    "HumanMessage",
    "InjectedState",
    "InjectedStore",
    "InjectedToolCallId",
    "Interrupt",
    "InvalidUpdate",
    "JournalError",
    "Limits",
    "Linter",
    "MemoryJournal",
    "MemoryStore",
    "MessagesState",
    "ModelError",
    "ModelRequest",
    "NothingFits",
    "Overwrite",
    "ReadError",
    "RecursionLimit",
    "RemoveMessage",
    "Run",
    "Runtime",
    "ScriptedModel",
    "Send",
    "StateGraph",
    "StateSnapshot",
    "Store",
    "StreamWriter",
    "SystemMessage",
    "TapeModel",
    "Tool",
    "ToolCallRequest",
    "ToolError",
    "ToolMessage",
    "ToolNode",
    "ToolRuntime",
    "ToolSpec",
    "UnfitHistory",
    "UnknownFormat",
    "UnreadFormat",
    "WriteError",
    "add_messages",
    "diagnose",
    "get_stream_writer",
    "interrupt",
    "iter_file",
    "lint",
    "lint_cut",
    "lint_messages",
    "lint_stream",
    "lint_thread",
    "merge_chunks",
    "pretty_repr",
    "read",
    "repair",
    "sendable",
    "tool",
    "tools_condition",
    "trim",
    "write",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'holter' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
