"""From a function's signature, or a ready schema, to the parameters that a model is offered."""

import functools
import inspect
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from holter.tools.annotation import Scope, Unresolved, annotation_text, class_scope, function_scope, plain_function, resolve
from holter.tools.docstring import described
from holter.tools.form import ANYTHING, Decode, Form, copied, each
from holter.tools.json_schema import Schema
from holter.tools.offer import shown, with_default, with_description
from holter.tools.pydantic_form import given_fields, is_field, is_model
from holter.tools.record import MISSING, record_of
from holter.tools.schema import Forms, object_schema
from holter.tools.validation import Parameters, parameters

Extra: TypeAlias = Literal["refuse", "ignore"]


class _Offered(msgspec.Struct, frozen=True):
    """One parameter that a model may fill."""

    name: str
    annotation: Any
    required: bool
    default: Any
    fill: Callable[[], Any] | None = None
    """Makes the value that Python would not: its own default is a pydantic `Field(…)`."""


def parameters_of(
    function: Callable[..., Any],
    *,
    name: str,
    skip: Collection[str] = (),
    extra: Extra = "refuse",
    parse_docstring: bool = True,
) -> Parameters:
    """What a model may call a function with; a parameter in `skip` is filled by somebody else, and one that a partial binds is fixed.

    TypeError, with the tool, the parameter and the reason, for a parameter that cannot be offered.
    """
    texts = described(function)[1] if parse_docstring else {}
    forms = Forms()
    offered: dict[str, _Offered] = {}
    made: dict[str, Form] = {}
    for parameter in _parameters(function, name, skip):
        try:
            one = _offered(parameter, function)
            made[parameter.name] = _form(one, forms, function_scope(plain_function(function)), texts.get(parameter.name, ""))
            forms.check_unions()
        except (TypeError, ValueError, Unresolved) as error:
            raise TypeError(f"tool {name!r}: the parameter {parameter.name!r} of {_said(function)}: {error}") from None
        offered[parameter.name] = one
    required = [one.name for one in offered.values() if one.required]
    closed = forms.arranged(object_schema({key: form.schema for key, form in made.items()}, required))
    fills = {one.name: one.fill for one in offered.values() if one.fill is not None}
    is_open = extra == "ignore"
    decode = _decoder({key: form.decode for key, form in made.items()}, fills)
    return parameters(closed, shown(closed, is_open=is_open), decode, is_open=is_open)


def parameters_of_schema(schema: Any, *, name: str, extra: Extra = "refuse") -> Parameters:
    """What a model may call a tool with, by a JSON Schema, or by a class whose fields are the parameters: a pydantic model, a TypedDict, a
    dataclass, a msgspec Struct.

    Arguments that a JSON Schema does not name are refused (or dropped), unless it says itself what else may stand there. Of a class, fields
    that are not given have the class's defaults. TypeError or ValueError when it is no such thing.
    """
    try:
        closed, decode = _from_json_schema(schema) if isinstance(schema, dict) else _from_class(schema)
        is_open = extra == "ignore"
        return parameters(closed, shown(closed, is_open=is_open), decode, is_open=is_open)
    except (TypeError, ValueError, Unresolved) as error:
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"tool {name!r}: the schema of its arguments: {error}") from None


def _said(function: Any) -> str:
    plain = plain_function(function)
    return f"{getattr(plain, '__qualname__', type(function).__qualname__).split('.<locals>.')[-1]}()"


