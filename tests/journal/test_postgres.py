"""The journal in PostgreSQL, on a real server."""

import asyncio
import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import psycopg
import pytest

from holter.errors import JournalConflict, JournalError, JournalUnavailable
from holter.journal import Journal, PostgresJournal
from holter.journal.archive import Archive
from holter.journal.archive_testing import ARCHIVE_CHECKS, ArchiveCheck
from holter.journal.event import RunStarted, ToolStarted
from holter.journal.postgres_schema import upgrade
from holter.journal.testing import CHECKS, Check, Clock, run
from tests.journal.writers import write_all, written
from tests.postgres_server import Server


def event(number: int) -> ToolStarted:
    """An event that can be told from others."""
    return ToolStarted(call_id=str(number), name="f")


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may end."""
    made = Server()
    yield made
    made.remove()


@pytest.mark.parametrize("one", CHECKS, ids=lambda one: one.__name__)
def test_conformance(one: Check, server: Server, schema: str) -> None:
    """Each check that every journal must pass."""

    @asynccontextmanager
    async def opened(clock: Clock) -> AsyncIterator[Journal]:
        with PostgresJournal(server.url, schema=schema, clock=clock) as journal:
            yield journal

    run(one, opened)


@pytest.mark.parametrize("one", ARCHIVE_CHECKS, ids=lambda one: one.__name__)
def test_archive_conformance(one: ArchiveCheck, server: Server, schema: str) -> None:
    """Each check that every journal that lasts must pass."""

    @asynccontextmanager
    async def opened(clock: Clock) -> AsyncIterator[Archive]:
        with PostgresJournal(server.url, schema=schema, clock=clock) as journal:
            yield journal

    run(one, opened)


def test_the_time_is_the_servers(server: Server, schema: str) -> None:
    """Without a clock of its own the journal takes the server's, since those of several machines differ."""

    async def main() -> None:
        with PostgresJournal(server.url, schema=schema) as journal:
            before = time.time()
            await journal.append("t", 0, [event(0)])
            await journal.append("t", 1, [event(1)])
            assert (await journal.lease("t", "r", 60)).until == pytest.approx(time.time() + 60, abs=5)
            assert [entry.ts for entry in await journal.read("t")] == pytest.approx([before] * 2, abs=5)

    asyncio.run(main())


def test_what_one_process_appends_another_hears(server: Server, schema: str) -> None:
    """`changed` ends when another journal over the same tables appends."""

    async def main() -> None:
        with PostgresJournal(server.url, schema=schema) as one, PostgresJournal(server.url, schema=schema) as other:
            waiting = asyncio.create_task(one.changed("t", 0))
            await asyncio.sleep(0.02)
            await other.append("t", 0, [event(0)])
            async with asyncio.timeout(5):
                assert await waiting == 1

    asyncio.run(main())


def test_writers_in_two_processes_lose_nothing(server: Server, schema: str) -> None:
    """Two processes of eight threads each, all on the same threads of the journal."""
    PostgresJournal(server.url, schema=schema).close()
    acknowledged = write_all(f"postgres:{schema}:{server.url}", processes=2, threads=8, seconds=1.0)
    with PostgresJournal(server.url, schema=schema) as journal:
        assert written(journal) == acknowledged
    assert sum(len(events) for events in acknowledged.values()) > 100


def test_a_lost_connection_is_replaced(own_server: Server) -> None:
    """A server that comes back between two calls is no fault that anybody sees; what was acknowledged is there."""

    async def main() -> None:
        with PostgresJournal(own_server.url) as journal:
            await journal.append("t", 0, [event(0)])
            own_server.stop()
            own_server.start()
            assert await journal.append("t", 1, [event(1)]) == 2
            assert await journal.length("t") == 2

    asyncio.run(main())


def test_a_server_that_is_gone_is_said_so(own_server: Server) -> None:
    """Each call is a JournalUnavailable as long as it is away; nothing acknowledged is lost by a crash, and nothing comes twice."""

    async def main() -> None:
        with PostgresJournal(own_server.url) as journal:
            await journal.append("t", 0, [event(0), event(1)])
            own_server.stop(signal.SIGQUIT)
            with pytest.raises(JournalUnavailable, match="cannot be reached"):
                await journal.append("t", 2, [event(2)])
            with pytest.raises(JournalUnavailable, match="cannot be reached"):
                await journal.read("t")
            own_server.start()
            assert await journal.append("t", 2, [event(2)]) == 3
            assert [entry.event for entry in await journal.read("t")] == [event(0), event(1), event(2)]

    asyncio.run(main())


