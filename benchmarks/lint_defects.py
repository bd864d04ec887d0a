"""What the linter finds of defects that were put into clean runs, and what it reports besides: recall for each rule, and false alarms.

The runs are generated OpenAI chat logs, read as they are and as Anthropic, Gemini and LangChain would write them. Each defect goes into one
call or result in the middle of a run; it counts as found when its rule reports the very message.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import sample
from benchmarks.measurement import Measurement, Reach, Settings
from holter import formats
from holter.analysis.lint import Linter
from holter.messages import AIMessage, Conversation, HumanMessage, Message, ToolMessage

FORMATS = ("openai.chat", "anthropic.messages", "gemini.contents", "langchain.json")
RUNS = 150
LEAST_RECALL = 0.95

_Inject = Callable[[list[Message], int], tuple[list[Message], int] | None]
"""From clean messages and the position of a message with one call, whose result follows, to broken ones and the place of the defect."""


def _dropped_result(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 1], *messages[at + 2 :]], at


def _dropped_call(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[:at], *messages[at + 1 :]], at


def _intruder(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 1], HumanMessage("as a table please"), *messages[at + 1 :]], at + 1


def _second_result(messages: list[Message], at: int) -> tuple[list[Message], int]:
    return [*messages[: at + 2], messages[at + 1], *messages[at + 2 :]], at + 2


def _same_id(messages: list[Message], at: int) -> tuple[list[Message], int]:
    """The message makes its call a second time, under the same id; both are answered."""
    message = messages[at]
    assert isinstance(message, AIMessage)
    return [*messages[:at], message.replace(tool_calls=message.tool_calls * 2), messages[at + 1], *messages[at + 1 :]], at


def _no_id(messages: list[Message], at: int) -> tuple[list[Message], int]:
    message, result = messages[at], messages[at + 1]
    assert isinstance(message, AIMessage)
    assert isinstance(result, ToolMessage)
    bare = message.replace(tool_calls=[{**call, "id": None} for call in message.tool_calls])
    return [*messages[:at], bare, result.replace(tool_call_id=None), *messages[at + 2 :]], at


def _raw(text: str) -> _Inject:
    def inject(messages: list[Message], at: int) -> tuple[list[Message], int]:
        message = messages[at]
        assert isinstance(message, AIMessage)
        call = message.tool_calls[0]
        broken = {"name": call["name"], "args": text, "id": call["id"], "error": "not JSON", "type": "invalid_tool_call", "index": 0}
        return [*messages[:at], message.replace(tool_calls=[], invalid_tool_calls=[broken]), *messages[at + 1 :]], at

    return inject


def _markup(messages: list[Message], at: int) -> tuple[list[Message], int]:
    call = messages[at].tool_calls[0]  # type: ignore[union-attr]
    text = f"<tool_call>{json.dumps({'name': call['name'], 'arguments': call['args']})}</tool_call>"
    return [*messages[:at], AIMessage(text), *messages[at + 2 :]], at


def _repeated(messages: list[Message], at: int) -> tuple[list[Message], int]:
    message, result = messages[at], messages[at + 1]
    assert isinstance(message, AIMessage)
    assert isinstance(result, ToolMessage)
    again: list[Message] = []
    for n in range(3):
        call = {**message.tool_calls[0], "id": f"again{n}"}
        again += [message.replace(tool_calls=[call]), result.replace(tool_call_id=f"again{n}")]
    return [*messages[:at], *again, *messages[at + 2 :]], at + 4


_EVERYWHERE = FORMATS
_WITH_IDS = ("openai.chat", "anthropic.messages", "langchain.json")
_AS_TEXT = ("openai.chat",)

DEFECTS: dict[str, tuple[_Inject, tuple[str, ...], frozenset[str]]] = {
    "PAIR01": (_dropped_result, _EVERYWHERE, frozenset()),
    "PAIR02": (_dropped_call, _WITH_IDS, frozenset()),
    "PAIR03": (_intruder, ("openai.chat", "langchain.json"), frozenset()),
    "PAIR04": (_second_result, _WITH_IDS, frozenset()),
    "PAIR05": (_same_id, _WITH_IDS, frozenset()),
    "PAIR06": (_no_id, _AS_TEXT, frozenset()),
    "ARG01": (_raw('{"city": oslo"}'), _AS_TEXT, frozenset()),
    "ARG02": (_raw('"{\\"city\\": \\"Oslo\\"}"'), _AS_TEXT, frozenset()),
    "ARG03": (_raw(""), _AS_TEXT, frozenset({"ARG12"})),
    "ARG05": (_raw('{"city": "Oslo"}{"city": "Rome"}'), _AS_TEXT, frozenset()),
    "ARG06": (_raw("{'city': 'Oslo', 'exact': True}"), _AS_TEXT, frozenset()),
    "ARG08": (_raw('{"city": "Os'), _AS_TEXT, frozenset()),
    "LEAK01": (_markup, _EVERYWHERE, frozenset()),
    "LOOP01": (_repeated, _EVERYWHERE, frozenset()),
}
"""Rule -> how its defect is made, the formats that can hold it, and the rules that may speak beside it."""


def run(settings: Settings) -> Iterator[Measurement]:
    """The false alarms on clean runs, then the recall and the other reports of each rule."""
    del settings
    linter = Linter()
    clean = list(_clean())
    alarms = sum(
        f.severity == "error" for conversation in clean for form in FORMATS for f in linter.check(_as(conversation.messages, form))
    )
    yield Measurement(
        name="errors on clean runs", value=alarms, unit="", reach=Reach("value", "most", 0), note=f"{len(clean) * len(FORMATS)} runs"
    )
    for code, (inject, forms, companions) in DEFECTS.items():
        found, made, beside = _measured(code, inject, forms, companions, clean, linter)
        note = ", ".join(f"{other} {count}" for other, count in beside.most_common(3)) or "nothing else reported"
        reach = Reach("value", "least", LEAST_RECALL)
        yield Measurement(name=f"recall of {code}", value=found / made, unit="", reach=reach, note=f"{made} defects; {note}")


def _measured(
    code: str, inject: _Inject, forms: tuple[str, ...], companions: frozenset[str], clean: list[Conversation], linter: Linter
) -> tuple[int, int, Counter[str]]:
    """(found at their place, made, what else was reported)."""
    found = made = 0
    beside: Counter[str] = Counter()
    for conversation in clean:
        at = _a_call(conversation.messages)
        injected = inject(list(conversation.messages), at) if at is not None else None
        if injected is None:
            continue
        for form in forms:
            made += 1
            findings = [f for f in linter.check(_as(injected[0], form)) if f.severity != "info"]
            found += any(f.code == code and (f.message == injected[1] or form != "openai.chat") for f in findings)
            beside.update(f.code for f in findings if f.code != code and f.code not in companions)
    return found, made, beside


def _a_call(messages: list[Message]) -> int | None:
    """The position, in the middle of a run, of a message with one call, its result, an answer in words, and the next user message."""
    places = [
        at
        for at in range(1, len(messages) - 3)
        if isinstance(message := messages[at], AIMessage)
        and len(message.tool_calls) == 1
        and isinstance(messages[at + 1], ToolMessage)
        and isinstance(answer := messages[at + 2], AIMessage)
        and not answer.calls
        and isinstance(messages[at + 3], HumanMessage)
    ]
    return places[len(places) // 2] if places else None


def _clean() -> Iterator[Conversation]:
    with tempfile.TemporaryDirectory() as folder:
        made = sample.write(Path(folder, "log.jsonl"), sample.Shape("full-sized"), 6_000_000)
        for count, conversation in enumerate(formats.iter_file(made.path)):
            if count == RUNS:
                return
            yield conversation


def _as(messages: list[Message], form: str) -> Conversation:
    """The messages as a log of this format, read again."""
    plain = Conversation(format="openai.chat", messages=messages)
    if form == "openai.chat":
        return plain
    document: Any = formats.write(plain, form).document
    (again,) = formats.read(json.dumps(document))
    return again
