"""A run on standard output for a program: one event a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import msgspec

from holter.cli.output import writing
from holter.graph.feed import Namespace, StreamItem
from holter.journal.entry import Entry
from holter.render import json
from holter.render.redact import Level, redact_record


class EventPrinter:
    """Prints the events of a run, one JSON object a line, with all their fields; those of a run inside say in which tasks."""

    def __init__(self, redact: Level | None) -> None:
        self._redact = redact
        self._out = sys.stdout

    def __call__(self, namespace: Namespace, item: StreamItem) -> None:
        """Prints the next item, where it is an event."""
        if not isinstance(item, Entry):
            return
        fields = {name: _plain(getattr(item.event, name)) for name in item.event.__struct_fields__}
        inside = {"inside": list(namespace)} if namespace else {}
        event = {"seq": item.seq, "ts": item.ts, "kind": item.event.kind, **inside, **fields}
        with writing():
            self._out.buffer.write(json.line(redact_record(event, self._redact) if self._redact else event))
            self._out.flush()

    def tick(self) -> None:
        """Nothing is to be done while nothing comes."""

    def end(self) -> None:
        """Nothing is kept back."""

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Within it, what anybody else prints goes to standard error."""
        with redirect_stdout(sys.stderr):
            yield


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=str)
