"""Arguments are checked: all that is wrong is said with its place, and what is right comes out as Python values."""

import dataclasses
import datetime
import decimal
import math
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.tools.coercion import Coercion
from holter.tools.problem import Problem
from holter.tools.signature import parameters_of
from holter.tools.validation import Checked, problem_text
from tests import strategies
from tests.tools.offered_types import TYPES, Cat, Dog, Json, Node, taking


@dataclasses.dataclass
class Filter:
    city: str
    radius: float = 5
    next: "Filter | None" = None


class Even(msgspec.Struct):
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError(f"{self.number} is odd")


def search(query: str, limit: int = 10, filters: list[Filter] = [], since: datetime.date | None = None) -> None: ...  # noqa: B006


SEARCH = parameters_of(search, name="search")


def test_right_arguments() -> None:
    """Values are the function's types; what was not given is left to the function."""
    given_ = {"query": "tea", "filters": [{"city": "Rom", "next": {"city": "Bari"}}], "since": "2024-05-01"}
    assert SEARCH.check(given_) == Checked(
        {"query": "tea", "filters": [Filter("Rom", 5, Filter("Bari"))], "since": datetime.date(2024, 5, 1)}
    )


def test_all_that_is_wrong() -> None:
    """Each problem at its place, in one text."""
    wrong = {"qery": "tea", "limit": 15.5, "filters": [{}, {"city": 1, "next": {"city": "Bari", "b": 1}}], "since": "tomorrow"}
    checked = SEARCH.check(wrong)
    assert (checked.values, checked.coercions) == ({}, [])
    assert problem_text("search", checked.problems, SEARCH.names) == snapshot("""\
search was not run: its arguments do not fit.
- limit: found 15.5, expected an integer
- filters[0].city: is missing; give a string
- filters[1].city: found 1, expected a string
- filters[1].next.b: is no known key here; known are city, radius, next
- since: found "tomorrow", expected a date such as "2024-05-01"
- qery: is no known argument (did you mean query?); known are query, limit, filters, since
- query: is missing; give a string
search takes query, limit, filters, since. Call it again with these things put right.\
""")


def test_limits_in_words() -> None:
    """Every keyword has its sentence."""

    def limited(
        number: Annotated[int, msgspec.Meta(ge=1, lt=5, multiple_of=2)],
        word: Annotated[str, msgspec.Meta(min_length=2, pattern="^[a-z]+$")],
        items: Annotated[list[int], msgspec.Meta(max_length=1)],
        pair: tuple[int, int],
        names: set[str],
        days: dict[datetime.date, Literal["am", "pm"]],
        pet: Cat | Dog,
        amount: decimal.Decimal | None,
        blob: Annotated[bytes, msgspec.Meta(max_length=1)],
    ) -> None: ...

    wrong = {
        "number": 7,
        "word": "A",
        "items": [1, 2],
        "pair": [1],
        "names": ["a", "a"],
        "days": {"monday": "am", "2024-05-01": "noon"},
        "pet": {"type": "Dog"},
        "amount": "much",
        "blob": "?",
    }
    problems = parameters_of(limited, name="limited").check(wrong).problems
    assert [(problem.path, problem.text) for problem in problems] == snapshot(
        [
            ("number", "found 7, expected less than 5"),
            ("number", "found 7, expected a multiple of 2"),
            ("word", 'found "A", expected at least 2 characters'),
            ("word", 'found "A", expected a string that matches ^[a-z]+$'),
            ("items", "found an array of 2 items, expected at most 1 item"),
            ("pair", "found an array of 1 item, expected at least 2 items"),
            ("names", "found an array of 2 items, expected each item once"),
            ("days.2024-05-01", 'found "noon", expected "am" or "pm"'),
            ("days", 'has the key "monday", expected a date such as "2024-05-01"'),
            ("pet.name", "is missing; give a string"),
            ("amount", 'found "much", expected a decimal number such as "12.50"'),
            ("blob", 'found "?", expected a base64 text such as "aGVsbG8="'),
        ]
    )


def test_what_a_constructor_refuses() -> None:
    """What the user's own code says of each value stands at the value's place."""

    def take(numbers: list[Even], one: Even, blob: Annotated[bytes, msgspec.Meta(max_length=1)]) -> None: ...

    check = parameters_of(take, name="take").check
    assert check({"numbers": [{"number": 1}, {"number": 2}, {"number": 3}], "one": {"number": 5}, "blob": "QUI="}).problems == snapshot(
        [
            Problem(path="numbers[0]", text="1 is odd"),
            Problem(path="numbers[2]", text="3 is odd"),
            Problem(path="one", text="5 is odd"),
            Problem(path="blob", text="holds 2 bytes; expected 0 to 1"),
        ]
    )


