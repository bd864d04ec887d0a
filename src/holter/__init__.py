"""Holter: it runs agents so that no message is lost, and reads what they did. Names are loaded when they are first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holter.errors import HolterError, NothingFits, ReadError, UnknownFormat, UnreadFormat, WriteError
    from holter.formats import iter_file, read, write
    from holter.graph import ToolNode
    from holter.journal import MemoryStore, Store
    from holter.messages import (
        AIMessage,
        AIMessageChunk,
        Conversation,
        Finding,
        HumanMessage,
        RemoveMessage,
        SystemMessage,
        ToolMessage,
        ToolSpec,
        merge_chunks,
        pretty_repr,
        sendable,
        trim,
    )
    from holter.tools import Command, InjectedState, InjectedStore, InjectedToolCallId, Send, Tool, ToolRuntime, interrupt, tool

_HOMES = {
    "holter.errors": ("HolterError", "NothingFits", "ReadError", "UnknownFormat", "UnreadFormat", "WriteError"),
    "holter.formats": ("iter_file", "read", "write"),
    "holter.graph": ("ToolNode",),
    "holter.journal": ("MemoryStore", "Store"),
    "holter.messages": (
        "AIMessage",
        "AIMessageChunk",
        "Conversation",
        "Finding",
        "HumanMessage",
        "RemoveMessage",
        "SystemMessage",
        "ToolMessage",
        "ToolSpec",
        "merge_chunks",
        "pretty_repr",
        "sendable",
        "trim",
    ),
    "holter.tools": ("Command", "InjectedState", "InjectedStore", "InjectedToolCallId", "Send", "Tool", "ToolRuntime", "interrupt", "tool"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "AIMessage",
    "AIMessageChunk",
    "Command",
    "Conversation",
    "Finding",
    "HolterError",
    "HumanMessage",
    "InjectedState",
    "InjectedStore",
    "InjectedToolCallId",
    "MemoryStore",
    "NothingFits",
    "ReadError",
    "RemoveMessage",
    "Send",
    "Store",
    "SystemMessage",
    "Tool",
    "ToolMessage",
    "ToolNode",
    "ToolRuntime",
    "ToolSpec",
    "UnknownFormat",
    "UnreadFormat",
    "WriteError",
    "interrupt",
    "iter_file",
    "merge_chunks",
    "pretty_repr",
    "read",
    "sendable",
    "tool",
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
