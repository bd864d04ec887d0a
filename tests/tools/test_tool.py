"""Making tools, and calling them alone."""

import functools
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Annotated, Any

import pytest

from holter.errors import ArgumentError
from holter.messages import ToolMessage
from holter.tools import InjectedToolCallId, Tool, ToolRuntime, tool
from holter.tools.tool import as_tool

MAKE: Any = tool
CALL = {"name": "add", "args": {"a": 1, "b": 2}, "id": "c1", "type": "tool_call"}


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def add_async(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (tool(add), "add"),
        (tool("plus")(add), "plus"),
        (tool("plus", add), "plus"),
        (tool(name="plus")(add), "plus"),
        (tool()(add), "add"),
        (tool(parse_docstring=True)(add), "add"),
        (tool("plus", parse_docstring=True, description="Plus.")(add), "plus"),
        (tool(add, timeout_s=1), "add"),
        (Tool(add), "add"),
    ],
)
def test_every_way_to_make_one(made: Tool, name: str) -> None:
    """Bare, with a name, with options, by a call."""
    assert (made.name, made.invoke({"a": 1, "b": 2}), made(1), made(a=1, b=4)) == (name, 3, 2, 5)


def test_what_the_model_is_offered() -> None:
    """Name, docstring and schema."""
    spec = tool(add).spec
    assert (spec.name, spec.description, list(spec.parameters["properties"]), spec.parameters["required"]) == (
        "add",
        "Add two numbers.",
        ["a", "b"],
        ["a"],
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tool(lambda x: x), "a lambda has no name"),
        (lambda: tool("a", name="b")(add), "two names, 'a' and 'b'"),
        (lambda: MAKE(3), "made of a function, found 3"),
        (lambda: MAKE("a", 3), "made of a function, found 3"),
        (lambda: tool(tool(add)), "is a tool already"),
        (lambda: tool(add, colour="red"), "colour"),
        (lambda: tool("", add), "name is a text that is not empty"),
        (lambda: tool(add, timeout_s=0), "seconds above 0, found 0"),
        (lambda: tool(add, timeout_s=float("nan")), "seconds above 0"),
        (lambda: tool(add, timeout_s=True), "seconds above 0, found True"),
        (lambda: tool(add, response_format="artifact"), "content_and_artifact, found 'artifact'"),
        (lambda: tool(add, extra="allow"), "refuse, ignore, found 'allow'"),
        (lambda: tool(add, after="add"), "after names the tool itself"),
    ],
)
def test_what_cannot_be_a_tool(make: Callable[[], Any], text: str) -> None:
    """The error says why, when the tool is made."""
    with pytest.raises((TypeError, ValueError), match=text):
        make()


def test_options_as_they_are_kept() -> None:
    """`read_only` implies `idempotent`; one name in `after` is enough."""
    made = tool(add, read_only=True, after="other", parallel=False, needs_approval=True, return_direct=True, version="2", timeout_s=3)
    assert (made.idempotent, made.after, made.parallel, made.needs_approval, made.return_direct, made.version) == (
        True,
        ("other",),
        False,
        True,
        True,
        "2",
    )


class Shop:
    """Has tools of every kind."""

    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    def price(self, item: str) -> str:
        """The price."""
        return f"{self.name}: {item}"

    @tool(timeout_s=5)
    async def stock(self, item: str) -> str:
        """The stock."""
        return f"{self.name} has {item}"

    @tool
    @classmethod
    def kind(cls, item: str) -> str:
        """The kind."""
        return f"{cls.__name__}: {item}"

    @tool
    @staticmethod
    def twice(item: str) -> str:
        """Twice."""
        return item * 2

    @staticmethod
    @tool
    def thrice(item: str) -> str:
        """Three times."""
        return item * 3

    def plain(self, item: str) -> str:
        """Plain."""
        return f"{self.name} {item}"

    def __call__(self, item: str) -> str:
        """Called."""
        return f"{item} at {self.name}"


