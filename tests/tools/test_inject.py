"""What the runtime fills in, told by types."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NewType, Optional, TypedDict, cast

import pytest

from holter.errors import InjectionError
from holter.journal import MemoryStore, Store
from holter.tools import InjectedState, InjectedStore, InjectedToolArg, InjectedToolCallId, ToolRuntime, tool

if TYPE_CHECKING:
    from somewhere import Context  # type: ignore[import-not-found]


class State(TypedDict):
    """A graph's state."""

    messages: list[Any]
    user: str


class Mine(ToolRuntime[Any, State]):
    """A runtime of the user's own."""

    @property
    def user(self) -> str:
        """Who asks."""
        return self.state["user"]


class User(InjectedToolArg):
    """Who asks, by a marker of the user's own."""

    def value(self, runtime: ToolRuntime) -> str:
        """From the context."""
        return str(runtime.context)


class MyState(InjectedState):
    """A marker's subclass."""


class Silent(InjectedToolArg):
    """Gives nothing."""


Alias = NewType("Alias", ToolRuntime)


def plain(x: int, rt: ToolRuntime) -> Any:
    """Plain."""
    return rt


def generic(x: int, rt: ToolRuntime[Any, State]) -> Any:
    """Generic."""
    return rt


def unknown_context(x: int, rt: ToolRuntime[Context, State]) -> Any:
    """Its context's type is known to type checkers only."""
    return rt


def optional(x: int, rt: ToolRuntime | None = None) -> Any:
    """Optional."""
    return rt


def old_optional(x: int, rt: Optional[ToolRuntime[Any, State]] = None) -> Any:  # noqa: UP045 - what is tested
    """Optional, in the old way."""
    return rt


def annotated(x: int, rt: Annotated[ToolRuntime, "the runtime"]) -> Any:
    """Annotated."""
    return rt


def own(x: int, rt: Mine) -> Any:
    """A subclass."""
    return rt


def new_type(x: int, rt: Alias) -> Any:
    """A new type."""
    return rt


def one(x: int, rt: ToolRuntime[Alias]) -> Any:
    """Of a context alone, as LangChain's documents write it."""
    return rt


def string(x: int, rt: "ToolRuntime") -> Any:  # noqa: UP037 - what is tested
    """A string."""
    return rt


@pytest.mark.parametrize("function", [plain, generic, unknown_context, optional, old_optional, annotated, own, new_type, one, string])
def test_the_runtime_is_known_by_its_type(function: Callable[..., Any]) -> None:
    """However it is written; it is not offered, and a value of the model's is ignored."""
    made = tool(function)
    assert made.parameters.names == ("x",)
    given = made.invoke({"x": 1, "rt": {"state": "forged"}}, runtime=ToolRuntime(state={"user": "ann", "messages": []}))
    assert isinstance(given, ToolRuntime)
    assert given.state == {"user": "ann", "messages": []}


def test_a_subclass_is_made_of_the_runtime() -> None:
    """With its own properties."""
    assert tool(own).invoke({"x": 1}, runtime=ToolRuntime(state={"user": "ann"})).user == "ann"


def test_a_parameter_that_is_only_called_runtime_is_an_ordinary_one() -> None:
    """The model gives it."""

    @tool
    def run(runtime: str, state: int, store: str, config: dict[str, int]) -> str:
        """Run."""
        return f"{runtime} {state} {store} {config}"

    assert run.parameters.names == ("runtime", "state", "store", "config")
    assert run.invoke({"runtime": "py", "state": 1, "store": "s", "config": {}}) == "py 1 s {}"


def test_a_bare_runtime_is_refused() -> None:
    """It would be offered to the model."""
    with pytest.raises(TypeError, match="'runtime' has no type; annotate it, `runtime: ToolRuntime`"):

        @tool
        def run(x: int, runtime) -> str:  # type: ignore[no-untyped-def]
            """Run."""
            return ""


def test_a_bare_runtime_that_is_fixed_already_is_none_of_ours() -> None:
    """A partial gives it."""

    def run(x: int, runtime) -> str:  # type: ignore[no-untyped-def]
        """Run."""
        return f"{x} {runtime}"

    assert tool("run", functools.partial(run, runtime="mine")).invoke({"x": 1}) == "1 mine"
    assert tool("run", functools.partial(plain, rt=cast(Any, "mine"))).invoke({"x": 1}) == "mine"


def test_two_markers_are_refused() -> None:
    """Once is enough."""
    with pytest.raises(TypeError, match="'s' is marked 2 times"):

        @tool
        def run(s: Annotated[Any, InjectedState("a"), InjectedState("b")]) -> str:
            """Run."""
            return ""

    with pytest.raises(TypeError, match="'s' is marked 2 times"):

        @tool
        def run_too(s: Annotated[ToolRuntime, InjectedState]) -> str:
            """Run."""
            return ""


