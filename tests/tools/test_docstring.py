"""A docstring gives a description and what each parameter is, in each of the three styles."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from inline_snapshot import snapshot

from holter.tools.docstring import described
from tests import strategies


def google() -> None:
    """Finds things.

    More text here,
    over two lines.

    Args:
        query (str): What to look for,
            on two lines.
        limit: How many: 5 by default.
      odd: one
        that stands less deep

    Note:
        Something noted.

    Returns:
        list[str]: The names.

    Raises:
        ValueError: when the query is empty
    """


def numpy() -> None:
    """Finds things.

    Parameters
    ----------
    query : str
        What to look for.
    low, high : int, optional
        The limits.

    Raises
    ------
    ValueError
        When the query is empty.

    Returns
    -------
    list of str
        The names.
    """


def rest() -> None:
    """Finds things.

    :param query: What to look for,
        on two lines.
    :param int limit: How many.
    :type query: str
    :returns: The names.
    :raises ValueError: when the query is empty
    """


def test_styles() -> None:
    """The sections about parameters and errors are taken out; the rest stays as it was written."""
    functions: list[Callable[[], None]] = [google, numpy, rest]
    assert [described(function) for function in functions] == snapshot(
        [
            (
                """\
Finds things.

More text here,
over two lines.

Note:
    Something noted.

Returns:
    list[str]: The names.\
""",
                {"query": "What to look for, on two lines.", "limit": "How many: 5 by default.", "odd": "one that stands less deep"},
            ),
            (
                """\
Finds things.

Returns
-------
list of str
    The names.\
""",
                {"query": "What to look for.", "low": "The limits.", "high": "The limits."},
            ),
            (
                """\
Finds things.

:returns: The names.\
""",
                {"query": "What to look for, on two lines.", "limit": "How many."},
            ),
        ]
    )


class Finder:
    """Finds things.

    Attributes:
        limit: How many.
    """

    limit: int = 5

    def __call__(self, query: str) -> None:
        """Finds them now."""


def test_whose_docstring_it_is() -> None:
    """A class's own, or that of the function behind an object or a partial; none is no error."""
    assert [described(Finder), described(Finder()), described(lambda: None)] == [
        ("Finds things.", {"limit": "How many."}),
        ("Finds them now.", {}),
        ("", {}),
    ]


@given(strategies.any_texts)
def test_any_docstring_is_read(text: str) -> None:
    """Whatever somebody wrote."""

    def function(it: Any) -> None: ...

    for doc in (
        text,
        f"Does.\n\nArgs:\n    it: {text}\n",
        f"Does.\n\nParameters\n----------\nit : int\n    {text}\n",
        f":param it: {text}",
    ):
        function.__doc__ = doc
        described(function)
