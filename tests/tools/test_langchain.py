"""LangChain's tools where Holter takes tools."""

import pytest
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools import tool as langchain_tool

from holter.errors import ArgumentError
from holter.messages import ToolMessage
from holter.tools.tool import as_tool


@langchain_tool
def add(a: int, b: int = 2) -> int:
    """Adds two numbers."""
    return a + b


@langchain_tool(response_format="content_and_artifact")
async def look(query: str) -> tuple[str, dict[str, int]]:
    """Looks something up."""
    return f"about {query}", {"hits": 3}


def refuse(x: int) -> str:
    """Refuses."""
    raise ToolException(f"not {x}")


def call(name: str, **args: object) -> dict[str, object]:
    return {"name": name, "args": args, "id": "c1", "type": "tool_call"}


def test_what_it_offers() -> None:
    """Name, description and schema are the tool's own."""
    spec = as_tool(add).spec  # type: ignore[arg-type]
    assert (spec.name, spec.description) == ("add", "Adds two numbers.")
    assert spec.parameters["properties"] == {"a": {"type": "integer"}, "b": {"default": 2, "type": "integer"}}
    assert spec.parameters["required"] == ["a"]


def test_running() -> None:
    """Synchronous and asynchronous ones run; an artifact is kept; arguments are checked before they are entered."""
    assert as_tool(add).invoke(call("add", a=1)) == ToolMessage("3", name="add", tool_call_id="c1")  # type: ignore[arg-type]
    found = as_tool(look).invoke(call("look", query="tides"))  # type: ignore[arg-type]
    assert found == ToolMessage("about tides", name="look", tool_call_id="c1", artifact={"hits": 3})
    with pytest.raises(ArgumentError):
        as_tool(add).invoke({"b": 1})  # type: ignore[arg-type]


def test_errors() -> None:
    """What a tool makes an answer of is an error's message; what it raises is raised."""
    handled = as_tool(StructuredTool.from_function(refuse, handle_tool_error=True))  # type: ignore[arg-type]
    assert handled.invoke(call("refuse", x=1)) == ToolMessage("not 1", name="refuse", tool_call_id="c1", status="error")
    with pytest.raises(ToolException, match="not 1"):
        as_tool(StructuredTool.from_function(refuse)).invoke({"x": 1})  # type: ignore[arg-type]


def test_a_class() -> None:
    """One that is written as a class runs, too."""

    class Echo(BaseTool):
        name: str = "echo"
        description: str = "Says it again."

        def _run(self, text: str) -> str:
            return text

    assert as_tool(Echo()).invoke({"text": "hi"}) == "hi"  # type: ignore[arg-type]
