"""Journals under the names and with the manners of LangGraph's checkpointers (langgraph-checkpoint 4, seen 2026-11)."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from holter.journal.here import here


class Saver:
    """What LangGraph's programs do with a checkpointer beside handing it over: make it of a text, set it up, forget a thread, close it."""

    __slots__ = ()

    @classmethod
    def from_conn_string(cls, conn_string: str, **options: Any) -> Self:
        """The journal that lies there. It is closed by `with`, or `close`."""
        return cls(conn_string, **options)  # type: ignore[call-arg]  # each journal says where it lies

    def setup(self) -> None:
        """Nothing: what a journal needs is there when it is."""

    def delete_thread(self, thread_id: str) -> None:
        """Forgets a thread; nothing happens when there is none."""
        here(self, lambda journal: journal.delete(str(thread_id)))  # type: ignore[arg-type]  # what inherits from this is a journal

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await self.delete(str(thread_id))  # type: ignore[attr-defined]  # as above

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
