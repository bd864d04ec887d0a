"""Whether one schema takes every value that another one takes; from this, which members of a union can never be chosen."""

from typing import Any

from holter.tools.checker import validator
from holter.tools.json_schema import Schema, resolved

_ANNOTATIONS = {"default", "deprecated", "description", "examples", "title"}
_STRUCTURE = {"additionalProperties", "anyOf", "items", "prefixItems", "properties", "required", "type"}


def covers(wide: Any, narrow: Any, root: Schema, seen: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """True only if each value that fits `narrow` surely fits `wide`; where that is hard to say, False.

    Schemas that are being compared already count as covered: a recursive type is covered if its parts are.
    """
    pair = (id(wide), id(narrow))
    if pair in seen or narrow is False or wide is True:
        return True
    if wide is False or narrow is True:
        return wide == {} and narrow is True
    seen |= {pair}
    wide, narrow = _bare(resolved(wide, root)), _bare(resolved(narrow, root))
    if not wide or wide == narrow:
        return True
    if "anyOf" in narrow:
        return all(covers(wide, member, root, seen) for member in narrow["anyOf"])
    if "enum" in narrow:
        checker = validator({**wide, "$defs": root.get("$defs", {})})
        return all(map(checker.is_valid, narrow["enum"]))
    if "anyOf" in wide:
        return any(covers(member, narrow, root, seen) for member in wide["anyOf"])
    return _same_limits(wide, narrow) and _takes_types(wide, narrow) and _parts_covered(wide, narrow, root, seen)


def _bare(schema: Schema) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword not in _ANNOTATIONS}


def _takes_types(wide: Schema, narrow: Schema) -> bool:
    """Whether `wide` allows each JSON type that `narrow` allows; a schema that names none allows all."""
    return "type" not in wide or ("type" in narrow and _types(narrow) <= _types(wide))


def _types(schema: Schema) -> set[str]:
    kinds = schema["type"]
    types = {kinds} if isinstance(kinds, str) else set(kinds)
    return types | {"integer"} if "number" in types else types


def _same_limits(wide: Schema, narrow: Schema) -> bool:
    """Whether `narrow` has each limit that `wide` has. A tighter one is not recognised."""
    return all(narrow.get(keyword) == value for keyword, value in wide.items() if keyword not in _STRUCTURE)


def _parts_covered(wide: Schema, narrow: Schema, root: Schema, seen: frozenset[tuple[int, int]]) -> bool:
    return _items_covered(wide, narrow, root, seen) and _properties_covered(wide, narrow, root, seen)


def _items_covered(wide: Schema, narrow: Schema, root: Schema, seen: frozenset[tuple[int, int]]) -> bool:
    first, others = wide.get("prefixItems", []), wide.get("items", {})
    narrow_first, narrow_others = narrow.get("prefixItems", []), narrow.get("items", {})
    if len(first) > len(narrow_first):
        return False
    expected = [*first, *[others] * (len(narrow_first) - len(first))]
    return all(covers(one, other, root, seen) for one, other in zip([*expected, others], [*narrow_first, narrow_others], strict=True))


def _properties_covered(wide: Schema, narrow: Schema, root: Schema, seen: frozenset[tuple[int, int]]) -> bool:
    known, others = wide.get("properties", {}), wide.get("additionalProperties", {})
    if not set(wide.get("required", [])) <= set(narrow.get("required", [])):
        return False
    if not covers(others, narrow.get("additionalProperties", {}), root, seen):
        return False
    if not all(covers(known.get(key, others), part, root, seen) for key, part in narrow.get("properties", {}).items()):
        return False
    unnamed = narrow.get("additionalProperties", {})
    return all(covers(part, unnamed, root, seen) for key, part in known.items() if key not in narrow.get("properties", {}))
