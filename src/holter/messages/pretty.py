"""Messages as LangChain prints them, which is how people know them.

Source: `BaseMessage.pretty_repr` and `AIMessage.pretty_repr` of langchain-core 1.8.3, behaviour seen 2026-11. Takes plain values, so that
messages can print themselves.
"""

from typing import Any

from holter.messages.content import Content

_WIDTH = 80


def title_line(title: str) -> str:
    """The title centred in 80 columns of `=`; the odd one stands on the right."""
    padded = f" {title} "
    side = (_WIDTH - len(padded)) // 2
    return "=" * side + padded + "=" * side + "=" * (len(padded) % 2)


def pretty_message(kind: str, name: str | None, content: Content) -> str:
    """The content under a title line of its kind ("human") and the name, where there is one."""
    named = f"\nName: {name}" if name is not None else ""
    return f"{title_line(f'{kind.title()} Message')}{named}\n\n{content}"


def pretty_answer(base: str, calls: list[dict[str, Any]], invalid_calls: list[dict[str, Any]]) -> str:
    """What `pretty_message` made of an answer, without white space around it, then its calls with their arguments."""
    lines: list[str] = []
    if calls:
        lines += ["Tool Calls:", *(line for call in calls for line in _call_lines(call))]
    if invalid_calls:
        lines += ["Invalid Tool Calls:", *(line for call in invalid_calls for line in _call_lines(call))]
    return "\n".join([base.strip(), *lines]).strip()


def _call_lines(call: dict[str, Any]) -> list[str]:
    lines = [f"  {call.get('name', 'Tool')} ({call.get('id')})", f" Call ID: {call.get('id')}"]
    if call.get("error"):
        lines.append(f"  Error: {call['error']}")
    lines.append("  Args:")
    match call.get("args"):
        case str() as text:
            lines.append(f"    {text}")
        case dict() as args:
            lines += [f"    {key}: {value}" for key, value in args.items()]
    return lines