def markers(
    x: int,
    whole: Annotated[dict[str, Any], InjectedState],
    called: Annotated[dict[str, Any], InjectedState()],
    messages: Annotated[list[Any], InjectedState("messages")],
    store: Annotated[Store, InjectedStore()],
    call_id: Annotated[str, InjectedToolCallId],
    user: Annotated[str, User],
    maybe: Annotated[str, InjectedState("user")] | None,
    mine: Annotated[dict[str, Any], MyState()],
    custom: Annotated[str, Silent] = "default",
) -> list[Any]:
    """All of them."""
    return [x, whole, called, messages, store, call_id, user, maybe, mine, custom]


def test_markers() -> None:
    """Classes, instances, subclasses, inside unions; none is offered and no value of the model's counts."""
    made = tool(markers)
    state, store = {"messages": [1], "user": "ann"}, MemoryStore()
    assert made.parameters.names == ("x",)
    runtime = ToolRuntime(state=state, store=store, context="eve", tool_call_id="c1")
    forged = dict.fromkeys(("whole", "messages", "store", "call_id", "user", "maybe", "custom"), "forged")
    assert made.invoke({"x": 1, **forged}, runtime=runtime) == [1, state, state, [1], store, "c1", "eve", "ann", state, "default"]


@dataclass
class Kept:
    """A state that is an object."""

    messages: list[Any]


def field_of(messages: Annotated[list[Any], InjectedState("messages")]) -> Any:
    """A field."""
    return messages


def whole_of(state: Annotated[Any, InjectedState]) -> Any:
    """The state."""
    return state


def test_a_state_may_be_an_object_or_a_list() -> None:
    """A plain message list stands for the state that holds it."""
    assert tool(field_of).invoke({}, runtime=ToolRuntime(state=Kept([1]))) == [1]
    assert tool(field_of).invoke({}, runtime=ToolRuntime(state=[1])) == [1]
    assert tool(whole_of).invoke({}, runtime=ToolRuntime(state=[1])) == {"messages": [1]}
    assert tool(whole_of).invoke({}, runtime=ToolRuntime(state=Kept([1]))) == Kept([1])


def missing_field(x: int, name: Annotated[str, InjectedState("name")]) -> str:
    """Needs a field."""
    return name


def missing_store(x: int, store: Annotated[Store, InjectedStore]) -> str:
    """Needs a store."""
    return ""


def missing_value(x: int, value: Annotated[str, Silent()]) -> str:
    """Needs a value."""
    return value


@pytest.mark.parametrize(
    ("function", "state", "text"),
    [
        (missing_field, {"user": 1}, "missing_field wants the state's field 'name', and the state has only 'user'"),
        (missing_field, {}, "the state has only none"),
        (missing_field, None, "there is no state"),
        (missing_field, Kept([]), "a state of type Kept has none"),
        (missing_store, {}, "missing_store wants the store, and there is none"),
        (missing_value, {}, "missing_value wants 'value' from the program"),
    ],
)
def test_what_the_runtime_lacks_is_an_error_as_data(function: Callable[..., Any], state: Any, text: str) -> None:
    """For arguments it is raised; for a call it is a message that sends nobody to correct the call."""
    made = tool(function)
    with pytest.raises(InjectionError, match=text):
        made.invoke({"x": 1}, runtime=ToolRuntime(state=state))
    events: list[Any] = []
    message = made.invoke(
        {"name": made.name, "args": {"x": 1}, "id": "1", "type": "tool_call"}, runtime=ToolRuntime(state=state, emit=events.append)
    )
    assert message.status == "error"
    assert text in message.content
    assert message.content.endswith(f"The program that runs {made.name} has to provide it; go on without {made.name}.")
    assert [event.kind for event in events] == ["tool_failed"]


def test_a_default_stands_in_for_what_the_runtime_lacks() -> None:
    """A field, a store."""

    @tool
    def run(name: Annotated[str, InjectedState("name")] = "nobody", store: Annotated[Store | None, InjectedStore] = None) -> str:
        """Run."""
        return f"{name} {store}"

    assert run.invoke({}, runtime=ToolRuntime(state={})) == "nobody None"


class Desk:
    """Has a tool with a runtime."""

    @tool
    def who(self, x: int, runtime: ToolRuntime) -> str:
        """Who."""
        return f"{x} {runtime.state}"


def test_methods_are_injected_too() -> None:
    """Beside `self`."""
    assert Desk().who.parameters.names == ("x",)
    assert Desk().who.invoke({"x": 1}, runtime=ToolRuntime(state="s")) == "1 s"