class AsyncShop:
    """Is called asynchronously."""

    async def __call__(self, item: str) -> str:
        """Called."""
        return f"later {item}"


class Corner(Shop):
    """A subclass."""


def test_methods_are_bound_to_their_object() -> None:
    """As descriptors in the class: `self` and `cls` are filled and not offered."""
    one, two = Shop("one"), Shop("two")
    assert [one.price.invoke({"item": "x"}), two.price.invoke({"item": "x"})] == ["one: x", "two: x"]
    assert one.price.parameters.names == ("item",)
    assert one.stock.invoke({"item": "x"}) == "one has x"
    assert one.price("y") == "one: y"
    assert [Shop.kind.invoke({"item": "x"}), Corner("c").kind.invoke({"item": "x"})] == ["Shop: x", "Corner: x"]
    assert [Shop.twice.invoke({"item": "x"}), one.thrice.invoke({"item": "x"})] == ["xx", "xxx"]


def test_a_method_without_its_object_says_so() -> None:
    """Nothing would fill its `self`."""
    with pytest.raises(TypeError, match=r"Shop\.price is a method; take the tool from an object"):
        as_tool(Shop.price)
    with pytest.raises(TypeError, match="take the tool from an object"):
        Shop.price.invoke({"item": "x"})
    with pytest.raises(TypeError, match="take the tool from an object"):
        Shop.price.invoke({"name": "price", "args": {"item": "x"}, "id": "1", "type": "tool_call"})


def test_what_else_can_be_called() -> None:
    """Bound methods, objects, partials, functions that hide a coroutine."""
    assert tool(Shop("s").plain).invoke({"item": "x"}) == "s x"
    assert tool("shop", Shop("s")).invoke({"item": "x"}) == "x at s"
    assert tool(AsyncShop()).invoke({"item": "x"}) == "later x"
    assert tool(functools.partial(add, b=5)).invoke({"a": 1}) == 6
    assert tool(functools.partial(add, b=5)).parameters.names == ("a",)
    assert tool(functools.partial(add_async, b=5)).invoke({"a": 1}) == 6

    @functools.wraps(add_async)
    def hidden(*args: Any, **kwargs: Any) -> Any:
        return add_async(*args, **kwargs)

    assert tool(hidden).invoke({"a": 1}) == 2
    assert tool(hidden).invoke(CALL).content == "3"


def numbers(up_to: int) -> Iterator[int]:
    """Counts."""
    yield from range(up_to)


def summed(up_to: int) -> Generator[int, None, int]:
    """Counts and adds."""
    total = 0
    for number in range(up_to):
        total += number
        yield number
    return total


async def numbers_async(up_to: int) -> AsyncIterator[int]:
    """Counts."""
    for number in range(up_to):
        yield number


def hidden_numbers(up_to: int) -> Iterator[int]:
    """Counts, but is no generator function."""
    return (number for number in range(up_to))


@pytest.mark.parametrize(
    ("function", "up_to", "result", "written"),
    [
        (numbers, 3, 2, [0, 1]),
        (numbers, 1, 0, []),
        (numbers, 0, None, []),
        (summed, 3, 3, [0, 1, 2]),
        (summed, 0, 0, []),
        (numbers_async, 3, 2, [0, 1]),
        (numbers_async, 0, None, []),
        (hidden_numbers, 3, 2, [0, 1]),
    ],
)
def test_of_a_generator_the_last_value_counts(function: Any, up_to: int, result: Any, written: list[int]) -> None:
    """What it returns, else what it yields last; the rest goes to the stream writer."""
    heard: list[Any] = []
    made = tool(function)
    assert made.invoke({"up_to": up_to}, runtime=ToolRuntime(stream_writer=heard.append)) == result
    assert heard == written


