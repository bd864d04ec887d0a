"""What a tool gets from the runtime and not from the model: told by a parameter's type, never by its name.

Names are LangGraph's and LangChain's (`ToolRuntime`, `InjectedState`, `InjectedStore`, `InjectedToolCallId`; seen 2026-11).
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeAlias, get_args, get_origin

from holter.errors import InjectionError
from holter.journal.event import Event
from holter.journal.store import Store
from holter.tools.annotation import Unresolved, function_scope, plain_function, resolve

if typing.TYPE_CHECKING:
    from typing_extensions import TypeVar  # its stub comes with every type checker: a bare `ToolRuntime` is one of any context and state

    Context = TypeVar("Context", default=Any)
    State = TypeVar("State", default=Any)
else:
    Context = typing.TypeVar("Context")
    State = typing.TypeVar("State")

StreamWriter: TypeAlias = Callable[[Any], None]


def _ignore(_: Any) -> None:
    """Takes what nobody listens to."""


@dataclass(slots=True)
class ToolRuntime(Generic[Context, State]):
    """What surrounds one call of a tool. In a test it can be made by hand: `ToolRuntime(state={…})`.

    Several calls of a batch run at the same time: `stream_writer` and `emit` may be called from any thread.
    """

    state: State = None  # type: ignore[assignment]
    """The state of the graph, as the node saw it."""
    context: Context = None  # type: ignore[assignment]
    """What the caller gave the run: users, permissions, settings."""
    config: dict[str, Any] = field(default_factory=dict)
    tool_call_id: str | None = None
    stream_writer: StreamWriter = _ignore
    """Sends a value to whoever listens to the run's "custom" stream."""
    store: Store | None = None
    """Long-term memory."""
    attempt: int = 1
    """Which try of this call this is, from 1."""
    idempotency_key: str | None = None
    """The same for every try of this call, after a crash, too."""
    emit: Callable[[Event], Awaitable[None] | None] = _ignore
    """Puts an event into the journal; what comes back, where anything does, waits until it is on the device."""
    asked: Callable[[], Mapping[str, int]] | None = None
    """How many calls of each tool the run asked for before this one, as the journal has it; None where nobody counts."""

    if not typing.TYPE_CHECKING:

        def __class_getitem__(cls, kinds: Any) -> Any:
            """`ToolRuntime[Context]` is one of any state: before Python 3.13 a type variable has no default."""
            given = kinds if isinstance(kinds, tuple) else (kinds,)
            return super(ToolRuntime, cls).__class_getitem__((*given, Any) if len(given) == 1 else given)


class InjectedToolArg:
    """A parameter that the model never sees. A subclass of the user's gives its value with a method `value(self, runtime)`; without one
    the parameter has its default."""


class InjectedState(InjectedToolArg):
    """The whole state, or one field of it: `Annotated[list, InjectedState("messages")]`."""

    def __init__(self, field: str | None = None) -> None:
        self.field = field


class InjectedStore(InjectedToolArg):
    """The long-term store."""


class InjectedToolCallId(InjectedToolArg):
    """The id of the call."""


Source: TypeAlias = Callable[[ToolRuntime[Any, Any], str], Any]
"""Gives a parameter its value; the text is the state's key of the message list. InjectionError when there is none."""


class Injection(typing.NamedTuple):
    """One parameter that the runtime fills."""

    source: Source
    has_default: bool
    """Whether the function can do without it."""


