"""Unions: which member a value is decoded as, and members that no value could ever choose."""

from collections.abc import Callable
from typing import Any

import msgspec

from holter.tools.annotation import annotation_text
from holter.tools.checker import validator
from holter.tools.cover import covers
from holter.tools.form import Decode, Form, Refused
from holter.tools.json_schema import Schema


class Member(msgspec.Struct, frozen=True):
    """One member of a union."""

    annotation: Any
    form: Form


class Choice:
    """Decodes a value of a union as the first member that accepts it."""

    def __init__(self, definitions: dict[str, Schema], forms: list[Form]) -> None:
        self._definitions = definitions
        self._forms = forms
        self._tests: list[tuple[Callable[[Any], bool], Decode | None]] = []

    def __call__(self, value: Any) -> Any:
        tests = self._tests or self._compiled()
        for accepts, decode in tests:
            if accepts(value):
                return value if decode is None else decode(value)
        raise Refused(((), "fits no member of the union"))

    def _compiled(self) -> list[tuple[Callable[[Any], bool], Decode | None]]:
        """Made at the first use: until then the definitions are not complete."""
        self._tests = [(validator({**form.schema, "$defs": self._definitions}).is_valid, form.decode) for form in self._forms]
        return self._tests


def refuse_unreachable(earlier: Member, later: Member, root: Schema) -> None:
    """TypeError when every value of the later member is decoded as the earlier one, so that the later one never comes."""
    if later.form.decode is None and (earlier.form.decode is None or not earlier.form.schema):
        return  # whichever it is decoded as, it stays as it is
    if not covers(earlier.form.schema, later.form.schema, root):
        return
    first, second = annotation_text(earlier.annotation), annotation_text(later.annotation)
    if covers(later.form.schema, earlier.form.schema, root):
        raise TypeError(f"no JSON value tells {first} from {second} in a union; keep one, or give each a field that tells them apart")
    raise TypeError(f"in a union, {first} takes every JSON value that {second} would; put {second} before it")
