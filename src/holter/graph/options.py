"""What surrounds one drive of a thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from holter.graph.feed import Feed, Namespace
from holter.graph.nested import Place
from holter.journal.journal import Journal
from holter.journal.store import Store
from holter.messages.reducer import new_id


@dataclass(slots=True, kw_only=True)
class RunOptions:
    """What surrounds one drive."""

    thread: str
    journal: Journal
    config: dict[str, Any] = field(default_factory=dict)
    context: Any = None
    store: Store | None = None
    feed: Feed | None = None
    namespace: Namespace = ()
    inline: bool = False
    """Whether the caller is synchronous."""
    deadline_s: float | None = None
    """How long the run may take; a limit ends it then."""
    program: str = ""
    around: Place | None = None
    """Where the run is nested."""
    is_own: bool = False
    """Whether nobody but the run knows the thread, which ends with the process."""
    is_leased: bool = False
    """Whether others may drive the thread, so that this drive needs its lease."""
    takeover: bool = False
    """Whether it takes the lease from a run that has it."""
    waits: bool = False
    """Whether it waits for the end of a run that has the lease."""
    run: str = field(default_factory=new_id)

    def inside(self, around: Place, program: str) -> RunOptions:
        """The options of a run that is nested in this one."""
        return RunOptions(
            thread=around.thread,
            journal=self.journal,
            config=self.config,
            context=self.context,
            store=self.store,
            feed=self.feed,
            namespace=(*self.namespace, around.namespace),
            inline=self.inline,
            program=program,
            around=around,
            is_own=self.is_own,
        )