def test_arguments_in_and_value_out() -> None:
    """What does not fit is raised, and so is what the function raises."""
    with pytest.raises(ArgumentError) as raised:
        tool(add).invoke({"a": "x", "c": 1})
    assert [path for path, _ in raised.value.problems] == ["a", "c"]
    assert tool(add).invoke({"a": "15"}) == 16

    @tool
    def fail() -> None:
        """Fails."""
        raise KeyError("no")

    with pytest.raises(KeyError):
        fail.invoke({})


def test_a_call_in_and_a_message_out() -> None:
    """The message answers the call, and what fails is data."""
    assert tool(add).invoke(CALL) == ToolMessage("3", tool_call_id="c1", name="add")
    assert tool(add).invoke({**CALL, "args": {"a": []}}).status == "error"
    assert tool(add).invoke({**CALL, "args": '{"a": 1}'}) == ToolMessage("2", tool_call_id="c1", name="add")
    assert tool(add).invoke({**CALL, "name": "another"}).name == "add"
    assert tool(add_async).invoke(CALL).content == "3"


def test_a_text_is_the_only_argument() -> None:
    """Where there are more, the error says so."""

    @tool
    def shout(text: str) -> str:
        """Shout."""
        return text.upper()

    assert shout.invoke("hi") == "HI"
    with pytest.raises(ArgumentError, match="add takes 2 arguments"):
        tool(add).invoke("1")


@tool
def remember(note: str, runtime: ToolRuntime, call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Keep a note."""
    return f"{runtime.state['user']} {note} {call_id} {runtime.attempt}"


def test_a_tool_with_a_runtime_in_a_plain_test() -> None:
    """The runtime is made by hand: for the function, for arguments, for a call."""
    runtime = ToolRuntime(state={"user": "ann"})
    assert remember("x", runtime, "c9") == "ann x c9 1"
    assert remember.invoke({"note": "x"}, runtime=runtime) == "ann x None 1"
    assert remember.invoke({"note": "x", "runtime": runtime}) == "ann x None 1"
    call = {"name": "remember", "args": {"note": "x", "runtime": {"state": {"user": "eve"}}}, "id": "c1", "type": "tool_call"}
    assert remember.invoke(call, runtime=runtime).content == "ann x c1 1"


def test_of_a_pair_the_content_comes_back() -> None:
    """As LangChain's tools do; the message has the artifact."""

    @tool(response_format="content_and_artifact")
    def search(query: str) -> tuple[str, list[int]]:
        """Search."""
        return f"found {query}", [1, 2]

    assert search.invoke({"query": "x"}) == "found x"
    message = search.invoke({"name": "search", "args": {"query": "x"}, "id": "1", "type": "tool_call"})
    assert (message.content, message.artifact) == ("found x", [1, 2])


def test_config_reaches_the_tool() -> None:
    """As the second argument, beside a runtime too."""

    @tool
    def thread(runtime: ToolRuntime) -> str:
        """The thread."""
        return f"{runtime.config.get('thread')} {runtime.state}"

    assert thread.invoke({}, {"thread": "t1"}) == "t1 None"
    assert thread.invoke({}, {"thread": "t1"}, runtime=ToolRuntime(state=3, config={"thread": "t2"})) == "t1 3"


def test_a_ready_schema() -> None:
    """A function without a signature of its own; the schema may not offer what the runtime fills."""
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}

    def run(**kwargs: Any) -> str:
        return str(kwargs)

    made = tool("run", run, args_schema=schema, description="Runs.")
    assert made.invoke({"x": 3}) == "{'x': 3}"
    with pytest.raises(TypeError, match="offers the model 'runtime', which the runtime fills"):
        tool("remember", remember.function, args_schema={"type": "object", "properties": {"runtime": {}, "note": {}}})


def test_strict_takes_null_for_what_is_left_out() -> None:
    """A model in strict mode has to give every argument."""
    made = tool(add, strict=True)
    assert made.spec.parameters["required"] == ["a", "b"]
    assert made.invoke({"a": 1, "b": None}) == 2
