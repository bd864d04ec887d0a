"""A reasoning item without the item it belongs to.

What:   in a list of Responses items a reasoning item is followed by the message or call that came with it. Where the history before a
        cut is given too (`lint_cut`): what a reasoning item led to has it in front of it still.
Why:    "Item of type 'reasoning' was provided without its required following item": the request is refused.
Seen:   a trimmer or a filter dropped one of the two.
Target: openai-responses
Bad:    [{"type": "message", "role": "user", "content": "x"}, {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "role": "user", "content": "y"}]
Good:   [{"type": "message", "role": "user", "content": "x"}, {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "ok"}]
Source: https://github.com/openai/openai-node/issues/1567 (2025-07-01), https://github.com/vercel/ai/issues/7099 (2026-07-22).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.cut import Cut, answer_key
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule
from holter.messages import AIMessage, Message


def check(index: Index) -> Iterator[Found]:
    """Each reasoning item that nothing of its answer follows."""
    for at, _ in index.answers:
        if index.lacks_item(at):
            yield index.at(at, "a reasoning item stands without the item that it led to", hint="drop the pair together, or send both")


def check_cut(cut: Cut) -> Iterator[Found]:
    """Each answer of `after` that has lost the reasoning item of the same answer in `before`."""
    originals = {key: m for m in cut.before if (key := answer_key(m)) is not None and _item_ids(m)}
    for at, message in enumerate(cut.after):
        original = originals.get(answer_key(message) or ())
        if original is not None and (lost := [one for one in _item_ids(original) if one not in _item_ids(message)]):
            text = f"the reasoning item {lost[0]} that led to this one is left out"
            hint = "send both, or leave out both"
            yield Found(text=text, message=at, index=at, path=f"[{at}]", hint=hint, fixable=False)


def _item_ids(message: Message) -> list[str]:
    """The ids of the reasoning items of an answer."""
    content = message.content if isinstance(message, AIMessage) and isinstance(message.content, list) else []
    ids = [(block.get("extras") or {}).get("id") for block in content if block.get("type") == "reasoning"]
    return [one for one in ids if isinstance(one, str)]


RULE = Rule(
    code="RSN05",
    name="reasoning-item-unpaired",
    severity="error",
    check=check,
    fix="drop the item whose partner is missing",
    needs=facts.BLOCKS,
    profiled=True,
    check_cut=check_cut,
)
