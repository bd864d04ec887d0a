"""What the rules look at: one conversation, and what several of them need to know of it, computed once and only when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import msgspec

from holter.analysis.lint import argument
from holter.analysis.lint import facts as fact
from holter.analysis.lint import place as where
from holter.analysis.lint.rule import Found
from holter.formats.target import Demand, Target, inferred
from holter.messages import (
    AIMessage,
    CallRef,
    Conversation,
    HumanMessage,
    Message,
    Pairing,
    Place,
    Severity,
    SystemMessage,
    ToolMessage,
    ToolSpec,
)
from holter.tools.naming import is_wrapper, resolve

_SETTINGS = frozenset(
    {"params", "model", "max_tokens", "max_completion_tokens", "temperature", "stream", "tool_choice", "parallel_tool_calls"}
)
"""Fields that only a request body has."""
_CUT_SHORT = ("length", "max_tokens", "max_output_tokens", "model_length", "max_tokens_exceeded", "token_limit")


_STREAMED = re.compile(r"\[\d+\]\[1\]\[0\]$")


class Call(msgspec.Struct, frozen=True, eq=False):
    """One call of a conversation."""

    message: int
    """Position of the message that made it."""
    position: int
    """Place among that message's calls."""
    call: dict[str, Any]
    result: int | None
    """Position of its result; None while it has none."""

    @property
    def id(self) -> str | None:
        """The id; None where it has none, or no text for one."""
        found = self.call.get("id")
        return found if isinstance(found, str) else None

    @property
    def name(self) -> str | None:
        """The tool's name as the model wrote it."""
        found = self.call.get("name")
        return found if isinstance(found, str) else None

    @property
    def is_valid(self) -> bool:
        """Whether the arguments were one JSON object."""
        return self.call.get("type") != "invalid_tool_call"

    @property
    def args(self) -> dict[str, Any]:
        """The arguments of a valid call."""
        args = self.call.get("args")
        return args if isinstance(args, dict) else {}

    @property
    def raw(self) -> Any:
        """The arguments as they stood, of an invalid call."""
        return self.call.get("args")


