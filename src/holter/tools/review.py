"""What a model would stumble over in the tools it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from holter.messages import Finding
from holter.messages.finding import Severity
from holter.tools.declaration import Declaration

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names that every provider takes (OpenAI and Anthropic: `^[a-zA-Z0-9_-]{1,64}$`, API references, seen 2026-11)."""

_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff"
_WORD = re.compile(rf"[{_HAN}]|[\u30a0-\u30ff]+|[^\W_{_HAN}{_KANA}]+")
"""A character of Chinese, a run of Katakana, a word of a script with spaces; Hiragana is grammar."""
_ENDING = re.compile(r"(?<=\w{3})(?:es|s|e)$")
_COMMON = frozenset(
    "a an the of in on at to for from by with and or is are be this that it its as one some any all given specified get return use "
    "的 了 在 个 某 一 和 与 或 指 定".split()
)
"""Words, and characters of Chinese, that say nothing of what a tool is for."""
_ALIKE = 0.75


def review(tools: Sequence[Declaration]) -> list[Finding]:
    """What is wrong with the declarations: of each tool in their order, then of pairs."""
    found = [finding for tool in tools for finding in _of_one(tool)]
    return [*found, *_same_names(tools), *_overlaps(tools)]


def _of_one(tool: Declaration) -> Iterator[Finding]:
    if not NAME.fullmatch(tool.name):
        text = f"the name {tool.name!r} is not one that providers take"
        yield _finding("NAME02", "name-charset", "error", tool, text, hint="Use letters, digits, _ and -, at most 64 of them.")
    if not tool.description:
        text = "it has no description, so a model cannot know when to call it"
        yield _finding("TOOL02", "no-description", "warning", tool, text, hint="Write a docstring.")
    for name, schema in tool.args.items():
        if not (isinstance(schema, dict) and schema.get("description")):
            hint = f'Write it in the docstring, or as Annotated[…, "what {name} is"].'
            yield _finding(
                "TOOL03", "undocumented-parameter", "info", tool, f"the parameter {name!r} has no description", f"properties.{name}", hint
            )


def _same_names(tools: Sequence[Declaration]) -> Iterator[Finding]:
    """Tools whose name another one has already."""
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            text = "another tool has the same name, so a model could call only one of them"
            yield _finding("TOOL05", "repeated-name", "error", tool, text, hint='Name one of them anew: @tool("other_name").')
        seen.add(tool.name)


def _overlaps(tools: Sequence[Declaration]) -> Iterator[Finding]:
    """Pairs of tools whose descriptions say nearly the same."""
    words = [_words(tool.description) for tool in tools]
    for i, one in enumerate(words):
        for j in range(i + 1, len(words)):
            both = one & words[j]
            if both and len(both) >= _ALIKE * len(one | words[j]):
                text = f"its description says nearly the same as that of {tools[i].name}, so a model cannot tell which to call"
                yield _finding(
                    "TOOL04", "overlapping-descriptions", "warning", tools[j], text, hint="Say in each when to use it and not the other."
                )


def _words(text: str) -> set[str]:
    """What carries meaning: words without their endings, characters of Chinese."""
    return {_ENDING.sub("", word) for word in set(_WORD.findall(text.casefold())) - _COMMON}


def _finding(
    code: str, name: str, severity: Severity, tool: Declaration, text: str, path: str | None = None, hint: str | None = None
) -> Finding:
    return Finding(code=code, name=name, severity=severity, text=f"{tool.name}: {text}", path=path, hint=hint)
