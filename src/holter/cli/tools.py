"""`holter tools`: the tools of a program as a model will see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import click

from holter.cli.command import Command
from holter.cli.program import NotLoaded, load
from holter.graph.tool_node import ToolNode
from holter.messages import Finding
from holter.tools.review import review
from holter.tools.tool import Tool

_DEFAULTS = {
    "read_only": False,
    "idempotent": False,
    "parallel": True,
    "after": (),
    "timeout_s": None,
    "needs_approval": False,
    "return_direct": False,
    "version": "",
    "response_format": "content",
    "strict": None,
    "extra": "refuse",
}
"""A tool's options as they are when nothing is said."""


@click.command(
    cls=Command, examples=["holter tools examples/weather_tools.py", "holter tools examples/weather_tools.py:get_weather --json"]
)
@click.argument("module", metavar="MODULE[:name]")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each tool, and one for each finding.")
def command(module: str, as_json: bool) -> int:
    """The tools of MODULE, a Python file or a module's name: name, description, schema and options, and what a model would stumble over.

    MODULE is run, as an import does; no tool is. Exit code 1 says that one of the findings is an error.
    """
    loaded, name = load(module)
    tools = _tools(loaded, name, module)
    findings = review(tools)
    if as_json:
        _print_json(tools, findings)
    else:
        _print_text(tools, findings)
    return 1 if any(finding.severity == "error" for finding in findings) else 0


def _tools(module: ModuleType, name: str | None, spec: str) -> list[Tool]:
    """The tools under this name, or all of the module, each once. NotLoaded says what there is."""
    there = vars(module)
    if name is None:
        tools = list(_found(there.values()))
        if not tools:
            raise NotLoaded(f"{spec}: there are no tools; make one with `from holter.tools import tool` and `@tool`")
        return tools
    if name not in there:
        names = ", ".join(key for key, value in there.items() if not key.startswith("__") and list(_found([value]))) or "none"
        raise NotLoaded(f"{spec}: there is no {name!r}; the tools there are: {names}")
    tools = list(_found([there[name]]))
    if not tools:
        kind = type(there[name]).__name__
        raise NotLoaded(f"{spec}: {name} is no tool, no list of tools and no ToolNode, but of type {kind}; `@tool` makes a function one")
    return tools


def _found(values: Iterable[Any]) -> Iterator[Tool]:
    """The tools among the values and one level inside them. Types are asked and not the values, some of which would do something then."""
    seen: set[int] = set()
    for value in values:
        for item in _inside(value):
            if issubclass(type(item), Tool) and id(item) not in seen:
                seen.add(id(item))
                yield item


def _inside(value: Any) -> Iterable[Any]:
    if issubclass(type(value), list | tuple | set | frozenset):
        return list(value)
    if issubclass(type(value), dict):
        return list(value.values())
    return list(value.tools_by_name.values()) if issubclass(type(value), ToolNode) else [value]


def options_of(tool: Tool) -> dict[str, Any]:
    """The options that are not as they are by default; `read_only` implies `idempotent`."""
    said = {name: getattr(tool, name) for name, default in _DEFAULTS.items() if getattr(tool, name) != default}
    if tool.read_only:
        del said["idempotent"]
    return said


def _print_json(tools: list[Tool], findings: list[Finding]) -> None:
    from holter.cli.output import write_bytes
    from holter.render.json import line

    for tool in tools:
        spec = tool.spec
        fields = {"name": spec.name, "description": spec.description, "parameters": spec.parameters, "options": options_of(tool)}
        write_bytes(line({"type": "tool", **fields}))
    for finding in findings:
        write_bytes(
            line({"type": "finding", **{key: getattr(finding, key) for key in ("code", "name", "severity", "text", "path", "hint")}})
        )


def _print_text(tools: list[Tool], findings: list[Finding]) -> None:
    from rich.text import Text

    from holter.cli.output import text_console, width
    from holter.render.finding import finding_lines
    from holter.render.tool import tool_lines
    from holter.render.view import View

    console = text_console()
    view = View(width=width())
    for number, tool in enumerate(tools):
        if number:
            console.print()
        for shown in tool_lines(tool.spec, options_of(tool), view):
            console.print(shown)
    if findings:
        console.print(Text())
    for finding in findings:
        for shown in finding_lines(finding, None, view):
            shown.rstrip()
            console.print(shown)
