"""pydantic's models and constraints, where the program has pydantic."""

import datetime
import subprocess
import sys
from typing import Annotated, Any

import pytest
from inline_snapshot import snapshot

from holter.tools.signature import parameters_of, parameters_of_schema

pydantic: Any = pytest.importorskip("pydantic")


class Person(pydantic.BaseModel):  # type: ignore[misc]
    """Somebody."""

    name: str = pydantic.Field(description="In full.", min_length=1)
    born: datetime.date | None = None
    children: list["Person"] = []

    @pydantic.field_validator("name")  # type: ignore[untyped-decorator]
    @classmethod
    def known(cls, name: str) -> str:
        if name == "nobody":
            raise ValueError("nobody is nobody")
        return name


class Pet(pydantic.BaseModel):  # type: ignore[misc]
    owner: Person
    age: int = pydantic.Field(3, alias="years")


def keep(
    person: Person,
    pets: list[Pet],
    count: Annotated[int, pydantic.Field(ge=1, description="How many.")],
    note: Annotated[str, pydantic.Field(description="A word.")] = "",
    size: int = pydantic.Field(5, description="How big.", le=9),
    either: Person | Pet | None = None,
) -> None:
    """Keeps them.

    Args:
        note: Documented.
    """


def test_what_a_model_sees() -> None:
    """A model's schema, its definitions shared, its made-up titles left out; `Field` describes where nothing else does."""
    assert parameters_of(keep, name="keep").schema == snapshot(
        {
            "type": "object",
            "properties": {
                "person": {"$ref": "#/$defs/Person"},
                "pets": {
                    "type": "array",
                    "items": {
                        "properties": {"owner": {"$ref": "#/$defs/Person"}, "years": {"default": 3, "type": "integer"}},
                        "required": ["owner"],
                        "type": "object",
                    },
                },
                "count": {"description": "How many.", "minimum": 1, "type": "integer"},
                "note": {"type": "string", "default": "", "description": "Documented."},
                "size": {"default": 5, "description": "How big.", "maximum": 9, "type": "integer"},
                "either": {
                    "anyOf": [
                        {"$ref": "#/$defs/Person"},
                        {
                            "properties": {"owner": {"$ref": "#/$defs/Person"}, "years": {"default": 3, "type": "integer"}},
                            "required": ["owner"],
                            "type": "object",
                        },
                        {"type": "null"},
                    ],
                    "default": None,
                },
            },
            "required": ["person", "pets", "count"],
            "additionalProperties": False,
            "$defs": {
                "Person": {
                    "description": "Somebody.",
                    "properties": {
                        "name": {"description": "In full.", "minLength": 1, "type": "string"},
                        "born": {"anyOf": [{"format": "date", "type": "string"}, {"type": "null"}], "default": None},
                        "children": {"default": [], "items": {"$ref": "#/$defs/Person"}, "type": "array"},
                    },
                    "required": ["name"],
                    "type": "object",
                }
            },
        }
    )


def test_models_are_made() -> None:
    """By pydantic, which chooses among its models; where Python's default is a `Field`, the field's default is filled in."""
    given = {
        "person": {"name": "Ada", "born": "1815-12-10"},
        "pets": [{"owner": {"name": "Bo"}, "years": 1}],
        "count": "2",
        "either": {"owner": {"name": "Cy"}},
    }
    values = parameters_of(keep, name="keep").check(given).values
    assert values == {
        "person": Person(name="Ada", born=datetime.date(1815, 12, 10)),
        "pets": [Pet(owner=Person(name="Bo"), years=1)],
        "count": 2,
        "size": 5,
        "either": Pet(owner=Person(name="Cy")),
    }


def test_what_a_validator_says() -> None:
    """It stands at its place, with all others of its kind."""
    given = {"person": {"name": "nobody"}, "pets": [{"owner": {"name": "nobody"}}], "count": 1}
    problems = parameters_of(keep, name="keep").check(given).problems
    assert [(problem.path, problem.text) for problem in problems] == snapshot(
        [("person.name", "Value error, nobody is nobody"), ("pets[0].owner.name", "Value error, nobody is nobody")]
    )


def test_a_model_as_schema() -> None:
    """Its fields are the function's parameters by their own names, its defaults filled in."""
    parameters = parameters_of_schema(Pet, name="pet")
    assert parameters.names == ("owner", "years")
    assert parameters.check({"owner": {"name": "Ada"}}).values == {"owner": Person(name="Ada"), "age": 3}
    assert [problem.path for problem in parameters.check({"owner": {"name": "Ada"}, "age": 1}).problems] == ["age"]


def test_refuses_what_pydantic_cannot_say() -> None:
    """With pydantic's reason."""

    class Machine(pydantic.BaseModel):  # type: ignore[misc]
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        engine: subprocess.Popen[bytes]

    def drive(machine: Machine) -> None: ...

    with pytest.raises(TypeError, match=r"^tool 'drive': the parameter 'machine' of drive\(\): pydantic cannot say how it looks in JSON: "):
        parameters_of(drive, name="drive")


def test_pydantic_is_not_imported() -> None:
    """By nobody but the program itself."""
    code = "import sys, holter.tools.signature as s; s.parameters_of(lambda it: it, name='it'); sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
