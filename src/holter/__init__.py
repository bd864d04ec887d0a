"""Holter: it runs agents so that no message is lost, and reads what they did. Names are loaded when they are first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holter.agent import Agent, Limits, Run
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
    from holter.journal import MemoryJournal, MemoryStore, SQLiteJournal, Store
    from holter.journal import MemoryJournal as InMemorySaver
    from holter.journal import MemoryJournal as MemorySaver
    from holter.journal import MemoryStore as InMemoryStore
    from holter.journal import PostgresJournal as PostgresJournal
    from holter.journal import SQLiteJournal as AsyncSqliteSaver
    from holter.journal import SQLiteJournal as SqliteSaver
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

    AsyncPostgresSaver = PostgresSaver = PostgresJournal

_HOMES = {
    "holter.agent": ("Agent", "Limits", "Run"),
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
        "SQLiteJournal",
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
_OTHER_NAMES = {
    "AsyncSqliteSaver": ("holter.journal", "SQLiteJournal"),
    "InMemorySaver": ("holter.journal", "MemoryJournal"),
    "InMemoryStore": ("holter.journal", "MemoryStore"),
    "MemorySaver": ("holter.journal", "MemoryJournal"),
    "SqliteSaver": ("holter.journal", "SQLiteJournal"),
}
"""LangGraph's names of what is here under another one."""
_OPTIONAL = dict.fromkeys(("AsyncPostgresSaver", "PostgresJournal", "PostgresSaver"), ("holter.journal", "PostgresJournal"))
"""What needs an extra. It is not in `__all__`, so that a star import works without."""
_HOME_OF = {name: (home, name) for home, names in _HOMES.items() for name in names} | _OTHER_NAMES | _OPTIONAL

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
    "AsyncSqliteSaver",
    "ChatModel",
    "Command",
    "CompiledGraph",
    "Conversation",
    "Finding",
    "GraphError",
    "HolterError",
    "HumanMessage",
    "InMemorySaver",
    "InMemoryStore",
    "InjectedState",
    "InjectedStore",
    "InjectedToolCallId",
    "Interrupt",
    "InvalidUpdate",
    "JournalError",
    "Limits",
    "MemoryJournal",
    "MemorySaver",
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
    "SQLiteJournal",
    "ScriptedModel",
    "Send",
    "SqliteSaver",
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
    "UnknownFormat",
    "UnreadFormat",
    "WriteError",
    "add_messages",
    "get_stream_writer",
    "interrupt",
    "iter_file",
    "merge_chunks",
    "pretty_repr",
    "read",
    "sendable",
    "tool",
    "tools_condition",
    "trim",
    "write",
]


def __getattr__(name: str) -> Any:
    found = _HOME_OF.get(name)
    if found is None:
        raise AttributeError(f"module 'holter' has no attribute {name!r}")
    home, own = found
    value = getattr(import_module(home), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
