"""Results without an id: where that is how it should be, and where nothing tells which call they answer."""

from __future__ import annotations

from collections.abc import Sequence

from holter.formats.target import Target
from holter.messages import CallRef, Message, Pairing, ToolMessage


def lacks_ids(form: str, target: Target | None, pairing: Pairing) -> bool:
    """Whether calls of this format or target have no ids by design: Gemini's parts, legacy `function_call`, printed transcripts."""
    if form.startswith("gemini.") or (target is not None and target.family == "gemini") or form in ("langchain.pretty", "langchain.repr"):
        return True
    return any((ref.call.get("extras") or {}).get("type") == "function_call" for ref in pairing.calls)


def untold_results(messages: Sequence[Message], pairing: Pairing) -> dict[int, int]:
    """Position of each such result -> that of the message whose calls it may answer. As many results as open calls are told apart by
    their order, those that carry a tool's name among the calls of that tool."""
    waiting: dict[int, list[int]] = {}
    for at, ref in pairing.answered.items():
        if not _id_of(messages[at]):
            waiting.setdefault(ref.message, []).append(at)
    found: dict[int, int] = {}
    for turn, results in waiting.items():
        calls = [ref for ref in pairing.of(turn) if ref.result is None or ref.result in results]
        for name in {_name_of(messages[at]) for at in results}:
            of_name = [at for at in results if _name_of(messages[at]) == name]
            fits = [ref for ref in calls if _is_called(ref, name)]
            if 1 < len(fits) != len(of_name if name else results):
                found |= dict.fromkeys(of_name, turn)
    return found


def _id_of(message: Message) -> str | None:
    return message.tool_call_id if isinstance(message, ToolMessage) else None


def _name_of(message: Message) -> str | None:
    return message.name if isinstance(message, ToolMessage) else None


def _is_called(ref: CallRef, name: str | None) -> bool:
    return not name or ref.call.get("name") == name