def test_an_append_whose_answer_was_lost_is_not_done_twice(server: Server, schema: str) -> None:
    """Connections are ended all the time while somebody appends: each append is there once, in order."""

    async def main() -> None:
        with PostgresJournal(server.url, schema=schema) as journal, psycopg.connect(server.url, autocommit=True) as other:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holter'"
            stop = threading.Event()

            def end() -> None:
                while not stop.wait(0.003):
                    other.execute(others)

            ending = threading.Thread(target=end)
            ending.start()
            seq = 0
            try:
                for number in range(200):
                    while seq == number:
                        try:
                            seq = await journal.append("t", seq, [event(number)])
                        except JournalUnavailable:
                            await asyncio.sleep(0.001)
                        except JournalConflict as conflict:
                            seq = conflict.found  # both tries failed after the server had done one of them
            finally:
                stop.set()
                ending.join()
            assert [entry.event for entry in await journal.read("t")] == [event(number) for number in range(200)]

    asyncio.run(main())


def test_tables_of_a_newer_version_are_refused(server: Server, schema: str) -> None:
    """And left as they are."""
    PostgresJournal(server.url, schema=schema).close()
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"UPDATE {schema}.version SET number = 99")
        with pytest.raises(JournalError, match="newer Holter \\(journal version 99"):
            PostgresJournal(server.url, schema=schema)
        assert connection.execute(f"SELECT number FROM {schema}.version").fetchone() == (99,)


def test_tables_of_an_older_version_are_upgraded(server: Server, schema: str) -> None:
    """Step by step, with what they hold."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"SET search_path TO {schema}")
        upgrade(connection, schema, to=1)
        connection.execute("INSERT INTO thread (id, length, created, updated, status, newest) VALUES ('t', 1, 1, 1, 'new', 1)")
        connection.execute('INSERT INTO event SELECT key, 0, 1, \'run_started\', \'{"kind":"run_started","run":"r"}\' FROM thread')
    with PostgresJournal(server.url, schema=schema) as journal:
        [entry] = asyncio.run(journal.read("t"))
        assert entry.event == RunStarted(run="r")
        journal.store.put(("a",), "b", {})


def test_many_may_begin_the_tables(server: Server, schema: str) -> None:
    """Processes that start together do not fall over one another."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert pool.starmap(_opened_length, [(server.url, schema)] * 4) == [0] * 4


def _opened_length(url: str, schema: str) -> int:
    with PostgresJournal(url, schema=schema) as journal:
        return asyncio.run(journal.length("t"))


def test_without_a_loop_nothing_suspends(server: Server, schema: str) -> None:
    """A synchronous caller drives it without a loop; it is done in the caller's thread."""
    with PostgresJournal(server.url, schema=schema) as journal:
        with pytest.raises(StopIteration) as ended:
            journal.append("t", 0, [event(0)]).send(None)
        assert ended.value.value == 1


def test_a_password_is_not_said() -> None:
    """An error names host and database, and not the password."""
    with pytest.raises(JournalUnavailable, match=r"PostgreSQL at 127\.0\.0\.1, database d cannot be reached") as caught:
        PostgresJournal("postgresql://u:hidden@127.0.0.1:1/d")
    assert "hidden" not in str(caught.value)


def test_a_closed_journal_says_so(server: Server, schema: str) -> None:
    """Nothing may be asked of it."""
    journal = PostgresJournal(server.url, schema=schema)
    journal.close()
    with pytest.raises(JournalError, match="was closed"):
        asyncio.run(journal.length("t"))


def test_the_missing_extra_is_named() -> None:
    """Without psycopg the error says what to install; the other journals do without it."""
    program = """
import sys
sys.modules["psycopg"] = None
from holter.journal import MemoryJournal, SQLiteJournal
try:
    from holter.journal import PostgresJournal
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'holter[postgres]'" in done.stdout
