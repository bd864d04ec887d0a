"""Checking a call's arguments against what the tool's parameters are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import jsonschema_rs
import msgspec

from holter.tools.checker import validator
from holter.tools.coercion import Coercion, Fitting
from holter.tools.form import Decode, Place, Refused
from holter.tools.json_schema import Schema, every_schema
from holter.tools.problem import Problem, problems_of, quoted, where
from holter.tools.strict import strict_schema

_DEEPEST = 100
"""Levels of lists and objects. Validators recurse; one of a recursive schema overflows the stack at some 10,000 levels (seen 2026-11)."""

_SHALLOW = frozenset([bool, int, str, type(None)])
_JSON = (bool, int, float, str, list, dict, type(None))

_MOST_PROBLEMS = 30
"""Problems that a text tells; a model mends the first ones first."""


class Checked(msgspec.Struct, frozen=True):
    """What became of a call's arguments."""

    values: dict[str, Any] = {}
    """The function's keyword arguments, as Python values; what was not given is left to the function. Empty where there are problems."""
    problems: list[Problem] = []
    coercions: list[Coercion] = []
    """What was changed to fit, in the order of the parameters."""


class Parameters(msgspec.Struct, frozen=True, eq=False):
    """What a tool may be called with."""

    schema: Schema
    """JSON Schema 2020-12 of the arguments, as the model sees it."""
    names: tuple[str, ...]
    """The parameters, as the model sees them, in their order."""
    checked: Schema
    """What is checked: as `schema`, in validation's own keywords, and closed to unknown arguments where these are dropped."""
    decode: Decode
    """From arguments that `checked` accepts to the function's keyword arguments; raises Refused."""
    validator: jsonschema_rs.Validator
    fitting: Fitting
    has_integers: bool

    def check(self, args: Any) -> Checked:
        """The decoded arguments, or all that is wrong with them. Takes any value and raises nothing."""
        if not isinstance(args, dict):
            return Checked(problems=[Problem("", f"found {quoted(args)}, expected an object that holds the arguments by name")])
        try:
            if _SHALLOW.issuperset(map(type, args.values())) and self._accepts(args):
                return self._decoded(args)
            return self._checked_closely(args)
        except RecursionError:
            return Checked(problems=[Problem("", f"is nested too deeply; {_DEEPEST} levels are read")])

    def strict(self) -> Parameters:
        """These parameters in OpenAI's strict profile, where a model has to give each: null stands for one that is left out.

        Raises ValueError where the profile cannot say them.
        """
        fitting = Fitting(self.checked, is_open=False, nulls_are_absent=True)
        return msgspec.structs.replace(self, schema=strict_schema(self.schema), fitting=fitting)

    def _accepts(self, args: dict[str, Any]) -> bool:
        try:
            return self.validator.is_valid(args)
        except ValueError:  # a key that is no text, half of a surrogate pair
            return False

    def _decoded(self, args: dict[str, Any], coercions: Sequence[Coercion] = ()) -> Checked:
        try:
            return Checked(self.decode(args), [], list(coercions))
        except Refused as refused:
            return Checked({}, [Problem(where(place), text) for place, text in refused.reasons], list(coercions))

    def _checked_closely(self, args: dict[str, Any]) -> Checked:
        problems, has_whole_floats = _surveyed(args)
        if problems:
            return Checked(problems=problems)
        coercions: list[Coercion] = []
        if (has_whole_floats and self.has_integers) or not self._accepts(args):
            args, coercions = self.fitting.fit(args)
            problems = self._problems(args)
        return Checked({}, problems, coercions) if problems else self._decoded(args, coercions)

    def _problems(self, args: dict[str, Any]) -> list[Problem]:
        try:
            return problems_of(self.validator.iter_errors(args), self.checked)
        except ValueError as error:
            return list(_halves(args)) or [Problem("", f"cannot be checked: {error}")]


def parameters(checked: Schema, shown: Schema, decode: Decode, *, is_open: bool) -> Parameters:
    """What a tool may be called with, from the schema to check and the one to show. ValueError when `checked` is no valid schema."""
    try:
        compiled = validator(checked)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise ValueError(f"not a valid JSON Schema: {str(error).splitlines()[0]}") from None
    has_integers = any("integer" in part.get("type", ()) for part in every_schema(checked))
    names = tuple(shown.get("properties", {}))
    return Parameters(shown, names, checked, decode, compiled, Fitting(checked, is_open=is_open), has_integers)


def problem_text(name: str, problems: Iterable[Problem], known: Iterable[str]) -> str:
    """What a model is told of a call that did not fit: each problem on a line, then the arguments that the tool takes."""
    told = list(problems)
    lines = [f"- {problem.path or 'the arguments'}: {problem.text}" for problem in told[:_MOST_PROBLEMS]]
    if len(told) > _MOST_PROBLEMS:
        lines.append(f"- and {len(told) - _MOST_PROBLEMS:,} more")
    takes = ", ".join(known)
    return "\n".join(
        [
            f"{name} was not run: its arguments do not fit.",
            *lines,
            f"{name} takes {takes or 'no arguments'}. Call it again with these things put right.",
        ]
    )


def _surveyed(args: dict[str, Any]) -> tuple[list[Problem], bool]:
    """What no JSON holds in the arguments, or too many levels of it; and whether a whole number is written as a float there."""
    problems: list[Problem] = []
    has_whole_floats = False
    waiting: list[tuple[Place, Any]] = [((), args)]
    while waiting:
        place, value = waiting.pop()
        if len(place) > _DEEPEST:
            return [Problem(where(place[:3]), f"is nested too deeply; {_DEEPEST} levels are read")], False
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            if not isinstance(step, str | int) or (isinstance(value, dict) and not isinstance(step, str)):
                problems.append(Problem(where(place), f"has the key {step!r}; JSON has text keys only"))
            elif isinstance(item, dict | list):
                waiting.append(((*place, step), item))
            elif isinstance(item, float):
                has_whole_floats = has_whole_floats or item.is_integer()
                if not isfinite(item):
                    problems.append(Problem(where((*place, step)), f"found {item}, which is no JSON; give a finite number or null"))
            elif not isinstance(item, _JSON):
                problems.append(Problem(where((*place, step)), f"found a value of type {type(item).__name__}, which is no JSON"))
    return problems, has_whole_floats


def _halves(args: dict[str, Any]) -> Iterable[Problem]:
    """The texts that no UTF-8 can say."""
    waiting: list[tuple[Place, Any]] = [((), args)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*place, key), item) for key, item in value.items()]
            waiting += [((*place, key), key) for key in value]
        elif isinstance(value, list):
            waiting += [((*place, position), item) for position, item in enumerate(value)]
        elif isinstance(value, str) and not _is_storable(value):
            yield Problem(where(place), "holds half of a surrogate pair; send whole characters")


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
