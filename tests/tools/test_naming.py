"""A name means a tool where exactly one is possible; everything else is an error that lists the tools."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from holter.journal.event import Repaired
from holter.tools.naming import Resolved, is_wrapper, resolve, wrapped_calls
from tests import strategies

_KNOWN = ["read", "find_doc", "a", "aa", "github__list", "gitlab__list", "list"]


def test_a_known_name_is_itself() -> None:
    """Also where it could be read as another with a prefix."""
    assert resolve("read", _KNOWN) == Resolved("read")
    assert resolve("github__list", _KNOWN) == Resolved("github__list")


@pytest.mark.parametrize(
    ("said", "meant", "code"),
    [
        ("functions.read", "read", "NAME03"),
        ("default_api:read", "read", "NAME03"),
        ("default_api.read", "read", "NAME03"),
        ("functions.github__list", "github__list", "NAME03"),
        ("files__read", "read", "NAME03"),
        ("mcp__files__read", "read", "NAME03"),
        ("mcp__github__list", None, ""),
        ("bitbucket__list", None, ""),
        ("evil.read", None, ""),
        ("functions.nope", None, ""),
        ("functions.", None, ""),
        ("__read", None, ""),
        ("reader", None, ""),
        ("Read", None, ""),
        (" read", None, ""),
        ("find_docfind_doc", "find_doc", "NAME05"),
        ("readreadread", "read", "NAME05"),
        ("aaaa", None, ""),
        ("read_doc" * 10_000, None, ""),
    ],
)
def test_a_name_is_put_right_where_one_tool_is_left(said: str, meant: str | None, code: str) -> None:
    """The repair holds what was said; a doubt is none."""
    resolved = resolve(said, _KNOWN, call_id="c")
    assert resolved.name == meant
    assert bool(resolved.error) == (meant is None)
    assert (resolved.repair.code if resolved.repair else "") == code
    if resolved.repair is not None:
        assert (resolved.repair.raw, resolved.repair.call_id) == (said, "c")


@pytest.mark.parametrize("name", ["nope", "", " ", None, "half \ud83d", "x" * 100_000])
def test_the_error_lists_the_tools(name: str | None) -> None:
    """In LangGraph's words; a name of endless length is cut."""
    error = resolve(name, ["add", "mul"]).error
    assert error.endswith(", try one of [add, mul].")
    assert len(error.encode()) < 300


def test_says_that_a_name_is_unknown_or_missing() -> None:
    """A blank name is reported, an unknown one is the model's mistake and no repair."""
    assert resolve("nope", ["add"]) == snapshot(
        Resolved(name=None, error="Error: nope is not a valid tool, try one of [add].", repair=None)
    )
    assert resolve("", ["add"], call_id="c") == snapshot(
        Resolved(
            name=None,
            error="Error: the call names no tool, try one of [add].",
            repair=Repaired(code="NAME06", text="The call names no tool; it is answered with an error.", call_id="c", raw=""),
        )
    )


@pytest.mark.parametrize("name", ["multi_tool_use.parallel", "multi_tool_use_parallel", "functions.multi_tool_use.parallel"])
def test_knows_the_parallel_wrapper(name: str) -> None:
    """As GPT writes it, or a server that allows no dot in a name."""
    assert is_wrapper(name)


@pytest.mark.parametrize("name", ["parallel", "multi_tool_use", "my_multi_tool_use.parallel", "", None])
def test_takes_nothing_else_for_the_wrapper(name: str | None) -> None:
    """A tool may be called parallel."""
    assert not is_wrapper(name)


def test_reads_the_calls_in_the_wrapper() -> None:
    """In order, as they are; none when it is of another form."""
    uses = [{"recipient_name": "functions.read", "parameters": {"p": "a"}}, {"recipient_name": "nope"}]
    assert wrapped_calls({"tool_uses": uses}) == [("functions.read", {"p": "a"}), ("nope", None)]
    assert wrapped_calls({"tool_uses": [*uses, "x"]}) == []
    assert wrapped_calls({}) == []


@given(st.none() | strategies.any_texts, st.lists(strategies.texts, max_size=4))
def test_any_name_is_resolved(name: Any, known: list[str]) -> None:
    """To a known tool or to an error that can be stored."""
    resolved = resolve(name, known)
    if resolved.name is None:
        assert resolved.error.encode()
    else:
        assert resolved.name in known
