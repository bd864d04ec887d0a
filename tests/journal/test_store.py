"""The stores: values under namespaces, in memory, in a file, on a server."""

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.errors import NotStorable
from holter.journal import Item, MemoryStore, PostgresJournal, SQLiteJournal, Store
from holter.journal.archive import Archive

_parts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=3) | st.sampled_from(["a", "ab", '"', ",", "]", "\\", "é"])


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path, schema: str) -> Iterator[Store]:
    """A store with nothing in it."""
    if request.param == "memory":
        yield MemoryStore()
        return
    if request.param == "sqlite":
        journal: Archive = SQLiteJournal(tmp_path / "journal.db")
    else:
        journal = PostgresJournal(request.getfixturevalue("server").url, schema=schema)
    yield journal.store
    journal.close()


@pytest.fixture
def store(empty: Store) -> Store:
    """A store with three notes of two people."""
    empty.put(("notes", "ann"), "a", {"text": "likes tea", "year": 2025})
    empty.put(("notes", "ann"), "b", {"text": "喜欢爬山", "year": 2026})
    empty.put(("notes", "bob"), "a", {"text": "likes coffee", "year": 2026})
    return empty


def keys(items: list[Item]) -> list[tuple[str, str]]:
    """Who and which note, in order."""
    return [(item.namespace[-1], item.key) for item in items]


def test_what_is_put_is_got(store: Store) -> None:
    """A value comes back under its namespace and key, and nowhere else."""
    found = store.get(("notes", "ann"), "a")
    assert found is not None
    assert (found.namespace, found.key, found.value) == (("notes", "ann"), "a", {"text": "likes tea", "year": 2025})
    assert store.get(("notes", "ann"), "c") is None
    assert store.get(("notes",), "a") is None


def test_a_later_value_takes_the_place_of_an_earlier_one(store: Store) -> None:
    """The time of the first put stays, the time of the change is the later one's."""
    first = store.get(("notes", "ann"), "a")
    store.put(("notes", "ann"), "a", {"text": "likes water"})
    second = store.get(("notes", "ann"), "a")
    assert first is not None
    assert second is not None
    assert second.value == {"text": "likes water"}
    assert second.created_at == first.created_at
    assert second.updated_at >= first.updated_at


def test_a_changed_value_is_the_newest(store: Store) -> None:
    """Putting a value again brings it to the front."""
    store.put(("notes", "ann"), "a", {"text": "likes water"})
    assert keys(store.search(("notes",))) == [("ann", "a"), ("bob", "a"), ("ann", "b")]


def test_a_value_is_a_copy(store: Store) -> None:
    """Changing what was put in, or what came out, changes nothing in the store."""
    value = {"tags": ["x"]}
    store.put(("t",), "k", value)
    value["tags"].append("y")
    got = store.get(("t",), "k")
    assert got is not None
    got.value["tags"].append("z")
    again = store.get(("t",), "k")
    assert again is not None
    assert again.value == {"tags": ["x"]}


def test_search_finds_below_a_prefix_newest_first(store: Store) -> None:
    """The prefix is of namespaces; limit and offset page through."""
    assert keys(store.search(("notes",))) == [("bob", "a"), ("ann", "b"), ("ann", "a")]
    assert keys(store.search(("notes", "ann"))) == [("ann", "b"), ("ann", "a")]
    assert keys(store.search(("notes",), limit=1, offset=1)) == [("ann", "b")]
    assert store.search(("note",)) == []


def test_search_filters_by_fields_and_by_words(store: Store) -> None:
    """A filter wants equal fields, a query every word, whatever its case."""
    assert keys(store.search(("notes",), filter={"year": 2026})) == [("bob", "a"), ("ann", "b")]
    assert keys(store.search(("notes",), query="LIKES tea")) == [("ann", "a")]
    assert keys(store.search(("notes",), query="爬山")) == [("ann", "b")]


