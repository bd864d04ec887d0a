"""What a command says on standard error."""

import sys

import click

from holter.errors import HolterError
from holter.render.control import one_line


def say(text: str) -> None:
    """One line after `holter:`; what was printed before it is on its way first."""
    if sys.stdout is not None:
        sys.stdout.flush()
    click.echo(f"holter: {one_line(text)}", err=True)


def unreadable(name: str, error: HolterError | OSError) -> str:
    """The sentence for a file that cannot be read."""
    if isinstance(error, HolterError):
        text = str(error)
        return text if name in text else f"{name}: {text}"
    if isinstance(error, IsADirectoryError):
        return f"{name} is a directory; name the files in it"
    return f"{name}: {(error.strerror or str(error)).lower()}"
