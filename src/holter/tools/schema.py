"""From a type to its JSON Schema and its decoder.

What comes out is closed under one law: a value that the schema accepts decodes. Each type's schema and decoder are therefore made side by
side here, and msgspec decodes only scalars, whose decoders validation itself asks (`tools/scalar`).
"""

import collections.abc
import enum
import re
import types
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, Final, ForwardRef, Literal, LiteralString, NewType, TypeVar, Union, get_args, get_origin

import msgspec

from holter.tools.annotation import Scope, annotation_text, class_scope, resolve
from holter.tools.constraint import constrained
from holter.tools.docstring import described
from holter.tools.enumeration import enum_schema, enumeration, literal
from holter.tools.form import ANYTHING, Decode, Form, built, each
from holter.tools.json_schema import Schema, every_schema, json_type, mapped
from holter.tools.offer import annotated_description, with_default, with_description
from holter.tools.pydantic_form import belongs, pydantic_form
from holter.tools.record import Field, Record, description_of, record_of
from holter.tools.scalar import SCALAR_FORMS, SCALARS
from holter.tools.union import Choice, Member, refuse_unreachable

_PREFIX = "#/$defs/"

_LISTS = (list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Collection, collections.abc.Iterable)
_SETS = (set, collections.abc.Set, collections.abc.MutableSet)
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


