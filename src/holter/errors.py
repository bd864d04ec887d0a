"""Every error that Holter raises on purpose, in one tree. A class exists only where a caller would act differently.

```
HolterError
├── ReadError          nothing in the input could be understood
│   ├── UnknownFormat  no reader recognised it; `tried` names them
│   └── UnreadFormat   recognised as `kind`, which Holter does not read (yet), or which holds no messages
├── WriteError         the target format has no way to say this conversation at all
└── NothingFits        a history cannot be trimmed to the budget and stay valid
```

Errors hold plain values, so that they can be pickled, logged and shown. Their text says what was found, where, and what to do.
"""


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
