"""The state of a graph: how nodes get it, and how the writes of one step change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict, get_origin

import msgspec

from holter.errors import GraphError
from holter.graph.field import Field, fields_of, model_problems
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

    def input_of(self, node: str, values: Mapping[str, Any], fresh: str = "") -> Any:
        """The state as the node gets it: a dict of its own with the fields of this schema that have values, or an object of the schema.

        Lists, dicts and sets that stand in it are the node's own, too; what they hold is shared. The one under `fresh` is nobody else's
        already. GraphError when the schema makes no
        object of the values.
        """
        own = {name: values[name] if name == fresh else _own(values[name]) for name in self.fields if name in values}
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


class Write(msgspec.Struct, frozen=True):
    """One value that a node wrote to a field."""

    node: str
    key: str
    value: Any