def test_deleting_forgets(store: Store) -> None:
    """A deleted value is gone, its empty namespace too; deleting nothing is nothing."""
    store.delete(("notes", "bob"), "a")
    store.delete(("notes", "bob"), "never")
    assert store.get(("notes", "bob"), "a") is None
    assert store.list_namespaces() == [("notes", "ann")]


def test_namespaces_are_listed(store: Store) -> None:
    """Sorted, cut to a depth, below a prefix."""
    store.put(("users",), "ann", {})
    assert store.list_namespaces() == [("notes", "ann"), ("notes", "bob"), ("users",)]
    assert store.list_namespaces(max_depth=1) == [("notes",), ("users",)]
    assert store.list_namespaces(prefix=("notes",), limit=1) == [("notes", "ann")]


@pytest.mark.parametrize(("namespace", "key"), [((), "k"), (("a", ""), "k"), ("text", "k"), (("a",), "")])
def test_a_place_without_a_name_is_refused(store: Store, namespace: tuple[str, ...], key: str) -> None:
    """An empty namespace or key, or a text for a namespace, is a ValueError."""
    with pytest.raises(ValueError, match=r"namespace|key"):
        store.put(namespace, key, {})


@given(
    st.lists(st.tuples(st.lists(_parts, min_size=1, max_size=3).map(tuple), _parts), max_size=6), st.lists(_parts, max_size=2).map(tuple)
)
def test_a_file_finds_what_memory_finds(places: list[tuple[tuple[str, ...], str]], prefix: tuple[str, ...]) -> None:
    """Whatever the names: those that look like the JSON in which namespaces are kept, too."""
    memory = MemoryStore()
    with tempfile.TemporaryDirectory() as folder, SQLiteJournal(f"{folder}/journal.db") as journal:
        for number, (namespace, key) in enumerate(places):
            for store in (memory, journal.store):
                store.put(namespace, key, {"n": number})
        for store in (memory, journal.store):
            assert len(store.search((), limit=10)) == len(set(places))
        found, expected = ([(item.namespace, item.key, item.value) for item in store.search(prefix)] for store in (journal.store, memory))
        assert found == expected
        assert journal.store.list_namespaces(prefix=prefix, max_depth=2) == memory.list_namespaces(prefix=prefix, max_depth=2)


def test_what_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    """A store in a file says where in the value it stands; nothing is kept of it."""
    with SQLiteJournal(tmp_path / "journal.db") as journal:
        with pytest.raises(NotStorable, match="rows"):
            journal.store.put(("a",), "k", {"rows": [object()]})
        assert journal.store.get(("a",), "k") is None


def test_writers_in_many_threads_lose_nothing(empty: Store) -> None:
    """Eight threads put fifty values each."""
    store = empty

    def write(number: int) -> None:
        for i in range(50):
            store.put(("n", str(number)), str(i), {"i": i})

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.search(("n",), limit=1_000)) == 400


def test_the_names_for_those_who_await(store: Store) -> None:
    """Do the same, of each store."""

    async def main() -> None:
        await store.aput(("notes", "eve"), "c", {"text": "likes cocoa"})
        found = await store.aget(("notes", "eve"), "c")
        assert found is not None
        assert found == (await store.asearch(("notes",), query="cocoa", limit=1))[0]
        assert ("notes", "eve") in await store.alist_namespaces(prefix=("notes",))
        await store.adelete(("notes", "eve"), "c")
        assert store.get(("notes", "eve"), "c") is None

    asyncio.run(main())


def test_an_item_as_json(store: Store) -> None:
    """Has its fields by name."""
    found = store.get(("notes", "bob"), "a")
    assert found is not None
    times = {"created_at": found.created_at, "updated_at": found.updated_at}
    shown = found.dict()
    assert {key: datetime.fromisoformat(shown.pop(key)) for key in times} == times
    assert shown == {"namespace": ["notes", "bob"], "key": "a", "value": {"text": "likes coffee", "year": 2026}}
