import json
from typing import Any

from hypothesis import given

from holter.formats.wrapper import found_inside
from holter.messages import Place
from tests.strategies import json_values

TURN = [{"role": "user", "content": "Hi"}]
CHUNK = {"object": "chat.completion.chunk", "choices": []}


def found(value: Any, refused: str = "no field") -> list[tuple[str | None, str]]:
    """(name of the form, path) of everything that is found."""
    return [(form.name if form else None, place.path) for form, _, place in found_inside(value, Place(), lambda item: refused in item)]


def test_in_its_order() -> None:
    """Lists and objects are searched from the first to the last, whatever their depth, and not inside what was found."""
    value = [{"a": {"b": {"messages": TURN, "history": TURN}}}, TURN, {"c": [CHUNK, {"x": 1}]}]
    assert found(value) == [("openai.chat", "[0].a.b"), ("openai.chat", "[1]"), (None, "[2].c[0]")]


def test_json_as_text() -> None:
    """A text that is JSON is searched, also inside another one."""
    assert found({"body": json.dumps({"messages": TURN})}) == [("openai.chat", "body")]
    assert found({"body": json.dumps({"inner": json.dumps(TURN)})}) == [("openai.chat", "body.inner")]


def test_what_is_refused_by_name() -> None:
    """A record of a tool that is not read is given as such."""
    assert found({"a": {"foreign": 1}}, refused="foreign") == [(None, "a")]


def test_depth() -> None:
    """A wrapper is searched eight levels deep; deeper ones cost nothing."""
    value: Any = TURN
    for _ in range(9):
        value = {"a": value}
    assert found(value) == [("openai.chat", "a" + ".a" * 8)]
    assert found({"a": value}) == []
    for _ in range(100_000):
        value = [value]
    assert found(value) == []


@given(json_values)
def test_any_value(value: Any) -> None:
    """Whatever a container holds, the search ends and raises nothing."""
    found([value])
