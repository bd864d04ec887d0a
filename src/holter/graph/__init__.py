"""The engine: graphs, how they are built and drawn, and what runs them.

May import: `holter.render`, `holter.tools`, `holter.models`, `holter.formats`, `holter.journal`, `holter.messages`, `holter.errors`.
"""

from holter.graph.compiled import CompiledGraph
from holter.graph.condition import tools_condition
from holter.graph.edge import END, START
from holter.graph.runtime import Runtime
from holter.graph.snapshot import Interrupt, StateSnapshot
from holter.graph.state import MessagesState, Overwrite
from holter.graph.state_graph import StateGraph
from holter.graph.task import get_stream_writer
from holter.graph.threads import RunnableConfig
from holter.graph.tool_node import ToolNode
from holter.messages.reducer import add_messages
from holter.tools.command import Command, Send, interrupt

__all__ = [
    "END",
    "START",
    "Command",
    "CompiledGraph",
    "Interrupt",
    "MessagesState",
    "Overwrite",
    "RunnableConfig",
    "Runtime",
    "Send",
    "StateGraph",
    "StateSnapshot",
    "ToolNode",
    "add_messages",
    "get_stream_writer",
    "interrupt",
    "tools_condition",
]
