"""Types with named fields: dataclasses, TypedDicts, NamedTuples, msgspec Structs, attrs classes."""

import dataclasses
import inspect
import typing
from collections.abc import Callable
from typing import Any, TypeAlias, get_args, get_origin

import msgspec

from holter.tools.annotation import class_annotations, substituted

MISSING: Any = object()
"""Stands where a field has no default that can be shown."""


class Field(msgspec.Struct, frozen=True):
    """One field of a record."""

    name: str
    """The name of the constructor's argument."""
    key: str
    """The name in JSON."""
    annotation: Any
    required: bool = True
    default: Any = MISSING


class Record(msgspec.Struct, frozen=True):
    """One type with named fields."""

    cls: type
    fields: tuple[Field, ...]
    build: Callable[..., Any]
    """Makes the value from keyword arguments."""
    is_array: bool = False
    """Whether it is a JSON array, in the order of the fields."""
    tag: tuple[str, str | int] | None = None
    """The key and the value that tell it from its siblings."""


_Reader: TypeAlias = Callable[[type, dict[str, Any]], Record]


def record_of(annotation: Any) -> Record | None:
    """The record that a class, or a generic class with its arguments, is; None when it is none."""
    cls = get_origin(annotation) or annotation
    reader = _reader(cls)
    if reader is None:
        return None
    arguments = get_args(annotation)
    bindings = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False)) if arguments else {}
    return reader(cls, {name: substituted(hint, bindings) for name, hint in class_annotations(cls).items()})


def _reader(cls: Any) -> _Reader | None:
    if not isinstance(cls, type):
        return None
    if issubclass(cls, msgspec.Struct):
        return _struct
    if is_typed_dict(cls):
        return _typed_dict
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple
    if dataclasses.is_dataclass(cls):
        return _dataclass
    return _attrs if hasattr(cls, "__attrs_attrs__") else None


def is_typed_dict(cls: type) -> bool:
    """Whether a class is a TypedDict, typing's or typing_extensions'; before Python 3.13 `typing.is_typeddict` knows only its own."""
    return issubclass(cls, dict) and hasattr(cls, "__required_keys__")


def description_of(cls: type) -> str:
    """The docstring that the author of a class wrote; "" where Python made it or a base has it."""
    text = cls.__dict__.get("__doc__") or ""
    return "" if text.startswith(f"{cls.__name__}(") else inspect.cleandoc(text)


def _made(factory: Any) -> Any:
    """What a default factory that makes an empty collection makes; others may be costly, or make another value each time."""
    return factory() if factory in (list, dict, set, frozenset, tuple) else MISSING


def _struct(cls: type, hints: dict[str, Any]) -> Record:
    fields = []
    for field in msgspec.structs.fields(cls):
        shown = _made(field.default_factory) if field.default is msgspec.NODEFAULT else field.default
        default = MISSING if shown is msgspec.UNSET else shown
        fields.append(Field(field.name, field.encode_name, hints[field.name], field.required, default))
    config = typing.cast(Any, cls).__struct_config__
    tag = None if config.tag is None else (config.tag_field, config.tag)
    return Record(cls, tuple(fields), cls, config.array_like, tag)


def _typed_dict(cls: type, hints: dict[str, Any]) -> Record:
    required_keys = typing.cast(Any, cls).__required_keys__
    fields = []
    for name, annotation in hints.items():
        required, hint = _without_qualifiers(annotation, name in required_keys)
        fields.append(Field(name, name, hint, required))
    return Record(cls, tuple(fields), dict)


def _without_qualifiers(annotation: Any, required: bool) -> tuple[bool, Any]:
    """Whether a key is required, and its type. A key's own word counts: the class does not know it where annotations are strings."""
    match getattr(get_origin(annotation), "_name", None):
        case "Required":
            return _without_qualifiers(get_args(annotation)[0], True)
        case "NotRequired":
            return _without_qualifiers(get_args(annotation)[0], False)
        case "ReadOnly":  # typing's from Python 3.13 on, typing_extensions' before
            return _without_qualifiers(get_args(annotation)[0], required)
        case _:
            return required, annotation


def _named_tuple(cls: type, hints: dict[str, Any]) -> Record:
    source = typing.cast(Any, cls)
    defaults = source._field_defaults
    fields = [Field(name, name, hints.get(name, Any), name not in defaults, defaults.get(name, MISSING)) for name in source._fields]
    return Record(cls, tuple(fields), cls, is_array=True)


def _dataclass(cls: type, hints: dict[str, Any]) -> Record:
    fields = []
    for field in dataclasses.fields(typing.cast(Any, cls)):
        if not field.init:
            continue
        has_factory = field.default_factory is not dataclasses.MISSING
        default = field.default if field.default is not dataclasses.MISSING else _made(field.default_factory) if has_factory else MISSING
        required = field.default is dataclasses.MISSING and not has_factory
        fields.append(Field(field.name, field.name, hints[field.name], required, default))
    return Record(cls, tuple(fields), cls)


def _attrs(cls: type, hints: dict[str, Any]) -> Record:
    """attrs is not imported: its classes say what is needed."""
    fields = []
    for attribute in typing.cast(Any, cls).__attrs_attrs__:
        if not attribute.init:
            continue
        marker = type(attribute.default).__name__
        required = marker in ("_Nothing", "NothingType")
        default = MISSING if required else _made(attribute.default.factory) if marker == "Factory" else attribute.default
        fields.append(Field(attribute.alias, attribute.name, hints.get(attribute.name, attribute.type or Any), required, default))
    return Record(cls, tuple(fields), cls)
