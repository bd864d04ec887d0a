"""Annotations as types: strings and forward references are looked up where they were written, local scopes included."""

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, ForwardRef, TypeVar

import msgspec


class Scope(msgspec.Struct, frozen=True):
    """The names that an annotation can use."""

    globals: dict[str, Any]
    locals: dict[str, Any]


class Unresolved(Exception):
    """An annotation names something that cannot be found, or is no expression that makes a type."""

    def __init__(self, annotation: str, reason: str) -> None:
        super().__init__(annotation, reason)
        self.annotation = annotation
        self.reason = reason

    def __str__(self) -> str:
        return f"its annotation {self.annotation!r} cannot be resolved ({self.reason}); define or import it where the function can see it"


def plain_function(function: Callable[..., Any]) -> Any:
    """The function whose code runs and whose annotations count: what partials, bound methods, wrappers and callable objects stand for."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, type):
            return vars(function).get("__init__", function)
        elif inspect.isroutine(function):
            return function
        else:
            function = type(function).__call__


def function_scope(function: Any) -> Scope:
    """The names that `function`'s annotations see: its module's, those of the functions it was defined in, and its own type parameters.

    A function that was defined in another one sees the latter's names while that one runs, which it does when a decorator is called.
    """
    globals_ = getattr(function, "__globals__", {})
    cells = zip(getattr(getattr(function, "__code__", None), "co_freevars", ()), getattr(function, "__closure__", None) or (), strict=False)
    closure = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
    parameters = {parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())}
    return Scope(globals_, {**_enclosing(getattr(function, "__qualname__", ""), globals_), **closure, **parameters})


def class_scope(cls: type) -> Scope:
    """The names that a class's annotations see, its own name too."""
    globals_ = getattr(sys.modules.get(cls.__module__), "__dict__", {})
    parameters = {parameter.__name__: parameter for parameter in getattr(cls, "__type_params__", ())}
    return Scope(globals_, {**_enclosing(cls.__qualname__, globals_), **parameters, cls.__name__: cls})


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _enclosing(qualname: str, globals_: dict[str, Any]) -> dict[str, Any]:
    """The local names of the functions that a definition stands in, as far as they are running; inner ones win."""
    steps = qualname.split(".<locals>.")
    outer = {".<locals>.".join(steps[: count + 1]) for count in range(len(steps) - 1)}
    found: dict[str, Any] = {}
    frame = sys._getframe() if outer else None
    while frame is not None:
        if frame.f_globals is globals_ and frame.f_code.co_qualname in outer:
            found = {**frame.f_locals, **found}
            outer.remove(frame.f_code.co_qualname)
        frame = frame.f_back
    return found


def resolve(annotation: Any, scope: Scope) -> Any:
    """The type that an annotation means, `Annotated` kept; Unresolved says which name is missing."""
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, scope.globals, scope.locals, include_extras=True)["it"]
    except NameError as error:
        raise Unresolved(annotation_text(annotation), f"{error.name or error} is not defined there") from None
    except Exception as error:  # noqa: BLE001 - an annotation is any expression of the user's
        raise Unresolved(annotation_text(annotation), f"{type(error).__name__}: {error}") from None


def annotation_text(annotation: Any) -> str:
    """An annotation as its author would write it."""
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return "None" if annotation is type(None) else annotation.__qualname__.split(".<locals>.")[-1]
    return repr(annotation).replace("typing.", "")


def class_annotations(cls: type) -> dict[str, Any]:
    """The types of a class's annotated fields, those of its bases first; type variables of generic bases are filled in."""
    found: dict[str, Any] = {}
    bindings = _bindings(cls)
    for base in reversed(cls.__mro__):
        if base is object:
            continue
        scope = class_scope(base)
        for name, annotation in getattr(base, "__annotations__", {}).items():
            found[name] = substituted(resolve(annotation, scope), bindings.get(base, {}))
    return found


def _bindings(cls: type) -> dict[type, Mapping[Any, Any]]:
    """For each generic base of `cls`, what its type variables stand for."""
    found: dict[type, Mapping[Any, Any]] = {}
    waiting: list[tuple[type, Mapping[Any, Any]]] = [(cls, {})]
    while waiting:
        current, known = waiting.pop()
        found[current] = known
        for base in getattr(current, "__orig_bases__", ()):
            origin = typing.get_origin(base)
            if isinstance(origin, type) and origin is not typing.Generic:
                arguments = [substituted(argument, known) for argument in typing.get_args(base)]
                waiting.append((origin, dict(zip(getattr(origin, "__parameters__", ()), arguments, strict=False))))
    return found


def substituted(annotation: Any, bindings: Mapping[Any, Any]) -> Any:
    """`annotation` with its type variables replaced by what they are bound to."""
    if isinstance(annotation, TypeVar):
        return bindings.get(annotation, annotation)
    parameters = getattr(annotation, "__parameters__", ())
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation
    if not bindings or not parameters:
        return annotation
    return annotation[tuple(bindings.get(parameter, parameter) for parameter in parameters)]
