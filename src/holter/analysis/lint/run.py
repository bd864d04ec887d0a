"""Runs the rules: over a conversation, a list of messages, a cut, a stream's chunks, or a trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from holter.analysis.lint.catalogue import RULES
from holter.analysis.lint.cut import Cut
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Trace
from holter.formats import openai_stream
from holter.formats.target import Target, names, target_named
from holter.journal.entry import Entry
from holter.journal.fold import Fold
from holter.messages import AIMessage, Conversation, Finding, Message, Place, Severity, ToolSpec
from holter.tools.tool import Tool


class Linter:
    """Rules that were chosen, for one target; made once for many conversations.

    `target` is a name of `holter.formats.target`; without one it is inferred from each log. `select` and `ignore` are codes of rules.
    `window_tokens` is the model's context window. ValueError for a target that there is not.
    """

    def __init__(
        self,
        target: str | None = None,
        *,
        select: Iterable[str] | None = None,
        ignore: Iterable[str] = (),
        window_tokens: int | None = None,
    ) -> None:
        self.target = _target(target)
        self._window_tokens = window_tokens
        chosen = None if select is None else frozenset(select)
        left_out = frozenset(ignore)
        rules = [rule for rule in RULES if rule.code not in left_out and (chosen is None or rule.code in chosen)]
        self._rules = {about: [r for r in rules if r.about == about] for about in ("conversation", "cut", "trace")}
        self._of_target: dict[str | None, list[Rule]] = {}
        self._due: dict[tuple[str | None, int], list[Rule]] = {}

    def check(self, conversation: Conversation, idempotent: frozenset[str] | None = None) -> list[Finding]:
        """The findings of one conversation, by the message they are about; those about the whole log last. Where its source tells what
        happened in its runs, those about that follow; `idempotent` are the tools that may safely run twice, None where nobody says that."""
        index = Index(conversation, self.target, window_tokens=self._window_tokens)
        found: list[Finding] = []
        for rule in self._rules_due(index.target, index.facts):
            for one in rule.check(index):
                demand = index.demand(rule.code)
                severity = demand.severity if demand is not None else None
                found.append(_stamped(rule, one, severity, conversation.position))
        if len(found) > 1:
            found.sort(key=_position)
        if conversation.events:
            found += self._of_run(conversation.messages, Trace.of(conversation.events, idempotent), conversation.position)
        return found

    def _of_run(self, messages: Sequence[Message], trace: Trace, conversation: int) -> list[Finding]:
        """The findings about what happened, each at its event, and at the message whose call it is about."""
        made_at = {call.get("id"): at for at, m in enumerate(messages) if isinstance(m, AIMessage) for call in m.calls}
        calls = {step.position: step.call_id for step in trace.steps}
        found = []
        for finding in self.check_trace(trace):
            message = made_at.get(calls.get(finding.index)) if finding.index is not None else None
            found.append(msgspec.structs.replace(finding, conversation=conversation, message=message, path=f"events{finding.path}"))
        return found

    def check_cut(self, cut: Cut) -> list[Finding]:
        """The findings about a cut: what `after` lost of `before`."""
        found = [_stamped(rule, f, None, None) for rule in self._rules["cut"] for f in rule.check(cut)]
        both = [(rule, rule.check_cut) for rule in self._rules_for(self.target) if rule.check_cut is not None]
        return found + [_stamped(rule, f, None, None) for rule, check in both for f in check(cut)]

    def check_trace(self, trace: Trace) -> list[Finding]:
        """The findings about what happened in a run."""
        return [_stamped(rule, f, None, None) for rule in self._rules["trace"] for f in rule.check(trace)]

    def _rules_due(self, target: Target | None, facts: int) -> list[Rule]:
        """The rules that have something to look at in a conversation of these facts. Most conversations of a log have the same."""
        key = (target.name if target is not None else None, facts)
        due = self._due.get(key)
        if due is None:
            due = self._due[key] = [rule for rule in self._rules_for(target) if rule.needs & facts]
        return due

    def _rules_for(self, target: Target | None) -> list[Rule]:
        """The rules about conversations that this target has."""
        name = target.name if target is not None else None
        rules = self._of_target.get(name)
        if rules is None:
            rules = [r for r in self._rules["conversation"] if not r.profiled or (target is not None and target.demand(r.code))]
            self._of_target[name] = rules
        return rules


def _stamped(rule: Rule, found: Found, severity: Severity | None, conversation: int | None) -> Finding:
    """A rule's find as a finding; `severity` is the target's own, where it has one."""
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=found.severity or severity or rule.severity,
        text=found.text,
        conversation=conversation,
        message=found.message,
        index=found.index,
        path=found.path,
        line=found.line,
        column=found.column,
        hint=found.hint,
        fixable=bool(rule.fix) if found.fixable is None else found.fixable,
    )


def _position(finding: Finding) -> tuple[int, str]:
    return finding.message if finding.message is not None else 1 << 60, finding.code


def _target(name: str | None) -> Target | None:
    if name is None:
        return None
    target = target_named(name)
    if target is None:
        raise ValueError(f"{name!r} is no target; there are {', '.join(names())}")
    return target


def lint(conversation: Conversation, target: str | None = None, **options: Any) -> list[Finding]:
    """The findings of one conversation; options as of `Linter`."""
    return Linter(target, **options).check(conversation)


def lint_all(conversations: Iterable[Conversation], target: str | None = None, **options: Any) -> list[Finding]:
    """The findings of several conversations, in their order; options as of `Linter`."""
    linter = Linter(target, **options)
    return [finding for conversation in conversations for finding in linter.check(conversation)]


def lint_messages(
    messages: Sequence[Message], target: str | None = None, *, tools: Sequence[ToolSpec] | None = None, **options: Any
) -> list[Finding]:
    """The findings of a list of messages; `tools` are those that were offered, None where that is not known."""
    own = [_with_blocks(message) for message in messages]
    conversation = Conversation(format="holter.messages", messages=own, tools=list(tools or ()), tools_known=tools is not None)
    return lint(conversation, target, **options)


def _with_blocks(message: Message) -> Message:
    """The message; with one block in the place of a content that is neither text nor blocks, as a program may make it."""
    content: Any = message.content
    if isinstance(content, str) or (isinstance(content, list) and all(isinstance(block, dict) for block in content)):
        return message
    return message.replace(content=[{"value": content}])


def lint_cut(before: Sequence[Message], after: Sequence[Message], target: str | None = None) -> list[Finding]:
    """What a trimmer, a compaction or a next request did to a history: the findings of `after` itself, and what it lost of `before`.
    Positions are those in `after`."""
    linter = Linter(target)
    before, after = [_with_blocks(message) for message in before], [_with_blocks(message) for message in after]
    conversation = Conversation(format="holter.messages", messages=after)
    return [*linter.check(conversation), *linter.check_cut(Cut(before, after))]


def lint_stream(
    chunks: Iterable[dict[str, Any]],
    target: str | None = None,
    *,
    tools: Sequence[ToolSpec] | None = None,
    recorded_usage: dict[str, Any] | None = None,
) -> list[Finding]:
    """The findings of a stream of OpenAI chat chunks, whole ones or their deltas alone (with `finish_reason` and `usage` beside);
    `recorded_usage` is what was written down as its usage."""
    reader = openai_stream.Reader()
    for position, chunk in enumerate(chunks):
        if reader.add(_whole(chunk), Place(index=position, path=f"[{position}]")):
            break
    conversation = reader.finish()
    extra = conversation.extra if recorded_usage is None else {**conversation.extra, "recorded_usage": recorded_usage}
    return lint(msgspec.structs.replace(conversation, extra=extra, tools=list(tools or ()), tools_known=tools is not None), target)


def _whole(chunk: Any) -> dict[str, Any]:
    """A chunk; that of a delta that stands alone; one that says nothing for what is no object."""
    if not isinstance(chunk, dict):
        return {}
    if "choices" in chunk or chunk.keys() <= {"usage", "object", "id", "model", "error"}:
        return chunk
    delta = {key: value for key, value in chunk.items() if key not in ("finish_reason", "usage")}
    choice = {"index": 0, "delta": delta, "finish_reason": chunk.get("finish_reason")}
    return {"object": "chat.completion.chunk", "choices": [choice], "usage": chunk.get("usage")}


def lint_thread(entries: Iterable[Entry], target: str | None = None, *, tools: Iterable[Tool] | None = None) -> list[Finding]:
    """The findings of a thread of Holter's journal: of the messages that it comes to, then of what happened.

    `tools` are those that the run had; which of them may safely run twice stands in no journal, so that without them a second run is a
    warning. Of what happened, `index` is the event's `seq`, and `message` that of the message whose call it is about.
    """
    happened = list(entries)
    offered = None if tools is None else list(tools)
    conversation = Conversation(
        format="holter.journal",
        messages=Fold.of(happened).messages(),
        tools=[tool.spec for tool in offered or ()],
        tools_known=offered is not None,
        events=happened,
    )
    idempotent = None if offered is None else frozenset(tool.name for tool in offered if tool.idempotent)
    return Linter(target).check(conversation, idempotent)


def lint_trace(events: Iterable[Any]) -> list[Finding]:
    """The findings of a run's events: entries of Holter's journal, or plain objects with `type`, `id`, `ts`, `seq`, `args`, …"""
    return Linter().check_trace(Trace.of(events))
