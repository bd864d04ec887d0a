"""What is wrong with arguments, said so that a model can put it right."""

import difflib
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

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


_Errors: TypeAlias = list[jsonschema_rs.ValidationError]


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


def _unfit(error: jsonschema_rs.ValidationError, place: Place, branches: list[_Errors], root: Schema) -> Iterator[Problem]:
    """A value that fits no member of a union: what is wrong by the member that it comes nearest to, else what the members want."""
    meant = [errors for errors in branches if not any(_rules_out(fault, place) for fault in errors)]
    if len(meant) > 1 and (problem := _wrong_tag(meant, place, root)):
        yield problem
    elif nearest := _nearest(_of_right_tag(meant, place, root), place):
        yield from (problem for fault in nearest for problem in _problems(fault, root))
    else:
        members = _schema_at(error, root)
        wanted = _told_apart(members, root) if len(meant) > 1 else expected(members, root)
        yield Problem(where(place), f"found {quoted(error.instance)}, expected {wanted}")


def _rules_out(error: jsonschema_rs.ValidationError, place: Place) -> bool:
    """Whether an error says that a value is not meant for a member: it is of another type, or none of the member's values."""
    kinds = jsonschema_rs.ValidationErrorKind
    return isinstance(error.kind, kinds.Type | kinds.Enum | kinds.Constant) and tuple(error.instance_path) == place


def _wrong_tag(branches: list[_Errors], place: Place, root: Schema) -> Problem | None:
    """The problem with the tag, a key whose value says which member is meant: all members want another value there."""
    listed = [_listed_keys(errors, place, root) for errors in branches]
    for key, error in listed[0].items():
        schemas = [_schema_of(found[key], key, root) for found in listed if key in found]
        if len(schemas) < len(listed) or not any(map(_is_tag, schemas)):
            continue
        values = [value for schema in schemas for value in ([schema["const"]] if "const" in schema else schema["enum"])]
        wanted = _either(list(dict.fromkeys(map(quoted, values))))
        is_missing = isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required)
        text = f"is missing; give {wanted}" if is_missing else f"found {quoted(error.instance)}, expected {wanted}"
        return Problem(where((*place, key)), text)
    return None


def _of_right_tag(branches: list[_Errors], place: Place, root: Schema) -> list[_Errors]:
    """The members without those whose tag another member's value stands at."""
    listed = [_listed_keys(errors, place, root) for errors in branches]
    refused = [{*keys, *_unknown_keys(errors, place)} for keys, errors in zip(listed, branches, strict=True)]
    wrong = [{key for key, error in keys.items() if _is_tag(_schema_of(error, key, root))} for keys in listed]
    return [errors for errors, keys in zip(branches, wrong, strict=True) if not any(key not in other for key in keys for other in refused)]


def _listed_keys(errors: _Errors, place: Place, root: Schema) -> dict[str | int, jsonschema_rs.ValidationError]:
    """The errors about keys of the object at `place` that take certain values only: missing, or with another value."""
    found = {key: error for error in errors if (key := _key(error, place)) is not None}
    return {key: error for key, error in found.items() if {"const", "enum"} & _schema_of(error, key, root).keys()}


def _key(error: jsonschema_rs.ValidationError, place: Place) -> str | int | None:
    kinds = jsonschema_rs.ValidationErrorKind
    steps = tuple(error.instance_path)
    match error.kind:
        case kinds.Required(property=name) if steps == place:
            return str(name)
        case kinds.Enum() | kinds.Constant() if len(steps) == len(place) + 1:
            return steps[-1]
        case _:
            return None


def _schema_of(error: jsonschema_rs.ValidationError, key: str | int, root: Schema) -> Schema:
    """The schema of the key that an error is about."""
    schema = _schema_at(error, root)
    is_missing = isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required)
    return resolved(schema.get("properties", {}).get(key), root) if is_missing else schema


def _is_tag(schema: Schema) -> bool:
    return "const" in schema or len(schema.get("enum", ())) == 1


def _unknown_keys(errors: _Errors, place: Place) -> Iterator[str]:
    kinds = jsonschema_rs.ValidationErrorKind
    for error in errors:
        match error.kind:
            case kinds.AdditionalProperties(unexpected=names) if tuple(error.instance_path) == place:
                yield from names


def _nearest(branches: list[_Errors], place: Place) -> _Errors:
    """The errors of the member with the fewest keys missing, unknown or outside their values; none where two are equally near."""
    ranked = sorted(branches, key=lambda errors: _distance(errors, place))
    is_clear = len(ranked) == 1 or (len(ranked) > 1 and _distance(ranked[0], place) < _distance(ranked[1], place))
    return ranked[0] if is_clear else []


def _distance(errors: _Errors, place: Place) -> int:
    return sum(_key(error, place) is not None for error in errors) + len(list(_unknown_keys(errors, place)))


def _told_apart(schema: Schema, root: Schema) -> str:
    """What a union's members want, with the keys and items by which objects and arrays differ."""
    members = [resolved(member, root) for member in schema.get("anyOf") or schema.get("oneOf") or []]
    return _either(list(dict.fromkeys(_in_detail(member, root) for member in members)))


def _in_detail(schema: Schema, root: Schema) -> str:
    if names := schema.get("required"):
        parts = {name: resolved(part, root) for name, part in schema.get("properties", {}).items()}
        return (
            f"an object with {_listed(f'{name} {expected(parts[name], root)}' if _is_tag(parts.get(name, {})) else name for name in names)}"
        )
    if schema.get("type") == "array" and "items" in schema:
        return f"an array, each item {expected(schema['items'], root)}"
    return expected(schema, root)


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
