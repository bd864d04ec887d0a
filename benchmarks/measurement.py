"""What a benchmark reports, and what it is asked."""

from typing import Literal

import msgspec


class Reach(msgspec.Struct, frozen=True):
    """A target: the value, or its ratio to the floor, is at most or at least a limit."""

    of: Literal["value", "ratio"]
    at: Literal["most", "least"]
    limit: float


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One measured figure, the floor or peer measured beside it, and the target."""

    name: str
    value: float
    unit: str
    """The unit of `value` and of `floor`."""
    floor: float | None = None
    floor_name: str = ""
    """What the floor is: `orjson.loads`, a bare Python, another library."""
    reach: Reach | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Holter's figure over the floor's; None where there is no floor to divide by."""
        return self.value / self.floor if self.floor else None

    @property
    def passed(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.reach is None:
            return None
        figure = self.value if self.reach.of == "value" else self.ratio
        if figure is None:
            return False
        return figure <= self.reach.limit if self.reach.at == "most" else figure >= self.reach.limit


class Settings(msgspec.Struct, frozen=True):
    """How much work a run does."""

    size_mb: int | None = None
    """The size of each generated file, in millions of bytes; None: the benchmark's own default."""
    repeat: int = 5
    """How many times each thing is measured; the best one counts."""
