"""Results at rest."""

from typing import Any

import pytest
from hypothesis import given

from holter.messages import ToolMessage
from holter.tools.wrap.kept import Held, NotKept, frozen, thawed
from tests.strategies import json_values


@given(json_values)
def test_what_comes_back_is_what_went_in(artifact: Any) -> None:
    """Of any result that JSON holds; as one of the call that asks, and of none else."""
    at_rest = frozen(ToolMessage("text", tool_call_id="1", name="f", artifact=artifact, id="m"), 5.0, holds_objects=False)
    assert isinstance(at_rest, bytes)
    assert thawed(at_rest).made == 5.0
    assert thawed(at_rest).message("2", "g") == ToolMessage("text", tool_call_id="2", name="g", artifact=artifact)


@pytest.mark.parametrize("artifact", [(1, 2), {1: 2}, {1, 2}, 1j, object])
def test_what_json_cannot_hold_exactly(artifact: Any) -> None:
    """Is held as it is, where the store can; elsewhere the reason says what it is."""
    message = ToolMessage("text", tool_call_id="1", artifact=artifact)
    held = frozen(message, 0.0, holds_objects=True)
    assert isinstance(held, Held)
    assert thawed(held).artifact == artifact
    with pytest.raises(NotKept, match="the artifact is more than that"):
        frozen(message, 0.0, holds_objects=False)


def test_nobody_changes_the_result_of_another() -> None:
    """Each gets a copy of what is held."""
    held = frozen(ToolMessage("text", tool_call_id="1", artifact=[(1,)]), 0.0, holds_objects=True)
    thawed(held).artifact.append("mine")
    assert thawed(held).artifact == [(1,)]


@pytest.mark.parametrize("damage", [b"", b"{", b'{"content":1,"made":"x"}', b"\xff", 5, None])
def test_damage(damage: Any) -> None:
    """Is said, and not guessed at."""
    with pytest.raises(ValueError, match="the store gave"):
        thawed(damage)
