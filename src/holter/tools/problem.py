"""What is wrong with arguments, said so that a model can put it right."""

import difflib
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec

from holter.messages.calls import as_json_text
from holter.tools.form import Place
from holter.tools.json_schema import Schema, at_pointer, pointer_step, resolved
from holter.tools.scalar import SCALARS

_LONGEST = 60
"""Characters of a value that are quoted."""
_MOST_NAMES = 30
"""Names or values that are listed."""

_NAMES = {
    "null": "null",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with arguments."""

    path: str
    """Where: "filters[2].city"; "" for the arguments as a whole."""
    text: str
    """What was found and what was expected, to be read after the path."""


def where(place: Place) -> str:
    """The place as a path: "filters[2].city"."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[\w-]+", step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text


def quoted(value: Any) -> str:
    """A JSON value in a few words: short ones as JSON, containers by their size."""
    match value:
        case str():
            text = as_json_text([value[: _LONGEST + 1]])[1:-1].encode("utf-8", "replace").decode()
            return text if len(value) <= _LONGEST else f'{text[:_LONGEST]}…" ({len(value):,} characters)'
        case list() | tuple():
            return f"an array of {len(value):,} item{'' if len(value) == 1 else 's'}"
        case dict():
            return f"an object with {_listed(map(str, value)) or 'no keys'}"
        case _:
            text = as_json_text(value)
            return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _listed(names: Any) -> str:
    known = list(names)
    return ", ".join(known[:_MOST_NAMES]) + (f", … ({len(known):,} in all)" if len(known) > _MOST_NAMES else "")


def expected(schema: Any, root: Schema) -> str:
    """What a schema wants, in a few words: "an integer", "an array of strings" is said as "an array"."""
    schema = resolved(schema, root)
    if "const" in schema:
        return quoted(schema["const"])
    if values := schema.get("enum"):
        return _either([quoted(value) for value in values[:_MOST_NAMES]])
    if isinstance(name := schema.get("decodes"), str):
        return _scalar_phrase(name)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _either(list(dict.fromkeys(expected(choice, root) for choice in choices)))
    kinds = schema.get("type", [])
    return _either([_NAMES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]) or "a value"


def _scalar_phrase(name: str) -> str:
    return f"{'an' if name[0] in 'aeio' else 'a'} {name} such as {quoted(SCALARS[name].example)}"


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" or {names[-1]}" if names else ""


def problems_of(errors: Iterator[jsonschema_rs.ValidationError], root: Schema) -> list[Problem]:
    """Every error as a problem, in the order of the validator, each once."""
    return list(dict.fromkeys(problem for error in errors for problem in _problems(error, root)))


def _problems(error: jsonschema_rs.ValidationError, root: Schema) -> Iterator[Problem]:
    place = tuple(error.instance_path)
    kinds = jsonschema_rs.ValidationErrorKind
    match error.kind:
        case kinds.Required(property=name):
            part = _schema_at(error, root).get("properties", {}).get(name)
            yield Problem(where((*place, name)), f"is missing; give {expected(part, root)}")
        case kinds.AdditionalProperties(unexpected=names) | kinds.UnevaluatedProperties(unexpected=names):
            yield from _unknown(place, names, list(_schema_at(error, root).get("properties", {})))
        case kinds.AnyOf(context=branches) | kinds.OneOfNotValid(context=branches):
            yield from _unfit(error, place, branches, root)
        case kinds.PropertyNames(error=inner):
            yield Problem(where(place), f"has the key {quoted(inner.instance)}, {_wanted(inner, root)}")
        case _:
            yield Problem(where(place), _text(error, root))


def _schema_at(error: jsonschema_rs.ValidationError, root: Schema) -> Schema:
    """The schema whose keyword failed."""
    found = at_pointer(root, "#" + "".join(map(pointer_step, error.schema_path[:-1])))
    return found if isinstance(found, dict) else {}


def _unknown(place: Place, names: list[str], known: list[str]) -> Iterator[Problem]:
    what = "argument" if not place else "key here"
    takes = f"known are {_listed(known)}" if known else "none is known"
    for name in names:
        close = difflib.get_close_matches(name[:_LONGEST], known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        yield Problem(where((*place, name)), f"is no known {what}{hint}; {takes}")


def _unfit(
    error: jsonschema_rs.ValidationError, place: Place, branches: list[list[jsonschema_rs.ValidationError]], root: Schema
) -> Iterator[Problem]:
    """A value that fits no member of a union: what is wrong by the only member that it may be meant for, else what the members want."""
    meant = [errors for errors in branches if not any(_rules_out(fault, place) for fault in errors)]
    if len(meant) == 1:
        yield from (problem for fault in meant[0] for problem in _problems(fault, root))
    else:
        schema = _schema_at(error, root)
        yield Problem(where(place), f"found {quoted(error.instance)}, expected {expected(schema, root)}")


def _rules_out(error: jsonschema_rs.ValidationError, place: Place) -> bool:
    """Whether an error says that a value is not meant for a member: it is of another type, or has another tag."""
    kinds = jsonschema_rs.ValidationErrorKind
    steps = tuple(error.instance_path)
    if isinstance(error.kind, kinds.Type):
        return steps == place
    return isinstance(error.kind, kinds.Enum | kinds.Constant) and len(steps) <= len(place) + 1


def _text(error: jsonschema_rs.ValidationError, root: Schema) -> str:
    return f"found {quoted(error.instance)}, {_wanted(error, root)}"


def _wanted(error: jsonschema_rs.ValidationError, root: Schema) -> str:
    """What a keyword that failed asks for."""
    kinds = jsonschema_rs.ValidationErrorKind
    match error.kind:
        case kinds.Type() | kinds.Enum() | kinds.Constant():
            return f"expected {expected(_schema_at(error, root), root)}"
        case kinds.Custom():
            return f"expected {_decodable(_schema_at(error, root).get('decodes'))}"
        case kinds.Pattern(pattern=pattern):
            return f"expected a string that matches {pattern}"
        case kinds.UniqueItems():
            return "expected each item once"
        case kinds.FalseSchema():
            return "expected nothing there"
        case kind if kind.name in _LIMITS:
            words, noun = _LIMITS[kind.name]
            return f"expected {words} {kind.value}{noun and f' {noun}' + ('' if kind.value == 1 else 's')}"
        case kind:
            return f"expected what the schema's {kind.name!r} asks for"


_LIMITS = {
    "minimum": ("at least", ""),
    "maximum": ("at most", ""),
    "exclusiveMinimum": ("more than", ""),
    "exclusiveMaximum": ("less than", ""),
    "multipleOf": ("a multiple of", ""),
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "item"),
    "maxItems": ("at most", "item"),
    "additionalItems": ("at most", "item"),
    "minProperties": ("at least", "key"),
    "maxProperties": ("at most", "key"),
}
"""What a limit's keyword says before the number, and what it counts."""


def _decodable(decoder: Any) -> str:
    return f"a string that matches {decoder['pattern']}" if isinstance(decoder, dict) else _scalar_phrase(decoder)
