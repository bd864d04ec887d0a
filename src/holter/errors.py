"""Every error that Holter raises on purpose, in one tree. A class exists only where a caller would act differently.

```
HolterError
├── ReadError          nothing in the input could be understood
│   ├── UnknownFormat  no reader recognised it; `tried` names them
│   └── UnreadFormat   recognised as `kind`, which Holter does not read (yet), or which holds no messages
├── WriteError         the target format has no way to say this conversation at all
├── JournalError       the journal does not do it
│   ├── JournalConflict  another writer appended first; read on from `expected` and decide
│   ├── LeaseHeld        another one drives the thread, until `until`: wait, or take over
│   ├── NotStorable      an event holds a value that JSON cannot hold: `node`, `key`, `path`
│   ├── UnknownThread    there is no such thread
│   ├── JournalUnavailable  it cannot be reached or written now: full disk, locked, read-only, server gone. Nothing was appended; try later
│   └── JournalDamaged   the store does not hold what it acknowledged: go back to a copy
├── NothingFits        a history cannot be trimmed to the budget and stay valid
├── UnfitHistory       what would be sent breaks rules of its provider, and no repair is safe; `problems` lists them
├── GraphError         a graph that cannot be built or run as it is
│   ├── InvalidUpdate  a node wrote what the state cannot take
│   ├── RunLimit       a limit of an agent inside the graph ended the run; `limit` and `value` say which
│   ├── RunCancelled   somebody else cancelled the run, through its journal; `reason` says why
│   └── RecursionLimit more steps than allowed; `nodes` would have run next
├── ModelError         a model did not answer; `model`, `url`, `status`, `request_id` and `retry_after_s` say what is known
│   ├── RateLimited    too many requests, or too much load: wait, then ask again
│   ├── ModelDown      nobody could be asked, or the server failed: try later, or ask another
│   ├── ModelTimeout   it took longer than it may (a TimeoutError, too); `partial` is what had come
│   ├── ModelRefused   the request itself was refused: asked again as it is, it will be again
│   │   ├── KeyRefused the key is missing or may not do this: give another one
│   │   └── TooLong    the request is longer than the model takes: trim the history
│   ├── NoAnswer       nothing came, or nothing that is an answer: an empty stream, a page of HTML, a script that is over
│   ├── StreamCut      the stream ended in the middle of the answer; `partial` is what had come
│   ├── UnfitAnswer    the answer cannot be used: it is empty, or not of the form that was asked for; `problems` lists what is wrong
│   └── TapeMismatch   a recording holds no answer to this request; `position` is the first message that differs
└── ToolError          a call did not come to a result
    ├── ArgumentError  the arguments do not fit the tool; `problems` lists all that is wrong
    ├── InjectionError the runtime lacks what a parameter is to be filled with: a field of the state, a store
    ├── ToolTimeout    it took longer than it may (a TimeoutError, too); `unknown` when it was left running
    └── ToolExit       it tried to end the process
```

Errors hold plain values, so that they can be pickled, logged and shown. Their text says what was found, where, and what to do.
"""

from typing import Any


class HolterError(Exception):
    """The root of the tree; catching it catches everything that Holter raises on purpose."""


class ReadError(HolterError):
    """Nothing in the input could be understood."""


class UnknownFormat(ReadError):
    """No reader recognised the input."""

    def __init__(self, text: str, tried: tuple[str, ...] = ()) -> None:
        super().__init__(text, tried)
        self.text = text
        self.tried = tried
        """Format names that were tried, most specific first."""

    def __str__(self) -> str:
        return f"{self.text} (tried: {', '.join(self.tried)})" if self.tried else self.text


class UnreadFormat(ReadError):
    """The input was recognised, but there is nothing to read in it: a format without a reader, or an error body."""

    def __init__(self, kind: str, detail: str = "not read yet") -> None:
        super().__init__(kind, detail)
        self.kind = kind
        """What it is, with its article: "an Inspect log"."""
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind}; {self.detail}"


class WriteError(HolterError):
    """The target format has no way to say this conversation at all."""


class JournalError(HolterError):
    """The journal does not do what it was asked for."""


class JournalConflict(JournalError):
    """Another writer appended first. Nothing was appended; what came in between is there to be read."""

    def __init__(self, thread: str, expected: int, found: int) -> None:
        super().__init__(thread, expected, found)
        self.thread = thread
        self.expected = expected
        """The thread's length as the writer knew it, in events."""
        self.found = found
        """Its length now."""

    def __str__(self) -> str:
        return (
            f"thread {self.thread!r} has {self.found} events where {self.expected} were expected: somebody else changed it. Read on, and "
            "append again if that still makes sense"
        )


