"""Styled text that can be joined: rich lends the style of a whole `Text` to all that is appended to it, and that of a span to nobody."""

from rich.text import Text


def span(text: str, style: str = "") -> Text:
    """The text in this style."""
    return Text.assemble((text, style)) if style else Text(text)