def injections_of(function: Callable[..., Any], name: str) -> dict[str, Injection]:
    """The parameters of a function that the runtime fills; what a partial has fixed is filled already.

    TypeError for a parameter `runtime` without an annotation (it would be offered to the model), and for two markers on one parameter.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # a builtin that does not say its parameters
        return {}
    scope = function_scope(plain_function(function))
    fixed = function.keywords if isinstance(function, functools.partial) else {}
    found: dict[str, Injection] = {}
    for parameter in parameters:
        if parameter.name in fixed:
            continue
        if parameter.annotation is parameter.empty:
            if parameter.name == "runtime":
                raise TypeError(
                    f"tool {name!r}: the parameter 'runtime' has no type; annotate it, `runtime: ToolRuntime` to get the runtime"
                )
            continue
        try:
            hint = resolve(parameter.annotation, scope)
        except Unresolved:
            hint = _by_its_text(parameter.annotation)
        if (source := _source(hint, parameter.name, name)) is not None:
            found[parameter.name] = Injection(source, parameter.default is not parameter.empty)
    return found


def _by_its_text(annotation: Any) -> Any:
    """The runtime where an annotation names it beside what cannot be looked up, such as a type that is imported for type checkers
    only."""
    return ToolRuntime if isinstance(annotation, str) and re.search(r"\bToolRuntime\b", annotation) else annotation


def _source(hint: Any, parameter: str, name: str) -> Source | None:
    """Where a value of this type comes from; None for an ordinary parameter."""
    parts = list(_parts(hint))
    runtimes = [part for part in parts if isinstance(part, type) and issubclass(part, ToolRuntime)]
    markers = [
        part for part in parts if isinstance(part, InjectedToolArg) or (isinstance(part, type) and issubclass(part, InjectedToolArg))
    ]
    if len(markers) + len(runtimes) > 1:
        raise TypeError(
            f"tool {name!r}: the parameter {parameter!r} is marked {len(markers) + len(runtimes)} times for injection; once is enough"
        )
    if runtimes:
        kind = runtimes[0]
        return lambda runtime, _: runtime if isinstance(runtime, kind) else _as_kind(runtime, kind)
    return _marked(markers[0], parameter, name) if markers else None


def _parts(hint: Any) -> Iterator[Any]:
    """What an annotation consists of as far as injection goes: members of unions, and what `Annotated` adds."""
    hint = getattr(hint, "__value__", getattr(hint, "__supertype__", hint))
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *added = get_args(hint)
        yield from _parts(inner)
        yield from added
    elif origin in (typing.Union, types.UnionType):
        for part in get_args(hint):
            yield from _parts(part)
    else:
        yield origin or hint


def _as_kind(runtime: ToolRuntime[Any, Any], kind: type[ToolRuntime[Any, Any]]) -> ToolRuntime[Any, Any]:
    """The runtime as the user's own subclass."""
    return kind(**{part.name: getattr(runtime, part.name) for part in dataclasses.fields(ToolRuntime)})


def _marked(marker: Any, parameter: str, name: str) -> Source:
    kind = marker if isinstance(marker, type) else type(marker)
    if callable(value := getattr(kind, "value", None)):
        made = marker() if isinstance(marker, type) else marker
        return lambda runtime, _: value(made, runtime)
    if issubclass(kind, InjectedState):
        wanted = None if isinstance(marker, type) else marker.field
        return (
            (lambda runtime, key: _state(runtime, key)) if wanted is None else lambda runtime, key: _state_field(runtime, wanted, name, key)
        )
    if issubclass(kind, InjectedStore):
        return lambda runtime, _: _store(runtime, name)
    if issubclass(kind, InjectedToolCallId):
        return lambda runtime, _: runtime.tool_call_id
    return lambda runtime, key: _nothing(parameter, name, kind)  # noqa: ARG005 - a source's signature


def _nothing(parameter: str, tool: str, kind: type) -> Any:
    raise InjectionError(
        f"{tool} wants {parameter!r} from the program, and {kind.__name__} has no method value(self, runtime) that gives it"
    )


def _state(runtime: ToolRuntime[Any, Any], messages_key: str) -> Any:
    """The state; a plain message list as the state that holds it."""
    return {messages_key: runtime.state} if isinstance(runtime.state, list) else runtime.state


def _state_field(runtime: ToolRuntime[Any, Any], name: str, tool: str, messages_key: str) -> Any:
    state = _state(runtime, messages_key)
    if isinstance(state, dict):
        if name in state:
            return state[name]
        raise InjectionError(f"{tool} wants the state's field {name!r}, and the state has only {', '.join(map(repr, state)) or 'none'}")
    if hasattr(state, name):
        return getattr(state, name)
    there = "there is no state" if state is None else f"a state of type {type(state).__name__} has none"
    raise InjectionError(f"{tool} wants the state's field {name!r}, and {there}")


def _store(runtime: ToolRuntime[Any, Any], tool: str) -> Store:
    if runtime.store is None:
        raise InjectionError(f"{tool} wants the store, and there is none (store=… gives one)")
    return runtime.store


def injected(injections: dict[str, Injection], runtime: ToolRuntime[Any, Any], messages_key: str) -> dict[str, Any]:
    """The values of the parameters that the runtime fills. Where there is nothing to give, a parameter with a default is left out; else
    InjectionError."""
    values: dict[str, Any] = {}
    for name, (source, has_default) in injections.items():
        try:
            values[name] = source(runtime, messages_key)
        except InjectionError:
            if not has_default:
                raise
    return values
