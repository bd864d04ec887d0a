"""What every piece that reads a JSON Schema shares: its subschemas, its references, the JSON types that it allows."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias
from urllib.parse import unquote

Schema: TypeAlias = dict[str, Any]

_HOLDS_ONE = {
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
}
_HOLDS_LIST = {"allOf", "anyOf", "items", "oneOf", "prefixItems"}
_HOLDS_NAMED = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}


def subschemas(schema: Schema) -> Iterator[Schema]:
    """The schemas that stand directly in `schema`, in their order; `true` and `false` are left out."""
    for keyword, value in schema.items():
        if keyword in _HOLDS_ONE and isinstance(value, dict):
            yield value
        elif keyword in _HOLDS_LIST and isinstance(value, list):
            yield from (item for item in value if isinstance(item, dict))
        elif keyword in _HOLDS_NAMED and isinstance(value, dict):
            yield from (item for item in value.values() if isinstance(item, dict))


def every_schema(schema: Schema) -> Iterator[Schema]:
    """`schema` and all that stand in it, outer ones first."""
    yield schema
    for inner in subschemas(schema):
        yield from every_schema(inner)


def mapped(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A copy in which each schema is what `change` makes of it, inner ones first."""
    copy: Schema = {}
    for keyword, value in schema.items():
        if keyword in _HOLDS_ONE and isinstance(value, dict):
            copy[keyword] = mapped(value, change)
        elif keyword in _HOLDS_LIST and isinstance(value, list):
            copy[keyword] = [mapped(item, change) if isinstance(item, dict) else item for item in value]
        elif keyword in _HOLDS_NAMED and isinstance(value, dict):
            copy[keyword] = {name: mapped(item, change) if isinstance(item, dict) else item for name, item in value.items()}
        else:
            copy[keyword] = value
    return change(copy)


def resolved(schema: Any, root: Schema) -> Schema:
    """`schema` with the local reference that it is followed to its end, its own keywords kept beside; `{}` for what is no object."""
    followed: set[str] = set()
    while isinstance(schema, dict) and isinstance(reference := schema.get("$ref"), str) and reference not in followed:
        followed.add(reference)
        target = at_pointer(root, reference)
        if not isinstance(target, dict):
            break
        schema = {**target, **{keyword: value for keyword, value in schema.items() if keyword != "$ref"}}
    return schema if isinstance(schema, dict) else {}


def at_pointer(root: Schema, reference: str) -> Any:
    """What the local reference "#/$defs/Node" points at; None where there is nothing, or where it is not local."""
    if not reference.startswith("#"):
        return None
    found: Any = root
    for step in unquote(reference[1:]).split("/")[1:]:
        found = _step(found, step.replace("~1", "/").replace("~0", "~"))
    return found


def pointer_step(step: str | int) -> str:
    """One step of a JSON pointer in a URI fragment."""
    return "/" + str(step).replace("~", "~0").replace("/", "~1").replace("%", "%25").replace('"', "%22").replace(" ", "%20")


def _step(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None


def json_type(value: Any) -> str:
    """The JSON type of `value`; a whole float is a "number", as it was written."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def allowed_types(schema: Schema, root: Schema) -> frozenset[str] | None:
    """The JSON types that `schema` allows, those of its choices included; None where it does not say."""
    schema = resolved(schema, root)
    if (declared := schema.get("type")) is not None:
        return frozenset([declared] if isinstance(declared, str) else declared)
    if "const" in schema:
        return frozenset([json_type(schema["const"])])
    if isinstance(values := schema.get("enum"), list):
        return frozenset(map(json_type, values))
    choices = schema.get("anyOf") or schema.get("oneOf")
    if not isinstance(choices, list):
        return None
    types = [allowed_types(choice, root) if isinstance(choice, dict) else None for choice in choices]
    return None if None in types else frozenset().union(*(kinds for kinds in types if kinds is not None))
