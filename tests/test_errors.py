import inspect
import pickle

import pytest

from holter import errors
from holter.errors import (
    HolterError,
    JournalConflict,
    LeaseHeld,
    ModelDown,
    ModelError,
    NothingFits,
    NotStorable,
    RateLimited,
    ReadError,
    StreamCut,
    TapeMismatch,
    UnknownFormat,
    UnknownThread,
    UnreadFormat,
    WriteError,
)
from holter.messages import AIMessage

EXAMPLES = [
    (HolterError("x"), "x"),
    (ReadError("it is empty"), "it is empty"),
    (
        UnknownFormat("nothing was found", ("openai.chat", "langchain.json")),
        "nothing was found (tried: openai.chat, langchain.json)",
    ),
    (UnknownFormat("it is binary"), "it is binary"),
    (UnreadFormat("an Inspect log"), "an Inspect log; not read yet"),
    (UnreadFormat("an error body", "it holds no messages"), "an error body; it holds no messages"),
    (WriteError("no"), "no"),
    (
        NothingFits("tokens", 5, 9),
        "no valid history fits the budget (tokens: 5): the smallest one that can be sent needs 9. Raise the budget, or shorten the "
        "system messages or what must stay with them.",
    ),
    (
        NothingFits(start_on="human"),
        "no valid history starts on 'human': none of that kind is there, system messages and groups of a call and its results apart. "
        "Leave `start_on` out, or add such a message.",
    ),
    (
        JournalConflict("t", 3, 5),
        "thread 't' has 5 events where 3 were expected: somebody else changed it. Read on, and append again if that still makes sense",
    ),
    (LeaseHeld("t", "r1", 1_000.0), "thread 't' is driven by run 'r1'. Wait until it ends, or take the thread over"),
    (
        NotStorable("interrupt", None, None, "", "a DataFrame"),
        "an event (interrupt) cannot be stored: a DataFrame. A journal holds JSON: text, finite numbers, booleans, None, lists and dicts "
        "with text for keys, and what can be written so",
    ),
    (UnknownThread("t"), "there is no thread 't'"),
    (ModelError("the model is down", model="m", status=503, request_id="r"), "the model is down"),
    (RateLimited("slow down", retry_after_s=2.5), "slow down"),
    (ModelDown("nobody is there", url="http://127.0.0.1:1/v1"), "nobody is there"),
    (StreamCut("it ended", partial=AIMessage("It is"), model="m"), "it ended"),
    (TapeMismatch("message 2 is another one", position=2, model="tape"), "message 2 is another one"),
]


@pytest.mark.parametrize(("error", "text"), EXAMPLES, ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "")
def test_text(error: HolterError, text: str) -> None:
    """An error is one sentence or two: what was found, and what to do."""
    assert str(error) == text


@pytest.mark.parametrize("error", [error for error, _ in EXAMPLES])
def test_pickling(error: HolterError) -> None:
    """Errors hold plain values, and come back from a pickle as they were."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_the_tree() -> None:
    """Every error is in the tree that the module's docstring draws, under the parent that it draws."""
    drawn = [line for line in (errors.__doc__ or "").split("```")[1].splitlines() if line.strip()]
    parents: dict[int, str] = {}
    tree = {}
    for line in drawn:
        name = line.lstrip("│├└─ ").split()[0]
        depth = (len(line) - len(line.lstrip("│├└─ "))) // 4
        parents[depth] = name
        tree[name] = parents.get(depth - 1, "Exception")
    classes = {name: kind for name, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__}
    assert tree.keys() == classes.keys()
    assert {name for name, parent in tree.items() if parent not in [base.__name__ for base in classes[name].__bases__]} == set()
