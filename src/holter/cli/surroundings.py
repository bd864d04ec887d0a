"""The context of a run, as a person types it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_origin

import click
import msgspec

from holter.cli.fault import said
from holter.cli.given import json_object, json_or_text
from holter.graph.compiled import CompiledGraph

context_option = click.option(
    "--context", multiple=True, metavar="KEY=VALUE", help="What the run's context holds; or a JSON object. Repeatable."
)


def context_of(given: Sequence[str], graph: CompiledGraph) -> Any:
    """The context of several `KEY=VALUE` and JSON objects, as the graph's own type where it has one; None of none.

    A value is JSON where it can be, else text; where the type wants text, it is text. UsageError for what is no context.
    """
    if not given:
        return None
    values, texts = _read(given)
    schema = graph.builder.context_schema
    if schema is None or issubclass(get_origin(schema) or schema, dict):
        return values
    try:
        return _made(values, schema)
    except Exception as error:  # noqa: BLE001 - the type is the program's own
        try:
            return _made(texts, schema)
        except Exception:  # noqa: BLE001 - likewise
            raise click.UsageError(f"--context does not make a {schema.__name__}: {said(error)}") from None


def _read(given: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values, and the same with what stands behind `=` as text."""
    values: dict[str, Any] = {}
    texts: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if (found := json_object(text)) is not None:
            values |= found
            texts |= found
        elif equals and key.strip():
            values[key.strip()] = json_or_text(value)
            texts[key.strip()] = value
        else:
            raise click.UsageError(f"--context takes KEY=VALUE or a JSON object, found {text!r}")
    return values, texts


def _made(values: dict[str, Any], schema: Any) -> Any:
    if hasattr(schema, "model_validate"):
        return schema.model_validate(values)
    return msgspec.convert(values, schema, strict=False)
