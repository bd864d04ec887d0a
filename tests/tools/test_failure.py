"""What is said of a call that came to nothing."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from holter.errors import ToolExit, ToolTimeout
from holter.tools.failure import error_text, exception_text, handler, traceback_text

CALL = {"name": "t", "args": {}, "id": "c1", "type": "tool_call"}


class Evil(Exception):
    """Cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("boom"), "Error: t failed with ValueError: boom. Correct the call and try again, or go on without it."),
        (ValueError("boom."), "Error: t failed with ValueError: boom. Correct the call and try again, or go on without it."),
        (ValueError(), "Error: t failed with ValueError. Correct the call and try again, or go on without it."),
        (KeyError("x"), "Error: t failed with KeyError: 'x'. Correct the call and try again, or go on without it."),
        (Evil(), "Error: t failed with Evil: (its text cannot be shown). Correct the call and try again, or go on without it."),
        (ToolTimeout("t", 2, False), "Error: t took longer than 2 s. Ask for less, or go on without it."),
        (
            ToolTimeout("t", 0.5, True),
            "Error: t took longer than 0.5 s; it was left running and may still take effect. "
            "Do not repeat it before you know whether it did.",
        ),
        (
            ToolExit("t", 3),
            "Error: t tried to end the process (exit code 3); it was stopped and the process goes on. Do not call it in this way again.",
        ),
        (
            ExceptionGroup("two", [ValueError("a"), ExceptionGroup("in", [KeyError("b"), OSError()])]),
            "Error: t failed with ExceptionGroup: two (2 sub-exceptions): ValueError: a; KeyError: 'b'; OSError. "
            "Correct the call and try again, or go on without it.",
        ),
    ],
)
def test_what_the_model_is_told(error: Exception, text: str) -> None:
    """What failed, and what to do; no traceback."""
    assert error_text(error, "t") == text


def test_texts_are_short_and_can_be_stored() -> None:
    """Of an exception of 20 MB the beginning and the end; no half of a character."""
    error = ValueError("x" * 20_000_000)
    assert len(error_text(error, "t")) < 1_200
    assert len(traceback_text(error)) <= 20_000
    exception_text(ValueError("\ud83d")).encode()
    assert "Evil" in traceback_text(Evil())


def only_values(error: ValueError) -> str:
    """Handles one kind."""
    return f"values: {error}"


def either(error: "ValueError | KeyError") -> str:
    """Handles two."""
    return "either"


def anything(error) -> str:  # type: ignore[no-untyped-def]
    """Handles all."""
    return "anything"


class Handling:
    """Handles as an object and as a method."""

    def __call__(self, error: KeyError) -> str:
        """Handles."""
        return "called"

    def method(self, error: KeyError) -> str:
        """Handles."""
        return "method"


@pytest.mark.parametrize(
    ("handling", "error", "content"),
    [
        (True, ValueError("a"), error_text(ValueError("a"), "t")),
        (False, ValueError("a"), None),
        (None, ValueError("a"), None),
        ((), ValueError("a"), None),
        ("Sorry.", ValueError("a"), "Sorry."),
        ("", ValueError("a"), ""),
        (ValueError, ValueError("a"), error_text(ValueError("a"), "t")),
        (ValueError, KeyError("a"), None),
        ((ValueError, KeyError), KeyError("a"), error_text(KeyError("a"), "t")),
        (only_values, ValueError("a"), "values: a"),
        (only_values, KeyError("a"), None),
        (either, KeyError("a"), "either"),
        (either, OSError("a"), None),
        (anything, OSError("a"), "anything"),
        (Handling(), KeyError("a"), "called"),
        (Handling(), OSError("a"), None),
        (Handling().method, KeyError("a"), "method"),
        (lambda error: {"a": 1}, KeyError("a"), '{"a": 1}'),
        (lambda error: None, KeyError("a"), "null"),
    ],
)
def test_handle_tool_errors(handling: Any, error: Exception, content: str | None) -> None:
    """A bool, a text, types, a function by what its parameter is annotated with."""
    message = handler(handling)(error, CALL)
    assert (message.content if message else None) == content
    assert message is None or (message.status, message.tool_call_id, message.name) == ("error", "c1", "t")


def no_exception(error: int) -> str:
    """Annotated with something else."""
    return ""


@pytest.mark.parametrize("handling", [int, (ValueError, "x"), 3.5, no_exception, lambda: ""])
def test_what_cannot_be_asked_for(handling: Any) -> None:
    """The error comes when the node is made, not when a tool fails."""
    with pytest.raises(ValueError, match="handle_tool_errors"):
        handler(handling)


def test_a_cancelled_error_has_a_text() -> None:
    """It often has none of its own."""
    make: Callable[[BaseException], str] = exception_text
    assert make(asyncio.CancelledError()) == "CancelledError"
