"""The cache in a file: what outlives it, what goes, and whose turn it is."""

import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from holter.graph import ToolNode
from holter.journal.event import CacheHit
from holter.tools import tool
from holter.tools.wrap import SqliteCache, cached
from tests.tools.wrap.calls import WAYS, Recorded


def test_what_is_kept_is_there_for_another_process(tmp_path: Path) -> None:
    """In a file that only its owner reads."""
    path = tmp_path / "cache.db"
    store = SqliteCache(path)
    store.set("a", b"1", ttl_s=60, labels=["x"])
    store.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    program = f"from holter.tools.wrap import SqliteCache; print(SqliteCache({str(path)!r}).get('a'))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "b'1'\n"


def test_values_end_and_are_forgotten_with_their_labels(tmp_path: Path) -> None:
    """A value is there for its time; a label forgets what has it, and the key of a value that was written anew has only its new ones."""
    store = SqliteCache(tmp_path / "cache.db")
    store.set("a", b"1", ttl_s=0.05)
    store.set("b", b"2", labels=["x"])
    store.set("c", b"3", labels=["x"])
    store.set("c", b"4", labels=["y"])
    assert store.get("a") == b"1"
    time.sleep(0.06)
    assert [store.get(key) for key in "abcd"] == [None, b"2", b"4", None]
    assert (store.delete_label("x"), store.get("b"), store.get("c"), store.delete("c"), store.delete("c")) == (1, None, b"4", 1, 0)
    store.close()


def test_the_oldest_go(tmp_path: Path) -> None:
    """Over the number of entries."""
    store = SqliteCache(tmp_path / "cache.db", max_entries=2)
    for key in "abc":
        store.set(key, key.encode())
    assert [store.get(key) for key in "abc"] == [None, b"b", b"c"]
    store.close()


def test_leases(tmp_path: Path) -> None:
    """One holds it until it gives it back or it has run out; who holds it no more gives back nothing, and renews nothing."""
    one, two = SqliteCache(tmp_path / "cache.db"), SqliteCache(tmp_path / "cache.db")
    assert one.lease("k", "1", 60)
    assert not two.lease("k", "2", 60)
    two.release("k", "2")
    assert not two.lease("k", "2", 60)
    one.release("k", "1")
    assert two.lease("k", "2", 0.1)
    two.renew("k", "2", 60)
    time.sleep(0.12)
    assert not one.lease("k", "1", 0.1)
    two.renew("k", "2", 0.01)
    time.sleep(0.02)
    assert one.lease("k", "1", 60)
    two.renew("k", "2", 0)
    two.release("k", "2")
    assert not two.lease("k", "2", 60)
    one.close()
    two.close()


def test_a_tool_that_takes_longer_than_the_lease(tmp_path: Path) -> None:
    """Is run once by two wrappers that share a file, as two processes would; of the four, two wait on loops and two in threads."""
    seen: list[int] = []

    @tool(read_only=True, version="1")
    def slow() -> str:
        """Take long."""
        seen.append(1)
        time.sleep(0.6)
        return "done"

    results: list[Any] = []

    def work(way: Any) -> None:
        store = SqliteCache(tmp_path / "cache.db")
        run = Recorded(ToolNode([slow], wrap_tool_call=cached(store, lease_s=0.15)), way)
        results.append((run("slow").content, len(run.of(CacheHit))))
        store.close()

    threads = [threading.Thread(target=work, args=(way,)) for way in WAYS * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [("done", 0), ("done", 1), ("done", 1), ("done", 1)]
    assert seen == [1]