class Index:
    """One conversation, seen by the rules."""

    def __init__(self, conversation: Conversation, target: Target | None = None, *, window_tokens: int | None = None) -> None:
        self.conversation = conversation
        self.messages: list[Message] = conversation.messages
        self.target = target if target is not None else inferred(conversation)
        """Whose demands are checked; None when it is not known."""
        self.is_explicit = target is not None
        """Whether the caller named the target."""
        self.wire = where.wire_of(conversation.format)
        self.window_tokens = window_tokens
        self.answers: list[tuple[int, AIMessage]] = []
        """The messages of the model, with their positions."""
        facts = fact.facts_of(conversation.messages, self.answers)
        if conversation.findings:
            facts |= fact.READ
        if conversation.tools_known:
            facts |= fact.OFFERED
        if conversation.extra:
            facts |= fact.SETTINGS
        self.facts = facts
        """What there is to look at: `holter.analysis.lint.facts`."""

    # Where things are said to be

    def at(
        self,
        message: int | None,
        text: str,
        path: str = "",
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about a message, or about something at `path` in it; about the whole log for None."""
        if message is None:
            at = Place(path=path, line=self.conversation.place.line)
            return _found(at, path or None, None, text, hint, severity, fixable)
        at = self.place(message)
        return _found(at, where.joined(at.path, path) or None, message, text, hint, severity, fixable)

    def at_call(
        self,
        call: Call,
        text: str,
        part: where.Part = "",
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about a call, or its id, name or arguments."""
        message = self.messages[call.message]
        assert isinstance(message, AIMessage)
        at = self.place(call.message)
        if self.wire == "responses" and at.index is not None:
            item = at.index + where.block_position(message, call.position)
            head, _, _ = at.path.rpartition("[")
            at = Place(index=item, path=f"{head}[{item}]", line=at.line, column=at.column)
        path = where.call_path(self.wire, message, call.position, part)
        return _found(at, where.joined(at.path, path), call.message, text, hint, severity, fixable)

    def at_result(
        self,
        message: int,
        text: str,
        part: str = "",
        *,
        hint: str | None = None,
        severity: Severity | None = None,
        fixable: bool | None = None,
    ) -> Found:
        """A finding about a result, or its "id" or "content"."""
        path = {"id": where.RESULT_ID, "content": where.RESULT_CONTENT}[part][self.wire] if part else ""
        return self.at(message, text, path, hint=hint, severity=severity, fixable=fixable)

    def at_body(
        self,
        message: int,
        field: str,
        text: str,
        *,
        outside: bool = False,
        hint: str | None = None,
        severity: Severity | None = None,
    ) -> Found:
        """A finding about what an answer says of itself: a field of its choice, or of its whole body (`outside`)."""
        found = self.at(message, text, field, hint=hint, severity=severity)
        own = self.place(message).path
        if not own.endswith(".message") or "choices[" not in own:
            return found
        choice = own.removesuffix(".message")
        base = choice[: choice.rindex("choices[")].rstrip(".") if outside else choice
        return msgspec.structs.replace(found, path=where.joined(base, field) or None)

    def place(self, message: int) -> Place:
        """Where a message stood; by its position alone where the source is a list of messages in memory."""
        places = self.conversation.places
        return places[message] if message < len(places) else Place(index=message, path=f"[{message}]")

    def shown(self, message: int) -> int:
        """The position that a text calls a message by: that in the source's own list."""
        found = self.place(message).index
        return message if found is None else found

    # What the target says

    def demand(self, code: str) -> Demand | None:
        """What the target demands by a rule; None when nothing."""
        return self.target.demand(code) if self.target is not None else None

    @property
    def speaks(self) -> str | None:
        """The family of the target's wire form."""
        return self.target.family if self.target is not None else None

    @cached_property
    def has_no_ids(self) -> bool:
        """Whether calls of this source or target have no ids by design: Gemini's parts, legacy `function_call`, printed transcripts."""
        if self.wire == "gemini" or self.speaks == "gemini" or self.conversation.format in ("langchain.pretty", "langchain.repr"):
            return True
        return any((c.call.get("extras") or {}).get("type") == "function_call" for c in self.calls)

    # What the record says

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The request's settings: the record's own fields, and those under `params`, `config` or `request`."""
        found = dict(self.conversation.extra)
        for key in ("params", "config", "request"):
            inner = self.conversation.extra.get(key)
            if isinstance(inner, dict):
                found = {**inner, **found}
        return found

    @cached_property
    def is_request(self) -> bool:
        """Whether the document is a request body, as it would be sent: a record with a request's settings, and no answer at its end."""
        return (
            not self.ends_with_response and not _SETTINGS.isdisjoint(self.conversation.extra) and "response" not in self.conversation.extra
        )

    @cached_property
    def is_sent(self) -> bool:
        """Whether the history is one that is about to be sent: a request body, or a target was named."""
        return (self.is_request or self.is_explicit) and not self.ends_with_response

    @cached_property
    def is_fragment(self) -> bool:
        """Whether the messages are those that one run of a graph streamed: what came before them is not in the conversation."""
        return self.wire == "langchain" and bool(self.messages) and _STREAMED.search(self.place(0).path) is not None

    @cached_property
    def ends_with_response(self) -> bool:
        """Whether the last message is a response body, or a stream's: what it asks for is still to come."""
        if not self.messages or not isinstance(self.messages[-1], AIMessage):
            return False
        form = self.conversation.format
        if form.endswith((".response", ".stream")) or form == "gemini.interactions":
            return True
        path = self.place(len(self.messages) - 1).path
        if any(piece in path for piece in ("choices[", "candidates[", "response", "output[")) or path == "output":
            return True
        return form == "anthropic.messages" and len(self.messages) == 1 and not path.startswith(("messages", "["))

    # Calls and results

    @cached_property
    def empties(self) -> frozenset[int]:
        """Positions of tool messages with neither id nor content."""
        return frozenset(
            at
            for at, m in enumerate(self.messages)
            if isinstance(m, ToolMessage) and not m.tool_call_id and not m.content and not m.name and self.wire != "gemini"
        )

    @cached_property
    def pairing(self) -> Pairing:
        """Which result answers which call; empty tool messages answer none."""
        empties = self.empties
        return Pairing(SystemMessage("") if at in empties else m for at, m in enumerate(self.messages))

    @cached_property
    def calls(self) -> list[Call]:
        """Every call, in order."""
        return [Call(ref.message, ref.position, ref.call, ref.result) for ref in self.pairing.calls]

    def call_at(self, message: int, position: int) -> Call:
        """The call at this place among those of a message."""
        ref = self.pairing.of(message)[position]
        return Call(ref.message, ref.position, ref.call, ref.result)

    @cached_property
    def orphans(self) -> list[int]:
        """Positions of results that answer no open call."""
        return self.pairing.orphans

    @cached_property
    def unanswered(self) -> list[Call]:
        """Calls without a result, in order."""
        return [call for call in self.calls if call.result is None]

    def calls_of(self, message: int) -> list[CallRef]:
        """The calls that the message at this position made."""
        return self.pairing.of(message)

    @cached_property
    def results(self) -> list[tuple[int, ToolMessage]]:
        """The results, with their positions."""
        return [(at, m) for at, m in enumerate(self.messages) if isinstance(m, ToolMessage) and at not in self.empties]

    @cached_property
    def turn_start(self) -> int:
        """Where the current turn begins: the position of the last user message; 0 without one."""
        return next((at for at in range(len(self.messages) - 1, -1, -1) if isinstance(self.messages[at], HumanMessage)), 0)

    @cached_property
    def is_forced_end(self) -> int:
        """Position of the first message after the last one that is no result: calls made right before it are open at the end."""
        at = len(self.messages)
        while at and isinstance(self.messages[at - 1], ToolMessage):
            at -= 1
        return at

    @cached_property
    def offered(self) -> frozenset[str]:
        """Names of the tools that were offered."""
        return frozenset(tool.name for tool in self.conversation.tools)

    @cached_property
    def offers_more_than_named(self) -> bool:
        """Whether something was offered that stands for tools without naming them: an MCP server, a tool search."""
        kinds = (str(tool.extra.get("type") or "") for tool in self.conversation.tools)
        return any(kind.startswith(("mcp", "tool_search", "namespace")) for kind in kinds)

    # Names and arguments of calls

    @cached_property
    def odd_names(self) -> list[tuple[Call, str, str, str | None]]:
        """(call, name, rule, the tool it means) of each call whose name is no offered tool's own; without known tools only what is no
        tool's name anywhere."""
        found = []
        known = self.offered if self.conversation.tools_known else frozenset[str]()
        good: set[Any] = set(known)
        for at, message in self.answers:
            for position, call in enumerate(message.calls):
                name = call.get("name")
                if name in good and name:
                    continue
                code, meant = _odd_name(name, known)
                if code is None:
                    good.add(name)
                else:
                    found.append((self.call_at(at, position), name if isinstance(name, str) else "", code, meant))
        return found

    @cached_property
    def _tools(self) -> dict[str, ToolSpec]:
        return {tool.name: tool for tool in self.conversation.tools}

    def schema_of(self, name: Any) -> dict[str, Any] | None:
        """The schema of the tool that a name means; None where it is not known."""
        if not self._tools or not isinstance(name, str):
            return None
        tool = self._tools.get(name)
        if tool is None:
            meant = resolve(name, self._tools).name
            tool = self._tools.get(meant) if meant is not None else None
        return tool.parameters or None if tool is not None else None

    @cached_property
    def argument_faults(self) -> list[tuple[int, int, argument.Fault]]:
        """(message, place among its calls, fault) of all that is wrong with arguments, in order."""
        found = []
        is_clean = not self.facts & fact.ODD_ARGS
        for at, message in self.answers:
            calls = message.calls
            if not calls:
                continue
            was_cut = self.was_cut(message)
            for position, call in enumerate(calls):
                faults = argument.faults_of(call, self.schema_of(call.get("name")), self.wire, was_cut=was_cut, is_clean=is_clean)
                found += [(at, position, fault) for fault in faults]
        return found

    def argument_faults_of(self, code: str) -> Iterator[tuple[Found, Call]]:
        """What is wrong with arguments by one rule, as findings, each with its call."""
        for at, position, fault in self.argument_faults:
            if fault.code == code:
                call = self.call_at(at, position)
                text = f"{call.name or 'a call'}: {fault.text}{self._tokens(at, code)}"
                yield self.at_call(call, text, "args", hint=fault.hint, fixable=fault.fixable), call

    def argument_findings(self, code: str) -> Iterator[Found]:
        """What is wrong with arguments by one rule."""
        return (found for found, _ in self.argument_faults_of(code))

    def _tokens(self, message: int, code: str) -> str:
        """For arguments that were cut off, how many tokens the answer had."""
        answer = self.messages[message]
        if code != "ARG08" or not isinstance(answer, AIMessage) or not self.was_cut(answer):
            return ""
        tokens = (answer.usage_metadata or {}).get("output_tokens")
        return f", after {tokens:,} tokens" if tokens else ""

    def was_refused(self, call: Call) -> bool:
        """Whether the call was answered with an error: a model's mistake, handled."""
        if call.result is None:
            return False
        result = self.messages[call.result]
        return isinstance(result, ToolMessage) and (result.status == "error" or says_error(result.text))

    def was_cut(self, message: AIMessage) -> bool:
        """Whether the output limit ended this answer."""
        reason = message.finish_reason
        return reason is not None and reason.lower() in _CUT_SHORT

    # What readers found

    def said(self, code: str) -> Iterator[Found]:
        """What the reader reported under this code."""
        for f in self.conversation.findings:
            if f.code == code:
                yield Found(
                    text=f.text,
                    message=f.message,
                    index=f.index,
                    path=f.path,
                    line=f.line,
                    column=f.column,
                    hint=f.hint,
                    severity=f.severity,
                    fixable=f.fixable,
                )


def _odd_name(name: Any, known: frozenset[str]) -> tuple[str | None, str | None]:
    """(rule, the tool that is meant) of a name that is no offered tool's; (None, None) where nothing can be said of it."""
    if not isinstance(name, str) or not name.strip():
        return "NAME06", None
    if is_wrapper(name):
        return "NAME04", None
    if not known:
        return None, None
    resolved = resolve(name, known)
    return resolved.repair.code if resolved.repair is not None else "NAME01", resolved.name


_ERROR_WORDS = (
    *("error", "invalid", "not a valid", "unknown", "not found", "does not exist", "validation", "missing", "required", "failed"),
    *("unexpected", "not allowed", "no such", "traceback", "unsupported", "must be", "cannot", "could not"),
)


def says_error(text: str) -> bool:
    """Whether a result's text begins as an error text does."""
    head = text[:300].lower()
    return any(word in head for word in _ERROR_WORDS)


def _found(
    at: Place, path: str | None, message: int | None, text: str, hint: str | None, severity: Severity | None, fixable: bool | None
) -> Found:
    return Found(
        text=text,
        message=message,
        index=at.index,
        path=path,
        line=at.line,
        column=at.column,
        hint=hint,
        severity=severity,
        fixable=fixable,
    )


def listed(names: Iterable[str | None]) -> str:
    """Names in one phrase, a dozen at most."""
    given = [name if name else "?" for name in names]
    return ", ".join(given[:12]) + (f" and {len(given) - 12} more" if len(given) > 12 else "")
