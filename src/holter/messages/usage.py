"""Token counts by LangChain's names.

Source: langchain-core 1.8 `UsageMetadata`, seen 2026-11. `input_tokens` counts everything that went in, cached tokens included (Anthropic
reports them apart; its reader adds them), `output_tokens` everything that came out.
"""

from typing import Any, TypeAlias

UsageMetadata: TypeAlias = dict[str, Any]
"""`{"input_tokens": int, "output_tokens": int, "total_tokens": int, "input_token_details": dict, "output_token_details": dict}`.

Details are counts too: `cache_read`, `cache_creation`, `audio` of the input; `reasoning`, `audio` of the output."""

_DETAILS = ("input_token_details", "output_token_details")
_OWN = frozenset({"input_tokens", "output_tokens", "total_tokens", *_DETAILS})


def count(value: Any) -> int | None:
    """A token count of a foreign log, or None where it is none: a non-negative whole number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int) and value >= 0:
        return value
    if isinstance(value, float) and value >= 0 and value.is_integer():
        return int(value)
    return None


def sound(counted: dict[str, Any]) -> UsageMetadata:
    """What is in order of the usage metadata that a foreign log gives: counts that are counts, details that are objects of counts. The same
    object where all of it is; fields of other names stay."""
    made: UsageMetadata = {}
    for key, value in counted.items():
        if value is None or key not in _OWN:
            made[key] = value
        elif key not in _DETAILS:
            made |= {key: value} if _is_count(value) else {}
        elif isinstance(value, dict):
            details = {name: number for name, number in value.items() if number is None or _is_count(number)}
            made[key] = value if len(details) == len(value) else details
    is_whole = len(made) == len(counted) and all(made[key] is value for key, value in counted.items())
    return counted if is_whole else made


def _is_count(value: Any) -> bool:
    return value.__class__ is int or count(value) is not None


def usage(
    input_tokens: Any,
    output_tokens: Any,
    total_tokens: Any = None,
    *,
    cache_read: Any = None,
    cache_creation: Any = None,
    reasoning: Any = None,
    input_audio: Any = None,
    output_audio: Any = None,
) -> UsageMetadata | None:
    """Usage metadata from a provider's numbers, or None when there are none. A missing total is the sum; unknown details are left out."""
    counted_in, counted_out, total = count(input_tokens), count(output_tokens), count(total_tokens)
    if counted_in is None and counted_out is None and total is None:
        return None
    in_details = {"audio": count(input_audio), "cache_read": count(cache_read), "cache_creation": count(cache_creation)}
    out_details = {"audio": count(output_audio), "reasoning": count(reasoning)}
    return {
        "input_tokens": counted_in or 0,
        "output_tokens": counted_out or 0,
        "total_tokens": total if total is not None else (counted_in or 0) + (counted_out or 0),
        "input_token_details": {key: value for key, value in in_details.items() if value is not None},
        "output_token_details": {key: value for key, value in out_details.items() if value is not None},
    }