def test_unknown_arguments_may_be_dropped() -> None:
    """Then the schema says nothing of them, and each one that is dropped is told, in records too."""
    parameters = parameters_of(search, name="search", extra="ignore")
    assert "additionalProperties" not in parameters.schema
    assert parameters.check({"query": "tea", "why": 1, "filters": [{"city": "Rom", "zip": 2}]}) == Checked(
        {"query": "tea", "filters": [Filter("Rom")]},
        [],
        [Coercion("why", "was left out, since it is not known"), Coercion("filters[0].zip", "was left out, since it is not known")],
    )


def test_values_share_nothing_with_the_message() -> None:
    """A tool may change what it was given."""

    def take(thing: Any, things: list[str]) -> None: ...

    args = {"thing": {"a": [1]}, "things": ["a"]}
    values = parameters_of(take, name="take").check(args).values
    values["thing"]["a"].append(2)
    values["things"].append("b")
    assert args == {"thing": {"a": [1]}, "things": ["a"]}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def take(
    thing: Any = None, number: float = 0, tree: Json = None, text: str = "", word: Annotated[str, msgspec.Meta(pattern="a")] = "a"
) -> None: ...


_ODD: dict[str, Any] = {
    "no object": [1],
    "nothing": None,
    "NaN": {"number": math.nan},
    "infinity inside": {"thing": [math.inf]},
    "too large a number": {"number": 10**400},
    "nested 100,000 deep": {"thing": nested(100_000)},
    "nested 100,000 deep, recursive type": {"tree": nested(100_000)},
    "a key that is no text": {1: 2},
    "such a key inside": {"thing": {1: 2}},
    "a value that is no JSON": {"thing": {2}},
    "half of a character": {"word": "\ud800"},
    "a key with half of a character": {"\ud800": 1},
    "a long text": {"number": "x" * 1_000_000, "text": ["x" * 1_000_000]},
}


def test_odd_arguments() -> None:
    """Whatever comes is answered, and shortly."""
    check = parameters_of(take, name="take").check
    assert {name: [(problem.path, problem.text) for problem in check(args).problems] for name, args in _ODD.items()} == snapshot(
        {
            "no object": [("", "found an array of 1 item, expected an object that holds the arguments by name")],
            "nothing": [("", "found null, expected an object that holds the arguments by name")],
            "NaN": [("number", "found nan, which is no JSON; give a finite number or null")],
            "infinity inside": [("thing[0]", "found inf, which is no JSON; give a finite number or null")],
            "too large a number": [("number", "the number is too large")],
            "nested 100,000 deep": [("thing[0][0]", "is nested too deeply; 100 levels are read")],
            "nested 100,000 deep, recursive type": [("tree[0][0]", "is nested too deeply; 100 levels are read")],
            "a key that is no text": [("", "has the key 1; JSON has text keys only")],
            "such a key inside": [("thing", "has the key 1; JSON has text keys only")],
            "a value that is no JSON": [("thing", "found a value of type set, which is no JSON")],
            "half of a character": [("word", "holds half of a surrogate pair; send whole characters")],
            "a key with half of a character": [('["?"]', "holds half of a surrogate pair; send whole characters")],
            "a long text": [
                (
                    "number",
                    'found "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" (1,000,000 characters), expected a number',
                ),
                ("text", "found an array of 1 item, expected a string"),
            ],
        }
    )


def test_halves_of_characters_pass_where_nothing_looks_at_them() -> None:
    """They are repaired before they are stored, which is not the business of a check."""
    assert parameters_of(take, name="take").check({"text": "\ud800"}).values == {"text": "\ud800"}


@given(annotation=st.sampled_from(TYPES), value=st.one_of(strategies.json_values, strategies.any_texts, st.floats(), st.integers()))
def test_any_value_is_checked(annotation: Any, value: Any) -> None:
    """No value and no type raises; there are values or problems, and the problems are about something that is there."""
    checked = parameters_of(taking(annotation), name="take").check({"it": value})
    assert bool(checked.values) != bool(checked.problems)
    assert all(problem.path.startswith("it") for problem in checked.problems)


