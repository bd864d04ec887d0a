"""Numbers as a person reads them."""

from collections import Counter


def amount(number: int) -> str:
    """`12,345`."""
    return f"{number:,}"


def plural(number: int, noun: str) -> str:
    """`1 message`, `12,345 messages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(size_bytes: int) -> str:
    """`312 B`, `12 kB`, `3.4 MB`; kilo is 1,000."""
    if size_bytes < 1_000:
        return f"{size_bytes} B"
    return f"{size_bytes / 1e3:.0f} kB" if size_bytes < 999_500 else f"{size_bytes / 1e6:.1f} MB"


def listed(positions: list[int], most: int = 10) -> str:
    """`1, 3, 4`; after the first `most`, how many more."""
    shown = ", ".join(map(str, positions[:most]))
    return f"{shown} and {amount(len(positions) - most)} more" if len(positions) > most else shown


def severities(counts: Counter[str]) -> str:
    """`1 error, 2 warnings, 3 notes`; empty when there are none."""
    nouns = (("error", "error"), ("warning", "warning"), ("info", "note"))
    return ", ".join(plural(counts[severity], noun) for severity, noun in nouns if counts[severity])


def seconds(value: float) -> str:
    """A duration: `340 µs`, `12 ms`, `3.4 s`, `2 min 5 s`."""
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if value < 1:
        return f"{value * 1e3:.0f} ms"
    if value < 100:
        return f"{value:.1f} s"
    return f"{int(value // 60)} min {int(value % 60)} s"


def dollars(value: float) -> str:
    """An amount of US dollars: `$0.0012`, `$12.30`."""
    return f"${value:.2f}" if value >= 1 else f"${value:.2g}" if value >= 0.001 else f"${value:.6f}".rstrip("0").rstrip(".")
