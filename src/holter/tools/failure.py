"""What the model and the journal are told of a call that came to nothing."""

from __future__ import annotations

import inspect
import traceback
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from holter.errors import InjectionError, ToolExit, ToolTimeout
from holter.messages import ToolMessage
from holter.messages.surrogate import repaired
from holter.tools.annotation import Unresolved, function_scope, plain_function, resolve
from holter.tools.content import to_content
from holter.tools.cut import cut

ErrorHandling: TypeAlias = "bool | str | type[Exception] | tuple[type[Exception], ...] | Callable[[Any], str]"
"""`handle_tool_errors`: True catches every exception, False none; a text is the message; types are what is caught; a function makes the
text and catches what its parameter is annotated with."""
Handler: TypeAlias = Callable[[Exception, Mapping[str, Any]], ToolMessage | None]
"""The message that an exception of a call becomes, or None when it is to be raised on."""

_LONGEST = 1_000
_LONGEST_TRACEBACK = 20_000
_MOST_PARTS = 5


def failed(call: Mapping[str, Any], text: Any) -> ToolMessage:
    """The message of a call that came to nothing."""
    content = text if type(text) is str else to_content(text, call_id=call.get("id")).content
    return ToolMessage(content, tool_call_id=call.get("id"), name=call.get("name"), status="error")


def error_text(error: BaseException, tool: str) -> str:
    """What the model is told of an exception: what failed, and what to do."""
    match error:
        case ToolTimeout(unknown=True):
            return f"Error: {error}. Do not repeat it before you know whether it did."
        case ToolTimeout():
            return f"Error: {error}. Ask for less, or go on without it."
        case InjectionError():
            return f"Error: {error}. The program that runs {tool} has to provide it; go on without {tool}."
        case ToolExit():
            return f"Error: {error}. Do not call it in this way again."
        case _:
            return f"Error: {tool} failed with {_sentence(exception_text(error))} Correct the call and try again, or go on without it."


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{text}."


def exception_text(error: BaseException) -> str:
    """An exception's class and text; those of its parts, where it is a group. A long text is cut, and one that cannot be made is left
    out."""
    text = _own_text(error)
    if isinstance(error, BaseExceptionGroup):
        parts = list(_parts(error))
        more = f"; and {len(parts) - _MOST_PARTS:,} more" if len(parts) > _MOST_PARTS else ""
        text += ": " + "; ".join(f"{type(part).__name__}: {_own_text(part)}".rstrip(": ") for part in parts[:_MOST_PARTS]) + more
    name = type(error).__name__
    return cut(repaired(f"{name}: {text}" if text else name), _LONGEST)


def _parts(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for part in group.exceptions:
        if isinstance(part, BaseExceptionGroup):
            yield from _parts(part)
        else:
            yield part


def _own_text(error: BaseException) -> str:
    try:
        return str(error).strip()
    except Exception:  # noqa: BLE001 - the exception's class is the user's
        return "(its text cannot be shown)"


def traceback_text(error: BaseException) -> str:
    """The traceback, for the journal; cut where it is long."""
    try:
        return cut(repaired("".join(traceback.format_exception(error))), _LONGEST_TRACEBACK)
    except Exception:  # noqa: BLE001 - as above
        return exception_text(error)


def handler(handling: ErrorHandling) -> Handler:
    """What `handle_tool_errors` asks for. ValueError when it asks for nothing that can be done."""
    match handling:
        case None | False | ():
            return lambda error, call: None  # noqa: ARG005 - a handler's signature
        case True:
            return lambda error, call: failed(call, error_text(error, str(call.get("name"))))
        case str(text):
            return lambda error, call: failed(call, text)  # noqa: ARG005 - as above
        case type() | tuple():
            kinds = _kinds(handling)
            return lambda error, call: failed(call, error_text(error, str(call.get("name")))) if isinstance(error, kinds) else None
        case make if callable(make):
            caught = _caught_by(make)
            return lambda error, call: failed(call, make(error)) if isinstance(error, caught) else None
        case _:
            raise ValueError(f"handle_tool_errors is a bool, a text, exception types or a function, found {handling!r}")


def _kinds(given: Any) -> tuple[type[BaseException], ...]:
    kinds = given if isinstance(given, tuple) else (given,)
    if wrong := [kind for kind in kinds if not (isinstance(kind, type) and issubclass(kind, BaseException))]:
        raise ValueError(f"handle_tool_errors: {wrong[0]!r} is no exception type")
    return kinds


def _caught_by(make: Callable[..., str]) -> tuple[type[BaseException], ...]:
    """The exceptions that a function handles: the annotation of its first parameter; without one every Exception."""
    parameters = list(inspect.signature(make).parameters.values())
    if not parameters:
        raise ValueError(f"handle_tool_errors: {make!r} takes no argument; it is called with the exception")
    annotation = parameters[0].annotation
    if annotation is inspect.Parameter.empty:
        return (Exception,)
    try:
        hint = resolve(annotation, function_scope(plain_function(make)))
    except Unresolved as error:
        raise ValueError(f"handle_tool_errors: {error}") from None
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return _kinds(typing.get_args(hint) if is_union else hint)
