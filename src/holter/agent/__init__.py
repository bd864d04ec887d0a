"""The ready-made loop: an agent is a graph of two nodes, one that asks a model and one that runs the tools it calls.

What lives here is what makes the loop end well: limits, a request that fits the model's window, answers of a form, second tries.

May import: `holter.graph`, `holter.render`, `holter.tools`, `holter.models`, `holter.formats`, `holter.journal`, `holter.messages`,
`holter.errors`.
"""

from holter.agent.agent import Agent
from holter.agent.limit import Limits
from holter.agent.run import Run

__all__ = ["Agent", "Limits", "Run"]
