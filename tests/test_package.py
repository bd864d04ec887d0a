import subprocess
import sys
from importlib import import_module
from typing import get_origin

import pytest

import holter

HEAVY = ("asyncio", "httpx2", "starlette", "sqlite3", "click", "rich", "jinja2", "uvicorn", "msgspec")


@pytest.mark.parametrize("name", holter.__all__)
def test_every_public_name(name: str) -> None:
    """Each public name is there, is documented where it is no other name of a type, and is listed by `dir`."""
    value = getattr(holter, name)
    assert value.__doc__ or get_origin(value)
    assert name in dir(holter)


def test_names_are_the_ones_of_their_modules() -> None:
    """A name of the package is the very object of its home."""
    for home, names in holter._HOMES.items():
        assert [getattr(holter, name) is getattr(import_module(home), name) for name in names] == [True] * len(names)
    own = [name for names in holter._HOMES.values() for name in names]
    assert sorted([*own, *holter._OTHER_NAMES]) == sorted(holter.__all__)


def test_other_names() -> None:
    """LangGraph's names are those of the same things; what needs an extra is no part of a star import."""
    assert holter.SqliteSaver is holter.AsyncSqliteSaver is holter.SQLiteJournal
    assert holter.InMemorySaver is holter.MemorySaver is holter.MemoryJournal
    assert holter.InMemoryStore is holter.MemoryStore
    assert holter.BaseStore is holter.Store
    assert holter.PostgresSaver is holter.AsyncPostgresSaver is holter.PostgresJournal
    assert not set(holter._OPTIONAL) & set(holter.__all__)


def test_unknown_names() -> None:
    """A name that does not exist is an AttributeError, as with any module."""
    with pytest.raises(AttributeError, match="module 'holter' has no attribute 'nothing'"):
        getattr(holter, "nothing")  # noqa: B009 - mypy knows that it is not there
    assert not hasattr(holter, "__wrapped__")


def imported(statement: str) -> set[str]:
    """Which of the heavy packages a fresh Python has imported after the statement."""
    code = f"import sys; {statement}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split())


def test_import_is_light() -> None:
    """Importing the package imports none of what only some of its parts need; reading logs needs msgspec alone."""
    assert imported("import holter") == set()
    assert imported("import holter; holter.read, holter.AIMessage") == {"msgspec"}
