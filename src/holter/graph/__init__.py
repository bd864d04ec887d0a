"""The engine. For now the node that runs tools, which works on a plain message list outside any graph, too.

May import: `holter.render`, `holter.tools`, `holter.formats`, `holter.journal`, `holter.messages`, `holter.errors`.
"""

from holter.graph.tool_node import ToolNode
from holter.tools.command import Command, Send, interrupt

__all__ = ["Command", "Send", "ToolNode", "interrupt"]
