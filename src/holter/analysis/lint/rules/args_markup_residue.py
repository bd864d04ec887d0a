"""Pieces of a chat template inside arguments.

What:   no marker of a template stands in a key or value.
Why:    the tool is called with the markup in its arguments.
Seen:   a lenient parser of GLM or Qwen markup kept what it did not understand.
Bad:    user p5 · calls g open_page {"doc<arg_key>": "part</arg_key><arg_value>2"} · result g err
Good:   user p5 · calls g open_page {"html": "<div>2</div>"} · result g ok
Source: https://github.com/vllm-project/vllm/issues/49248 (2026-07-20), https://github.com/exo-explore/exo/pull/2187 (2026-06-29).
"""

from collections.abc import Iterator

from holter.analysis.lint import facts
from holter.analysis.lint.index import Index
from holter.analysis.lint.rule import Found, Rule


def check(index: Index) -> Iterator[Found]:
    """Each such call, with the first marker and its place."""
    yield from index.argument_findings("ARG11")


RULE = Rule(code="ARG11", name="args-markup-residue", severity="error", check=check, needs=facts.INVALID | facts.ODD_ARGS)
