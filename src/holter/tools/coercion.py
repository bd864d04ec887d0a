"""Values that a model wrote in another form than the schema wants, where the change loses nothing.

One rule: where a value does not fit and no string is allowed, a string that is JSON text of an allowed type is read as that. Besides, a
whole number that was written as a float is an integer. Nothing is guessed, and what fits stays as it is.
"""

import json
from typing import Any

import jsonschema_rs
import msgspec

from holter.journal.event import Repaired
from holter.tools.form import Place
from holter.tools.json_schema import Schema, allowed_types, at_pointer, json_type, pointer_step
from holter.tools.json_value import Stopped, read
from holter.tools.problem import quoted, where
from holter.tools.scalar import Decodes

_ROOT = "holter:arguments"


class Coercion(msgspec.Struct, frozen=True):
    """One value that was changed to fit."""

    path: str
    """Where: "filters[2].city"."""
    text: str
    """What was done, to be read after the path."""
    code: str = ""
    """The rule's code where it is one: "ARG10" for a JSON text in place of an array or object."""

    def event(self, call_id: str | None = None) -> Repaired:
        """The journal's event for it."""
        return Repaired(code=self.code, text=f"{self.path}: {self.text}", call_id=call_id)


class Fitting:
    """Fits arguments to one schema."""

    def __init__(self, root: Schema, *, is_open: bool, nulls_are_absent: bool = False) -> None:
        self._root = root
        self._is_open = is_open
        self._nulls_are_absent = nulls_are_absent
        self._registry = jsonschema_rs.Registry([(_ROOT, root)])
        self._validators: dict[str, jsonschema_rs.Validator] = {}

    def fit(self, args: dict[str, Any]) -> tuple[dict[str, Any], list[Coercion]]:
        """A copy of the arguments that fits as well as can be, and what was changed, in the order of the schema."""
        notes: list[Coercion] = []
        return self._fitted(args, self._root, "", (), notes), notes

    def _accepts(self, pointer: str, value: Any) -> bool:
        validator = self._validators.get(pointer)
        if validator is None:
            validator = jsonschema_rs.validator_for(
                {"$ref": f"{_ROOT}#{pointer}"}, registry=self._registry, keywords={"decodes": Decodes}, validate_formats=False, offline=True
            )
            self._validators[pointer] = validator
        try:
            return validator.is_valid(value)
        except ValueError:
            return False

    def _fitted(self, value: Any, schema: Any, pointer: str, place: Place, notes: list[Coercion]) -> Any:
        if not isinstance(schema, dict):
            return value
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            value = self._fitted(value, at_pointer(self._root, reference), reference[1:], place, notes)
        for position, part in enumerate(schema.get("allOf", ())):
            value = self._fitted(value, part, f"{pointer}/allOf/{position}", place, notes)
        for keyword in ("anyOf", "oneOf"):
            if choices := schema.get(keyword):
                value = self._chosen(value, choices, f"{pointer}/{keyword}", place, notes)
        if {"type", "enum", "const"} & schema.keys():
            value = _as_allowed(value, allowed_types(schema, self._root) or frozenset(), place, notes)
        if isinstance(value, dict):
            return self._object(value, schema, pointer, place, notes)
        if isinstance(value, list):
            return self._array(value, schema, pointer, place, notes)
        return value

    def _chosen(self, value: Any, choices: list[Any], pointer: str, place: Place, notes: list[Coercion]) -> Any:
        """The value fitted to the member of a union that it is meant for: that it fits already, that it can be fitted to with the fewest
        changes, or, so that what is wrong inside is said, the only one of its type."""
        fitting = [position for position in range(len(choices)) if self._accepts(f"{pointer}/{position}", value)]
        if fitting:
            position = self._preferred(value, choices, fitting)
            return self._fitted(value, choices[position], f"{pointer}/{position}", place, notes)
        trials = []
        for position, choice in enumerate(choices):
            changes: list[Coercion] = []
            trial = self._fitted(value, choice, f"{pointer}/{position}", place, changes)
            trials.append((position, trial, changes))
        fitted = [trial for trial in trials if self._accepts(f"{pointer}/{trial[0]}", trial[1])]
        if not fitted:
            fitted = [trial for trial in trials if json_type(trial[1]) in (allowed_types(choices[trial[0]], self._root) or ())]
            fitted = fitted if len(fitted) == 1 else []
        if not fitted:
            return value
        _, trial, changes = min(fitted, key=lambda candidate: len(candidate[2]))
        notes += changes
        return trial

    def _preferred(self, value: Any, choices: list[Any], fitting: list[int]) -> int:
        """The first that fits; for a float one that takes floats, so that 15.0 stays a float where it may."""
        if isinstance(value, float):
            for position in fitting:
                if "number" in (allowed_types(choices[position], self._root) or {"number"}):
                    return position
        return fitting[0]

    def _object(self, value: dict[str, Any], schema: Schema, pointer: str, place: Place, notes: list[Coercion]) -> dict[str, Any]:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        fitted: dict[str, Any] = {}
        for key, item in value.items():
            if key in properties:
                inner = f"{pointer}/properties{pointer_step(key)}"
                if self._is_absent(item, key, schema, inner):
                    notes.append(Coercion(where((*place, key)), "null was read as left out"))
                    continue
                fitted[key] = self._fitted(item, properties[key], inner, (*place, key), notes)
            elif others is False and self._is_open and "patternProperties" not in schema:
                notes.append(Coercion(where((*place, key)), "was left out, since it is not known"))
            else:
                fitted[key] = self._fitted(item, others, f"{pointer}/additionalProperties", (*place, key), notes)
        return fitted

    def _is_absent(self, value: Any, key: str, schema: Schema, pointer: str) -> bool:
        return value is None and self._nulls_are_absent and key not in schema.get("required", ()) and not self._accepts(pointer, None)

    def _array(self, value: list[Any], schema: Schema, pointer: str, place: Place, notes: list[Coercion]) -> list[Any]:
        is_old = isinstance(schema.get("items"), list)  # positions as JSON Schema had them before 2020
        named, rest = ("items", "additionalItems") if is_old else ("prefixItems", "items")
        first, others = schema.get(named, []), schema.get(rest, True)
        return [
            self._fitted(item, first[position], f"{pointer}/{named}/{position}", (*place, position), notes)
            if position < len(first)
            else self._fitted(item, others, f"{pointer}/{rest}", (*place, position), notes)
            for position, item in enumerate(value)
        ]


