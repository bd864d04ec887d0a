"""What a conversion did not keep, and what was found while reading."""

from collections import Counter

from holter.cli.say import say
from holter.formats.form import Loss
from holter.messages import Conversation
from holter.render.quantity import listed, plural, severities


class Report:
    """Sums of the losses and findings of a file, small however many conversations it holds."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._conversations = 0
        self._found: Counter[str] = Counter()
        self._lost: dict[str, list[int]] = {}
        """What was lost -> positions of the messages; of the first conversation only."""
        self._count: dict[str, tuple[int, int]] = {}
        """What was lost -> in how many conversations, from how many messages."""

    @property
    def damaged(self) -> bool:
        """Whether a finding is an error."""
        return self._found["error"] > 0

    def add(self, conversation: Conversation, losses: list[Loss]) -> None:
        """Takes in the next conversation."""
        self._conversations += 1
        self._found.update(finding.severity for finding in conversation.findings)
        for loss in losses:
            self._lost.setdefault(loss.what, loss.messages)
            conversations, messages = self._count.get(loss.what, (0, 0))
            self._count[loss.what] = conversations + 1, messages + len(loss.messages)

    def tell(self) -> None:
        """Says it, a sentence each."""
        for what, (conversations, messages) in self._count.items():
            say(f"not kept: {what}{self._where(what, conversations, messages)}")
        if self._found:
            say(f"{severities(self._found)} found while reading; `holter show {self._file}` shows them")

    def _where(self, what: str, conversations: int, messages: int) -> str:
        if self._conversations > 1:
            return f", in {plural(messages, 'message')} of {plural(conversations, 'conversation')}" if messages else ""
        positions = self._lost[what]
        if not positions:
            return ""
        return f", in message {positions[0]}" if len(positions) == 1 else f", in messages {listed(positions)}"
