"""Names and ids on the wire: what a provider does not take is sent under another one, and what comes back is given its own again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


class ToolNames:
    """The names of the tools of one request: as the program has them, and as the provider takes them."""

    def __init__(self, names: Iterable[str], longest: int = 64) -> None:
        self._longest = longest
        self._sent: dict[str, str] = {}
        self._own: dict[str, str] = {}
        for name in names:
            self.sent(name)

    def sent(self, name: str) -> str:
        """The name as it is sent: itself where it may be."""
        if name not in self._sent:
            made = name if name and len(name) <= self._longest and not _UNFIT.search(name) else fitted(name, self._longest)
            while made in self._own:
                made = fitted(f"{name}\0{made}", self._longest, shown=name)
            self._sent[name] = made
            self._own[made] = name
        return self._sent[name]

    def own(self, sent: str) -> str:
        """The program's name of what the provider calls so; a name that nobody sent as it is."""
        return self._own.get(sent, sent)

    @property
    def are_plain(self) -> bool:
        """Whether every name is sent as it is."""
        return all(own == sent for own, sent in self._sent.items())


def fitted(text: str, longest: int, shown: str | None = None) -> str:
    """A name or id of letters, digits, "_" and "-", no longer than `longest`, that is always the same for the same text."""
    tail = digest(text, 8)
    head = _UNFIT.sub("_", text if shown is None else shown).strip("_")[: longest - len(tail) - 1]
    return f"{head}_{tail}" if head else f"t_{tail}"


def digest(text: str, length: int) -> str:
    """So many letters and digits, always the same for the same text."""
    number = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    letters = []
    for _ in range(length):
        number, at = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[at])
    return "".join(letters)


_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
