"""What surrounds a node, and what its function asks for beside the state."""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Callable as AbstractCallable
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeAlias, get_args, get_origin

from holter.errors import GraphError
from holter.journal.event import Event
from holter.journal.store import Store
from holter.tools.annotation import Unresolved, annotation_text, function_scope, plain_function, resolve
from holter.tools.inject import StreamWriter, ToolRuntime

if typing.TYPE_CHECKING:
    from typing_extensions import TypeVar  # its stub comes with every type checker: a bare `Runtime` is one of any context

    Context = TypeVar("Context", default=Any)
else:
    Context = typing.TypeVar("Context")


def _ignore(_: Any) -> None:
    """Takes what nobody listens to."""


@dataclass(slots=True)
class Runtime(Generic[Context]):
    """What surrounds one run of a node. A parameter of this type gets it; a tool gets a `ToolRuntime`, another type."""

    context: Context = None  # type: ignore[assignment]
    """What the caller gave the run: users, permissions, settings."""
    store: Store | None = None
    """Long-term memory."""
    stream_writer: StreamWriter = _ignore
    """Sends a value to whoever listens to the run's "custom" stream."""
    config: dict[str, Any] = field(default_factory=dict)
    emit: Callable[[Event], Any] = _ignore
    """Puts an event into the journal."""


Wish: TypeAlias = Literal["runtime", "config", "writer", "store"]
"""What a parameter can be filled with."""


def wishes_of(function: Callable[..., Any], owner: str) -> dict[str, Wish]:
    """The parameters beside the state that are filled: by type, and `config`, `writer` and `store` by name where no other type forbids it.

    `owner` says in errors whose function it is: "node 'a'". GraphError where it takes no state, and where a parameter gets nothing.
    """
    parameters = _parameters(function)
    if parameters is None:
        return {}
    first, *others = [*parameters, None] if parameters else [None]
    if first is None or first.kind is first.KEYWORD_ONLY or first.kind is first.VAR_KEYWORD:
        raise GraphError(f"{owner} takes no state; its function needs a first parameter for it: def {_name(function)}(state)")
    scope = function_scope(plain_function(function))
    found: dict[str, Wish] = {}
    for parameter in others:
        if parameter is None or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        wish = _wish(parameter, _hint(parameter, scope))
        if wish is not None and parameter.kind is not parameter.POSITIONAL_ONLY:
            found[parameter.name] = wish
        elif parameter.default is parameter.empty:
            raise GraphError(f"{owner}: {_unfilled(parameter, _hint(parameter, scope))}")
    return found


def filled(wishes: Mapping[str, Wish], runtime: Runtime[Any]) -> dict[str, Any]:
    """The values of the parameters that wish for something."""
    return {name: _given(wish, runtime) for name, wish in wishes.items()}


def _given(wish: Wish, runtime: Runtime[Any]) -> Any:
    match wish:
        case "runtime":
            return runtime
        case "config":
            return runtime.config
        case "writer":
            return runtime.stream_writer
        case "store":
            return runtime.store
        case _:
            typing.assert_never(wish)


def state_type(function: Callable[..., Any]) -> Any:
    """The type that a function's first parameter is annotated with; None where there is none that can be looked up."""
    parameters = _parameters(function)
    if not parameters or parameters[0].annotation is inspect.Parameter.empty:
        return None
    try:
        return resolve(parameters[0].annotation, function_scope(plain_function(function)))
    except Unresolved:
        return None


def return_type(function: Any) -> Any:
    """The type that a function says it returns; None where it says none that can be looked up."""
    plain = plain_function(function)
    hint = getattr(plain, "__annotations__", {}).get("return")
    try:
        return None if hint is None else resolve(hint, function_scope(plain))
    except Unresolved:
        return None


def is_async(function: Any) -> bool:
    """Whether calling it gives something to await."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or (
        not inspect.isroutine(function) and inspect.iscoroutinefunction(getattr(type(function), "__call__", None))  # noqa: B004 - its kind is asked for
    )


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """None where a builtin does not say them. What a partial fixes by name is filled already."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    fixed = function.keywords if isinstance(function, functools.partial) else {}
    return [parameter for parameter in signature.parameters.values() if parameter.name not in fixed]


def _name(function: Any) -> str:
    return str(getattr(plain_function(function), "__name__", "node"))


def _hint(parameter: inspect.Parameter, scope: Any) -> Any:
    """The parameter's type; its text where it cannot be looked up, such as one that is imported for type checkers only."""
    try:
        return resolve(parameter.annotation, scope)
    except Unresolved:
        return parameter.annotation


def _wish(parameter: inspect.Parameter, hint: Any) -> Wish | None:
    parts = list(_members(hint))
    for part in parts:
        if (by_type := _by_type(part)) is not None:
            return by_type
    if hint is parameter.empty or hint is Any:
        return _NAMES.get(parameter.name)
    is_settings = any(isinstance(part, type) and issubclass(part, dict | Mapping) for part in parts)
    return "config" if parameter.name == "config" and is_settings else None


_NAMES: dict[str, Wish] = {"config": "config", "writer": "writer", "store": "store"}
_TEXTS: dict[str, Wish] = {
    "Runtime": "runtime",
    "StreamWriter": "writer",
    "Store": "store",
    "BaseStore": "store",
    "RunnableConfig": "config",
}


_STORE = ("put", "get", "delete", "search", "list_namespaces")
"""What a store can do: one need not inherit from `Store`."""


def _by_type(part: Any) -> Wish | None:
    if isinstance(part, str):
        return next((_TEXTS[word] for word in re.findall(r"\w+", part) if word in _TEXTS), None)
    if part == StreamWriter:
        return "writer"
    if not isinstance(part, type):
        return None
    if issubclass(part, Runtime):
        return "runtime"
    if all(hasattr(part, name) for name in _STORE):
        return "store"
    return "config" if part.__name__ == "RunnableConfig" else None


def _members(hint: Any) -> Iterator[Any]:
    """What an annotation may stand for: the members of unions, without what `Annotated` adds; generics without their arguments."""
    hint = getattr(hint, "__value__", hint)
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _members(get_args(hint)[0])
    elif origin in (typing.Union, types.UnionType):
        for part in get_args(hint):
            yield from _members(part)
    else:
        yield hint if origin is None or origin is AbstractCallable else origin


def _unfilled(parameter: inspect.Parameter, hint: Any) -> str:
    if parameter.name == "runtime" and hint is parameter.empty:
        return "the parameter 'runtime' has no type; annotate it, `runtime: Runtime` to get the runtime"
    if any(isinstance(part, type) and issubclass(part, ToolRuntime) for part in _members(hint)):
        return f"the parameter {parameter.name!r} asks for a ToolRuntime, which tools get; a node gets a Runtime"
    if parameter.kind is parameter.POSITIONAL_ONLY:
        return f"the parameter {parameter.name!r} is positional-only, and it is given by name; take the `/` out of the signature"
    said = "" if hint is parameter.empty else f" ({annotation_text(hint)})"
    return (
        f"the parameter {parameter.name!r}{said} gets nothing: beside the state there are a Runtime, a Store, a StreamWriter, and "
        "`config`, `writer` and `store` by name; give it a default, or fix its value with functools.partial"
    )
