"""Functions of one code are told apart by what they belong to."""

from holter.tools.wrap.origin import Origins


def plain() -> None:
    """A function without more to it."""


def closure(value: int) -> object:
    """A function that holds a value."""
    return lambda: value


class Server:
    """Something that has a method."""

    def read(self) -> str:
        """Read."""
        return "read"


class Plain:
    """An object that is called, and has no hash and no weak references."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self) -> None:
        """Nothing."""


def test_numbers_in_the_order_in_which_they_are_seen() -> None:
    """One of its own for each closure, object and object's method; the same for the same again."""
    origins = Origins()
    one, two = closure(1), closure(2)
    assert [origins.number("c", function) for function in (one, two, one)] == [0, 1, 0]  # type: ignore[arg-type]
    left, right = Server(), Server()
    assert [origins.number("m", function) for function in (left.read, right.read, left.read)] == [0, 1, 0]
    assert [origins.number("p", plain) for _ in range(2)] == [0, 0]
    here, there = Plain(), Plain()
    assert [origins.number("o", function) for function in (here, there, here)] == [0, 1, 0]
    assert origins.number("other", two) == 0  # type: ignore[arg-type]
