"""What a reader or a rule reports."""

from typing import Literal, TypeAlias

import msgspec

Severity: TypeAlias = Literal["error", "warning", "info"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that a reader or a rule found, and where."""

    code: str
    """The rule's code: "READ01"."""
    name: str
    """The rule's name: "input-cut"."""
    severity: Severity
    text: str
    """What was found, as a sentence."""
    conversation: int | None = None
    """Position of the conversation in what was read, 0-based; None when the finding is about the source as a whole."""
    message: int | None = None
    """Position in the normalised conversation, 0-based."""
    index: int | None = None
    """Position in the source's own list, 0-based."""
    path: str | None = None
    """JSON path in the source: "messages[3].tool_calls[0].id"."""
    line: int | None = None
    """Line in the source, from 1 as editors count."""
    column: int | None = None
    """Column in that line, in characters, from 1."""
    hint: str | None = None
    """What to do about it."""
    fixable: bool = False
