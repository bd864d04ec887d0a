import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.array import Item, split_array
from tests.strategies import json_values


def split(data: bytes, *cuts: int) -> list[Item]:
    """The items of data that comes in blocks which end at these places."""
    edges = [0, *sorted(cuts), len(data)]
    return list(split_array(data[start:end] for start, end in pairwise(edges)))


def containers(values: list[Any]) -> list[tuple[int, Any]]:
    return [(position, value) for position, value in enumerate(values) if isinstance(value, dict | list)]


@given(st.lists(json_values, max_size=6), st.sampled_from([None, 1]), st.booleans(), st.lists(st.integers(0, 300), max_size=6))
def test_every_array_at_every_cut(values: list[Any], indent: int | None, ascii_only: bool, cuts: list[int]) -> None:
    """Wherever the blocks end, the items are those of the whole, at their positions."""
    data = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode()
    items = split(data, *(min(cut, len(data)) for cut in cuts))
    assert [(item.position, json.loads(item.data)) for item in items] == containers(values)
    assert not any(item.cut or item.follows for item in items)


@given(st.lists(json_values, min_size=1, max_size=5), st.data())
def test_every_prefix(values: list[Any], data: st.DataObject) -> None:
    """A cut array gives its whole items, then what there is of the next, as cut."""
    text = json.dumps(values).encode()
    *whole, last = split(text[: data.draw(st.integers(1, len(text) - 1))])
    assert [(item.position, json.loads(item.data)) for item in whole] == containers(values)[: len(whole)]
    assert last.cut
    assert last.data in text


def test_lines() -> None:
    """Each item says the line it begins on, across blocks."""
    data = b'[\n{"a":\n1},\n\n[2,\n3], "x\\"]", {}\n]'
    assert [(item.line, item.data) for item in split(data, 5, 9, 20)] == [(2, b'{"a":\n1}'), (5, b"[2,\n3]"), (6, b"{}")]
    assert [item.position for item in split(data)] == [0, 1, 3]


@pytest.mark.parametrize("cut", range(12))
def test_a_backslash_at_the_end_of_a_block(cut: int) -> None:
    """An escaped quote does not end its string, wherever the block ends."""
    assert [item.data for item in split(b'[["\\"],["]]', cut)] == [b'["\\"],["]']


@pytest.mark.parametrize(("behind", "line"), [(b" \n[2]", 2), (b"x", 1)])
def test_text_behind_the_array(behind: bytes, line: int) -> None:
    """It is told once, with its line; space is not."""
    items = split(b"[{}]" + behind)
    assert [(item.data, item.follows) for item in items] == [(b"{}", False), (behind.strip(), True)]
    assert items[1].line == line
    assert len(split(b"[{}] \n\t ", 4, 6)) == 1


def test_nothing_to_split() -> None:
    """An array without items, and no array at all."""
    assert split(b"[]") == split(b"") == split(b"[1, 2]") == []
    assert [item.cut for item in split(b"[")] == [True]
