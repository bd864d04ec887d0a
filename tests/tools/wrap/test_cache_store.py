"""Any store, asked so that a broken one costs no answer."""

import asyncio
from typing import Any

import pytest

from holter.tools.around import Inner
from holter.tools.wrap.cache_store import Port, StoreFailed


class Bare:
    """The least that a store is."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.asked = 0

    def get(self, key: str) -> Any:
        """The value."""
        self.asked += 1
        if key == "broken":
            raise OSError("gone")
        return self.values.get(key)

    def set(self, key: str, value: Any) -> None:
        """Keeps it."""
        self.values[key] = value


class Later:
    """A store that is asked on a loop."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    async def get(self, key: str) -> Any:
        """The value."""
        return self.values.get(key)

    async def set(self, key: str, value: Any, *, labels: Any = ()) -> None:
        """Keeps it, and its labels."""
        self.values[key] = (value, labels)

    async def delete_label(self, label: str) -> int:
        """Forgets all."""
        count = len(self.values)
        self.values.clear()
        return count


async def _nothing(request: Any) -> Any:
    return request


@pytest.mark.parametrize("inline", [False, True])
def test_a_bare_store(inline: bool) -> None:
    """Is given no options that it does not know, leases always, and cannot forget."""
    store = Bare()
    port, inner = Port(store), Inner(_nothing, inline)

    async def main() -> Any:
        await port.set("a", b"1", inner, ttl_s=5, labels=("x",))
        return await port.get("a", inner), await port.lease("a", "t", 5, inner)

    assert asyncio.run(main()) == (b"1", True)
    assert (port.has_leases, port.renews, port.is_quick) == (False, False, False)
    with pytest.raises(TypeError, match="Bare has no delete_label, so it cannot forget"):
        port.forget(label="x")


@pytest.mark.parametrize("inline", [False, True])
def test_a_store_with_coroutines(inline: bool) -> None:
    """Is awaited, and given the options that it knows."""
    store = Later()
    port, inner = Port(store), Inner(_nothing, inline)

    async def main() -> Any:
        await port.set("a", b"1", inner, ttl_s=5, labels=("x",))
        return await port.get("a", inner)

    assert asyncio.run(main()) == (b"1", ("x",))
    assert port.forget(label="x") == 1


def test_a_broken_store_is_left_alone() -> None:
    """For a moment: it is not asked again at once."""
    store = Bare()
    port, inner = Port(store), Inner(_nothing, True)

    async def main() -> list[str]:
        said = []
        for key in ("broken", "a", "a"):
            with pytest.raises(StoreFailed) as raised:
                await port.get(key, inner)
            said.append(str(raised.value))
        return said

    said = asyncio.run(main())
    assert said == ["OSError: gone", *["it failed a moment ago and is left alone"] * 2]
    assert store.asked == 1
