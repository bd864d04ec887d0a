"""What the rules look at: one conversation, and what several of them need to know of it, computed once and only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from holter.analysis.lint import argument
from holter.analysis.lint import facts as fact
from holter.analysis.lint.call import Call
from holter.analysis.lint.error_text import says_error
from holter.analysis.lint.name import odd_name
from holter.analysis.lint.recorded import Recorded
from holter.analysis.lint.rule import Found
from holter.analysis.lint.untold import lacks_ids, untold_results
from holter.formats.target import Target
from holter.messages import AIMessage, CallRef, Conversation, HumanMessage, Pairing, SystemMessage, ToolMessage, ToolSpec
from holter.tools.naming import resolve

_CUT_SHORT = ("length", "max_tokens", "max_output_tokens", "model_length", "max_tokens_exceeded", "token_limit")


class Index(Recorded):
    """One conversation, seen by the rules."""

    def __init__(self, conversation: Conversation, target: Target | None = None, *, window_tokens: int | None = None) -> None:
        super().__init__(conversation, target)
        self.window_tokens = window_tokens
        self.answers: list[tuple[int, AIMessage]] = []
        """The messages of the model, with their positions."""
        self.tool_messages: list[tuple[int, ToolMessage]] = []
        """The results, those that say nothing included, with their positions."""
        facts = fact.facts_of(conversation.messages, self.answers, self.tool_messages)
        if conversation.findings:
            facts |= fact.READ
        if conversation.tools_known:
            facts |= fact.OFFERED
        if conversation.extra:
            facts |= fact.SETTINGS
        self.facts = facts
        """What there is to look at: `holter.analysis.lint.facts`."""

    @cached_property
    def has_no_ids(self) -> bool:
        """Whether calls of this source or target have no ids by design: Gemini's parts, legacy `function_call`, printed transcripts."""
        return lacks_ids(self.conversation.format, self.target, self.pairing)

    # Calls and results

    @cached_property
    def empties(self) -> frozenset[int]:
        """Positions of tool messages with neither id nor content."""
        if self.wire == "gemini":
            return frozenset()
        return frozenset(at for at, m in self.tool_messages if not m.tool_call_id and not m.content and not m.name)

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
        return [one for one in self.tool_messages if one[0] not in self.empties]

    @cached_property
    def untold(self) -> dict[int, int]:
        """Results without an id of which nothing says which call of a turn they answer, each with the message of that turn: several calls
        are open, and there are not as many such results as calls."""
        return {} if self.has_no_ids else untold_results(self.messages, self.pairing)

    def is_fixable(self, turn: int) -> bool | None:
        """False for calls of a turn with such results: to pair them would be to guess. None: as the rule says."""
        return False if turn in self.untold.values() else None

    def lacks_item(self, message: int) -> bool:
        """Whether a message is a Responses reasoning item alone: what it led to is not in the list. That of a response may be cut off."""
        answer = self.messages[message]
        if self.wire != "responses" or not isinstance(answer, AIMessage) or isinstance(answer.content, str) or answer.calls:
            return False
        is_cut = self.ends_with_response and message == len(self.messages) - 1
        return not is_cut and bool(answer.content) and all(block.get("type") == "reasoning" for block in answer.content)

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
                code, meant = odd_name(name, known)
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
