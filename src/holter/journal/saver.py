"""Journals under the names and with the manners of LangGraph's checkpointers (langgraph-checkpoint 4, seen 2026-11)."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self


class Saver:
    """What LangGraph's programs do with a checkpointer beside handing it over: make it of a text, set it up, and close it."""

    @classmethod
    def from_conn_string(cls, conn_string: str, **options: Any) -> Self:
        """The journal that lies there. It is closed by `with`, or `close`."""
        return cls(conn_string, **options)  # type: ignore[call-arg]  # each journal says where it lies

    def setup(self) -> None:
        """Nothing: what a journal needs is there when it is."""

    def close(self) -> None:
        """Nothing may be asked of the journal afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()
