"""OpenAI's strict profile: the part of JSON Schema that the provider can hold a model to.

Source: https://developers.openai.com/api/docs/guides/structured-outputs ("Supported schemas"), seen 2026-11.
"""

from typing import Any

from holter.tools.json_schema import Schema, json_type, resolved

_KEPT = ("title", "description", "type", "enum")
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
"""Formats of texts that the provider knows; others it refuses. They tell the model a date from any text."""
_CANNOT = ("not", "if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas", "contains", "unevaluatedProperties")


def strict_schema(schema: Schema) -> Schema:
    """The schema in the profile: every property required, what was optional may be null, no other properties or keywords.

    It may take more than `schema`, whose limits the profile cannot say; arguments are checked against `schema` still. ValueError, with
    the place, where nothing in the profile stands for a part: an object with free keys, a value of any type.
    """
    strict = _strict(schema, "the arguments", schema)
    if "$defs" in schema:
        strict["$defs"] = {name: _strict(part, name, schema) for name, part in schema["$defs"].items()}
    return strict


def _strict(schema: Any, place: str, root: Schema) -> Schema:
    if not isinstance(schema, dict):
        raise ValueError(f"{place}: OpenAI's strict profile cannot say the schema {schema!r}")
    if found := [keyword for keyword in _CANNOT if keyword in schema]:
        raise ValueError(f"{place}: OpenAI's strict profile has no {found[0]!r}")
    if "$ref" in schema:
        return _strict_reference(schema, place, root)
    if "allOf" in schema:
        return _strict(_merged(schema, place, root), place, root)
    strict = {keyword: schema[keyword] for keyword in _KEPT if keyword in schema}
    if schema.get("format") in _FORMATS:
        strict["format"] = schema["format"]
    if "const" in schema:
        strict["enum"] = [schema["const"]]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return {**_words(schema), "anyOf": [_strict(choice, place, root) for choice in choices]}
    if "enum" in strict:
        found_kinds = sorted(set(map(json_type, strict["enum"])))
        return {**strict, "type": found_kinds[0] if len(found_kinds) == 1 else found_kinds}
    kinds = schema.get("type")
    if kinds is None and "properties" not in schema:
        raise ValueError(f"{place}: OpenAI's strict profile cannot say a value of any type; give it one")
    if isinstance(kinds, list) and {"array", "object"} & set(kinds):
        return {**_words(schema), "anyOf": [_strict({**schema, "type": kind}, place, root) for kind in kinds]}
    if kinds == "array":
        return {**strict, "items": _items(schema, place, root)}
    return {**strict, **_object(schema, place, root)} if kinds in ("object", None) else strict


def _words(schema: Schema) -> Schema:
    return {keyword: schema[keyword] for keyword in ("title", "description") if keyword in schema}


def _strict_reference(schema: Schema, place: str, root: Schema) -> Schema:
    """The profile allows nothing beside a reference: where there is something, what it refers to stands in its place."""
    if not str(schema["$ref"]).startswith("#/$defs/"):
        raise ValueError(f"{place}: OpenAI's strict profile needs {schema['$ref']!r} to be one of the schema's own $defs")
    others = {keyword for keyword in schema if keyword not in ("$ref", "default")}
    return _strict(resolved(schema, root), place, root) if others else {"$ref": schema["$ref"]}


def _merged(schema: Schema, place: str, root: Schema) -> Schema:
    """The schema with its only `allOf` part taken in."""
    if len(schema["allOf"]) != 1:
        raise ValueError(f"{place}: OpenAI's strict profile has no 'allOf'")
    return {**resolved(schema["allOf"][0], root), **{keyword: value for keyword, value in schema.items() if keyword != "allOf"}}


def _items(schema: Schema, place: str, root: Schema) -> Schema:
    """The profile has no positions: an item may be what any position takes."""
    parts = [*schema.get("prefixItems", []), *([schema["items"]] if isinstance(schema.get("items"), dict) else [])]
    distinct = [part for position, part in enumerate(parts) if part not in parts[:position]]
    if not distinct:
        raise ValueError(f"{place}: OpenAI's strict profile cannot say an array of anything; say what its items are")
    choices = [_strict(part, f"{place}[]", root) for part in distinct]
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def _object(schema: Schema, place: str, root: Schema) -> Schema:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", not (properties or schema is root))
    if others is not False and others != {"not": {}}:
        raise ValueError(f"{place}: OpenAI's strict profile cannot say an object with free keys; name its properties")
    required = set(schema.get("required", []))
    strict = {}
    for name, part in properties.items():
        made = _strict(part, name if schema is root else f"{place}.{name}", root)
        strict[name] = made if name in required or _takes_null(part, root) else _nullable(made)
    return {"properties": strict, "required": list(properties), "additionalProperties": False}


def _takes_null(schema: Schema, root: Schema) -> bool:
    schema = resolved(schema, root)
    kinds = schema.get("type", [])
    if "null" in ([kinds] if isinstance(kinds, str) else kinds) or None in schema.get("enum", []):
        return True
    return any(_takes_null(choice, root) for choice in schema.get("anyOf") or schema.get("oneOf") or [])


def _nullable(schema: Schema) -> Schema:
    words = _words(schema)
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    bare = {keyword: value for keyword, value in schema.items() if keyword not in words}
    return {**words, "anyOf": [bare, {"type": "null"}]}