def _as_allowed(value: Any, types: frozenset[str], place: Place, notes: list[Coercion]) -> Any:
    """The value in an allowed type, where one rule of this module makes it one; else as it is."""
    if isinstance(value, str) and "string" not in types:
        inner = _json_in(value)
        fitted = _as_whole(inner, types)
        if isinstance(inner, str) or not _is_allowed(fitted, types):
            return value
        notes.append(_note(value, fitted, place))
        return fitted
    whole = _as_whole(value, types)
    if whole is not value:
        notes.append(Coercion(where(place), f"{quoted(value)} was read as {quoted(whole)}"))
    return whole


def _is_allowed(value: Any, types: frozenset[str]) -> bool:
    kind = json_type(value)
    return kind in types or (kind == "integer" and "number" in types)


def _as_whole(value: Any, types: frozenset[str]) -> Any:
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole and "integer" in types and "number" not in types else value


def _json_in(text: str) -> Any:
    """The JSON value that a text is; the text itself when it is none, or JSON of a string."""
    stripped = text.strip(" \t\r\n")
    try:
        value, end = read(stripped, 0)
    except Stopped:
        return text
    return value if end == len(stripped) and not isinstance(value, str) else text


def _note(text: str, value: Any, place: Place) -> Coercion:
    if isinstance(value, list | dict):
        return Coercion(where(place), f"a string was read as the JSON in it, {quoted(value)}", "ARG10")
    return Coercion(where(place), f"the string {quoted(text)} was read as {json.dumps(value)}")
