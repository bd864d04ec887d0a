"""What the linter finds of defects that were put into clean runs, and what it reports besides: recall of each rule, and false alarms.

The runs are real ones (`benchmarks.corpus`): of Holter's own runtime, and of LangGraph, OpenAI Agents and Pydantic AI where they are
installed (`langgraph langchain-openai openai-agents pydantic-ai-slim[openai]`), each asking a local server. A defect goes into one call,
result or answer in the middle of a run of Holter's, which is written in each format that can hold it and read again. It counts as found
when its rule reports the very message.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import msgspec

from benchmarks.corpus.recording import Corpus, corpus
from benchmarks.corpus.scene import Scene, scenes
from benchmarks.defect import of_documents, of_messages
from benchmarks.defect.defect import Defect, answer_at, spot
from benchmarks.defect.of_runs import OF_CUTS, OF_JOURNALS, Happened
from benchmarks.measurement import Measurement, Reach, Settings
from holter import formats
from holter.analysis.lint import RULES, Linter
from holter.messages import Conversation, Finding

RUNS = 25
LEAST_RECALL = 0.95
_READERS = frozenset({"READ02", "READ03", "READ04", "READ05", "READ06"})
"""What readers report of documents, which is tried by the tests of the readers."""


class Tally:
    """What came of one rule's defects."""

    def __init__(self) -> None:
        self.made = self.found = 0
        self.forms: set[str] = set()
        self.beside: Counter[str] = Counter()

    def add(self, code: str, findings: list[Finding], is_there: bool, companions: frozenset[str], form: str) -> None:
        """Counts one defect."""
        self.made += 1
        self.found += is_there
        self.forms.add(form)
        self.beside.update(f.code for f in findings if f.severity != "info" and f.code != code and f.code not in companions)


def run(settings: Settings) -> Iterator[Measurement]:
    """The false alarms on clean runs, then the recall of each rule, then what else was reported."""
    del settings
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    plays = scenes(RUNS)
    recorded = corpus(plays)
    yield from _clean(recorded)
    tallies = _tallies(recorded.own, plays)
    for code in sorted(tallies):
        yield _row(code, tallies[code])
    beside = sum((tally.beside for tally in tallies.values()), Counter[str]())
    made = sum(tally.made for tally in tallies.values())
    note = ", ".join(f"{code} {count}" for code, count in beside.most_common(5)) or f"{made:,} defects of {len(tallies)} rules"
    yield Measurement(name="reports beside the defects", value=sum(beside.values()), unit="", reach=Reach("value", "most", 0), note=note)
    without = [rule.code for rule in RULES if rule.code not in tallies and rule.code not in _READERS]
    left = ", ".join(without) or f"and {len(_READERS)} that readers report"
    yield Measurement(name="rules without a defect", value=len(without), unit="", note=left)


def _clean(recorded: Corpus) -> Iterator[Measurement]:
    """False alarms, by who recorded the runs."""
    linter = Linter()
    documents: Counter[str] = Counter()
    alarms: dict[str, Counter[str]] = {}
    for one in recorded.runs:
        documents[one.source] += 1
        found = [f for conversation in formats.read(one.text) for f in linter.check(conversation) if f.severity != "info"]
        alarms.setdefault(one.source, Counter()).update(f"{f.severity} {f.code}" for f in found)
    for source, count in documents.items():
        yield _alarms(f"alarms, {source}", alarms[source], f"{count} documents")
    told = [f"{f.severity} {f.code}" for f in recorded.of_journals if f.severity != "info"]
    yield _alarms("alarms, Holter's journals", Counter(told), f"{len(recorded.own)} threads")
    if recorded.missing:
        yield Measurement(name="frameworks not installed", value=len(recorded.missing), unit="", note=", ".join(recorded.missing))


def _alarms(name: str, found: Counter[str], of: str) -> Measurement:
    note = ", ".join([of, *(f"{said} {count}" for said, count in found.most_common(3))])
    return Measurement(name=name, value=sum(found.values()), unit="", reach=Reach("value", "most", 0), note=note)


def _tallies(own: list[Conversation], plays: list[Scene]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = {}
    defects: list[Defect] = [*of_messages.DEFECTS, *of_documents.DEFECTS]
    for conversation, scene in zip(own, plays, strict=True):
        at = spot(conversation.messages)
        if at is None:
            raise SystemExit(f"{scene.name} has no place for a defect")
        for defect in defects:
            for form in defect.forms:
                findings, place = defect.make(conversation, at, form)
                is_there = any(f.code == defect.code and (f.index if defect.by_index else f.message) == place for f in findings)
                tallies.setdefault(defect.code, Tally()).add(defect.code, findings, is_there, defect.companions, form)
        call_id = answer_at(conversation.messages, at).tool_calls[0]["id"]
        for code, made in OF_JOURNALS.items():
            findings, place = made(Happened(scene, call_id))
            is_there = any(f.code == code and f.index == place for f in findings)
            tallies.setdefault(code, Tally()).add(code, findings, is_there, frozenset(), "journal")
        for code, (cut, companions) in OF_CUTS.items():
            findings, place = cut(_plain(conversation), at)
            is_there = any(f.code == code and f.index == place for f in findings)
            tallies.setdefault(code, Tally()).add(code, findings, is_there, companions, "cut")
    return tallies


def _plain(conversation: Conversation) -> Conversation:
    return msgspec.structs.replace(conversation, places=())


def _row(code: str, tally: Tally) -> Measurement:
    beside = ", ".join(f"{other} {count}" for other, count in tally.beside.most_common(3)) or "nothing else reported"
    note = f"{tally.made} defects in {len(tally.forms)} format{'' if len(tally.forms) == 1 else 's'}; {beside}"
    reach = Reach("value", "least", LEAST_RECALL)
    return Measurement(name=f"recall of {code}", value=tally.found / tally.made, unit="", reach=reach, note=note)
