"""Tools, answers and histories for the tests of agents."""

from collections.abc import Callable
from typing import Any

from holter.agent import Run
from holter.messages import AIMessage, HumanMessage, Message, ToolMessage
from holter.models import ModelRequest
from holter.tools import tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
async def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


@tool
def ls(p: str = "/", n: int = 0) -> str:
    """List a folder."""
    return "[]"


def call(name: str, call_id: str | None = None, /, **args: Any) -> dict[str, Any]:
    """A call, as a message holds it; without an id the script gives it one."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def forever(name: str, **args: Any) -> Callable[[ModelRequest], Any]:
    """A script that makes the same call whatever it is asked."""
    return lambda request: [call(name, **args)]


def said(run: Run) -> list[tuple[str, str]]:
    """Kind and text of each message of a run's thread."""
    return [(message.type, message.text) for message in run.messages]


def calls_of(run: Run) -> list[dict[str, Any]]:
    """All calls of a run's thread, in order."""
    return [made for message in run.messages if isinstance(message, AIMessage) for made in message.calls]


def step(number: int, name: str = "ls", result: str = "[]", **args: Any) -> list[Message]:
    """An answer with one call, and its result."""
    return [
        AIMessage("", id=f"a{number}", tool_calls=[call(name, f"c{number}", **args)]),
        ToolMessage(result, tool_call_id=f"c{number}", name=name, id=f"t{number}"),
    ]


def steps(count: int, size: int = 0) -> list[Message]:
    """A question and so many steps, each with another call; `size` is the length of a result."""
    made: list[Message] = [HumanMessage("go", id="h")]
    for number in range(count):
        made += step(number, result="x" * size or "[]", n=number)
    return made
