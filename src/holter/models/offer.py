"""The tools that a model is offered, out of whatever a program has for them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from holter.formats.form import tool_spec
from holter.messages import ToolSpec

MODES = ("auto", "none", "required")
"""What may be chosen beside the name of a tool."""


def specs_of(tools: Iterable[Any], *, strict: bool | None = None) -> list[ToolSpec]:
    """The declarations of tools, in their order. A tool is anything with a `spec`, a `ToolSpec`, a tool of LangChain's, or a declaration as
    providers take it.

    `strict` is put into each that has a schema. TypeError for what is none of these, ValueError where two have one name.
    """
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise TypeError(f"the tools are a list, found {tools!r}")
    specs = [_spec_of(tool) for tool in tools]
    names = [spec.name for spec in specs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two tools have the name {twice!r}; the model could not tell them apart")
    if strict is None:
        return specs
    return [spec if _is_hosted(spec) else ToolSpec(spec.name, spec.description, spec.parameters, strict, spec.extra) for spec in specs]


def choice_of(tool_choice: Any, tools: list[ToolSpec]) -> str | None:
    """A choice in the form that `ModelRequest` has: the name of a provider's dict (`{"type": "tool", "name": …}`, also inside `function`),
    else its type; LangChain's and Anthropic's "any" is "required". ValueError for a tool that is not offered.
    """
    choice = tool_choice
    if isinstance(choice, Mapping):
        function = choice.get("function")
        body = function if isinstance(function, Mapping) else choice
        choice = body.get("name", choice.get("type", ""))
    choice = "required" if choice == "any" else choice
    names = [spec.name for spec in tools]
    if choice is None or choice in MODES or choice in names:
        return choice
    offered = ", ".join(names) or "there is none"
    raise ValueError(f"tool_choice is one of {', '.join(MODES)}, or a tool that is offered ({offered}); found {tool_choice!r}")


def _spec_of(tool: Any) -> ToolSpec:
    if isinstance(tool, ToolSpec):
        return tool
    spec = tool_spec(dict(tool)) if isinstance(tool, Mapping) else getattr(tool, "spec", None)
    if isinstance(spec, ToolSpec):
        return spec
    if (core := sys.modules.get("langchain_core.tools.base")) is not None and isinstance(tool, core.BaseTool):
        return _spec_of(sys.modules["langchain_core.utils.function_calling"].convert_to_openai_tool(tool))
    hint = "; make a tool of it with @tool" if callable(tool) else ""
    raise TypeError(f"a tool is a Tool, a ToolSpec, or a declaration with a name, found {tool!r}{hint}")


def _is_hosted(spec: ToolSpec) -> bool:
    return bool(spec.extra.get("type"))
