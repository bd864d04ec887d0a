"""A tool, as a program has it: made of a function, called like it, run with what a model wrote, bound to an object."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, overload

from holter.tools import alone
from holter.tools.around import check_wrappers
from holter.tools.declaration import Declaration, Function
from holter.tools.inject import ToolRuntime
from holter.tools.langchain import is_langchain_tool, options_of


class Tool(Declaration):
    """One tool. Made by `@tool`, or by hand from a function and, where the signature does not say enough, a JSON Schema."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, unchecked: as any function is called in a program."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Tool:
        """A tool that is a method, bound to its object, or to its class where it is one of that."""
        function: Any = self.function
        if isinstance(function, classmethod) or (self.receiver is not None and instance is not None):
            return self._rebound(function.__get__(instance, owner))
        return self

    def _rebound(self, function: Function) -> Tool:
        """The same tool over another function with the same parameters."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, function=function, receiver=None)
        return other

    def wrapped(self, *wrappers: Callable[..., Any]) -> Tool:
        """The same tool with wrappers around it wherever it is called, the first outermost, outside those that it has.

        TypeError for what is no wrapper; ValueError for one that must not be put around this tool.
        """
        check_wrappers(wrappers, [self])
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, wrappers=(*wrappers, *self.wrappers))
        return other

    def invoke(
        self, input: str | Mapping[str, Any], config: Mapping[str, Any] | None = None, *, runtime: ToolRuntime[Any, Any] | None = None
    ) -> Any:
        """Runs it. Arguments in, the function's value out, and what it raises is raised; a tool call in, a `ToolMessage` out.

        Arguments are checked: ArgumentError lists all that is wrong. A text is the value of the only parameter. Of a pair of content and
        artifact the content comes back; the artifact is in the message of a call. Of a tool with wrappers the content of the message comes
        back, as the model would get it.
        """
        return alone.invoke(self, input, config, runtime)

    async def ainvoke(
        self, input: str | Mapping[str, Any], config: Mapping[str, Any] | None = None, *, runtime: ToolRuntime[Any, Any] | None = None
    ) -> Any:
        """As `invoke`, without blocking the loop."""
        return await alone.ainvoke(self, input, config, runtime)


@overload
def tool(function: Function, /, **options: Any) -> Tool: ...
@overload
def tool(name: str, function: Function, /, **options: Any) -> Tool: ...
@overload
def tool(name: str | None = None, /, **options: Any) -> Callable[[Function], Tool]: ...
def tool(target: Any = None, function: Any = None, /, **options: Any) -> Any:
    """Makes a tool of a function: `@tool`, `@tool("name")`, `@tool(timeout_s=5)`, `tool("name", function)`.

    Name, description and JSON Schema come from the function's name, signature and docstring. Options are those of `Tool`. TypeError or
    ValueError, when the function cannot be a tool, says why.
    """
    if target is not None and not isinstance(target, str):
        return _made(target, options)
    if target is not None:
        if "name" in options:
            raise TypeError(f"the tool is given two names, {target!r} and {options['name']!r}")
        options["name"] = target
    return functools.partial(_make, options) if function is None else _made(function, options)


def _make(options: dict[str, Any], function: Function) -> Tool:
    return _made(function, options)


def _made(function: Any, options: dict[str, Any]) -> Tool:
    if isinstance(function, Tool):
        raise TypeError(f"{function!r} is a tool already; give the options where it is made")
    if not callable(function) and not isinstance(function, classmethod):
        raise TypeError(f"a tool is made of a function, found {function!r}")
    return Tool(function, **options)


def as_tool(value: Tool | Function) -> Tool:
    """The tool that a value is, or that a function or a tool of LangChain's makes. TypeError when it can be none, as a method without its
    object."""
    if is_langchain_tool(value):
        function, options = options_of(value)
        return Tool(function, **options)
    made = value if isinstance(value, Tool) else _made(value, {})
    made.check_receiver()
    return made
