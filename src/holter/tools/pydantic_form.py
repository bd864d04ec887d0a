"""pydantic's models and constraints, for programs that use pydantic. It is never imported here: who uses it has imported it."""

import json
import sys
from collections.abc import Callable
from typing import Annotated, Any, Union, get_args, get_origin

from holter.tools.form import Form, Place, Refused
from holter.tools.json_schema import Schema, mapped


def belongs(annotation: Any) -> bool:
    """Whether pydantic has to read a type: a model or a type of its own, a constraint of its in `Annotated`, or a union of such types."""
    if _pydantic() is None:
        return False
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *metadata = get_args(annotation)
        return any(map(_constrains, metadata)) or belongs(inner)
    if origin is Union or getattr(origin, "__name__", "") == "UnionType":
        members = [member for member in get_args(annotation) if member is not type(None)]
        return all(map(belongs, members))
    cls = origin or annotation
    return isinstance(cls, type) and (hasattr(cls, "__get_pydantic_core_schema__") or hasattr(cls, "__pydantic_validator__"))


def is_field(value: Any) -> bool:
    """Whether a value is what pydantic's `Field(…)` returns."""
    fields = sys.modules.get("pydantic.fields")
    return fields is not None and isinstance(value, fields.FieldInfo)


def pydantic_form(annotation: Any) -> Form:
    """The form of a type that pydantic reads, its definitions inside its schema; TypeError when pydantic cannot read it or say its schema.

    Values are read as pydantic reads JSON: a strict model takes a date as text there.
    """
    pydantic = _pydantic()
    assert pydantic is not None
    try:
        adapter = pydantic.TypeAdapter(annotation)
        schema = _untitled(mapped(adapter.json_schema(), _tidied), getattr(annotation, "__name__", ""))
    except (pydantic.PydanticUserError, pydantic.PydanticSchemaGenerationError) as error:
        raise TypeError(f"pydantic cannot say how it looks in JSON: {str(error).splitlines()[0]}") from None
    return Form(schema, _reader(adapter.validate_json, pydantic.ValidationError))


def given_fields(model: Any) -> dict[str, Any]:
    """A model's values by field name, defaults among them, as the function behind it wants them."""
    extra = getattr(model, "__pydantic_extra__", None) or {}
    return {**{name: getattr(model, name) for name in type(model).model_fields}, **extra}


def is_model(cls: Any) -> bool:
    """Whether `cls` is a class of models of pydantic 2."""
    pydantic = _pydantic()
    return pydantic is not None and isinstance(cls, type) and issubclass(cls, pydantic.BaseModel)


def _pydantic() -> Any:
    """pydantic 2, when the program has imported it."""
    module = sys.modules.get("pydantic")
    return module if module is not None and hasattr(module, "TypeAdapter") else None


def _constrains(metadata: Any) -> bool:
    """Whether `Annotated` metadata says more to pydantic than a description."""
    if is_field(metadata):
        return bool(metadata.metadata) or metadata.discriminator is not None
    if isinstance(metadata, type) or type(metadata).__module__.partition(".")[0] in ("typing", "msgspec"):
        return False
    is_marker = hasattr(metadata, "__get_pydantic_core_schema__") or hasattr(metadata, "__get_pydantic_json_schema__")
    return is_marker or type(metadata).__module__.partition(".")[0] in ("annotated_types", "pydantic")


def _tidied(schema: Schema) -> Schema:
    """Without the titles that pydantic makes from names, and without OpenAPI's `discriminator`, which is no JSON Schema."""
    tidy = {keyword: value for keyword, value in schema.items() if keyword != "discriminator" or not isinstance(value, dict)}
    if isinstance(properties := tidy.get("properties"), dict):
        tidy["properties"] = {name: _untitled(part, name.replace("_", " ").title()) for name, part in properties.items()}
    if isinstance(definitions := tidy.get("$defs"), dict):
        tidy["$defs"] = {name: _untitled(part, name) for name, part in definitions.items()}
    return tidy


def _untitled(schema: Any, title: str) -> Any:
    if isinstance(schema, dict) and schema.get("title") == title:
        return {keyword: value for keyword, value in schema.items() if keyword != "title"}
    return schema


def _reader(validate_json: Callable[[str], Any], failure: type[Exception]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        try:
            return validate_json(json.dumps(value))
        except failure as error:
            raise Refused(*_reasons(error)) from None
        except Exception as error:
            raise Refused(((), f"{type(error).__name__}: {error}")) from error

    return read


def _reasons(error: Any) -> list[tuple[Place, str]]:
    return [(tuple(fault["loc"]), fault["msg"]) for fault in error.errors(include_url=False, include_context=False, include_input=False)]
