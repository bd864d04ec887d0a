"""One schema covers another only when it surely takes all that the other takes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.tools.checker import validator
from holter.tools.cover import covers
from holter.tools.signature import parameters_of
from tests.tools.offered_types import TYPES, taking
from tests.tools.schema_values import fitting


@given(data=st.data(), wide=st.sampled_from(TYPES), narrow=st.sampled_from(TYPES))
def test_what_is_covered_is_taken(data: st.DataObject, wide: Any, narrow: Any) -> None:
    """A value of the covered schema fits the one that covers it."""
    parameters = parameters_of(taking(wide, narrow), name="take")
    root, parts = parameters.checked, parameters.checked["properties"]
    if covers(parts["it"], parts["other"], root):
        value = data.draw(fitting(parameters.schema["properties"]["other"], parameters.schema))
        assert validator({**parts["it"], "$defs": root.get("$defs", {})}).is_valid(value)


@pytest.mark.parametrize("annotation", TYPES, ids=str)
def test_every_schema_covers_itself(annotation: Any) -> None:
    """Recursive ones too."""
    root = parameters_of(taking(annotation), name="take").checked
    assert covers(root["properties"]["it"], root["properties"]["it"], root)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ({"type": "string"}, {"type": "string", "decodes": "date"}),
        ({"type": "number"}, {"type": "integer", "minimum": 0}),
        ({"type": "array"}, {"type": "array", "prefixItems": [{"type": "integer"}], "items": False}),
        ({"type": "object", "additionalProperties": {"type": "number"}}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"enum": ["a", None]}),
    ],
)
def test_one_way_only(wide: dict[str, Any], narrow: dict[str, Any]) -> None:
    """The narrow one does not cover the wide one."""
    assert (covers(wide, narrow, {}), covers(narrow, wide, {})) == (True, False)
