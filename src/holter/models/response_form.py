"""The form that an answer must have, as providers take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


def schema_of(form: Any) -> tuple[str, dict[str, Any]] | None:
    """(name, JSON Schema) of a type or a schema; None for a form in a provider's own words (`{"type": "json_object"}`)."""
    if isinstance(form, Mapping):
        kind = form.get("type")
        if kind == "json_schema" and isinstance(form.get("json_schema"), Mapping):
            body = form["json_schema"]
            return str(body.get("name") or "answer"), dict(body.get("schema") or {})
        if kind in ("text", "json_object", "json_schema", "grammar"):
            return None
        return str(form.get("title") or "answer"), dict(form)
    if callable(made := getattr(form, "model_json_schema", None)):  # a pydantic model
        return form.__name__, closed(made())
    try:
        return getattr(form, "__name__", "answer"), closed(msgspec.json.schema(form))
    except TypeError as error:
        raise TypeError(f"a response_format is a type, a JSON Schema, or what the provider takes; found {form!r} ({error})") from None


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every object closed, as providers demand it that enforce one."""
    return {key: _closed(value) for key, value in schema.items()} | _closing(schema)


def _closed(value: Any) -> Any:
    match value:
        case dict():
            return closed(value)
        case list():
            return [_closed(item) for item in value]
        case _:
            return value


def _closing(schema: dict[str, Any]) -> dict[str, Any]:
    is_open = schema.get("type") == "object" and isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema
    return {"additionalProperties": False} if is_open else {}
