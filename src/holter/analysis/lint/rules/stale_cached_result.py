"""A result that belongs to another call.

What:   a result is that of its own call: of its id, its arguments, its server.
Why:    the model works with the answer to another question.
Seen:   results looked up by a name and a position that come again; keys without the server's name.
Bad:    {"events": [{"type": "tool_call", "id": "r", "args": {"p": "a"}}, {"type": "tool_result", "id": "r", "executed": "A", "sent": "A"},
        {"type": "tool_call", "id": "r", "args": {"p": "b"}}, {"type": "tool_result", "id": "r", "executed": "B", "sent": "A"}]}
Good:   {"events": [{"type": "tool_call", "id": "r", "args": {"p": "a"}}, {"type": "tool_result", "id": "r", "executed": "A", "sent": "A"},
        {"type": "tool_call", "id": "r", "args": {"p": "b"}}, {"type": "tool_result", "id": "r", "executed": "B", "sent": "B"}]}
Source: https://github.com/1jehuang/jcode/issues/884 (2026-08-11), https://github.com/juspay/neurolink/pull/943 (2026-04-11).
"""

from collections.abc import Iterator

from holter.analysis.lint.rule import Found, Rule
from holter.analysis.lint.trace import Step, Trace, canonical


def check(trace: Trace) -> Iterator[Found]:
    """Each result that is not what its tool gave, or that a cache gave to a call with other arguments."""
    by_key: dict[str, Step] = {}
    sent: list[Step] = []
    for step in trace.steps:
        if step.kind == "tool_result":
            if step.executed is not None and step.text is not None and step.executed != step.text:
                source = next((earlier for earlier in sent if earlier.text == step.text), None)
                whose = f"that of event {source.position}" if source else "another text"
                yield Found(
                    text=f"the tool gave one result for {step.call_id}, and {whose} was sent",
                    index=step.position,
                    path=f"[{step.position}]",
                )
            sent.append(step)
        elif step.kind == "cache_hit" and step.key is not None:
            call = trace.call_before(step)
            first = by_key.setdefault(step.key, call or step)
            if call is not None and first is not call and (first.name, canonical(first.args)) != (call.name, canonical(call.args)):
                text = f"one cache entry serves {first.name} at {first.position} and {call.name} at {call.position}, with other arguments"
                yield Found(text=text, index=step.position, path=f"[{step.position}]")


RULE = Rule(code="RUN07", name="stale-cached-result", severity="error", check=check, about="trace")