@given(st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=10))
def test_recursive_types(values: Any) -> None:
    """A record that contains itself is decoded all the way down."""

    def node(value: Any) -> dict[str, Any]:
        return {"value": 1, "children": [node(child) for child in value]} if isinstance(value, list) else {"value": value}

    def built(value: Any) -> Node:
        return Node(1, None, [built(child) for child in value]) if isinstance(value, list) else Node(value)

    assert parameters_of(taking(Node), name="take").check({"it": node(values)}).values == {"it": built(values)}


def test_a_strict_call_gives_null_for_what_it_leaves_out() -> None:
    """In the strict profile every parameter is given; null is a value only where it was one before."""
    checked = SEARCH.strict().check({"query": "tea", "limit": None, "filters": None, "since": None})
    assert checked == Checked(
        {"query": "tea", "since": None},
        [],
        [Coercion("limit", "null was read as left out"), Coercion("filters", "null was read as left out")],
    )


def test_a_text_is_bounded() -> None:
    """Of very many problems the first ones are told, and how many more there are."""
    problems = [Problem(f"items[{number}]", "is wrong") for number in range(1_000)]
    text = problem_text("take", problems, ())
    assert (text.count("\n"), text.splitlines()[-2:]) == (
        32,
        ["- and 970 more", "take takes no arguments. Call it again with these things put right."],
    )


@pytest.mark.parametrize(
    ("name", "suggestion"), [("limt", "is no known argument (did you mean limit?); known are query, limit, filters, since")]
)
def test_unknown_arguments_list_the_known_ones(name: str, suggestion: str) -> None:
    """With the likely one first."""
    assert SEARCH.check({"query": "a", name: 1}).problems == [Problem(name, suggestion)]


class Area(msgspec.Struct):
    unit: Literal["km", "mile"]
    size: int


class Route(msgspec.Struct):
    legs: list[Area]
    stops: int
    via: Area | None = None


class Paid(msgspec.Struct):
    by: Literal["card"]
    number: int


class Cash(msgspec.Struct):
    by: Literal["coins", "notes"]
    given: int


def travel(
    area: Area | None = None,
    where: Area | Route | None = None,
    pet: Cat | Dog | None = None,
    pay: Paid | Cash | None = None,
    many: list[int] | list[str] = [],  # noqa: B006
) -> None: ...


TRAVEL = parameters_of(travel, name="travel")


@pytest.mark.parametrize(
    ("args", "problems"),
    [
        (
            {"area": {"unit": "yard", "size": "big"}},
            [Problem("area.unit", 'found "yard", expected "km" or "mile"'), Problem("area.size", 'found "big", expected an integer')],
        ),
        ({"where": {"unit": "yard", "size": 1}}, [Problem("where.unit", 'found "yard", expected "km" or "mile"')]),
        ({"where": {"unit": "km"}}, [Problem("where.size", "is missing; give an integer")]),
        (
            {"where": {"legs": [{"size": 1}], "stops": 0, "via": {"unit": 1, "size": 1}}},
            [
                Problem("where.legs[0].unit", 'is missing; give "km" or "mile"'),
                Problem("where.via.unit", 'found 1, expected "km" or "mile"'),
            ],
        ),
        ({"where": 3}, [Problem("where", "found 3, expected an object or null")]),
        ({"pet": {"type": "Cow", "name": "Rosa"}}, [Problem("pet.type", 'found "Cow", expected "Cat" or "Dog"')]),
        ({"pet": {"name": "Rosa"}}, [Problem("pet.type", 'is missing; give "Cat" or "Dog"')]),
        (
            {"pet": {"type": "Dog", "lives": 9}},
            [
                Problem("pet.name", "is missing; give a string"),
                Problem("pet.lives", "is no known key here; known are type, name"),
            ],
        ),
        ({"pay": {"by": "cheque", "number": 1}}, [Problem("pay.by", 'found "cheque", expected "card", "coins" or "notes"')]),
        ({"pay": {"by": "card"}}, [Problem("pay.number", "is missing; give an integer")]),
        (
            {"pay": {"by": "coins", "number": 1}},
            [
                Problem("pay.given", "is missing; give an integer"),
                Problem("pay.number", "is no known key here; known are by, given"),
            ],
        ),
        (
            {"where": {}},
            [Problem("where", "found an object with no keys, expected an object with unit, size, an object with legs, stops or null")],
        ),
        (
            {"many": [1.5]},
            [Problem("many", "found an array of 1 item, expected an array, each item an integer or an array, each item a string")],
        ),
    ],
)
def test_what_is_wrong_in_a_union(args: dict[str, Any], problems: list[Problem]) -> None:
    """Told by the member that the value comes nearest to; where none is nearer, what tells the members apart is said."""
    assert TRAVEL.check(args).problems == problems
