"""Content as lines: text as text, reasoning marked, everything else named in brackets."""

from typing import Any

from rich.text import Text

from holter.messages.content import MEDIA, Block, Content
from holter.render.control import one_line
from holter.render.cut import MATERIAL, PROSE, Limit
from holter.render.paragraph import indented, paragraph
from holter.render.quantity import size
from holter.render.span import span
from holter.render.value import compact
from holter.render.view import View
from holter.render.wrap import cells, shorten

_IDS = ("id", "call_id", "tool_use_id", "status")
"""Fields of a provider's own blocks that say little to a person."""
_REASONING = "dim italic"


def blocks(content: Content) -> list[Block]:
    """The blocks of a content; text is one text block, empty text none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content


def block_lines(block: Block, width: int, view: View, limit: Limit = PROSE, style: str = "") -> list[Text]:
    """One block. A text is cut to `limit`; a text that is empty has no lines."""
    match block:
        case {"type": "text", "text": str(text)}:
            shown = text if view.whole else text.strip("\n")
            return paragraph(shown, width, style, view.limit(limit)) if text.strip() else []
        case {"type": "reasoning", "reasoning": str(text)} if text:
            return reasoning_lines(text, width, view)
        case {"type": "reasoning", "reasoning": ""} if not view.whole:
            return paragraph("[reasoning, of which the provider gave no text]", width, "cyan")
        case {"type": "refusal", "refusal": str(text)}:
            return refusal_lines(text, width)
        case {"type": str(kind)} if kind in MEDIA:
            return paragraph(f"[{_media(block)}]", width, "cyan")
        case _:
            return paragraph(_unknown(block, width, view), width, "cyan")


def reasoning_lines(text: str, width: int, view: View) -> list[Text]:
    """What the model thought, dim and behind a bar."""
    bar = span("┆ ", _REASONING)
    lines = paragraph(text.strip("\n"), width - 2, _REASONING, view.limit(MATERIAL))
    return [bar + line for line in [span("reasoning", _REASONING), *lines]]


def refusal_lines(refusal: Any, width: int) -> list[Text]:
    """What the model said in place of an answer."""
    text = refusal if isinstance(refusal, str) else compact(refusal)
    return indented(paragraph(text, width - 9, "red"), span("refused: ", "red"))


def failure_lines(error: Any, width: int) -> list[Text]:
    """What the provider says of an answer that failed."""
    text = error if isinstance(error, str) else compact(error)
    return indented(paragraph(text, width - 8, "red"), span("failed: ", "red"))


def _media(block: Block) -> str:
    """`image image/png 12 kB`, with the name, address or id where it has one."""
    parts = [str(block["type"])]
    parts += [shorten(one_line(str(block[key])), 80) for key in ("mime_type", "filename", "url", "file_id") if block.get(key)]
    data = block.get("base64")
    if isinstance(data, str) and not data.startswith("["):
        parts.append(size(len(data.rstrip("=")) * 3 // 4))
    return " ".join(parts)


def _unknown(block: Block, width: int, view: View) -> str:
    """`[server_tool_use {…}]`; on one line and without ids unless all is to be seen."""
    kind = one_line(str(block.get("type") or "block without a type"))
    left_out = ("type",) if view.whole else ("type", *_IDS)
    rest = one_line(compact({key: value for key, value in block.items() if key not in left_out}))
    return f"[{kind} {rest if view.whole else shorten(rest, max(width - cells(kind) - 3, 20))}]"
