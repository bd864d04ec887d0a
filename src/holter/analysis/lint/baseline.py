"""Old findings that are known: a file that lists them, so that only new ones count."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable

from holter.errors import ReadError
from holter.messages import Finding

_VERSION = 1
_NUMBER = re.compile(r"\d+")


def fingerprint(file: str, finding: Finding) -> str:
    """What a finding is known by: file, conversation, rule, path and text. Where a message stands may change: numbers do not count."""
    said = (file, finding.conversation, finding.code, _NUMBER.sub("#", finding.path or ""), _NUMBER.sub("#", finding.text))
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:20]


def written(found: Iterable[tuple[str, Finding]]) -> str:
    """The text of a baseline that holds these findings: their fingerprints, and how often each comes."""
    counts = Counter(fingerprint(file, finding) for file, finding in found)
    return json.dumps({"version": _VERSION, "findings": dict(sorted(counts.items()))}, indent=1) + "\n"


class Baseline:
    """The findings of a baseline; each is taken as often as it was counted."""

    def __init__(self, text: str, name: str = "baseline") -> None:
        """Raises ReadError for a text that is no baseline."""
        try:
            record = json.loads(text)
            counts = {str(key): int(count) for key, count in record["findings"].items()}
            version = record["version"]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ReadError(f"{name} is no baseline; write one with `holter lint --write-baseline {name} FILE...`") from None
        if version != _VERSION:
            raise ReadError(f"{name} is a baseline of version {version!r}; this Holter knows {_VERSION}")
        self._left = Counter(counts)

    def knows(self, file: str, finding: Finding) -> bool:
        """Whether the finding is an old one, and takes it out."""
        key = fingerprint(file, finding)
        if self._left[key] <= 0:
            return False
        self._left[key] -= 1
        return True
