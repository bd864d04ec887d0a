"""The column in which positions stand, before everything that is said."""

from rich.text import Text

from holter.render.span import span

WIDTH = 4


def numbered(at: int) -> Text:
    """The gutter with a position; positions of more than three digits push their line to the right."""
    return span(f"{at:>{WIDTH - 1}} ", "dim")


def blank(lines: list[Text]) -> list[Text]:
    """The lines behind an empty gutter."""
    return [span(" " * WIDTH) + line for line in lines]
