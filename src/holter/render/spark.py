"""Numbers as small drawings: a line of blocks, and bars."""

from collections.abc import Sequence

_LEVELS = "▁▂▃▄▅▆▇█"
_PARTS = " ▏▎▍▌▋▊▉"


def sparkline(values: Sequence[float], width: int) -> str:
    """The values from left to right as blocks of eight heights, the largest one highest; more values than `width` are averaged. Empty for
    none."""
    if not values or width < 1:
        return ""
    shown = [_mean(values, at, width) for at in range(width)] if len(values) > width else list(values)
    most = max(shown)
    return "".join(_LEVELS[min(int(value / most * 7.999), 7)] if most > 0 else _LEVELS[0] for value in shown)


def bar(value: float, most: float, width: int) -> str:
    """A bar of at most `width` cells, in eighths, filled up with blanks; the longest for `most`. What is more than nothing shows."""
    eighths = round(max(value, 0) / most * width * 8) if most > 0 else 0
    eighths = min(max(eighths, 1 if value > 0 else 0), width * 8)
    full, part = divmod(eighths, 8)
    return ("█" * full + (_PARTS[part] if part else "")).ljust(width)


def _mean(values: Sequence[float], at: int, width: int) -> float:
    part = values[at * len(values) // width : (at + 1) * len(values) // width]
    return sum(part) / len(part)
