"""The pages of `docs/rules/`, made from the rules' own docstrings: `python -m holter.analysis.lint.pages docs/rules`."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

from holter.analysis.lint.catalogue import RULES
from holter.analysis.lint.example import Page, page_of
from holter.analysis.lint.rule import Rule
from holter.formats.target import TARGETS

_GROUPS = {
    "PAIR": "Calls and results",
    "TRIM": "Cuts",
    "ID": "Ids",
    "ARG": "Arguments",
    "NAME": "Names",
    "STRM": "Streams",
    "LEAK": "Calls as text",
    "FIN": "How answers end",
    "ROLE": "Roles",
    "RSN": "Reasoning",
    "CONT": "Content",
    "USE": "Usage",
    "LOOP": "Loops",
    "RUN": "Runs",
    "TOOL": "Tools",
    "READ": "Reading",
}
_SUBJECT = {
    "conversation": "a conversation",
    "cut": "a history before and after a cut: `holter.analysis.lint.lint_cut`",
    "trace": "the events of a run: `holter.analysis.lint.lint_trace`",
}
_LINK = re.compile(r"https://\S+?(?=[,.]?(?:\s|$))")


def pages() -> dict[str, str]:
    """File name -> Markdown: an index, and a page for each rule."""
    made = {f"{rule.name}.md": _page(rule, page_for(rule)) for rule in RULES}
    return {"index.md": _index(), **made}


def page_for(rule: Rule) -> Page:
    """What the docstring of a rule's file says."""
    return page_of(importlib.import_module(rule.check.__module__).__doc__ or "")


def _page(rule: Rule, page: Page) -> str:
    parts = [
        f"# {rule.code} {rule.name}",
        f"{page.title}. Default severity: **{rule.severity}**.",
        f"**What is checked.** {_sentence(page.what)}",
        f"**Why it is refused, or goes wrong.** {_sentence(page.why)}",
        f"**How people run into it.** {_sentence(page.seen)}",
        f"**Looks at** {_SUBJECT[rule.about]}.",
        f"**Fix.** {_sentence(rule.fix)}" if rule.fix else "**Fix.** None is safe.",
    ]
    if rule.profiled:
        parts.append("**Holds for** " + "; ".join(_demands(rule)) + ".")
    parts += ["## Bad", _example(page.bad, page.target), "## Good", _example(page.good, page.target), f"Source: {_linked(page.source)}"]
    return "\n\n".join(parts) + "\n"


def _demands(rule: Rule) -> list[str]:
    """The targets that have the rule, each with what that rests on."""
    found = []
    for target in TARGETS:
        demand = target.demand(rule.code)
        if demand is not None:
            limits = [f"at most {demand.limit}"] if demand.limit else []
            limits += [f"`{demand.pattern}`"] if demand.pattern else []
            more = f" ({', '.join(limits)})" if limits else ""
            found.append(f"`{target.name}`{more}, [{demand.date}]({demand.source})")
    return found


def _example(text: str, target: str | None) -> str:
    kind = "json" if text.startswith(("{", "[")) else "text"
    checked = f"With `--target {target}`:\n\n" if target else ""
    return f"{checked}```{kind}\n{text}\n```"


def _sentence(text: str) -> str:
    ended = text if text.endswith((".", "!", "?", '"')) else f"{text}."
    return ended[:1].upper() + ended[1:]


def _linked(text: str) -> str:
    return _LINK.sub(lambda match: f"<{match[0]}>", text)


def _index() -> str:
    lines = [
        "# Rules",
        "",
        f"The {len(RULES)} rules of `holter lint`, each with what it checks, why it matters, how people run into it, and an example.",
        "Made from the rules' own files; a rule that holds for some targets only is marked with a dagger (†).",
    ]
    for prefix, title in _GROUPS.items():
        rules = [rule for rule in RULES if rule.code.rstrip("0123456789") == prefix]
        lines += ["", f"## {title}", "", "| code | rule | severity | what is wrong | fix |", "| --- | --- | --- | --- | --- |"]
        for rule in rules:
            mark = " †" if rule.profiled else ""
            title = page_for(rule).title.replace("|", "\\|")
            lines.append(
                f"| {rule.code}{mark} | [{rule.name}]({rule.name}.md) | {rule.severity} | {title} | {'yes' if rule.fix else '–'} |"
            )
    lines += ["", "## Targets", "", "| target | rules |", "| --- | --- |"]
    for target in TARGETS:
        codes = ", ".join(demand.code for demand in target.demands) or "only those that hold everywhere"
        also = f" (also {', '.join(f'`{alias}`' for alias in target.aliases)})" if target.aliases else ""
        lines.append(f"| `{target.name}`{also} | {codes} |")
    return "\n".join(lines) + "\n"


def main(folder: str) -> None:
    """Writes the pages into a folder, and takes away pages of rules that there are no more."""
    made = pages()
    at = Path(folder)
    at.mkdir(parents=True, exist_ok=True)
    for old in at.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (at / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