def _parameters(function: Callable[..., Any], name: str, skip: Collection[str]) -> Iterator[inspect.Parameter]:
    """The parameters to offer, in order; TypeError for one that cannot be given by name."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        raise TypeError(f"tool {name!r}: {function!r} does not say its parameters; wrap it in a function that does") from None
    bound = _bound(function)
    for parameter in signature.parameters.values():
        if parameter.kind in _REFUSED:
            stars, reason = _REFUSED[parameter.kind]
            raise TypeError(f"tool {name!r}: the parameter '{stars}{parameter.name}' of {_said(function)} {reason}")
        if parameter.name not in skip and parameter.name not in bound:
            yield parameter


_REFUSED = {
    inspect.Parameter.VAR_POSITIONAL: (
        "*",
        "takes any number of values, and a model gives arguments by name; make it one parameter, a list",
    ),
    inspect.Parameter.VAR_KEYWORD: (
        "**",
        "takes any name, and a model has to be told the names; name them, or make it one parameter, a dict",
    ),
    inspect.Parameter.POSITIONAL_ONLY: ("", "is positional-only, and a model gives arguments by name; take the `/` out of the signature"),
}


def _bound(function: Any) -> set[str]:
    """The names of the arguments that partials fix."""
    bound: set[str] = set()
    while isinstance(function, functools.partial):
        bound |= set(function.keywords)
        function = function.func
    return bound


def _offered(parameter: inspect.Parameter, function: Any) -> _Offered:
    is_bare = parameter.annotation is parameter.empty
    annotation = Any if is_bare else resolve(parameter.annotation, function_scope(plain_function(function)))
    default = parameter.default
    if not is_field(default):
        required = default is parameter.empty
        return _Offered(parameter.name, annotation, required, MISSING if required else default)
    annotation = Annotated[annotation, default]
    if default.is_required():
        return _Offered(parameter.name, annotation, True, MISSING)
    shown_default = MISSING if default.default_factory is not None else default.default
    return _Offered(parameter.name, annotation, False, shown_default, lambda: default.get_default(call_default_factory=True))


def _form(one: _Offered, forms: Forms, scope: Scope, documented: str) -> Form:
    form = ANYTHING if one.annotation is Any else forms.of(one.annotation, scope)
    return with_description(with_default(form, one.default, forms.definitions), one.annotation, documented)


def _decoder(decoders: dict[str, Decode | None], fills: dict[str, Callable[[], Any]]) -> Decode:
    as_they_are = frozenset(key for key, decoder in decoders.items() if decoder is None)

    def decode(args: dict[str, Any]) -> dict[str, Any]:
        if as_they_are.issuperset(args):
            return args.copy()
        values = each((key, decoders[key], value) for key, value in args.items())
        return dict(zip(args, values, strict=True))

    def decode_and_fill(args: dict[str, Any]) -> dict[str, Any]:
        values = decode(args)
        return {**{key: fill() for key, fill in fills.items() if key not in values}, **values}

    return decode_and_fill if fills else decode


_OPENING = {"additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if"}
"""Keywords by which a schema says itself which other arguments it takes, or which make that hard to see."""


def _from_json_schema(schema: Schema) -> tuple[Schema, Decode]:
    if schema.get("type", "object") != "object":
        raise ValueError(f"its type is {schema['type']!r}; arguments are an object")
    closed = {"type": "object", **schema}
    says_itself = _OPENING & schema.keys() or "properties" not in schema
    return (closed if says_itself else {**closed, "additionalProperties": False}), copied


def _from_class(cls: Any) -> tuple[Schema, Decode]:
    if not isinstance(cls, type) or not (is_model(cls) or record_of(cls)):
        raise TypeError(f"{annotation_text(cls)} is neither a JSON Schema nor a class with fields")
    forms = Forms()
    form = forms.of(cls, class_scope(cls))
    forms.check_unions()
    closed = forms.arranged(form.schema)
    if closed.get("type") != "object":
        raise TypeError(f"{annotation_text(cls)} is no object in JSON; arguments are one")
    if "additionalProperties" not in closed:
        closed = {**closed, "additionalProperties": False}
    decode = form.decode
    assert decode is not None
    return closed, lambda args: _fields(decode(args))


def _fields(value: Any) -> dict[str, Any]:
    """The fields of what a class made, by name."""
    if isinstance(value, dict):
        return value
    if is_model(type(value)):
        return given_fields(value)
    record = record_of(type(value))
    assert record is not None
    return {field.name: getattr(value, field.name) for field in record.fields}
