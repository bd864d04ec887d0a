"""Content parts, reasoning items and item kinds of the OpenAI Responses API, and their standard form.

Source: OpenAI API reference, responses, input and output items, seen 2026-11. What a part holds besides (annotations, detail, …) stands in
"extras", and so does what the item around it says of itself, under "item".
"""

from __future__ import annotations

from typing import Any

from holter.formats.wire import without_nulls
from holter.messages.content import Block, data_url, media_block, reasoning_block, text_block

EXTRAS = frozenset({"annotations", "detail"})
"""What the API takes beside a part's own fields."""

ROLES = ("user", "assistant", "system", "developer")

HOSTED = frozenset(
    """
    apply_patch code_interpreter computer computer_use_preview file_search image_generation local_shell mcp namespace shell tool_search
    web_search web_search_preview
    """.split()
)
"""Types of the tools that OpenAI runs itself or knows by name."""

CALLS = frozenset({"function_call", "custom_tool_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
"""Items that are calls of the caller's own tools, and their results."""

ANSWERED = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "tool_search_call",
        "compaction",
        "compaction_summary",
        "item_reference",
    }
)
"""Items of the model's turn that are kept as blocks. Most hosted tools hold call and result in one; the others are answered by an item."""

GIVEN = frozenset(
    {
        "computer_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "apply_patch_call_output",
        "tool_search_output",
        "mcp_approval_response",
    }
)
"""Items of the caller's turn that are kept as blocks."""

ITEMS = CALLS | OUTPUTS | ANSWERED | GIVEN | {"message", "reasoning"}

PARTS = frozenset(
    {"input_text", "output_text", "text", "refusal", "input_image", "input_file", "input_audio", "summary_text", "computer_screenshot"}
)


def is_given(item: Block) -> bool:
    """Whether an item that becomes a block belongs to the caller's turn; of an unknown one its name tells."""
    kind = item.get("type")
    if item.get("execution") == "server":
        return False
    return isinstance(kind, str) and (kind in GIVEN or (kind not in ANSWERED and kind.endswith(("_output", "_response"))))


def read_part(part: Block, usual: str) -> Block:
    """The part in its standard form, itself where there is none; `usual` is the kind that a text has in this role and need not be noted."""
    match part:
        case {"type": "input_text" | "output_text" | "text" as kind, "text": str(text), **rest}:
            said = {key: item for key, item in without_nulls(rest).items() if item != [] or key not in ("annotations", "logprobs")}
            return text_block(text, {**said, **({"type": kind} if kind != usual else {})})
        case {"type": "input_image"}:
            return _image(part)
        case {"type": "input_audio", "input_audio": {"data": str(data), "format": str(form), **more}, **rest} if not more:
            return media_block("audio", base64=data, mime_type=f"audio/{form}", extras=without_nulls(rest))
        case {"type": "input_file"}:
            return _file(part)
        case _:
            return part


def _image(part: Block) -> Block:
    said = _beside_type(part)
    url, file_id = said.pop("image_url", None), said.pop("file_id", None)
    if isinstance(url, str) and file_id is None:
        parsed = data_url(url)
        fields = {"base64": parsed[1], "mime_type": parsed[0]} if parsed else {"url": url}
        return media_block("image", extras=said, **fields)
    if isinstance(file_id, str) and url is None:
        return media_block("image", file_id=file_id, extras=said)
    return part


def _file(part: Block) -> Block:
    said = _beside_type(part)
    data, file_id, url, name = (said.pop(key, None) for key in ("file_data", "file_id", "file_url", "filename"))
    given = [value for value in (data, file_id, url) if value is not None]
    if len(given) != 1 or not isinstance(given[0], str) or not isinstance(name, str | None):
        return part
    if not isinstance(data, str):
        return media_block("file", file_id=file_id, url=url, filename=name, extras=said)
    parsed = data_url(data)
    return media_block("file", base64=parsed[1] if parsed else data, mime_type=parsed[0] if parsed else None, filename=name, extras=said)


def write_part(block: Block, extras: dict[str, Any], usual: str, *, own: bool) -> Block | None:
    """The part on the wire; None for a block that the API does not know, unless it is the API's own log that has it. A text of the model's
    carries its list of annotations."""
    match block:
        case {"type": "text", "text": str(text)}:
            kind = extras.pop("type", usual)
            annotations = {"annotations": extras.pop("annotations", [])} if kind == "output_text" else {}
            return {"type": kind, "text": text, **annotations, **extras}
        case {"type": "image"} if (where := _where(block, "image_url")) is not None:
            return {"type": "input_image", **where, **extras}
        case {"type": "audio", "base64": str(data)}:
            form = str(block.get("mime_type") or "audio/wav").removeprefix("audio/")
            return {"type": "input_audio", "input_audio": {"data": data, "format": form}, **extras}
        case {"type": "file"} if (where := _where(block, "file_url")) is not None:
            name = {"filename": block["filename"]} if "filename" in block else {}
            return {"type": "input_file", **where, **name, **extras}
        case _ if own or block.get("type") in tuple(PARTS):
            return {**{key: item for key, item in block.items() if key != "extras"}, **extras}
        case _:
            return None


def _where(block: Block, url_key: str) -> dict[str, Any] | None:
    if "file_id" in block:
        return {"file_id": block["file_id"]}
    if "base64" in block:
        mime, data = block.get("mime_type"), block["base64"]
        return {"image_url" if url_key == "image_url" else "file_data": f"data:{mime};base64,{data}" if mime else data}
    return {url_key: block["url"]} if "url" in block else None


def read_reasoning(item: Block) -> Block:
    """A reasoning item as a block: its summary and its text, a blank line between parts. The item's id and encrypted form stand in
    "extras"; so do the parts themselves where the text alone does not tell them."""
    rest = _beside_type(item)
    summary, content = rest.pop("summary", []), rest.pop("content", [])
    texts = [text for parts in (summary, content) if isinstance(parts, list) for text in map(_text_of_part, parts) if text is not None]
    text = "\n\n".join(texts)
    if content != [] or summary != _summary(text):
        rest["summary"] = summary
    if content != []:
        rest["content"] = content
    return reasoning_block(text, rest)


def write_reasoning(block: Block, extras: dict[str, Any]) -> Block:
    """A reasoning block as the item it was."""
    return {"type": "reasoning", "summary": _summary(block.get("reasoning")), **extras}


def _beside_type(value: Block) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != "type" and item is not None}


def _summary(text: Any) -> list[Block]:
    return [{"type": "summary_text", "text": text}] if text else []


def _text_of_part(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None
