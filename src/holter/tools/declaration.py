"""What a tool is: a Python function, what a model sees of it, and how it may be run."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias, get_args

from holter.messages import ToolSpec
from holter.tools.docstring import described
from holter.tools.inject import Injection, injections_of
from holter.tools.signature import parameters_of, parameters_of_schema
from holter.tools.validation import Parameters

Extra: TypeAlias = Literal["refuse", "ignore"]
ResponseFormat: TypeAlias = Literal["content", "content_and_artifact"]
Function: TypeAlias = Callable[..., Any]


class Declaration:
    """One tool, declared. `holter.tools.tool.Tool` adds what a program does with it by itself."""

    def __init__(
        self,
        function: Function,
        *,
        name: str | None = None,
        description: str | None = None,
        args_schema: Any = None,
        read_only: bool = False,
        idempotent: bool = False,
        parallel: bool = True,
        after: Collection[str] = (),
        timeout_s: float | None = None,
        needs_approval: bool = False,
        return_direct: bool = False,
        version: str = "",
        response_format: ResponseFormat = "content",
        strict: bool | None = None,
        extra: Extra = "refuse",
        parse_docstring: bool = True,
    ) -> None:
        self.function = function
        self.name: str = _name(function) if name is None else name
        """What the model calls it by."""
        plain = _plain(function)
        self.receiver = _receiver(function)
        """The parameter (`self`, `cls`) that is filled when the tool is taken from an object; None where the function is no method, or
        bound."""
        text, _ = described(plain)
        self.description: str = (description if description is not None else text).strip()
        """What the model is told that it does."""
        self.injections: dict[str, Injection] = injections_of(plain, self.name)
        """Parameters that the runtime fills."""
        self.parameters: Parameters = self._parameters(plain, args_schema, extra, parse_docstring)
        """What the model may pass."""
        if strict:
            self.parameters = _in_strict(self.parameters, self.name)
        self.read_only = read_only
        """It changes nothing anywhere, so its results may be cached and it may be run again."""
        self.idempotent = idempotent or read_only
        """Running it twice with one idempotency key does what running it once does."""
        self.parallel = parallel
        """It may run beside other calls of its batch."""
        self.after: tuple[str, ...] = (after,) if isinstance(after, str) else tuple(after)
        """Tools of the same batch whose results must exist before it starts."""
        self.timeout_s = timeout_s
        """How long it may take, in seconds; None for as long as it wants."""
        self.needs_approval = needs_approval
        """A person is asked before it runs."""
        self.asks_because = ""
        """Why a person is asked, where the tool itself does not want it."""
        self.return_direct = return_direct
        """Its result is the run's answer."""
        self.version = version
        """Part of cache keys: another version's results do not count."""
        self.response_format = response_format
        """ "content_and_artifact": the function returns a pair of what the model gets and what the program gets."""
        self.strict = strict
        self.extra = extra
        self.wrappers: tuple[Callable[..., Any], ...] = ()
        """What is around it wherever it is called, outermost first; inside the wrappers of a node."""
        self.is_async = is_async(function)
        """Whether the function is a coroutine function or an asynchronous generator."""
        self._check_options()

    def _parameters(self, function: Function, args_schema: Any, extra: Extra, parse_docstring: bool) -> Parameters:
        if args_schema is None:
            skip = {*self.injections, *([self.receiver] if self.receiver else [])}
            return parameters_of(function, name=self.name, skip=skip, extra=extra, parse_docstring=parse_docstring)
        made = parameters_of_schema(args_schema, name=self.name, extra=extra)
        if offered := [name for name in made.names if name in self.injections]:
            raise TypeError(
                f"tool {self.name!r}: args_schema offers the model {offered[0]!r}, which the runtime fills; leave it out of the schema"
            )
        return made

    def _check_options(self) -> None:
        """Raises ValueError for an option that cannot be."""
        wrong = ""
        if not _is_text(self.name):
            wrong = f"name is a text that is not empty, found {self.name!r}"
        elif self.timeout_s is not None and not _is_span(self.timeout_s):
            wrong = f"timeout_s is a number of seconds above 0, found {self.timeout_s!r}"
        elif self.response_format not in get_args(ResponseFormat):
            wrong = f"response_format is one of {', '.join(get_args(ResponseFormat))}, found {self.response_format!r}"
        elif self.extra not in get_args(Extra):
            wrong = f"extra is one of {', '.join(get_args(Extra))}, found {self.extra!r}"
        elif self.name in self.after:
            wrong = "after names the tool itself, so that it could never start"
        if wrong:
            raise ValueError(f"tool {self.name!r}: {wrong}")

    def check_receiver(self) -> None:
        """Raises TypeError for a method that was not taken from an object, so that nothing fills its `self`."""
        if self.receiver is not None:
            name = inspect.unwrap(self.function).__qualname__
            raise TypeError(f"{name} is a method; take the tool from an object, whose {self.receiver!r} it needs")

    @property
    def args(self) -> dict[str, Any]:
        """The schema of each parameter, by name."""
        properties = self.parameters.schema.get("properties", {})
        return dict(properties) if isinstance(properties, dict) else {}

    @property
    def spec(self) -> ToolSpec:
        """The declaration that a model is offered."""
        return ToolSpec(self.name, self.description, self.parameters.schema, self.strict)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}({', '.join(self.parameters.names)}))"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_span(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0 and math.isfinite(value)


def _in_strict(parameters: Parameters, name: str) -> Parameters:
    try:
        return parameters.strict()
    except ValueError as error:
        raise ValueError(f"tool {name!r}: strict=True: {error}") from None


def _name(function: Function) -> str:
    inner = function.func if isinstance(function, functools.partial) else function
    name = getattr(inner, "__name__", None) or type(inner).__name__
    if name == "<lambda>":
        raise TypeError('a lambda has no name; give one: tool("name")(lambda …)')
    return str(name)


def _plain(function: Any) -> Any:
    """The function that a classmethod stands around."""
    return function.__func__ if isinstance(function, classmethod) else function


def _receiver(function: Any) -> str | None:
    """The name of the first parameter, where the function stands in a class and waits for its object or class."""
    is_for_class = isinstance(function, classmethod)
    inner = _plain(function)
    if not inspect.isfunction(inner):
        return None
    first = next(iter(inspect.signature(inner).parameters), None)
    around = inner.__qualname__.rpartition(".")[0]
    is_in_class = bool(around) and not around.endswith("<locals>")
    return first if is_for_class or (is_in_class and first in ("self", "cls")) else None


def is_async(function: Any) -> bool:
    """Whether calling the function gives a coroutine or an asynchronous generator, as far as can be seen without calling it."""
    inner = function
    while isinstance(inner, functools.partial | classmethod | staticmethod):
        inner = inner.func if isinstance(inner, functools.partial) else inner.__func__
    tests = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(test(inner) or (not inspect.isroutine(inner) and test(type(inner).__call__)) for test in tests)