class LeaseHeld(JournalError):
    """Another one drives the thread."""

    def __init__(self, thread: str, holder: str, until: float) -> None:
        super().__init__(thread, holder, until)
        self.thread = thread
        self.holder = holder
        """The run that drives it."""
        self.until = until
        """When its lease ends unless it is renewed: seconds since the epoch."""

    def __str__(self) -> str:
        return f"thread {self.thread!r} is driven by run {self.holder!r}. Wait until it ends, or take the thread over"


class NotStorable(JournalError, TypeError):
    """An event holds a value that JSON cannot hold. Nothing was appended."""

    def __init__(self, kind: str, node: str | None, key: str | None, path: str, problem: str) -> None:
        super().__init__(kind, node, key, path, problem)
        self.kind = kind
        """The event's kind: "node"."""
        self.node = node
        """The node that made it, where one did."""
        self.key = key
        """The state field that was written; None when the event is about none."""
        self.path = path
        """Where in the field's value, or else in the event: "rows[3].total"."""
        self.problem = problem
        """What stands there."""

    def __str__(self) -> str:
        what = f"an event ({self.kind})" if self.key is None else f"the value of {self.key!r}"
        of = f" of node {self.node!r}" if self.node is not None else ""
        at = f"at {self.path}: " if self.path else ""
        return (
            f"{what}{of} cannot be stored: {at}{self.problem}. A journal holds JSON: text, finite numbers, booleans, None, lists and dicts "
            "with text for keys, and what can be written so"
        )


class UnknownThread(JournalError):
    """There is no such thread."""

    def __init__(self, thread: str) -> None:
        super().__init__(thread)
        self.thread = thread

    def __str__(self) -> str:
        return f"there is no thread {self.thread!r}"


class JournalUnavailable(JournalError):
    """The journal cannot be reached, or cannot be written, as things are now: the disk is full, another process holds the lock, the server
    is gone. What it had acknowledged stays; the same request may succeed when the fault is gone."""


class JournalDamaged(JournalError):
    """The store does not hold what it acknowledged. Another try will not go better."""


class NothingFits(HolterError):
    """No valid history can be cut: the smallest that may be sent is over the budget, or no message is one that it may start on."""

    def __init__(self, unit: str = "messages", budget: int | None = None, needed: int | None = None, start_on: str | None = None) -> None:
        super().__init__(unit, budget, needed, start_on)
        self.unit = unit
        """"tokens" or "messages"."""
        self.budget = budget
        """What was given, in `unit`; None when no budget was at fault."""
        self.needed = needed
        """What the smallest history that may be sent costs, in `unit`; None when there is none at any budget."""
        self.start_on = start_on
        """The kind of message that was asked for first and is not there ("human"); None when the budget was at fault."""

    def __str__(self) -> str:
        if self.start_on is not None:
            return (
                f"no valid history starts on {self.start_on!r}: none of that kind is there, system messages and groups of a call and its "
                "results apart. Leave `start_on` out, or add such a message."
            )
        return (
            f"no valid history fits the budget ({self.unit}: {self.budget}): the smallest one that can be sent needs {self.needed}. "
            "Raise the budget, or shorten the system messages or what must stay with them."
        )


