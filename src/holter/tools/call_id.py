"""Ids for calls that Holter makes out of one call of the model."""

import re
from collections.abc import Iterable
from typing import Any
from zlib import crc32

_LONGEST = 40
"""OpenAI's limit (seen 2026-11)."""
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
"""What Anthropic does not take in an id (seen 2026-11)."""


class CallIds:
    """Makes ids that no call of a message has."""

    def __init__(self, given: Iterable[Any]) -> None:
        self._given = {call_id for call_id in given if isinstance(call_id, str)}

    def made(self, call_id: str | None, number: int, position: int) -> str:
        """An id made from another and a number: "k1_2" from "k1" and 2; from the call's position where it has no id.

        What does not fit a provider is replaced, with a checksum of the whole id, so that ids made of different ones stay different.
        """
        base = call_id or f"call_{position}"
        tail = f"_{number}"
        if _UNFIT.search(base) or len(base) + len(tail) > _LONGEST:
            checksum = f"_{crc32(base.encode('utf-8', 'surrogatepass')):08x}"
            base = _UNFIT.sub("_", base)[: _LONGEST - len(checksum) - 10] + checksum
        made = f"{base}{tail}"
        while made in self._given:
            number += 1
            made = f"{base}_{number}"
        self._given.add(made)
        return made
