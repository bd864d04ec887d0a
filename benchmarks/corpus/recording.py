"""The corpus: what each framework that is installed recorded of its clean runs."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from benchmarks.corpus.holter_runs import documents, threads
from benchmarks.corpus.scene import Json, Scene
from benchmarks.corpus.server import serving
from holter.messages import Conversation, Finding


class Peer(msgspec.Struct, frozen=True):
    """A framework that records runs."""

    name: str
    module: str
    """In `benchmarks.corpus`."""
    packages: tuple[str, ...]
    """What has to be installed."""

    @property
    def is_installed(self) -> bool:
        """Whether it can run here."""
        return all(importlib.util.find_spec(package) is not None for package in self.packages)


PEERS = (
    Peer("LangGraph", "langgraph_runs", ("langgraph", "langchain_openai")),
    Peer("OpenAI Agents", "openai_agents_runs", ("agents",)),
    Peer("Pydantic AI", "pydantic_ai_runs", ("pydantic_ai", "openai")),
)


class Run(msgspec.Struct, frozen=True):
    """One recording of a clean run."""

    source: str
    """Who wrote it, and how."""
    text: str
    """The document."""


class Corpus(msgspec.Struct, frozen=True):
    """Recordings of clean runs."""

    runs: list[Run]
    own: list[Conversation]
    """The messages of Holter's own runs."""
    of_journals: list[Finding]
    """What was found in the journals of Holter's own runs."""
    missing: list[str]
    """Frameworks that are not installed."""


def corpus(scenes: list[Scene]) -> Corpus:
    """What everybody recorded of these scenes."""
    own = list(threads(scenes))
    runs = [Run(name, _text(document)) for conversation, _ in own for name, document in documents(conversation)]
    for peer in PEERS:
        if peer.is_installed:
            runs += _recorded(peer, scenes)
    found = [finding for _, findings in own for finding in findings]
    return Corpus(runs, [conversation for conversation, _ in own], found, [peer.name for peer in PEERS if not peer.is_installed])


def _recorded(peer: Peer, scenes: list[Scene]) -> Iterator[Run]:
    """What a framework writes itself; each request that it sent; and the last request of each run with its response."""
    run = importlib.import_module(f"benchmarks.corpus.{peer.module}").run
    with serving(scenes) as recorder:
        for scene in scenes:
            for name, document in run(scene, recorder.url):
                yield Run(name, _text(document))
            exchanges: list[tuple[Json, Json]] = recorder.exchanges[scene.name]
            for request, _ in exchanges:
                yield Run(f"{peer.name}, requests", _text(request))
            request, response = exchanges[-1]
            yield Run(f"{peer.name}, request and response", _text({"request": request, "response": response}))


def _text(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False)