class ModelError(HolterError):
    """A model did not answer."""

    def __init__(
        self,
        text: str,
        *,
        model: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(text)
        self.model = model
        """The model's name."""
        self.url = url
        """Where it was asked, without what is secret in it; None for a model that is not asked over a network."""
        self.status = status
        """The HTTP status, where there was a response."""
        self.request_id = request_id
        """The provider's own id of the request, for its support."""
        self.retry_after_s = retry_after_s
        """How long the provider asks to wait before the next try, in seconds."""


class RateLimited(ModelError):
    """The provider took no more requests for now: a limit of the account, or too much load."""


class ModelDown(ModelError):
    """Nobody could be asked, or the server failed: no connection, one that was lost, an error of the server's own."""


class ModelTimeout(ModelError, TimeoutError):
    """A model took longer than it may."""

    partial: Any = None
    """The `AIMessage` that had come until then, as in `StreamCut`; None where nothing had come."""


class ModelRefused(ModelError):
    """The provider refused the request itself: a history that is not valid, an unknown setting, an account without means."""


class KeyRefused(ModelRefused):
    """The key is missing, unknown, or not allowed to do this."""


class TooLong(ModelRefused):
    """The request is longer than the model, or the server, takes."""


class NoAnswer(ModelError):
    """Nothing came, or nothing that is an answer: a stream without a chunk, a page of HTML, a script that is over."""


class StreamCut(ModelError):
    """A stream ended in the middle of the answer."""

    def __init__(
        self,
        text: str,
        *,
        partial: Any = None,
        model: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(text, model=model, status=status, request_id=request_id, url=url)
        self.partial = partial
        """The `AIMessage` that had come until then; calls whose arguments were not whole are invalid calls. None where nothing had come."""


class UnfitAnswer(ModelError):
    """A model answered, and was told what is wrong with its answer, and the next one could not be used either."""

    def __init__(self, text: str, *, problems: tuple[tuple[str, str], ...] = (), model: str | None = None) -> None:
        super().__init__(text, model=model)
        self.problems = problems
        """(path, text) of each problem; none where the answer was empty."""


class TapeMismatch(ModelError):
    """A recording holds no answer to what was asked."""

    def __init__(self, text: str, *, position: int | None = None, model: str | None = None) -> None:
        super().__init__(text, model=model)
        self.position = position
        """The first message that is not as it was recorded, 0-based; the number of messages where all are, and no answer follows."""


class ToolError(HolterError):
    """A call did not come to a result."""


class ArgumentError(ToolError):
    """The arguments do not fit the tool's parameters."""

    def __init__(self, text: str, problems: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(text, problems)
        self.text = text
        self.problems = problems
        """(path, text) of each problem."""

    def __str__(self) -> str:
        return self.text


class InjectionError(ToolError):
    """The runtime has nothing to give to a parameter that it fills. No try of the same call will go better."""


class ToolTimeout(ToolError, TimeoutError):
    """A tool took longer than it may."""

    def __init__(self, tool: str, timeout_s: float, unknown: bool) -> None:
        super().__init__(tool, timeout_s, unknown)
        self.tool = tool
        self.timeout_s = timeout_s
        self.unknown = unknown
        """Whether the function was left running, so that it may still take effect."""

    def __str__(self) -> str:
        rest = "; it was left running and may still take effect" if self.unknown else ""
        return f"{self.tool} took longer than {self.timeout_s:g} s{rest}"


class ToolExit(ToolError):
    """A tool tried to end the process, by `sys.exit` for example."""

    def __init__(self, tool: str, code: object) -> None:
        super().__init__(tool, code)
        self.tool = tool
        self.code = code

    def __str__(self) -> str:
        return f"{self.tool} tried to end the process (exit code {self.code!r}); it was stopped and the process goes on"


class UnfitHistory(HolterError):
    """What would be sent breaks rules of its provider, and no repair is safe. Nothing was sent."""

    def __init__(self, problems: tuple[str, ...], target: str | None = None) -> None:
        super().__init__(problems, target)
        self.problems = problems
        """What is wrong: the rule's code and name, and a sentence."""
        self.target = target
        """Whose rules they are; None for what every provider refuses."""

    def __str__(self) -> str:
        return f"the request was not sent: {self.target or 'any provider'} would refuse it. {'; '.join(self.problems)}"


class GraphError(HolterError):
    """A graph that cannot be built or run as it is."""


class InvalidUpdate(GraphError):
    """A node wrote what its state cannot take: an undeclared key, another type than a mapping, or a key that another node wrote, too."""


class RunLimit(GraphError):
    """A limit of an agent inside a graph ended the run of the graph."""

    def __init__(self, limit: str, value: float | None, text: str) -> None:
        super().__init__(limit, value, text)
        self.limit = limit
        """Which: "steps", "tokens", "cost_usd", "seconds", "repeats", …"""
        self.value = value
        self.text = text
        """Which and where, as a sentence."""

    def __str__(self) -> str:
        return self.text


class RunCancelled(GraphError):
    """Somebody else cancelled the run, through its journal."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the run was cancelled from outside{f': {self.reason}' if self.reason else ''}"


class RecursionLimit(GraphError):
    """A graph took more steps than it may."""

    def __init__(self, limit: int, nodes: tuple[str, ...]) -> None:
        super().__init__(limit, nodes)
        self.limit = limit
        self.nodes = nodes
        """The nodes that would have run next."""

    def __str__(self) -> str:
        return (
            f"the graph was stopped after {self.limit} steps, before {', '.join(self.nodes)}; "
            'raise the limit with config={"recursion_limit": N}, or look for a loop without a way out'
        )
