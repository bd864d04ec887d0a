"""Compiled validators of our schemas."""

import jsonschema_rs

from holter.tools.json_schema import Schema
from holter.tools.scalar import Decodes


def validator(schema: Schema) -> jsonschema_rs.Validator:
    """A compiled validator; it knows our keywords and fetches nothing from anywhere."""
    return jsonschema_rs.validator_for(schema, keywords={"decodes": Decodes}, validate_formats=False, offline=True)
