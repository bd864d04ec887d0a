"""The fields of a state schema: their types, how two values become one, what they begin with, what they refuse.

Schemas are TypedDicts, dataclasses, msgspec Structs, and pydantic models where the program uses pydantic. `Annotated[T, reducer]` says how
the old and the written value become one. Meaning: LangGraph 1.2, seen 2026-11.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TypeAlias, get_args, get_origin

import msgspec

from holter.errors import GraphError
from holter.messages.message import Message
from holter.messages.reducer import add_messages
from holter.tools.annotation import Unresolved, annotation_text
from holter.tools.pydantic_form import is_model
from holter.tools.record import is_typed_dict, record_of

Reducer: TypeAlias = Callable[[Any, Any], Any]
"""`reducer(old, written)`: the new value."""

Check: TypeAlias = Callable[[Any], Any]
"""The value as its type has it; Unfit when it is none of that type."""


class Unfit(Exception):
    """A value is not of its field's type; the text says why."""


class Field(msgspec.Struct, frozen=True):
    """One field of a state."""

    name: str
    type: Any
    """Without the reducer and without `Required` and the like."""
    reducer: Reducer | None = None
    """None: the field holds what was written last."""
    default: Callable[[], Any] | None = None
    """Makes the value that a thread begins with; None when it begins without one."""
    check: Check | None = None
    """Of schemas that check their values: pydantic models and msgspec Structs. TypedDicts and dataclasses take any, as Python does."""

    @property
    def is_messages(self) -> bool:
        """Whether this is a list of messages that grows: kept by `add_messages`, or, as older programs have it, by `operator.add`
        (design/engine.md)."""
        reducer = self.reducer.func if isinstance(self.reducer, functools.partial) else self.reducer
        return reducer is add_messages or (reducer is operator.add and _holds_messages(self.type))


def _holds_messages(hint: Any) -> bool:
    """Whether a type is a list of messages."""
    kinds = get_args(hint) if get_origin(hint) in (list, Sequence) else ()
    return bool(kinds) and all(isinstance(kind, type) and kind in get_args(Message) for kind in (get_args(kinds[0]) or kinds))


_EXPECTED = "use a TypedDict, a dataclass, a msgspec Struct or a pydantic model"


def is_schema(kind: Any) -> bool:
    """Whether a type can be the schema of a state."""
    cls = get_origin(kind) or kind
    if not isinstance(cls, type):
        return False
    return is_typed_dict(cls) or dataclasses.is_dataclass(cls) or issubclass(cls, msgspec.Struct) or is_model(cls)


def fields_of(schema: Any) -> dict[str, Field]:
    """The fields of a state schema by name, in their order. GraphError for what is no schema, and for a reducer that cannot be one."""
    if not is_schema(schema):
        raise GraphError(f"a state schema declares fields, and {annotation_text(schema)} declares none; {_EXPECTED}")
    cls = get_origin(schema) or schema
    try:
        found = _of_model(cls) if is_model(cls) else _of_record(schema)
        return {field.name: field for field in found}
    except Unresolved as error:
        raise GraphError(f"the state schema {annotation_text(schema)}: {error}") from None


def _of_record(schema: Any) -> Iterator[Field]:
    record = record_of(schema)
    assert record is not None
    defaults = _defaults(record.cls)
    is_checked = issubclass(record.cls, msgspec.Struct)
    for part in record.fields:
        kind, reducer = _parts(part.annotation, part.name, record.cls)
        check = _struct_check(part.annotation) if is_checked else None
        yield Field(part.name, kind, reducer, defaults.get(part.name) or _empty(kind, reducer), check)


def _of_model(model: Any) -> Iterator[Field]:
    for name, part in model.model_fields.items():
        kind, reducer = _parts(Annotated[part.annotation, *part.metadata] if part.metadata else part.annotation, name, model)
        is_made_from_others = getattr(part, "default_factory_takes_validated_data", False)
        has_default = not part.is_required() and not is_made_from_others
        default = functools.partial(part.get_default, call_default_factory=True) if has_default else None
        yield Field(name, kind, reducer, default or _empty(kind, reducer), _model_check(model, part))


def _parts(hint: Any, name: str, schema: type) -> tuple[Any, Reducer | None]:
    """A field's type and its reducer."""
    reducer: Reducer | None = None
    while True:
        origin = get_origin(hint)
        if origin is Annotated:
            hint, *added = get_args(hint)
            reducer = reducer or next((item for item in reversed(added) if _is_function(item)), None)
        elif getattr(origin, "_name", None) in ("Required", "NotRequired", "ReadOnly"):
            (hint,) = get_args(hint)
        elif hasattr(hint, "__value__"):  # `type X = …` of Python 3.12
            hint = hint.__value__
        else:
            break
    if reducer is not None and not _takes_two(reducer):
        raise GraphError(
            f"the field {name!r} of {schema.__name__} has the reducer {getattr(reducer, '__name__', reducer)!r}, which cannot be called "
            "with two values; a reducer is a function (old, written) that returns the new value"
        )
    return hint, reducer


