"""How findings are printed: as text, JSON, SARIF, or GitHub's annotations."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from holter.cli.output import is_terminal, write_bytes
from holter.messages import Conversation, Finding
from holter.render import json
from holter.render.quantity import plural, severities


class Printer(Protocol):
    """Takes in findings, in their order."""

    def finding(self, file: str, finding: Finding, conversation: Conversation) -> None:
        """Prints one, or keeps it."""

    def end(self) -> None:
        """Prints what is left, when all files are read."""


_FIELDS = ("code", "name", "severity", "conversation", "message", "index", "path", "line", "column", "text", "hint", "fixable")


class Json:
    """One object, written as it grows: `{"findings": […]}`, every field of a finding present."""

    def __init__(self) -> None:
        self._count = 0

    def finding(self, file: str, finding: Finding, conversation: Conversation) -> None:  # noqa: ARG002 - what all printers take
        """Prints one."""
        write_bytes(b",\n " if self._count else b'{"findings": [\n ')
        self._count += 1
        write_bytes(json.line({"file": file, **{name: getattr(finding, name) for name in _FIELDS}}).rstrip(b"\n"))

    def end(self) -> None:
        """Prints the end."""
        write_bytes(b"\n]}\n" if self._count else b'{"findings": []}\n')


class Sarif:
    """One SARIF log, at the end."""

    def __init__(self) -> None:
        self._found: list[tuple[str, Finding]] = []

    def finding(self, file: str, finding: Finding, conversation: Conversation) -> None:  # noqa: ARG002 - what all printers take
        """Keeps one."""
        self._found.append((file, finding))

    def end(self) -> None:
        """Prints the log."""
        from importlib.metadata import PackageNotFoundError, version

        from holter.analysis.lint.catalogue import RULES
        from holter.render.sarif import sarif

        try:
            own = version("holter")
        except PackageNotFoundError:
            own = "0"
        write_bytes(json.pages(sarif(self._found, RULES, own)))


class GitHub:
    """A workflow command for each."""

    def finding(self, file: str, finding: Finding, conversation: Conversation) -> None:  # noqa: ARG002 - what all printers take
        """Prints one."""
        from holter.render.control import visible
        from holter.render.sarif import github

        write_bytes((visible(github(file, finding)) + "\n").encode("utf-8", "backslashreplace"))

    def end(self) -> None:
        """Nothing is left."""


class Text:
    """For a person: each finding with its message between its neighbours, and the sum of all."""

    def __init__(self) -> None:
        from holter.cli.output import text_console, width
        from holter.render.view import View

        self._console = text_console()
        self._view = View(width=width())
        self._count: Counter[str] = Counter()
        self._fixable = 0

    def finding(self, file: str, finding: Finding, conversation: Conversation) -> None:
        """Prints one."""
        from holter.render.offence import offence

        self._count[finding.severity] += 1
        self._fixable += finding.fixable
        for line in offence(finding, conversation, None if file == "-" else file, self._view):
            self._console.print(line)
        self._console.print()

    def end(self) -> None:
        """Prints the sum."""
        if not self._count:
            if is_terminal():
                self._console.print("nothing found")
            return
        fixable = f", {self._fixable} fixable with `holter fix`" if self._fixable else ""
        self._console.print(f"{severities(self._count)}{fixable}" if self._count else plural(0, "finding"))


def printer_of(form: str) -> Printer:
    """The printer for a --format."""
    match form:
        case "json":
            return Json()
        case "sarif":
            return Sarif()
        case "github":
            return GitHub()
        case _:
            return Text()
