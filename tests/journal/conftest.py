"""A PostgreSQL server for the tests of this folder, started when the first of them needs it."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.postgres_server import Server

_schemas = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running server."""
    made = Server()
    yield made
    made.remove()


@pytest.fixture
def schema() -> str:
    """The name of a schema that nobody uses."""
    return f"s{next(_schemas)}"
