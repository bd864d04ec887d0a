"""An agent as a tool of another: it gets a task in words, and gives its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from holter.errors import ToolError
from holter.tools.tool import Tool


class Runs(Protocol):
    """What an agent does when it is asked."""

    async def arun(self, prompt: Any) -> Any:
        """Its run."""
        ...


def tool_of(agent: Runs, name: str, description: str, patterns: Sequence[str] = ()) -> Tool:
    """A tool that asks the agent. Its run stands in a thread of its own, and its questions are asked by the run around it. `patterns`: what
    is not to be shown of its threads, and so of the thread around them."""

    async def ask(prompt: str) -> Any:
        """Ask another agent.

        Args:
            prompt: What it is to do, with all that it needs to know: it sees nothing else of this conversation.
        """
        run = await agent.arun(prompt)
        match run.status:
            case "limit":
                raise ToolError(f"{name} was stopped. {run.limit}")
            case "failed":
                raise ToolError(f"{name} gave no answer that can be used: {run.error}")
        return run.answer

    said = description or f"Asks {name}, an agent of its own, and gives its answer."
    made = Tool(ask, name=name, description=said, idempotent=True)  # begun again, it goes on with the run that it began
    if not patterns:
        return made
    from holter.tools.wrap import redact  # here, so that an agent that wraps nothing does not load what it would wrap calls with

    return made.wrapped(redact(patterns))
