"""Limits that `Annotated[…, msgspec.Meta(…)]` puts on a type."""

import msgspec

from holter.tools.form import Decode, Form, Refused
from holter.tools.json_schema import Schema, allowed_types, every_schema, mapped

_NUMBER_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf"}
_LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "object": ("minProperties", "maxProperties")}


def constrained(form: Form, meta: msgspec.Meta) -> Form:
    """The form with the limits of `meta`; TypeError for a limit that means nothing to its type."""
    schema, decode = _with_lengths({**form.schema, **_number_limits(form.schema, meta)}, form.decode, meta)
    if meta.pattern is not None:
        schema = {**schema, "decodes": {"pattern": _pattern(schema, meta.pattern)}}
    if meta.tz is not None:
        schema = _with_zone(schema, meta.tz)
    said = {"title": meta.title, "examples": meta.examples}
    return Form({**schema, **{key: value for key, value in said.items() if value is not None}, **(meta.extra_json_schema or {})}, decode)


def _types(schema: Schema) -> frozenset[str]:
    return allowed_types(schema, {}) or frozenset()


def _decoders(schema: Schema) -> set[str]:
    return {part["decodes"] for part in every_schema(schema) if isinstance(part.get("decodes"), str)}


def _number_limits(schema: Schema, meta: msgspec.Meta) -> Schema:
    limits = {keyword: getattr(meta, name) for name, keyword in _NUMBER_LIMITS.items() if getattr(meta, name) is not None}
    if limits and (not _types(schema) & {"integer", "number"} or "decimal number" in _decoders(schema)):
        raise TypeError(f"{', '.join(limits)} can limit int and float only")
    return limits


def _with_lengths(schema: Schema, decode: Decode | None, meta: msgspec.Meta) -> tuple[Schema, Decode | None]:
    given = (meta.min_length, meta.max_length)
    if given == (None, None):
        return schema, decode
    if _decoders(schema) == {"base64 text"} and decode is not None:
        return schema, _sized(decode, *given)
    kinds = [kind for kind in _LENGTHS if kind in _types(schema)]
    if not kinds or _decoders(schema):
        raise TypeError("min_length and max_length can limit str, bytes, lists, sets and dicts only")
    limits = {keyword: value for kind in kinds for keyword, value in zip(_LENGTHS[kind], given, strict=True) if value is not None}
    return {**schema, **limits}, decode


def _sized(decode: Decode, least: int | None, most: int | None) -> Decode:
    """JSON Schema counts the characters of base64, which do not say the number of bytes; so the decoder counts."""

    def sized(value: str) -> bytes:
        made: bytes = decode(value)
        if not (least or 0) <= len(made) <= (len(made) if most is None else most):
            raise Refused(((), f"holds {len(made)} bytes; expected {least or 0} to {'any number' if most is None else most}"))
        return made

    return sized


def _pattern(schema: Schema, pattern: str) -> str:
    if "string" not in _types(schema) or _decoders(schema):
        raise TypeError("pattern can limit str only")
    return pattern


def _with_zone(schema: Schema, zone: bool) -> Schema:
    kinds = {"date-time", "time"}
    if not _decoders(schema) & kinds:
        raise TypeError("tz can limit datetime and time only")

    def zoned(part: Schema) -> Schema:
        name = part.get("decodes")
        return {**part, "decodes": f"{name} {'with' if zone else 'without'} a zone"} if isinstance(name, str) and name in kinds else part

    return mapped(schema, zoned)
