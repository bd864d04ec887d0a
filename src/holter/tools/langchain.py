"""LangChain's tools as Holter's: needs langchain-core, which whoever has such a tool has installed.

Source: langchain-core 1.8.3, seen 2026-11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from holter.messages import ToolMessage
from holter.tools.inject import ToolRuntime


def is_langchain_tool(value: object) -> bool:
    """Whether a value is one of LangChain's tools; where LangChain was never imported, it is none."""
    core = sys.modules.get("langchain_core.tools.base")
    return core is not None and isinstance(value, core.BaseTool)


def options_of(tool: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A function that runs the tool, and the options of a Holter tool that offers what it offers.

    It is run in the loop where it can be awaited, else in a worker. What it raises is raised, unless it makes an answer of it itself
    (`handle_tool_error`). Its artifact is kept.
    """
    from langchain_core.utils.function_calling import convert_to_openai_tool

    declared = convert_to_openai_tool(tool)["function"]
    return (_async(tool) if _is_async(tool) else _sync(tool)), {
        "name": tool.name,
        "description": declared.get("description") or tool.description,
        "args_schema": declared.get("parameters") or {"type": "object", "properties": {}},
        "return_direct": bool(tool.return_direct),
        "response_format": "content_and_artifact",
    }


def _is_async(tool: Any) -> bool:
    from langchain_core.tools import BaseTool, StructuredTool
    from langchain_core.tools import Tool as SimpleTool

    if isinstance(tool, StructuredTool | SimpleTool):
        return tool.coroutine is not None
    return type(tool)._arun is not BaseTool._arun


def _sync(tool: Any) -> Callable[..., Any]:
    def run(holter_runtime: ToolRuntime, **arguments: Any) -> Any:
        return _said(tool.invoke(_call(tool, holter_runtime, arguments)))

    return run


def _async(tool: Any) -> Callable[..., Any]:
    async def run(holter_runtime: ToolRuntime, **arguments: Any) -> Any:
        return _said(await tool.ainvoke(_call(tool, holter_runtime, arguments)))

    return run


def _call(tool: Any, runtime: ToolRuntime, arguments: dict[str, Any]) -> dict[str, Any]:
    """The call as LangChain has it; its answer is then a message, with the artifact."""
    return {"name": tool.name, "args": arguments, "id": runtime.tool_call_id or "call", "type": "tool_call"}


def _said(answer: Any) -> Any:
    """Content and artifact of what the tool gave; the message of an error that it made an answer of."""
    from langchain_core.messages import ToolMessage as Answer

    if not isinstance(answer, Answer):
        return answer, None
    if answer.status == "error":
        content: Any = answer.content
        return ToolMessage(content, tool_call_id=answer.tool_call_id, status="error", artifact=answer.artifact)
    return answer.content, answer.artifact
