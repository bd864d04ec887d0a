"""One at a time makes a value."""

import threading

import pytest

from holter.tools.wrap.flight import Flights, Landing


@pytest.mark.parametrize("landed", [b"value", Landing.AGAIN, Landing.ALONE])
def test_one_makes_it_and_the_others_wait(landed: bytes | Landing) -> None:
    """Whoever comes while it is made gets how that ended; who comes later makes it."""
    flights = Flights()
    assert flights.join("a") is None
    waiting = [flights.join("a") for _ in range(3)]
    assert flights.join("b") is None
    flights.land("a", landed)
    assert [future.result(0) for future in waiting if future is not None] == [landed] * 3
    assert flights.join("a") is None


def test_of_many_threads_one_is_first() -> None:
    """However they race."""
    flights = Flights()
    first: list[int] = []
    start = threading.Barrier(20)

    def work(number: int) -> None:
        start.wait()
        if flights.join("a") is None:
            first.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(first) == 1


def test_who_waits_cannot_end_it() -> None:
    """A cancelled waiter takes the value from nobody."""
    flights = Flights()
    flights.join("a")
    waiting = flights.join("a")
    assert waiting is not None
    assert not waiting.cancel()
