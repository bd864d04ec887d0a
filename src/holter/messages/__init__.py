"""Pure values: messages, their content, tool declarations, conversations, findings; and what can be said of them without any I/O.

May import: `holter.errors`.
"""

from holter.messages.chunks import AIMessageChunk, ChunkMerger, merge_chunks
from holter.messages.conversation import Conversation, ListPlaces, Place, Shared
from holter.messages.finding import Finding, Severity
from holter.messages.history import REMOVE_ALL as REMOVE_ALL_MESSAGES
from holter.messages.message import AIMessage, AnyMessage, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage, pretty_repr
from holter.messages.pairs import CallRef, Pairing
from holter.messages.reducer import add_messages
from holter.messages.sendable import sendable
from holter.messages.spec import ToolSpec
from holter.messages.tokens import approximate_tokens
from holter.messages.trim import trim

__all__ = [
    "REMOVE_ALL_MESSAGES",
    "AIMessage",
    "AIMessageChunk",
    "AnyMessage",
    "CallRef",
    "ChunkMerger",
    "Conversation",
    "Finding",
    "HumanMessage",
    "ListPlaces",
    "Message",
    "Pairing",
    "Place",
    "RemoveMessage",
    "Severity",
    "Shared",
    "SystemMessage",
    "ToolMessage",
    "ToolSpec",
    "add_messages",
    "approximate_tokens",
    "merge_chunks",
    "pretty_repr",
    "sendable",
    "trim",
]
