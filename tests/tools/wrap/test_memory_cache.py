"""The cache in memory."""

import threading
import time

from holter.tools.wrap import MemoryCache


def test_the_least_recently_asked_for_goes() -> None:
    """Asking keeps a value; writing over one needs no more room."""
    cache = MemoryCache(2)
    for key in "ab":
        cache.set(key, key)
    assert cache.get("a") == "a"
    cache.set("c", "c")
    cache.set("c", "d")
    assert [cache.get(key) for key in "abc"] == ["a", None, "d"]
    assert len(cache) == 2


def test_values_end_and_are_forgotten_with_their_labels() -> None:
    """A value is there for its time; a label forgets what has it, and no more."""
    cache = MemoryCache()
    cache.set("a", 1, ttl_s=0.02, labels=["x"])
    cache.set("b", 2, labels=["x", "y"])
    assert cache.get("a") == 1
    time.sleep(0.03)
    assert cache.get("a") is None
    assert cache.delete_label("x") == 1
    assert cache.delete_label("y") == 0
    assert cache.delete("b") == 0
    assert len(cache) == 0
    assert cache._labelled == {}


def test_many_threads() -> None:
    """Its size holds whoever writes."""
    cache = MemoryCache(50)

    def work(start: int) -> None:
        for number in range(start, start + 500):
            cache.set(str(number % 120), number, labels=[str(number % 3)])
            cache.get(str(number % 77))
            cache.delete_label(str(number % 7))

    threads = [threading.Thread(target=work, args=(number * 31,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) <= 50
