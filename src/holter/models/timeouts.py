"""How long a model may take."""

from __future__ import annotations

import msgspec


class Timeouts(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one request, in seconds; None is none. What takes longer is a `ModelTimeout`."""

    connect_s: float | None = 10.0
    """Until a connection stands."""
    first_byte_s: float | None = 600.0
    """From there until the first byte of the answer: a model may think for minutes before it says anything."""
    between_s: float | None = 120.0
    """Between two pieces of the answer. Whatever comes counts, also what only keeps the connection alive."""
    whole_s: float | None = None
    """All of it, with every try and every wait."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is a number of seconds above 0, or None; found {value!r}")


def timeouts_of(given: Timeouts | float | None) -> Timeouts:
    """The limits; of a number, it is that of the whole."""
    if given is None:
        return Timeouts()
    return given if isinstance(given, Timeouts) else Timeouts(whole_s=given)
