"""JSON values that fit a schema, as somebody would draw them who has nothing but the schema."""

from datetime import UTC
from typing import Any

from hypothesis import strategies as st

from holter.tools.json_schema import Schema, at_pointer
from tests import strategies

_FORMATS = {
    "date": st.dates().map(str),
    "date-time": st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.isoformat().replace("+00:00", "Z")),
    "time": st.times().map(lambda time: f"{time.isoformat()}Z"),
    "uuid": st.uuids().map(str),
}
_LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "string": strategies.texts,
}


def fitting(schema: Any, root: Schema, depth: int = 4) -> st.SearchStrategy[Any]:
    """Values that a schema of ours accepts."""
    if not {"$ref", "anyOf", "enum", "type"} & schema.keys():
        return strategies.json_values
    if "$ref" in schema:
        return st.deferred(lambda: fitting(at_pointer(root, schema["$ref"]), root, depth - 1))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        leaves = [choice for choice in schema["anyOf"] if choice.get("type") in ("null", "integer", "string")]
        return st.one_of([fitting(choice, root, depth) for choice in (leaves if depth <= 0 and leaves else schema["anyOf"])])
    match schema["type"]:
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "number":
            return st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**30), 10**30))
        case "string" if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True).filter(lambda text: not text.endswith("\n"))
        case "string" if "format" in schema:
            return _FORMATS[schema["format"]]
        case "array":
            return _arrays(schema, root, depth)
        case "object":
            return _objects(schema, root, depth)
        case kind:
            return _LEAVES[kind]


def _arrays(schema: Schema, root: Schema, depth: int) -> st.SearchStrategy[list[Any]]:
    if first := schema.get("prefixItems"):
        least = schema["minItems"]
        whole = st.tuples(*(fitting(part, root, depth - 1) for part in first)).map(list)
        return st.tuples(whole, st.integers(least, len(first))).map(lambda pair: pair[0][: pair[1]])
    most = min(schema.get("maxItems", 3), max(depth, 0))
    return st.lists(
        fitting(schema.get("items", {}), root, depth - 1),
        min_size=schema.get("minItems", 0),
        max_size=most,
        unique_by=repr if schema.get("uniqueItems") else None,
    )


def _objects(schema: Schema, root: Schema, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    parts = {name: fitting(part, root, depth - 1) for name, part in schema.get("properties", {}).items()}
    if parts or schema.get("additionalProperties") is False:
        required = schema.get("required", [])
        return st.fixed_dictionaries(
            {name: part for name, part in parts.items() if name in required},
            optional={name: part for name, part in parts.items() if name not in required},
        )
    keys = fitting({"type": "string", **schema["propertyNames"]}, root) if "propertyNames" in schema else strategies.texts
    return st.dictionaries(keys, fitting(schema.get("additionalProperties", {}), root, depth - 1), max_size=max(depth, 0))
