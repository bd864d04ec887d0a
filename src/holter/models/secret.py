"""A key that shows itself to nobody by accident."""

from __future__ import annotations

from typing import NoReturn

_SHOWN = "***"


class Secret:
    """A text that is neither printed, logged, copied into a pickle nor compared with `==`. Only `reveal` gives it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the header that carries it."""
        return self._text

    def scrub(self, text: str) -> str:
        """The text without this secret in it."""
        return text.replace(self._text, _SHOWN) if self._text else text

    def __repr__(self) -> str:
        return f"Secret({_SHOWN!r})"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not pickled; load the model where it is asked")
