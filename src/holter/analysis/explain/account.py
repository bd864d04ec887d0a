"""The flow of a conversation as an account: sentences that are computed, each about the messages it names."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import msgspec

from holter.analysis.explain.aftermath import aftermath, call_key, changed_keys, has_failed
from holter.analysis.explain.attempt import NO_ATTEMPTS, Attempts
from holter.analysis.explain.entry import Language
from holter.analysis.explain.index import Index
from holter.analysis.explain.origin import Origin, Where, choices_of, origins
from holter.analysis.explain.phrase import say
from holter.analysis.failure import is_failure
from holter.messages import AIMessage, CallRef, Conversation, HumanMessage, Pairing, SystemMessage, ToolMessage

_MOST_STEPS = 12
"""Steps of one round that are told one by one."""
_LONGEST = 120
"""Characters of a text that are quoted."""
_MOST_VALUES = 10
"""Arguments that one sentence names."""
_LONGEST_VALUE = 80
"""Characters of the value of an argument."""
_STOPPED = re.compile("([。！？]”)。")
"""A quotation that ends a sentence itself: Chinese puts no second full stop."""
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
_COMMON = frozenset({"text", "reasoning", "thinking", "redacted_thinking", "tool_call", "refusal"})
"""Kinds of blocks that sentences of their own are about."""
_THINK = re.compile(r"<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL)


class Sentence(msgspec.Struct, frozen=True):
    """One sentence of an account."""

    name: str
    """Which one: a name of the group "account" in `phrases.toml`."""
    message: int | None
    """Position of the message that it is about."""
    text: str


def account(conversation: Conversation, language: Language = "en", tried: Attempts = NO_ATTEMPTS) -> list[list[Sentence]]:
    """The flow, a paragraph for each round (from one word of the user's to the next), and one about tokens at the end. `tried` is what a
    journal knows of attempts."""
    told = _Account(conversation, language, tried)
    paragraphs = [list(sentences) for sentences in told.rounds()]
    sums = list(told.tokens())
    return [paragraph for paragraph in [*paragraphs, sums] if paragraph]


class _Account:
    def __init__(self, conversation: Conversation, language: Language, tried: Attempts) -> None:
        self.messages = conversation.messages
        self.language = language
        self.pairing = Pairing(conversation.messages)
        self.index = Index()
        self.choices = {tool.name: choices_of(tool.parameters) for tool in conversation.tools}
        self.made: dict[str, int] = {}
        """Each call by its name and arguments -> the message that made it last."""
        self.tried = tried

    def rounds(self) -> Iterator[Iterator[Sentence]]:
        if not self.messages:
            yield iter([self.say("nobody", None)])
            return
        human = [isinstance(message, HumanMessage) for message in self.messages]
        starts = [at for at, is_human in enumerate(human) if at == 0 or (is_human and not human[at - 1])]
        for start, stop in zip(starts, [*starts[1:], len(self.messages)], strict=True):
            yield self._round(start, stop)

    def _round(self, start: int, stop: int) -> Iterator[Sentence]:
        steps = [at for at in range(start, stop) if isinstance(self.messages[at], AIMessage)]
        told = set(steps if len(steps) <= _MOST_STEPS else [*steps[: _MOST_STEPS - 2], steps[-1]])
        left = [at for at in steps if at not in told]
        for at in range(start, stop):
            if not left or at < left[0] or at >= steps[-1]:
                yield from self._message(at)
            elif at == left[0]:
                yield from self._skipped(left)
            self.index.add(self.messages[at])

    def _skipped(self, steps: list[int]) -> Iterator[Sentence]:
        """How many steps are not told one by one, and what went wrong in them."""
        calls = [ref for at in steps for ref in self.pairing.of(at)]
        yield self.say("skipped", steps[0], steps=len(steps), calls=len(calls), names=self._names(calls) or "–")
        if failed := [ref for ref in calls if has_failed(self.messages, ref)]:
            yield self.say("skipped_failed", steps[0], count=len(failed), names=self._names(failed), message=failed[0].result)
        again = []
        for ref in calls:
            key = call_key(ref.call)
            again += [ref] if key in self.made else []
            self.made[key] = ref.message
        if again:
            yield self.say("skipped_again", steps[0], count=len(again), names=self._names(again))

    def _names(self, refs: list[CallRef]) -> str:
        names = list(dict.fromkeys(self._tool(ref) for ref in refs))
        return self._list(names[:5]) + (" …" if len(names) > 5 else "")

    def _message(self, at: int) -> Iterator[Sentence]:
        match self.messages[at]:
            case SystemMessage() as message:
                name = "instructed" if at == 0 else "instructed_later"
                yield self.say(name, at, count=len(message.text), message=at)
            case HumanMessage() as message:
                text = message.text
                yield self.say("asked", at, text=self._quoted(text)) if text.strip() else self.say("asked_nothing", at)
            case AIMessage() as message:
                yield from self._answer(at, message)
            case ToolMessage() as message:
                yield from self._result(at, message)

    # The model

    def _answer(self, at: int, message: AIMessage) -> Iterator[Sentence]:
        refs = self.pairing.of(at)
        visible = _THINK.sub("", message.text).strip()
        refusal = message.additional_kwargs.get("refusal")
        if failed := self.tried.models.get(at):
            yield self.say("model_tried", at, count=len(failed) + 1, errors=self._errors(failed))
        if refs:
            name = ("spoke_and_" if visible else "") + "called" + ("_together" if len(refs) > 1 else "")
            yield self.say(name, at, text=self._quoted(visible), calls=self._list([self._call(ref) for ref in refs]))
            yield from self._about(at, refs)
        elif isinstance(refusal, str) and refusal:
            yield self.say("refused", at, text=self._quoted(refusal))
        elif visible:
            yield self.say("answered", at, text=self._quoted(visible))
        elif own := _own_blocks(message):
            yield self.say("answered_blocks", at, names=self._list(own))
        else:
            yield self.say("answered_empty", at)
        if (refs or visible) and (own := _own_blocks(message)):
            yield self.say("with_blocks", at, names=self._list(own))
        yield from self._reasoning(at, message)
        if message.finish_reason in _CUT:
            yield self.say("cut", at, reason=message.finish_reason)
        for ref in refs:
            if ref.result is None:
                is_last = at == len(self.messages) - 1 or all(isinstance(m, ToolMessage) for m in self.messages[at + 1 :])
                yield self.say("pending" if is_last else "open", at, name=self._tool(ref))

    def _about(self, at: int, refs: list[CallRef]) -> Iterator[Sentence]:
        """Where the arguments of the calls of a message come from, and which calls were made before."""
        readable = [ref for ref in refs if ref.call.get("type") != "invalid_tool_call"]
        for ref in refs:
            if ref not in readable:
                yield self.say("invalid", at, name=self._tool(ref), reason=ref.call.get("error") or "?")
        found = [origins(ref.call, self.index, self.choices.get(str(ref.call.get("name")), {})) for ref in readable]
        yield from self._origins(at, _different(chain.from_iterable(found)), is_one=len(readable) == 1)
        for ref in readable:
            before = self.made.get(key := call_key(ref.call))
            if before is not None:
                yield self.say("again", at, name=self._tool(ref), message=before)
            self.made[key] = at

    def _origins(self, at: int, found: list[Origin], *, is_one: bool) -> Iterator[Sentence]:
        call = say("account", "this_call" if is_one else "these_calls", self.language)
        for origin in found:
            if origin.where == "form":
                yield self.say("from_form", at, value=_plain(origin.value), origin=f"'{origin.form}'")
        for where in ("user", "words", "system", "answer", "choice", "nowhere", "wording", "unseen"):
            some = [origin for origin in found if origin.where == where]
            if some:
                yield self._sentence(f"from_{where}", at, some)
        for message, some in _by_message(found, "chance"):
            yield self._sentence("from_chance", at, some, message=message)
        for message, some in _by_message(found, "result"):
            yield self._sentence("from_result", at, some, name=self._name_of_result(message), message=message, call=call)
        yield from self._parts(at, [origin for origin in found if origin.where == "part"], call)

    def _parts(self, at: int, found: list[Origin], call: str) -> Iterator[Sentence]:
        """Of each text that the model wrote, what in it came from results."""
        for path in dict.fromkeys(origin.path for origin in found):
            here = [origin for origin in found if origin.path == path]
            parts = []
            for message, some in _by_message(here, "part"):
                words = self._list([f"'{origin.form}'" for origin in some])
                name = self._name_of_result(message)
                parts.append(say("account", "part", self.language, words=words, name=name, message=message))
            that = say("account", "that_one" if len(parts) == 1 else "those", self.language)
            yield self.say("from_part", at, value=_shown(here[0]), parts=self._list(parts), call=call, that=that)

    def _sentence(self, name: str, at: int, some: list[Origin], /, **more: Any) -> Sentence:
        """What is said of several values of one origin, in English with its endings."""
        one = len(some) == 1
        forms = {"s": "s" if one else "", "it": "it" if one else "them", "is": "is" if one else "are"}
        shown = [_shown(origin) for origin in some[:_MOST_VALUES]]
        if left := len(some) - len(shown):
            shown.append(say("account", "more_values", self.language, count=f"{left:,}"))
        return self.say(name, at, values=self._list(shown), **forms, **more)

    def _reasoning(self, at: int, message: AIMessage) -> Iterator[Sentence]:
        thought = _THINK.search(message.text)
        blocks = message.content if isinstance(message.content, list) else []
        of_blocks = sum(len(str(block.get("reasoning") or "")) for block in blocks if block.get("type") == "reasoning")
        details = (message.usage_metadata or {}).get("output_token_details") or {}
        if message.reasoning:
            yield self.say("reasoned", at, where=self._where("field"), count=len(message.reasoning))
        elif of_blocks:
            yield self.say("reasoned", at, where=self._where("block"), count=of_blocks)
        elif thought and thought[1].strip():
            yield self.say("reasoned", at, where=self._where("think"), count=len(thought[1]))
        elif isinstance(details.get("reasoning"), int) and details["reasoning"]:
            yield self.say("reasoned_hidden", at, tokens=f"{details['reasoning']:,}")

    def _where(self, name: str) -> str:
        return say("account", f"where_{name}", self.language)

    # Tools

    def _result(self, at: int, message: ToolMessage) -> Iterator[Sentence]:
        ref = self.pairing.answered.get(at)
        if ref is None:
            yield self.say("orphan", at, message=at)
            return
        yield from self._attempts(at, ref)
        name, text = self._tool(ref), self._quoted(message.text)
        if is_failure(message):
            yield self.say("failed", at, name=name, text=text)
            yield self._after(at, ref)
        else:
            yield self.say("result", at, name=name, text=text) if message.text.strip() else self.say("result_empty", at, name=name)

    def _attempts(self, at: int, ref: CallRef) -> Iterator[Sentence]:
        """What the runtime tried before the result, which the model did not see."""
        call = str(ref.call.get("id"))
        if failed := self.tried.tools.get(call):
            yield self.say("tried", at, name=self._tool(ref), count=len(failed) + 1, errors=self._errors(failed))
        if call in self.tried.cached:
            yield self.say("from_cache", at, name=self._tool(ref))

    def _errors(self, errors: list[str]) -> str:
        return self._list([self._quoted(error) for error in dict.fromkeys(errors)])

    def _after(self, at: int, failed: CallRef) -> Sentence:
        """What the model did about a failed call."""
        found = aftermath(self.messages, self.pairing, at, failed)
        values: dict[str, str] = {"name": self._tool(failed)}
        if found.reaction == "changed":
            values["changes"] = _changes(failed.call, found.calls[0].call)
        elif found.reaction == "other":
            values["names"] = self._list(list(dict.fromkeys(self._tool(ref) for ref in found.calls)))
        return self.say(f"after_{found.reaction}", found.message, **values)

    # Tokens

    def tokens(self) -> Iterator[Sentence]:
        usages = [m.usage_metadata for m in self.messages if isinstance(m, AIMessage) and m.usage_metadata]
        totals = [count for usage in usages if isinstance(count := usage.get("total_tokens"), int)]
        if not totals:
            return
        sums = {key: sum(_count(usage.get(key)) for usage in usages) for key in ("input_tokens", "output_tokens")}
        cached = sum(_count((usage.get("input_token_details") or {}).get("cache_read")) for usage in usages)
        reasoning = sum(_count((usage.get("output_token_details") or {}).get("reasoning")) for usage in usages)
        several = 1 < len(totals) <= _MOST_STEPS
        yield self.say(
            "tokens",
            None,
            sum=" + ".join(f"{count:,}" for count in totals) if several else f"{sum(totals):,}",
            of=say("account", "tokens_of", self.language, total=f"{sum(totals):,}") if several else "",
            input=f"{sums['input_tokens']:,}",
            output=f"{sums['output_tokens']:,}",
            cached=say("account", "tokens_cached", self.language, count=f"{cached:,}") if cached else "",
            reasoning=say("account", "tokens_reasoning", self.language, count=f"{reasoning:,}") if reasoning else "",
        )

    # Words

    def say(self, name: str, message: int | None, /, **values: Any) -> Sentence:
        return Sentence(name, message, _STOPPED.sub(r"\1", say("account", name, self.language, **values)))

    def _tool(self, ref: CallRef) -> str:
        name = ref.call.get("name")
        return f"`{name}`" if name else say("account", "no_name", self.language)

    def _name_of_result(self, at: int) -> str:
        ref = self.pairing.answered.get(at)
        message = self.messages[at]
        return self._tool(ref) if ref is not None else f"`{message.name}`" if message.name else "?"

    def _call(self, ref: CallRef) -> str:
        args = ref.call.get("args")
        inner = ", ".join(f"{key}={_plain_json(value)}" for key, value in args.items()) if isinstance(args, dict) else "…"
        return f"`{ref.call.get('name') or '?'}({_cut(inner)})`"

    def _list(self, items: list[str]) -> str:
        comma, last = (say("account", name, self.language) for name in ("comma", "and"))
        return items[0] if len(items) == 1 else comma.join(items[:-1]) + last + items[-1] if items else ""

    def _quoted(self, text: str) -> str:
        line = _cut(" ".join(text.split()))
        return f"“{line}”"


def _own_blocks(message: AIMessage) -> list[str]:
    """What an answer holds in forms of the provider's own, such as the calls of tools that it runs itself; each once, with how often."""
    blocks = message.content if isinstance(message.content, list) else []
    kinds = [str(block.get("type")) for block in blocks]
    counts = Counter(
        str(block.get("name") or kind) if kind.endswith("tool_use") else kind
        for block, kind in zip(blocks, kinds, strict=True)
        if kind not in _COMMON and not kind.endswith("_result")
    )
    return [f"`{name}`" + (f" × {count}" if count > 1 else "") for name, count in counts.items()]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _plain_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(value: Any) -> str:
    return _cut(value) if isinstance(value, str) else _plain_json(value)


def _different(found: Iterable[Origin]) -> list[Origin]:
    """The origins, each once: calls of one message often share an argument."""
    return list({(origin.path, _plain_json(origin.value), origin.where, origin.message, origin.form): origin for origin in found}.values())


def _by_message(found: list[Origin], where: Where) -> Iterator[tuple[int, list[Origin]]]:
    """The values of one origin, by the message that they stand in."""
    messages: dict[int, list[Origin]] = {}
    for origin in found:
        if origin.where == where and origin.message is not None:
            messages.setdefault(origin.message, []).append(origin)
    yield from messages.items()


def _shown(origin: Origin) -> str:
    value = origin.value
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        value = value[: _LONGEST_VALUE - 1].rstrip() + "…"
    return f"{origin.path}={_cut(_plain_json(value))}"


def _changes(before: dict[str, Any], after: dict[str, Any]) -> str:
    old, new = before.get("args"), after.get("args")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return "…"
    shown = [f"{key}: {_cut(_plain_json(old.get(key)))} → {_cut(_plain_json(new.get(key)))}" for key in changed_keys(before, after)]
    return ", ".join(shown)