def _is_function(item: Any) -> bool:
    return callable(item) and not isinstance(item, type)


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # a builtin that does not say
        return True
    return True


_CONCRETE: dict[str, type] = {
    **dict.fromkeys(("Sequence", "MutableSequence", "Iterable", "Collection"), list),
    **dict.fromkeys(("Mapping", "MutableMapping"), dict),
    **dict.fromkeys(("Set", "MutableSet"), set),
}


def _empty(kind: Any, reducer: Reducer | None) -> Callable[[], Any] | None:
    """What makes the value that a reduced field begins with, so that its first write is reduced, too; None where the type has none."""
    if reducer is None:
        return None
    cls = get_origin(kind) or kind
    if getattr(cls, "__module__", "") == "collections.abc":
        return _CONCRETE.get(cls.__name__)
    if not isinstance(cls, type):
        return None
    try:
        cls()
    except Exception:  # noqa: BLE001 - the constructor is the user's; that it wants arguments is an answer
        return None
    return cls


def _defaults(cls: Any) -> dict[str, Callable[[], Any]]:
    """Field -> what makes its default."""
    if dataclasses.is_dataclass(cls):
        return _made(dataclasses.fields(cls), dataclasses.MISSING)
    return _made(msgspec.structs.fields(cls), msgspec.NODEFAULT) if issubclass(cls, msgspec.Struct) else {}


def _made(fields: typing.Iterable[Any], missing: Any) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    for field in fields:
        if field.default_factory is not missing:
            found[field.name] = field.default_factory
        elif field.default is not missing and field.default is not msgspec.UNSET:
            found[field.name] = functools.partial(_same, field.default)
    return found


def _same(value: Any) -> Any:
    return value


def _struct_check(hint: Any) -> Check | None:
    """By msgspec's rules for values that were decoded already; None for a type that msgspec does not know."""
    try:
        msgspec.json.Decoder(hint)
    except TypeError:
        return None

    def check(value: Any) -> Any:
        try:
            return msgspec.convert(value, hint)
        except msgspec.ValidationError as error:
            raise Unfit(str(error)) from None

    return check


def _model_check(model: Any, part: Any) -> Check:
    @functools.cache
    def adapter() -> tuple[Any, type[Exception]]:
        pydantic: Any = sys.modules["pydantic"]  # a model of it is there
        hint = Annotated[part.annotation, *part.metadata] if part.metadata else part.annotation
        try:
            return pydantic.TypeAdapter(hint, config=model.model_config), pydantic.ValidationError
        except pydantic.PydanticUserError:  # a model brings its own configuration
            return pydantic.TypeAdapter(hint), pydantic.ValidationError

    def check(value: Any) -> Any:
        validator, failure = adapter()
        try:
            return validator.validate_python(value)
        except failure as error:
            raise Unfit(model_problems(error)) from None

    return check


def decoded(hint: Any, value: Any) -> Any:
    """A value from JSON's types to those of its type; nothing else is converted, a text for a number stays one.

    Raises msgspec.ValidationError, or TypeError, for a value that is none of the type.
    """
    if not _has_model(hint):
        return msgspec.convert(value, hint, str_keys=True)
    pydantic: Any = sys.modules["pydantic"]  # a model of it is there
    try:
        return pydantic.TypeAdapter(hint).validate_python(value)
    except (pydantic.ValidationError, pydantic.PydanticUserError) as error:
        raise TypeError(str(error)) from None


def _has_model(hint: Any) -> bool:
    """Whether a pydantic model is part of a type."""
    return is_model(hint) or any(map(_has_model, get_args(hint)))


def model_problems(error: Any) -> str:
    """What pydantic found wrong, as one line."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(": ".join(filter(None, [".".join(map(str, fault["loc"])), fault["msg"]])) for fault in faults)


def joined(one: Field, other: Field) -> Field:
    """The field that two schemas of a graph declare under one name: a reducer wins over none. GraphError for two reducers."""
    if one.reducer is not None and other.reducer is not None and one.reducer != other.reducer:
        names = " and ".join(getattr(field.reducer, "__name__", repr(field.reducer)) for field in (one, other))
        raise GraphError(
            f"two schemas of the graph declare the field {one.name!r} with different reducers, {names}; use one of them in both"
        )
    return other if one.reducer is None and other.reducer is not None else one