class Forms:
    """The forms of a function's types. Types with names and recursive ones become definitions that they share."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        """By name; complete when all types were seen."""
        self._decoders: dict[str, Decode] = {}
        self._names: dict[Any, str] = {}
        self._unions: list[list[Member]] = []

    def of(self, annotation: Any, scope: Scope) -> Form:
        """The form of a type. TypeError for a type that JSON cannot say."""
        if isinstance(annotation, str | ForwardRef):
            return self._named(("reference", annotation_text(annotation), id(scope.globals)), annotation, scope)
        if get_origin(annotation) is Annotated and not belongs(annotation):
            return self._annotated(annotation, scope)
        if belongs(annotation):
            return self._adopted(pydantic_form(annotation))
        known = _simple(annotation)
        if known is not None:
            return known
        if isinstance(annotation, NewType):
            return self.of(annotation.__supertype__, scope)
        if isinstance(annotation, TypeVar):
            return self._variable(annotation, scope)
        if hasattr(annotation, "__value__") or hasattr(get_origin(annotation), "__value__"):
            return self._alias(annotation, scope)
        return self._composed(annotation, scope)

    def _composed(self, annotation: Any, scope: Scope) -> Form:
        origin, arguments = get_origin(annotation) or annotation, get_args(annotation)
        if origin is Union or origin is types.UnionType:
            return self._union(arguments, scope)
        if origin is Final:
            return self.of(arguments[0], scope)
        if origin in _LISTS:
            return self._collection(arguments, scope, list)
        if origin in _SETS:
            return self._collection(arguments, scope, set)
        if origin is frozenset:
            return self._collection(arguments, scope, frozenset)
        if origin is tuple:
            return self._tuple(annotation, scope)
        if origin in _DICTS:
            return self._dict(arguments, scope)
        record = record_of(annotation)
        if record is None:
            raise TypeError(f"JSON cannot say a value of type {annotation_text(annotation)}")
        return self._record(annotation, record)

    def _annotated(self, annotation: Any, scope: Scope) -> Form:
        inner, *metadata = get_args(annotation)
        form = self.of(inner, scope)
        for item in metadata:
            if isinstance(item, msgspec.Meta):
                form = constrained(form, item)
        text = annotated_description(annotation)
        return Form({**form.schema, "description": text}, form.decode) if text else form

    def _variable(self, variable: TypeVar, scope: Scope) -> Form:
        if variable.__constraints__:
            return self._union(variable.__constraints__, scope)
        return ANYTHING if variable.__bound__ is None else self.of(resolve(variable.__bound__, scope), scope)

    def _alias(self, alias: Any, scope: Scope) -> Form:
        """A `type` statement's name; it may mean itself."""
        origin, arguments = get_origin(alias), get_args(alias)
        value = alias.__value__ if origin is None else origin.__value__[arguments]
        return self._named(("alias", alias), value, scope, (origin or alias).__name__)

    def _named(self, key: Any, annotation: Any, scope: Scope, name: str = "") -> Form:
        """The form of a type that may contain itself, by reference."""
        if key not in self._names:
            self._define(key, name or annotation_text(annotation), lambda: self.of(resolve(annotation, scope), scope))
        return self._reference(self._names[key])

    def _define(self, key: Any, name: str, make: Callable[[], Form], meanwhile: Schema | None = None) -> None:
        """`meanwhile` is what is known of the schema while its parts are made, which may refer to it."""
        name = self._free_name(re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_"))
        self._names[key] = name
        self.definitions[name] = meanwhile or {}
        form = make()
        self.definitions[name] = form.schema
        self._decoders[name] = form.decode or _same

    def _free_name(self, name: str) -> str:
        names = (name if number == 1 else f"{name}_{number}" for number in range(1, len(self.definitions) + 2))
        return next(free for free in names if free not in self.definitions)

    def _reference(self, name: str) -> Form:
        return Form({"$ref": _PREFIX + name}, lambda value: self._decoders[name](value))

    def _adopted(self, form: Form) -> Form:
        """A form whose schema brings its own definitions, which join the others, under new names where theirs are taken."""
        own = form.schema.get("$defs", {})
        names: dict[str, str] = {}
        for name, schema in own.items():
            names[name] = name if self.definitions.get(name) == schema else self._free_name(name)
            self.definitions.setdefault(names[name], schema)

        def renamed(schema: Schema) -> Schema:
            reference = schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith(_PREFIX):
                return schema
            return {**schema, "$ref": _PREFIX + names.get(reference.removeprefix(_PREFIX), "")}

        for name in own:
            self.definitions[names[name]] = mapped(own[name], renamed)
        schema = {keyword: value for keyword, value in form.schema.items() if keyword != "$defs"}
        return Form(mapped(schema, renamed), form.decode)

    def _collection(self, arguments: tuple[Any, ...], scope: Scope, build: Callable[[Any], Any]) -> Form:
        item = self.of(arguments[0], scope) if arguments else ANYTHING
        schema: Schema = {"type": "array"}
        if item.schema:
            schema["items"] = item.schema
        if build is list:
            return Form(schema, lambda value: _items(item.decode, value))
        return Form({**schema, "uniqueItems": True}, lambda value: built(lambda: build(_items(item.decode, value)), TypeError))

    def _tuple(self, annotation: Any, scope: Scope) -> Form:
        arguments = get_args(annotation)
        if annotation is tuple or arguments[-1:] == (Ellipsis,):
            item = self.of(arguments[0], scope) if arguments else ANYTHING
            schema: Schema = {"type": "array", "items": item.schema} if item.schema else {"type": "array"}
            return Form(schema, lambda value: tuple(_items(item.decode, value)))
        forms = [self.of(argument, scope) for argument in arguments]
        decoders = [form.decode for form in forms]
        return Form(
            {"type": "array", **_positions([form.schema for form in forms], len(forms))},
            lambda value: tuple(each(zip(range(len(value)), decoders, value, strict=True))),
        )

    def _dict(self, arguments: tuple[Any, ...], scope: Scope) -> Form:
        key, item = [self.of(argument, scope) for argument in arguments] if arguments else (ANYTHING, ANYTHING)
        schema: Schema = {"type": "object"}
        names, decode_key = _key_form(key, arguments[0] if arguments else Any)
        if names:
            schema["propertyNames"] = names
        if item.schema:
            schema["additionalProperties"] = item.schema

        def decode(value: dict[str, Any]) -> dict[Any, Any]:
            items = each((name, item.decode, part) for name, part in value.items())
            keys = list(value) if decode_key is None else each((name, decode_key, name) for name in value)
            return dict(zip(keys, items, strict=True))

        return Form(schema, decode)

    def _union(self, arguments: tuple[Any, ...], scope: Scope) -> Form:
        members = [Member(argument, self.of(argument, scope)) for argument in _ordered(arguments)]
        if len(members) == 1:
            return members[0].form
        self._unions.append(members)
        schema = {"anyOf": [member.form.schema for member in members]}
        if all(member.form.decode is None for member in members):
            return Form(schema)
        return Form(schema, Choice(self.definitions, [member.form for member in members]))

    def _record(self, annotation: Any, record: Record) -> Form:
        if annotation not in self._names:
            name = annotation_text(annotation) if get_args(annotation) else record.cls.__name__
            self._define(annotation, name, lambda: self._record_form(record), {"type": "array" if record.is_array else "object"})
        return self._reference(self._names[annotation])

    def _record_form(self, record: Record) -> Form:
        _, texts = described(record.cls)
        scope = class_scope(record.cls)
        forms: dict[str, Form] = {}
        for field in record.fields:
            try:
                form = with_default(self.of(field.annotation, scope), field.default, self.definitions)
            except TypeError as error:
                raise TypeError(f"{error} (field {field.name!r} of {record.cls.__name__})") from None
            forms[field.name] = with_description(form, field.annotation, texts.get(field.name, ""))
        schema = (_array_schema if record.is_array else _object_schema)(record, forms)
        if text := described(record.cls)[0] if description_of(record.cls) else "":
            schema = {"description": text, **schema}
        return Form(schema, _record_decoder(record, forms))

    def check_unions(self) -> None:
        """TypeError for a union, of those seen since the last time, that has a member which can never be chosen."""
        root = {"$defs": self.definitions}
        unions, self._unions = self._unions, []
        for members in unions:
            for position, member in enumerate(members):
                for earlier in members[:position]:
                    refuse_unreachable(earlier, member, root)

    def arranged(self, schema: Schema) -> Schema:
        """`schema` with its definitions: one that is used once stands where it is used, others under "$defs"."""
        uses = Counter(_references({**schema, "$defs": self.definitions}))

        def inlined(part: Schema) -> Schema:
            name = str(part.get("$ref", "")).removeprefix(_PREFIX)
            if uses[name] != 1:
                return part
            others = {keyword: value for keyword, value in part.items() if keyword != "$ref"}
            return {**mapped(self.definitions[name], inlined), **others}

        kept = {name: mapped(part, inlined) for name, part in self.definitions.items() if uses[name] > 1}
        arranged = mapped(schema, inlined)
        return {**arranged, "$defs": kept} if kept else arranged


def _ordered(members: tuple[Any, ...]) -> list[Any]:
    """A union's members in the order in which they are tried: as written, but int before float, which would take 15 as 15.0."""
    ordered = [member for member in members if member is not msgspec.UnsetType]
    if int in ordered and float in ordered[: ordered.index(int)]:
        first, second = ordered.index(float), ordered.index(int)
        ordered[first], ordered[second] = int, float
    return ordered


def _simple(annotation: Any) -> Form | None:
    """The form of a type that has no parts."""
    if annotation is None:
        return SCALAR_FORMS[type(None)]
    if annotation is Any or annotation is object:
        return ANYTHING
    if annotation is LiteralString:
        return SCALAR_FORMS[str]
    if get_origin(annotation) is Literal:
        return literal(annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return enumeration(annotation)
    return SCALAR_FORMS.get(annotation) if isinstance(annotation, type) else None


def _same(value: Any) -> Any:
    return value


def _items(decode: Decode | None, value: list[Any]) -> list[Any]:
    return list(value) if decode is None else each((position, decode, item) for position, item in enumerate(value))


def _positions(schemas: list[Schema], required: int) -> Schema:
    counts: Schema = {"minItems": required, "maxItems": len(schemas)}
    return {"prefixItems": schemas, "items": False, **counts} if schemas else counts


def _key_form(key: Form, annotation: Any) -> tuple[Schema, Decode | None]:
    """What the names of an object have to be, and how they are decoded. JSON has them as text only."""
    kinds = {json_type(value) for value in key.schema["enum"]} if "enum" in key.schema else {key.schema.get("type", "string")}
    if key.schema == {"type": "integer"}:
        return {"decodes": "whole number"}, SCALARS["whole number"].decode
    if key.schema == {"type": "number"}:
        return {"decodes": "number"}, SCALARS["number"].decode
    if kinds != {"string"}:
        raise TypeError(f"the keys of a JSON object are text, and cannot be {annotation_text(annotation)}")
    names = {keyword: value for keyword, value in key.schema.items() if keyword != "type"}
    return names, None if key is ANYTHING else key.decode


def _object_schema(record: Record, forms: dict[str, Form]) -> Schema:
    properties = {field.key: forms[field.name].schema for field in record.fields}
    required = [field.key for field in record.fields if field.required]
    if record.tag is not None:
        key, value = record.tag
        properties = {key: enum_schema([value]), **properties}
        required = [key, *required]
    return object_schema(properties, required)


def object_schema(properties: dict[str, Schema], required: list[str]) -> Schema:
    """An object with these properties and no others."""
    schema: Schema = {"type": "object", "properties": properties}
    return {**schema, **({"required": required} if required else {}), "additionalProperties": False}


def _array_schema(record: Record, forms: dict[str, Form]) -> Schema:
    schemas = [{"title": field.name, **forms[field.name].schema} for field in record.fields]
    required = sum(field.required for field in record.fields)
    if record.tag is not None:
        schemas = [enum_schema([record.tag[1]]), *schemas]
        required += 1
    return {"type": "array", **_positions(schemas, required)}


def _record_decoder(record: Record, forms: dict[str, Form]) -> Decode:
    def decode_array(value: list[Any]) -> Any:
        values = value if record.tag is None else value[1:]
        return make(each((i, forms[field.name].decode, part) for i, (field, part) in enumerate(zip(record.fields, values, strict=False))))

    def decode_object(value: dict[str, Any]) -> Any:
        given = [field for field in record.fields if field.key in value]
        return make(each((field.key, forms[field.name].decode, value[field.key]) for field in given), given)

    def make(values: list[Any], fields: collections.abc.Sequence[Field] = record.fields) -> Any:
        return built(lambda: record.build(**{field.name: value for field, value in zip(fields, values, strict=False)}))

    return decode_array if record.is_array else decode_object


def _references(schema: Schema) -> list[str]:
    """The names of the definitions that are used, each as often as it is."""
    found = [part["$ref"] for part in every_schema(schema) if isinstance(part.get("$ref"), str)]
    return [reference.removeprefix(_PREFIX) for reference in found if reference.startswith(_PREFIX)]
