"""Answers of a form: from a type to what the model is asked for, and from its text to a value of the type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from holter.agent.json_text import NoValue, json_in
from holter.journal.event import Repaired
from holter.tools.annotation import Scope, Unresolved, annotation_text, class_scope
from holter.tools.form import ANYTHING, Form, copied, each
from holter.tools.json_schema import Schema
from holter.tools.offer import shown
from holter.tools.problem import Problem
from holter.tools.schema import Forms, object_schema
from holter.tools.strict import strict_schema
from holter.tools.validation import Parameters, parameters

_VALUE = "value"
"""The name under which a value is checked; and asked for, where it is no object: providers take only objects."""
_MOST_PROBLEMS = 30


class Reading(msgspec.Struct, frozen=True):
    """What an answer's text came to."""

    value: Any = None
    problems: list[Problem] = []
    """All that is wrong; the paths begin at the answer."""
    repairs: list[Repaired] = []
    """What was changed to fit."""


class AnswerForm:
    """The form that an agent's answers have."""

    def __init__(self, kind: Any) -> None:
        """`kind`: a dataclass, TypedDict, msgspec Struct or pydantic model, any other type that JSON can say (`int`, `list[str]`), a JSON
        Schema, or a provider's own `response_format` around one. TypeError or ValueError says why it can be none."""
        said = kind.get("json_schema") if isinstance(kind, dict) and kind.get("type") == "json_schema" else None
        said = said if isinstance(said, dict) else {}
        schema = said.get("schema", kind) if isinstance(kind, dict) else None
        self.name: str = said.get("name") or _name(kind)
        try:
            self._parameters = _of_schema(schema) if isinstance(schema, dict) else _of_type(kind)
        except (TypeError, ValueError, Unresolved) as error:
            raise (ValueError if isinstance(error, ValueError) else TypeError)(f"response_format: {error}") from None
        self._is_wrapped = self._shown.get("type") != "object"

    @property
    def _shown(self) -> Schema:
        """The value's own schema, as the model sees it."""
        found: Schema = self._parameters.schema["properties"][_VALUE]
        return found

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the object that the model is asked for."""
        root = self._parameters.schema
        if self._is_wrapped:
            return root
        return {**self._shown, **_definitions(root)}

    @property
    def response_format(self) -> dict[str, Any]:
        """What a request carries, in OpenAI's form."""
        body = {"name": self.name, "schema": self.schema}
        return {"type": "json_schema", "json_schema": {**body, "strict": True} if _is_strict(self.schema) else body}

    def read(self, text: str) -> Reading:
        """The value that the text is, or all that is wrong with it."""
        try:
            found = json_in(text, "{[" if self._is_wrapped else "{")
        except NoValue as error:
            return Reading(problems=[Problem("", str(error))])
        if self._is_wrapped and isinstance(found, dict) and found.keys() == {_VALUE}:
            found = found[_VALUE]
        checked = self._parameters.check({_VALUE: found})
        if checked.problems:
            return Reading(problems=[Problem(_inner(problem.path), problem.text) for problem in checked.problems])
        repairs = [coercion.event(None) for coercion in checked.coercions]
        return Reading(checked.values[_VALUE], [], repairs)


def _definitions(schema: Schema) -> Schema:
    return {key: schema[key] for key in schema if key in ("$defs", "definitions")}


def _inner(path: str) -> str:
    return path.removeprefix(_VALUE).removeprefix(".")


def _name(kind: Any) -> str:
    title = kind.get("title") if isinstance(kind, dict) else getattr(kind, "__name__", None)
    text = title if isinstance(title, str) else "answer"
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in text)[:64] or "answer"


def _of_type(kind: Any) -> Parameters:
    forms = Forms()
    form = forms.of(kind, class_scope(kind) if isinstance(kind, type) else Scope({}, {}))
    forms.check_unions()
    return _parameters(forms.arranged(object_schema({_VALUE: form.schema}, [_VALUE])), form)


def _of_schema(schema: Schema) -> Parameters:
    """Of a ready JSON Schema. Its definitions stand where its references look for them."""
    if schema == {"type": "json_object"} or ("properties" in schema and "type" not in schema):
        schema = {**schema, "type": "object"}
    beside = _definitions(schema)
    inner = {key: value for key, value in schema.items() if key not in beside and key != "$schema"}
    return _parameters({**object_schema({_VALUE: inner}, [_VALUE]), **beside}, Form(inner, copied))


def _parameters(closed: Schema, form: Form) -> Parameters:
    decode = form.decode or ANYTHING.decode

    def decoded(args: dict[str, Any]) -> dict[str, Any]:
        return {_VALUE: each([(_VALUE, decode, args[_VALUE])])[0]}

    return parameters(closed, shown(closed, is_open=False), decoded, is_open=False)


def _is_strict(schema: Schema) -> bool:
    """Whether the schema is in OpenAI's strict profile as it is."""
    try:
        return strict_schema(schema) == schema
    except ValueError:
        return False


def repair_text(problems: Sequence[Problem]) -> str:
    """What the model is told of an answer that is not of its form."""
    lines = [f"- {problem.path or 'the answer'}: {problem.text}" for problem in problems[:_MOST_PROBLEMS]]
    more = [f"- and {len(problems) - _MOST_PROBLEMS:,} more"] if len(problems) > _MOST_PROBLEMS else []
    return "\n".join(
        [
            "Your answer does not have the form that was asked for.",
            *lines,
            *more,
            "Answer again with the whole JSON value, put right, and nothing else.",
        ]
    )


def failure_text(problems: Sequence[Problem]) -> str:
    """That the second answer is not of its form either, in one line."""
    told = "; ".join(f"{problem.path or 'the answer'}: {problem.text}" for problem in problems[:3])
    more = f"; and {len(problems) - 3:,} more" if len(problems) > 3 else ""
    return f"the answer does not have the form that was asked for, also after it was told what is wrong: {told}{more}"


def form_of(kind: Any) -> AnswerForm | None:
    """The form that `response_format` asks for; None for free text, which `str` is, too."""
    if kind is None or kind is str:
        return None
    if not isinstance(kind, dict | type) and not hasattr(kind, "__origin__") and not hasattr(kind, "__args__"):
        raise TypeError(f"response_format is a type or a JSON Schema, found {annotation_text(kind)}")
    return AnswerForm(kind)
