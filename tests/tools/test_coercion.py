"""What a model wrote in another form is put right where that loses nothing, and only there."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.journal.event import Repaired
from holter.tools.coercion import Coercion
from holter.tools.signature import parameters_of
from holter.tools.validation import Checked
from tests import strategies
from tests.tools.offered_types import TYPES, taking
from tests.tools.schema_values import fitting

_READ = [
    (int, "15", 15),
    (int, 15.0, 15),
    (int, "15.0", 15),
    (int, "1e3", 1000),
    (int, " 7 ", 7),
    (int, "12345678901234567890123", 12345678901234567890123),
    (float, "1.5", 1.5),
    (float, "15", 15.0),
    (bool, "true", True),
    (bool, "false", False),
    (int | None, "null", None),
    (int | None, 5.0, 5),
    (int | bool, "true", True),
    (Literal[1, 2], "2", 2),
    (list[int], [1.0], [1]),
    (dict[str, float | None], {"a": "null"}, {"a": None}),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), _READ)
def test_reads_what_loses_nothing(annotation: Any, value: Any, expected: Any) -> None:
    """And says so."""
    checked = parameters_of(taking(annotation), name="take").check({"it": value})
    read = checked.values["it"]
    assert (read, type(read), len(checked.coercions)) == (expected, type(expected), 1)


_KEPT = [
    (str, "true", "true"),
    (str, "15", "15"),
    (str | None, "null", "null"),
    (int | str, "15", "15"),
    (float, 15, 15.0),
    (int | float, 15.0, 15.0),
    (list[int] | str, "[1]", "[1]"),
    (Any, "15", "15"),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), _KEPT)
def test_leaves_what_fits(annotation: Any, value: Any, expected: Any) -> None:
    """A string stays where strings may stand, whatever it looks like."""
    assert parameters_of(taking(annotation), name="take").check({"it": value}) == Checked({"it": expected})


_REFUSED: list[tuple[Any, Any]] = [
    (int, 15.5),
    (int, "15.5"),
    (int, ""),
    (int, "fifteen"),
    (int, "015"),
    (int, True),
    (int, None),
    (int, "null"),
    (float, "NaN"),
    (float, "1e999"),
    (bool, 1),
    (bool, "True"),
    (bool, "yes"),
    (str, 15),
    (int | None, "None"),
    (list[int], "1, 2"),
    (list[int], '{"a": 1}'),
    (list[int], "[1] and more"),
    (list[int], '["a"]'),
    (list[int], 1),
    (int, "9" * 5_000),
    (list[int], "[" * 5_000),
]


@pytest.mark.parametrize(("annotation", "value"), _REFUSED, ids=lambda part: str(part)[:30])
def test_guesses_nothing(annotation: Any, value: Any) -> None:
    """What could mean something else, or loses something, is a problem."""
    assert len(parameters_of(taking(annotation), name="take").check({"it": value}).problems) == 1


def test_json_text_in_place_of_what_it_says() -> None:
    """A list or object that came as text is read, inner values too, under its rule's code; the event says the call."""

    def take(items: list[int], options: dict[str, bool] | None) -> None: ...

    checked = parameters_of(take, name="take").check({"items": '[1, "2"]', "options": '{"a": true}'})
    assert checked == Checked(
        {"items": [1, 2], "options": {"a": True}},
        [],
        [
            Coercion("items", "a string was read as the JSON in it, an array of 2 items", "ARG10"),
            Coercion("items[1]", 'the string "2" was read as 2'),
            Coercion("options", "a string was read as the JSON in it, an object with a", "ARG10"),
        ],
    )
    assert checked.coercions[1].event("c1") == Repaired(code="", text='items[1]: the string "2" was read as 2', call_id="c1")


@given(data=st.data(), annotation=st.sampled_from(TYPES))
def test_what_fits_is_never_changed(data: st.DataObject, annotation: Any) -> None:
    """Arguments that fit are not coerced; a whole float where only an integer fits is the one exception."""
    parameters = parameters_of(taking(annotation), name="take")
    value = data.draw(fitting(parameters.schema["properties"]["it"], parameters.schema))
    assert parameters.check({"it": value}).coercions == []


@given(st.sampled_from(TYPES), strategies.json_values)
def test_coercion_is_reported(annotation: Any, value: Any) -> None:
    """What did not fit and has no problem was changed, and each change has a place inside the argument."""
    checked = parameters_of(taking(annotation), name="take").check({"it": value})
    assert all(coercion.path.startswith("it") for coercion in checked.coercions)
