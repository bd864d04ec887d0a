"""How a parameter or a field is offered to a model: its description, its default, and JSON Schema's own keywords only."""

from typing import Any

import msgspec

from holter.tools.checker import validator
from holter.tools.form import Decode, Form
from holter.tools.json_schema import Schema, mapped
from holter.tools.pydantic_form import is_field
from holter.tools.record import MISSING
from holter.tools.scalar import SCALAR_FORMS, SCALARS


def annotated_description(annotation: Any) -> str:
    """What `Annotated` says of a type in words: a text, `Doc(…)`, or the description of a msgspec `Meta`; "" when nothing."""
    for item in getattr(annotation, "__metadata__", ()):
        text = item if isinstance(item, str) else getattr(item, "documentation", None)
        text = item.description if isinstance(item, msgspec.Meta) else text
        if isinstance(text, str):
            return text
    return ""


def field_description(annotation: Any) -> str:
    """What a pydantic `Field(description=…)` in `Annotated` says; "" when nothing."""
    texts = (item.description for item in getattr(annotation, "__metadata__", ()) if is_field(item))
    return next((text for text in texts if text), "")


def with_description(form: Form, annotation: Any, documented: str) -> Form:
    """The form with the description that counts: `Annotated`'s own, the docstring's, pydantic's, the type's, in this order."""
    text = annotated_description(annotation) or documented or field_description(annotation)
    return Form({**form.schema, "description": text}, form.decode) if text else form


def with_default(form: Form, default: Any, definitions: dict[str, Schema]) -> Form:
    """The form with its default in the schema, where JSON can say it. A default of None lets null in, whatever the annotation forgot."""
    if default is MISSING:
        return form
    checker = validator({**form.schema, "$defs": definitions})
    if default is None and not checker.is_valid(None):
        null = SCALAR_FORMS[type(None)]
        return Form({"anyOf": [form.schema, null.schema], "default": None}, _optional(form.decode))
    try:
        value = _as_json(default)
        return Form({**form.schema, "default": value}, form.decode) if checker.is_valid(value) else form
    except (TypeError, ValueError, msgspec.MsgspecError):
        return form


def _optional(decode: Decode | None) -> Decode | None:
    return None if decode is None else lambda value: None if value is None else decode(value)


def _as_json(default: Any) -> Any:
    if isinstance(default, set | frozenset):
        return sorted(msgspec.to_builtins(default), key=lambda item: (str(type(item)), item))
    return msgspec.to_builtins(default, str_keys=True, enc_hook=_dumped)


def _dumped(value: Any) -> Any:
    """A pydantic model in a default."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"JSON cannot say {value!r}")


def shown(schema: Schema, *, is_open: bool = False) -> Schema:
    """The schema as the model sees it: JSON Schema's keywords only. `is_open` says nothing of unknown keys, which are dropped then."""

    def public(part: Schema) -> Schema:
        if is_open and part.get("additionalProperties") is False:
            part = {keyword: value for keyword, value in part.items() if keyword != "additionalProperties"}
        decoder = part.get("decodes")
        if decoder is None:
            return part
        extra = {"pattern": decoder["pattern"]} if isinstance(decoder, dict) else SCALARS[decoder].shown
        names = ((keyword, value) for keyword, value in part.items() if keyword != "decodes")
        return _with_type_first(dict(names), extra)

    return mapped(schema, public)


def _with_type_first(schema: Schema, extra: Schema) -> Schema:
    first = {"type": schema["type"]} if "type" in schema else {}
    return {**first, **extra, **schema}
