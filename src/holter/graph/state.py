"""The state of a graph: how nodes get it, and how the writes of one step change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple, TypedDict, get_origin

import msgspec

from holter.errors import GraphError, InvalidUpdate
from holter.graph.field import Field, Unfit, fields_of, model_problems
from holter.messages.message import Message
from holter.messages.reducer import add_messages
from holter.tools.pydantic_form import is_model


class MessagesState(TypedDict):
    """A state that holds a conversation. Inherit from it to add fields."""

    messages: Annotated[list[Message], add_messages]


class Overwrite(msgspec.Struct, frozen=True):
    """A value that takes the place of what is there, whatever the field's reducer."""

    value: Any


class StateSchema:
    """What a state schema says: its fields, and in which form nodes get a state."""

    def __init__(self, schema: Any) -> None:
        """GraphError for what is no schema."""
        self.schema = schema
        self.fields: dict[str, Field] = fields_of(schema)
        cls = get_origin(schema) or schema
        self._is_mapping = issubclass(cls, dict)
        self._names = {name: part.alias or name for name, part in cls.model_fields.items()} if is_model(cls) else {}

    @property
    def name(self) -> str:
        """The schema's name."""
        return str(getattr(get_origin(self.schema) or self.schema, "__name__", self.schema))

    def input_of(self, node: str, values: Mapping[str, Any]) -> Any:
        """The state as the node gets it: a dict of its own with the fields of this schema that have values, or an object of the schema.

        Lists, dicts and sets that stand in it are the node's own, too; what they hold is shared. GraphError when the schema makes no
        object of the values.
        """
        own = {name: _own(values[name]) for name in self.fields if name in values}
        if self._is_mapping:
            return own
        try:
            return self.schema(**{self._names.get(name, name): value for name, value in own.items()})
        except Exception as error:  # constructors and validators are the user's code
            raise GraphError(self._refusal(node, own, error)) from error

    def _refusal(self, node: str, values: Mapping[str, Any], error: Exception) -> str:
        reason = model_problems(error) if self._names and hasattr(error, "errors") else str(error) or type(error).__name__
        missing = [name for name, field in self.fields.items() if name not in values and field.default is None]
        remedy = f"; nothing has been written to {', '.join(missing)} yet: write it before, or give it a default" if missing else ""
        return f"node {node!r} takes a {self.name}, and the state's values do not make one: {reason}{remedy}"


def _own(value: Any) -> Any:
    return value.copy() if type(value) in (list, dict, set) else value


def initial(fields: Mapping[str, Field]) -> dict[str, Any]:
    """The values that a thread begins with; fields without a default are not among them."""
    return {name: field.default() for name, field in fields.items() if field.default is not None}


class Write(NamedTuple):
    """One value that a node wrote to a field."""

    node: str
    key: str
    value: Any


_ABSENT: Any = msgspec.UNSET


def merge(fields: Mapping[str, Field], values: Mapping[str, Any], writes: Iterable[Write]) -> dict[str, Any]:
    """The values after the writes of one step, which stand in the order of its tasks. What is given stays as it is.

    InvalidUpdate, which names the field and the writers, when two write a field without a reducer, when two overwrite one, and when a
    reducer fails.
    """
    written: dict[str, list[Write]] = {}
    for write in writes:
        written.setdefault(write.key, []).append(write)
    changed = {key: _merged(fields[key], values.get(key, _ABSENT), entries) for key, entries in written.items()}
    return {**values, **changed}


def _merged(field: Field, old: Any, writes: list[Write]) -> Any:
    overwrites = [write for write in writes if isinstance(write.value, Overwrite)]
    if field.reducer is None and len(writes) > 1:
        raise InvalidUpdate(
            f"{_writers(writes)} wrote {field.name!r} in one step, and it holds one value; let one of them write it, or give the field a "
            "reducer: Annotated[T, function]"
        )
    if len(overwrites) > 1:
        raise InvalidUpdate(f"{_writers(overwrites)} overwrote {field.name!r} in one step; only one of them may")
    if overwrites:
        return overwrites[0].value.value
    return writes[0].value if field.reducer is None else _reduced(field, old, writes)


def _reduced(field: Field, old: Any, writes: list[Write]) -> Any:
    assert field.reducer is not None
    value = old if field.is_messages else _own(old)  # a reducer may change the old value in place
    for write in writes:
        try:
            value = write.value if value is _ABSENT else field.reducer(value, write.value)
        except Exception as error:
            raise InvalidUpdate(
                f"node {write.node!r} wrote {type(write.value).__name__} to {field.name!r}, and its reducer "
                f"{getattr(field.reducer, '__name__', 'function')!r} failed on it: {type(error).__name__}: {error}"
            ) from error
    if field.check is None or field.is_messages:
        return value
    try:
        return field.check(value)
    except Unfit as unfit:
        raise InvalidUpdate(f"{_writers(writes)} wrote {field.name!r}, which does not fit any more: {unfit}") from None


def _writers(writes: list[Write]) -> str:
    """The writers, to stand before "wrote"."""
    names = list(dict.fromkeys(repr(write.node) for write in writes))
    if len(names) == 1:
        return f"node {names[0]}" if len(writes) == 1 else f"node {names[0]}, {len(writes)} times,"
    return f"nodes {', '.join(names[:-1])} and {names[-1]}"
